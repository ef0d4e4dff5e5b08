//! Databases built from nothing, or from what is there of them.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;

use super::database::Endgame;
use super::error::{EndgameError, FileFault};
use super::file::PORTION;
use super::key::Key;
use super::partial::Partial;
use super::solve::{self, SolveError};
use crate::index::{self, MOST_SEEDS};
use crate::words::Words;

/// How far a building has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The seeds of the level that is being solved; `None` while a file is read, copied or waited for.
    pub seeds: Option<u8>,
    /// Boards dealt with, those of finished levels among them.
    pub done: u64,
    /// Boards of all levels.
    pub total: u64,
}

/// What a building takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The boards of all levels.
    pub boards: u64,
    /// The bytes of the file.
    pub file: u64,
    /// The bytes of memory at the most, while the largest level is solved.
    pub memory: u64,
}

/// What building a database of so many seeds takes.
///
/// # Errors
/// [`EndgameError::Seeds`] for more than [`Endgame::MOST_SEEDS`].
pub fn cost(max_seeds: u8) -> Result<Cost, EndgameError> {
    if max_seeds > MOST_SEEDS {
        return Err(EndgameError::Seeds(max_seeds));
    }
    let (lower, last) = (index::boards_below(max_seeds), index::boards(max_seeds));
    let boards = lower + last;
    Ok(Cost {
        boards,
        file: boards + (u64::from(max_seeds) + 2) * super::file::HEAD as u64,
        // A byte for each board, two more for those of the last level, and the boards that wait their turn.
        memory: boards + 2 * last + last / 4,
    })
}

impl Endgame {
    /// Solves every board of up to `max_seeds` seeds.
    ///
    /// With a path the database is written there: level by level into an unfinished file beside it, named
    /// `PATH.SEEDS.partial`, which takes the name when it is whole. A build that was stopped goes on after the last
    /// whole level; a file of fewer seeds is built on; one that already has as many is opened as it is. Of several
    /// processes that build the same file, one does and the others wait for it. Without a path it stays in memory.
    ///
    /// `threads` is the number of threads, by default one for each processor. `watch` is called about twenty times a
    /// second and may stop the building. Time and memory grow with the number of boards: [`cost`].
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use oware::{Position, Rules, Words};
    /// use oware::endgame::{Endgame, Key};
    ///
    /// let rules = Rules::named("awari")?;
    /// let database = Endgame::build(Key::of(&rules), 6, None, None, |_| ControlFlow::Continue(()))?;
    /// let position = Position::from_dashed("0-1-2-0-0-0-1-0-2-0-0-0-0-0-S", &rules)?;
    /// assert_eq!(database.value_of(Words::of(&position)), Some(-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EndgameError`]; whole levels are kept, and there is no other trace.
    pub fn build(
        key: Key,
        max_seeds: u8,
        path: Option<&Path>,
        threads: Option<NonZeroUsize>,
        mut watch: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, EndgameError> {
        let total = cost(max_seeds)?.boards;
        let threads = threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let builder = Builder { key, max_seeds, threads, total, watch: &mut watch };
        match path {
            None => builder.in_memory(),
            Some(path) => builder.in_file(path),
        }
    }
}

struct Builder<'a> {
    key: Key,
    max_seeds: u8,
    threads: usize,
    total: u64,
    watch: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
}

impl Builder<'_> {
    fn in_memory(mut self) -> Result<Endgame, EndgameError> {
        let mut solved = Vec::new();
        self.reserve(&mut solved)?;
        for seeds in 0..=self.max_seeds {
            self.solve(seeds, &mut solved)?;
        }
        Ok(Endgame::in_memory(self.key, self.max_seeds, solved))
    }

    fn in_file(mut self, path: &Path) -> Result<Endgame, EndgameError> {
        let start = Progress { seeds: None, done: 0, total: self.total };
        loop {
            if let Some(found) = self.existing(path)?
                && found.max_seeds() >= self.max_seeds
            {
                return Ok(found);
            }
            let (key, unfinished) = (self.key, Partial::path(path, self.max_seeds));
            let mut partial = Partial::lock(unfinished, key, &mut || (self.watch)(start))?;
            // Whoever had the lock before may have finished meanwhile.
            let found = self.existing(path)?;
            let (mut solved, finished) = partial.recover(&mut || (self.watch)(start))?;
            if found.as_ref().is_some_and(|found| found.max_seeds() >= self.max_seeds) {
                if solved.is_empty() {
                    partial.discard();
                }
                continue;
            }
            if finished {
                // It was stopped between the end of the file and its name.
                partial.rename(path)?;
                continue;
            }
            self.reserve(&mut solved)?;
            let known = found.as_ref().filter(|_| solved.is_empty());
            for seeds in 0..=self.max_seeds {
                if solved.len() as u64 > index::boards_below(seeds) {
                    continue;
                }
                let copied = known.and_then(|found| found.level(seeds));
                match copied {
                    Some(values) => solved.extend_from_slice(values),
                    None => self.solve(seeds, &mut solved)?,
                }
                let below = index::boards_below(seeds) as usize;
                let level = copied.is_none().then_some(seeds);
                let come = Progress { seeds: level, done: solved.len() as u64, total: self.total };
                partial.append(&solved[below..], &mut || (self.watch)(come))?;
            }
            drop(found);
            drop(solved);
            partial.finish(path)?;
        }
    }

    /// The database at a path, if there is a file.
    fn existing(&mut self, path: &Path) -> Result<Option<Endgame>, EndgameError> {
        let start = Progress { seeds: None, done: 0, total: self.total };
        match Endgame::open_while(path, || (self.watch)(start)) {
            Ok(found) if found.key() == self.key => Ok(Some(found)),
            Ok(found) => Err(EndgameError::file(path)(FileFault::Key { found: found.key(), wanted: self.key })),
            Err(EndgameError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes room for all levels at once, so that they never move.
    fn reserve(&self, solved: &mut Vec<u8>) -> Result<(), EndgameError> {
        let refused = EndgameError::Memory { bytes: self.total };
        let Ok(total) = usize::try_from(self.total) else { return Err(refused) };
        solved.try_reserve_exact(total.saturating_sub(solved.len())).map_err(|_| refused)
    }

    /// Solves the level after the levels that are solved.
    fn solve(&mut self, seeds: u8, solved: &mut Vec<u8>) -> Result<(), EndgameError> {
        let (below, total) = (index::boards_below(seeds), self.total);
        let lower = |board: Words| {
            let start = index::boards_below(board.board_seeds()) as usize;
            solved[start + index::rank(board) as usize] as i8
        };
        let mut watch =
            |half_done: u64| (self.watch)(Progress { seeds: Some(seeds), done: below + half_done / 2, total });
        if watch(0).is_break() {
            return Err(EndgameError::Stopped);
        }
        let level = solve::solve(self.key.rules(), seeds, &lower, self.threads, &mut watch);
        let level = level.map_err(|error| match error {
            SolveError::Stopped => EndgameError::Stopped,
            SolveError::Memory => EndgameError::Memory { bytes: 2 * index::boards(seeds) },
        })?;
        for portion in level.portions(PORTION) {
            if watch(2 * index::boards(seeds)).is_break() {
                return Err(EndgameError::Stopped);
            }
            solved.extend(portion.map(|value| value as u8));
        }
        Ok(())
    }
}
