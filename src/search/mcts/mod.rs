//! Monte-Carlo tree search over many games at once: with playouts in lockstep, or with an evaluator such as a network.

mod forest;
mod noise;
mod puct;
mod select;
mod settings;
mod tree;
#[cfg(test)]
mod twin;
mod uct;

pub use forest::{Forest, Found};
pub(crate) use forest::{best_of, by_weight};
pub(crate) use puct::chosen_by;
pub use puct::{Asked, Evaluation, Evaluator, Question};
pub use settings::{
    MOST_SIMULATIONS, MctsError, Noise, PUCT_EXPLORATION, PUCT_LEAVES, Score, Settings, UCT_EXPLORATION, UCT_LEAVES,
};
