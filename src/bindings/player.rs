//! A network as an opponent that the core plays.

use std::sync::Arc;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::endgame::PyEndgame;
use super::network::PyNetwork;
use crate::env::NetworkPlayer;
use crate::search::Probe;

/// A network and how it plays; `oware._opponents` makes it.
#[pyclass(name = "PlayerCore", module = "oware._oware", frozen)]
pub(crate) struct PyPlayer {
    pub(super) player: NetworkPlayer,
    /// What it was made of, to be pickled.
    source: Py<PyAny>,
}

#[pymethods]
impl PyPlayer {
    #[new]
    fn new(
        network: &Bound<'_, PyNetwork>,
        simulations: u32,
        temperature: f32,
        endgame: Option<&Bound<'_, PyEndgame>>,
        name: &str,
        source: Py<PyAny>,
    ) -> Self {
        let player = NetworkPlayer::new(network.get().network(), simulations, temperature).named(name);
        let player = match endgame {
            Some(endgame) => player.aided_by(Arc::clone(&endgame.get().database) as Arc<dyn Probe>),
            None => player,
        };
        Self { player, source }
    }

    /// What it was made of.
    #[getter]
    fn source(&self, py: Python<'_>) -> Py<PyAny> {
        self.source.clone_ref(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.source)
    }
}
