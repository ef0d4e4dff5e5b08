//! The search against plain minimax, which has neither windows nor a table nor an order of moves.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Duration;

use oware::endgame::{Endgame, Key};
use oware::search::{
    MAX_DEPTH, Probe, Report, SearchError, Settings, TABLE_ENTRIES, Value, alpha_beta, alpha_beta_while, best_moves,
    static_value,
};
use oware::{
    Board, BySeat, Game, Move, MoveSet, Occurrences, PITS, Position, RULE_SETS, Rules, Seat, Share, Stream,
    Termination, Words,
};
use support::random::{any_line, any_peaceful_line, any_position, any_rules, samples};
use support::{game, named};

/// The final net seeds for the mover, in hundredths.
fn margin(game: &Game) -> i32 {
    let Position { board, mover, .. } = game.position();
    100 * (i32::from(board.stores[*mover]) - i32::from(board.stores[mover.other()]))
}

/// The game as values are reckoned: played on past a majority.
fn played_on(game: &Game) -> Game {
    let rules = Rules { majority_ends: false, ..*game.rules() };
    let mut twin = Game::from_position(rules, *game.start(), game.start_ply());
    for mv in game.moves() {
        twin.play(mv).unwrap();
    }
    twin
}

/// The value of a game for its mover, by trying everything.
fn minimax(game: &mut Game, depth: u32, endgame: Option<&dyn Probe>) -> i32 {
    if game.is_over() {
        return margin(game);
    }
    if let Some(net) = endgame.and_then(|endgame| endgame.value(Words::of(game.position()))) {
        return margin(game) + 100 * i32::from(net);
    }
    if depth == 0 {
        return static_value(game.position()).hundredths();
    }
    move_values(game, depth, endgame).into_iter().flatten().max().unwrap()
}

/// The value of each legal move.
fn move_values(game: &mut Game, depth: u32, endgame: Option<&dyn Probe>) -> [Option<i32>; 6] {
    let legal = game.legal_moves();
    std::array::from_fn(|index| {
        let mv = Move::new(index).filter(|&mv| legal.contains(mv))?;
        game.play(mv).unwrap();
        let value = -minimax(game, depth - 1, endgame);
        game.undo();
        Some(value)
    })
}

fn settings(depth: u32, table_entries: usize, threads: usize) -> Settings<'static> {
    Settings { depth, table_entries, threads: NonZeroUsize::new(threads).unwrap(), ..Settings::default() }
}

fn describe(game: &Game) -> String {
    let start = game.start().to_dashed();
    format!("{start}, {} plies before, {} under {:?}", game.start_ply(), game.transcript(), game.rules())
}

/// Every way of searching finds what minimax finds.
fn compare(game: &Game, depth: u32, endgame: Option<&dyn Probe>) {
    let values = move_values(&mut played_on(game), depth, endgame);
    let best = values.into_iter().flatten().max().unwrap();
    let is_best = |mv: Move| values[mv.index()] == Some(best);
    for (table_entries, threads) in [(TABLE_ENTRIES, 1), (1024, 1), (TABLE_ENTRIES, 2), (1024, 2)] {
        let settings = Settings { endgame, ..settings(depth, table_entries, threads) };
        let report = alpha_beta(game, &settings).unwrap();
        let context = || format!("{} at depth {depth}, {table_entries} entries, {threads} threads", describe(game));
        assert_eq!(report.value.hundredths(), best, "{}", context());
        assert!(is_best(report.line[0]), "{:?} of {values:?}: {}", report.line, context());
        assert!(report.exact || report.depth == depth, "{}", context());
        if threads == 1 {
            check_line(game, &report, endgame);
        }
    }
    let every = Settings { move_values: true, endgame, ..settings(depth, 1024, 1) };
    let found = alpha_beta(game, &every).unwrap();
    assert_eq!(found.move_values.unwrap().map(|value| value.map(Value::hundredths)), values, "{}", describe(game));
    if endgame.is_none() {
        let best: MoveSet = Move::all().filter(|&mv| is_best(mv)).collect();
        assert_eq!(best_moves(game, depth).unwrap(), best, "{} at depth {depth}: {values:?}", describe(game));
    }
}

