//! What can play a batch.

use crate::batch::lanes::Isa;
use crate::rules::named_enum;

named_enum! {
    /// What plays a batch; all give the same results.
    KernelName, "kernel" {
        /// Sixty-four boards at a time, 64 to a register.
        Avx512 = "avx512",
        /// Sixty-four boards at a time, 32 to a register.
        Avx2 = "avx2",
        /// Sixty-four boards at a time, 16 to a register.
        Sse41 = "sse4.1",
        /// Sixty-four boards at a time, 16 to a register, on ARM.
        Neon = "neon",
        /// Sixty-four boards at a time, with what every machine has: 16 to a register (SSE2) on x86-64.
        Portable = "portable",
        /// One board after the other, two words a board.
        Words = "words",
    }
}

/// The kernels that this machine has, the best one for large batches first.
#[must_use]
pub fn kernels() -> Vec<KernelName> {
    let sets = Isa::detected().into_iter().filter_map(|isa| isa.name().parse().ok());
    sets.chain([KernelName::Words]).collect()
}
