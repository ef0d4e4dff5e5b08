//! The moves of a step: taken as actions or chosen by a policy, all checked, then played.

use crate::env::config::{AutoresetMode, Config, Policy, Scenario};
use crate::env::environment::Env;
use crate::env::episode::{Episode, Phase};
use crate::env::error::{ActionFault, EnvError};
use crate::env::external::Externals;
use crate::env::outputs::{Final, Outputs};
use crate::env::rows::Rows;
use crate::env::step::{Chunk, Note};
use crate::pit::Move;
use crate::rules::Rules;
use crate::threads::share_among;

/// Rows below which another thread costs more than it brings.
const ROWS_PER_THREAD: usize = 8192;
/// Pieces of a step that threads share out.
const PIECES_PER_THREAD: usize = 4;

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

impl Env {
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
