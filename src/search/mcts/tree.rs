//! One game's tree: what has been seen of each position by its moves.
//!
//! ```text
//! descend   from the root choose a move at each position until one leads to a position that is new: the leaf
//! back up   add the leaf's value to every move on the way, each from its mover's view
//! ```
//!
//! No position is kept: the way down is played on a copy of the root's game, so that repetition and the ply limit count
//! on it as they do in play. Between its descent and its value a move on the way counts as played and lost, so that
//! further descents of the same round go elsewhere (virtual loss).
//!
//! Values that cannot change any more are exact: where the game is over, what the endgame database says, and where it
//! follows from these (Winands, Björnsson and Saito, "Monte-Carlo tree search
//! solver", CG 2008).

use crate::batch::slot::Slot;
use crate::pit::{Move, MoveSet, ROW};
use crate::rules::Rules;
use crate::search::{Known, Root, known};
use crate::stream::Stream;

use super::settings::{Score, Settings};

/// What is known of a move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edge {
    /// The simulations that went through it and have a value.
    pub(super) visits: u32,
    /// Those that wait for one.
    pub(super) pending: u32,
    /// The sum of the values, for whoever makes the move.
    pub(super) sum: f32,
    /// The position that it leads to; 0, which is the root, where that is new.
    pub(super) child: u32,
}

impl Edge {
    /// All simulations, those without a value counted as lost: how many, and what they sum up to.
    #[inline(always)]
    pub(super) fn with_pending(self) -> (f32, f32) {
        ((self.visits + self.pending) as f32, self.sum - self.pending as f32)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has no moves yet, as an evaluator is still to be asked.
    New,
    /// Its moves can be tried.
    Open,
    /// Its value is known for good.
    Exact,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) edges: [Edge; ROW],
    /// The exact value, or else the evaluator's, for the mover.
    pub(super) value: f32,
    pub(super) legal: MoveSet,
    pub(super) kind: Kind,
}

impl Node {
    fn new(legal: MoveSet, kind: Kind) -> Self {
        Self { edges: [Edge::default(); ROW], value: 0.0, legal, kind }
    }

    /// The simulations that went on from here and have a value.
    pub(super) fn visits(&self) -> u32 {
        self.edges.iter().map(|edge| edge.visits).sum()
    }
}

/// The way to a leaf.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// The positions passed and the moves made there.
    steps: Vec<(u32, Move)>,
    leaf: u32,
}

impl Way {
    /// The position at its end.
    pub(super) const fn leaf(&self) -> u32 {
        self.leaf
    }
}

/// How a descent has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Descent {
    /// At a position of a known value, which has been backed up.
    Counted,
    /// At a leaf that waits for a value.
    Leaf,
    /// At a leaf that another descent of this round has come to; nothing has changed.
    Blocked,
}

/// The tree of a game in play.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) root: Slot,
    pub(super) nodes: Vec<Node>,
    /// The evaluator's prior probabilities of each position's moves; none where there is no evaluator.
    pub(super) priors: Vec<[f32; ROW]>,
    /// Those of the root with noise.
    pub(super) noisy: Option<[f32; ROW]>,
    pub(super) stream: Stream,
    /// The simulations still to be made in this search.
    pub(super) left: u32,
    /// Whether an evaluator gives priors and values.
    pub(super) guided: bool,
    /// What a database says of the root, where it knows that.
    pub(super) known: Option<Known>,
}

impl Tree {
    /// The tree of a game that is not over, without a simulation.
    pub(super) fn new(root: Slot, stream: Stream) -> Self {
        Self { root, nodes: Vec::new(), priors: Vec::new(), noisy: None, stream, left: 0, guided: false, known: None }
    }

    /// Begins a search. What was found by the other kind of search is of no use.
    pub(super) fn begin(&mut self, rules: &Rules, settings: &Settings<'_>, guided: bool) {
        self.left = settings.simulations;
        self.known = known(self.root.words, settings.endgame, || Root::of_slot(&self.root, rules));
        if self.nodes.is_empty() || self.guided != guided {
            self.guided = guided;
            self.clear();
            self.add(Node::new(self.root.legal, self.unseen()));
        }
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.priors.clear();
        self.noisy = None;
    }

    /// What a position is in play that is seen for the first time.
    fn unseen(&self) -> Kind {
        if self.guided { Kind::New } else { Kind::Open }
    }

