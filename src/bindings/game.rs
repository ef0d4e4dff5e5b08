//! `oware.Game`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use super::convert::{self, Given, Integer};
use super::error::IllegalMoveError;
use super::rules::{PyRules, name_of};
use crate::batch::observe::{self, COLUMNS, ObservationKind, Observations, PLANES};
use crate::game::Game;
use crate::pit::{Move, MoveSet, Pit};
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::setup::Setup;
use crate::words::Words;

/// A game of Oware under one rule set, with its history.
///
/// South is seat 0 and owns pits 0 to 5, North is seat 1 and owns pits 6 to 11; sowing goes from a pit
/// to the next. A move is the mover's own pit counted in sowing order, 0 to 5. A game that is not over
/// has a legal move.
///
/// `rules` is a `Rules` or the name of a rule set. `pits` (12 numbers of seeds), `stores` (2) and
/// `to_move` (0 or 1) set up another start, as sequences or arrays of integers; it may be unreachable
/// or already over. There may be at most 12 x `seeds_per_pit` seeds in pits and stores together.
///
/// Games compare, copy and pickle with all their history. Raises `SetupError` with every reason for
/// which a position is refused; `TypeError` and `ValueError` for arguments of the wrong type and for
/// an unknown rule set.
///
/// >>> import oware
/// >>> game = oware.Game()
/// >>> game.play(2)
/// 0
/// >>> print(game)
///             f    e    d    c    b    a
/// North   0 [  4][  4][  4][  4][  4][  5]
///           [  4][  4][  0][  5][  5][  5]   0 South
///             A    B    C    D    E    F
/// North to move
#[pyclass(name = "Game", module = "oware", frozen)]
pub(crate) struct PyGame {
    game: Mutex<Game>,
}

impl PyGame {
    pub(crate) fn from_core(game: Game) -> Self {
        Self { game: Mutex::new(game) }
    }

    /// The game as it stands now.
    pub(crate) fn snapshot(&self) -> Game {
        self.lock().clone()
    }

