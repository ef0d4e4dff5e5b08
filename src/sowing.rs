//! How one move works on one board, written as the rules are told.
//!
//! This is the reference that every faster path is played against.

use crate::board::Board;
use crate::pit::{Move, MoveSet, Pit, PitSet};
use crate::rules::{Feeding, GrandSlam, Rules};
use crate::seat::Seat;

/// What a move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sown {
    /// The board after the move.
    pub(crate) board: Board,
    /// The pits that the mover captured.
    pub(crate) captured: PitSet,
    /// The seeds that the mover captured.
    pub(crate) taken: u8,
}

/// Plays a move of a non-empty pit, whether or not the rules allow it in this position.
///
/// 1. Lift all seeds of the pit and drop one into each following pit, passing over the origin on every lap.
/// 2. If the last seed falls into an opponent's pit that then holds 2 or 3, capture it, and walking backwards each
///    further pit of the opponent's row that holds 2 or 3.
/// 3. If that would take every seed the opponent has left, `grand_slam` decides.
#[must_use]
pub(crate) fn sow(board: &Board, mover: Seat, mv: Move, grand_slam: GrandSlam) -> Sown {
    let mut board = *board;
    let origin = mv.pit(mover);
    let mut last = origin;
    for _ in 0..board.lift(origin) {
        last = last.next();
        if last == origin {
            last = last.next();
        }
        board.drop_seed(last);
    }

    let opponent = mover.other();
    let mut captured = capture_chain(&board, opponent, last);
    let slam = !captured.is_empty() && Pit::row(opponent).all(|pit| captured.contains(pit) || board.seeds(pit) == 0);
    if slam {
        captured = match grand_slam {
            GrandSlam::CaptureNothing => PitSet::EMPTY,
            GrandSlam::LeaveLandingPit => captured.without(last),
            GrandSlam::LeaveFarPit => captured.iter().skip(1).fold(PitSet::EMPTY, PitSet::with),
            GrandSlam::Forbidden | GrandSlam::CaptureAll | GrandSlam::OpponentTakesRest => captured,
        };
    }
    let taken = captured.iter().map(|pit| board.lift(pit)).sum();
    board.stores[mover] += taken;
    if slam && grand_slam == GrandSlam::OpponentTakesRest {
        board.stores[opponent] += board.lift_row(mover);
    }
    Sown { board, captured, taken }
}

/// The pits from `last` backwards that lie in the opponent's row and hold 2 or 3 seeds.
fn capture_chain(board: &Board, opponent: Seat, last: Pit) -> PitSet {
    let mut chain = PitSet::EMPTY;
    let mut pit = last;
    while pit.owner() == opponent && matches!(board.seeds(pit), 2 | 3) {
        chain = chain.with(pit);
        pit = pit.previous();
    }
    chain
}

/// The moves that the rules allow the mover.
#[must_use]
pub(crate) fn legal_moves(board: &Board, mover: Seat, rules: &Rules) -> MoveSet {
    let opponent = mover.other();
    let non_empty: MoveSet = Move::all().filter(|mv| board.seeds(mv.pit(mover)) > 0).collect();
    let leaves_a_seed = |mv: &Move| sow(board, mover, *mv, rules.grand_slam).board.row_seeds(opponent) > 0;
    if rules.grand_slam == GrandSlam::Forbidden {
        let leaving: MoveSet = non_empty.iter().filter(leaves_a_seed).collect();
        if leaving.is_empty() { non_empty } else { leaving }
    } else if rules.feeding == Feeding::Required && board.row_seeds(opponent) == 0 {
        non_empty.iter().filter(|mv| reaches(board, mover, *mv)).collect()
    } else {
        non_empty
    }
}

/// Whether the sowing puts a seed into the opponent's row.
fn reaches(board: &Board, mover: Seat, mv: Move) -> bool {
    mv.index() + usize::from(board.seeds(mv.pit(mover))) >= crate::pit::ROW
}
