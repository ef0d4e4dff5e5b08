//! One game of a batch: a board in two words with just the history that its rules ask for.

use crate::batch::history::History;
use crate::pit::{Move, MoveSet};
use crate::position::{IllegalMove, Position, Termination};
use crate::rules::{Occurrences, Rules};
use crate::seat::Seat;
use crate::words::Words;

/// A game in play. Unlike [`crate::Game`] it remembers no more than the last move and, where repetition counts, the
/// positions since the last capture.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) words: Words,
    /// The board that the last move was played on, from that mover's view.
    pub(crate) before: Words,
    pub(crate) history: History,
    pub(crate) ply: u32,
    pub(crate) total: u8,
    pub(crate) mover: Seat,
    pub(crate) legal: MoveSet,
    pub(crate) last: Option<Move>,
    pub(crate) termination: Option<Termination>,
}

impl Slot {
    /// A game that starts from a position after `ply` plies.
    pub(crate) fn new(position: &Position, ply: u32, rules: &Rules) -> Self {
        let words = Words::of(position);
        let mut slot = Self {
            words,
            before: words,
            history: History::default(),
            ply,
            total: position.total_seeds(),
            mover: position.mover,
            legal: MoveSet::EMPTY,
            last: None,
            termination: None,
        };
        if rules.repetition.is_some() {
            slot.history.restart(words);
        }
        slot.settle(rules);
        slot
    }

    /// Becomes a copy of `start`, keeping its own memory.
    pub(crate) fn restart(&mut self, start: &Self) {
        let mut history = std::mem::take(&mut self.history);
        if !start.history.positions().is_empty() {
            history.restart(start.words);
        }
        *self = Self { history, ..*start };
    }

    /// Becomes a copy of `other`, keeping its own memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let mut history = std::mem::take(&mut self.history);
        history.copy_from(&other.history);
        *self = Self { history, ..*other };
    }

    /// Plays a legal move.
    #[inline(always)]
    pub(crate) fn play(&mut self, mv: Move, rules: &Rules) {
        let (after, taken) = self.words.sow(mv, rules.grand_slam);
        self.before = self.words;
        self.words = after.swapped();
        self.last = Some(mv);
        if rules.repetition.is_some() {
            if taken > 0 {
                self.history.restart(self.words);
            } else {
                self.history.push(self.words, mv.pit(self.mover));
            }
        }
        self.mover = self.mover.other();
        self.ply = self.ply.saturating_add(1);
        self.settle(rules);
    }

    /// The legal moves that capture most.
    pub(crate) fn greediest(&self, rules: &Rules) -> MoveSet {
        let mut most = 0;
        let mut best = MoveSet::EMPTY;
        for mv in self.legal.iter() {
            let (_, taken) = self.words.sow(mv, rules.grand_slam);
            if taken > most {
                most = taken;
                best = MoveSet::EMPTY;
            }
            if taken == most {
                best = best.with(mv);
            }
        }
        best
    }

    /// The game after a legal move.
    pub(crate) fn after(&self, mv: Move, rules: &Rules) -> Self {
        let mut after = self.clone();
        after.play(mv, rules);
        after
    }

    /// Finds the legal moves and ends the game if the position does.
    #[inline(always)]
    fn settle(&mut self, rules: &Rules) {
        self.legal = self.words.legal_moves(rules);
        self.termination = self
            .words
            .ending(rules, self.legal, self.total)
            .or_else(|| self.repetition_reached(rules).then_some(Termination::Repetition))
            .or_else(|| rules.max_plies.is_some_and(|limit| self.ply >= limit.get()).then_some(Termination::PlyLimit));
        if let Some(termination) = self.termination {
            self.end(termination, rules);
        }
    }

    fn repetition_reached(&self, rules: &Rules) -> bool {
        rules.repetition.map(Occurrences::get).is_some_and(|limit| {
            self.history.has_recurred(limit) && !(rules.repetition_needs_both_rows && self.words.has_empty_row())
        })
    }

    #[cold]
    fn end(&mut self, termination: Termination, rules: &Rules) {
        self.legal = MoveSet::EMPTY;
        if let Some(share) = termination.share(rules) {
            // What is nobody's is neither in a pit nor in a store; nothing here asks for it.
            (self.words, _) = self.words.shared_out(share);
        }
    }

    /// Why a move is not legal here.
    #[cold]
    pub(crate) fn refusal(&self, rules: &Rules, mv: Move) -> IllegalMove {
        let board = self.words.board(self.mover);
        Position { board, mover: self.mover, unawarded: 0 }.refusal(rules, mv, self.legal)
    }

    /// The board as `seat` sees it.
    pub(crate) fn seen_by(&self, seat: Seat) -> Words {
        if seat == self.mover { self.words } else { self.words.swapped() }
    }

    /// The board as its mover sees it.
    pub(crate) const fn words(&self) -> Words {
        self.words
    }

    pub(crate) const fn mover(&self) -> Seat {
        self.mover
    }

    pub(crate) const fn legal_moves(&self) -> MoveSet {
        self.legal
    }

    pub(crate) const fn termination(&self) -> Option<Termination> {
        self.termination
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.termination.is_some()
    }
}
