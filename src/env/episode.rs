//! One row of an environment: a game, its random stream and who sits where.

use crate::batch::slot::Slot;
use crate::env::config::{Config, Opponent, Policy, Scenario};
use crate::env::searcher::Searcher;
use crate::pit::{Move, MoveSet};
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Stream;

/// Where a row is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It has never been reset.
    Unstarted,
    /// It takes actions.
    Live,
    /// Its game has ended or was cut off.
    Finished,
}

/// Who is to act after a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The agent.
    Agent,
    /// An opponent that searches.
    Search(Searcher),
    /// The network of this number.
    Network(u8),
    /// The outside opponent of this number.
    External(u8),
    /// Nobody: the game is over.
    Over,
}

#[derive(Clone, Debug)]
pub(crate) struct Episode {
    pub(crate) slot: Slot,
    pub(crate) stream: Stream,
    /// Steps taken, the agent's own where it has an opponent.
    pub(crate) steps: u32,
    /// The agent's seat and the opponent on the other one; `None` in self-play.
    pub(crate) match_up: Option<(Seat, Opponent)>,
    /// The place of that opponent in the pool that it was drawn from; 0 without one.
    pub(crate) place: u8,
    pub(crate) phase: Phase,
}

impl Episode {
    /// A row that waits for its first reset.
    pub(crate) fn new(scenario: &Scenario, seed: u64) -> Self {
        Self {
            slot: scenario.start.clone(),
            stream: Stream::from_seed(seed),
            steps: 0,
            match_up: scenario.config.opponents().next().map(|opponent| (Seat::South, opponent)),
            place: 0,
            phase: Phase::Unstarted,
        }
    }

    /// Starts the next episode: draws the seat, plays the opening, and the opponent's first ply where it moves first.
    pub(crate) fn begin(&mut self, scenario: &Scenario) -> Turn {
        self.draw_seat(&scenario.config);
        self.open(scenario)
    }

    /// Starts the next episode from a position, without an opening.
    pub(crate) fn begin_at(&mut self, scenario: &Scenario, position: &Position) -> Turn {
        let config = &scenario.config;
        self.draw_seat(config);
        self.slot = Slot::new(position, 0, &config.rules);
        self.start();
        self.reply(&config.rules)
    }

    fn draw_seat(&mut self, config: &Config) {
        let drawn = config.draw_opponent(&mut self.stream);
        self.place = drawn.map_or(0, |(place, _)| place);
        self.match_up = drawn.map(|(_, opponent)| (config.seat.draw(&mut self.stream), opponent));
    }

    /// Plays openings until one leaves a game to play.
    pub(crate) fn open(&mut self, scenario: &Scenario) -> Turn {
        loop {
            let turn = self.try_opening(scenario);
            if turn != Turn::Over {
                return turn;
            }
        }
    }

    /// Plays one opening.
    pub(crate) fn try_opening(&mut self, scenario: &Scenario) -> Turn {
        let config = &scenario.config;
        match config.start_seeds {
            None => self.slot.restart(&scenario.start),
            Some(seeds) => self.slot = seeds.draw(&config.rules, &mut self.stream),
        }
        for _ in 0..config.opening_plies {
            if let Some(mv) = self.stream.choose(self.slot.legal_moves()) {
                self.slot.play(mv, &config.rules);
            }
            if self.slot.is_over() {
                return Turn::Over;
            }
        }
        self.start();
        self.reply(&config.rules)
    }

    fn start(&mut self) {
        self.steps = 0;
        self.phase = Phase::Live;
    }

    /// Plays a ply, and the opponent's reply where it is known here.
    #[inline(always)]
    pub(crate) fn play(&mut self, mv: Move, rules: &Rules) -> Turn {
        self.slot.play(mv, rules);
        self.reply(rules)
    }

    #[inline(always)]
    fn reply(&mut self, rules: &Rules) -> Turn {
        if self.slot.is_over() {
            return Turn::Over;
        }
        match self.match_up {
            Some((agent, opponent)) if self.slot.mover() != agent => match opponent {
                Opponent::Random => self.play_chosen(self.slot.legal_moves(), rules),
                Opponent::Greedy => self.play_chosen(self.slot.greediest(rules), rules),
                Opponent::Search(searcher) => Turn::Search(searcher),
                Opponent::Network(number) => Turn::Network(number),
                Opponent::External(number) => Turn::External(number),
            },
            _ => Turn::Agent,
        }
    }

    /// Plays one of some moves, drawn.
    pub(crate) fn play_chosen(&mut self, moves: MoveSet, rules: &Rules) -> Turn {
        if let Some(mv) = self.stream.choose(moves) {
            self.slot.play(mv, rules);
        }
        if self.slot.is_over() { Turn::Over } else { Turn::Agent }
    }

    /// The move that a policy chooses; none where the row takes none.
    pub(crate) fn choose(&mut self, policy: Policy, rules: &Rules) -> Option<Move> {
        if self.phase != Phase::Live {
            return None;
        }
        self.stream.choose(match policy {
            Policy::Random => self.slot.legal_moves(),
            Policy::Greedy => self.slot.greediest(rules),
        })
    }

    /// The seat whose view of the board is shown: the agent's, or the mover's in self-play.
    pub(crate) fn viewer(&self) -> Seat {
        self.match_up.map_or(self.slot.mover(), |(agent, _)| agent)
    }
}
