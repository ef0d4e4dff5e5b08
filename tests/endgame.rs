//! The values of endgame databases: against the literature, and against a solver that only iterates.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use oware::endgame::{Endgame, EndgameError, Key, Statistics, cost};
use oware::search::Probe;
use oware::{Board, BySeat, Move, MoveSet, PITS, Position, ROW, Rules, Seat, Share, Words};
use proptest::prelude::*;
use support::random::{any_rules, cases};
use support::{moves, named};

type Pits = [u8; PITS];

fn build(key: Key, max_seeds: u8, threads: usize) -> Endgame {
    Endgame::build(key, max_seeds, None, NonZeroUsize::new(threads), |_| ControlFlow::Continue(())).unwrap()
}

fn go_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn database(name: &str, max_seeds: u8) -> Endgame {
    build(Key::of(&named(name)), max_seeds, 2)
}

fn counts(statistics: &Statistics) -> [u64; 3] {
    [statistics.win, statistics.draw, statistics.loss]
}

fn position(pits: Pits) -> Position {
    Position { board: Board::new(pits, BySeat::new(0, 0)), mover: Seat::South, unawarded: 0 }
}

fn words(pits: Pits) -> Words {
    Words::of(&position(pits))
}

fn value(database: &Endgame, pits: Pits) -> i8 {
    database.value_of(words(pits)).unwrap()
}

/// Every board of so many seeds, in an order of its own.
fn boards(seeds: u8) -> Vec<Pits> {
    fn fill(pits: &mut Pits, pit: usize, left: u8, found: &mut Vec<Pits>) {
        if pit + 1 == PITS {
            pits[pit] = left;
            found.push(*pits);
            return;
        }
        for seeds in 0..=left {
            pits[pit] = seeds;
            fill(pits, pit + 1, left - seeds, found);
        }
    }
    let mut found = Vec::new();
    fill(&mut [0; PITS], 0, seeds, &mut found);
    found
}

/// What a board can turn into: for each legal move the seeds that the mover nets and the next mover's board. Without a
/// move, what its ending nets. Everything as [`Position`] has it.
enum Turns {
    Ends(i8),
    Moves(Vec<(i8, Pits)>),
}

fn turns(rules: &Rules, pits: Pits) -> Turns {
    let before = position(pits);
    let legal = before.legal_moves(rules);
    if legal.is_empty() {
        let net = |share| match share {
            Share::OwnSide => before.board.row_seeds(Seat::South) as i8 - before.board.row_seeds(Seat::North) as i8,
            _ => 0,
        };
        return Turns::Ends(net(rules.no_move));
    }
    let turn = |mv| {
        let after = before.play(rules, mv).unwrap().after;
        let mut pits = *after.board.pits();
        pits.rotate_left(ROW);
        (after.board.stores.south as i8 - after.board.stores.north as i8, pits)
    };
    Turns::Moves(legal.iter().map(turn).collect())
}

/// Values by plain iteration: those of games that are broken off after 0, 1, 2, ... plies, which no longer change once
/// whoever can force anything has had the time.
fn iterated(rules: &Rules, max_seeds: u8) -> HashMap<Pits, i8> {
    let mut known = HashMap::new();
    for seeds in 0..=max_seeds {
        let boards = boards(seeds);
        let number: HashMap<Pits, usize> = boards.iter().enumerate().map(|(number, &pits)| (pits, number)).collect();
        // Moves that leave the level have their value; the others name a board.
        let mut fixed = Vec::new();
        let mut within: Vec<Vec<usize>> = Vec::new();
        for &pits in &boards {
            let mut best = i8::MIN;
            let mut next = Vec::new();
            match turns(rules, pits) {
                Turns::Ends(net) => best = net,
                Turns::Moves(moves) => {
                    for (net, after) in moves {
                        match number.get(&after) {
                            Some(&number) => next.push(number),
                            None => best = best.max(net - known[&after]),
                        }
                    }
                }
            }
            fixed.push(best);
            within.push(next);
        }
        let mut values = vec![0_i8; boards.len()];
        loop {
            let better: Vec<i8> = fixed
                .iter()
                .zip(&within)
                .map(|(&best, next)| next.iter().map(|&number| -values[number]).fold(best, i8::max))
                .collect();
            if better == values {
                break;
            }
            values = better;
        }
        known.extend(boards.into_iter().zip(values));
    }
    known
}

