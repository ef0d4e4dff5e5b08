//! What a player sees of a board, as rows of arrays.

use crate::pit::{MoveSet, PITS, ROW};
use crate::rules::named_enum;
use crate::words::Words;

/// Numbers in a board as the player to move sees it: their pits, the other's pits, both stores.
pub const PLANES: usize = PITS + 2;
/// Columns of a one-hot plane; the last one stands for that many seeds or more.
pub const COLUMNS: usize = 25;

named_enum! {
    /// The form of an observation.
    ObservationKind, "observation" {
        /// Counts of seeds: 14 × `u8`.
        Seeds = "seeds",
        /// The counts over the seeds of a whole game: 14 × `f32`.
        Normalized = "normalized",
        /// One row a count with a one in column min(count, 24): 14 × 25 × `f32`.
        OneHot = "one_hot",
    }
}

impl ObservationKind {
    /// The numbers of one observation.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            Self::Seeds | Self::Normalized => PLANES,
            Self::OneHot => PLANES * COLUMNS,
        }
    }
}

/// Rows of observations to be written.
#[derive(Debug)]
pub enum Observations<'a> {
    /// See [`ObservationKind::Seeds`].
    Seeds(&'a mut [u8]),
    /// See [`ObservationKind::Normalized`].
    Normalized {
        /// The rows.
        rows: &'a mut [f32],
        /// The seeds of a whole game.
        whole: f32,
    },
    /// See [`ObservationKind::OneHot`].
    OneHot(&'a mut [f32]),
}

impl Default for Observations<'_> {
    /// No rows.
    fn default() -> Self {
        Self::Seeds(&mut [])
    }
}

impl Observations<'_> {
    /// Writes what the mover of `words` sees.
    #[inline(always)]
    pub fn write(&mut self, row: usize, words: Words) {
        let counts = words.observation();
        match self {
            Self::Seeds(rows) => rows[row * PLANES..][..PLANES].copy_from_slice(&counts),
            Self::Normalized { rows, whole } => {
                for (out, count) in rows[row * PLANES..][..PLANES].iter_mut().zip(counts) {
                    *out = f32::from(count) / *whole;
                }
            }
            Self::OneHot(rows) => {
                let planes = &mut rows[row * PLANES * COLUMNS..][..PLANES * COLUMNS];
                planes.fill(0.0);
                for (plane, count) in planes.chunks_exact_mut(COLUMNS).zip(counts) {
                    plane[usize::from(count).min(COLUMNS - 1)] = 1.0;
                }
            }
        }
    }

    pub(crate) fn reborrow(&mut self) -> Observations<'_> {
        match self {
            Self::Seeds(rows) => Observations::Seeds(rows),
            Self::Normalized { rows, whole } => Observations::Normalized { rows, whole: *whole },
            Self::OneHot(rows) => Observations::OneHot(rows),
        }
    }

    /// Takes over rows of the same kind, of which there are as many or more.
    pub(crate) fn copy_from(&mut self, from: &Observations<'_>) {
        match (self, from) {
            (Self::Seeds(to), Observations::Seeds(from)) => to.copy_from_slice(&from[..to.len()]),
            (Self::Normalized { rows: to, .. }, Observations::Normalized { rows: from, .. })
            | (Self::OneHot(to), Observations::OneHot(from)) => to.copy_from_slice(&from[..to.len()]),
            _ => {}
        }
    }

    /// The first `rows` rows and the rest.
    #[must_use]
    pub(crate) fn split_at(self, rows: usize) -> (Self, Self) {
        match self {
            Self::Seeds(all) => {
                let (head, tail) = all.split_at_mut(rows * PLANES);
                (Self::Seeds(head), Self::Seeds(tail))
            }
            Self::Normalized { rows: all, whole } => {
                let (head, tail) = all.split_at_mut(rows * PLANES);
                (Self::Normalized { rows: head, whole }, Self::Normalized { rows: tail, whole })
            }
            Self::OneHot(all) => {
                let (head, tail) = all.split_at_mut(rows * PLANES * COLUMNS);
                (Self::OneHot(head), Self::OneHot(tail))
            }
        }
    }
}

/// A set of moves as six numbers, 1 for a member.
#[must_use]
pub const fn mask(moves: MoveSet) -> [i8; ROW] {
    let [a, b, c, d, e, f, ..] = wide_mask(moves);
    [a, b, c, d, e, f]
}

/// [`mask`] with two zeros, as wide as a machine word.
#[inline(always)]
pub(crate) const fn wide_mask(moves: MoveSet) -> [i8; 8] {
    MASKS[moves.bits() as usize]
}

static MASKS: [[i8; 8]; 1 << ROW] = masks();

const fn masks() -> [[i8; 8]; 1 << ROW] {
    let mut table = [[0; 8]; 1 << ROW];
    let mut bits = 0;
    while bits < 1 << ROW {
        let mut mv = 0;
        while mv < ROW {
            table[bits][mv] = (bits >> mv & 1) as i8;
            mv += 1;
        }
        bits += 1;
    }
    table
}
