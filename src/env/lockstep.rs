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
use crate::batch::observe::{COLUMNS, PLANES};
use crate::batch::{choice, ply, transpose};
use crate::env::block::{Block, LaneSet, lanes, seat};
use crate::env::buffers::{Buffers, ViewBuffers};
use crate::env::config::{AutoresetMode, Config, Policy, RewardKind, Scenario};
use crate::env::outputs::{Final, ObservationPage, Outputs, Page, ViewPage, Views};
use crate::position::Termination;
use crate::rules::Rules;
use crate::stream::Stream;

/// Some blocks, the moves of their live lanes, and the rows that they fill.
pub(crate) struct Step<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) blocks: &'a mut [Block],
    pub(crate) moves: &'a [Plane],
    pub(crate) out: Outputs<'a>,
    /// Room for the last block where it has fewer rows.
    pub(crate) tail: Option<&'a mut Buffers>,
    /// The number of the first row.
    pub(crate) first_row: usize,
    /// Takes the rows that are finished and reset.
    pub(crate) finals: &'a mut Vec<Final>,
}

impl Kernel for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let config = &self.scenario.config;
        let mut first = 0;
        for (block, moves) in self.blocks.iter_mut().zip(self.moves) {
            let row = self.first_row + first;
            let mut tail = self.tail.as_deref_mut().map(Buffers::outputs);
            let whole = self.out.page(first);
            let is_whole = whole.is_some();
            if let Some(mut page) = whole.or_else(|| tail.as_mut()?.page(0)) {
                advance::<L>(block, moves, self.scenario, &mut page, row, self.finals);
                show::<L>(block, config, &mut page.views);
            }
            if let Some(tail) = tail.filter(|_| !is_whole) {
                self.out.reborrow().split_at(first).1.copy_from(&tail);
            }
            first += BLOCK;
        }
    }
}

/// Plays one step, rewards it, and begins lanes again. Nothing is shown yet.
#[inline(always)]
pub(super) fn advance<L: Lanes>(
    block: &mut Block,
    moves: &Plane,
    scenario: &Scenario,
    page: &mut Page<'_>,
    first_row: usize,
    finals: &mut Vec<Final>,
) {
    let config = &scenario.config;
    let active = block.live;
    let waiting = block.finished;
    // What a ply overwrites and only the rewards for captures need.
    let before = (config.reward == RewardKind::Captures).then(|| (block.boards().stores, block.mover));

    let cut = block.count_step(config) & active;
    let mut endings = [None; BLOCK];
    let mut over = play_block::<L>(block, moves, scenario, active, &mut endings);
    if config.opponent.is_some() {
        let replying = active & !over;
        let replies = reply::<L>(block, &config.rules, replying);
        over |= play_block::<L>(block, &replies, scenario, replying, &mut endings);
    }
    let cut = cut & !over;

    *page.reward = [0.0; BLOCK];
    *page.terminated = [0; BLOCK];
    *page.truncated = [0; BLOCK];
    let stores = &block.boards().stores;
    match (config.reward, &before) {
        (RewardKind::Captures, Some((stores_before, mover_before))) => {
            for lane in 0..BLOCK {
                let acting = acting(block, config, lane);
                let before = margin(stores_before, lane, mover_before.0[lane] == acting);
                page.reward[lane] = f32::from(margin(stores, lane, block.mover.0[lane] == acting) - before);
            }
        }
        (reward, _) => {
            for lane in lanes(over) {
                let margin = margin(stores, lane, block.mover.0[lane] == acting(block, config, lane));
                page.reward[lane] = match reward {
                    RewardKind::Margin => f32::from(margin) / f32::from(config.rules.seeds_per_pit.total()),
                    _ => f32::from(margin.signum()),
                };
            }
        }
    }
    if let Some(seat_rewards) = page.seat_rewards.as_deref_mut() {
        for lane in 0..BLOCK {
            let (reward, north) = (page.reward[lane], acting(block, config, lane) == 1);
            // A difference, so that a reward of nothing is +0 for both.
            let other = 0.0 - reward;
            seat_rewards[2 * lane] = if north { other } else { reward };
            seat_rewards[2 * lane + 1] = if north { reward } else { other };
        }
    }

    for lane in lanes(over | cut) {
        page.terminated[lane] = (over >> lane & 1) as u8;
        page.truncated[lane] = (cut >> lane & 1) as u8;
        if !config.shows_finals() {
            if cut >> lane & 1 == 1 {
                block.finish(lane, config, None);
            }
            continue;
        }
        let viewer = if config.opponent.is_some() { seat(block.agent.0[lane]) } else { block.mover(lane) };
        let words = block.words(lane);
        let board = if viewer == block.mover(lane) { words } else { words.swapped() };
        finals.push(Final { row: first_row + lane, viewer, board, ending: endings[lane] });
    }
    let beginning = match config.autoreset {
        AutoresetMode::SameStep => over | cut,
        AutoresetMode::NextStep => waiting,
        AutoresetMode::Disabled => 0,
    };
    if beginning != 0 {
        block.begin_all::<L>(beginning, scenario);
    }
}

