//! The moves of a block since the last captures, from which a lane's history is unwound when it is needed.
//!
//! A ply is one row of the tape: for each lane the move and the seeds sown. A move without a capture can be taken back
//! from those two, so no position is kept; a hash of one byte tells where it is worth while. When a position may have
//! recurred is told by the pits that were sown from, as in [`crate::batch::history`].

use crate::batch::history::History;
use crate::batch::lane_set::{LaneSet, lanes, set_some};
use crate::batch::lanes::{BLOCK, Lanes, Plane};
use crate::batch::ply::{Played, hash_of};
use crate::pit::{Move, MoveSet, PITS};
use crate::seat::Seat;
use crate::words::Words;

/// The fewest plies after which a position can recur: every pit has to be sown from.
const FEWEST_BACK: u32 = PITS as u32;

/// Rows of a new tape; it grows when a lane needs more.
const ROWS: usize = 64;

/// One ply of all lanes.
#[derive(Clone, Debug)]
struct Row {
    /// The moves as bits.
    moves: Plane,
    /// The seeds sown.
    seeds: Plane,
}

impl Row {
    const EMPTY: Self = Self { moves: Plane::ZERO, seeds: Plane::ZERO };
}

#[derive(Clone, Debug)]
pub(crate) struct Tape {
    /// A ring of a power of two rows, the row of ply *p* at *p* modulo their number.
    rows: Vec<Row>,
    /// For each row the hashes of the positions before.
    earlier: Vec<Plane>,
    /// The ply at which each lane's history begins.
    since: [u32; BLOCK],
    /// No lane needs more rows than there are before so many more plies.
    room: u32,
    /// The hashes of the positions now.
    hashes: Plane,
    /// The pits that mover and opponent have sown from since all twelve had last been, as bits.
    mine: Plane,
    theirs: Plane,
    /// How often all twelve have been, up to 255.
    laps: Plane,
}

impl Default for Tape {
    fn default() -> Self {
        Self {
            rows: vec![Row::EMPTY; ROWS],
            earlier: vec![Plane::ZERO; ROWS],
            since: [0; BLOCK],
            room: 0,
            hashes: Plane::ZERO,
            mine: Plane::ZERO,
            theirs: Plane::ZERO,
            laps: Plane::ZERO,
        }
    }
}

impl Tape {
    fn row(&self, ply: u32) -> usize {
        ply as usize & (self.rows.len() - 1)
    }

    /// Records a ply, of which there have been `plies`, and returns the lanes whose position may have arisen
    /// `limit` times. Only `live` lanes keep what was recorded before. Where lanes do not move at every ply, `stride`
    /// is 1, else 2: only at an even distance is the mover the same.
    #[inline(always)]
    pub(crate) fn record<L: Lanes>(
        &mut self,
        plies: u32,
        moves: &Plane,
        played: &Played,
        limit: u32,
        live: LaneSet,
        stride: u32,
    ) -> LaneSet {
        let Played { hash, seeds, taken, .. } = played;
        if self.room == 0 {
            self.make_room(plies, live);
        }
        self.room -= 1;
        let row = self.row(plies);
        self.rows[row] = Row { moves: *moves, seeds: *seeds };
        self.earlier[row] = self.hashes;
        self.hashes = *hash;
        let mut at = 0;
        let mut candidates = 0;
        let needed = L::splat(u8::try_from(limit - 1).unwrap_or(u8::MAX));
        while at < BLOCK {
            let zero = L::splat(0);
            let all = L::splat(MoveSet::ALL.bits());
            let moves = L::load(moves, at);
            let old_mine = L::load(&self.mine, at);
            let theirs = L::load(&self.theirs, at);
            let mine = old_mine.or(moves);
            let full = L::both(mine.equals(all), theirs.equals(all));
            let kept = L::load(taken, at).equals(zero);
            let forget = L::either(full, L::except(zero.equals(zero), kept));
            let laps = L::load(&self.laps, at);
            let laps = laps.increment(L::except(full, laps.equals(L::splat(u8::MAX)))).keep(kept);
            let idle = moves.equals(zero);
            L::select(idle, old_mine, theirs.drop(forget)).store(&mut self.mine, at);
            L::select(idle, theirs, mine.drop(forget)).store(&mut self.theirs, at);
            laps.store(&mut self.laps, at);
            candidates |= L::bits(L::except(needed.at_most(laps), idle)) << at;
            at += L::WIDTH;
        }
        let next = plies.wrapping_add(1);
        let mut lane = 0;
        while lane < BLOCK {
            self.since[lane] = if taken.0[lane] == 0 { self.since[lane] } else { next };
            lane += 1;
        }
        if candidates == 0 { 0 } else { self.alike::<L>(next, candidates, limit, stride) }
    }

    /// Those of some candidates whose hash now was also that of at least `limit` - 1 positions before.
    #[inline(always)]
    fn alike<L: Lanes>(&self, plies: u32, candidates: LaneSet, limit: u32, stride: u32) -> LaneSet {
        let longest = lanes(candidates).map(|lane| plies.wrapping_sub(self.since[lane])).max().unwrap_or(0);
        if longest >= FEWEST_BACK + u32::from(u8::MAX) {
            return candidates;
        }
        let needed = L::splat(u8::try_from(limit - 1).unwrap_or(u8::MAX));
        let mut alike = 0;
        let mut at = 0;
        while at < BLOCK {
            let now = L::load(&self.hashes, at);
            let mut count = L::splat(0);
            let mut back = FEWEST_BACK;
            while back <= longest {
                let earlier = L::load(&self.earlier[self.row(plies.wrapping_sub(back))], at);
                count = count.increment(earlier.equals(now));
                back += stride;
            }
            alike |= L::bits(needed.at_most(count)) << at;
            at += L::WIDTH;
        }
        candidates & alike
    }

