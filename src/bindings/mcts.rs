//! The core of `oware.search.Mcts`.

use std::error::Error;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use super::endgame::PyEndgame;
use super::env::MOST_THREADS;
use super::env_arguments as arguments;
use super::error::endgame_error;
use super::game::PyGame;
use super::network::PyNetwork;
use super::signals::Signals;
use super::{convert, env_arrays as arrays, kernels};
use crate::batch::observe::{ObservationKind, mask};
use crate::endgame::{Endgame, EndgameError, Key};
use crate::env::ObservationBuffer;
use crate::game::Game;
use crate::net::{Network, NetworkEvaluator};
use crate::pit::ROW;
use crate::rules::Rules;
use crate::search::Probe;
use crate::search::mcts::{
    Asked, Evaluation, Evaluator, Forest, Found, MOST_SIMULATIONS, MctsError, Noise, PUCT_EXPLORATION, PUCT_LEAVES,
    Question, Score, Settings, UCT_EXPLORATION, UCT_LEAVES,
};
use crate::stream::Stream;

/// Leaves of one tree at a time beyond this are surely a mistake.
const MOST_LEAVES: u32 = 1024;
/// Positions in one batch beyond this are surely a mistake.
const MOST_POSITIONS: usize = 1 << 24;

/// Where values come from.
enum Source {
    Playouts,
    Callable(Py<PyAny>),
    Network(Arc<Network>),
}

/// A Monte-Carlo tree search; `oware.search.Mcts` is what users see.
#[pyclass(name = "MctsCore", module = "oware._oware", frozen)]
pub(crate) struct PyMcts {
    /// Without the database, which is held beside it.
    settings: Settings<'static>,
    endgame: Option<Arc<Endgame>>,
    source: Source,
    observation: ObservationKind,
    batch: NonZeroUsize,
    seed: u64,
    forest: Mutex<Option<Forest>>,
}

/// Visits, policy, value, q, exact, actions, and the evaluator's batches and positions.
type Arrays<'py> = (
    Bound<'py, PyArray2<i32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
    u64,
    u64,
);

