//! `oware._oware.playouts`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use super::env::MOST_THREADS;
use super::env_arguments as arguments;
use super::game::PyGame;
use super::{convert, error, kernels};
use crate::batch::kernel::kernels;
use crate::batch::playout::{Playouts, Results, Settings};
use crate::env::EnvError;
use crate::game::Game;
use crate::rules::Rules;

/// How long Python's signal handlers, Ctrl-C above all, wait for their turn.
const PATIENCE: Duration = Duration::from_millis(50);
/// The most games in one call: seven bytes each.
const MOST_GAMES: usize = 1 << 30;
/// The plies after which a game is left unfinished where no rule ends those that go on for ever.
const ENDLESS: Option<NonZeroU32> = NonZeroU32::new(1000);

/// Margins, plies and terminations: an array each, with a row for each position.
type Arrays<'py> = (Bound<'py, PyArray2<i16>>, Bound<'py, PyArray2<i32>>, Bound<'py, PyArray2<i8>>);

/// Play random games from a list of games, or from positions; returns (margin, plies, termination).
#[pyfunction]
#[pyo3(signature = (games, positions, n, *, rules, seed, num_threads, max_plies))]
#[allow(clippy::too_many_arguments, reason = "one for each parameter of `oware.playouts`")]
pub(super) fn playouts<'py>(
    games: Option<Vec<Bound<'py, PyGame>>>,
    positions: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    n: &Bound<'py, PyAny>,
    rules: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    num_threads: &Bound<'py, PyAny>,
    max_plies: &Bound<'py, PyAny>,
) -> PyResult<Arrays<'py>> {
    let py = n.py();
    let each = arguments::count::<usize>("n", n, 1, MOST_GAMES)?;
    let seed = arguments::seed("seed", seed, u64::MAX)?;
    let num_threads = arguments::count("num_threads", num_threads, 1, MOST_THREADS)?;
    let asked = if rules.is_none() { None } else { Some(convert::rules("rules", rules)?) };
    let max_plies = if max_plies.is_none() {
        None
    } else {
        NonZeroU32::new(arguments::count("max_plies", max_plies, 1, i32::MAX as u32)?)
    };
    let kernel = kernels::forced()?;
    if let Some(kernel) = kernel.filter(|kernel| !kernels().contains(kernel)) {
        return Err(error::env_error(py, EnvError::Kernel(kernel)));
    }
    let settings = |rules: &Rules| Settings {
        games: each,
        seed,
        max_plies: max_plies.or(if rules.repetition.is_none() && rules.max_plies.is_none() { ENDLESS } else { None }),
        num_threads: NonZeroUsize::new(num_threads).unwrap_or(NonZeroUsize::MIN),
        kernel,
    };
    let playouts = match positions {
        Some((pits, stores, to_move)) => {
            let rules = asked.unwrap_or_default();
            let rows = pits.len().map_err(|error| convert::refused(error, "pits", "an array of integers", &pits))?;
            let positions = arguments::positions("position", &pits, &stores, &to_move, None, rows, &rules)?;
            Playouts::from_positions(
                rules,
                positions.into_iter().map(|(_, position)| position).collect(),
                settings(&rules),
            )
        }
        None => {
            let games: Vec<Game> = games.unwrap_or_default().iter().map(|game| game.get().snapshot()).collect();
            let rules = asked.or(games.first().map(|game| *game.rules())).unwrap_or_default();
            if let Some(at) = games.iter().position(|game| *game.rules() != rules) {
                return Err(other_rules(at, &rules, &games[at]));
            }
            Playouts::from_games(rules, &games, settings(&rules))
        }
    };
    let total = playouts.positions().checked_mul(each).filter(|&total| total <= MOST_GAMES).ok_or_else(|| {
        let given = playouts.positions();
        PyValueError::new_err(format!(
            "{given} positions with n={each} are more than {MOST_GAMES} games; play fewer in a call"
        ))
    })?;
    // The core does not expect to be refused memory.
    Vec::<u8>::new()
        .try_reserve_exact(total.saturating_mul(7))
        .map_err(|_| PyMemoryError::new_err(format!("no memory for {total} games")))?;
    let results = interruptible(py, &playouts)?;
    let shape = [playouts.positions(), each];
    let Results { margins, plies, terminations } = results;
    // Both fit: plies are counted for a lifetime and longer below 2^31, and a code is 0 to 6.
    let plies = plies.into_iter().map(|plies| plies as i32).collect();
    let terminations = terminations.into_iter().map(|code| code as i8).collect();
    Ok((
        PyArray1::from_vec(py, margins).reshape(shape)?,
        PyArray1::from_vec(py, plies).reshape(shape)?,
        PyArray1::from_vec(py, terminations).reshape(shape)?,
    ))
}

/// Plays while other Python threads run, until a signal handler raises.
fn interruptible(py: Python<'_>, playouts: &Playouts) -> PyResult<Results> {
    let caller = thread::current().id();
    let asked = Mutex::new(Instant::now());
    let raised = Mutex::new(None);
    // Signals are handled in the thread that Python knows; the others stop when that one does.
    let goes_on = || {
        if thread::current().id() != caller {
            return true;
        }
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.elapsed() < PATIENCE {
            return true;
        }
        *asked = Instant::now();
        // There is nobody to ask when the interpreter is shutting down.
        match Python::try_attach(|py| py.check_signals()) {
            Some(Err(error)) => {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                false
            }
            Some(Ok(())) | None => true,
        }
    };
    let results = py.detach(|| playouts.play(&goes_on));
    match (results, raised.into_inner().unwrap_or_else(PoisonError::into_inner)) {
        (Some(results), _) => Ok(results),
        (None, error) => Err(error.unwrap_or_else(|| PyMemoryError::new_err("playing was given up"))),
    }
}

fn other_rules(at: usize, rules: &Rules, game: &Game) -> PyErr {
    let diff = game.rules().diff(rules);
    let fields: Vec<_> =
        diff.iter().map(|field| format!("{} is {}, not {}", field.field, field.left, field.right)).collect();
    PyValueError::new_err(format!("games[{at}] has other rules: {}; give games of one rule set", fields.join(", ")))
}
