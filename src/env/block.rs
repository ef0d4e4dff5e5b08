//! Sixty-four rows in lockstep: the boards in planes, the rest lane by lane.

use crate::batch::history::History;
use crate::batch::lane_set::set_some;
pub(crate) use crate::batch::lane_set::{LaneSet, lanes};
use crate::batch::lanes::{BLOCK, Lanes, Plane};
use crate::batch::ply::Boards;
use crate::batch::slot::Slot;
use crate::batch::tape::Tape;
use crate::env::config::{Config, Opponent, Scenario};
use crate::env::episode::{Episode, Phase};
use crate::pit::{Move, MoveSet, PITS};
use crate::position::Termination;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::stream::Stream;
use crate::words::Words;

/// Up to sixty-four rows.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The boards now and before the last ply, in turn.
    boards: [Boards; 2],
    now: usize,
    /// The legal moves of live lanes, as bits.
    pub(crate) legal: Plane,
    /// The movers' seats.
    pub(crate) mover: Plane,
    /// The agents' seats; South's in self-play.
    pub(crate) agent: Plane,
    /// Half the seeds of each game, rounded down, and whether there is an odd one.
    pub(crate) half: Plane,
    odd: LaneSet,
    /// The last moves as bits; none at the start of an episode.
    pub(crate) last: Plane,
    pub(crate) live: LaneSet,
    pub(crate) finished: LaneSet,
    /// Whether the opponent is the greedy one.
    pub(crate) greedy: LaneSet,
    /// The opponents' places in the pool.
    pub(crate) places: [u8; BLOCK],
    pub(crate) streams: [u64; BLOCK],
    /// Plies and steps that this block has made, and those at which each lane's own count was 0; all wrap around.
    pub(crate) plies: u32,
    pub(crate) steps: u32,
    ply_base: [u32; BLOCK],
    step_base: [u32; BLOCK],
    /// No lane reaches a limit before so many more plies or steps.
    plies_left: u32,
    steps_left: u32,
    /// The finished lanes that have not begun again.
    ended: Vec<(u8, Box<Episode>)>,
    /// Where repetition counts: the moves since the last captures.
    pub(crate) tape: Option<Box<Tape>>,
}

impl Block {
    /// Lanes that wait for their first reset.
    pub(crate) fn new(scenario: &Scenario, episodes: &[Episode]) -> Self {
        let mut block = Self {
            boards: [Boards::EMPTY, Boards::EMPTY],
            now: 0,
            legal: Plane::ZERO,
            mover: Plane::ZERO,
            agent: Plane::ZERO,
            half: Plane::ZERO,
            odd: 0,
            last: Plane::ZERO,
            live: 0,
            finished: 0,
            greedy: 0,
            places: [0; BLOCK],
            streams: [0; BLOCK],
            plies: 0,
            steps: 0,
            ply_base: [0; BLOCK],
            step_base: [0; BLOCK],
            plies_left: 0,
            steps_left: 0,
            ended: Vec::new(),
            tape: scenario.config.rules.repetition.is_some().then(Box::default),
        };
        for (lane, episode) in episodes.iter().enumerate() {
            block.put(lane, episode, &scenario.config);
        }
        block
    }

    pub(crate) fn boards(&self) -> &Boards {
        &self.boards[self.now]
    }

    /// The boards now, and those to be written for the next ply.
    pub(crate) fn boards_to_play(&mut self) -> (&Boards, &mut Boards) {
        let [first, second] = &mut self.boards;
        if self.now == 0 { (first, second) } else { (second, first) }
    }

    /// Makes the boards that were written the ones now.
    pub(crate) fn turn(&mut self) {
        self.now = 1 - self.now;
        self.plies = self.plies.wrapping_add(1);
        self.plies_left = self.plies_left.saturating_sub(1);
    }

    /// The board of a lane from its mover's view.
    pub(crate) fn words(&self, lane: usize) -> Words {
        words(&self.boards[self.now], lane)
    }

    pub(crate) fn set_words(&mut self, lane: usize, board: Words) {
        set_words(&mut self.boards[self.now], lane, board);
    }

    pub(crate) fn total(&self, lane: usize) -> u8 {
        2 * self.half.0[lane] + (self.odd >> lane & 1) as u8
    }

    pub(crate) fn mover(&self, lane: usize) -> Seat {
        seat(self.mover.0[lane])
    }

    pub(crate) fn ply(&self, lane: usize) -> u32 {
        self.plies.wrapping_sub(self.ply_base[lane])
    }

    /// The live lanes that have played as many plies as the rules allow.
    pub(crate) fn at_ply_limit(&mut self, rules: &Rules) -> LaneSet {
        match rules.max_plies {
            Some(limit) if self.plies_left == 0 => {
                let (reached, left) = count_down(self.plies, &mut self.ply_base, limit.get(), self.live);
                self.plies_left = left;
                reached
            }
            _ => 0,
        }
    }

