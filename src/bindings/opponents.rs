//! Callables from Python as outside opponents.

use std::error::Error;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::endgame::PyEndgame;
use super::env_arguments as arguments;
use super::rules::PyRules;
use super::signals::Signals;
use super::{convert, env_arrays as arrays};
use crate::env::{Externals, MOST_EXTERNALS, Opponent, Request, UnknownOpponent, Work};
use crate::pit::ROW;
use crate::rules::Rules;
use crate::search::Probe;

/// The callables that rows of an environment may have for opponents, each under its number.
#[derive(Default)]
pub(super) struct Opponents {
    callables: Vec<Py<PyAny>>,
}

/// The seeds of the database that opponents use.
const OPPONENTS_SEEDS: u8 = 12;

impl Opponents {
    /// Shows the garbage collector what is held.
    pub(super) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.callables.iter().try_for_each(|callable| visit.call(callable))
    }

    /// How many numbers are taken.
    pub(super) fn len(&self) -> u8 {
        self.callables.len() as u8
    }

    pub(super) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { callables: self.callables.iter().map(|callable| callable.clone_ref(py)).collect() }
    }

    /// The opponent that an argument says; a callable gets the number `vacant`.
    pub(super) fn take(&mut self, value: &Bound<'_, PyAny>, vacant: Option<u8>) -> PyResult<Option<Opponent>> {
        if value.is_none() {
            return Ok(None);
        }
        if let Ok(name) = value.cast::<PyString>() {
            return named(name.to_str()?).map(Some);
        }
        if !value.is_callable() {
            return Err(convert::wrong_type("opponent", "None, a name or a callable", value));
        }
        let number = vacant.ok_or_else(|| PyValueError::new_err("too many opponents are still in their episodes"))?;
        match self.callables.get_mut(usize::from(number)) {
            Some(callable) => *callable = value.clone().unbind(),
            None => self.callables.push(value.clone().unbind()),
        }
        Ok(Some(Opponent::External(number)))
    }

    /// What [`Opponents::load`] needs: the callables, and the current opponent's number or name.
    pub(super) fn save<'py>(
        &self,
        py: Python<'py>,
        current: Option<Opponent>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let callables = PyList::new(py, self.callables.iter().map(|callable| callable.bind(py)))?;
        let current = match current {
            None => py.None().into_bound(py),
            Some(Opponent::External(number)) => number.into_pyobject(py)?.into_any(),
            Some(Opponent::Random) => PyString::new(py, "random").into_any(),
            Some(Opponent::Greedy) => PyString::new(py, "greedy").into_any(),
            Some(Opponent::Search(searcher)) => PyString::new(py, &searcher.to_string()).into_any(),
        };
        Ok((callables.into_any(), current))
    }

    pub(super) fn load(saved: &Bound<'_, PyAny>, current: &Bound<'_, PyAny>) -> PyResult<(Self, Option<Opponent>)> {
        let callables: Vec<Py<PyAny>> = saved.extract()?;
        let current = if current.is_none() {
            None
        } else if let Ok(name) = current.cast::<PyString>() {
            Some(named(name.to_str()?)?)
        } else {
            Some(Opponent::External(current.extract()?))
        };
        if callables.len() > usize::from(MOST_EXTERNALS)
            || matches!(current, Some(Opponent::External(number)) if usize::from(number) >= callables.len())
        {
            return Err(PyValueError::new_err("the saved opponents contradict each other"));
        }
        Ok((Self { callables }, current))
    }

    /// The opponents, ready to be asked.
    pub(super) fn ask<'a, 'py>(&'a self, py: Python<'py>) -> Asked<'a, 'py> {
        Asked { py, opponents: self }
    }
}

fn named(name: &str) -> PyResult<Opponent> {
    name.parse().map_err(|error: UnknownOpponent| PyValueError::new_err(error.to_string()))
}

/// The database for opponents that use one: that of the user's cache, which is built there first if need be.
pub(super) fn endgame(py: Python<'_>, rules: &Rules) -> PyResult<Arc<dyn Probe>> {
    let rules = Bound::new(py, PyRules(*rules))?;
    let loaded = py.import("oware.endgame")?.getattr("Endgame")?.call_method1("load", (OPPONENTS_SEEDS, rules))?;
    let core = loaded.getattr("_core")?;
    let core = core.cast::<PyEndgame>().map_err(|_| convert::wrong_type("endgame", "an oware.Endgame", &loaded))?;
    Ok(Arc::clone(&core.get().database) as Arc<dyn Probe>)
}

/// Opponents that are asked while the interpreter is held.
pub(super) struct Asked<'a, 'py> {
    py: Python<'py>,
    opponents: &'a Opponents,
}

impl Externals for Asked<'_, '_> {
    fn reply(&mut self, number: u8, request: &Request) -> Result<Vec<i64>, Box<dyn Error + Send + Sync>> {
        Ok(self.call(number, request)?)
    }

    fn wait_for(&mut self, work: &mut Work<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (mut signals, mut raised) = (Signals::new(), None);
        self.py.detach(|| work(&mut || raised.is_none() && signals.ask_or(&mut raised).is_continue()));
        match raised {
            Some(raised) => Err(raised.into()),
            None => Ok(()),
        }
    }
}

impl Asked<'_, '_> {
    fn call(&self, number: u8, request: &Request) -> PyResult<Vec<i64>> {
        let py = self.py;
        let callable = self
            .opponents
            .callables
            .get(usize::from(number))
            .ok_or_else(|| PyValueError::new_err(format!("there is no opponent {number}")))?;
        let rows = request.rows.len();
        let observation = arrays::observation_rows(py, &request.observations, rows)?;
        let mask = PyArray1::from_slice(py, &request.action_masks).reshape([rows, ROW])?;
        let answer = callable.bind(py).call1((observation, mask))?;
        arguments::actions("the opponent's actions", &answer, rows, <[i64]>::to_vec)
    }
}
