//! Environments as a whole: threads, and going over from one way of playing rows to another. What each row does is
//! compared in `kernels.rs`.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::num::NonZeroUsize;

use oware::env::{Buffers, Config, Env, KernelName, NoExternals, Opponent};
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
    assert_eq!((env.kernel(), env.vacant_external()), (KernelName::Words, Some(1)));
    env.reset(None, None, &mut Answers).unwrap();
    assert_eq!((env.kernel(), env.vacant_external()), (kernel, Some(0)));
}
