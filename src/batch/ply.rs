//! One ply of a block of boards in lockstep.
//!
//! The boards lie in planes, pit by pit, the mover's first, so that one instruction works on the same pit of many
//! boards. There is no table. With *n* seeds in the origin *a*, q = n / 11, r = n mod 11 and e = a + r:
//!
//! ```text
//! an opponent's pit t (6 to 11) gains q + [t <= e]
//! an own pit t (0 to 5)         gains q + [t <= e] - [t <= a] + [t + 12 <= e]
//! the origin                    becomes 0, and gains no q
//! the last seed falls at        e, or a + 11 when r = 0
//! chain = false;  for t from 11 down to 6:
//!     chain = (chain or the last seed fell at t) and pit t holds 2 or 3
//!     take pit t where chain
//! ```
//!
//! The mover changes by storing the rows the other way round.

use crate::batch::choice;
use crate::batch::lanes::{BLOCK, Lanes, NEVER, Plane};
use crate::pit::{PITS, ROW};
use crate::rules::{Feeding, GrandSlam, Rules};

/// The boards of a block from their movers' view.
#[derive(Clone, Debug)]
pub(crate) struct Boards {
    /// The mover's pits, then the opponent's.
    pub(crate) pits: [Plane; PITS],
    /// The mover's store and the opponent's.
    pub(crate) stores: [Plane; 2],
}

impl Boards {
    pub(crate) const EMPTY: Self = Self { pits: [Plane::ZERO; PITS], stores: [Plane::ZERO; 2] };
}

/// What a ply tells beside the boards.
pub(crate) struct Played {
    /// A number for each board after the ply, from its mover's view: equal boards have equal ones.
    pub(crate) hash: Plane,
    /// The seeds that each mover sowed.
    pub(crate) seeds: Plane,
    /// The seeds that each mover captured.
    pub(crate) taken: Plane,
    /// The next mover's legal moves as bits, where [`Played::attention`] is not asked for.
    pub(crate) legal: Plane,
    /// The boards, as bits, where the rules end the game since the mover holds more than half of the seeds.
    pub(crate) majority: u64,
    /// The boards, as bits, that may have ended otherwise or whose legal moves must be found one by one.
    pub(crate) attention: u64,
}

impl Played {
    pub(crate) const NOTHING: Self = Self {
        hash: Plane::ZERO,
        seeds: Plane::ZERO,
        taken: Plane::ZERO,
        legal: Plane::ZERO,
        majority: 0,
        attention: 0,
    };
}

/// Plays on every board the move whose bit is set in `moves`; a board without one stays as it is.
///
/// `half` holds half of each game's seeds, rounded down.
#[inline(always)]
pub(crate) fn play<L: Lanes>(
    before: &Boards,
    after: &mut Boards,
    moves: &Plane,
    half: &Plane,
    rules: &Rules,
) -> Played {
    let mut played = Played::NOTHING;
    let mut at = 0;
    while at < BLOCK {
        let (majority, attention) = play_some::<L>(before, after, moves, half, rules, &mut played, at);
        played.majority |= majority << at;
        played.attention |= attention << at;
        at += L::WIDTH;
    }
    played
}

#[inline(always)]
fn play_some<L: Lanes>(
    before: &Boards,
    after: &mut Boards,
    moves: &Plane,
    half: &Plane,
    rules: &Rules,
    played: &mut Played,
    at: usize,
) -> (u64, u64) {
    let old = Vectors::load(before, at);
    let moves = L::load(moves, at);
    let Next { vectors, seeds, taken, legal, majority, stuck } = next::<L>(&old, moves, L::load(half, at), rules);
    if rules.repetition.is_some() {
        hash(&vectors).store(&mut played.hash, at);
        seeds.store(&mut played.seeds, at);
    }
    taken.store(&mut played.taken, at);
    legal.store(&mut played.legal, at);
    let idle = moves.equals(L::splat(0));
    if L::any(idle) { Vectors::select(idle, &old, &vectors) } else { vectors }.store(after, at);
    let majority = L::except(majority, idle);
    (L::bits(majority), L::bits(L::except(L::except(stuck, majority), idle)))
}

