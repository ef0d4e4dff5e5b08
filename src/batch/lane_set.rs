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

/// Sets the lanes from `at` on where the mask is true.
#[inline(always)]
pub(crate) fn set_some<L: Lanes>(plane: &mut Plane, at: usize, mask: L::Mask, byte: u8) {
    L::select(mask, L::splat(byte), L::load(plane, at)).store(plane, at);
}
