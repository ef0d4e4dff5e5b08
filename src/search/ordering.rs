//! In which order moves are tried: the sooner a good one comes, the more of the others need no look.
//!
//! The move that the table remembers comes first, then captures, the larger ones first, then the moves that were too
//! good for the opponent at the same distance from the root before, then the others by how often they were.

use crate::pit::{Move, MoveSet, ROW};
use crate::rules::GrandSlam;
use crate::words::Words;

/// A move and what it leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// The board after it, as the opponent sees it.
    pub(super) board: Words,
    /// The net seeds that the move brings its player.
    pub(super) gain: i32,
    /// Whether the move captures.
    pub(super) captures: bool,
    order: u32,
}

const NO_CHILD: Child = Child { mv: Move::FIRST, board: Words::EMPTY, gain: 0, captures: false, order: 0 };

/// What good moves there have been.
#[derive(Clone, Debug)]
pub(super) struct Ordering {
    /// Two moves for each distance from the root.
    killers: Vec<[Option<Move>; 2]>,
    /// For each move and number of seeds sown.
    history: [[u32; SEEDS]; ROW],
}

/// Numbers of seeds told apart.
const SEEDS: usize = 16;
const REMEMBERED: u32 = 1 << 31;
const CAPTURE: u32 = 1 << 24;
const KILLER: u32 = 1 << 22;
const MOST: u32 = 1 << 20;

impl Ordering {
    pub(super) fn new(plies: usize) -> Self {
        Self { killers: vec![[None; 2]; plies + 1], history: [[0; SEEDS]; ROW] }
    }

    /// The children of a board in the order in which they are to be tried, and how many there are.
    #[inline(always)]
    pub(super) fn children(
        &self,
        board: Words,
        legal: MoveSet,
        grand_slam: GrandSlam,
        ply: usize,
        remembered: Option<Move>,
    ) -> ([Child; ROW], usize) {
        let mut children = [NO_CHILD; ROW];
        let mut count = 0;
        let killers = self.killers[ply];
        let mut bits = legal.bits();
        while let Some(mv) = Move::new(bits.trailing_zeros() as usize) {
            bits &= bits - 1;
            let (after, taken) = board.sow(mv, grand_slam);
            let gain = i32::from(after.margin() - board.margin());
            let order = if remembered == Some(mv) {
                REMEMBERED
            } else if taken > 0 {
                CAPTURE * u32::from(taken)
            } else if killers[0] == Some(mv) {
                KILLER + 1
            } else if killers[1] == Some(mv) {
                KILLER
            } else {
                self.history[mv.index()][board.seeds(mv).min(SEEDS - 1)]
            };
            let child = Child { mv, board: after.swapped(), gain, captures: taken > 0, order };
            let mut place = count;
            while place > 0 && children[place - 1].order < order {
                children[place] = children[place - 1];
                place -= 1;
            }
            children[place] = child;
            count += 1;
        }
        (children, count)
    }

    /// Remembers a move that was too good for the opponent.
    #[inline(always)]
    pub(super) fn reward(&mut self, board: Words, child: &Child, ply: usize, depth: u32) {
        if child.captures {
            return;
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(child.mv) {
            *killers = [Some(child.mv), killers[0]];
        }
        let count = &mut self.history[child.mv.index()][board.seeds(child.mv).min(SEEDS - 1)];
        *count += depth * depth;
        if *count >= MOST {
            self.history.iter_mut().flatten().for_each(|count| *count /= 2);
        }
    }
}
