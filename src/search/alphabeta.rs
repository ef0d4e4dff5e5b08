//! Principal-variation search of one thread.
//!
//! Values within the tree are the net seeds that the mover of a position still takes, so they do not depend on what is
//! in the stores and positions that differ only there are the same to the table.
//!
//! ```text
//! value(position, depth, alpha, beta):
//!     ended: the shares of the ending          few seeds: ask the database          depth is 0: evaluate
//!     no more than the seeds on the board can change hands: that may be outside of alpha..beta already
//!     the table knows: its value or bound
//!     for each move, the most promising first:
//!         v = gain - value(after it, depth - 1, ...)
//!             after the first move asking only whether v > alpha, and if so again
//!         v >= beta: the opponent will not let this happen, leave off
//!     tell the table
//! ```
//!
//! Values are those of a plain search of the same depth, whatever table and threads do: an entry is used only at its
//! own depth, or at a greater one if nothing below was evaluated; and only where no other history could matter
//! (`path.rs`).

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::Instant;

use crate::pit::{Move, MoveSet, ROW};
use crate::rules::Share;
use crate::words::Words;

use super::Probe;
use super::driver::Report;
use super::evaluation::evaluate;
use super::few_seeds::{FEW_SEEDS, few_seeds_value};
use super::ordering::{Child, Ordering};
use super::root::Root;
use super::table::{Bound, Entry, Table, key, mix};
use super::value::{SEED, Value};

/// The most plies of a search.
pub const MAX_DEPTH: u32 = 250;
/// More than any value.
const INFINITY: i32 = 30_000;
/// Plies left below which a look at the table costs more than it spares.
const TABLE_DEPTH: u32 = 2;
/// Plies left from which on threads share what they find: above the leaves a small table that stays in the processor's
/// cache is worth more than one that holds all.
const SHARED_DEPTH: u32 = 4;
/// The entries of the small table: 256 KiB.
const OWN_ENTRIES: usize = 1 << 14;
/// Positions between two looks at the clock.
const PATIENCE: u64 = 1024;

/// What threads of one search share.
pub(super) struct Shared<'a> {
    pub(super) table: Option<Table>,
    pub(super) endgame: Option<&'a dyn Probe>,
    /// Whether lines that end with few seeds on the board count what a table has for them.
    pub(super) few_seeds: bool,
    pub(super) deadline: Option<Instant>,
    pub(super) most_nodes: u64,
    /// The positions that all threads have visited, as far as they have told.
    pub(super) nodes: AtomicU64,
    pub(super) stop: AtomicBool,
    /// The depth that is searched now.
    pub(super) iteration: AtomicU32,
}

/// A value or a bound of one, and whether it holds at any greater depth.
#[derive(Clone, Copy, Debug)]
struct Found {
    value: i32,
    solved: bool,
}

/// A move at the root.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) child: Child,
    pub(super) value: i32,
    pub(super) solved: bool,
    /// The best line after it, itself included.
    pub(super) line: Vec<Move>,
}

/// How moves at the root are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// One best move.
    Best,
    /// Every best move: those that are not are left with a value that is too high by less than the difference.
    Ties,
    /// The value of every move.
    All,
}

pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    root: Root,
    pub(super) moves: Vec<RootMove>,
    ordering: Ordering,
    /// The best line from each ply on, one row a ply.
    lines: Vec<Vec<Move>>,
    pub(super) nodes: u64,
    told: u64,
    next_poll: u64,
    /// Whether the search may be broken off; the first iteration may not.
    interruptible: bool,
    pub(super) stopped: bool,
    depth: u32,
    /// What this thread knows of positions near the leaves.
    own: Option<Table>,
}

