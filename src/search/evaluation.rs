//! What a position that is not searched any further is taken to be worth.
//!
//! Each number of seeds in each pit has a weight, for the mover and with the other sign against the opponent, in three
//! phases of the game, and there is one for being the mover. `scripts/tune_evaluation.py` found them by regression on
//! the net seeds taken in the rest of 3,000 games of a search of six plies against itself, under `abapa` played on past
//! the majority (seeds 1 and 2, 475,038 positions; they explain 0.083 of the variance in games held out, where seeds in
//! the rows and occupied pits alone explain 0.054).

use crate::pit::ROW;
use crate::position::Position;
use crate::words::Words;

use super::value::{SEED, Value};

/// Numbers of seeds told apart; the last one stands for more, too.
const COUNTS: usize = 16;
/// The most seeds on the board in each phase but the first, which is the last one of a game.
const PHASES: [u8; 2] = [16, 28];
/// What it is worth to be the mover, in hundredths of a seed, in each phase.
static TEMPO: [i32; 3] = [-20, -7, -31];
/// What each number of seeds is worth in each of a player's pits, in hundredths of a seed, in each phase.
#[rustfmt::skip]
static WEIGHTS: [[[i16; COUNTS]; ROW]; 3] = [
    [
        [-158, -52, -81, -38, -43, 44, 140, 22, 28, 79, 32, 27, 0, 0, 0, 0],
        [-173, -61, -27, -11, -67, 43, 44, 43, 71, 90, 19, 17, 12, 0, 0, 0],
        [-110, -14, 12, -11, -4, 4, -12, 97, -4, -30, -8, 14, 26, 40, 0, 0],
        [-15, 54, 51, 65, 91, 35, -32, -70, -68, -87, -22, -6, -22, 13, 15, 0],
        [2, 49, 80, 92, 50, 4, -12, -67, -164, -100, -39, -4, 55, 53, 0, 0],
        [90, 117, 93, 13, -33, -22, -64, -258, -242, -152, 9, 150, 158, 111, 29, 0],
    ],
    [
        [-168, -104, -43, 96, 98, 72, -85, 40, 64, 45, -101, 51, 37, -15, 37, -23],
        [-177, -91, -23, 45, 60, 75, 119, 36, -6, -4, -51, -91, -26, -45, 52, 125],
        [-138, -58, -7, 52, 65, 95, 68, 16, -10, -31, -124, -103, -71, -23, 105, 163],
        [-83, -9, 22, 63, 97, 128, 82, -6, -31, -151, -114, -63, -6, -39, 11, 99],
        [-81, -18, 8, 63, 38, 20, -45, -83, -180, -160, -104, 26, 81, 125, 209, 100],
        [-144, -69, -25, -17, -82, -124, -179, -219, -183, -75, -4, 94, 175, 325, 375, 151],
    ],
    [
        [-236, -101, 3, 144, 125, 98, 72, 62, 18, -9, -58, -128, -49, -13, -10, 81],
        [-222, -76, 7, 74, 93, 38, -16, 37, 4, -43, -82, -20, -40, 62, 93, 91],
        [-179, -41, 15, 53, 75, 5, 14, -23, -40, -80, -80, -1, 53, 67, 31, 131],
        [-127, -9, 24, 73, 45, 2, -39, -74, -68, -86, -25, 4, 35, 97, 149, -3],
        [-126, -36, -7, 2, -26, -59, -45, -53, -51, -22, 14, 63, 107, 146, 157, -63],
        [-149, -59, -39, -56, -74, -87, -125, -90, -45, 19, 83, 88, 218, 167, 167, -18],
    ],
];

/// The final net seeds for the mover that a position is taken to be worth without a search.
///
/// ```
/// use oware::search::static_value;
/// use oware::{Position, Rules};
///
/// let start = Position::start(&Rules::default());
/// assert!(static_value(&start).seeds().abs() < 1.0);
/// ```
#[must_use]
pub fn static_value(position: &Position) -> Value {
    let board = Words::of(position);
    Value::from_hundredths(i32::from(board.margin()) * SEED + evaluate(board))
}

/// The net seeds that the mover is expected to take from here on, in hundredths.
#[inline(always)]
pub(super) fn evaluate(board: Words) -> i32 {
    let seeds = board.board_seeds();
    let phase = usize::from(seeds > PHASES[0]) + usize::from(seeds > PHASES[1]);
    let weights = &WEIGHTS[phase];
    let counts = board.observation();
    let mut sum = TEMPO[phase];
    for pit in 0..ROW {
        let weight = |count: u8| i32::from(weights[pit][usize::from(count).min(COUNTS - 1)]);
        sum += weight(counts[pit]) - weight(counts[pit + ROW]);
    }
    // No more than what is there can change hands.
    let most = i32::from(seeds) * SEED;
    sum.clamp(-most, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pit::Pit;
    use crate::rules::Rules;

    /// The evaluation as the head of the file has it, for a position instead of words.
    fn plain(position: &Position) -> i32 {
        let (board, mover) = (&position.board, position.mover);
        let seeds = board.board_seeds();
        let phase = PHASES.iter().filter(|&&most| seeds > most).count();
        let row = |seat| -> i32 {
            let weight = |(pit, weights): (Pit, &[i16; COUNTS])| {
                i32::from(*weights.get(usize::from(board.seeds(pit))).unwrap_or(&weights[COUNTS - 1]))
            };
            Pit::row(seat).zip(&WEIGHTS[phase]).map(weight).sum()
        };
        let most = 100 * i32::from(seeds);
        (TEMPO[phase] + row(mover) - row(mover.other())).max(-most).min(most)
    }

    #[test]
    fn words_are_evaluated_as_the_position_is() {
        let rules = Rules { majority_ends: false, ..Rules::default() };
        let mut stream = crate::Stream::from_seed(1);
        let mut position = Position::start(&rules);
        for _ in 0..20_000 {
            assert_eq!(evaluate(Words::of(&position)), plain(&position), "{}", position.to_dashed());
            position = match stream.choose(position.legal_moves(&rules)) {
                Some(mv) => position.play(&rules, mv).unwrap().after,
                None => Position::start(&rules),
            };
        }
    }
}
