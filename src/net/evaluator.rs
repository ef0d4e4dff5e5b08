//! A network as what Monte-Carlo tree search asks.

use std::error::Error;

use crate::search::mcts::{Evaluation, Evaluator, Question, Score};

use super::forward::Scratch;
use super::inputs::Board;
use super::network::Network;

/// A network as what Monte-Carlo tree search asks, with memory of its own.
#[derive(Clone, Debug)]
pub struct NetworkEvaluator<'a> {
    network: &'a Network,
    score: Score,
    boards: Vec<Board>,
    scratch: Scratch,
}

impl<'a> NetworkEvaluator<'a> {
    /// Values are the network's `value` for [`Score::Outcome`], its `margin` for [`Score::Margin`].
    #[must_use]
    pub fn new(network: &'a Network, score: Score) -> Self {
        Self { network, score, boards: Vec::new(), scratch: Scratch::default() }
    }
}

impl Evaluator for NetworkEvaluator<'_> {
    fn evaluate(&mut self, questions: &[Question]) -> Result<Vec<Evaluation>, Box<dyn Error + Send + Sync>> {
        self.boards.clear();
        self.boards.extend(questions.iter().map(|question| question.board.observation()));
        let outputs = self.network.evaluate(&self.boards, &mut self.scratch);
        let answers = outputs.into_iter().map(|output| Evaluation {
            logits: output.logits,
            value: match self.score {
                Score::Outcome => output.value,
                Score::Margin => output.margin,
            },
        });
        Ok(answers.collect())
    }
}
