//! A row of an environment as its documentation describes it, played in a [`Game`].

#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::num::NonZeroUsize;

use oware::batch::observe::{COLUMNS, PLANES};
use oware::env::{Config, Method, ObservationBuffer, Opponent, RewardKind, Searcher, SeatChoice, ViewBuffers};
use oware::net::{NetworkEvaluator, Scratch};
use oware::search::best_moves;
use oware::search::mcts::{self, Forest, Score};
use oware::{Feeding, Game, GrandSlam, Move, MoveSet, PITS, Position, Rules, Seat, Stream, Words};

use crate::support::drawn::{NETWORKS, NetworkSettings};
use crate::support::mv;

/// What is seen of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sight {
    counts: [u8; PLANES],
    mask: [i8; 6],
    to_move: i8,
    termination: i8,
    winner: i8,
}

impl Sight {
    /// What the views hold of a row is this.
    pub(crate) fn check(&self, views: &ViewBuffers, row: usize, rules: &Rules, what: &str) {
        let planes = row * PLANES..(row + 1) * PLANES;
        match &views.observation {
            ObservationBuffer::Seeds(rows) => assert_eq!(rows[planes], self.counts, "row {row}, {what}"),
            ObservationBuffer::Normalized { rows, .. } => {
                let whole = f32::from(rules.seeds_per_pit.get()) * 12.0;
                let counts = self.counts.map(|count| f32::from(count) / whole);
                assert_eq!(rows[planes], counts, "row {row}, {what}");
            }
            ObservationBuffer::OneHot(rows) => {
                for (plane, count) in planes.zip(self.counts) {
                    let columns = &rows[plane * COLUMNS..(plane + 1) * COLUMNS];
                    assert_eq!(columns[usize::from(count).min(24)], 1.0, "row {row}, {what}");
                    assert_eq!(columns.iter().filter(|&&column| column == 0.0).count(), 24, "row {row}, {what}");
                }
            }
        }
        assert_eq!(views.action_mask[6 * row..][..6], self.mask, "row {row}, {what}");
        assert_eq!(
            [views.to_move[row], views.termination[row], views.winner[row]],
            [self.to_move, self.termination, self.winner],
            "row {row}, {what}"
        );
    }
}

/// How often what is rare has come up in some games.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) plies: u64,
    /// Sowings of more than eleven seeds, and of more than twenty-two.
    pub(crate) laps: [u64; 2],
    /// Sowings whose capture would take all that the opponent has left.
    pub(crate) slams: u64,
    /// Plies of a player whose opponent's row is empty.
    pub(crate) feeds: u64,
    /// Endings, by the number of their termination.
    pub(crate) endings: [u64; 7],
}

impl Tally {
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            plies: self.plies + other.plies,
            laps: std::array::from_fn(|i| self.laps[i] + other.laps[i]),
            slams: self.slams + other.slams,
            feeds: self.feeds + other.feeds,
            endings: std::array::from_fn(|i| self.endings[i] + other.endings[i]),
        }
    }

    /// The least of the counts but the plies.
    pub(crate) fn rarest(&self) -> u64 {
        let counts = self.laps.iter().chain([&self.slams, &self.feeds]).chain(&self.endings[1..]);
        counts.copied().min().unwrap()
    }

    /// Counts a ply about to be played.
    fn count(&mut self, position: &Position, mv: Move) {
        let Position { board, mover, .. } = position;
        let all_are_taken = Rules { grand_slam: GrandSlam::CaptureAll, feeding: Feeding::Free, ..Rules::default() };
        let slam = position.play(&all_are_taken, mv).unwrap();
        let starved = |position: &Position| position.board.row_seeds(mover.other()) == 0;
        self.plies += 1;
        self.laps[0] += u64::from(board.seeds(mv.pit(*mover)) > 11);
        self.laps[1] += u64::from(board.seeds(mv.pit(*mover)) > 22);
        self.slams += u64::from(slam.taken > 0 && starved(&slam.after));
        self.feeds += u64::from(starved(position));
    }
}

