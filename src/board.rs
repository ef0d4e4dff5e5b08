//! Twelve pits and two stores.

use crate::pit::{PITS, Pit};
use crate::seat::{BySeat, Seat};

/// The seeds on the board and in the stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    pits: [u8; PITS],
    /// The seeds that each player has captured.
    pub stores: BySeat<u8>,
}

impl Board {
    /// A board with these pits, in sowing order from South's first, and these stores.
    ///
    /// The caller sees to it that no more than 255 seeds are in play; [`crate::Setup`] does.
    #[must_use]
    pub const fn new(pits: [u8; PITS], stores: BySeat<u8>) -> Self {
        Self { pits, stores }
    }

    /// The seeds in each pit, in sowing order from South's first.
    #[must_use]
    pub const fn pits(&self) -> &[u8; PITS] {
        &self.pits
    }

    /// The seeds in one pit.
    #[must_use]
    pub const fn seeds(&self, pit: Pit) -> u8 {
        self.pits[pit.index()]
    }

    /// Drops one seed into a pit.
    pub(crate) const fn drop_seed(&mut self, pit: Pit) {
        self.pits[pit.index()] += 1;
    }

    /// Takes all seeds out of a pit and returns their number.
    pub(crate) const fn lift(&mut self, pit: Pit) -> u8 {
        std::mem::replace(&mut self.pits[pit.index()], 0)
    }

    /// Takes all seeds out of a player's row and returns their number.
    pub(crate) fn lift_row(&mut self, seat: Seat) -> u8 {
        Pit::row(seat).map(|pit| self.lift(pit)).sum()
    }

    /// The seeds in a player's row.
    #[must_use]
    pub fn row_seeds(&self, seat: Seat) -> u8 {
        Pit::row(seat).map(|pit| self.seeds(pit)).sum()
    }

    /// The seeds in all pits.
    #[must_use]
    pub fn board_seeds(&self) -> u8 {
        self.pits.iter().sum()
    }

    /// The seeds in pits and stores.
    #[must_use]
    pub fn total_seeds(&self) -> u8 {
        self.board_seeds() + self.stores.south + self.stores.north
    }
}
