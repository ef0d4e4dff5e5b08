//! The arrays that an environment hands out.

use numpy::ndarray::{Dimension, IntoDimension};
use numpy::{Element, PyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::observe::{COLUMNS, PLANES};
use crate::env::{Buffers, Env, ObservationBuffer, ViewBuffers};
use crate::pit::{PITS, ROW};

/// What `step` returns.
pub(super) type Step<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>);

/// A fresh array that owns its memory.
fn vector<'py, T: Element>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyAny> {
    PyArray1::from_slice(py, numbers).into_any()
}

/// A fresh array of some shape that owns its memory, with all rows, or with those that are set and zeros elsewhere.
fn table<'py, T, D>(py: Python<'py>, numbers: &[T], shape: D, rows: Option<&Finished>) -> PyResult<Bound<'py, PyAny>>
where
    T: Element + Copy,
    D: IntoDimension<Dim: Dimension>,
{
    let array = PyArray::<T, D::Dim>::zeros(py, shape, false);
    copy_rows(array.try_readwrite()?.as_slice_mut()?, numbers, rows);
    Ok(array.into_any())
}

/// Copies all rows, or those that are set.
fn copy_rows<T: Copy>(to: &mut [T], from: &[T], rows: Option<&Finished>) {
    let Some(Finished { mask, rows }) = rows else { return to.copy_from_slice(from) };
    let columns = from.len() / mask.len();
    for row in rows {
        let row = row * columns..(row + 1) * columns;
        to[row.clone()].copy_from_slice(&from[row]);
    }
}

/// Observations of this many rows as an array.
pub(super) fn observation_rows<'py>(
    py: Python<'py>,
    observations: &ObservationBuffer,
    rows: usize,
) -> PyResult<Bound<'py, PyAny>> {
    match observations {
        ObservationBuffer::Seeds(numbers) => table(py, numbers, [rows, PLANES], None),
        ObservationBuffer::Normalized { rows: numbers, .. } => table(py, numbers, [rows, PLANES], None),
        ObservationBuffer::OneHot(numbers) => table(py, numbers, [rows, PLANES, COLUMNS], None),
    }
}

/// One observation as an array.
fn one_observation<'py>(py: Python<'py>, observations: &ObservationBuffer, row: usize) -> PyResult<Bound<'py, PyAny>> {
    let planes = row * PLANES..(row + 1) * PLANES;
    match observations {
        ObservationBuffer::Seeds(numbers) => Ok(vector(py, &numbers[planes])),
        ObservationBuffer::Normalized { rows: numbers, .. } => Ok(vector(py, &numbers[planes])),
        ObservationBuffer::OneHot(numbers) => {
            let numbers = &numbers[planes.start * COLUMNS..planes.end * COLUMNS];
            table(py, numbers, [PLANES, COLUMNS], None)
        }
    }
}

pub(super) fn observations<'py>(py: Python<'py>, env: &Env) -> PyResult<Bound<'py, PyAny>> {
    let mut buffer = ObservationBuffer::new(env.config().observation, &env.config().rules, env.len());
    env.write_observations(buffer.rows());
    observation_rows(py, &buffer, env.len())
}

pub(super) fn boards<'py>(py: Python<'py>, env: &Env) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let rows = env.len();
    let mut pits = vec![0; rows * PITS];
    let mut stores = vec![0; rows * 2];
    env.write_boards(&mut pits, &mut stores);
    Ok((table(py, &pits, [rows, PITS], None)?, table(py, &stores, [rows, 2], None)?))
}

/// The info of the rows, or of those that are set.
fn fresh_info<'py>(py: Python<'py>, views: &ViewBuffers, set: Option<&Finished>) -> PyResult<Bound<'py, PyDict>> {
    let rows = views.to_move.len();
    let info = PyDict::new(py);
    info.set_item("action_mask", table(py, &views.action_mask, [rows, ROW], set)?)?;
    info.set_item("to_move", table(py, &views.to_move, [rows], set)?)?;
    info.set_item("termination", table(py, &views.termination, [rows], set)?)?;
    info.set_item("winner", table(py, &views.winner, [rows], set)?)?;
    Ok(info)
}

