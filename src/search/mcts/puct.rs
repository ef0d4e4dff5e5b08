//! Searching with an evaluator, such as a network, asked in full batches.
//!
//! ```text
//! until no tree has simulations left and nothing waits:
//!     while the batch is not full: let the next idle tree go down to a few leaves, which wait
//!     ask the evaluator for the first ones that wait, as many as a batch has
//!     each tree whose leaves all have answers backs them up, in order, and is idle again
//! ```
//!
//! So a tree sees the answers to all its leaves before it goes on, whatever the batches.

use std::collections::VecDeque;
use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::batch::slot::Slot;
use crate::pit::{Move, MoveSet, ROW};
use crate::rules::Rules;
use crate::stream::Stream;
use crate::threads::{share_among, while_caller};
use crate::words::Words;

use super::forest::Forest;
use super::settings::{MctsError, Settings};
use super::tree::{Descent, Kind, Tree, Way};

/// A position that an evaluator is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The board as its mover sees it.
    pub board: Words,
    /// The legal moves.
    pub legal: MoveSet,
}

/// What an evaluator says of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// How good the moves are, as a network says it: the prior probabilities are the softmax over the legal ones.
    pub logits: [f32; ROW],
    /// The value for the mover, −1 to 1.
    pub value: f32,
}

/// Tells what positions are worth and which moves to try: a network, for example.
pub trait Evaluator {
    /// Values positions, one answer for each, which must not depend on the others.
    ///
    /// # Errors
    /// Whatever keeps it from answering; the search hands it back.
    fn evaluate(&mut self, questions: &[Question]) -> Result<Vec<Evaluation>, Box<dyn Error + Send + Sync>>;
}

/// How an evaluator was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The batches.
    pub calls: u64,
    /// The positions in all of them.
    pub positions: u64,
}

/// The leaves of a tree that wait for answers.
#[derive(Default)]
struct Round {
    leaves: Vec<(Way, Slot)>,
    used: usize,
    answers: Vec<Evaluation>,
}

impl Round {
    fn gather(&mut self, tree: &mut Tree, rules: &Rules, settings: &Settings<'_>) {
        self.used = 0;
        self.answers.clear();
        // A root without moves has to get them first.
        let most = if tree.first().kind == Kind::New { 1 } else { settings.leaves.get().min(tree.left) };
        for _ in 0..most {
            if !tree.is_busy() {
                break;
            }
            if self.used == self.leaves.len() {
                self.leaves.push((Way::default(), tree.root.clone()));
            }
            let (way, slot) = &mut self.leaves[self.used];
            match tree.descend(rules, settings, way, slot) {
                Descent::Counted => {}
                Descent::Blocked => break,
                Descent::Leaf => self.used += 1,
            }
        }
    }

    fn questions(&self) -> impl Iterator<Item = Question> {
        self.leaves[..self.used].iter().map(|(_, slot)| Question { board: slot.words, legal: slot.legal })
    }

    /// Backs up all answers.
    fn settle(&mut self, tree: &mut Tree, settings: &Settings<'_>) {
        for ((way, _), answer) in self.leaves[..self.used].iter().zip(&self.answers) {
            tree.open(way, answer, settings);
        }
        self.used = 0;
    }

    /// Takes back what has no answers.
    fn forget(&mut self, tree: &mut Tree) {
        for (way, _) in self.leaves[..self.used].iter().rev() {
            tree.forget(way);
        }
        self.used = 0;
    }
}

impl Tree {
    /// Gives a leaf its moves and backs up its value.
    fn open(&mut self, way: &Way, answer: &Evaluation, settings: &Settings<'_>) {
        let at = way.leaf();
        let node = &mut self.nodes[at as usize];
        (node.kind, node.value) = (Kind::Open, answer.value);
        self.priors[at as usize] = softmax(&answer.logits, node.legal);
        self.back_up(way, answer.value);
        if at == 0 {
            self.add_noise(settings);
        }
    }

    /// Adds noise to the root, if it has moves yet.
    fn add_noise(&mut self, settings: &Settings<'_>) {
        self.noisy = match (settings.noise, self.nodes.first(), self.priors.first()) {
            (Some(noise), Some(root), Some(priors)) if root.kind == Kind::Open => {
                Some(noise.mixed(priors, root.legal, &mut self.stream))
            }
            _ => None,
        };
    }
}

/// Probabilities of the legal moves.
fn softmax(logits: &[f32; ROW], legal: MoveSet) -> [f32; ROW] {
    let most = legal.iter().map(|mv| logits[mv.index()]).fold(f32::NEG_INFINITY, f32::max);
    let mut shares = [0.0; ROW];
    for mv in legal.iter() {
        shares[mv.index()] = libm::expf(logits[mv.index()] - most);
    }
    let all: f32 = shares.iter().sum();
    shares.map(|share| share / all)
}

