//! Arrays that nobody else has: as good as fresh ones, and mostly old ones.
//!
//! A [`Recycler`] remembers the last arrays that it gave away. One of them is given away again when nobody holds it any
//! more, which its reference count tells: a view, a tensor or a buffer over its memory holds it. Where the count does
//! not tell (a free-threaded Python, or one that does not count), every array is a new one.
//!
//! ```text
//! take: for each array remembered
//!           if only this recycler refers to it, not even weakly, and it is as it was made: that one
//!       otherwise a new one, remembered in the place of the oldest
//! ```
//!
//! This is the room for what is unsafe here: to read an array's header, and to write to an array without asking
//! rust-numpy whether anyone else does so, which takes longer than writing a thousand bytes. The contract: an
//! [`Own`] is the only way to its array until it is handed out, as Python code has no reference to it.

#![allow(unsafe_code, reason = "the header of an array, and its memory while nobody else knows it, in no other way")]

use std::ffi::c_int;

use numpy::ndarray::Dimension;
use numpy::npyffi::{PyArray_Descr, PyArrayObject, npy_intp};
use numpy::{Element, PyArray, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::{ffi, intern};

/// How many arrays are remembered: the one that the caller still has while the next is filled, and that next one.
pub(super) const REMEMBERED: usize = 2;
/// The most dimensions of an array here.
const DIMENSIONS: usize = 3;

/// Gives away arrays of one shape and dtype.
pub(super) struct Recycler<T, D> {
    dimensions: D,
    /// Whether reference counts tell who holds an array.
    counts_tell: bool,
    remembered: [Option<Remembered<T, D>>; REMEMBERED],
    oldest: usize,
    /// The header of the first array that was made to be renewed.
    model: Option<Header>,
}

/// An array that was given away, and its header as it was then.
struct Remembered<T, D> {
    array: Py<PyArray<T, D>>,
    header: Header,
}

/// What Python code can change about an array without making another one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Header {
    data: *mut std::ffi::c_char,
    descr: *mut PyArray_Descr,
    flags: c_int,
    dimension_count: usize,
    dimensions: [npy_intp; DIMENSIONS],
    strides: [npy_intp; DIMENSIONS],
    weak_references: bool,
}

// SAFETY: the pointers are compared and never followed.
unsafe impl Send for Header {}

impl Header {
    fn of(array: &Bound<'_, PyUntypedArray>) -> Self {
        let (mut dimensions, mut strides) = ([-1; DIMENSIONS], [-1; DIMENSIONS]);
        for ((slot, stride_slot), (&length, &stride)) in
            dimensions.iter_mut().zip(&mut strides).zip(array.shape().iter().zip(array.strides()))
        {
            (*slot, *stride_slot) = (length as npy_intp, stride as npy_intp);
        }
        // SAFETY: the pointer is that of a live array, whose fields are read under the global lock.
        let fields = unsafe { &(*array.as_ptr().cast::<PyArrayObject>()).fields };
        Self {
            data: fields.data,
            descr: fields.descr,
            flags: fields.flags,
            dimension_count: array.ndim(),
            dimensions,
            strides,
            weak_references: !fields.weakreflist.is_null(),
        }
    }
}

impl<T: Element, D: Dimension> Remembered<T, D> {
    /// Whether nobody else holds the array and it is as it was made.
    fn is_free(&self, py: Python<'_>) -> bool {
        let array = self.array.bind(py);
        has_one_reference(array) && Header::of(array.as_untyped()) == self.header
    }
}

fn has_one_reference<T>(object: &Bound<'_, T>) -> bool {
    // SAFETY: the pointer is that of a live object.
    unsafe { ffi::Py_REFCNT(object.as_ptr()) == 1 }
}

impl<T: Element, D: Dimension> Recycler<T, D> {
    pub(super) fn new(py: Python<'_>, dimensions: D) -> PyResult<Self> {
        Ok(Self {
            dimensions,
            counts_tell: counts_tell(py)?,
            remembered: [const { None }; REMEMBERED],
            oldest: 0,
            model: None,
        })
    }

