//! The arrays that an environment hands out: fresh ones at every step, or such as nobody has any more. Those that are
//! handed out again and again are in [`super::env_held`].

use std::mem;

use numpy::{Ix1, Ix2, Ix3, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use super::recycled::{Own, REMEMBERED, Recycler};
use crate::batch::observe::{COLUMNS, ObservationKind, Observations, PLANES};
use crate::env::{Config, Env, Final, ObservationBuffer, Outputs, Views};
use crate::pit::{PITS, ROW};

/// What `step` returns.
pub(super) type Step<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>);

/// What `reset` returns.
pub(super) type Reset<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

/// Gives away arrays of observations.
enum ObservationRecycler {
    Seeds(Recycler<u8, Ix2>),
    Normalized { rows: Recycler<f32, Ix2>, whole: f32 },
    OneHot(Recycler<f32, Ix3>),
}

/// Gives away arrays of the observation of one row.
enum OneRecycler {
    Seeds(Recycler<u8, Ix1>),
    Normalized { row: Recycler<f32, Ix1>, whole: f32 },
    OneHot(Recycler<f32, Ix2>),
}

impl OneRecycler {
    fn new(py: Python<'_>, config: &Config) -> PyResult<Self> {
        Ok(match config.observation {
            ObservationKind::Seeds => Self::Seeds(Recycler::new(py, Ix1(PLANES))?),
            ObservationKind::Normalized => Self::Normalized {
                row: Recycler::new(py, Ix1(PLANES))?,
                whole: f32::from(config.rules.seeds_per_pit.total()),
            },
            ObservationKind::OneHot => Self::OneHot(Recycler::new(py, Ix2(PLANES, COLUMNS))?),
        })
    }

    /// The observation of a finished row, in the array of an earlier one where nobody else has it.
    fn renew<'py>(&mut self, earlier: Bound<'py, PyAny>, last: &Final) -> Bound<'py, PyAny> {
        let py = earlier.py();
        match self {
            Self::Seeds(recycler) => {
                let mut array = recycler.renew(py, earlier);
                Observations::Seeds(array.elements()).write(0, last.board);
                array.hand_out()
            }
            Self::Normalized { row, whole } => {
                let mut array = row.renew(py, earlier);
                Observations::Normalized { rows: array.elements(), whole: *whole }.write(0, last.board);
                array.hand_out()
            }
            Self::OneHot(recycler) => {
                let mut array = recycler.renew(py, earlier);
                Observations::OneHot(array.elements()).write(0, last.board);
                array.hand_out()
            }
        }
    }
}

/// Observations as an array.
enum ObservationArray<'py> {
    Seeds(Own<'py, u8, Ix2>),
    Normalized { rows: Own<'py, f32, Ix2>, whole: f32 },
    OneHot(Own<'py, f32, Ix3>),
}

impl ObservationRecycler {
    fn new(py: Python<'_>, config: &Config, rows: usize) -> PyResult<Self> {
        Ok(match config.observation {
            ObservationKind::Seeds => Self::Seeds(Recycler::new(py, Ix2(rows, PLANES))?),
            ObservationKind::Normalized => Self::Normalized {
                rows: Recycler::new(py, Ix2(rows, PLANES))?,
                whole: f32::from(config.rules.seeds_per_pit.total()),
            },
            ObservationKind::OneHot => Self::OneHot(Recycler::new(py, Ix3(rows, PLANES, COLUMNS))?),
        })
    }

    fn take<'py>(&mut self, py: Python<'py>) -> ObservationArray<'py> {
        match self {
            Self::Seeds(rows) => ObservationArray::Seeds(rows.take(py)),
            Self::Normalized { rows, whole } => ObservationArray::Normalized { rows: rows.take(py), whole: *whole },
            Self::OneHot(rows) => ObservationArray::OneHot(rows.take(py)),
        }
    }
}

