"""The batched environment."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, cast

from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from oware import _oware
from oware._actions import step_again
from oware._boards import Boards, core_of
from oware._opponents import for_core
from oware._oware import IllegalMoveError
from oware._rules import as_rules
from oware.options import (
    RENDER_MODES,
    check_render_mode,
    frame,
    mode_to_render,
    observation_space,
    reset_mask_of,
)
from oware.rollout import Rollout, empty_rollout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from oware._oware import Rules
    from oware.endgame import Endgame
    from oware.types import (
        AutoresetName,
        KernelName,
        ObservationKind,
        Opponent,
        PolicyName,
        RenderMode,
        RewardKind,
        RuleSetName,
        SeatChoice,
    )

__all__ = ["OwareEnv"]

AUTORESET_MODES: Final[Mapping[AutoresetName, AutoresetMode]] = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}
MOST_STEPS: Final = 2**24


class OwareEnv(Boards, VectorEnv[Any, Any, Any]):
    """Many games of Oware that are stepped together: a `gymnasium.vector.VectorEnv`.

    With `opponent=None` both seats act through `step`, one ply a step, and a reward belongs to the
    player who just moved; the other's is its negative. With an opponent the agent sits at `seat`
    and a step is the agent's ply and the reply; every observation, mask, `to_move` and reward is
    then the agent's. South opens: when the agent is North, the opponent's first ply is played
    inside the reset and is not rewarded.

    **Actions** are integers (N,), 0 to 5: the mover's pit in sowing order. Any integer dtype and
    any stride are accepted. Only legal ones are: `info["action_mask"]` tells them.

    **Observations** are always seen by the player to move (by the agent, where it has an opponent):
    their pits 0 to 5, the opponent's pits in sowing order, their store, the opponent's store.
    `"seeds"`: uint8 (N, 14). `"normalized"`: float32 (N, 14), over 12 x `seeds_per_pit`.
    `"one_hot"`: float32 (N, 14, 25), a one in column min(count, 24).

    **Rewards** are float32 (N,). `"outcome"`: 1, 0 or -1 when the game ends, else 0. `"margin"`:
    the final difference of the stores over 12 x `seeds_per_pit` when the game ends, else 0.
    `"captures"`: the change of the difference of the stores over the step, shares of an ending
    included. `terminated` (a rule has ended the game) and `truncated` (`max_steps` cut it off) are
    bool (N,) and never both set.

    **info** holds `action_mask` int8 (N, 6), all ones where an episode is over, so that a masked
    softmax stays finite; `to_move` int8 (N,), the seat whose view is shown; `termination` int8
    (N,), an index into `oware.TERMINATIONS`; `winner` int8 (N,), 0, 1 or -1 for none; with
    `seat_rewards=True` also `seat_rewards` float32 (N, 2), the step's rewards of South and North.

    **Auto-reset** is Gymnasium's, declared in `metadata["autoreset_mode"]`. In `"next_step"` mode
    a finished environment starts again in the step after, whatever its action. In `"same_step"`
    mode it starts again at once; `info["final_obs"]` and `info["final_info"]` then hold how it
    ended, with masks `_final_obs` and `_final_info`, `termination` and `winner` among them. In
    `"disabled"` mode it must be reset with `reset(options={"reset_mask": mask})`.

    **Random streams**: environment *i* draws seats, openings and the opponent's moves from a
    SplitMix64 stream of its own, so a seed gives the same episodes for any number of threads and
    any way of splitting a batch.

    Args:
        num_envs: Number of environments N, at least 1.
        rules: A rule set by name (a key of `oware.RULE_SETS`) or as `oware.Rules`.
        opponent: None for self-play, `"random"` (any legal move), `"greedy"` (most seeds now, ties
            at random), `"minimax:4"` (best after a search of four plies, or of 1 to 16, ties at
            random), `"mcts:200"` (most tried in a Monte-Carlo tree search of 200 simulations, or of
            1 to 1,000,000; all environments are searched together), `"net:PATH"` (best by the
            network in that file, asked once for all environments together) or
            `"net:PATH@200"` (most tried in a search with it), `"novice"`, `"amateur"`, `"strong"`
            or `"master"` (see `oware.agents.LEVELS`), those that search also with
            `+endgame` at the end (with the values of `oware.Endgame.load(12, rules)`, which is
            built first where it is not in the cache), an `oware.agents.NetworkAgent`, which the
            core plays as well, or another callable that gets observations (n, ...)
            and action masks (n, 6) of the environments that need a reply, seen from its seat, and
            returns n actions. It is called once for the replies of a step, and once more where a
            reset leaves it to open. Its attribute `observation`, where it has one, wins over the
            environment's (see `oware.types.Policy`); `"python:MODULE:NAME"` names such a callable.
            Or a pool of them, a mapping to weights as `{"random": 1, "minimax:2": 3}` or a sequence
            of pairs `(opponent, weight)`: each episode draws one at its start, by the weights.
        seat: `"south"`, `"north"` or `"random"` per episode; without effect in self-play.
        observation: `"seeds"`, `"normalized"` or `"one_hot"`.
        reward: `"outcome"`, `"margin"` or `"captures"`.
        seat_rewards: Whether `info` holds `seat_rewards`.
        autoreset_mode: `"next_step"`, `"same_step"` or `"disabled"`, or the member of
            `gymnasium.vector.AutoresetMode`.
        max_steps: Calls of `step` after which an episode is truncated; None for no cap.
        start_seeds: The seeds on the board at the start of each episode: an int, or a tuple of the
            fewest and the most, of which each number is as likely; None for the usual position.
            Each way to place them in the twelve pits is as likely, and each way to share out the
            other seeds to the stores by which nobody has more than half of all. South or North is
            to move, as likely, so that the opponent may be the first to. A position that is over
            is drawn again.
        opening_plies: Random plies before each episode, drawn again, with the position that they
            start from, when they end the game. They count for `max_plies` and repetition, not for
            `max_steps`.
        endgame: An `oware.Endgame` of these rules, by which `info` holds `value` and `regret`.
        copy: Whether arrays are fresh ones at each step. With False the same arrays are handed out
            every time, `final_obs` is dense (N, ...), and its unfinished rows hold old values.
        num_threads: Most threads that a step may use.
        render_mode: `"ansi"`, `"rgb_array"` or None.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range or no known name, or hardly an opening of
            `opening_plies` leaves a game to play.

    Example:
        >>> import oware
        >>> env = oware.OwareEnv(num_envs=2, rules="abapa")
        >>> observation, info = env.reset(seed=0)
        >>> observation[0]
        array([4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0], dtype=uint8)
        >>> observation, reward, terminated, truncated, info = env.step([2, 5])
        >>> observation
        array([[5, 4, 4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 0, 0],
               [5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0]], dtype=uint8)
        >>> info["to_move"]
        array([1, 1], dtype=int8)
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        num_envs: SupportsIndex = 1,
        *,
        rules: RuleSetName | Rules = "abapa",
        opponent: Opponent | None = None,
        seat: SeatChoice = "random",
        observation: ObservationKind = "seeds",
        reward: RewardKind = "outcome",
        seat_rewards: bool = False,
        autoreset_mode: AutoresetName | AutoresetMode = "next_step",
        max_steps: SupportsIndex | None = 1000,
        start_seeds: SupportsIndex | tuple[SupportsIndex, SupportsIndex] | None = None,
        opening_plies: SupportsIndex = 0,
        endgame: Endgame | None = None,
        copy: bool = True,
        num_threads: SupportsIndex = 1,
        render_mode: RenderMode | None = None,
    ) -> None:
        check_render_mode(render_mode)
        for name, mode in AUTORESET_MODES.items():
            if autoreset_mode == mode:
                autoreset_mode = name
        settings: dict[str, Any] = {
            "num_envs": num_envs,
            "rules": rules,
            "seat": seat,
            "observation": observation,
            "reward": reward,
            "seat_rewards": seat_rewards,
            "autoreset_mode": autoreset_mode,
            "max_steps": max_steps,
            "start_seeds": start_seeds,
            "opening_plies": opening_plies,
            "endgame": endgame,
            "copy": copy,
            "num_threads": num_threads,
        }
        core_opponent = for_core(opponent, rules, observation)
        self._core = core_of(settings, core_opponent, secrets.randbits(64))
        self._settings = settings
        self._rules = as_rules(rules)
        self.render_mode = render_mode
        self.num_envs = int(num_envs)
        # The core has refused whatever is no key here.
        mode = AUTORESET_MODES[cast("AutoresetName", autoreset_mode)]
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self.single_observation_space = observation_space(observation, self._rules)
        self.single_action_space = spaces.Discrete(6)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """The spaces of the batch, made when first asked for: they take more than the games."""
        if name in ("observation_space", "action_space"):
            space = batch_space(getattr(self, f"single_{name}"), self.num_envs)
            setattr(self, name, space)
            return space
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self
        )

    @property
    def rules(self) -> Rules:
        """The rules of every game."""
        return self._rules

    @property
    def seat_rewards(self) -> bool:
        """Whether `info` holds the rewards of both seats."""
        return bool(self._settings["seat_rewards"])

    @property
    def kernel(self) -> KernelName:
        """What plays the environments: one of `oware.cpu_features()`."""
        return self._core.kernel()

    def reset(
        self,
        *,
        seed: SupportsIndex | Sequence[SupportsIndex | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start an episode in every environment, or in those of a mask.

        Args:
            seed: Environment *i* gets the stream of `seed` + *i*; a sequence gives one for each,
                None among them leaves that stream as it is. At least 0 and below 2**64 - N.
            options: `{"reset_mask": mask}` with a bool array (N,) resets only where it is True.
                The mapping is not changed.

        Returns:
            Observation and info of all environments.

        Raises:
            TypeError: A seed or the mask has the wrong type.
            ValueError: A seed is out of range, the mask has the wrong shape or selects nothing, or
                an option is unknown.

        Example:
            >>> import numpy as np
            >>> import oware
            >>> env = oware.OwareEnv(3)
            >>> _ = env.reset(seed=[7, None, 7])
            >>> _ = env.step([0, 1, 2])
            >>> env.reset(options={"reset_mask": np.array([True, False, True])})[1]["to_move"]
            array([0, 1, 0], dtype=int8)
        """
        return self._core.reset(seed, reset_mask_of(options))

    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[Any],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Play one action in each environment; nothing changes unless all can be played.

        Args:
            actions: Integers (N,), 0 to 5.

        Returns:
            Observation, reward, terminated, truncated and info, as the class describes them.

        Raises:
            oware.IllegalMoveError: An action is illegal; the message names environment and action.
            gymnasium.error.ResetNeeded: An environment was never reset, or has finished in
                `"disabled"` mode.
            gymnasium.error.ClosedEnvironmentError: The environment is closed.
            TypeError: The actions are no integers.
            ValueError: The actions have the wrong shape.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(2)
            >>> _ = env.set_positions([[1] + [0] * 10 + [1]] * 2, [[20, 20]] * 2, [1, 1])
            >>> env.step([5, 0])
            Traceback (most recent call last):
            oware.IllegalMoveError: environment 1: action 0 is an empty pit; legal: 5
        """
        try:
            return self._core.step(actions)
        except (IllegalMoveError, TypeError) as error:
            return step_again(self._core.step, actions, error)

    def rollout(
        self, policy: PolicyName, steps: SupportsIndex, *, out: Rollout | None = None
    ) -> Rollout:
        """Play steps by a policy inside the environment, without coming back to Python in between.

        Each environment draws its actions from its own stream, as it does seats, openings and the
        opponent's moves, so the seed alone decides.

        Args:
            policy: `"random"` (any legal move) or `"greedy"` (most seeds now, ties at random).
            steps: Number of steps T, at least 1.
            out: What an earlier call with the same T returned, to be filled again: fresh memory
                costs more time than the steps themselves.

        Returns:
            Arrays (T, N, ...) of what was seen, done and given: see `oware.Rollout`.

        Raises:
            gymnasium.error.ResetNeeded: An environment was never reset.
            TypeError: `steps` is no integer, or `out` no rollout.
            ValueError: The policy is unknown, `steps` is out of range, an array of `out` does not
                fit, or the environment has `autoreset_mode="disabled"`.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(4, autoreset_mode="same_step")
            >>> _ = env.reset(seed=0)
            >>> rollout = env.rollout("random", 500)
            >>> rollout.observation.shape, rollout.action.shape
            ((500, 4, 14), (500, 4))
            >>> int(rollout.terminated.sum())
            13
        """
        count = _oware.count("steps", steps, 1, MOST_STEPS)
        values, opponents = self._core.tells()
        if out is None:
            out = empty_rollout(
                self.single_observation_space,
                self.num_envs,
                count,
                seat_rewards=self.seat_rewards,
                values=values,
                opponents=opponents,
            )
        elif not isinstance(out, Rollout):
            raise TypeError(f"out must be an oware.Rollout, not {type(out).__name__}")
        for name, told in ("value", values), ("regret", values), ("opponent", opponents):
            if not told and getattr(out, name) is not None:
                raise ValueError(f"out.{name} is an array, where this environment has none")
        arrays = {name: array for name, array in vars(out).items() if array is not None}
        self._core.rollout(policy, count, arrays)
        return out

    def set_opponent(self, opponent: Opponent) -> None:
        """Change the opponent of the episodes to come.

        An episode under way keeps the opponent that it began with.

        Args:
            opponent: As for the class. From the first pool on `info` holds `opponent`, which is 0
                where there is one opponent alone.

        Raises:
            OSError: A network's file cannot be read.
            TypeError: That is no opponent.
            ValueError: The environment was made for self-play, the name is unknown, or a weight is
                out of range.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(2, opponent="random")
            >>> env.set_opponent("greedy")
            >>> env.set_opponent({"random": 1, "greedy": 1})
            >>> env.reset(seed=2)[1]["opponent"]
            array([0, 1], dtype=int8)
        """
        kind = self._settings["observation"]
        self._core.set_opponent(for_core(opponent, self._rules, kind))

    def render(self, mode: RenderMode | None = None) -> tuple[Any, ...] | None:
        """A picture of each environment.

        Args:
            mode: `"ansi"` or `"rgb_array"`; None for the environment's `render_mode`.

        Returns:
            N texts, coloured where standard output shows colours (`oware.render.ansi`), or N uint8
            arrays (height, width, 3); `oware.render.tiled` makes one picture of many boards. None
            when there is no mode.

        Raises:
            ValueError: The mode is unknown.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(2, render_mode="ansi")
            >>> _ = env.reset(seed=0)
            >>> print(env.render()[0])
                        f    e    d    c    b    a
            North   0 [  4][  4][  4][  4][  4][  4]
                      [  4][  4][  4][  4][  4][  4]   0 South
                        A    B    C    D    E    F
            South to move
        """
        chosen = mode_to_render(mode, self.render_mode)
        if chosen is None:
            return None
        return tuple(frame(self.game(i), chosen) for i in range(self.num_envs))

    def close_extras(self, **_: object) -> None:
        """Let go of all memory; `close` calls it."""
        if "_core" in self.__dict__:  # An environment that was refused is deleted without one.
            self._core.close()
