//! Opponents by name, those that search above all.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::env::config::Opponent;

/// How an opponent searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Searcher {
    /// By what, and how far.
    pub method: Method,
    /// Whether it knows the values of an endgame database, which the environment must then have.
    pub aided: bool,
}

/// By what an opponent searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Method {
    /// Minimax of so many plies, 1 to [`MOST_PLIES_AHEAD`].
    Minimax(u8),
    /// Monte-Carlo tree search of so many simulations, 1 to [`MOST_SIMULATIONS`], with playouts.
    Mcts(u32),
}

/// The most plies that an opponent looks ahead.
pub const MOST_PLIES_AHEAD: u8 = 16;
/// The most simulations of an opponent's search.
pub const MOST_SIMULATIONS: u32 = 1_000_000;

const MINIMAX: &str = "minimax:";
const MCTS: &str = "mcts:";
const AIDED: &str = "+endgame";

impl Searcher {
    /// One that knows no database.
    #[must_use]
    pub const fn unaided(method: Method) -> Self {
        Self { method, aided: false }
    }
}

impl fmt::Display for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.method {
            Method::Minimax(plies) => write!(f, "{MINIMAX}{plies}"),
            Method::Mcts(simulations) => write!(f, "{MCTS}{simulations}"),
        }?;
        f.write_str(if self.aided { AIDED } else { "" })
    }
}

/// A name that no opponent has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownOpponent {
    /// None at all.
    Name(String),
    /// A search by a number that is not allowed.
    Number {
        /// The whole name.
        name: String,
        /// What the number is of.
        what: &'static str,
        /// What stands there.
        given: String,
        /// The greatest one.
        most: u32,
    },
}

impl fmt::Display for UnknownOpponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(
                f,
                "unknown opponent {name:?}; known: random, greedy, {MINIMAX}DEPTH, {MCTS}SIMULATIONS, in Python \
                 the names in oware.agents.LEVELS, net:PATH and net:PATH@SIMULATIONS, those that search also with \
                 {AIDED} at the end, python:MODULE:NAME, or a callable"
            ),
            Self::Number { name, what, given, most } => {
                write!(f, "opponent {name:?}: the {what} {given:?}; give 1 to {most}")
            }
        }
    }
}

impl Error for UnknownOpponent {}

/// The opponents that have names.
///
/// ```
/// use oware::env::{Method, Opponent, Searcher};
///
/// let opponent: Opponent = "mcts:200+endgame".parse()?;
/// assert_eq!(opponent, Opponent::Search(Searcher { method: Method::Mcts(200), aided: true }));
/// # Ok::<(), oware::env::UnknownOpponent>(())
/// ```
impl FromStr for Opponent {
    type Err = UnknownOpponent;

    fn from_str(name: &str) -> Result<Self, UnknownOpponent> {
        match name {
            "random" => return Ok(Self::Random),
            "greedy" => return Ok(Self::Greedy),
            _ => {}
        }
        let (text, aided) = name.strip_suffix(AIDED).map_or((name, false), |text| (text, true));
        let number = |given: &str, what, most| {
            let number = given.parse().ok().filter(|number| (1..=most).contains(number));
            // A sign or a leading zero would be another name of the same opponent.
            number.filter(|number: &u32| number.to_string() == given).ok_or_else(|| UnknownOpponent::Number {
                name: name.to_owned(),
                what,
                given: given.to_owned(),
                most,
            })
        };
        let method = if let Some(plies) = text.strip_prefix(MINIMAX) {
            Method::Minimax(number(plies, "depth is", MOST_PLIES_AHEAD.into())? as u8)
        } else if let Some(simulations) = text.strip_prefix(MCTS) {
            Method::Mcts(number(simulations, "simulations are", MOST_SIMULATIONS)?)
        } else {
            return Err(UnknownOpponent::Name(name.to_owned()));
        };
        Ok(Self::Search(Searcher { method, aided }))
    }
}
