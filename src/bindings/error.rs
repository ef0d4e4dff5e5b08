//! The one table from the core's errors to Python's exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
