"""Oware for OpenSpiel: its games as ours and ours as its, and an environment for its agents.

Needs `pip install "oware[open-spiel]"`. OpenSpiel has a game `oware` itself, whose rules are the
rule set `"open_spiel"` here. Its actions are our moves, its players our seats.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final, SupportsIndex

import numpy as np

from oware import Game, IllegalMoveError, Rules
from oware._missing import missing_extra
from oware.adapters._views import views
from oware.single import OwareSingleEnv

try:
    import pyspiel
    from open_spiel.python.rl_environment import StepType, TimeStep
except ModuleNotFoundError as error:
    raise missing_extra("open-spiel", error) from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from oware.types import ObservationKind, RewardKind, RuleSetName

__all__ = ["Environment", "from_actions", "from_state", "to_state"]

NAME: Final = "oware"


def from_actions(actions: Iterable[int], rules: RuleSetName | Rules = "open_spiel") -> Game:
    """The game of a list of actions, such as `state.history()`.

    Args:
        actions: From the start of the game on, 0 to 5 each.
        rules: The rules of the game.

    Raises:
        oware.IllegalMoveError: An action is illegal; the message names its place.

    Example:
        >>> from_actions([2, 5, 0]).transcript()
        'CfA'
    """
    game = Game(rules)
    for place, action in enumerate(actions):
        if not game.is_legal(action):
            raise IllegalMoveError(
                f"action {place} is {action!r}; legal after {game.transcript() or 'the start'}: "
                f"{', '.join(map(str, game.legal_moves())) or 'none, as the game is over'}"
            )
        game.play(action)
    return game


def from_state(state: pyspiel.State) -> Game:
    """The game of a state of OpenSpiel's `oware`, with its history.

    OpenSpiel cuts a game off at 1,000 plies; here it goes on.

    Args:
        state: Of `pyspiel.load_game("oware")`, with any number of seeds up to 20 in each house.

    Raises:
        ValueError: The state is of another game.

    Example:
        >>> import pyspiel
        >>> state = pyspiel.load_game("oware").new_initial_state()
        >>> state.apply_action(2)
        >>> from_state(state).to_string()
        '4-4-0-5-5-5-5-4-4-4-4-4-0-0-N'
    """
    spiel = state.get_game()
    if spiel.get_type().short_name != NAME:
        raise ValueError(f"the state is of {spiel}, not of {NAME}")
    parameters = spiel.get_parameters()
    if parameters["num_houses_per_player"] != 6:
        raise ValueError(f"the state is of {spiel}; only rows of 6 houses can be converted")
    rules = Rules.named("open_spiel").replace(seeds_per_pit=parameters["num_seeds_per_house"])
    return from_actions(state.history(), rules)


def to_state(game: Game) -> pyspiel.State:
    """The state of OpenSpiel's `oware` that the moves of a game lead to.

    Args:
        game: A game from its start, under any rules under which OpenSpiel allows its moves.

    Raises:
        ValueError: The game has begun from a set-up, or a move is illegal in OpenSpiel, where a
            repeated position and the ply 1,000 end a game.

    Example:
        >>> import oware
        >>> game = oware.Game.from_transcript("CfA", rules="open_spiel")
        >>> to_state(game).history()
        [2, 5, 0]
    """
    if from_actions(game.moves, game.rules) != game:
        raise ValueError("the game has begun from a set-up, which OpenSpiel cannot be given")
    parameters = {"num_seeds_per_house": game.rules.seeds_per_pit}
    state = pyspiel.load_game(NAME, parameters).new_initial_state()
    # OpenSpiel itself plays whatever it is told.
    for place, move in enumerate(game.moves):
        if move not in state.legal_actions():
            raise ValueError(f"move {place} is {move}, which OpenSpiel does not allow:\n{state}")
        state.apply_action(move)
    return state


class Environment:
    """A game in the form of OpenSpiel's `rl_environment.Environment`, which its agents play in.

    It plays all rule sets, with openings and a step cap. `info_state` is each player's own view, as
    a list of floats, `legal_actions` is empty for the player who waits. After a last time step the
    next `step` starts a game, whatever its action. The discount of a last step is 0 where a rule
    has ended the game; where `max_steps` cut it off the discount is as before.

    Args:
        rules: As for `oware.OwareEnv`, and so all that follow but the last.
        observation: The form of observations; OpenSpiel's agents want them flat.
        reward: What a ply is rewarded with.
        max_steps: Plies after which the game is cut off; None for no cap.
        opening_plies: Random plies before each game.
        discount: From 0 to 1.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range or no known name.

    Example:
        >>> from open_spiel.python.algorithms.random_agent import RandomAgent
        >>> env = Environment(rules="abapa")
        >>> agents = [RandomAgent(player, env.action_spec()["num_actions"]) for player in (0, 1)]
        >>> step = env.reset()
        >>> while not step.last():
        ...     step = env.step([agents[step.current_player()].step(step).action])
        >>> sum(step.rewards)
        0.0
    """

    name = NAME
    num_players = 2
    num_actions_per_step = 1
    is_turn_based = True
    is_chance_node = False
    use_observation = True

    def __init__(
        self,
        rules: RuleSetName | Rules = "open_spiel",
        *,
        observation: ObservationKind = "normalized",
        reward: RewardKind = "outcome",
        max_steps: SupportsIndex | None = 1000,
        opening_plies: SupportsIndex = 0,
        discount: float = 1.0,
    ) -> None:
        if not 0.0 <= discount <= 1.0:
            raise ValueError(f"discount is {discount}; give 0 to 1")
        self._env = OwareSingleEnv(
            rules=rules,
            observation=observation,
            reward=reward,
            seat_rewards=True,
            max_steps=max_steps,
            opening_plies=opening_plies,
        )
        self._max_steps = None if max_steps is None else operator.index(max_steps)
        self._discount = float(discount)
        self._seed: int | None = None
        self._step: TimeStep | None = None

    @property
    def max_game_length(self) -> int | None:
        """The most plies of a game, or None.

        Example:
            >>> Environment(max_steps=300).max_game_length
            300
        """
        return self._max_steps

    def observation_spec(self) -> dict[str, tuple[int, ...]]:
        """The shapes of what a player sees.

        Example:
            >>> Environment().observation_spec()["info_state"]
            (14,)
        """
        size = int(np.prod(self._env.observation_space.shape or ()))
        return {
            "info_state": (size,),
            "legal_actions": (6,),
            "current_player": (),
            "serialized_state": (),
        }

    def action_spec(self) -> dict[str, Any]:
        """The range of actions.

        Example:
            >>> Environment().action_spec()
            {'num_actions': 6, 'min': 0, 'max': 5, 'dtype': <class 'int'>}
        """
        return {"num_actions": 6, "min": 0, "max": 5, "dtype": int}

    def seed(self, seed: int | None = None) -> None:
        """Seed the openings from the next reset on.

        Args:
            seed: At least 0 and below 2**64 - 1; None goes on with the stream.

        Example:
            >>> Environment().seed(3)
        """
        self._seed = seed

    def reset(self) -> TimeStep:
        """Start a game.

        Returns:
            The first time step, without rewards and discounts.

        Raises:
            ValueError: The seed is out of range.

        Example:
            >>> Environment().reset().observations["legal_actions"]
            [[0, 1, 2, 3, 4, 5], []]
        """
        observation, info = self._env.reset(seed=self._seed)
        self._seed = None
        return self._time_step(StepType.FIRST, observation, info, None, None)

    def step(self, actions: Sequence[SupportsIndex]) -> TimeStep:
        """Play a move, or start a game where there is none under way.

        Args:
            actions: The action of the current player, alone in a list.

        Raises:
            oware.IllegalMoveError: The action is illegal.
            TypeError: The action is no integer.
            ValueError: There is not one action.

        Example:
            >>> env = Environment()
            >>> _ = env.reset()
            >>> env.step([2]).rewards
            [0.0, 0.0]
        """
        if len(actions) != 1:
            raise ValueError(f"{len(actions)} actions; give that of the current player alone")
        if self._step is None or self._step.last():
            return self.reset()
        observation, _, terminated, truncated, info = self._env.step(actions[0])
        kind = StepType.LAST if terminated or truncated else StepType.MID
        discount = 0.0 if terminated else self._discount
        return self._time_step(
            kind, observation, info, info["seat_rewards"].tolist(), [discount, discount]
        )

    def get_time_step(self) -> TimeStep:
        """The time step that was returned last.

        Raises:
            ValueError: There was none.

        Example:
            >>> env = Environment()
            >>> _ = env.reset()
            >>> env.get_time_step().first()
            True
        """
        if self._step is None:
            raise ValueError("there is no time step before the first reset()")
        return self._step

    def game(self) -> Game:
        """The game, as a copy; see `oware.OwareEnv.game`.

        Example:
            >>> env = Environment()
            >>> _ = env.reset()
            >>> env.game().status()
            'South to move'
        """
        return self._env.game()

    def _time_step(
        self,
        kind: StepType,
        observation: NDArray[Any],
        info: dict[str, Any],
        rewards: list[float] | None,
        discounts: list[float] | None,
    ) -> TimeStep:
        player: int = info["to_move"]
        legal: list[list[int]] = [[], []]
        if kind is not StepType.LAST:
            legal[player] = np.flatnonzero(info["action_mask"]).tolist()
        self._step = TimeStep(
            observations={
                "info_state": [
                    view.astype(float).ravel().tolist() for view in views(observation, player)
                ],
                "legal_actions": legal,
                "current_player": (
                    int(pyspiel.PlayerId.TERMINAL) if kind is StepType.LAST else player
                ),
                "serialized_state": [],
            },
            rewards=rewards,
            discounts=discounts,
            step_type=kind,
        )
        return self._step
