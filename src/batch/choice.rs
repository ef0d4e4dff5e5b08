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
pub(crate) fn nth<L: Lanes>(moves: L, ranks: L) -> L {
    let (zero, one) = (L::splat(0), L::splat(1));
    // Without the lowest moves, as many as the rank, the lowest one is it.
    let mut left = moves;
    let mut i = 1;
    while i < ROW {
        let passes = L::splat(i as u8).at_most(ranks);
        left = L::select(passes, left.and(left.sub(one)), left);
        i += 1;
    }
    left.and(zero.sub(left))
}

/// The pit of each board's move, which is a bit; 0 where there is none.
#[inline(always)]
pub(crate) fn pit<L: Lanes>(moves: L) -> L {
    if L::LOOKS_UP {
        const PIT: [u8; 16] = [0, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0];
        // Of the last two pits the bits are 16 and 32.
        let pit = L::look_up(PIT, moves.and(L::splat(15)));
        let beyond = L::splat(16).at_most(moves);
        return L::select(beyond, L::splat(4), pit).increment(L::splat(32).at_most(moves));
    }
    let mut pit = L::splat(0);
    let mut i = 1;
    while i < ROW {
        pit = pit.increment(L::splat(1 << i).at_most(moves));
        i += 1;
    }
    pit
}

/// How many moves each board has.
#[inline(always)]
pub(crate) fn count<L: Lanes>(moves: L) -> L {
    let (mut total, mut i) = (L::splat(0), 0);
    if L::LOOKS_UP {
        const COUNT: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
        (total, i) = (L::look_up(COUNT, moves.and(L::splat(15))), 4);
    }
    while i < ROW {
        let bit = L::splat(1 << i);
        total = total.increment(moves.and(bit).equals(bit));
        i += 1;
    }
    total
}

/// The equal shares of the 256 bytes that one of `count` moves can have, as the last byte of the first one.
const LAST_OF_FIRST: [u8; ROW + 1] = [0, 255, 127, 84, 63, 50, 41];

/// The legal move that a byte chooses on each board, as a bit; none where the byte is left over: the moves have the
/// same number of bytes each, so that all are exactly as likely.
#[inline(always)]
pub(crate) fn by_byte<L: Lanes>(legal: L, bytes: L) -> L {
    let zero = L::splat(0);
    let count = count(legal);
    let mut i;
    let last = if L::LOOKS_UP {
        let mut table = [0; 16];
        i = 0;
        while i <= ROW {
            table[i] = LAST_OF_FIRST[i];
            i += 1;
        }
        L::look_up(table, count)
    } else {
        let mut last = zero;
        i = 1;
        while i <= ROW {
            last = last.or(L::splat(LAST_OF_FIRST[i]).keep(count.equals(L::splat(i as u8))));
            i += 1;
        }
        last
    };
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
