//! `oware._oware.EnvCore`: the batch behind `oware.OwareEnv`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Mutex, TryLockError};

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::endgame::PyEndgame;
use super::env_arguments as arguments;
use super::env_arrays::{self as arrays, Fresh};
use super::env_extras::Extras;
use super::env_held::Held;
use super::env_rollout::RolloutArrays;
use super::error::{GymError, env_error};
use super::game::PyGame;
use super::opponents::{self, Opponents, Seated};
use super::player::PyPlayer;
use super::signals::Signals;
use super::{convert, error, kernels};
use crate::env::{AutoresetMode, Buffers, Config, Env, EnvError, NoExternals, Opponent, Outputs, Policy, Taken};

/// Rows from which on letting other threads run costs less than it is worth.
pub(super) const ROWS_TO_DETACH: usize = 1024;

/// The batch of episodes behind an `OwareEnv`, which documents it.
#[pyclass(name = "EnvCore", module = "oware._oware", frozen)]
pub(crate) struct PyEnv {
    rows: usize,
    /// `None` once it is closed.
    inner: Mutex<Option<Inner>>,
}

struct Inner {
    env: Env,
    opponents: Opponents,
    arrays: Arrays,
    extras: Extras,
}

/// Where results are written.
enum Arrays {
    /// With `copy=False`: always to the same arrays.
    Held(Box<Held>),
    /// To fresh ones.
    Fresh(Box<Fresh>),
}