impl<'py> ObservationArray<'py> {
    fn rows(&mut self) -> Observations<'_> {
        match self {
            Self::Seeds(array) => Observations::Seeds(array.elements()),
            Self::Normalized { rows, whole } => Observations::Normalized { rows: rows.elements(), whole: *whole },
            Self::OneHot(array) => Observations::OneHot(array.elements()),
        }
    }

    fn hand_out(self) -> Bound<'py, PyAny> {
        match self {
            Self::Seeds(array) => array.hand_out(),
            Self::Normalized { rows, .. } => rows.hand_out(),
            Self::OneHot(array) => array.hand_out(),
        }
    }
}

/// Gives away what `info` says of each row.
struct InfoRecycler {
    action_mask: Recycler<i8, Ix2>,
    to_move: Recycler<i8, Ix1>,
    termination: Recycler<i8, Ix1>,
    winner: Recycler<i8, Ix1>,
    seat_rewards: Option<Recycler<f32, Ix2>>,
}

/// What `info` says of each row, as arrays.
struct InfoArrays<'py> {
    action_mask: Own<'py, i8, Ix2>,
    to_move: Own<'py, i8, Ix1>,
    termination: Own<'py, i8, Ix1>,
    winner: Own<'py, i8, Ix1>,
    seat_rewards: Option<Own<'py, f32, Ix2>>,
}

impl InfoRecycler {
    fn new(py: Python<'_>, config: &Config, rows: usize) -> PyResult<Self> {
        Ok(Self {
            action_mask: Recycler::new(py, Ix2(rows, ROW))?,
            to_move: Recycler::new(py, Ix1(rows))?,
            termination: Recycler::new(py, Ix1(rows))?,
            winner: Recycler::new(py, Ix1(rows))?,
            seat_rewards: if config.seat_rewards { Some(Recycler::new(py, Ix2(rows, 2))?) } else { None },
        })
    }

    fn take<'py>(&mut self, py: Python<'py>) -> InfoArrays<'py> {
        InfoArrays {
            action_mask: self.action_mask.take(py),
            to_move: self.to_move.take(py),
            termination: self.termination.take(py),
            winner: self.winner.take(py),
            seat_rewards: self.seat_rewards.as_mut().map(|recycler| recycler.take(py)),
        }
    }
}

impl<'py> InfoArrays<'py> {
    fn hand_out(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(intern!(py, "action_mask"), self.action_mask.hand_out())?;
        info.set_item(intern!(py, "to_move"), self.to_move.hand_out())?;
        info.set_item(intern!(py, "termination"), self.termination.hand_out())?;
        info.set_item(intern!(py, "winner"), self.winner.hand_out())?;
        if let Some(seat_rewards) = self.seat_rewards {
            info.set_item(intern!(py, "seat_rewards"), seat_rewards.hand_out())?;
        }
        Ok(info)
    }
}

/// Gives away the arrays of every step.
pub(super) struct Fresh {
    observation: ObservationRecycler,
    info: InfoRecycler,
    reward: Recycler<f32, Ix1>,
    terminated: Recycler<bool, Ix1>,
    truncated: Recycler<bool, Ix1>,
    finals: FinalRecycler,
}

/// The arrays of one step, to be filled and handed out.
pub(super) struct StepArrays<'a, 'py> {
    observation: ObservationArray<'py>,
    info: InfoArrays<'py>,
    reward: Own<'py, f32, Ix1>,
    terminated: Own<'py, bool, Ix1>,
    truncated: Own<'py, bool, Ix1>,
    finals: &'a mut FinalRecycler,
    py: Python<'py>,
}

impl Fresh {
    pub(super) fn new(py: Python<'_>, config: &Config, rows: usize) -> PyResult<Self> {
        Ok(Self {
            observation: ObservationRecycler::new(py, config, rows)?,
            info: InfoRecycler::new(py, config, rows)?,
            reward: Recycler::new(py, Ix1(rows))?,
            terminated: Recycler::new(py, Ix1(rows))?,
            truncated: Recycler::new(py, Ix1(rows))?,
            finals: FinalRecycler::new(py, config, rows)?,
        })
    }

