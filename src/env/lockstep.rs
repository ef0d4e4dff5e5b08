//! One step of a block of rows: the passes of [`crate::env::step`] for sixty-four rows at once.
//!
//! ```text
//! play every live lane's action; settle the lanes that ask for attention, one by one
//! where there is an opponent: choose its moves, play them, settle again
//! reward; finish the lanes that have ended or were cut off; begin lanes again
//! show all lanes
//! ```
//!
//! Whatever is rare (an ending, a repetition, a new episode) is done lane by lane with the code that single rows use.

use crate::batch::lanes::{BLOCK, Kernel, Lanes, Plane};
use crate::batch::observe::{COLUMNS, Observations, PLANES, wide_mask};
use crate::batch::{choice, ply, transpose};
use crate::env::block::{Block, LaneSet, lanes, seat};
use crate::env::config::{AutoresetMode, RewardKind, Scenario};
use crate::env::episode::Episode;
use crate::env::outputs::Outputs;
use crate::pit::{MoveSet, ROW};
use crate::position::Termination;
use crate::rules::Rules;
use crate::stream::Stream;

/// Some blocks, the moves of their live lanes, and the rows that they fill.
pub(crate) struct Step<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) blocks: &'a mut [Block],
    pub(crate) moves: &'a [Plane],
    pub(crate) rows: usize,
    pub(crate) out: Outputs<'a>,
}

impl Step<'_> {
    /// The first `blocks` blocks and the rest.
    pub(crate) fn split_at(self, blocks: usize) -> (Self, Self) {
        let (head, tail) = self.blocks.split_at_mut(blocks);
        let (moves, moves_tail) = self.moves.split_at(blocks);
        let rows = blocks * BLOCK;
        let (out, out_tail) = self.out.split_at(rows);
        (
            Self { scenario: self.scenario, blocks: head, moves, rows, out },
            Self { scenario: self.scenario, blocks: tail, moves: moves_tail, rows: self.rows - rows, out: out_tail },
        )
    }
}

impl Kernel for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let mut first = 0;
        for (block, moves) in self.blocks.iter_mut().zip(self.moves) {
            let rows = BLOCK.min(self.rows - first);
            step_block::<L>(block, moves, self.scenario, &mut self.out, first, rows);
            first += BLOCK;
        }
    }
}

#[inline(always)]
fn step_block<L: Lanes>(
    block: &mut Block,
    moves: &Plane,
    scenario: &Scenario,
    out: &mut Outputs<'_>,
    first: usize,
    rows: usize,
) {
    let config = &scenario.config;
    let active = block.live;
    let waiting = block.finished;
    let acting = if config.opponent.is_some() { block.agent } else { block.mover };
    let stores = block.boards().stores;
    let stored_by = block.mover;

    let cut = block.count_step(config) & active;
    let mut endings = [None; BLOCK];
    let mut over = play_block::<L>(block, moves, scenario, active, &mut endings);
    if config.opponent.is_some() {
        let replying = active & !over;
        let replies = reply::<L>(block, &config.rules, replying);
        over |= play_block::<L>(block, &replies, scenario, replying, &mut endings);
    }
    let cut = cut & !over;

    out.terminated[first..first + rows].fill(false);
    out.truncated[first..first + rows].fill(false);
    match config.reward {
        RewardKind::Captures => {
            let mut lane = 0;
            while lane < rows {
                let before = margin(&stores, lane, stored_by.0[lane] == acting.0[lane]);
                let after = margin(&block.boards().stores, lane, block.mover.0[lane] == acting.0[lane]);
                out.reward[first + lane] = f32::from(after - before);
                lane += 1;
            }
        }
        RewardKind::Outcome | RewardKind::Margin => {
            out.reward[first..first + rows].fill(0.0);
            for lane in lanes(over) {
                let margin = margin(&block.boards().stores, lane, block.mover.0[lane] == acting.0[lane]);
                out.reward[first + lane] = match config.reward {
                    RewardKind::Margin => f32::from(margin) / f32::from(config.rules.seeds_per_pit.total()),
                    _ => f32::from(margin.signum()),
                };
            }
        }
    }
    if out.seat_rewards.is_some() {
        for lane in 0..rows {
            let reward = out.reward[first + lane];
            out.write_reward(first + lane, seat(acting.0[lane]), reward);
        }
    }

    for lane in lanes(over | cut) {
        let row = first + lane;
        out.terminated[row] = over >> lane & 1 == 1;
        out.truncated[row] = cut >> lane & 1 == 1;
        if !config.shows_finals() {
            if cut >> lane & 1 == 1 {
                block.finish(lane, config, None);
            }
            continue;
        }
        if let Some(finals) = &mut out.finals {
            let viewer = if config.opponent.is_some() { seat(acting.0[lane]) } else { block.mover(lane) };
            let words = block.words(lane);
            let board = if viewer == block.mover(lane) { words } else { words.swapped() };
            finals.write_board(row, board, viewer, MoveSet::ALL, endings[lane]);
        }
        block.begin(lane, scenario);
    }
    if config.autoreset == AutoresetMode::NextStep {
        for lane in lanes(waiting) {
            block.begin(lane, scenario);
        }
    }
    show::<L>(block, scenario, out, first, rows);
}

