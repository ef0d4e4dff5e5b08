//! Some boards of a block.

use crate::batch::lanes::{BLOCK, Lanes, Plane};

/// A set of lanes, one bit each.
pub(crate) type LaneSet = u64;

/// The lanes of a set.
pub(crate) fn lanes(mut set: LaneSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (lane < BLOCK).then_some(lane)
    })
}

/// Sets some lanes of a plane.
#[inline(always)]
pub(crate) fn set_lanes<L: Lanes>(plane: &mut Plane, set: LaneSet, byte: u8) {
    let mut at = 0;
    while at < BLOCK {
        L::select(L::from_bits(set >> at), L::splat(byte), L::load(plane, at)).store(plane, at);
        at += L::WIDTH;
    }
}
