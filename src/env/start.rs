//! Episodes that start from random boards of so many seeds.
//!
//! ```text
//! count    of the range, each as likely
//! until the position is not over:
//!     board    of all ways to place so many seeds in twelve pits, each as likely
//!     stores   of all ways to share out the other seeds that give nobody more than half of all, each as likely
//!     mover    South or North
//! ```

use crate::batch::slot::Slot;
use crate::board::Board;
use crate::pit::PITS;
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::{BySeat, Seat};
use crate::stream::Stream;

/// The seeds on the board at the start of an episode: from `low` to `high`, each count as likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartSeeds {
    /// The fewest, at least 1.
    pub low: u8,
    /// The most, at most those of a whole game.
    pub high: u8,
}

impl StartSeeds {
    /// Whether there are so many seeds under some rules.
    #[must_use]
    pub fn fits(self, rules: &Rules) -> bool {
        1 <= self.low && self.low <= self.high && self.high <= rules.seeds_per_pit.total()
    }

    /// Draws a game in play.
    pub(crate) fn draw(self, rules: &Rules, stream: &mut Stream) -> Slot {
        let count = self.low + below(stream, self.high - self.low + 1);
        loop {
            let slot = Slot::new(&position(count, rules.seeds_per_pit.total(), stream), 0, rules);
            if !slot.is_over() {
                return slot;
            }
        }
    }
}

fn below(stream: &mut Stream, end: u8) -> u8 {
    Stream::rank(stream.draw(), end.into()) as u8
}

fn position(count: u8, total: u8, stream: &mut Stream) -> Position {
    let (left, half) = (total - count, total / 2);
    let pits = board(count, stream);
    let least = left.saturating_sub(half);
    let south = least + below(stream, left.min(half) - least + 1);
    let mover = if stream.draw() >> 63 == 0 { Seat::South } else { Seat::North };
    Position { board: Board::new(pits, BySeat::new(south, left - south)), mover, unawarded: 0 }
}

/// The seeds and eleven walls between the pits in a row, any order as likely.
fn board(count: u8, stream: &mut Stream) -> [u8; PITS] {
    let mut pits = [0; PITS];
    let (mut seeds, mut pit) = (count, 0);
    while seeds > 0 {
        let walls = (PITS - 1 - pit) as u8;
        if below(stream, seeds + walls) < walls {
            pit += 1;
        } else {
            pits[pit] += 1;
            seeds -= 1;
        }
    }
    pits
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_board_is_as_likely() {
        // Of three seeds there are 364 boards.
        let mut stream = Stream::from_seed(1);
        let mut counts: HashMap<_, u32> = HashMap::new();
        (0..364_000).for_each(|_| *counts.entry(board(3, &mut stream)).or_default() += 1);
        assert_eq!(counts.len(), 364);
        // Five standard deviations.
        assert!(counts.values().all(|&count| count.abs_diff(1000) < 5 * 32), "{counts:?}");
    }

    #[test]
    fn every_split_is_as_likely() {
        let mut stream = Stream::from_seed(2);
        let mut counts = [0_u32; 49];
        for _ in 0..60_000 {
            let Position { board, .. } = position(5, 48, &mut stream);
            assert_eq!(board.stores[Seat::South] + board.stores[Seat::North], 43);
            counts[usize::from(board.stores[Seat::South])] += 1;
        }
        let (inside, outside) = (&counts[19..=24], counts[..19].iter().chain(&counts[25..]));
        assert!(outside.sum::<u32>() == 0 && inside.iter().all(|&count| count.abs_diff(10_000) < 500), "{counts:?}");
    }
}
