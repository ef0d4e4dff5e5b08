//! One board in two machine words: the fast twin of [`crate::sowing`] for single boards.
//!
//! Each player has a word: bytes 0 to 5 are their pits in sowing order, byte 6 is their store, byte 7 is zero. The
//! mover's word comes first, so changing the mover is a swap. No pit or store can hold more than the 240 seeds of a
//! game, so sums never carry from one byte into the next.
//!
//! A move is then
//!
//! ```text
//! mine   = mine without the origin + DROPS[origin][seeds].mine
//! theirs = theirs                  + DROPS[origin][seeds].theirs
//! chain  = the bytes of theirs from the landing pit down to the first that is not 2 or 3
//! theirs = theirs without chain;  my store += sum of chain
//! ```

use crate::board::Board;
use crate::pit::{Move, MoveSet, PITS, ROW};
use crate::position::{Position, Termination};
use crate::rules::{Feeding, GrandSlam, Rules, SeedsPerPit, Share};
use crate::seat::{BySeat, Seat};

/// The six pit bytes of a word.
const PIT_BYTES: u64 = 0x0000_FFFF_FFFF_FFFF;
/// The bit at which the store byte begins.
const STORE: u32 = 48;
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
const MOST_SEEDS: usize = SeedsPerPit::MAX as usize * PITS;

/// What sowing a number of seeds from a pit adds to both words.
#[derive(Clone, Copy)]
struct Drops {
    mine: u64,
    /// Its highest byte, which no pit needs, is the landing pit's rank in the opponent's row, from 1; 0 when the last
    /// seed falls in the mover's own.
    theirs: u64,
}

/// The bit at which the rank of the landing pit begins.
const LANDING: u32 = 56;

static DROPS: [[Drops; MOST_SEEDS + 1]; ROW] = drops();

const fn drops() -> [[Drops; MOST_SEEDS + 1]; ROW] {
    let mut table = [[Drops { mine: 0, theirs: 0 }; MOST_SEEDS + 1]; ROW];
    let mut origin = 0;
    while origin < ROW {
        let mut last = origin;
        let mut seeds = 1;
        while seeds <= MOST_SEEDS {
            last = (last + 1) % PITS;
            if last == origin {
                last = (last + 1) % PITS;
            }
            let mut drops = table[origin][seeds - 1];
            drops.theirs &= (1 << LANDING) - 1;
            if last < ROW {
                drops.mine += 1 << (8 * last);
            } else {
                drops.theirs += 1 << (8 * (last - ROW));
                drops.theirs |= ((last - ROW + 1) as u64) << LANDING;
            }
            table[origin][seeds] = drops;
            seeds += 1;
        }
        origin += 1;
    }
    table
}

/// A board from the mover's view.
///
/// ```
/// use oware::{Move, Position, Rules, Words};
///
/// let rules = Rules::default();
/// let words = Words::of(&Position::start(&rules));
/// let (after, taken) = words.sow(Move::new(2).unwrap(), rules.grand_slam);
/// assert_eq!(taken, 0);
/// assert_eq!(after.swapped().observation(), [5, 4, 4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 0, 0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Words {
    mine: u64,
    theirs: u64,
}

impl Words {
    /// No seed anywhere.
    pub(crate) const EMPTY: Self = Self { mine: 0, theirs: 0 };

    /// The position's board as its mover sees it.
    #[must_use]
    pub fn of(position: &Position) -> Self {
        let word = |seat: Seat| {
            let mut bytes = [0; 8];
            let first = seat.index() * ROW;
            bytes[..ROW].copy_from_slice(&position.board.pits()[first..first + ROW]);
            bytes[ROW] = position.board.stores[seat];
            u64::from_le_bytes(bytes)
        };
        Self { mine: word(position.mover), theirs: word(position.mover.other()) }
    }

    /// The board again, seen by nobody in particular.
    #[must_use]
    pub fn board(self, mover: Seat) -> Board {
        let (south, north) = match mover {
            Seat::South => (self.mine, self.theirs),
            Seat::North => (self.theirs, self.mine),
        };
        let mut pits = [0; PITS];
        pits[..ROW].copy_from_slice(&south.to_le_bytes()[..ROW]);
        pits[ROW..].copy_from_slice(&north.to_le_bytes()[..ROW]);
        Board::new(pits, BySeat::new(store(south), store(north)))
    }

