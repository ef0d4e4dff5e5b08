//! Every kernel of this machine against single rows: the same actions give the same results and the same states.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;

use oware::env::{AutoresetMode, Buffers, Config, Env, EnvError, KernelName, NoExternals, Opponent, kernels};
use oware::{Move, Occurrences, Position, RULE_SETS, Rules, Stream};
use support::random::{any_config, any_rules, one_of, positions_in_play, samples};

const OPPONENTS: [Option<Opponent>; 3] = [None, Some(Opponent::Random), Some(Opponent::Greedy)];

/// The same rows twice, one by one and under a kernel.
struct Race {
    slow: Env,
    fast: Env,
    slow_out: Buffers,
    fast_out: Buffers,
    draw: Stream,
    what: String,
}

impl Race {
    /// `None` where hardly an opening leaves a game to play.
    fn new(kernel: KernelName, config: &Config, rows: usize, seed: u64) -> Option<Self> {
        let what = format!("{kernel} with {rows} rows, seed {seed}, {config:?}");
        let make = |kernel| match Env::new(Config { kernel: Some(kernel), ..config.clone() }, rows, seed) {
            Err(EnvError::Openings { .. }) => None,
            made => Some(made.unwrap()),
        };
        let (slow, fast) = (make(KernelName::Words)?, make(kernel)?);
        let (slow_out, fast_out) = (Buffers::new(config, rows), Buffers::new(config, rows));
        let mut race = Self { slow, fast, slow_out, fast_out, draw: Stream::from_seed(seed), what };
        race.reset(None);
        Some(race)
    }

    fn reset(&mut self, mask: Option<&[bool]>) {
        for env in [&mut self.slow, &mut self.fast] {
            env.reset(None, mask, &mut NoExternals).unwrap();
        }
        self.look();
    }

    /// Starts all rows from positions, in both environments alike, or in neither.
    fn set_positions(&mut self, positions: &[Position]) {
        let places: Vec<_> = positions.iter().copied().cycle().take(self.slow.len()).enumerate().collect();
        let [slow, fast] =
            [&mut self.slow, &mut self.fast].map(|env| env.set_positions(&places, &mut NoExternals).is_ok());
        assert_eq!(slow, fast, "{}", self.what);
        self.look();
    }

    /// Compares what is shown and what is saved, and goes on from what was saved.
    fn look(&mut self) {
        self.slow.write_views(&mut self.slow_out.views.views());
        self.fast.write_views(&mut self.fast_out.views.views());
        assert_eq!(self.slow_out.views, self.fast_out.views, "{}", self.what);
        let state = self.fast.state();
        assert!(self.slow.state() == state, "{}", self.what);
        self.fast.set_state(&state, 0).unwrap();
    }

    /// Random legal actions for every row that takes one.
    fn actions(&mut self) -> Vec<i64> {
        let masks = self.slow_out.views.action_mask.chunks_exact(6);
        let legal = masks.map(|mask| Move::all().filter(|mv| mask[mv.index()] == 1).collect());
        legal.map(|legal| self.draw.choose(legal).map_or(0, |mv| mv.index() as i64)).collect()
    }

    fn step(&mut self) {
        let actions = self.actions();
        self.slow.step(&actions, &mut NoExternals, self.slow_out.outputs()).unwrap();
        self.fast.step(&actions, &mut NoExternals, self.fast_out.outputs()).unwrap();
        assert_eq!(self.slow_out, self.fast_out, "{}", self.what);
        let finals = [&self.slow, &self.fast].map(|env| {
            let mut finals: Vec<_> = env.finals().copied().collect();
            finals.sort_by_key(|last| last.row);
            finals
        });
        assert_eq!(finals[0], finals[1], "{}", self.what);
        let Buffers { terminated, truncated, .. } = &self.slow_out;
        let over: Vec<bool> = terminated.iter().zip(truncated).map(|(&over, &cut)| over | cut == 1).collect();
        if self.slow.config().autoreset == AutoresetMode::Disabled && over.contains(&true) {
            self.reset(Some(&over));
        }
    }

    /// Plays so many steps, from positions now and then.
    fn run(mut self, steps: usize, positions: &[Position]) {
        for step in 1..=steps {
            self.step();
            if step % 37 == 0 {
                self.look();
            }
            if step % 16 == 0 && !positions.is_empty() {
                self.set_positions(positions);
            }
        }
        self.look();
    }
}

fn block_kernels() -> Vec<KernelName> {
    kernels().into_iter().filter(|&kernel| kernel != KernelName::Words).collect()
}

#[test]
fn kernels_play_named_rules_like_single_rows() {
    for kernel in block_kernels() {
        for (seed, (_, rules)) in (0..).zip(RULE_SETS) {
            for opponent in OPPONENTS {
                let config = Config { rules, opponent, autoreset: AutoresetMode::SameStep, ..Config::default() };
                Race::new(kernel, &config, 130, seed).unwrap().run(150, &[]);
            }
        }
    }
}

#[test]
fn kernels_play_random_rules_like_single_rows() {
    let mut draw = Stream::from_seed(1);
    let kernels = block_kernels();
    for (seed, rules) in (0..).zip(samples(&any_rules(), 1, 300)) {
        // A count of laps around the board that ends at 255 must do for more occurrences than that, too.
        let repetition = if seed % 16 == 0 { Occurrences::new(300) } else { rules.repetition };
        let config = any_config(&mut draw, Rules { repetition, ..rules }, &OPPONENTS);
        let rows = one_of(&mut draw, &[1, 7, 63, 64, 65, 100]);
        if let Some(race) = Race::new(one_of(&mut draw, &kernels), &config, rows, seed) {
            let positions = if seed % 2 == 0 { positions_in_play(rules, seed) } else { Vec::new() };
            race.run(80, &positions);
        }
    }
}

/// The last block of 65 rows has 63 lanes that no row ever plays.
#[test]
fn a_long_run_takes_no_more_memory_than_a_short_one() {
    for kernel in block_kernels() {
        let mut race = Race::new(kernel, &Config::default(), 65, 1).unwrap();
        // All that an environment keeps can be seen in its debug output.
        let mut size_after = |steps: usize| {
            (0..steps).for_each(|_| race.step());
            format!("{:?}", race.fast).len()
        };
        let short = size_after(500);
        let long = size_after(4500);
        assert!(long < 2 * short, "{kernel}: {short} characters, later {long}");
    }
}
