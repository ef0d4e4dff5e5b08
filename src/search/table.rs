//! The transposition table: what has been found out about positions, shared by all threads without a lock.
//!
//! An entry is two words, the second one its contents and the first one its key combined with them by exclusive or. A
//! reader that meets two halves of different entries finds a key that is not its own (Hyatt and Mann, "A lockless
//! transposition table implementation for parallel search", ICGA Journal 25(1), 2002). Words are read and written
//! with no order among them, so this costs no more than plain memory.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::pit::Move;
use crate::words::Words;

/// The entries that stand together, one line of a processor's cache.
const BUCKET: usize = 4;

/// On which side of a stored value the true one lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// It is at most the stored value.
    Upper = 1,
    /// It is at least the stored value.
    Lower = 2,
    /// It is the stored value.
    Exact = 3,
}

/// What is known about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Net seeds to come in hundredths.
    pub(super) value: i32,
    pub(super) bound: Bound,
    /// The plies that were searched.
    pub(super) depth: u32,
    /// Whether nothing was evaluated: the value is then that of any greater depth, too.
    pub(super) solved: bool,
    pub(super) best: Option<Move>,
}

impl Entry {
    fn pack(self) -> u64 {
        let best = self.best.map_or(7, Move::index) as u64;
        u64::from(self.value as u16)
            | u64::from(self.depth as u8) << 16
            | (self.bound as u64) << 24
            | u64::from(self.solved) << 26
            | best << 27
    }

    fn unpack(bits: u64) -> Option<Self> {
        let bound = match bits >> 24 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Self {
            value: i32::from(bits as u16 as i16),
            bound,
            depth: u32::from((bits >> 16) as u8),
            solved: bits >> 26 & 1 == 1,
            best: Move::new((bits >> 27 & 7) as usize),
        })
    }
}

/// Entries for the positions met.
pub(super) struct Table {
    /// Pairs of words, see the head of the file.
    words: Vec<AtomicU64>,
    mask: usize,
}

/// There is no memory for a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    /// The bytes that the table was to have.
    pub bytes: usize,
}

impl Table {
    /// An empty table of as many entries, rounded down to a power of two but never below four.
    ///
    /// Its memory is that of fresh pages, which cost nothing before they are used.
    pub(super) fn new(entries: usize) -> Result<Self, NoMemory> {
        let buckets = 1 << (entries / BUCKET).max(1).ilog2();
        let words = buckets * BUCKET * 2;
        match bytemuck::try_zeroed_vec(words) {
            Ok(words) => Ok(Self { words, mask: buckets - 1 }),
            Err(()) => Err(NoMemory { bytes: words.saturating_mul(8) }),
        }
    }

    /// How many entries there is room for.
    pub(super) const fn entries(&self) -> usize {
        (self.mask + 1) * BUCKET
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[AtomicU64] {
        let first = (key as usize & self.mask) * (2 * BUCKET);
        &self.words[first..first + 2 * BUCKET]
    }

    /// What is known under a key.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).chunks_exact(2).find_map(|pair| {
            let contents = pair[1].load(Ordering::Relaxed);
            if pair[0].load(Ordering::Relaxed) ^ contents == key { Entry::unpack(contents) } else { None }
        })
    }

    /// Stores an entry in the place of that with the same key, or of the one of least depth.
    #[inline(always)]
    pub(super) fn put(&self, key: u64, entry: Entry) {
        let bucket = self.bucket(key);
        let mut place = 0;
        let mut least = u64::MAX;
        for (rank, pair) in bucket.chunks_exact(2).enumerate() {
            let contents = pair[1].load(Ordering::Relaxed);
            if contents == 0 || pair[0].load(Ordering::Relaxed) ^ contents == key {
                place = rank;
                break;
            }
            let depth = contents >> 16 & 0xFF;
            if depth < least {
                least = depth;
                place = rank;
            }
        }
        let contents = entry.pack();
        bucket[2 * place].store(key ^ contents, Ordering::Relaxed);
        bucket[2 * place + 1].store(contents, Ordering::Relaxed);
    }
}

/// The key of a board, its stores left aside.
#[inline(always)]
pub(super) fn key(board: Words) -> u64 {
    let [mine, theirs] = board.pits_only().halves();
    // The upper bytes of both constants are never met in a board, so neither factor can be zero.
    let product = u128::from(mine ^ 0x9E37_79B9_7F4A_7C15) * u128::from(theirs ^ 0xD6E8_FEB8_6659_FD93);
    mix(product as u64 ^ (product >> 64) as u64)
}

/// A bijection of 64 bits that leaves no pattern.
#[inline(always)]
pub(super) const fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 32)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits ^ (bits >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_comes_back_as_it_was_stored() {
        let table = Table::new(1024).unwrap();
        let entry = Entry { value: -24_000, bound: Bound::Lower, depth: 255, solved: true, best: Move::new(5) };
        assert_eq!(table.get(7), None);
        table.put(7, entry);
        assert_eq!(table.get(7), Some(entry));
        let other = Entry { value: 1, bound: Bound::Exact, depth: 0, solved: false, best: None };
        table.put(7, other);
        assert_eq!(table.get(7), Some(other));
        assert_eq!(table.get(0), None);
    }

    #[test]
    fn a_full_bucket_gives_up_the_shallowest_entry() {
        let table = Table::new(4).unwrap();
        let entry = |depth| Entry { value: 0, bound: Bound::Exact, depth, solved: false, best: None };
        for key in 1..=4 {
            table.put(key, entry(10 - key as u32));
        }
        table.put(5, entry(1));
        assert_eq!(table.get(4), None);
        assert!([1, 2, 3, 5].into_iter().all(|key| table.get(key).is_some()));
    }
}
