//! What an environment is given: counts, seeds, masks, actions, positions.

use std::fmt::Display;

use numpy::{
    Element, PyArray1, PyArray2, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyString, PyTuple};

use super::convert;
use super::error::SetupError;
use crate::env::StartSeeds;
use crate::pit::PITS;
use crate::position::Position;
use crate::rules::Rules;
use crate::setup::Setup;

/// An integer between bounds.
pub(super) fn count<T>(name: &str, value: &Bound<'_, PyAny>, least: T, most: T) -> PyResult<T>
where
    T: TryFrom<i64> + PartialOrd + Display + Copy,
{
    let given = convert::integer(name, value)?;
    given
        .to()
        .filter(|&given| given >= least && given <= most)
        .ok_or_else(|| PyValueError::new_err(format!("{name} is {given}; give {least} to {most}")))
}

/// The seeds on the board at the start of episodes: a number, or a pair of the fewest and the most.
pub(super) fn start_seeds(value: &Bound<'_, PyAny>, most: u8) -> PyResult<Option<StartSeeds>> {
    let name = "start_seeds";
    if value.is_none() {
        return Ok(None);
    }
    let Ok(pair) = value.cast::<PyTuple>() else {
        let seeds = count(name, value, 1, most)
            .map_err(|error| if is_type_error(&error, value) { wrong_start(value) } else { error })?;
        return Ok(Some(StartSeeds { low: seeds, high: seeds }));
    };
    if pair.len() != 2 {
        return Err(PyValueError::new_err(format!("{name} has {} numbers; give the fewest and the most", pair.len())));
    }
    let low = count("start_seeds[0]", &pair.get_item(0)?, 1, most)?;
    Ok(Some(StartSeeds { low, high: count("start_seeds[1]", &pair.get_item(1)?, low, most)? }))
}

fn is_type_error(error: &PyErr, value: &Bound<'_, PyAny>) -> bool {
    error.is_instance_of::<PyTypeError>(value.py())
}

fn wrong_start(value: &Bound<'_, PyAny>) -> PyErr {
    convert::wrong_type("start_seeds", "None, an int or a tuple of two", value)
}

/// A seed of a random stream.
pub(super) fn seed(name: &str, value: &Bound<'_, PyAny>, most: u64) -> PyResult<u64> {
    let given = convert::integer(name, value)?;
    let seed = value.call_method0("__index__")?.extract::<u64>().ok();
    seed.filter(|&seed| seed <= most)
        .ok_or_else(|| PyValueError::new_err(format!("{name} is {given}; give 0 to {most}")))
}

/// A seed for each row: those of one number, counted up, or those of a sequence.
pub(super) fn seeds(value: &Bound<'_, PyAny>, rows: usize) -> PyResult<Option<Vec<Option<u64>>>> {
    if value.is_none() {
        return Ok(None);
    }
    let most = u64::MAX - rows as u64;
    let seed = |name: &str, value: &Bound<'_, PyAny>| seed(name, value, most);
    let wanted = "None, an int or a sequence of them";
    if value.is_instance_of::<PyString>() {
        return Err(convert::wrong_type("seed", wanted, value));
    }
    let length = match value.len() {
        Ok(length) => length,
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            let first = seed("seed", value)?;
            return Ok(Some((0..rows as u64).map(|row| Some(first + row)).collect()));
        }
        Err(error) => return Err(error),
    };
    if length != rows {
        return Err(PyValueError::new_err(format!("{length} seeds for {rows} environments; give one for each")));
    }
    // By number, which leaves out sets: they have no order.
    let seeds = (0..rows).map(|row| {
        let item = value.get_item(row).map_err(|error| convert::refused(error, "seed", wanted, value))?;
        if item.is_none() { Ok(None) } else { seed(&format!("seed[{row}]"), &item).map(Some) }
    });
    seeds.collect::<PyResult<_>>().map(Some)
}

