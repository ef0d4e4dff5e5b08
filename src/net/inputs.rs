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
    for (pit, &seeds) in board[..PITS].iter().enumerate().filter(|&(_, &seeds)| seeds > 0) {
        let (laps, rest) = ((seeds - 1) / LAP, (seeds - 1) % LAP + 1);
        let holds = |at: usize| board[at].saturating_add(laps + 1);
        let mut at = (pit + usize::from(rest)) % PITS;
        last[pit] = holds(at).min(MOST);
        let mut taken = 0;
        while at / ROW != pit / ROW && matches!(holds(at), 2 | 3) {
            taken += holds(at);
            at = (at + PITS - 1) % PITS;
        }
        captured[pit] = taken.min(MOST);
    }
    [captured, last]
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
