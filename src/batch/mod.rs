//! Many boards: what each of them needs to be played, and how it is shown in arrays.

mod history;
pub mod observe;
pub(crate) mod slot;