/// Some boards of a block in vectors, from their movers' view.
#[derive(Clone, Copy)]
pub(crate) struct Vectors<L> {
    pits: [L; PITS],
    stores: [L; 2],
}

impl<L: Lanes> Vectors<L> {
    #[inline(always)]
    pub(crate) fn load(boards: &Boards, at: usize) -> Self {
        Self { pits: load_all(&boards.pits, at), stores: load_all(&boards.stores, at) }
    }

    #[inline(always)]
    pub(crate) fn store(self, boards: &mut Boards, at: usize) {
        let mut t = 0;
        while t < PITS {
            self.pits[t].store(&mut boards.pits[t], at);
            t += 1;
        }
        self.stores[0].store(&mut boards.stores[0], at);
        self.stores[1].store(&mut boards.stores[1], at);
    }

    /// `yes` where the mask is true, else `no`.
    #[inline(always)]
    pub(crate) fn select(mask: L::Mask, yes: &Self, no: &Self) -> Self {
        let mut chosen = *no;
        let mut t = 0;
        while t < PITS {
            chosen.pits[t] = L::select(mask, yes.pits[t], no.pits[t]);
            t += 1;
        }
        chosen.stores[0] = L::select(mask, yes.stores[0], no.stores[0]);
        chosen.stores[1] = L::select(mask, yes.stores[1], no.stores[1]);
        chosen
    }
}

/// What a ply leads to, on boards where a move is played.
pub(crate) struct Next<L: Lanes> {
    /// The boards from the next movers' view.
    pub(crate) vectors: Vectors<L>,
    /// The seeds that each mover sowed, and those captured.
    pub(crate) seeds: L,
    pub(crate) taken: L,
    /// The next movers' legal moves as bits.
    pub(crate) legal: L,
    /// Where the rules end the game since the mover holds more than half of the seeds.
    pub(crate) majority: L::Mask,
    /// Where no move is legal. That is so after an even split and where the opponent gets the rest, too.
    pub(crate) stuck: L::Mask,
}

/// Plays the move whose bit is set on each board.
#[inline(always)]
pub(crate) fn next<L: Lanes>(old: &Vectors<L>, moves: L, half: L, rules: &Rules) -> Next<L> {
    let zero = L::splat(0);
    let mut pits = old.pits;
    let (origin, seeds) = lift(&mut pits, moves);
    let sowing = Sowing::new(origin, seeds);
    sow(&mut pits, &sowing, moves);
    let theirs = [pits[6], pits[7], pits[8], pits[9], pits[10], pits[11]];
    let Capture { row, taken, swept, .. } = capture(theirs, sowing.landing, rules.grand_slam);
    let mine = old.stores[0].add(taken);
    let mut yours = old.stores[1];
    let mut t = 0;
    while t < ROW {
        pits[ROW + t] = row[t];
        t += 1;
    }
    if rules.grand_slam == GrandSlam::OpponentTakesRest && L::any(swept) {
        t = 0;
        while t < ROW {
            yours = yours.add(pits[t].keep(swept));
            pits[t] = pits[t].drop(swept);
            t += 1;
        }
    }

    // The next mover's legal moves.
    let my_row = pits[0].or(pits[1]).or(pits[2]).or(pits[3].or(pits[4]).or(pits[5]));
    let mut legal = zero;
    t = 0;
    while t < ROW {
        legal = legal.add(L::splat(1 << t).drop(pits[ROW + t].equals(zero)));
        t += 1;
    }
    let starved = my_row.equals(zero);
    if rules.grand_slam != GrandSlam::Forbidden && rules.feeding == Feeding::Required && L::any(starved) {
        let mut feeding = zero;
        t = 0;
        while t < ROW {
            let needed = L::splat((ROW - t) as u8);
            feeding = feeding.or(L::splat(1 << t).keep(needed.at_most(pits[ROW + t])));
            t += 1;
        }
        legal = L::select(starved, feeding, legal);
    }

    let turned = turn(pits);
    if rules.grand_slam == GrandSlam::Forbidden {
        // Only a row without four seeds in any pit can be captured whole, or be empty.
        let at_risk = my_row.and(L::splat(0xFC)).equals(zero);
        if L::any(at_risk) {
            let leaving = moves_that_leave_a_seed(&turned, legal);
            legal = L::select(L::except(at_risk, leaving.equals(zero)), leaving, legal);
        }
    }

    let mut majority = L::nowhere();
    if rules.majority_ends {
        majority = L::except(zero.equals(zero), mine.at_most(half));
    }
    let stuck = legal.equals(zero);
    Next { vectors: Vectors { pits: turned, stores: [yours, mine] }, seeds, taken, legal, majority, stuck }
}