    pub(super) fn take<'py>(&mut self, py: Python<'py>) -> StepArrays<'_, 'py> {
        StepArrays {
            observation: self.observation.take(py),
            info: self.info.take(py),
            reward: self.reward.take(py),
            terminated: self.terminated.take(py),
            truncated: self.truncated.take(py),
            finals: &mut self.finals,
            py,
        }
    }
}

impl<'py> StepArrays<'_, 'py> {
    /// All that a step fills.
    pub(super) fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            views: Views {
                observation: self.observation.rows(),
                action_mask: self.info.action_mask.elements(),
                to_move: self.info.to_move.elements(),
                termination: self.info.termination.elements(),
                winner: self.info.winner.elements(),
            },
            reward: self.reward.elements(),
            terminated: self.terminated.flags(),
            truncated: self.truncated.flags(),
            seat_rewards: self.info.seat_rewards.as_mut().map(Own::elements),
        }
    }

    /// What a reset returns.
    pub(super) fn reset(self) -> PyResult<Reset<'py>> {
        Ok((self.observation.hand_out(), self.info.hand_out(self.py)?))
    }

    /// What a step returns; final observations are Gymnasium's array of objects.
    pub(super) fn step(mut self, env: &Env) -> PyResult<Step<'py>> {
        let py = self.py;
        let finals = if env.finals().next().is_some() {
            Some(self.finals.take(py, env, self.info.seat_rewards.as_mut().map(Own::elements))?)
        } else {
            None
        };
        let info = self.info.hand_out(py)?;
        if let Some(Finals { observations, info: final_info, mask }) = finals {
            add_finals(&info, observations, final_info, mask)?;
        }
        Ok((
            self.observation.hand_out(),
            self.reward.hand_out(),
            self.terminated.hand_out(),
            self.truncated.hand_out(),
            info,
        ))
    }
}

/// Gives away the arrays that tell of finished rows.
struct FinalRecycler {
    observations: Recycler<Py<PyAny>, Ix1>,
    one: OneRecycler,
    info: InfoRecycler,
    mask: Recycler<bool, Ix1>,
    /// The rows that the last steps have finished: as many steps as arrays are remembered.
    rows: [Vec<usize>; REMEMBERED],
}

/// What is told of finished rows.
struct Finals<'py> {
    observations: Bound<'py, PyAny>,
    info: Bound<'py, PyDict>,
    mask: Bound<'py, PyAny>,
}

impl FinalRecycler {
    fn new(py: Python<'_>, config: &Config, rows: usize) -> PyResult<Self> {
        Ok(Self {
            observations: Recycler::new(py, Ix1(rows))?,
            one: OneRecycler::new(py, config)?,
            info: InfoRecycler::new(py, config, rows)?,
            mask: Recycler::new(py, Ix1(rows))?,
            rows: Default::default(),
        })
    }

    fn take<'py>(&mut self, py: Python<'py>, env: &Env, seat_rewards: Option<&mut [f32]>) -> PyResult<Finals<'py>> {
        let mut observations = self.observations.take_or(py, || objects(py, env.len()))?;
        let mut info = self.info.take(py);
        let mut mask = self.mask.take(py);
        let nothing = py.None().into_bound(py);
        let places = observations.elements();
        let mut earlier = emptied(places, self.rows.iter().flatten(), &nothing);
        self.rows.rotate_left(1);
        self.rows[0].clear();
        let finished = mask.flags();
        let mut views = Views {
            observation: Observations::default(),
            action_mask: info.action_mask.elements(),
            to_move: info.to_move.elements(),
            termination: info.termination.elements(),
            winner: info.winner.elements(),
        };
        finished.fill(0);
        views.action_mask.fill(0);
        views.to_move.fill(0);
        views.termination.fill(0);
        views.winner.fill(0);
        for last in env.finals() {
            finished[last.row] = 1;
            views.write_final_info(last);
            self.rows[0].push(last.row);
            let array = earlier.pop().map_or_else(|| nothing.clone(), |array| array.into_bound(py));
            places[last.row] = self.one.renew(array, last).unbind();
        }
        if let (Some(to), Some(from)) = (&mut info.seat_rewards, seat_rewards) {
            to.elements().copy_from_slice(from);
        }
        Ok(Finals { observations: observations.hand_out(), info: info.hand_out(py)?, mask: mask.hand_out() })
    }
}

