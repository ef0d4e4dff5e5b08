//! The core of `oware.Endgame`.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::convert::{self, wrong_type};
use super::env_arguments as arguments;
use super::error::endgame_error;
use super::game::PyGame;
use super::signals::Signals;
use crate::endgame::{Endgame, EndgameError, Key, cost};
use crate::game::Game;
use crate::pit::Move;
use crate::rules::Rules;
use crate::words::Words;

/// More threads than this help nobody.
const MOST_THREADS: usize = 1024;
/// How often a progress bar is told.
const ROUND: Duration = Duration::from_millis(100);

/// An endgame database; `oware.Endgame` is what users see.
#[pyclass(name = "EndgameCore", module = "oware._oware", frozen)]
pub(crate) struct PyEndgame {
    pub(super) database: Arc<Endgame>,
}

impl PyEndgame {
    fn new(database: Endgame) -> Self {
        Self { database: Arc::new(database) }
    }

    /// The database of an argument `endgame`, which must be for a game's rules.
    pub(super) fn for_game(value: &Bound<'_, PyAny>, game: &Game) -> PyResult<Arc<Endgame>> {
        Self::for_rules(value, game.rules())
    }

    /// The database of an argument `endgame`, which must be for some rules.
    pub(super) fn for_rules(value: &Bound<'_, PyAny>, rules: &Rules) -> PyResult<Arc<Endgame>> {
        let endgame = value.cast::<Self>().map_err(|_| wrong_type("endgame", "None or an oware.Endgame", value))?;
        let database = Arc::clone(&endgame.get().database);
        match Key::of(rules) {
            key if key == database.key() => Ok(database),
            game => Err(endgame_error(EndgameError::Key { database: database.key(), game })),
        }
    }

    /// The board of a game that this database is for.
    fn board(&self, game: &Bound<'_, PyAny>) -> PyResult<Words> {
        let given = game.cast::<PyGame>().map_err(|_| wrong_type("game", "an oware.Game", game))?.get().snapshot();
        let (database, game) = (self.database.key(), Key::of(given.rules()));
        let board = Words::of(given.position());
        let (seeds, most) = (board.board_seeds(), self.database.max_seeds());
        if database != game {
            Err(endgame_error(EndgameError::Key { database, game }))
        } else if seeds > most {
            Err(endgame_error(EndgameError::Reach { seeds, most }))
        } else {
            Ok(board)
        }
    }

    /// The seeds of a level.
    fn seeds(&self, n: &Bound<'_, PyAny>) -> PyResult<u8> {
        arguments::count("n", n, 0, self.database.max_seeds())
    }
}

#[pymethods]
impl PyEndgame {
    /// The version of the files that are written and read.
    #[classattr]
    const FILE_VERSION: u32 = crate::endgame::FILE_VERSION;
    /// The most seeds that a database can have.
    #[classattr]
    const MOST_SEEDS: u8 = Endgame::MOST_SEEDS;

    /// Solve every board and, to show progress, tell `watch` the level's seeds and the boards done.
    #[staticmethod]
    fn build(
        py: Python<'_>,
        max_seeds: &Bound<'_, PyAny>,
        rules: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
        num_threads: &Bound<'_, PyAny>,
        progress: &Bound<'_, PyAny>,
        watch: Py<PyAny>,
    ) -> PyResult<Self> {
        let max_seeds = arguments::count("max_seeds", max_seeds, 0, Endgame::MOST_SEEDS)?;
        let key = Key::of(&convert::rules("rules", rules)?);
        let path = if path.is_none() { None } else { Some(read_path(path)?) };
        let threads = if num_threads.is_none() {
            None
        } else {
            NonZeroUsize::new(arguments::count("num_threads", num_threads, 1, MOST_THREADS)?)
        };
        let progress = convert::flag("progress", progress)?;
        let mut raised = None;
        let mut signals = Signals::new();
        let mut told: Option<Instant> = None;
        let built = py.detach(|| {
            Endgame::build(key, max_seeds, path.as_deref(), threads, |come| {
                signals.ask_or(&mut raised)?;
                let Some(seeds) = come.seeds.filter(|_| progress) else { return ControlFlow::Continue(()) };
                if told.is_some_and(|told| told.elapsed() < ROUND) {
                    return ControlFlow::Continue(());
                }
                told = Some(Instant::now());
                match Python::try_attach(|py| watch.call1(py, (seeds, come.done))) {
                    Some(Err(error)) => {
                        raised = Some(error);
                        ControlFlow::Break(())
                    }
                    Some(Ok(_)) | None => ControlFlow::Continue(()),
                }
            })
        });
        match raised {
            Some(raised) => Err(raised),
            None => built.map(Self::new).map_err(endgame_error),
        }
    }

