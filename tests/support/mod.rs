//! What the integration tests share: short ways to write positions, the case files, random rules and set-ups.

#![allow(dead_code, reason = "every test file compiles this one and takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

pub(crate) mod cases;
pub(crate) mod contest;
pub(crate) mod drawn;
pub(crate) mod random;
pub(crate) mod twin;

use oware::{Game, Move, MoveSet, NotationError, PITS, Position, ROW, Rules, SeedsPerPit, Setup, Termination};

/// The move with this number.
pub(crate) fn mv(index: usize) -> Move {
    Move::new(index).unwrap()
}

/// The set of these moves.
pub(crate) fn moves(indices: &[usize]) -> MoveSet {
    indices.iter().map(|&index| mv(index)).collect()
}

/// A named rule set.
pub(crate) fn named(name: &str) -> Rules {
    Rules::named(name).unwrap()
}

/// This many seeds in each pit at the start.
pub(crate) fn per_pit(seeds: u8) -> SeedsPerPit {
    SeedsPerPit::new(seeds).unwrap()
}

/// The position of a dashed string.
pub(crate) fn position(rules: &Rules, dashed: &str) -> Position {
    Position::from_dashed(dashed, rules).unwrap()
}

/// A game that starts from a dashed string, with no plies played.
pub(crate) fn game(rules: Rules, dashed: &str) -> Game {
    Game::from_position(rules, position(&rules, dashed), 0)
}

/// Plays moves and returns what the last one captured.
pub(crate) fn play(game: &mut Game, indices: &[usize]) -> u8 {
    indices.iter().fold(0, |_, &index| game.play(mv(index)).unwrap())
}

/// The game as a dashed string and its ending, the usual two things to look at.
pub(crate) fn stand(game: &Game) -> (String, Option<Termination>) {
    (game.position().to_dashed(), game.outcome().map(|outcome| outcome.termination))
}

/// The same position with the seats exchanged: the board turned by half a round.
pub(crate) fn turned(position: &Position) -> Position {
    let mut pits = *position.board.pits();
    pits.rotate_left(ROW);
    let (south, north) = (position.board.stores.north, position.board.stores.south);
    let board = oware::Board::new(pits, oware::BySeat::new(south, north));
    Position { board, mover: position.mover.other(), unawarded: position.unawarded }
}

/// A set-up of these pits and stores, whether or not it can be one.
pub(crate) fn setup(pits: [i64; PITS], stores: [i64; 2], to_move: i64) -> Setup {
    Setup { pits: pits.to_vec(), stores: stores.to_vec(), to_move }
}

/// What `from_fen` says of a text, with the default rules.
pub(crate) fn fen(text: &str) -> Result<Game, NotationError> {
    Game::from_fen(text, Rules::default())
}

/// A count of tries, less or more of them where the environment variable `OWARE_TEST_EFFORT` holds a factor.
pub(crate) fn effort(tries: u64) -> u64 {
    let factor = std::env::var("OWARE_TEST_EFFORT").map_or(1.0, |factor| factor.parse().unwrap());
    (tries as f64 * factor).ceil() as u64
}