/// Puts `nothing` into all places and returns what else was in them, which is likely to be in some rows.
fn emptied<'a>(
    places: &mut [Py<PyAny>],
    likely: impl Iterator<Item = &'a usize>,
    nothing: &Bound<'_, PyAny>,
) -> Vec<Py<PyAny>> {
    let mut found = Vec::new();
    let mut empty = |place: &mut Py<PyAny>| {
        if !place.is(nothing) {
            found.push(mem::replace(place, nothing.clone().unbind()));
        }
    };
    likely.for_each(|&row| empty(&mut places[row]));
    // To look at all without a question in between takes much less than to find some.
    let differs = |place: &Py<PyAny>| place.as_ptr().addr() ^ nothing.as_ptr().addr();
    if places.iter().fold(0, |seen, place| seen | differs(place)) != 0 {
        places.iter_mut().for_each(empty);
    }
    found
}

/// A fresh array of so many `None`.
fn objects(py: Python<'_>, rows: usize) -> PyResult<Bound<'_, PyArray1<Py<PyAny>>>> {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let empty = EMPTY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.getattr("empty")?.unbind()))?;
    Ok(empty.bind(py).call1((rows, intern!(py, "O")))?.cast_into()?)
}

/// Adds the finals under Gymnasium's names, with a mask beside each.
pub(super) fn add_finals<'py>(
    info: &Bound<'py, PyDict>,
    final_obs: Bound<'py, PyAny>,
    final_info: Bound<'py, PyDict>,
    finished: Bound<'py, PyAny>,
) -> PyResult<()> {
    let py = info.py();
    final_info.set_item(intern!(py, "_action_mask"), &finished)?;
    final_info.set_item(intern!(py, "_to_move"), &finished)?;
    final_info.set_item(intern!(py, "_termination"), &finished)?;
    final_info.set_item(intern!(py, "_winner"), &finished)?;
    if final_info.contains(intern!(py, "seat_rewards"))? {
        final_info.set_item(intern!(py, "_seat_rewards"), &finished)?;
    }
    info.set_item(intern!(py, "final_obs"), final_obs)?;
    info.set_item(intern!(py, "_final_obs"), &finished)?;
    info.set_item(intern!(py, "final_info"), final_info)?;
    info.set_item(intern!(py, "_final_info"), finished)
}

/// Observations of this many rows as an array.
pub(super) fn observation_rows<'py>(
    py: Python<'py>,
    observations: &ObservationBuffer,
    rows: usize,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match observations {
        ObservationBuffer::Seeds(numbers) => {
            let array = PyArray2::zeros(py, [rows, PLANES], false);
            array.try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
            array.into_any()
        }
        ObservationBuffer::Normalized { rows: numbers, .. } => {
            let array = PyArray2::zeros(py, [rows, PLANES], false);
            array.try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
            array.into_any()
        }
        ObservationBuffer::OneHot(numbers) => {
            let array = PyArrayDyn::zeros(py, vec![rows, PLANES, COLUMNS], false);
            array.try_readwrite()?.as_slice_mut()?.copy_from_slice(numbers);
            array.into_any()
        }
    })
}

/// The observations now.
pub(super) fn observations<'py>(py: Python<'py>, env: &Env) -> PyResult<Bound<'py, PyAny>> {
    let mut array = ObservationRecycler::new(py, env.config(), env.len())?.take(py);
    env.write_observations(array.rows());
    Ok(array.hand_out())
}

/// Pits and stores now.
pub(super) fn boards<'py>(py: Python<'py>, env: &Env) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let pits = PyArray2::zeros(py, [env.len(), PITS], false);
    let stores = PyArray2::zeros(py, [env.len(), 2], false);
    env.write_boards(pits.try_readwrite()?.as_slice_mut()?, stores.try_readwrite()?.as_slice_mut()?);
    Ok((pits.into_any(), stores.into_any()))
}
