//! What an environment refuses, and why.

use std::error::Error;
use std::fmt;

use crate::batch::kernel::KernelName;
use crate::env::start::StartSeeds;
use crate::env::state::StateError;
use crate::pit::{MoveSet, ROW};
use crate::position::{IllegalMove, Termination};
use crate::seat::Seat;

/// Why an action cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActionFault {
    /// It is not a number from 0 to 5.
    OutOfRange {
        /// The action.
        action: i64,
        /// The moves that are legal.
        legal: MoveSet,
    },
    /// The rules do not allow it.
    Illegal(IllegalMove),
}

impl fmt::Display for ActionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { action, legal } => {
                write!(f, "action {action} is not a pit from 0 to {}; legal: {legal}", ROW - 1)
            }
            Self::Illegal(refusal) => refusal.fmt(f),
        }
    }
}

/// What an environment refuses; it is then as it was before.
#[derive(Debug)]
#[non_exhaustive]
pub enum EnvError {
    /// An array does not have one entry for each environment.
    Count {
        /// What there should be one of for each environment.
        what: &'static str,
        /// The number of environments.
        expected: usize,
        /// The number of entries.
        found: usize,
    },
    /// An action cannot be played.
    Action {
        /// The environment.
        row: usize,
        /// Why.
        fault: ActionFault,
    },
    /// A row takes no action before it is reset.
    ResetNeeded {
        /// The environment.
        row: usize,
        /// Whether its episode has finished; else it has never begun.
        finished: bool,
    },
    /// An episode cannot start from a finished position.
    Finished {
        /// The environment.
        row: usize,
        /// What ends the game there.
        termination: Termination,
    },
    /// The opponent moves first and its move ends the game.
    OpponentEndsGame {
        /// The environment.
        row: usize,
    },
    /// The opponent's action cannot be played.
    Reply {
        /// The environment.
        row: usize,
        /// Why.
        fault: ActionFault,
    },
    /// The opponent failed.
    External(Box<dyn Error + Send + Sync>),
    /// Hardly an opening leaves a game to play.
    Openings {
        /// The random plies of an opening.
        opening_plies: u16,
        /// The agent's seat.
        seat: Seat,
        /// The openings that left a game to play.
        successes: usize,
        /// The openings tried.
        attempts: u64,
    },
    /// The machine does not have the kernel.
    Kernel(KernelName),
    /// An opponent needs an endgame database, and there is none of these rules.
    Endgame,
    /// There is no network of this number, or its endgame database is of other rules.
    Network(u8),
    /// Too many networks are still in their episodes.
    Networks,
    /// There are no games that start with so many seeds on the board, of so many in all.
    StartSeeds(StartSeeds, u8),
    /// An environment made for self-play meets an opponent, or the other way round.
    MatchUp,
    /// A saved state cannot be restored.
    State(StateError),
}

impl fmt::Display for EnvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { what, expected, found } => {
                write!(f, "{found} {what} for {expected} environments; give one for each")
            }
            Self::Action { row, fault } => write!(f, "environment {row}: {fault}"),
            Self::ResetNeeded { row, finished: true } => {
                write!(f, "environment {row}: its episode is over; reset it, for example by reset_mask")
            }
            Self::ResetNeeded { row, finished: false } => {
                write!(f, "environment {row}: it has not started; call reset() before step()")
            }
            Self::Finished { row, termination } => {
                write!(f, "environment {row}: the position is finished ({termination}); an episode needs one in play")
            }
            Self::OpponentEndsGame { row } => write!(
                f,
                "environment {row}: the opponent moves first and ends the game; give the agent that seat, or another \
                 position"
            ),
            Self::Reply { row, fault } => write!(f, "environment {row}: the opponent's {fault}"),
            Self::External(error) => error.fmt(f),
            Self::Openings { opening_plies, seat, successes, attempts } => {
                write!(f, "opening_plies is {opening_plies}: ")?;
                match successes {
                    0 => write!(f, "none of {attempts} openings leaves")?,
                    1 => write!(f, "only one of {attempts} openings leaves")?,
                    _ => write!(f, "only {successes} of {attempts} openings leave")?,
                }
                write!(f, " a game to play (agent as {seat}); make them shorter, or max_plies longer")
            }
            Self::Kernel(kernel) => write!(f, "this machine does not have the kernel {kernel}"),
            Self::Endgame => f.write_str("an opponent needs an endgame database, and there is none of these rules"),
            Self::Network(number) => {
                write!(f, "there is no network {number} for an opponent, or its endgame database is of other rules")
            }
            Self::Networks => f.write_str("too many networks are in play; set another opponent, and reset, first"),
            Self::StartSeeds(StartSeeds { low, high }, total) => {
                write!(
                    f,
                    "start_seeds is {low} to {high}; give 1 to {total} seeds under these rules, the lower number first"
                )
            }
            Self::MatchUp => f.write_str(
                "an environment made with opponent=None stays in self-play, one made with an opponent keeps one; \
                 make another environment",
            ),
            Self::State(error) => error.fmt(f),
        }
    }
}

impl Error for EnvError {}

impl From<StateError> for EnvError {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}
