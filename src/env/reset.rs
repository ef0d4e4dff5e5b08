//! How episodes begin in the rows of an environment: after an opening, or from positions.

use crate::env::environment::Env;
use crate::env::episode::Turn;
use crate::env::error::EnvError;
use crate::env::external::Externals;
use crate::env::step::{Note, Stage};
use crate::game::Game;
use crate::position::Position;
use crate::stream::Stream;

/// Plies that a reset plays before it asks whether to go on.
const PLIES_AT_A_TIME: usize = 1 << 18;
/// Plies from which on a reset may take so long that it is worth a copy of all rows to go back to.
const LONG_RESET: usize = 1 << 21;

impl Env {
    /// Starts an episode in each row, or in those of `mask`; a row with a seed gets that seed's stream.
    ///
    /// # Errors
    /// [`EnvError::Count`], what an outside opponent brings, or why it was not to go on.
    pub fn reset(
        &mut self,
        seeds: Option<&[Option<u64>]>,
        mask: Option<&[bool]>,
        externals: &mut dyn Externals,
    ) -> Result<(), EnvError> {
        self.check_count("seeds", seeds.map_or(self.len(), <[_]>::len))?;
        self.check_count("entries of reset_mask", mask.map_or(self.len(), <[_]>::len))?;
        let rows = mask.map_or(self.len(), |mask| mask.iter().filter(|&&wanted| wanted).count());
        let long = rows.saturating_mul(self.plies_to_begin()) > LONG_RESET;
        let reset = |env: &mut Self| {
            env.notes.fill(Note::IDLE);
            if long {
                externals.wait_for(&mut |go_on| env.begin(seeds, mask, go_on)).map_err(EnvError::External)?;
            } else {
                env.begin(seeds, mask, &mut || true);
            }
            env.ask(externals)
        };
        let done = if long { self.transact_always(reset) } else { self.transact(reset) };
        done?;
        self.leave_externals();
        Ok(())
    }

    /// The plies of an opening, and one for the rest of a row's reset.
    fn plies_to_begin(&self) -> usize {
        usize::from(self.config().opening_plies) + 1
    }

    /// Begins an episode in each row, or in those of `mask`, as long as it is to go on.
    fn begin(&mut self, seeds: Option<&[Option<u64>]>, mask: Option<&[bool]>, go_on: &mut dyn FnMut() -> bool) {
        let plies = self.plies_to_begin();
        let mut played = 0;
        for row in (0..self.len()).filter(|&row| mask.is_none_or(|mask| mask[row])) {
            if played >= PLIES_AT_A_TIME {
                played = 0;
                if !go_on() {
                    return;
                }
            }
            played += plies;
            let scenario = &self.scenario;
            let turn = self.rows.update(row, &scenario.config, |episode| {
                if let Some(seed) = seeds.and_then(|seeds| seeds[row]) {
                    episode.stream = Stream::from_seed(seed);
                }
                episode.begin(scenario)
            });
            self.note(row, Note { stage: Stage::Opening, turn });
        }
    }

    /// Starts episodes from positions, without an opening; the opponent moves first where it is to move.
    ///
    /// # Errors
    /// [`EnvError::Finished`], [`EnvError::OpponentEndsGame`], or what an outside opponent brings.
    pub fn set_positions(
        &mut self,
        positions: &[(usize, Position)],
        externals: &mut dyn Externals,
    ) -> Result<(), EnvError> {
        for &(row, position) in positions {
            if let Some(outcome) = Game::from_position(self.config().rules, position, 0).outcome() {
                return Err(EnvError::Finished { row, termination: outcome.termination });
            }
        }
        self.transact_always(|env| {
            env.notes.fill(Note::IDLE);
            for (row, position) in positions {
                let scenario = &env.scenario;
                let turn = env.rows.update(*row, &scenario.config, |episode| episode.begin_at(scenario, position));
                if turn == Turn::Over {
                    return Err(EnvError::OpponentEndsGame { row: *row });
                }
                env.note(*row, Note { stage: Stage::Placed, turn });
            }
            env.ask(externals)
        })
    }

    /// Notes what a row does, where somebody may be asked.
    fn note(&mut self, row: usize, note: Note) {
        if let Some(place) = self.notes.get_mut(row) {
            *place = note;
        }
    }
}
