//! Playouts of sixty-four games in lockstep.
//!
//! ```text
//! until all games are over, every eight plies:
//!     note how games have ended, and give their lanes the next games
//!     draw eight bytes for each lane; for each of them:
//!         choose each lane's move; a byte that is left over, or a game that is over, chooses none
//!         play; a lane whose game ends here plays no more
//! ```

use crate::batch::choice;
use crate::batch::lane_set::{LaneSet, lanes};
use crate::batch::lanes::{BLOCK, Kernel, Lanes, Plane};
use crate::batch::playout::{Piece, Playouts};
use crate::batch::ply::{self, Boards, Next, Played, Vectors};
use crate::batch::slot::Slot;
use crate::batch::tape::Tape;
use crate::batch::transpose;
use crate::pit::PITS;
use crate::position::Termination;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Stream;
use crate::words::Words;

/// Plies for which a draw of a stream has bytes.
const ROUND: usize = 8;
/// Rounds between two questions whether to go on.
const ROUNDS: u32 = 64;

/// A piece of the games.
pub(super) struct Lockstep<'a, 'b> {
    pub(super) playouts: &'a Playouts,
    pub(super) piece: Piece<'b>,
    pub(super) goes_on: &'a dyn Fn() -> bool,
}

impl Kernel for Lockstep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { playouts, mut piece, goes_on } = self;
        let rules = &playouts.rules;
        let mut block = Block::new(rules);
        let mut games = piece.games.clone();
        let mut rounds: u32 = 0;
        loop {
            for lane in lanes(!block.live) {
                block.conclude(lane, rules, &mut piece);
                block.begin::<L>(lane, playouts, &mut games, &mut piece);
            }
            rounds = rounds.wrapping_add(1);
            if block.live == 0 || rounds.is_multiple_of(ROUNDS) && !goes_on() {
                return;
            }
            block.begin_round::<L>();
            match rules.repetition {
                None => block.play::<L>(rules),
                Some(limit) => block.play_noting::<L>(rules, limit.get()),
            }
            block.end_round::<L>();
        }
    }
}

/// Sixty-four games in play.
struct Block {
    boards: Boards,
    /// The legal moves, as bits; none where no game goes on.
    legal: Plane,
    /// Half the seeds of each game, rounded down.
    half: Plane,
    /// How many plies each game may still last, up to 255; and at the start of the round.
    left: Plane,
    left_before: Plane,
    bytes: [Plane; ROUND],
    live: LaneSet,
    /// The games that repetition has ended.
    recurred: LaneSet,
    /// The streams, where [`transpose::word_of`] says.
    streams: [u64; BLOCK],
    lanes: [Lane; BLOCK],
    /// The plies of the block.
    clock: u32,
    tape: Option<Box<Tape>>,
    /// See [`Playouts::start`].
    made: Option<(usize, Slot)>,
}

/// What is kept of a lane.
#[derive(Clone, Copy)]
struct Lane {
    game: Option<usize>,
    total: u8,
    /// The mover and the plies of the game at the start.
    mover: Seat,
    ply: u32,
    /// The plies played, and the most that may be.
    plies: u32,
    limit: u32,
}

impl Lane {
    const IDLE: Self = Self { game: None, total: 0, mover: Seat::South, ply: 0, plies: 0, limit: 0 };
}

impl Block {
    fn new(rules: &Rules) -> Self {
        Self {
            boards: Boards::EMPTY,
            legal: Plane::ZERO,
            half: Plane::ZERO,
            left: Plane::ZERO,
            left_before: Plane::ZERO,
            bytes: [Plane::ZERO; ROUND],
            live: 0,
            recurred: 0,
            streams: [0; BLOCK],
            lanes: [Lane::IDLE; BLOCK],
            clock: 0,
            tape: rules.repetition.is_some().then(Box::default),
            made: None,
        }
    }

