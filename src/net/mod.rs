//! A small policy-value network, evaluated in batches on the processor.
//!
//! What it is asked for is the 14 numbers of an observation: the mover's six pits, the opponent's six, the two stores.
//! Layers are fully connected with rectifiers between them; the heads are six logits, the expected result and the
//! expected margin.
//!
//! ```text
//! input   14 places, each as one of 25 columns (the count, at most 24)                     350
//!         12 pits, what sowing it now captures, as one of 10 columns (at most 9)           120
//!         12 pits, the seeds then in the pit of the last one, in the same way              120
//!         14 places, each as count / 48                                                     14
//! hidden  relu(weight · input + bias), once or more
//! heads   policy: 6 logits    value: tanh, 1 a win, −1 a loss    margin: tanh, final net seeds over all seeds
//! ```
//!
//! At most 52 inputs are not zero, so the first layer sums rows of tables. The others are matrix products, by the
//! crate `matrixmultiply`. Sums are of 32 bits and taken in one order, whatever else is in the batch: a board's outputs
//! are the same bits alone and in any batch. Another kind of processor may round its products differently.

mod error;
mod evaluator;
mod file;
mod first;
mod forward;
mod inputs;
mod network;

pub use error::NetworkError;
pub use evaluator::NetworkEvaluator;
pub use file::{LARGEST_FILE, VERSION};
pub use forward::{Output, Scratch};
pub use inputs::{Board, COLUMNS, INPUTS, SCALE, SEEN, SOWN, columns};
pub use network::{MOST_LAYERS, MOST_PARAMETERS, MOST_WIDTH, Network, Parameter};
