//! The same rows under several kernels, and as games of the rules core: all that is seen must be the same.

#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::error::Error;

use oware::env::{
    AutoresetMode, Buffers, Config, Env, EnvError, Externals, Final, KernelName, Method, Opponent, Request, Searcher,
    ViewBuffers, kernels,
};
use oware::{Move, MoveSet, Position, Stream};

use crate::support::drawn::{Bytes, Draw, any_config, any_rules, position_in_play};
use crate::support::mv;
use crate::support::twin::{Sight, Tally, Twin, answer};

/// Outside opponents that play as their twins do.
pub(crate) struct Answers;

impl Externals for Answers {
    fn reply(&mut self, number: u8, request: &Request) -> Result<Vec<i64>, Box<dyn Error + Send + Sync>> {
        assert!(request.rows.is_sorted());
        let masks = request.action_masks.chunks_exact(6);
        let legal = masks.map(|mask| (0..6).filter(|&index| mask[index] == 1).map(mv).collect());
        Ok(legal.map(|legal| answer(number, legal).map_or(-1, |mv| mv.index() as i64)).collect())
    }
}

/// Who can sit on the other seat, and nobody. Tree search is left to tests of its own: it plays a game for every reply.
pub(crate) const OPPONENTS: [Option<Opponent>; 8] = [
    None,
    Some(Opponent::Random),
    Some(Opponent::Greedy),
    Some(Opponent::Search(Searcher::unaided(Method::Minimax(2)))),
    Some(Opponent::Network(0)),
    Some(Opponent::Network(1)),
    Some(Opponent::External(0)),
    Some(Opponent::External(1)),
];

/// An environment and what its last step has told.
struct Side {
    kernel: KernelName,
    env: Env,
    buffers: Buffers,
}

/// Plays what bytes tell: the rules, the environment, its size, and what happens at each step. Returns the plies.
pub(crate) fn play_bytes(bytes: &[u8]) -> u64 {
    let mut draw = Bytes(bytes);
    let rules = any_rules(&mut draw);
    let config = any_config(&mut draw, rules, &OPPONENTS);
    let rows = draw.one_of(&[1, 2, 7, 63, 64, 65, 130]);
    let contest = Contest::new(config, &kernels(), rows, draw);
    contest.map_or(0, |mut contest| {
        contest.play(u32::MAX);
        contest.plies()
    })
}

/// Environments that play the same rows, and a game beside each row.
pub(crate) struct Contest<D> {
    config: Config,
    sides: Vec<Side>,
    twins: Vec<Twin>,
    /// Whether moves that capture are put off: such games last, and repeat themselves.
    peaceful: bool,
    draw: D,
    /// Plies that every environment has played with its own kernel, not waiting for an outside opponent.
    plies: u64,
    /// What the environments were made of, for whoever reads of a difference.
    what: String,
}

impl<D: Draw> Contest<D> {
    /// `None` where hardly an opening leaves a game to play.
    pub(crate) fn new(config: Config, kernels: &[KernelName], rows: usize, mut draw: D) -> Option<Self> {
        let seed = draw.bits() >> 1;
        let peaceful = draw.once_in(4);
        if !Twin::can_open(&config) {
            return None;
        }
        let mut sides = Vec::new();
        for &kernel in kernels {
            let env = match Env::new(Config { kernel: Some(kernel), ..config.clone() }, rows, seed) {
                Err(EnvError::Openings { .. }) => return None,
                made => made.unwrap(),
            };
            sides.push(Side { kernel, env, buffers: Buffers::new(&config, rows) });
        }
        let twins = (0..rows as u64).map(|row| Twin::new(&config, seed + row)).collect();
        let what = format!("{rows} rows, seed {seed}, {config:?}");
        let mut contest = Self { config, sides, twins, peaceful, draw, plies: 0, what };
        contest.reset(None, None);
        Some(contest)
    }

    /// Plays so many steps, unless the draws end before, and disturbs the play in every way now and then.
    pub(crate) fn play(&mut self, steps: u32) {
        for _ in 0..steps {
            if self.draw.is_dry() {
                break;
            }
            match self.draw.below(64) {
                0 => self.change_environments(),
                1 => {
                    let mask = self.some_rows();
                    self.set_positions(&mask);
                }
                2 => self.set_opponent(),
                3 => {
                    let mask = self.some_rows();
                    let mut draw = self.draw.stream();
                    let seeds: Vec<_> = mask.iter().map(|&seeded| seeded.then(|| draw.draw())).collect();
                    self.reset(Some(&mask), Some(&seeds));
                }
                _ => {}
            }
            self.step();
        }
        self.check_states();
    }

    /// Plays a few steps, now and then many, from a set-up in every row, so many times. Returns the set-ups
    /// that every kernel has played from.
    pub(crate) fn play_set_ups(&mut self, times: u32) -> u64 {
        let mut played = 0;
        for _ in 0..times {
            let placed = self.set_positions(&vec![true; self.twins.len()]);
            played += if self.is_at_home() { placed } else { 0 };
            let steps = if self.draw.once_in(16) { 30 } else { 1 + self.draw.below(3) };
            for _ in 0..steps {
                self.step();
            }
        }
        self.check_states();
        played
    }