    /// The game, for as long as the core needs it: nothing may call into Python meanwhile.
    fn lock(&self) -> MutexGuard<'_, Game> {
        // The core leaves a game whole whatever happens.
        self.game.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn position(&self) -> Position {
        *self.lock().position()
    }
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(
        signature = (rules=Given::Not, *, pits=None, stores=None, to_move=Given::Not),
        text_signature = "(rules='abapa', *, pits=None, stores=None, to_move=0)"
    )]
    fn new(
        rules: Given<'_>,
        pits: Option<&Bound<'_, PyAny>>,
        stores: Option<&Bound<'_, PyAny>>,
        to_move: Given<'_>,
    ) -> PyResult<Self> {
        let rules = rules_or_default(rules)?;
        let start = Position::start(&rules);
        let setup = Setup {
            pits: match pits {
                Some(pits) => convert::integers("pits", pits)?,
                None => start.board.pits().iter().copied().map(i64::from).collect(),
            },
            stores: match stores {
                Some(stores) => convert::integers("stores", stores)?,
                None => vec![0; 2],
            },
            to_move: to_move.or(0, |value| convert::clamped("to_move", value))?,
        };
        Ok(Self::from_core(Game::from_position(rules, setup.validate(&rules)?, 0)))
    }

    /// A game that starts from a position as text: 12 pits, South's store, North's store, S or N to move.
    ///
    /// Raises `NotationError` when the text is malformed or the rules cannot set the position up.
    ///
    /// >>> import oware
    /// >>> oware.Game.from_string("1-0-0-0-0-2-2-0-0-0-0-3-20-20-N").legal_moves()
    /// [0, 5]
    #[staticmethod]
    #[pyo3(signature = (s, rules=Given::Not), text_signature = "(s, rules='abapa')")]
    fn from_string(s: &Bound<'_, PyAny>, rules: Given<'_>) -> PyResult<Self> {
        let s = convert::text("s", s)?;
        let rules = rules_or_default(rules)?;
        Ok(Self::from_core(Game::from_position(rules, Position::from_dashed(s, &rules)?, 0)))
    }

    /// A game that starts from a position in PlayStrategy's FEN.
    ///
    /// Its fields are North's pits 11 down to 6, a slash and South's pits 0 to 5 (`4S` is four seeds, a
    /// bare number so many empty pits), South's store, North's store, S or N to move, and the number of
    /// the move: `ply` is twice what comes before it, and one more with North to move.
    ///
    /// Raises `NotationError` when the text is malformed or the rules cannot set the position up.
    ///
    /// >>> import oware
    /// >>> game = oware.Game.from_fen("3S,4,2S/1S,5 20 22 N 31")
    /// >>> game.pits, game.stores, game.ply
    /// ((1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3), (20, 22), 61)
    #[staticmethod]
    #[pyo3(signature = (s, rules=Given::Not), text_signature = "(s, rules='abapa')")]
    fn from_fen(s: &Bound<'_, PyAny>, rules: Given<'_>) -> PyResult<Self> {
        let s = convert::text("s", s)?;
        Ok(Self::from_core(Game::from_fen(s, rules_or_default(rules)?)?))
    }

    /// A game from the start, with the moves of a transcript: `FfEe`, South's letters in capitals.
    ///
    /// Raises `NotationError` at the first letter that is no legal move.
    ///
    /// >>> import oware
    /// >>> oware.Game.from_transcript("FfEe").moves
    /// [5, 5, 4, 4]
    #[staticmethod]
    #[pyo3(signature = (text, rules=Given::Not), text_signature = "(text, rules='abapa')")]
    fn from_transcript(text: &Bound<'_, PyAny>, rules: Given<'_>) -> PyResult<Self> {
        let text = convert::text("text", text)?;
        let mut game = Game::new(rules_or_default(rules)?);
        game.play_transcript(text)?;
        Ok(Self::from_core(game))
    }

    /// The seeds in the 12 pits, in sowing order from South's first.
    #[getter]
    fn pits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.position().board.pits())
    }

    /// The seeds in South's and in North's store.
    #[getter]
    fn stores(&self) -> (u8, u8) {
        let stores = self.position().board.stores;
        (stores.south, stores.north)
    }

    /// The seat that moves, 0 or 1; in a finished game, the one that would.
    #[getter]
    fn to_move(&self) -> usize {
        self.position().mover.index()
    }

    /// The plies that count for the ply limit.
    #[getter]
    fn ply(&self) -> u32 {
        self.lock().ply()
    }

    /// The rule set.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(*self.lock().rules())
    }

    /// The moves played, oldest first.
    #[getter]
    fn moves(&self) -> Vec<usize> {
        self.lock().moves().map(Move::index).collect()
    }

    /// The pit from 0 to 11 that the last move emptied; None at the start.
    #[getter]
    fn last_move(&self) -> Option<usize> {
        self.lock().last_move().map(Pit::index)
    }

    /// The pits from 0 to 11 that the last move captured.
    #[getter]
    fn last_captures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let captures = self.lock().last_captures();
        PyTuple::new(py, captures.iter().map(Pit::index).collect::<Vec<_>>())
    }

    /// Whether the game has ended.
    #[getter]
    fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    /// Why the game has ended, one of `TERMINATIONS`; None while it goes on.
    #[getter]
    fn termination(&self) -> Option<&'static str> {
        self.lock().outcome().map(|outcome| outcome.termination.name())
    }

    /// The seat with more seeds in store, once the game is over; None for a draw.
    #[getter]
    fn winner(&self) -> Option<usize> {
        self.lock().outcome().and_then(|outcome| outcome.winner).map(Seat::index)
    }

    /// The seeds that an ending gave to nobody, 0 or 1; with pits and stores they are all seeds.
    #[getter]
    fn unawarded(&self) -> u8 {
        self.position().unawarded
    }

    /// The legal moves in sowing order; none once the game is over.
    ///
    /// >>> import oware
    /// >>> oware.Game.from_transcript("FfEe").legal_moves()
    /// [0, 1, 2, 3, 5]
    fn legal_moves(&self) -> Vec<usize> {
        let legal = self.lock().legal_moves();
        legal.iter().map(Move::index).collect()
    }

    /// Whether a move is legal; false for a number that is no move at all.
    ///
    /// Raises `TypeError` for anything but an integer.
    ///
    /// >>> import oware
    /// >>> oware.Game().is_legal(0), oware.Game().is_legal(6)
    /// (True, False)
    fn is_legal(&self, m: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mv = to_move_number(&convert::integer("m", m)?);
        Ok(mv.is_some_and(|mv| self.lock().legal_moves().contains(mv)))
    }

    /// Play a move, 0 to 5, and return the seeds that it captured.
    ///
    /// What an ending then shares out does not count as captured. Raises `IllegalMoveError`, and the
    /// game is as it was; `TypeError` for anything but an integer: `play_transcript` plays letters.
    ///
    /// >>> import oware
    /// >>> game = oware.Game(pits=(0, 0, 0, 0, 0, 1, 1, 4, 4, 4, 4, 4))
    /// >>> game.play(5)
    /// 2
    /// >>> game.last_captures
    /// (6,)
    fn play(&self, m: &Bound<'_, PyAny>) -> PyResult<u8> {
        let number = convert::integer("m", m).map_err(|error| match m.is_instance_of::<PyString>() {
            true => PyTypeError::new_err("m must be an int, not str; play_transcript plays letters"),
            false => error,
        })?;
        let mut game = self.lock();
        match to_move_number(&number) {
            Some(mv) => Ok(game.play(mv)?),
            None => {
                let legal = game.legal_moves();
                Err(IllegalMoveError::new_err(format!("action {number} is not a pit from 0 to 5; legal: {legal}")))
            }
        }
    }

    /// Take the last move back and return it; from a finished game too.
    ///
    /// Raises `IndexError` when no move has been played.
    ///
    /// >>> import oware
    /// >>> game = oware.Game.from_transcript("Ff")
    /// >>> game.undo()
    /// 5
    /// >>> game == oware.Game.from_transcript("F")
    /// True
    fn undo(&self) -> PyResult<usize> {
        let undone = self.lock().undo();
        undone.map(Move::index).ok_or_else(|| PyIndexError::new_err("no move has been played that could be undone"))
    }

    /// A game of its own with the same history.
    ///
    /// >>> import oware
    /// >>> game = oware.Game()
    /// >>> other = game.copy()
    /// >>> other.play(0), game.ply, other.ply
    /// (0, 0, 1)
    fn copy(&self) -> Self {
        Self::from_core(self.snapshot())
    }

    /// The position as text: 12 pits, South's store, North's store, S or N to move.
    ///
    /// >>> import oware
    /// >>> oware.Game().to_string()
    /// '4-4-4-4-4-4-4-4-4-4-4-4-0-0-S'
    #[pyo3(name = "to_string")]
    fn dashed(&self) -> String {
        self.position().to_dashed()
    }

    /// The position in PlayStrategy's FEN; see `from_fen`.
    ///
    /// >>> import oware
    /// >>> oware.Game.from_transcript("Cd").to_fen()
    /// '5S,5S,1,4S,4S,5S/5S,5S,1,5S,5S,5S 0 0 S 2'
    fn to_fen(&self) -> String {
        self.lock().to_fen()
    }

    /// The moves played as letters, South's in capitals.
    ///
    /// >>> import oware
    /// >>> game = oware.Game()
    /// >>> game.play(5), game.play(0)
    /// (0, 0)
    /// >>> game.transcript()
    /// 'Fa'
    fn transcript(&self) -> String {
        self.lock().transcript()
    }

    /// Play the moves of a transcript; white space between them is passed over.
    ///
    /// Raises `NotationError` at the first letter that is no legal move, and the game is as it was.
    ///
    /// >>> import oware
    /// >>> game = oware.Game()
    /// >>> game.play_transcript("Fa Eb")
    /// >>> game.ply
    /// 4
    fn play_transcript(&self, text: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = convert::text("text", text)?;
        Ok(self.lock().play_transcript(text)?)
    }

    /// One line on how the game stands.
    ///
    /// >>> import oware
    /// >>> oware.Game().status()
    /// 'South to move'
    /// >>> oware.Game(pits=[0] * 12, stores=(20, 28)).status()
    /// 'North wins 20-28 (majority)'
    fn status(&self) -> String {
        self.lock().status()
    }

    /// What the player to move sees: their pits, the opponent's pits, their store, the opponent's store.
    ///
    /// `kind` is one of
    ///
    /// - `seeds`: a uint8 array of shape (14,), numbers of seeds;
    /// - `normalized`: a float32 array of shape (14,), the same over 12 x `seeds_per_pit`;
    /// - `one_hot`: a float32 array of shape (14, 25), a one in column min(count, 24).
    ///
    /// The array is fresh. Raises `TypeError` and `ValueError` for another kind.
    ///
    /// >>> import oware
    /// >>> oware.Game.from_transcript("F").observation()
    /// array([5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0], dtype=uint8)
    #[pyo3(signature = (kind=Given::Not), text_signature = "($self, kind='seeds')")]
    fn observation<'py>(&self, py: Python<'py>, kind: Given<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kind = kind.or(ObservationKind::Seeds, |value| convert::named("kind", value))?;
        let (words, whole) = {
            let game = self.lock();
            (Words::of(game.position()), f32::from(game.rules().seeds_per_pit.total()))
        };
        match kind {
            ObservationKind::Seeds => {
                let mut row = [0; PLANES];
                Observations::Seeds(&mut row).write(0, words);
                Ok(PyArray1::from_slice(py, &row).into_any())
            }
            ObservationKind::Normalized => {
                let mut row = [0.0; PLANES];
                Observations::Normalized { rows: &mut row, whole }.write(0, words);
                Ok(PyArray1::from_slice(py, &row).into_any())
            }
            ObservationKind::OneHot => {
                let array = PyArray2::<f32>::zeros(py, [PLANES, COLUMNS], false);
                Observations::OneHot(array.readwrite().as_slice_mut()?).write(0, words);
                Ok(array.into_any())
            }
        }
    }

    /// An int8 array of shape (6,): 1 for a legal move.
    ///
    /// All ones once the game is over, so that a softmax over the legal moves stays finite.
    ///
    /// >>> import oware
    /// >>> oware.Game.from_transcript("FfEe").action_mask()
    /// array([1, 1, 1, 1, 0, 1], dtype=int8)
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let legal = {
            let game = self.lock();
            if game.is_over() { MoveSet::ALL } else { game.legal_moves() }
        };
        PyArray1::from_slice(py, &observe::mask(legal))
    }

    fn __eq__(&self, other: &Self) -> bool {
        // One lock at a time: `a == b` and `b == a` in two threads would wait for each other.
        let other = other.snapshot();
        *self.lock() == other
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __str__(&self) -> String {
        self.lock().to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (rules, ply, position) = {
            let game = self.lock();
            (*game.rules(), game.ply(), game.position().to_dashed())
        };
        let rules = match name_of(&rules) {
            Some(name) => name.to_owned(),
            None => convert::plain(Bound::new(py, PyRules(rules))?.repr())?,
        };
        Ok(format!("<oware.Game {rules} ply {ply}: {position}>"))
    }

    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("oware.render")?.call_method1("svg", (slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("oware.render")?.call_method1("html", (slf,))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let (rules, start, start_ply, moves) = {
            let game = slf.get().lock();
            let moves: Vec<u8> = game.moves().map(|mv| mv.index() as u8).collect();
            (*game.rules(), game.start().to_dashed(), game.start_ply(), moves)
        };
        let state = (PyRules(rules), start, start_ply, PyBytes::new(py, &moves)).into_pyobject(py)?;
        Ok((slf.get_type().getattr("_restore")?, state))
    }

    /// The game that `__reduce__` took apart: its rules, its start, the plies before that and its moves.
    #[staticmethod]
    fn _restore(rules: &Bound<'_, PyRules>, start: &str, start_ply: u32, moves: &[u8]) -> PyResult<Self> {
        let rules = rules.get().0;
        let mut game = Game::from_position(rules, Position::from_dashed(start, &rules)?, start_ply);
        for &mv in moves {
            let mv = Move::new(usize::from(mv)).ok_or_else(|| IllegalMoveError::new_err(format!("action {mv}")))?;
            game.play(mv)?;
        }
        Ok(Self::from_core(game))
    }
}

fn rules_or_default(rules: Given<'_>) -> PyResult<Rules> {
    rules.or(Rules::default(), |value| convert::rules("rules", value))
}

fn to_move_number(number: &Integer) -> Option<Move> {
    number.to().and_then(Move::new)
}