/// What a reset returns, in fresh arrays.
pub(super) fn fresh_reset<'py>(
    py: Python<'py>,
    buffers: &Buffers,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
    let rows = buffers.reward.len();
    let info = fresh_info(py, &buffers.views, None)?;
    if let Some(seat_rewards) = &buffers.seat_rewards {
        info.set_item("seat_rewards", table(py, seat_rewards, [rows, 2], None)?)?;
    }
    Ok((observation_rows(py, &buffers.views.observation, rows)?, info))
}

/// What a step returns, in fresh arrays; final observations as Gymnasium's array of objects.
pub(super) fn fresh_step<'py>(py: Python<'py>, buffers: &Buffers) -> PyResult<Step<'py>> {
    let finished = Finished::of(buffers);
    let (observation, info) = fresh_reset(py, buffers)?;
    if let Some(finals) = buffers.finals.as_ref().filter(|_| !finished.rows.is_empty()) {
        let final_info = fresh_info(py, finals, Some(&finished))?;
        if let Some(seat_rewards) = &buffers.seat_rewards {
            final_info.set_item("seat_rewards", table(py, seat_rewards, [finished.mask.len(), 2], None)?)?;
        }
        let mut final_obs: Vec<Py<PyAny>> = finished.mask.iter().map(|_| py.None()).collect();
        for &row in &finished.rows {
            final_obs[row] = one_observation(py, &finals.observation, row)?.unbind();
        }
        add_finals(&info, vector(py, &final_obs), &final_info, || vector(py, &finished.mask))?;
    }
    let Buffers { reward, terminated, truncated, .. } = buffers;
    Ok((observation, vector(py, reward), vector(py, terminated), vector(py, truncated), info))
}

/// The rows whose episode a step has finished.
struct Finished {
    mask: Vec<bool>,
    rows: Vec<usize>,
}

impl Finished {
    fn of(buffers: &Buffers) -> Self {
        let Buffers { terminated, truncated, .. } = buffers;
        let mask: Vec<bool> = terminated.iter().zip(truncated).map(|(&by_rule, &by_cap)| by_rule | by_cap).collect();
        let rows = (0..mask.len()).filter(|&row| mask[row]).collect();
        Self { mask, rows }
    }
}

/// Adds the finals under Gymnasium's names, with a mask beside each array of rows.
fn add_finals<'py>(
    info: &Bound<'py, PyDict>,
    final_obs: Bound<'py, PyAny>,
    final_info: &Bound<'py, PyDict>,
    finished: impl Fn() -> Bound<'py, PyAny>,
) -> PyResult<()> {
    for name in final_info.keys() {
        final_info.set_item(format!("_{}", name.extract::<String>()?), finished())?;
    }
    info.set_item("final_obs", final_obs)?;
    info.set_item("_final_obs", finished())?;
    info.set_item("final_info", final_info)?;
    info.set_item("_final_info", finished())
}

/// The arrays of an environment with `copy=False`: the same ones at every step.
pub(super) struct Held {
    views: HeldViews,
    reward: HeldArray,
    terminated: HeldArray,
    truncated: HeldArray,
    seat_rewards: Option<HeldArray>,
    finals: Option<(HeldViews, HeldArray)>,
}

struct HeldViews {
    observation: HeldArray,
    /// Those of `info`, in the order of [`NAMES`].
    arrays: Vec<HeldArray>,
    info: Py<PyDict>,
}

const NAMES: [&str; 4] = ["action_mask", "to_move", "termination", "winner"];

/// An array, and the view of it that is handed out: the array can still be filled when somebody has given the view
/// another shape or dtype or made it read-only.
struct HeldArray {
    memory: Py<PyAny>,
    view: Py<PyAny>,
}

