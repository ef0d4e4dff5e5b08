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

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::endgame::{Endgame, Key};
    use crate::index::{Boards, boards};
    use crate::rules::Rules;

    #[test]
    fn values_are_those_of_the_database() {
        let key = Key::of(&Rules::named("awari").unwrap());
        let endgame = Endgame::build(key, FEW_SEEDS, None, None, |_| ControlFlow::Continue(())).unwrap();
        for seeds in 0..=FEW_SEEDS {
            for board in Boards::from(seeds, 0).take(boards(seeds) as usize) {
                let value = endgame.value_of(board).map(|net| i32::from(net) * SEED);
                assert_eq!(Some(few_seeds_value(board)), value, "{:?}", board.observation());
            }
        }
    }
}
