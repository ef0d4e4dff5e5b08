//! Arrays with memory of their own for all that an environment fills.

use crate::batch::observe::{ObservationKind, Observations};
use crate::env::config::Config;
use crate::env::outputs::{Outputs, Views};
use crate::pit::ROW;
use crate::rules::Rules;

/// Rows of observations.
#[derive(Clone, Debug, PartialEq)]
pub enum ObservationBuffer {
    /// See [`ObservationKind::Seeds`].
    Seeds(Vec<u8>),
    /// See [`ObservationKind::Normalized`].
    Normalized {
        /// The rows.
        rows: Vec<f32>,
        /// The seeds of a whole game.
        whole: f32,
    },
    /// See [`ObservationKind::OneHot`].
    OneHot(Vec<f32>),
}

impl ObservationBuffer {
    /// Rows of zeros.
    #[must_use]
    pub fn new(kind: ObservationKind, rules: &Rules, rows: usize) -> Self {
        let numbers = rows * kind.width();
        match kind {
            ObservationKind::Seeds => Self::Seeds(vec![0; numbers]),
            ObservationKind::Normalized => {
                Self::Normalized { rows: vec![0.0; numbers], whole: f32::from(rules.seeds_per_pit.total()) }
            }
            ObservationKind::OneHot => Self::OneHot(vec![0.0; numbers]),
        }
    }

    /// The rows to be written.
    pub fn rows(&mut self) -> Observations<'_> {
        match self {
            Self::Seeds(rows) => Observations::Seeds(rows),
            Self::Normalized { rows, whole } => Observations::Normalized { rows, whole: *whole },
            Self::OneHot(rows) => Observations::OneHot(rows),
        }
    }
}

/// Memory for [`Views`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of `Views`")]
pub struct ViewBuffers {
    pub observation: ObservationBuffer,
    pub action_mask: Vec<i8>,
    pub to_move: Vec<i8>,
    pub termination: Vec<i8>,
    pub winner: Vec<i8>,
}

impl ViewBuffers {
    /// Zeros for this many rows.
    #[must_use]
    pub fn new(config: &Config, rows: usize) -> Self {
        Self {
            observation: ObservationBuffer::new(config.observation, &config.rules, rows),
            action_mask: vec![0; rows * ROW],
            to_move: vec![0; rows],
            termination: vec![0; rows],
            winner: vec![0; rows],
        }
    }

    /// The rows to be written.
    pub fn views(&mut self) -> Views<'_> {
        Views {
            observation: self.observation.rows(),
            action_mask: &mut self.action_mask,
            to_move: &mut self.to_move,
            termination: &mut self.termination,
            winner: &mut self.winner,
        }
    }
}

/// Memory for [`Outputs`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of `Outputs`")]
pub struct Buffers {
    pub views: ViewBuffers,
    pub reward: Vec<f32>,
    pub terminated: Vec<u8>,
    pub truncated: Vec<u8>,
    pub seat_rewards: Option<Vec<f32>>,
}

impl Buffers {
    /// Zeros for this many rows.
    #[must_use]
    pub fn new(config: &Config, rows: usize) -> Self {
        Self {
            views: ViewBuffers::new(config, rows),
            reward: vec![0.0; rows],
            terminated: vec![0; rows],
            truncated: vec![0; rows],
            seat_rewards: config.seat_rewards.then(|| vec![0.0; 2 * rows]),
        }
    }

    /// The rows to be written.
    pub fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            views: self.views.views(),
            reward: &mut self.reward,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            seat_rewards: self.seat_rewards.as_deref_mut(),
        }
    }
}
