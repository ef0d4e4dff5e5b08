//! Boards, moves and games as text.
//!
//! Three forms: the dashed string `4-4-4-4-4-4-4-4-4-4-4-4-0-0-S` (twelve pits in sowing order, two stores, the
//! mover), PlayStrategy's FEN `4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1` (North's pits from right to left, then
//! South's; a bare number is so many empty pits), and a transcript `FfEe`, one letter a move, South's in capitals.

use std::error::Error;
use std::fmt;

use crate::game::Game;
use crate::pit::{Move, PITS, Pit, ROW};
use crate::position::{IllegalMove, Position};
use crate::rules::Rules;
use crate::seat::Seat;
use crate::setup::{Setup, SetupError};

/// Why a text is no position or no game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotationError {
    /// The text does not have the form's parts.
    Form {
        /// The form that was expected.
        expected: &'static str,
        /// The text.
        text: String,
    },
    /// A part is not a number, or one too large.
    Number {
        /// What the number would say.
        what: &'static str,
        /// The text in its place.
        text: String,
    },
    /// The mover is neither `S` nor `N`.
    Mover(String),
    /// The parts do not make a position.
    Setup(SetupError),
    /// A letter is not one of the mover's six.
    Letter {
        /// The move's rank in the transcript, from 1.
        number: usize,
        /// The letter.
        letter: char,
        /// Whose turn it is.
        mover: Seat,
    },
    /// A move of a transcript is illegal.
    Move {
        /// The move's rank in the transcript, from 1.
        number: usize,
        /// Why.
        source: IllegalMove,
    },
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { expected, text } => write!(f, "{text:?} does not have the form {expected:?}"),
            Self::Number { what, text } => write!(f, "{what} is {text:?}, not a number in range"),
            Self::Mover(text) => write!(f, "the mover is {text:?}, not \"S\" or \"N\""),
            Self::Setup(error) => error.fmt(f),
            Self::Letter { number, letter, mover } => write!(
                f,
                "move {number} is {letter:?}, but {mover} is to move: {} to {}",
                Move::all().next().map_or(' ', |mv| mv.letter(*mover)),
                Move::all().next_back().map_or(' ', |mv| mv.letter(*mover)),
            ),
            Self::Move { number, source } => write!(f, "move {number}: {source}"),
        }
    }
}

impl Error for NotationError {}

impl From<SetupError> for NotationError {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}

const DASHED: &str = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
const FEN: &str = "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1";

impl Position {
    /// The dashed string.
    #[must_use]
    pub fn to_dashed(&self) -> String {
        let stores = [self.board.stores.south, self.board.stores.north];
        let mut text: String = self.board.pits().iter().chain(&stores).map(|seeds| format!("{seeds}-")).collect();
        text.push(self.mover.letter());
        text
    }

    /// The position that a dashed string tells.
    ///
    /// # Errors
    /// [`NotationError`] when the text is malformed or the rules cannot set the position up.
    ///
    /// ```
    /// use oware::{Position, Rules};
    ///
    /// let rules = Rules::default();
    /// let start = Position::from_dashed("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", &rules)?;
    /// assert_eq!(start, Position::start(&rules));
    /// let refusal = Position::from_dashed("5-4-4-4-4-4-4-4-4-4-4-4-0-0-S", &rules).unwrap_err();
    /// assert_eq!(refusal.to_string(), "49 seeds in pits and stores, the rules have 48 (12 x seeds_per_pit)");
    /// # Ok::<(), oware::NotationError>(())
    /// ```
    pub fn from_dashed(text: &str, rules: &Rules) -> Result<Self, NotationError> {
        let parts: Vec<&str> = text.trim().split('-').collect();
        let [counts @ .., mover] = parts.as_slice() else {
            return Err(form(DASHED, text));
        };
        if counts.len() != PITS + 2 {
            return Err(form(DASHED, text));
        }
        let to_move = parse_mover(mover)?;
        let pits = counts[..PITS].iter().map(|part| number("a pit", part)).collect::<Result<_, _>>()?;
        let stores = counts[PITS..].iter().map(|part| number("a store", part)).collect::<Result<_, _>>()?;
        Ok(Setup { pits, stores, to_move }.validate(rules)?)
    }

    fn fen_row(&self, pits: impl Iterator<Item = Pit>) -> String {
        let mut fields: Vec<String> = Vec::new();
        let mut empty = 0;
        for pit in pits {
            let seeds = self.board.seeds(pit);
            if seeds == 0 {
                empty += 1;
                continue;
            }
            if empty > 0 {
                fields.push(std::mem::take(&mut empty).to_string());
            }
            fields.push(format!("{seeds}S"));
        }
        if empty > 0 {
            fields.push(empty.to_string());
        }
        fields.join(",")
    }
}

impl Game {
    /// PlayStrategy's FEN of the position now.
    #[must_use]
    pub fn to_fen(&self) -> String {
        let position = self.position();
        format!(
            "{}/{} {} {} {} {}",
            position.fen_row(Pit::row(Seat::North).rev()),
            position.fen_row(Pit::row(Seat::South)),
            position.board.stores.south,
            position.board.stores.north,
            position.mover.letter(),
            self.ply() / 2 + 1
        )
    }