/// A row as the documentation of the environment describes it, played in a [`Game`].
#[derive(Clone)]
pub(crate) struct Twin {
    pub(crate) game: Game,
    pub(crate) stream: Stream,
    steps: u32,
    match_up: Option<(Seat, Opponent)>,
    pub(crate) live: bool,
    pub(crate) tally: Tally,
}

/// What a step gives to one row.
pub(crate) struct Given {
    pub(crate) seat: Seat,
    pub(crate) reward: f32,
    pub(crate) terminated: bool,
    pub(crate) truncated: bool,
}

impl Twin {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        let match_up = config.opponent.map(|opponent| (Seat::South, opponent));
        let game = Game::new(config.rules);
        Self { game, stream: Stream::from_seed(seed), steps: 0, match_up, live: false, tally: Tally::default() }
    }

    /// Whether episodes can begin: an outside opponent may play first moves that always end the game.
    pub(crate) fn can_open(config: &Config) -> bool {
        [SeatChoice::South, SeatChoice::North].into_iter().all(|seat| {
            let config = Config { seat, ..config.clone() };
            (0..16).any(|seed| {
                let mut twin = Self::new(&config, seed);
                twin.sit(&config);
                twin.try_opening(&config)
            })
        })
    }

    fn viewer(&self) -> Seat {
        self.match_up.map_or(self.game.position().mover, |(agent, _)| agent)
    }

    pub(crate) fn sight(&self) -> Sight {
        let Position { board, .. } = self.game.position();
        let viewer = self.viewer();
        let mut counts = [0; PLANES];
        for (index, count) in counts[..PITS].iter_mut().enumerate() {
            *count = board.pits()[(index + 6 * viewer.index()) % PITS];
        }
        counts[PITS..].copy_from_slice(&[board.stores[viewer], board.stores[viewer.other()]]);
        let outcome = self.game.outcome();
        let legal = self.game.legal_moves();
        let mut mask = [1; 6];
        if self.live {
            mask = std::array::from_fn(|index| i8::from(legal.contains(mv(index))));
        }
        Sight {
            counts,
            mask,
            to_move: viewer.index() as i8,
            termination: outcome.map_or(0, |outcome| outcome.termination.code() as i8),
            winner: outcome.and_then(|outcome| outcome.winner).map_or(-1, |winner| winner.index() as i8),
        }
    }

    pub(crate) fn begin(&mut self, config: &Config) {
        self.sit(config);
        while !self.try_opening(config) {}
    }

    pub(crate) fn begin_at(&mut self, config: &Config, position: Position) {
        self.sit(config);
        self.start(Game::from_position(config.rules, position, 0));
    }

    fn sit(&mut self, config: &Config) {
        self.match_up = config.opponent.map(|opponent| {
            let seat = match config.seat {
                SeatChoice::South => Seat::South,
                SeatChoice::North => Seat::North,
                _ if self.stream.draw() >> 63 == 0 => Seat::South,
                _ => Seat::North,
            };
            (seat, opponent)
        });
    }

    fn try_opening(&mut self, config: &Config) -> bool {
        let mut game = Game::new(config.rules);
        for _ in 0..config.opening_plies {
            game.play(self.stream.choose(game.legal_moves()).unwrap()).unwrap();
            if game.is_over() {
                return false;
            }
        }
        self.start(game);
        !self.game.is_over()
    }

    fn start(&mut self, game: Game) {
        self.game = game;
        self.steps = 0;
        self.live = true;
        self.reply();
    }

    fn play(&mut self, mv: Move) {
        self.tally.count(self.game.position(), mv);
        self.game.play(mv).unwrap();
        if let Some(outcome) = self.game.outcome() {
            self.tally.endings[outcome.termination.code() as usize] += 1;
        }
    }

    fn reply(&mut self) {
        let legal = self.game.legal_moves();
        let Some((agent, opponent)) = self.match_up else { return };
        if self.game.is_over() || self.game.position().mover == agent {
            return;
        }
        let mv = match opponent {
            Opponent::Random => self.stream.choose(legal),
            Opponent::Greedy => {
                let taken = |mv: Move| self.game.clone().play(mv).unwrap();
                let most = legal.iter().map(taken).max().unwrap();
                self.stream.choose(legal.iter().filter(|&mv| taken(mv) == most).collect())
            }
            Opponent::Search(Searcher { method: Method::Minimax(depth), .. }) => {
                self.stream.choose(best_moves(&self.game, u32::from(depth)).unwrap())
            }
            Opponent::Search(Searcher { method: Method::Mcts(simulations), .. }) => {
                let stream = Stream::from_state(self.stream.draw());
                let games = std::slice::from_ref(&self.game);
                let mut forest = Forest::of_games(games, |_| stream, Score::Outcome).unwrap();
                let settings = mcts::Settings { simulations, ..mcts::Settings::default() };
                forest.search(&settings, &mut || true).unwrap();
                self.stream.choose(forest.found(0).unwrap().best)
            }
            Opponent::Network(number) => self.network_move(NETWORKS[usize::from(number)], legal),
            Opponent::External(number) => answer(number, legal),
            _ => None,
        };
        self.play(mv.unwrap());
    }

    /// The move of a network, which is asked once or searched with.
    fn network_move(&mut self, settings: NetworkSettings, legal: MoveSet) -> Option<Move> {
        let mut stream = Stream::from_state(self.stream.draw());
        let NetworkSettings { simulations, temperature, .. } = settings;
        let network = settings.network();
        if simulations > 0 {
            let games = std::slice::from_ref(&self.game);
            let mut forest = Forest::of_games(games, |_| stream, Score::Outcome).unwrap();
            let leaves = mcts::PUCT_LEAVES;
            let exploration = mcts::PUCT_EXPLORATION;
            let settings = mcts::Settings { simulations, leaves, exploration, ..mcts::Settings::default() };
            let mut evaluator = NetworkEvaluator::new(&network, Score::Outcome);
            forest.search_with(&settings, &mut evaluator, NonZeroUsize::MIN, &mut || true).unwrap();
            return forest.choose(0, temperature);
        }
        let board = Words::of(self.game.position()).observation();
        let logits = network.evaluate(&[board], &mut Scratch::default())[0].logits;
        let most = legal.iter().map(|mv| logits[mv.index()]).fold(f32::NEG_INFINITY, f32::max);
        let weight = |mv: Move| libm::expf((logits[mv.index()] - most) / temperature);
        let all: f32 = legal.iter().map(weight).sum();
        let mut rest = (stream.draw() >> 40) as f32 / (1_u32 << 24) as f32 * all;
        legal.iter().find(|&mv| {
            rest -= weight(mv);
            rest < 0.0
        })
    }

    fn margin(&self, seat: Seat) -> i16 {
        let stores = &self.game.position().board.stores;
        i16::from(stores[seat]) - i16::from(stores[seat.other()])
    }

    pub(crate) fn step(&mut self, config: &Config, action: i64) -> Given {
        if !self.live {
            self.begin(config);
            return Given { seat: Seat::South, reward: 0.0, terminated: false, truncated: false };
        }
        let seat = self.viewer();
        let before = self.margin(seat);
        self.play(Move::new(action as usize).unwrap());
        self.reply();
        self.steps += 1;
        let terminated = self.game.is_over();
        let truncated = !terminated && config.max_steps.is_some_and(|cap| cap.get() == self.steps);
        self.live = !terminated && !truncated;
        let margin = self.margin(seat);
        let reward = match config.reward {
            RewardKind::Captures => f32::from(margin - before),
            _ if !terminated => 0.0,
            RewardKind::Margin => f32::from(margin) / (f32::from(config.rules.seeds_per_pit.get()) * 12.0),
            _ => f32::from(margin.signum()),
        };
        Given { seat, reward, terminated, truncated }
    }
}

/// Outside opponents without chance: an even number plays the first legal move, an odd one the last.
pub(crate) fn answer(number: u8, legal: MoveSet) -> Option<Move> {
    legal.nth(if number.is_multiple_of(2) { 0 } else { legal.len() - 1 })
}
