//! `oware.perft`.

use std::ops::ControlFlow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::convert;
use super::game::PyGame;
use super::signals::Signals;
use crate::perft::perft_while;

/// The recursion is as deep as this; no count near it ever ends, but a line of forced moves may be that long.
const DEEPEST: u32 = 1000;

/// Count the lines of `depth` plies from a game's position.
///
/// Repetition and the ply limit are off; a finished position has no children. This is the usual
/// test of a move generator: two programs that follow the same rules count the same lines.
///
/// `depth` is 0 to 1000. Other threads run meanwhile and Ctrl-C interrupts. Raises `TypeError` and
/// `ValueError` for arguments of the wrong type or out of range.
///
/// >>> import oware
/// >>> [oware.perft(oware.Game(), depth) for depth in range(6)]
/// [1, 6, 36, 190, 1014, 5219]
#[pyfunction]
pub(super) fn perft(game: &Bound<'_, PyAny>, depth: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = game.py();
    let root = game.cast::<PyGame>().map_err(|_| convert::wrong_type("game", "an oware.Game", game))?.get().snapshot();
    let depth = convert::integer("depth", depth)?;
    let Some(plies) = depth.to().filter(|&plies| plies <= DEEPEST) else {
        return Err(PyValueError::new_err(format!("depth is {depth}; give 0 to {DEEPEST}")));
    };
    let mut signals = Signals::new();
    let counted = py.detach(|| perft_while(&root, plies, || signals.ask()));
    match counted {
        ControlFlow::Continue(lines) => Ok(lines),
        ControlFlow::Break(raised) => Err(raised),
    }
}