impl Held {
    pub(super) fn new(py: Python<'_>, buffers: &Buffers) -> PyResult<Self> {
        let rows = buffers.reward.len();
        let seat_rewards = match &buffers.seat_rewards {
            Some(numbers) => Some(HeldArray::new(table(py, numbers, [rows, 2], None)?)?),
            None => None,
        };
        let hold = |views: &ViewBuffers| -> PyResult<HeldViews> {
            let info = fresh_info(py, views, None)?;
            let observation = observation_rows(py, &views.observation, rows)?;
            let mut arrays = Vec::new();
            for name in NAMES {
                let array = HeldArray::new(info.as_any().get_item(name)?)?;
                info.set_item(name, &array.view)?;
                arrays.push(array);
            }
            if let Some(seat_rewards) = &seat_rewards {
                info.set_item("seat_rewards", &seat_rewards.view)?;
            }
            Ok(HeldViews { observation: HeldArray::new(observation)?, arrays, info: info.unbind() })
        };
        Ok(Self {
            views: hold(&buffers.views)?,
            reward: HeldArray::new(vector(py, &buffers.reward))?,
            terminated: HeldArray::new(vector(py, &buffers.terminated))?,
            truncated: HeldArray::new(vector(py, &buffers.truncated))?,
            finals: match &buffers.finals {
                Some(finals) => Some((hold(finals)?, HeldArray::new(vector(py, &vec![false; rows]))?)),
                None => None,
            },
            seat_rewards,
        })
    }

    /// Fills the arrays and returns those of a reset.
    pub(super) fn reset<'py>(
        &self,
        py: Python<'py>,
        buffers: &Buffers,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        if let (Some(array), Some(numbers)) = (&self.seat_rewards, &buffers.seat_rewards) {
            array.fill(py, numbers, None)?;
        }
        self.views.fill(py, &buffers.views, None)?;
        // A dict of its own, since wrappers add to it.
        Ok((self.views.observation.view(py), self.views.info.bind(py).copy()?))
    }

    /// Fills the arrays and returns those of a step.
    pub(super) fn step<'py>(&self, py: Python<'py>, buffers: &Buffers) -> PyResult<Step<'py>> {
        self.reward.fill(py, &buffers.reward, None)?;
        self.terminated.fill(py, &buffers.terminated, None)?;
        self.truncated.fill(py, &buffers.truncated, None)?;
        let (observation, info) = self.reset(py, buffers)?;
        if let (Some((views, mask)), Some(finals)) = (&self.finals, &buffers.finals) {
            let finished = Finished::of(buffers);
            if !finished.rows.is_empty() {
                views.fill(py, finals, Some(&finished))?;
                mask.fill(py, &finished.mask, None)?;
                let final_info = views.info.bind(py).copy()?;
                add_finals(&info, views.observation.view(py), &final_info, || mask.view(py))?;
            }
        }
        Ok((observation, self.reward.view(py), self.terminated.view(py), self.truncated.view(py), info))
    }
}

impl HeldViews {
    fn fill(&self, py: Python<'_>, views: &ViewBuffers, rows: Option<&Finished>) -> PyResult<()> {
        match &views.observation {
            ObservationBuffer::Seeds(numbers) => self.observation.fill(py, numbers, rows)?,
            ObservationBuffer::Normalized { rows: numbers, .. } | ObservationBuffer::OneHot(numbers) => {
                self.observation.fill(py, numbers, rows)?;
            }
        }
        let numbers = [&views.action_mask, &views.to_move, &views.termination, &views.winner];
        self.arrays.iter().zip(numbers).try_for_each(|(array, numbers)| array.fill(py, numbers, rows))
    }
}

impl HeldArray {
    fn new(memory: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { view: memory.call_method0("view")?.unbind(), memory: memory.unbind() })
    }

    fn view<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.view.bind(py).clone()
    }

    /// Takes over the numbers of all rows, or of those that are set; the others keep theirs.
    fn fill<T: Element + Copy>(&self, py: Python<'_>, numbers: &[T], rows: Option<&Finished>) -> PyResult<()> {
        let spoilt = || PyValueError::new_err("the base of an array of this environment (copy=False) was altered");
        let array = self.memory.bind(py).cast::<PyArrayDyn<T>>().map_err(|_| spoilt())?;
        let mut array = array.try_readwrite().map_err(|_| spoilt())?;
        let slots = array.as_slice_mut().map_err(|_| spoilt())?;
        if slots.len() != numbers.len() {
            return Err(spoilt());
        }
        copy_rows(slots, numbers, rows);
        Ok(())
    }
}
