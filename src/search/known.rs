//! What to play where a database knows the position: the one place in which every search decides that.
//!
//! A search that values results alone takes any move that keeps one, whatever seeds it gives away; and one that values
//! seeds may go round for ever among moves that are worth the same. So where the root lies in the database neither
//! decides:
//!
//! ```text
//! the moves worth most by the database, or by the rules where a move ends the game by repetition or the ply limit
//! of these, where there are seeds to be won: those that take the first of them soonest
//! ```

use crate::pit::MoveSet;
use crate::words::Words;

use super::Probe;
use super::choose::best_of;
use super::root::Root;

/// The moves to choose from where a database knows the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Every move that is worth most.
    pub(crate) best: MoveSet,
    /// Those of them to play.
    pub(crate) soonest: MoveSet,
}

/// What to play on a board; `None` where no database knows it. `root` gives the position with its history.
pub(crate) fn known(board: Words, endgame: Option<&dyn Probe>, root: impl FnOnce() -> Root) -> Option<Known> {
    let endgame = endgame?;
    let value = endgame.value(board)?;
    let best = best_of(root(), 1, Some(endgame), &mut || true);
    let soonest = if value > 0 && best.len() > 1 { endgame.soonest(board, best) } else { best };
    Some(Known { best, soonest })
}
