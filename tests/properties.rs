//! What holds for every game, under rules drawn over all fields and from any set-up.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use oware::{Game, IllegalReason, Move, MoveSet, Occurrences, Position, Rules, Seat, perft};
use proptest::prelude::*;
use support::random::{
    any_line, any_peaceful_line, any_position, any_random_line, any_rules, any_rules_and_start, any_start, cases,
};
use support::turned;

/// Plies that a line is followed for: most games are over by then.
const PLIES: usize = 250;

/// What is left of a position in a text, which cannot tell what an ending gave to nobody.
fn told(position: &Position) -> Position {
    Position { unawarded: 0, ..*position }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn seeds_are_conserved((rules, start) in any_rules_and_start(), line in any_line()) {
        let mut game = Game::from_position(rules, start, 0);
        let total = start.board.total_seeds();
        let mut stores = game.position().board.stores;
        assert_eq!(game.position().total_seeds(), total);
        line.walk(&mut game, PLIES, |game, _| {
            let now = game.position();
            assert_eq!(now.total_seeds(), total);
            assert!(now.unawarded <= u8::from(game.is_over()), "{game}");
            for seat in Seat::ALL {
                assert!(now.board.stores[seat] >= stores[seat], "a store lost seeds: {game}");
            }
            stores = now.board.stores;
        });
    }

    #[test]
    fn a_move_takes_what_its_pits_held((rules, start) in any_rules_and_start(), line in any_line()) {
        let mut game = Game::from_position(rules, start, 0);
        let mut before = game.clone();
        line.walk(&mut game, PLIES, |game, mv| {
            let mover = before.position().mover;
            let ply = before.position().play(&rules, mv).unwrap();
            assert_eq!(before.play(mv), Ok(ply.taken));
            assert_eq!(&before, game);
            assert_eq!(game.last_captures(), ply.captured);
            assert!(ply.captured.iter().all(|pit| pit.owner() != mover && ply.after.board.seeds(pit) == 0));
            let pits = u8::try_from(ply.captured.iter().count()).unwrap();
            assert!((2 * pits..=3 * pits).contains(&ply.taken), "{game}");
            assert_eq!(ply.after.mover, mover.other());
        });
    }

    #[test]
    fn a_game_that_is_not_over_has_a_legal_move((rules, start) in any_rules_and_start(), line in any_line()) {
        let mut game = Game::from_position(rules, start, 0);
        let look = |game: &Game| {
            let legal = game.legal_moves();
            assert_eq!(legal.is_empty(), game.is_over());
            for mv in Move::all() {
                let mut after = game.clone();
                match after.play(mv) {
                    Ok(_) => assert!(legal.contains(mv)),
                    Err(refusal) => {
                        assert!(!legal.contains(mv));
                        assert_eq!((refusal.mv, refusal.legal), (mv, legal));
                        assert_eq!(refusal.reason == IllegalReason::GameOver, game.is_over());
                        assert_eq!(&after, game);
                    }
                }
            }
        };
        look(&game);
        line.walk(&mut game, PLIES, |game, _| look(game));
    }

    #[test]
    fn undo_restores_every_game_on_the_way((rules, start) in any_rules_and_start(), line in any_line()) {
        let mut game = Game::from_position(rules, start, 7);
        let mut earlier = vec![game.clone()];
        let mut moves = Vec::new();
        line.walk(&mut game, PLIES, |game, mv| {
            earlier.push(game.clone());
            moves.push(mv);
        });
        earlier.pop();
        while let Some(mv) = moves.pop() {
            assert_eq!(game.undo(), Some(mv));
            assert_eq!(Some(&game), earlier.last());
            assert_eq!(Some(game.occurrences()), earlier.pop().map(|game| game.occurrences()));
        }
        assert_eq!(game.undo(), None);
        assert_eq!(game, Game::from_position(rules, start, 7));
    }

    #[test]
    fn positions_and_games_round_trip_through_text((rules, start) in any_rules_and_start(), line in any_line()) {
        // A FEN counts plies from South's first move, so a game that North begins starts at ply 1.
        let mut game = Game::from_position(rules, start, u32::try_from(start.mover.index()).unwrap());
        let look = |game: &Game| {
            let position = told(game.position());
            assert_eq!(Position::from_dashed(&position.to_dashed(), &rules), Ok(position));
            let read = Game::from_fen(&game.to_fen(), rules).unwrap();
            assert_eq!((read.start(), read.ply()), (&position, game.ply()));
            if !game.is_over() {
                assert_eq!(read.to_fen(), game.to_fen());
            }
        };
        look(&game);
        line.walk(&mut game, PLIES, |game, _| look(game));

        let mut read = Game::from_position(rules, start, game.start_ply());
        read.play_transcript(&game.transcript()).unwrap();
        assert_eq!(read, game);
    }

    #[test]
    fn the_seats_are_alike((rules, start) in any_rules_and_start(), line in any_line()) {
        let mut game = Game::from_position(rules, start, 0);
        let mut mirror = Game::from_position(rules, turned(&start), 0);
        let look = |game: &Game, mirror: &Game| {
            assert_eq!(turned(game.position()), *mirror.position());
            assert_eq!(game.legal_moves(), mirror.legal_moves());
            assert_eq!(game.occurrences(), mirror.occurrences());
            let (one, other) = (game.outcome(), mirror.outcome());
            assert_eq!(one.map(|end| end.termination), other.map(|end| end.termination));
            assert_eq!(one.map(|end| end.winner.map(Seat::other)), other.map(|end| end.winner));
        };
        look(&game, &mirror);
        line.walk(&mut game, PLIES, |game, mv| {
            mirror.play(mv).unwrap();
            look(game, &mirror);
        });
    }
}

