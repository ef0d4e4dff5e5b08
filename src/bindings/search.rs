//! `oware.search`: the core's part.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use super::convert;
use super::game::PyGame;
use crate::pit::{Move, MoveSet};
use crate::search::{self, MAX_DEPTH, Report, SearchError, Settings, Value};

/// How long Python's signal handlers, Ctrl-C above all, wait for their turn.
const PATIENCE: Duration = Duration::from_millis(50);
/// Threads beyond this would only wait for each other.
const MOST_THREADS: usize = 1024;

impl From<SearchError> for PyErr {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::NoMemory(_) => PyMemoryError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        }
    }
}

/// The game that an argument holds.
fn game(value: &Bound<'_, PyAny>) -> PyResult<crate::Game> {
    let game = value.cast::<PyGame>().map_err(|_| convert::wrong_type("game", "an oware.Game", value))?;
    Ok(game.get().snapshot())
}

/// A number of plies to search.
fn depth(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let depth = convert::integer("depth", value)?;
    match depth.to() {
        Some(plies @ 1..=MAX_DEPTH) => Ok(plies),
        _ => Err(PyValueError::new_err(format!("depth is {depth}; give 1 to {MAX_DEPTH}"))),
    }
}

/// A count of at least 1, of a type that holds it.
fn count<T>(name: &str, value: &Bound<'_, PyAny>, most: T) -> PyResult<T>
where
    T: TryFrom<i64> + Default + PartialOrd + Display,
{
    let count = convert::integer(name, value)?;
    match count.to::<T>() {
        Some(count) if count > T::default() && count <= most => Ok(count),
        _ => Err(PyValueError::new_err(format!("{name} is {count}; give 1 to {most}"))),
    }
}

/// A time in seconds.
fn seconds(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let wanted = "a number of seconds";
    if value.is_instance_of::<PyBool>() {
        return Err(convert::wrong_type("time", wanted, value));
    }
    let seconds: f64 = value.extract().map_err(|error| convert::refused(error, "time", wanted, value))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if seconds > 0.0 => Ok(time),
        _ => Err(PyValueError::new_err(format!("time is {seconds}; give a number of seconds above 0"))),
    }
}

/// What a search has found, as `oware.search.Result` takes it.
type Found<'py> = (f64, bool, Bound<'py, PyTuple>, u32, u64, Option<Bound<'py, PyTuple>>);

fn found<'py>(py: Python<'py>, report: &Report) -> PyResult<Found<'py>> {
    let values = report.move_values.map(|values| PyTuple::new(py, values.map(|value| value.map(Value::seeds))));
    let line = PyTuple::new(py, report.line.iter().copied().map(Move::index))?;
    Ok((report.value.seeds(), report.exact, line, report.depth, report.nodes, values.transpose()?))
}

/// The search behind `oware.search.alpha_beta`; `None` stands for no limit.
#[pyfunction]
#[pyo3(signature = (game, depth, time, nodes, endgame, threads, table_entries, move_values, on_depth))]
#[allow(clippy::too_many_arguments, reason = "they are the parameters of the Python function")]
pub(super) fn alpha_beta<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    depth: Option<&Bound<'py, PyAny>>,
    time: Option<&Bound<'py, PyAny>>,
    nodes: Option<&Bound<'py, PyAny>>,
    endgame: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    table_entries: &Bound<'py, PyAny>,
    move_values: &Bound<'py, PyAny>,
    on_depth: Option<&Bound<'py, PyAny>>,
) -> PyResult<Found<'py>> {
    let begin = Instant::now();
    let game = self::game(game)?;
    if depth.is_none() && time.is_none() && nodes.is_none() {
        return Err(PyValueError::new_err("nothing ends the search; give depth, time or nodes"));
    }
    if let Some(endgame) = endgame {
        return Err(convert::wrong_type("endgame", "None or an oware.Endgame", endgame));
    }
    let threads = count("threads", threads, MOST_THREADS)?;
    let time = time.map(seconds).transpose()?;
    let settings = Settings {
        depth: depth.map(self::depth).transpose()?.unwrap_or(MAX_DEPTH),
        nodes: nodes.map(|nodes| count("nodes", nodes, i64::MAX)).transpose()?.map(i64::unsigned_abs),
        threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
        table_entries: count("table_entries", table_entries, isize::MAX / 16)?.unsigned_abs(),
        endgame: None,
        move_values: convert::flag("move_values", move_values)?,
        // What reading the arguments took counts, too.
        time: time.map(|time| time.saturating_sub(begin.elapsed())),
    };
    let on_depth = on_depth.map(|callable| callable.clone().unbind());
    let mut asked = Instant::now();
    let searched = py.detach(|| {
        search::alpha_beta_while(&game, &settings, |report| {
            let told = report.is_some() && on_depth.is_some();
            if !told && asked.elapsed() < PATIENCE {
                return ControlFlow::Continue(());
            }
            asked = Instant::now();
            // There is nobody to ask when the interpreter is shutting down.
            let answer = Python::try_attach(|py| {
                py.check_signals()?;
                match (report, &on_depth) {
                    (Some(report), Some(callable)) => callable.bind(py).call1(found(py, report)?)?.is_truthy(),
                    _ => Ok(false),
                }
            });
            match answer {
                Some(Err(raised)) => ControlFlow::Break(Some(raised)),
                Some(Ok(true)) => ControlFlow::Break(None),
                Some(Ok(false)) | None => ControlFlow::Continue(()),
            }
        })
    });
    match searched? {
        (_, Some(Some(raised))) => Err(raised),
        (report, _) => found(py, &report),
    }
}

/// The moves that are best after a search of `depth` plies.
#[pyfunction]
pub(super) fn best_moves(py: Python<'_>, game: &Bound<'_, PyAny>, depth: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let (game, depth) = (self::game(game)?, self::depth(depth)?);
    let mut asked = Instant::now();
    let mut raised = None;
    let best: MoveSet = py.detach(|| {
        search::best_moves_while(&game, depth, || {
            if raised.is_none() && asked.elapsed() >= PATIENCE {
                asked = Instant::now();
                raised = Python::try_attach(|py| py.check_signals()).and_then(Result::err);
            }
            raised.is_none()
        })
    })?;
    match raised {
        Some(raised) => Err(raised),
        None => Ok(best.iter().map(Move::index).collect()),
    }
}

/// The final net seeds for the mover that a game is taken to be worth without a search.
#[pyfunction]
pub(super) fn static_value(game: &Bound<'_, PyAny>) -> PyResult<f64> {
    Ok(search::static_value(self::game(game)?.position()).seeds())
}