#[pymethods]
impl PyEnv {
    #[new]
    #[pyo3(signature = (num_envs, *, rules, opponent, seat, observation, reward, seat_rewards, autoreset_mode,
                        max_steps, start_seeds, opening_plies, endgame, copy, num_threads, entropy))]
    #[allow(clippy::too_many_arguments, reason = "one for each parameter of the environment")]
    fn new(
        num_envs: &Bound<'_, PyAny>,
        rules: &Bound<'_, PyAny>,
        opponent: &Bound<'_, PyAny>,
        seat: &Bound<'_, PyAny>,
        observation: &Bound<'_, PyAny>,
        reward: &Bound<'_, PyAny>,
        seat_rewards: &Bound<'_, PyAny>,
        autoreset_mode: &Bound<'_, PyAny>,
        max_steps: &Bound<'_, PyAny>,
        start_seeds: &Bound<'_, PyAny>,
        opening_plies: &Bound<'_, PyAny>,
        endgame: &Bound<'_, PyAny>,
        copy: &Bound<'_, PyAny>,
        num_threads: &Bound<'_, PyAny>,
        entropy: u64,
    ) -> PyResult<Self> {
        let py = num_envs.py();
        let rows = arguments::count::<usize>("num_envs", num_envs, 1, MOST_ROWS)?;
        let rules = convert::rules("rules", rules)?;
        let wanted = opponents::wanted(opponent)?;
        let pooled = wanted.is_pool();
        let (opponents, seated, networks) = Opponents::first(py, wanted)?;
        let (opponent, pool) = match seated {
            Seated::One(opponent) => (opponent, None),
            Seated::Pool(pool) => (pool.choices().first().map(|&(opponent, _)| opponent), Some(pool)),
        };
        let config = Config {
            rules,
            opponent,
            pool,
            seat: convert::named("seat", seat)?,
            observation: convert::named("observation", observation)?,
            reward: convert::named("reward", reward)?,
            seat_rewards: convert::flag("seat_rewards", seat_rewards)?,
            autoreset: convert::named("autoreset_mode", autoreset_mode)?,
            max_steps: if max_steps.is_none() {
                None
            } else {
                NonZeroU32::new(arguments::count("max_steps", max_steps, 1, u32::MAX)?)
            },
            opening_plies: arguments::count("opening_plies", opening_plies, 0, u16::MAX)?,
            start_seeds: arguments::start_seeds(start_seeds, rules.seeds_per_pit.total())?,
            num_threads: NonZeroUsize::new(arguments::count("num_threads", num_threads, 1, MOST_THREADS)?)
                .unwrap_or(NonZeroUsize::MIN),
            kernel: kernels::forced()?,
            endgame: None,
            networks,
        };
        let copy = convert::flag("copy", copy)?;
        let told = if endgame.is_none() { None } else { Some(PyEndgame::for_rules(endgame, &rules)?) };
        // Last, as it may take long.
        let endgame =
            if config.opponents().any(Opponent::is_aided) { Some(opponents::endgame(py, &rules)?) } else { None };
        let env = Env::new(Config { endgame, ..config }, rows, entropy).map_err(|error| env_error(py, error))?;
        let arrays = if copy {
            Arrays::Fresh(Box::new(Fresh::new(py, env.config(), rows)?))
        } else {
            Arrays::Held(Box::new(Held::new(py, env.config(), rows)?))
        };
        let extras = Extras::new(told, pooled, copy);
        Ok(Self { rows, inner: Mutex::new(Some(Inner { env, opponents, arrays, extras })) })
    }

    /// Start episodes; returns (observation, info).
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: &Bound<'py, PyAny>,
        reset_mask: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let seeds = arguments::seeds(seed, self.rows)?;
        let mask = if reset_mask.is_none() { None } else { Some(arguments::reset_mask(reset_mask, self.rows)?) };
        self.with(py, |inner| {
            let Inner { env, opponents, .. } = inner;
            env.reset(seeds.as_deref(), mask.as_deref(), &mut opponents.ask(py)).map_err(|e| env_error(py, e))?;
            inner.show(py)
        })
    }

    /// Play one action in each environment; returns (observation, reward, terminated, truncated, info).
    fn step<'py>(&self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<arrays::Step<'py>> {
        self.with(py, |inner| {
            let Inner { env, opponents, arrays, extras } = inner;
            let taken = arguments::actions("actions", actions, self.rows, |actions| env.take(actions))?
                .map_err(|error| env_error(py, error))?;
            let before = extras.before(py, &taken, self.rows)?;
            let step = match arrays {
                Arrays::Held(held) => {
                    let mut arrays = held.borrow(py)?;
                    play(py, taken, opponents, arrays.outputs()?).map_err(|error| env_error(py, error))?;
                    arrays.step(py, env)
                }
                Arrays::Fresh(fresh) => {
                    let mut arrays = fresh.take(py);
                    play(py, taken, opponents, arrays.outputs()).map_err(|error| env_error(py, error))?;
                    arrays.step(env)
                }
            }?;
            extras.add_to_step(py, env, &before, &step.4)?;
            Ok(step)
        })
    }

    /// Play steps as a policy chooses and fill the arrays of `out`, which has them by their names.
    fn rollout<'py>(&self, policy: &Bound<'py, PyAny>, steps: usize, out: &Bound<'py, PyDict>) -> PyResult<()> {
        let py = out.py();
        let policy: Policy = convert::named("policy", policy)?;
        self.with(py, |inner| {
            let Inner { env, opponents, extras, .. } = inner;
            if env.config().autoreset == AutoresetMode::Disabled {
                return Err(PyValueError::new_err(
                    "a rollout goes on after the end of an episode; make the environment with autoreset_mode \
                     'next_step' or 'same_step'",
                ));
            }
            let mut arrays = RolloutArrays::new(out, env.config(), extras, steps, self.rows)?;
            let (mut signals, mut interrupted) = (Signals::new(), None);
            let mut go_on = || signals.ask_or(&mut interrupted);
            let played = if env.may_ask() {
                arrays.fill(|rollout| env.rollout(policy, rollout, &mut opponents.ask(py), &mut go_on))?
            } else {
                arrays.fill(|rollout| py.detach(|| env.rollout(policy, rollout, &mut NoExternals, &mut go_on)))?
            };
            match interrupted {
                Some(error) => Err(error),
                None => played.map_err(|error| env_error(py, error)),
            }
        })
    }

    /// Whether `info` tells exact values, and whether it tells opponents.
    fn tells(&self, py: Python<'_>) -> PyResult<(bool, bool)> {
        self.with(py, |inner| Ok((inner.extras.endgame().is_some(), inner.extras.tells_opponents())))
    }

    /// Start episodes from positions; returns (observation, info).
    fn set_positions<'py>(
        &self,
        py: Python<'py>,
        pits: &Bound<'py, PyAny>,
        stores: &Bound<'py, PyAny>,
        to_move: &Bound<'py, PyAny>,
        mask: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let mask = if mask.is_none() { None } else { Some(arguments::bools("mask", mask, self.rows)?) };
        self.with(py, |inner| {
            let rules = inner.env.config().rules;
            let positions =
                arguments::positions("environment", pits, stores, to_move, mask.as_deref(), self.rows, &rules)?;
            let Inner { env, opponents, .. } = inner;
            env.set_positions(&positions, &mut opponents.ask(py)).map_err(|error| env_error(py, error))?;
            inner.show(py)
        })
    }

    /// Change the opponent of the episodes to come.
    fn set_opponent(&self, opponent: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = opponent.py();
        let (replaced, met) = self.with(py, |inner| {
            let Inner { env, opponents, extras, .. } = inner;
            let mut changed = opponents.clone_ref(py);
            let wanted = opponents::wanted(opponent)?;
            let pooled = wanted.is_pool();
            let met = changed.take(py, wanted, env).and_then(|seated| opponents::meet(py, env, seated));
            let replaced = if met.is_ok() {
                extras.tell_opponents(pooled);
                std::mem::replace(opponents, changed)
            } else {
                opponents.keep_networks_of(changed)
            };
            Ok((replaced, met))
        })?;
        // Dropped without the lock, since what is dropped may call.
        drop(replaced);
        met
    }

    /// The observations now, in a fresh array.
    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.with(py, |inner| arrays::observations(py, &inner.env))
    }

    /// The pits (N, 12) and stores (N, 2) now, in fresh arrays.
    fn boards<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        self.with(py, |inner| arrays::boards(py, &inner.env))
    }

    /// The game of one environment.
    fn game(&self, index: &Bound<'_, PyAny>) -> PyResult<PyGame> {
        let wanted = convert::integer("i", index)?;
        self.with(index.py(), |inner| {
            wanted.to::<usize>().and_then(|row| inner.env.game(row)).map(PyGame::from_core).ok_or_else(|| {
                PyIndexError::new_err(format!("there is no environment {wanted}; there are 0 to {}", self.rows - 1))
            })
        })
    }

    /// The callables and what the networks are made of, by number, the current opponent, and whether it is told.
    fn opponents<'py>(&self, py: Python<'py>) -> PyResult<SavedOpponents<'py>> {
        self.with(py, |inner| {
            let (callables, sources, current) = inner.opponents.save(py, inner.env.config())?;
            Ok((callables, sources, current, inner.extras.tells_opponents()))
        })
    }

    /// Take the callables and networks of another environment.
    fn set_opponents(
        &self,
        callables: Vec<Py<PyAny>>,
        players: Vec<Py<PyPlayer>>,
        current: &Bound<'_, PyAny>,
        told: bool,
    ) -> PyResult<()> {
        let py = current.py();
        self.with(py, |inner| {
            let (opponents, seated) = Opponents::load(callables, players, current, &mut inner.env)?;
            inner.extras.tell_opponents(told);
            opponents::meet(py, &mut inner.env, seated)?;
            inner.opponents = opponents;
            Ok(())
        })
    }

    /// The name of what plays the environments.
    fn kernel(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |inner| Ok(inner.env.kernel().name()))
    }

    /// The state as bytes.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.with(py, |inner| Ok(PyBytes::new(py, &inner.env.state())))
    }

    /// Go on from a state; returns (observation, info).
    fn set_state<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let state = state.cast::<PyBytes>().map_err(|_| convert::wrong_type("state", "bytes", state))?;
        self.with(py, |inner| {
            let Inner { env, opponents, .. } = inner;
            opponents.meet_those_of(py, state.as_bytes(), env)?;
            let externals = opponents.len();
            let mut restored = inner.env.set_state(state.as_bytes(), externals);
            if matches!(restored, Err(EnvError::Endgame)) {
                // A row has an opponent that this environment has not met.
                let endgame = opponents::endgame(py, &inner.env.config().rules)?;
                restored =
                    inner.env.set_endgame(endgame).and_then(|()| inner.env.set_state(state.as_bytes(), externals));
            }
            restored.map_err(|error| env_error(py, error))?;
            inner.show(py)
        })
    }

    /// An opponent may refer to its own environment.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Who uses it holds a reference from outside, so that there is no garbage to find then.
        match self.inner.try_lock().as_deref() {
            Ok(Some(inner)) => inner.opponents.visit(&visit),
            _ => Ok(()),
        }
    }

    fn __clear__(&self) {
        let inner = self.inner.try_lock().ok().and_then(|mut inner| inner.take());
        // Dropped without the lock, since what is dropped may call.
        drop(inner);
    }

    /// Let go of all memory; whatever is called afterwards refuses.
    fn close(&self) -> PyResult<()> {
        let inner = self.lock()?.take();
        // Dropped without the lock, since what is dropped may call.
        drop(inner);
        Ok(())
    }
}