impl Evaluation {
    /// What is wrong with it, if anything is.
    fn fault(&self, legal: MoveSet) -> Option<String> {
        if !(-1.0..=1.0).contains(&self.value) {
            return Some(format!("the value is {}; give -1 to 1", self.value));
        }
        let mut likely = false;
        for mv in legal.iter() {
            let logit = self.logits[mv.index()];
            if logit.is_nan() || logit == f32::INFINITY {
                return Some(format!("the logit of the legal move {} is {logit}", mv.index()));
            }
            likely |= logit > f32::NEG_INFINITY;
        }
        (!likely).then(|| "no legal move has a finite logit".to_owned())
    }
}

impl Forest {
    /// Makes as many simulations in each tree as the settings say, with an evaluator that is asked for up to `batch`
    /// positions at a time, unless a game's value becomes exact before; `go_on` is asked now and then.
    ///
    /// # Errors
    /// [`MctsError::OtherRules`]; [`MctsError::Evaluator`] and [`MctsError::Stopped`], after which the trees have
    /// fewer simulations and can be searched again.
    pub fn search_with(
        &mut self,
        settings: &Settings<'_>,
        evaluator: &mut dyn Evaluator,
        batch: NonZeroUsize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Asked, MctsError> {
        let (rules, trees) = self.checked_parts(settings)?;
        search(trees, rules, settings, evaluator, batch, go_on)
    }

    /// [`Forest::search_with`] with an evaluator for each piece of the work, so that threads need not wait for each
    /// other: for evaluators that are cheap to make and may be asked from several threads at once. Trees are the same.
    ///
    /// # Errors
    /// Those of [`Forest::search_with`].
    pub fn search_each<E: Evaluator>(
        &mut self,
        settings: &Settings<'_>,
        evaluator: impl Fn() -> E + Sync,
        batch: NonZeroUsize,
        go_on: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Asked, MctsError> {
        let (rules, trees) = self.checked_parts(settings)?;
        let threads = settings.num_threads.get();
        let each = trees.len().div_ceil(threads).clamp(1, trees_at_a_time(batch, settings));
        let settings = Settings { num_threads: NonZeroUsize::MIN, ..*settings };
        let (total, failed) = (Mutex::new(Ok(Asked::default())), AtomicBool::new(false));
        let finished = while_caller(go_on, |goes_on| {
            share_among(threads, trees.chunks_mut(each).collect(), |trees| {
                let mut go_on = || goes_on() && !failed.load(Ordering::Relaxed);
                let found = search(trees, rules, &settings, &mut evaluator(), batch, &mut go_on);
                let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                match (&mut *total, found) {
                    (Ok(total), Ok(asked)) => {
                        total.calls += asked.calls;
                        total.positions += asked.positions;
                    }
                    // It was told to stop because another piece has failed, or the caller has said so.
                    (_, Err(MctsError::Stopped)) | (Err(_), _) => {}
                    (total, Err(error)) => {
                        failed.store(true, Ordering::Relaxed);
                        *total = Err(error);
                    }
                }
            });
        });
        let total = total.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        if finished { Ok(total) } else { Err(MctsError::Stopped) }
    }
}

/// Positions in a call of an evaluator that many games share: from here on a network gets no faster.
const BATCH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);

/// A move in each game in play after a search with an evaluator for each piece of the work, chosen as
/// [`Forest::choose`] does; each game's tree draws from its stream. There are none where it was not to go on.
pub(crate) fn chosen_by<E: Evaluator>(
    rules: &Rules,
    games: &[(&Slot, Stream)],
    settings: &Settings<'_>,
    evaluator: impl Fn() -> E + Sync,
    temperature: f32,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Option<Move>>, MctsError> {
    let mut chosen = vec![None; games.len()];
    let threads = settings.num_threads.get();
    let each = games.len().div_ceil(threads).clamp(1, trees_at_a_time(BATCH, settings));
    let settings = Settings { num_threads: NonZeroUsize::MIN, ..*settings };
    let failed = Mutex::new(None);
    let pieces = games.chunks(each).zip(chosen.chunks_mut(each)).collect();
    share_among(threads, pieces, |(games, chosen)| {
        let mut trees: Vec<_> = games.iter().map(|&(slot, stream)| Tree::new(slot.clone(), stream)).collect();
        match search(&mut trees, rules, &settings, &mut evaluator(), BATCH, &mut || goes_on()) {
            Ok(_) => chosen.iter_mut().zip(&mut trees).for_each(|(mv, tree)| *mv = tree.choose(temperature)),
            Err(MctsError::Stopped) => {}
            Err(error) => *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(chosen),
    }
}

/// How many trees a piece of the work has: twice what fills a batch, as trees do not always have as many leaves as
/// they may.
fn trees_at_a_time(batch: NonZeroUsize, settings: &Settings<'_>) -> usize {
    (2 * batch.get() / settings.leaves.get() as usize).max(1)
}

/// Searches some trees.
fn search(
    trees: &mut [Tree],
    rules: &Rules,
    settings: &Settings<'_>,
    evaluator: &mut dyn Evaluator,
    batch: NonZeroUsize,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Asked, MctsError> {
    for tree in trees.iter_mut() {
        if !go_on() {
            return Err(MctsError::Stopped);
        }
        tree.begin(rules, settings, true);
        tree.add_noise(settings);
    }
    let mut work = Work {
        rules,
        settings,
        rounds: trees.iter().map(|_| Round::default()).collect(),
        idle: (0..trees.len()).filter(|&tree| trees[tree].is_busy()).collect(),
        trees,
        waiting: VecDeque::new(),
        asked: Asked::default(),
    };
    let result = work.run(evaluator, batch.get(), go_on);
    for (tree, round) in work.trees.iter_mut().zip(&mut work.rounds) {
        round.forget(tree);
    }
    result.map(|()| work.asked)
}

/// Which trees can go on and which leaves wait.
struct Work<'a> {
    rules: &'a Rules,
    settings: &'a Settings<'a>,
    trees: &'a mut [Tree],
    rounds: Vec<Round>,
    idle: VecDeque<usize>,
    waiting: VecDeque<(usize, Question)>,
    asked: Asked,
}

impl Work<'_> {
    fn run(
        &mut self,
        evaluator: &mut dyn Evaluator,
        batch: usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), MctsError> {
        loop {
            if !go_on() {
                return Err(MctsError::Stopped);
            }
            while self.waiting.len() < batch && !self.idle.is_empty() {
                let missing = (batch - self.waiting.len()).div_ceil(self.settings.leaves.get() as usize);
                self.gather(missing);
                if !go_on() {
                    return Err(MctsError::Stopped);
                }
            }
            if self.waiting.is_empty() {
                return Ok(());
            }
            let asked: Vec<_> = self.waiting.drain(..batch.min(self.waiting.len())).collect();
            let questions: Vec<_> = asked.iter().map(|&(_, question)| question).collect();
            let answers = evaluator.evaluate(&questions).map_err(MctsError::Evaluator)?;
            self.asked.calls += 1;
            self.asked.positions += questions.len() as u64;
            if answers.len() != questions.len() {
                let text = format!("{} answers for {} positions", answers.len(), questions.len());
                return Err(MctsError::Evaluator(text.into()));
            }
            for (place, (answer, question)) in answers.iter().zip(&questions).enumerate() {
                if let Some(fault) = answer.fault(question.legal) {
                    return Err(MctsError::Evaluator(format!("answer {place}: {fault}").into()));
                }
            }
            let mut complete = Vec::new();
            for ((tree, _), answer) in asked.into_iter().zip(answers) {
                let round = &mut self.rounds[tree];
                round.answers.push(answer);
                if round.answers.len() == round.used {
                    complete.push(tree);
                }
            }
            self.each(&complete, |tree, round, _, settings| round.settle(tree, settings));
            self.idle.extend(complete.into_iter().filter(|&tree| self.trees[tree].is_busy()));
        }
    }

    /// Lets so many trees go down to leaves.
    fn gather(&mut self, most: usize) {
        let mut trees: Vec<_> = self.idle.drain(..most.min(self.idle.len())).collect();
        self.each(&trees, |tree, round, rules, settings| round.gather(tree, rules, settings));
        for &tree in &trees {
            self.waiting.extend(self.rounds[tree].questions().map(|question| (tree, question)));
        }
        // All that it came to was known already.
        trees.retain(|&tree| self.rounds[tree].used == 0 && self.trees[tree].is_busy());
        self.idle.extend(trees);
    }

    /// Does something with some trees.
    fn each(&mut self, chosen: &[usize], act: impl Fn(&mut Tree, &mut Round, &Rules, &Settings<'_>) + Sync) {
        let Self { rules, settings, trees, rounds, .. } = self;
        let mut is_chosen = vec![false; trees.len()];
        chosen.iter().for_each(|&tree| is_chosen[tree] = true);
        let all = trees.iter_mut().zip(rounds).zip(is_chosen);
        let mut pairs: Vec<_> = all.filter_map(|(pair, chosen)| chosen.then_some(pair)).collect();
        let threads = settings.num_threads.get();
        let each = pairs.len().div_ceil(threads).max(1);
        share_among(threads, pairs.chunks_mut(each).collect(), |pairs| {
            pairs.iter_mut().for_each(|(tree, round)| act(tree, round, rules, settings));
        });
    }
}