    /// The same board from the other player's view.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self { mine: self.theirs, theirs: self.mine }
    }

    /// The mover's six pits, the opponent's six, the mover's store, the opponent's store.
    #[must_use]
    pub fn observation(self) -> [u8; PITS + 2] {
        let mut bytes = [0; PITS + 2];
        let mine = self.mine.to_le_bytes();
        let theirs = self.theirs.to_le_bytes();
        bytes[..ROW].copy_from_slice(&mine[..ROW]);
        bytes[ROW..PITS].copy_from_slice(&theirs[..ROW]);
        bytes[PITS] = mine[ROW];
        bytes[PITS + 1] = theirs[ROW];
        bytes
    }

    /// The board that an observation shows.
    #[must_use]
    pub(crate) fn from_observation(counts: [u8; PITS + 2]) -> Self {
        let word = |first: usize, store: u8| {
            let mut bytes = [0; 8];
            bytes[..ROW].copy_from_slice(&counts[first..first + ROW]);
            bytes[ROW] = store;
            u64::from_le_bytes(bytes)
        };
        Self { mine: word(0, counts[PITS]), theirs: word(ROW, counts[PITS + 1]) }
    }

    /// The pits of both players without the stores, the mover's first, a byte each.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn rows(self) -> [u64; 2] {
        [self.mine & PIT_BYTES, self.theirs & PIT_BYTES]
    }

    /// Takes back a sowing that captured nothing, of `seeds` seeds, from the view of the player who sowed.
    #[must_use]
    pub(crate) fn unsown(self, mv: Move, seeds: u8) -> Self {
        let drops = &DROPS[mv.index()][usize::from(seeds).min(MOST_SEEDS)];
        Self {
            mine: self.mine.wrapping_sub(drops.mine).wrapping_add(u64::from(seeds) << (8 * mv.index())),
            theirs: self.theirs.wrapping_sub(drops.theirs & !(0xFF << LANDING)),
        }
    }

    /// The move without a capture that leads from here to `after`, as its next mover sees it, and its seeds.
    #[must_use]
    pub(crate) fn move_to(self, after: Self) -> Option<(Move, u8)> {
        Move::all().find_map(|mv| {
            let seeds = (self.mine >> (8 * mv.index())) as u8;
            (seeds > 0 && after.swapped().unsown(mv, seeds) == self).then_some((mv, seeds))
        })
    }

    /// The mover's store less the opponent's.
    #[must_use]
    pub fn margin(self) -> i16 {
        i16::from(store(self.mine)) - i16::from(store(self.theirs))
    }

    /// The seeds in one of the mover's pits.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn seeds(self, mv: Move) -> usize {
        (self.mine >> (8 * mv.index()) & 0xFF) as usize
    }

    /// The seeds in the mover's row less those in the opponent's.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn row_margin(self) -> i32 {
        sum(self.mine & PIT_BYTES) as i32 - sum(self.theirs & PIT_BYTES) as i32
    }

    /// The mover's and the opponent's word.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn halves(self) -> [u64; 2] {
        [self.mine, self.theirs]
    }

    /// The board with empty stores.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn pits_only(self) -> Self {
        Self { mine: self.mine & PIT_BYTES, theirs: self.theirs & PIT_BYTES }
    }

    /// The seeds in the twelve pits.
    #[must_use]
    #[inline(always)]
    pub const fn board_seeds(self) -> u8 {
        // Together no more than the seeds of a game, so no byte of the sum carries into the next.
        sum((self.mine & PIT_BYTES) + (self.theirs & PIT_BYTES)) as u8
    }

    /// What the mover gets more than the opponent when the seeds on the board are shared out.
    #[must_use]
    pub(crate) fn shared_out_margin(self, share: Share) -> i16 {
        self.shared_out(share).0.margin() - self.margin()
    }

    /// Whether a row holds no seed.
    #[must_use]
    pub const fn has_empty_row(self) -> bool {
        self.mine & PIT_BYTES == 0 || self.theirs & PIT_BYTES == 0
    }

    /// Plays a move of a non-empty pit, still from the mover's view, and returns the seeds captured.
    #[must_use]
    #[inline(always)]
    pub fn sow(self, mv: Move, grand_slam: GrandSlam) -> (Self, u8) {
        let shift = 8 * mv.index() as u32;
        let seeds = (self.mine >> shift) as u8;
        let drops = &DROPS[mv.index()][usize::from(seeds).min(MOST_SEEDS)];
        let mut mine = (self.mine & !(0xFF << shift)) + drops.mine;
        let landing = drops.theirs >> LANDING;
        let mut theirs = (self.theirs + drops.theirs) & ((1 << LANDING) - 1);
        let mut chain = capture_chain(theirs, landing);
        let slam = chain != 0 && theirs & PIT_BYTES & !chain == 0;
        if slam {
            chain = match grand_slam {
                GrandSlam::CaptureNothing => 0,
                GrandSlam::LeaveLandingPit => chain & !(0xFF << (8 * (landing - 1))),
                GrandSlam::LeaveFarPit => chain & !(0xFF << chain.trailing_zeros()),
                GrandSlam::Forbidden | GrandSlam::CaptureAll | GrandSlam::OpponentTakesRest => chain,
            };
        }
        let taken = sum(theirs & chain);
        theirs &= !chain;
        mine += taken << STORE;
        if slam && grand_slam == GrandSlam::OpponentTakesRest {
            theirs += sum(mine & PIT_BYTES) << STORE;
            mine &= !PIT_BYTES;
        }
        (Self { mine, theirs }, taken as u8)
    }

    /// The moves that the rules allow the mover, as if nothing had ended the game.
    #[must_use]
    #[inline(always)]
    pub fn legal_moves(self, rules: &Rules) -> MoveSet {
        let non_empty = MoveSet::from_bits(gather(non_zero(self.mine & PIT_BYTES)));
        if self.may_move_all(rules) {
            non_empty
        } else if rules.grand_slam == GrandSlam::Forbidden {
            self.moves_that_leave_a_seed(non_empty)
        } else {
            self.moves_that_feed(non_empty)
        }
    }

    /// The number of [`Words::legal_moves`], sooner than by the set of them.
    #[must_use]
    #[inline(always)]
    pub fn count_moves(self, rules: &Rules) -> u64 {
        if self.may_move_all(rules) {
            sum(non_zero(self.mine & PIT_BYTES) >> 7)
        } else {
            self.legal_moves(rules).len() as u64
        }
    }

    /// Whether every pit that is not empty may be played, without a look at what the moves do.
    #[inline(always)]
    fn may_move_all(self, rules: &Rules) -> bool {
        let theirs = self.theirs & PIT_BYTES;
        if rules.grand_slam == GrandSlam::Forbidden {
            // Only a row without four seeds in any pit can be captured whole, or be empty.
            theirs & (PIT_BYTES / 0xFF * 0xFC) != 0
        } else {
            theirs != 0 || rules.feeding != Feeding::Required
        }
    }

    #[cold]
    fn moves_that_leave_a_seed(self, non_empty: MoveSet) -> MoveSet {
        let leaving: MoveSet =
            non_empty.iter().filter(|&mv| self.sow(mv, GrandSlam::Forbidden).0.theirs & PIT_BYTES != 0).collect();
        if leaving.is_empty() { non_empty } else { leaving }
    }

    #[cold]
    fn moves_that_feed(self, non_empty: MoveSet) -> MoveSet {
        let pits = self.mine.to_le_bytes();
        non_empty.iter().filter(|mv| mv.index() + usize::from(pits[mv.index()]) >= ROW).collect()
    }

    /// The ending that this position brings by itself, given its legal moves and the seeds of the whole game.
    #[must_use]
    #[inline(always)]
    pub fn ending(self, rules: &Rules, legal: MoveSet, total: u8) -> Option<Termination> {
        if rules.majority_ends {
            let (mine, theirs) = (2 * u16::from(store(self.mine)), 2 * u16::from(store(self.theirs)));
            let total = u16::from(total);
            if mine.max(theirs) >= total {
                if mine.max(theirs) > total {
                    return Some(Termination::Majority);
                }
                if mine == theirs {
                    return Some(Termination::EvenSplit);
                }
            }
        }
        if (self.mine | self.theirs) & PIT_BYTES == 0 {
            Some(Termination::BoardEmpty)
        } else if legal.is_empty() {
            Some(Termination::NoMove)
        } else {
            None
        }
    }

    /// Shares out the seeds on the board and returns what is nobody's.
    #[must_use]
    pub const fn shared_out(self, share: Share) -> (Self, u8) {
        let (mine, theirs) = (self.mine & PIT_BYTES, self.theirs & PIT_BYTES);
        let (to_me, to_them, to_nobody) = match share {
            Share::OwnSide => (sum(mine), sum(theirs), 0),
            Share::Split => {
                let left = sum(mine) + sum(theirs);
                (left / 2, left / 2, left % 2)
            }
            Share::Stay => return (self, 0),
        };
        let emptied = Self {
            mine: (self.mine & !PIT_BYTES) + (to_me << STORE),
            theirs: (self.theirs & !PIT_BYTES) + (to_them << STORE),
        };
        (emptied, to_nobody as u8)
    }
}