#[pymethods]
impl PyMcts {
    #[new]
    #[pyo3(signature = (evaluator, *, simulations, leaves, exploration, score, endgame, noise, observation, batch, seed,
                        num_threads))]
    #[allow(clippy::too_many_arguments, reason = "one for each parameter of `oware.search.Mcts`")]
    fn new(
        evaluator: &Bound<'_, PyAny>,
        simulations: &Bound<'_, PyAny>,
        leaves: &Bound<'_, PyAny>,
        exploration: &Bound<'_, PyAny>,
        score: &Bound<'_, PyAny>,
        endgame: &Bound<'_, PyAny>,
        noise: &Bound<'_, PyAny>,
        observation: &Bound<'_, PyAny>,
        batch: &Bound<'_, PyAny>,
        seed: &Bound<'_, PyAny>,
        num_threads: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let source = if evaluator.is_none() {
            Source::Playouts
        } else if let Ok(network) = evaluator.cast::<PyNetwork>() {
            Source::Network(network.get().network())
        } else if evaluator.is_callable() {
            Source::Callable(evaluator.clone().unbind())
        } else {
            return Err(convert::wrong_type("evaluator", "None, an oware.Network or a callable", evaluator));
        };
        let is_guided = !matches!(source, Source::Playouts);
        let noise = if noise.is_none() { None } else { Some(self::noise(noise)?) };
        if noise.is_some() && !is_guided {
            return Err(PyValueError::new_err(
                "noise is added to an evaluator's priors; give an evaluator, or no noise",
            ));
        }
        let settings = Settings {
            simulations: arguments::count("simulations", simulations, 1, MOST_SIMULATIONS)?,
            leaves: match leaves {
                none if none.is_none() && evaluator.is_none() => UCT_LEAVES,
                none if none.is_none() => PUCT_LEAVES,
                number => {
                    NonZeroU32::new(arguments::count("leaves", number, 1, MOST_LEAVES)?).unwrap_or(NonZeroU32::MIN)
                }
            },
            exploration: match exploration {
                none if none.is_none() && !is_guided => UCT_EXPLORATION,
                none if none.is_none() => PUCT_EXPLORATION,
                number => self::number("exploration", number, 0.0, 1e6)?,
            },
            score: convert::named::<Score>("score", score)?,
            endgame: None,
            noise,
            num_threads: NonZeroUsize::new(arguments::count("num_threads", num_threads, 1, MOST_THREADS)?)
                .unwrap_or(NonZeroUsize::MIN),
            kernel: kernels::forced()?,
        };
        let endgame = if endgame.is_none() {
            None
        } else {
            let wrong = || convert::wrong_type("endgame", "None or an oware.Endgame", endgame);
            Some(Arc::clone(&endgame.cast::<PyEndgame>().map_err(|_| wrong())?.get().database))
        };
        Ok(Self {
            settings,
            endgame,
            source,
            observation: convert::named("observation", observation)?,
            batch: NonZeroUsize::new(arguments::count("batch", batch, 1, MOST_POSITIONS)?).unwrap_or(NonZeroUsize::MIN),
            seed: arguments::seed("seed", seed, u64::MAX)?,
            forest: Mutex::new(None),
        })
    }

    /// Search games, or those of the last search further where they are `None`.
    fn search<'py>(
        &self,
        py: Python<'py>,
        games: Option<Vec<Bound<'py, PyAny>>>,
        reuse: &Bound<'py, PyAny>,
        temperature: &Bound<'py, PyAny>,
    ) -> PyResult<Arrays<'py>> {
        let reuse = convert::flag("reuse", reuse)?;
        let mut held = self.lock()?;
        let rows = match (&games, &*held) {
            (Some(games), _) => games.len(),
            (None, Some(forest)) => forest.len(),
            (None, None) => return Err(PyValueError::new_err("nothing has been searched yet; give games")),
        };
        let temperatures = temperatures(temperature, rows)?;
        if let Some(games) = games {
            let games = games.iter().enumerate().map(|(number, game)| snapshot(number, game));
            let games = games.collect::<PyResult<Vec<Game>>>()?;
            if let (Some(endgame), Some(game)) = (&self.endgame, games.first()) {
                let (database, game) = (endgame.key(), Key::of(game.rules()));
                if database != game {
                    return Err(endgame_error(EndgameError::Key { database, game }));
                }
            }
            let seed = |row: usize| Stream::from_seed(self.seed.wrapping_add(row as u64));
            match &mut *held {
                Some(forest) => forest.replace(&games, reuse, seed),
                empty => Forest::of_games(&games, seed, self.settings.score).map(|forest| *empty = Some(forest)),
            }
            .map_err(mcts_error)?;
        }
        let Some(forest) = &mut *held else { return Err(PyRuntimeError::new_err("there are no games")) };
        let asked = self.run(py, forest)?;
        let mut found = Vec::with_capacity(rows);
        let mut actions = Vec::with_capacity(rows);
        for (row, &temperature) in temperatures.iter().enumerate() {
            found.extend(forest.found(row));
            actions.push(forest.choose(row, temperature).map_or(0, |mv| mv.index() as i64));
        }
        show(py, &found, actions, asked)
    }

    /// Go on by an action in each game.
    fn advance(&self, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        match &mut *self.lock()? {
            Some(forest) => arguments::actions("actions", actions, forest.len(), |actions| forest.advance(actions))?
                .map_err(mcts_error),
            None => Err(PyValueError::new_err("nothing has been searched yet; there are no games to go on with")),
        }
    }

    /// The games as they stand.
    fn games(&self) -> PyResult<Vec<PyGame>> {
        let held = self.lock()?;
        Ok(held.iter().flat_map(Forest::games).cloned().map(PyGame::from_core).collect())
    }
}

impl PyMcts {
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Forest>>> {
        match self.forest.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the search is in use by another call; use one for each thread, and none in its own evaluator",
            )),
            // The core leaves trees whole whatever happens.
            Err(TryLockError::Poisoned(guard)) => Ok(guard.into_inner()),
        }
    }

    fn run(&self, py: Python<'_>, forest: &mut Forest) -> PyResult<Asked> {
        let endgame = self.endgame.as_deref().map(|endgame| endgame as &dyn Probe);
        let settings = Settings { endgame, ..self.settings };
        let (mut signals, mut raised) = (Signals::new(), None);
        let mut go_on = || raised.is_none() && signals.ask_or(&mut raised).is_continue();
        let searched = py.detach(|| match &self.source {
            Source::Playouts => forest.search(&settings, &mut go_on).map(|()| Asked::default()),
            Source::Network(network) => {
                let evaluator = || NetworkEvaluator::new(network, self.settings.score);
                forest.search_each(&settings, evaluator, self.batch, &mut go_on)
            }
            Source::Callable(callable) => {
                let rules = forest.games().first().map_or_else(Rules::default, |game| *game.rules());
                let mut callable = Callable { callable, rules, kind: self.observation };
                forest.search_with(&settings, &mut callable, self.batch, &mut go_on)
            }
        });
        match raised {
            Some(raised) => Err(raised),
            None => searched.map_err(mcts_error),
        }
    }
}

/// A callable from Python as an evaluator.
struct Callable<'a> {
    callable: &'a Py<PyAny>,
    rules: Rules,
    kind: ObservationKind,
}

impl Evaluator for Callable<'_> {
    fn evaluate(&mut self, questions: &[Question]) -> Result<Vec<Evaluation>, Box<dyn Error + Send + Sync>> {
        match Python::try_attach(|py| self.call(py, questions)) {
            Some(answers) => Ok(answers?),
            None => Err("the interpreter is shutting down".into()),
        }
    }
}

