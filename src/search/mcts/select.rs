//! Which move a descent goes by.
//!
//! With playouts by UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006): every move once, then
//! the one of the highest
//!
//! ```text
//! mean + exploration * sqrt(ln(visits of all moves) / visits)
//! ```
//!
//! With an evaluator by PUCT (Silver et al., 2017), where a move that was not tried yet has the position's own value
//! for its mean:
//!
//! ```text
//! mean + exploration * prior * sqrt(visits of all moves) / (1 + visits)
//! ```
//!
//! A move of an exact value has that alone.

use crate::pit::{Move, MoveSet, ROW};

use super::settings::Settings;
use super::tree::{Node, Tree};

/// What stands for a move where there is none.
const FIRST: Move = match Move::new(0) {
    Some(mv) => mv,
    None => unreachable!(),
};

impl Tree {
    /// The move by which to go on from an open position.
    #[inline(always)]
    pub(super) fn select(&mut self, at: u32, settings: &Settings<'_>) -> Move {
        let node = &self.nodes[at as usize];
        if self.guided {
            let priors = match &self.noisy {
                Some(noisy) if at == 0 => noisy,
                _ => &self.priors[at as usize],
            };
            return self.by_prior(node, priors, settings.exploration);
        }
        let untried: MoveSet = node.legal.iter().filter(|mv| node.edges[mv.index()].with_pending().0 == 0.0).collect();
        if untried.is_empty() { self.by_playouts(node, settings.exploration) } else { self.any_of(untried) }
    }

    /// One of some moves, each as likely.
    fn any_of(&mut self, moves: MoveSet) -> Move {
        // There is always one.
        self.stream.choose(moves).unwrap_or(FIRST)
    }

    #[inline(always)]
    fn by_playouts(&self, node: &Node, exploration: f32) -> Move {
        let all: u32 = node.edges.iter().map(|edge| edge.visits + edge.pending).sum();
        // Of a library that gives the same on every machine.
        let ln = libm::logf(all as f32);
        self.highest(node, |visits, sum, _| sum / visits + exploration * (ln / visits).sqrt())
    }

    #[inline(always)]
    fn by_prior(&self, node: &Node, priors: &[f32; ROW], exploration: f32) -> Move {
        let all: u32 = node.edges.iter().map(|edge| edge.visits + edge.pending).sum();
        let scale = exploration * (all.max(1) as f32).sqrt();
        self.highest(node, |visits, sum, mv| {
            let mean = if visits == 0.0 { node.value } else { sum / visits };
            mean + scale * priors[mv.index()] / (1.0 + visits)
        })
    }

    /// The first move of the highest value.
    #[inline(always)]
    fn highest(&self, node: &Node, value: impl Fn(f32, f32, Move) -> f32) -> Move {
        let mut best = (f32::NEG_INFINITY, FIRST);
        for mv in node.legal.iter() {
            let (visits, sum) = node.edges[mv.index()].with_pending();
            let value = self.exact(node, mv).unwrap_or_else(|| value(visits, sum, mv));
            if value > best.0 {
                best = (value, mv);
            }
        }
        best.1
    }

    /// The moves that are best as far as is known: where a database knows the root what it says, of another exact root
    /// those of its value, else those of the most visits and of these the highest mean, with what is won for certain
    /// before and what is lost behind all others.
    pub(super) fn best(&self) -> MoveSet {
        if let Some(known) = self.known {
            return known.best;
        }
        let Some(root) = self.nodes.first() else { return self.root.legal };
        let rank = |mv: Move| {
            let edge = root.edges[mv.index()];
            match self.exact(root, mv) {
                Some(value) if root.kind == super::tree::Kind::Exact || value.abs() >= 1.0 => (value, 0, 0.0),
                _ if root.kind == super::tree::Kind::Exact => (f32::NEG_INFINITY, 0, 0.0),
                _ => (0.0, edge.visits, edge.sum),
            }
        };
        let mut best = MoveSet::EMPTY;
        let mut most = (f32::NEG_INFINITY, 0, 0.0);
        for mv in root.legal.iter() {
            let rank = rank(mv);
            if best.is_empty() || rank > most {
                (best, most) = (MoveSet::EMPTY.with(mv), rank);
            } else if rank == most {
                best = best.with(mv);
            }
        }
        best
    }

    /// Those of the best moves to choose from: where a database knows the root, one that the evaluator prefers of those
    /// by which seeds are taken soonest.
    pub(super) fn preferred(&self) -> MoveSet {
        let Some(known) = self.known else { return self.best() };
        let Some(priors) = self.priors.first() else { return known.soonest };
        let likelier = |best: Move, mv: Move| if priors[mv.index()] > priors[best.index()] { mv } else { best };
        known.soonest.iter().reduce(likelier).into_iter().collect()
    }
}