    /// Writes down how the game of a lane has ended.
    fn conclude(&mut self, lane: usize, rules: &Rules, piece: &mut Piece<'_>) {
        let Lane { game: Some(game), total, mover, ply, plies, .. } = self.lanes[lane] else { return };
        let mut words = self.words(lane);
        let ending = words
            .ending(rules, words.legal_moves(rules), total)
            .or_else(|| (self.recurred >> lane & 1 == 1).then_some(Termination::Repetition))
            .or_else(|| {
                let limited = rules.max_plies.is_some_and(|limit| ply.saturating_add(plies) >= limit.get());
                limited.then_some(Termination::PlyLimit)
            });
        if let Some(share) = ending.and_then(|ending| ending.share(rules)) {
            (words, _) = words.shared_out(share);
        }
        let mover = if plies.is_multiple_of(2) { mover } else { mover.other() };
        piece.record(game, words, mover, plies, ending);
        self.lanes[lane].game = None;
    }

    /// Gives a lane the next game that is not over before it begins.
    #[inline(always)]
    fn begin<L: Lanes>(
        &mut self,
        lane: usize,
        playouts: &Playouts,
        games: &mut std::ops::Range<usize>,
        piece: &mut Piece<'_>,
    ) {
        for game in games.by_ref() {
            let slot = playouts.start(game, &mut self.made);
            if slot.is_over() {
                piece.record(game, slot.words, slot.mover, 0, slot.termination);
                continue;
            }
            self.live |= 1 << lane;
            self.recurred &= !(1 << lane);
            let planes = self.boards.pits.iter_mut().chain(&mut self.boards.stores);
            for (plane, count) in planes.zip(slot.words.observation()) {
                plane.0[lane] = count;
            }
            self.legal.0[lane] = slot.legal.bits();
            self.half.0[lane] = slot.total / 2;
            self.streams[transpose::word_of::<L>(lane)] = playouts.stream(game).state();
            let allowed = |limit: Option<std::num::NonZeroU32>| limit.map_or(u32::MAX, std::num::NonZeroU32::get);
            let limit = (allowed(playouts.rules.max_plies) - slot.ply).min(allowed(playouts.settings.max_plies));
            self.lanes[lane] =
                Lane { game: Some(game), total: slot.total, mover: slot.mover, ply: slot.ply, plies: 0, limit };
            if let Some(tape) = &mut self.tape {
                tape.put(lane, self.clock, slot.words, &slot.history, slot.mover);
            }
            return;
        }
    }

    /// The board of a lane from its mover's view.
    fn words(&self, lane: usize) -> Words {
        let mut counts = [0; PITS + 2];
        for (count, plane) in counts.iter_mut().zip(self.boards.pits.iter().chain(&self.boards.stores)) {
            *count = plane.0[lane];
        }
        Words::from_observation(counts)
    }

    /// Draws eight bytes for each lane.
    #[inline(always)]
    fn begin_round<L: Lanes>(&mut self) {
        draw::<L>(&mut self.streams, &mut self.bytes);
        for (left, lane) in self.left.0.iter_mut().zip(&self.lanes) {
            *left = (lane.limit - lane.plies).min(255) as u8;
        }
        self.left_before = self.left;
    }

    /// Counts plies, and tells which games go on.
    #[inline(always)]
    fn end_round<L: Lanes>(&mut self) {
        for ((lane, before), left) in self.lanes.iter_mut().zip(&self.left_before.0).zip(&self.left.0) {
            lane.plies += u32::from(before - left);
        }
        self.live = 0;
        let mut at = 0;
        while at < BLOCK {
            let over = L::bits(L::load(&self.legal, at).equals(L::splat(0)));
            self.live |= (!over & (u64::MAX >> (BLOCK - L::WIDTH))) << at;
            at += L::WIDTH;
        }
    }

    /// Plays by eight bytes of each lane's stream, while its boards stay in the registers.
    #[inline(always)]
    fn play<L: Lanes>(&mut self, rules: &Rules) {
        let mut at = 0;
        while at < BLOCK {
            let half = L::load(&self.half, at);
            let mut games = Games::<L>::load(self, at);
            let mut i = 0;
            while i < ROUND {
                games.ply(L::load(&self.bytes[i], at), half, rules);
                i += 1;
            }
            games.store(self, at);
            at += L::WIDTH;
        }
    }

