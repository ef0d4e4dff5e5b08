//! The rows of an environment: one by one, or sixty-four at a time in lockstep.

use crate::batch::kernel::KernelName;
use crate::batch::lanes::{self, BLOCK, Isa, Kernel, Lanes, Plane};
use crate::env::block::Block;
use crate::env::buffers::Buffers;
use crate::env::config::{AutoresetMode, Config, Opponent, Policy, Scenario};
use crate::env::episode::{Episode, Phase};
use crate::env::lockstep::{Choose, Show, Step};
use crate::env::outputs::{Final, Outputs, Views};
use crate::pit::{Move, ROW};
use crate::rules::Rules;
use crate::threads::share_among;
use crate::words::Words;

#[derive(Clone, Debug)]
pub(crate) enum Rows {
    Single(Vec<Episode>),
    Blocks(Blocks),
}

#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    pub(super) rows: usize,
    pub(super) blocks: Vec<Block>,
    /// The moves of the step under way, as bits.
    moves: Vec<Plane>,
    pub(super) isa: Isa,
    /// What a whole last block would fill, where it has fewer rows.
    pub(super) tail: Option<Box<Buffers>>,
}

impl Rows {
    /// The rows, in the form that suits their number and the machine. An opponent that is asked needs them one by one.
    pub(crate) fn new(scenario: &Scenario, episodes: Vec<Episode>) -> Self {
        let config = &scenario.config;
        let of_rows = episodes.iter().filter_map(|episode| Some(episode.match_up?.1));
        let asked = of_rows.chain(config.opponents()).any(Opponent::is_asked);
        let isa = match config.kernel {
            None => Isa::best_for(episodes.len()),
            Some(KernelName::Words) => None,
            Some(kernel) => Isa::named(kernel.name()),
        };
        match isa {
            Some(isa) if !asked => Self::Blocks(Blocks::new(scenario, &episodes, isa)),
            _ => Self::Single(episodes),
        }
    }

    /// What plays the rows.
    pub(crate) fn kernel(&self) -> KernelName {
        match self {
            Self::Single(_) => KernelName::Words,
            Self::Blocks(blocks) => blocks.isa.name().parse().unwrap_or(KernelName::Portable),
        }
    }

    /// The same rows one by one.
    pub(crate) fn into_single(self, config: &Config) -> Self {
        match self {
            Self::Single(_) => self,
            Self::Blocks(_) => Self::Single((0..self.len()).map(|row| self.get(row, config)).collect()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Single(episodes) => episodes.len(),
            Self::Blocks(blocks) => blocks.rows,
        }
    }

    pub(crate) fn get(&self, row: usize, config: &Config) -> Episode {
        match self {
            Self::Single(episodes) => episodes[row].clone(),
            Self::Blocks(blocks) => blocks.blocks[row / BLOCK].get(row % BLOCK, config),
        }
    }

    /// The board of a row as its mover sees it, and whether that is the one whose view is shown; `None` where the game
    /// is over.
    pub(crate) fn standing(&self, row: usize, config: &Config) -> Option<(Words, bool)> {
        let of_episode = |episode: &Episode| {
            let slot = &episode.slot;
            (!slot.is_over()).then(|| (slot.words(), episode.viewer() == slot.mover()))
        };
        match self {
            Self::Single(episodes) => of_episode(&episodes[row]),
            Self::Blocks(blocks) => {
                let (block, lane) = (&blocks.blocks[row / BLOCK], row % BLOCK);
                if block.phase(lane) == Phase::Finished {
                    return of_episode(&block.get(lane, config));
                }
                let is_viewers = config.opponent.is_none() || block.agent.0[lane] == block.mover.0[lane];
                Some((block.words(lane), is_viewers))
            }
        }
    }

    /// The place of a row's opponent in the pool that it was drawn from.
    pub(crate) fn place(&self, row: usize) -> u8 {
        match self {
            Self::Single(episodes) => episodes[row].place,
            Self::Blocks(blocks) => blocks.blocks[row / BLOCK].places[row % BLOCK],
        }
    }

    /// Where each row is in its life.
    pub(crate) fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        (0..self.len()).map(|row| match self {
            Self::Single(episodes) => episodes[row].phase,
            Self::Blocks(blocks) => blocks.blocks[row / BLOCK].phase(row % BLOCK),
        })
    }

    /// Changes a row and returns what the change tells.
    pub(crate) fn update<T>(&mut self, row: usize, config: &Config, change: impl FnOnce(&mut Episode) -> T) -> T {
        match self {
            Self::Single(episodes) => change(&mut episodes[row]),
            Self::Blocks(blocks) => {
                let block = &mut blocks.blocks[row / BLOCK];
                let mut episode = block.get(row % BLOCK, config);
                let told = change(&mut episode);
                block.put(row % BLOCK, &episode, config);
                told
            }
        }
    }
}

