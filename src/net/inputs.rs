//! The inputs of a network: what it sees of a board.

use crate::pit::{PITS, ROW};

/// An observation: the mover's six pits, the opponent's six, the mover's store, the opponent's.
pub type Board = [u8; PLACES];

/// The places of a board: twelve pits and two stores.
pub(super) const PLACES: usize = PITS + 2;
/// The columns of a place among the inputs: one for each count, the last for all that are higher.
pub const COLUMNS: usize = 25;
/// The columns of what sowing a pit comes to: one for each number of seeds, the last for all that are higher.
pub const SOWN: usize = 10;
/// What [`sown`] tells of each pit.
pub(super) const KINDS: usize = 2;
/// Where the columns of what is sown begin.
pub(super) const FIRST_SOWN: usize = PLACES * COLUMNS;
/// Where the counts themselves begin.
pub(super) const FIRST_COUNT: usize = FIRST_SOWN + KINDS * PITS * SOWN;
/// The inputs of a network: the columns of all places, those of what is sown, then each place's count over [`SCALE`].
pub const INPUTS: usize = FIRST_COUNT + PLACES;
/// What counts are divided by.
pub const SCALE: f32 = 48.0;
/// The columns that are 1, one of each group.
pub const SEEN: usize = PLACES + KINDS * PITS;

/// What sowing each pit would come to now, whoever is to move: the seeds captured, and the seeds then in the pit of the
/// last one before they are; both at most 9, and 0 of an empty pit. What becomes of a grand slam plays no part.
///
/// It is not a move by the rules: both rows are sown, and a board may have any count that a byte holds.
pub(super) fn sown(board: &Board) -> [[u8; PITS]; KINDS] {
    const MOST: u8 = SOWN as u8 - 1;
    // Eleven seeds are a lap, as the origin gets none.
    const LAP: u8 = PITS as u8 - 1;
    let (mut captured, mut last) = ([0; PITS], [0; PITS]);
    let mut sow = |pit: usize, laps: u8, rest: u8, chains: &[u8; PITS]| {
        let at = (pit + usize::from(rest)) % PITS;
        // Both are worked out of an empty pit as well, since to ask before costs more.
        let (there, other) = (rest > 0, (at < ROW) != (pit < ROW));
        last[pit] = if there { board[at].saturating_add(laps + 1).min(MOST) } else { 0 };
        captured[pit] = if there & other { chains[at].min(MOST) } else { 0 };
    };
    let once = chains(board, 1);
    for (pit, &seeds) in board[..PITS].iter().enumerate() {
        if seeds <= LAP {
            sow(pit, 0, seeds, &once);
        } else {
            let laps = (seeds - 1) / LAP;
            sow(pit, laps, seeds - laps * LAP, &chains(board, laps + 1));
        }
    }
    [captured, last]
}

/// The seeds captured from each pit on, and from those of its row before it, if each gets so many and the last one falls
/// there: all up to the first pit that then holds neither 2 nor 3.
fn chains(board: &Board, each: u8) -> [u8; PITS] {
    let mut chain = 0;
    std::array::from_fn(|at| {
        let holds = board[at].saturating_add(each);
        let before = if at % ROW == 0 { 0 } else { chain };
        chain = if matches!(holds, 2 | 3) { holds + before } else { 0 };
        chain
    })
}

/// The inputs that are 1 of a board's columns: those of its counts, then those of what is sown.
#[must_use]
pub fn columns(board: &Board) -> [u16; SEEN] {
    let counts = board.iter().map(|&count| usize::from(count).min(COLUMNS - 1)).enumerate();
    let counts = counts.map(|(place, count)| place * COLUMNS + count);
    let sown = sown(board);
    let sown = sown.as_flattened().iter().enumerate();
    let sown = sown.map(|(group, &seeds)| FIRST_SOWN + group * SOWN + usize::from(seeds));
    let mut columns = [0; SEEN];
    columns.iter_mut().zip(counts.chain(sown)).for_each(|(column, input)| *column = input as u16);
    columns
}