/// What pickles keep of opponents.
type SavedOpponents<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, bool);

/// Rows beyond this are surely a mistake: at a few hundred bytes each there is hardly a machine that could hold them.
const MOST_ROWS: usize = 1 << 24;
/// Threads beyond this are surely a mistake.
pub(super) const MOST_THREADS: usize = 1024;

/// An integer from `least` to `most`; the messages of other ones name the parameter.
#[pyfunction]
pub(super) fn count(name: &str, value: &Bound<'_, PyAny>, least: i64, most: i64) -> PyResult<i64> {
    arguments::count(name, value, least, most)
}

impl PyEnv {
    fn lock(&self) -> PyResult<std::sync::MutexGuard<'_, Option<Inner>>> {
        match self.inner.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the environment is in use by another call; use one environment for each thread, and none in its own \
                 opponent",
            )),
            // The core leaves an environment whole whatever happens.
            Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
        }
    }

    /// Does something with the open environment that nobody else uses.
    fn with<T>(&self, py: Python<'_>, act: impl FnOnce(&mut Inner) -> PyResult<T>) -> PyResult<T> {
        match &mut *self.lock()? {
            Some(inner) => act(inner),
            None => Err(error::gym(py, GymError::Closed, "the environment is closed; make another one")),
        }
    }
}

