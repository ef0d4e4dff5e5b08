"""Oware for RLlib's new API stack: self-play, one agent against an opponent, and policies.

Needs `pip install "oware[rllib]"`. Observations are dictionaries of float32, `observations` and
`action_mask`, as RLlib's own `ActionMaskingTorchRLModule` takes them::

    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    config = (
        PPOConfig()
        .environment(OwareMultiAgentEnv, env_config={"rules": "abapa"})
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    )
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from oware._missing import missing_extra
from oware._unknown import unknown
from oware.adapters._views import views
from oware.env import OwareEnv
from oware.single import OwareSingleEnv

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv

    from oware.adapters._rllib_agent import RLlibAgent, flat, masked
except ModuleNotFoundError as error:
    raise missing_extra("rllib", error) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import ArrayLike, NDArray

    from oware import Game

__all__ = ["OwareMultiAgentEnv", "OwareSingleAgentEnv", "OwareVectorEnv", "RLlibAgent"]

AGENTS: Final[tuple[str, str]] = ("player_0", "player_1")
"""The agents of self-play: South, who moves first, and North."""


class OwareMultiAgentEnv(MultiAgentEnv):
    """Self-play: the agents `"player_0"`, who is South, and `"player_1"` take turns.

    Only the agent that is to move is observed, from its own seat; both are when the game is over.
    A step tells the reward of both: each agent's own, South's as North's negative. RLlib adds what
    an agent is given while it waits to its last move. Illegal moves are refused with an
    `oware.IllegalMoveError`, as the mask has told them. `infos` of the observed agents hold
    `termination`, an index into `oware.TERMINATIONS`, and `winner`: 0, 1, or -1 for nobody.

    Args:
        config: RLlib's `env_config`, with arguments of `oware.OwareEnv`: `rules`, `observation`
            (`"normalized"` unless given; `"one_hot"` lies flat, 350 numbers), `reward`,
            `max_steps`, `opening_plies` and `render_mode`.

    Raises:
        TypeError: The config has an unknown key, or a value the wrong type.
        ValueError: A value is out of range or no known name.

    Example:
        >>> env = OwareMultiAgentEnv({"rules": "abapa"})
        >>> observations, infos = env.reset(seed=0)
        >>> observations, rewards, terminateds, truncateds, infos = env.step({"player_0": 2})
        >>> list(observations), rewards, terminateds
        (['player_1'], {'player_0': 0.0, 'player_1': 0.0}, {'__all__': False})
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        settings = settings_of(config, OwareSingleEnv, ("opponent", "seat", "seat_rewards"))
        self._env = OwareSingleEnv(**settings, seat_rewards=True)
        self._mover = AGENTS[0]
        self.render_mode = self._env.render_mode
        # RLlib writes into it.
        self.metadata = dict(self._env.metadata)
        self.agents = list(AGENTS)
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {
            agent: masked_space(self._env.observation_space) for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(6) for agent in AGENTS}

    def reset(
        self,
        *,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a game.

        Args:
            seed: At least 0 and below 2**64 - 1; None goes on with the stream.
            options: None or empty.

        Returns:
            The observation and info of the agent that moves first.

        Raises:
            ValueError: The seed is out of range, or an option is given.

        Example:
            >>> observations, infos = OwareMultiAgentEnv().reset(seed=0)
            >>> observations["player_0"]["action_mask"]
            array([1., 1., 1., 1., 1., 1.], dtype=float32)
        """
        observation, info = self._env.reset(seed=seed, options=options)
        return self._seen(observation, info, over=False)

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Play a move of the agent that is to move.

        Args:
            action_dict: Its action, 0 to 5, under its name.

        Returns:
            Observations, rewards, terminateds, truncateds and infos.

        Raises:
            ValueError: The action of another agent is given, or not this one's.
            oware.IllegalMoveError: The action is illegal.
            gymnasium.error.ResetNeeded: The game is over or has never begun.
            TypeError: The action is no integer.

        Example:
            >>> env = OwareMultiAgentEnv()
            >>> _ = env.reset(seed=0)
            >>> env.step({"player_1": 0})
            Traceback (most recent call last):
            ValueError: 'player_0' is to move: give its action alone, not those of ['player_1']
        """
        mover = self._mover
        if set(action_dict) != {mover}:
            given = sorted(action_dict)
            raise ValueError(f"{mover!r} is to move: give its action alone, not those of {given}")
        observation, _, terminated, truncated, info = self._env.step(action_dict[mover])
        seen, infos = self._seen(observation, info, over=terminated or truncated)
        rewards: dict[str, float] = dict(zip(AGENTS, info["seat_rewards"].tolist(), strict=True))
        return seen, rewards, {"__all__": terminated}, {"__all__": truncated}, infos

    def _seen(
        self, observation: NDArray[Any], info: dict[str, Any], *, over: bool
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the agent to move sees, and at the end the other one as well."""
        self._mover = AGENTS[info["to_move"]]
        boards = dict(zip(AGENTS, views(observation, info["to_move"]), strict=True))
        shown = AGENTS if over else (self._mover,)
        told = {name: info[name] for name in ("termination", "winner")}
        seen = {agent: masked(boards[agent], info["action_mask"], 1) for agent in shown}
        return seen, {agent: dict(told) for agent in shown}

    def game(self) -> Game:
        """The game, as a copy with its history.

        Example:
            >>> OwareMultiAgentEnv().game().status()
            'South to move'
        """
        return self._env.game()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as `render_mode` has it; None without one.

        Example:
            >>> env = OwareMultiAgentEnv({"render_mode": "rgb_array"})
            >>> _ = env.reset(seed=0)
            >>> env.render().ndim
            3
        """
        return None if self.render_mode is None else self._env.render()

    def close(self) -> None:
        """Let go of all memory.

        Example:
            >>> OwareMultiAgentEnv().close()
        """
        self._env.close()


class OwareSingleAgentEnv(gymnasium.Env[Any, Any]):
    """One agent against an opponent that the environment plays.

    `OwareVectorEnv` does the same for many games at once and is faster; this one works with every
    `gym_env_vectorize_mode`.

    Args:
        config: RLlib's `env_config`, with arguments of `oware.OwareEnv`: `opponent` (`"random"`
            unless given), `seat`, and those of `OwareMultiAgentEnv`.

    Raises:
        TypeError: The config has an unknown key, or a value the wrong type.
        ValueError: A value is out of range or no known name.

    Example:
        >>> env = OwareSingleAgentEnv({"opponent": "greedy", "seat": "south"})
        >>> observation, info = env.reset(seed=0)
        >>> observation["observations"].dtype, observation["action_mask"].dtype
        (dtype('float32'), dtype('float32'))
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        settings = settings_of(config, OwareSingleEnv)
        self._env = OwareSingleEnv(**{"opponent": "random", **settings})
        self.render_mode = self._env.render_mode
        self.metadata = dict(self._env.metadata)
        self.observation_space = masked_space(self._env.observation_space)
        self.action_space = spaces.Discrete(6)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Start an episode; see `oware.single.OwareSingleEnv.reset`.

        Example:
            >>> OwareSingleAgentEnv().reset(seed=0)[0]["observations"].shape
            (14,)
        """
        observation, info = self._env.reset(seed=seed, options=options)
        super().reset(seed=seed)
        return masked(observation, info["action_mask"], 1), info

    def step(
        self,
        action: Any,  # noqa: ANN401
    ) -> tuple[dict[str, NDArray[np.float32]], float, bool, bool, dict[str, Any]]:
        """Play one action and the reply; see `oware.single.OwareSingleEnv.step`.

        Example:
            >>> env = OwareSingleAgentEnv({"seat": "south"})
            >>> _ = env.reset(seed=0)
            >>> env.step(5)[1:4]
            (0.0, False, False)
        """
        observation, reward, terminated, truncated, info = self._env.step(action)
        return masked(observation, info["action_mask"], 1), reward, terminated, truncated, info

    def render(self) -> Any:  # noqa: ANN401
        """The board as `render_mode` has it; None without one.

        Example:
            >>> env = OwareSingleAgentEnv({"render_mode": "rgb_array"})
            >>> _ = env.reset(seed=0)
            >>> env.render().ndim
            3
        """
        return None if self.render_mode is None else self._env.render()

    def close(self) -> None:
        """Let go of all memory.

        Example:
            >>> OwareSingleAgentEnv().close()
        """
        self._env.close()


class OwareVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games of one agent against an opponent, stepped together.

    For `config.env_runners(gym_env_vectorize_mode="vector_entry_point")`: RLlib puts the number of
    games, its `num_envs_per_env_runner`, into the config.

    Args:
        config: As for `OwareSingleAgentEnv`, and `num_envs`, 1 unless given.

    Raises:
        TypeError: The config has an unknown key, or a value the wrong type.
        ValueError: A value is out of range or no known name.

    Example:
        >>> env = OwareVectorEnv({"num_envs": 8, "opponent": "greedy"})
        >>> observation, info = env.reset(seed=0)
        >>> observation["observations"].shape, observation["action_mask"].shape
        ((8, 14), (8, 6))
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        settings = {"opponent": "random", **settings_of(config, OwareEnv, ("autoreset_mode",))}
        # What RLlib steps again is a finished game that then begins anew.
        self._env = OwareEnv(**settings, autoreset_mode="next_step")
        self.num_envs = self._env.num_envs
        self.render_mode = self._env.render_mode
        self.metadata = {**self._env.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = masked_space(self._env.single_observation_space)
        self.single_action_space = spaces.Discrete(6)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | list[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Start an episode in every environment; see `oware.OwareEnv.reset`.

        Example:
            >>> OwareVectorEnv({"num_envs": 2}).reset(seed=0)[0]["action_mask"].shape
            (2, 6)
        """
        observation, info = self._env.reset(seed=seed, options=options)
        return masked(observation, info["action_mask"], 2), info

    def step(self, actions: ArrayLike) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one action and the reply in each environment; see `oware.OwareEnv.step`.

        Example:
            >>> env = OwareVectorEnv({"num_envs": 2, "seat": "south"})
            >>> _ = env.reset(seed=0)
            >>> env.step([5, 4])[1]
            array([0., 0.], dtype=float32)
        """
        observation, reward, terminated, truncated, info = self._env.step(actions)
        return masked(observation, info["action_mask"], 2), reward, terminated, truncated, info

    def render(self) -> tuple[Any, ...] | None:
        """The boards as `render_mode` has them; None without one.

        Example:
            >>> env = OwareVectorEnv({"num_envs": 2, "render_mode": "rgb_array"})
            >>> _ = env.reset(seed=0)
            >>> len(env.render())
            2
        """
        return None if self.render_mode is None else self._env.render()

    def close_extras(self, **_: object) -> None:
        """Let go of all memory; `close` calls it.

        Example:
            >>> OwareVectorEnv({"num_envs": 2}).close()
        """
        if "_env" in self.__dict__:
            self._env.close()


def settings_of(
    config: Mapping[str, Any] | None, env: Callable[..., object], fixed: Collection[str] = ()
) -> dict[str, Any]:
    """Arguments of an environment from RLlib's config, but for those that an adapter has fixed."""
    known = [name for name in signature(env).parameters if name not in fixed]
    for key in config or ():
        if key not in known:
            raise TypeError(f"env_config: {unknown('key', key, known)}")
    return {"observation": "normalized", **(config or {})}


def masked_space(space: spaces.Space[Any]) -> spaces.Dict:
    """The space of what `masked` returns for one observation."""
    assert isinstance(space, spaces.Box)  # noqa: S101
    low, high = flat(space.low, 1), flat(space.high, 1)
    mask = spaces.Box(0.0, 1.0, (6,), np.float32)
    return spaces.Dict({"observations": spaces.Box(low, high), "action_mask": mask})