    /// Counts a step; the live lanes that have taken as many as they may.
    pub(crate) fn count_step(&mut self, config: &Config) -> LaneSet {
        self.steps = self.steps.wrapping_add(1);
        self.steps_left = self.steps_left.saturating_sub(1);
        match config.max_steps {
            Some(limit) if self.steps_left == 0 => {
                let (reached, left) = count_down(self.steps, &mut self.step_base, limit.get(), self.live);
                self.steps_left = left;
                reached
            }
            _ => 0,
        }
    }

    /// A lane as an episode of its own.
    pub(crate) fn get(&self, lane: usize, config: &Config) -> Episode {
        if self.finished >> lane & 1 == 1
            && let Some((_, episode)) = self.ended.iter().find(|(of, _)| usize::from(*of) == lane)
        {
            return Episode { stream: Stream::from_state(self.streams[lane]), ..*episode.clone() };
        }
        self.export(lane, config, self.phase(lane), None)
    }

    /// The finished lanes that have not begun again, as they have ended. Their streams may have moved on.
    pub(crate) fn ended(&self) -> impl Iterator<Item = (usize, &Episode)> {
        self.ended.iter().map(|(lane, episode)| (usize::from(*lane), &**episode))
    }

    /// Where a lane is in its life.
    pub(crate) fn phase(&self, lane: usize) -> Phase {
        match (self.live >> lane & 1, self.finished >> lane & 1) {
            (1, _) => Phase::Live,
            (_, 1) => Phase::Finished,
            _ => Phase::Unstarted,
        }
    }

    /// A lane with a given phase and ending.
    pub(crate) fn export(&self, lane: usize, config: &Config, phase: Phase, ending: Option<Termination>) -> Episode {
        let last = Move::new(self.last.0[lane].trailing_zeros() as usize);
        let board = self.words(lane);
        let before = if last.is_some() { words(&self.boards[1 - self.now], lane) } else { board };
        let mover = self.mover(lane);
        // After an ending the board may be shared out; what the last move led to is found again.
        let reached = match (ending, last) {
            (Some(_), Some(mv)) => before.sow(mv, config.rules.grand_slam).0.swapped(),
            _ => board,
        };
        let history = match &self.tape {
            Some(tape) => tape.history(lane, self.plies, reached, mover),
            None => History::default(),
        };
        let legal = if ending.is_some() { MoveSet::EMPTY } else { MoveSet::from_bits(self.legal.0[lane]) };
        Episode {
            slot: Slot {
                words: board,
                before,
                history,
                ply: self.ply(lane),
                total: self.total(lane),
                mover,
                legal,
                last,
                termination: ending,
            },
            stream: Stream::from_state(self.streams[lane]),
            steps: self.steps.wrapping_sub(self.step_base[lane]),
            match_up: config.opponent.map(|_| (seat(self.agent.0[lane]), self.opponent(lane))),
            place: self.places[lane],
            phase,
        }
    }

    fn opponent(&self, lane: usize) -> Opponent {
        if self.greedy >> lane & 1 == 1 { Opponent::Greedy } else { Opponent::Random }
    }

    /// Makes an episode a lane.
    pub(crate) fn put(&mut self, lane: usize, episode: &Episode, config: &Config) {
        let bit = 1 << lane;
        if self.finished & bit != 0 {
            self.ended.retain(|(of, _)| usize::from(*of) != lane);
        }
        self.live &= !bit;
        self.finished &= !bit;
        match episode.phase {
            Phase::Unstarted => {}
            Phase::Live => self.live |= bit,
            Phase::Finished => {
                self.finished |= bit;
                self.ended.push((lane as u8, Box::new(episode.clone())));
            }
        }
        self.streams[lane] = episode.stream.state();
        self.put_game(lane, &episode.slot, episode.steps, config);
        let (agent, opponent) = episode.match_up.unwrap_or((Seat::South, Opponent::Random));
        self.seat_agent(lane, agent, opponent, episode.place);
    }

    fn seat_agent(&mut self, lane: usize, agent: Seat, opponent: Opponent, place: u8) {
        self.agent.0[lane] = agent.index() as u8;
        self.places[lane] = place;
        self.greedy = self.greedy & !(1 << lane) | u64::from(opponent == Opponent::Greedy) << lane;
    }

    /// Makes a game, after so many steps, that of a lane.
    fn put_game(&mut self, lane: usize, slot: &Slot, steps: u32, config: &Config) {
        self.set_words(lane, slot.words());
        if let Some(last) = slot.last {
            self.last.0[lane] = 1 << last.index();
            set_words(&mut self.boards[1 - self.now], lane, slot.before);
        } else {
            self.last.0[lane] = 0;
        }
        self.legal.0[lane] = slot.legal_moves().bits();
        self.mover.0[lane] = slot.mover().index() as u8;
        self.half.0[lane] = slot.total / 2;
        self.odd = self.odd & !(1 << lane) | u64::from(slot.total % 2) << lane;
        self.ply_base[lane] = self.plies.wrapping_sub(slot.ply);
        self.step_base[lane] = self.steps.wrapping_sub(steps);
        let left = |limit: Option<std::num::NonZeroU32>, count: u32| {
            limit.map_or(u32::MAX, |limit| limit.get().saturating_sub(count))
        };
        self.plies_left = self.plies_left.min(left(config.rules.max_plies, slot.ply));
        self.steps_left = self.steps_left.min(left(config.max_steps, steps));
        if let Some(tape) = &mut self.tape {
            tape.put(lane, self.plies, slot.words(), &slot.history, slot.mover());
        }
    }