/// The seat that acted in a lane that has moved: the agent's, or in self-play the one that is not to move now.
#[inline(always)]
fn acting(block: &Block, config: &Config, lane: usize) -> u8 {
    if config.opponent.is_some() { block.agent.0[lane] } else { 1 - block.mover.0[lane] }
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
        recurring = tape.record::<L>(block.plies, moves, &played, limit.get(), block.live, 2);
        attention |= recurring & !played.majority;
    }
    block.turn();
    pass_on::<L>(block, moves, &played.legal);
    attention |= block.at_ply_limit(rules) & !played.majority;
    let mut over = played.majority & playing;
    for lane in lanes(over) {
        endings[lane] = Some(Termination::Majority);
    }
    for lane in lanes(attention & playing) {
        if let Some(ending) = settle(block, lane, rules, recurring >> lane & 1 == 1) {
            over |= 1 << lane;
            endings[lane] = Some(ending);
        }
    }
    if !config.shows_finals() {
        // Now, since another ply of the block changes what it knows of the last one.
        for lane in lanes(over) {
            block.finish(lane, config, endings[lane]);
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
        let mut at = 0;
        while at < BLOCK {
            let greedy = L::from_bits(block.greedy >> at);
            L::select(greedy, L::load(&best, at), L::load(&choices, at)).store(&mut choices, at);
            at += L::WIDTH;
        }
    }
    draw::<L>(block, &choices, replying)
}

/// One of the choices of each lane that is drawing, from the lane's stream, as bits.
#[inline(always)]
fn draw<L: Lanes>(block: &mut Block, choices: &Plane, drawing: LaneSet) -> Plane {
    let (mut moves, mut counts) = (Plane::ZERO, Plane::ZERO);
    let mut idle = 0;
    let mut at = 0;
    while at < BLOCK {
        let choices = L::load(choices, at).keep(L::from_bits(drawing >> at));
        choices.store(&mut moves, at);
        let count = choice::count(choices);
        count.store(&mut counts, at);
        idle |= L::bits(count.equals(L::splat(0)));
        at += L::WIDTH;
    }
    let before = block.streams;
    let mut ranks = [0; BLOCK];
    let mut lane = 0;
    while lane < BLOCK {
        let (next, bits) = Stream::drawn(block.streams[lane]);
        block.streams[lane] = next;
        ranks[lane] = Stream::rank(bits, u64::from(counts.0[lane])) as i64;
        lane += 1;
    }
    if idle != 0 {
        for (lane, stream) in block.streams.iter_mut().enumerate() {
            *stream = if counts.0[lane] == 0 { before[lane] } else { *stream };
        }
    }
    at = 0;
    while at < BLOCK {
        choice::nth(L::load(&moves, at), L::narrow(&ranks, at)).store(&mut moves, at);
        at += L::WIDTH;
    }
    moves
}

/// Chooses the moves of some blocks' live lanes and writes them as actions, 0 for the other lanes.
pub(crate) struct Choose<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) policy: Policy,
    pub(crate) blocks: &'a mut [Block],
    pub(crate) moves: &'a mut [Plane],
    pub(crate) actions: &'a mut [i64],
}

