//! Dirichlet noise, the same on every machine for the same stream.

use crate::pit::{MoveSet, ROW};
use crate::stream::Stream;

use super::settings::Noise;

impl Noise {
    /// Priors with their share of noise.
    pub(super) fn mixed(self, priors: &[f32; ROW], legal: MoveSet, stream: &mut Stream) -> [f32; ROW] {
        let mut noise = [0.0; ROW];
        for mv in legal.iter() {
            noise[mv.index()] = gamma(f64::from(self.alpha), stream);
        }
        let all: f64 = noise.iter().sum();
        let mut mixed = *priors;
        // With a tiny alpha all of them may vanish.
        if all > 0.0 {
            for mv in legal.iter() {
                let share = (noise[mv.index()] / all) as f32;
                mixed[mv.index()] += self.fraction * (share - mixed[mv.index()]);
            }
        }
        mixed
    }
}

/// A number above 0 and below 1.
fn uniform(stream: &mut Stream) -> f64 {
    ((stream.draw() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

/// A number of the standard normal distribution, by Marsaglia's polar method.
fn normal(stream: &mut Stream) -> f64 {
    loop {
        let (x, y) = (2.0 * uniform(stream) - 1.0, 2.0 * uniform(stream) - 1.0);
        let square = x * x + y * y;
        if square < 1.0 && square > 0.0 {
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}

/// A number of the gamma distribution of this shape: Marsaglia and Tsang, "A simple method for generating gamma
/// variables", ACM Transactions on Mathematical Software 26(3), 2000.
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    if shape < 1.0 {
        let power = libm::pow(uniform(stream), 1.0 / shape);
        return gamma(shape + 1.0, stream) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(stream);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        if libm::log(uniform(stream)) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of shares are those of the symmetric distribution: 1/k and (k - 1) / (k² (k alpha + 1)).
    #[test]
    fn shares_have_the_moments_of_a_dirichlet_distribution() {
        let legal = MoveSet::from_bits(0b10_1101);
        let k = legal.len() as f64;
        for alpha in [0.3_f32, 1.0, 4.0] {
            let mut stream = Stream::from_seed(1);
            let noise = Noise { alpha, fraction: 1.0 };
            let draws = 20_000;
            let (mut sums, mut squares) = ([0.0; ROW], [0.0; ROW]);
            for _ in 0..draws {
                let shares = noise.mixed(&[0.0; ROW], legal, &mut stream);
                assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                for (mv, share) in shares.into_iter().enumerate() {
                    sums[mv] += f64::from(share);
                    squares[mv] += f64::from(share * share);
                }
            }
            let variance = (k - 1.0) / (k * k * (k * f64::from(alpha) + 1.0));
            for mv in 0..ROW {
                let mean = sums[mv] / f64::from(draws);
                if legal.iter().any(|legal| legal.index() == mv) {
                    assert!((mean - 1.0 / k).abs() < 0.01, "{alpha}: {mean}");
                    let found = squares[mv] / f64::from(draws) - mean * mean;
                    assert!((found / variance - 1.0).abs() < 0.08, "{alpha}: {found} for {variance}");
                } else {
                    assert!(mean == 0.0);
                }
            }
        }
    }

    #[test]
    fn a_fraction_of_the_priors_is_noise() {
        let legal = MoveSet::from_bits(0b11);
        let priors = [0.9, 0.1, 0.0, 0.0, 0.0, 0.0];
        let mut stream = Stream::from_seed(2);
        assert!(Noise { alpha: 1.0, fraction: 0.0 }.mixed(&priors, legal, &mut stream) == priors);
        let mixed = Noise { alpha: 1.0, fraction: 0.25 }.mixed(&priors, legal, &mut stream);
        assert!(mixed[0] >= 0.674 && mixed[0] <= 0.926 && mixed[2] == 0.0, "{mixed:?}");
        assert!((mixed[0] + mixed[1] - 1.0).abs() < 1e-6);
    }
}
