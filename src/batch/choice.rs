//! Moves chosen for a block of boards in lockstep.

use crate::batch::lanes::{BLOCK, Lanes, Plane};
use crate::batch::ply::{Boards, capture, load_all, sown_row};
use crate::pit::{Move, MoveSet, PITS, ROW};
use crate::rules::Rules;

/// The legal moves that capture most, as bits.
#[inline(always)]
pub(crate) fn greediest<L: Lanes>(boards: &Boards, legal: &Plane, rules: &Rules, best: &mut Plane) {
    let mut at = 0;
    while at < BLOCK {
        let pits: [L; PITS] = load_all(&boards.pits, at);
        let legal = L::load(legal, at);
        let zero = L::splat(0);
        let (mut most, mut moves) = (zero, zero);
        let mut i = 0;
        while i < ROW {
            let bit = L::splat(1 << i);
            let (theirs, sowing) = sown_row(&pits, i);
            let taken = capture(theirs, sowing.landing, rules.grand_slam).taken;
            let allowed = legal.and(bit).equals(bit);
            let reaches = L::both(allowed, most.at_most(taken));
            let exceeds = L::except(reaches, taken.at_most(most));
            moves = moves.drop(exceeds).or(bit.keep(reaches));
            most = L::select(exceeds, taken, most);
            i += 1;
        }
        moves.store(best, at);
        at += L::WIDTH;
    }
}

/// The move of each rank among its board's moves, as a bit; none where the board has no moves.
#[inline(always)]
pub(crate) fn nth<L: Lanes>(moves: &Plane, ranks: &Plane, chosen: &mut Plane) {
    let mut at = 0;
    while at < BLOCK {
        let (moves, ranks) = (L::load(moves, at), L::load(ranks, at));
        let zero = L::splat(0);
        let (mut passed, mut choice) = (zero, zero);
        let mut i = 0;
        while i < ROW {
            let bit = L::splat(1 << i);
            let here = moves.and(bit).equals(bit);
            choice = choice.or(bit.keep(L::both(here, passed.equals(ranks))));
            passed = passed.increment(here);
            i += 1;
        }
        choice.store(chosen, at);
        at += L::WIDTH;
    }
}

/// The pit of each board's move, which is a bit; 0 where there is none.
#[inline(always)]
pub(crate) fn pits<L: Lanes>(moves: &Plane, pits: &mut Plane) {
    let mut at = 0;
    while at < BLOCK {
        let moves = L::load(moves, at);
        let mut pit = L::splat(0);
        let mut i = 1;
        while i < ROW {
            pit = pit.increment(L::splat(1 << i).at_most(moves));
            i += 1;
        }
        pit.store(pits, at);
        at += L::WIDTH;
    }
}

/// How many moves each board has.
#[inline(always)]
pub(crate) fn count<L: Lanes>(moves: &Plane, counts: &mut Plane) {
    let mut at = 0;
    while at < BLOCK {
        let moves = L::load(moves, at);
        let mut total = L::splat(0);
        let mut i = 0;
        while i < ROW {
            let bit = L::splat(1 << i);
            total = total.increment(moves.and(bit).equals(bit));
            i += 1;
        }
        total.store(counts, at);
        at += L::WIDTH;
    }
}

/// The equal shares of the 256 bytes that one of `count` moves can have, as the last byte of the first one.
const LAST_OF_FIRST: [u8; ROW + 1] = [0, 255, 127, 84, 63, 50, 41];

/// The legal move that a byte chooses on each board, as a bit; none where the byte is left over: the moves have the
/// same number of bytes each, so that all are exactly as likely.
#[inline(always)]
pub(crate) fn by_byte<L: Lanes>(legal: L, bytes: L) -> L {
    let zero = L::splat(0);
    let mut count = zero;
    let mut i = 0;
    while i < ROW {
        let bit = L::splat(1 << i);
        count = count.increment(legal.and(bit).equals(bit));
        i += 1;
    }
    let mut last = zero;
    i = 1;
    while i <= ROW {
        last = last.or(L::splat(LAST_OF_FIRST[i]).keep(count.equals(L::splat(i as u8))));
        i += 1;
    }
    // A move's share begins where that of the one before ends. Below 0 it wraps around, too high to be in a share.
    let size = last.add(L::splat(1));
    let (mut byte, mut choice) = (bytes, zero);
    i = 0;
    while i < ROW {
        let bit = L::splat(1 << i);
        let here = legal.and(bit).equals(bit);
        choice = choice.or(bit.keep(L::both(here, byte.at_most(last))));
        byte = byte.sub(size.keep(here));
        i += 1;
    }
    choice
}

/// [`by_byte`] for one board.
pub(crate) fn one_by_byte(legal: MoveSet, byte: u8) -> Option<Move> {
    let last = LAST_OF_FIRST[legal.len()];
    legal.nth(usize::from(byte) / (usize::from(last) + 1))
}