/// The rows that a reset is for: as Gymnasium asks, an array with at least one row.
pub(super) fn reset_mask(value: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<bool>> {
    let name = "options['reset_mask']";
    let mask = bools(name, value, rows)?;
    if mask.contains(&true) {
        Ok(mask)
    } else {
        Err(PyValueError::new_err(format!("{name} selects no environment; set at least one entry")))
    }
}

/// An array of one bool a row.
pub(super) fn bools(name: &str, value: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<bool>> {
    let array =
        value.cast::<PyUntypedArray>().map_err(|_| convert::wrong_type(name, "a numpy array of bools", value))?;
    check_shape(name, array, &[rows])?;
    if array.dtype().kind() != b'b' {
        return Err(wrong_dtype(name, "bool", array));
    }
    // A bool of numpy's may be any byte, one of Rust's only 0 and 1.
    Ok(copied::<u8>(array)?.into_iter().map(|byte| byte != 0).collect())
}

/// Does something with one action a row, from whatever numpy makes an array of integers of.
pub(super) fn actions<T>(
    name: &str,
    value: &Bound<'_, PyAny>,
    rows: usize,
    act: impl FnOnce(&[i64]) -> T,
) -> PyResult<T> {
    if let Ok(array) = value.cast::<PyArray1<i64>>()
        && array.len() == rows
        && let Ok(numbers) = array.try_readonly()?.as_slice()
    {
        return Ok(act(numbers));
    }
    let array = integer_array(name, value)?;
    check_shape(name, &array, &[rows])?;
    Ok(act(&copied_integers(&array)?))
}

/// The positions of the rows of `mask`, from one entry a row.
pub(super) fn positions(
    what: &str,
    pits: &Bound<'_, PyAny>,
    stores: &Bound<'_, PyAny>,
    to_move: &Bound<'_, PyAny>,
    mask: Option<&[bool]>,
    rows: usize,
    rules: &Rules,
) -> PyResult<Vec<(usize, Position)>> {
    let table = |name: &str, value: &Bound<'_, PyAny>, shape: &[usize]| -> PyResult<Vec<i64>> {
        let array = integer_array(name, value)?;
        check_shape(name, &array, shape)?;
        copied_integers(&array)
    };
    let pits = table("pits", pits, &[rows, PITS])?;
    let stores = table("stores", stores, &[rows, 2])?;
    let to_move = table("to_move", to_move, &[rows])?;
    let claims = pits.chunks_exact(PITS).zip(stores.chunks_exact(2)).zip(to_move);
    claims
        .enumerate()
        .filter(|&(row, _)| mask.is_none_or(|mask| mask[row]))
        .map(|(row, ((pits, stores), to_move))| {
            let setup = Setup { pits: pits.to_vec(), stores: stores.to_vec(), to_move };
            let position =
                setup.validate(rules).map_err(|error| SetupError::new_err(format!("{what} {row}: {error}")))?;
            Ok((row, position))
        })
        .collect()
}

/// Rows of small counts, from an array of integers of shape (N, `COUNTS`).
pub(super) fn boards<const COUNTS: usize>(
    name: &str,
    value: &Bound<'_, PyAny>,
    most: u8,
) -> PyResult<Vec<[u8; COUNTS]>> {
    let array = integer_array(name, value)?;
    match array.shape() {
        &[_, counts] if counts == COUNTS => {}
        _ => {
            let given = shape_of(&array)?;
            return Err(PyValueError::new_err(format!("{name} has shape {given}, expected (N, {COUNTS})")));
        }
    }
    if let Ok(array) = array.cast::<PyArray2<u8>>()
        && array.is_c_contiguous()
        && let Ok(numbers) = array.try_readonly()?.as_slice()
    {
        return Ok(numbers.as_chunks().0.to_vec());
    }
    let numbers = copied_integers(&array)?;
    let boards = numbers.as_chunks::<COUNTS>().0.iter().enumerate().map(|(row, pits)| {
        let mut board = [0; COUNTS];
        for (pit, (seeds, &given)) in board.iter_mut().zip(pits).enumerate() {
            *seeds = u8::try_from(given)
                .map_err(|_| PyValueError::new_err(format!("{name}[{row}, {pit}] is {given}; give 0 to {most}")))?;
        }
        Ok(board)
    });
    boards.collect()
}

/// The numbers of an array of floats of some shape, row by row.
pub(super) fn floats(name: &str, value: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Vec<f32>> {
    let array = as_array(name, value, "an array of floats")?;
    if array.dtype().kind() != b'f' {
        return Err(wrong_dtype(name, "floats", &array));
    }
    check_shape(name, &array, shape)?;
    copied::<f32>(&array)
}

fn integer_array<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = as_array(name, value, "an array of integers")?;
    if matches!(array.dtype().kind(), b'i' | b'u') { Ok(array) } else { Err(wrong_dtype(name, "integers", &array)) }
}

/// An array, or what numpy makes one of.
fn as_array<'py>(name: &str, value: &Bound<'py, PyAny>, wanted: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    match value.cast::<PyUntypedArray>() {
        Ok(array) => Ok(array.clone()),
        Err(_) => Ok(value
            .py()
            .import("numpy")?
            .call_method1("asarray", (value,))
            .map_err(|error| convert::refused(error, name, wanted, value))?
            .cast_into::<PyUntypedArray>()?),
    }
}

fn wrong_dtype(name: &str, wanted: &str, array: &Bound<'_, PyUntypedArray>) -> PyErr {
    match convert::plain(array.dtype().str()) {
        Ok(given) => PyTypeError::new_err(format!("{name} has dtype {given}; give {wanted}")),
        Err(error) => error,
    }
}

fn check_shape(name: &str, array: &Bound<'_, PyUntypedArray>, wanted: &[usize]) -> PyResult<()> {
    if array.shape() == wanted {
        return Ok(());
    }
    let wanted = convert::plain(PyTuple::new(array.py(), wanted)?.repr())?;
    Err(PyValueError::new_err(format!("{name} has shape {}, expected {wanted}", shape_of(array)?)))
}

/// The shape of an array as text.
fn shape_of(array: &Bound<'_, PyUntypedArray>) -> PyResult<String> {
    convert::plain(PyTuple::new(array.py(), array.shape())?.repr())
}

/// The integers of an array of any integer type, row by row; those beyond 64 bits are cut off there.
fn copied_integers(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<i64>> {
    if array.dtype().kind() == b'u' {
        let numbers = copied::<u64>(array)?;
        return Ok(numbers.into_iter().map(|number| i64::try_from(number).unwrap_or(i64::MAX)).collect());
    }
    copied::<i64>(array)
}

/// The elements of an array as another type, row by row. Numpy makes the copy, since it knows all that an array can
/// be: of any stride and byte order, out of line with memory, of a class of its own.
fn copied<T: Element>(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<T>> {
    let py = array.py();
    let how = [("order", "C")].into_py_dict(py)?;
    let copy = py.import("numpy")?.call_method("array", (array, numpy::dtype::<T>(py)), Some(&how))?;
    Ok(copy.cast::<PyArrayDyn<T>>()?.to_vec()?)
}
