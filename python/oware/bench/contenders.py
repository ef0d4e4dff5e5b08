"""What can be timed: environments, counting, copying."""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware import Game, OwareEnv, perft, playouts
from oware.bench.clock import Clock, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from oware.types import PolicyName, RuleSetName

__all__ = [
    "Contender",
    "Copy",
    "Perft",
    "Playouts",
    "Rollout",
    "SelfPlay",
    "draw",
    "forced_kernel",
]

BURST_STEPS: Final = 256
BURST_BOARDS: Final = 16_384
"""The most steps, and steps of a board, that are timed in one stretch."""
ROLLOUT_STEPS: Final = 16
"""The least steps of a rollout."""

BITS: Final = np.array([1, 2, 4, 8, 16, 32], np.int8)
COUNTS: Final = np.array([max(bits.bit_count(), 1) for bits in range(64)], np.float32)
MOVES: Final = np.zeros(64 * 6, np.int64)
"""The legal moves of each set of six bits, side by side."""
for _bits in range(64):
    _legal = [move for move in range(6) if _bits >> move & 1]
    MOVES[6 * _bits : 6 * _bits + len(_legal)] = _legal


def draw(mask: NDArray[np.int8], generator: np.random.Generator) -> NDArray[np.int64]:
    """A legal action for each row of an action mask (n, 6), each as likely as the others."""
    legal = mask @ BITS
    rank = (generator.random(len(mask), dtype=np.float32) * COUNTS[legal]).astype(np.intp)
    actions: NDArray[np.int64] = MOVES.take(legal.astype(np.intp) * 6 + rank)
    return actions


@contextlib.contextmanager
def forced_kernel(name: str | None) -> Iterator[None]:
    """Have what is made inside play with a kernel; None for what it would take by itself."""
    before = os.environ.get("OWARE_KERNEL")
    if name is not None:
        os.environ["OWARE_KERNEL"] = name
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("OWARE_KERNEL", None)
        else:
            os.environ["OWARE_KERNEL"] = before


class Contender(ABC):
    """Something that can be timed again and again."""

    unit = "steps"
    """What its work is counted in."""
    boards = 1
    """How many boards a call plays."""
    written = 0
    """The bytes that a call writes for its caller; 0 where they are no yardstick."""
    kernel: str | None = None
    """What plays the boards."""
    threads = 1
    """With more than one, only the wall clock tells."""
    units = 0
    """The work done since the warm-up."""
    episodes: int | None = None
    """The episodes that ended in it; None where nobody counts them."""

    @abstractmethod
    def burst(self) -> Sample:
        """Do some work, as little as can be timed well."""


