//! Places on the board: a pit, a move (one of the mover's own six pits) and sets of them.

use std::fmt;

use crate::seat::Seat;

/// Pits in a row.
pub const ROW: usize = 6;
/// Pits on the board.
pub const PITS: usize = 2 * ROW;

/// One of the twelve pits, counted in sowing order: South's 0 to 5, then North's 6 to 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pit(u8);

impl Pit {
    /// The pit with this number, if it is below 12.
    #[must_use]
    pub const fn new(index: usize) -> Option<Self> {
        if index < PITS { Some(Self(index as u8)) } else { None }
    }

    /// All twelve pits in sowing order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..PITS as u8).map(Self)
    }

    /// The pits of one player in sowing order.
    pub fn row(seat: Seat) -> impl DoubleEndedIterator<Item = Self> {
        let first = (seat.index() * ROW) as u8;
        (first..first + ROW as u8).map(Self)
    }

    /// The pit's number, 0 to 11.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The player in whose row the pit lies.
    #[must_use]
    pub const fn owner(self) -> Seat {
        if self.0 < ROW as u8 { Seat::South } else { Seat::North }
    }

    /// The next pit in sowing order.
    #[must_use]
    pub const fn next(self) -> Self {
        Self((self.0 + 1) % PITS as u8)
    }

    /// The pit before this one in sowing order.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self((self.0 + PITS as u8 - 1) % PITS as u8)
    }
}

/// A move: the mover's own pit counted in sowing order, 0 to 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u8);

impl Move {
    /// The move of the pit that is first in sowing order.
    pub const FIRST: Self = Self(0);

    /// The move with this number, if it is below 6.
    #[must_use]
    pub const fn new(index: usize) -> Option<Self> {
        if index < ROW { Some(Self(index as u8)) } else { None }
    }

    /// All six moves in sowing order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..ROW as u8).map(Self)
    }

    /// The move's number, 0 to 5.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The pit that `seat` empties with this move.
    #[must_use]
    pub const fn pit(self, seat: Seat) -> Pit {
        Pit(self.0 + (seat.index() * ROW) as u8)
    }

    /// The move's letter: `A` to `F` for South, `a` to `f` for North.
    #[must_use]
    pub const fn letter(self, seat: Seat) -> char {
        match seat {
            Seat::South => (b'A' + self.0) as char,
            Seat::North => (b'a' + self.0) as char,
        }
    }
}

/// A set of moves.
///
/// ```
/// use oware::{Move, MoveSet};
///
/// let set = MoveSet::from_bits(0b10_0101);
/// assert_eq!(set.to_string(), "0, 2, 5");
/// assert_eq!(set.nth(1), Move::new(2));
/// assert!(set.iter().eq(Move::all().filter(|&mv| set.contains(mv))));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MoveSet(u8);

impl MoveSet {
    /// The set without a move.
    pub const EMPTY: Self = Self(0);
    /// All six moves.
    pub const ALL: Self = Self(0b11_1111);

    /// The set whose members are the set bits of `bits`; bits above the sixth are dropped.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Bit *i* is set when move *i* is a member.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The number of members.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no member.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `mv` is a member.
    #[must_use]
    pub const fn contains(self, mv: Move) -> bool {
        self.0 & (1 << mv.0) != 0
    }

    /// The set and `mv`.
    #[must_use]
    pub const fn with(self, mv: Move) -> Self {
        Self(self.0 | 1 << mv.0)
    }

    /// The members in sowing order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Move> {
        Move::all().filter(move |&mv| self.contains(mv))
    }

    /// The member with this rank in sowing order.
    #[must_use]
    pub const fn nth(self, rank: usize) -> Option<Move> {
        let mut bits = self.0;
        let mut left = rank;
        while left > 0 && bits != 0 {
            bits &= bits - 1;
            left -= 1;
        }
        Move::new(bits.trailing_zeros() as usize)
    }
}

impl FromIterator<Move> for MoveSet {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        Self(moves.into_iter().fold(0, |bits, mv| bits | 1 << mv.0))
    }
}

/// Members separated by commas: `0, 2, 5`; `none` when empty.
impl fmt::Display for MoveSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        for (rank, mv) in self.iter().enumerate() {
            write!(f, "{}{}", if rank == 0 { "" } else { ", " }, mv.index())?;
        }
        Ok(())
    }
}

/// A set of pits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PitSet(u16);

impl PitSet {
    /// The set without a pit.
    pub const EMPTY: Self = Self(0);

    /// Whether there is no member.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `pit` is a member.
    #[must_use]
    pub const fn contains(self, pit: Pit) -> bool {
        self.0 & (1 << pit.0) != 0
    }

    /// The set and `pit`.
    #[must_use]
    pub const fn with(self, pit: Pit) -> Self {
        Self(self.0 | 1 << pit.0)
    }

    /// The set without `pit`.
    #[must_use]
    pub const fn without(self, pit: Pit) -> Self {
        Self(self.0 & !(1 << pit.0))
    }

    /// The members in sowing order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Pit> {
        Pit::all().filter(move |&pit| self.contains(pit))
    }
}
