//! Outside opponents: they are asked for all rows at once, between the passes of a step.

use crate::env::config::{MOST_EXTERNALS, Scenario};
use crate::env::environment::{Env, legal_move};
use crate::env::episode::Turn;
use crate::env::error::EnvError;
use crate::env::external::{Externals, Request};
use crate::env::outputs::Outputs;
use crate::env::rows::Rows;
use crate::env::step::{Chunk, Note, Stage};

/// Openings that an outside opponent may end before a reset gives up.
const EXTERNAL_OPENINGS: usize = 1000;

impl Env {
    pub(super) fn step_asking(&mut self, externals: &mut dyn Externals, mut out: Outputs<'_>) -> Result<(), EnvError> {
        self.transact(|env| {
            env.pass(&mut out, |chunk, scenario| chunk.act_all(scenario));
            env.ask(externals)?;
            env.pass(&mut out, |chunk, scenario| chunk.conclude_all(scenario));
            env.ask(externals)?;
            env.pass(&mut out, |chunk, _| chunk.show_all());
            Ok(())
        })
    }

    /// One pass over all rows.
    fn pass(&mut self, out: &mut Outputs<'_>, pass: impl FnOnce(&mut Chunk<'_>, &Scenario)) {
        let Self { scenario, rows: Rows::Single(rows), notes, moves, finals, .. } = self else { return };
        let Some(finals) = finals.first_mut() else { return };
        pass(&mut Chunk { rows, notes, moves, out: out.reborrow(), first_row: 0, finals }, scenario);
    }

    /// Asks outside opponents until no row waits for one.
    pub(super) fn ask(&mut self, externals: &mut dyn Externals) -> Result<(), EnvError> {
        for _ in 0..EXTERNAL_OPENINGS {
            let mut asked = false;
            for number in 0..MOST_EXTERNALS {
                let waits = |note: &Note| note.turn == Turn::External(number);
                let rows: Vec<usize> = (0..self.notes.len()).filter(|&row| waits(&self.notes[row])).collect();
                if !rows.is_empty() {
                    asked = true;
                    self.ask_one(number, rows, externals)?;
                }
                if !self.notes.iter().any(|note| matches!(note.turn, Turn::External(_))) {
                    break;
                }
            }
            if !asked {
                return Ok(());
            }
            self.open_again()?;
        }
        let row = self.notes.iter().position(|note| matches!(note.turn, Turn::External(_))).unwrap_or(0);
        Err(EnvError::OpponentEndsGame { row })
    }

    fn ask_one(&mut self, number: u8, rows: Vec<usize>, externals: &mut dyn Externals) -> Result<(), EnvError> {
        let request = Request::of(self.config().observation, &self.config().rules, rows, |row| self.episode(row));
        let actions = externals.reply(number, &request).map_err(EnvError::External)?;
        if actions.len() != request.rows.len() {
            let (expected, found) = (request.rows.len(), actions.len());
            return Err(EnvError::Count { what: "replies of the opponent", expected, found });
        }
        for (&row, &action) in request.rows.iter().zip(&actions) {
            let mv = legal_move(&self.episode(row), action, &self.config().rules)
                .map_err(|fault| EnvError::Reply { row, fault })?;
            let config = &self.scenario.config;
            self.notes[row].turn = self.rows.update(row, config, |episode| episode.play(mv, &config.rules));
        }
        Ok(())
    }

    /// Plays another opening where the opponent's first ply ended the game.
    fn open_again(&mut self) -> Result<(), EnvError> {
        let Self { scenario, rows, notes, .. } = self;
        for (row, note) in notes.iter_mut().enumerate() {
            match (note.stage, note.turn) {
                (Stage::Opening, Turn::Over) => {
                    note.turn = rows.update(row, &scenario.config, |episode| episode.open(scenario));
                }
                (Stage::Placed, Turn::Over) => return Err(EnvError::OpponentEndsGame { row }),
                _ => {}
            }
        }
        Ok(())
    }
}
