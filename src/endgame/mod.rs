//! Endgame databases: the exact value of every board of few seeds.
//!
//! [`Endgame::build`] solves them level by level, [`Endgame::open`] maps a file, and a board's value is then one byte
//! looked up. `crate::index` numbers the boards, `solve` is the retrograde analysis, `file` the format.

mod build;
mod cell;
mod database;
mod error;
mod file;
mod key;
mod line;
mod partial;
mod solve;
mod team;
mod unmove;

pub use build::{Cost, Progress, cost};
pub use database::{Endgame, Statistics};
pub use error::{EndgameError, FileFault};
pub use file::VERSION as FILE_VERSION;
pub use key::Key;
pub use line::Line;
