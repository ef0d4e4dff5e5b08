//! The vectors of x86-64 that have no masks, and who runs them all.
//!
//! The intrinsics are called where their instruction set is known to exist: see the contract of [`super`].
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8, _mm_cmpeq_epi8, _mm_load_si128,
    _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8, _mm_set1_epi16, _mm_setzero_si128,
    _mm_shuffle_epi8, _mm_shufflehi_epi16, _mm_shufflelo_epi16, _mm_store_si128, _mm_storeu_si128, _mm_sub_epi8,
    _mm_unpackhi_epi8, _mm_unpacklo_epi8, _mm256_add_epi8, _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8,
    _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_extracti128_si256, _mm256_load_si256, _mm256_loadu_si256,
    _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_store_si256, _mm256_storeu_si256, _mm256_sub_epi8, _mm256_unpackhi_epi8,
    _mm256_unpacklo_epi8,
};

use super::avx512::Avx512;
use super::{BLOCK, Kernel, Lanes, Plane};

pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

pub(super) fn has_sse41() -> bool {
    is_x86_feature_detected!("sse4.1")
}

/// Makes a function that runs a kernel with one kind of vectors, compiled for their instruction set.
macro_rules! runner {
    ($name:ident, $inner:ident, $features:literal, $lanes:ty) => {
        #[target_feature(enable = $features)]
        fn $inner<K: Kernel>(kernel: K) -> K::Output {
            kernel.run::<$lanes>()
        }

        pub(super) fn $name<K: Kernel>(kernel: K) -> K::Output {
            // SAFETY: only an `Isa` that detection has made leads here, so the machine has the instructions.
            unsafe { $inner(kernel) }
        }
    };
}

/// SSE2 belongs to every x86-64.
pub(super) fn on_sse2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Sse2>()
}

runner!(on_sse41, sse41, "sse4.1", Sse);
runner!(on_avx2, avx2, "avx2,bmi1,bmi2,lzcnt,popcnt", Avx2);
runner!(on_avx512, avx512, "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt", Avx512);

/// Intrinsics of an instruction set that is known to exist.
macro_rules! known {
    ($call:expr) => {
        // SAFETY: values of these types are made in functions that `runner!` has compiled for their instruction set.
        unsafe { $call }
    };
}

