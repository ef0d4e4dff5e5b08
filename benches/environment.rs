//! Steps of an environment without Python around it, by kernel, rule set, opponent and number of boards.
//!
//! A second environment with the same seed plays ahead and draws the moves, so that only the step is timed.

#![allow(clippy::unwrap_used, reason = "a benchmark that fails is no benchmark")]

use std::fmt;

use divan::Bencher;
use divan::counter::ItemsCount;
use oware::env::{AutoresetMode, Buffers, Config, Env, KernelName, NoExternals, Opponent, kernels};
use oware::{MoveSet, ROW, RULE_SETS, Rules, Stream};

/// Plies before anything is timed, so that games are at all stages.
const WARM_UP: usize = 1000;

fn main() {
    divan::main();
}

/// What is stepped.
#[derive(Clone)]
struct Case {
    rules: &'static str,
    kernel: Option<KernelName>,
    opponent: Option<Opponent>,
    boards: usize,
}

const CODINGAME: Case = Case { rules: "codingame", kernel: None, opponent: None, boards: 1024 };

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rules, self.boards)?;
        if let Some(kernel) = self.kernel {
            write!(f, " {kernel}")?;
        }
        if let Some(opponent) = self.opponent {
            write!(f, " {opponent:?}")?;
        }
        Ok(())
    }
}

/// An environment and all that its steps fill.
struct Played {
    env: Env,
    out: Buffers,
}

impl Played {
    fn new(case: &Case) -> Self {
        let config = Config {
            rules: Rules::named(case.rules).unwrap(),
            kernel: case.kernel,
            opponent: case.opponent,
            autoreset: AutoresetMode::SameStep,
            ..Config::default()
        };
        let out = Buffers::new(&config, case.boards);
        let mut played = Self { env: Env::new(config, case.boards, 1).unwrap(), out };
        played.env.reset(None, None, &mut NoExternals).unwrap();
        played.env.write_views(&mut played.out.views.views());
        played
    }

    fn step(&mut self, actions: &[i64]) {
        self.env.step(actions, &mut NoExternals, self.out.outputs()).unwrap();
    }

    /// A legal action for each board, each as likely.
    fn draw(&self, stream: &mut Stream) -> Vec<i64> {
        let legal = |mask: &[i8]| {
            let bits = mask.iter().enumerate().map(|(mv, &is_legal)| (is_legal as u8) << mv).sum();
            MoveSet::from_bits(bits)
        };
        let masks = self.out.views.action_mask.chunks_exact(ROW);
        masks.map(|mask| stream.choose(legal(mask)).unwrap().index() as i64).collect()
    }
}

fn time(bencher: Bencher<'_, '_>, case: &Case) {
    let [mut scout, mut played] = [(); 2].map(|()| Played::new(case));
    let mut stream = Stream::from_seed(1);
    let mut ahead = || {
        let actions = scout.draw(&mut stream);
        scout.step(&actions);
        actions
    };
    for _ in 0..WARM_UP {
        played.step(&ahead());
    }
    bencher.counter(ItemsCount::new(case.boards)).with_inputs(ahead).bench_local_refs(|actions| played.step(actions));
}

fn sizes() -> impl Iterator<Item = Case> {
    let of = |rules| [1, 64, 1024, 65_536].map(|boards| Case { rules, boards, ..CODINGAME });
    ["codingame", "abapa"].into_iter().flat_map(of)
}

fn every_kernel() -> impl Iterator<Item = Case> {
    let of = |rules| kernels().into_iter().map(move |kernel| Case { rules, kernel: Some(kernel), ..CODINGAME });
    ["codingame", "abapa"].into_iter().flat_map(of)
}

fn rule_sets() -> impl Iterator<Item = Case> {
    RULE_SETS.iter().map(|(rules, _)| Case { rules, ..CODINGAME })
}

fn opponents() -> impl Iterator<Item = Case> {
    [Opponent::Random, Opponent::Greedy].into_iter().map(|opponent| Case { opponent: Some(opponent), ..CODINGAME })
}

#[divan::bench(args = sizes())]
fn step(bencher: Bencher<'_, '_>, case: &Case) {
    time(bencher, case);
}

#[divan::bench(args = every_kernel())]
fn step_by_kernel(bencher: Bencher<'_, '_>, case: &Case) {
    time(bencher, case);
}

#[divan::bench(args = rule_sets())]
fn step_by_rules(bencher: Bencher<'_, '_>, case: &Case) {
    time(bencher, case);
}

#[divan::bench(args = opponents())]
fn step_with_opponent(bencher: Bencher<'_, '_>, case: &Case) {
    time(bencher, case);
}
