//! What a position that is not searched any further is taken to be worth.

use crate::position::Position;
use crate::words::Words;

use super::value::{SEED, Value};

/// The final net seeds for the mover that a position is taken to be worth without a search.
///
/// ```
/// use oware::search::static_value;
/// use oware::{Position, Rules};
///
/// let start = Position::start(&Rules::default());
/// assert!(static_value(&start).seeds().abs() < 1.0);
/// ```
#[must_use]
pub fn static_value(position: &Position) -> Value {
    let board = Words::of(position);
    Value::from_hundredths(i32::from(board.margin()) * SEED + evaluate(board))
}

/// The net seeds that the mover is expected to take from here on, in hundredths.
#[inline(always)]
pub(super) fn evaluate(board: Words) -> i32 {
    let counts = board.observation();
    let mut sum = 0;
    for i in 0..6 {
        sum += i32::from(counts[i] > 0) * 20 - i32::from(counts[i + 6] > 0) * 20;
        sum += i32::from(counts[i]) * 5 - i32::from(counts[i + 6]) * 5;
    }
    let most = i32::from(board.board_seeds()) * SEED;
    sum.clamp(-most, most)
}