/// The same pits from the other player's view.
#[inline(always)]
fn turn<L: Lanes>(pits: [L; PITS]) -> [L; PITS] {
    [pits[6], pits[7], pits[8], pits[9], pits[10], pits[11], pits[0], pits[1], pits[2], pits[3], pits[4], pits[5]]
}

/// The counts as the digits of a number to the base of three, modulo 256.
#[inline(always)]
pub(crate) fn hash<L: Lanes>(vectors: &Vectors<L>) -> L {
    let pits = &vectors.pits;
    let mut hash = pits[0];
    let mut t = 1;
    while t < PITS {
        hash = hash.add(hash).add(hash).add(pits[t]);
        t += 1;
    }
    hash
}

/// [`hash`] of one board.
pub(crate) fn hash_of(pits: &[u8]) -> u8 {
    pits.iter().fold(0, |hash: u8, &seeds| hash.wrapping_mul(3).wrapping_add(seeds))
}

/// The vectors of some planes.
#[inline(always)]
pub(super) fn load_all<L: Lanes, const N: usize>(planes: &[Plane; N], at: usize) -> [L; N] {
    let mut vectors = [L::splat(0); N];
    let mut i = 0;
    while i < N {
        vectors[i] = L::load(&planes[i], at);
        i += 1;
    }
    vectors
}

/// The origins' numbers, and their seeds, which are taken out of the pits.
#[inline(always)]
fn lift<L: Lanes>(pits: &mut [L; PITS], moves: L) -> (L, L) {
    let zero = L::splat(0);
    let mut seeds = zero;
    let mut i = 0;
    while i < ROW {
        let here = moves.equals(L::splat(1 << i));
        seeds = L::select(here, pits[i], seeds);
        pits[i] = L::select(here, zero, pits[i]);
        i += 1;
    }
    (choice::pit(moves), seeds)
}

/// Where the seeds of a move go.
pub(super) struct Sowing<L: Lanes> {
    origin: L,
    /// Seeds that every pit but the origin gets.
    each: L,
    /// The last pit that gets one of them, counted on past the twelfth.
    end: L,
    /// The pit where the last seed falls, counted on past the twelfth; 0 where nothing is sown.
    pub(super) landing: L,
}

impl<L: Lanes> Sowing<L> {
    #[inline(always)]
    fn new(origin: L, seeds: L) -> Self {
        let eleven = L::splat(11);
        let (mut each, mut rest) = (L::splat(0), seeds);
        let mut laps = 0;
        loop {
            let more = eleven.at_most(rest);
            // Among many boards one or two laps are common, and a branch then costs more than it saves.
            if laps >= 2 && !L::any(more) {
                break;
            }
            each = each.increment(more);
            rest = rest.sub(eleven.keep(more));
            laps += 1;
        }
        let end = origin.add(rest);
        let zero = L::splat(0);
        let landing = end.add(eleven.keep(rest.equals(zero))).drop(seeds.equals(zero));
        Self { origin, each, end, landing }
    }
}

/// Drops the seeds; the origins are empty.
#[inline(always)]
fn sow<L: Lanes>(pits: &mut [L; PITS], sowing: &Sowing<L>, moves: L) {
    let Sowing { origin, each, end, .. } = *sowing;
    if L::any(L::splat(1).at_most(each)) {
        let mut t = 0;
        while t < ROW {
            pits[t] = pits[t].add(each.drop(moves.equals(L::splat(1 << t))));
            pits[ROW + t] = pits[ROW + t].add(each);
            t += 1;
        }
    }
    let mut t = 0;
    while t < ROW {
        // The furthest end is that of ten seeds from pit 5.
        let again = if t + PITS <= ROW - 1 + 10 { (t + PITS) as u8 } else { NEVER };
        // Up to the origin the first two cancel each other.
        pits[t] = pits[t].add(end.reached(t as u8, again)).sub(origin.reached(t as u8, NEVER));
        pits[ROW + t] = pits[ROW + t].add(end.reached((ROW + t) as u8, NEVER));
        t += 1;
    }
}