    /// Sees to it that there are rows for some more plies.
    #[cold]
    fn make_room(&mut self, plies: u32, live: LaneSet) {
        // A lane that is never played, as behind the last row, never captures either: its history would only grow.
        for lane in lanes(!live) {
            self.since[lane] = plies;
        }
        let longest = self.since.iter().map(|&since| plies.wrapping_sub(since)).max().unwrap_or(0);
        if longest as usize >= self.rows.len() {
            self.grow(plies, longest as usize + 1);
        }
        self.room = self.rows.len() as u32 - longest;
    }

    /// Takes a ring of at least this many rows.
    fn grow(&mut self, plies: u32, needed: usize) {
        let old = self.rows.len();
        let mut rows = vec![Row::EMPTY; needed.next_power_of_two()];
        let mut earlier = vec![Plane::ZERO; rows.len()];
        for back in 1..=old as u32 {
            let ply = plies.wrapping_sub(back);
            let to = ply as usize & (rows.len() - 1);
            let from = self.row(ply);
            rows[to] = self.rows[from].clone();
            earlier[to] = self.earlier[from];
        }
        self.rows = rows;
        self.earlier = earlier;
    }

    /// The position before ply `ply` of a lane, given the one after it, each from its mover's view; `None` where the
    /// lane did not move.
    fn unwound(&self, lane: usize, ply: u32, after: Words) -> Option<(Words, Move)> {
        let Row { moves, seeds, .. } = &self.rows[self.row(ply)];
        let mv = Move::new(moves.0[lane].trailing_zeros() as usize)?;
        Some((after.swapped().unsown(mv, seeds.0[lane]), mv))
    }

    /// Whether a lane's position has arisen `limit` times.
    #[cold]
    pub(crate) fn has_recurred(&self, lane: usize, plies: u32, now: Words, limit: u32) -> bool {
        let mut times = 1;
        let mut position = now;
        let mut is_mover = true;
        let mut ply = plies;
        while ply != self.since[lane] && times < limit {
            ply = ply.wrapping_sub(1);
            let Some((before, _)) = self.unwound(lane, ply, position) else { continue };
            position = before;
            is_mover = !is_mover;
            if is_mover && position == now {
                times += 1;
            }
        }
        times >= limit
    }

    /// The history of a lane whose position now is `now`, with `mover` to move.
    pub(crate) fn history(&self, lane: usize, plies: u32, now: Words, mover: Seat) -> History {
        let mut positions = vec![(now, None)];
        let mut ply = plies;
        let (mut position, mut seat) = (now, mover);
        while ply != self.since[lane] {
            ply = ply.wrapping_sub(1);
            let Some((before, mv)) = self.unwound(lane, ply, position) else { continue };
            position = before;
            seat = seat.other();
            positions.push((position, Some(mv.pit(seat))));
        }
        let mut history = History::default();
        history.restart(position);
        for pair in positions.windows(2).rev() {
            if let [(after, _), (_, Some(origin))] = pair {
                history.push(*after, *origin);
            }
        }
        history
    }

    /// Gives some lanes a history that begins and ends with a position.
    #[inline(always)]
    pub(crate) fn restart<L: Lanes>(&mut self, set: LaneSet, plies: u32, position: Words) {
        for lane in lanes(set) {
            self.since[lane] = plies;
        }
        let hash = hash(position);
        let mut at = 0;
        while at < BLOCK {
            let begins = L::from_bits(set >> at);
            set_some::<L>(&mut self.hashes, at, begins, hash);
            set_some::<L>(&mut self.mine, at, begins, 0);
            set_some::<L>(&mut self.theirs, at, begins, 0);
            set_some::<L>(&mut self.laps, at, begins, 0);
            at += L::WIDTH;
        }
    }

    /// Gives a lane a history that ends now, with `mover` to move.
    pub(crate) fn put(&mut self, lane: usize, plies: u32, now: Words, history: &History, mover: Seat) {
        let positions = history.positions();
        let length = positions.len().saturating_sub(1);
        if length >= self.rows.len() {
            self.grow(plies, length + 1);
        }
        self.since[lane] = plies.wrapping_sub(length as u32);
        self.room = self.room.min((self.rows.len() - length) as u32);
        for (back, pair) in positions.windows(2).rev().enumerate() {
            let Some((mv, seeds)) = pair[0].move_to(pair[1]) else { continue };
            let row = self.row(plies.wrapping_sub(back as u32 + 1));
            self.rows[row].moves.0[lane] = 1 << mv.index();
            self.rows[row].seeds.0[lane] = seeds;
            self.earlier[row].0[lane] = hash(pair[0]);
        }
        self.hashes.0[lane] = hash(now);
        let (origins, laps) = history.origins();
        let [south, north] = [origins & 0x3F, origins >> 6];
        let (mine, theirs) = if mover == Seat::South { (south, north) } else { (north, south) };
        self.mine.0[lane] = mine as u8;
        self.theirs.0[lane] = theirs as u8;
        self.laps.0[lane] = u8::try_from(laps).unwrap_or(u8::MAX);
    }
}

fn hash(position: Words) -> u8 {
    hash_of(&position.observation()[..PITS])
}
