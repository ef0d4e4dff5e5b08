//! A batch of episodes that are reset and stepped together.

use std::sync::Arc;

use crate::batch::kernel::{KernelName, kernels};
use crate::batch::observe::Observations;
use crate::env::config::{AutoresetMode, Config, MOST_EXTERNALS, Opponent, Policy, Scenario};
use crate::env::episode::{Episode, Phase, Turn};
use crate::env::error::{ActionFault, EnvError};
use crate::env::external::Externals;
use crate::env::outputs::{Final, Outputs, Views};
use crate::env::player::NetworkMark;
use crate::env::pool::Pool;
use crate::env::rows::Rows;
use crate::env::state;
use crate::env::step::{Chunk, Note, Stage};
use crate::game::Game;
use crate::pit::{Move, PITS};
use crate::position::Position;
use crate::rules::Rules;
use crate::search::Probe;
use crate::stream::Stream;
use crate::threads::share_among;

/// Rows below which another thread costs more than it brings.
const ROWS_PER_THREAD: usize = 8192;
/// Pieces of a step that threads share out.
const PIECES_PER_THREAD: usize = 4;

/// Plies that a reset plays before it asks whether to go on.
const PLIES_AT_A_TIME: usize = 1 << 18;
/// Plies from which on a reset may take so long that it is worth a copy of all rows to go back to.
const LONG_RESET: usize = 1 << 21;

/// The moves of an environment's next step.
#[derive(Debug)]
#[must_use = "nothing is played before `play`"]
pub struct Taken<'a>(&'a mut Env);

impl Taken<'_> {
    /// What the environment is made of.
    #[must_use]
    pub const fn config(&self) -> &Config {
        self.0.config()
    }

    /// Whether an outside opponent may be asked.
    #[must_use]
    pub const fn may_ask(&self) -> bool {
        self.0.may_ask()
    }

    /// [`Env::write_places`] before the step.
    pub fn write_places(&self, places: &mut [i8]) {
        self.0.write_places(places);
    }

    pub(super) const fn env(&self) -> &Env {
        self.0
    }

    /// Plays the moves and fills `out`.
    ///
    /// # Errors
    /// What an outside opponent brings; nothing has changed then.
    pub fn play(self, externals: &mut dyn Externals, out: Outputs<'_>) -> Result<(), EnvError> {
        self.0.play_taken(externals, out)
    }
}

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
    may_ask: bool,
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
    fn leave_externals(&mut self) {
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

    /// Plays one action in each row and fills `out`; nothing changes unless all can be played.
    ///
    /// # Errors
    /// [`EnvError::Count`], [`EnvError::Action`], [`EnvError::ResetNeeded`], or what an outside opponent brings.
    pub fn step(&mut self, actions: &[i64], externals: &mut dyn Externals, out: Outputs<'_>) -> Result<(), EnvError> {
        self.take(actions)?.play(externals, out)
    }

    /// Takes one action for each row, to be played next; nothing changes before that.
    ///
    /// # Errors
    /// [`EnvError::Count`], [`EnvError::Action`], [`EnvError::ResetNeeded`].
    pub fn take(&mut self, actions: &[i64]) -> Result<Taken<'_>, EnvError> {
        self.check_count("actions", actions.len())?;
        let Self { scenario, rows, moves, .. } = self;
        let config = &scenario.config;
        match rows {
            Rows::Single(episodes) => {
                moves.clear();
                for (row, (episode, &action)) in episodes.iter().zip(actions).enumerate() {
                    moves.push(move_of(row, episode, action, config)?);
                }
            }
            Rows::Blocks(blocks) => {
                if !blocks.take(actions, config) {
                    for (row, &action) in actions.iter().enumerate() {
                        move_of(row, &self.episode(row), action, self.config())?;
                    }
                }
            }
        }
        Ok(Taken(self))
    }

    /// Chooses a move for each row, drawn from its stream, to be played next, and writes it as an action; a row that
    /// takes no action in this step gets 0.
    ///
    /// # Errors
    /// [`EnvError::Count`], [`EnvError::ResetNeeded`].
    pub fn choose(&mut self, policy: Policy, actions: &mut [i64]) -> Result<Taken<'_>, EnvError> {
        self.check_count("actions", actions.len())?;
        self.check_started()?;
        let Self { scenario, rows, moves, .. } = self;
        let rules = &scenario.config.rules;
        match rows {
            Rows::Single(episodes) => {
                moves.clear();
                for (episode, action) in episodes.iter_mut().zip(actions) {
                    let mv = episode.choose(policy, rules);
                    *action = mv.map_or(0, |mv| mv.index() as i64);
                    moves.push(mv);
                }
            }
            Rows::Blocks(blocks) => blocks.choose(policy, rules, actions),
        }
        Ok(Taken(self))
    }

    /// Refuses rows that have to be reset before they can be played.
    fn check_started(&self) -> Result<(), EnvError> {
        let config = self.config();
        let (phases, waits) = (self.rows.phases(), config.autoreset == AutoresetMode::NextStep);
        for (row, phase) in phases.enumerate() {
            match phase {
                Phase::Live => {}
                Phase::Finished if waits => {}
                Phase::Finished => return Err(EnvError::ResetNeeded { row, finished: true }),
                Phase::Unstarted => return Err(EnvError::ResetNeeded { row, finished: false }),
            }
        }
        Ok(())
    }

    fn play_taken(&mut self, externals: &mut dyn Externals, out: Outputs<'_>) -> Result<(), EnvError> {
        let threads = self.threads();
        let Self { scenario, rows, notes, moves, finals, may_ask } = self;
        finals.iter_mut().for_each(Vec::clear);
        // More pieces than threads, so that one that is late or interrupted leaves its share to the others.
        finals.resize(if threads > 1 { PIECES_PER_THREAD * threads } else { 1 }, Vec::new());
        match rows {
            Rows::Blocks(blocks) => {
                blocks.step(threads, scenario, out, finals);
                Ok(())
            }
            Rows::Single(_) if *may_ask => self.step_asking(externals, out),
            Rows::Single(episodes) => {
                step_singly(threads, scenario, episodes, notes, moves, out, finals);
                Ok(())
            }
        }
    }

    /// The threads that are worth their cost.
    pub(super) fn threads(&self) -> usize {
        self.config().num_threads.get().min(self.len() / ROWS_PER_THREAD).max(1)
    }

    /// The move that a row has taken for the next step, if any.
    pub(super) fn taken(&self, row: usize) -> Option<Move> {
        match &self.rows {
            Rows::Single(_) => self.moves.get(row).copied().flatten(),
            Rows::Blocks(blocks) => blocks.taken(row),
        }
    }

    /// The rows that the last step has finished and reset, in no order.
    pub fn finals(&self) -> impl Iterator<Item = &Final> {
        self.finals.iter().flatten()
    }

    /// Notes what a row does, where somebody may be asked.
    fn note(&mut self, row: usize, note: Note) {
        if let Some(place) = self.notes.get_mut(row) {
            *place = note;
        }
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

    fn check_count(&self, what: &'static str, found: usize) -> Result<(), EnvError> {
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(EnvError::Count { what, expected, found }) }
    }

    /// Runs something that an outside opponent may make fail, and takes it back if it does.
    pub(super) fn transact(&mut self, change: impl FnOnce(&mut Self) -> Result<(), EnvError>) -> Result<(), EnvError> {
        if self.may_ask { self.transact_always(change) } else { change(self) }
    }

    fn transact_always(&mut self, change: impl FnOnce(&mut Self) -> Result<(), EnvError>) -> Result<(), EnvError> {
        let before = self.rows.clone();
        let result = change(self);
        if result.is_err() {
            self.rows = before;
        }
        result
    }
}

