"""What Gymnasium makes by name: the environment of one board, and batches."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from oware import _oware
from oware.env import OwareEnv
from oware.options import (
    RENDER_MODES,
    check_options,
    check_render_mode,
    frame,
    mode_to_render,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from oware._oware import Game, Rules
    from oware.endgame import Endgame
    from oware.types import (
        ObservationKind,
        Opponent,
        RenderMode,
        RewardKind,
        RuleSetName,
        SeatChoice,
    )

__all__ = ["OwareSingleEnv", "make_batch"]

MOST_STEPS: Final = 2**32 - 1
REFUSALS: Final = (ResetNeeded, TypeError, ValueError)
DEFAULT_MAX_STEPS: Final = inspect.signature(OwareEnv).parameters["max_steps"].default


class OwareSingleEnv(gymnasium.Env[Any, Any]):
    """One game of Oware as a `gymnasium.Env`: row 0 of an `oware.OwareEnv`, which see.

    `gymnasium.make("oware/Oware-v0", ...)` makes it. Observations lose their first axis, rewards
    and flags are plain numbers. `info` holds `action_mask` int8 (6,), `to_move`, `termination` and
    `winner` as ints, and with `seat_rewards=True` float32 (2,). The same seed gives the episodes
    that environment 0 of a batch has.

    Args:
        rules: As for `oware.OwareEnv`, and so all that follow.
        opponent: A callable gets batches of one.
        seat: The agent's seat.
        observation: The form of observations.
        reward: What a step is rewarded with.
        seat_rewards: Whether `info` holds both seats' rewards.
        max_steps: Calls of `step` after which the episode is truncated; None for no cap.
        start_seeds: The seeds on the board at the start of each episode.
        opening_plies: Random plies before each episode.
        endgame: A database, by which `info` holds `value` and `regret` as floats.
        render_mode: `"ansi"`, `"rgb_array"` or None.

    Example:
        >>> import gymnasium
        >>> import oware
        >>> env = gymnasium.make("oware/Oware-v0", opponent="random", seat="south")
        >>> observation, info = env.reset(seed=3)
        >>> int(env.action_space.sample(mask=info["action_mask"])) in range(6)
        True
        >>> observation, reward, terminated, truncated, info = env.step(2)
        >>> reward, terminated, info["to_move"]
        (0.0, False, 0)
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        *,
        rules: RuleSetName | Rules = "abapa",
        opponent: Opponent | None = None,
        seat: SeatChoice = "random",
        observation: ObservationKind = "seeds",
        reward: RewardKind = "outcome",
        seat_rewards: bool = False,
        max_steps: SupportsIndex | None = 1000,
        start_seeds: SupportsIndex | tuple[SupportsIndex, SupportsIndex] | None = None,
        opening_plies: SupportsIndex = 0,
        endgame: Endgame | None = None,
        render_mode: RenderMode | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self._batch = OwareEnv(
            1,
            rules=rules,
            opponent=opponent,
            seat=seat,
            observation=observation,
            reward=reward,
            seat_rewards=seat_rewards,
            autoreset_mode="disabled",
            max_steps=max_steps,
            start_seeds=start_seeds,
            opening_plies=opening_plies,
            endgame=endgame,
        )
        self.render_mode = render_mode
        self.observation_space = self._batch.single_observation_space
        self.action_space = spaces.Discrete(6)

    @property
    def rules(self) -> Rules:
        """The rules of every game."""
        return self._batch.rules

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start an episode.

        Args:
            seed: At least 0 and below 2**64 - 1; None goes on with the stream.
            options: None or empty.

        Returns:
            Observation and info.

        Raises:
            ValueError: The seed is out of range, or an option is given.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> gymnasium.make("oware/Oware-v0").reset(seed=1)[1]["to_move"]
            0
        """
        if options is not None:
            check_options(options)
        # As a list, since a list of seeds is refused where one is wanted.
        try:
            observation, info = self._batch.reset(seed=None if seed is None else [seed])
        except REFUSALS as error:
            _tell_of_one(error)
            raise
        super().reset(seed=None if seed is None else int(seed))
        return observation[0], _single(info)

    def step(self, action: SupportsIndex) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play one action.

        Args:
            action: 0 to 5.

        Returns:
            Observation, reward, terminated, truncated and info.

        Raises:
            oware.IllegalMoveError: The action is illegal.
            gymnasium.error.ResetNeeded: The episode is over or has never begun.
            TypeError: The action is no integer.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> env = gymnasium.make("oware/Oware-v0")
            >>> _ = env.reset(seed=1)
            >>> env.step(5)[1:4]
            (0.0, False, False)
        """
        actions: ArrayLike
        try:
            actions = _row("action", action)
        except TypeError:
            if type(action) is not int:
                raise
            actions = [action]  # It is beyond all integers of arrays, and the batch tells so.
        try:
            observation, reward, terminated, truncated, info = self._batch.step(actions)
        except REFUSALS as error:
            _tell_of_one(error)
            raise
        return (
            observation[0],
            float(reward[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            _single(info),
        )

    def set_opponent(self, opponent: Opponent) -> None:
        """Change the opponent of the episodes to come; see `oware.OwareEnv.set_opponent`.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> env = gymnasium.make("oware/Oware-v0", opponent="random")
            >>> env.unwrapped.set_opponent("greedy")
        """
        self._batch.set_opponent(opponent)

    def set_position(
        self, pits: ArrayLike, stores: ArrayLike = (0, 0), to_move: SupportsIndex = 0
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start an episode from a position; see `oware.OwareEnv.set_positions`.

        Args:
            pits: Integers (12,), in sowing order from South's first pit.
            stores: Integers (2,), South's and North's.
            to_move: 0 for South, 1 for North.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> env = gymnasium.make("oware/Oware-v0").unwrapped
            >>> env.set_position([0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 5], (20, 19))[1]["action_mask"]
            array([0, 0, 0, 0, 0, 1], dtype=int8)
        """
        rows = _row("pits", pits, 12), _row("stores", stores, 2), _row("to_move", to_move)
        try:
            observation, info = self._batch.set_positions(*rows)
        except REFUSALS as error:
            _tell_of_one(error)
            raise
        return observation[0], _single(info)

    def game(self) -> Game:
        """The game, as a copy; see `oware.OwareEnv.game`.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> gymnasium.make("oware/Oware-v0").unwrapped.game().status()
            'South to move'
        """
        return self._batch.game(0)

    def get_state(self) -> bytes:
        """All that is needed to go on from here; see `oware.OwareEnv.get_state`.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> type(gymnasium.make("oware/Oware-v0").unwrapped.get_state())
            <class 'bytes'>
        """
        return self._batch.get_state()

    def set_state(self, state: bytes) -> tuple[NDArray[Any], dict[str, Any]]:
        """Go on from a state; see `oware.OwareEnv.set_state`.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> env = gymnasium.make("oware/Oware-v0").unwrapped
            >>> _ = env.reset(seed=1)
            >>> start = env.get_state()
            >>> _ = env.step(5)
            >>> env.set_state(start)[0].tolist()
            [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0]
        """
        observation, info = self._batch.set_state(state)
        return observation[0], _single(info)

    def render(self, mode: RenderMode | None = None) -> str | NDArray[np.uint8] | None:
        """A picture of the board.

        Args:
            mode: `"ansi"` or `"rgb_array"`; None for the environment's `render_mode`.

        Returns:
            A text, coloured where standard output shows colours (`oware.render.ansi`), or a uint8
            array (height, width, 3). None when there is no mode.

        Raises:
            ValueError: The mode is unknown.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> env = gymnasium.make("oware/Oware-v0", render_mode="rgb_array")
            >>> _ = env.reset(seed=1)
            >>> env.render().shape
            (240, 640, 3)
        """
        chosen = mode_to_render(mode, self.render_mode)
        return None if chosen is None else frame(self.game(), chosen)

    def close(self) -> None:
        """Let go of all memory; whatever is called afterwards refuses.

        Example:
            >>> import gymnasium
            >>> import oware
            >>> gymnasium.make("oware/Oware-v0").close()
        """
        self._batch.close()


def make_batch(
    num_envs: SupportsIndex = 1,
    *,
    max_episode_steps: SupportsIndex | None = None,
    **settings: Any,  # noqa: ANN401
) -> OwareEnv:
    """Make a batch as `gymnasium.make_vec` asks for it.

    Args:
        num_envs: Number of environments.
        max_episode_steps: Gymnasium's cap, which counts beside `max_steps`: the lower one cuts an
            episode off. None or -1 for no cap of Gymnasium's.
        **settings: As for `oware.OwareEnv`.

    Raises:
        TypeError: An argument has the wrong type, or there is no such argument.
        ValueError: An argument is out of range or no known name.

    Example:
        >>> import gymnasium
        >>> import oware
        >>> env = gymnasium.make_vec("oware/Oware-v0", num_envs=2, max_episode_steps=1)
        >>> _ = env.reset(seed=0)
        >>> env.step([0, 0])[3]
        array([ True,  True])
    """
    if max_episode_steps is not None and max_episode_steps != -1:
        cap = _oware.count("max_episode_steps", max_episode_steps, 1, MOST_STEPS)
        own = settings.get("max_steps", DEFAULT_MAX_STEPS)
        settings["max_steps"] = (
            cap if own is None else min(cap, _oware.count("max_steps", own, 1, MOST_STEPS))
        )
    return OwareEnv(num_envs, **settings)


def _row(name: str, value: object, *shape: int) -> NDArray[Any]:
    """An argument of one environment as that of a batch of one."""
    try:
        array = np.asarray(value)
    except ValueError:  # Its parts are not of one length.
        wanted, given = "an array of integers" if shape else "an integer", type(value).__name__
        raise TypeError(f"{name} must be {wanted}, not {given}") from None
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}; give integers")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    return array[np.newaxis]


def _tell_of_one(error: Exception) -> None:
    """Let an error of environment 0 speak of the one there is."""
    text = str(error)
    if text.startswith("environment 0: "):
        told = text.removeprefix("environment 0: ")
        waits = isinstance(error, ResetNeeded)
        error.args = ("no episode is under way; call reset() before step()" if waits else told,)
    elif text.startswith("seed[0]"):
        error.args = (text.replace("seed[0]", "seed", 1),)


def _single(info: dict[str, Any]) -> dict[str, Any]:
    """The info of environment 0: arrays lose their first axis, numbers are plain ones."""
    return {name: value[0] if value.ndim > 1 else value[0].item() for name, value in info.items()}