    /// [`Block::play`], and ends games by repetition.
    #[inline(always)]
    fn play_noting<L: Lanes>(&mut self, rules: &Rules, limit: u32) {
        let mut i = 0;
        while i < ROUND {
            self.play_one::<L>(i, rules, limit);
            i += 1;
        }
    }

    #[inline(always)]
    fn play_one<L: Lanes>(&mut self, i: usize, rules: &Rules, limit: u32) {
        let mut moves = Plane::ZERO;
        let mut played = Played::NOTHING;
        let mut at = 0;
        while at < BLOCK {
            let mut games = Games::<L>::load(self, at);
            let made = games.ply(L::load(&self.bytes[i], at), L::load(&self.half, at), rules);
            made.moves.store(&mut moves, at);
            made.seeds.store(&mut played.seeds, at);
            made.taken.store(&mut played.taken, at);
            ply::hash(&games.boards).store(&mut played.hash, at);
            games.store(self, at);
            at += L::WIDTH;
        }
        if let Some(tape) = &mut self.tape {
            let recurring = tape.record::<L>(self.clock, &moves, &played, limit, self.live, 1);
            self.clock = self.clock.wrapping_add(1);
            for lane in lanes(recurring & self.live) {
                if self.has_recurred(lane, rules, limit) {
                    self.recurred |= 1 << lane;
                    self.legal.0[lane] = 0;
                }
            }
        }
    }

    fn has_recurred(&self, lane: usize, rules: &Rules, limit: u32) -> bool {
        let words = self.words(lane);
        !(rules.repetition_needs_both_rows && words.has_empty_row())
            && self.tape.as_ref().is_some_and(|tape| tape.has_recurred(lane, self.clock, words, limit))
    }
}

/// Some games of a block in vectors.
struct Games<L: Lanes> {
    boards: Vectors<L>,
    legal: L,
    left: L,
}

/// A ply as the tape wants it.
struct Made<L> {
    moves: L,
    seeds: L,
    taken: L,
}

impl<L: Lanes> Games<L> {
    #[inline(always)]
    fn load(block: &Block, at: usize) -> Self {
        Self {
            boards: Vectors::load(&block.boards, at),
            legal: L::load(&block.legal, at),
            left: L::load(&block.left, at),
        }
    }

    #[inline(always)]
    fn store(self, block: &mut Block, at: usize) {
        self.boards.store(&mut block.boards, at);
        self.legal.store(&mut block.legal, at);
        self.left.store(&mut block.left, at);
    }

    /// Plays by one byte each. What has ended has no legal moves any more, and so stays as it is.
    #[inline(always)]
    fn ply(&mut self, bytes: L, half: L, rules: &Rules) -> Made<L> {
        let zero = L::splat(0);
        let moves = choice::by_byte(self.legal, bytes);
        let idle = moves.equals(zero);
        let Next { vectors, seeds, taken, legal, majority, stuck } = ply::next(&self.boards, moves, half, rules);
        self.boards = Vectors::select(idle, &self.boards, &vectors);
        self.left = self.left.sub(L::splat(1).drop(idle));
        let over = L::either(L::either(majority, stuck), self.left.equals(zero));
        self.legal = L::select(idle, self.legal, legal.drop(over));
        Made { moves, seeds, taken }
    }
}

/// The next eight bytes of each stream.
#[inline(always)]
fn draw<L: Lanes>(streams: &mut [u64; BLOCK], bytes: &mut [Plane; ROUND]) {
    let mut draws = [0; BLOCK];
    let mut i = 0;
    while i < BLOCK {
        (streams[i], draws[i]) = Stream::drawn(streams[i]);
        i += 1;
    }
    let mut words = [Plane::ZERO; ROUND];
    i = 0;
    while i < BLOCK {
        words[i / 8].0[i % 8 * 8..][..8].copy_from_slice(&draws[i].to_le_bytes());
        i += 1;
    }
    transpose::planes::<L>(&words, bytes);
}