/// Asked now and then whether to go on.
type Ask<'b> = &'b mut dyn FnMut() -> bool;

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, root: Root) -> Self {
        let ordering = Ordering::new(MAX_DEPTH as usize);
        let (children, count) = ordering.children(root.board, root.legal, root.rules.grand_slam, 0, None);
        let unsearched = |child: &Child| RootMove { child: *child, value: 0, solved: false, line: vec![child.mv] };
        Self {
            shared,
            moves: children[..count].iter().map(unsearched).collect(),
            root,
            ordering,
            lines: vec![Vec::new(); MAX_DEPTH as usize + 2],
            nodes: 0,
            told: 0,
            next_poll: 0,
            interruptible: false,
            stopped: false,
            depth: 0,
            own: shared.table.as_ref().and_then(|table| Table::new(table.entries().min(OWN_ENTRIES)).ok()),
        }
    }

    /// Searches the moves at the root to a depth; false when that was broken off.
    ///
    /// The best move is then the first one, also among those that were searched when it was broken off.
    pub(super) fn iterate(&mut self, depth: u32, aim: Aim, ask: Ask<'_>) -> bool {
        self.depth = depth;
        self.interruptible = depth > 1;
        self.stopped = false;
        let search = if self.root.path.can_end(depth) { Self::search_root::<true> } else { Self::search_root::<false> };
        search(self, depth, aim, ask)
    }

    fn search_root<const REPEATS: bool>(&mut self, depth: u32, aim: Aim, ask: Ask<'_>) -> bool {
        let mut best = -INFINITY;
        for rank in 0..self.moves.len() {
            let child = self.moves[rank].child;
            let gain = child.gain * SEED;
            let floor = match aim {
                Aim::Best => best,
                Aim::Ties => (best - 1).max(-INFINITY),
                Aim::All => -INFINITY,
            };
            // Whether the move comes into question is asked first: the answer costs less than a value.
            let mut found = None;
            if rank > 0 && aim != Aim::All {
                found = Some(self.search::<REPEATS>(&child, depth - 1, gain - floor - 1, gain - floor, 1, ask));
            }
            let may_be_best = found.is_none_or(|found| gain - found.value > floor);
            let found = match found {
                Some(found) if !may_be_best || self.stopped => found,
                _ => self.search::<REPEATS>(&child, depth - 1, -INFINITY, gain - floor, 1, ask),
            };
            if self.stopped {
                return false;
            }
            let value = gain - found.value;
            let mv = &mut self.moves[rank];
            mv.value = value;
            mv.solved = found.solved;
            if may_be_best {
                mv.line.clear();
                mv.line.push(child.mv);
                mv.line.extend_from_slice(&self.lines[1]);
            }
            if value > best {
                best = value;
                self.moves[..=rank].rotate_right(1);
            }
        }
        true
    }

    /// What the moves at the root show after so many plies.
    pub(super) fn report(&self, depth: u32, aim: Aim) -> Report {
        let margin = i32::from(self.root.board.margin()) * SEED;
        let value = |mv: &RootMove| Value::from_hundredths(margin + mv.value);
        let mut move_values = None;
        if aim == Aim::All {
            let values = move_values.insert([None; ROW]);
            for mv in &self.moves {
                values[mv.child.mv.index()] = Some(value(mv));
            }
        }
        let best = self.moves.first();
        Report {
            value: best.map_or(Value::default(), value),
            exact: depth > 0 && self.moves.iter().all(|mv| mv.solved),
            line: best.map_or_else(Vec::new, |mv| mv.line.clone()),
            depth,
            nodes: self.nodes,
            move_values,
        }
    }

    /// The value of a position for its mover.
    #[inline(always)]
    fn search<const REPEATS: bool>(
        &mut self,
        at: &Child,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: usize,
        ask: Ask<'_>,
    ) -> Found {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.poll(ask);
        }
        let open = beta - alpha > 1;
        if open {
            self.lines[ply].clear();
        }
        let Root { rules, path, plies_left, .. } = &mut self.root;
        let (board, legal) = (at.board, at.board.legal_moves(rules));
        if legal.is_empty() {
            return shared_out(board, rules.no_move);
        }
        if REPEATS {
            path.push(board, (!at.captures).then_some(at.mv));
            if path.has_recurred() {
                path.pop();
                return shared_out(board, rules.repetition_share);
            }
        }
        let plies_left = plies_left.saturating_sub(ply as u32);
        let found = if plies_left == 0 {
            shared_out(board, rules.limit_share)
        } else if let Some(value) = self.probe(board) {
            Found { value, solved: true }
        } else if depth == 0 || self.stopped {
            let known = self.shared.few_seeds && board.board_seeds() <= FEW_SEEDS;
            Found { value: if known { few_seeds_value(board) } else { evaluate(board) }, solved: false }
        } else {
            self.expand::<REPEATS>(board, legal, depth, plies_left, alpha, beta, ply, ask)
        };
        if REPEATS {
            self.root.path.pop();
        }
        found
    }

    /// What the database knows.
    #[inline(always)]
    fn probe(&self, board: Words) -> Option<i32> {
        let endgame = self.shared.endgame?;
        if board.board_seeds() > endgame.max_seeds() {
            return None;
        }
        endgame.value(board).map(|net| i32::from(net) * SEED)
    }

    #[allow(clippy::too_many_arguments, reason = "the state of a recursion, in registers")]
    fn expand<const REPEATS: bool>(
        &mut self,
        board: Words,
        legal: MoveSet,
        depth: u32,
        plies_left: u32,
        alpha: i32,
        beta: i32,
        ply: usize,
        ask: Ask<'_>,
    ) -> Found {
        let most = i32::from(board.board_seeds()) * SEED;
        if most <= alpha {
            return Found { value: most, solved: true };
        }
        if -most >= beta {
            return Found { value: -most, solved: true };
        }
        let open = beta - alpha > 1;
        // Beyond the end there is nothing to search, and how far it is off makes a difference.
        let (depth, salt) = if plies_left <= depth { (plies_left, mix(u64::from(plies_left))) } else { (depth, 0) };

        let mut hash = 0;
        let mut remembered = None;
        if let Some(table) = self.table(depth) {
            let plain = key(board);
            hash = plain ^ salt ^ if REPEATS { self.root.path.dangers(depth) } else { 0 };
            let mut entry = table.get(hash);
            if let Some(entry) = entry
                && !open
                && (entry.depth == depth || entry.solved && entry.depth < depth)
            {
                let cuts = match entry.bound {
                    Bound::Exact => true,
                    Bound::Lower => entry.value >= beta,
                    Bound::Upper => entry.value <= alpha,
                };
                if cuts {
                    return Found { value: entry.value, solved: entry.solved };
                }
            }
            if entry.is_none() && hash != plain {
                entry = table.get(plain);
            }
            remembered = entry.and_then(|entry| entry.best);
        }

        let (children, count) = self.ordering.children(board, legal, self.root.rules.grand_slam, ply, remembered);
        let mut best = Found { value: -INFINITY, solved: true };
        let mut best_move = None;
        let mut floor = alpha;
        for (rank, child) in children[..count].iter().enumerate() {
            let gain = child.gain * SEED;
            let mut found = Found { value: gain - floor - 1, solved: false };
            if open && rank > 0 {
                found = self.search::<REPEATS>(child, depth - 1, gain - floor - 1, gain - floor, ply + 1, ask);
            }
            let unsure = gain - found.value > floor && gain - found.value < beta && !self.stopped;
            if !open || rank == 0 || unsure {
                found = self.search::<REPEATS>(child, depth - 1, gain - beta, gain - floor, ply + 1, ask);
            }
            if self.stopped {
                return best;
            }
            let value = gain - found.value;
            best.solved &= found.solved;
            if value > best.value {
                best.value = value;
                if value > floor {
                    floor = value;
                    best_move = Some(child.mv);
                    if open {
                        self.extend_line(ply, child.mv);
                    }
                    if value >= beta {
                        best.solved = found.solved;
                        self.ordering.reward(board, child, ply, depth);
                        break;
                    }
                }
            }
        }
        if let Some(table) = self.table(depth) {
            let bound = if best.value >= beta {
                Bound::Lower
            } else if best.value > alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let best_move = best_move.or(remembered);
            table.put(hash, Entry { value: best.value, bound, depth, solved: best.solved, best: best_move });
        }
        best
    }

    /// The table for positions with so many plies left.
    #[inline(always)]
    fn table(&self, depth: u32) -> Option<&Table> {
        match depth {
            ..TABLE_DEPTH => None,
            TABLE_DEPTH..SHARED_DEPTH => self.own.as_ref(),
            SHARED_DEPTH.. => self.shared.table.as_ref(),
        }
    }

    /// A move and the best line after it become the best line.
    fn extend_line(&mut self, ply: usize, mv: Move) {
        if let [line, after] = &mut self.lines[ply..ply + 2] {
            line.clear();
            line.push(mv);
            line.extend_from_slice(after);
        }
    }

    /// Tells the other threads how many positions this one has visited.
    pub(super) fn tell(&mut self) -> u64 {
        let news = self.nodes - self.told;
        self.told = self.nodes;
        self.shared.nodes.fetch_add(news, Relaxed) + news
    }

    /// Looks whether it is time to stop.
    #[cold]
    fn poll(&mut self, ask: Ask<'_>) {
        let all = self.tell();
        let Shared { deadline, most_nodes, stop, iteration, .. } = self.shared;
        let left = most_nodes.saturating_sub(all);
        self.next_poll = self.nodes + left.clamp(1, PATIENCE);
        if left == 0 || !ask() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            stop.store(true, Relaxed);
        }
        let overtaken = iteration.load(Relaxed) > self.depth;
        self.stopped = self.interruptible && (overtaken || stop.load(Relaxed));
    }
}

/// The value of a position in which the game ends.
#[inline(always)]
fn shared_out(board: Words, share: Share) -> Found {
    let value = match share {
        Share::OwnSide => board.row_margin() * SEED,
        Share::Split | Share::Stay => 0,
    };
    Found { value, solved: true }
}
