//! The board game Oware: exact rules, games, batches of games.
//!
//! ```
//! use oware::{Game, Rules};
//!
//! let mut game = Game::new(Rules::named("abapa")?);
//! game.play_transcript("FfEe")?;
//! assert_eq!(game.legal_moves().to_string(), "0, 1, 2, 3, 5");
//! println!("{game}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The tour, from the ground up: [`Seat`], [`Pit`] and [`Move`] name players and places; [`Board`] holds the seeds;
//! [`Rules`] says what players disagree about; `sowing` is one move on one board; [`Position`] adds the mover and
//! the endings without memory, [`Game`] the history. `words` is the fast twin of `sowing`, a batch plays many
//! boards with it, and an environment makes episodes of them. [`endgame`] has the value of every board of few seeds,
//! [`net`] a guess at that of any, and [`search`] looks ahead, with either or without.
//!
//! Everything here is plain Rust; the feature `python` adds the extension module.

pub mod batch;
mod board;
pub mod endgame;
pub mod env;
mod game;
mod index;
pub mod net;
mod notation;
mod perft;
mod pit;
mod position;
mod rules;
pub mod search;
mod seat;
mod setup;
mod sowing;
mod stream;
mod threads;
mod words;

#[cfg(feature = "python")]
mod bindings;

pub use board::Board;
pub use game::{Game, Outcome};
pub use notation::NotationError;
pub use perft::{perft, perft_while};
pub use pit::{Move, MoveSet, PITS, Pit, PitSet, ROW};
pub use position::{IllegalMove, IllegalReason, Ply, Position, Termination};
pub use rules::{Feeding, FieldDiff, GrandSlam, Occurrences, RULE_SETS, Rules, SeedsPerPit, Share, UnknownName};
pub use seat::{BySeat, Seat};
pub use setup::{Setup, SetupError, SetupFault};
pub use stream::Stream;
pub use words::Words;