    /// A game that starts from a FEN's position; its move number says how many plies have been played.
    ///
    /// # Errors
    /// [`NotationError`] when the text is malformed or the rules cannot set the position up.
    ///
    /// ```
    /// use oware::{Game, Rules};
    ///
    /// let game = Game::from_fen("5S,4S,4S,4S,4S,4S/4S,4S,3,5S 7 3 N 12", Rules::default())?;
    /// assert_eq!(game.ply(), 23);
    /// assert_eq!(game.position().board.pits(), &[4, 4, 0, 0, 0, 5, 4, 4, 4, 4, 4, 5]);
    /// # Ok::<(), oware::NotationError>(())
    /// ```
    pub fn from_fen(text: &str, rules: Rules) -> Result<Self, NotationError> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [rows, south, north, mover, move_number] = parts.as_slice() else {
            return Err(form(FEN, text));
        };
        let (north_row, south_row) = rows.split_once('/').ok_or_else(|| form(FEN, text))?;
        let mut pits = parse_fen_row(south_row).ok_or_else(|| form(FEN, text))?;
        pits.extend(parse_fen_row(north_row).ok_or_else(|| form(FEN, text))?.into_iter().rev());
        let stores = vec![number("South's store", south)?, number("North's store", north)?];
        let to_move = parse_mover(mover)?;
        let ply = number("the move number", move_number)
            .ok()
            .and_then(|number| (number - 1).checked_mul(2)?.checked_add(to_move))
            .and_then(|ply| u32::try_from(ply).ok())
            .ok_or_else(|| NotationError::Number { what: "the move number", text: (*move_number).to_owned() })?;
        let position = Setup { pits, stores, to_move }.validate(&rules)?;
        Ok(Self::from_position(rules, position, ply))
    }

    /// The moves played as letters, South's in capitals: `FfEe`.
    #[must_use]
    pub fn transcript(&self) -> String {
        let mut mover = self.start().mover;
        self.moves()
            .map(|mv| {
                let letter = mv.letter(mover);
                mover = mover.other();
                letter
            })
            .collect()
    }

    /// Plays the moves of a transcript; white space between them is passed over.
    ///
    /// # Errors
    /// [`NotationError`] at the first letter that is no legal move; the game is then as it was.
    ///
    /// ```
    /// use oware::{Game, Rules};
    ///
    /// let mut game = Game::new(Rules::default());
    /// game.play_transcript("Ab CcB")?;
    /// assert_eq!(game.position().board.stores.south, 2);
    /// let refusal = game.play_transcript("aa").unwrap_err();
    /// assert_eq!(refusal.to_string(), "move 2 is 'a', but South is to move: A to F");
    /// assert_eq!(game.transcript(), "AbCcB");
    /// # Ok::<(), oware::NotationError>(())
    /// ```
    pub fn play_transcript(&mut self, text: &str) -> Result<(), NotationError> {
        let mut game = self.clone();
        for (rank, letter) in text.chars().filter(|letter| !letter.is_whitespace()).enumerate() {
            let number = rank + 1;
            let mover = game.position().mover;
            let mv = Move::all().find(|mv| mv.letter(mover) == letter).ok_or(NotationError::Letter {
                number,
                letter,
                mover,
            })?;
            game.play(mv).map_err(|source| NotationError::Move { number, source })?;
        }
        *self = game;
        Ok(())
    }

    /// One line on how the game stands: `South to move`, `North wins 20-28 (majority)`.
    #[must_use]
    pub fn status(&self) -> String {
        let Position { board, mover, .. } = self.position();
        let score = format!("{}-{}", board.stores.south, board.stores.north);
        match self.outcome() {
            None => format!("{mover} to move"),
            Some(outcome) => match outcome.winner {
                Some(winner) => format!("{winner} wins {score} ({})", outcome.termination),
                None => format!("Draw {score} ({})", outcome.termination),
            },
        }
    }
}

/// The board as six lines of text, North's row on top.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = &self.position().board;
        let cells = |row: &mut dyn Iterator<Item = Pit>| {
            row.map(|pit| format!("[{:>3}]", board.seeds(pit))).collect::<String>()
        };
        let letters = |seat: Seat, moves: &mut dyn Iterator<Item = Move>| {
            moves.map(|mv| format!("  {}  ", mv.letter(seat))).collect::<String>()
        };
        writeln!(f, "          {}", letters(Seat::North, &mut Move::all().rev()).trim_end())?;
        writeln!(f, "North {:>3} {}", board.stores.north, cells(&mut Pit::row(Seat::North).rev()))?;
        writeln!(f, "          {} {:>3} South", cells(&mut Pit::row(Seat::South)), board.stores.south)?;
        writeln!(f, "          {}", letters(Seat::South, &mut Move::all()).trim_end())?;
        f.write_str(&self.status())
    }
}

fn form(expected: &'static str, text: &str) -> NotationError {
    NotationError::Form { expected, text: text.to_owned() }
}

/// A count of digits alone: no sign, no space.
fn number(what: &'static str, text: &str) -> Result<i64, NotationError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().ok_or_else(|| NotationError::Number { what, text: text.to_owned() })
}

fn parse_mover(text: &str) -> Result<i64, NotationError> {
    match text {
        "S" => Ok(0),
        "N" => Ok(1),
        _ => Err(NotationError::Mover(text.to_owned())),
    }
}

/// Six pits from a row's fields; `None` when it is no row of six.
fn parse_fen_row(text: &str) -> Option<Vec<i64>> {
    let mut pits = Vec::with_capacity(ROW);
    for field in text.split(',') {
        match field.strip_suffix('S') {
            Some(seeds) => pits.push(number("a pit", seeds).ok()?),
            None => {
                let empty = usize::try_from(number("empty pits", field).ok()?).ok()?;
                if empty == 0 || empty > ROW {
                    return None;
                }
                pits.extend(std::iter::repeat_n(0, empty));
            }
        }
    }
    (pits.len() == ROW).then_some(pits)
}
