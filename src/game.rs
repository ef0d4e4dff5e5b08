//! A game: a position with the history that repetition, the ply limit and undo need.

use crate::pit::{Move, MoveSet, Pit, PitSet};
use crate::position::{IllegalMove, IllegalReason, Position, Termination};
use crate::rules::{Occurrences, Rules};
use crate::seat::Seat;

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it has ended.
    pub termination: Termination,
    /// Who holds more seeds in store; `None` for a draw.
    pub winner: Option<Seat>,
}

/// A move that was played, with what undo needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    before: Position,
    mv: Move,
    captured: PitSet,
    taken: u8,
}

/// A game of Oware under one rule set.
///
/// A game that is not over always has a legal move.
///
/// ```
/// use oware::{Game, Move, Rules};
///
/// let mut game = Game::new(Rules::default());
/// let captured = game.play(Move::new(2).unwrap())?;
/// assert_eq!(captured, 0);
/// assert_eq!(game.position().board.pits(), &[4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4]);
/// # Ok::<(), oware::IllegalMove>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    rules: Rules,
    start: Position,
    start_ply: u32,
    position: Position,
    termination: Option<Termination>,
    records: Vec<Record>,
    /// The first record whose position counts for repetition: the one after the last capture.
    segment: usize,
}

impl Game {
    /// A game at its start.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self::from_position(rules, Position::start(&rules), 0)
    }

    /// A game that starts from a position after `ply` plies; the position may be finished.
    #[must_use]
    pub fn from_position(rules: Rules, start: Position, ply: u32) -> Self {
        let mut game =
            Self { rules, start, start_ply: ply, position: start, termination: None, records: Vec::new(), segment: 0 };
        game.settle();
        game
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The position now; when the game is over, after its ending has shared out the seeds.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The position in which the game started, before any ending.
    #[must_use]
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The plies that count for the ply limit.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.start_ply.saturating_add(u32::try_from(self.records.len()).unwrap_or(u32::MAX))
    }

    /// The plies that had been played when the game started here.
    #[must_use]
    pub const fn start_ply(&self) -> u32 {
        self.start_ply
    }

    /// The moves played, oldest first.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + ExactSizeIterator {
        self.records.iter().map(|record| record.mv)
    }

    /// The pit that the last move emptied.
    #[must_use]
    pub fn last_move(&self) -> Option<Pit> {
        self.records.last().map(|record| record.mv.pit(record.before.mover))
    }

    /// The pits that the last move captured.
    #[must_use]
    pub fn last_captures(&self) -> PitSet {
        self.records.last().map_or(PitSet::EMPTY, |record| record.captured)
    }

    /// The outcome, once the game is over.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.termination.map(|termination| Outcome { termination, winner: self.position.leader() })
    }

    /// Whether the game is over.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.termination.is_some()
    }

    /// The legal moves; none once the game is over.
    #[must_use]
    pub fn legal_moves(&self) -> MoveSet {
        if self.is_over() { MoveSet::EMPTY } else { self.position.legal_moves(&self.rules) }
    }

    /// Plays a move and returns the seeds that it captured, without what an ending then shares out.
    ///
    /// # Errors
    /// [`IllegalMove`]; the game is then as it was.
    pub fn play(&mut self, mv: Move) -> Result<u8, IllegalMove> {
        if self.is_over() {
            return Err(IllegalMove { mv, reason: IllegalReason::GameOver, legal: MoveSet::EMPTY });
        }
        let before = self.position;
        let ply = before.play(&self.rules, mv)?;
        self.records.push(Record { before, mv, captured: ply.captured, taken: ply.taken });
        self.position = ply.after;
        if ply.taken > 0 {
            self.segment = self.records.len();
        }
        self.settle();
        Ok(ply.taken)
    }

    /// Takes the last move back and returns it; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let record = self.records.pop()?;
        self.position = record.before;
        self.termination = None;
        self.segment = self.records.iter().rposition(|record| record.taken > 0).map_or(0, |capture| capture + 1);
        Some(record.mv)
    }

    /// How often the position has arisen since the last capture, this time included; 0 where it does not count.
    #[must_use]
    pub fn occurrences(&self) -> u32 {
        let Position { board, mover, .. } = &self.position;
        if self.rules.repetition_needs_both_rows && Seat::ALL.into_iter().any(|seat| board.row_seeds(seat) == 0) {
            return 0;
        }
        let earlier = self.records[self.segment..]
            .iter()
            .filter(|record| record.before.mover == *mover && record.before.board.pits() == board.pits())
            .count();
        u32::try_from(earlier).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The positions since the last capture but the one that is there now, each with the move played in it.
    pub(crate) fn since_capture(&self) -> impl Iterator<Item = (&Position, Move)> {
        self.records[self.segment..].iter().map(|record| (&record.before, record.mv))
    }

    /// Ends the game if the position does: the endings in their order, and what becomes of the seeds.
    fn settle(&mut self) {
        self.termination = self
            .position
            .ending(&self.rules)
            .or_else(|| self.repetition_reached().then_some(Termination::Repetition))
            .or_else(|| self.ply_limit_reached().then_some(Termination::PlyLimit));
        if let Some(share) = self.termination.and_then(|ending| ending.share(&self.rules)) {
            self.position.share_out(share);
        }
    }

    fn repetition_reached(&self) -> bool {
        self.rules.repetition.map(Occurrences::get).is_some_and(|limit| self.occurrences() >= limit)
    }

    fn ply_limit_reached(&self) -> bool {
        self.rules.max_plies.is_some_and(|limit| self.ply() >= limit.get())
    }
}
