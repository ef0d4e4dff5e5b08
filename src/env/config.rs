//! What an environment is made of, fixed for its life.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use crate::batch::kernel::KernelName;
use crate::batch::observe::ObservationKind;
use crate::batch::slot::Slot;
use crate::env::episode::{Episode, Turn};
use crate::env::error::EnvError;
use crate::env::player::NetworkPlayer;
use crate::env::pool::Pool;
use crate::env::searcher::Searcher;
use crate::env::start::StartSeeds;
use crate::pit::MoveSet;
use crate::position::Position;
use crate::rules::{Rules, named_enum};
use crate::search::Probe;
use crate::seat::Seat;
use crate::stream::Stream;

named_enum! {
    /// Where the agent sits when it has an opponent.
    SeatChoice, "seat" {
        /// Always South.
        South = "south",
        /// Always North.
        North = "north",
        /// Drawn for each episode.
        Random = "random",
    }
}

named_enum! {
    /// What a step is rewarded with.
    RewardKind, "reward" {
        /// 1, 0 or −1 when the game ends.
        Outcome = "outcome",
        /// The final difference of the stores over the seeds of a whole game.
        Margin = "margin",
        /// The change of the difference of the stores.
        Captures = "captures",
    }
}

named_enum! {
    /// When a finished row starts its next episode, as in Gymnasium.
    AutoresetMode, "autoreset_mode" {
        /// In the step after the last one, whose action is ignored.
        NextStep = "next_step",
        /// In the last step itself.
        SameStep = "same_step",
        /// Only when it is told to.
        Disabled = "disabled",
    }
}

impl SeatChoice {
    /// The agent's seat in the next episode.
    pub(crate) fn draw(self, stream: &mut Stream) -> Seat {
        match self {
            Self::South => Seat::South,
            Self::North => Seat::North,
            Self::Random if stream.draw() >> 63 == 1 => Seat::North,
            Self::Random => Seat::South,
        }
    }
}

named_enum! {
    /// What plays inside the environment by itself.
    Policy, "policy" {
        /// Any legal move, each as likely.
        Random = "random",
        /// A move that captures most, ties at random.
        Greedy = "greedy",
    }
}

/// Who plays the other seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Opponent {
    /// Any legal move, each as likely.
    Random,
    /// A move that captures most, ties at random.
    Greedy,
    /// A best move after a search, ties at random.
    Search(Searcher),
    /// A network, by its number among [`Config::networks`].
    Network(u8),
    /// Somebody outside, by the number under which they are asked.
    External(u8),
}

impl Opponent {
    /// Whether its replies are found between the passes of a step, not within one.
    pub(crate) const fn is_asked(self) -> bool {
        matches!(self, Self::Search(_) | Self::Network(_) | Self::External(_))
    }

    /// Whether it needs an endgame database.
    #[must_use]
    pub const fn is_aided(self) -> bool {
        matches!(self, Self::Search(Searcher { aided: true, .. }))
    }
}

/// How many outside opponents there can be: their numbers are below this.
pub const MOST_EXTERNALS: u8 = 200;

/// What an environment is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// The rules of every game.
    pub rules: Rules,
    /// The opponent; `None` when both seats act through the step.
    pub opponent: Option<Opponent>,
    /// Opponents of which each episode draws one; they take the place of `opponent`, which must not be `None`.
    pub pool: Option<Pool>,
    /// The agent's seat; without effect when there is no opponent.
    pub seat: SeatChoice,
    /// The form of observations.
    pub observation: ObservationKind,
    /// What a step is rewarded with.
    pub reward: RewardKind,
    /// Whether a step gives both seats' rewards beside that of the seat that acted.
    pub seat_rewards: bool,
    /// When a finished row starts again.
    pub autoreset: AutoresetMode,
    /// The steps after which an episode is cut off.
    pub max_steps: Option<NonZeroU32>,
    /// The seeds on the board at the start of each episode; `None` where all games start from the usual position.
    pub start_seeds: Option<StartSeeds>,
    /// Random plies before each episode.
    pub opening_plies: u16,
    /// The most threads that a step may use.
    pub num_threads: NonZeroUsize,
    /// What plays the rows; `None` for what is best for their number on this machine.
    pub kernel: Option<KernelName>,
    /// The exact values of boards with few seeds, for opponents that use them.
    pub endgame: Option<Arc<dyn Probe>>,
    /// The networks that can be opponents, by their numbers.
    pub networks: Vec<NetworkPlayer>,
}

impl Default for Config {
    /// Self-play under the default rules, observed as seeds, no openings, one thread.
    fn default() -> Self {
        Self {
            rules: Rules::default(),
            opponent: None,
            pool: None,
            seat: SeatChoice::Random,
            observation: ObservationKind::Seeds,
            reward: RewardKind::Outcome,
            seat_rewards: false,
            autoreset: AutoresetMode::NextStep,
            max_steps: NonZeroU32::new(1000),
            start_seeds: None,
            opening_plies: 0,
            num_threads: NonZeroUsize::MIN,
            kernel: None,
            endgame: None,
            networks: Vec::new(),
        }
    }
}

