//! Counting the lines of play, the usual test of a move generator.

use std::ops::ControlFlow;

use crate::game::Game;
use crate::pit::MoveSet;
use crate::rules::Rules;
use crate::words::Words;

/// Subtrees of this depth are counted without asking whether to go on: some tens of microseconds each.
const UNINTERRUPTED: u32 = 5;

/// The number of lines of `depth` plies from a game's position.
///
/// Repetition and the ply limit are off; a finished position has no children.
///
/// ```
/// use oware::{Game, Rules, perft};
///
/// assert_eq!(perft(&Game::new(Rules::default()), 4), 1014);
/// ```
#[must_use]
pub fn perft(game: &Game, depth: u32) -> u64 {
    match perft_while(game, depth, || ControlFlow::<std::convert::Infallible>::Continue(())) {
        ControlFlow::Continue(lines) => lines,
        ControlFlow::Break(never) => match never {},
    }
}

/// [`perft`], asking `go_on` now and then; its refusal is handed back.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use oware::{Game, Rules, perft_while};
///
/// let game = Game::new(Rules::default());
/// let mut asked = 0;
/// let count = perft_while(&game, 30, || {
///     asked += 1;
///     if asked < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break("that is enough") }
/// });
/// assert_eq!(count, ControlFlow::Break("that is enough"));
/// ```
pub fn perft_while<B>(game: &Game, depth: u32, mut go_on: impl FnMut() -> ControlFlow<B>) -> ControlFlow<B, u64> {
    if depth > 0 && game.is_over() {
        return ControlFlow::Continue(0);
    }
    let position = game.position();
    let count = Count { rules: *game.rules(), total: position.total_seeds() };
    count.ask(Words::of(position), depth, &mut go_on)
}

struct Count {
    rules: Rules,
    total: u8,
}

impl Count {
    fn ask<B>(&self, words: Words, depth: u32, go_on: &mut impl FnMut() -> ControlFlow<B>) -> ControlFlow<B, u64> {
        go_on()?;
        if depth <= UNINTERRUPTED {
            return ControlFlow::Continue(self.lines(words, depth));
        }
        let legal = words.legal_moves(&self.rules);
        if words.ending(&self.rules, legal, self.total).is_some() {
            return ControlFlow::Continue(0);
        }
        let mut lines = 0;
        for mv in legal.iter() {
            lines += self.ask(words.sow(mv, self.rules.grand_slam).0.swapped(), depth - 1, go_on)?;
        }
        ControlFlow::Continue(lines)
    }

    fn lines(&self, words: Words, depth: u32) -> u64 {
        match depth {
            0 => return 1,
            1 => return self.moves(words),
            _ => {}
        }
        let legal = words.legal_moves(&self.rules);
        if words.ending(&self.rules, legal, self.total).is_some() {
            return 0;
        }
        let after = legal.iter().map(|mv| words.sow(mv, self.rules.grand_slam).0.swapped());
        // Most of the time is spent on the last two plies, so these are one loop without a call.
        if depth == 2 {
            after.map(|words| self.moves(words)).sum()
        } else {
            after.map(|words| self.lines(words, depth - 1)).sum()
        }
    }

    /// The number of ways to play one ply.
    #[inline(always)]
    fn moves(&self, words: Words) -> u64 {
        // Whether there is any move, its number tells.
        match words.ending(&self.rules, MoveSet::ALL, self.total) {
            Some(_) => 0,
            None => words.count_moves(&self.rules),
        }
    }
}
