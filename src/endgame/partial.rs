//! The unfinished file that a database is built in, level by level, until it takes its name.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::error::{EndgameError, FileFault};
use super::file::{self, HEAD, Halt, Levels, PORTION, Watch};
use super::key::Key;

/// How often a lock that somebody else has is tried.
const ROUND: Duration = Duration::from_millis(40);

/// An unfinished file, held by this process alone.
///
/// The lock is the system's, so it goes with the process however that ends. The file may be gone from its place when
/// the lock is had: whoever held it before has finished it, and it bears its end.
pub(super) struct Partial {
    file: File,
    path: PathBuf,
    levels: Levels,
}

impl Partial {
    /// Where a database of so many seeds is built before it takes the name `path`.
    ///
    /// The number is part of the name, so that who waits for the lock and gets it on a file that has taken its name
    /// finds all that is wanted there.
    pub(super) fn path(path: &Path, max_seeds: u8) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{max_seeds}.partial"));
        name.into()
    }

    /// The file at a path, a new one if there is none, once nobody else has it; `watch` may give up.
    pub(super) fn lock(path: PathBuf, key: Key, watch: &mut Watch<'_>) -> Result<Self, EndgameError> {
        let options = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = options.map_err(EndgameError::io("open", &path))?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                // A file system without locks has nobody to share it with that would know of them.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => break,
                Err(TryLockError::Error(error)) => return Err(EndgameError::io("lock", &path)(error)),
                Err(TryLockError::WouldBlock) if watch().is_break() => return Err(EndgameError::Stopped),
                Err(TryLockError::WouldBlock) => thread::sleep(ROUND),
            }
        }
        Ok(Self { file, path, levels: Levels::none(key) })
    }

    /// Reads the whole levels that are there and returns their values; what comes after them is of no use. True when
    /// the file is finished.
    pub(super) fn recover(&mut self, watch: &mut Watch<'_>) -> Result<(Vec<u8>, bool), EndgameError> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0)).map_err(EndgameError::io("read", &self.path))?;
        self.file.read_to_end(&mut bytes).map_err(EndgameError::io("read", &self.path))?;
        let levels = match Levels::read(&bytes, watch) {
            Ok(levels) => levels,
            // Nothing was written yet, or the first few bytes at most.
            Err(Halt::Fault(FileFault::Cut { .. })) => return Ok((Vec::new(), false)),
            Err(Halt::Fault(FileFault::Foreign)) if bytes.is_empty() => return Ok((Vec::new(), false)),
            Err(halt) => return Err(EndgameError::halt(&self.path)(halt)),
        };
        if levels.key != self.levels.key {
            let fault = FileFault::Key { found: levels.key, wanted: self.levels.key };
            return Err(EndgameError::file(&self.path)(fault));
        }
        let finished = levels.rest.is_ok();
        let mut values = bytes;
        // Moved together in place, as a second copy may not fit.
        let mut length = 0;
        let ends = levels.starts.iter().skip(1).map(|start| start - HEAD).chain([levels.end]);
        for (&start, end) in levels.starts.iter().zip(ends) {
            values.copy_within(start..end, length);
            length += end - start;
        }
        values.truncate(length);
        self.levels = levels;
        Ok((values, finished))
    }

    /// Writes the next level, to stay.
    pub(super) fn append(&mut self, values: &[u8], watch: &mut Watch<'_>) -> Result<(), EndgameError> {
        let seeds = self.levels.starts.len() as u8;
        let checksum = file::checksum(values, watch).ok_or(EndgameError::Stopped)?;
        self.write(&file::level_head(self.levels.key, seeds, checksum), values, watch)?;
        self.levels.add(checksum, values.len());
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub(super) fn finish(mut self, path: &Path) -> Result<(), EndgameError> {
        let end = self.levels.end_mark();
        self.write(&end, &[], &mut || ControlFlow::Continue(()))?;
        self.rename(path)
    }

    /// Gives a finished file its name.
    pub(super) fn rename(self, path: &Path) -> Result<(), EndgameError> {
        fs::rename(&self.path, path).map_err(EndgameError::io("rename", &self.path))?;
        // A name is not safe on disk before its folder is; where folders cannot be synced, the system sees to it.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Removes the file.
    pub(super) fn discard(self) {
        // What is left behind is an unfinished file with nothing in it.
        let _ = fs::remove_file(&self.path);
    }

    /// Writes a head and values after the whole levels, and cuts off what stood there.
    fn write(&mut self, head: &[u8], values: &[u8], watch: &mut Watch<'_>) -> Result<(), EndgameError> {
        let start = self.levels.end as u64;
        let mut write = || -> io::Result<ControlFlow<()>> {
            self.file.seek(SeekFrom::Start(start))?;
            self.file.set_len(start)?;
            self.file.write_all(head)?;
            for portion in values.chunks(PORTION) {
                if watch().is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                self.file.write_all(portion)?;
                // Now, as it might take seconds for a large level at once.
                self.file.sync_data()?;
            }
            self.file.sync_data()?;
            Ok(ControlFlow::Continue(()))
        };
        let refused = match write() {
            Ok(ControlFlow::Continue(())) => return Ok(()),
            Ok(ControlFlow::Break(())) => EndgameError::Stopped,
            Err(error) => EndgameError::io("write", &self.path)(error),
        };
        // Where this fails, whoever builds on cuts it off.
        let _ = self.file.set_len(start);
        Err(refused)
    }
}