impl Config {
    /// Those who may be the opponent of the next episode.
    pub fn opponents(&self) -> impl Iterator<Item = Opponent> + '_ {
        let (pool, alone) = match &self.pool {
            Some(pool) => (pool.choices(), None),
            None => (&[][..], self.opponent),
        };
        pool.iter().map(|&(opponent, _)| opponent).chain(alone)
    }

    /// The opponent at a place of the pool; the first one where there is no such place.
    pub(crate) fn own_opponent(&self, place: u8) -> Option<Opponent> {
        self.opponents().nth(place.into()).or_else(|| self.opponents().next())
    }

    /// The opponent of the next episode and its place in the pool; one draw where there is a pool.
    #[inline]
    pub(crate) fn draw_opponent(&self, stream: &mut Stream) -> Option<(u8, Opponent)> {
        match &self.pool {
            None => self.opponent.map(|opponent| (0, opponent)),
            Some(pool) => Some(pool.draw(stream)),
        }
    }

    /// Whether episodes start in another way than from the usual position.
    pub(crate) fn has_openings(&self) -> bool {
        self.opening_plies > 0 || self.start_seeds.is_some()
    }

    /// Whether a step shows finished rows before it resets them.
    #[must_use]
    pub fn shows_finals(&self) -> bool {
        self.autoreset == AutoresetMode::SameStep
    }
}

/// A configuration and what follows from it for every row.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) config: Config,
    /// The game before its first ply.
    pub(crate) start: Slot,
    /// For each opponent the games after the first plies that it may choose from where it opens without random plies;
    /// none where it is asked outside.
    replies: Vec<Vec<Slot>>,
}

/// Attempts at an opening by which a scenario is judged, and how many of them must leave a game to play.
const ATTEMPTS: u64 = 256;
const NEEDED: usize = 4;

impl Scenario {
    /// The game after the opponent of this place has opened it, drawn until one goes on.
    pub(crate) fn first_reply(&self, place: u8, stream: &mut Stream) -> &Slot {
        let replies = self.replies.get(usize::from(place)).map_or(&[][..], Vec::as_slice);
        loop {
            let rank = Stream::rank(stream.draw(), replies.len() as u64);
            match replies.get(rank as usize) {
                Some(slot) if slot.is_over() => {}
                Some(slot) => return slot,
                None => return &self.start,
            }
        }
    }

    /// What follows from a configuration.
    ///
    /// # Errors
    /// [`EnvError::Endgame`], [`EnvError::Network`], and [`EnvError::Openings`] where hardly an opening leaves a game
    /// to play, so that resets could go on for ever.
    pub(crate) fn new(config: Config) -> Result<Self, EnvError> {
        if config.endgame.as_deref().is_some_and(|endgame| !endgame.holds_under(&config.rules))
            || config.opponents().any(Opponent::is_aided) && config.endgame.is_none()
        {
            return Err(EnvError::Endgame);
        }
        if config.pool.is_some() && config.opponent.is_none() {
            return Err(EnvError::MatchUp);
        }
        if let Some(seeds) = config.start_seeds.filter(|seeds| !seeds.fits(&config.rules)) {
            return Err(EnvError::StartSeeds(seeds, config.rules.seeds_per_pit.total()));
        }
        let fits = |number: u8| config.networks.get(usize::from(number)).is_some_and(|player| player.fits(&config));
        for opponent in config.opponents() {
            match opponent {
                Opponent::Network(number) if !fits(number) => return Err(EnvError::Network(number)),
                _ => {}
            }
        }
        let start = Slot::new(&Position::start(&config.rules), 0, &config.rules);
        let replies = |opponent: Opponent| {
            let moves = match opponent {
                Opponent::Random => start.legal_moves(),
                Opponent::Greedy => start.greediest(&config.rules),
                _ => MoveSet::EMPTY,
            };
            moves.iter().map(|mv| start.after(mv, &config.rules)).collect()
        };
        let replies = config.opponents().map(replies).collect();
        let opponents: Vec<_> =
            if config.opponent.is_some() { config.opponents().map(Some).collect() } else { vec![None] };
        let scenario = Self { config, start, replies };
        let seats: &[Seat] = match scenario.config.seat {
            SeatChoice::South => &[Seat::South],
            SeatChoice::North => &[Seat::North],
            SeatChoice::Random => &Seat::ALL,
        };
        let sittings = seats.iter().flat_map(|&seat| opponents.iter().map(move |&opponent| (seat, opponent)));
        for (seat, opponent) in sittings {
            let leaves_a_game = |&seed: &u64| {
                let mut episode = Episode::new(&scenario, seed);
                episode.match_up = opponent.map(|opponent| (seat, opponent));
                episode.try_opening(&scenario) != Turn::Over
            };
            let successes = (0..ATTEMPTS).filter(leaves_a_game).count();
            if successes < NEEDED {
                let opening_plies = scenario.config.opening_plies;
                return Err(EnvError::Openings { opening_plies, seat, successes, attempts: ATTEMPTS });
            }
        }
        Ok(scenario)
    }
}
