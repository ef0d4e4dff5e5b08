//! Many steps in one call against the same steps one by one, under every kernel.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use std::ops::ControlFlow;

use oware::env::{
    AutoresetMode, Buffers, Config, Env, EnvError, KernelName, NoExternals, Opponent, Policy, Rollout, ViewBuffers,
    kernels,
};
use oware::{RULE_SETS, Rules, Stream, Termination};
use support::drawn::any_config;

/// Plays a rollout; the actions and all else.
fn rollout(env: &mut Env, policy: Policy, steps: usize) -> (Vec<i64>, Buffers) {
    let rows = env.len() * steps;
    let (mut actions, mut buffers) = (vec![9; rows], Buffers::new(env.config(), rows));
    let arrays = Rollout { actions: &mut actions, out: buffers.outputs(), ..Rollout::default() };
    env.rollout(policy, arrays, &mut NoExternals, || ControlFlow::Continue(())).unwrap();
    (actions, buffers)
}

fn made(config: &Config, kernel: KernelName, rows: usize) -> Option<Env> {
    let config = Config { kernel: Some(kernel), ..config.clone() };
    match Env::new(config, rows, 7) {
        Err(EnvError::Openings { .. }) => None,
        made => {
            let mut env = made.unwrap();
            env.reset(None, None, &mut NoExternals).unwrap();
            Some(env)
        }
    }
}

#[test]
fn kernels_roll_out_like_single_rows() {
    let mut draw = Stream::from_seed(3);
    let opponents = [None, Some(Opponent::Random), Some(Opponent::Greedy)];
    let mut compared = 0;
    for kernel in kernels().into_iter().filter(|&kernel| kernel != KernelName::Words) {
        for number in 0..60 {
            let (_, named) = RULE_SETS[number % RULE_SETS.len()];
            let any = any_config(&mut draw, named, &opponents);
            let autoreset = [AutoresetMode::SameStep, AutoresetMode::NextStep][number % 2];
            let config = Config { autoreset, ..any };
            let policy = Policy::ALL[number / 2 % 2];
            let rows = [1, 63, 64, 65, 150][number % 5];
            let (Some(mut slow), Some(mut fast)) =
                (made(&config, KernelName::Words, rows), made(&config, kernel, rows))
            else {
                continue;
            };
            for steps in [1, 70] {
                assert!(rollout(&mut slow, policy, steps) == rollout(&mut fast, policy, steps), "{kernel} {config:?}");
                assert!(slow.state() == fast.state(), "{kernel} {config:?}");
            }
            compared += 1;
        }
    }
    assert!(compared > 40);
}

/// In self-play nothing but the actions is drawn, so that steps with them give the same.
#[test]
fn a_rollout_is_its_steps() {
    for (_, rules) in RULE_SETS {
        for autoreset in [AutoresetMode::SameStep, AutoresetMode::NextStep] {
            let config = Config { rules, autoreset, seat_rewards: true, ..Config::default() };
            let (rows, steps) = (70, 300);
            let mut env = made(&config, KernelName::Words, rows).unwrap();
            let (actions, all) = rollout(&mut env, Policy::Random, steps);
            let mut env = made(&config, KernelName::Words, rows).unwrap();
            let mut seen = ViewBuffers::new(&config, rows);
            env.write_views(&mut seen.views());
            let mut ended = 0;
            for (step, actions) in actions.chunks_exact(rows).enumerate() {
                let at = step * rows..(step + 1) * rows;
                assert_eq!(seen.action_mask, all.views.action_mask[at.start * 6..at.end * 6]);
                assert_eq!(seen.to_move, all.views.to_move[at.clone()]);
                let mut given = Buffers::new(&config, rows);
                env.step(actions, &mut NoExternals, given.outputs()).unwrap();
                let mut endings = given.views.termination.clone();
                for last in env.finals() {
                    endings[last.row] = last.ending.map_or(0, Termination::code) as i8;
                }
                ended += endings.iter().filter(|&&code| code > 0).count();
                assert_eq!(endings, all.views.termination[at.clone()]);
                assert_eq!(given.reward, all.reward[at.clone()]);
                assert_eq!(given.terminated, all.terminated[at.clone()]);
                assert_eq!(given.truncated, all.truncated[at.clone()]);
                assert_eq!(given.seat_rewards.unwrap(), all.seat_rewards.as_ref().unwrap()[at.start * 2..at.end * 2]);
                seen = given.views;
            }
            assert!(ended > rows);
        }
    }
}

#[test]
fn a_rollout_refuses_what_does_not_fit() {
    let config = Config { rules: Rules::default(), ..Config::default() };
    let mut env = Env::new(config.clone(), 2, 0).unwrap();
    let mut buffers = Buffers::new(&config, 4);
    let mut try_with = |env: &mut Env, count: usize| {
        let arrays = Rollout { actions: &mut vec![0; count], out: buffers.outputs(), ..Rollout::default() };
        env.rollout(Policy::Random, arrays, &mut NoExternals, || ControlFlow::Continue(()))
    };
    assert!(matches!(try_with(&mut env, 4), Err(EnvError::ResetNeeded { row: 0, .. })));
    env.reset(None, None, &mut NoExternals).unwrap();
    for count in [0, 2, 3, 5] {
        assert!(matches!(try_with(&mut env, count), Err(EnvError::Count { .. })), "{count}");
    }
    try_with(&mut env, 4).unwrap();
}

#[test]
fn a_rollout_can_be_stopped() {
    let config = Config { autoreset: AutoresetMode::SameStep, ..Config::default() };
    let mut env = made(&config, KernelName::Words, 3).unwrap();
    let (mut actions, mut buffers) = (vec![9; 30], Buffers::new(&config, 30));
    let mut steps = 0;
    let go_on = || {
        steps += 1;
        if steps > 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let arrays = Rollout { actions: &mut actions, out: buffers.outputs(), ..Rollout::default() };
    env.rollout(Policy::Greedy, arrays, &mut NoExternals, go_on).unwrap();
    assert_eq!(env.game(0).unwrap().ply(), 4);
    assert!(actions[12..].iter().all(|&action| action == 9));
}
