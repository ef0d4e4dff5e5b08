//! What a position that is not searched any further is taken to be worth.
//!
//! Each number of seeds in each pit has a weight, for the mover and with the other sign against the opponent, in each
//! phase of the game, and there is one for being the mover. `scripts/tune_evaluation.py` found them by regression on
//! positions from 3,000 games of a search of six plies against itself, under `abapa` played on past the majority (seeds
//! 1 and 2): up to 24 seeds on the true values of an endgame database under `awari`, beyond that on the net seeds taken
//! in the rest of the game. Of the variance in games held out they explain 0.38 to 0.66 where the values are the true
//! ones, 0.13 and 0.04 in the two phases before, where they are what came of a game.

use crate::pit::ROW;
use crate::position::Position;
use crate::words::Words;

use super::value::{SEED, Value};

/// Numbers of seeds told apart; the last one stands for more, too.
const COUNTS: usize = 16;
/// The most seeds on the board in each phase, the last one of a game first; the opening has more.
const PHASES: [u8; 6] = [8, 12, 16, 20, 24, 32];
/// What it is worth to be the mover, in hundredths of a seed, in each phase.
static TEMPO: [i32; 7] = [-57, 39, 67, 67, 63, -17, -35];
/// What each number of seeds is worth in each of a player's pits, in hundredths of a seed, in each phase.
#[rustfmt::skip]
static WEIGHTS: [[[i16; COUNTS]; ROW]; 7] = [
    [
        [-423, -52, 43, 165, 202, 56, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [-368, -46, 80, 191, 72, -58, 129, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [-114, 112, 183, 139, -65, -101, -154, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [46, 182, 194, 48, 31, -247, -255, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [155, 200, 176, 121, -95, -318, -240, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [315, 287, 229, -51, -247, -281, -229, -23, 0, 0, 0, 0, 0, 0, 0, 0],
    ],
    [
        [-332, -155, -120, 140, 133, 53, 125, 182, 10, -34, 0, 0, 0, 0, 0, 0],
        [-227, -7, 94, 171, 128, 66, 115, -53, -124, -110, -54, 0, 0, 0, 0, 0],
        [-78, 109, 176, 182, 72, 88, -62, -162, -186, -71, -68, 0, 0, 0, 0, 0],
        [75, 217, 219, 166, 204, 12, -127, -268, -186, -244, -69, 0, 0, 0, 0, 0],
        [124, 228, 234, 199, 127, -16, -205, -254, -212, -226, 1, 0, 0, 0, 0, 0],
        [236, 396, 365, 229, -11, -86, -151, -346, -326, -215, -130, 39, 0, 0, 0, 0],
    ],
    [
        [-221, -141, -133, 94, 43, 80, 85, 140, 36, 102, -77, -7, 0, 0, 0, 0],
        [-158, -38, 38, 135, 118, 98, 101, 17, -14, 5, -99, -132, -71, 0, 0, 0],
        [-59, 56, 118, 161, 150, 166, 49, 44, -95, -157, -141, -144, -135, -7, -6, 0],
        [17, 120, 149, 165, 170, 62, 34, -74, -118, -151, -151, -61, -63, -24, -74, 0],
        [-22, 82, 128, 118, 62, -12, -115, -142, -187, -128, -143, -28, 155, 106, 125, 0],
        [-151, -13, 3, -47, -116, -174, -198, -239, -222, -191, -113, 78, 342, 497, 544, 0],
    ],
    [
        [-234, -98, -50, 179, 169, 198, 55, 170, 159, 96, -158, -92, -85, -131, -190, 13],
        [-205, -23, 102, 221, 189, 119, 141, 35, 61, 15, -85, -154, -163, -136, -105, -15],
        [-131, 31, 127, 203, 165, 161, 89, 12, -89, -174, -185, -148, -125, -98, -45, 206],
        [-88, 50, 112, 139, 137, 86, -12, -83, -180, -193, -186, -162, -146, -105, 15, 617],
        [-246, -124, -97, -59, -107, -174, -260, -294, -352, -240, -136, -23, 237, 389, 579, 906],
        [-378, -220, -171, -212, -273, -347, -356, -408, -276, -235, -63, 220, 466, 569, 788, 898],
    ],
    [
        [-309, -145, -60, 171, 204, 183, 177, 190, 129, 18, -178, -172, -43, -95, -78, 4],
        [-265, -65, 79, 223, 193, 176, 139, 64, -10, -14, -83, -247, -121, -54, -25, 10],
        [-186, -6, 106, 190, 169, 129, 97, -28, -114, -162, -212, -153, -126, -36, 129, 202],
        [-136, 21, 87, 123, 134, 69, -20, -105, -217, -255, -169, -132, -75, 88, 157, 430],
        [-141, -14, 13, 27, -28, -76, -206, -209, -325, -264, -164, -9, 187, 335, 478, 396],
        [-313, -175, -160, -184, -267, -302, -338, -332, -300, -139, -16, 212, 363, 592, 809, 548],
    ],
    [
        [-207, -118, -15, 110, 59, 104, 103, 138, 35, -9, -14, -74, 26, -91, 1, -49],
        [-204, -92, -2, 58, 91, 76, 97, 89, 40, -35, -41, -64, -155, -20, 62, 101],
        [-172, -49, 8, 72, 77, 40, 62, -4, -19, -38, -124, -50, 31, -40, 23, 183],
        [-74, 15, 41, 102, 52, 49, 33, -64, -58, -197, -177, -20, 7, 59, 91, 142],
        [-108, -12, -8, 33, -29, -52, -69, -135, -91, -58, 23, 68, 138, 103, 196, 1],
        [-146, -64, -21, -11, -67, -103, -190, -158, -65, -18, 27, 128, 161, 270, 256, 0],
    ],
    [
        [-246, -98, 8, 152, 139, 84, 49, 36, 13, -9, -60, -114, -67, 7, 0, 105],
        [-228, -73, 3, 81, 93, 37, -34, 19, -3, -39, -84, -23, -6, 75, 85, 95],
        [-179, -35, 14, 46, 70, 9, 9, -27, -39, -77, -75, 2, 46, 76, 48, 113],
        [-137, -11, 24, 74, 53, 2, -46, -74, -73, -71, -8, 11, 44, 101, 157, -45],
        [-130, -44, -13, 2, -23, -59, -42, -35, -54, -18, 6, 70, 107, 161, 144, -72],
        [-146, -50, -36, -58, -71, -84, -111, -71, -35, 31, 98, 86, 230, 139, 102, -24],
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

/// The phase of each number of seeds; the last one stands for more, too.
static PHASE_OF: [u8; 34] = {
    let mut phases = [0; 34];
    let mut seeds = 0;
    while seeds < phases.len() {
        let mut phase = 0;
        while phase < PHASES.len() && seeds > PHASES[phase] as usize {
            phase += 1;
        }
        phases[seeds] = phase as u8;
        seeds += 1;
    }
    phases
};

/// The net seeds that the mover is expected to take from here on, in hundredths.
#[inline(always)]
pub(super) fn evaluate(board: Words) -> i32 {
    let seeds = board.board_seeds();
    let phase = usize::from(PHASE_OF[usize::from(seeds).min(PHASE_OF.len() - 1)]);
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
