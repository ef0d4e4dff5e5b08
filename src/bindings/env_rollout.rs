//! The arrays of a rollout, which the caller has made.

use std::sync::Arc;

use numpy::ndarray::IxDyn;
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadwriteArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::convert;
use super::env_extras::Extras;
use crate::batch::observe::{COLUMNS, ObservationKind, Observations, PLANES};
use crate::endgame::Endgame;
use crate::env::{Config, Judged, Outputs, Rollout, Views};
use crate::pit::ROW;

type Numbers<'py, T> = PyReadwriteArray<'py, T, IxDyn>;

enum ObservationNumbers<'py> {
    Seeds(Numbers<'py, u8>),
    Normalized { rows: Numbers<'py, f32>, whole: f32 },
    OneHot(Numbers<'py, f32>),
}

/// All arrays of a rollout, borrowed.
pub(super) struct RolloutArrays<'py> {
    observation: ObservationNumbers<'py>,
    action_mask: Numbers<'py, i8>,
    to_move: Numbers<'py, i8>,
    actions: Numbers<'py, i64>,
    reward: Numbers<'py, f32>,
    terminated: Numbers<'py, u8>,
    truncated: Numbers<'py, u8>,
    termination: Numbers<'py, i8>,
    winner: Numbers<'py, i8>,
    seat_rewards: Option<Numbers<'py, f32>>,
    places: Option<Numbers<'py, i8>>,
    judged: Option<(Arc<Endgame>, Numbers<'py, f32>, Numbers<'py, f32>)>,
}

impl<'py> RolloutArrays<'py> {
    /// The arrays by their names, for so many steps and rows.
    pub(super) fn new(
        arrays: &Bound<'py, PyDict>,
        config: &Config,
        extras: &Extras,
        steps: usize,
        rows: usize,
    ) -> PyResult<Self> {
        let observation = match config.observation {
            ObservationKind::Seeds => {
                ObservationNumbers::Seeds(numbers(arrays, "observation", &[steps, rows, PLANES])?)
            }
            ObservationKind::Normalized => ObservationNumbers::Normalized {
                rows: numbers(arrays, "observation", &[steps, rows, PLANES])?,
                whole: f32::from(config.rules.seeds_per_pit.total()),
            },
            ObservationKind::OneHot => {
                ObservationNumbers::OneHot(numbers(arrays, "observation", &[steps, rows, PLANES, COLUMNS])?)
            }
        };
        let each = [steps, rows];
        Ok(Self {
            observation,
            action_mask: numbers(arrays, "action_mask", &[steps, rows, ROW])?,
            to_move: numbers(arrays, "to_move", &each)?,
            actions: numbers(arrays, "action", &each)?,
            reward: numbers(arrays, "reward", &each)?,
            terminated: flags(arrays, "terminated", &each)?,
            truncated: flags(arrays, "truncated", &each)?,
            termination: numbers(arrays, "termination", &each)?,
            winner: numbers(arrays, "winner", &each)?,
            seat_rewards: if config.seat_rewards {
                Some(numbers(arrays, "seat_rewards", &[steps, rows, 2])?)
            } else {
                None
            },
            places: if extras.tells_opponents() { Some(numbers(arrays, "opponent", &each)?) } else { None },
            judged: match extras.endgame() {
                Some(endgame) => {
                    Some((Arc::clone(endgame), numbers(arrays, "value", &each)?, numbers(arrays, "regret", &each)?))
                }
                None => None,
            },
        })
    }

    /// Has the arrays filled.
    pub(super) fn fill<T>(&mut self, fill: impl FnOnce(Rollout<'_>) -> T) -> PyResult<T> {
        let views = Views {
            observation: match &mut self.observation {
                ObservationNumbers::Seeds(array) => Observations::Seeds(array.as_slice_mut()?),
                ObservationNumbers::Normalized { rows, whole } => {
                    Observations::Normalized { rows: rows.as_slice_mut()?, whole: *whole }
                }
                ObservationNumbers::OneHot(array) => Observations::OneHot(array.as_slice_mut()?),
            },
            action_mask: self.action_mask.as_slice_mut()?,
            to_move: self.to_move.as_slice_mut()?,
            termination: self.termination.as_slice_mut()?,
            winner: self.winner.as_slice_mut()?,
        };
        let seat_rewards = match &mut self.seat_rewards {
            Some(array) => Some(array.as_slice_mut()?),
            None => None,
        };
        let out = Outputs {
            views,
            reward: self.reward.as_slice_mut()?,
            terminated: self.terminated.as_slice_mut()?,
            truncated: self.truncated.as_slice_mut()?,
            seat_rewards,
        };
        let places = match &mut self.places {
            Some(array) => Some(array.as_slice_mut()?),
            None => None,
        };
        let judged = match &mut self.judged {
            Some((endgame, values, regrets)) => {
                Some(Judged { endgame: &**endgame, values: values.as_slice_mut()?, regrets: regrets.as_slice_mut()? })
            }
            None => None,
        };
        Ok(fill(Rollout { actions: self.actions.as_slice_mut()?, out, places, judged }))
    }
}

/// The array of a name, borrowed for writing.
fn numbers<'py, T: Element>(arrays: &Bound<'py, PyDict>, name: &str, shape: &[usize]) -> PyResult<Numbers<'py, T>> {
    borrowed(name, named(arrays, name)?, shape)
}

/// An array of flags, as the numbers 0 and 1 that the core writes.
fn flags<'py>(arrays: &Bound<'py, PyDict>, name: &str, shape: &[usize]) -> PyResult<Numbers<'py, u8>> {
    let array = named(arrays, name)?;
    drop(borrowed::<bool>(name, array.clone(), shape)?);
    borrowed(name, array.call_method1("view", ("uint8",))?, shape)
}

fn named<'py>(arrays: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    arrays.get_item(name)?.ok_or_else(|| PyValueError::new_err(format!("out has no {name}")))
}

fn borrowed<'py, T: Element>(name: &str, array: Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Numbers<'py, T>> {
    let py = array.py();
    let array = array.cast_into::<PyArrayDyn<T>>().map_err(|error| {
        let wanted = format!("a numpy array of {}", numpy::dtype::<T>(py));
        let given = error.into_inner();
        match given.getattr("dtype") {
            Ok(dtype) => PyTypeError::new_err(format!("out.{name} has dtype {dtype}; give {wanted}")),
            Err(_) => convert::wrong_type(&format!("out.{name}"), &wanted, &given),
        }
    })?;
    if array.shape() != shape {
        let tuple = |shape: &[usize]| convert::plain(PyTuple::new(py, shape)?.repr());
        let (found, wanted) = (tuple(array.shape())?, tuple(shape)?);
        return Err(PyValueError::new_err(format!("out.{name} has shape {found}, expected {wanted}")));
    }
    if !array.is_c_contiguous() || !array.is_aligned() {
        let not = if array.is_aligned() { "C-contiguous" } else { "aligned" };
        return Err(PyValueError::new_err(format!("out.{name} is not {not}; give the rollout as it was returned")));
    }
    array.try_readwrite().map_err(|_| {
        PyValueError::new_err(format!("out.{name} is read-only, or shares memory with another array of out"))
    })
}
