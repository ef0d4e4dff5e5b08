//! The arrays that an environment hands out.

use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::batch::observe::{COLUMNS, PLANES};
use crate::env::{Buffers, Env, ObservationBuffer, ViewBuffers};
use crate::pit::{PITS, ROW};

/// What `step` returns.
pub(super) type Step<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>);

fn vector<T: Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyAny> {
    PyArray1::from_vec(py, numbers).into_any()
}

fn table<T: Element>(py: Python<'_>, numbers: Vec<T>, columns: usize) -> PyResult<Bound<'_, PyAny>> {
    let rows = numbers.len() / columns;
    Ok(PyArray1::from_vec(py, numbers).reshape([rows, columns])?.into_any())
}

/// Observations of this many rows as an array.
pub(super) fn observation_rows(
    py: Python<'_>,
    observations: ObservationBuffer,
    rows: usize,
) -> PyResult<Bound<'_, PyAny>> {
    Ok(match observations {
        ObservationBuffer::Seeds(numbers) => table(py, numbers, PLANES)?,
        ObservationBuffer::Normalized { rows: numbers, .. } => table(py, numbers, PLANES)?,
        ObservationBuffer::OneHot(numbers) => {
            PyArray1::from_vec(py, numbers).reshape([rows, PLANES, COLUMNS])?.into_any()
        }
    })
}

pub(super) fn observations<'py>(py: Python<'py>, env: &Env) -> PyResult<Bound<'py, PyAny>> {
    let mut buffer = ObservationBuffer::new(env.config().observation, &env.config().rules, env.len());
    env.write_observations(buffer.rows());
    observation_rows(py, buffer, env.len())
}

pub(super) fn boards<'py>(py: Python<'py>, env: &Env) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let mut pits = vec![0; env.len() * PITS];
    let mut stores = vec![0; env.len() * 2];
    env.write_boards(&mut pits, &mut stores);
    Ok((table(py, pits, PITS)?, table(py, stores, 2)?))
}

/// Observation and info of the rows.
fn fresh_views<'py>(py: Python<'py>, views: ViewBuffers) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
    let rows = views.to_move.len();
    let info = PyDict::new(py);
    info.set_item("action_mask", table(py, views.action_mask, ROW)?)?;
    info.set_item("to_move", vector(py, views.to_move))?;
    info.set_item("termination", vector(py, views.termination))?;
    info.set_item("winner", vector(py, views.winner))?;
    Ok((observation_rows(py, views.observation, rows)?, info))
}

/// What a reset returns, in arrays of its own.
pub(super) fn fresh_reset<'py>(py: Python<'py>, buffers: Buffers) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
    let (observation, info) = fresh_views(py, buffers.views)?;
    if let Some(seat_rewards) = buffers.seat_rewards {
        info.set_item("seat_rewards", table(py, seat_rewards, 2)?)?;
    }
    Ok((observation, info))
}

/// What a step returns, in arrays of its own; final observations as Gymnasium's array of objects.
pub(super) fn fresh_step<'py>(py: Python<'py>, buffers: Buffers) -> PyResult<Step<'py>> {
    let finished = finished(&buffers);
    let Buffers { views, reward, terminated, truncated, seat_rewards, finals } = buffers;
    let (observation, info) = fresh_views(py, views)?;
    let seat_rewards = seat_rewards.map(|numbers| table(py, numbers, 2)).transpose()?;
    if let Some(seat_rewards) = &seat_rewards {
        info.set_item("seat_rewards", seat_rewards)?;
    }
    if let Some(finals) = finals.filter(|_| finished.contains(&true)) {
        let (final_rows, final_info) = fresh_views(py, finals)?;
        if let Some(seat_rewards) = seat_rewards {
            final_info.set_item("seat_rewards", seat_rewards.call_method0("copy")?)?;
        }
        let row = |row: usize| -> PyResult<Py<PyAny>> {
            if finished[row] { Ok(final_rows.get_item(row)?.call_method0("copy")?.unbind()) } else { Ok(py.None()) }
        };
        let final_obs = (0..finished.len()).map(row).collect::<PyResult<Vec<_>>>()?;
        add_finals(&info, vector(py, final_obs), &final_info, || vector(py, finished.clone()))?;
    }
    Ok((observation, vector(py, reward), vector(py, terminated), vector(py, truncated), info))
}

fn finished(buffers: &Buffers) -> Vec<bool> {
    buffers.terminated.iter().zip(&buffers.truncated).map(|(&by_rule, &by_cap)| by_rule || by_cap).collect()
}

/// Adds the finals under Gymnasium's names, with a mask beside each array of rows.
fn add_finals<'py>(
    info: &Bound<'py, PyDict>,
    final_obs: Bound<'py, PyAny>,
    final_info: &Bound<'py, PyDict>,
    finished: impl Fn() -> Bound<'py, PyAny>,
) -> PyResult<()> {
    for name in final_info.keys() {
        final_info.set_item(format!("_{name}"), finished())?;
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
    pub(super) fn new(py: Python<'_>, buffers: Buffers) -> PyResult<Self> {
        let rows = buffers.reward.len();
        let seat_rewards = match buffers.seat_rewards {
            Some(numbers) => Some(HeldArray::new(table(py, numbers, 2)?)?),
            None => None,
        };
        let hold = |views: ViewBuffers| -> PyResult<HeldViews> {
            let (observation, info) = fresh_views(py, views)?;
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
            views: hold(buffers.views)?,
            reward: HeldArray::new(vector(py, buffers.reward))?,
            terminated: HeldArray::new(vector(py, buffers.terminated))?,
            truncated: HeldArray::new(vector(py, buffers.truncated))?,
            finals: match buffers.finals {
                Some(finals) => Some((hold(finals)?, HeldArray::new(vector(py, vec![false; rows]))?)),
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
            let finished = finished(buffers);
            if finished.contains(&true) {
                views.fill(py, finals, Some(&finished))?;
                mask.fill(py, &finished, None)?;
                let final_info = views.info.bind(py).copy()?;
                add_finals(&info, views.observation.view(py), &final_info, || mask.view(py))?;
            }
        }
        Ok((observation, self.reward.view(py), self.terminated.view(py), self.truncated.view(py), info))
    }
}

impl HeldViews {
    fn fill(&self, py: Python<'_>, views: &ViewBuffers, rows: Option<&[bool]>) -> PyResult<()> {
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
    fn fill<T: Element + Copy>(&self, py: Python<'_>, numbers: &[T], rows: Option<&[bool]>) -> PyResult<()> {
        let spoilt = || PyValueError::new_err("the base of an array of this environment (copy=False) was altered");
        let array = self.memory.bind(py).cast::<PyArrayDyn<T>>().map_err(|_| spoilt())?;
        let mut array = array.try_readwrite().map_err(|_| spoilt())?;
        let slots = array.as_slice_mut().map_err(|_| spoilt())?;
        if slots.len() != numbers.len() {
            return Err(spoilt());
        }
        let Some(rows) = rows else {
            slots.copy_from_slice(numbers);
            return Ok(());
        };
        let columns = numbers.len() / rows.len();
        let pairs = slots.chunks_exact_mut(columns).zip(numbers.chunks_exact(columns));
        for ((slots, numbers), _) in pairs.zip(rows).filter(|&(_, &set)| set) {
            slots.copy_from_slice(numbers);
        }
        Ok(())
    }
}
