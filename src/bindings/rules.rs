//! `oware.Rules` and `oware.RULE_SETS`.

use std::num::NonZeroU32;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::convert::{self, Given};
use crate::rules::{Occurrences, RULE_SETS, Rules, SeedsPerPit};

/// A rule set: one value for every point on which players disagree.
///
/// The defaults are those of the rule set `abapa`. Rule sets are immutable, compare, hash, pickle
/// and print as an expression that makes them again.
///
/// - `grand_slam`: what becomes of a capture that would take every seed the opponent has left.
///   `capture_nothing`: the seeds stay where they were sown. `forbidden`: a move that leaves the
///   opponent without a seed is illegal while another leaves them one. `capture_all`: they are
///   taken. `leave_landing_pit`: all but the pit where the last seed fell. `leave_far_pit`: all but
///   the captured pit that is first in sowing order. `opponent_takes_rest`: they are taken, and
///   every seed left on the board goes to the opponent.
/// - `feeding`: with `required`, only moves that put a seed into an opponent's empty row are legal;
///   with `free` there is no such duty. Without effect under `grand_slam="forbidden"`.
/// - `no_move`: how the seeds are shared when the mover has no legal move. `own_side`: each player
///   takes the seeds of their own row. `split`: half each, an odd seed is nobody's. `stay`: they stay
///   where they are.
/// - `repetition`: how often a position arises, counted since the last capture, before the game ends;
///   0, or 2 to 4294967295. 0 switches the rule off.
/// - `repetition_needs_both_rows`: whether a position with an empty row is left out of that count.
/// - `repetition_share`: how the seeds are shared then, as in `no_move`.
/// - `max_plies`: the plies after which the game ends, 1 to 4294967295; `None`: no such rule.
/// - `limit_share`: how the seeds are shared then, as in `no_move`.
/// - `majority_ends`: whether the game ends when a player has more than half of all seeds, or both
///   have exactly half.
/// - `seeds_per_pit`: the seeds in each pit at the start, 1 to 20.
///
/// Raises `TypeError` and `ValueError` for values of the wrong type or out of range.
///
/// >>> import oware
/// >>> oware.Rules(grand_slam="capture_all", repetition=0, max_plies=500)
/// Rules(grand_slam='capture_all', repetition=0, max_plies=500)
/// >>> oware.Rules() == oware.Rules.named("abapa")
/// True
#[pyclass(name = "Rules", module = "oware", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyRules(pub(crate) Rules);

