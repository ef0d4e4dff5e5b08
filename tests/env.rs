//! Environments as a whole: threads, and going over from one way of playing rows to another. What each row does is
//! compared in `kernels.rs`.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use oware::endgame::{Endgame, Key};
use oware::env::{AutoresetMode, Buffers, Config, Env, KernelName, NoExternals, Opponent, Pool, StartSeeds, kernels};
use support::contest::Answers;

#[test]
fn threads_play_alike() {
    let rows = 3 * 8192 + 5;
    let play = |threads: usize| {
        let num_threads = NonZeroUsize::new(threads).unwrap();
        let opponent = Some(Opponent::Random);
        let config = Config { num_threads, opponent, opening_plies: 3, seat_rewards: true, ..Config::default() };
        let mut env = Env::new(config.clone(), rows, 5).unwrap();
        let mut buffers = Buffers::new(&config, rows);
        env.reset(None, None, &mut NoExternals).unwrap();
        env.write_views(&mut buffers.views.views());
        let mut told = Vec::new();
        for _ in 0..30 {
            let masks = buffers.views.action_mask.chunks_exact(6);
            let actions: Vec<_> = masks.map(|mask| mask.iter().position(|&legal| legal == 1).unwrap() as i64).collect();
            env.step(&actions, &mut NoExternals, buffers.outputs()).unwrap();
            told.push((buffers.reward.clone(), buffers.seat_rewards.clone(), buffers.views.winner.clone()));
        }
        (told, env.state())
    };
    let alone = play(1);
    for threads in [2, 3, 16] {
        assert!(play(threads) == alone, "{threads} threads");
    }
}

#[test]
fn the_kernel_comes_back_when_the_last_outside_opponent_leaves() {
    let named = Config { opponent: Some(Opponent::Random), ..Config::default() };
    let kernel = Env::new(named.clone(), 100, 0).unwrap().kernel();
    let mut env = Env::new(Config { opponent: Some(Opponent::External(0)), ..named }, 100, 0).unwrap();
    env.reset(None, None, &mut Answers).unwrap();
    env.set_opponent(Some(Opponent::Random)).unwrap();
    let half: Vec<bool> = (0..100).map(|row| row % 2 == 0).collect();
    env.reset(None, Some(&half), &mut Answers).unwrap();
    assert_eq!((env.kernel(), env.vacant_externals().next()), (KernelName::Words, Some(1)));
    env.reset(None, None, &mut Answers).unwrap();
    assert_eq!((env.kernel(), env.vacant_externals().next()), (kernel, Some(0)));
}

/// Pools, starts with few seeds and exact values are the same for every kernel and any number of threads.
#[test]
fn kernels_and_threads_agree_on_curricula() {
    let rows = 2 * 8192 + 70;
    let endgame =
        Endgame::build(Key::of(&Config::default().rules), 6, None, None, |_| ControlFlow::Continue(())).unwrap();
    let play = |kernel: KernelName, threads: usize, autoreset: AutoresetMode| {
        let config = Config {
            kernel: Some(kernel),
            num_threads: NonZeroUsize::new(threads).unwrap(),
            opponent: Some(Opponent::Greedy),
            pool: Some(Pool::new(&[(Opponent::Greedy, 1.0), (Opponent::Random, 2.0)]).unwrap()),
            start_seeds: Some(StartSeeds { low: 2, high: 9 }),
            autoreset,
            ..Config::default()
        };
        let mut env = Env::new(config.clone(), rows, 5).unwrap();
        let mut buffers = Buffers::new(&config, rows);
        env.reset(None, None, &mut NoExternals).unwrap();
        env.write_views(&mut buffers.views.views());
        let (mut told, mut places) = (vec![[0.0_f32; 2]; rows], vec![0; rows]);
        let mut all = Vec::new();
        for _ in 0..12 {
            let masks = buffers.views.action_mask.chunks_exact(6);
            let actions: Vec<_> = masks.map(|mask| mask.iter().position(|&legal| legal == 1).unwrap() as i64).collect();
            let mut numbers = vec![0.0; rows];
            let taken = env.take(&actions).unwrap();
            taken.write_regrets(&endgame, &mut numbers);
            taken.play(&mut NoExternals, buffers.outputs()).unwrap();
            told.iter_mut().zip(&numbers).for_each(|(told, number)| told[0] = *number);
            env.write_values(&endgame, &mut numbers);
            told.iter_mut().zip(&numbers).for_each(|(told, number)| told[1] = *number);
            env.write_places(&mut places);
            let mut finals: Vec<_> = env.finals().map(|last| (last.row, last.value(&endgame).to_bits())).collect();
            finals.sort_unstable();
            let bits: Vec<_> = told.iter().map(|told| told.map(f32::to_bits)).collect();
            all.push((bits, places.clone(), finals));
        }
        (all, env.state())
    };
    for autoreset in [AutoresetMode::SameStep, AutoresetMode::NextStep] {
        let words = play(KernelName::Words, 1, autoreset);
        assert!(words.0.iter().any(|(_, places, _)| places.contains(&0) && places.contains(&1)));
        for kernel in kernels() {
            assert!(play(kernel, 1, autoreset) == words, "{kernel}");
        }
        assert!(play(kernels()[0], 3, autoreset) == words, "threads");
    }
}
