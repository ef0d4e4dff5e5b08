//! The positions since the last capture, searched only when a repetition is possible.
//!
//! Without a capture a position can recur only after every one of the twelve pits has been sown from: the seeds then
//! have gone round, a sowing that passes a pit drops a seed there, and only a sowing from that pit takes it away
//! again. So a count of how often all twelve have been origins bounds the count of recurrences, and the search of
//! the history is seldom needed.

use crate::pit::Pit;
use crate::words::Words;

const ALL_ORIGINS: u16 = 0xFFF;

/// The positions since the last capture, the one it led to included.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    positions: Vec<Words>,
    /// The pits sown from since all twelve had last been.
    origins: u16,
    /// How often all twelve have been origins.
    laps: u32,
}

impl History {
    /// Forgets all and begins with a position.
    pub(crate) fn restart(&mut self, position: Words) {
        self.positions.clear();
        self.positions.push(position);
        self.origins = 0;
        self.laps = 0;
    }

    /// Becomes a copy of `other`, keeping its own memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.positions.clone_from(&other.positions);
        (self.origins, self.laps) = (other.origins, other.laps);
    }

    /// Adds the position that a move from `origin` led to without a capture.
    pub(crate) fn push(&mut self, position: Words, origin: Pit) {
        self.positions.push(position);
        self.origins |= 1 << origin.index();
        if self.origins == ALL_ORIGINS {
            self.origins = 0;
            self.laps += 1;
        }
    }

    /// Whether the newest position has arisen `limit` times.
    pub(crate) fn has_recurred(&self, limit: u32) -> bool {
        self.laps + 1 >= limit && self.count_newest() >= limit as usize
    }

    #[cold]
    fn count_newest(&self) -> usize {
        // Every second position has the same mover.
        self.positions.iter().rev().step_by(2).filter(|&position| Some(position) == self.positions.last()).count()
    }

    /// The pits sown from since all twelve had last been, as bits, and how often they have.
    pub(crate) const fn origins(&self) -> (u16, u32) {
        (self.origins, self.laps)
    }

    /// The positions, oldest first.
    pub(crate) fn positions(&self) -> &[Words] {
        &self.positions
    }
}
