//! The arrays that a reset or a step fills, row by row or block by block.

use crate::batch::lanes::BLOCK;
use crate::batch::observe::{COLUMNS, Observations, PLANES, mask};
use crate::env::episode::{Episode, Phase};
use crate::pit::{MoveSet, ROW};
use crate::position::Termination;
use crate::seat::Seat;
use crate::words::Words;

/// What is shown of the position of each row.
#[derive(Debug, Default)]
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
#[derive(Debug, Default)]
pub struct Outputs<'a> {
    /// The rows after the step, and after the reset that belongs to it.
    pub views: Views<'a>,
    /// The reward of the seat that acted.
    pub reward: &'a mut [f32],
    /// 1 where a rule has ended the game, else 0.
    pub terminated: &'a mut [u8],
    /// 1 where the episode was cut off, else 0.
    pub truncated: &'a mut [u8],
    /// South's and North's reward.
    pub seat_rewards: Option<&'a mut [f32]>,
}

/// A row that a step has finished and reset, as it was in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Final {
    /// The row.
    pub row: usize,
    /// The seat whose view is shown: the agent's, or in self-play that of the player who would be to move.
    pub viewer: Seat,
    /// The board as the viewer sees it.
    pub board: Words,
    /// How the game has ended; `None` where the episode was cut off.
    pub ending: Option<Termination>,
}

impl Final {
    /// The winner's seat, or −1.
    pub(crate) fn winner(&self) -> i8 {
        winner(self.board, self.viewer, self.ending)
    }
}

#[inline(always)]
fn winner(board: Words, viewer: Seat, ending: Option<Termination>) -> i8 {
    match (ending, board.margin()) {
        (None, _) | (_, 0) => -1,
        (_, 1..) => viewer.index() as i8,
        _ => viewer.other().index() as i8,
    }
}

impl Views<'_> {
    #[inline(always)]
    pub(crate) fn write(&mut self, row: usize, episode: &Episode) {
        self.write_seen(row, episode);
        self.write_ending(row, episode);
    }

    /// Writes observation, mask and seat of a row.
    #[inline(always)]
    pub(crate) fn write_seen(&mut self, row: usize, episode: &Episode) {
        let Episode { slot, phase, .. } = episode;
        let viewer = episode.viewer();
        let moves = if *phase == Phase::Finished { MoveSet::ALL } else { slot.legal_moves() };
        self.observation.write(row, slot.seen_by(viewer));
        self.write_turn(row, viewer, moves);
    }

    /// Writes termination and winner of a row.
    #[inline(always)]
    pub(crate) fn write_ending(&mut self, row: usize, episode: &Episode) {
        let viewer = episode.viewer();
        self.write_outcome(row, episode.slot.seen_by(viewer), viewer, episode.slot.termination());
    }

    /// Writes how a row has ended.
    pub fn write_final(&mut self, last: &Final) {
        self.observation.write(last.row, last.board);
        self.write_final_info(last);
    }

    /// Writes how a row has ended, the observation left aside.
    pub fn write_final_info(&mut self, &Final { row, viewer, board, ending }: &Final) {
        self.write_turn(row, viewer, MoveSet::ALL);
        self.write_outcome(row, board, viewer, ending);
    }

    #[inline(always)]
    fn write_turn(&mut self, row: usize, viewer: Seat, moves: MoveSet) {
        self.action_mask[row * ROW..][..ROW].copy_from_slice(&mask(moves));
        self.to_move[row] = viewer.index() as i8;
    }

    #[inline(always)]
    fn write_outcome(&mut self, row: usize, board: Words, viewer: Seat, ending: Option<Termination>) {
        self.termination[row] = ending.map_or(0, Termination::code) as i8;
        self.winner[row] = winner(board, viewer, ending);
    }

    /// The rows of a block from row `first` on; `None` where there are fewer.
    #[inline(always)]
    pub(crate) fn page(&mut self, first: usize) -> Option<ViewPage<'_>> {
        Some(ViewPage {
            observation: match &mut self.observation {
                Observations::Seeds(rows) => ObservationPage::Seeds(page(rows, first * PLANES)?),
                Observations::Normalized { rows, whole } => {
                    ObservationPage::Normalized { rows: page(rows, first * PLANES)?, whole: *whole }
                }
                Observations::OneHot(rows) => ObservationPage::OneHot(page(rows, first * PLANES * COLUMNS)?),
            },
            action_mask: page(self.action_mask, first * ROW)?,
            to_move: page(self.to_move, first)?,
            termination: page(self.termination, first)?,
            winner: page(self.winner, first)?,
        })
    }

    pub(crate) fn reborrow(&mut self) -> Views<'_> {
        Views {
            observation: self.observation.reborrow(),
            action_mask: self.action_mask,
            to_move: self.to_move,
            termination: self.termination,
            winner: self.winner,
        }
    }

    pub(crate) fn split_at(self, rows: usize) -> (Self, Self) {
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

    /// Takes over the rows of `from`, of which there are as many or more.
    pub(crate) fn copy_from(&mut self, from: &Views<'_>) {
        let rows = self.to_move.len();
        self.observation.copy_from(&from.observation);
        self.action_mask.copy_from_slice(&from.action_mask[..rows * ROW]);
        self.to_move.copy_from_slice(&from.to_move[..rows]);
        self.termination.copy_from_slice(&from.termination[..rows]);
        self.winner.copy_from_slice(&from.winner[..rows]);
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

    /// The same to be filled, for a shorter time.
    #[must_use]
    pub fn reborrow(&mut self) -> Outputs<'_> {
        Outputs {
            views: self.views.reborrow(),
            reward: self.reward,
            terminated: self.terminated,
            truncated: self.truncated,
            seat_rewards: self.seat_rewards.as_deref_mut(),
        }
    }

    /// Takes over the rows of `from`, of which there are as many or more.
    pub fn copy_from(&mut self, from: &Outputs<'_>) {
        let rows = self.reward.len();
        self.views.copy_from(&from.views);
        self.reward.copy_from_slice(&from.reward[..rows]);
        self.terminated.copy_from_slice(&from.terminated[..rows]);
        self.truncated.copy_from_slice(&from.truncated[..rows]);
        if let (Some(to), Some(from)) = (&mut self.seat_rewards, &from.seat_rewards) {
            to.copy_from_slice(&from[..2 * rows]);
        }
    }

    /// The first `rows` rows and the rest.
    pub(crate) fn split_at(self, rows: usize) -> (Self, Self) {
        let (views, views_tail) = self.views.split_at(rows);
        let (reward, reward_tail) = self.reward.split_at_mut(rows);
        let (terminated, terminated_tail) = self.terminated.split_at_mut(rows);
        let (truncated, truncated_tail) = self.truncated.split_at_mut(rows);
        let (seat_rewards, seat_rewards_tail) = self.seat_rewards.map(|all| all.split_at_mut(2 * rows)).unzip();
        (
            Self { views, reward, terminated, truncated, seat_rewards },
            Self {
                views: views_tail,
                reward: reward_tail,
                terminated: terminated_tail,
                truncated: truncated_tail,
                seat_rewards: seat_rewards_tail,
            },
        )
    }

    /// The rows of a block from row `first` on; `None` where there are fewer.
    #[inline(always)]
    pub(crate) fn page(&mut self, first: usize) -> Option<Page<'_>> {
        Some(Page {
            views: self.views.page(first)?,
            reward: page(self.reward, first)?,
            terminated: page(self.terminated, first)?,
            truncated: page(self.truncated, first)?,
            seat_rewards: match &mut self.seat_rewards {
                Some(numbers) => Some(page(numbers, 2 * first)?),
                None => None,
            },
        })
    }
}

