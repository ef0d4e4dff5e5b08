//! Playouts under every kernel of this machine against random games played in [`Game`].

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicUsize, Ordering};

use oware::batch::kernel::kernels;
use oware::batch::playout::{Playouts, Results, Settings};
use oware::{Game, Move, MoveSet, Occurrences, Position, RULE_SETS, Rules, Seat, Stream};
use support::drawn::Draw;
use support::random::{any_position, any_rules, any_start, samples};

/// The moves that a stream chooses, as the documentation has it.
struct Chance {
    stream: Stream,
    bytes: Vec<u8>,
}

impl Chance {
    fn new(seed: u64, position: usize, rank: usize) -> Self {
        let nth = |stream: Stream, index: usize| {
            let mut stream = stream;
            for _ in 0..index {
                stream.draw();
            }
            Stream::from_state(stream.draw())
        };
        Self { stream: nth(nth(Stream::from_seed(seed), position), rank), bytes: Vec::new() }
    }

    fn choose(&mut self, moves: MoveSet) -> Move {
        let share = 256 / moves.len();
        loop {
            if self.bytes.is_empty() {
                self.bytes = self.stream.draw().to_le_bytes().into_iter().rev().collect();
            }
            let byte = usize::from(self.bytes.pop().unwrap());
            if byte < share * moves.len() {
                return moves.nth(byte / share).unwrap();
            }
        }
    }
}

/// All games one after the other.
fn expected(games: &[Game], settings: &Settings) -> Results {
    let mut results = Results::default();
    for (position, game) in games.iter().enumerate() {
        for rank in 0..settings.games {
            let mut game = game.clone();
            let mut chance = Chance::new(settings.seed, position, rank);
            let mut plies = 0;
            while !game.is_over() && settings.max_plies.is_none_or(|limit| plies < limit.get()) {
                game.play(chance.choose(game.legal_moves())).unwrap();
                plies += 1;
            }
            let stores = game.position().board.stores;
            results.margins.push(i16::from(stores[Seat::South]) - i16::from(stores[Seat::North]));
            results.plies.push(plies);
            results.terminations.push(game.outcome().map_or(0, |outcome| outcome.termination.code()));
        }
    }
    results
}

fn check(rules: Rules, games: &[Game], settings: &Settings) {
    let expected = expected(games, settings);
    for kernel in kernels() {
        let settings = Settings { kernel: Some(kernel), ..settings.clone() };
        let results = Playouts::from_games(rules, games, settings).play(&|| true).unwrap();
        assert!(results == expected, "{kernel}, {rules:?}, {games:?}\n{results:?}\n{expected:?}");
    }
}

fn limit(plies: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(plies)
}

#[test]
fn named_rules() {
    for (seed, (_, rules)) in (0..).zip(RULE_SETS) {
        let settings = Settings { games: 150, seed, max_plies: limit(1000), ..Settings::default() };
        check(rules, &[Game::new(rules)], &settings);
    }
}

/// Positions of all kinds, finished ones among them, after some plies that count for repetition and the ply limit.
fn any_games(rules: Rules, seed: u64, draw: &mut Stream) -> Vec<Game> {
    let count = draw.one_of(&[1, 2, 30, 90]);
    let positions = samples(&any_start(rules), seed, count);
    let games = positions.into_iter().map(|position| {
        let mut game = Game::from_position(rules, position, draw.one_of(&[0, 0, 3, 250]));
        for _ in 0..draw.one_of(&[0, 1, 40, 200]) {
            let Some(mv) = draw.choose(game.legal_moves()) else { break };
            game.play(mv).unwrap();
        }
        game
    });
    games.collect()
}

#[test]
fn random_rules() {
    let mut draw = Stream::from_seed(7);
    for (seed, rules) in (0..).zip(samples(&any_rules(), 7, 200)) {
        let repetition = if seed % 16 == 0 { Occurrences::new(300) } else { rules.repetition };
        let rules = Rules { repetition, ..rules };
        let games = any_games(rules, seed, &mut draw);
        let max_plies = limit(draw.one_of(&[1, 7, 300, 600]));
        let settings = Settings { games: draw.one_of(&[1, 3, 40]), seed, max_plies, ..Settings::default() };
        check(rules, &games, &settings);
    }
}

/// Few seeds that go round for long: what repetition is about.
#[test]
fn long_endings() {
    for (seed, (_, rules)) in (0..).zip(RULE_SETS) {
        let bare = |position: &Position| position.board.board_seeds() <= 8;
        let positions: Vec<_> = samples(&any_position(rules), seed, 200).into_iter().filter(bare).collect();
        assert!(positions.len() > 5);
        let games: Vec<_> = positions.into_iter().map(|position| Game::from_position(rules, position, 0)).collect();
        check(rules, &games, &Settings { games: 10, seed, max_plies: limit(500), ..Settings::default() });
    }
}

#[test]
fn positions_play_like_games() {
    let rules = Rules::default();
    let positions = samples(&any_start(rules), 3, 50);
    let games: Vec<_> = positions.iter().map(|&position| Game::from_position(rules, position, 0)).collect();
    let settings = Settings { games: 7, seed: 3, ..Settings::default() };
    let from_games = Playouts::from_games(rules, &games, settings.clone()).play(&|| true);
    assert_eq!(Playouts::from_positions(rules, positions, settings).play(&|| true), from_games);
}

#[test]
fn any_number_of_threads() {
    let rules = Rules::default();
    let start = vec![Position::start(&rules); 3];
    let results = [1, 2, 3, 7].map(|threads| {
        let num_threads = NonZeroUsize::new(threads).unwrap();
        let settings = Settings { games: 3000, num_threads, ..Settings::default() };
        Playouts::from_positions(rules, start.clone(), settings).play(&|| true).unwrap()
    });
    assert_eq!(results[0].margins.len(), 9000);
    for other in &results[1..] {
        assert!(*other == results[0]);
    }
}

#[test]
fn playing_stops_when_it_is_told_to() {
    let rules = Rules::default();
    for kernel in kernels() {
        for threads in [1, 3] {
            let num_threads = NonZeroUsize::new(threads).unwrap();
            let settings = Settings { games: 20_000, num_threads, kernel: Some(kernel), ..Settings::default() };
            let asked = AtomicUsize::new(0);
            let goes_on = || asked.fetch_add(1, Ordering::Relaxed) < 3;
            assert_eq!(Playouts::from_positions(rules, vec![Position::start(&rules)], settings).play(&goes_on), None);
            assert!(asked.into_inner() <= 3 + threads);
        }
    }
}

#[test]
fn nothing_to_play() {
    let rules = Rules::default();
    let settings = Settings { games: 0, ..Settings::default() };
    let none = Some(Results::default());
    assert_eq!(Playouts::from_positions(rules, Vec::new(), Settings::default()).play(&|| true), none);
    assert_eq!(Playouts::from_positions(rules, vec![Position::start(&rules)], settings).play(&|| true), none);
}
