//! Sixteen bytes in an array, for machines without one of the instruction sets: plain loops, which compilers turn into
//! whatever vectors a machine has. On x86-64 SSE2 takes their place, which every such machine has.

use super::{Lanes, Plane};

/// As numbers, or as a mask: all ones where it is true, else 0.
#[derive(Clone, Copy)]
pub(crate) struct Bytes([u8; 16]);

impl Bytes {
    #[inline(always)]
    fn map(self, f: impl Fn(u8) -> u8) -> Self {
        let mut bytes = self.0;
        for byte in &mut bytes {
            *byte = f(*byte);
        }
        Self(bytes)
    }

    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(u8, u8) -> u8) -> Self {
        let mut bytes = self.0;
        for (byte, other) in bytes.iter_mut().zip(other.0) {
            *byte = f(*byte, other);
        }
        Self(bytes)
    }

    #[inline(always)]
    fn halves(self) -> [u64; 2] {
        let both = u128::from_le_bytes(self.0);
        [both as u64, (both >> 64) as u64]
    }
}

const fn all_ones(truth: bool) -> u8 {
    0_u8.wrapping_sub(truth as u8)
}

/// The lowest bits of eight bytes side by side: the product moves that of byte *i* to bit 56 + *i*.
const fn low_bits(eight: u64) -> u64 {
    (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

impl Lanes for Bytes {
    const WIDTH: usize = 16;
    type Mask = Self;

    #[inline(always)]
    fn load(plane: &Plane, at: usize) -> Self {
        Self::read(&plane.0[at..])
    }
    #[inline(always)]
    fn store(self, plane: &mut Plane, at: usize) {
        plane.0[at..at + 16].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn splat(byte: u8) -> Self {
        Self([byte; 16])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.map2(other, u8::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.map2(other, u8::wrapping_sub)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.map2(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.map2(other, |a, b| a | b)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self {
        self.map2(other, |a, b| all_ones(a == b))
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> Self {
        self.map2(other, |a, b| all_ones(a <= b))
    }
    #[inline(always)]
    fn keep(self, mask: Self) -> Self {
        self.and(mask)
    }
    #[inline(always)]
    fn drop(self, mask: Self) -> Self {
        self.map2(mask, |byte, mask| byte & !mask)
    }
    #[inline(always)]
    fn increment(self, mask: Self) -> Self {
        // All ones is -1.
        self.sub(mask)
    }
    #[inline(always)]
    fn select(mask: Self, yes: Self, no: Self) -> Self {
        yes.keep(mask).or(no.drop(mask))
    }
    #[inline(always)]
    fn both(one: Self, other: Self) -> Self {
        one.and(other)
    }
    #[inline(always)]
    fn either(one: Self, other: Self) -> Self {
        one.or(other)
    }
    #[inline(always)]
    fn except(one: Self, other: Self) -> Self {
        one.drop(other)
    }
    #[inline(always)]
    fn nowhere() -> Self {
        Self::splat(0)
    }
    #[inline(always)]
    fn bits(mask: Self) -> u64 {
        let [low, high] = mask.halves();
        low_bits(low) | low_bits(high) << 8
    }
    #[inline(always)]
    fn any(mask: Self) -> bool {
        mask.halves() != [0, 0]
    }
    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        let eights = Self(std::array::from_fn(|i| (bits >> (i / 8 * 8)) as u8));
        let own = Self(std::array::from_fn(|i| 1 << (i % 8)));
        eights.and(own).equals(own)
    }
    #[inline(always)]
    fn zip_low(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if i % 2 == 0 { self.0[i / 2] } else { other.0[i / 2] }))
    }
    #[inline(always)]
    fn zip_high(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if i % 2 == 0 { self.0[8 + i / 2] } else { other.0[8 + i / 2] }))
    }
    #[inline(always)]
    fn sixteen(self, _: usize) -> [u8; 16] {
        self.0
    }
    const LOOKS_UP: bool = false;
    #[inline(always)]
    fn look_up(table: [u8; 16], ranks: Self) -> Self {
        ranks.map(|rank| table[usize::from(rank % 16)])
    }
    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        let mut sixteen = [0; 16];
        sixteen.copy_from_slice(&bytes[..16]);
        Self(sixteen)
    }
    #[inline(always)]
    fn write(self, bytes: &mut [i8]) {
        for (to, byte) in bytes[..16].iter_mut().zip(self.0) {
            *to = byte as i8;
        }
    }
}
