//! Every kernel of this machine against single rows: the same actions give the same bytes.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::num::NonZeroU32;

use oware::batch::observe::ObservationKind;
use oware::env::{
    AutoresetMode, Buffers, Config, Env, KernelName, NoExternals, Opponent, RewardKind, SeatChoice, kernels,
};
use oware::{Feeding, Game, GrandSlam, Move, Occurrences, RULE_SETS, Rules, SeedsPerPit, Setup, Share, Stream};

/// A member of a slice, drawn.
fn pick<T: Copy>(stream: &mut Stream, from: &[T]) -> T {
    from[below(stream, from.len() as u64) as usize]
}

fn below(stream: &mut Stream, bound: u64) -> u64 {
    stream.draw() % bound
}

fn random_rules(stream: &mut Stream) -> Rules {
    Rules {
        grand_slam: pick(stream, GrandSlam::ALL),
        feeding: pick(stream, Feeding::ALL),
        no_move: pick(stream, Share::ALL),
        repetition: Occurrences::new(pick(stream, &[0, 2, 2, 3, 3, 4, 300])),
        repetition_needs_both_rows: pick(stream, &[false, true]),
        repetition_share: pick(stream, Share::ALL),
        max_plies: NonZeroU32::new(pick(stream, &[0, 0, 5, 60, 200, 70_000])),
        limit_share: pick(stream, Share::ALL),
        majority_ends: pick(stream, &[false, true]),
        seeds_per_pit: SeedsPerPit::new(pick(stream, &[1, 2, 3, 4, 4, 4, 6, 20])).unwrap(),
    }
}

fn random_config(stream: &mut Stream, rules: Rules) -> Config {
    Config {
        rules,
        opponent: pick(stream, &[None, None, Some(Opponent::Random), Some(Opponent::Greedy)]),
        seat: pick(stream, SeatChoice::ALL),
        observation: pick(stream, ObservationKind::ALL),
        reward: pick(stream, RewardKind::ALL),
        seat_rewards: pick(stream, &[false, true]),
        autoreset: pick(stream, AutoresetMode::ALL),
        max_steps: NonZeroU32::new(pick(stream, &[0, 7, 50, 1000])),
        opening_plies: pick(stream, &[0, 0, 1, 4]),
        ..Config::default()
    }
}

/// A set-up that need not be reachable: many or few seeds, empty rows, a full pit.
fn random_position(stream: &mut Stream, rules: &Rules) -> Option<oware::Position> {
    let most = i64::from(rules.seeds_per_pit.total());
    let mut pits = vec![0_i64; 12];
    let seeds = below(stream, most as u64 + 1) as i64;
    match below(stream, 4) {
        0 => pits[below(stream, 12) as usize] = seeds,
        1 => (0..seeds).for_each(|_| pits[below(stream, 6) as usize] += 1),
        2 => (0..seeds).for_each(|_| pits[below(stream, 12) as usize] += 1),
        _ => (0..seeds.min(6)).for_each(|_| pits[below(stream, 12) as usize] += 1),
    }
    let left = most - pits.iter().sum::<i64>();
    let south = below(stream, left as u64 + 1) as i64;
    let north = below(stream, (left - south) as u64 + 1) as i64;
    Setup { pits, stores: vec![south, north], to_move: below(stream, 2) as i64 }.validate(rules).ok()
}

/// Random legal actions for every row that takes one.
fn actions(stream: &mut Stream, buffers: &Buffers) -> Vec<i64> {
    let masks = buffers.views.action_mask.chunks_exact(6);
    masks
        .map(|mask| {
            let legal = Move::all().filter(|mv| mask[mv.index()] == 1).collect();
            stream.choose(legal).map_or(0, |mv| mv.index() as i64)
        })
        .collect()
}

/// Starts all rows from random positions, in both environments alike, if none of them refuses.
fn set_up(stream: &mut Stream, envs: [&mut Env; 2]) {
    let [one, other] = envs;
    let positions: Vec<_> = (0..one.len())
        .filter_map(|row| Some((row, random_position(stream, &one.config().rules)?)))
        .filter(|(_, position)| !Game::from_position(one.config().rules, *position, 0).is_over())
        .collect();
    let first = one.set_positions(&positions, &mut NoExternals).is_ok();
    let second = other.set_positions(&positions, &mut NoExternals).is_ok();
    assert_eq!(first, second);
}

