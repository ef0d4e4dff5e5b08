//! Opponents of which each episode draws one.

use std::error::Error;
use std::fmt;

use crate::env::config::Opponent;
use crate::stream::Stream;

/// Opponents with weights: an episode has each as likely as its share of all weights.
///
/// ```
/// use oware::env::{Opponent, Pool};
///
/// let pool = Pool::new(&[(Opponent::Random, 1.0), (Opponent::Greedy, 3.0)])?;
/// assert_eq!(pool.choices().len(), 2);
/// # Ok::<(), oware::env::PoolError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    choices: Vec<(Opponent, f64)>,
    /// Of 32 drawn bits those below the first bound that is higher choose its opponent.
    bounds: Vec<u64>,
}

/// The most opponents of a pool.
pub const MOST_CHOICES: usize = 127;

/// Why opponents are no pool.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoolError {
    /// So many are none or too many.
    Count(usize),
    /// A weight is negative, or no finite number.
    Weight {
        /// The opponent's place.
        place: usize,
        /// The weight.
        weight: f64,
    },
    /// All weights are 0, or they have no finite sum.
    Sum(f64),
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "the pool has {count} opponents; give 1 to {MOST_CHOICES}"),
            Self::Weight { place, weight } => {
                write!(f, "the weight of the pool's opponent {place} is {weight}; give a finite number, at least 0")
            }
            Self::Sum(sum) => write!(f, "the weights of the pool add up to {sum}; give finite ones, not all of them 0"),
        }
    }
}

impl Error for PoolError {}

impl Pool {
    /// The pool of some opponents and their weights.
    ///
    /// # Errors
    /// Every one of [`PoolError`].
    pub fn new(choices: &[(Opponent, f64)]) -> Result<Self, PoolError> {
        if !(1..=MOST_CHOICES).contains(&choices.len()) {
            return Err(PoolError::Count(choices.len()));
        }
        let is_bad = |&(_, weight): &(Opponent, f64)| !(weight.is_finite() && weight >= 0.0);
        if let Some(place) = choices.iter().position(is_bad) {
            return Err(PoolError::Weight { place, weight: choices[place].1 });
        }
        let all: f64 = choices.iter().map(|(_, weight)| weight).sum();
        if !(all.is_finite() && all > 0.0) {
            return Err(PoolError::Sum(all));
        }
        let mut sum = 0.0;
        let bounds = choices.iter().map(|(_, weight)| {
            sum += weight;
            // Sum and quotient are correctly rounded everywhere; the last sum is all of them.
            (sum / all * (1_u64 << 32) as f64).round() as u64
        });
        Ok(Self { bounds: bounds.collect(), choices: choices.to_vec() })
    }

    /// The opponents and their weights.
    #[must_use]
    pub fn choices(&self) -> &[(Opponent, f64)] {
        &self.choices
    }

    /// Draws an opponent; its place comes first.
    pub(crate) fn draw(&self, stream: &mut Stream) -> (u8, Opponent) {
        let bits = stream.draw() >> 32;
        let place = self.bounds.partition_point(|&bound| bound <= bits).min(self.choices.len() - 1);
        (place as u8, self.choices[place].0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(weights: &[f64]) -> Result<Pool, PoolError> {
        Pool::new(&weights.iter().map(|&weight| (Opponent::Random, weight)).collect::<Vec<_>>())
    }

    #[test]
    fn each_opponent_has_its_share() {
        let weights = [2.0, 0.0, 1.0, 0.5, 0.0];
        let pool = pool(&weights).unwrap();
        let mut stream = Stream::from_seed(1);
        let mut counts = [0; 5];
        let draws = 100_000;
        (0..draws).for_each(|_| counts[usize::from(pool.draw(&mut stream).0)] += 1);
        for (count, weight) in counts.into_iter().zip(weights) {
            let share = weight / 3.5;
            let deviation = (share * (1.0 - share) / f64::from(draws)).sqrt();
            assert!((f64::from(count) / f64::from(draws) - share).abs() <= 4.0 * deviation, "{counts:?}");
        }
    }

    #[test]
    fn what_is_no_pool() {
        assert_eq!(pool(&[]), Err(PoolError::Count(0)));
        assert_eq!(pool(&[1.0; 128]), Err(PoolError::Count(128)));
        assert_eq!(pool(&[1.0, -1.0]), Err(PoolError::Weight { place: 1, weight: -1.0 }));
        assert!(matches!(pool(&[f64::NAN]), Err(PoolError::Weight { place: 0, .. })));
        assert!(matches!(pool(&[f64::INFINITY]), Err(PoolError::Weight { place: 0, .. })));
        assert_eq!(pool(&[0.0, 0.0]), Err(PoolError::Sum(0.0)));
        assert_eq!(pool(&[f64::MAX, f64::MAX]), Err(PoolError::Sum(f64::INFINITY)));
        assert!(pool(&[1.0; 127]).is_ok());
    }
}