/// The best line ends in what gave the value.
fn check_line(game: &Game, report: &Report, endgame: Option<&dyn Probe>) {
    let mover = game.position().mover;
    let mut end = played_on(game);
    for &mv in &report.line {
        end.play(mv).unwrap();
    }
    let value = minimax(&mut end.clone(), 0, endgame);
    let value = if end.position().mover == mover { value } else { -value };
    // A line breaks off early where no more seeds can change hands than would matter.
    if end.is_over() || report.line.len() == report.depth as usize {
        assert_eq!(report.value.hundredths(), value, "{} by {:?}", describe(game), report.line);
    }
}

/// Games in play, of all phases, with whatever history they have.
fn games(rules: Rules, seed: u64, count: usize) -> Vec<Game> {
    let mut stream = Stream::from_seed(seed);
    let mut found = Vec::new();
    for line in samples(&any_line(), seed, 20 * count) {
        let mut game = Game::new(rules);
        let plies = stream.draw() % 120;
        line.walk(&mut game, plies as usize, |_, _| {});
        if !game.is_over() {
            found.push(game);
        }
        if found.len() == count {
            break;
        }
    }
    found
}

/// Whether a legal move ends the game by repetition or at the ply limit.
fn is_on_the_brink(game: &Game) -> bool {
    game.legal_moves().iter().any(|mv| {
        let mut after = game.clone();
        after.play(mv).unwrap();
        let ending = after.outcome().map(|outcome| outcome.termination);
        matches!(ending, Some(Termination::Repetition | Termination::PlyLimit))
    })
}

/// Games one ply from an end by repetition or the ply limit, as far as the rules have either.
fn games_on_the_brink(rules: Rules, seed: u64, count: usize) -> Vec<Game> {
    let mut found = Vec::new();
    let starts = samples(&any_position(rules), seed, 1_000 * count);
    let lines = samples(&any_peaceful_line(), seed, 1_000 * count);
    let mut draw = Stream::from_seed(seed);
    for (start, line) in starts.into_iter().zip(lines) {
        let before = rules.max_plies.map_or(0, |limit| limit.get() - 1 - (draw.draw() % 24) as u32);
        let mut game = Game::from_position(rules, start, before);
        let mut brinks = Vec::new();
        line.walk(&mut game, 90, |game, _| {
            if !game.is_over() && is_on_the_brink(game) {
                brinks.push(game.clone());
            }
        });
        // The first one of a game is nothing but the last lap; later ones have chosen something else before.
        found.extend(brinks.into_iter().rev().take(1));
        if found.len() >= count {
            break;
        }
    }
    found
}

fn compare_all(depth: u32, each: usize) {
    for (seed, (name, rules)) in (1..).zip(RULE_SETS) {
        let brink = games_on_the_brink(rules, seed, each);
        assert_eq!(brink.len(), if name == "village" { 0 } else { each }, "{name}");
        for game in games(rules, seed, 2 * each - brink.len()).iter().chain(&brink) {
            compare(game, depth, None);
        }
    }
}

#[test]
fn finds_what_minimax_finds() {
    compare_all(4, 10);
}

#[test]
#[ignore = "slow: `make test-slow` runs it"]
fn finds_what_minimax_finds_at_depth_8() {
    compare_all(8, 130);
}

