//! Best play as a line of moves.
//!
//! Among moves of equal value a line could go round in circles for ever, though one side has won. So the side that has
//! the better of it leaves each level as soon as it can, and the other side puts that off. How soon is worked out for
//! the boards that best play can reach from here within the level, from the exits back:
//!
//! ```text
//! distance of a board without a move: 0
//! the better side to move: 1 if a best move leaves the level, else 1 + the least of the boards it can go to
//! the other side to move:  1 + the greatest of the boards it can go to, a board of another level being at 0
//! ```

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use super::database::{After, Endgame};
use super::error::EndgameError;
use crate::index;
use crate::pit::{Move, MoveSet, ROW};
use crate::words::Words;

/// Boards looked at between two calls of a watch.
const PATIENCE: usize = 1 << 12;
/// Boards looked at to find out how soon seeds can be taken: first so many, at last so many.
const GLANCE: usize = 1 << 8;
const LOOK: usize = 1 << 13;

/// A line of best play.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The moves of both players in turn.
    pub moves: Vec<Move>,
    /// The number of plies up to the last one that took seeds off the board, 0 if none does.
    pub distance: usize,
    /// Whether the line would go on for ever; it breaks off where it comes to a board for the second time.
    pub endless: bool,
}

impl Endgame {
    /// A line of best play by both from a board.
    ///
    /// The side that has the better of it captures as soon as it can without giving anything up, the other side puts
    /// that off; of moves that are the same in that as well, the first is taken. It takes time and memory for the
    /// boards of the level that best play can reach; `watch` is called now and then and may break it off.
    ///
    /// # Errors
    /// [`EndgameError::Reach`] and [`EndgameError::Stopped`].
    pub fn best_line(&self, board: Words, mut watch: impl FnMut() -> ControlFlow<()>) -> Result<Line, EndgameError> {
        let seeds = board.board_seeds();
        if seeds > self.max_seeds() {
            return Err(EndgameError::Reach { seeds, most: self.max_seeds() });
        }
        let mut line = Line::default();
        let mut board = board;
        let mut seen = HashSet::new();
        let mut plan = Plan::default();
        loop {
            let best = self.best_moves(board);
            let chosen = if self.known_value(board, board.board_seeds()) == 0 {
                if !best.is_empty() && !seen.insert((index::rank(board), line.moves.len() % 2)) {
                    line.endless = true;
                    return Ok(line);
                }
                best.iter().find(|(_, after)| after.leaves).or(best.first())
            } else {
                if !plan.knows(board) {
                    plan = Plan::make(self, board, usize::MAX, &mut watch)?;
                }
                plan.choose(&best)
            };
            let Some(&(mv, ref after)) = chosen else { return Ok(line) };
            line.moves.push(mv);
            board = after.next;
            if after.leaves {
                line.distance = line.moves.len();
                seen.clear();
                plan = Plan::default();
            }
        }
    }

    /// Those of some best moves by which the mover, who has the better of it, leaves the level soonest; all of them
    /// where that is not seen within a few thousand boards.
    pub(super) fn soonest_of(&self, board: Words, moves: MoveSet) -> MoveSet {
        if self.value_of(board).is_none_or(|value| value <= 0) {
            return moves;
        }
        let mut best = self.best_moves(board);
        best.retain(|(mv, _)| moves.contains(*mv));
        let is_there = |after: &After| after.leaves || self.best_moves(after.next).is_empty();
        let at_once: MoveSet = best.iter().filter(|(_, after)| is_there(after)).map(|&(mv, _)| mv).collect();
        if !at_once.is_empty() {
            return at_once;
        }
        let mut most = GLANCE;
        loop {
            let Ok(plan) = Plan::make(self, board, most, &mut || ControlFlow::Continue(())) else { return moves };
            let distances = best.iter().map(|(mv, after)| (*mv, plan.distance(after)));
            if let Some(least) = distances.clone().filter_map(|(_, distance)| distance).min() {
                return distances.filter(|&(_, distance)| distance == Some(least)).map(|(mv, _)| mv).collect();
            }
            if most >= LOOK || plan.nodes.len() <= most {
                return moves;
            }
            most = (4 * most).min(LOOK);
        }
    }

