//! The best moves after a search of few plies: what an opponent of a fixed depth plays.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use crate::game::Game;
use crate::pit::MoveSet;

use super::Probe;
use super::alphabeta::{Aim, MAX_DEPTH, Shared, Worker};
use super::driver::SearchError;
use super::root::Root;
use super::table::Table;

/// Plies from which on a table pays.
const TABLE_DEPTH: u32 = 5;
const ENTRIES: usize = 1 << 12;

/// Every move that is best after a search of `depth` plies.
///
/// ```
/// use oware::search::best_moves;
/// use oware::{Game, MoveSet, Rules};
///
/// let mut game = Game::new(Rules::default());
/// game.play_transcript("AbCc")?;
/// // B takes two seeds.
/// assert_eq!(best_moves(&game, 1)?, MoveSet::from_bits(0b10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SearchError`] when the game is over or the depth is 0 or beyond [`MAX_DEPTH`].
pub fn best_moves(game: &Game, depth: u32) -> Result<MoveSet, SearchError> {
    best_moves_while(game, depth, None, || true)
}

/// [`best_moves`], with a database, and asking `go_on` now and then; once it refuses, what comes back are moves that
/// looked best.
///
/// # Errors
/// As those of [`best_moves`], and [`SearchError::OtherRules`].
pub fn best_moves_while(
    game: &Game,
    depth: u32,
    endgame: Option<&dyn Probe>,
    mut go_on: impl FnMut() -> bool,
) -> Result<MoveSet, SearchError> {
    if endgame.is_some_and(|endgame| !endgame.holds_under(game.rules())) {
        return Err(SearchError::OtherRules);
    }
    if depth == 0 || depth > MAX_DEPTH {
        return Err(SearchError::Depth(depth));
    }
    Ok(best_of(Root::of(game).ok_or(SearchError::GameOver)?, depth, endgame, &mut go_on))
}

/// [`best_moves_while`] of a position in play.
pub(crate) fn best_of(root: Root, depth: u32, endgame: Option<&dyn Probe>, go_on: &mut dyn FnMut() -> bool) -> MoveSet {
    if root.legal.len() < 2 {
        return root.legal;
    }
    let shared = Shared {
        table: if depth < TABLE_DEPTH { None } else { Table::new(ENTRIES).ok() },
        endgame,
        few_seeds: false,
        deadline: None,
        most_nodes: u64::MAX,
        nodes: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        iteration: AtomicU32::new(0),
    };
    let mut worker = Worker::new(&shared, root);
    // Shallower searches put the moves in order.
    let mut shallower = if depth < TABLE_DEPTH { depth } else { 2 - depth % 2 };
    while shallower < depth && worker.iterate(shallower, Aim::Best, go_on) {
        shallower += 2;
    }
    if shallower >= depth {
        worker.iterate(depth, Aim::Ties, go_on);
    }
    let best = worker.moves.first().map_or(0, |mv| mv.value);
    worker.moves.iter().filter(|mv| mv.value == best).map(|mv| mv.child.mv).collect()
}
