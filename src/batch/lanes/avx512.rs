//! The vectors of AVX-512, where a mask is a number of its own.
//!
//! The intrinsics are called where their instruction set is known to exist: see the contract of [`super`].
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i, __mmask64, _mm512_add_epi8, _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_castps_si512,
    _mm512_castsi512_ps, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_extracti32x4_epi32, _mm512_load_si512,
    _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_mask_sub_epi8, _mm512_maskz_mov_epi8, _mm512_or_si512,
    _mm512_packus_epi16, _mm512_packus_epi32, _mm512_permutexvar_epi16, _mm512_set1_epi8, _mm512_shuffle_epi8,
    _mm512_shuffle_ps, _mm512_store_si512, _mm512_storeu_si512, _mm512_sub_epi8, _mm512_unpackhi_epi8,
    _mm512_unpacklo_epi8,
};

use super::x86::{array, vector};
use super::{BLOCK, Lanes, Plane};

/// Intrinsics of an instruction set that is known to exist.
macro_rules! known {
    ($call:expr) => {
        // SAFETY: values of this type are made in functions that `runner!` has compiled for its instruction set.
        unsafe { $call }
    };
}

/// Where the packed pairs of bytes of [`Avx512::narrow`] belong: pair *p* comes from there.
static NARROWED: [u16; 32] = {
    let mut order = [0; 32];
    let mut p = 0;
    while p < 32 {
        // Sixteen numbers are two vectors; a pair of each vector lies in each sixteen bytes.
        let (sixteen, vector, pair) = (p / 8, p / 4 % 2, p % 4);
        order[p] = (pair * 8 + sixteen * 2 + vector) as u16;
        p += 1;
    }
    order
};

#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

impl Lanes for Avx512 {
    const WIDTH: usize = 64;
    type Mask = __mmask64;

    #[inline(always)]
    fn load(plane: &Plane, at: usize) -> Self {
        assert!(at == 0);
        // SAFETY: the plane is as large as the vector and aligned for it; the instruction set is known to exist.
        unsafe { Self(_mm512_load_si512(plane.0.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, plane: &mut Plane, at: usize) {
        assert!(at == 0);
        // SAFETY: as for `load`.
        unsafe { _mm512_store_si512(plane.0.as_mut_ptr().cast(), self.0) }
    }
    #[inline(always)]
    fn splat(byte: u8) -> Self {
        Self(known!(_mm512_set1_epi8(byte as i8)))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(known!(_mm512_add_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(known!(_mm512_sub_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(known!(_mm512_and_si512(self.0, other.0)))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(known!(_mm512_or_si512(self.0, other.0)))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> u64 {
        known!(_mm512_cmpeq_epi8_mask(self.0, other.0))
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> u64 {
        known!(_mm512_cmple_epu8_mask(self.0, other.0))
    }
    #[inline(always)]
    fn keep(self, mask: u64) -> Self {
        Self(known!(_mm512_maskz_mov_epi8(mask, self.0)))
    }
    #[inline(always)]
    fn drop(self, mask: u64) -> Self {
        Self(known!(_mm512_maskz_mov_epi8(!mask, self.0)))
    }
    #[inline(always)]
    fn increment(self, mask: u64) -> Self {
        Self(known!(_mm512_mask_sub_epi8(self.0, mask, self.0, _mm512_set1_epi8(-1))))
    }
    #[inline(always)]
    fn select(mask: u64, yes: Self, no: Self) -> Self {
        Self(known!(_mm512_mask_blend_epi8(mask, no.0, yes.0)))
    }
    #[inline(always)]
    fn both(one: u64, other: u64) -> u64 {
        one & other
    }
    #[inline(always)]
    fn either(one: u64, other: u64) -> u64 {
        one | other
    }
    #[inline(always)]
    fn except(one: u64, other: u64) -> u64 {
        one & !other
    }
    #[inline(always)]
    fn nowhere() -> u64 {
        0
    }
    #[inline(always)]
    fn bits(mask: u64) -> u64 {
        mask
    }
    #[inline(always)]
    fn from_bits(bits: u64) -> u64 {
        bits
    }
    #[inline(always)]
    fn zip_low(self, other: Self) -> Self {
        Self(known!(_mm512_unpacklo_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn zip_high(self, other: Self) -> Self {
        Self(known!(_mm512_unpackhi_epi8(self.0, other.0)))
    }
    #[inline(always)]
    fn sixteen(self, rank: usize) -> [u8; 16] {
        array(match rank {
            0 => known!(_mm512_extracti32x4_epi32::<0>(self.0)),
            1 => known!(_mm512_extracti32x4_epi32::<1>(self.0)),
            2 => known!(_mm512_extracti32x4_epi32::<2>(self.0)),
            _ => known!(_mm512_extracti32x4_epi32::<3>(self.0)),
        })
    }
    #[inline(always)]
    fn narrow(numbers: &[i64; BLOCK], _: usize) -> Self {
        // SAFETY: the eight vectors are the numbers; the instruction set is known to exist.
        let load = |i: usize| unsafe { _mm512_loadu_si512(numbers.as_ptr().add(8 * i).cast()) };
        // The low halves of eight numbers and the next eight. Here and below each 16 bytes are packed by themselves.
        let halves = |i: usize| {
            let (one, next) = (load(2 * i), load(2 * i + 1));
            known!(_mm512_castps_si512(_mm512_shuffle_ps::<0b10_00_10_00>(
                _mm512_castsi512_ps(one),
                _mm512_castsi512_ps(next)
            )))
        };
        let low = known!(_mm512_packus_epi32(halves(0), halves(1)));
        let high = known!(_mm512_packus_epi32(halves(2), halves(3)));
        let bytes = known!(_mm512_packus_epi16(low, high));
        // SAFETY: the order is as many bytes as the vector.
        let order = unsafe { _mm512_loadu_si512(NARROWED.as_ptr().cast()) };
        Self(known!(_mm512_permutexvar_epi16(order, bytes)))
    }
    const LOOKS_UP: bool = true;
    #[inline(always)]
    fn look_up(table: [u8; 16], ranks: Self) -> Self {
        Self(known!(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(vector(table)), ranks.0)))
    }
    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        assert!(bytes.len() >= BLOCK);
        // SAFETY: there are that many bytes; the instruction set is known to exist.
        unsafe { Self(_mm512_loadu_si512(bytes.as_ptr().cast())) }
    }
    #[inline(always)]
    fn write(self, bytes: &mut [i8]) {
        assert!(bytes.len() >= BLOCK);
        // SAFETY: as for `read`.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), self.0) }
    }
}
