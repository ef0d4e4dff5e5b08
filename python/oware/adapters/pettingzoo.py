"""Oware for PettingZoo: two agents that take turns in one environment.

Needs `pip install "oware[pettingzoo]"`. There is no `parallel_env`: the seats move in turn, so the
action of the other one would be thrown away in each step.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, Literal, SupportsIndex

import numpy as np
from gymnasium import spaces

from oware._missing import missing_extra
from oware.adapters._views import views
from oware.single import OwareSingleEnv

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ModuleNotFoundError as error:
    raise missing_extra("pettingzoo", error) from error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from oware import Rules
    from oware.types import ObservationKind, RenderMode, RewardKind, RuleSetName

__all__ = ["env", "raw_env"]

AGENTS: Final[tuple[str, str]] = ("player_0", "player_1")


def env(**settings: Any) -> OrderEnforcingWrapper:  # noqa: ANN401
    """Make the environment, with PettingZoo's check that it is reset first.

    Args:
        **settings: As for `raw_env`.

    Example:
        >>> game = env(rules="abapa")
        >>> game.reset(seed=0)
        >>> for agent in game.agent_iter():
        ...     observation, reward, terminated, truncated, info = game.last()
        ...     if terminated or truncated:
        ...         game.step(None)
        ...     else:
        ...         game.step(game.action_space(agent).sample(observation["action_mask"]))
        >>> game.agents
        []
    """
    return OrderEnforcingWrapper(raw_env(**settings))


class raw_env(AECEnv):  # noqa: N801
    """The agents `"player_0"`, who is South, and `"player_1"` play a game of Oware in turn.

    **Observations** are dictionaries as in PettingZoo's own board games: `observation`, seen from
    the agent's own seat, and `action_mask` int8 (6,), zeros for an agent that is not on turn and
    ones once the game is over. With `mask="info"` they are the array alone, and the mask is in
    `infos`, where it is either way. **Rewards** are each agent's own. `infos` also hold
    `termination`, an index into `oware.TERMINATIONS`, and `winner`: 0 for South, 1 for North, -1
    for nobody. An illegal move is refused and changes nothing; PettingZoo's
    `TerminateIllegalWrapper` makes it a lost game.

    Args:
        rules: As for `oware.OwareEnv`, and so all that follow but the last.
        observation: The form of observations.
        reward: What a ply is rewarded with.
        mask: `"observation"` or `"info"`: whether observations are dictionaries with the mask.
        max_steps: Plies after which the game is truncated; None for no cap.
        opening_plies: Random plies before each game. After an odd number North moves first.
        render_mode: `"human"` prints the board after each ply, `"ansi"` and `"rgb_array"` return
            it from `render`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range or no known name.

    Example:
        >>> game = raw_env()
        >>> game.reset(seed=0)
        >>> game.step(2)
        >>> game.agent_selection, game.observe("player_0")["observation"].tolist()
        ('player_1', [4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 0, 0])
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "oware_v0",
        "is_parallelizable": False,
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 4,
    }

    def __init__(
        self,
        *,
        rules: RuleSetName | Rules = "abapa",
        observation: ObservationKind = "seeds",
        reward: RewardKind = "outcome",
        mask: Literal["observation", "info"] = "observation",
        max_steps: SupportsIndex | None = 1000,
        opening_plies: SupportsIndex = 0,
        render_mode: RenderMode | Literal["human"] | None = None,
    ) -> None:
        super().__init__()
        if mask not in ("observation", "info"):
            raise ValueError(f"mask is {mask!r}; give 'observation' or 'info'")
        self._mask_is_seen = mask == "observation"
        self._env = OwareSingleEnv(
            rules=rules,
            observation=observation,
            reward=reward,
            seat_rewards=True,
            max_steps=max_steps,
            opening_plies=opening_plies,
            render_mode="ansi" if render_mode == "human" else render_mode,
        )
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: self._space() for agent in AGENTS
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(6) for agent in AGENTS
        }

    def _space(self) -> spaces.Space[Any]:
        # Two agents share no space, as each can be seeded.
        board = deepcopy(self._env.observation_space)
        if not self._mask_is_seen:
            return board
        mask = spaces.Box(0, 1, (6,), np.int8)
        return spaces.Dict({"observation": board, "action_mask": mask})

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations: the same object every time.

        Example:
            >>> sorted(raw_env().observation_space("player_0"))
            ['action_mask', 'observation']
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions: the same object every time.

        Example:
            >>> raw_env().action_space("player_0")
            Discrete(6)
        """
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> None:
        """Start a game.

        Args:
            seed: At least 0 and below 2**64 - 1; None goes on with the stream.
            options: Without effect. PettingZoo's own test passes some that nobody knows.

        Raises:
            ValueError: The seed is out of range.

        Example:
            >>> game = raw_env()
            >>> game.reset(seed=0)
            >>> game.agent_selection
            'player_0'
        """
        self._begin(*self._env.reset(seed=seed))

    def set_position(
        self, pits: ArrayLike, stores: ArrayLike = (0, 0), to_move: SupportsIndex = 0
    ) -> None:
        """Start a game from a position; see `oware.OwareEnv.set_positions`.

        Args:
            pits: Integers (12,), in sowing order from South's first pit.
            stores: Integers (2,), South's and North's.
            to_move: 0 for South, 1 for North.

        Example:
            >>> game = raw_env()
            >>> game.set_position([0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 5], (20, 19), to_move=1)
            >>> game.agent_selection
            'player_1'
        """
        self._begin(*self._env.set_position(pits, stores, to_move))

    def _begin(self, observation: NDArray[Any], info: dict[str, Any]) -> None:
        self.agents = list(AGENTS)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        # The order in which agents leave belongs to the game before.
        self._skip_agent_selection: str | None = None
        info["seat_rewards"] = np.zeros(2, np.float32)
        self._take_over(observation, terminated=False, truncated=False, info=info)

    def _take_over(
        self, observation: NDArray[Any], *, terminated: bool, truncated: bool, info: dict[str, Any]
    ) -> None:
        """Take over what the environment has returned."""
        viewer = AGENTS[info["to_move"]]
        other = AGENTS[1 - info["to_move"]]
        over = terminated or truncated
        self._seen: dict[str, NDArray[Any]] = dict(
            zip(AGENTS, views(observation, info["to_move"]), strict=True)
        )
        # A finished game has a mask of ones.
        self._masks: dict[str, NDArray[np.int8]] = {
            viewer: info["action_mask"],
            other: np.full(6, over, np.int8),
        }
        self.agent_selection = viewer
        self.rewards = dict(zip(AGENTS, info["seat_rewards"].tolist(), strict=True))
        self.terminations = dict.fromkeys(AGENTS, terminated)
        self.truncations = dict.fromkeys(AGENTS, truncated)
        result = {name: info[name] for name in ("termination", "winner")}
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self._masks[agent], **result} for agent in AGENTS
        }
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Any:  # noqa: ANN401
        """What an agent sees, from its own seat: fresh arrays.

        Args:
            agent: `"player_0"` or `"player_1"`.

        Returns:
            `observation` and `action_mask`, or the first alone with `mask="info"`.

        Example:
            >>> game = raw_env()
            >>> game.reset(seed=0)
            >>> game.observe("player_1")["action_mask"]
            array([0, 0, 0, 0, 0, 0], dtype=int8)
        """
        board = self._seen[agent].copy()
        if not self._mask_is_seen:
            return board
        return {"observation": board, "action_mask": self._masks[agent].copy()}

    def step(self, action: SupportsIndex | None) -> None:
        """Play a move of the agent whose turn it is.

        Args:
            action: 0 to 5, the agent's pit in sowing order; None once the game is over, with
                which an agent leaves.

        Raises:
            oware.IllegalMoveError: The move is illegal.
            TypeError: The action is no integer.

        Example:
            >>> game = raw_env()
            >>> game.reset(seed=0)
            >>> game.step(5)
            >>> game.last()[1:4]
            (0.0, False, False)
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise TypeError(f"{agent} is to move: the action must be 0 to 5, not None")
        observation, _, terminated, truncated, info = self._env.step(action)
        # What it had got up to this ply, it was told by `last`.
        self._cumulative_rewards[agent] = 0.0
        self._take_over(observation, terminated=terminated, truncated=truncated, info=info)
        self._accumulate_rewards()

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board as `render_mode` has it.

        Returns:
            A text, or a uint8 array (height, width, 3). None when it was printed or there is no
            mode.

        Example:
            >>> game = raw_env(render_mode="human")
            >>> game.reset(seed=0)
                        f    e    d    c    b    a
            North   0 [  4][  4][  4][  4][  4][  4]
                      [  4][  4][  4][  4][  4][  4]   0 South
                        A    B    C    D    E    F
            South to move
        """
        picture = self._env.render()
        if self.render_mode == "human":
            print(picture)
            return None
        return picture

    def close(self) -> None:
        """Let go of all memory.

        Example:
            >>> raw_env().close()
        """
        self._env.close()