/// The value of a game for its mover, leaving out what the players would not let happen: minimax for many plies.
fn bounded_minimax(game: &mut Game, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    if depth == 0 || game.is_over() {
        return minimax(game, depth, None).clamp(alpha, beta);
    }
    for mv in game.legal_moves().iter() {
        game.play(mv).unwrap();
        alpha = alpha.max(-bounded_minimax(game, depth - 1, -beta, -alpha));
        game.undo();
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// A game on a board of few seeds.
fn sparse_game(rules: Rules, draw: &mut Stream) -> Game {
    let mut pits = [0; PITS];
    for _ in 0..3 + draw.draw() % 5 {
        pits[(draw.draw() % 12) as usize] += 1;
    }
    let board = Board::new(pits, BySeat::new(0, 0));
    Game::from_position(rules, Position { board, mover: Seat::South, unawarded: 0 }, 0)
}

fn compare_far(game: &Game, depth: u32) {
    let value = bounded_minimax(&mut played_on(game), depth, -30_000, 30_000);
    for (table_entries, threads) in [(TABLE_ENTRIES, 1), (1024, 2)] {
        let report = alpha_beta(game, &settings(depth, table_entries, threads)).unwrap();
        assert_eq!(report.value.hundredths(), value, "{} at depth {depth}", describe(game));
        if threads == 1 {
            check_line(game, &report, None);
        }
    }
}

/// Few seeds and many plies: repetitions lie within the tree, across it and across its root.
fn compare_sparse(depth: u32, each: usize) {
    for (seed, repetition) in (1..).zip([2, 3]) {
        for needs_both in [false, true] {
            for share in [Share::OwnSide, Share::Split] {
                let rules = Rules {
                    repetition: Occurrences::new(repetition),
                    repetition_needs_both_rows: needs_both,
                    repetition_share: share,
                    ..Rules::default()
                };
                let is_sparse = |game: &Game| !game.is_over() && game.position().board.board_seeds() <= 7;
                for game in games_on_the_brink(rules, seed, each).iter().filter(|game| is_sparse(game)) {
                    compare_far(game, depth);
                }
                let mut draw = Stream::from_seed(seed);
                for game in (0..each).map(|_| sparse_game(rules, &mut draw)).filter(is_sparse) {
                    compare_far(&game, depth);
                }
            }
        }
    }
}

#[test]
fn finds_what_minimax_finds_beyond_a_repetition() {
    compare_sparse(14, 20);
}

#[test]
#[ignore = "slow: `make test-slow` runs it"]
fn finds_what_minimax_finds_far_beyond_a_repetition() {
    compare_sparse(18, 800);
}

/// Positions in which a search that takes values from the table whatever the way there has been seen to go wrong.
#[test]
fn the_way_to_a_position_matters() {
    let once = Rules { repetition: Some(Occurrences::TWICE), repetition_needs_both_rows: false, ..Rules::default() };
    for (dashed, depth) in [
        ("0-1-0-0-0-0-1-0-0-2-0-0-0-0-S", 16),
        ("1-0-0-0-0-2-2-0-0-1-1-0-0-0-S", 16),
        ("0-0-0-0-2-0-1-0-0-0-1-1-0-0-S", 16),
        ("0-1-0-1-0-1-0-0-0-1-0-1-0-0-S", 18),
        ("0-1-0-1-1-1-1-0-0-0-0-0-0-0-S", 18),
    ] {
        compare_far(&game(once, dashed), depth);
    }
}

#[test]
fn finds_what_minimax_finds_under_any_rules() {
    let mut stream = Stream::from_seed(9);
    for rules in samples(&any_rules(), 9, 60) {
        for start in samples(&any_position(rules), stream.draw(), 4) {
            let game = Game::from_position(rules, start, 0);
            if !game.is_over() {
                compare(&game, 3, None);
            }
        }
    }
}

/// The value of a game for its mover, by trying everything; a line that ends with few seeds counts what a table has.
fn informed_minimax(game: &mut Game, depth: u32, few: &Endgame) -> i32 {
    if game.is_over() {
        return margin(game);
    }
    if depth == 0 {
        return match few.value_of(Words::of(game.position())) {
            Some(net) => margin(game) + 100 * i32::from(net),
            None => static_value(game.position()).hundredths(),
        };
    }
    let mut best = i32::MIN;
    for mv in game.legal_moves().iter() {
        game.play(mv).unwrap();
        best = best.max(-informed_minimax(game, depth - 1, few));
        game.undo();
    }
    best
}

#[test]
fn ends_of_lines_with_few_seeds_count_what_the_table_has() {
    let key = Key::of(&named("awari"));
    let few = Endgame::build(key, 10, None, None, |_| ControlFlow::Continue(())).unwrap();
    let mut told_apart = 0;
    for (seed, (_, rules)) in (1..).zip(RULE_SETS) {
        for game in games(rules, seed, 60).iter().chain(&games_on_the_brink(rules, seed, 10)) {
            if game.position().board.board_seeds() > 14 {
                continue;
            }
            let value = informed_minimax(&mut played_on(game), 4, &few);
            told_apart += u32::from(value != minimax(&mut played_on(game), 4, None));
            for (table_entries, threads) in [(TABLE_ENTRIES, 1), (1024, 2)] {
                let settings = Settings { few_seeds: true, ..settings(4, table_entries, threads) };
                let report = alpha_beta(game, &settings).unwrap();
                assert_eq!(report.value.hundredths(), value, "{}", describe(game));
            }
        }
    }
    assert!(told_apart > 30, "{told_apart}");
}

/// A database that makes its values up.
#[derive(Debug)]
struct Invented {
    most: u8,
}

impl Probe for Invented {
    fn holds_under(&self, rules: &Rules) -> bool {
        rules.grand_slam == named("awari").grand_slam
    }

    fn max_seeds(&self) -> u8 {
        self.most
    }

    fn value(&self, board: Words) -> Option<i8> {
        let seeds = board.board_seeds();
        let sum: u32 = (1..).zip(board.observation()).take(12).map(|(weight, count)| weight * u32::from(count)).sum();
        (seeds <= self.most).then(|| (sum % u32::from(2 * seeds + 1)) as i8 - seeds as i8)
    }
}

#[test]
fn believes_the_database() {
    let endgame = Invented { most: 40 };
    for game in games(named("awari"), 5, 30) {
        compare(&game, 4, Some(&endgame));
    }
    let game = game(named("awari"), "0-0-6-0-3-5-1-2-1-0-0-0-15-15-S");
    let report = alpha_beta(&game, &Settings { endgame: Some(&endgame), ..Settings::default() }).unwrap();
    assert_eq!((report.exact, report.depth), (true, 1));
    let refused =
        alpha_beta(&Game::new(Rules::default()), &Settings { endgame: Some(&endgame), ..Settings::default() });
    assert_eq!(refused, Err(SearchError::OtherRules));
}

/// Positions of a few seeds more than a database has, each met in a game of its own and without that game's history.
fn just_out_of_reach(rules: Rules, seed: u64, count: usize) -> Vec<Game> {
    let mut draw = Stream::from_seed(seed);
    let mut found = Vec::new();
    for line in samples(&any_line(), seed, 20 * count) {
        let wanted = 11 + (draw.draw() % 10) as u8;
        let mut met = None;
        line.walk(&mut Game::new(rules), 400, |game, _| {
            if met.is_none() && !game.is_over() && game.position().board.board_seeds() == wanted {
                met = Some(Game::from_position(rules, *game.position(), 0));
            }
        });
        found.extend(met);
        if found.len() == count {
            break;
        }
    }
    assert_eq!(found.len(), count);
    found
}

fn compare_with_database(depth: u32, count: usize) {
    // An end by a majority comes before most of these boards.
    let rules = Rules { majority_ends: false, ..named("awari") };
    let threads = NonZeroUsize::new(2);
    let endgame = Endgame::build(Key::of(&rules), 10, None, threads, |_| ControlFlow::Continue(())).unwrap();
    for game in just_out_of_reach(rules, 7, count) {
        compare(&game, depth, Some(&endgame));
    }
}

#[test]
fn finds_what_minimax_finds_with_a_database() {
    compare_with_database(5, 30);
}

#[test]
#[ignore = "slow: `make test-slow` runs it"]
fn finds_what_minimax_finds_with_a_database_at_depth_8() {
    compare_with_database(8, 400);
}

#[test]
fn a_value_is_played_on_past_a_majority() {
    // South takes two and has the majority; North then feeds, and South has nothing to feed with and keeps the seed.
    let rules = Rules::default();
    let game = game(rules, "0-0-0-0-0-1-1-0-0-0-0-1-24-21-S");
    let report = alpha_beta(&game, &settings(20, 1024, 1)).unwrap();
    assert_eq!((report.value.seeds(), report.exact), (6.0, true));
    assert_eq!(report.line, [Move::new(5).unwrap(); 2]);
}

#[test]
fn a_search_that_has_seen_every_end_goes_no_deeper() {
    let game = game(Rules::default(), "0-0-0-0-0-1-1-0-0-0-0-1-4-4-S");
    let report = alpha_beta(&game, &settings(MAX_DEPTH, 1024, 1)).unwrap();
    assert!(report.exact && report.depth < MAX_DEPTH, "{report:?}");
    assert!(!alpha_beta(&Game::new(Rules::default()), &settings(6, 1024, 1)).unwrap().exact);
}

#[test]
fn limits_are_kept() {
    let game = Game::new(Rules::default());
    let report = alpha_beta(&game, &Settings { nodes: Some(5_000), ..Settings::default() }).unwrap();
    assert!(report.nodes <= 5_000 && report.depth >= 4, "{report:?}");
    let report = alpha_beta(&game, &Settings { time: Some(Duration::ZERO), ..Settings::default() }).unwrap();
    assert_eq!((report.depth, report.line.len()), (1, 1));
    let report = alpha_beta(&game, &Settings { nodes: Some(1), ..Settings::default() }).unwrap();
    assert_eq!(report.depth, 1);
    for depth in [0, MAX_DEPTH + 1] {
        assert_eq!(alpha_beta(&game, &settings(depth, 1024, 1)), Err(SearchError::Depth(depth)));
        assert_eq!(best_moves(&game, depth), Err(SearchError::Depth(depth)));
    }
    let memory = alpha_beta(&game, &settings(3, usize::MAX / 2, 1));
    assert!(matches!(memory, Err(SearchError::NoMemory(_))), "{memory:?}");
}

#[test]
fn a_finished_game_is_refused() {
    let over = game(Rules::default(), "4-0-0-0-0-0-4-0-0-0-0-0-9-0-S");
    assert_eq!(alpha_beta(&over, &Settings::default()), Err(SearchError::GameOver));
    assert_eq!(best_moves(&over, 3), Err(SearchError::GameOver));
}

#[test]
fn a_refusal_comes_back_beside_what_was_found() {
    let game = Game::new(Rules::default());
    let mut depths = Vec::new();
    let watch = |report: Option<&Report>| match report {
        Some(report) => {
            depths.push(report.depth);
            if report.depth < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break("enough") }
        }
        None => ControlFlow::Continue(()),
    };
    let (report, refusal) = alpha_beta_while(&game, &Settings::default(), watch).unwrap();
    assert_eq!((report.depth, refusal), (7, Some("enough")));
    assert_eq!(depths, [1, 2, 3, 4, 5, 6, 7]);

    let mut asked = 0;
    let count = |report: Option<&Report>| {
        asked += u32::from(report.is_none());
        if asked < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let (report, refusal) = alpha_beta_while(&game, &Settings::default(), count).unwrap();
    assert!(refusal.is_some() && report.depth > 4, "{report:?}");
}

#[test]
fn either_seat_is_worth_the_same() {
    for game in games(Rules::default(), 3, 20) {
        let turned = support::turned(game.position());
        let start = Game::from_position(Rules::default(), *game.position(), 0);
        let other = Game::from_position(Rules::default(), turned, 0);
        let [one, two] = [&start, &other].map(|game| alpha_beta(game, &settings(7, 1024, 1)).unwrap());
        assert_eq!(one, two);
    }
}

#[test]
fn an_evaluation_is_no_more_than_what_is_on_the_board() {
    let rules = Rules::default();
    for position in samples(&any_position(rules), 4, 2_000) {
        let BySeat { south, north } = position.board.stores;
        let stores = i32::from(south) - i32::from(north);
        let stores = if position.mover == Seat::South { stores } else { -stores };
        let expected = static_value(&position).hundredths() - 100 * stores;
        assert!(expected.abs() <= 100 * i32::from(position.board.board_seeds()), "{}", position.to_dashed());
    }
}
