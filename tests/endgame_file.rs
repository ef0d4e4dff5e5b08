//! Database files: what is refused, and what a build that was stopped goes on from.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use oware::endgame::{Endgame, EndgameError, FileFault, Key};
use oware::{Rules, Stream};
use support::named;

const HEAD: usize = 32;

/// A fresh folder that goes with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(name: &str) -> Key {
    Key::of(&named(name))
}

/// Builds a file; also the levels that were solved for it.
fn build(path: &Path, name: &str, max_seeds: u8) -> (Result<Endgame, EndgameError>, Vec<u8>) {
    build_until(path, name, max_seeds, u8::MAX)
}

/// Builds a file until it comes to a level.
fn build_until(path: &Path, name: &str, max_seeds: u8, stop: u8) -> (Result<Endgame, EndgameError>, Vec<u8>) {
    let mut solved = Vec::new();
    let database = Endgame::build(key(name), max_seeds, Some(path), NonZeroUsize::new(2), |progress| {
        let Some(seeds) = progress.seeds else { return ControlFlow::Continue(()) };
        if seeds >= stop {
            return ControlFlow::Break(());
        }
        if solved.last() != Some(&seeds) {
            solved.push(seeds);
        }
        ControlFlow::Continue(())
    });
    (database, solved)
}

fn fault(result: Result<Endgame, EndgameError>) -> FileFault {
    let error = result.unwrap_err();
    let EndgameError::File { fault, .. } = error else { unreachable!("{error}") };
    fault
}

/// Where each level begins in a file, its head first, and where the end does.
fn begins(max_seeds: u8) -> Vec<usize> {
    let mut begins = vec![0];
    let mut boards = 1_usize;
    for seeds in 0..=usize::from(max_seeds) {
        begins.push(begins[seeds] + HEAD + boards);
        boards = boards * (seeds + 12) / (seeds + 1);
    }
    begins
}

#[test]
fn a_file_has_the_values() {
    let folder = Folder::new("values");
    let path = folder.file("awari");
    let (built, solved) = build(&path, "awari", 7);
    let built = built.unwrap();
    assert!(built.is_mapped());
    assert_eq!(solved, (0..=7).collect::<Vec<_>>());
    assert_eq!(folder.names(), ["awari"]);
    let opened = Endgame::open(&path).unwrap();
    let fresh = Endgame::build(key("awari"), 7, None, None, |_| ControlFlow::Continue(())).unwrap();
    for database in [&built, &opened] {
        assert_eq!((database.key(), database.max_seeds()), (key("awari"), 7));
        for seeds in 0..=7 {
            assert_eq!(database.statistics(seeds), fresh.statistics(seeds));
        }
    }
    assert_eq!(fs::read(&path).unwrap().len(), begins(7)[8] + HEAD);
}

#[test]
fn a_finished_file_is_opened_as_it_is() {
    let folder = Folder::new("finished");
    let path = folder.file("awari");
    build(&path, "awari", 6).0.unwrap();
    let bytes = fs::read(&path).unwrap();
    for max_seeds in [6, 3] {
        let (built, solved) = build(&path, "village", max_seeds);
        assert_eq!(built.unwrap().max_seeds(), 6);
        assert!(solved.is_empty(), "{solved:?}");
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(folder.names(), ["awari"]);
}

#[test]
fn a_file_of_fewer_seeds_is_built_on() {
    let folder = Folder::new("extended");
    let (path, whole) = (folder.file("abapa"), folder.file("whole"));
    build(&path, "abapa", 5).0.unwrap();
    let held = Endgame::open(&path).unwrap();
    let (built, solved) = build(&path, "abapa", 7);
    assert_eq!(built.unwrap().max_seeds(), 7);
    assert_eq!(solved, [6, 7]);
    build(&whole, "abapa", 7).0.unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap());
    // Whoever has the old file open goes on with it.
    assert_eq!(held.max_seeds(), 5);
    assert!(held.statistics(5).is_some());
}