fn page<T, const N: usize>(numbers: &mut [T], first: usize) -> Option<&mut [T; N]> {
    numbers.get_mut(first..)?.first_chunk_mut()
}

/// [`Outputs`] of one block, of sizes that are known beforehand.
pub(crate) struct Page<'a> {
    pub(crate) views: ViewPage<'a>,
    pub(crate) reward: &'a mut [f32; BLOCK],
    pub(crate) terminated: &'a mut [u8; BLOCK],
    pub(crate) truncated: &'a mut [u8; BLOCK],
    pub(crate) seat_rewards: Option<&'a mut [f32; 2 * BLOCK]>,
}

/// [`Views`] of one block.
pub(crate) struct ViewPage<'a> {
    pub(crate) observation: ObservationPage<'a>,
    pub(crate) action_mask: &'a mut [i8; BLOCK * ROW],
    pub(crate) to_move: &'a mut [i8; BLOCK],
    pub(crate) termination: &'a mut [i8; BLOCK],
    pub(crate) winner: &'a mut [i8; BLOCK],
}

/// [`Observations`] of one block.
pub(crate) enum ObservationPage<'a> {
    Seeds(&'a mut [u8; BLOCK * PLANES]),
    Normalized { rows: &'a mut [f32; BLOCK * PLANES], whole: f32 },
    OneHot(&'a mut [f32; BLOCK * PLANES * COLUMNS]),
}

impl ViewPage<'_> {
    /// The same, to be filled lane by lane.
    pub(crate) fn views(&mut self) -> Views<'_> {
        Views {
            observation: match &mut self.observation {
                ObservationPage::Seeds(rows) => Observations::Seeds(&mut rows[..]),
                ObservationPage::Normalized { rows, whole } => {
                    Observations::Normalized { rows: &mut rows[..], whole: *whole }
                }
                ObservationPage::OneHot(rows) => Observations::OneHot(&mut rows[..]),
            },
            action_mask: &mut self.action_mask[..],
            to_move: &mut self.to_move[..],
            termination: &mut self.termination[..],
            winner: &mut self.winner[..],
        }
    }
}
