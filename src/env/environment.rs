//! A batch of episodes that are reset and stepped together.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::batch::observe::Observations;
use crate::env::config::{AutoresetMode, Config, MOST_EXTERNALS, Opponent, Scenario};
use crate::env::episode::{Episode, Phase, Turn};
use crate::env::error::{ActionFault, EnvError};
use crate::env::external::{Externals, Request};
use crate::env::outputs::{Outputs, Views};
use crate::env::state;
use crate::env::step::{Chunk, Note, Stage};
use crate::game::Game;
use crate::pit::{Move, PITS};
use crate::position::Position;

/// Rows below which another thread costs more than it brings.
const ROWS_PER_THREAD: usize = 8192;
/// Openings that an outside opponent may end before a reset gives up.
const EXTERNAL_OPENINGS: usize = 1000;

/// Many games of Oware, each an episode with a random stream of its own.
///
/// The same seed gives the same episodes for any number of threads and any way of cutting rows into environments.
#[derive(Clone, Debug)]
pub struct Env {
    scenario: Scenario,
    rows: Vec<Episode>,
    notes: Vec<Note>,
    /// Whether there has ever been an outside opponent; without one nothing can fail half-way.
    may_ask: bool,
}

impl Env {
    /// Rows that wait for their first reset; row *i* has the stream of seed `seed` + *i*.
    ///
    /// # Errors
    /// [`EnvError::Openings`] where hardly an opening leaves a game to play.
    pub fn new(config: Config, rows: usize, seed: u64) -> Result<Self, EnvError> {
        let scenario = Scenario::new(config)?;
        let rows: Vec<_> = (0..rows as u64).map(|row| Episode::new(&scenario, seed.wrapping_add(row))).collect();
        let may_ask = matches!(scenario.config.opponent, Some(Opponent::External(_)));
        Ok(Self { notes: vec![Note::IDLE; rows.len()], rows, scenario, may_ask })
    }

    /// What the environment is made of.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.scenario.config
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The game of a row with what its rules need of the history; `None` where there is no such row.
    #[must_use]
    pub fn game(&self, row: usize) -> Option<Game> {
        self.rows.get(row).map(|episode| episode.slot.game(&self.config().rules))
    }

    /// Writes the pits of each row, South's first, and South's and North's store.
    pub fn write_boards(&self, pits: &mut [u8], stores: &mut [u8]) {
        let rows = pits.chunks_exact_mut(PITS).zip(stores.chunks_exact_mut(2));
        for (episode, (pits, stores)) in self.rows.iter().zip(rows) {
            let board = episode.slot.words().board(episode.slot.mover());
            pits.copy_from_slice(board.pits());
            stores.copy_from_slice(&[board.stores.south, board.stores.north]);
        }
    }

    /// Writes what is seen of each row.
    pub fn write_observations(&self, mut observations: Observations<'_>) {
        for (row, episode) in self.rows.iter().enumerate() {
            observations.write(row, episode.slot.seen_by(episode.viewer()));
        }
    }

    /// Writes all that is shown of each row.
    pub fn write_views(&self, views: &mut Views<'_>) {
        for (row, episode) in self.rows.iter().enumerate() {
            views.write(row, episode);
        }
    }

