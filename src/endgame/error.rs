//! What a database refuses, and why.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::file::Halt;
use super::key::Key;
use crate::index::MOST_SEEDS;

/// Why a database cannot be built, opened or asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum EndgameError {
    /// A database of so many seeds cannot be.
    Seeds(u8),
    /// A watch has stopped it; of a building, whole levels are kept in the unfinished file.
    Stopped,
    /// There is not enough memory.
    Memory {
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// The system refuses to read or write a file.
    Io {
        /// What was tried, as "cannot ..." goes on.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file is not what it should be.
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: FileFault,
    },
    /// The rules of a game are not those of the database.
    Key {
        /// The database's.
        database: Key,
        /// The game's.
        game: Key,
    },
    /// A board has more seeds than the database reaches.
    Reach {
        /// The seeds on the board.
        seeds: u8,
        /// The most that the database has.
        most: u8,
    },
    /// One of many boards has more seeds than the database reaches.
    Row {
        /// The board's number.
        row: usize,
        /// The seeds on it.
        seeds: u16,
        /// The most that the database has.
        most: u8,
    },
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFault {
    /// It is a folder, a pipe or a device.
    NoFile,
    /// It does not begin as a database does.
    Foreign,
    /// It has a version that is unknown here.
    Version(u32),
    /// It ends too early.
    Cut {
        /// The first level that is not whole.
        seeds: u8,
    },
    /// Its bytes are not those that were written.
    Altered {
        /// The first level that is wrong, or after which more comes than should.
        seeds: u8,
    },
    /// It is a database for other rules.
    Key {
        /// Its key.
        found: Key,
        /// The key that is asked for.
        wanted: Key,
    },
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFile => f.write_str("it is a folder, a pipe or a device; give an endgame database's file"),
            Self::Foreign => f.write_str("it is not an endgame database"),
            Self::Version(version) => {
                write!(f, "it has version {version}, this release reads {}; build it again", super::file::VERSION)
            }
            Self::Cut { seeds } => {
                write!(f, "it was cut, level {seeds} is not whole; delete it and build it again")
            }
            Self::Altered { seeds } => {
                write!(f, "it was altered, level {seeds} does not have its checksum; delete it and build it again")
            }
            Self::Key { found, wanted } => write!(f, "it is for {}, not for {}", told(*found), told(*wanted)),
        }
    }
}

/// A key with the rule sets that have it.
fn told(key: Key) -> String {
    let names: Vec<_> = key.names().collect();
    if names.is_empty() { key.to_string() } else { format!("{} ({key})", names.join(", ")) }
}

impl fmt::Display for EndgameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seeds(seeds) => write!(f, "max_seeds is {seeds}; give 0 to {MOST_SEEDS}"),
            Self::Stopped => f.write_str("it was stopped"),
            Self::Memory { bytes } => write!(f, "{bytes} bytes of memory cannot be had; take fewer seeds"),
            Self::Io { action, path, source } => write!(f, "cannot {action} {}: {source}", path.display()),
            Self::File { path, fault } => write!(f, "{}: {fault}", path.display()),
            Self::Key { database, game } => {
                write!(f, "the database is for {}, the game has {}", told(*database), told(*game))
            }
            Self::Reach { seeds, most } => {
                write!(f, "{seeds} seeds on the board, the database reaches {most}; build a larger one")
            }
            Self::Row { row, seeds, most } => {
                write!(f, "pits[{row}] has {seeds} seeds, the database reaches {most}; build a larger one")
            }
        }
    }
}

impl Error for EndgameError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl EndgameError {
    /// Wraps what the system says of a file.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// Wraps what has ended the reading of a file.
    pub(super) fn halt(path: &Path) -> impl FnOnce(Halt) -> Self {
        let path = path.to_owned();
        move |halt| match halt {
            Halt::Stopped => Self::Stopped,
            Halt::Fault(fault) => Self::File { path, fault },
        }
    }

    pub(super) fn file(path: &Path) -> impl FnOnce(FileFault) -> Self {
        let path = path.to_owned();
        move |fault| Self::File { path, fault }
    }
}
