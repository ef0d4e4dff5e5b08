//! The line from the last capture to the position looked at: what has recurred, and what still can.
//!
//! The value of a position depends on how it was reached where an earlier position could arise again below it. A value
//! in the table must not, so what is stored and looked up goes by the position and the set of those earlier positions
//! that could end the game by repetition within the plies that are left to search. Mostly that set is empty.
//!
//! What can recur is bounded by what a recurrence needs. With no capture in between, from position *a* with so many
//! plies left to an earlier position *t* of the same line:
//!
//! - every one of the twelve pits is an origin between two occurrences (`batch/history.rs` says why), so those that
//!   have not been since *t* must still be;
//! - a pit that holds more in *a* than in *t* must be an origin, as nothing else takes seeds from it;
//! - a pit that is an origin is then empty, and gains at most one seed a ply while no pit has a lap of twelve;
//! - the players alternate, so the origins of either row are at least two plies apart.

use crate::pit::{Move, PITS, ROW};
use crate::rules::{Occurrences, Rules};
use crate::words::Words;

use super::table::{key, mix};

const ALL_ORIGINS: u16 = 0xFFF;
/// Plies between two occurrences of a position, at least.
const ROUND: u32 = PITS as u32;

/// A position of the line.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The board without its stores, as its mover sees it.
    board: Words,
    /// The origin of the ply that led here, as a bit; none when that ply captured.
    origin: u16,
    /// The origins since all twelve had last been, and how often they have.
    lap: u16,
    laps: u32,
    /// Where the first position after the last capture stands.
    start: usize,
}

/// The positions from the last capture before the root to the one looked at.
#[derive(Clone, Debug)]
pub(super) struct Path {
    steps: Vec<Step>,
    /// How often a position arises before the game ends; 0 where no number does.
    limit: u32,
    needs_both_rows: bool,
}

impl Path {
    /// The line of a game that has made these moves since its last capture from these positions; the last position is
    /// the one that is there now.
    pub(super) fn new(rules: &Rules, boards: &[Words], moves: &[Move]) -> Self {
        let limit = rules.repetition.map_or(0, Occurrences::get);
        let mut path = Self { steps: Vec::new(), limit, needs_both_rows: rules.repetition_needs_both_rows };
        for (rank, &board) in boards.iter().enumerate() {
            let mv = rank.checked_sub(1).and_then(|before| moves.get(before));
            path.push(board, mv.copied());
        }
        path
    }

    /// Goes on to a position by a move; without a move, by a capture or from nowhere.
    #[inline(always)]
    pub(super) fn push(&mut self, board: Words, quiet: Option<Move>) {
        let here = self.steps.len();
        let board = board.pits_only();
        let step = match (quiet, self.steps.last()) {
            (Some(mv), Some(last)) => {
                // The mover of every second position has the lower six bits.
                let origin = 1 << (mv.index() + if here % 2 == 1 { 0 } else { ROW });
                let lap = last.lap | origin;
                let full = lap == ALL_ORIGINS;
                Step {
                    board,
                    origin,
                    lap: if full { 0 } else { lap },
                    laps: last.laps + u32::from(full),
                    start: last.start,
                }
            }
            _ => Step { board, origin: 0, lap: 0, laps: 0, start: here },
        };
        self.steps.push(step);
    }

