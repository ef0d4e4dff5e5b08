//! What is known of one board while its level is being solved.

use std::sync::atomic::{AtomicU16, Ordering};

/// An outcome that is worse than any.
const NONE: i8 = i8::MIN;
const SETTLED: u16 = 1 << 15;
const ONE_OPEN: u16 = 1 << 8;
const OPEN: u16 = 0b111 << 8;

/// A board's value once it is settled. Until then the best that the mover can have by leaving the level, and the number
/// of moves within it that are still open: those that lead to boards which are not settled, or settled too well for
/// the mover to be counted out.
///
/// ```text
/// bits 0 to 7   the value, or the best of the moves that leave, a signed byte
/// bits 8 to 10  open moves
/// bit 15        settled
/// ```
#[derive(Debug)]
pub(super) struct Cell(AtomicU16);

/// What a [`Cell`] held when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen(u16);

impl Seen {
    /// A board that nothing settles yet: the best of the moves that leave the level, and how many moves do not.
    pub(super) const fn unsettled(best: Option<i8>, open: u8) -> Self {
        let best = match best {
            Some(best) => best,
            None => NONE,
        };
        Self(best as u8 as u16 | (open as u16 * ONE_OPEN))
    }

    #[inline(always)]
    pub(super) const fn is_settled(self) -> bool {
        self.0 & SETTLED != 0
    }

    #[inline(always)]
    pub(super) const fn best(self) -> i8 {
        self.0 as u8 as i8
    }

    #[inline(always)]
    pub(super) const fn has_open(self) -> bool {
        self.0 & OPEN != 0
    }

    /// The board's value when all is settled that ever will be: whoever has not been forced out can go on for ever.
    pub(super) const fn value(self) -> i8 {
        if self.is_settled() { self.best() } else { 0 }
    }
}

impl Cell {
    pub(super) const fn blank() -> Self {
        Self(AtomicU16::new(0))
    }

    pub(super) fn set(&self, seen: Seen) {
        self.0.store(seen.0, Ordering::Relaxed);
    }

    #[inline(always)]
    pub(super) fn seen(&self) -> Seen {
        Seen(self.0.load(Ordering::Relaxed))
    }

    /// Counts one open move out and returns what is left. To be called once for each such move.
    #[inline(always)]
    pub(super) fn close_one(&self) -> Seen {
        Seen(self.0.fetch_sub(ONE_OPEN, Ordering::Relaxed) - ONE_OPEN)
    }

    /// Settles the board; false when it has been already.
    #[inline(always)]
    pub(super) fn settle(&self, value: i8) -> bool {
        let mut old = self.0.load(Ordering::Relaxed);
        loop {
            if old & SETTLED != 0 {
                return false;
            }
            // The count stays, as others may yet count down.
            let new = (old & OPEN) | SETTLED | u16::from(value as u8);
            match self.0.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => old = now,
            }
        }
    }
}