/// The move that an action is; none where the row takes no action in this step.
#[inline]
fn move_of(row: usize, episode: &Episode, action: i64, config: &Config) -> Result<Option<Move>, EnvError> {
    match episode.phase {
        Phase::Live => {
            legal_move(episode, action, &config.rules).map(Some).map_err(|fault| EnvError::Action { row, fault })
        }
        Phase::Finished if config.autoreset == AutoresetMode::NextStep => Ok(None),
        Phase::Finished => Err(EnvError::ResetNeeded { row, finished: true }),
        Phase::Unstarted => Err(EnvError::ResetNeeded { row, finished: false }),
    }
}

/// One step of single rows that nobody outside is asked for.
fn step_singly(
    threads: usize,
    scenario: &Scenario,
    rows: &mut [Episode],
    notes: &mut [Note],
    moves: &[Option<Move>],
    mut out: Outputs<'_>,
    finals: &mut [Vec<Final>],
) {
    let each = rows.len().div_ceil(finals.len().max(1)).max(1);
    let pieces = rows.chunks_mut(each).zip(notes.chunks_mut(each)).zip(moves.chunks(each)).zip(finals);
    let chunks = pieces.enumerate().map(|(piece, (((rows, notes), moves), finals))| {
        let (head, rest) = std::mem::take(&mut out).split_at(rows.len());
        out = rest;
        Chunk { rows, notes, moves, out: head, first_row: piece * each, finals }
    });
    share_among(threads, chunks.collect(), |mut chunk| chunk.step(scenario));
}

#[inline]
pub(super) fn legal_move(episode: &Episode, action: i64, rules: &Rules) -> Result<Move, ActionFault> {
    let legal = episode.slot.legal_moves();
    match usize::try_from(action).ok().and_then(Move::new) {
        Some(mv) if legal.contains(mv) => Ok(mv),
        Some(mv) => Err(ActionFault::Illegal(episode.slot.refusal(rules, mv))),
        None => Err(ActionFault::OutOfRange { action, legal }),
    }
}
