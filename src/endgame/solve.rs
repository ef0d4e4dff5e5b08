//! One level, the boards of *n* seeds, solved by retrograde analysis when all levels below are known.
//!
//! A move that captures leaves the level and has a known outcome. The others lead from board to board within it, in
//! cycles too, and a line that never leaves is worth 0. Values are settled from the outside in, ±*n* first and ±1 last:
//!
//! ```text
//! for v = n, n - 1, ..., 1:
//!     settle with v, then with -v, until there is no more:
//!         v    where a move that leaves gives v, or one within leads to a board settled with -v
//!         -v   where all moves within lead to boards settled with v or more, and the best that leaves gives -v, or
//!              gives less and one of these boards is worth v
//! whatever is left is worth 0
//! ```
//!
//! When v has its turn, whatever is worth more for either player is settled, so the first way to v is the best. A board
//! is settled only where a finite line of play forces its value; from the boards that are left both players can stay
//! among them for ever, or leave at 0, and neither can do better. Each settled board looks at its predecessors once, so
//! the work grows with the number of moves. After Lincke and Marzetta, "Large endgame databases with limited memory
//! space" (ICGA Journal 2000), and Romein and Bal, "Solving awari with parallel retrograde analysis" (Computer 2003).

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::cell::{Cell, Seen};
use super::file::PORTION;
use super::team::{self, Chunks, Exchange, Stopped};
use super::unmove::unmoves;
use crate::index::{self, Boards};
use crate::rules::Rules;
use crate::words::Words;

/// Levels below this size are solved before a thread has started.
const SMALL: u64 = 1 << 13;
/// Boards whose predecessors are looked up together, so that the waits for memory overlap.
const TOGETHER: usize = 16;

/// A board that has just been settled, from its mover's view.
#[derive(Clone, Copy)]
struct News {
    board: Words,
    /// Whether with the value of the stage, else with its negative.
    won: bool,
}

/// A level that is being solved.
struct Level<'a, L> {
    rules: Rules,
    seeds: u8,
    /// The value of a board of fewer seeds, from its mover's view.
    lower: &'a L,
    cells: Vec<Cell>,
    threads: usize,
    /// The boards that are surveyed, and those that are settled.
    progress: AtomicU64,
}

/// Solves the boards of `seeds` seeds.
///
/// `watch` is told now and then how many of twice as many boards are dealt with.
pub(super) fn solve<L: Fn(Words) -> i8 + Sync>(
    rules: Rules,
    seeds: u8,
    lower: &L,
    threads: usize,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Solved, SolveError> {
    let size = index::boards(seeds);
    let mut cells = Vec::new();
    let length = usize::try_from(size).map_err(|_| SolveError::Memory)?;
    cells.try_reserve_exact(length).map_err(|_| SolveError::Memory)?;
    while cells.len() < length {
        if watch(0).is_break() {
            return Err(SolveError::Stopped);
        }
        cells.extend((0..PORTION.min(length - cells.len())).map(|_| Cell::blank()));
    }
    let threads = if size < SMALL { 0 } else { threads };
    let level = Level { rules, seeds, lower, cells, threads, progress: AtomicU64::new(0) };
    level.run(watch, |chunk, _| level.survey(chunk))?;
    for value in (1..=seeds as i8).rev() {
        level.stage(value, watch)?;
    }
    Ok(Solved(level.cells))
}

/// A level that is solved.
pub(super) struct Solved(Vec<Cell>);

impl Solved {
    /// The values in the order of the ranks, in portions.
    pub(super) fn portions(&self, size: usize) -> impl Iterator<Item = impl Iterator<Item = i8>> {
        self.0.chunks(size).map(|cells| cells.iter().map(|cell| cell.seen().value()))
    }
}

/// Why a level is not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SolveError {
    /// The watch has stopped it.
    Stopped,
    /// There is not enough memory.
    Memory,
}

impl From<Stopped> for SolveError {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl<L: Fn(Words) -> i8 + Sync> Level<'_, L> {
    fn cell(&self, rank: u32) -> &Cell {
        &self.cells[rank as usize]
    }

    fn size(&self) -> u64 {
        self.cells.len() as u64
    }

