//! Random rules, set-ups, environments and lines of play.

use std::num::NonZeroU32;

use oware::{
    Feeding, Game, GrandSlam, Move, MoveSet, Occurrences, PITS, Position, ROW, Rules, SeedsPerPit, Setup, Share, Stream,
};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Cases, RngSeed, TestRunner};

/// Rules drawn over all fields.
pub(crate) fn any_rules() -> impl Strategy<Value = Rules> {
    let share = || select(Share::ALL);
    let repetition = prop_oneof![Just(None), (2_u32..=6).prop_map(Occurrences::new)];
    let max_plies = prop_oneof![Just(None), (1_u32..=300).prop_map(NonZeroU32::new)];
    let seeds_per_pit =
        prop_oneof![Just(SeedsPerPit::FOUR), (1..=SeedsPerPit::MAX).prop_filter_map("1 to 20", SeedsPerPit::new)];
    (
        (select(GrandSlam::ALL), select(Feeding::ALL), share()),
        (repetition, any::<bool>(), share()),
        (max_plies, share(), any::<bool>(), seeds_per_pit),
    )
        .prop_map(
            |(
                (grand_slam, feeding, no_move),
                (repetition, repetition_needs_both_rows, repetition_share),
                (max_plies, limit_share, majority_ends, seeds_per_pit),
            )| Rules {
                grand_slam,
                feeding,
                no_move,
                repetition,
                repetition_needs_both_rows,
                repetition_share,
                max_plies,
                limit_share,
                majority_ends,
                seeds_per_pit,
            },
        )
}

/// Set-ups of no more seeds than the rules have: crowded and bare boards, big pits, empty rows, empty boards.
pub(crate) fn any_position(rules: Rules) -> impl Strategy<Value = Position> {
    let places = PITS + 2;
    let heap = prop_oneof![6 => 1_i64..=3, 2 => 1_i64..=24, 1 => 1_i64..=240];
    let heaps = prop::collection::vec((0..places, heap), 0..=20);
    let cleared = prop_oneof![6 => Just(0..0), 1 => Just(0..ROW), 1 => Just(ROW..PITS), 1 => Just(PITS..places)];
    (heaps, cleared, 0_i64..=1).prop_filter_map("a set-up", move |(heaps, cleared, to_move)| {
        let mut left = i64::from(rules.seeds_per_pit.total());
        let mut counts = vec![0; places];
        for (place, seeds) in heaps {
            if !cleared.contains(&place) {
                let placed = seeds.min(left);
                counts[place] += placed;
                left -= placed;
            }
        }
        let stores = counts.split_off(PITS);
        Setup { pits: counts, stores, to_move }.validate(&rules).ok()
    })
}

/// The start or a set-up, each as often as the other.
pub(crate) fn any_start(rules: Rules) -> impl Strategy<Value = Position> {
    prop_oneof![Just(Position::start(&rules)), any_position(rules)]
}

/// Rules and a position of theirs.
pub(crate) fn any_rules_and_start() -> impl Strategy<Value = (Rules, Position)> {
    any_rules().prop_flat_map(|rules| (Just(rules), any_start(rules)))
}

/// So many values of a strategy; the same seed gives the same ones.
pub(crate) fn samples<T: std::fmt::Debug>(strategy: &impl Strategy<Value = T>, seed: u64, count: usize) -> Vec<T> {
    let config = Cases { rng_seed: RngSeed::Fixed(seed), ..cases(1) };
    let mut runner = TestRunner::new(config);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// So many cases, found anew in each run; a failing one is printed, not filed.
pub(crate) fn cases(count: u32) -> Cases {
    Cases { failure_persistence: None, ..Cases::with_cases(count) }
}

/// A way through a game: which of the legal moves to take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    seed: u64,
    /// Whether a move that captures is taken only where there is no other one: such games last.
    peaceful: bool,
}

/// Lines of either kind.
pub(crate) fn any_line() -> impl Strategy<Value = Line> {
    (any::<u64>(), any::<bool>()).prop_map(|(seed, peaceful)| Line { seed, peaceful })
}

/// Lines of random moves.
pub(crate) fn any_random_line() -> impl Strategy<Value = Line> {
    any::<u64>().prop_map(|seed| Line { seed, peaceful: false })
}

/// Lines that put captures off.
pub(crate) fn any_peaceful_line() -> impl Strategy<Value = Line> {
    any::<u64>().prop_map(|seed| Line { seed, peaceful: true })
}

impl Line {
    /// Plays the game on until it ends or `plies` are played, looking at it after each of them.
    pub(crate) fn walk(self, game: &mut Game, plies: usize, mut look: impl FnMut(&Game, Move)) {
        let mut stream = Stream::from_seed(self.seed);
        for _ in 0..plies {
            let Some(mv) = stream.choose(self.candidates(game)) else { break };
            game.play(mv).unwrap();
            look(game, mv);
        }
    }

    fn candidates(self, game: &Game) -> MoveSet {
        let legal = game.legal_moves();
        if !self.peaceful {
            return legal;
        }
        let takes = |mv: &Move| game.position().play(game.rules(), *mv).unwrap().taken > 0;
        let quiet: MoveSet = legal.iter().filter(|mv| !takes(mv)).collect();
        if quiet.is_empty() { legal } else { quiet }
    }
}
