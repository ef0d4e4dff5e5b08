//! Episodes: what an environment adds to a batch of games.

mod asking;
mod block;
mod buffers;
mod config;
mod environment;
mod episode;
mod error;
mod external;
mod judge;
mod lockstep;
mod outputs;
mod player;
mod pool;
mod reset;
mod rollout;
mod rows;
mod searcher;
mod start;
mod state;
mod step;
mod taken;

pub use crate::batch::kernel::{KernelName, kernels};
pub use buffers::{Buffers, ObservationBuffer, ViewBuffers};
pub use config::{AutoresetMode, Config, MOST_EXTERNALS, Opponent, Policy, RewardKind, SeatChoice};
pub use environment::Env;
pub use error::{ActionFault, EnvError};
pub use external::{Externals, NoExternals, Request, Work};
pub use outputs::{Final, Outputs, Views};
pub use player::{MOST_NETWORKS, NetworkMark, NetworkPlayer};
pub use pool::{MOST_CHOICES, Pool, PoolError};
pub use rollout::{Judged, Rollout};
pub use searcher::{MOST_PLIES_AHEAD, MOST_SIMULATIONS, Method, Searcher, UnknownOpponent};
pub use start::StartSeeds;
pub use state::StateError;
pub use taken::Taken;
