//! What an environment is given: counts, seeds, masks, actions, positions.

use std::fmt::Display;

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::convert;
use super::error::SetupError;
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

/// A seed for each row: those of one number, counted up, or those of a sequence.
pub(super) fn seeds(value: &Bound<'_, PyAny>, rows: usize) -> PyResult<Option<Vec<Option<u64>>>> {
    if value.is_none() {
        return Ok(None);
    }
    let most = u64::MAX - rows as u64;
    let seed = |name: &str, value: &Bound<'_, PyAny>| -> PyResult<u64> {
        let given = convert::integer(name, value)?;
        let seed = value.call_method0("__index__")?.extract::<u64>().ok();
        seed.filter(|&seed| seed <= most)
            .ok_or_else(|| PyValueError::new_err(format!("{name} is {given}; give 0 to {most}")))
    };
    if value.is_instance_of::<PyString>() {
        return Err(convert::wrong_type("seed", "None, an int or a sequence of them", value));
    }
    let Ok(length) = value.len() else {
        let first = seed("seed", value)?;
        return Ok(Some((0..rows as u64).map(|row| Some(first + row)).collect()));
    };
    if length != rows {
        return Err(PyValueError::new_err(format!("{length} seeds for {rows} environments; give one for each")));
    }
    let seeds = value.try_iter()?.enumerate().map(|(row, value)| {
        let value = value?;
        if value.is_none() { Ok(None) } else { seed(&format!("seed[{row}]"), &value).map(Some) }
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
    let array = array
        .cast::<PyArray1<bool>>()
        .map_err(|_| PyTypeError::new_err(format!("{name} has dtype {}; give bool", array.dtype())))?;
    Ok(array.try_readonly()?.as_array().to_vec())
}

/// One action a row, from whatever numpy makes an array of integers of.
pub(super) fn actions(name: &str, value: &Bound<'_, PyAny>, rows: usize, actions: &mut Vec<i64>) -> PyResult<()> {
    let array = integer_array(name, value)?;
    check_shape(name, &array, &[rows])?;
    read_integers(name, &array, actions)
}

/// The positions of the rows of `mask`, from one entry a row.
pub(super) fn positions(
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
        let mut numbers = Vec::new();
        read_integers(name, &array, &mut numbers)?;
        Ok(numbers)
    };
    let pits = table("pits", pits, &[rows, PITS])?;
    let stores = table("stores", stores, &[rows, 2])?;
    let to_move = table("to_move", to_move, &[rows])?;
    (0..rows)
        .filter(|&row| mask.is_none_or(|mask| mask[row]))
        .map(|row| {
            let setup = Setup {
                pits: pits[row * PITS..][..PITS].to_vec(),
                stores: stores[row * 2..][..2].to_vec(),
                to_move: to_move[row],
            };
            let position =
                setup.validate(rules).map_err(|error| SetupError::new_err(format!("environment {row}: {error}")))?;
            Ok((row, position))
        })
        .collect()
}

fn integer_array<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let array = match value.cast::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) => py
            .import("numpy")?
            .call_method1("asarray", (value,))
            .map_err(|_| convert::wrong_type(name, "an array of integers", value))?
            .cast_into::<PyUntypedArray>()?,
    };
    if matches!(array.dtype().kind(), b'i' | b'u') {
        Ok(array)
    } else {
        Err(PyTypeError::new_err(format!("{name} has dtype {}; give integers", array.dtype())))
    }
}

fn check_shape(name: &str, array: &Bound<'_, PyUntypedArray>, wanted: &[usize]) -> PyResult<()> {
    if array.shape() == wanted {
        return Ok(());
    }
    let tuple =
        |shape: &[usize]| -> PyResult<String> { Ok(pyo3::types::PyTuple::new(array.py(), shape)?.repr()?.to_string()) };
    Err(PyValueError::new_err(format!("{name} has shape {}, expected {}", tuple(array.shape())?, tuple(wanted)?)))
}

/// The integers of an array of any integer type, order and stride; those beyond 64 bits are cut off there.
fn read_integers(name: &str, array: &Bound<'_, PyUntypedArray>, numbers: &mut Vec<i64>) -> PyResult<()> {
    numbers.clear();
    if let Ok(array) = array.cast::<PyArray1<i64>>() {
        numbers.extend(array.try_readonly()?.as_array());
        return Ok(());
    }
    let flat = array.call_method0("ravel")?;
    if array.dtype().kind() == b'u' && array.dtype().itemsize() == 8 {
        let flat = flat.call_method1("astype", ("uint64",))?;
        let flat = flat.cast::<PyArray1<u64>>()?.try_readonly()?;
        numbers.extend(flat.as_array().iter().map(|&number| i64::try_from(number).unwrap_or(i64::MAX)));
        return Ok(());
    }
    let flat = flat.call_method1("astype", ("int64",))?;
    let flat = flat
        .cast::<PyArray1<i64>>()
        .map_err(|_| PyTypeError::new_err(format!("{name} cannot be read as 64-bit integers")))?;
    numbers.extend(flat.try_readonly()?.as_array());
    Ok(())
}