#[pymethods]
impl PyRules {
    #[new]
    #[pyo3(
        signature = (
            grand_slam=Given::Not, feeding=Given::Not, no_move=Given::Not, repetition=Given::Not,
            repetition_needs_both_rows=Given::Not, repetition_share=Given::Not, max_plies=Given::Not,
            limit_share=Given::Not, majority_ends=Given::Not, seeds_per_pit=Given::Not,
        ),
        text_signature = "(grand_slam='capture_nothing', feeding='required', no_move='own_side', repetition=3, \
                          repetition_needs_both_rows=True, repetition_share='own_side', max_plies=None, \
                          limit_share='own_side', majority_ends=True, seeds_per_pit=4)"
    )]
    #[allow(clippy::too_many_arguments, reason = "one for each field")]
    fn new(
        grand_slam: Given<'_>,
        feeding: Given<'_>,
        no_move: Given<'_>,
        repetition: Given<'_>,
        repetition_needs_both_rows: Given<'_>,
        repetition_share: Given<'_>,
        max_plies: Given<'_>,
        limit_share: Given<'_>,
        majority_ends: Given<'_>,
        seeds_per_pit: Given<'_>,
    ) -> PyResult<Self> {
        let default = Rules::default();
        Ok(Self(Rules {
            grand_slam: grand_slam.or(default.grand_slam, |value| convert::named("grand_slam", value))?,
            feeding: feeding.or(default.feeding, |value| convert::named("feeding", value))?,
            no_move: no_move.or(default.no_move, |value| convert::named("no_move", value))?,
            repetition: repetition.or(default.repetition, occurrences)?,
            repetition_needs_both_rows: repetition_needs_both_rows
                .or(default.repetition_needs_both_rows, |value| convert::flag("repetition_needs_both_rows", value))?,
            repetition_share: repetition_share
                .or(default.repetition_share, |value| convert::named("repetition_share", value))?,
            max_plies: max_plies.or(default.max_plies, plies)?,
            limit_share: limit_share.or(default.limit_share, |value| convert::named("limit_share", value))?,
            majority_ends: majority_ends.or(default.majority_ends, |value| convert::flag("majority_ends", value))?,
            seeds_per_pit: seeds_per_pit.or(default.seeds_per_pit, seeds)?,
        }))
    }

    /// The rule set with this name, a key of `RULE_SETS`.
    ///
    /// Raises `ValueError` with the names there are for another one.
    ///
    /// >>> import oware
    /// >>> oware.Rules.named("auale")
    /// Rules(repetition=2)
    #[staticmethod]
    fn named(name: &Bound<'_, PyAny>) -> PyResult<Self> {
        convert::text("name", name)?;
        convert::rules("name", name).map(Self)
    }

    /// The rules in plain words, one sentence a line.
    ///
    /// >>> import oware
    /// >>> print(oware.Rules.named("codingame").describe())
    /// Each pit holds 4 seeds at the start, 48 seeds in all.
    /// A capture that would take every seed the opponent has left takes nothing.
    /// While the opponent's row is empty, a move must put a seed into it.
    /// The game ends when a player has more than half of all seeds, or both have exactly half.
    /// The game ends when the mover has no legal move: each player takes the seeds in their own row.
    /// Repeated positions do not end the game.
    /// The game ends after 200 plies: the seeds on the board count for nobody.
    /// The player with more seeds in store wins.
    fn describe(&self) -> String {
        self.0.describe()
    }

    /// The fields in which two rule sets differ: this one's value and the other's.
    ///
    /// `other` is a rule set or the name of one. Raises `TypeError` and `ValueError` for anything else.
    ///
    /// >>> import oware
    /// >>> oware.Rules.named("abapa").diff("open_spiel")
    /// {'repetition': (3, 2), 'repetition_needs_both_rows': (True, False)}
    fn diff<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = other.py();
        let other = convert::rules("other", other)?;
        let both = self.values(py)?.into_iter().zip(Self(other).values(py)?);
        let changed = self.0.diff(&other);
        let diff = PyDict::new(py);
        for ((field, mine), (_, theirs)) in both {
            if changed.iter().any(|change| change.field == field) {
                diff.set_item(field, (mine, theirs))?;
            }
        }
        Ok(diff)
    }

    /// The same rules with some fields changed.
    ///
    /// Raises `TypeError` for a name that is no field, and as `Rules` does for a value.
    ///
    /// >>> import oware
    /// >>> oware.Rules.named("village").replace(max_plies=1000)
    /// Rules(grand_slam='forbidden', repetition=0, max_plies=1000)
    #[pyo3(signature = (**changes))]
    fn replace<'py>(slf: &Bound<'py, Self>, changes: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        let fields = PyDict::new(slf.py());
        for (field, value) in slf.get().values(slf.py())? {
            fields.set_item(field, value)?;
        }
        if let Some(changes) = changes {
            fields.update(changes.as_mapping())?;
        }
        slf.get_type().call((), Some(&fields))
    }

    /// What becomes of a capture that would take every seed the opponent has left.
    #[getter]
    fn grand_slam(&self) -> &'static str {
        self.0.grand_slam.name()
    }

    /// Whether an opponent's empty row must be fed.
    #[getter]
    fn feeding(&self) -> &'static str {
        self.0.feeding.name()
    }

    /// How the seeds are shared when the mover has no legal move.
    #[getter]
    fn no_move(&self) -> &'static str {
        self.0.no_move.name()
    }

    /// How often a position arises since the last capture before the game ends; 0: no such rule.
    #[getter]
    fn repetition(&self) -> u32 {
        self.0.repetition.map_or(0, Occurrences::get)
    }

    /// Whether a position with an empty row is left out of that count.
    #[getter]
    fn repetition_needs_both_rows(&self) -> bool {
        self.0.repetition_needs_both_rows
    }

    /// How the seeds are shared when repetition ends the game.
    #[getter]
    fn repetition_share(&self) -> &'static str {
        self.0.repetition_share.name()
    }

    /// The plies after which the game ends; None: no such rule.
    #[getter]
    fn max_plies(&self) -> Option<u32> {
        self.0.max_plies.map(NonZeroU32::get)
    }

    /// How the seeds are shared when the ply limit ends the game.
    #[getter]
    fn limit_share(&self) -> &'static str {
        self.0.limit_share.name()
    }

    /// Whether more than half of all seeds, or half for each player, ends the game.
    #[getter]
    fn majority_ends(&self) -> bool {
        self.0.majority_ends
    }

    /// The seeds in each pit at the start.
    #[getter]
    fn seeds_per_pit(&self) -> u8 {
        self.0.seeds_per_pit.get()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let changed = self.0.diff(&Rules::default());
        let mut fields = Vec::new();
        for (field, value) in self.values(py)? {
            if changed.iter().any(|change| change.field == field) {
                fields.push(format!("{field}={}", convert::plain(value.repr())?));
            }
        }
        Ok(format!("Rules({})", fields.join(", ")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let values = slf.get().values(slf.py())?.map(|(_, value)| value);
        Ok((slf.get_type(), PyTuple::new(slf.py(), values)?))
    }
}

impl PyRules {
    /// Every field with its Python value, in the order of the constructor's arguments.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<[(&'static str, Bound<'py, PyAny>); 10]> {
        Ok([
            ("grand_slam", self.grand_slam().into_pyobject(py)?.into_any()),
            ("feeding", self.feeding().into_pyobject(py)?.into_any()),
            ("no_move", self.no_move().into_pyobject(py)?.into_any()),
            ("repetition", self.repetition().into_pyobject(py)?.into_any()),
            ("repetition_needs_both_rows", self.repetition_needs_both_rows().into_pyobject(py)?.to_owned().into_any()),
            ("repetition_share", self.repetition_share().into_pyobject(py)?.into_any()),
            ("max_plies", self.max_plies().into_pyobject(py)?),
            ("limit_share", self.limit_share().into_pyobject(py)?.into_any()),
            ("majority_ends", self.majority_ends().into_pyobject(py)?.to_owned().into_any()),
            ("seeds_per_pit", self.seeds_per_pit().into_pyobject(py)?.into_any()),
        ])
    }
}

