//! Searching for the best move.
//!
//! [`Probe`] is what a search asks for the exact value of a board with few seeds; an endgame database answers it.

use crate::rules::Rules;
use crate::words::Words;

/// Exact values of boards with few seeds, as an endgame database has them.
pub trait Probe: Send + Sync {
    /// Whether the values hold under these rules.
    fn holds_under(&self, rules: &Rules) -> bool;

    /// The most seeds on the board for which there are values.
    fn max_seeds(&self) -> u8;

    /// The net seeds that the mover still takes with best play by both, stores left aside; `None` where that is
    /// not known.
    fn value(&self, board: Words) -> Option<i8>;
}
