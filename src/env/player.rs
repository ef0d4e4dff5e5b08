//! Networks as opponents: asked once, or searched with, for all rows that need a reply at once.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::env::config::Config;
use crate::env::environment::Env;
use crate::env::episode::{Episode, Turn};
use crate::env::error::EnvError;
use crate::env::external::Externals;
use crate::env::rows::Rows;
use crate::net::{Network, NetworkEvaluator, Scratch};
use crate::pit::{Move, MoveSet, ROW};
use crate::search::Probe;
use crate::search::mcts::{self, MctsError, PUCT_EXPLORATION, PUCT_LEAVES, Score};
use crate::stream::Stream;
use crate::threads::{share_among, while_caller};

/// A network and how it plays.
#[derive(Clone)]
pub struct NetworkPlayer {
    network: Arc<Network>,
    endgame: Option<Arc<dyn Probe>>,
    mark: NetworkMark,
}

/// What tells one network's player from another, in a saved state as well.
#[derive(Clone, Debug)]
pub struct NetworkMark {
    /// Where the network can be had again; empty where that is not known. It is no part of what is compared.
    pub name: String,
    /// That of the network's file.
    pub checksum: u32,
    /// The simulations for each move, 0 where the network is asked once.
    pub simulations: u32,
    /// How moves are chosen; at 0 it is the best one.
    pub temperature: f32,
    /// The seeds of the endgame database that its search uses, if any.
    pub endgame: Option<u8>,
}

impl PartialEq for NetworkMark {
    fn eq(&self, other: &Self) -> bool {
        let told = |mark: &Self| (mark.checksum, mark.simulations, mark.temperature.to_bits(), mark.endgame);
        told(self) == told(other)
    }
}

impl Eq for NetworkMark {}

/// Without the parameters, of which there are many.
impl fmt::Debug for NetworkPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NetworkPlayer").field(&self.mark).finish()
    }
}

/// How many networks there can be in one environment: their numbers are below this.
pub const MOST_NETWORKS: u8 = 200;

/// Boards that a thread evaluates at a time.
const BOARDS_AT_A_TIME: usize = 256;

impl NetworkPlayer {
    /// A player that asks a network once for each move, or searches with it where `simulations` is not 0.
    ///
    /// At `temperature` 0 it plays the best move, else each is as likely as its policy (its share of the visits, after
    /// a search) to the power of 1 / `temperature`.
    #[must_use]
    pub fn new(network: Arc<Network>, simulations: u32, temperature: f32) -> Self {
        let checksum = network.fingerprint();
        let mark = NetworkMark { name: String::new(), checksum, simulations, temperature, endgame: None };
        Self { network, endgame: None, mark }
    }

    /// The same, with the name under which the network can be had again.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.mark.name);
        self
    }

    /// The same, with exact values for its search.
    #[must_use]
    pub fn aided_by(mut self, endgame: Arc<dyn Probe>) -> Self {
        self.mark.endgame = Some(endgame.max_seeds());
        self.endgame = Some(endgame);
        self
    }

    /// What tells it from another one.
    #[must_use]
    pub const fn mark(&self) -> &NetworkMark {
        &self.mark
    }

    pub(super) fn fits(&self, config: &Config) -> bool {
        self.endgame.as_deref().is_none_or(|endgame| endgame.holds_under(&config.rules))
    }

    /// Chooses a move for each of some questions.
    fn answer(
        &self,
        questions: &mut [Question],
        rows: &[Episode],
        config: &Config,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), MctsError> {
        if self.mark.simulations == 0 {
            self.guess(questions, rows, config, goes_on);
            return Ok(());
        }
        let settings = mcts::Settings {
            simulations: self.mark.simulations,
            leaves: PUCT_LEAVES,
            exploration: PUCT_EXPLORATION,
            endgame: self.endgame.as_deref(),
            num_threads: config.num_threads,
            ..mcts::Settings::default()
        };
        let games: Vec<_> = questions.iter().map(|question| (&rows[question.row].slot, question.stream)).collect();
        let evaluator = || NetworkEvaluator::new(&self.network, Score::Outcome);
        let chosen = mcts::chosen_by(&config.rules, &games, &settings, evaluator, self.mark.temperature, goes_on)?;
        questions.iter_mut().zip(chosen).for_each(|(question, mv)| question.chosen = mv);
        Ok(())
    }

    /// Chooses moves by the network alone.
    fn guess(
        &self,
        questions: &mut [Question],
        rows: &[Episode],
        config: &Config,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) {
        let temperature = self.mark.temperature;
        let each = questions.len().div_ceil(config.num_threads.get()).clamp(1, BOARDS_AT_A_TIME);
        share_among(config.num_threads.get(), questions.chunks_mut(each).collect(), |questions| {
            if !goes_on() {
                return;
            }
            let boards: Vec<_> = questions.iter().map(|question| rows[question.row].slot.words.observation()).collect();
            let outputs = self.network.evaluate(&boards, &mut Scratch::default());
            for (question, output) in questions.iter_mut().zip(outputs) {
                let legal = rows[question.row].slot.legal;
                question.chosen = best(&output.logits, legal);
                if temperature > 0.0 {
                    let most = question.chosen.map_or(0.0, |mv| output.logits[mv.index()]);
                    let weights = output.logits.map(|logit| libm::expf((logit - most) / temperature));
                    question.chosen = mcts::by_weight(&weights, legal, &mut question.stream);
                }
            }
        });
    }
}

