//! Endgame databases: solving levels, and looking boards up.

#![allow(clippy::unwrap_used, reason = "a benchmark that fails is no benchmark")]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use oware::endgame::{Endgame, Key, cost};
use oware::{PITS, Rules, Stream};

fn main() {
    divan::main();
}

fn database(max_seeds: u8) -> Endgame {
    let key = Key::of(&Rules::named("awari").unwrap());
    Endgame::build(key, max_seeds, None, NonZeroUsize::new(1), |_| ControlFlow::Continue(())).unwrap()
}

#[divan::bench(args = [6, 8, 10], sample_count = 10)]
fn build(bencher: Bencher<'_, '_>, max_seeds: u8) {
    bencher.counter(ItemsCount::new(cost(max_seeds).unwrap().boards)).bench(|| black_box(database(max_seeds)));
}

#[divan::bench(args = [6, 9, 12])]
fn values(bencher: Bencher<'_, '_>, seeds: u8) {
    let database = database(seeds);
    let mut stream = Stream::from_seed(1);
    let mut board = || {
        let mut pits = [0_u8; PITS];
        (0..seeds).for_each(|_| pits[(stream.draw() % PITS as u64) as usize] += 1);
        pits
    };
    let boards: Vec<[u8; PITS]> = (0..1 << 16).map(|_| board()).collect();
    let mut values = vec![0; boards.len()];
    bencher
        .counter(ItemsCount::new(boards.len()))
        .bench_local(|| database.values(black_box(&boards), &mut values, || ControlFlow::Continue(())));
}