    fn add(&mut self, node: Node) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(node);
        if self.guided {
            self.priors.push([0.0; ROW]);
        }
        number
    }

    /// The first position; there is one once a search has begun.
    pub(super) fn first(&self) -> &Node {
        &self.nodes[0]
    }

    /// Whether this search goes on.
    pub(super) fn is_busy(&self) -> bool {
        self.left > 0 && self.first().kind != Kind::Exact
    }

    /// Goes down to a leaf; `way` and `slot` are how it is reached and its game.
    pub(super) fn descend(
        &mut self,
        rules: &Rules,
        settings: &Settings<'_>,
        way: &mut Way,
        slot: &mut Slot,
    ) -> Descent {
        slot.copy_from(&self.root);
        way.steps.clear();
        let mut at = 0;
        loop {
            way.leaf = at;
            match self.nodes[at as usize].kind {
                Kind::Open => {}
                Kind::Exact => {
                    self.left -= 1;
                    self.back_up(way, self.nodes[at as usize].value);
                    return Descent::Counted;
                }
                // Its moves come before its first simulation.
                Kind::New if way.steps.is_empty() => return Descent::Leaf,
                Kind::New => {
                    self.undo(way);
                    return Descent::Blocked;
                }
            }
            let mv = self.select(at, settings);
            way.steps.push((at, mv));
            let edge = &mut self.nodes[at as usize].edges[mv.index()];
            edge.pending += 1;
            slot.play(mv, rules);
            if edge.child != 0 {
                at = edge.child;
                continue;
            }
            let node = self.leaf(slot, settings);
            let exact = (node.kind == Kind::Exact).then_some(node.value);
            way.leaf = self.add(node);
            self.nodes[at as usize].edges[mv.index()].child = way.leaf;
            self.left -= 1;
            return match exact {
                Some(value) => {
                    self.back_up(way, value);
                    Descent::Counted
                }
                None => Descent::Leaf,
            };
        }
    }

    /// Takes back a descent that found no leaf.
    fn undo(&mut self, way: &Way) {
        for &(at, mv) in &way.steps {
            self.nodes[at as usize].edges[mv.index()].pending -= 1;
        }
    }

    /// Takes back a descent whose leaf got no value.
    pub(super) fn forget(&mut self, way: &Way) {
        self.undo(way);
        if let Some(&(at, mv)) = way.steps.last() {
            self.nodes[at as usize].edges[mv.index()].child = 0;
            self.left += 1;
        }
    }

    /// Adds a leaf's value, for its mover, to the moves on the way there.
    pub(super) fn back_up(&mut self, way: &Way, value: f32) {
        let mut value = value;
        let mut below = self.nodes[way.leaf as usize].kind;
        for &(at, mv) in way.steps.iter().rev() {
            value = -value;
            let edge = &mut self.nodes[at as usize].edges[mv.index()];
            edge.visits += 1;
            edge.pending -= 1;
            edge.sum += value;
            if below == Kind::Exact {
                self.prove(at);
            }
            below = self.nodes[at as usize].kind;
        }
    }

    /// Finds out whether a position's value follows from those of its moves.
    fn prove(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let known = node.legal.iter().map(|mv| self.exact(node, mv));
        let (best, all) = known.fold((-1.0_f32, true), |(best, all), value| match value {
            Some(value) => (best.max(value), all),
            None => (best, false),
        });
        // Nothing is worth more than a win.
        if all || best >= 1.0 {
            let node = &mut self.nodes[at as usize];
            (node.kind, node.value) = (Kind::Exact, best);
        }
    }

    /// The value of a move where that is exact.
    #[inline(always)]
    pub(super) fn exact(&self, node: &Node, mv: Move) -> Option<f32> {
        let child = &self.nodes[node.edges[mv.index()].child as usize];
        (node.edges[mv.index()].child != 0 && child.kind == Kind::Exact).then_some(-child.value)
    }

    /// The root goes on by a move, and what is known below it stays.
    pub(super) fn advance(&mut self, mv: Move, rules: &Rules) {
        self.root.play(mv, rules);
        (self.noisy, self.known) = (None, None);
        let kept = self.nodes.first().map_or(0, |root| root.edges[mv.index()].child);
        // What is exact has no moves below it that were looked at.
        if kept == 0 || self.nodes[kept as usize].kind == Kind::New || self.nodes[kept as usize].visits() == 0 {
            self.clear();
            return;
        }
        let mut order = vec![kept];
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            order.extend(self.nodes[at as usize].edges.iter().map(|edge| edge.child).filter(|&child| child != 0));
            next += 1;
        }
        let mut places = vec![0; self.nodes.len()];
        for (place, &at) in order.iter().enumerate() {
            places[at as usize] = place as u32;
        }
        let moved = |&at: &u32| {
            let mut node = self.nodes[at as usize];
            for edge in &mut node.edges {
                edge.child = if edge.child == 0 { 0 } else { places[edge.child as usize] };
            }
            node
        };
        let nodes = order.iter().map(moved).collect();
        if !self.priors.is_empty() {
            self.priors = order.iter().map(|&at| self.priors[at as usize]).collect();
        }
        self.nodes = nodes;
    }

    /// A position seen for the first time.
    fn leaf(&self, slot: &Slot, settings: &Settings<'_>) -> Node {
        let margin = if slot.is_over() {
            Some(slot.words.margin())
        } else {
            let value = settings.endgame.and_then(|endgame| endgame.value(slot.words));
            value.map(|value| slot.words.margin() + i16::from(value))
        };
        let mut node = Node::new(slot.legal, self.unseen());
        if let Some(margin) = margin {
            (node.kind, node.value) = (Kind::Exact, settings.score.of(margin, slot.total));
        }
        node
    }
}

impl Score {
    /// What a final margin is worth to the player who has it, in a game of so many seeds.
    pub(super) fn of(self, margin: i16, total: u8) -> f32 {
        match self {
            Self::Outcome => f32::from(margin.signum()),
            Self::Margin => f32::from(margin) / f32::from(total.max(1)),
        }
    }
}
