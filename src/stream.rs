//! The random stream that every environment draws from.

use std::convert::Infallible;

use rand::TryRng;

use crate::pit::{Move, MoveSet};

/// SplitMix64: a counter that steps by the golden ratio and a bijective mixer of 64 bits.
///
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. It is written out here, not
/// taken from a library, so that a seed keeps giving the same episodes whatever version of anything is installed.
///
/// ```
/// use oware::Stream;
/// use rand::Rng;
///
/// // The first outputs for the state 1234567 in the reference implementation.
/// let mut stream = Stream::from_state(1_234_567);
/// assert_eq!(stream.next_u64(), 6_457_827_717_110_365_317);
/// assert_eq!(stream.next_u64(), 3_203_168_211_198_807_973);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    state: u64,
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline(always)]
const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Stream {
    /// The stream of a seed. The seed is mixed first, so that neighbouring seeds start far apart.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self { state: mix(seed.wrapping_add(GOLDEN)) }
    }

    /// The stream that continues from a state.
    #[must_use]
    pub const fn from_state(state: u64) -> Self {
        Self { state }
    }

    /// The state, from which [`Stream::from_state`] continues.
    #[must_use]
    pub const fn state(self) -> u64 {
        self.state
    }

    /// The next 64 bits.
    #[inline]
    pub const fn draw(&mut self) -> u64 {
        let (state, bits) = Self::drawn(self.state);
        self.state = state;
        bits
    }

    /// What the draw after `skipped` others will give.
    #[must_use]
    pub const fn peek(self, skipped: u64) -> u64 {
        mix(self.state.wrapping_add(GOLDEN.wrapping_mul(skipped.wrapping_add(1))))
    }

    /// The state after a draw from a state, and what is drawn.
    #[inline(always)]
    pub(crate) const fn drawn(state: u64) -> (u64, u64) {
        let state = state.wrapping_add(GOLDEN);
        (state, mix(state))
    }

    /// The rank below `count` that a draw chooses.
    #[inline(always)]
    pub(crate) const fn rank(bits: u64, count: u64) -> u64 {
        ((bits >> 32) * count) >> 32
    }

    /// A member of a set that is not empty, each as likely as the others to within 2⁻³²; always one draw.
    #[inline]
    pub fn choose(&mut self, moves: MoveSet) -> Option<Move> {
        let rank = Self::rank(self.draw(), moves.len() as u64);
        moves.nth(rank as usize)
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.draw() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.draw())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.draw().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}
