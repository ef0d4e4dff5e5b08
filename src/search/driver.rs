//! A search as a whole: deeper and deeper, on one thread or several, until it is told enough.

use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::thread;
use std::time::{Duration, Instant};

use crate::game::Game;
use crate::pit::{Move, ROW};
use crate::words::Words;

use super::Probe;
use super::alphabeta::{Aim, MAX_DEPTH, Shared, Worker};
use super::known::known;
use super::root::Root;
use super::table::{NoMemory, Table};
use super::value::Value;

/// Where a search ends and what it works with.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The most plies to search, from 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// The time after which it ends.
    pub time: Option<Duration>,
    /// The positions after which it ends.
    pub nodes: Option<u64>,
    /// The threads that search.
    pub threads: NonZeroUsize,
    /// The entries of the transposition table, rounded down to a power of two.
    pub table_entries: usize,
    /// What knows the values of boards with few seeds.
    pub endgame: Option<&'a dyn Probe>,
    /// Whether a line that reaches the depth with at most ten seeds on the board counts their true value under `awari`
    /// there, from a table, and not [`static_value`](super::static_value).
    pub few_seeds: bool,
    /// Whether to find the value of every move, not only of a best one.
    pub move_values: bool,
}

/// The entries of a table unless told otherwise: 16 MiB.
pub const TABLE_ENTRIES: usize = 1 << 20;

impl Default for Settings<'_> {
    /// Without a limit but the greatest depth, on one thread, without a database or a table.
    fn default() -> Self {
        Self {
            depth: MAX_DEPTH,
            time: None,
            nodes: None,
            threads: NonZeroUsize::MIN,
            table_entries: TABLE_ENTRIES,
            endgame: None,
            few_seeds: false,
            move_values: false,
        }
    }
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The final net seeds for the mover.
    pub value: Value,
    /// Whether nothing was evaluated: deeper searches will find the same value.
    pub exact: bool,
    /// The line of best play, at least its first move.
    pub line: Vec<Move>,
    /// The plies that were searched in full.
    pub depth: u32,
    /// The positions that were visited.
    pub nodes: u64,
    /// The value of each legal move, where asked for.
    pub move_values: Option<[Option<Value>; ROW]>,
}

/// Why there is nothing to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchError {
    /// The game is over.
    GameOver,
    /// The database holds values of another game.
    OtherRules,
    /// The depth is 0 or beyond [`MAX_DEPTH`].
    Depth(u32),
    /// There is no memory for the table.
    NoMemory(NoMemory),
}

impl fmt::Display for SearchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameOver => f.write_str("the game is over; there is no move to search for"),
            Self::OtherRules => f.write_str("the endgame database is of other rules than the game"),
            Self::Depth(depth) => write!(f, "depth is {depth}; give 1 to {MAX_DEPTH}"),
            Self::NoMemory(NoMemory { bytes }) => {
                write!(f, "there is no memory for a table of {bytes} bytes; give fewer table_entries")
            }
        }
    }
}

impl Error for SearchError {}

/// Searches for the best move of a game.
///
/// ```
/// use oware::search::{Settings, alpha_beta};
/// use oware::{Game, Rules};
///
/// let report = alpha_beta(&Game::new(Rules::default()), &Settings { depth: 6, ..Settings::default() })?;
/// assert_eq!(report.depth, 6);
/// assert_eq!(report.line.len(), 6);
/// # Ok::<(), oware::search::SearchError>(())
/// ```
///
/// # Errors
/// [`SearchError`] says why there is nothing to search.
pub fn alpha_beta(game: &Game, settings: &Settings<'_>) -> Result<Report, SearchError> {
    let go_on = |_: Option<&Report>| ControlFlow::<std::convert::Infallible>::Continue(());
    alpha_beta_while(game, settings, go_on).map(|(report, _)| report)
}

/// [`alpha_beta`], asking `go_on` now and then, with a report whenever a depth has been searched in full.
///
/// When it refuses the search ends, and its refusal is handed back beside what was found until then.
///
/// # Errors
/// [`SearchError`] says why there is nothing to search.
pub fn alpha_beta_while<B>(
    game: &Game,
    settings: &Settings<'_>,
    mut go_on: impl FnMut(Option<&Report>) -> ControlFlow<B>,
) -> Result<(Report, Option<B>), SearchError> {
    let begin = Instant::now();
    let root = Root::of(game).ok_or(SearchError::GameOver)?;
    if settings.depth == 0 || settings.depth > MAX_DEPTH {
        return Err(SearchError::Depth(settings.depth));
    }
    if settings.endgame.is_some_and(|endgame| !endgame.holds_under(game.rules())) {
        return Err(SearchError::OtherRules);
    }
    let shared = Shared {
        table: Some(Table::new(settings.table_entries).map_err(SearchError::NoMemory)?),
        endgame: settings.endgame,
        few_seeds: settings.few_seeds,
        // Beyond what a clock can show there is no deadline.
        deadline: settings.time.and_then(|time| begin.checked_add(time)),
        most_nodes: settings.nodes.unwrap_or(u64::MAX),
        nodes: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        iteration: AtomicU32::new(1),
    };
    let aim = if settings.move_values { Aim::All } else { Aim::Best };
    let mut refusal = None;
    let report = thread::scope(|scope| {
        for rank in 1..settings.threads.get() {
            let (shared, root) = (&shared, root.clone());
            let helps = move || help(&mut Worker::new(shared, root), rank, settings.depth, aim);
            if thread::Builder::new().spawn_scoped(scope, helps).is_err() {
                break;
            }
        }
        let known = known(Words::of(game.position()), settings.endgame, || root.clone());
        let mut worker = Worker::new(&shared, root);
        if let Some(known) = known {
            // Of moves of the same value the first one stays the best.
            worker.moves.sort_by_key(|mv| !known.soonest.contains(mv.child.mv));
        }
        let report = deepen(&mut worker, settings.depth, aim, &mut |report| {
            if let ControlFlow::Break(reason) = go_on(report) {
                refusal = Some(reason);
            }
            refusal.is_none()
        });
        shared.stop.store(true, Relaxed);
        report
    });
    Ok((Report { nodes: shared.nodes.load(Relaxed), ..report }, refusal))
}

/// Searches deeper and deeper, and reports every depth.
fn deepen(worker: &mut Worker<'_>, deepest: u32, aim: Aim, go_on: &mut dyn FnMut(Option<&Report>) -> bool) -> Report {
    let mut finished = worker.report(0, aim);
    for depth in 1..=deepest {
        worker.shared.iteration.store(depth, Relaxed);
        if worker.iterate(depth, aim, &mut || go_on(None)) {
            finished = worker.report(depth, aim);
            if finished.exact || !go_on(Some(&finished)) || worker.shared.stop.load(Relaxed) {
                break;
            }
        } else {
            if aim == Aim::Best {
                // The best of the moves that were searched so far.
                finished = Report { exact: false, ..worker.report(finished.depth, aim) };
            }
            break;
        }
    }
    worker.tell();
    finished
}

/// Fills the table with what the first thread needs now or soon.
fn help(worker: &mut Worker<'_>, rank: usize, deepest: u32, aim: Aim) {
    // Each thread begins at another place, so that they do not all do the same.
    let count = worker.moves.len();
    worker.moves.rotate_left(rank % count.max(1));
    let mut done = 0;
    loop {
        let depth = worker.shared.iteration.load(Relaxed).max(done + 1);
        if depth > deepest || worker.shared.stop.load(Relaxed) {
            break;
        }
        if worker.iterate(depth, aim, &mut || true) {
            done = depth;
        }
    }
    worker.tell();
}
