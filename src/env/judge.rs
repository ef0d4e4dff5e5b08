//! Exact values beside a step: what is still to be taken, and what the moves just taken give away.

use crate::env::environment::Env;
use crate::env::outputs::Final;
use crate::env::taken::Taken;
use crate::pit::Move;
use crate::rules::GrandSlam;
use crate::search::Probe;
use crate::threads::share_among;
use crate::words::Words;

impl Env {
    /// Tells of each row the net seeds that the player whose view is shown still takes with best play by both: 0 where
    /// the game is over, not a number where that is not known.
    pub fn write_values(&self, endgame: &dyn Probe, values: &mut [f32]) {
        self.tell_each(values, |row| match self.rows.standing(row, self.config()) {
            Some((board, is_viewers)) => {
                let value = value(endgame, board);
                if is_viewers { value } else { 0.0 - value }
            }
            None => 0.0,
        });
    }

    /// Works out a number for each row.
    fn tell_each(&self, numbers: &mut [f32], tell: impl Fn(usize) -> f32 + Sync) {
        let threads = self.threads();
        let each = numbers.len().div_ceil(threads).max(1);
        share_among(threads, numbers.chunks_mut(each).enumerate().collect(), |(piece, numbers)| {
            numbers.iter_mut().enumerate().for_each(|(at, number)| *number = tell(piece * each + at));
        });
    }
}

impl Taken<'_> {
    /// Tells of each row the seeds that its move gives away: the value of a best move less that of this one. It is not
    /// a number where the value is not known and where no move was taken.
    pub fn write_regrets(&self, endgame: &dyn Probe, regrets: &mut [f32]) {
        let env = self.env();
        let grand_slam = env.config().rules.grand_slam;
        env.tell_each(regrets, |row| match (env.taken(row), env.rows.standing(row, env.config())) {
            (Some(mv), Some((board, _))) => regret(endgame, board, mv, grand_slam),
            _ => f32::NAN,
        });
    }
}

impl Final {
    /// What [`Env::write_values`] would have told of the row before it was reset.
    #[must_use]
    pub fn value(&self, endgame: &dyn Probe) -> f32 {
        if self.ending.is_some() { 0.0 } else { value(endgame, self.board) }
    }
}

fn value(endgame: &dyn Probe, board: Words) -> f32 {
    endgame.value(board).map_or(f32::NAN, f32::from)
}

fn regret(endgame: &dyn Probe, board: Words, mv: Move, grand_slam: GrandSlam) -> f32 {
    let after = board.sow(mv, grand_slam).0;
    // Where the board is known, so is what has no more seeds.
    let Some((best, left)) = endgame.value(board).zip(endgame.value(after.swapped())) else { return f32::NAN };
    let gain = after.margin() - board.margin();
    f32::from(i16::from(best) - (gain - i16::from(left)))
}
