//! Arguments from Python, refused by name: the message says which parameter is wrong, and how.

use std::fmt;
use std::str::FromStr;

use pyo3::exceptions::{PyLookupError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use super::error::SetupError;
use super::rules::PyRules;
use crate::rules::{Rules, UnknownName};

/// An argument that may be left out, which is not the same as `None`.
pub(super) enum Given<'py> {
    Not,
    As(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::As(value.to_owned()))
    }
}

impl<'py> Given<'py> {
    /// What the argument says; `default` when it was left out.
    pub(super) fn or<T>(self, default: T, read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>) -> PyResult<T> {
        match self {
            Self::Not => Ok(default),
            Self::As(value) => read(&value),
        }
    }
}

/// An integer of any size.
pub(super) enum Integer {
    Within(i64),
    /// One beyond 64 bits, as a text that stays short.
    Beyond {
        text: String,
        negative: bool,
    },
}

impl Integer {
    /// The integer as a smaller type, if it fits.
    pub(super) fn to<T: TryFrom<i64>>(&self) -> Option<T> {
        match self {
            Self::Within(value) => T::try_from(*value).ok(),
            Self::Beyond { .. } => None,
        }
    }

    /// The nearest 64-bit integer.
    fn clamped(&self) -> i64 {
        match self {
            Self::Within(value) => *value,
            Self::Beyond { negative: true, .. } => i64::MIN,
            Self::Beyond { negative: false, .. } => i64::MAX,
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Within(value) => value.fmt(f),
            Self::Beyond { text, .. } => f.write_str(text),
        }
    }
}

/// A Python string as Rust's. To ask for it by `Display` would lose a Ctrl-C that came just before, as Python raises
/// that from its `str` and `repr`, and `Display` cannot.
pub(super) fn plain(text: PyResult<Bound<'_, PyString>>) -> PyResult<String> {
    Ok(text?.to_str()?.to_owned())
}

/// Says that `name` must be `wanted` and is of another type.
pub(super) fn wrong_type(name: &str, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match plain(value.get_type().fully_qualified_name()) {
        Ok(given) => PyTypeError::new_err(format!("{name} must be {wanted}, not {given}")),
        Err(error) => error,
    }
}

/// [`wrong_type`] for a value that could not be read, with what its own methods raised as the cause. What is not about
/// types, values and items is nothing to be explained away: an interrupt, no memory.
pub(super) fn refused(raised: PyErr, name: &str, wanted: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let py = value.py();
    let unreadable = raised.is_instance_of::<PyTypeError>(py)
        || raised.is_instance_of::<PyValueError>(py)
        || raised.is_instance_of::<PyLookupError>(py);
    if unreadable {
        let error = wrong_type(name, wanted, value);
        error.set_cause(py, Some(raised));
        return error;
    }
    raised
}

/// An integer: whatever has `__index__`, numpy's integers too, but no bool.
pub(super) fn integer(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Integer> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, "an int", value));
    }
    match value.extract::<i64>() {
        Ok(value) => Ok(Integer::Within(value)),
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
            let index = value.call_method0("__index__")?;
            let text = plain(py.import("oware._counts")?.call_method1("told", (&index,))?.str())?;
            Ok(Integer::Beyond { text, negative: index.lt(0)? })
        }
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Err(wrong_type(name, "an int", value)),
        Err(error) => Err(error),
    }
}

/// [`integer`], cut off at 64 bits: for counts of seeds and seats, where any such number is out of range.
pub(super) fn clamped(name: &str, value: &Bound<'_, PyAny>) -> PyResult<i64> {
    Ok(integer(name, value)?.clamped())
}

/// The integers of a sequence or a one-dimensional array, each [`clamped`].
pub(super) fn integers(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    /// A longer sequence is not read: it is wrong already.
    const LONGEST: usize = 1000;

    let too_long = |len| SetupError::new_err(format!("{len} {name}, far too many"));
    integers_as(name, value, LONGEST, too_long, clamped)
}

/// The integers of a sequence or a one-dimensional array, each read by its name; of more than `most` none is read.
pub(super) fn integers_as<T>(
    name: &str,
    value: &Bound<'_, PyAny>,
    most: usize,
    too_long: impl FnOnce(usize) -> PyErr,
    read: impl Fn(&str, &Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let wanted = "a sequence of ints";
    if value.is_instance_of::<PyString>() {
        return Err(wrong_type(name, wanted, value));
    }
    let len = value.len().map_err(|error| refused(error, name, wanted, value))?;
    if len > most {
        return Err(too_long(len));
    }
    (0..len)
        .map(|index| {
            let item = value.get_item(index).map_err(|error| refused(error, name, wanted, value))?;
            read(&format!("{name}[{index}]"), &item)
        })
        .collect()
}

/// A bool, Python's or numpy's.
pub(super) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| wrong_type(name, "a bool", value))
}

/// A text.
pub(super) fn text<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    value.cast::<PyString>().map_err(|_| wrong_type(name, "a str", value))?.to_str()
}

/// The value of an enum that a word names.
pub(super) fn named<T: FromStr<Err = UnknownName>>(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    text(name, value)?.parse().map_err(|error| misspelt(value.py(), UnknownName { what: name, ..error }))
}

/// A rule set or the name of one.
pub(super) fn rules(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Rules> {
    if let Ok(rules) = value.cast::<PyRules>() {
        return Ok(rules.get().0);
    }
    if !value.is_instance_of::<PyString>() {
        return Err(wrong_type(name, "the name of a rule set or an oware.Rules", value));
    }
    Rules::named(text(name, value)?).map_err(|error| misspelt(value.py(), error))
}

/// The error for an unknown name, with the known one that is spelt most like it.
fn misspelt(py: Python<'_>, error: UnknownName) -> PyErr {
    let closest = || -> PyResult<Option<String>> {
        let matches = py.import("difflib")?.call_method1("get_close_matches", (&error.name, &error.known, 1))?;
        matches.try_iter()?.next().transpose()?.map(|word| word.extract()).transpose()
    };
    match closest() {
        Ok(Some(word)) => PyValueError::new_err(format!("{error}; did you mean {word:?}?")),
        Ok(None) => error.into(),
        Err(error) => error,
    }
}
