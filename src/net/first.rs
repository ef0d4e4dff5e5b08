//! The first layer, as sums of rows of tables.

use ndarray::{Array2, ArrayViewMut1};

use crate::pit::PITS;

use super::inputs::{Board, COLUMNS, FIRST_COUNT, FIRST_SOWN, INPUTS, KINDS, PLACES, SCALE, SOWN, sown};
use super::network::Parameter;

/// The counts of a place for which there is a row.
const TABLED: usize = SCALE as usize + 1;

/// What the inputs add to the numbers of the first layer.
#[derive(Clone, Debug)]
pub(super) struct FirstLayer {
    /// The bias, with what is added where no sowing comes to anything: most come to none.
    bias: Vec<f32>,
    /// Row `place * TABLED + count` is what a count at a place adds.
    counts: Array2<f32>,
    /// Row `(kind * PITS + pit) * SOWN + seeds` is what seeds that are sown add over none.
    sown: Array2<f32>,
}

impl FirstLayer {
    /// The tables of a weight and a bias.
    pub(super) fn new(weight: &Parameter, bias: &Parameter) -> Self {
        let inputs = |output: usize| &weight.values[output * INPUTS..][..INPUTS];
        let width = bias.values.len();
        let none =
            |output: usize| (0..KINDS * PITS).map(|group| inputs(output)[FIRST_SOWN + group * SOWN]).sum::<f32>();
        Self {
            bias: bias.values.iter().enumerate().map(|(output, bias)| bias + none(output)).collect(),
            counts: Array2::from_shape_fn((PLACES * TABLED, width), |(row, output)| {
                added(inputs(output), row / TABLED, row % TABLED)
            }),
            sown: Array2::from_shape_fn((KINDS * PITS * SOWN, width), |(row, output)| {
                let inputs = &inputs(output)[FIRST_SOWN..];
                inputs[row] - inputs[row / SOWN * SOWN]
            }),
        }
    }

    /// The numbers for a board, not yet cut off; the weight is that of the tables.
    pub(super) fn numbers(&self, board: &Board, weight: &Parameter, mut row: ArrayViewMut1<'_, f32>) {
        let Some(row) = row.as_slice_mut() else { return };
        row.copy_from_slice(&self.bias);
        let mut add = |table: &Array2<f32>, at: usize| {
            if let Some(added) = table.row(at).as_slice() {
                row.iter_mut().zip(added).for_each(|(number, added)| *number += added);
            }
        };
        let mut beyond = [0; PLACES];
        for (place, &count) in board.iter().enumerate() {
            if usize::from(count) < TABLED {
                add(&self.counts, place * TABLED + usize::from(count));
            } else {
                beyond[place] = count;
            }
        }
        for (group, &seeds) in sown(board).as_flattened().iter().enumerate().filter(|&(_, &seeds)| seeds > 0) {
            add(&self.sown, group * SOWN + usize::from(seeds));
        }
        for (place, &count) in beyond.iter().enumerate().filter(|&(_, &count)| count > 0) {
            for (number, inputs) in row.iter_mut().zip(weight.values.chunks_exact(INPUTS)) {
                *number += added(inputs, place, usize::from(count));
            }
        }
    }
}

/// What a count at a place adds to a number of the first layer, from that number's weights.
fn added(inputs: &[f32], place: usize, count: usize) -> f32 {
    inputs[place * COLUMNS + count.min(COLUMNS - 1)] + count as f32 / SCALE * inputs[FIRST_COUNT + place]
}