    /// Plies that every kernel has played.
    pub(crate) fn plies(&self) -> u64 {
        self.plies
    }

    /// What the games came to.
    pub(crate) fn tally(&self) -> Tally {
        self.twins.iter().fold(Tally::default(), |sum, twin| sum.plus(&twin.tally))
    }

    /// Whether every environment plays with its own kernel, as none does that may ask an outside opponent.
    fn is_at_home(&self) -> bool {
        self.sides.iter().all(|side| side.env.kernel() == side.kernel)
    }

    fn some_rows(&mut self) -> Vec<bool> {
        let mut draw = self.draw.stream();
        (0..self.twins.len()).map(|_| draw.once_in(3)).collect()
    }

    fn reset(&mut self, mask: Option<&[bool]>, seeds: Option<&[Option<u64>]>) {
        for side in &mut self.sides {
            side.env.reset(seeds, mask, &mut Answers).unwrap();
        }
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

    /// Starts rows from set-ups; where the opponent would end the game at once, all is refused and those are left out.
    fn set_positions(&mut self, mask: &[bool]) -> u64 {
        let mut draw = self.draw.stream();
        let rows = (0..self.twins.len()).filter(|&row| mask[row]);
        let drawn = rows.filter_map(|row| Some((row, position_in_play(&mut draw, self.config.rules)?)));
        let placed: Vec<(usize, Position, Twin)> = drawn
            .map(|(row, position)| {
                let mut twin = self.twins[row].clone();
                twin.begin_at(&self.config, position);
                (row, position, twin)
            })
            .collect();
        let all: Vec<_> = placed.iter().map(|&(row, position, _)| (row, position)).collect();
        let lasting: Vec<_> = placed.into_iter().filter(|(_, _, twin)| !twin.game.is_over()).collect();
        let positions: Vec<_> = lasting.iter().map(|&(row, position, _)| (row, position)).collect();
        for Side { env, .. } in &mut self.sides {
            if all != positions {
                let before = env.state();
                let refused = env.set_positions(&all, &mut Answers);
                assert!(matches!(refused, Err(EnvError::OpponentEndsGame { .. })), "{refused:?}: {}", self.what);
                assert!(env.state() == before, "{}", self.what);
            }
            env.set_positions(&positions, &mut Answers).unwrap();
        }
        for (row, _, twin) in lasting {
            self.twins[row] = twin;
        }
        self.check_views();
        positions.len() as u64
    }

    /// Legal actions, and anything at all where a row has finished.
    fn some_actions(&mut self) -> Vec<i64> {
        let mut draw = self.draw.stream();
        let quiet = |twin: &Twin, legal: MoveSet| -> MoveSet {
            legal.iter().filter(|&mv| twin.game.clone().play(mv).unwrap() == 0).collect()
        };
        let mut action = |twin: &Twin| {
            let legal = twin.game.legal_moves();
            let quiet = if self.peaceful { quiet(twin, legal) } else { legal };
            match draw.choose(if quiet.is_empty() { legal } else { quiet }) {
                Some(mv) if twin.live => mv.index() as i64,
                _ => draw.draw() as i64,
            }
        };
        self.twins.iter().map(&mut action).collect()
    }

    pub(crate) fn step(&mut self) {
        let actions = self.some_actions();
        if self.draw.once_in(32) {
            self.refuse(actions.clone());
        }
        let before = self.tally().plies;
        let at_home = self.is_at_home();
        for Side { env, buffers, .. } in &mut self.sides {
            env.step(&actions, &mut Answers, buffers.outputs()).unwrap();
        }
        let mut finished = Vec::new();
        for (row, &action) in actions.iter().enumerate() {
            finished.extend(self.step_twin(row, action).map(|sight| (row, sight)));
        }
        self.check_finals(&finished);
        if at_home {
            self.plies += self.tally().plies - before;
        }
        let (first, others) = self.sides.split_first().unwrap();
        let bits = |rewards: &[f32]| -> Vec<u32> { rewards.iter().map(|reward| reward.to_bits()).collect() };
        for other in others {
            assert!(first.buffers == other.buffers, "{}, {}", other.kernel, self.what);
            assert_eq!(bits(&first.buffers.reward), bits(&other.buffers.reward), "{}, {}", other.kernel, self.what);
            let both = [first, other].map(|side| side.buffers.seat_rewards.as_deref().map(bits));
            assert_eq!(both[0], both[1], "{}, {}", other.kernel, self.what);
        }
        let row = self.draw.below(self.twins.len() as u64) as usize;
        self.check_game(row);
        let over: Vec<bool> = self.twins.iter().map(|twin| !twin.live).collect();
        if self.config.autoreset == AutoresetMode::Disabled && over.contains(&true) {
            self.reset(Some(&over), None);
        }
    }

    /// Plays an action in one game; the first environment has told the same of it. Returns how the game ended, where
    /// another one has begun in the same step.
    fn step_twin(&mut self, row: usize, action: i64) -> Option<Sight> {
        let Buffers { reward, terminated, truncated, seat_rewards, views } = &self.sides[0].buffers;
        let (config, what) = (&self.config, &self.what);
        let twin = &mut self.twins[row];
        let given = twin.step(config, action);
        assert_eq!(reward[row].to_bits(), given.reward.to_bits(), "row {row}, {what}");
        assert_eq!(
            (terminated[row], truncated[row]),
            (given.terminated.into(), given.truncated.into()),
            "row {row}, {what}"
        );
        if let Some(both) = seat_rewards {
            let found = [given.seat, given.seat.other()].map(|seat| both[2 * row + seat.index()].to_bits());
            assert_eq!(found, [given.reward, 0.0 - given.reward].map(f32::to_bits), "row {row}, {what}");
        }
        let mut last = None;
        if config.autoreset == AutoresetMode::SameStep && !twin.live {
            last = Some(twin.sight());
            twin.begin(config);
        }
        twin.sight().check(views, row, &config.rules, what);
        last
    }

    /// Every environment tells the rows that the step has finished and reset, and no others.
    fn check_finals(&self, finished: &[(usize, Sight)]) {
        for Side { env, kernel, .. } in &self.sides {
            let mut finals: Vec<Final> = env.finals().copied().collect();
            finals.sort_by_key(|last| last.row);
            let rows = finals.iter().map(|last| last.row);
            assert!(rows.eq(finished.iter().map(|&(row, _)| row)), "{kernel}, {}", self.what);
            if finals.is_empty() {
                continue;
            }
            let mut views = ViewBuffers::new(&self.config, self.twins.len());
            finals.iter().for_each(|last| views.views().write_final(last));
            for (row, sight) in finished {
                sight.check(&views, *row, &self.config.rules, &self.what);
            }
        }
    }

    /// An action that cannot be played changes nothing.
    fn refuse(&mut self, mut actions: Vec<i64>) {
        let row = self.draw.below(actions.len() as u64) as usize;
        let Twin { game, live, .. } = &self.twins[row];
        if !live {
            return;
        }
        let illegal = Move::all().find(|&mv| !game.legal_moves().contains(mv));
        actions[row] = illegal.map_or(6, |mv| mv.index() as i64);
        for Side { env, kernel, .. } in &mut self.sides {
            let before = env.state();
            let result = env.step(&actions, &mut Answers, Buffers::new(&self.config, actions.len()).outputs());
            assert!(matches!(result, Err(EnvError::Action { row: named, .. }) if named == row), "{kernel}: {result:?}");
            assert!(env.state() == before, "{kernel}, {}", self.what);
        }
    }

    /// The game of a row is its twin's, with the latest of its moves.
    fn check_game(&self, row: usize) {
        let twin = &self.twins[row].game;
        for Side { env, kernel, .. } in &self.sides {
            let ours = env.game(row).unwrap();
            let context = || format!("{kernel}, row {row}, {}", self.what);
            assert_eq!(ours.position(), twin.position(), "{}", context());
            assert_eq!((ours.outcome(), ours.ply()), (twin.outcome(), twin.ply()), "{}", context());
            assert!(ours.moves().rev().eq(twin.moves().rev().take(ours.moves().len())), "{}", context());
            assert!(ours.moves().len() > 0 || twin.moves().len() == 0, "{}", context());
            if ours.rules().repetition.is_some() {
                assert_eq!(ours.occurrences(), twin.occurrences(), "{}", context());
            }
        }
    }

    fn check_views(&self) {
        for Side { env, .. } in &self.sides {
            let mut views = ViewBuffers::new(&self.config, self.twins.len());
            env.write_views(&mut views.views());
            for (row, twin) in self.twins.iter().enumerate() {
                twin.sight().check(&views, row, &self.config.rules, &self.what);
            }
        }
    }

    /// All environments are saved as the same bytes. Returns them.
    fn check_states(&self) -> Vec<u8> {
        let state = self.sides[0].env.state();
        for Side { env, kernel, .. } in &self.sides[1..] {
            assert!(env.state() == state, "{kernel}, {}", self.what);
        }
        state
    }

    /// Goes on in other environments that take the state over.
    fn change_environments(&mut self) {
        let state = self.check_states();
        for Side { env, kernel, .. } in &mut self.sides {
            let config = Config { kernel: Some(*kernel), ..self.config.clone() };
            let mut other = Env::new(config, self.twins.len(), 0).unwrap();
            other.set_state(&state, 2).unwrap();
            assert!(other.state() == state, "{kernel}, {}", self.what);
            *env = other;
        }
        self.check_views();
    }

    fn set_opponent(&mut self) {
        if self.config.opponent.is_some() {
            let opponent = self.draw.one_of(&OPPONENTS[1..]);
            if !Twin::can_open(&Config { opponent, ..self.config.clone() }) {
                return;
            }
            let set = self.sides.iter_mut().map(|side| side.env.set_opponent(opponent).is_ok());
            let set: Vec<bool> = set.collect();
            assert!(set.iter().all(|&one| one == set[0]), "{}", self.what);
            if set[0] {
                self.config.opponent = opponent;
            }
        }
    }
}