    /// Has threads do the chunks of all ranks.
    fn run(
        &self,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
        work: impl Fn(std::ops::Range<u64>, &AtomicBool) + Sync,
    ) -> Result<(), Stopped> {
        let chunks = Chunks::below(self.size());
        team::run(
            self.threads,
            |stop| {
                while let Some(chunk) = chunks.next()
                    && !stop.load(Ordering::Relaxed)
                {
                    work(chunk, stop);
                }
            },
            &mut || watch(self.progress.load(Ordering::Relaxed)),
        )
    }

    /// Looks at the moves of some boards for the first time.
    fn survey(&self, ranks: std::ops::Range<u64>) {
        let count = ranks.end - ranks.start;
        for (rank, board) in (ranks.start..ranks.end).zip(Boards::from(self.seeds, ranks.start as u32)) {
            self.cell(rank as u32).set(self.first_sight(board));
        }
        self.progress.fetch_add(count, Ordering::Relaxed);
    }

    fn first_sight(&self, board: Words) -> Seen {
        let legal = board.legal_moves(&self.rules);
        if legal.is_empty() {
            return Seen::unsettled(Some(board.shared_out_margin(self.rules.no_move) as i8), 0);
        }
        let mut best = None;
        let mut open = 0;
        for mv in legal.iter() {
            let after = board.sow(mv, self.rules.grand_slam).0;
            if after.board_seeds() == self.seeds {
                open += 1;
            } else {
                best = best.max(Some(after.margin() as i8 - (self.lower)(after.swapped())));
            }
        }
        Seen::unsettled(best, open)
    }

    /// Settles all boards that are worth `value` to either player.
    fn stage(&self, value: i8, watch: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), Stopped> {
        let chunks = Chunks::below(self.size());
        let exchange = Exchange::new();
        team::run(
            self.threads,
            |stop| {
                exchange.enter();
                let mut stack = Vec::new();
                let mut parents = Vec::new();
                loop {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    if !stack.is_empty() {
                        self.spread(value, &mut stack, &mut parents);
                        exchange.part(&mut stack);
                    } else if let Some(chunk) = chunks.next() {
                        self.settle_outright(value, chunk, &mut stack);
                    } else if let Some(parcel) = exchange.take(stop) {
                        stack = parcel;
                    } else {
                        return;
                    }
                }
            },
            &mut || watch(self.progress.load(Ordering::Relaxed)),
        )
    }

    /// Settles the boards of some ranks that need no other board of this stage.
    fn settle_outright(&self, value: i8, ranks: std::ops::Range<u64>, news: &mut Vec<News>) {
        let cells = &self.cells[ranks.start as usize..ranks.end as usize];
        for (rank, cell) in (ranks.start as u32..).zip(cells) {
            let seen = cell.seen();
            if seen.is_settled() {
                continue;
            }
            let won = seen.best() == value;
            let lost = seen.best() == -value && !seen.has_open();
            if (won || lost) && cell.settle(seen.best()) {
                news.push(News { board: index::board(self.seeds, rank), won });
            }
        }
    }

    /// Settles what follows for the predecessors of a few settled boards, the last ones.
    fn spread(&self, value: i8, news: &mut Vec<News>, parents: &mut Vec<(u32, News)>) {
        parents.clear();
        let few = news.len().saturating_sub(TOGETHER);
        let count = news.len() - few;
        for News { board, won } in news.drain(few..) {
            unmoves(board, &self.rules, |parent| {
                parents.push((index::rank(parent), News { board: parent, won: !won }));
            });
        }
        // Nothing waits for an answer here, so that the next question is asked meanwhile.
        parents.retain(|&(rank, _)| !self.cell(rank).seen().is_settled());
        for &(rank, parent) in parents.iter() {
            let cell = self.cell(rank);
            if parent.won {
                if cell.settle(value) {
                    news.push(parent);
                }
            } else if !cell.seen().is_settled() {
                let left = cell.close_one();
                if !left.has_open() && left.best() <= -value && cell.settle(-value) {
                    news.push(parent);
                }
            }
        }
        self.progress.fetch_add(count as u64, Ordering::Relaxed);
    }
}
