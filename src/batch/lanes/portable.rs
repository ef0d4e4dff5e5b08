//! Sixteen bytes in an array: the slow twin that every instruction set is tested against.

use super::{Lanes, Plane};

#[derive(Clone, Copy)]
pub(crate) struct Bytes([u8; 16]);

#[derive(Clone, Copy)]
pub(crate) struct Truths([bool; 16]);

impl Bytes {
    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(u8, u8) -> u8) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Lanes for Bytes {
    const WIDTH: usize = 16;
    type Mask = Truths;

    #[inline(always)]
    fn load(plane: &Plane, at: usize) -> Self {
        Self(std::array::from_fn(|i| plane.0[at + i]))
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
    fn equals(self, other: Self) -> Truths {
        Truths(std::array::from_fn(|i| self.0[i] == other.0[i]))
    }
    #[inline(always)]
    fn at_most(self, other: Self) -> Truths {
        Truths(std::array::from_fn(|i| self.0[i] <= other.0[i]))
    }
    #[inline(always)]
    fn keep(self, mask: Truths) -> Self {
        Self(std::array::from_fn(|i| if mask.0[i] { self.0[i] } else { 0 }))
    }
    #[inline(always)]
    fn drop(self, mask: Truths) -> Self {
        Self(std::array::from_fn(|i| if mask.0[i] { 0 } else { self.0[i] }))
    }
    #[inline(always)]
    fn increment(self, mask: Truths) -> Self {
        Self(std::array::from_fn(|i| self.0[i].wrapping_add(u8::from(mask.0[i]))))
    }
    #[inline(always)]
    fn select(mask: Truths, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|i| if mask.0[i] { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn both(one: Truths, other: Truths) -> Truths {
        Truths(std::array::from_fn(|i| one.0[i] & other.0[i]))
    }
    #[inline(always)]
    fn either(one: Truths, other: Truths) -> Truths {
        Truths(std::array::from_fn(|i| one.0[i] | other.0[i]))
    }
    #[inline(always)]
    fn except(one: Truths, other: Truths) -> Truths {
        Truths(std::array::from_fn(|i| one.0[i] & !other.0[i]))
    }
    #[inline(always)]
    fn nowhere() -> Truths {
        Truths([false; 16])
    }
    #[inline(always)]
    fn bits(mask: Truths) -> u64 {
        mask.0.iter().rev().fold(0, |bits, &truth| bits << 1 | u64::from(truth))
    }
    #[inline(always)]
    fn from_bits(bits: u64) -> Truths {
        Truths(std::array::from_fn(|i| bits >> i & 1 == 1))
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
        Self(ranks.0.map(|rank| table[usize::from(rank % 16)]))
    }
    #[inline(always)]
    fn read(bytes: &[u8]) -> Self {
        Self(std::array::from_fn(|i| bytes[i]))
    }
    #[inline(always)]
    fn write(self, bytes: &mut [i8]) {
        for (to, byte) in bytes[..16].iter_mut().zip(self.0) {
            *to = byte as i8;
        }
    }
}