#[test]
fn awari_agrees_with_the_literature() {
    // T. Lincke, "Exploring the Computational Limits of Large Exhaustive Search Problems" (ETH Zürich, 2002),
    // appendix B.
    let database = database("awari", 8);
    let expected = [
        [5, 0, 7],
        [25, 13, 40],
        [123, 63, 178],
        [580, 143, 642],
        [2165, 0, 2203],
        [5698, 1548, 5130],
        [14921, 4487, 12416],
        [37767, 8351, 29464],
    ];
    for (seeds, expected) in (1..).zip(expected) {
        assert_eq!(counts(&database.statistics(seeds).unwrap()), expected, "{seeds} seeds");
    }
    let histogram = [(-6, 4242), (-4, 116), (-2, 772), (0, 1548), (2, 550), (3, 62), (4, 302), (6, 4784)];
    assert_eq!(database.statistics(6).unwrap().histogram, histogram);
}

#[test]
fn abapa_has_its_own_counts() {
    let database = database("abapa", 8);
    for (seeds, expected) in
        [(2, [24, 13, 41]), (3, [121, 64, 179]), (6, [5707, 1545, 5124]), (8, [37806, 8333, 29443])]
    {
        assert_eq!(counts(&database.statistics(seeds).unwrap()), expected, "{seeds} seeds");
    }
}

#[test]
fn sample_values_of_awari() {
    let small = database("awari", 9);
    assert_eq!(value(&small, [0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0]), -6);
    let first: Pits = [0, 0, 6, 0, 3, 5, 1, 2, 1, 0, 0, 0];
    assert_eq!(small.value_of(words(first)), None);
    assert_eq!(small.move_values(words(first)), None);
}

#[test]
#[ignore = "slow: `make test-slow` runs it"]
fn sample_values_of_awari_with_more_seeds() {
    let database = database("awari", 18);
    let first: Pits = [0, 0, 6, 0, 3, 5, 1, 2, 1, 0, 0, 0];
    assert_eq!(value(&database, first), -2);
    assert_eq!(database.move_values(words(first)), Some([None, None, None, None, Some(-2), Some(-6)]));
    let drawn: Pits = [1, 1, 1, 1, 1, 2, 4, 2, 3, 0, 0, 0];
    assert_eq!(value(&database, drawn), 0);
    assert_eq!(database.move_values(words(drawn)), Some([Some(-1), Some(-1), Some(-2), Some(-2), Some(-2), Some(0)]));
    assert_eq!(value(&database, [5, 0, 1, 0, 0, 8, 0, 0, 1, 0, 0, 0]), 9);
    assert_eq!(value(&database, [0, 0, 0, 2, 0, 5, 0, 4, 1, 1, 3, 1]), -3);
}

#[test]
fn plain_iteration_finds_the_same_values() {
    for key in Key::all() {
        let database = build(key, 7, 2);
        let rules = rules_of(key);
        for (pits, expected) in iterated(&rules, 7) {
            assert_eq!(value(&database, pits), expected, "{pits:?} under {key}");
        }
    }
}

/// Rules that differ from the default in the fields of a key alone.
fn rules_of(key: Key) -> Rules {
    Rules { grand_slam: key.grand_slam(), feeding: key.feeding(), no_move: key.no_move(), ..Rules::default() }
}

