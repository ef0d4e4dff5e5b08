"""What many steps in one call give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gymnasium import Space
    from numpy.typing import NDArray


__all__ = ["Rollout", "empty_rollout"]


@dataclass(frozen=True, eq=False)
class Rollout:
    """Arrays (T, N, ...) of T steps in N environments.

    What an action was chosen by: `observation`, of the observation space's dtype, (T, N, ...);
    `action_mask`, int8 (T, N, 6): the legal actions; `to_move`, int8 (T, N): the seat whose view it
    is. Then `action`, int64 (T, N).

    Beside these what `info` holds only where it is asked for, else None: `value`, float32 (T, N),
    the exact value of what was seen, and `regret`, float32 (T, N), the seeds that the action gave
    away, where the environment has `endgame=`; `opponent`, int8 (T, N), whom it was played against,
    where it has or had a pool.

    What the step gave: `reward`, float32 (T, N), of the player who acted; `terminated` and
    `truncated`, bool (T, N): whether a rule has ended the game, or the step cap has cut the episode
    off; `termination`, int8 (T, N): how the game has ended, an index into `oware.TERMINATIONS`;
    `winner`, int8 (T, N): who has won in this step, 0, 1, or -1 for nobody; `seat_rewards`, float32
    (T, N, 2): South's and North's reward, where the environment has `seat_rewards=True`, else None.

    In `"next_step"` mode the step after the last one of an episode is the one that resets it: there
    the mask is all ones, the action 0 and the reward 0.

    Example:
        >>> import numpy as np
        >>> import oware
        >>> env = oware.OwareEnv(2, autoreset_mode="same_step")
        >>> _ = env.reset(seed=0)
        >>> rollout = env.rollout("greedy", 100)
        >>> chosen = np.take_along_axis(rollout.action_mask, rollout.action[..., None], axis=-1)
        >>> bool(chosen.all())
        True
    """

    observation: NDArray[Any]
    action_mask: NDArray[np.int8]
    to_move: NDArray[np.int8]
    action: NDArray[np.int64]
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    termination: NDArray[np.int8]
    winner: NDArray[np.int8]
    seat_rewards: NDArray[np.float32] | None
    value: NDArray[np.float32] | None = None
    regret: NDArray[np.float32] | None = None
    opponent: NDArray[np.int8] | None = None


def empty_rollout(
    space: Space[Any],
    num_envs: int,
    steps: int,
    *,
    seat_rewards: bool,
    values: bool = False,
    opponents: bool = False,
) -> Rollout:
    """Arrays of zeros for steps in environments with this space of observations.

    Example:
        >>> import oware
        >>> from oware.rollout import empty_rollout
        >>> space = oware.OwareEnv(3).single_observation_space
        >>> empty_rollout(space, num_envs=3, steps=5, seat_rewards=False).reward.shape
        (5, 3)
    """
    each = (steps, num_envs)
    return Rollout(
        observation=np.zeros((*each, *(space.shape or ())), space.dtype),
        action_mask=np.zeros((*each, 6), np.int8),
        to_move=np.zeros(each, np.int8),
        action=np.zeros(each, np.int64),
        reward=np.zeros(each, np.float32),
        terminated=np.zeros(each, np.bool_),
        truncated=np.zeros(each, np.bool_),
        termination=np.zeros(each, np.int8),
        winner=np.zeros(each, np.int8),
        seat_rewards=np.zeros((*each, 2), np.float32) if seat_rewards else None,
        value=np.zeros(each, np.float32) if values else None,
        regret=np.zeros(each, np.float32) if values else None,
        opponent=np.zeros(each, np.int8) if opponents else None,
    )