/// The difference of the stores of one lane: of the player whose store comes first, or of the other one.
#[inline(always)]
fn margin(stores: &[Plane; 2], lane: usize, is_mover: bool) -> i16 {
    let margin = i16::from(stores[0].0[lane]) - i16::from(stores[1].0[lane]);
    if is_mover { margin } else { -margin }
}

/// Plays moves, tells the endings that this brings, and returns their lanes.
#[inline(always)]
fn play_block<L: Lanes>(
    block: &mut Block,
    moves: &Plane,
    scenario: &Scenario,
    playing: LaneSet,
    endings: &mut [Option<Termination>; BLOCK],
) -> LaneSet {
    let config = &scenario.config;
    let rules = &config.rules;
    let half = block.half;
    let (before, after) = block.boards_to_play();
    let played = ply::play::<L>(before, after, moves, &half, rules);
    let mut attention = played.attention;
    let mut recurring = 0;
    if let (Some(tape), Some(limit)) = (&mut block.tape, rules.repetition) {
        recurring = tape.record::<L>(block.plies, moves, &played, limit.get(), block.live);
        attention |= recurring;
    }
    block.turn();
    pass_on::<L>(block, moves, &played.legal);
    attention |= block.at_ply_limit(rules);
    let mut over = 0;
    for lane in lanes(attention & playing) {
        if let Some(ending) = settle(block, lane, rules, recurring >> lane & 1 == 1) {
            over |= 1 << lane;
            endings[lane] = Some(ending);
            if !config.shows_finals() {
                // Now, since another ply of the block changes what it knows of the last one.
                block.finish(lane, config, Some(ending));
            }
        }
    }
    over
}

/// Hands the move to the other player where one was played.
#[inline(always)]
fn pass_on<L: Lanes>(block: &mut Block, moves: &Plane, legal: &Plane) {
    let mut at = 0;
    while at < BLOCK {
        let moves = L::load(moves, at);
        let zero = L::splat(0);
        let idle = moves.equals(zero);
        let mover = L::load(&block.mover, at);
        L::select(idle, mover, L::splat(1).sub(mover)).store(&mut block.mover, at);
        L::select(idle, L::load(&block.legal, at), L::load(legal, at)).store(&mut block.legal, at);
        L::select(idle, L::load(&block.last, at), moves).store(&mut block.last, at);
        at += L::WIDTH;
    }
}

/// Finds a lane's legal moves and ends its game if the position does.
fn settle(block: &mut Block, lane: usize, rules: &Rules, may_have_recurred: bool) -> Option<Termination> {
    let words = block.words(lane);
    let legal = words.legal_moves(rules);
    block.legal.0[lane] = legal.bits();
    let recurred = || {
        may_have_recurred
            && !(rules.repetition_needs_both_rows && words.has_empty_row())
            && block
                .tape
                .as_ref()
                .zip(rules.repetition)
                .is_some_and(|(tape, limit)| tape.has_recurred(lane, block.plies, words, limit.get()))
    };
    let ending = words
        .ending(rules, legal, block.total(lane))
        .or_else(|| recurred().then_some(Termination::Repetition))
        .or_else(|| {
            rules.max_plies.is_some_and(|limit| block.ply(lane) >= limit.get()).then_some(Termination::PlyLimit)
        })?;
    if let Some(share) = ending.share(rules) {
        block.set_words(lane, words.shared_out(share).0);
    }
    Some(ending)
}