/// Every value is that of the best move, as the rules themselves play it.
fn check_best_moves(database: &Endgame, seeds: u8) {
    let rules = rules_of(database.key());
    let mut best_moves = 0;
    for pits in boards(seeds) {
        let found = value(database, pits);
        let expected = match turns(&rules, pits) {
            Turns::Ends(net) => net,
            Turns::Moves(moves) => moves.iter().map(|&(net, after)| net - value(database, after)).max().unwrap(),
        };
        assert_eq!(found, expected, "{pits:?} under {}", database.key());
        let values = database.move_values(words(pits)).unwrap();
        let legal = values.iter().enumerate().filter(|(_, value)| value.is_some()).map(|(number, _)| number);
        assert_eq!(moves(&legal.collect::<Vec<_>>()), position(pits).legal_moves(&rules));
        best_moves += values.iter().filter(|&&value| value == Some(found)).count();
    }
    assert!(best_moves > 0);
}

#[test]
fn every_value_is_that_of_the_best_move() {
    for key in Key::all() {
        check_best_moves(&build(key, 6, 2), 6);
    }
    for name in ["awari", "abapa"] {
        let database = database(name, 10);
        (7..=10).for_each(|seeds| check_best_moves(&database, seeds));
    }
}

/// Whether the side with the better of it can take seeds within so many plies of best play.
fn can_hurry(database: &Endgame, rules: &Rules, pits: Pits, plies: u32) -> bool {
    let found = value(database, pits);
    let Turns::Moves(turns) = turns(rules, pits) else { return true };
    if plies == 0 {
        return false;
    }
    let seeds = |pits: Pits| pits.iter().sum::<u8>();
    let mut best = turns.iter().filter(|&&(net, after)| net - value(database, after) == found);
    let soon = |&(_, after): &(i8, Pits)| seeds(after) < seeds(pits) || can_hurry(database, rules, after, plies - 1);
    if found > 0 { best.any(soon) } else { best.all(soon) }
}

/// Plays a best line by the rules: it nets what the value says, and the better side takes seeds when it first can.
fn check_line(database: &Endgame, rules: &Rules, pits: Pits) {
    let line = database.best_line(words(pits), go_on).unwrap();
    let context = || format!("{pits:?} under {}: {line:?}", database.key());
    let (mut now, mut net, mut sign, mut first, mut last) = (position(pits), 0, 1, None, 0);
    let mut seen = vec![now];
    for (ply, &mv) in (1..).zip(&line.moves) {
        let before = now;
        now = now.play(rules, mv).unwrap().after;
        let (mover, other) = (before.mover, before.mover.other());
        let margin = |at: &Position| at.board.stores[mover] as i8 - at.board.stores[other] as i8;
        net += sign * (margin(&now) - margin(&before));
        sign = -sign;
        if now.board.board_seeds() < before.board.board_seeds() {
            first = first.or(Some(ply));
            last = ply;
        }
        assert_eq!(seen.contains(&now), line.endless && ply as usize == line.moves.len(), "{}", context());
        seen.push(now);
    }
    assert_eq!(last as usize, line.distance, "{}", context());
    let found = value(database, pits);
    if !line.endless {
        let mut mine = *now.board.pits();
        mine.rotate_left(now.mover.index() * ROW);
        match turns(rules, mine) {
            Turns::Ends(rest) => net += sign * rest,
            Turns::Moves(moves) => assert!(moves.is_empty(), "{}", context()),
        }
    }
    assert_eq!(net, found, "{}", context());
    let first = first.unwrap_or(line.moves.len() as u32);
    // Looking at every line of play takes ever longer.
    if found != 0 && first <= 5 {
        assert!(can_hurry(database, rules, pits, first), "{}", context());
        assert!(first == 0 || !can_hurry(database, rules, pits, first - 1), "{}", context());
    }
}

