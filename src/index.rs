//! The boards of so many seeds, numbered without a gap.
//!
//! Let *s(k)* be the seeds in the pits 0 to *k* of a board of *n* seeds. The bars *s(k) + k*, for *k* from 0 to 10, are
//! eleven different numbers below *n + 11*, and any eleven are those of one board, so the combinatorial number system
//! (Lehmer 1964) numbers the boards from 0 to *C(n + 11, 11) - 1*:
//!
//! ```text
//! rank = sum over k of C(s(k) + k, k + 1)
//! ```
//!
//! Two multiplications make the sums *s(k)* of a board in [`Words`], and a table has the binomial coefficients.

use crate::pit::PITS;
use crate::words::Words;

/// The most seeds that a rank reaches: up to here it has 32 bits.
pub(crate) const MOST_SEEDS: u8 = 31;

const COUNTS: usize = MOST_SEEDS as usize + 1;
/// Bars between the pits.
const BARS: usize = PITS - 1;
const ONES: u64 = 0x0101_0101_0101_0101;

/// `STEPS[k][s]` is C(s + k, k + 1).
static STEPS: [[u32; COUNTS]; BARS] = steps();

const fn steps() -> [[u32; COUNTS]; BARS] {
    // By Pascal's rule, C(s + k, k + 1) = C(s - 1 + k, k + 1) + C(s + k - 1, k).
    let mut table = [[0_u32; COUNTS]; BARS];
    let mut k = 0;
    while k < BARS {
        let mut s = 1;
        while s < COUNTS {
            table[k][s] = if k == 0 { s as u32 } else { table[k][s - 1] + table[k - 1][s] };
            s += 1;
        }
        k += 1;
    }
    table
}

/// The number of boards of so many seeds, C(seeds + 11, 11).
#[must_use]
pub(crate) const fn boards(seeds: u8) -> u64 {
    let mut count = 1;
    let mut k = 1;
    while k <= BARS as u64 {
        count = count * (seeds as u64 + k) / k;
        k += 1;
    }
    count
}

/// The number of boards of fewer seeds, C(seeds + 11, 12).
#[must_use]
pub(crate) const fn boards_below(seeds: u8) -> u64 {
    boards(seeds) * seeds as u64 / PITS as u64
}

/// The number of a board among those of as many seeds, from the mover's view. The board has at most [`MOST_SEEDS`].
#[must_use]
#[inline(always)]
pub(crate) fn rank(words: Words) -> u32 {
    let [mine, theirs] = words.rows();
    let mine = mine.wrapping_mul(ONES);
    let theirs = theirs.wrapping_mul(ONES).wrapping_add((mine >> 56).wrapping_mul(ONES));
    let step = |k: usize, sums: u64| STEPS[k][(sums & u64::from(MOST_SEEDS)) as usize];
    step(0, mine)
        .wrapping_add(step(1, mine >> 8))
        .wrapping_add(step(2, mine >> 16))
        .wrapping_add(step(3, mine >> 24))
        .wrapping_add(step(4, mine >> 32))
        .wrapping_add(step(5, mine >> 40))
        .wrapping_add(step(6, theirs))
        .wrapping_add(step(7, theirs >> 8))
        .wrapping_add(step(8, theirs >> 16))
        .wrapping_add(step(9, theirs >> 24))
        .wrapping_add(step(10, theirs >> 32))
}

/// The seeds in the pits of a board with this rank among those of `seeds` seeds.
fn unranked(seeds: u8, rank: u32) -> [u8; PITS] {
    let mut pits = [0; PITS];
    let mut left = rank;
    let mut sum = seeds.min(MOST_SEEDS);
    for k in (0..BARS).rev() {
        let above = sum;
        while STEPS[k][usize::from(sum)] > left {
            sum -= 1;
        }
        left -= STEPS[k][usize::from(sum)];
        pits[k + 1] = above - sum;
    }
    pits[0] = sum;
    pits
}

/// The board with this rank among those of `seeds` seeds.
#[must_use]
pub(crate) fn board(seeds: u8, rank: u32) -> Words {
    words(&unranked(seeds, rank))
}

/// The board of these pits, the mover's first.
#[must_use]
#[inline]
pub(crate) fn words(pits: &[u8; PITS]) -> Words {
    let mut counts = [0; PITS + 2];
    counts[..PITS].copy_from_slice(pits);
    Words::from_observation(counts)
}

/// The boards of so many seeds in the order of their ranks, without an end of its own.
pub(crate) struct Boards {
    pits: [u8; PITS],
}

impl Boards {
    /// The boards from this rank on.
    pub(crate) fn from(seeds: u8, rank: u32) -> Self {
        Self { pits: unranked(seeds, rank) }
    }
}

impl Iterator for Boards {
    type Item = Words;

    #[inline]
    fn next(&mut self) -> Option<Words> {
        let board = words(&self.pits);
        // The first bar that can go up by one does, and all before it go back to the left.
        if let Some(pit) = (1..PITS).find(|&pit| self.pits[pit] > 0) {
            let first = std::mem::take(&mut self.pits[0]);
            self.pits[pit] -= 1;
            self.pits[pit - 1] = first + 1;
        }
        Some(board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Stream;

    #[test]
    fn ranks_are_the_order_of_the_boards() {
        for seeds in 0..=6 {
            for (number, board) in (0..boards(seeds) as u32).zip(Boards::from(seeds, 0)) {
                assert_eq!(board.board_seeds(), seeds);
                assert_eq!(rank(board), number);
                assert_eq!(super::board(seeds, number), board);
            }
        }
    }

    #[test]
    fn ranks_of_many_seeds_come_back() {
        let mut stream = Stream::from_seed(3);
        for seeds in 0..=MOST_SEEDS {
            let last = u32::try_from(boards(seeds) - 1).unwrap();
            let drawn = (0..1000).map(|_| (stream.draw() % boards(seeds)) as u32);
            for number in drawn.chain([0, last]) {
                let board = super::board(seeds, number);
                assert_eq!((board.board_seeds(), rank(board)), (seeds, number));
                let next = Boards::from(seeds, number).nth(1);
                assert_eq!(next.map(rank), Some(if number == last { number } else { number + 1 }));
            }
        }
    }

    #[test]
    fn boards_are_counted() {
        assert_eq!([0, 1, 2, 6, 12].map(boards), [1, 12, 78, 12_376, 1_352_078]);
        assert_eq!(boards(24), 417_225_900);
        let mut below = 0;
        for seeds in 0..=MOST_SEEDS {
            assert_eq!(boards_below(seeds), below);
            below += boards(seeds);
        }
    }
}
