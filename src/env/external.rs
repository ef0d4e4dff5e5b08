//! Opponents that are asked from outside, for many rows at once.

use std::error::Error;

use crate::batch::observe::{ObservationKind, mask};
use crate::env::buffers::ObservationBuffer;
use crate::env::episode::Episode;
use crate::pit::ROW;
use crate::rules::Rules;

/// What an outside opponent is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The rows that need a reply.
    pub rows: Vec<usize>,
    /// What the opponent sees there.
    pub observations: ObservationBuffer,
    /// Six numbers a row, 1 where the move is legal.
    pub action_masks: Vec<i8>,
}

impl Request {
    pub(crate) fn of(
        kind: ObservationKind,
        rules: &Rules,
        rows: Vec<usize>,
        episode: impl Fn(usize) -> Episode,
    ) -> Self {
        let mut observations = ObservationBuffer::new(kind, rules, rows.len());
        let mut action_masks = Vec::with_capacity(ROW * rows.len());
        for (rank, &row) in rows.iter().enumerate() {
            let slot = episode(row).slot;
            observations.rows().write(rank, slot.words());
            action_masks.extend(mask(slot.legal_moves()));
        }
        Self { rows, observations, action_masks }
    }
}

/// Opponents that are asked from outside.
pub trait Externals {
    /// The actions of the opponent with this number, one for each row of the request.
    ///
    /// # Errors
    /// Whatever keeps the opponent from answering; the environment hands it back and is as it was.
    fn reply(&mut self, number: u8, request: &Request) -> Result<Vec<i64>, Box<dyn Error + Send + Sync>>;

    /// Lets work be done that takes its time and asks nobody, but now and then from this thread whether to go on.
    ///
    /// # Errors
    /// Why it was not to go on; the environment hands it back and is as it was.
    fn wait_for(&mut self, work: &mut Work<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        work(&mut || true);
        Ok(())
    }
}

/// Work that is told how to ask whether to go on.
pub type Work<'a> = dyn FnMut(&mut (dyn FnMut() -> bool + Send)) + Send + 'a;

/// For an environment that was made without one.
#[derive(Clone, Copy, Debug)]
pub struct NoExternals;

impl Externals for NoExternals {
    fn reply(&mut self, number: u8, _: &Request) -> Result<Vec<i64>, Box<dyn Error + Send + Sync>> {
        Err(format!("there is no opponent {number}").into())
    }
}
