//! Opponents that are asked from outside, for many rows at once.

use std::error::Error;

use crate::batch::observe::{ObservationKind, Observations, mask};
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

/// Rows of observations with memory of their own.
#[derive(Clone, Debug)]
pub enum ObservationBuffer {
    /// Counts of seeds.
    Bytes(Vec<u8>),
    /// Either of the other kinds.
    Floats(Vec<f32>),
}

impl ObservationBuffer {
    fn write(kind: ObservationKind, rules: &Rules, episodes: &[&Episode]) -> Self {
        let numbers = kind.width() * episodes.len();
        let mut buffer = match kind {
            ObservationKind::Seeds => Self::Bytes(vec![0; numbers]),
            ObservationKind::Normalized | ObservationKind::OneHot => Self::Floats(vec![0.0; numbers]),
        };
        let mut rows = match (&mut buffer, kind) {
            (Self::Bytes(rows), _) => Observations::Seeds(rows),
            (Self::Floats(rows), ObservationKind::OneHot) => Observations::OneHot(rows),
            (Self::Floats(rows), _) => {
                Observations::Normalized { rows, whole: f32::from(rules.seeds_per_pit.total()) }
            }
        };
        for (row, episode) in episodes.iter().enumerate() {
            rows.write(row, episode.slot.words());
        }
        buffer
    }
}

impl Request {
    pub(crate) fn of(kind: ObservationKind, rules: &Rules, rows: Vec<usize>, episodes: &[Episode]) -> Self {
        let asked: Vec<&Episode> = rows.iter().map(|&row| &episodes[row]).collect();
        let observations = ObservationBuffer::write(kind, rules, &asked);
        let mut action_masks = Vec::with_capacity(ROW * rows.len());
        for episode in asked {
            action_masks.extend(mask(episode.slot.legal_moves()));
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
}

/// For an environment that was made without one.
#[derive(Clone, Copy, Debug)]
pub struct NoExternals;

impl Externals for NoExternals {
    fn reply(&mut self, number: u8, _: &Request) -> Result<Vec<i64>, Box<dyn Error + Send + Sync>> {
        Err(format!("there is no opponent {number}").into())
    }
}
