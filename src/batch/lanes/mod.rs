//! Vectors of bytes, one byte a board: the few operations from which the block kernel is made.
//!
//! This folder is one of the rooms of the crate with `unsafe` code; the others are [`crate::threads`], one call that
//! maps a file, in `endgame::database`, and, in the bindings, `recycled`, which knows numpy's arrays. Its contract: a
//! vector type exists only where its instruction set does. Outside of here that is kept by [`Isa`], whose values are
//! made by detection alone, and by calling the kernel through [`on`].

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod neon;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Boards in a block, and bytes in a plane.
pub(crate) const BLOCK: usize = 64;

/// One byte for each board of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Plane(pub(crate) [u8; BLOCK]);

impl Plane {
    pub(crate) const ZERO: Self = Self([0; BLOCK]);
}

/// A vector of `WIDTH` unsigned bytes.
pub(crate) trait Lanes: Copy {
    /// Bytes in the vector: a divisor of [`BLOCK`].
    const WIDTH: usize;
    /// One truth value for each byte.
    type Mask: Copy;

    /// The bytes of a plane from `at` on, a multiple of `WIDTH`.
    fn load(plane: &Plane, at: usize) -> Self;
    /// Writes the bytes of a plane from `at` on, a multiple of `WIDTH`.
    fn store(self, plane: &mut Plane, at: usize);
    fn splat(byte: u8) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn equals(self, other: Self) -> Self::Mask;
    /// `self <= other`, unsigned.
    fn at_most(self, other: Self) -> Self::Mask;
    /// The bytes where the mask is true, else 0.
    fn keep(self, mask: Self::Mask) -> Self;
    /// The bytes where the mask is false, else 0.
    fn drop(self, mask: Self::Mask) -> Self;
    /// One more where the mask is true.
    fn increment(self, mask: Self::Mask) -> Self;
    /// `yes` where the mask is true, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn both(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    fn either(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    /// `one` and not `other`.
    fn except(one: Self::Mask, other: Self::Mask) -> Self::Mask;
    fn nowhere() -> Self::Mask;
    /// The mask as bits, the first board's lowest.
    fn bits(mask: Self::Mask) -> u64;
    /// The mask of the lowest `WIDTH` bits, the first board's lowest.
    fn from_bits(bits: u64) -> Self::Mask;
    /// Within each 16 bytes: the first eight bytes of both, alternating.
    fn zip_low(self, other: Self) -> Self;
    /// Within each 16 bytes: the last eight bytes of both, alternating.
    fn zip_high(self, other: Self) -> Self;
    /// The 16 bytes of this rank.
    fn sixteen(self, rank: usize) -> [u8; 16];
    /// Whether [`Lanes::look_up`] is one instruction.
    const LOOKS_UP: bool;
    /// For each byte of `ranks`, all below 16, the byte of that rank in the table.
    fn look_up(table: [u8; 16], ranks: Self) -> Self;
    /// The first `WIDTH` bytes, wherever they lie.
    fn read(bytes: &[u8]) -> Self;
    /// Writes the first `WIDTH` bytes, wherever they lie, as signed ones.
    fn write(self, bytes: &mut [i8]);

    /// How many of two numbers are at most each byte, all of them below 16; [`NEVER`] counts for nothing.
    #[inline(always)]
    fn reached(self, one: u8, other: u8) -> Self {
        if Self::LOOKS_UP {
            return Self::look_up(REACHED[one as usize][other as usize], self);
        }
        let reached = Self::splat(0).increment(Self::splat(one).at_most(self));
        if other == NEVER { reached } else { reached.increment(Self::splat(other).at_most(self)) }
    }

    /// The lowest bytes of numbers below 256, `WIDTH` of them from `at` on.
    #[inline(always)]
    fn narrow(numbers: &[i64; BLOCK], at: usize) -> Self {
        let mut bytes = Plane::ZERO;
        let mut lane = at;
        while lane < at + Self::WIDTH {
            bytes.0[lane] = numbers[lane] as u8;
            lane += 1;
        }
        Self::load(&bytes, at)
    }

    /// Whether the mask is true anywhere.
    fn any(mask: Self::Mask) -> bool {
        Self::bits(mask) != 0
    }
}

/// What no byte reaches.
pub(crate) const NEVER: u8 = 16;

/// For two numbers and each byte below 16, what [`Lanes::reached`] counts.
static REACHED: [[[u8; 16]; NEVER as usize + 1]; NEVER as usize + 1] = {
    let mut reached = [[[0; 16]; NEVER as usize + 1]; NEVER as usize + 1];
    let mut one = 0;
    while one <= NEVER as usize {
        let mut other = 0;
        while other <= NEVER as usize {
            let mut byte = 0;
            while byte < 16 {
                reached[one][other][byte] = (one <= byte) as u8 + (other <= byte) as u8;
                byte += 1;
            }
            other += 1;
        }
        one += 1;
    }
    reached
};

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Sse41,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    Neon,
}

impl Isa {
    /// The instruction sets of this machine, the best one first.
    pub(crate) fn detected() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if x86::has_avx512() {
                found.push(Self(Kind::Avx512));
            }
            if x86::has_avx2() {
                found.push(Self(Kind::Avx2));
            }
            if x86::has_sse41() {
                found.push(Self(Kind::Sse41));
            }
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        if neon::has_neon() {
            found.push(Self(Kind::Neon));
        }
        found.push(Self(Kind::Portable));
        found
    }

    pub(crate) const fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => "sse4.1",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Kind::Neon => "neon",
        }
    }

    /// The instruction set of this name, if the machine has it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::detected().into_iter().find(|isa| isa.name() == name)
    }

    /// The number of boards from which on it beats playing one after the other; `None` where it never does.
    ///
    /// Measured for each instruction set on one processor, in the steps of an environment without repetition.
    const fn worthwhile_from(self) -> Option<usize> {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Portable => Some(20),
            #[cfg(not(target_arch = "x86_64"))]
            Kind::Portable => None,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => Some(8),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => Some(12),
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => Some(16),
            #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
            Kind::Neon => Some(16),
        }
    }

    /// The best instruction set for so many boards; `None` where they are played one after the other.
    pub(crate) fn best_for(boards: usize) -> Option<Self> {
        Self::detected().into_iter().find(|isa| isa.worthwhile_from().is_some_and(|from| boards >= from))
    }
}

/// Work that is written once for every kind of vector.
pub(crate) trait Kernel {
    type Output;
    /// Does the work. It and what it calls are inlined, so that all is compiled for the instruction set.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// Does some work with the vectors of an instruction set.
pub(crate) fn on<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa.0 {
        #[cfg(target_arch = "x86_64")]
        Kind::Portable => x86::on_sse2(kernel),
        #[cfg(not(target_arch = "x86_64"))]
        Kind::Portable => kernel.run::<portable::Bytes>(),
        #[cfg(target_arch = "x86_64")]
        Kind::Sse41 => x86::on_sse41(kernel),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => x86::on_avx2(kernel),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => x86::on_avx512(kernel),
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Kind::Neon => neon::on_neon(kernel),
    }
}
