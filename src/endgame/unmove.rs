//! Moves taken back: the boards from which a move without a capture leads to a given one.

use crate::pit::{Move, PITS, ROW};
use crate::rules::Rules;
use crate::words::Words;

/// Calls `each` with every board from which a legal move that takes nothing off the board leads to `board`; each of
/// them from its mover's view, and without seeds in the stores.
///
/// ```text
/// for each pit of the player who has just moved that is empty, as an origin is after its sowing:
///     for 1, 2, ... seeds, as long as each pit on their way holds the seeds that it got:
///         put them back; unless this sowing would have captured, or was illegal, it is one
/// ```
#[inline]
pub(super) fn unmoves(board: Words, rules: &Rules, mut each: impl FnMut(Words)) {
    let after = board.swapped();
    let pits = after.observation();
    // Whoever can move after a sowing has been left a seed, and with that it was legal under any rules.
    let starves = board.rows()[0] == 0;
    for mv in Move::all() {
        let origin = mv.index();
        if pits[origin] != 0 {
            continue;
        }
        let mut pit = origin;
        let mut seeds = 0;
        for lap in 0.. {
            let ends = loop {
                pit = if pit + 1 == PITS { 0 } else { pit + 1 };
                if pit == origin {
                    break false;
                }
                if pits[pit] <= lap {
                    break true;
                }
                seeds += 1;
                let before = after.unsown(mv, seeds);
                let may_capture = pit >= ROW && matches!(pits[pit], 2 | 3);
                if may_capture && before.sow(mv, rules.grand_slam).0 != after {
                    continue;
                }
                if starves && !before.legal_moves(rules).contains(mv) {
                    continue;
                }
                each(before);
            };
            if ends {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::key::Key;
    use super::*;
    use crate::index::{self, MOST_SEEDS};
    use crate::stream::Stream;

    /// The boards that moves without a capture lead to.
    fn quiet_moves(board: Words, rules: &Rules) -> Vec<Words> {
        let legal = board.legal_moves(rules);
        let after = legal.iter().map(|mv| board.sow(mv, rules.grand_slam).0.swapped());
        after.filter(|&after| after.board_seeds() == board.board_seeds()).collect()
    }

    fn parents(board: Words, rules: &Rules) -> HashSet<Words> {
        let mut found = HashSet::new();
        unmoves(board, rules, |parent| assert!(found.insert(parent), "{parent:?} is found twice"));
        found
    }

    #[test]
    fn all_parents_of_small_boards_are_found() {
        for rules in Key::all().map(Key::rules) {
            for seeds in 0..=4 {
                let all = || (0..index::boards(seeds) as u32).map(|rank| index::board(seeds, rank));
                let mut moves: HashSet<(Words, Words)> = HashSet::new();
                for board in all() {
                    moves.extend(quiet_moves(board, &rules).into_iter().map(|after| (board, after)));
                }
                let unmoves =
                    all().flat_map(|after| parents(after, &rules).into_iter().map(move |board| (board, after)));
                assert_eq!(unmoves.collect::<HashSet<_>>(), moves, "{seeds} seeds under {rules:?}");
            }
        }
    }

    /// A board with most of its seeds in a few pits, so that sowings go round.
    fn heaps(stream: &mut Stream) -> Words {
        let mut pits = [0_u8; PITS];
        let mut left = stream.draw() as u8 % MOST_SEEDS + 1;
        while left > 0 {
            let heap = stream.draw() as u8 % left + 1;
            pits[stream.draw() as usize % PITS] += heap;
            left -= heap;
        }
        index::words(&pits)
    }

    #[test]
    fn parents_of_large_boards_are_found() {
        let mut stream = Stream::from_seed(5);
        for rules in Key::all().map(Key::rules) {
            let mut laps = 0;
            for _ in 0..4000 {
                let board = heaps(&mut stream);
                laps += board.observation()[..ROW].iter().filter(|&&seeds| seeds >= PITS as u8).count();
                for after in quiet_moves(board, &rules) {
                    assert!(parents(after, &rules).contains(&board), "{board:?} to {after:?} under {rules:?}");
                }
                for parent in parents(board, &rules) {
                    assert!(quiet_moves(parent, &rules).contains(&board), "{parent:?} to {board:?} under {rules:?}");
                }
            }
            assert!(laps > 300);
        }
    }
}