    /// Goes back to the position before.
    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.steps.pop();
    }

    /// Whether repetition ends the game at the last position.
    #[inline(always)]
    pub(super) fn has_recurred(&self) -> bool {
        match self.steps.last() {
            Some(last) if self.limit > 0 && last.laps + 1 >= self.limit => self.count_last(last) >= self.limit,
            _ => false,
        }
    }

    #[cold]
    fn count_last(&self, last: &Step) -> u32 {
        if self.needs_both_rows && last.board.has_empty_row() {
            return 0;
        }
        let segment = &self.steps[last.start..];
        segment.iter().rev().step_by(2).filter(|step| step.board == last.board).count() as u32
    }

    /// Whether repetition can end the game within `depth` plies.
    pub(super) fn can_end(&self, depth: u32) -> bool {
        self.limit > 0 && self.steps.last().is_some_and(|last| self.plies_to_end(last) <= depth)
    }

    /// The fewest plies after which repetition can end the game.
    #[inline(always)]
    fn plies_to_end(&self, last: &Step) -> u32 {
        // So many laps must still be gone, the first of them only to its end.
        let laps = (self.limit - 1).saturating_sub(last.laps);
        if laps == 0 { 0 } else { ROUND * laps - last.lap.count_ones() }
    }

    /// A number for the set of earlier positions that could end the game by repetition within `depth` plies; 0 for
    /// the empty set.
    #[inline(always)]
    pub(super) fn dangers(&self, depth: u32) -> u64 {
        let Some(last) = self.steps.last() else { return 0 };
        if self.limit == 0 {
            return 0;
        }
        if self.plies_to_end(last) > depth {
            return 0;
        }
        if last.laps + 2 == self.limit && !fits(!last.lap & ALL_ORIGINS, self.steps.len(), depth) {
            return 0;
        }
        self.find_dangers(last, depth)
    }

    #[inline(never)]
    fn find_dangers(&self, last: &Step, depth: u32) -> u64 {
        let segment = &self.steps[last.start..];
        let now = last.board.observation();
        let heaviest = now[..PITS].iter().copied().max().unwrap_or(0);
        // A lap gives a pit more than one seed in a ply.
        let gain = if u32::from(heaviest) + depth <= 11 { 1 } else { u32::from(last.board.board_seeds()).div_ceil(11) };
        let mut origins = last.origin;
        let mut sum = 0_u64;
        let mut age = 0_u32;
        for (rank, step) in segment.iter().enumerate().rev().skip(1) {
            age += 1;
            let counts = !(self.needs_both_rows && step.board.has_empty_row());
            let missing = !origins & ALL_ORIGINS;
            if counts && missing.count_ones() <= depth {
                let then = if age.is_multiple_of(2) { step.board } else { step.board.swapped() };
                let missing =
                    if self.steps.len() % 2 == 1 { missing } else { missing >> ROW | missing << ROW & ALL_ORIGINS };
                let mut plies = plies_back(&now, &then.observation(), missing, gain);
                // The player to move there is known.
                plies += (plies ^ age) & 1;
                if plies <= depth {
                    let same = |(other, one): &(usize, &Step)| (other ^ rank) % 2 == 0 && one.board == step.board;
                    let occurrences = segment.iter().enumerate().filter(same).count() as u32;
                    let more = self.limit.saturating_sub(occurrences + 1);
                    if plies + ROUND * more <= depth {
                        sum = sum.wrapping_add(mix(key(then) ^ u64::from(age & 1)));
                    }
                }
            }
            origins |= step.origin;
        }
        sum
    }
}

/// Whether the players alone, who take turns, can sow from these pits in so many plies.
#[inline(always)]
fn fits(missing: u16, length: usize, depth: u32) -> bool {
    let (even, odd) = ((missing & 0x3F).count_ones(), (missing >> ROW).count_ones());
    // The last of an odd number of positions is one of the player with the lower bits.
    let (mover, other) = if length % 2 == 1 { (even, odd) } else { (odd, even) };
    2 * mover <= depth + 1 && 2 * other <= depth
}

/// The fewest plies from a board to an earlier one, both from the view of the player to move now.
fn plies_back(now: &[u8; PITS + 2], then: &[u8; PITS + 2], missing: u16, gain: u32) -> u32 {
    let mut least = 0;
    let mut moved = false;
    for row in 0..2 {
        let mut heaps = [0_u8; ROW];
        let mut count = 0;
        for pit in row * ROW..(row + 1) * ROW {
            moved |= now[pit] != then[pit];
            if missing >> pit & 1 == 1 || now[pit] > then[pit] {
                // Sorted in as we go, the heaviest first.
                let mut place = count;
                while place > 0 && heaps[place - 1] < then[pit] {
                    heaps[place] = heaps[place - 1];
                    place -= 1;
                }
                heaps[place] = then[pit];
                count += 1;
            } else {
                least = least.max(u32::from(then[pit] - now[pit]).div_ceil(gain));
            }
        }
        for (rank, &heap) in heaps[..count].iter().enumerate() {
            let ply = (2 * rank + 1 + row) as u32;
            least = least.max(ply + u32::from(heap).div_ceil(gain));
        }
    }
    if moved { least } else { least.max(ROUND) }
}