const fn store(word: u64) -> u8 {
    (word >> STORE) as u8
}

/// The sum of the bytes of a word, below 256 in all.
const fn sum(word: u64) -> u64 {
    word.wrapping_mul(ONES) >> 56
}

/// The high bit of each byte that is not zero.
const fn non_zero(word: u64) -> u64 {
    (((word & !HIGH_BITS) + !HIGH_BITS) | word) & HIGH_BITS
}

/// The high bits of the six pit bytes side by side: the product moves the bit of byte *i* to bit 56 + *i*.
const fn gather(high_bits: u64) -> u8 {
    const MOVES: u64 = 1 << 56 | 1 << 49 | 1 << 42 | 1 << 35 | 1 << 28 | 1 << 21;
    (((high_bits & PIT_BYTES) >> 7).wrapping_mul(MOVES) >> 56) as u8
}

/// The bytes of `theirs` that are captured when the last seed falls into the pit of rank `landing`.
const fn capture_chain(theirs: u64, landing: u64) -> u64 {
    // A byte is zero here where the pit holds 2 or 3.
    let off = (theirs & (PIT_BYTES / 0xFF * 0xFE)) ^ (PIT_BYTES / 0xFF * 0x02);
    let up_to_landing = (1_u64 << (8 * landing)) - 1;
    let misses = non_zero(off) & up_to_landing;
    up_to_landing & (u64::MAX << (u64::BITS - misses.leading_zeros()))
}