fn assert_same(one: &Buffers, other: &Buffers, what: &str) {
    // The rows that did not finish hold nothing that is told.
    let told = |buffers: &Buffers| {
        let mut told = buffers.clone();
        if let Some(finals) = &mut told.finals {
            for row in 0..told.reward.len() {
                if !(told.terminated[row] || told.truncated[row]) {
                    finals.to_move[row] = 0;
                    finals.winner[row] = 0;
                    finals.termination[row] = 0;
                }
            }
        }
        format!("{told:?}")
    };
    let finals = |buffers: &Buffers| buffers.finals.is_some();
    assert_eq!(finals(one), finals(other));
    if told(one) != told(other) {
        assert_eq!(one.views.to_move, other.views.to_move, "to_move, {what}");
        assert_eq!(one.views.action_mask, other.views.action_mask, "action_mask, {what}");
        assert_eq!(one.views.termination, other.views.termination, "termination, {what}");
        assert_eq!(one.terminated, other.terminated, "terminated, {what}");
        assert_eq!(one.truncated, other.truncated, "truncated, {what}");
        assert_eq!(one.reward, other.reward, "reward, {what}");
        panic!("observations, winners or finals differ, {what}");
    }
}

/// Plays `steps` steps of a kernel and of single rows side by side.
fn compare(kernel: KernelName, config: &Config, rows: usize, steps: usize, seed: u64, set_ups: bool) {
    let mut stream = Stream::from_seed(seed);
    let what = format!("{kernel} with {rows} rows, seed {seed}, {config:?}");
    let make = |kernel| Env::new(Config { kernel: Some(kernel), ..config.clone() }, rows, seed);
    let (Ok(mut slow), Ok(mut fast)) = (make(KernelName::Words), make(kernel)) else {
        return; // Hardly an opening leaves a game to play.
    };
    let mut slow_out = Buffers::new(config, rows);
    let mut fast_out = Buffers::new(config, rows);
    for env in [&mut slow, &mut fast] {
        env.reset(None, None, &mut NoExternals).unwrap();
    }
    for step in 0..steps {
        if set_ups && step % 16 == 0 {
            set_up(&mut stream, [&mut slow, &mut fast]);
        }
        if step % 37 == 0 {
            assert!(slow.state() == fast.state(), "states differ before step {step}, {what}");
            let state = fast.state();
            fast.set_state(&state, 0).unwrap();
            slow.write_views(&mut slow_out.views.views());
            fast.write_views(&mut fast_out.views.views());
            assert_eq!(format!("{:?}", slow_out.views), format!("{:?}", fast_out.views), "{what}");
        }
        if config.autoreset == AutoresetMode::Disabled {
            let finished: Vec<bool> =
                slow_out.terminated.iter().zip(&slow_out.truncated).map(|(&over, &cut)| over || cut).collect();
            for env in [&mut slow, &mut fast] {
                env.reset(None, Some(&finished), &mut NoExternals).unwrap();
            }
            slow.write_views(&mut slow_out.views.views());
        }
        if set_ups {
            slow.write_views(&mut slow_out.views.views());
        }
        let actions = actions(&mut stream, &slow_out);
        slow.step(&actions, &mut NoExternals, slow_out.outputs()).unwrap();
        fast.step(&actions, &mut NoExternals, fast_out.outputs()).unwrap();
        assert_same(&slow_out, &fast_out, &format!("step {step}, {what}"));
    }
    assert!(slow.state() == fast.state(), "final states differ, {what}");
}

fn fast_kernels() -> Vec<KernelName> {
    kernels().into_iter().filter(|&kernel| kernel != KernelName::Words).collect()
}

#[test]
fn kernels_play_named_rules_like_single_rows() {
    for kernel in fast_kernels() {
        for (number, (_, rules)) in RULE_SETS.into_iter().enumerate() {
            for opponent in [None, Some(Opponent::Random), Some(Opponent::Greedy)] {
                let config = Config { rules, opponent, autoreset: AutoresetMode::SameStep, ..Config::default() };
                compare(kernel, &config, 130, 150, number as u64, false);
            }
        }
    }
}

#[test]
fn kernels_play_random_rules_like_single_rows() {
    let mut stream = Stream::from_seed(2026);
    for seed in 0..200 {
        let rules = random_rules(&mut stream);
        let config = random_config(&mut stream, rules);
        let rows = pick(&mut stream, &[1, 7, 63, 64, 65, 100]);
        let kernels = fast_kernels();
        let kernel = kernels[seed as usize % kernels.len()];
        compare(kernel, &config, rows, 80, seed, seed % 2 == 0);
    }
}
