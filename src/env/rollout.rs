//! Many steps in one call, played by a policy inside the environment.
//!
//! Rows never look at each other, so that a thread can play some of them through many steps while they are in its
//! cache:
//!
//! ```text
//! for each stretch of steps: ask whether to go on
//!     threads share out the blocks, some at a time; for those:
//!         for each step, for each block: show; choose; play, reward, begin again; show how games have ended
//! ```
//!
//! Single rows, and those that have to be reset from outside, are stepped all together.

use std::ops::ControlFlow;

use crate::batch::lanes::{self, BLOCK, Kernel, Lanes};
use crate::env::block::Block;
use crate::env::buffers::Buffers;
use crate::env::config::{AutoresetMode, Policy, Scenario};
use crate::env::environment::Env;
use crate::env::error::EnvError;
use crate::env::external::Externals;
use crate::env::lockstep::{self, advance, choose, show_endings, show_seen};
use crate::env::outputs::{Final, Outputs, Views};
use crate::env::rows::{Blocks, Rows};
use crate::position::Termination;
use crate::search::Probe;
use crate::threads::share_among;

/// What a rollout fills: as many times the rows of an environment as there are steps, the first step's first.
///
/// Of `out.views`, observation, mask and seat are those that the action was chosen by; termination and winner are
/// those after the step, before a reset that belongs to it. The rest is what the step gives.
#[derive(Debug, Default)]
pub struct Rollout<'a> {
    /// The actions, 0 where a row takes none.
    pub actions: &'a mut [i64],
    /// What is seen and given.
    pub out: Outputs<'a>,
    /// The places of the opponents in the pool, as [`Env::write_places`] tells them before the step.
    pub places: Option<&'a mut [i8]>,
    /// Exact values, for which rows are stepped all together.
    pub judged: Option<Judged<'a>>,
}

/// Exact values beside the steps of a rollout.
#[derive(Debug)]
pub struct Judged<'a> {
    /// Where they are from.
    pub endgame: &'a dyn Probe,
    /// As [`Env::write_values`] tells them before the step.
    pub values: &'a mut [f32],
    /// As [`Taken::write_regrets`] tells them.
    ///
    /// [`Taken::write_regrets`]: crate::env::Taken::write_regrets
    pub regrets: &'a mut [f32],
}

impl<'a> Rollout<'a> {
    /// The first `rows` rows; the rest is left.
    fn split_off(&mut self, rows: usize) -> Self {
        let Self { actions, out, places, judged } = std::mem::take(self);
        let (actions, later_actions) = actions.split_at_mut(rows);
        let (out, later_out) = out.split_at(rows);
        let (places, later_places) = places.map(|places| places.split_at_mut(rows)).unzip();
        let (judged, later_judged) = judged.map(|judged| judged.split_at(rows)).unzip();
        *self = Self { actions: later_actions, out: later_out, places: later_places, judged: later_judged };
        Self { actions, out, places, judged }
    }
}

impl Judged<'_> {
    fn split_at(self, rows: usize) -> (Self, Self) {
        let Self { endgame, values, regrets } = self;
        let (values, later_values) = values.split_at_mut(rows);
        let (regrets, later_regrets) = regrets.split_at_mut(rows);
        (Self { endgame, values, regrets }, Self { endgame, values: later_values, regrets: later_regrets })
    }
}

/// Plies of a stretch, which then lasts some milliseconds, or tens of them.
const STRETCH: usize = 1 << 19;
/// Plies of a stretch below which another thread costs more than it brings.
const PLIES_PER_THREAD: usize = 1 << 16;
/// The most steps of a stretch.
const STEPS: usize = 256;
/// Blocks that are played through a stretch together.
const BLOCKS: usize = 16;