/// Rules with a limit on plies.
fn limited_rules() -> impl Strategy<Value = Rules> {
    any_rules().prop_filter("a ply limit", |rules| rules.max_plies.is_some())
}

/// Rules in which repetition alone ends a loop.
fn repeating_rules() -> impl Strategy<Value = Rules> {
    any_rules()
        .prop_filter("a repetition rule", |rules| rules.repetition.is_some())
        .prop_map(|rules| Rules { max_plies: None, ..rules })
}

/// The number of ways to lay `seeds` into twelve pits.
fn arrangements(seeds: u64) -> u64 {
    (1..=11).fold(1, |product, pit| product * (seeds + pit) / pit)
}

/// The most plies of a game from a position under a repetition rule.
///
/// Between two captures the number of seeds on the board stays, and no counted position arises more than one time less
/// than ends the game. Where only positions with seeds in both rows count, at most two in a row do not: in an
/// uncounted one the mover has seeds and the opponent has none. The next one is uncounted too if all seeds went over;
/// then they came from the sixth pit and lie one to a pit from the opponent's first one on, and whichever of those
/// moves on, the opponent's row keeps a seed; so the third one has seeds in both rows, or its mover has none and the
/// game is over.
fn longest(rules: &Rules, position: &Position) -> u64 {
    let times = u64::from(rules.repetition.map_or(0, Occurrences::get));
    let uncounted = if rules.repetition_needs_both_rows { 3 } else { 1 };
    // Each capture takes at least two seeds.
    let mut seeds = u64::from(position.board.board_seeds());
    let mut plies = 0;
    loop {
        plies += uncounted * (2 * arrangements(seeds) * (times - 1) + 1);
        if seeds < 2 {
            return plies;
        }
        seeds -= 2;
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn a_ply_limit_ends_every_game(
        (rules, start) in limited_rules().prop_flat_map(|rules| (Just(rules), any_position(rules))),
        line in any_line(),
    ) {
        let limit = rules.max_plies.unwrap().get();
        let mut game = Game::from_position(rules, start, 0);
        line.walk(&mut game, limit as usize, |_, _| ());
        assert!(game.is_over() && game.ply() <= limit, "{game}");
    }

    /// On boards of few seeds the longest game there can be is within reach, and peaceful lines look for it.
    #[test]
    fn repetition_ends_every_small_game_within_its_bound(
        rules in repeating_rules(),
        pits in prop::collection::vec(0_usize..12, 0..=3),
        to_move in 0_i64..=1,
        line in any_peaceful_line(),
    ) {
        let mut counts = [0; 12];
        pits.into_iter().for_each(|pit| counts[pit] += 1);
        let start = support::setup(counts, [0, 0], to_move).validate(&rules).unwrap();
        let mut game = Game::from_position(rules, start, 0);
        line.walk(&mut game, usize::try_from(longest(&rules, &start)).unwrap(), |_, _| ());
        assert!(game.is_over(), "{game}");
    }

    /// On full boards that bound is astronomic; of 15,000 random games the longest had 1,612 plies.
    #[test]
    fn repetition_ends_every_game(
        (rules, start) in repeating_rules().prop_flat_map(|rules| (Just(rules), any_start(rules))),
        line in any_random_line(),
    ) {
        let mut game = Game::from_position(rules, start, 0);
        line.walk(&mut game, 20_000, |_, _| ());
        assert!(game.is_over(), "{game}");
    }
}

/// Perft told as the rules are.
fn plain_perft(rules: &Rules, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.ending(rules).is_some() {
        return 0;
    }
    let after = |mv| position.play(rules, mv).unwrap().after;
    position.legal_moves(rules).iter().map(|mv| plain_perft(rules, &after(mv), depth - 1)).sum()
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn perft_counts_what_the_rules_allow((rules, start) in any_rules_and_start()) {
        // Repetition and the ply limit are off.
        let game = Game::from_position(Rules { max_plies: None, ..rules }, start, 0);
        for depth in 0..=5 {
            assert_eq!(perft(&game, depth), plain_perft(&rules, &start, depth), "depth {depth} of {game}");
        }
    }

    #[test]
    fn perft_of_a_finished_game_is_nothing((rules, start) in any_rules_and_start(), line in any_line()) {
        let mut game = Game::from_position(rules, start, 0);
        line.walk(&mut game, PLIES, |_, _| ());
        if game.is_over() {
            assert_eq!((perft(&game, 0), perft(&game, 1), perft(&game, 7)), (1, 0, 0));
            assert_eq!(game.legal_moves(), MoveSet::EMPTY);
        }
    }
}
