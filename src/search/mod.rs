//! Searching for the best move.
//!
//! [`Probe`] is what a search asks for the exact value of a board with few seeds; an endgame database answers it.

mod alphabeta;
mod choose;
mod driver;
mod evaluation;
mod few_seeds;
mod known;
pub mod mcts;
mod ordering;
mod path;
mod root;
mod table;
mod value;

use std::fmt::Debug;

use crate::pit::MoveSet;
use crate::rules::Rules;
use crate::words::Words;

pub use alphabeta::MAX_DEPTH;
pub(crate) use choose::best_of;
pub use choose::{best_moves, best_moves_while};
pub use driver::{Report, SearchError, Settings, TABLE_ENTRIES, alpha_beta, alpha_beta_while};
pub use evaluation::static_value;
pub(crate) use known::{Known, known};
pub(crate) use root::Root;
pub use table::NoMemory;
pub use value::Value;

/// Exact values of boards with few seeds, as an endgame database has them.
pub trait Probe: Debug + Send + Sync {
    /// Whether the values hold under these rules.
    fn holds_under(&self, rules: &Rules) -> bool;

    /// The most seeds on the board for which there are values.
    fn max_seeds(&self) -> u8;

    /// The net seeds that the mover still takes with best play by both, stores left aside; `None` where that is
    /// not known.
    fn value(&self, board: Words) -> Option<i8>;

    /// Those of some best moves of a board by which the next seeds are taken soonest, where the mover takes more than
    /// the opponent; all of them where that is not known.
    fn soonest(&self, board: Words, best: MoveSet) -> MoveSet {
        let _ = board;
        best
    }
}
