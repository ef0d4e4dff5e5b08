//! What boards of few seeds are worth: a table of their values under `awari`, for the ends of lines.
//!
//! `few_seeds.bin` has a signed byte for each board, in the order of [`crate::index`], the boards of fewer seeds first;
//! `scripts/tune_evaluation.py few` writes it. An endless line is worth 0 there, and other rules differ in what becomes
//! of a slam or of a repetition, so a value from here is an estimate as good as they come, and nothing that is solved.

use crate::index::{boards_below, rank};
use crate::words::Words;

use super::value::SEED;

/// The most seeds on the board for which there are values.
pub(super) const FEW_SEEDS: u8 = 10;

static VALUES: &[u8; boards_below(FEW_SEEDS + 1) as usize] = include_bytes!("few_seeds.bin");

/// The net seeds that the mover still takes, in hundredths, from a board of at most [`FEW_SEEDS`] seeds.
// Out of line, for the sake of the searches that have no use for it.
#[inline(never)]
pub(super) fn few_seeds_value(board: Words) -> i32 {
    let place = boards_below(board.board_seeds()) as usize + rank(board) as usize;
    VALUES.get(place).map_or(0, |&value| i32::from(value as i8) * SEED)
}