#[test]
fn a_stopped_build_goes_on_after_its_last_level() {
    let folder = Folder::new("stopped");
    let whole = folder.file("whole");
    build(&whole, "awari", 8).0.unwrap();
    for stop in 0..=8 {
        let path = folder.file("stopped");
        let (stopped, _) = build_until(&path, "awari", 8, stop);
        assert!(matches!(stopped, Err(EndgameError::Stopped)));
        assert_eq!(folder.names(), ["stopped.8.partial", "whole"]);
        assert_eq!(fs::read(folder.file("stopped.8.partial")).unwrap().len(), begins(8)[usize::from(stop)]);
        let (built, solved) = build(&path, "awari", 8);
        built.unwrap();
        assert_eq!(solved, (stop..=8).collect::<Vec<_>>());
        assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap());
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn wherever_a_build_is_stopped_it_can_go_on() {
    let folder = Folder::new("anywhere");
    let (path, whole) = (folder.file("stopped"), folder.file("whole"));
    build(&whole, "awari", 7).0.unwrap();
    for patience in 0.. {
        let mut asked = 0;
        let stopped = Endgame::build(key("awari"), 7, Some(&path), NonZeroUsize::new(1), |_| {
            asked += 1;
            if asked > patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match stopped {
            Ok(_) => break,
            Err(error) => assert!(matches!(error, EndgameError::Stopped), "{error}"),
        }
        // Between the last byte and the look at what was built, the file has its name already.
        let left = folder.file(if path.exists() { "stopped" } else { "stopped.7.partial" });
        let length = fs::read(left).unwrap().len();
        assert!(begins(7).contains(&length) || path.exists(), "{length} bytes after {patience} questions");
        build(&path, "awari", 7).0.unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(&whole).unwrap());
        assert!(patience < 1000);
        fs::remove_file(&path).unwrap();
    }
    assert!(matches!(Endgame::open_while(&path, || ControlFlow::Break(())), Err(EndgameError::Stopped)));
}

#[test]
fn an_unfinished_file_that_was_cut_anywhere_is_mended() {
    let folder = Folder::new("mended");
    let (path, partial) = (folder.file("awari"), folder.file("awari.6.partial"));
    build(&path, "awari", 6).0.unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let begins = begins(6);
    let mut stream = Stream::from_seed(1);
    let near = begins.iter().flat_map(|&begin| [begin, begin + 1, begin + HEAD - 1, begin + HEAD, begin + HEAD + 1]);
    let anywhere = (0..20).map(|_| stream.draw() as usize % bytes.len()).collect::<Vec<_>>();
    for cut in near.chain(anywhere).filter(|&cut| cut <= bytes.len()) {
        fs::write(&partial, &bytes[..cut]).unwrap();
        let (built, solved) = build(&path, "awari", 6);
        assert_eq!(built.unwrap().max_seeds(), 6);
        assert_eq!(fs::read(&path).unwrap(), bytes, "cut at {cut}");
        let whole_levels = begins.iter().filter(|&&begin| begin > 0 && begin <= cut).count();
        let redone = solved.iter().filter(|&&seeds| usize::from(seeds) < whole_levels).count();
        assert_eq!(redone, 0, "cut at {cut}: {solved:?}");
        assert_eq!(folder.names(), ["awari"]);
        fs::remove_file(&path).unwrap();
    }
    // What follows an altered level is not trusted either.
    let mut altered = bytes.clone();
    altered[begins[4] + HEAD + 3] ^= 1;
    fs::write(&partial, altered).unwrap();
    let (built, solved) = build(&path, "awari", 6);
    built.unwrap();
    assert_eq!(solved, [4, 5, 6]);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn every_cut_and_every_flipped_bit_is_found() {
    let folder = Folder::new("damaged");
    let path = folder.file("awari");
    build(&path, "awari", 3).0.unwrap();
    let bytes = fs::read(&path).unwrap();
    let level_of = |at: usize| (begins(3).iter().filter(|&&begin| begin <= at).count() - 1) as u8;
    for cut in 0..bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let expected = if cut == 0 { FileFault::Foreign } else { FileFault::Cut { seeds: level_of(cut) } };
        assert_eq!(fault(Endgame::open(&path)), expected, "cut at {cut}");
    }
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << (at % 8);
        fs::write(&path, &altered).unwrap();
        let expected = match at {
            0..8 => FileFault::Foreign,
            8..12 => FileFault::Version(u32::from_le_bytes([altered[8], altered[9], altered[10], altered[11]])),
            _ => FileFault::Altered { seeds: level_of(at) },
        };
        assert_eq!(fault(Endgame::open(&path)), expected, "altered at {at}");
    }
    for tail in [&b"\0"[..], &bytes] {
        fs::write(&path, [&bytes[..], tail].concat()).unwrap();
        assert_eq!(fault(Endgame::open(&path)), FileFault::Altered { seeds: 4 });
    }
}

#[test]
fn levels_that_do_not_belong_are_found() {
    let folder = Folder::new("strange");
    let (path, other) = (folder.file("awari"), folder.file("abapa"));
    build(&path, "awari", 3).0.unwrap();
    build(&other, "abapa", 3).0.unwrap();
    let (bytes, others) = (fs::read(&path).unwrap(), fs::read(&other).unwrap());
    let begins = begins(3);
    let level = |bytes: &[u8], seeds: usize| {
        bytes[begins[seeds]..begins.get(seeds + 1).copied().unwrap_or(bytes.len())].to_vec()
    };
    let refuse = |parts: &[Vec<u8>], seeds| {
        fs::write(&path, parts.concat()).unwrap();
        assert_eq!(fault(Endgame::open(&path)), FileFault::Altered { seeds });
    };
    let own = |seeds| level(&bytes, seeds);
    // A level of other rules, of other seeds, a level left out, the end of another file.
    refuse(&[own(0), own(1), level(&others, 2), own(3), own(4)], 2);
    refuse(&[own(0), own(2), own(1), own(3), own(4)], 1);
    refuse(&[own(0), own(1), own(2), own(4)], 3);
    refuse(&[own(0), own(1), own(2), own(3), level(&others, 4)], 4);
}

#[test]
fn what_is_there_already_is_never_overwritten() {
    let folder = Folder::new("foreign");
    let path = folder.file("notes.txt");
    fs::write(&path, "dear diary").unwrap();
    assert_eq!(fault(build(&path, "awari", 3).0), FileFault::Foreign);
    assert_eq!(fs::read(&path).unwrap(), b"dear diary");

    let path = folder.file("abapa");
    build(&path, "abapa", 2).0.unwrap();
    let bytes = fs::read(&path).unwrap();
    let expected = FileFault::Key { found: key("abapa"), wanted: key("awari") };
    assert_eq!(fault(build(&path, "awari", 3).0), expected);
    fs::write(&path, &bytes[..50]).unwrap();
    assert_eq!(fault(build(&path, "abapa", 3).0), FileFault::Cut { seeds: 1 });
    assert_eq!(fs::read(&path).unwrap(), bytes[..50]);

    let path = folder.file("new");
    for (content, expected) in [(&b"dear diary"[..], FileFault::Foreign), (&bytes[..], expected)] {
        let partial = folder.file("new.3.partial");
        fs::write(&partial, content).unwrap();
        assert_eq!(fault(build(&path, "awari", 3).0), expected);
        assert_eq!(fs::read(&partial).unwrap(), content);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = Folder::new("nowhere");
    let path = folder.file("missing").join("awari");
    let error = build(&path, "awari", 3).0.unwrap_err();
    assert!(matches!(&error, EndgameError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound));
    assert!(error.to_string().starts_with("cannot open "), "{error}");
    assert!(error.to_string().contains("awari"), "{error}");
    let missing = Endgame::open(&folder.file("missing")).unwrap_err();
    assert!(matches!(missing, EndgameError::Io { .. }));
}

#[test]
fn of_several_at_once_one_builds() {
    let folder = Folder::new("together");
    let path = folder.file("awari");
    let solved: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let builds: Vec<_> = (0..4).map(|_| scope.spawn(|| build(&path, "awari", 8))).collect();
        builds
            .into_iter()
            .map(|build| {
                let (database, solved) = build.join().unwrap();
                assert_eq!(database.unwrap().max_seeds(), 8);
                solved
            })
            .collect()
    });
    let at_work: Vec<_> = solved.iter().filter(|solved| !solved.is_empty()).collect();
    assert_eq!(at_work, [&(0..=8).collect::<Vec<_>>()]);
    assert_eq!(folder.names(), ["awari"]);
}

#[test]
fn whoever_waits_can_give_up() {
    let folder = Folder::new("waiting");
    let path = folder.file("awari");
    let lock = fs::File::create(folder.file("awari.3.partial")).unwrap();
    lock.lock().unwrap();
    let mut asked = 0;
    let waited = Endgame::build(Key::of(&Rules::default()), 3, Some(&path), None, |_| {
        asked += 1;
        if asked == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(waited, Err(EndgameError::Stopped)));
    drop(lock);
    build(&path, "abapa", 3).0.unwrap();
}