impl Callable<'_> {
    fn call(&self, py: Python<'_>, questions: &[Question]) -> PyResult<Vec<Evaluation>> {
        let rows = questions.len();
        let mut observations = ObservationBuffer::new(self.kind, &self.rules, rows);
        let mut masks = Vec::with_capacity(rows * ROW);
        for (row, question) in questions.iter().enumerate() {
            observations.rows().write(row, question.board);
            masks.extend(mask(question.legal));
        }
        let observations = arrays::observation_rows(py, &observations, rows)?;
        let masks = PyArray1::from_vec(py, masks).reshape([rows, ROW])?;
        let answer = self.callable.bind(py).call1((observations, masks))?;
        let (logits, values): (Bound<'_, PyAny>, Bound<'_, PyAny>) = answer
            .extract()
            .map_err(|_| convert::wrong_type("the evaluator's answer", "a tuple (logits, value)", &answer))?;
        let logits = arguments::floats("the evaluator's logits", &logits, &[rows, ROW])?;
        let values = arguments::floats("the evaluator's value", &values, &[rows])?;
        let answers = logits.as_chunks::<ROW>().0.iter().zip(values);
        Ok(answers.map(|(&logits, value)| Evaluation { logits, value }).collect())
    }
}

fn snapshot(number: usize, game: &Bound<'_, PyAny>) -> PyResult<Game> {
    match game.cast::<PyGame>() {
        Ok(game) => Ok(game.get().snapshot()),
        Err(_) => Err(convert::wrong_type(&format!("games[{number}]"), "an oware.Game", game)),
    }
}

fn mcts_error(error: MctsError) -> PyErr {
    match error {
        MctsError::Evaluator(error) => match error.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(fault) => PyValueError::new_err(format!("the evaluator's {fault}")),
        },
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// A number between bounds.
fn number(name: &str, value: &Bound<'_, PyAny>, least: f64, most: f64) -> PyResult<f32> {
    let wanted = "a number";
    if value.is_instance_of::<PyBool>() {
        return Err(convert::wrong_type(name, wanted, value));
    }
    let given: f64 = value.extract().map_err(|error| convert::refused(error, name, wanted, value))?;
    if given >= least && given <= most {
        Ok(given as f32)
    } else {
        Err(PyValueError::new_err(format!("{name} is {given}; give {least} to {most}")))
    }
}

/// The concentration and the fraction of noise.
fn noise(value: &Bound<'_, PyAny>) -> PyResult<Noise> {
    let wanted = "None or a tuple (alpha, fraction)";
    let (alpha, fraction): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        value.extract().map_err(|_| convert::wrong_type("noise", wanted, value))?;
    Ok(Noise {
        alpha: number("noise[0], alpha,", &alpha, 1e-3, 1e6)?,
        fraction: number("noise[1], the fraction,", &fraction, 0.0, 1.0)?,
    })
}

/// The most that a temperature can be; moves are then about as likely as each other.
const HOTTEST: f64 = 1e6;

/// A temperature for each game, from one for all or an array of them.
fn temperatures(value: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<f32>> {
    match number("temperature", value, 0.0, HOTTEST) {
        Ok(temperature) => return Ok(vec![temperature; rows]),
        Err(error) if !error.is_instance_of::<PyTypeError>(value.py()) => return Err(error),
        Err(_) => {}
    }
    let temperatures = arguments::floats("temperature", value, &[rows])?;
    match temperatures.iter().position(|&given| !(0.0..=HOTTEST as f32).contains(&given)) {
        Some(row) => {
            Err(PyValueError::new_err(format!("temperature[{row}] is {}; give 0 to {HOTTEST}", temperatures[row])))
        }
        None => Ok(temperatures),
    }
}

fn show<'py>(py: Python<'py>, found: &[Found], actions: Vec<i64>, asked: Asked) -> PyResult<Arrays<'py>> {
    let shape = [found.len(), ROW];
    let visits = found.iter().flat_map(|found| found.visits).map(|visits| visits as i32).collect();
    let policy = found.iter().flat_map(|found| found.policy).collect();
    let q = found.iter().flat_map(|found| found.values).map(|value| value.unwrap_or(f32::NAN)).collect();
    let value = found.iter().map(|found| found.value).collect();
    let exact = found.iter().map(|found| found.exact).collect();
    Ok((
        PyArray1::from_vec(py, visits).reshape(shape)?,
        PyArray1::from_vec(py, policy).reshape(shape)?,
        PyArray1::from_vec(py, value),
        PyArray1::from_vec(py, q).reshape(shape)?,
        PyArray1::from_vec(py, exact),
        PyArray1::from_vec(py, actions),
        asked.calls,
        asked.positions,
    ))
}
