//! Opponents from Python: names, callables, networks.

use std::error::Error;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::endgame::PyEndgame;
use super::env_arguments as arguments;
use super::error::{IllegalMoveError, env_error};
use super::player::PyPlayer;
use super::rules::PyRules;
use super::signals::Signals;
use super::{convert, env_arrays as arrays};
use crate::env::{
    ActionFault, Config, Env, EnvError, Externals, MOST_EXTERNALS, NetworkMark, NetworkPlayer, Opponent, Pool, Request,
    UnknownOpponent, Work,
};
use crate::pit::{Move, MoveSet, ROW};
use crate::rules::Rules;
use crate::search::Probe;

/// The callables and networks that rows of an environment may have for opponents, each under its number.
#[derive(Default)]
pub(super) struct Opponents {
    callables: Vec<Py<PyAny>>,
    players: Vec<Py<PyPlayer>>,
}

/// What an argument `opponent` says.
pub(super) enum Wanted {
    /// None, or one for all episodes.
    One(Option<Chosen>),
    /// One of several for each episode, by their weights.
    Pool(Vec<(Chosen, f64)>),
}

/// One opponent.
pub(super) enum Chosen {
    Known(Opponent),
    Callable(Py<PyAny>),
    Network(Py<PyPlayer>),
}

/// The seeds of the database that opponents use.
const OPPONENTS_SEEDS: u8 = 12;
/// How the numbers of callables and of networks are told from each other where they are saved.
const CALLABLE: &str = "callable";
const NETWORK: &str = "network";

/// Who sits opposite, by number.
pub(super) enum Seated {
    One(Option<Opponent>),
    Pool(Pool),
}

