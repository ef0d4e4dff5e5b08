//! A batch of episodes that are reset and stepped together.

use std::sync::Arc;

use crate::batch::kernel::{KernelName, kernels};
use crate::batch::observe::Observations;
use crate::env::config::{Config, MOST_EXTERNALS, Opponent, Scenario};
use crate::env::episode::Episode;
use crate::env::error::EnvError;
use crate::env::outputs::{Final, Views};
use crate::env::player::NetworkMark;
use crate::env::pool::Pool;
use crate::env::rows::Rows;
use crate::env::state;
use crate::env::step::Note;
use crate::game::Game;
use crate::pit::{Move, PITS};
use crate::search::Probe;

/// Many games of Oware, each an episode with a random stream of its own.
///
/// The same seed gives the same episodes for any number of threads and any way of cutting rows into environments.
#[derive(Clone, Debug)]
pub struct Env {
    pub(super) scenario: Scenario,
    pub(super) rows: Rows,
    /// What the passes over single rows tell each other.
    pub(super) notes: Vec<Note>,
    /// The moves that single rows have taken.
    pub(super) moves: Vec<Option<Move>>,
    /// The rows that the last step has finished and reset, a list for each thread.
    pub(super) finals: Vec<Vec<Final>>,
    /// Whether an outside opponent may still be in play; without one nothing can fail half-way.
    pub(super) may_ask: bool,
}

impl Env {
    /// Rows that wait for their first reset; row *i* has the stream of seed `seed` + *i*.
    ///
    /// # Errors
    /// [`EnvError::Openings`] where hardly an opening leaves a game to play.
    pub fn new(config: Config, rows: usize, seed: u64) -> Result<Self, EnvError> {
        let scenario = Scenario::new(config)?;
        if let Some(kernel) = scenario.config.kernel.filter(|kernel| !kernels().contains(kernel)) {
            return Err(EnvError::Kernel(kernel));
        }
        let episodes = (0..rows as u64).map(|row| Episode::new(&scenario, seed.wrapping_add(row))).collect();
        let rows = Rows::new(&scenario, episodes);
        let (notes, moves, finals) = (Vec::new(), Vec::new(), Vec::new());
        let mut env = Self { scenario, rows, notes, moves, finals, may_ask: false };
        env.meet_external();
        Ok(env)
    }

    /// Goes over to single rows where an outside opponent may be asked.
    fn meet_external(&mut self) {
        if self.config().opponents().any(Opponent::is_asked) {
            self.may_ask = true;
        }
        if self.may_ask {
            let rows = std::mem::replace(&mut self.rows, Rows::Single(Vec::new()));
            self.rows = rows.into_single(&self.scenario.config);
        }
        if let Rows::Single(episodes) = &self.rows {
            self.notes.resize(episodes.len(), Note::IDLE);
        }
    }

    /// Goes back to the rows that suit the machine where the last outside opponent has left.
    pub(super) fn leave_externals(&mut self) {
        if self.may_ask && !self.has_opponent(Opponent::is_asked) {
            self.may_ask = false;
            self.rows = Rows::new(&self.scenario, self.episodes().collect());
        }
    }

    /// Whether the opponent of a row, or of the episodes to come, is such a one.
    fn has_opponent(&self, is_one: impl Fn(Opponent) -> bool) -> bool {
        let of_rows = self.episodes().filter_map(|row| Some(row.match_up?.1));
        self.config().opponents().chain(of_rows).any(is_one)
    }