    /// Finishes a lane and keeps the episode as it is now.
    pub(crate) fn finish(&mut self, lane: usize, config: &Config, ending: Option<Termination>) {
        let episode = self.export(lane, config, Phase::Finished, ending);
        self.live &= !(1 << lane);
        self.finished |= 1 << lane;
        self.ended.push((lane as u8, Box::new(episode)));
    }

    /// Begins the next episodes of some lanes.
    #[inline(always)]
    pub(crate) fn begin_all<L: Lanes>(&mut self, set: LaneSet, scenario: &Scenario) {
        let config = &scenario.config;
        if config.opponent.is_some() || config.has_openings() {
            return lanes(set).for_each(|lane| self.begin(lane, scenario));
        }
        let Slot { words, legal, mover, total, .. } = &scenario.start;
        let counts = words.observation();
        let Boards { pits, stores } = &mut self.boards[self.now];
        let mut at = 0;
        while at < BLOCK {
            let begins = L::from_bits(set >> at);
            let mut i = 0;
            while i < PITS {
                set_some::<L>(&mut pits[i], at, begins, counts[i]);
                i += 1;
            }
            set_some::<L>(&mut stores[0], at, begins, counts[PITS]);
            set_some::<L>(&mut stores[1], at, begins, counts[PITS + 1]);
            set_some::<L>(&mut self.legal, at, begins, legal.bits());
            set_some::<L>(&mut self.mover, at, begins, mover.index() as u8);
            set_some::<L>(&mut self.half, at, begins, total / 2);
            set_some::<L>(&mut self.last, at, begins, 0);
            at += L::WIDTH;
        }
        self.odd = self.odd & !set | if total % 2 == 1 { set } else { 0 };
        if self.finished & set != 0 {
            self.finished &= !set;
            self.ended.retain(|(of, _)| set >> of & 1 == 0);
        }
        self.live |= set;
        for lane in lanes(set) {
            self.ply_base[lane] = self.plies;
            self.step_base[lane] = self.steps;
        }
        if let Some(limit) = config.rules.max_plies {
            self.plies_left = self.plies_left.min(limit.get());
        }
        if let Some(limit) = config.max_steps {
            self.steps_left = self.steps_left.min(limit.get());
        }
        if let Some(tape) = &mut self.tape {
            tape.restart::<L>(set, self.plies, *words);
        }
    }

    /// Begins the next episode of a lane: what [`Episode::begin`] does, from games that are at hand.
    pub(crate) fn begin(&mut self, lane: usize, scenario: &Scenario) {
        let config = &scenario.config;
        let mut stream = Stream::from_state(self.streams[lane]);
        if config.has_openings() {
            let mut episode = Episode::new(scenario, 0);
            episode.stream = stream;
            episode.begin(scenario);
            return self.put(lane, &episode, config);
        }
        if self.finished >> lane & 1 == 1 {
            self.finished &= !(1 << lane);
            self.ended.retain(|(of, _)| usize::from(*of) != lane);
        }
        self.live |= 1 << lane;
        let mut slot = &scenario.start;
        if let Some((place, opponent)) = config.draw_opponent(&mut stream) {
            let agent = config.seat.draw(&mut stream);
            self.seat_agent(lane, agent, opponent, place);
            if agent == Seat::North {
                slot = scenario.first_reply(place, &mut stream);
            }
        }
        self.streams[lane] = stream.state();
        self.put_game(lane, slot, 0, config);
    }
}

/// The lanes of a set whose count has reached a limit, and how much the others have at least left. Lanes that are not
/// in the set are made to count from now on.
fn count_down(now: u32, base: &mut [u32; BLOCK], limit: u32, set: LaneSet) -> (LaneSet, u32) {
    let left = |base: &u32| limit.saturating_sub(now.wrapping_sub(*base));
    let least = base.iter().map(left).fold(limit, u32::min);
    if least > 0 {
        return (0, least);
    }
    let mut reached = 0;
    let mut least = limit;
    for (lane, base) in base.iter_mut().enumerate() {
        if set >> lane & 1 == 0 {
            *base = now;
        } else if left(base) == 0 {
            reached |= 1 << lane;
        } else {
            least = least.min(left(base));
        }
    }
    (reached, least)
}

pub(crate) const fn seat(index: u8) -> Seat {
    if index == 0 { Seat::South } else { Seat::North }
}

fn words(boards: &Boards, lane: usize) -> Words {
    let mut counts = [0; PITS + 2];
    for (count, plane) in counts.iter_mut().zip(boards.pits.iter().chain(&boards.stores)) {
        *count = plane.0[lane];
    }
    Words::from_observation(counts)
}

fn set_words(boards: &mut Boards, lane: usize, board: Words) {
    for (plane, count) in boards.pits.iter_mut().chain(&mut boards.stores).zip(board.observation()) {
        plane.0[lane] = count;
    }
}
