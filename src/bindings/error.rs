//! The one table from the core's errors to Python's exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::endgame::EndgameError;
use crate::env::EnvError;
use crate::notation;
use crate::position::IllegalMove;
use crate::rules::UnknownName;
use crate::setup;

create_exception!(
    oware,
    IllegalMoveError,
    PyValueError,
    "A move that the rules do not allow; the message lists the legal ones.

>>> import oware
>>> oware.Game().play(6)
Traceback (most recent call last):
oware.IllegalMoveError: action 6 is not a pit from 0 to 5; legal: 0, 1, 2, 3, 4, 5"
);

create_exception!(
    oware,
    SetupError,
    PyValueError,
    "A position that cannot be set up; the message gives every reason.

>>> import oware
>>> oware.Game(pits=[4] * 11, stores=(0, -1))
Traceback (most recent call last):
oware.SetupError: 11 pits instead of 12; store of North holds -1 seeds"
);

create_exception!(
    oware,
    NotationError,
    PyValueError,
    "A text that is no position or no game.

>>> import oware
>>> oware.Game.from_transcript('Ff?')
Traceback (most recent call last):
oware.NotationError: move 3 is '?', but South is to move: A to F"
);

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("IllegalMoveError", py.get_type::<IllegalMoveError>())?;
    module.add("SetupError", py.get_type::<SetupError>())?;
    module.add("NotationError", py.get_type::<NotationError>())
}

impl From<IllegalMove> for PyErr {
    fn from(error: IllegalMove) -> Self {
        IllegalMoveError::new_err(error.to_string())
    }
}

impl From<setup::SetupError> for PyErr {
    fn from(error: setup::SetupError) -> Self {
        SetupError::new_err(error.to_string())
    }
}

impl From<notation::NotationError> for PyErr {
    fn from(error: notation::NotationError) -> Self {
        NotationError::new_err(error.to_string())
    }
}

impl From<UnknownName> for PyErr {
    fn from(error: UnknownName) -> Self {
        PyValueError::new_err(error.to_string())
    }
}

/// Gymnasium's own errors.
#[derive(Clone, Copy)]
pub(super) enum GymError {
    ResetNeeded,
    Closed,
}

/// An error of Gymnasium's, or the reason for which it cannot be had.
pub(super) fn gym(py: Python<'_>, error: GymError, message: &str) -> PyErr {
    let class = match error {
        GymError::ResetNeeded => "ResetNeeded",
        GymError::Closed => "ClosedEnvironmentError",
    };
    let raise = || py.import("gymnasium.error")?.getattr(class)?.call1((message,));
    match raise() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// An environment's refusal; what an opponent raised comes back as it was.
pub(super) fn env_error(py: Python<'_>, error: EnvError) -> PyErr {
    let message = error.to_string();
    match error {
        EnvError::Action { .. } | EnvError::Reply { .. } => IllegalMoveError::new_err(message),
        EnvError::ResetNeeded { .. } => gym(py, GymError::ResetNeeded, &message),
        EnvError::External(error) => match error.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(error) => PyRuntimeError::new_err(error.to_string()),
        },
        _ => PyValueError::new_err(message),
    }
}

/// A database's refusal.
pub(super) fn endgame_error(error: EndgameError) -> PyErr {
    let message = error.to_string();
    match error {
        EndgameError::Memory { .. } => PyMemoryError::new_err(message),
        EndgameError::Io { action, path, source } => match source.raw_os_error() {
            // With a number Python takes the class that fits, FileNotFoundError and the like.
            Some(number) => {
                let said = source.to_string();
                let said = said.strip_suffix(&format!(" (os error {number})")).unwrap_or(&said).to_owned();
                PyOSError::new_err((number, format!("cannot {action} the file: {said}"), path.into_os_string()))
            }
            None => PyOSError::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}
