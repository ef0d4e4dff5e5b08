//! Moves chosen for a block of boards in lockstep.

use crate::batch::lanes::{BLOCK, Lanes, Plane};
use crate::batch::ply::{Boards, capture, load_all, sown_row};
use crate::pit::{PITS, ROW};
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