/// Reads an argument `opponent`; a pool is a list of opponents and their weights.
pub(super) fn wanted(value: &Bound<'_, PyAny>) -> PyResult<Wanted> {
    if value.is_none() {
        return Ok(Wanted::One(None));
    }
    let Ok(pairs) = value.cast::<PyList>() else { return Ok(Wanted::One(Some(chosen(value)?))) };
    let pairs = pairs.iter().map(|pair| {
        let (opponent, weight): (Bound<'_, PyAny>, f64) = pair.extract()?;
        Ok((chosen(&opponent)?, weight))
    });
    Ok(Wanted::Pool(pairs.collect::<PyResult<_>>()?))
}

fn chosen(value: &Bound<'_, PyAny>) -> PyResult<Chosen> {
    if let Ok(name) = value.cast::<PyString>() {
        named(name.to_str()?).map(Chosen::Known)
    } else if let Ok(player) = value.cast::<PyPlayer>() {
        Ok(Chosen::Network(player.clone().unbind()))
    } else if value.is_callable() {
        Ok(Chosen::Callable(value.clone().unbind()))
    } else {
        Err(convert::wrong_type("opponent", "None, a name, a callable or a pool of them", value))
    }
}

impl Wanted {
    /// Whether each episode draws its opponent.
    pub(super) const fn is_pool(&self) -> bool {
        matches!(self, Self::Pool(_))
    }

    /// The players of the networks among them, in their order.
    fn players(&self, py: Python<'_>) -> Vec<Py<PyPlayer>> {
        let (one, pool) = match self {
            Self::One(one) => (one.as_ref(), &[][..]),
            Self::Pool(pool) => (None, pool.as_slice()),
        };
        let all = one.into_iter().chain(pool.iter().map(|(chosen, _)| chosen));
        all.filter_map(|chosen| match chosen {
            Chosen::Network(player) => Some(player.clone_ref(py)),
            Chosen::Known(_) | Chosen::Callable(_) => None,
        })
        .collect()
    }
}

/// What the core needs of players.
fn networks_of(players: &[Py<PyPlayer>]) -> Vec<NetworkPlayer> {
    players.iter().map(|player| player.get().player.clone()).collect()
}

impl Opponents {
    /// Shows the garbage collector what is held.
    pub(super) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.callables.iter().try_for_each(|callable| visit.call(callable))?;
        self.players.iter().try_for_each(|player| visit.call(player))
    }

    /// How many numbers of callables are taken.
    pub(super) fn len(&self) -> u8 {
        self.callables.len() as u8
    }

    pub(super) fn clone_ref(&self, py: Python<'_>) -> Self {
        Self {
            callables: self.callables.iter().map(|callable| callable.clone_ref(py)).collect(),
            players: self.players.iter().map(|player| player.clone_ref(py)).collect(),
        }
    }

    /// Those of a new environment, and its networks.
    pub(super) fn first(py: Python<'_>, wanted: Wanted) -> PyResult<(Self, Seated, Vec<NetworkPlayer>)> {
        let mut opponents = Self::default();
        let networks = networks_of(&wanted.players(py));
        let numbers = (0..=u8::MAX).take(networks.len());
        let seated = opponents.seat_all(wanted, 0..MOST_EXTERNALS, numbers)?;
        Ok((opponents, seated, networks))
    }

    /// Those who are wanted in an environment; callables and networks get numbers that are free there.
    ///
    /// An error may come after the environment has met the networks: they are then among these opponents, too.
    pub(super) fn take(&mut self, py: Python<'_>, wanted: Wanted, env: &mut Env) -> PyResult<Seated> {
        let players = wanted.players(py);
        let numbers = env.meet_networks(networks_of(&players)).map_err(|error| env_error(py, error))?;
        players.into_iter().zip(&numbers).for_each(|(player, &number)| put(&mut self.players, number, player));
        self.seat_all(wanted, env.vacant_externals(), numbers.into_iter())
    }

    /// Takes over the networks of opponents that were refused, by whose numbers the environment may know them; returns
    /// what is to be dropped.
    pub(super) fn keep_networks_of(&mut self, refused: Self) -> Self {
        Self { callables: refused.callables, players: std::mem::replace(&mut self.players, refused.players) }
    }

    fn seat_all(
        &mut self,
        wanted: Wanted,
        mut externals: impl Iterator<Item = u8>,
        mut networks: impl Iterator<Item = u8>,
    ) -> PyResult<Seated> {
        let mut seat = |chosen| self.seat(chosen, &mut externals, &mut networks);
        Ok(match wanted {
            Wanted::One(one) => Seated::One(one.map(seat).transpose()?),
            Wanted::Pool(pool) => {
                let choices = pool.into_iter().map(|(chosen, weight)| Ok((seat(chosen)?, weight)));
                Seated::Pool(pool_of(&choices.collect::<PyResult<Vec<_>>>()?)?)
            }
        })
    }

    fn seat(
        &mut self,
        chosen: Chosen,
        externals: &mut impl Iterator<Item = u8>,
        networks: &mut impl Iterator<Item = u8>,
    ) -> PyResult<Opponent> {
        let too_many = || PyValueError::new_err("too many opponents are still in their episodes");
        Ok(match chosen {
            Chosen::Known(opponent) => opponent,
            Chosen::Callable(callable) => {
                let number = externals.next().ok_or_else(too_many)?;
                put(&mut self.callables, number, callable);
                Opponent::External(number)
            }
            Chosen::Network(player) => {
                let number = networks.next().ok_or_else(too_many)?;
                put(&mut self.players, number, player);
                Opponent::Network(number)
            }
        })
    }

    /// Makes the networks known that a saved state names: those that are known already, and such as can be had again.
    pub(super) fn meet_those_of(&mut self, py: Python<'_>, state: &[u8], env: &mut Env) -> PyResult<()> {
        let marks = env.networks_of(state).map_err(|error| env_error(py, error))?;
        let mut players = Vec::new();
        for mark in &marks {
            let known = env.known_network(mark).and_then(|number| self.players.get(usize::from(number)));
            match known {
                Some(player) => players.push(player.clone_ref(py)),
                None if mark.name.is_empty() => {}
                None => players.extend(again(py, mark, &env.config().rules)?),
            }
        }
        let numbers = env.meet_networks(networks_of(&players)).map_err(|error| env_error(py, error))?;
        players.into_iter().zip(numbers).for_each(|(player, number)| put(&mut self.players, number, player));
        Ok(())
    }

    /// What [`Opponents::load`] needs: the callables, what networks are made of, and the current opponents.
    pub(super) fn save<'py>(
        &self,
        py: Python<'py>,
        config: &Config,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let callables = PyList::new(py, self.callables.iter().map(|callable| callable.bind(py)))?;
        let sources = self.players.iter().map(|player| player.bind(py).getattr("source"));
        let sources = PyList::new(py, sources.collect::<PyResult<Vec<_>>>()?)?;
        let current = match (&config.pool, config.opponent) {
            (Some(pool), _) => {
                let choices = pool.choices().iter().map(|&(opponent, weight)| Ok((told(py, opponent)?, weight)));
                PyList::new(py, choices.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            (None, Some(opponent)) => told(py, opponent)?,
            (None, None) => py.None().into_bound(py),
        };
        Ok((callables.into_any(), sources.into_any(), current))
    }

    /// Takes over what was saved; returns who sits opposite now.
    pub(super) fn load(
        callables: Vec<Py<PyAny>>,
        players: Vec<Py<PyPlayer>>,
        current: &Bound<'_, PyAny>,
        env: &mut Env,
    ) -> PyResult<(Self, Seated)> {
        let py = current.py();
        let numbers = env.meet_networks(networks_of(&players)).map_err(|error| env_error(py, error))?;
        let mut opponents = Self { callables, players: Vec::new() };
        if opponents.callables.len() > usize::from(MOST_EXTERNALS) {
            return Err(contradict());
        }
        players.into_iter().zip(&numbers).for_each(|(player, &number)| put(&mut opponents.players, number, player));
        let seated = if current.is_none() {
            Seated::One(None)
        } else if let Ok(pairs) = current.cast::<PyList>() {
            let choices = pairs.iter().map(|pair| {
                let (saved, weight): (Bound<'_, PyAny>, f64) = pair.extract()?;
                Ok((opponents.saved(&saved, &numbers)?, weight))
            });
            Seated::Pool(pool_of(&choices.collect::<PyResult<Vec<_>>>()?)?)
        } else {
            Seated::One(Some(opponents.saved(current, &numbers)?))
        };
        Ok((opponents, seated))
    }

    /// An opponent that was saved, where networks have these numbers now.
    fn saved(&self, saved: &Bound<'_, PyAny>, networks: &[u8]) -> PyResult<Opponent> {
        if let Ok(name) = saved.cast::<PyString>() {
            return named(name.to_str()?);
        }
        let (kind, number): (String, u8) = saved.extract()?;
        let place = usize::from(number);
        match (kind.as_str(), networks.get(place)) {
            (CALLABLE, _) if place < self.callables.len() => Ok(Opponent::External(number)),
            (NETWORK, Some(&number)) => Ok(Opponent::Network(number)),
            _ => Err(contradict()),
        }
    }

    /// The opponents, ready to be asked.
    pub(super) fn ask<'a, 'py>(&'a self, py: Python<'py>) -> Asked<'a, 'py> {
        Asked { py, opponents: self }
    }
}

fn contradict() -> PyErr {
    PyValueError::new_err("the saved opponents contradict each other")
}

fn pool_of(choices: &[(Opponent, f64)]) -> PyResult<Pool> {
    Pool::new(choices).map_err(|error| PyValueError::new_err(format!("opponent: {error}")))
}

/// Puts something in its place, or behind all others.
fn put<T>(all: &mut Vec<T>, place: u8, one: T) {
    match all.get_mut(usize::from(place)) {
        Some(held) => *held = one,
        None => all.push(one),
    }
}

/// An opponent as it is saved.
fn told(py: Python<'_>, opponent: Opponent) -> PyResult<Bound<'_, PyAny>> {
    let name = |name: &str| PyString::new(py, name).into_any();
    Ok(match opponent {
        Opponent::Random => name("random"),
        Opponent::Greedy => name("greedy"),
        Opponent::Search(searcher) => name(&searcher.to_string()),
        Opponent::Network(number) => (NETWORK, number).into_pyobject(py)?.into_any(),
        Opponent::External(number) => (CALLABLE, number).into_pyobject(py)?.into_any(),
    })
}

/// The player of a saved mark, had again by its name; none where that is no network's any more.
fn again(py: Python<'_>, mark: &NetworkMark, rules: &Rules) -> PyResult<Option<Py<PyPlayer>>> {
    let rules = Bound::new(py, PyRules(*rules))?;
    let made = py.import("oware._opponents")?.getattr("for_core")?.call1((&mark.name, rules));
    let made = made.map_err(|cause| {
        let message =
            format!("the state has the opponent {:?}, which cannot be had again: {}", mark.name, cause.value(py));
        let error = PyValueError::new_err(message);
        error.set_cause(py, Some(cause));
        error
    })?;
    Ok(made.cast_into::<PyPlayer>().ok().map(Bound::unbind))
}

fn named(name: &str) -> PyResult<Opponent> {
    name.parse().map_err(|error: UnknownOpponent| PyValueError::new_err(error.to_string()))
}

/// The database for opponents that use one: that of the user's cache, which is built there first if need be.
pub(super) fn endgame(py: Python<'_>, rules: &Rules) -> PyResult<Arc<dyn Probe>> {
    let rules = Bound::new(py, PyRules(*rules))?;
    let loaded = py.import("oware.endgame")?.getattr("Endgame")?.call_method1("load", (OPPONENTS_SEEDS, rules))?;
    let core = loaded.getattr("_core")?;
    let core = core.cast::<PyEndgame>().map_err(|_| convert::wrong_type("endgame", "an oware.Endgame", &loaded))?;
    Ok(Arc::clone(&core.get().database) as Arc<dyn Probe>)
}

/// Opponents that are asked while the interpreter is held.
pub(super) struct Asked<'a, 'py> {
    py: Python<'py>,
    opponents: &'a Opponents,
}

impl Externals for Asked<'_, '_> {
    fn reply(&mut self, number: u8, request: &Request) -> Result<Vec<i64>, Box<dyn Error + Send + Sync>> {
        Ok(self.call(number, request)?)
    }

    fn wait_for(&mut self, work: &mut Work<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (mut signals, mut raised) = (Signals::new(), None);
        self.py.detach(|| work(&mut || raised.is_none() && signals.ask_or(&mut raised).is_continue()));
        match raised {
            Some(raised) => Err(raised.into()),
            None => Ok(()),
        }
    }
}

impl Asked<'_, '_> {
    fn call(&self, number: u8, request: &Request) -> PyResult<Vec<i64>> {
        let py = self.py;
        let callable = self
            .opponents
            .callables
            .get(usize::from(number))
            .ok_or_else(|| PyValueError::new_err(format!("there is no opponent {number}")))?;
        let rows = request.rows.len();
        let observation = arrays::observation_rows(py, &request.observations, rows)?;
        let mask = PyArray1::from_slice(py, &request.action_masks).reshape([rows, ROW])?;
        let answer = callable.bind(py).call1((observation, mask))?;
        let actions = |answer: &_| arguments::actions("the opponent's actions", answer, rows, <[i64]>::to_vec);
        actions(&answer).or_else(|error| {
            // Integers that no array of them can hold are moves as illegal as others.
            let fitted = py.import("oware._actions")?.call_method1("fitting", (&answer,))?;
            if fitted.is_none() {
                return Err(error);
            }
            let fitted = actions(&fitted)?;
            Err(beyond(request, &fitted, &answer)?)
        })
    }
}

/// The refusal of an answer in which some action was cut off at 64 bits; it tells of it as it was given.
fn beyond(request: &Request, cut_off: &[i64], answer: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let rank = cut_off.iter().position(|&action| matches!(action, i64::MIN | i64::MAX)).unwrap_or_default();
    let legal = request.action_masks[rank * ROW..][..ROW].iter().zip(Move::all()).filter(|&(&mask, _)| mask == 1);
    let legal = legal.fold(MoveSet::EMPTY, |legal, (_, mv)| legal.with(mv));
    let fault = ActionFault::OutOfRange { action: cut_off[rank], legal };
    let refusal = EnvError::Reply { row: request.rows[rank], fault }.to_string();
    let given = convert::integer("the opponent's action", &answer.get_item(rank)?)?;
    Ok(IllegalMoveError::new_err(refusal.replacen(&cut_off[rank].to_string(), &given.to_string(), 1)))
}

/// Changes the opponent, with an endgame database if it needs one.
pub(super) fn meet(py: Python<'_>, env: &mut Env, seated: Seated) -> PyResult<()> {
    let is_aided = match &seated {
        Seated::One(opponent) => opponent.is_some_and(Opponent::is_aided),
        Seated::Pool(pool) => pool.choices().iter().any(|(opponent, _)| opponent.is_aided()),
    };
    if is_aided && env.config().endgame.is_none() {
        let endgame = endgame(py, &env.config().rules)?;
        env.set_endgame(endgame).map_err(|error| env_error(py, error))?;
    }
    match seated {
        Seated::One(opponent) => env.set_opponent(opponent),
        Seated::Pool(pool) => env.set_pool(pool),
    }
    .map_err(|error| env_error(py, error))
}
