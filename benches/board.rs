//! Single boards: moves, whole games, lines counted.

#![allow(clippy::unwrap_used, reason = "a benchmark that fails is no benchmark")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use oware::{Game, Move, Position, Rules, Stream, Words, perft};

fn main() {
    divan::main();
}

/// Positions of random games, all at which somebody is to move, each with a legal move.
fn positions(rules: &Rules) -> Vec<(Position, Move)> {
    let mut stream = Stream::from_seed(1);
    let mut game = Game::new(*rules);
    let mut seen = Vec::new();
    while seen.len() < 1000 {
        if game.outcome().is_some() {
            game = Game::new(*rules);
        }
        let mv = stream.choose(game.legal_moves()).unwrap();
        seen.push((*game.position(), mv));
        game.play(mv).unwrap();
    }
    seen
}

/// What is done to each of them.
fn each<T>(bencher: Bencher<'_, '_>, of: impl Fn(&Position) -> T, act: impl Fn(&T, Move, &Rules) + Sync)
where
    T: Sync,
{
    let rules = Rules::default();
    let all: Vec<(T, Move)> = positions(&rules).iter().map(|(position, mv)| (of(position), *mv)).collect();
    bencher.counter(ItemsCount::new(all.len())).bench(|| {
        for (one, mv) in &all {
            act(black_box(one), black_box(*mv), &rules);
        }
    });
}

#[divan::bench]
fn words_legal_moves(bencher: Bencher<'_, '_>) {
    each(bencher, Words::of, |words, _, rules| {
        black_box(words.legal_moves(rules));
    });
}

#[divan::bench]
fn words_sow(bencher: Bencher<'_, '_>) {
    each(bencher, Words::of, |words, mv, rules| {
        black_box(words.sow(mv, rules.grand_slam));
    });
}

#[divan::bench]
fn position_legal_moves(bencher: Bencher<'_, '_>) {
    each(
        bencher,
        |position| *position,
        |position, _, rules| {
            black_box(position.legal_moves(rules));
        },
    );
}

#[divan::bench]
fn position_play(bencher: Bencher<'_, '_>) {
    each(
        bencher,
        |position| *position,
        |position, mv, rules| {
            black_box(position.play(rules, mv).unwrap());
        },
    );
}

/// Plies of a hundred random games with their history, from the start to the end.
#[divan::bench(args = ["abapa", "codingame"])]
fn game_random(bencher: Bencher<'_, '_>, rules: &str) {
    let rules = Rules::named(rules).unwrap();
    let play = || {
        let mut stream = Stream::from_seed(1);
        let mut plies = 0;
        for _ in 0..100 {
            let mut game = Game::new(rules);
            while let Some(mv) = stream.choose(game.legal_moves()) {
                game.play(mv).unwrap();
            }
            plies += game.ply();
        }
        plies
    };
    bencher.counter(ItemsCount::new(play())).bench(play);
}

/// Leaves, the last ply counted in bulk.
#[divan::bench(args = ["abapa", "awari", "codingame"])]
fn perft_8(bencher: Bencher<'_, '_>, rules: &str) {
    let game = Game::new(Rules::named(rules).unwrap());
    bencher.counter(ItemsCount::new(perft(&game, 8))).bench(|| perft(black_box(&game), 8));
}
