//! A database to be asked.

use std::fmt;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::Path;

use memmap2::Mmap;

use super::error::{EndgameError, FileFault};
use super::file::Levels;
use super::key::Key;
use crate::index::{self, MOST_SEEDS};
use crate::pit::{Move, MoveSet, PITS, ROW};
use crate::rules::Rules;
use crate::search::Probe;
use crate::words::Words;

/// The value of every board of up to so many seeds, under one [`Key`].
///
/// A value is the net number of seeds that the mover still takes with best play by both, an endless line being worth
/// 0. It takes no account of history, of stores or of an ending by majority: play goes on until nobody can move.
pub struct Endgame {
    key: Key,
    max_seeds: u8,
    /// Where the values of each level begin.
    starts: [usize; MOST_SEEDS as usize + 1],
    values: Values,
}

enum Values {
    Memory(Vec<u8>),
    Mapped(Mmap),
}

impl Probe for Endgame {
    fn holds_under(&self, rules: &Rules) -> bool {
        Key::of(rules) == self.key
    }

    fn max_seeds(&self) -> u8 {
        self.max_seeds
    }

    #[inline]
    fn value(&self, board: Words) -> Option<i8> {
        self.value_of(board)
    }

    fn soonest(&self, board: Words, best: MoveSet) -> MoveSet {
        self.soonest_of(board, best)
    }
}

/// Without the values, of which there are many.
impl fmt::Debug for Endgame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, max_seeds, .. } = self;
        f.debug_struct("Endgame").field("key", key).field("max_seeds", max_seeds).finish_non_exhaustive()
    }
}

/// How the boards of a level are for the mover.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Boards of a value above 0.
    pub win: u64,
    /// Boards of the value 0.
    pub draw: u64,
    /// Boards of a value below 0.
    pub loss: u64,
    /// The values that occur, in order, with the number of their boards.
    pub histogram: Vec<(i8, u64)>,
}

impl Endgame {
    /// The most seeds that a database can have.
    pub const MOST_SEEDS: u8 = MOST_SEEDS;

    pub(super) fn in_memory(key: Key, max_seeds: u8, values: Vec<u8>) -> Self {
        let starts = std::array::from_fn(|seeds| index::boards_below(seeds as u8) as usize);
        Self { key, max_seeds, starts, values: Values::Memory(values) }
    }

    /// Maps the file of a database, once all of it has been read and compared with its checksums.
    ///
    /// The file must stay as it is while the database is in use.
    ///
    /// # Errors
    /// [`EndgameError::Io`] and [`EndgameError::File`].
    pub fn open(path: &Path) -> Result<Self, EndgameError> {
        Self::open_while(path, || ControlFlow::Continue(()))
    }

    /// [`Endgame::open`], with a `watch` that is called now and then while the file is read, and may break it off.
    ///
    /// # Errors
    /// Those of [`Endgame::open`], and [`EndgameError::Stopped`].
    pub fn open_while(path: &Path, mut watch: impl FnMut() -> ControlFlow<()>) -> Result<Self, EndgameError> {
        // To open a pipe would wait for somebody to write.
        if !fs::metadata(path).map_err(EndgameError::io("open", path))?.is_file() {
            return Err(EndgameError::file(path)(FileFault::NoFile));
        }
        let file = File::open(path).map_err(EndgameError::io("open", path))?;
        let length = file.metadata().map_err(EndgameError::io("read", path))?.len();
        if length == 0 {
            // There is no map of nothing.
            return Err(EndgameError::file(path)(FileFault::Foreign));
        }
        let map = map(&file).map_err(EndgameError::io("read", path))?;
        let levels = Levels::read(&map, &mut watch).map_err(EndgameError::halt(path))?;
        levels.rest.map_err(EndgameError::file(path))?;
        let mut starts = [0; MOST_SEEDS as usize + 1];
        starts[..levels.starts.len()].copy_from_slice(&levels.starts);
        let max_seeds = levels.starts.len() as u8 - 1;
        Ok(Self { key: levels.key, max_seeds, starts, values: Values::Mapped(map) })
    }

    /// What of the rules the values depend on.
    #[must_use]
    pub const fn key(&self) -> Key {
        self.key
    }

    /// The most seeds on a board whose value is known.
    #[must_use]
    pub const fn max_seeds(&self) -> u8 {
        self.max_seeds
    }

    /// Whether the values stand in a file.
    #[must_use]
    pub const fn is_mapped(&self) -> bool {
        matches!(self.values, Values::Mapped(_))
    }

