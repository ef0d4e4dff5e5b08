//! Many boards: what each of them needs to be played, and how it is shown in arrays.

pub(crate) mod choice;
mod game;
pub(crate) mod history;
pub mod kernel;
pub(crate) mod lane_set;
pub(crate) mod lanes;
pub mod observe;
pub mod playout;
pub(crate) mod ply;
pub(crate) mod slot;
pub(crate) mod tape;
pub(crate) mod transpose;
