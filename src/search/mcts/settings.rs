//! How trees are searched.

use std::error::Error;
use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};

use crate::batch::kernel::KernelName;
use crate::rules::named_enum;
use crate::search::Probe;

named_enum! {
    /// What a value is.
    Score, "score" {
        /// The result: 1 for a win, 0 for a draw, −1 for a loss.
        Outcome = "outcome",
        /// The final net seeds over all seeds of the game, played on past a majority.
        Margin = "margin",
    }
}

/// Random priors at the root, so that moves are tried that look bad: Silver et al., "Mastering the game of Go without
/// human knowledge", Nature 550, 2017.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// The concentration of the Dirichlet distribution: the lower, the more of it falls to one move.
    pub alpha: f32,
    /// The noise's share of the priors, 0 to 1.
    pub fraction: f32,
}

/// How trees are searched.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The simulations of a search, at least 1.
    pub simulations: u32,
    /// The leaves of a tree that are valued at a time.
    pub leaves: NonZeroU32,
    /// How much moves count that were seldom tried.
    pub exploration: f32,
    /// What a value is.
    pub score: Score,
    /// What knows the values of boards with few seeds.
    pub endgame: Option<&'a dyn Probe>,
    /// Noise at the root, where an evaluator gives priors.
    pub noise: Option<Noise>,
    /// The most threads.
    pub num_threads: NonZeroUsize,
    /// What plays games out; `None` for what is best on this machine.
    pub kernel: Option<KernelName>,
}

/// The most simulations of a search.
pub const MOST_SIMULATIONS: u32 = 1 << 24;
/// The exploration that serves best with playouts: found against OpenSpiel's search.
pub const UCT_EXPLORATION: f32 = 1.4;
/// The exploration that is usual with an evaluator.
pub const PUCT_EXPLORATION: f32 = 1.25;
/// The leaves of a tree at a time that serve well with playouts: with more, blocks are fuller but moves worse.
pub const UCT_LEAVES: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);
/// Those with an evaluator, of whose batches more is to be had.
pub const PUCT_LEAVES: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

impl Default for Settings<'_> {
    /// 1,000 simulations with playouts, two leaves at a time, outcomes as values, one thread.
    fn default() -> Self {
        Self {
            simulations: 1000,
            leaves: UCT_LEAVES,
            exploration: UCT_EXPLORATION,
            score: Score::Outcome,
            endgame: None,
            noise: None,
            num_threads: NonZeroUsize::MIN,
            kernel: None,
        }
    }
}

/// Why trees could not be searched.
#[derive(Debug)]
#[non_exhaustive]
pub enum MctsError {
    /// A game is over: its number.
    GameOver(usize),
    /// A game has other rules than the first one: its number.
    Rules(usize),
    /// An action that is no legal move or ends the game.
    Move {
        /// The game's number.
        game: usize,
        /// The action.
        action: i64,
    },
    /// The database holds values of another game.
    OtherRules,
    /// The evaluator failed.
    Evaluator(Box<dyn Error + Send + Sync>),
    /// It was told to stop.
    Stopped,
}

impl fmt::Display for MctsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameOver(game) => write!(f, "games[{game}] is over; there is no move to search for"),
            Self::Rules(game) => write!(f, "games[{game}] has other rules than games[0]; give games of one rule set"),
            Self::Move { game, action } => write!(
                f,
                "games[{game}] has no move {action} after which it goes on; search with games anew where some are over"
            ),
            Self::OtherRules => f.write_str("the endgame database is of other rules than the games"),
            Self::Evaluator(error) => error.fmt(f),
            Self::Stopped => f.write_str("the search was stopped"),
        }
    }
}

impl Error for MctsError {}
