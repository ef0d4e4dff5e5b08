//! What `info` holds only where it is asked for: exact values and regrets, and who of a pool is the opponent.

use std::sync::Arc;

use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::env::ROWS_TO_DETACH;
use crate::endgame::Endgame;
use crate::env::{Env, Taken};

/// What is told beside a step.
pub(super) struct Extras {
    endgame: Option<Arc<Endgame>>,
    pooled: bool,
    numbers: [Column<f32>; 4],
    places: [Column<i8>; 2],
}

/// What of it is known before the step.
pub(super) struct Before {
    regrets: Vec<f32>,
    places: Vec<i8>,
}

impl Extras {
    pub(super) fn new(endgame: Option<Arc<Endgame>>, pooled: bool, copy: bool) -> Self {
        Self { endgame, pooled, numbers: [copy; 4].map(Column::new), places: [copy; 2].map(Column::new) }
    }

    /// From now on who of a pool is the opponent is told, if it was not.
    pub(super) const fn tell_opponents(&mut self, pooled: bool) {
        self.pooled |= pooled;
    }

    /// Whether it is.
    pub(super) const fn tells_opponents(&self) -> bool {
        self.pooled
    }

    /// What values are told by, if they are.
    pub(super) const fn endgame(&self) -> Option<&Arc<Endgame>> {
        self.endgame.as_ref()
    }

    const fn are_none(&self) -> bool {
        self.endgame.is_none() && !self.pooled
    }

    /// Tells what a step that is about to be played will give away.
    pub(super) fn before(&self, py: Python<'_>, taken: &Taken<'_>, rows: usize) -> PyResult<Before> {
        let mut before = Before { regrets: Vec::new(), places: Vec::new() };
        if self.are_none() {
            return Ok(before);
        }
        self.numbers.iter().try_for_each(|column| column.check(py))?;
        self.places.iter().try_for_each(|column| column.check(py))?;
        if let Some(endgame) = &self.endgame {
            before.regrets.resize(rows, f32::NAN);
            detached(py, rows, || taken.write_regrets(&**endgame, &mut before.regrets));
        }
        if self.pooled {
            before.places.resize(rows, 0);
            taken.write_places(&mut before.places);
        }
        Ok(before)
    }

    /// Adds what is told after a step.
    pub(super) fn add_to_step(
        &mut self,
        py: Python<'_>,
        env: &Env,
        before: &Before,
        info: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        if self.are_none() {
            return Ok(());
        }
        self.add(py, env, &before.regrets, info)?;
        match info.get_item(intern!(py, "final_info"))? {
            Some(final_info) => self.add_finals(py, env, before, info, &final_info),
            None => Ok(()),
        }
    }

    /// Adds what is told after a reset.
    pub(super) fn add_to_reset(&mut self, py: Python<'_>, env: &Env, info: &Bound<'_, PyDict>) -> PyResult<()> {
        if self.are_none() {
            return Ok(());
        }
        self.add(py, env, &vec![f32::NAN; env.len()], info)
    }

    fn add(&mut self, py: Python<'_>, env: &Env, regrets: &[f32], info: &Bound<'_, PyDict>) -> PyResult<()> {
        if let Some(endgame) = &self.endgame {
            let mut values = vec![0.0; env.len()];
            detached(py, env.len(), || env.write_values(&**endgame, &mut values));
            info.set_item(intern!(py, "value"), self.numbers[0].hand_out(py, &values)?)?;
            info.set_item(intern!(py, "regret"), self.numbers[1].hand_out(py, regrets)?)?;
        }
        if self.pooled {
            let mut places = vec![0; env.len()];
            env.write_places(&mut places);
            info.set_item(intern!(py, "opponent"), self.places[0].hand_out(py, &places)?)?;
        }
        Ok(())
    }

    /// Adds what is told of rows that the step has finished and reset, with a mask beside each.
    fn add_finals(
        &mut self,
        py: Python<'_>,
        env: &Env,
        before: &Before,
        info: &Bound<'_, PyDict>,
        final_info: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let finished = info.get_item(intern!(py, "_final_info"))?;
        if let Some(endgame) = &self.endgame {
            let mut values = vec![0.0; env.len()];
            for last in env.finals() {
                values[last.row] = last.value(&**endgame);
            }
            final_info.set_item(intern!(py, "value"), self.numbers[2].hand_out(py, &values)?)?;
            final_info.set_item(intern!(py, "_value"), &finished)?;
            final_info.set_item(intern!(py, "regret"), self.numbers[3].hand_out(py, &before.regrets)?)?;
            final_info.set_item(intern!(py, "_regret"), &finished)?;
        }
        if self.pooled {
            final_info.set_item(intern!(py, "opponent"), self.places[1].hand_out(py, &before.places)?)?;
            final_info.set_item(intern!(py, "_opponent"), finished)?;
        }
        Ok(())
    }
}

/// Does what many rows take their time for while other threads run.
fn detached(py: Python<'_>, rows: usize, work: impl FnOnce() + Send) {
    if rows >= ROWS_TO_DETACH { py.detach(work) } else { work() }
}

/// The numbers of all rows as an array, a fresh one at each step or always the same.
struct Column<T> {
    copy: bool,
    /// With `copy=False`: the memory and the view of it that is handed out, so that it can still be filled when
    /// somebody has given the view another shape or dtype or made it read-only.
    held: Option<(Py<PyArray1<T>>, Py<PyAny>)>,
}

impl<T: Element + Copy> Column<T> {
    const fn new(copy: bool) -> Self {
        Self { copy, held: None }
    }

    fn hand_out<'py>(&mut self, py: Python<'py>, numbers: &[T]) -> PyResult<Bound<'py, PyAny>> {
        if self.copy {
            return Ok(PyArray1::from_slice(py, numbers).into_any());
        }
        if let Some((memory, view)) = &self.held {
            let mut memory = memory.bind(py).try_readwrite().map_err(|_| altered())?;
            let memory = memory.as_slice_mut().map_err(|_| altered())?;
            if memory.len() != numbers.len() {
                return Err(altered());
            }
            memory.copy_from_slice(numbers);
            return Ok(view.bind(py).clone());
        }
        let memory = PyArray1::from_slice(py, numbers);
        let view = memory.call_method0(intern!(py, "view"))?;
        self.held = Some((memory.unbind(), view.clone().unbind()));
        Ok(view)
    }

    /// Refuses memory that cannot be filled.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        match &self.held {
            Some((memory, _)) if memory.bind(py).try_readwrite().is_err() => Err(altered()),
            _ => Ok(()),
        }
    }
}

fn altered() -> PyErr {
    PyValueError::new_err("the base of an array of this environment (copy=False) was altered")
}
