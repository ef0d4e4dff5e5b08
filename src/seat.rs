//! The two players and things that each of them has one of.

use std::fmt;
use std::ops::{Index, IndexMut};

/// A player's side of the board. South opens the game unless a set-up says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Seat {
    /// Seat 0, the owner of pits 0 to 5.
    South = 0,
    /// Seat 1, the owner of pits 6 to 11.
    North = 1,
}

impl Seat {
    /// Both seats, South first.
    pub const ALL: [Self; 2] = [Self::South, Self::North];

    /// The seat with this number, 0 or 1.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Self> {
        match index {
            0 => Some(Self::South),
            1 => Some(Self::North),
            _ => None,
        }
    }

    /// The seat's number, 0 or 1.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The player on the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::South => Self::North,
            Self::North => Self::South,
        }
    }

    /// `S` or `N`, as the text forms write it.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::South => 'S',
            Self::North => 'N',
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::South => "South",
            Self::North => "North",
        })
    }
}

/// One `T` for each seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BySeat<T> {
    /// South's.
    pub south: T,
    /// North's.
    pub north: T,
}

impl<T> BySeat<T> {
    /// South's and North's.
    #[must_use]
    pub const fn new(south: T, north: T) -> Self {
        Self { south, north }
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        match seat {
            Seat::South => &self.south,
            Seat::North => &self.north,
        }
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        match seat {
            Seat::South => &mut self.south,
            Seat::North => &mut self.north,
        }
    }
}