class SelfPlay(Contender):
    """Steps of an `OwareEnv` with random actions.

    Args:
        num_envs: Number of boards.
        warm_up: Plies before anything is timed.
        settings: As for `OwareEnv`.
    """

    def __init__(self, num_envs: int, warm_up: int, **settings: Any) -> None:  # noqa: ANN401
        defaults: dict[str, Any] = {
            "rules": "codingame",
            "autoreset_mode": "same_step",
            "copy": False,
        }
        settings = defaults | settings
        self.env = OwareEnv(num_envs, **settings)
        self.mask = self.env.reset(seed=1)[1]["action_mask"]
        # The same seed and the same actions: the scout is always a burst ahead in the same games.
        self.steps = min(BURST_STEPS, BURST_BOARDS // num_envs) or 1
        self.scout = self.env
        if self.steps > 1:
            self.scout = OwareEnv(num_envs, **settings)
            self.mask = self.scout.reset(seed=1)[1]["action_mask"]
        self.generator = np.random.default_rng(1)
        self.boards = num_envs
        self.threads = settings.get("num_threads", 1)
        self.kernel = self.env.kernel
        if settings.get("opponent") is not None:
            self.unit = "agent steps"

        self.episodes = 0
        observation, reward, terminated, truncated, info = self._play(self._explore(1))
        arrays = [observation, reward, terminated, truncated]
        arrays += [array for name, array in info.items() if "final" not in name]
        self.written = sum(array.nbytes for array in arrays)
        for _ in range(1, warm_up, self.steps):
            self._play(self._explore(self.steps))
        self.episodes = 0

    def _explore(self, steps: int) -> list[NDArray[np.int64]]:
        """The actions of the next steps."""
        actions = []
        for _ in range(steps):
            actions.append(draw(self.mask, self.generator))
            if self.scout is not self.env:
                self._note(self.scout.step(actions[-1]))
        return actions

    def _play(self, actions: list[NDArray[np.int64]]) -> Any:  # noqa: ANN401
        last: Any = None
        for action in actions:
            last = self.env.step(action)
        if self.scout is self.env:
            self._note(last)
        return last

    def _note(self, result: tuple[Any, ...]) -> None:
        _, _, terminated, truncated, info = result
        self.mask = info["action_mask"]
        self.episodes = (self.episodes or 0) + int(np.count_nonzero(terminated | truncated))

    def burst(self) -> Sample:
        """Some steps."""
        actions = self._explore(self.steps)
        step = self.env.step
        last: Any = None
        with Clock() as clock:
            for action in actions:
                last = step(action)
        if self.scout is self.env:
            self._note(last)
        units = len(actions) * self.boards
        self.units += units
        return clock.sample(units)


class Perft(Contender):
    """Lines of play counted, the last ply of each in bulk."""

    unit = "leaves"

    def __init__(self, depth: int) -> None:
        self.game = Game("awari")
        self.depth = depth

    def burst(self) -> Sample:
        """One count."""
        with Clock() as clock:
            leaves = perft(self.game, self.depth)
        return clock.sample(leaves)


class Playouts(Contender):
    """Random games from the start to the end by `oware.playouts`."""

    unit = "plies"

    def __init__(self, rules: RuleSetName, games: int, num_threads: int) -> None:
        self.game = Game(rules)
        # A call goes by the variable, where an environment does when it is made.
        self.kernel = os.environ.get("OWARE_KERNEL") or None
        self.boards = games
        self.threads = num_threads
        self.episodes = 0

    def burst(self) -> Sample:
        """All the games, other ones each time."""
        seed = self.episodes or 0
        with forced_kernel(self.kernel), Clock() as clock:
            results = playouts(self.game, self.boards, seed=seed, num_threads=self.threads)
        plies = int(np.sum(results.plies))
        self.units += plies
        self.episodes = seed + self.boards
        return clock.sample(plies)


class Rollout(Contender):
    """Steps of a batch that a policy of the environment's own plays by `OwareEnv.rollout`."""

    def __init__(self, policy: PolicyName, num_envs: int, warm_up: int, num_threads: int) -> None:
        self.env = OwareEnv(
            num_envs, rules="codingame", autoreset_mode="same_step", num_threads=num_threads
        )
        self.env.reset(seed=1)
        self.policy: PolicyName = policy
        self.steps = max(ROLLOUT_STEPS, min(BURST_STEPS, BURST_BOARDS // num_envs))
        self.out = self.env.rollout(policy, self.steps)
        self.boards = num_envs
        self.threads = num_threads
        self.kernel = self.env.kernel
        for _ in range(0, warm_up, self.steps):
            self.env.rollout(policy, self.steps, out=self.out)

    def burst(self) -> Sample:
        """Some steps."""
        with Clock() as clock:
            self.env.rollout(self.policy, self.steps, out=self.out)
        units = self.steps * self.boards
        self.units += units
        return clock.sample(units)


class Copy(Contender):
    """A copy of bytes, from one buffer to another."""

    unit = "bytes"

    def __init__(self, size: int) -> None:
        self.source = np.resize(np.arange(251, dtype=np.uint8), size)
        self.target = np.zeros_like(self.source)
        self.times = max(1, min(1000, 2_000_000 // size))

    def burst(self) -> Sample:
        """Some copies."""
        source, target, copyto = self.source, self.target, np.copyto
        with Clock() as clock:
            for _ in range(self.times):
                copyto(target, source)
        return clock.sample(self.times * source.nbytes)