impl Kernel for Choose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let blocks = self.blocks.iter_mut().zip(self.moves);
        for ((block, moves), actions) in blocks.zip(self.actions.chunks_mut(BLOCK)) {
            *moves = choose::<L>(block, self.rules, self.policy);
            actions.copy_from_slice(&self::actions::<L>(moves)[..actions.len()]);
        }
    }
}

/// The moves of the live lanes that a policy chooses, as bits.
#[inline(always)]
pub(super) fn choose<L: Lanes>(block: &mut Block, rules: &Rules, policy: Policy) -> Plane {
    let mut choices = block.legal;
    if policy == Policy::Greedy {
        choice::greediest::<L>(block.boards(), &block.legal, rules, &mut choices);
    }
    draw::<L>(block, &choices, block.live)
}

/// The actions that moves are; 0 where there is none.
#[inline(always)]
pub(super) fn actions<L: Lanes>(moves: &Plane) -> [i64; BLOCK] {
    let mut pits = Plane::ZERO;
    let mut at = 0;
    while at < BLOCK {
        choice::pit(L::load(moves, at)).store(&mut pits, at);
        at += L::WIDTH;
    }
    pits.0.map(i64::from)
}

/// Writes what is seen of some blocks.
pub(crate) struct Show<'a> {
    pub(crate) config: &'a Config,
    pub(crate) blocks: &'a [Block],
    pub(crate) views: Views<'a>,
}

impl Kernel for Show<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for (number, block) in self.blocks.iter().enumerate() {
            let first = number * BLOCK;
            if let Some(mut page) = self.views.page(first) {
                show::<L>(block, self.config, &mut page);
            } else {
                let mut tail = ViewBuffers::new(self.config, BLOCK);
                if let Some(mut page) = tail.views().page(0) {
                    show::<L>(block, self.config, &mut page);
                }
                self.views.reborrow().split_at(first).1.copy_from(&tail.views());
            }
        }
    }
}

/// Writes what is shown of the lanes.
#[inline(always)]
fn show<L: Lanes>(block: &Block, config: &Config, page: &mut ViewPage<'_>) {
    show_seen::<L>(block, config, page);
    show_endings(block, page);
}

/// Writes what is seen of the lanes: observation, mask and seat.
#[inline(always)]
pub(super) fn show_seen<L: Lanes>(block: &Block, config: &Config, page: &mut ViewPage<'_>) {
    match &mut page.observation {
        ObservationPage::Seeds(rows) => transpose::rows::<L>(block.boards(), rows),
        ObservationPage::Normalized { rows, whole } => {
            for (out, &count) in rows.iter_mut().zip(&seen::<L>(block)) {
                *out = f32::from(count) / *whole;
            }
        }
        ObservationPage::OneHot(rows) => {
            rows.fill(0.0);
            for (plane, &count) in rows.chunks_exact_mut(COLUMNS).zip(&seen::<L>(block)) {
                plane[usize::from(count).min(COLUMNS - 1)] = 1.0;
            }
        }
    }
    transpose::masks::<L>(&block.legal, page.action_mask);
    let viewer = if config.opponent.is_some() { &block.agent } else { &block.mover };
    *page.to_move = viewer.0.map(|seat| seat as i8);
    for (lane, episode) in block.ended() {
        page.views().write_seen(lane, episode);
    }
}

/// Writes how the games of the lanes have ended.
#[inline(always)]
pub(super) fn show_endings(block: &Block, page: &mut ViewPage<'_>) {
    *page.termination = [0; BLOCK];
    *page.winner = [-1; BLOCK];
    for (lane, episode) in block.ended() {
        page.views().write_ending(lane, episode);
    }
}

/// The observations of a block as counts.
#[inline(always)]
fn seen<L: Lanes>(block: &Block) -> [u8; BLOCK * PLANES] {
    let mut counts = [0; BLOCK * PLANES];
    transpose::rows::<L>(block.boards(), &mut counts);
    counts
}