/// The named rule sets, read-only.
pub(super) fn rule_sets(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let sets = PyDict::new(py);
    for (name, rules) in RULE_SETS {
        sets.set_item(name, Bound::new(py, PyRules(rules))?)?;
    }
    Ok(sets)
}

/// The first name of a rule set; `None` for one without a name.
pub(super) fn name_of(rules: &Rules) -> Option<&'static str> {
    RULE_SETS.iter().find(|(_, named)| named == rules).map(|&(name, _)| name)
}

fn occurrences(value: &Bound<'_, PyAny>) -> PyResult<Option<Occurrences>> {
    let count = convert::integer("repetition", value)?;
    match count.to() {
        Some(0) => Ok(None),
        Some(times) if times >= 2 => Ok(Occurrences::new(times)),
        _ => Err(PyValueError::new_err(format!("repetition is {count}; give 0 (no such rule) or 2 to {}", u32::MAX))),
    }
}

fn plies(value: &Bound<'_, PyAny>) -> PyResult<Option<NonZeroU32>> {
    if value.is_none() {
        return Ok(None);
    }
    let limit = convert::integer("max_plies", value)?;
    match limit.to().and_then(NonZeroU32::new) {
        Some(plies) => Ok(Some(plies)),
        None => {
            Err(PyValueError::new_err(format!("max_plies is {limit}; give None (no such rule) or 1 to {}", u32::MAX)))
        }
    }
}

fn seeds(value: &Bound<'_, PyAny>) -> PyResult<SeedsPerPit> {
    let count = convert::integer("seeds_per_pit", value)?;
    count
        .to()
        .and_then(SeedsPerPit::new)
        .ok_or_else(|| PyValueError::new_err(format!("seeds_per_pit is {count}; give 1 to {}", SeedsPerPit::MAX)))
}