/// What a sowing captures.
pub(super) struct Capture<L: Lanes> {
    /// The opponent's row after it.
    row: [L; ROW],
    pub(super) taken: L,
    /// Not 0 where the opponent has a seed left, were all of the chain taken.
    left: L,
    /// Where the opponent then gets every seed that is left.
    swept: L::Mask,
}

/// The capture from the opponent's row after the sowing.
#[inline(always)]
pub(super) fn capture<L: Lanes>(theirs: [L; ROW], landing: L, grand_slam: GrandSlam) -> Capture<L> {
    let (mut taken, mut left) = (L::splat(0), L::splat(0));
    let mut row = theirs;
    let mut linked = L::nowhere();
    let mut t = ROW;
    while t > 0 {
        t -= 1;
        let two_or_three = theirs[t].sub(L::splat(2)).at_most(L::splat(1));
        linked = L::both(L::either(linked, landing.equals(L::splat((ROW + t) as u8))), two_or_three);
        taken = taken.add(theirs[t].keep(linked));
        row[t] = L::select(linked, L::splat(0), theirs[t]);
        left = left.or(row[t]);
    }
    let zero = L::splat(0);
    let slam = L::except(left.equals(zero), taken.equals(zero));
    let mut swept = L::nowhere();
    if L::any(slam) {
        match grand_slam {
            GrandSlam::CaptureAll | GrandSlam::Forbidden => {}
            GrandSlam::OpponentTakesRest => swept = slam,
            GrandSlam::CaptureNothing => spare(&mut row, &mut taken, &theirs, [slam; ROW]),
            GrandSlam::LeaveLandingPit => {
                let mut spared = [slam; ROW];
                t = 0;
                while t < ROW {
                    spared[t] = L::both(slam, landing.equals(L::splat((ROW + t) as u8)));
                    t += 1;
                }
                spare(&mut row, &mut taken, &theirs, spared);
            }
            GrandSlam::LeaveFarPit => {
                let mut spared = [slam; ROW];
                let mut first = slam;
                t = 0;
                while t < ROW {
                    spared[t] = L::except(first, theirs[t].equals(zero));
                    first = L::except(first, spared[t]);
                    t += 1;
                }
                spare(&mut row, &mut taken, &theirs, spared);
            }
        }
    }
    Capture { row, taken, left, swept }
}

/// Leaves pits of a slam, which takes every seed of the row, where they are.
#[inline(always)]
fn spare<L: Lanes>(row: &mut [L; ROW], taken: &mut L, theirs: &[L; ROW], spared: [L::Mask; ROW]) {
    let mut t = 0;
    while t < ROW {
        *taken = taken.sub(theirs[t].keep(spared[t]));
        row[t] = L::select(spared[t], theirs[t], row[t]);
        t += 1;
    }
}

/// The opponent's row after a move of pit `i`, without captures, and the move's sowing.
#[inline(always)]
pub(super) fn sown_row<L: Lanes>(pits: &[L; PITS], i: usize) -> ([L; ROW], Sowing<L>) {
    let sowing = Sowing::new(L::splat(i as u8), pits[i]);
    let mut theirs = [L::splat(0); ROW];
    let mut t = 0;
    while t < ROW {
        theirs[t] = pits[ROW + t].add(sowing.each).add(sowing.end.reached((ROW + t) as u8, NEVER));
        t += 1;
    }
    (theirs, sowing)
}

/// Those of some moves after which the opponent still has a seed, as bits.
#[inline(always)]
fn moves_that_leave_a_seed<L: Lanes>(pits: &[L; PITS], moves: L) -> L {
    let zero = L::splat(0);
    let mut leaving = zero;
    let mut i = 0;
    while i < ROW {
        let (theirs, sowing) = sown_row(pits, i);
        let left = capture(theirs, sowing.landing, GrandSlam::Forbidden).left;
        leaving = leaving.or(L::splat(1 << i).drop(left.equals(zero)));
        i += 1;
    }
    leaving.and(moves)
}