/// What is written alike for the two instruction sets that have no masks: a mask is a vector of all-ones bytes.
macro_rules! unmasked_lanes {
    ($lanes:ident, $vector:ty, $width:literal, $load:ident, $store:ident, $splat:ident, $zero:ident, $add:ident,
     $sub:ident, $and:ident, $or:ident, $andnot:ident, $eq:ident, $min:ident, $blend:ident, $movemask:ident,
     $zip_low:ident, $zip_high:ident, $shuffle:ident, $looks_up:literal, $read:ident, $write:ident, $bits:ty) => {
        #[derive(Clone, Copy)]
        pub(super) struct $lanes($vector);

        impl Lanes for $lanes {
            const WIDTH: usize = $width;
            type Mask = Self;

            #[inline(always)]
            fn load(plane: &Plane, at: usize) -> Self {
                assert!(at + $width <= BLOCK && at % $width == 0);
                // SAFETY: the bytes lie in the plane, aligned like it; the instruction set is known to exist.
                unsafe { Self($load(plane.0.as_ptr().add(at).cast())) }
            }
            #[inline(always)]
            fn store(self, plane: &mut Plane, at: usize) {
                assert!(at + $width <= BLOCK && at % $width == 0);
                // SAFETY: as for `load`.
                unsafe { $store(plane.0.as_mut_ptr().add(at).cast(), self.0) }
            }
            #[inline(always)]
            fn splat(byte: u8) -> Self {
                Self(known!($splat(byte as i8)))
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(known!($add(self.0, other.0)))
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(known!($sub(self.0, other.0)))
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Self(known!($and(self.0, other.0)))
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Self(known!($or(self.0, other.0)))
            }
            #[inline(always)]
            fn equals(self, other: Self) -> Self {
                Self(known!($eq(self.0, other.0)))
            }
            #[inline(always)]
            fn at_most(self, other: Self) -> Self {
                Self(known!($eq($min(self.0, other.0), self.0)))
            }
            #[inline(always)]
            fn keep(self, mask: Self) -> Self {
                Self(known!($and(self.0, mask.0)))
            }
            #[inline(always)]
            fn drop(self, mask: Self) -> Self {
                Self(known!($andnot(mask.0, self.0)))
            }
            #[inline(always)]
            fn increment(self, mask: Self) -> Self {
                // All ones is -1.
                Self(known!($sub(self.0, mask.0)))
            }
            #[inline(always)]
            fn select(mask: Self, yes: Self, no: Self) -> Self {
                Self(known!($blend(no.0, yes.0, mask.0)))
            }
            #[inline(always)]
            fn both(one: Self, other: Self) -> Self {
                Self(known!($and(one.0, other.0)))
            }
            #[inline(always)]
            fn either(one: Self, other: Self) -> Self {
                Self(known!($or(one.0, other.0)))
            }
            #[inline(always)]
            fn except(one: Self, other: Self) -> Self {
                Self(known!($andnot(other.0, one.0)))
            }
            #[inline(always)]
            fn nowhere() -> Self {
                Self(known!($zero()))
            }
            #[inline(always)]
            fn bits(mask: Self) -> u64 {
                u64::from(known!($movemask(mask.0)) as $bits)
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                let own = Self::read(&OWN_BITS);
                Self::spread(bits).and(own).equals(own)
            }
            #[inline(always)]
            fn zip_low(self, other: Self) -> Self {
                Self(known!($zip_low(self.0, other.0)))
            }
            #[inline(always)]
            fn zip_high(self, other: Self) -> Self {
                Self(known!($zip_high(self.0, other.0)))
            }
            #[inline(always)]
            fn sixteen(self, rank: usize) -> [u8; 16] {
                self.part(rank)
            }
            const LOOKS_UP: bool = $looks_up;
            #[inline(always)]
            fn look_up(table: [u8; 16], ranks: Self) -> Self {
                Self(known!($shuffle(Self::repeated(table), ranks.0)))
            }
            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                assert!(bytes.len() >= $width);
                // SAFETY: there are that many bytes; the instruction set is known to exist.
                unsafe { Self($read(bytes.as_ptr().cast())) }
            }
            #[inline(always)]
            fn write(self, bytes: &mut [i8]) {
                assert!(bytes.len() >= $width);
                // SAFETY: as for `read`.
                unsafe { $write(bytes.as_mut_ptr().cast(), self.0) }
            }
        }
    };
}

unmasked_lanes!(
    Sse,
    __m128i,
    16,
    _mm_load_si128,
    _mm_store_si128,
    _mm_set1_epi8,
    _mm_setzero_si128,
    _mm_add_epi8,
    _mm_sub_epi8,
    _mm_and_si128,
    _mm_or_si128,
    _mm_andnot_si128,
    _mm_cmpeq_epi8,
    _mm_min_epu8,
    _mm_blendv_epi8,
    _mm_movemask_epi8,
    _mm_unpacklo_epi8,
    _mm_unpackhi_epi8,
    _mm_shuffle_epi8,
    true,
    _mm_loadu_si128,
    _mm_storeu_si128,
    u16
);
unmasked_lanes!(
    Sse2,
    __m128i,
    16,
    _mm_load_si128,
    _mm_store_si128,
    _mm_set1_epi8,
    _mm_setzero_si128,
    _mm_add_epi8,
    _mm_sub_epi8,
    _mm_and_si128,
    _mm_or_si128,
    _mm_andnot_si128,
    _mm_cmpeq_epi8,
    _mm_min_epu8,
    blend_without_sse41,
    _mm_movemask_epi8,
    _mm_unpacklo_epi8,
    _mm_unpackhi_epi8,
    shuffle_without_ssse3,
    false,
    _mm_loadu_si128,
    _mm_storeu_si128,
    u16
);
unmasked_lanes!(
    Avx2,
    __m256i,
    32,
    _mm256_load_si256,
    _mm256_store_si256,
    _mm256_set1_epi8,
    _mm256_setzero_si256,
    _mm256_add_epi8,
    _mm256_sub_epi8,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_andnot_si256,
    _mm256_cmpeq_epi8,
    _mm256_min_epu8,
    _mm256_blendv_epi8,
    _mm256_movemask_epi8,
    _mm256_unpacklo_epi8,
    _mm256_unpackhi_epi8,
    _mm256_shuffle_epi8,
    true,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    u32
);