/// Of the best moves those that take seeds soonest, where the board shows that early.
#[test]
fn the_soonest_of_the_best_moves() {
    for name in ["awari", "abapa"] {
        let database = database(name, 9);
        let rules = rules_of(database.key());
        let (mut seen, mut told_apart) = (0, 0);
        for &pits in boards(5).iter().chain(boards(9).iter().step_by(331)) {
            let Turns::Moves(nets) = turns(&rules, pits) else { continue };
            let (found, legal) = (value(&database, pits), position(pits).legal_moves(&rules));
            let is_best = |&(_, (net, after)): &(Move, (i8, Pits))| net - value(&database, after) == found;
            let best: Vec<_> = legal.iter().zip(nets).filter(is_best).collect();
            let all: MoveSet = best.iter().map(|&(mv, _)| mv).collect();
            let soonest = Probe::soonest(&database, words(pits), all);
            if found <= 0 {
                assert_eq!(soonest, all);
                continue;
            }
            let Some(plies) = (1..=5).find(|&plies| can_hurry(&database, &rules, pits, plies)) else { continue };
            let seeds = |pits: Pits| pits.iter().sum::<u8>();
            let hurries = |after: Pits| seeds(after) < seeds(pits) || can_hurry(&database, &rules, after, plies - 1);
            let expected: MoveSet = best.iter().filter(|(_, (_, after))| hurries(*after)).map(|&(mv, _)| mv).collect();
            assert_eq!(soonest, expected, "{pits:?} under {name}, {plies} plies");
            seen += 1;
            told_apart += u32::from(soonest != all);
        }
        assert!(seen > 500 && told_apart > 50, "{seen}, {told_apart}");
    }
}

#[test]
fn best_lines_net_their_value() {
    for key in Key::all() {
        let database = build(key, 3, 1);
        (0..=3).flat_map(boards).for_each(|pits| check_line(&database, &rules_of(key), pits));
    }
    for name in ["awari", "abapa"] {
        let database = database(name, 9);
        // Some thousands, from every corner.
        boards(6).iter().step_by(23).chain(boards(9).iter().step_by(331)).for_each(|&pits| {
            check_line(&database, &rules_of(database.key()), pits);
        });
    }
}

