//! The arrays of an environment with `copy=False`: the same ones at every step.

use numpy::{Ix1, PyArray1, PyArrayMethods, PyReadwriteArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::env_arrays::{Reset, Step, add_finals};
use crate::batch::observe::{COLUMNS, ObservationKind, Observations, PLANES};
use crate::env::{Config, Env, Outputs, Views};
use crate::pit::ROW;

/// One stretch of memory, and the views of its parts that are handed out: it can still be filled when somebody has
/// given a view another shape or dtype or made it read-only.
pub(super) struct Held {
    memory: Py<PyArray1<u8>>,
    layout: Layout,
    observation: Py<PyAny>,
    reward: Py<PyAny>,
    terminated: Py<PyAny>,
    truncated: Py<PyAny>,
    info: Py<PyDict>,
    /// `info` of a step that has finished rows, without `final_info`, and that.
    with_finals: Option<(Py<PyDict>, Py<PyDict>)>,
}

/// The bytes of each part of the memory. Each part begins at a multiple of [`ALIGNMENT`].
struct Layout {
    rows: usize,
    kind: ObservationKind,
    whole: f32,
    seat_rewards: bool,
    finals: bool,
}

/// That of a cache line, and enough for every number here.
const ALIGNMENT: usize = 64;

const fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

/// Takes the next part of the memory.
fn part<'a>(memory: &mut &'a mut [u8], bytes: usize) -> &'a mut [u8] {
    let (head, tail) = std::mem::take(memory).split_at_mut(aligned(bytes));
    *memory = tail;
    &mut head[..bytes]
}

/// What the memory holds for the finished rows.
struct Finals<'a> {
    views: Views<'a>,
    mask: &'a mut [u8],
}

impl Layout {
    fn new(config: &Config, rows: usize) -> Self {
        Self {
            rows,
            kind: config.observation,
            whole: f32::from(config.rules.seeds_per_pit.total()),
            seat_rewards: config.seat_rewards,
            finals: config.shows_finals(),
        }
    }

    fn observation_bytes(&self) -> usize {
        let size = if self.kind == ObservationKind::Seeds { 1 } else { size_of::<f32>() };
        self.rows * self.kind.width() * size
    }

    fn views_bytes(&self) -> usize {
        aligned(self.observation_bytes()) + aligned(self.rows * ROW) + 3 * aligned(self.rows)
    }

    fn outputs_bytes(&self) -> usize {
        let seat_rewards = if self.seat_rewards { aligned(self.rows * 2 * size_of::<f32>()) } else { 0 };
        self.views_bytes() + aligned(self.rows * size_of::<f32>()) + 2 * aligned(self.rows) + seat_rewards
    }

    fn bytes(&self) -> usize {
        let finals = if self.finals { self.views_bytes() + aligned(self.rows) } else { 0 };
        self.outputs_bytes() + finals
    }

    fn views<'a>(&self, memory: &mut &'a mut [u8]) -> Views<'a> {
        let observation = part(memory, self.observation_bytes());
        let mut signed = |bytes| bytemuck::cast_slice_mut(part(memory, bytes));
        Views {
            observation: match self.kind {
                ObservationKind::Seeds => Observations::Seeds(observation),
                ObservationKind::Normalized => {
                    Observations::Normalized { rows: bytemuck::cast_slice_mut(observation), whole: self.whole }
                }
                ObservationKind::OneHot => Observations::OneHot(bytemuck::cast_slice_mut(observation)),
            },
            action_mask: signed(self.rows * ROW),
            to_move: signed(self.rows),
            termination: signed(self.rows),
            winner: signed(self.rows),
        }
    }

    fn outputs<'a>(&self, memory: &mut &'a mut [u8]) -> Outputs<'a> {
        Outputs {
            views: self.views(memory),
            reward: bytemuck::cast_slice_mut(part(memory, self.rows * size_of::<f32>())),
            terminated: part(memory, self.rows),
            truncated: part(memory, self.rows),
            seat_rewards: if self.seat_rewards {
                Some(bytemuck::cast_slice_mut(part(memory, self.rows * 2 * size_of::<f32>())))
            } else {
                None
            },
        }
    }

    fn finals<'a>(&self, memory: &'a mut [u8]) -> Option<Finals<'a>> {
        let mut rest = memory.get_mut(self.outputs_bytes()..).filter(|_| self.finals)?;
        Some(Finals { views: self.views(&mut rest), mask: part(&mut rest, self.rows) })
    }
}

/// Makes the views that are handed out, one part of the memory after the other.
struct Parts<'a, 'py> {
    memory: &'a Bound<'py, PyArray1<u8>>,
    layout: &'a Layout,
    at: usize,
}