impl Env {
    /// Plays steps as a policy chooses, until the arrays are full or `go_on`, asked now and then, says no. All rows
    /// have then played the same number of steps.
    ///
    /// # Errors
    /// [`EnvError::Count`], [`EnvError::ResetNeeded`], or what an outside opponent brings; the steps before the one
    /// that failed have been played.
    pub fn rollout(
        &mut self,
        policy: Policy,
        rollout: Rollout<'_>,
        externals: &mut dyn Externals,
        go_on: impl FnMut() -> ControlFlow<()>,
    ) -> Result<(), EnvError> {
        let rows = self.len();
        let (found, expected) = (rollout.out.reward.len(), rollout.actions.len());
        if found != expected {
            return Err(EnvError::Count { what: "rows of outputs", expected, found });
        }
        let places = rollout.places.as_ref().map(|places| ("opponents", places.len()));
        let judged = rollout.judged.as_ref().map(|judged| ("values", judged.values.len().min(judged.regrets.len())));
        if let Some((what, found)) = [places, judged].into_iter().flatten().find(|&(_, found)| found < expected) {
            return Err(EnvError::Count { what, expected, found });
        }
        if rows == 0 || expected == 0 || !expected.is_multiple_of(rows) {
            return Err(EnvError::Count { what: "actions", expected: rows, found: expected });
        }
        match &mut self.rows {
            Rows::Blocks(blocks)
                if rollout.judged.is_none() && goes_on_by_itself(blocks, self.scenario.config.autoreset) =>
            {
                roll_out_blocks(&self.scenario, blocks, &mut self.finals, policy, rollout, go_on);
                Ok(())
            }
            _ => self.roll_out_together(policy, rollout, externals, go_on),
        }
    }

    /// One step of all rows after the other.
    fn roll_out_together(
        &mut self,
        policy: Policy,
        rollout: Rollout<'_>,
        externals: &mut dyn Externals,
        mut go_on: impl FnMut() -> ControlFlow<()>,
    ) -> Result<(), EnvError> {
        let rows = self.len();
        let mut last = Buffers::new(self.config(), rows);
        let mut last = Some(last.outputs());
        let Rollout { actions, out, mut places, mut judged } = rollout;
        let (mut now, mut rest) = out.split_at(rows);
        self.write_views(&mut now.views);
        for (step, actions) in actions.chunks_exact_mut(rows).enumerate() {
            if go_on().is_break() {
                break;
            }
            let (mut next, tail) = match last.take_if(|_| rest.reward.is_empty()) {
                Some(last) => (last, rest),
                None => rest.split_at(rows),
            };
            let Views { observation, action_mask, to_move, .. } = next.views.reborrow();
            let Outputs { views: seen, reward, terminated, truncated, seat_rewards } = &mut now;
            let Views { termination, winner, .. } = seen.reborrow();
            let views = Views { observation, action_mask, to_move, termination, winner };
            let seat_rewards = seat_rewards.as_deref_mut();
            let out = Outputs { views, reward, terminated, truncated, seat_rewards };
            let here = step * rows..(step + 1) * rows;
            if let Some(Judged { endgame, values, .. }) = &mut judged {
                self.write_values(*endgame, &mut values[here.clone()]);
            }
            let taken = self.choose(policy, actions)?;
            if let Some(Judged { endgame, regrets, .. }) = &mut judged {
                taken.write_regrets(*endgame, &mut regrets[here.clone()]);
            }
            if let Some(places) = &mut places {
                taken.write_places(&mut places[here]);
            }
            taken.play(externals, out)?;
            write_endings(&mut now.views, self.finals(), 0);
            (now, rest) = (next, tail);
        }
        Ok(())
    }
}

/// Writes how rows have ended that were reset since, where the first row is the one of number `first`.
fn write_endings<'a>(views: &mut Views<'_>, finals: impl Iterator<Item = &'a Final>, first: usize) {
    for last in finals {
        views.termination[last.row - first] = last.ending.map_or(0, Termination::code) as i8;
        views.winner[last.row - first] = last.winner();
    }
}

/// Whether no row has to be reset from outside, now or later.
fn goes_on_by_itself(blocks: &Blocks, autoreset: AutoresetMode) -> bool {
    let waits = autoreset == AutoresetMode::NextStep;
    let in_play = |block: &Block| block.live | if waits { block.finished } else { 0 };
    let count: usize = blocks.blocks.iter().map(|block| in_play(block).count_ones() as usize).sum();
    count == blocks.rows && autoreset != AutoresetMode::Disabled
}

