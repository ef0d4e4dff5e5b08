//! The arrays that a reset or a step fills, row by row.

use crate::batch::observe::{Observations, mask};
use crate::env::episode::{Episode, Phase};
use crate::pit::{MoveSet, ROW};
use crate::position::Termination;
use crate::seat::Seat;
use crate::words::Words;

/// What is shown of the position of each row.
#[derive(Debug)]
pub struct Views<'a> {
    /// The board from the view of the player to move, or of the agent.
    pub observation: Observations<'a>,
    /// Six numbers a row, 1 where the move is legal; all 1 in a finished row.
    pub action_mask: &'a mut [i8],
    /// The seat whose view it is.
    pub to_move: &'a mut [i8],
    /// The code of the ending, 0 while the game goes on.
    pub termination: &'a mut [i8],
    /// The winner's seat, or −1.
    pub winner: &'a mut [i8],
}

/// What a step fills.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// The rows after the step, and after the reset that belongs to it.
    pub views: Views<'a>,
    /// The reward of the seat that acted.
    pub reward: &'a mut [f32],
    /// Whether a rule has ended the game.
    pub terminated: &'a mut [bool],
    /// Whether the episode was cut off.
    pub truncated: &'a mut [bool],
    /// South's and North's reward.
    pub seat_rewards: Option<&'a mut [f32]>,
    /// The rows that finished, before they were reset in the same step; other rows are left as they were.
    pub finals: Option<Views<'a>>,
}

impl Views<'_> {
    #[inline(always)]
    pub(crate) fn write(&mut self, row: usize, episode: &Episode) {
        let Episode { slot, phase, .. } = episode;
        let moves = if *phase == Phase::Finished { MoveSet::ALL } else { slot.legal_moves() };
        self.write_board(row, slot.seen_by(episode.viewer()), episode.viewer(), moves, slot.termination());
    }

    /// Writes a board as its viewer sees it.
    #[inline(always)]
    pub(crate) fn write_board(
        &mut self,
        row: usize,
        board: Words,
        viewer: Seat,
        moves: MoveSet,
        ending: Option<Termination>,
    ) {
        self.observation.write(row, board);
        self.action_mask[row * ROW..][..ROW].copy_from_slice(&mask(moves));
        self.to_move[row] = viewer.index() as i8;
        self.termination[row] = ending.map_or(0, Termination::code) as i8;
        self.winner[row] = match (ending, board.margin()) {
            (None, _) | (_, 0) => -1,
            (_, 1..) => viewer.index() as i8,
            _ => viewer.other().index() as i8,
        };
    }

    fn reborrow(&mut self) -> Views<'_> {
        Views {
            observation: self.observation.reborrow(),
            action_mask: self.action_mask,
            to_move: self.to_move,
            termination: self.termination,
            winner: self.winner,
        }
    }

    fn split_at(self, rows: usize) -> (Self, Self) {
        let (observation, observation_tail) = self.observation.split_at(rows);
        let (action_mask, action_mask_tail) = self.action_mask.split_at_mut(rows * ROW);
        let (to_move, to_move_tail) = self.to_move.split_at_mut(rows);
        let (termination, termination_tail) = self.termination.split_at_mut(rows);
        let (winner, winner_tail) = self.winner.split_at_mut(rows);
        (
            Self { observation, action_mask, to_move, termination, winner },
            Self {
                observation: observation_tail,
                action_mask: action_mask_tail,
                to_move: to_move_tail,
                termination: termination_tail,
                winner: winner_tail,
            },
        )
    }
}

impl Outputs<'_> {
    #[inline(always)]
    pub(crate) fn write_reward(&mut self, row: usize, seat: Seat, reward: f32) {
        self.reward[row] = reward;
        if let Some(seat_rewards) = &mut self.seat_rewards {
            seat_rewards[2 * row + seat.index()] = reward;
            // A difference, so that a reward of nothing is +0 for both.
            seat_rewards[2 * row + seat.other().index()] = 0.0 - reward;
        }
    }

    pub(crate) fn reborrow(&mut self) -> Outputs<'_> {
        Outputs {
            views: self.views.reborrow(),
            reward: self.reward,
            terminated: self.terminated,
            truncated: self.truncated,
            seat_rewards: self.seat_rewards.as_deref_mut(),
            finals: self.finals.as_mut().map(Views::reborrow),
        }
    }

    /// The first `rows` rows and the rest.
    pub(crate) fn split_at(self, rows: usize) -> (Self, Self) {
        let (views, views_tail) = self.views.split_at(rows);
        let (reward, reward_tail) = self.reward.split_at_mut(rows);
        let (terminated, terminated_tail) = self.terminated.split_at_mut(rows);
        let (truncated, truncated_tail) = self.truncated.split_at_mut(rows);
        let (seat_rewards, seat_rewards_tail) = self.seat_rewards.map(|all| all.split_at_mut(2 * rows)).unzip();
        let (finals, finals_tail) = self.finals.map(|all| all.split_at(rows)).unzip();
        (
            Self { views, reward, terminated, truncated, seat_rewards, finals },
            Self {
                views: views_tail,
                reward: reward_tail,
                terminated: terminated_tail,
                truncated: truncated_tail,
                seat_rewards: seat_rewards_tail,
                finals: finals_tail,
            },
        )
    }
}
