//! Where a search starts: a position in play and what its game remembers of the way there.

use crate::batch::slot::Slot;
use crate::game::Game;
use crate::pit::{Move, MoveSet};
use crate::rules::Rules;
use crate::words::Words;

use super::path::Path;

/// The position to be searched.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// The rules that values are reckoned by: without an end at the majority.
    pub(super) rules: Rules,
    pub(super) board: Words,
    pub(super) legal: MoveSet,
    pub(super) path: Path,
    /// The plies after which the rules end the game, from here.
    pub(super) plies_left: u32,
}

impl Root {
    /// The position of a game; `None` when it is over.
    pub(crate) fn of(game: &Game) -> Option<Self> {
        if game.is_over() {
            return None;
        }
        let (mut boards, moves): (Vec<_>, Vec<_>) =
            game.since_capture().map(|(position, mv)| (Words::of(position), mv)).unzip();
        boards.push(Words::of(game.position()));
        Some(Self::new(game.rules(), &boards, &moves, game.ply()))
    }

    /// The position of a game of a batch, which is not over.
    pub(crate) fn of_slot(slot: &Slot, rules: &Rules) -> Self {
        let boards = slot.history.positions();
        let steps = boards.windows(2).filter_map(|pair| pair[0].move_to(pair[1]));
        let moves: Vec<_> = steps.map(|(mv, _)| mv).collect();
        // Where no repetition counts nothing is remembered.
        let boards = if boards.is_empty() { std::slice::from_ref(&slot.words) } else { boards };
        Self::new(rules, boards, &moves, slot.ply)
    }

    /// The last of some positions since the last capture, which these moves lead through, after `ply` plies in all.
    fn new(rules: &Rules, boards: &[Words], moves: &[Move], ply: u32) -> Self {
        let rules = Rules { majority_ends: false, ..*rules };
        let board = boards.last().copied().unwrap_or(Words::EMPTY);
        Self {
            board,
            legal: board.legal_moves(&rules),
            path: Path::new(&rules, boards, moves),
            plies_left: rules.max_plies.map_or(u32::MAX, |limit| limit.get().saturating_sub(ply)),
            rules,
        }
    }
}
