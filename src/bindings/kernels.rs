//! The kernels of this machine, and the one that the environment variable forces.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::env::{KernelName, kernels};

/// The environment variable that forces a kernel.
const FORCED: &str = "OWARE_KERNEL";

/// The kernel that the environment variable names; none when it is not set or empty.
pub(super) fn forced() -> PyResult<Option<KernelName>> {
    match std::env::var(FORCED) {
        Ok(name) if !name.is_empty() => {
            name.parse().map(Some).map_err(|error| PyValueError::new_err(format!("{FORCED}: {error}")))
        }
        _ => Ok(None),
    }
}

/// The kernels that this machine can play batches with, the best one first.
///
/// `"avx512"`, `"avx2"` and `"sse4.1"` (x86-64) and `"neon"` (ARM) are instruction sets, `"portable"` needs none in
/// particular; these play 64 boards in lockstep. `"words"` plays one board after the other and serves small batches.
/// All give the same results. An environment takes the best one for its size; the environment variable
/// `OWARE_KERNEL` forces one, for tests.
///
/// >>> import oware
/// >>> oware.cpu_features()[-2:]
/// ('portable', 'words')
#[pyfunction]
pub(super) fn cpu_features(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, kernels().into_iter().map(KernelName::name))
}
