//! Positions from doubtful input, validated once, with every reason for a refusal.

use std::error::Error;
use std::fmt;

use crate::board::Board;
use crate::pit::PITS;
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::{BySeat, Seat};

/// A position as somebody claims it; [`Setup::validate`] makes a [`Position`] of it.
///
/// ```
/// use oware::{Rules, Setup};
///
/// let claim = Setup { pits: vec![1; 11], stores: vec![0, -1], to_move: 0 };
/// let refusal = claim.validate(&Rules::default()).unwrap_err();
/// assert_eq!(refusal.to_string(), "11 pits instead of 12; store of North holds -1 seeds");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Seeds in each pit, in sowing order from South's first.
    pub pits: Vec<i64>,
    /// Seeds in South's and North's store.
    pub stores: Vec<i64>,
    /// The number of the seat that moves.
    pub to_move: i64,
}

/// One reason for which a set-up is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupFault {
    /// There are not twelve pits.
    PitCount(usize),
    /// There are not two stores.
    StoreCount(usize),
    /// A pit holds fewer than no seeds.
    NegativePit {
        /// The pit's number.
        pit: usize,
        /// What it is said to hold.
        seeds: i64,
    },
    /// A store holds fewer than no seeds.
    NegativeStore {
        /// The store's owner.
        seat: Seat,
        /// What it is said to hold.
        seeds: i64,
    },
    /// There are more seeds than the rules have.
    TooManySeeds {
        /// The seeds in pits and stores.
        total: i64,
        /// The most that there can be.
        most: u8,
    },
    /// The mover is neither 0 nor 1.
    Mover(i64),
}

impl fmt::Display for SetupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PitCount(count) => write!(f, "{count} pits instead of {PITS}"),
            Self::StoreCount(count) => write!(f, "{count} stores instead of 2"),
            Self::NegativePit { pit, seeds } => write!(f, "pit {pit} holds {seeds} seeds"),
            Self::NegativeStore { seat, seeds } => write!(f, "store of {seat} holds {seeds} seeds"),
            Self::TooManySeeds { total, most } => {
                write!(f, "{total} seeds in pits and stores, the rules have {most} (12 x seeds_per_pit)")
            }
            Self::Mover(mover) => write!(f, "to_move is {mover}, not 0 (South) or 1 (North)"),
        }
    }
}

/// Every reason for which a set-up is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupError {
    /// The reasons, at least one.
    pub faults: Vec<SetupFault>,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rank, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if rank == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Error for SetupError {}

impl Setup {
    /// The position, if the rules can set it up; it may be unreachable or already finished.
    ///
    /// # Errors
    /// [`SetupError`] lists all that is wrong.
    pub fn validate(&self, rules: &Rules) -> Result<Position, SetupError> {
        let mut faults = Vec::new();
        let pits: Option<[i64; PITS]> = self.pits.as_slice().try_into().ok();
        let stores: Option<[i64; 2]> = self.stores.as_slice().try_into().ok();
        if pits.is_none() {
            faults.push(SetupFault::PitCount(self.pits.len()));
        }
        if stores.is_none() {
            faults.push(SetupFault::StoreCount(self.stores.len()));
        }
        let negative = |seeds: i64| seeds < 0;
        faults.extend(
            self.pits
                .iter()
                .enumerate()
                .filter(|&(_, &seeds)| negative(seeds))
                .map(|(pit, &seeds)| SetupFault::NegativePit { pit, seeds }),
        );
        faults.extend(
            Seat::ALL
                .into_iter()
                .zip(&self.stores)
                .filter(|&(_, &seeds)| negative(seeds))
                .map(|(seat, &seeds)| SetupFault::NegativeStore { seat, seeds }),
        );
        let most = rules.seeds_per_pit.total();
        let total = self.pits.iter().chain(&self.stores).fold(0_i64, |sum, &seeds| sum.saturating_add(seeds.max(0)));
        if total > i64::from(most) {
            faults.push(SetupFault::TooManySeeds { total, most });
        }
        let mover = usize::try_from(self.to_move).ok().and_then(Seat::from_index);
        if mover.is_none() {
            faults.push(SetupFault::Mover(self.to_move));
        }
        match (pits, stores, mover) {
            (Some(pits), Some([south, north]), Some(mover)) if faults.is_empty() => {
                // With no fault, every count is between 0 and 240.
                let board = Board::new(pits.map(|seeds| seeds as u8), BySeat::new(south as u8, north as u8));
                Ok(Position { board, mover, unawarded: 0 })
            }
            _ => Err(SetupError { faults }),
        }
    }
}
