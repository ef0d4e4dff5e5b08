//! Databases as bytes.
//!
//! A file is a block for each level, from 0 seeds on, and an end:
//!
//! ```text
//! block: magic "OWAREEND" · version u32 · key 3 × u8 · kind u8 (0: level, 1: end) · seeds u32
//!        CRC-32 of the values u32 · zeros 4 × u8 · CRC-32 of the 28 bytes before this u32
//!        then the values of the level in the order of their ranks, a signed byte each
//! end:   the same 32 bytes; seeds is that of the last level, the CRC-32 that of all levels' checksums
//! ```
//!
//! Numbers are little-endian. A file without its end is unfinished: it may be built on, and is not opened.

use std::ops::ControlFlow;

use super::error::FileFault;
use super::key::Key;
use crate::index::{self, MOST_SEEDS};

const MAGIC: &[u8; 8] = b"OWAREEND";
/// The version of the files that are written, and the only one that is read.
pub const VERSION: u32 = 1;
/// The length of what stands before the values of a level.
pub(super) const HEAD: usize = 32;

/// The bytes that are read or written between two calls of a watch.
pub(super) const PORTION: usize = 1 << 24;

/// Asked now and then whether to go on.
pub(super) type Watch<'a> = dyn FnMut() -> ControlFlow<()> + 'a;

/// Why reading has ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The watch has stopped it.
    Stopped,
    /// Something is wrong with the bytes.
    Fault(FileFault),
}

impl From<FileFault> for Halt {
    fn from(fault: FileFault) -> Self {
        Self::Fault(fault)
    }
}

/// The checksum of a level's values; `None` when the watch has stopped it.
pub(super) fn checksum(values: &[u8], watch: &mut Watch<'_>) -> Option<u32> {
    let mut hasher = crc32fast::Hasher::new();
    for portion in values.chunks(PORTION) {
        if watch().is_break() {
            return None;
        }
        hasher.update(portion);
    }
    Some(hasher.finalize())
}

/// The bytes before the values of a level.
pub(super) fn level_head(key: Key, seeds: u8, checksum: u32) -> [u8; HEAD] {
    head(key, 0, seeds, checksum)
}

fn head(key: Key, kind: u8, seeds: u8, checksum: u32) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[12..15].copy_from_slice(&key.code());
    head[15] = kind;
    head[16..20].copy_from_slice(&u32::from(seeds).to_le_bytes());
    head[20..24].copy_from_slice(&checksum.to_le_bytes());
    let own = crc32fast::hash(&head[..28]);
    head[28..].copy_from_slice(&own.to_le_bytes());
    head
}

/// The levels of a file, whether or not it is finished.
#[derive(Debug)]
pub(super) struct Levels {
    pub(super) key: Key,
    /// Where the values of each whole level begin, from level 0 on.
    pub(super) starts: Vec<usize>,
    /// Where the last of them ends.
    pub(super) end: usize,
    /// The checksum of the checksums so far.
    sums: crc32fast::Hasher,
    /// What comes after the levels: `Ok` for the end of the file and nothing more.
    pub(super) rest: Result<(), FileFault>,
}

impl Levels {
    /// No level yet.
    pub(super) fn none(key: Key) -> Self {
        let cut = Err(FileFault::Cut { seeds: 0 });
        Self { key, starts: Vec::new(), end: 0, sums: crc32fast::Hasher::new(), rest: cut }
    }

    /// The whole levels at the beginning of a file.
    ///
    /// # Errors
    /// [`Halt::Fault`] when not even its first level begins as it should.
    pub(super) fn read(bytes: &[u8], watch: &mut Watch<'_>) -> Result<Self, Halt> {
        let first = Head::read(bytes, 0)?;
        let mut levels = Self::none(first.key);
        levels.rest = loop {
            match levels.read_one(bytes, watch) {
                Ok(false) => {}
                Ok(true) => break Ok(()),
                Err(Halt::Fault(fault)) => break Err(fault),
                Err(Halt::Stopped) => return Err(Halt::Stopped),
            }
        };
        Ok(levels)
    }

    /// Reads a level, or the end: then true.
    fn read_one(&mut self, bytes: &[u8], watch: &mut Watch<'_>) -> Result<bool, Halt> {
        let seeds = self.starts.len() as u8;
        let altered = Halt::Fault(FileFault::Altered { seeds });
        let rest = &bytes[self.end..];
        let head = Head::read(rest, seeds)?;
        if head.key != self.key {
            return Err(altered);
        }
        if head.is_end {
            let whole = head.seeds + 1 == u32::from(seeds) && head.checksum == self.sums.clone().finalize();
            return if whole && rest.len() == HEAD { Ok(true) } else { Err(altered) };
        }
        if head.seeds != u32::from(seeds) || seeds > MOST_SEEDS {
            return Err(altered);
        }
        let values = usize::try_from(index::boards(seeds)).ok().and_then(|size| rest[HEAD..].get(..size));
        let values = values.ok_or(FileFault::Cut { seeds })?;
        if checksum(values, watch).ok_or(Halt::Stopped)? != head.checksum {
            return Err(altered);
        }
        self.add(head.checksum, values.len());
        Ok(false)
    }

    /// Counts a level in that has been written.
    pub(super) fn add(&mut self, checksum: u32, size: usize) {
        self.starts.push(self.end + HEAD);
        self.end += HEAD + size;
        self.sums.update(&checksum.to_le_bytes());
    }

    /// The bytes that finish a file with these levels.
    pub(super) fn end_mark(&self) -> [u8; HEAD] {
        let last = self.starts.len().saturating_sub(1) as u8;
        head(self.key, 1, last, self.sums.clone().finalize())
    }
}

struct Head {
    key: Key,
    is_end: bool,
    seeds: u32,
    checksum: u32,
}

impl Head {
    /// The head at the beginning of some bytes, which should be that of level `seeds` or the end before it.
    fn read(bytes: &[u8], seeds: u8) -> Result<Self, FileFault> {
        let altered = FileFault::Altered { seeds };
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) || bytes.is_empty() && seeds == 0 {
            return Err(if seeds == 0 { FileFault::Foreign } else { altered });
        }
        let Some(head) = bytes.first_chunk::<HEAD>() else { return Err(FileFault::Cut { seeds }) };
        let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if seeds == 0 && number(8) != VERSION {
            return Err(FileFault::Version(number(8)));
        }
        if number(8) != VERSION || number(28) != crc32fast::hash(&head[..28]) {
            return Err(altered);
        }
        let key = Key::from_code([head[12], head[13], head[14]]).ok_or(altered)?;
        Ok(Self { key, is_end: head[15] == 1, seeds: number(16), checksum: number(20) })
    }
}
