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
    reward: Py<PyAny>,
    terminated: Py<PyAny>,
    truncated: Py<PyAny>,
    seat_rewards: Option<Py<PyAny>>,
    finals: Option<(HeldViews, Py<PyAny>)>,
}

struct HeldViews {
    observation: Py<PyAny>,
    info: Py<PyDict>,
}

impl Held {
    pub(super) fn new(py: Python<'_>, buffers: Buffers) -> PyResult<Self> {
        let rows = buffers.reward.len();
        let seat_rewards = buffers.seat_rewards.map(|numbers| table(py, numbers, 2)).transpose()?;
        let hold = |views: ViewBuffers| -> PyResult<HeldViews> {
            let (observation, info) = fresh_views(py, views)?;
            if let Some(seat_rewards) = &seat_rewards {
                info.set_item("seat_rewards", seat_rewards)?;
            }
            Ok(HeldViews { observation: observation.unbind(), info: info.unbind() })
        };
        Ok(Self {
            views: hold(buffers.views)?,
            reward: vector(py, buffers.reward).unbind(),
            terminated: vector(py, buffers.terminated).unbind(),
            truncated: vector(py, buffers.truncated).unbind(),
            finals: match buffers.finals {
                Some(finals) => Some((hold(finals)?, vector(py, vec![false; rows]).unbind())),
                None => None,
            },
            seat_rewards: seat_rewards.map(Bound::unbind),
        })
    }

    /// Fills the arrays and returns those of a reset.
    pub(super) fn reset<'py>(
        &self,
        py: Python<'py>,
        buffers: &Buffers,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        self.fill_seat_rewards(py, buffers)?;
        self.views.fill(py, &buffers.views)?;
        // A dict of its own, since wrappers add to it.
        Ok((self.views.observation.bind(py).clone(), self.views.info.bind(py).copy()?))
    }

    /// Fills the arrays and returns those of a step.
    pub(super) fn step<'py>(&self, py: Python<'py>, buffers: &Buffers) -> PyResult<Step<'py>> {
        fill(self.reward.bind(py), &buffers.reward)?;
        fill(self.terminated.bind(py), &buffers.terminated)?;
        fill(self.truncated.bind(py), &buffers.truncated)?;
        let (observation, info) = self.reset(py, buffers)?;
        if let (Some((views, mask)), Some(finals)) = (&self.finals, &buffers.finals) {
            let finished = finished(buffers);
            if finished.contains(&true) {
                views.fill(py, finals)?;
                fill(mask.bind(py), &finished)?;
                let final_info = views.info.bind(py).copy()?;
                add_finals(&info, views.observation.bind(py).clone(), &final_info, || mask.bind(py).clone())?;
            }
        }
        let array = |array: &Py<PyAny>| array.bind(py).clone();
        Ok((observation, array(&self.reward), array(&self.terminated), array(&self.truncated), info))
    }

    fn fill_seat_rewards(&self, py: Python<'_>, buffers: &Buffers) -> PyResult<()> {
        match (&self.seat_rewards, &buffers.seat_rewards) {
            (Some(array), Some(numbers)) => fill(array.bind(py), numbers),
            _ => Ok(()),
        }
    }
}

impl HeldViews {
    fn fill(&self, py: Python<'_>, views: &ViewBuffers) -> PyResult<()> {
        match &views.observation {
            ObservationBuffer::Seeds(numbers) => fill(self.observation.bind(py), numbers)?,
            ObservationBuffer::Normalized { rows: numbers, .. } | ObservationBuffer::OneHot(numbers) => {
                fill(self.observation.bind(py), numbers)?;
            }
        }
        let info = self.info.bind(py);
        for (name, numbers) in [
            ("action_mask", &views.action_mask),
            ("to_move", &views.to_move),
            ("termination", &views.termination),
            ("winner", &views.winner),
        ] {
            if let Some(array) = info.get_item(name)? {
                fill(&array, numbers)?;
            }
        }
        Ok(())
    }
}

fn fill<T: Element + Copy>(array: &Bound<'_, PyAny>, numbers: &[T]) -> PyResult<()> {
    let spoilt = || PyValueError::new_err("an array of this environment (copy=False) was made read-only or reshaped");
    let array = array.cast::<PyArrayDyn<T>>()?;
    let mut array = array.try_readwrite().map_err(|_| spoilt())?;
    let slots = array.as_slice_mut().map_err(|_| spoilt())?;
    if slots.len() != numbers.len() {
        return Err(spoilt());
    }
    slots.copy_from_slice(numbers);
    Ok(())
}
