//! `oware.search`: the core's part.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use super::convert;
use super::endgame::PyEndgame;
use super::env_arguments::count;
use super::game::PyGame;
use super::signals::Signals;
use crate::pit::Move;
use crate::search::{self, MAX_DEPTH, Probe, Report, SearchError, Settings, Value};

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

/// Ends searches, from any thread: until it is set they go on, and from then on they return what they have found.
///
/// One that is set stays so; every search may have its own.
///
/// Example:
///     >>> import threading
///     >>> import oware
///     >>> stop = Stop()
///     >>> threading.Timer(0.1, stop.set).start()
///     >>> alpha_beta(oware.Game(), stop=stop).depth > 1
///     True
#[pyclass(name = "Stop", module = "oware.search", frozen)]
pub(super) struct PyStop(AtomicBool);

#[pymethods]
impl PyStop {
    #[new]
    fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// End every search that has been given this, or will be.
    ///
    /// Example:
    ///     >>> import oware
    ///     >>> stop = Stop()
    ///     >>> stop.set()
    ///     >>> alpha_beta(oware.Game(), stop=stop).depth
    ///     1
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether `set` has been called.
    ///
    /// Example:
    ///     >>> Stop().is_set()
    ///     False
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn __repr__(&self) -> &'static str {
        if self.is_set() { "<oware.search.Stop that is set>" } else { "<oware.search.Stop>" }
    }
}

/// The game that an argument holds.
fn game(value: &Bound<'_, PyAny>) -> PyResult<crate::Game> {
    let game = value.cast::<PyGame>().map_err(|_| convert::wrong_type("game", "an oware.Game", value))?;
    Ok(game.get().snapshot())
}

/// A number of plies to search.
fn depth(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    count("depth", value, 1, MAX_DEPTH)
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
#[pyo3(signature = (game, depth, time, nodes, endgame, threads, table_entries, move_values, on_depth, stop))]
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
    stop: Option<&Bound<'py, PyAny>>,
) -> PyResult<Found<'py>> {
    let begin = Instant::now();
    let game = self::game(game)?;
    if depth.is_none() && time.is_none() && nodes.is_none() && stop.is_none() {
        return Err(PyValueError::new_err("nothing ends the search; give depth, time, nodes or stop"));
    }
    let endgame = endgame.map(|endgame| PyEndgame::for_game(endgame, &game)).transpose()?;
    let time = time.map(seconds).transpose()?;
    let settings = Settings {
        depth: depth.map(self::depth).transpose()?.unwrap_or(MAX_DEPTH),
        nodes: nodes.map(|nodes| count("nodes", nodes, 1, i64::MAX)).transpose()?.map(i64::unsigned_abs),
        threads: NonZeroUsize::new(count("threads", threads, 1, MOST_THREADS)?).unwrap_or(NonZeroUsize::MIN),
        table_entries: count("table_entries", table_entries, 1, isize::MAX / 16)?.unsigned_abs(),
        endgame: endgame.as_deref().map(|endgame| endgame as &dyn Probe),
        // A depth means the same as that of an opponent.
        few_seeds: depth.is_none(),
        move_values: convert::flag("move_values", move_values)?,
        // What reading the arguments took counts, too.
        time: time.map(|time| time.saturating_sub(begin.elapsed())),
    };
    let wrong_stop = |stop| convert::wrong_type("stop", "None or an oware.search.Stop", stop);
    let stop = stop.map(|stop| stop.cast::<PyStop>().map_err(|_| wrong_stop(stop))).transpose()?;
    let stop = stop.map(|stop| stop.clone().unbind());
    let on_depth = on_depth.map(|callable| callable.clone().unbind());
    let mut signals = Signals::new();
    let searched = py.detach(|| {
        search::alpha_beta_while(&game, &settings, |report| {
            signals.ask().map_break(Some)?;
            if stop.as_ref().is_some_and(|stop| stop.get().is_set()) {
                return ControlFlow::Break(None);
            }
            let (Some(report), Some(callable)) = (report, &on_depth) else { return ControlFlow::Continue(()) };
            match Python::try_attach(|py| callable.bind(py).call1(found(py, report)?)?.is_truthy()) {
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
#[pyo3(signature = (game, depth, endgame=None))]
pub(super) fn best_moves(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    depth: &Bound<'_, PyAny>,
    endgame: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<usize>> {
    let (game, depth) = (self::game(game)?, self::depth(depth)?);
    let endgame = endgame.map(|endgame| PyEndgame::for_game(endgame, &game)).transpose()?;
    let endgame = endgame.as_deref().map(|endgame| endgame as &dyn Probe);
    let (mut signals, mut raised) = (Signals::new(), None);
    let best = py.detach(|| {
        search::best_moves_while(&game, depth, endgame, || {
            raised.is_none() && signals.ask_or(&mut raised).is_continue()
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