    /// An array that nobody else has, with whatever is in it.
    pub(super) fn take<'py>(&mut self, py: Python<'py>) -> Own<'py, T, D> {
        let dimensions = self.dimensions.clone();
        match self.find(py) {
            Some(own) => own,
            None => self.remember(PyArray::zeros(py, dimensions, false)),
        }
    }

    /// As [`Self::take`], with something else than zeros to make a new one.
    pub(super) fn take_or<'py>(
        &mut self,
        py: Python<'py>,
        make: impl FnOnce() -> PyResult<Bound<'py, PyArray<T, D>>>,
    ) -> PyResult<Own<'py, T, D>> {
        match self.find(py) {
            Some(own) => Ok(own),
            None => Ok(self.remember(make()?)),
        }
    }

    /// The object itself where it is such an array, as it was made, and the caller alone has it; otherwise a new array.
    ///
    /// Neither is remembered: it is for the caller to bring it again.
    pub(super) fn renew<'py>(&mut self, py: Python<'py>, object: Bound<'py, PyAny>) -> Own<'py, T, D> {
        if let Some(model) = &self.model
            && self.counts_tell
            && has_one_reference(&object)
            && let Ok(array) = object.cast_into_exact::<PyUntypedArray>()
            && (Header { data: model.data, ..Header::of(&array) }) == *model
        {
            // SAFETY: the header says that it is an array of this dtype and these dimensions.
            return Own { array: unsafe { array.into_any().cast_into_unchecked() } };
        }
        let array = PyArray::zeros(py, self.dimensions.clone(), false);
        self.model.get_or_insert_with(|| Header::of(array.as_untyped()));
        Own { array }
    }

    fn find<'py>(&self, py: Python<'py>) -> Option<Own<'py, T, D>> {
        let free = self.remembered.iter().flatten().find(|remembered| remembered.is_free(py))?;
        Some(Own { array: free.array.bind(py).clone() })
    }

    fn remember<'py>(&mut self, array: Bound<'py, PyArray<T, D>>) -> Own<'py, T, D> {
        if self.counts_tell {
            self.remembered[self.oldest] =
                Some(Remembered { header: Header::of(array.as_untyped()), array: array.clone().unbind() });
            self.oldest = (self.oldest + 1) % REMEMBERED;
        }
        Own { array }
    }
}

/// An array that nobody else has.
pub(super) struct Own<'py, T, D> {
    array: Bound<'py, PyArray<T, D>>,
}

/// What the elements of an array are whatever was written to it.
///
/// # Safety
///
/// All that Python code can leave in an array of this dtype is a value of this type.
pub(super) unsafe trait Lasting: Element {}

// SAFETY: any bits are a number.
unsafe impl Lasting for u8 {}
// SAFETY: any bits are a number.
unsafe impl Lasting for i8 {}
// SAFETY: any bits are a number.
unsafe impl Lasting for f32 {}
// SAFETY: NumPy lets nothing but objects into an array of objects, and gives no view of their addresses.
unsafe impl Lasting for Py<PyAny> {}

impl<T: Lasting, D: Dimension> Own<'_, T, D> {
    /// Its elements, row by row.
    pub(super) fn elements(&mut self) -> &mut [T] {
        // SAFETY: the array is one of `zeros` or its like, unaltered: contiguous, aligned, initialised and the owner
        // of its memory; nobody else can reach it before `hand_out`, which takes `self`.
        unsafe { std::slice::from_raw_parts_mut(self.array.data(), self.array.len()) }
    }
}

impl<D: Dimension> Own<'_, bool, D> {
    /// Its elements, row by row, as bytes, to be 0 or 1: a view of another dtype may have left any others there.
    pub(super) fn flags(&mut self) -> &mut [u8] {
        // SAFETY: as in `elements`, and a flag takes a byte.
        unsafe { std::slice::from_raw_parts_mut(self.array.data().cast(), self.array.len()) }
    }
}

impl<'py, T: Element, D: Dimension> Own<'py, T, D> {
    /// The array, for everybody.
    pub(super) fn hand_out(self) -> Bound<'py, PyAny> {
        self.array.into_any()
    }
}

/// Whether reference counts tell who holds an object.
///
/// A free-threaded Python has a global lock for a while, as it imports some modules: that it has one now tells nothing.
fn counts_tell(py: Python<'_>) -> PyResult<bool> {
    let sys = py.import(intern!(py, "sys"))?;
    let name = sys.getattr(intern!(py, "implementation"))?.getattr(intern!(py, "name"))?;
    let version = sys.getattr(intern!(py, "version"))?;
    Ok(name.eq(intern!(py, "cpython"))? && !version.contains(intern!(py, "free-threading"))?)
}