impl<'py> Parts<'_, 'py> {
    fn next(&mut self, dtype: &str, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let py = self.memory.py();
        let bytes = shape.iter().product::<usize>() * if dtype == "float32" { size_of::<f32>() } else { 1 };
        let part =
            self.memory.get_item(pyo3::types::PySlice::new(py, self.at as isize, (self.at + bytes) as isize, 1))?;
        self.at += aligned(bytes);
        part.call_method1("view", (dtype,))?.call_method1("reshape", (pyo3::types::PyTuple::new(py, shape)?,))
    }

    fn views(&mut self) -> PyResult<Reset<'py>> {
        let Layout { rows, kind, .. } = *self.layout;
        let observation = match kind {
            ObservationKind::Seeds => self.next("uint8", &[rows, PLANES]),
            ObservationKind::Normalized => self.next("float32", &[rows, PLANES]),
            ObservationKind::OneHot => self.next("float32", &[rows, PLANES, COLUMNS]),
        };
        let info = PyDict::new(self.memory.py());
        info.set_item("action_mask", self.next("int8", &[rows, ROW])?)?;
        for name in ["to_move", "termination", "winner"] {
            info.set_item(name, self.next("int8", &[rows])?)?;
        }
        Ok((observation?, info))
    }
}

impl Held {
    pub(super) fn new(py: Python<'_>, config: &Config, rows: usize) -> PyResult<Self> {
        let layout = Layout::new(config, rows);
        let memory = PyArray1::<u8>::zeros(py, layout.bytes(), false);
        let mut parts = Parts { memory: &memory, layout: &layout, at: 0 };
        let (observation, info) = parts.views()?;
        let reward = parts.next("float32", &[rows])?;
        let terminated = parts.next("bool", &[rows])?;
        let truncated = parts.next("bool", &[rows])?;
        if config.seat_rewards {
            info.set_item("seat_rewards", parts.next("float32", &[rows, 2])?)?;
        }
        let mut with_finals = None;
        if config.shows_finals() {
            let (final_obs, final_info) = parts.views()?;
            if let Some(seat_rewards) = info.get_item("seat_rewards")? {
                final_info.set_item("seat_rewards", seat_rewards)?;
            }
            let all = info.copy()?;
            add_finals(&all, final_obs, final_info.clone(), parts.next("bool", &[rows])?)?;
            with_finals = Some((all.unbind(), final_info.unbind()));
        }
        Ok(Self {
            observation: observation.unbind(),
            reward: reward.unbind(),
            terminated: terminated.unbind(),
            truncated: truncated.unbind(),
            info: info.unbind(),
            with_finals,
            memory: memory.unbind(),
            layout,
        })
    }

    /// Borrows the memory, to be filled.
    pub(super) fn borrow<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<Filling<'a, 'py>> {
        let memory = self.memory.bind(py).try_readwrite().map_err(|_| altered())?;
        if memory.len() == self.layout.bytes() { Ok(Filling { held: self, memory }) } else { Err(altered()) }
    }

    /// What a reset returns.
    pub(super) fn reset<'py>(&self, py: Python<'py>) -> PyResult<Reset<'py>> {
        // A dict of its own, since wrappers add to it.
        Ok((self.observation.bind(py).clone(), self.info.bind(py).copy()?))
    }
}

fn altered() -> PyErr {
    PyValueError::new_err("the base of an array of this environment (copy=False) was altered")
}

/// The arrays while they are filled.
pub(super) struct Filling<'a, 'py> {
    held: &'a Held,
    memory: PyReadwriteArray<'py, u8, Ix1>,
}

impl<'py> Filling<'_, 'py> {
    /// All that a step fills.
    pub(super) fn outputs(&mut self) -> PyResult<Outputs<'_>> {
        let mut memory = self.memory.as_slice_mut().map_err(|_| altered())?;
        Ok(self.held.layout.outputs(&mut memory))
    }

    /// What a step returns.
    pub(super) fn step(mut self, py: Python<'py>, env: &Env) -> PyResult<Step<'py>> {
        let held = self.held;
        let mut finals = env.finals().peekable();
        let info = match &held.with_finals {
            Some((all, final_info)) if finals.peek().is_some() => {
                let memory = self.memory.as_slice_mut().map_err(|_| altered())?;
                if let Some(Finals { mut views, mask }) = held.layout.finals(memory) {
                    mask.fill(0);
                    for last in finals {
                        views.write_final(last);
                        mask[last.row] = 1;
                    }
                }
                let info = all.bind(py).copy()?;
                info.set_item(pyo3::intern!(py, "final_info"), final_info.bind(py).copy()?)?;
                info
            }
            _ => held.info.bind(py).copy()?,
        };
        let view = |array: &Py<PyAny>| array.bind(py).clone();
        Ok((view(&held.observation), view(&held.reward), view(&held.terminated), view(&held.truncated), info))
    }
}
