"""Oware for Stable-Baselines3 and its `MaskablePPO`: the whole batch as one `VecEnv`.

Needs `pip install "oware[sb3]"`.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from oware import OwareEnv
from oware._missing import missing_extra
from oware.adapters._sb3_agent import SB3Agent

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise missing_extra("sb3", error) from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from oware import Game, Rules
    from oware.types import (
        ObservationKind,
        OpponentName,
        Policy,
        RenderMode,
        RewardKind,
        RuleSetName,
        SeatChoice,
    )

__all__ = ["OwareVecEnv", "SB3Agent"]


class OwareVecEnv(VecEnv):
    """Many games against an opponent, stepped together, for Stable-Baselines3.

    It is an `oware.OwareEnv` that resets at once, which see for spaces and rewards, without the
    detour over one environment at a time. An observation is the agent's, and the reply is part of
    the step. There is no self-play, as an algorithm that takes a batch for one agent's would learn
    with the opponent's rewards; give the agent itself as `opponent`, see `SB3Agent`.

    The `info` of each environment is as Stable-Baselines3 has it: `TimeLimit.truncated` always;
    when its episode has ended also `terminal_observation`, `episode` with return `r`, length `l`
    and seconds `t` as from a `Monitor`, `is_success` (the agent has won, from which the rate
    `rollout/success_rate` is logged), `termination` and `winner`. Masks come from `action_masks`,
    as `MaskablePPO` asks for them.

    Args:
        num_envs: Number of environments N, at least 1.
        rules: As for `oware.OwareEnv`, and so all that follow.
        opponent: Who replies.
        seat: The agent's seat.
        observation: The form of observations.
        reward: What a step is rewarded with.
        max_steps: Steps after which an episode is truncated; None for no cap.
        opening_plies: Random plies before each episode.
        num_threads: Most threads that a step may use.
        render_mode: `"rgb_array"`, `"ansi"` or None.

    Raises:
        TypeError: An argument has the wrong type, or there is no opponent.
        ValueError: An argument is out of range or no known name.

    Example:
        >>> from sb3_contrib import MaskablePPO
        >>> env = OwareVecEnv(64, opponent="random", observation="one_hot")
        >>> model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=256, seed=0)
        >>> model.learn(2048).num_timesteps
        2048
    """

    def __init__(
        self,
        num_envs: SupportsIndex = 1,
        *,
        rules: RuleSetName | Rules = "abapa",
        opponent: OpponentName | Policy = "random",
        seat: SeatChoice = "random",
        observation: ObservationKind = "seeds",
        reward: RewardKind = "outcome",
        max_steps: SupportsIndex | None = 1000,
        opening_plies: SupportsIndex = 0,
        num_threads: SupportsIndex = 1,
        render_mode: RenderMode | None = None,
    ) -> None:
        if opponent is None:
            raise TypeError("opponent is None; Stable-Baselines3 learns one seat, so give a player")
        self.env = OwareEnv(
            num_envs,
            rules=rules,
            opponent=opponent,
            seat=seat,
            observation=observation,
            reward=reward,
            autoreset_mode="same_step",
            max_steps=max_steps,
            opening_plies=opening_plies,
            num_threads=num_threads,
            render_mode=render_mode,
        )
        super().__init__(
            self.env.num_envs, self.env.single_observation_space, self.env.single_action_space
        )
        self._masks = np.ones((self.num_envs, 6), dtype=bool)
        self._actions: ArrayLike | None = None
        self._start_counting()

    def _start_counting(self) -> None:
        self._began = time.perf_counter()
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, dtype=np.int64)

    def reset(self) -> NDArray[Any]:
        """Start an episode in every environment, from the seeds of `seed` if it was called.

        Returns:
            Observations (N, ...).

        Raises:
            ValueError: A seed is out of range, or `set_options` has set any.

        Example:
            >>> env = OwareVecEnv(2, seat="south")
            >>> _ = env.seed(7)
            >>> env.reset().shape
            (2, 14)
        """
        if any(self._options):
            raise ValueError(f"unknown options {self._options}; known: none")
        observation, info = self.env.reset(seed=self._seeds)
        self._reset_seeds()
        self._start_counting()
        self._masks = info["action_mask"].astype(bool)
        self.reset_infos = [
            {"action_mask": mask, "to_move": seat}
            for mask, seat in zip(info["action_mask"], info["to_move"].tolist(), strict=True)
        ]
        return observation

    def step_async(self, actions: ArrayLike) -> None:
        """Take the actions that `step_wait` plays.

        Args:
            actions: Integers (N,), 0 to 5.

        Example:
            >>> env = OwareVecEnv(2)
            >>> _ = env.reset()
            >>> env.step_async(env.action_masks().argmax(axis=1))
        """
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions of `step_async`.

        Returns:
            Observations (N, ...), rewards float32 (N,), bools (N,) of whether the episodes have
            ended, and N dictionaries.

        Raises:
            oware.IllegalMoveError: An action is illegal; nothing was played.
            RuntimeError: There are no actions.
            TypeError: The actions are no integers.
            ValueError: The actions have the wrong shape.

        Example:
            >>> env = OwareVecEnv(2)
            >>> _ = env.reset()
            >>> env.step_async(env.action_masks().argmax(axis=1))
            >>> env.step_wait()[3]
            [{'TimeLimit.truncated': False}, {'TimeLimit.truncated': False}]
        """
        if self._actions is None:
            raise RuntimeError("step_wait() without step_async(actions) before it")
        actions, self._actions = self._actions, None
        observation, reward, terminated, truncated, info = self.env.step(actions)
        self._masks = info["action_mask"].astype(bool)
        self._returns += reward
        self._lengths += 1
        ended = terminated | truncated
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        if ended.any():
            self._end_episodes(ended, truncated, info, infos)
        return observation, reward, ended, infos

    def _end_episodes(
        self,
        ended: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        info: dict[str, Any],
        infos: list[dict[str, Any]],
    ) -> None:
        """Tell of the episodes that have ended, and of those that have begun in their place."""
        final = info["final_info"]
        seconds = round(time.perf_counter() - self._began, 6)
        for i in np.flatnonzero(ended).tolist():
            winner = int(final["winner"][i])
            infos[i] = {
                "TimeLimit.truncated": bool(truncated[i]),
                "terminal_observation": info["final_obs"][i],
                "episode": {
                    "r": float(self._returns[i]),
                    "l": int(self._lengths[i]),
                    "t": seconds,
                },
                # What is seen is the agent's, so the one to move is its seat.
                "is_success": winner == int(final["to_move"][i]),
                "termination": int(final["termination"][i]),
                "winner": winner,
            }
            self.reset_infos[i] = {
                "action_mask": info["action_mask"][i],
                "to_move": int(info["to_move"][i]),
            }
        self._returns[ended] = 0.0
        self._lengths[ended] = 0

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal moves now, as bools (N, 6).

        Example:
            >>> env = OwareVecEnv(2, seat="south")
            >>> _ = env.reset()
            >>> bool(env.action_masks().all())
            True
        """
        return self._masks.copy()

    def game(self, i: SupportsIndex) -> Game:
        """The game of environment `i`; see `oware.OwareEnv.game`.

        Example:
            >>> env = OwareVecEnv(2, seat="south")
            >>> _ = env.reset()
            >>> env.game(1).status()
            'South to move'
        """
        return self.env.game(i)

    def set_opponent(self, opponent: OpponentName | Policy) -> None:
        """Change the opponent of the episodes to come; see `oware.OwareEnv.set_opponent`.

        Example:
            >>> env = OwareVecEnv(2)
            >>> env.set_opponent("greedy")
        """
        self.env.set_opponent(opponent)

    def get_images(self) -> Sequence[NDArray[np.uint8]]:
        """A picture of each environment.

        Example:
            >>> env = OwareVecEnv(4, render_mode="rgb_array")
            >>> _ = env.reset()
            >>> env.render().shape
            (480, 1280, 3)
        """
        return self.env.render("rgb_array") or ()

    def close(self) -> None:
        """Let go of all memory.

        Example:
            >>> OwareVecEnv(2).close()
        """
        self.env.close()

    # Stable-Baselines3 reaches into its environments by name. Here is one of a batch, whose parts
    # have the names below for themselves and share everything else.

    def _of_one(self, name: str, i: int) -> Any:  # noqa: ANN401
        if name == "action_masks":
            return self._masks[i].copy
        if name == "game":
            return lambda: self.env.game(i)
        if name == "render":
            return lambda: (self.env.render() or {i: None})[i]
        return getattr(self.env, name)

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of environments: `action_masks`, `game`, `render` or one of the batch.

        Args:
            attr_name: The attribute's name.
            indices: Which environments; None for all.

        Raises:
            AttributeError: There is no such attribute.

        Example:
            >>> env = OwareVecEnv(2)
            >>> env.get_attr("seat_rewards"), env.has_attr("action_masks")
            ([False, False], True)
        """
        return [self._of_one(attr_name, i) for i in self._get_indices(indices)]

    def set_attr(
        self, attr_name: str, value: object, indices: int | Iterable[int] | None = None
    ) -> None:
        """Set an attribute of the batch.

        Args:
            attr_name: The attribute's name.
            value: Its value.
            indices: None, as the environments share their attributes.

        Raises:
            ValueError: Some environments alone were asked for.

        Example:
            >>> OwareVecEnv(2).set_attr("note", "seen")
        """
        self._all_of(indices, f"the attribute {attr_name!r}")
        setattr(self.env, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,  # noqa: ANN401
        indices: int | Iterable[int] | None = None,
        **method_kwargs: Any,  # noqa: ANN401
    ) -> list[Any]:
        """Call a method of environments: `action_masks`, `game`, `render`, or one of the batch.

        Args:
            method_name: The method's name; one of the batch is called once.
            *method_args: Its arguments.
            indices: Which environments; None for all.
            **method_kwargs: Its arguments by name.

        Returns:
            What each has answered, or as often what the batch has.

        Raises:
            AttributeError: There is no such method.
            ValueError: A method of the batch was asked for in some environments alone.

        Example:
            >>> env = OwareVecEnv(2, seat="south")
            >>> _ = env.reset()
            >>> [game.ply for game in env.env_method("game", indices=[1])]
            [0]
        """
        if method_name == "action_masks" and indices is None:
            return list(self._masks.copy())
        if method_name in ("action_masks", "game", "render"):
            methods = self.get_attr(method_name, indices)
            return [method(*method_args, **method_kwargs) for method in methods]
        method = getattr(self.env, method_name)
        self._all_of(indices, f"the method {method_name!r}")
        return [method(*method_args, **method_kwargs)] * self.num_envs

    def _all_of(self, indices: int | Iterable[int] | None, what: str) -> None:
        if indices is not None and [*self._get_indices(indices)] != [*range(self.num_envs)]:
            raise ValueError(f"{what} is that of all environments; leave out indices")

    def env_is_wrapped(
        self, wrapper_class: type, indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Whether environments are in a wrapper: none is, but episodes are counted as by `Monitor`.

        Args:
            wrapper_class: The wrapper.
            indices: Which environments; None for all.

        Example:
            >>> from stable_baselines3.common.monitor import Monitor
            >>> OwareVecEnv(2).env_is_wrapped(Monitor)
            [True, True]
        """
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]
