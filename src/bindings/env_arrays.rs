//! The arrays that an environment hands out: fresh ones at every step. Those that are handed out again and again are
//! in [`super::env_held`].

use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::batch::observe::{COLUMNS, ObservationKind, Observations, PLANES};
use crate::env::{Config, Env, Final, ObservationBuffer, Outputs, Views};
use crate::pit::{PITS, ROW};

/// What `step` returns.
pub(super) type Step<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>);

/// What `reset` returns.
pub(super) type Reset<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

/// Observations as an array.
enum ObservationArray<'py> {
    Seeds(Bound<'py, PyArray2<u8>>),
    Normalized { rows: Bound<'py, PyArrayDyn<f32>>, whole: f32 },
    OneHot(Bound<'py, PyArrayDyn<f32>>),
}

impl<'py> ObservationArray<'py> {
    fn zeros(py: Python<'py>, config: &Config, rows: usize) -> Self {
        match config.observation {
            ObservationKind::Seeds => Self::Seeds(PyArray2::zeros(py, [rows, PLANES], false)),
            ObservationKind::Normalized => Self::Normalized {
                rows: PyArrayDyn::zeros(py, vec![rows, PLANES], false),
                whole: f32::from(config.rules.seeds_per_pit.total()),
            },
            ObservationKind::OneHot => Self::OneHot(PyArrayDyn::zeros(py, vec![rows, PLANES, COLUMNS], false)),
        }
    }

    /// Does something with the rows.
    fn fill<T>(&self, fill: impl FnOnce(Observations<'_>) -> T) -> PyResult<T> {
        Ok(match self {
            Self::Seeds(array) => fill(Observations::Seeds(array.try_readwrite()?.as_slice_mut()?)),
            Self::Normalized { rows, whole } => {
                fill(Observations::Normalized { rows: rows.try_readwrite()?.as_slice_mut()?, whole: *whole })
            }
            Self::OneHot(array) => fill(Observations::OneHot(array.try_readwrite()?.as_slice_mut()?)),
        })
    }

    fn into_any(self) -> Bound<'py, PyAny> {
        match self {
            Self::Seeds(array) => array.into_any(),
            Self::Normalized { rows: array, .. } | Self::OneHot(array) => array.into_any(),
        }
    }
}

/// What is shown of some rows, in fresh arrays.
struct ViewArrays<'py> {
    observation: ObservationArray<'py>,
    action_mask: Bound<'py, PyArray2<i8>>,
    to_move: Bound<'py, PyArray1<i8>>,
    termination: Bound<'py, PyArray1<i8>>,
    winner: Bound<'py, PyArray1<i8>>,
}

impl<'py> ViewArrays<'py> {
    fn zeros(py: Python<'py>, config: &Config, rows: usize) -> Self {
        Self {
            observation: ObservationArray::zeros(py, config, rows),
            action_mask: PyArray2::zeros(py, [rows, ROW], false),
            to_move: PyArray1::zeros(py, rows, false),
            termination: PyArray1::zeros(py, rows, false),
            winner: PyArray1::zeros(py, rows, false),
        }
    }

    /// Does something with the arrays.
    fn fill<T>(&self, fill: impl FnOnce(Views<'_>) -> T) -> PyResult<T> {
        let mut action_mask = self.action_mask.try_readwrite()?;
        let mut to_move = self.to_move.try_readwrite()?;
        let mut termination = self.termination.try_readwrite()?;
        let mut winner = self.winner.try_readwrite()?;
        let (action_mask, to_move) = (action_mask.as_slice_mut()?, to_move.as_slice_mut()?);
        let (termination, winner) = (termination.as_slice_mut()?, winner.as_slice_mut()?);
        self.observation.fill(|observation| fill(Views { observation, action_mask, to_move, termination, winner }))
    }

    /// The observation, and the rest as `info`.
    fn hand_out(self, py: Python<'py>) -> PyResult<Reset<'py>> {
        let info = PyDict::new(py);
        info.set_item(intern!(py, "action_mask"), self.action_mask)?;
        info.set_item(intern!(py, "to_move"), self.to_move)?;
        info.set_item(intern!(py, "termination"), self.termination)?;
        info.set_item(intern!(py, "winner"), self.winner)?;
        Ok((self.observation.into_any(), info))
    }
}

/// All that a step fills, in fresh arrays.
pub(super) struct Fresh<'py> {
    views: ViewArrays<'py>,
    reward: Bound<'py, PyArray1<f32>>,
    seat_rewards: Option<Bound<'py, PyArray2<f32>>>,
}

impl<'py> Fresh<'py> {
    pub(super) fn new(py: Python<'py>, config: &Config, rows: usize) -> Self {
        Self {
            views: ViewArrays::zeros(py, config, rows),
            reward: PyArray1::zeros(py, rows, false),
            seat_rewards: config.seat_rewards.then(|| PyArray2::zeros(py, [rows, 2], false)),
        }
    }

    /// Has the arrays filled; `flags` are room for those that say which rows have finished.
    pub(super) fn fill<T>(&self, flags: &mut Flags, fill: impl FnOnce(Outputs<'_>) -> T) -> PyResult<T> {
        let mut reward = self.reward.try_readwrite()?;
        let mut seat_rewards = match &self.seat_rewards {
            Some(array) => Some(array.try_readwrite()?),
            None => None,
        };
        let reward = reward.as_slice_mut()?;
        let seat_rewards = match &mut seat_rewards {
            Some(array) => Some(array.as_slice_mut()?),
            None => None,
        };
        let Flags { terminated, truncated } = flags;
        self.views.fill(|views| fill(Outputs { views, reward, terminated, truncated, seat_rewards }))
    }

    /// What a reset returns.
    pub(super) fn reset(self, py: Python<'py>) -> PyResult<Reset<'py>> {
        let (observation, info) = self.views.hand_out(py)?;
        if let Some(seat_rewards) = self.seat_rewards {
            info.set_item(intern!(py, "seat_rewards"), seat_rewards)?;
        }
        Ok((observation, info))
    }

    /// What a step returns; final observations are Gymnasium's array of objects.
    pub(super) fn step(self, py: Python<'py>, env: &Env, flags: &Flags) -> PyResult<Step<'py>> {
        let reward = self.reward.clone().into_any();
        let seat_rewards = self.seat_rewards.clone();
        let (observation, info) = self.reset(py)?;
        let mut finals = env.finals().peekable();
        if finals.peek().is_some() {
            let shown = ViewArrays::zeros(py, env.config(), env.len());
            let finished = PyArray1::<bool>::zeros(py, env.len(), false);
            mark(&finished, env)?;
            shown.fill(|mut views| env.finals().for_each(|last| views.write_final(last)))?;
            let final_obs = objects(py, env.len())?;
            let mut places = final_obs.try_readwrite()?;
            let places = places.as_slice_mut()?;
            for last in finals {
                places[last.row] = one_observation(py, env.config(), last)?.unbind();
            }
            let (_, final_info) = shown.hand_out(py)?;
            if let Some(seat_rewards) = seat_rewards {
                let copy = PyArray1::from_slice(py, seat_rewards.try_readonly()?.as_slice()?);
                final_info.set_item(intern!(py, "seat_rewards"), copy.call_method1("reshape", ((env.len(), 2),))?)?;
            }
            add_finals(&info, final_obs.into_any(), final_info, finished.into_any())?;
        }
        Ok((observation, reward, bools(py, &flags.terminated), bools(py, &flags.truncated), info))
    }
}

/// Which rows have finished, 1 for each that has.
pub(super) struct Flags {
    terminated: Vec<u8>,
    truncated: Vec<u8>,
}

impl Flags {
    pub(super) fn new(rows: usize) -> Self {
        Self { terminated: vec![0; rows], truncated: vec![0; rows] }
    }
}

/// Sets an array of bools where a row was finished and reset.
fn mark(array: &Bound<'_, PyArray1<bool>>, env: &Env) -> PyResult<()> {
    let mut array = array.try_readwrite()?;
    let slots = array.as_slice_mut()?;
    env.finals().for_each(|last| slots[last.row] = true);
    Ok(())
}

fn bools<'py>(py: Python<'py>, flags: &[u8]) -> Bound<'py, PyAny> {
    let flags: Vec<bool> = flags.iter().map(|&flag| flag != 0).collect();
    PyArray1::from_slice(py, &flags).into_any()
}

/// A fresh array of so many `None`.
fn objects(py: Python<'_>, rows: usize) -> PyResult<Bound<'_, PyArray1<Py<PyAny>>>> {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let empty = EMPTY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.getattr("empty")?.unbind()))?;
    Ok(empty.bind(py).call1((rows, intern!(py, "O")))?.cast_into()?)
}

/// Adds the finals under Gymnasium's names, with a mask beside each.
pub(super) fn add_finals<'py>(
    info: &Bound<'py, PyDict>,
    final_obs: Bound<'py, PyAny>,
    final_info: Bound<'py, PyDict>,
    finished: Bound<'py, PyAny>,
) -> PyResult<()> {
    let py = info.py();
    final_info.set_item(intern!(py, "_action_mask"), &finished)?;
    final_info.set_item(intern!(py, "_to_move"), &finished)?;
    final_info.set_item(intern!(py, "_termination"), &finished)?;
    final_info.set_item(intern!(py, "_winner"), &finished)?;
    if final_info.contains(intern!(py, "seat_rewards"))? {
        final_info.set_item(intern!(py, "_seat_rewards"), &finished)?;
    }
    info.set_item(intern!(py, "final_obs"), final_obs)?;
    info.set_item(intern!(py, "_final_obs"), &finished)?;
    info.set_item(intern!(py, "final_info"), final_info)?;
    info.set_item(intern!(py, "_final_info"), finished)
}

/// The observation of one finished row as an array.
fn one_observation<'py>(py: Python<'py>, config: &Config, last: &Final) -> PyResult<Bound<'py, PyAny>> {
    let counts = last.board.observation();
    match config.observation {
        ObservationKind::Seeds => Ok(PyArray1::from_slice(py, &counts).into_any()),
        ObservationKind::Normalized => {
            let mut buffer = [0.0; PLANES];
            let whole = f32::from(config.rules.seeds_per_pit.total());
            Observations::Normalized { rows: &mut buffer, whole }.write(0, last.board);
            Ok(PyArray1::from_slice(py, &buffer).into_any())
        }
        ObservationKind::OneHot => {
            let array = PyArray2::zeros(py, [PLANES, COLUMNS], false);
            Observations::OneHot(array.try_readwrite()?.as_slice_mut()?).write(0, last.board);
            Ok(array.into_any())
        }
    }
}

