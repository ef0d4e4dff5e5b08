"""Environments in the middle of play and all that can be seen of them, to tell a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode

import oware

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def first_legal(_: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
    """The opponent that plays the first legal move of each board."""
    return action_mask.argmax(1)


# One with fresh arrays, one with reused arrays and final observations, one that waits for resets.
KINDS: dict[str, dict[str, Any]] = {
    "self-play": {},
    "reused": {
        "opponent": first_legal,
        "observation": "one_hot",
        "seat_rewards": True,
        "autoreset_mode": "same_step",
        "max_steps": 4,
        "copy": False,
    },
    "manual": {
        "opponent": "greedy",
        "observation": "normalized",
        "reward": "captures",
        "autoreset_mode": "disabled",
        "max_steps": 6,
    },
}


def frozen(thing: Any) -> Any:
    """A copy that compares: arrays with their type and shape, inside of whatever holds them."""
    if isinstance(thing, np.ndarray):
        contents = tuple(map(frozen, thing)) if thing.dtype == object else thing.tobytes()
        return thing.dtype.str, thing.shape, contents
    if isinstance(thing, dict):
        return {name: frozen(value) for name, value in thing.items()}
    return tuple(map(frozen, thing)) if isinstance(thing, (tuple, list)) else thing


def photograph(env: oware.OwareEnv) -> Any:
    """All there is to see of an environment."""
    games = [env.game(row) for row in range(env.num_envs)]
    told = [(game.to_fen(), game.transcript(), game.termination) for game in games]
    # The state that pickle takes has the opponents in it, too.
    kept = {name: value for name, value in env.__getstate__().items() if name[0] == "_"}
    return frozen((told, env.observe(), env.pits, env.stores, env.get_state(), kept))


def follow(env: oware.OwareEnv, shown: tuple[Any, ...], steps: int) -> tuple[Any, list[Any]]:
    """Play on, and past the end of an episode: what was shown last, and a copy of all that was."""
    seen: list[Any] = []
    mode = env.metadata["autoreset_mode"]
    while True:
        over = shown[2] | shown[3]
        # An action of the first environment is then one that is played.
        waits = over[0] if mode is AutoresetMode.NEXT_STEP else over.any()
        if len(seen) >= steps and (mode is AutoresetMode.SAME_STEP or not waits):
            return shown, seen
        if mode is AutoresetMode.DISABLED and over.any():
            observation, info = env.reset(options={"reset_mask": over})
            shown = observation, shown[1], over & False, over & False, info
        else:
            # Rows choose differently, so that they are told apart.
            moves = [np.flatnonzero(mask) for mask in shown[4]["action_mask"]]
            shown = env.step([legal[row % len(legal)] for row, legal in enumerate(moves)])
        seen.append(frozen(shown))


def played(kind: str, rows: int) -> tuple[oware.OwareEnv, tuple[Any, ...]]:
    """An environment of a kind in mid-episode, and what its last step has shown."""
    env = oware.OwareEnv(rows, **KINDS[kind])
    none = np.zeros(rows, bool)
    observation, info = env.reset(seed=5)
    shown, _ = follow(env, (observation, none, none, none, info), 2)
    # From here on the rows do not finish together.
    observation, info = env.reset(options={"reset_mask": np.arange(rows) == 0})
    return env, follow(env, (observation, *shown[1:4], info), 3)[0]


class Arraylike:
    """Something that numpy asks for an array."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.make()