impl Blocks {
    fn new(scenario: &Scenario, episodes: &[Episode], isa: Isa) -> Self {
        let blocks: Vec<_> = episodes.chunks(BLOCK).map(|lanes| Block::new(scenario, lanes)).collect();
        let tail = (!episodes.len().is_multiple_of(BLOCK)).then(|| Box::new(Buffers::new(&scenario.config, BLOCK)));
        Self { rows: episodes.len(), moves: vec![Plane::ZERO; blocks.len()], blocks, isa, tail }
    }

    /// Takes the actions as moves; false where one cannot be taken.
    pub(crate) fn take(&mut self, actions: &[i64], config: &Config) -> bool {
        let Self { blocks, moves, isa, .. } = self;
        let ignores_finished = config.autoreset == AutoresetMode::NextStep;
        lanes::on(*isa, Take { blocks, moves, actions, ignores_finished })
    }

    /// The move that a row has taken, if any.
    pub(crate) fn taken(&self, row: usize) -> Option<Move> {
        Move::new(self.moves[row / BLOCK].0[row % BLOCK].trailing_zeros() as usize)
    }

    /// Chooses a move for each live row, to be played next, and writes the actions.
    pub(crate) fn choose(&mut self, policy: Policy, rules: &Rules, actions: &mut [i64]) {
        let Self { blocks, moves, isa, .. } = self;
        lanes::on(*isa, Choose { rules, policy, blocks, moves, actions });
    }

    /// Writes what is seen of the rows.
    pub(crate) fn show(&self, config: &Config, views: Views<'_>) {
        lanes::on(self.isa, Show { config, blocks: &self.blocks, views });
    }

    /// One step with the moves taken before, in as many pieces as there are lists for the rows that are finished and
    /// reset.
    pub(crate) fn step(
        &mut self,
        threads: usize,
        scenario: &Scenario,
        mut out: Outputs<'_>,
        finals: &mut [Vec<Final>],
    ) {
        let Self { blocks, moves, isa, tail, .. } = self;
        let isa = *isa;
        let each = blocks.len().div_ceil(finals.len().max(1)).max(1);
        let pieces = blocks.chunks_mut(each).zip(moves.chunks(each)).zip(finals);
        let mut tail = tail.as_deref_mut();
        let count = pieces.len();
        let steps = pieces.enumerate().map(|(piece, ((blocks, moves), finals))| {
            let is_last = piece + 1 == count;
            let rest = std::mem::take(&mut out);
            let (head, rest) = if is_last { (rest, Outputs::default()) } else { rest.split_at(each * BLOCK) };
            out = rest;
            let tail = if is_last { tail.take() } else { None };
            Step { scenario, blocks, moves, out: head, tail, first_row: piece * each * BLOCK, finals }
        });
        share_among(threads, steps.collect(), |step| lanes::on(isa, step));
    }
}

/// Makes bits of the actions of each block's live lanes and tells whether all can be played.
struct Take<'a> {
    blocks: &'a [Block],
    moves: &'a mut [Plane],
    actions: &'a [i64],
    ignores_finished: bool,
}

impl Kernel for Take<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lanes>(self) -> bool {
        let mut refused = 0;
        for ((block, moves), actions) in self.blocks.iter().zip(self.moves).zip(self.actions.chunks(BLOCK)) {
            let rows = u64::MAX >> (BLOCK - actions.len());
            let few;
            let actions = match actions.first_chunk() {
                Some(actions) if actions.iter().fold(0, |seen, action| seen | action) as u64 <= NO_PIT as u64 => {
                    actions
                }
                _ => {
                    few = tidied(actions);
                    &few
                }
            };
            let mut playable = 0;
            let mut at = 0;
            while at < BLOCK {
                let bits = move_bits(L::narrow(actions, at));
                let bits = bits.and(L::load(&block.legal, at));
                bits.store(moves, at);
                playable |= (!L::bits(bits.equals(L::splat(0))) & (u64::MAX >> (64 - L::WIDTH))) << at;
                at += L::WIDTH;
            }
            let ignored = if self.ignores_finished { block.finished } else { 0 };
            refused |= rows & !ignored & !(playable & block.live);
            if block.live != u64::MAX {
                // What finished rows are told must not be played.
                for (lane, bits) in moves.0.iter_mut().enumerate() {
                    *bits = if block.live >> lane & 1 == 1 { *bits } else { 0 };
                }
            }
        }
        refused == 0
    }
}

/// The actions of a block with [`NO_PIT`] for all that is no pit or missing.
#[cold]
fn tidied(actions: &[i64]) -> [i64; BLOCK] {
    let mut few = [NO_PIT; BLOCK];
    for (few, &action) in few.iter_mut().zip(actions) {
        *few = if (0..NO_PIT).contains(&action) { action } else { NO_PIT };
    }
    few
}

/// What stands for an action that is no pit.
const NO_PIT: i64 = 15;

/// The bits of actions below 16; none for what is no pit.
#[inline(always)]
fn move_bits<L: Lanes>(actions: L) -> L {
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    if L::LOOKS_UP {
        return L::look_up(BITS, actions);
    }
    let mut bits = L::splat(0);
    let mut mv = 0;
    while mv < ROW {
        bits = bits.or(L::splat(BITS[mv]).keep(actions.equals(L::splat(mv as u8))));
        mv += 1;
    }
    bits
}
