//! One step of some rows, in three passes that never look at another row:
//!
//! ```text
//! act       play the agent's ply and the reply that is known here; in next-step mode begin finished rows again
//! conclude  count the step, reward it, say whether the row has finished; in same-step mode begin it again
//! show      write what is seen of the row
//! ```
//!
//! Between the passes outside opponents may be asked. Nothing in a pass can fail: actions are checked before.

use crate::env::config::{Config, RewardKind, Scenario};
use crate::env::episode::{Episode, Phase, Turn};
use crate::env::outputs::{Final, Outputs};
use crate::pit::Move;
use crate::seat::Seat;

/// What the passes of one step tell each other of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note {
    pub(crate) stage: Stage,
    pub(crate) turn: Turn,
}

/// What a row does in a step or a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing.
    Idle,
    /// It has played: the seat that acted, and its margin before.
    Played { seat: Seat, margin: i16 },
    /// It begins with an opening.
    Opening,
    /// It begins from a given position.
    Placed,
}

impl Note {
    pub(crate) const IDLE: Self = Self { stage: Stage::Idle, turn: Turn::Agent };
}

/// Rows that one thread steps.
pub(crate) struct Chunk<'a> {
    pub(crate) rows: &'a mut [Episode],
    pub(crate) notes: &'a mut [Note],
    pub(crate) moves: &'a [Option<Move>],
    pub(crate) out: Outputs<'a>,
    /// The number of the first row.
    pub(crate) first_row: usize,
    /// Takes the rows that are finished and reset.
    pub(crate) finals: &'a mut Vec<Final>,
}

impl Chunk<'_> {
    /// All three passes, for rows without an outside opponent: row after row, while it is in the registers.
    pub(crate) fn step(&mut self, scenario: &Scenario) {
        for row in 0..self.rows.len() {
            self.act(row, scenario);
            self.conclude(row, scenario);
            self.show(row);
        }
    }

    pub(crate) fn act_all(&mut self, scenario: &Scenario) {
        (0..self.rows.len()).for_each(|row| self.act(row, scenario));
    }

    pub(crate) fn conclude_all(&mut self, scenario: &Scenario) {
        (0..self.rows.len()).for_each(|row| self.conclude(row, scenario));
    }

    pub(crate) fn show_all(&mut self) {
        (0..self.rows.len()).for_each(|row| self.show(row));
    }

    #[inline(always)]
    fn act(&mut self, row: usize, scenario: &Scenario) {
        let episode = &mut self.rows[row];
        self.notes[row] = match episode.phase {
            Phase::Finished => Note { stage: Stage::Opening, turn: episode.begin(scenario) },
            Phase::Live | Phase::Unstarted => match self.moves[row] {
                Some(mv) => {
                    let seat = episode.viewer();
                    let margin = episode.slot.seen_by(seat).margin();
                    let turn = episode.play(mv, &scenario.config.rules);
                    Note { stage: Stage::Played { seat, margin }, turn }
                }
                None => Note::IDLE,
            },
        };
    }

    #[inline(always)]
    fn conclude(&mut self, row: usize, scenario: &Scenario) {
        let config = &scenario.config;
        let episode = &mut self.rows[row];
        let Stage::Played { seat, margin } = self.notes[row].stage else {
            self.out.write_reward(row, Seat::South, 0.0);
            self.out.terminated[row] = 0;
            self.out.truncated[row] = 0;
            return;
        };
        episode.steps = episode.steps.saturating_add(1);
        let terminated = episode.slot.is_over();
        let truncated = !terminated && config.max_steps.is_some_and(|cap| episode.steps >= cap.get());
        self.out.write_reward(row, seat, reward(episode, config, seat, margin));
        self.out.terminated[row] = terminated.into();
        self.out.truncated[row] = truncated.into();
        if terminated || truncated {
            episode.phase = Phase::Finished;
            if config.shows_finals() {
                let viewer = episode.viewer();
                let (board, ending) = (episode.slot.seen_by(viewer), episode.slot.termination());
                self.finals.push(Final { row: self.first_row + row, viewer, board, ending });
                self.notes[row] = Note { stage: Stage::Opening, turn: episode.begin(scenario) };
            }
        }
    }

    #[inline(always)]
    fn show(&mut self, row: usize) {
        self.out.views.write(row, &self.rows[row]);
    }
}

/// What the step is worth to `seat`, which had this margin before it.
#[inline(always)]
fn reward(episode: &Episode, config: &Config, seat: Seat, margin_before: i16) -> f32 {
    let margin = episode.slot.seen_by(seat).margin();
    match config.reward {
        RewardKind::Captures => f32::from(margin - margin_before),
        RewardKind::Outcome | RewardKind::Margin if !episode.slot.is_over() => 0.0,
        RewardKind::Outcome => f32::from(margin.signum()),
        RewardKind::Margin => f32::from(margin) / f32::from(config.rules.seeds_per_pit.total()),
    }
}