#[test]
fn a_line_can_be_broken_off() {
    let database = database("awari", 4);
    let board = words([0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
    assert!(database.best_line(board, go_on).is_ok());
    let won = words([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_ne!(database.value_of(won), Some(0));
    assert!(matches!(database.best_line(won, || ControlFlow::Break(())), Err(EndgameError::Stopped)));
    assert!(matches!(database.best_line(words([1; PITS]), go_on), Err(EndgameError::Reach { seeds: 12, most: 4 })));
}

#[test]
fn values_do_not_depend_on_the_threads() {
    let key = Key::of(&named("abapa"));
    let all: Vec<Pits> = (0..=11).flat_map(boards).collect();
    let values = |threads| {
        let mut values = vec![0; all.len()];
        build(key, 11, threads).values(&all, &mut values, go_on).unwrap();
        values
    };
    let one = values(1);
    assert_eq!(one, values(2));
    assert_eq!(one, values(5));
}

#[test]
fn values_of_many_boards_are_those_of_each() {
    let database = database("awari", 6);
    let all: Vec<Pits> = (0..=6).flat_map(boards).collect();
    let mut values = vec![0; all.len()];
    database.values(&all, &mut values, go_on).unwrap();
    for (&pits, &found) in all.iter().zip(&values) {
        assert_eq!(found, value(&database, pits), "{pits:?}");
    }
    let mut too_many = [[1; PITS], [0; PITS]];
    too_many.swap(0, 1);
    let refused = database.values(&too_many, &mut [0; 2], go_on).unwrap_err();
    assert_eq!(refused.to_string(), "pits[1] has 12 seeds, the database reaches 6; build a larger one");
    // A sum that a byte cannot hold.
    let refused = database.values(&[[128; PITS]], &mut [0], go_on);
    assert!(matches!(refused, Err(EndgameError::Row { row: 0, seeds: 1536, most: 6 })));
    assert!(matches!(database.values(&all, &mut values, || ControlFlow::Break(())), Err(EndgameError::Stopped)));
    assert_eq!(database.value_of(words([20; PITS])), None);
    let mut heap = [0; PITS];
    heap[0] = 240;
    assert_eq!(database.value_of(words(heap)), None);
}

#[test]
fn statistics_count_every_board() {
    let database = database("abapa", 7);
    for seeds in 0..=7 {
        let statistics = database.statistics(seeds).unwrap();
        let total: u64 = statistics.histogram.iter().map(|&(_, count)| count).sum();
        assert_eq!(total, boards(seeds).len() as u64);
        assert_eq!(counts(&statistics).iter().sum::<u64>(), total);
        assert!(statistics.histogram.iter().all(|&(value, count)| value.unsigned_abs() <= seeds && count > 0));
    }
    assert_eq!(counts(&database.statistics(0).unwrap()), [0, 1, 0]);
    assert_eq!(database.statistics(8), None);
}

#[test]
fn rule_sets_share_databases() {
    let names = |name: &str| Key::of(&named(name)).names().collect::<Vec<_>>();
    assert_eq!(names("awari"), ["village", "awari"]);
    assert_eq!(names("abapa"), ["abapa", "harvest", "nineqm", "open_spiel", "auale", "codingame"]);
    assert_eq!(Key::all().count(), 22);
}

#[test]
fn a_search_can_ask() {
    let database = database("awari", 6);
    let probe: &dyn Probe = &database;
    assert!(probe.holds_under(&named("village")));
    assert!(!probe.holds_under(&named("abapa")));
    assert_eq!(probe.max_seeds(), 6);
    assert_eq!(probe.value(words([0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0])), Some(-6));
    assert_eq!(probe.value(words([1; PITS])), None);
}

/// `src/search/few_seeds.bin` has the boards by the seeds in their last pit, more of them first, then by those in the
/// pit before.
#[test]
fn the_table_of_the_search_has_these_values() {
    let table = include_bytes!("../src/search/few_seeds.bin");
    let database = database("awari", 10);
    let mut values = table.iter();
    for mut pits in (0..=10).flat_map(|seeds| boards(seeds).into_iter().rev()) {
        pits.reverse();
        assert_eq!(values.next().map(|&value| value as i8), Some(value(&database, pits)), "{pits:?}");
    }
    assert_eq!(values.next(), None);
}

#[test]
fn the_cost_is_that_of_every_board() {
    let cost_of_12 = cost(12).unwrap();
    assert_eq!(cost_of_12.boards, (0..=12).map(|seeds| boards(seeds).len() as u64).sum::<u64>());
    assert!(cost(24).unwrap().memory < 24 << 30);
    assert!(matches!(cost(32), Err(EndgameError::Seeds(32))));
}

#[test]
fn a_watch_can_stop_it() {
    for patience in [0, 1, 5] {
        let mut asked = 0;
        let stopped = Endgame::build(Key::of(&Rules::default()), 16, None, NonZeroUsize::new(2), |progress| {
            assert!(progress.done <= progress.total);
            asked += 1;
            if asked > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(stopped, Err(EndgameError::Stopped)));
        assert_eq!(asked, patience + 1);
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// Rules with the same key play the same: a value depends on nothing else.
    #[test]
    fn a_key_decides_how_moves_work(rules in any_rules(), seeds in 0_u8..=5) {
        let twin = rules_of(Key::of(&rules));
        for pits in boards(seeds) {
            match (turns(&rules, pits), turns(&twin, pits)) {
                (Turns::Ends(one), Turns::Ends(other)) => assert_eq!(one, other),
                (Turns::Moves(one), Turns::Moves(other)) => assert_eq!(one, other),
                _ => panic!("{pits:?} ends under one of {rules:?} and {twin:?}"),
            }
        }
    }
}
