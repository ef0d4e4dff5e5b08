//! Evaluating a network.
//!
//! ```text
//! for each few hundred boards, so that their numbers stay in the cache:
//!     first layer   for each board sum the tables' rows of what it sees; cut off below 0
//!     other layers  bias + numbers × weight; cut off below 0
//!     heads         bias + numbers × weight; tanh of value and margin
//! ```

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, s};

use crate::pit::ROW;

use super::inputs::Board;
use super::network::{Network, OUTPUTS};

/// Boards that are evaluated at a time.
const AT_A_TIME: usize = 256;

/// What a network says of a board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Output {
    /// How good the mover's six moves are: the softmax over the legal ones is the policy.
    pub logits: [f32; ROW],
    /// The expected result for the mover, 1 for a win, −1 for a loss.
    pub value: f32,
    /// The expected final net seeds of the mover over all seeds.
    pub margin: f32,
}

/// Memory for the numbers between the layers, kept from call to call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    numbers: Vec<Array2<f32>>,
}

impl Scratch {
    /// Makes room for a network's layers.
    fn fit(&mut self, network: &Network) {
        let widths = network.hidden().iter().copied().chain([OUTPUTS]);
        if !widths.clone().eq(self.numbers.iter().map(Array2::ncols)) {
            self.numbers = widths.map(|width| Array2::zeros((AT_A_TIME, width))).collect();
        }
    }
}

impl Network {
    /// Evaluates boards. The outputs of one depend on no other one.
    #[must_use]
    pub fn evaluate(&self, boards: &[Board], scratch: &mut Scratch) -> Vec<Output> {
        scratch.fit(self);
        let mut outputs = Vec::with_capacity(boards.len());
        for boards in boards.chunks(AT_A_TIME) {
            let rows = boards.len();
            if let Some(first) = scratch.numbers.first_mut() {
                for (mut row, board) in first.outer_iter_mut().zip(boards) {
                    if let Some(row) = row.as_slice_mut() {
                        self.first.numbers(board, row);
                    }
                }
            }
            for (layer, dense) in self.dense.iter().enumerate() {
                let [before, after] = &mut scratch.numbers[layer..layer + 2] else { break };
                let mut before = before.slice_mut(s![..rows, ..]);
                before.map_inplace(|number| *number = number.max(0.0));
                let mut after = after.slice_mut(s![..rows, ..]);
                after.assign(&dense.bias);
                general_mat_mul(1.0, &before, &dense.weight, 1.0, &mut after);
            }
            let heads = scratch.numbers.last().into_iter().flat_map(|heads| heads.outer_iter());
            outputs.extend(heads.take(rows).map(|row| Output {
                logits: std::array::from_fn(|mv| row[mv]),
                value: libm::tanhf(row[ROW]),
                margin: libm::tanhf(row[ROW + 1]),
            }));
        }
        outputs
    }
}
