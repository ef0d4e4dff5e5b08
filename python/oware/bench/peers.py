"""Other libraries, where they are installed: their Oware, or Connect Four where they have none.

Each plays random games as `SelfPlay` does, with legal actions drawn outside the clock, and hands
over what a learner needs: observation, legal actions, reward, whether the game is over.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware.bench.clock import Clock, Sample
from oware.bench.contenders import Contender

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["PEERS", "EnvPool", "OpenSpiel", "OpenSpielVector", "Pgx", "missing"]


class OpenSpiel(Contender):
    """One board of OpenSpiel's Oware: a move, the legal ones after it, tensor, mask and rewards."""

    def __init__(self, warm_up: int) -> None:
        self.game = importlib.import_module("pyspiel").load_game("oware")
        self.scout = self.game.new_initial_state()
        self.state = self.game.new_initial_state()
        self.generator = np.random.default_rng(1)
        self.episodes = 0
        for _ in range(0, warm_up, 256):
            self.burst()
        self.units = self.episodes = 0

    def burst(self) -> Sample:
        """Some hundred moves."""
        actions = []
        for _ in range(256):
            actions.append(int(self.generator.choice(self.scout.legal_actions())))
            self.scout.apply_action(actions[-1])
            if self.scout.is_terminal():
                self.episodes = (self.episodes or 0) + 1
                self.scout = self.game.new_initial_state()
        state = self.state
        with Clock() as clock:
            for action in actions:
                state.apply_action(action)
                state.rewards()
                if state.is_terminal():
                    state = self.game.new_initial_state()
                state.legal_actions()
                np.asarray(state.observation_tensor(), np.float32)
                np.asarray(state.legal_actions_mask(), np.int8)
        self.state = state
        self.units += len(actions)
        return clock.sample(len(actions))


class OpenSpielVector(Contender):
    """A batch of OpenSpiel's Oware as its own vectorised environment steps it."""

    def __init__(self, num_envs: int, warm_up: int) -> None:
        environment = importlib.import_module("open_spiel.python.rl_environment").Environment
        vector = importlib.import_module("open_spiel.python.vector_env").SyncVectorEnv
        self.output = importlib.import_module("open_spiel.python.rl_agent").StepOutput
        self.env = vector([environment("oware") for _ in range(num_envs)])
        self.shown = self.env.reset()
        self.generator = np.random.default_rng(1)
        self.boards = num_envs
        self.episodes = 0
        for _ in range(min(warm_up, 100)):
            self.burst()
        self.units = self.episodes = 0

    def burst(self) -> Sample:
        """One step."""
        actions = []
        for shown in self.shown:
            seen = shown.observations
            action = int(self.generator.choice(seen["legal_actions"][seen["current_player"]]))
            actions.append(self.output(action=action, probs=None))
        with Clock() as clock:
            self.shown, _, done, _ = self.env.step(actions, reset_if_done=True)
        self.units += self.boards
        self.episodes = (self.episodes or 0) + sum(done)
        return clock.sample(self.boards)


def draw(legal: Any, generator: np.random.Generator) -> Any:  # noqa: ANN401
    """A column at random of those that are True in each row; the first where none is."""
    return np.where(legal, generator.random(legal.shape, dtype=np.float32), -1).argmax(axis=1)


class EnvPool(Contender):
    """A batch of EnvPool's Connect Four, with one worker."""

    def __init__(self, num_envs: int, warm_up: int) -> None:
        self.env = importlib.import_module("envpool").make(
            "ConnectFour-v1", env_type="gymnasium", num_envs=num_envs, num_threads=1
        )
        self.legal = self.env.reset()[1]["legal_action_mask"]
        self.generator = np.random.default_rng(1)
        self.boards = num_envs
        self.threads = 2  # The worker is a thread beside the one that calls it.
        self.episodes = 0
        for _ in range(min(warm_up, 100)):
            self.burst()
        self.units = self.episodes = 0

    def burst(self) -> Sample:
        """One step."""
        actions = draw(self.legal, self.generator)
        with Clock() as clock:
            _, _, terminated, truncated, info = self.env.step(actions)
        self.legal = info["legal_action_mask"]
        self.units += self.boards
        self.episodes = (self.episodes or 0) + int(np.count_nonzero(terminated | truncated))
        return clock.sample(self.boards)


class Pgx(Contender):
    """A batch of Pgx's Connect Four, compiled by JAX, on the device that JAX takes by itself."""

    def __init__(self, num_envs: int, warm_up: int) -> None:
        self.jax = importlib.import_module("jax")
        env = importlib.import_module("pgx").make("connect_four")
        auto_reset = importlib.import_module("pgx.experimental").auto_reset
        self.step = self.jax.jit(self.jax.vmap(auto_reset(env.step, env.init)))
        self.key = self.jax.random.PRNGKey(1)
        self.state = self.jax.jit(self.jax.vmap(env.init))(self._keys(num_envs))
        self.generator = np.random.default_rng(1)
        self.boards = num_envs
        self.threads = 2  # JAX has threads of its own.
        self.episodes = 0
        for _ in range(min(warm_up, 100)):
            self.burst()
        self.units = self.episodes = 0

    def _keys(self, num_envs: int) -> Any:  # noqa: ANN401
        self.key, key = self.jax.random.split(self.key)
        return self.jax.random.split(key, num_envs)

    def burst(self) -> Sample:
        """One step."""
        actions = draw(np.asarray(self.state.legal_action_mask), self.generator)
        keys = self.jax.block_until_ready(self._keys(self.boards))
        with Clock() as clock:
            state = self.step(self.state, actions, keys)
            over = np.asarray(state.terminated | state.truncated)
            for array in (state.observation, state.legal_action_mask, state.rewards):
                np.asarray(array)
        self.state = state
        self.units += self.boards
        self.episodes = (self.episodes or 0) + int(np.count_nonzero(over))
        return clock.sample(self.boards)


PEERS: Final[Mapping[str, tuple[str, str, Callable[[int], Contender]]]] = {
    "OpenSpiel oware, 1 board": ("pyspiel", "open-spiel", OpenSpiel),
    "OpenSpiel oware, 64 boards": (
        "open_spiel",
        "open-spiel",
        lambda warm_up: OpenSpielVector(64, warm_up),
    ),
    "EnvPool Connect Four, 1,024 boards": (
        "envpool",
        "envpool",
        lambda warm_up: EnvPool(1024, warm_up),
    ),
    "Pgx Connect Four, 1,024 boards": ("pgx", "pgx", lambda warm_up: Pgx(1024, warm_up)),
}
"""Module, package and maker of each peer; the maker takes the plies of the warm-up."""


def missing(name: str) -> str | None:
    """How to install a peer, where it is not installed."""
    module, package, _ = PEERS[name]
    if importlib.util.find_spec(module) is None:
        return f"{name}: left out, as {module} is not installed (pip install {package})"
    return None
