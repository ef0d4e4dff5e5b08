//! Every row of an environment against a [`Game`] that is played beside it, over rules and configurations of all kinds.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in the tests but not in their helpers")]

mod support;
#[path = "support/twin.rs"]
mod twin;

use std::error::Error;
use std::num::NonZeroUsize;

use oware::env::{
    AutoresetMode, Buffers, Config, Env, EnvError, Externals, Final, KernelName, NoExternals, Opponent, Request,
    ViewBuffers, kernels,
};
use oware::{Move, MoveSet, Position, RULE_SETS, Rules, Stream};
use support::random::{any_config, any_rules, one_of, positions_in_play, samples};
use twin::{Sight, Twin, answer};

struct Answers;

impl Externals for Answers {
    fn reply(&mut self, number: u8, request: &Request) -> Result<Vec<i64>, Box<dyn Error + Send + Sync>> {
        assert!(request.rows.is_sorted());
        let masks = request.action_masks.chunks_exact(6);
        let legal = masks.map(|mask| (0..6).filter(|&index| mask[index] == 1).map(support::mv).collect());
        Ok(legal.map(|legal| answer(number, legal).map_or(-1, |mv| mv.index() as i64)).collect())
    }
}

/// Everybody who can sit on the other seat, and nobody.
const OPPONENTS: [Option<Opponent>; 5] =
    [None, Some(Opponent::Random), Some(Opponent::Greedy), Some(Opponent::External(0)), Some(Opponent::External(1))];

/// An environment and its twins.
struct Pair {
    config: Config,
    env: Env,
    twins: Vec<Twin>,
    buffers: Buffers,
    /// Positions in play from which episodes can start.
    positions: Vec<Position>,
    /// Whether moves that capture are put off: such games last, and repeat themselves.
    peaceful: bool,
    draw: Stream,
}

impl Pair {
    /// `None` where hardly an opening leaves a game to play.
    fn new(config: Config, rows: usize, seed: u64) -> Option<Self> {
        let env = match Env::new(config.clone(), rows, seed) {
            Err(EnvError::Openings { .. }) => return None,
            made => made.unwrap(),
        };
        let twins = (0..rows as u64).map(|row| Twin::new(&config, seed + row)).collect();
        let buffers = Buffers::new(&config, rows);
        let positions = positions_in_play(config.rules, seed);
        let peaceful = seed.is_multiple_of(4);
        let draw = Stream::from_seed(seed);
        Some(Self { config, env, twins, buffers, positions, peaceful, draw })
    }

    fn some_rows(&mut self) -> Vec<bool> {
        (0..self.twins.len()).map(|_| self.draw.draw().is_multiple_of(3)).collect()
    }

    fn reset(&mut self, mask: Option<&[bool]>, seeds: Option<&[Option<u64>]>) {
        self.env.reset(seeds, mask, &mut Answers).unwrap();
        for (row, twin) in self.twins.iter_mut().enumerate() {
            if mask.is_none_or(|mask| mask[row]) {
                if let Some(seed) = seeds.and_then(|seeds| seeds[row]) {
                    twin.stream = Stream::from_seed(seed);
                }
                twin.begin(&self.config);
            }
        }
        self.check_views();
    }

    fn set_positions(&mut self) {
        let mask = self.some_rows();
        let rows = (0..self.twins.len()).filter(|&row| mask[row] && !self.positions.is_empty());
        let positions: Vec<_> = rows.map(|row| (row, one_of(&mut self.draw, &self.positions))).collect();
        let before = self.env.state();
        let mut twins = self.twins.clone();
        for &(row, position) in &positions {
            twins[row].begin_at(&self.config, position);
        }
        let placed = self.env.set_positions(&positions, &mut Answers);
        if twins.iter().zip(mask).any(|(twin, placed)| placed && twin.game.is_over()) {
            assert!(matches!(placed, Err(EnvError::OpponentEndsGame { .. })));
            assert!(self.env.state() == before);
        } else {
            placed.unwrap();
            self.twins = twins;
        }
        self.check_views();
    }

    /// Legal actions, and anything at all where a row has finished.
    fn some_actions(&mut self) -> Vec<i64> {
        let Self { twins, peaceful, draw, .. } = self;
        let quiet = |twin: &Twin, legal: MoveSet| -> MoveSet {
            legal.iter().filter(|&mv| twin.game.clone().play(mv).unwrap() == 0).collect()
        };
        let mut action = |twin: &Twin| {
            let legal = twin.game.legal_moves();
            let quiet = if *peaceful { quiet(twin, legal) } else { legal };
            match draw.choose(if quiet.is_empty() { legal } else { quiet }) {
                Some(mv) if twin.live => mv.index() as i64,
                _ => draw.draw() as i64,
            }
        };
        twins.iter().map(&mut action).collect()
    }

