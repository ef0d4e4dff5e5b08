//! The first layer, as sums of rows of tables.

use ndarray::Array2;

use crate::pit::PITS;

use super::inputs::{Board, COLUMNS, FIRST_COUNT, FIRST_SOWN, INPUTS, KINDS, PLACES, SCALE, SEEN, SOWN, sown};
use super::network::Parameter;

/// The highest count of a place for which there is a row.
const MOST: u8 = SCALE as u8;
/// The counts of a place for which there is a row.
const TABLED: usize = MOST as usize + 1;

/// What the inputs add to the numbers of the first layer.
#[derive(Clone, Debug)]
pub(super) struct FirstLayer {
    /// The bias, with what is added where no sowing comes to anything: most come to none.
    bias: Vec<f32>,
    /// Row `place * TABLED + count` is what a count at a place adds.
    counts: Array2<f32>,
    /// Row `place` is what each seed beyond [`MOST`] adds there.
    beyond: Array2<f32>,
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
                let (inputs, place, count) = (inputs(output), row / TABLED, row % TABLED);
                inputs[place * COLUMNS + count.min(COLUMNS - 1)] + count as f32 / SCALE * inputs[FIRST_COUNT + place]
            }),
            beyond: Array2::from_shape_fn((PLACES, width), |(place, output)| {
                inputs(output)[FIRST_COUNT + place] / SCALE
            }),
            sown: Array2::from_shape_fn((KINDS * PITS * SOWN, width), |(row, output)| {
                let inputs = &inputs(output)[FIRST_SOWN..];
                inputs[row] - inputs[row / SOWN * SOWN]
            }),
        }
    }

    /// The numbers for a board, not yet cut off.
    pub(super) fn numbers(&self, board: &Board, numbers: &mut [f32]) {
        let counts = board.iter().enumerate();
        let counts = counts.map(|(place, &count)| (&self.counts, place * TABLED + usize::from(count.min(MOST))));
        let sown = sown(board);
        let sown = sown.as_flattened().iter().enumerate().filter(|&(_, &seeds)| seeds > 0);
        let sown = sown.map(|(group, &seeds)| (&self.sown, group * SOWN + usize::from(seeds)));
        let mut rows: [&[f32]; SEEN] = [&[]; SEEN];
        let given = rows.iter_mut().zip(counts.chain(sown)).map(|(added, (table, at))| *added = row(table, at)).count();

        numbers.copy_from_slice(&self.bias);
        // Four rows at a time, so that the numbers are read and written less often.
        let (fours, rest) = rows[..given].as_chunks();
        for [a, b, c, d] in fours {
            for ((((number, a), b), c), d) in numbers.iter_mut().zip(*a).zip(*b).zip(*c).zip(*d) {
                *number = *number + a + b + c + d;
            }
        }
        for added in rest {
            numbers.iter_mut().zip(*added).for_each(|(number, added)| *number += added);
        }
        for (place, &count) in board.iter().enumerate().filter(|&(_, &count)| count > MOST) {
            let (more, each) = (f32::from(count - MOST), row(&self.beyond, place));
            numbers.iter_mut().zip(each).for_each(|(number, each)| *number += more * each);
        }
    }
}

fn row(table: &Array2<f32>, at: usize) -> &[f32] {
    table.row(at).to_slice().unwrap_or_default()
}