    /// Starts an episode in each row, or in those of `mask`; a row with a seed gets that seed's stream.
    ///
    /// # Errors
    /// [`EnvError::Count`], or what an outside opponent brings.
    pub fn reset(
        &mut self,
        seeds: Option<&[Option<u64>]>,
        mask: Option<&[bool]>,
        externals: &mut dyn Externals,
    ) -> Result<(), EnvError> {
        self.check_count("seeds", seeds.map_or(self.len(), <[_]>::len))?;
        self.check_count("entries of reset_mask", mask.map_or(self.len(), <[_]>::len))?;
        self.transact(|env| {
            for (row, (episode, note)) in env.rows.iter_mut().zip(&mut env.notes).enumerate() {
                *note = Note::IDLE;
                if mask.is_some_and(|mask| !mask[row]) {
                    continue;
                }
                if let Some(seed) = seeds.and_then(|seeds| seeds[row]) {
                    episode.stream = crate::stream::Stream::from_seed(seed);
                }
                *note = Note { stage: Stage::Opening, turn: episode.begin(&env.scenario) };
            }
            env.ask(externals)
        })
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
                let turn = env.rows[*row].begin_at(&env.scenario, position);
                if turn == Turn::Over {
                    return Err(EnvError::OpponentEndsGame { row: *row });
                }
                env.notes[*row] = Note { stage: Stage::Placed, turn };
            }
            env.ask(externals)
        })
    }

    /// Changes the opponent; an episode under way keeps the one it began with.
    ///
    /// # Errors
    /// [`EnvError::MatchUp`] between self-play and play against an opponent, [`EnvError::Openings`].
    pub fn set_opponent(&mut self, opponent: Option<Opponent>) -> Result<(), EnvError> {
        if opponent.is_some() != self.config().opponent.is_some() {
            return Err(EnvError::MatchUp);
        }
        self.scenario = Scenario::new(Config { opponent, ..self.config().clone() })?;
        self.may_ask |= matches!(opponent, Some(Opponent::External(_)));
        Ok(())
    }

    /// The lowest number that no row and no next episode has for an outside opponent.
    #[must_use]
    pub fn vacant_external(&self) -> Option<u8> {
        let taken = |number: u8| {
            let external = Opponent::External(number);
            self.config().opponent == Some(external)
                || self.rows.iter().any(|row| row.match_up.is_some_and(|(_, opponent)| opponent == external))
        };
        (0..MOST_EXTERNALS).find(|&number| !taken(number))
    }

    /// Plays one action in each row and fills `out`; nothing changes unless all can be played.
    ///
    /// # Errors
    /// [`EnvError::Count`], [`EnvError::Action`], [`EnvError::ResetNeeded`], or what an outside opponent brings.
    pub fn step(&mut self, actions: &[i64], externals: &mut dyn Externals, out: Outputs<'_>) -> Result<(), EnvError> {
        self.check_count("actions", actions.len())?;
        for (row, (episode, &action)) in self.rows.iter().zip(actions).enumerate() {
            self.check_action(row, episode, action)?;
        }
        if self.may_ask { self.step_asking(actions, externals, out) } else { self.step_threaded(actions, out) }
            .inspect(|()| debug_assert!(self.notes.iter().all(|note| !matches!(note.turn, Turn::External(_)))))
    }

    fn step_threaded(&mut self, actions: &[i64], out: Outputs<'_>) -> Result<(), EnvError> {
        let Self { scenario, rows, notes, .. } = self;
        let scenario = &*scenario;
        let threads = scenario.config.num_threads.get().min(rows.len() / ROWS_PER_THREAD).max(1);
        let rows_each = rows.len().div_ceil(threads);
        let mut rest = Chunk { rows, notes, actions, out };
        if threads == 1 {
            rest.step(scenario);
            return Ok(());
        }
        let mut chunks = Vec::with_capacity(threads);
        for _ in 1..threads {
            let (chunk, tail) = rest.split_at(rows_each);
            chunks.push(chunk);
            rest = tail;
        }
        chunks.push(rest);
        // Threads take what is left to do, so that this one does it all where no other can be had.
        let chunks = Mutex::new(chunks);
        let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let work = || {
            while let Some(mut chunk) = next() {
                chunk.step(scenario);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        Ok(())
    }

    fn step_asking(
        &mut self,
        actions: &[i64],
        externals: &mut dyn Externals,
        mut out: Outputs<'_>,
    ) -> Result<(), EnvError> {
        self.transact(|env| {
            env.pass(actions, &mut out, |chunk, scenario| chunk.act_all(scenario));
            env.ask(externals)?;
            env.pass(actions, &mut out, |chunk, scenario| chunk.conclude_all(scenario));
            env.ask(externals)?;
            env.pass(actions, &mut out, |chunk, _| chunk.show_all());
            Ok(())
        })
    }

    /// One pass over all rows.
    fn pass(&mut self, actions: &[i64], out: &mut Outputs<'_>, pass: impl FnOnce(&mut Chunk<'_>, &Scenario)) {
        let Self { scenario, rows, notes, .. } = self;
        pass(&mut Chunk { rows, notes, actions, out: out.reborrow() }, scenario);
    }

    /// Asks outside opponents until no row waits for one.
    fn ask(&mut self, externals: &mut dyn Externals) -> Result<(), EnvError> {
        for _ in 0..EXTERNAL_OPENINGS {
            let mut asked = false;
            for number in 0..MOST_EXTERNALS {
                let waits = |note: &Note| note.turn == Turn::External(number);
                let rows: Vec<usize> = (0..self.len()).filter(|&row| waits(&self.notes[row])).collect();
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
        let request = Request::of(self.config().observation, &self.config().rules, rows, &self.rows);
        let actions = externals.reply(number, &request).map_err(EnvError::External)?;
        if actions.len() != request.rows.len() {
            let (expected, found) = (request.rows.len(), actions.len());
            return Err(EnvError::Count { what: "replies of the opponent", expected, found });
        }
        for (&row, &action) in request.rows.iter().zip(&actions) {
            let mv = legal_move(&self.rows[row], action, &self.config().rules)
                .map_err(|fault| EnvError::Reply { row, fault })?;
            self.notes[row].turn = self.rows[row].play(mv, &self.scenario.config.rules);
        }
        Ok(())
    }

    /// Plays another opening where the opponent's first ply ended the game.
    fn open_again(&mut self) -> Result<(), EnvError> {
        for (row, (episode, note)) in self.rows.iter_mut().zip(&mut self.notes).enumerate() {
            match (note.stage, note.turn) {
                (Stage::Opening, Turn::Over) => note.turn = episode.open(&self.scenario),
                (Stage::Placed, Turn::Over) => return Err(EnvError::OpponentEndsGame { row }),
                _ => {}
            }
        }
        Ok(())
    }

    /// All that is needed to go on from here in an environment of the same rules and size.
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        state::encode(&self.config().rules, self.config().opponent.is_some(), &self.rows)
    }

    /// Goes on from a state. Of outside opponents only those numbered below `externals` are known; the
    /// environment's own opponent takes the place of others.
    ///
    /// # Errors
    /// [`EnvError::State`] for a state that is damaged or of another kind of environment.
    pub fn set_state(&mut self, bytes: &[u8], externals: u8) -> Result<(), EnvError> {
        self.rows = state::decode(bytes, &self.scenario, self.len(), externals)?;
        self.may_ask |= externals > 0;
        Ok(())
    }

    fn check_count(&self, what: &'static str, found: usize) -> Result<(), EnvError> {
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(EnvError::Count { what, expected, found }) }
    }

    #[inline]
    fn check_action(&self, row: usize, episode: &Episode, action: i64) -> Result<(), EnvError> {
        match episode.phase {
            Phase::Live => legal_move(episode, action, &self.config().rules)
                .map(|_| ())
                .map_err(|fault| EnvError::Action { row, fault }),
            Phase::Finished if self.config().autoreset == AutoresetMode::NextStep => Ok(()),
            Phase::Finished => Err(EnvError::ResetNeeded { row, finished: true }),
            Phase::Unstarted => Err(EnvError::ResetNeeded { row, finished: false }),
        }
    }

    /// Runs something that an outside opponent may make fail, and takes it back if it does.
    fn transact(&mut self, change: impl FnOnce(&mut Self) -> Result<(), EnvError>) -> Result<(), EnvError> {
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

#[inline]
fn legal_move(episode: &Episode, action: i64, rules: &crate::rules::Rules) -> Result<Move, ActionFault> {
    let legal = episode.slot.legal_moves();
    match usize::try_from(action).ok().and_then(Move::new) {
        Some(mv) if legal.contains(mv) => Ok(mv),
        Some(mv) => Err(ActionFault::Illegal(episode.slot.refusal(rules, mv))),
        None => Err(ActionFault::OutOfRange { action, legal }),
    }
}