impl Inner {
    /// Observation and info of all rows, as a reset returns them.
    fn show<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let Self { env, arrays, extras, .. } = self;
        let show = |mut out: Outputs<'_>| {
            env.write_views(&mut out.views);
            if let Some(seat_rewards) = out.seat_rewards {
                seat_rewards.fill(0.0);
            }
        };
        let shown = match arrays {
            Arrays::Held(held) => {
                show(held.borrow(py)?.outputs()?);
                held.reset(py)
            }
            Arrays::Fresh(fresh) => {
                let mut arrays = fresh.take(py);
                show(arrays.outputs());
                arrays.reset()
            }
        }?;
        extras.add_to_reset(py, env, &shown.1)?;
        Ok(shown)
    }
}

/// Plays the moves taken and fills the arrays, which stay as they were when an opponent from outside fails.
fn play(py: Python<'_>, taken: Taken<'_>, opponents: &Opponents, mut out: Outputs<'_>) -> Result<(), EnvError> {
    let rows = out.reward.len();
    if taken.may_ask() {
        let mut buffers = Buffers::new(taken.config(), rows);
        taken.play(&mut opponents.ask(py), buffers.outputs())?;
        out.copy_from(&buffers.outputs());
        Ok(())
    } else if rows >= ROWS_TO_DETACH {
        py.detach(|| taken.play(&mut NoExternals, out))
    } else {
        taken.play(&mut NoExternals, out)
    }
}
