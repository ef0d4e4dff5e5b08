//! Outside opponents: they are asked for all rows at once, between the passes of a step.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use crate::env::config::{MOST_EXTERNALS, Scenario};
use crate::env::environment::{Env, legal_move};
use crate::env::episode::Turn;
use crate::env::error::EnvError;
use crate::env::external::{Externals, Request};
use crate::env::outputs::Outputs;
use crate::env::rows::Rows;
use crate::env::step::{Chunk, Note, Stage};
use crate::pit::MoveSet;
use crate::search::{Root, best_of};
use crate::threads::share_among;

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
            let mut asked = self.search_replies(externals)?;
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
        let row =
            self.notes.iter().position(|note| matches!(note.turn, Turn::Search(_) | Turn::External(_))).unwrap_or(0);
        Err(EnvError::OpponentEndsGame { row })
    }

    /// Plays the replies of opponents that search; whether there were any.
    fn search_replies(&mut self, externals: &mut dyn Externals) -> Result<bool, EnvError> {
        let config = self.config();
        let mut replies: Vec<_> = (0..self.notes.len())
            .filter_map(|row| match self.notes[row].turn {
                Turn::Search(depth) => Some((row, depth, MoveSet::EMPTY)),
                _ => None,
            })
            .collect();
        if replies.is_empty() {
            return Ok(false);
        }
        let Rows::Single(rows) = &self.rows else { return Ok(false) };
        let find = |go_on: &mut (dyn FnMut() -> bool + Send)| {
            let (caller, go_on, stop) = (thread::current().id(), Mutex::new(go_on), AtomicBool::new(false));
            // Only this thread may ask; the others look at what it was told.
            let goes_on = || {
                if thread::current().id() == caller
                    && let Ok(mut go_on) = go_on.lock()
                    && !go_on()
                {
                    stop.store(true, Relaxed);
                }
                !stop.load(Relaxed)
            };
            share_among(config.num_threads.get(), replies.iter_mut().collect(), |(row, depth, best)| {
                if goes_on() {
                    *best =
                        best_of(Root::of_slot(&rows[*row].slot, &config.rules), u32::from(*depth), &mut || goes_on());
                }
            });
        };
        let mut find = find;
        externals.wait_for(&mut find).map_err(EnvError::External)?;
        for (row, _, best) in replies {
            let Self { scenario, rows, notes, .. } = self;
            notes[row].turn =
                rows.update(row, &scenario.config, |episode| episode.play_chosen(best, &scenario.config.rules));
        }
        Ok(true)
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