/// The legal move of the highest logit, the first of several.
fn best(logits: &[f32; ROW], legal: MoveSet) -> Option<Move> {
    legal.iter().reduce(|best, mv| if logits[mv.index()] > logits[best.index()] { mv } else { best })
}

/// A row that waits for a network's move.
struct Question {
    row: usize,
    number: u8,
    stream: Stream,
    chosen: Option<Move>,
}

impl Env {
    /// Plays the replies of opponents that ask a network; whether there were any.
    pub(super) fn network_replies(&mut self, externals: &mut dyn Externals) -> Result<bool, EnvError> {
        let Self { scenario, rows: Rows::Single(rows), notes, .. } = self else { return Ok(false) };
        let config = &scenario.config;
        let mut questions = Vec::new();
        for (row, note) in notes.iter().enumerate() {
            if let Turn::Network(number) = note.turn {
                // What a player draws is up to its row alone.
                let stream = Stream::from_state(rows[row].stream.draw());
                questions.push(Question { row, number, stream, chosen: None });
            }
        }
        if questions.is_empty() {
            return Ok(false);
        }
        questions.sort_by_key(|question| question.number);
        let (asked, failed) = (&*rows, Mutex::new(None));
        let mut find = |go_on: &mut (dyn FnMut() -> bool + Send)| {
            while_caller(go_on, |goes_on| {
                for alike in questions.chunk_by_mut(|one, other| one.number == other.number) {
                    let player = alike.first().and_then(|first| config.networks.get(usize::from(first.number)));
                    let answered = player.map_or(Ok(()), |player| player.answer(alike, asked, config, goes_on));
                    if let Err(error) = answered {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    }
                }
            });
        };
        externals.wait_for(&mut find).map_err(EnvError::External)?;
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(EnvError::External(format!("the opponent's network: {error}").into()));
        }
        for Question { row, chosen, .. } in questions {
            let Some(mv) = chosen else { return Err(EnvError::External("the search was stopped".into())) };
            notes[row].turn = rows[row].play(mv, &config.rules);
        }
        Ok(true)
    }

    /// The numbers of some networks' players, which become known here; they take the places of those that no row and
    /// no next episode has.
    ///
    /// # Errors
    /// [`EnvError::Networks`], [`EnvError::Endgame`].
    pub fn meet_networks(&mut self, players: Vec<NetworkPlayer>) -> Result<Vec<u8>, EnvError> {
        if players.iter().any(|player| !player.fits(self.config())) {
            return Err(EnvError::Endgame);
        }
        let known = |networks: &[NetworkPlayer], player: &NetworkPlayer| {
            networks.iter().position(|other| other.mark == player.mark)
        };
        let mut networks = self.config().networks.clone();
        let mut taken: Vec<bool> = (0..networks.len()).map(|number| self.has_network(number as u8)).collect();
        for number in players.iter().filter_map(|player| known(&networks, player)) {
            taken[number] = true;
        }
        let mut numbers = Vec::new();
        for player in players {
            let vacant = || taken.iter().position(|taken| !taken).unwrap_or(taken.len());
            let number = known(&networks, &player).unwrap_or_else(vacant);
            if number >= MOST_NETWORKS.into() {
                return Err(EnvError::Networks);
            }
            if number == networks.len() {
                networks.push(player);
                taken.push(true);
            } else {
                (networks[number], taken[number]) = (player, true);
            }
            numbers.push(number as u8);
        }
        self.scenario.config.networks = networks;
        Ok(numbers)
    }

    /// The number of a network's player that is known here.
    #[must_use]
    pub fn known_network(&self, mark: &NetworkMark) -> Option<u8> {
        self.config().networks.iter().position(|player| player.mark == *mark).map(|number| number as u8)
    }
}
