//! The fast twin of the rules against the rules, over millions of random plies.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::num::NonZeroU32;

use oware::{Game, PITS, Position, ROW, Rules, Share, Stream, Words};
use proptest::prelude::*;
use support::cases::rule_sets;
use support::random::{any_position, any_rules, any_rules_and_start, cases, samples};

/// Looks at one position through both, and plays every legal move in both.
fn compare(rules: &Rules, position: &Position) {
    let words = Words::of(position);
    let context = || format!("{} under {rules:?}", position.to_dashed());
    assert_eq!(words.board(position.mover), position.board, "{}", context());
    assert_eq!(words.swapped().board(position.mover.other()), position.board, "{}", context());

    let legal = position.legal_moves(rules);
    assert_eq!(words.legal_moves(rules), legal, "{}", context());
    assert_eq!(words.count_moves(rules), legal.len() as u64, "{}", context());
    assert_eq!(words.ending(rules, legal, position.total_seeds()), position.ending(rules), "{}", context());
    for mv in legal.iter() {
        let ply = position.play(rules, mv).unwrap();
        let (after, taken) = words.sow(mv, rules.grand_slam);
        assert_eq!((after.board(position.mover), taken), (ply.after.board, ply.taken), "{mv:?} of {}", context());
    }
}

/// Looks at what a step makes of a position: the observation, the margin, the shares of an ending.
fn compare_views(rules: &Rules, position: &Position) {
    let words = Words::of(position);
    let context = || format!("{} under {rules:?}", position.to_dashed());
    let (mover, opponent) = (position.mover, position.mover.other());
    let mut pits = *position.board.pits();
    pits.rotate_left(mover.index() * ROW);
    let stores = position.board.stores;
    let [mut seen, mut seen_stores] = [words.observation().to_vec(), vec![stores[mover], stores[opponent]]];
    assert_eq!(seen.split_off(PITS), std::mem::take(&mut seen_stores), "{}", context());
    assert_eq!(seen, pits, "{}", context());
    assert_eq!(words.margin(), i16::from(stores[mover]) - i16::from(stores[opponent]), "{}", context());
    assert_eq!(words.board_seeds(), position.board.board_seeds(), "{}", context());
    let bare = [mover, opponent].into_iter().any(|seat| position.board.row_seeds(seat) == 0);
    assert_eq!(words.has_empty_row(), bare, "{}", context());

    // A game that starts at its ply limit shares out at once, unless the position is an ending that does not.
    for &share in Share::ALL {
        let rules = Rules { max_plies: Some(NonZeroU32::MIN), limit_share: share, majority_ends: false, ..*rules };
        let settled = Game::from_position(Rules { no_move: share, ..rules }, *position, 1);
        let (shared, nobodys) = words.shared_out(share);
        assert_eq!(shared.board(mover), settled.position().board, "{share} of {}", context());
        assert_eq!(nobodys, settled.position().unawarded - position.unawarded, "{share} of {}", context());
    }
}

/// Plays random moves from a start for `plies` plies, starting again whenever the position ends or play drags on.
fn walk(rules: &Rules, starts: &[Position], plies: u32, stream: &mut Stream) {
    let mut next_start = starts.iter().cycle();
    let mut position = starts[0];
    let mut age = 0;
    for ply in 0..plies {
        if age >= 400 || position.ending(rules).is_some() {
            position = *next_start.next().unwrap();
            age = 0;
        }
        compare(rules, &position);
        if ply % 8 == 0 {
            compare_views(rules, &position);
        }
        if position.ending(rules).is_none() {
            let mv = stream.choose(position.legal_moves(rules)).unwrap();
            position = position.play(rules, mv).unwrap().after;
        }
        age += 1;
    }
}

#[test]
fn agree_on_the_named_rule_sets_from_the_start() {
    let mut stream = Stream::from_seed(1);
    for rules in rule_sets().into_values() {
        walk(&rules, &[Position::start(&rules)], 60_000, &mut stream);
    }
}

#[test]
fn agree_on_the_named_rule_sets_from_set_ups() {
    let mut stream = Stream::from_seed(2);
    for rules in rule_sets().into_values() {
        walk(&rules, &samples(&any_position(rules), stream.draw(), 4_000), 30_000, &mut stream);
    }
}

#[test]
fn agree_on_random_rules() {
    let mut stream = Stream::from_seed(3);
    for rules in samples(&any_rules(), 3, 200) {
        walk(&rules, &[Position::start(&rules)], 2_000, &mut stream);
        walk(&rules, &samples(&any_position(rules), stream.draw(), 300), 2_500, &mut stream);
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// The same again with other positions in every run.
    #[test]
    fn agree_on_any_position((rules, position) in any_rules_and_start()) {
        compare(&rules, &position);
        compare_views(&rules, &position);
    }
}