    fn step(&mut self) {
        let actions = self.some_actions();
        if self.draw.draw().is_multiple_of(32) {
            self.refuse(actions.clone());
        }
        self.env.step(&actions, &mut Answers, self.buffers.outputs()).unwrap();
        let mut finished = Vec::new();
        for (row, &action) in actions.iter().enumerate() {
            let twin = &mut self.twins[row];
            let given = twin.step(&self.config, action);
            let Buffers { reward, terminated, truncated, seat_rewards, .. } = &self.buffers;
            assert_eq!(reward[row].to_bits(), given.reward.to_bits());
            assert_eq!((terminated[row], truncated[row]), (given.terminated.into(), given.truncated.into()));
            if let Some(both) = seat_rewards {
                assert_eq!(both[2 * row + given.seat.index()].to_bits(), given.reward.to_bits());
                assert_eq!(both[2 * row + given.seat.other().index()].to_bits(), (0.0 - given.reward).to_bits());
            }
            if self.config.autoreset == AutoresetMode::SameStep && !twin.live {
                finished.push((row, twin.sight()));
                twin.begin(&self.config);
            }
            twin.sight().check(&self.buffers.views, row, &self.config.rules);
        }
        self.check_finals(&finished);
        let row = self.draw.draw() as usize % self.twins.len();
        self.check_game(row);
        let over: Vec<bool> = self.twins.iter().map(|twin| !twin.live).collect();
        if self.config.autoreset == AutoresetMode::Disabled && over.contains(&true) {
            self.reset(Some(&over), None);
        }
    }

    /// The environment tells the rows that the step has finished and reset, and no others.
    fn check_finals(&self, finished: &[(usize, Sight)]) {
        let mut finals: Vec<Final> = self.env.finals().copied().collect();
        finals.sort_by_key(|last| last.row);
        let mut views = ViewBuffers::new(&self.config, self.twins.len());
        finals.iter().for_each(|last| views.views().write_final(last));
        assert!(finals.iter().map(|last| last.row).eq(finished.iter().map(|&(row, _)| row)));
        for (row, sight) in finished {
            sight.check(&views, *row, &self.config.rules);
        }
    }

    /// An action that cannot be played changes nothing.
    fn refuse(&mut self, mut actions: Vec<i64>) {
        let row = self.draw.draw() as usize % actions.len();
        let Twin { game, live, .. } = &self.twins[row];
        let illegal = Move::all().find(|&mv| !game.legal_moves().contains(mv));
        if !live {
            return;
        }
        actions[row] = illegal.map_or(6, |mv| mv.index() as i64);
        let before = self.env.state();
        let result = self.env.step(&actions, &mut Answers, Buffers::new(&self.config, actions.len()).outputs());
        assert!(matches!(result, Err(EnvError::Action { row: named, .. }) if named == row), "{result:?}");
        assert!(self.env.state() == before);
    }

    /// The game of a row is its twin's, with the latest of its moves.
    fn check_game(&self, row: usize) {
        let ours = self.env.game(row).unwrap();
        let twin = &self.twins[row].game;
        assert_eq!(ours.position(), twin.position());
        assert_eq!((ours.outcome(), ours.ply()), (twin.outcome(), twin.ply()));
        assert!(ours.moves().rev().eq(twin.moves().rev().take(ours.moves().len())));
        assert!(ours.moves().len() > 0 || twin.moves().len() == 0);
        if ours.rules().repetition.is_some() {
            assert_eq!(ours.occurrences(), twin.occurrences());
        }
    }

    fn check_views(&self) {
        let mut views = ViewBuffers::new(&self.config, self.twins.len());
        self.env.write_views(&mut views.views());
        for (row, twin) in self.twins.iter().enumerate() {
            twin.sight().check(&views, row, &self.config.rules);
        }
    }

    /// Goes on in another environment that takes the state over.
    fn change_environments(&mut self) {
        let state = self.env.state();
        let mut other = Env::new(self.config.clone(), self.twins.len(), 0).unwrap();
        other.set_state(&state, 2).unwrap();
        assert!(other.state() == state);
        self.env = other;
        self.check_views();
    }

    fn set_opponent(&mut self) {
        if self.config.opponent.is_some() {
            let opponent = one_of(&mut self.draw, &OPPONENTS[1..]);
            if self.env.set_opponent(opponent).is_ok() {
                self.config.opponent = opponent;
            }
        }
    }

    /// Plays so many steps, and disturbs the play in every way now and then. Returns the plies.
    fn play(&mut self, steps: u32) -> u64 {
        self.reset(None, None);
        for _ in 0..steps {
            match self.draw.draw() % 64 {
                0 => self.change_environments(),
                1 => self.set_positions(),
                2 => self.set_opponent(),
                3 => {
                    let mask = self.some_rows();
                    let seeds: Vec<_> = mask.iter().map(|&seeded| seeded.then(|| self.draw.draw())).collect();
                    self.reset(Some(&mask), Some(&seeds));
                }
                _ => {}
            }
            self.step();
        }
        self.twins.iter().map(|twin| twin.plies).sum()
    }
}

/// Plays environments of odd sizes, each under its own rules, until so many plies have been compared.
fn play_many(plies: u64, seed: u64, rules: &[Rules]) {
    let mut draw = Stream::from_seed(seed);
    let mut played = 0;
    let kernels: Vec<_> = kernels().into_iter().map(Some).chain([None]).collect();
    let mut rules = rules.iter().cycle();
    while played < plies {
        let rows = one_of(&mut draw, &[1, 2, 7, 31, 64, 65, 127, 129, 257]);
        let config = any_config(&mut draw, *rules.next().unwrap(), &OPPONENTS);
        let config = Config { kernel: one_of(&mut draw, &kernels), ..config };
        if let Some(mut pair) = Pair::new(config, rows, draw.draw() >> 1) {
            played += pair.play(150);
        }
    }
}

#[test]
fn random_rules() {
    play_many(1_200_000, 1, &samples(&any_rules(), 1, 1000));
}

#[test]
fn named_rules() {
    play_many(1_200_000, 2, &RULE_SETS.map(|(_, rules)| rules));
}

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