    fn bytes(&self) -> &[u8] {
        match &self.values {
            Values::Memory(values) => values,
            Values::Mapped(map) => map,
        }
    }

    /// The values of a level, in the order of the ranks of its boards, signed bytes.
    pub(super) fn level(&self, seeds: u8) -> Option<&[u8]> {
        if seeds > self.max_seeds {
            return None;
        }
        let start = self.starts[usize::from(seeds)];
        Some(&self.bytes()[start..start + index::boards(seeds) as usize])
    }

    /// The value of a board; `None` when it has more seeds than the database.
    #[must_use]
    #[inline]
    pub fn value_of(&self, board: Words) -> Option<i8> {
        let seeds = board.board_seeds();
        (seeds <= self.max_seeds).then(|| self.known_value(board, seeds))
    }

    /// The value of a board of `seeds` seeds, which the database has.
    #[inline(always)]
    pub(super) fn known_value(&self, board: Words, seeds: u8) -> i8 {
        self.bytes()[self.starts[usize::from(seeds)] + index::rank(board) as usize] as i8
    }

    /// The values of many boards, the mover's six pits first; `watch` is called now and then and may break it off.
    ///
    /// # Errors
    /// [`EndgameError::Row`] for the first board that has more seeds than the database, [`EndgameError::Stopped`].
    pub fn values(
        &self,
        boards: &[[u8; PITS]],
        values: &mut [i8],
        mut watch: impl FnMut() -> ControlFlow<()>,
    ) -> Result<(), EndgameError> {
        /// Boards between two calls of the watch: about a millisecond.
        const PATIENCE: usize = 1 << 16;
        let most = self.max_seeds;
        for (number, (pits, value)) in boards.iter().zip(values).enumerate() {
            if number % PATIENCE == 0 && watch().is_break() {
                return Err(EndgameError::Stopped);
            }
            let seeds: u16 = pits.iter().copied().map(u16::from).sum();
            if seeds > u16::from(most) {
                return Err(EndgameError::Row { row: number, seeds, most });
            }
            *value = self.known_value(index::words(pits), seeds as u8);
        }
        Ok(())
    }

    /// The value of each legal move for the mover, `None` where there is none; of a board of too many seeds, `None`.
    #[must_use]
    pub fn move_values(&self, board: Words) -> Option<[Option<i8>; ROW]> {
        let seeds = board.board_seeds();
        if seeds > self.max_seeds {
            return None;
        }
        let rules = self.key.rules();
        let legal = board.legal_moves(&rules);
        let mut values = [None; ROW];
        for mv in legal.iter() {
            values[mv.index()] = Some(self.after(board, mv).value);
        }
        Some(values)
    }

    /// What a legal move of a board that the database has leads to.
    pub(super) fn after(&self, board: Words, mv: Move) -> After {
        let before = board.margin();
        let after = board.sow(mv, self.key.grand_slam()).0;
        let seeds = after.board_seeds();
        let gain = (after.margin() - before) as i8;
        let next = after.swapped();
        After { next, leaves: seeds < board.board_seeds(), value: gain - self.known_value(next, seeds) }
    }

    /// How the boards of `seeds` seeds are for the mover; `None` when the database has fewer seeds.
    #[must_use]
    pub fn statistics(&self, seeds: u8) -> Option<Statistics> {
        let mut counts = [0_u64; 256];
        for &value in self.level(seeds)? {
            counts[usize::from(value)] += 1;
        }
        let mut statistics = Statistics::default();
        for value in i8::MIN..=i8::MAX {
            let count = counts[usize::from(value as u8)];
            match value {
                ..0 => statistics.loss += count,
                0 => statistics.draw += count,
                1.. => statistics.win += count,
            }
            if count > 0 {
                statistics.histogram.push((value, count));
            }
        }
        Some(statistics)
    }
}

/// What a move leads to.
pub(super) struct After {
    /// The board, from its mover's view.
    pub(super) next: Words,
    /// Whether there are fewer seeds on it.
    pub(super) leaves: bool,
    /// What the move is worth for whoever made it.
    pub(super) value: i8,
}

#[allow(unsafe_code, reason = "a file can be mapped in no other way")]
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: The map is only read, and as bytes, for which any value is sound. That nobody changes the file meanwhile
    // cannot be had from any system; it is the caller's part, and documented: our own writers never touch a finished
    // file, they put another in its place, which leaves the mapped one as it was. A file that is cut short under the
    // map ends the process with SIGBUS on Unix.
    unsafe { Mmap::map(file) }
}