/// Has threads play the blocks, until all is full or not to go on.
fn roll_out_blocks(
    scenario: &Scenario,
    blocks: &mut Blocks,
    finals: &mut Vec<Vec<Final>>,
    policy: Policy,
    mut rollout: Rollout<'_>,
    mut go_on: impl FnMut() -> ControlFlow<()>,
) {
    let Blocks { rows, blocks, isa, tail, .. } = blocks;
    let rows = *rows;
    while !rollout.actions.is_empty() && go_on().is_continue() {
        let steps = (rollout.actions.len() / rows).min(STRETCH / rows).clamp(1, STEPS);
        let threads = scenario.config.num_threads.get().min(steps * rows / PLIES_PER_THREAD).max(1);
        let each = if threads > 1 { blocks.len().div_ceil(2 * threads).min(BLOCKS) } else { BLOCKS };
        finals.resize_with(blocks.len().div_ceil(each), Vec::new);
        let parts = blocks.chunks_mut(each).zip(finals.iter_mut()).enumerate();
        let mut pieces: Vec<_> = parts
            .map(|(piece, (blocks, finals))| {
                let first_row = piece * each * BLOCK;
                Piece { scenario, policy, blocks, steps: Vec::with_capacity(steps), tail: None, first_row, finals }
            })
            .collect();
        for _ in 0..steps {
            let mut step = rollout.split_off(rows);
            for piece in &mut pieces {
                let rows = step.actions.len().min(each * BLOCK);
                piece.steps.push(step.split_off(rows));
            }
        }
        if let Some(piece) = pieces.last_mut() {
            piece.tail = tail.as_deref_mut();
        }
        share_among(threads, pieces, |piece| lanes::on(*isa, piece));
    }
}

/// Writes the numbers of a block to the first rows, of which there may be fewer.
#[inline(always)]
fn write_rows<T: Copy>(numbers: &[T; BLOCK], rows: &mut [T]) {
    match rows.first_chunk_mut() {
        Some(rows) => *rows = *numbers,
        None => rows.copy_from_slice(&numbers[..rows.len()]),
    }
}

/// Some blocks, and what their rows fill at each step.
struct Piece<'a> {
    scenario: &'a Scenario,
    policy: Policy,
    blocks: &'a mut [Block],
    steps: Vec<Rollout<'a>>,
    /// Room for the last block where it has fewer rows.
    tail: Option<&'a mut Buffers>,
    /// The number of the first row.
    first_row: usize,
    /// Takes the rows that each step finishes and resets; those of the last step stay.
    finals: &'a mut Vec<Final>,
}

impl Kernel for Piece<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let Scenario { config, .. } = self.scenario;
        for Rollout { actions, out, places, .. } in &mut self.steps {
            self.finals.clear();
            let mut first = 0;
            for block in self.blocks.iter_mut() {
                let row = self.first_row + first;
                let mut tail = self.tail.as_deref_mut().map(Buffers::outputs);
                let whole = out.page(first);
                let is_whole = whole.is_some();
                if let Some(mut page) = whole.or_else(|| tail.as_mut()?.page(0)) {
                    show_seen::<L>(block, config, &mut page.views);
                    let moves = choose::<L>(block, &config.rules, self.policy);
                    write_rows(&lockstep::actions::<L>(&moves), &mut actions[first..]);
                    if let Some(places) = places {
                        write_rows(&block.places.map(|place| place as i8), &mut places[first..]);
                    }
                    advance::<L>(block, &moves, self.scenario, &mut page, row, self.finals);
                    show_endings(block, &mut page.views);
                }
                if let Some(tail) = tail.filter(|_| !is_whole) {
                    out.reborrow().split_at(first).1.copy_from(&tail);
                }
                first += BLOCK;
            }
            write_endings(&mut out.views, self.finals.iter(), self.first_row);
        }
    }
}
