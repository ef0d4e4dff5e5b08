//! Episodes: what an environment adds to a batch of games.

mod buffers;
mod config;
mod environment;
mod episode;
mod error;
mod external;
mod outputs;
mod state;
mod step;

pub use buffers::{Buffers, ObservationBuffer, ViewBuffers};
pub use config::{AutoresetMode, Config, Opponent, RewardKind, SeatChoice};
pub use environment::Env;
pub use error::{ActionFault, EnvError};
pub use external::{Externals, NoExternals, Request};
pub use outputs::{Outputs, Views};
pub use state::StateError;
