//! Searching with playouts, sixty-four at a time in lockstep.
//!
//! ```text
//! until no tree of the chunk has simulations left:
//!     let each of them go down to a few leaves
//!     play a random game from each leaf, all of them together
//!     back up how they ended
//! ```

use crate::batch::playout::{self, Playouts};
use crate::batch::slot::Slot;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Stream;

use super::settings::Settings;
use super::tree::{Descent, Tree, Way};

/// Plies after which a playout is left as a draw where no rule ends those that go on for ever.
const ENDLESS: Option<std::num::NonZeroU32> = std::num::NonZeroU32::new(1000);

/// Leaves that wait for values, and memory for them.
#[derive(Default)]
struct Leaves {
    /// Each leaf's tree and the way to it.
    ways: Vec<(usize, Way)>,
    /// Its game, and the stream of a game from there.
    games: Vec<(Slot, Stream)>,
    used: usize,
}

impl Leaves {
    /// Lets each tree that goes on go down to some leaves.
    fn gather(&mut self, trees: &mut [Tree], rules: &Rules, settings: &Settings<'_>) {
        self.used = 0;
        for (number, tree) in trees.iter_mut().enumerate() {
            if !tree.is_busy() {
                continue;
            }
            for _ in 0..settings.leaves.get().min(tree.left) {
                if self.used == self.ways.len() {
                    self.ways.push((number, Way::default()));
                }
                if self.used == self.games.len() {
                    self.games.push((tree.root.clone(), tree.stream));
                }
                let ((of, way), (slot, stream)) = (&mut self.ways[self.used], &mut self.games[self.used]);
                match tree.descend(rules, settings, way, slot) {
                    Descent::Counted if tree.is_busy() => {}
                    Descent::Counted | Descent::Blocked => break,
                    Descent::Leaf => {
                        *of = number;
                        *stream = Stream::from_state(tree.stream.draw());
                        self.used += 1;
                    }
                }
            }
        }
    }
}

/// Makes the simulations of some trees while it `goes_on`.
pub(super) fn search(trees: &mut [Tree], rules: &Rules, settings: &Settings<'_>, goes_on: &(dyn Fn() -> bool + Sync)) {
    let mut leaves = Leaves::default();
    let endless = rules.repetition.is_none() && rules.max_plies.is_none();
    let how = playout::Settings {
        max_plies: if endless { ENDLESS } else { None },
        kernel: settings.kernel,
        ..playout::Settings::default()
    };
    while goes_on() {
        leaves.gather(trees, rules, settings);
        if leaves.used == 0 {
            if trees.iter().any(Tree::is_busy) {
                continue;
            }
            return;
        }
        leaves.games.truncate(leaves.used);
        let playouts = Playouts::from_streams(*rules, std::mem::take(&mut leaves.games), how.clone());
        let results = playouts.play(goes_on);
        leaves.games = playouts.into_streams();
        for (rank, (number, way)) in leaves.ways[..leaves.used].iter().enumerate() {
            let (slot, _) = &leaves.games[rank];
            match &results {
                Some(results) => {
                    let margin = match results.terminations[rank] {
                        // It was left unfinished.
                        0 => 0,
                        _ => results.margins[rank],
                    };
                    let margin = if slot.mover == Seat::South { margin } else { -margin };
                    trees[*number].back_up(way, settings.score.of(margin, slot.total));
                }
                None => trees[*number].forget(way),
            }
        }
    }
}
