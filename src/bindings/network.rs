//! The core of `oware.Network`.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use super::env::MOST_THREADS;
use super::rules::PyRules;
use super::signals::Signals;
use super::{convert, env_arguments as arguments};
use crate::net::{
    Board, INPUTS, LARGEST_FILE, MOST_LAYERS, MOST_WIDTH, Network, NetworkError, Parameter, SEEN, Scratch, columns,
};
use crate::pit::ROW;
use crate::threads::{share_among, while_caller};

/// Boards that a thread evaluates before it looks whether to go on.
const AT_A_TIME: usize = 1024;

/// A policy-value network; `oware.Network` is what users see.
#[pyclass(name = "NetworkCore", module = "oware._oware", frozen)]
pub(crate) struct PyNetwork {
    network: Arc<Network>,
}

impl PyNetwork {
    /// The network itself.
    pub(super) fn network(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }

    fn held(network: Result<Network, NetworkError>) -> PyResult<Self> {
        network.map(|network| Self { network: Arc::new(network) }).map_err(refusal)
    }
}

fn refusal(error: NetworkError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Logits, value and margin.
type Outputs<'py> = (Bound<'py, PyAny>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f32>>);

#[pymethods]
impl PyNetwork {
    /// The version of the files that are written and read.
    #[classattr]
    const FILE_VERSION: u32 = crate::net::VERSION;
    /// The numbers that the first layer takes.
    #[classattr]
    const INPUTS: usize = INPUTS;
    /// The most bytes of a file.
    #[classattr]
    const LARGEST_FILE: u64 = LARGEST_FILE;

    /// A network that has learnt nothing.
    #[staticmethod]
    fn random(
        py: Python<'_>,
        hidden: &Bound<'_, PyAny>,
        seed: &Bound<'_, PyAny>,
        rules: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let too_long = |len| refusal(NetworkError::Layers(len));
        let width = |name: &str, width: &Bound<'_, PyAny>| arguments::count(name, width, 1, MOST_WIDTH);
        let hidden: Vec<usize> = convert::integers_as("hidden", hidden, MOST_LAYERS, too_long, width)?;
        let seed = arguments::seed("seed", seed, u64::MAX)?;
        let rules = convert::rules("rules", rules)?;
        Self::held(py.detach(|| Network::random(&hidden, seed, rules)))
    }

    /// The network of named arrays.
    #[staticmethod]
    fn from_parameters(parameters: &Bound<'_, PyDict>, rules: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = parameters.py();
        let rules = convert::rules("rules", rules)?;
        let read = parameters.iter().map(|(name, array)| {
            let name = convert::text("the name of a parameter", &name)?.to_owned();
            let shape: Vec<usize> = array.getattr("shape")?.extract()?;
            let values = arguments::floats(&format!("the parameter {name:?}"), &array, &shape)?;
            Ok(Parameter { name, shape, values })
        });
        let read = read.collect::<PyResult<Vec<_>>>()?;
        Self::held(py.detach(|| Network::new(read, rules)))
    }

    /// The network of a file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let bytes = data.as_bytes();
        Self::held(py.detach(|| Network::from_bytes(bytes)))
    }

    /// The inputs that are 1 for each observation of the kind `"seeds"`.
    #[staticmethod]
    fn columns<'py>(observation: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let py = observation.py();
        let boards: Vec<Board> = arguments::boards("observation", observation, u8::MAX)?;
        let found: Vec<i32> = py.detach(|| boards.iter().flat_map(columns).map(i32::from).collect());
        let columns = PyArray1::from_vec(py, found);
        columns.reshape([boards.len(), SEEN])
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.network.to_bytes());
        bytes.map(|bytes| PyBytes::new(py, &bytes)).map_err(refusal)
    }

    fn rules(&self) -> PyRules {
        PyRules(*self.network.rules())
    }

    fn hidden<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.network.hidden())
    }

    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for parameter in self.network.parameters() {
            let array: Bound<'py, PyArrayDyn<f32>> =
                PyArray1::from_slice(py, &parameter.values).reshape(&parameter.shape[..])?;
            named.set_item(&parameter.name, array)?;
        }
        Ok(named)
    }

    /// Evaluate observations of the kind `"seeds"`.
    fn evaluate<'py>(&self, observation: &Bound<'py, PyAny>, num_threads: &Bound<'_, PyAny>) -> PyResult<Outputs<'py>> {
        let py = observation.py();
        let threads = arguments::count("num_threads", num_threads, 1, MOST_THREADS)?;
        let boards: Vec<Board> = arguments::boards("observation", observation, u8::MAX)?;
        let mut outputs = vec![None; boards.len()];
        let (mut signals, mut raised) = (Signals::new(), None);
        let mut go_on = || raised.is_none() && signals.ask_or(&mut raised).is_continue();
        py.detach(|| {
            while_caller(&mut go_on, |goes_on| {
                let pieces = boards.chunks(AT_A_TIME).zip(outputs.chunks_mut(AT_A_TIME)).collect();
                share_among(threads, pieces, |(boards, outputs)| {
                    if goes_on() {
                        let found = self.network.evaluate(boards, &mut Scratch::default());
                        outputs.iter_mut().zip(found).for_each(|(output, found)| *output = Some(found));
                    }
                });
            })
        });
        if let Some(raised) = raised {
            return Err(raised);
        }
        let outputs = || outputs.iter().flatten();
        let logits = PyArray1::from_iter(py, outputs().flat_map(|output| output.logits));
        Ok((
            logits.reshape([boards.len(), ROW])?.into_any(),
            PyArray1::from_iter(py, outputs().map(|output| output.value)),
            PyArray1::from_iter(py, outputs().map(|output| output.margin)),
        ))
    }
}
