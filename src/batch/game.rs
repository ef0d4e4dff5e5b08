//! A slot's game with its history, and back: what is shown and saved of a row does not depend on how a batch keeps it.

use crate::batch::slot::Slot;
use crate::game::Game;
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::words::Words;

impl Slot {
    /// The game that `game` is, with what its rules need of the history.
    pub(crate) fn of(game: &Game) -> Self {
        Self::of_under(game, game.rules())
    }

    /// The game that `game` is under other rules, in which all its moves are legal and none but the last ends it.
    pub(crate) fn of_under(game: &Game, rules: &Rules) -> Self {
        let mut slot = Self::new(game.start(), game.start_ply(), rules);
        for mv in game.moves() {
            slot.play(mv, rules);
        }
        slot
    }

    /// The game with as much of its history as there is: since the last capture where repetition counts, else the
    /// last move.
    pub(crate) fn game(&self, rules: &Rules) -> Game {
        let position = |words: Words, mover: Seat| Position { board: words.board(mover), mover, unawarded: 0 };
        let Some(last) = self.last else {
            return Game::from_position(*rules, position(self.before, self.mover), self.ply);
        };
        let earlier = match self.history.positions() {
            // The newest position is the one that the last move led to.
            [earlier @ .., _] if !earlier.is_empty() => earlier,
            _ => &[self.before],
        };
        let plies = earlier.len() as u32;
        let mover = if plies.is_multiple_of(2) { self.mover } else { self.mover.other() };
        let mut game = Game::from_position(*rules, position(earlier[0], mover), self.ply - plies);
        for pair in earlier.windows(2) {
            let mv =
                pair[0].legal_moves(rules).iter().find(|&mv| pair[0].sow(mv, rules.grand_slam).0.swapped() == pair[1]);
            debug_assert!(mv.is_some(), "a history is a line of play");
            let _ = mv.map(|mv| game.play(mv));
        }
        let played = game.play(last);
        debug_assert!(played.is_ok(), "the last move was legal");
        game
    }
}
