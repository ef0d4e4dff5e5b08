//! The Python module: classes convert what they are given, call the core and convert what it answers.
//!
//! Every class is frozen and guards what changes with a lock, so the module runs without the global interpreter lock.
//! No lock is held while Python code runs.

mod convert;
mod endgame;
mod env;
mod env_arguments;
mod env_arrays;
mod env_extras;
mod env_held;
mod env_rollout;
mod error;
mod game;
mod kernels;
mod mcts;
mod network;
mod opponents;
mod perft;
mod player;
mod playouts;
mod recycled;
mod rules;
mod search;
mod signals;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::position::Termination;

/// The compiled part of `oware`; import its names from `oware`.
#[pymodule(gil_used = false)]
fn _oware(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    load_numpy(py)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::register(module)?;

    module.add_class::<rules::PyRules>()?;
    module.add("RULE_SETS", rules::rule_sets(py)?)?;

    module.add_class::<game::PyGame>()?;
    module.add_class::<env::PyEnv>()?;
    module.add_class::<endgame::PyEndgame>()?;
    module.add_class::<search::PyStop>()?;
    module.add_class::<mcts::PyMcts>()?;
    module.add_class::<network::PyNetwork>()?;
    module.add_class::<player::PyPlayer>()?;
    let endings = Termination::ALL.iter().map(|ending| ending.name());
    module.add("TERMINATIONS", PyTuple::new(py, std::iter::once("going_on").chain(endings).collect::<Vec<_>>())?)?;
    module.add_function(wrap_pyfunction!(env::count, module)?)?;
    module.add_function(wrap_pyfunction!(kernels::cpu_features, module)?)?;
    module.add_function(wrap_pyfunction!(perft::perft, module)?)?;
    module.add_function(wrap_pyfunction!(playouts::playouts, module)?)?;
    module.add_function(wrap_pyfunction!(search::alpha_beta, module)?)?;
    module.add_function(wrap_pyfunction!(search::best_moves, module)?)?;
    module.add_function(wrap_pyfunction!(search::static_value, module)?)?;
    Ok(())
}

/// Has numpy's interface looked up now: later, where an interrupt may be waiting, a failure would be a panic.
fn load_numpy(py: Python<'_>) -> PyResult<()> {
    py.import("numpy")?;
    PyArray1::<u8>::zeros(py, 0, false).try_readonly()?;
    Ok(())
}
