//! The vectors of 64-bit ARM. NEON belongs to every such processor that runs an operating system; it is detected all
//! the same: see the contract of [`super`].
#![allow(unsafe_code)]

use std::arch::aarch64::{
    uint8x16_t, vaddq_u8, vandq_u8, vbicq_u8, vbslq_u8, vceqq_u8, vcleq_u8, vdupq_n_u8, vgetq_lane_u16, vld1q_u8,
    vmaxvq_u8, vorrq_u8, vpaddq_u8, vqtbl1q_u8, vreinterpretq_u16_u8, vst1q_u8, vsubq_u8, vzip1q_u8, vzip2q_u8,
};
use std::arch::is_aarch64_feature_detected;

use super::{BLOCK, Kernel, Lanes, Plane};

pub(super) fn has_neon() -> bool {
    is_aarch64_feature_detected!("neon")
}

#[target_feature(enable = "neon")]
fn neon<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Neon>()
}

pub(super) fn on_neon<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: only an `Isa` that detection has made leads here, so the machine has the instructions.
    unsafe { neon(kernel) }
}

/// Intrinsics of an instruction set that is known to exist.
macro_rules! known {
    ($call:expr) => {
        // SAFETY: values of this type are made under `on_neon`, that is, where the machine has the instructions.
        unsafe { $call }
    };
}

/// A mask is a vector of all-ones bytes.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint8x16_t);

/// The bit of each byte among its eight.
const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

impl Lanes for Neon {
    const WIDTH: usize = 16;
    type Mask = Self;

    #[inline(always)]
    fn load(plane: &Plane, at: usize) -> Self {
        assert!(at + 16 <= BLOCK && at.is_multiple_of(16));
        // SAFETY: the bytes lie in the plane; the instruction set is known to exist.
        unsafe { Self(vld1q_u8(plane.0.as_ptr().add(at))) }
    }
    #[inline(always)]
    fn store(self, plane: &mut Plane, at: usize) {
        assert!(at + 16 <= BLOCK && at.is_multiple_of(16));
        // SAFETY: as for `load`.
        unsafe { vst1q_u8(plane.0.as_mut_ptr().add(at), self.0) }
    }
    #[inline(always)]
    fn splat(byte: u8) -> Self {
        Self(known!(vdupq_n_u8(byte)))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(known!(vaddq_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(known!(vsubq_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(known!(vandq_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(known!(vorrq_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        Self(known!(vceqq_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        Self(known!(vcleq_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn keep(self, mask: Self) -> Self {
        Self(known!(vandq_u8(self.0, mask.0)))
    }
    #[inline(always)]
    fn drop(self, mask: Self) -> Self {
        Self(known!(vbicq_u8(self.0, mask.0)))
    }
    #[inline(always)]
    fn increment(self, mask: Self) -> Self {
        // All ones is -1.
        Self(known!(vsubq_u8(self.0, mask.0)))
    }
    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        Self(known!(vbslq_u8(mask.0, yes.0, no.0)))
    }
    #[inline(always)]
    fn both(one: Self, other: Self) -> Self {
        Self(known!(vandq_u8(one.0, other.0)))
    }
    #[inline(always)]
    fn either(one: Self, other: Self) -> Self {
        Self(known!(vorrq_u8(one.0, other.0)))
    }
    #[inline(always)]
    fn except(one: Self, other: Self) -> Self {
        Self(known!(vbicq_u8(one.0, other.0)))
    }
    #[inline(always)]
    fn nowhere() -> Self {
        Self::splat(0)
    }
    #[inline(always)]
    fn bits(mask: Self) -> u64 {
        // There is no instruction for it: each byte keeps its bit, and three times neighbours are added.
        // SAFETY: the weights are as many bytes as the vector; the instruction set is known to exist.
        let mut sums = unsafe { vandq_u8(mask.0, vld1q_u8(WEIGHTS.as_ptr())) };
        sums = known!(vpaddq_u8(sums, sums));
        sums = known!(vpaddq_u8(sums, sums));
        sums = known!(vpaddq_u8(sums, sums));
        u64::from(known!(vgetq_lane_u16::<0>(vreinterpretq_u16_u8(sums))))
    }
    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        let [low, high, ..] = bits.to_le_bytes();
        let own = Self::read(&WEIGHTS);
        Self::read(&[low, low, low, low, low, low, low, low, high, high, high, high, high, high, high, high])
            .and(own)
            .equals(own)
    }
    #[inline(always)]
    fn zip_low(self, other: Self) -> Self {
        Self(known!(vzip1q_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn zip_high(self, other: Self) -> Self {
        Self(known!(vzip2q_u8(self.0, other.0)))
    }
    #[inline(always)]
    fn sixteen(self, _: usize) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: the array is as many bytes as the vector; the instruction set is known to exist.
        unsafe { vst1q_u8(bytes.as_mut_ptr(), self.0) };
        bytes
    }
    const LOOKS_UP: bool = true;
    #[inline(always)]
    fn look_up(table: [u8; 16], ranks: Self) -> Self {
        Self(known!(vqtbl1q_u8(Self::read(&table).0, ranks.0)))
    }
    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        assert!(bytes.len() >= 16);
        // SAFETY: there are that many bytes; the instruction set is known to exist.
        unsafe { Self(vld1q_u8(bytes.as_ptr())) }
    }
    #[inline(always)]
    fn write(self, bytes: &mut [i8]) {
        assert!(bytes.len() >= 16);
        // SAFETY: as for `read`; bytes with a sign are bytes.
        unsafe { vst1q_u8(bytes.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn any(mask: Self) -> bool {
        known!(vmaxvq_u8(mask.0)) != 0
    }
}
