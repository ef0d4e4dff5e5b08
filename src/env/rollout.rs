//! Many steps in one call, played by a policy inside the environment.

use std::ops::ControlFlow;

use crate::env::buffers::Buffers;
use crate::env::config::Policy;
use crate::env::environment::Env;
use crate::env::error::EnvError;
use crate::env::external::Externals;
use crate::env::outputs::{Outputs, Views};
use crate::position::Termination;

/// What a rollout fills: as many times the rows of an environment as there are steps, the first step's first.
///
/// Of `out.views`, observation, mask and seat are those that the action was chosen by; termination and winner are
/// those after the step, before a reset that belongs to it. The rest is what the step gives.
#[derive(Debug, Default)]
pub struct Rollout<'a> {
    /// The actions, 0 where a row takes none.
    pub actions: &'a mut [i64],
    /// All else.
    pub out: Outputs<'a>,
}

impl Env {
    /// Plays steps as a policy chooses, until the arrays are full or `go_on`, asked before each step, says no.
    ///
    /// # Errors
    /// [`EnvError::Count`], [`EnvError::ResetNeeded`], or what an outside opponent brings; the steps before the one
    /// that failed have been played.
    pub fn rollout(
        &mut self,
        policy: Policy,
        rollout: Rollout<'_>,
        externals: &mut dyn Externals,
        mut go_on: impl FnMut() -> ControlFlow<()>,
    ) -> Result<(), EnvError> {
        let rows = self.len();
        let (found, expected) = (rollout.out.reward.len(), rollout.actions.len());
        if found != expected {
            return Err(EnvError::Count { what: "rows of outputs", expected, found });
        }
        if rows == 0 || expected == 0 || !expected.is_multiple_of(rows) {
            return Err(EnvError::Count { what: "actions", expected: rows, found: expected });
        }
        let mut last = Buffers::new(self.config(), rows);
        let mut last = Some(last.outputs());
        let (mut now, mut rest) = rollout.out.split_at(rows);
        self.write_views(&mut now.views);
        for actions in rollout.actions.chunks_exact_mut(rows) {
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
            self.choose(policy, actions)?.play(externals, out)?;
            for last in self.finals() {
                now.views.termination[last.row] = last.ending.map_or(0, Termination::code) as i8;
                now.views.winner[last.row] = last.winner();
            }
            (now, rest) = (next, tail);
        }
        Ok(())
    }
}
