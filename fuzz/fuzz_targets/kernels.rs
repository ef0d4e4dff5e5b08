//! Bytes as rules, an environment and plies: every kernel of the machine beside games of the rules core.

#![no_main]

use libfuzzer_sys::fuzz_target;

/// What the tests of the crate play with.
#[path = "../../tests/support"]
mod support {
    pub(crate) mod contest;
    pub(crate) mod drawn;
    pub(crate) mod twin;

    pub(crate) fn mv(index: usize) -> oware::Move {
        oware::Move::new(index).unwrap()
    }
}

fuzz_target!(|bytes: &[u8]| {
    support::contest::play_bytes(bytes);
});