/// For each lane its place among bits: the byte, and the bit there.
static OWN_BYTES: [u8; 32] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3];
static OWN_BITS: [u8; 32] = [
    1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128,
];

#[inline(always)]
pub(super) fn array(bytes: __m128i) -> [u8; 16] {
    // SAFETY: both types are sixteen bytes of any value.
    unsafe { std::mem::transmute(bytes) }
}

#[inline(always)]
pub(super) fn vector(bytes: [u8; 16]) -> __m128i {
    // SAFETY: both types are sixteen bytes of any value.
    unsafe { std::mem::transmute(bytes) }
}

/// What `_mm_blendv_epi8` does where the mask is one.
///
/// # Safety
///
/// None is needed: SSE2 belongs to every x86-64. It is called like the intrinsic in its place.
#[inline(always)]
unsafe fn blend_without_sse41(no: __m128i, yes: __m128i, mask: __m128i) -> __m128i {
    known!(_mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no)))
}

/// What `_mm_shuffle_epi8` does where the ranks are below 16.
///
/// # Safety
///
/// As for [`blend_without_sse41`].
#[inline(always)]
unsafe fn shuffle_without_ssse3(table: __m128i, ranks: __m128i) -> __m128i {
    let table = array(table);
    vector(array(ranks).map(|rank| table[usize::from(rank % 16)]))
}

/// Eight bytes and eight zeros.
#[inline(always)]
fn eight(bytes: u64) -> [u8; 16] {
    u128::from(bytes).to_le_bytes()
}

impl Sse2 {
    #[inline(always)]
    fn repeated(bytes: [u8; 16]) -> __m128i {
        vector(bytes)
    }
    #[inline(always)]
    fn part(self, _: usize) -> [u8; 16] {
        array(self.0)
    }
    /// For each lane the byte of the bits that has its own.
    #[inline(always)]
    fn spread(bits: u64) -> Self {
        let both = known!(_mm_set1_epi16(bits as i16));
        let pairs = known!(_mm_unpacklo_epi8(both, both));
        Self(known!(_mm_shufflehi_epi16::<0b01_01_01_01>(_mm_shufflelo_epi16::<0>(pairs))))
    }
}

impl Sse {
    /// For each lane the byte of the bits that has its own.
    #[inline(always)]
    fn spread(bits: u64) -> Self {
        Self::look_up(eight(bits), Self::read(&OWN_BYTES))
    }
    #[inline(always)]
    fn repeated(bytes: [u8; 16]) -> __m128i {
        vector(bytes)
    }
    #[inline(always)]
    fn part(self, _: usize) -> [u8; 16] {
        array(self.0)
    }
}

impl Avx2 {
    /// For each lane the byte of the bits that has its own.
    #[inline(always)]
    fn spread(bits: u64) -> Self {
        Self::look_up(eight(bits), Self::read(&OWN_BYTES))
    }
    #[inline(always)]
    fn repeated(bytes: [u8; 16]) -> __m256i {
        known!(_mm256_broadcastsi128_si256(vector(bytes)))
    }
    #[inline(always)]
    fn part(self, rank: usize) -> [u8; 16] {
        array(if rank == 0 {
            known!(_mm256_extracti128_si256::<0>(self.0))
        } else {
            known!(_mm256_extracti128_si256::<1>(self.0))
        })
    }
}
