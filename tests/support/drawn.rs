//! Rules, positions and environments from draws: random ones, or those that a fuzzer's bytes tell.

#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

use oware::batch::observe::ObservationKind;
use oware::env::{AutoresetMode, Config, NetworkPlayer, Opponent, RewardKind, SeatChoice};
use oware::net::Network;
use oware::{Feeding, Game, GrandSlam, Occurrences, PITS, Position, ROW, Rules, SeedsPerPit, Setup, Share, Stream};

/// Where draws come from.
pub(crate) trait Draw {
    /// The next bits.
    fn bits(&mut self) -> u64;

    /// Whether the source has run dry.
    fn is_dry(&self) -> bool {
        false
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// True once in so many times.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A member of a slice.
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// A stream of its own: what needs many draws costs the source a single one.
    fn stream(&mut self) -> Stream {
        Stream::from_seed(self.bits())
    }
}

impl Draw for Stream {
    fn bits(&mut self) -> u64 {
        self.draw()
    }
}

/// Two bytes a draw, zeros when there are no more.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Draw for Bytes<'_> {
    fn bits(&mut self) -> u64 {
        let mut pair = [0; 2];
        let (taken, left) = self.0.split_at(self.0.len().min(2));
        pair[..taken.len()].copy_from_slice(taken);
        self.0 = left;
        u64::from(u16::from_le_bytes(pair))
    }

    fn is_dry(&self) -> bool {
        self.0.is_empty()
    }
}

/// Rules drawn over all fields.
pub(crate) fn any_rules(draw: &mut impl Draw) -> Rules {
    let limit = if draw.once_in(2) { 0 } else { 1 + draw.below(300) as u32 };
    let seeds = if draw.once_in(2) { 4 } else { 1 + draw.below(u64::from(SeedsPerPit::MAX)) as u8 };
    Rules {
        grand_slam: draw.one_of(GrandSlam::ALL),
        feeding: draw.one_of(Feeding::ALL),
        no_move: draw.one_of(Share::ALL),
        repetition: Occurrences::new(draw.one_of(&[0, 0, 0, 2, 2, 3, 4, 6])),
        repetition_needs_both_rows: draw.once_in(2),
        repetition_share: draw.one_of(Share::ALL),
        max_plies: NonZeroU32::new(limit),
        limit_share: draw.one_of(Share::ALL),
        majority_ends: draw.once_in(2),
        seeds_per_pit: SeedsPerPit::new(seeds).unwrap(),
    }
}

/// A network that has learnt nothing, as an opponent.
#[derive(Clone, Copy)]
pub(crate) struct NetworkSettings {
    seed: u64,
    pub(crate) simulations: u32,
    pub(crate) temperature: f32,
}

/// Those of [`Opponent::Network`], by number.
pub(crate) const NETWORKS: [NetworkSettings; 2] = [
    NetworkSettings { seed: 1, simulations: 0, temperature: 0.5 },
    NetworkSettings { seed: 2, simulations: 5, temperature: 1.5 },
];

impl NetworkSettings {
    pub(crate) fn network(self) -> Arc<Network> {
        static MADE: LazyLock<Vec<Arc<Network>>> = LazyLock::new(|| {
            let made = NETWORKS.iter().map(|settings| Network::random(&[6], settings.seed, Rules::default()));
            made.map(|network| Arc::new(network.unwrap())).collect()
        });
        let at = NETWORKS.iter().position(|settings| settings.seed == self.seed).unwrap();
        Arc::clone(&MADE[at])
    }

    fn player(self) -> NetworkPlayer {
        NetworkPlayer::new(self.network(), self.simulations, self.temperature)
    }
}

/// An environment of any kind under some rules, with one of some opponents.
pub(crate) fn any_config(draw: &mut impl Draw, rules: Rules, opponents: &[Option<Opponent>]) -> Config {
    Config {
        rules,
        opponent: draw.one_of(opponents),
        seat: draw.one_of(SeatChoice::ALL),
        observation: draw.one_of(ObservationKind::ALL),
        reward: draw.one_of(RewardKind::ALL),
        seat_rewards: draw.once_in(2),
        autoreset: draw.one_of(AutoresetMode::ALL),
        max_steps: NonZeroU32::new(draw.one_of(&[0, 1, 7, 50, 1000])),
        opening_plies: draw.one_of(&[0, 0, 0, 1, 4, 6, 7]),
        networks: NETWORKS.map(NetworkSettings::player).to_vec(),
        ..Config::default()
    }
}

/// A set-up of no more seeds than the rules have: crowded or nearly bare, big pits, empty rows, stores near an ending.
/// `None` where its game is over.
pub(crate) fn position_in_play(draw: &mut impl Draw, rules: Rules) -> Option<Position> {
    let mut left = i64::from(rules.seeds_per_pit.total());
    let mut counts = vec![0; PITS + 2];
    let heaps = draw.one_of(&[21, 21, 5]);
    for _ in 0..draw.below(heaps) {
        let place = draw.below(counts.len() as u64) as usize;
        let most = draw.one_of(&[3, 3, 3, 3, 3, 3, 24, 24, 240]);
        let seeds = (1 + draw.below(most) as i64).min(left);
        counts[place] += seeds;
        left -= seeds;
    }
    if draw.once_in(3) {
        let south = (left / 2 + draw.below(5) as i64 - 2).clamp(0, left);
        counts[PITS] += south;
        counts[PITS + 1] += left - south;
    }
    let cleared = match draw.below(9) {
        0 => 0..ROW,
        1 => ROW..PITS,
        2 => PITS..PITS + 2,
        _ => 0..0,
    };
    counts[cleared].fill(0);
    let stores = counts.split_off(PITS);
    let position = Setup { pits: counts, stores, to_move: draw.below(2) as i64 }.validate(&rules).ok()?;
    (!Game::from_position(rules, position, 0).is_over()).then_some(position)
}