    /// The moves of the highest value, in sowing order, of a board that the database has.
    fn best_moves(&self, board: Words) -> Vec<(Move, After)> {
        let value = self.known_value(board, board.board_seeds());
        let legal = board.legal_moves(&self.key().rules());
        legal.iter().map(|mv| (mv, self.after(board, mv))).filter(|(_, after)| after.value == value).collect()
    }
}

/// How far from leaving a level boards are, by rank: those that best play can reach from one of them.
#[derive(Default)]
struct Plan {
    nodes: Vec<Node>,
    numbers: HashMap<u32, usize>,
}

struct Node {
    board: Words,
    /// Whether its mover is the side that has the better of it.
    hurries: bool,
    /// Best moves that stay in the level and lead to boards whose distance is not known.
    open: usize,
    parents: Vec<usize>,
    distance: Option<usize>,
}

impl Plan {
    fn knows(&self, board: Words) -> bool {
        self.numbers.contains_key(&index::rank(board))
    }

    /// The plan for a board, from what is seen of its level by looking at no more than `most` boards.
    fn make(
        database: &Endgame,
        root: Words,
        most: usize,
        watch: &mut impl FnMut() -> ControlFlow<()>,
    ) -> Result<Self, EndgameError> {
        let mut plan = Self::default();
        plan.number(database, root);
        let mut ended = VecDeque::new();
        let mut about_to_leave = Vec::new();
        let mut next = 0;
        while next < plan.nodes.len().min(most) {
            if next % PATIENCE == 0 && watch().is_break() {
                return Err(EndgameError::Stopped);
            }
            let best = database.best_moves(plan.nodes[next].board);
            let mut open = 0;
            for (_, after) in best.iter().filter(|(_, after)| !after.leaves) {
                let child = plan.number(database, after.next);
                plan.nodes[child].parents.push(next);
                open += 1;
            }
            plan.nodes[next].open = open;
            if best.is_empty() {
                ended.push_back(next);
            } else if open == 0 || plan.nodes[next].hurries && open < best.len() {
                about_to_leave.push(next);
            }
            next += 1;
        }
        // From the shortest distance to the longest, so that the first is the least and the last is the greatest.
        for &node in &ended {
            plan.nodes[node].distance = Some(0);
        }
        for &node in &about_to_leave {
            plan.nodes[node].distance = Some(1);
        }
        let mut queue = ended;
        queue.extend(about_to_leave);
        let mut answered = 0;
        while let Some(node) = queue.pop_front() {
            if answered % PATIENCE == 0 && watch().is_break() {
                return Err(EndgameError::Stopped);
            }
            answered += 1;
            let reached = plan.nodes[node].distance.map(|distance| distance + 1);
            for parent in std::mem::take(&mut plan.nodes[node].parents) {
                let parent_node = &mut plan.nodes[parent];
                parent_node.open -= 1;
                if parent_node.distance.is_none() && (parent_node.hurries || parent_node.open == 0) {
                    parent_node.distance = reached;
                    queue.push_back(parent);
                }
            }
        }
        Ok(plan)
    }

    /// The number of a board, a new one if need be.
    fn number(&mut self, database: &Endgame, board: Words) -> usize {
        let Self { nodes, numbers } = self;
        *numbers.entry(index::rank(board)).or_insert_with(|| {
            let hurries = database.known_value(board, board.board_seeds()) > 0;
            nodes.push(Node { board, hurries, open: 0, parents: Vec::new(), distance: None });
            nodes.len() - 1
        })
    }

    /// How far from leaving the level a move leads.
    fn distance(&self, after: &After) -> Option<usize> {
        if after.leaves {
            return Some(0);
        }
        self.numbers.get(&index::rank(after.next)).and_then(|&number| self.nodes[number].distance)
    }

    /// The move to take of the best ones of a board.
    fn choose<'a>(&self, best: &'a [(Move, After)]) -> Option<&'a (Move, After)> {
        debug_assert!(best.len() <= ROW);
        // The next mover's value has the other sign: when it is worse off, its opponent is in a hurry.
        let hurries = best.first().is_some_and(|(_, after)| after.value > 0);
        let key = |after: &After| {
            self.distance(after).map_or(i64::MAX, |plies| if hurries { plies as i64 } else { -(plies as i64) })
        };
        best.iter().min_by_key(|(_, after)| key(after))
    }
}