    /// Map a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let path = read_path(path)?;
        let (mut raised, mut signals) = (None, Signals::new());
        let opened = py.detach(|| Endgame::open_while(&path, || signals.ask_or(&mut raised)));
        match raised {
            Some(raised) => Err(raised),
            None => opened.map(Self::new).map_err(endgame_error),
        }
    }

    /// The boards, the bytes of the file and the bytes of memory of a database of so many seeds.
    #[staticmethod]
    fn cost(max_seeds: &Bound<'_, PyAny>) -> PyResult<(u64, u64, u64)> {
        let max_seeds = arguments::count("max_seeds", max_seeds, 0, Endgame::MOST_SEEDS)?;
        let cost = cost(max_seeds).map_err(endgame_error)?;
        Ok((cost.boards, cost.file, cost.memory))
    }

    /// The fields of some rules on which values depend.
    #[staticmethod]
    fn key_of<'py>(rules: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        fields(rules.py(), Key::of(&convert::rules("rules", rules)?))
    }

    /// The fields of the rules on which the values depend.
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        fields(py, self.database.key())
    }

    /// The names of the rule sets that the database is for.
    fn rule_sets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.database.key().names().collect::<Vec<_>>())
    }

    fn max_seeds(&self) -> u8 {
        self.database.max_seeds()
    }

    fn value(&self, game: &Bound<'_, PyAny>) -> PyResult<i8> {
        let board = self.board(game)?;
        // The board is one that the database has.
        Ok(self.database.value_of(board).unwrap_or_default())
    }

    fn values<'py>(&self, pits: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let py = pits.py();
        let boards = arguments::boards("pits", pits, self.database.max_seeds())?;
        let mut values = vec![0; boards.len()];
        let (mut raised, mut signals) = (None, Signals::new());
        let looked_up = py.detach(|| self.database.values(&boards, &mut values, || signals.ask_or(&mut raised)));
        match (raised, looked_up) {
            (Some(raised), _) => Err(raised),
            (None, Err(error)) => Err(endgame_error(error)),
            (None, Ok(())) => Ok(PyArray1::from_slice(py, &values)),
        }
    }

    fn move_values<'py>(&self, game: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(game.py());
        let values = self.database.move_values(self.board(game)?).unwrap_or_default();
        for (mv, value) in values.iter().enumerate() {
            if let Some(value) = value {
                found.set_item(mv, value)?;
            }
        }
        Ok(found)
    }

    /// The moves of a best line, the plies up to its last capture, and whether it has no end.
    fn best_line(&self, game: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, usize, bool)> {
        let board = self.board(game)?;
        let (mut raised, mut signals) = (None, Signals::new());
        let line = game.py().detach(|| self.database.best_line(board, || signals.ask_or(&mut raised)));
        match (raised, line) {
            (Some(raised), _) => Err(raised),
            (None, Err(error)) => Err(endgame_error(error)),
            (None, Ok(line)) => Ok((line.moves.into_iter().map(Move::index).collect(), line.distance, line.endless)),
        }
    }

    fn statistics<'py>(&self, n: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = n.py();
        let seeds = self.seeds(n)?;
        let statistics = py.detach(|| self.database.statistics(seeds)).unwrap_or_default();
        let histogram = PyDict::new(py);
        for (value, boards) in statistics.histogram {
            histogram.set_item(value, boards)?;
        }
        let told = PyDict::new(py);
        told.set_item("win", statistics.win)?;
        told.set_item("draw", statistics.draw)?;
        told.set_item("loss", statistics.loss)?;
        told.set_item("histogram", histogram)?;
        Ok(told)
    }
}

fn fields(py: Python<'_>, key: Key) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("grand_slam", key.grand_slam().name())?;
    fields.set_item("feeding", key.feeding().name())?;
    fields.set_item("no_move", key.no_move().name())?;
    Ok(fields)
}

/// The path of a file, from a str or an `os.PathLike`.
fn read_path(path: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let read: PathBuf = path.extract().map_err(|_| wrong_type("path", "a str or an os.PathLike", path))?;
    if read.as_os_str().is_empty() {
        Err(PyValueError::new_err("path is empty; give the path of a file"))
    } else {
        Ok(read)
    }
}