/// Observations of this many rows as an array.
pub(super) fn observation_rows<'py>(
    py: Python<'py>,
    observations: &ObservationBuffer,
    rows: usize,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match observations {
        ObservationBuffer::Seeds(numbers) => {
            let array = PyArray2::zeros(py, [rows, PLANES], false);
            array.try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
            array.into_any()
        }
        ObservationBuffer::Normalized { rows: numbers, .. } => {
            let array = PyArray2::zeros(py, [rows, PLANES], false);
            array.try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
            array.into_any()
        }
        ObservationBuffer::OneHot(numbers) => {
            let array = PyArrayDyn::zeros(py, vec![rows, PLANES, COLUMNS], false);
            array.try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
            array.into_any()
        }
    })
}

/// The observations now.
pub(super) fn observations<'py>(py: Python<'py>, env: &Env) -> PyResult<Bound<'py, PyAny>> {
    let array = ObservationArray::zeros(py, env.config(), env.len());
    array.fill(|rows| env.write_observations(rows))?;
    Ok(array.into_any())
}

/// Pits and stores now.
pub(super) fn boards<'py>(py: Python<'py>, env: &Env) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let pits = PyArray2::zeros(py, [env.len(), PITS], false);
    let stores = PyArray2::zeros(py, [env.len(), 2], false);
    env.write_boards(pits.try_readwrite()?.as_slice_mut()?, stores.try_readwrite()?.as_slice_mut()?);
    Ok((pits.into_any(), stores.into_any()))
}