    /// What the environment is made of.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.scenario.config
    }

    /// Whether an outside opponent may be asked in the next step or reset.
    #[must_use]
    pub const fn may_ask(&self) -> bool {
        self.may_ask
    }

    /// What plays the rows.
    #[must_use]
    pub fn kernel(&self) -> KernelName {
        self.rows.kernel()
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The game of a row with what its rules need of the history; `None` where there is no such row.
    #[must_use]
    pub fn game(&self, row: usize) -> Option<Game> {
        (row < self.len()).then(|| self.episode(row).slot.game(&self.config().rules))
    }

    pub(super) fn episode(&self, row: usize) -> Episode {
        self.rows.get(row, self.config())
    }

    fn episodes(&self) -> impl ExactSizeIterator<Item = Episode> {
        (0..self.len()).map(|row| self.episode(row))
    }

    /// Writes the pits of each row, South's first, and South's and North's store.
    pub fn write_boards(&self, pits: &mut [u8], stores: &mut [u8]) {
        let rows = pits.chunks_exact_mut(PITS).zip(stores.chunks_exact_mut(2));
        for (episode, (pits, stores)) in self.episodes().zip(rows) {
            let board = episode.slot.words().board(episode.slot.mover());
            pits.copy_from_slice(board.pits());
            stores.copy_from_slice(&[board.stores.south, board.stores.north]);
        }
    }

    /// Writes what is seen of each row.
    pub fn write_observations(&self, mut observations: Observations<'_>) {
        for (row, episode) in self.episodes().enumerate() {
            observations.write(row, episode.slot.seen_by(episode.viewer()));
        }
    }

    /// Writes all that is shown of each row.
    pub fn write_views(&self, views: &mut Views<'_>) {
        match &self.rows {
            Rows::Blocks(blocks) => blocks.show(self.config(), views.reborrow()),
            Rows::Single(episodes) => {
                episodes.iter().enumerate().for_each(|(row, episode)| views.write(row, episode));
            }
        }
    }

    /// Changes the opponent; an episode under way keeps the one it began with.
    ///
    /// # Errors
    /// [`EnvError::MatchUp`] between self-play and play against an opponent, [`EnvError::Endgame`],
    /// [`EnvError::Network`] and [`EnvError::Openings`].
    pub fn set_opponent(&mut self, opponent: Option<Opponent>) -> Result<(), EnvError> {
        if opponent.is_some() != self.config().opponent.is_some() {
            return Err(EnvError::MatchUp);
        }
        self.scenario = Scenario::new(Config { opponent, pool: None, ..self.config().clone() })?;
        self.meet_external();
        Ok(())
    }

    /// Changes the opponents; an episode under way keeps the one it began with, and its place.
    ///
    /// # Errors
    /// Those of [`Env::set_opponent`].
    pub fn set_pool(&mut self, pool: Pool) -> Result<(), EnvError> {
        self.scenario = Scenario::new(Config { pool: Some(pool), ..self.config().clone() })?;
        self.meet_external();
        Ok(())
    }

    /// Tells of each row the place of its opponent in the pool that it was drawn from; 0 without one.
    pub fn write_places(&self, places: &mut [i8]) {
        places.iter_mut().enumerate().for_each(|(row, place)| *place = self.rows.place(row) as i8);
    }

    /// Gives opponents an endgame database.
    ///
    /// # Errors
    /// [`EnvError::Endgame`] for one of other rules.
    pub fn set_endgame(&mut self, endgame: Arc<dyn Probe>) -> Result<(), EnvError> {
        if !endgame.holds_under(&self.config().rules) {
            return Err(EnvError::Endgame);
        }
        self.scenario.config.endgame = Some(endgame);
        Ok(())
    }

    /// Whether a network is the opponent of a row or of the episodes to come.
    pub(super) fn has_network(&self, number: u8) -> bool {
        self.has_opponent(|opponent| opponent == Opponent::Network(number))
    }

    /// The numbers that no row and no next episode has for an outside opponent, the lowest first.
    pub fn vacant_externals(&self) -> impl Iterator<Item = u8> + '_ {
        (0..MOST_EXTERNALS).filter(|&number| !self.has_opponent(|opponent| opponent == Opponent::External(number)))
    }

    /// The rows that the last step has finished and reset, in no order.
    pub fn finals(&self) -> impl Iterator<Item = &Final> {
        self.finals.iter().flatten()
    }

    /// All that is needed to go on from here in an environment of the same rules and size.
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        state::encode(self.config(), self.episodes())
    }

    /// Goes on from a state. Of outside opponents only those numbered below `externals` are known; the
    /// environment's own opponent takes the place of others.
    ///
    /// # Errors
    /// [`EnvError::State`] for a state that is damaged or of another kind of environment, [`EnvError::Endgame`].
    pub fn set_state(&mut self, bytes: &[u8], externals: u8) -> Result<(), EnvError> {
        let episodes = state::decode(bytes, &self.scenario, self.len(), externals)?;
        let mut opponents = episodes.iter().filter_map(|episode| Some(episode.match_up?.1));
        if self.config().endgame.is_none() && opponents.any(Opponent::is_aided) {
            return Err(EnvError::Endgame);
        }
        self.rows = Rows::new(&self.scenario, episodes);
        self.may_ask |= externals > 0 || self.has_opponent(Opponent::is_asked);
        self.meet_external();
        Ok(())
    }

    /// The networks that a state names; only with all of them known can it be gone on from.
    ///
    /// # Errors
    /// [`EnvError::State`].
    pub fn networks_of(&self, state: &[u8]) -> Result<Vec<NetworkMark>, EnvError> {
        Ok(state::networks(state, &self.scenario)?)
    }

    pub(super) fn check_count(&self, what: &'static str, found: usize) -> Result<(), EnvError> {
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(EnvError::Count { what, expected, found }) }
    }
}