/// The opponents' moves, drawn from the streams of the lanes that reply.
#[inline(always)]
fn reply<L: Lanes>(block: &mut Block, rules: &Rules, replying: LaneSet) -> Plane {
    let mut choices = block.legal;
    if block.greedy & replying != 0 {
        let mut best = Plane::ZERO;
        choice::greediest::<L>(block.boards(), &block.legal, rules, &mut best);
        let mut lane = 0;
        while lane < BLOCK {
            choices.0[lane] = if block.greedy >> lane & 1 == 1 { best.0[lane] } else { choices.0[lane] };
            lane += 1;
        }
    }
    let mut lane = 0;
    while lane < BLOCK {
        choices.0[lane] = if replying >> lane & 1 == 1 { choices.0[lane] } else { 0 };
        lane += 1;
    }
    let mut counts = Plane::ZERO;
    choice::count::<L>(&choices, &mut counts);
    let mut ranks = Plane::ZERO;
    let mut lane = 0;
    while lane < BLOCK {
        let (next, bits) = Stream::drawn(block.streams[lane]);
        block.streams[lane] = if counts.0[lane] == 0 { block.streams[lane] } else { next };
        ranks.0[lane] = Stream::rank(bits, u64::from(counts.0[lane])) as u8;
        lane += 1;
    }
    let mut replies = Plane::ZERO;
    choice::nth::<L>(&choices, &ranks, &mut replies);
    replies
}

/// Writes what is seen of the lanes.
#[inline(always)]
fn show<L: Lanes>(block: &Block, scenario: &Scenario, out: &mut Outputs<'_>, first: usize, rows: usize) {
    let config = &scenario.config;
    let views = &mut out.views;
    let written = first * PLANES..(first + rows) * PLANES;
    match &mut views.observation {
        Observations::Seeds(all) => match all.get_mut(first * PLANES..).and_then(<[u8]>::first_chunk_mut) {
            // What is stored beyond the block is overwritten by the next one.
            Some(place) => transpose::rows::<L>(block.boards(), place),
            None => all[written].copy_from_slice(&seen::<L>(block)[..rows * PLANES]),
        },
        Observations::Normalized { rows: all, whole } => {
            let whole = *whole;
            for (out, &count) in all[written].iter_mut().zip(&seen::<L>(block)) {
                *out = f32::from(count) / whole;
            }
        }
        Observations::OneHot(all) => {
            let all = &mut all[first * PLANES * COLUMNS..(first + rows) * PLANES * COLUMNS];
            all.fill(0.0);
            for (plane, &count) in all.chunks_exact_mut(COLUMNS).zip(&seen::<L>(block)) {
                plane[usize::from(count).min(COLUMNS - 1)] = 1.0;
            }
        }
    }
    let masks = &mut views.action_mask[first * ROW..];
    match masks.first_chunk_mut() {
        Some(place) => show_masks(&block.legal, place),
        None => {
            let mut wide = [0; MASKS_BYTES];
            show_masks(&block.legal, &mut wide);
            masks[..rows * ROW].copy_from_slice(&wide[..rows * ROW]);
        }
    }
    let viewer = if config.opponent.is_some() { &block.agent } else { &block.mover };
    for (out, &seat) in views.to_move[first..first + rows].iter_mut().zip(&viewer.0) {
        *out = seat as i8;
    }
    views.termination[first..first + rows].fill(0);
    views.winner[first..first + rows].fill(-1);
    for lane in lanes(block.finished) {
        let episode: Episode = block.get(lane, config);
        views.write(first + lane, &episode);
    }
}

/// The observations of a block as counts.
#[inline(always)]
fn seen<L: Lanes>(block: &Block) -> [u8; transpose::ROWS_BYTES] {
    let mut counts = [0; transpose::ROWS_BYTES];
    transpose::rows::<L>(block.boards(), &mut counts);
    counts
}

/// Bytes of the masks of a block, with room for the last store of [`show_masks`].
const MASKS_BYTES: usize = BLOCK * ROW + 2;

/// Writes the masks of a block.
#[inline(always)]
fn show_masks(legal: &Plane, out: &mut [i8; MASKS_BYTES]) {
    let mut lane = 0;
    while lane < BLOCK {
        // Eight bytes are stored for each row, and the next row overwrites the last two.
        let eight = wide_mask(MoveSet::from_bits(legal.0[lane]));
        out[lane * ROW..lane * ROW + 8].copy_from_slice(&eight);
        lane += 1;
    }
}
