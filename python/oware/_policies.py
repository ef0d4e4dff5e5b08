"""What a policy sees: observations of the kind that it was made for, wherever it plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast, get_args

import numpy as np
from gymnasium.spaces import Box

from oware._oware import Game
from oware._rules import as_rules
from oware.types import ObservationKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymnasium.spaces import Space
    from numpy.typing import NDArray

    from oware._oware import Rules
    from oware.types import Policy, RuleSetName

__all__ = [
    "KINDS",
    "Seeing",
    "answers_of",
    "checked_kind",
    "converted",
    "kind_of",
    "kind_of_space",
    "move_of",
    "reason_of",
    "seeded",
    "seeing",
]

KINDS: Final[tuple[ObservationKind, ...]] = get_args(ObservationKind)
COLUMNS: Final = 25
"""The columns of a plane of `"one_hot"`; the last one is for that many seeds and more."""


def checked_kind(kind: object, what: str = "observation") -> ObservationKind | None:
    """A kind of observation, or None for one that is not told: for players with such an argument.

    Args:
        kind: What was given.
        what: What an error calls it.

    Raises:
        ValueError: It is neither.

    Example:
        >>> from oware.agents import checked_kind
        >>> checked_kind("one_hot")
        'one_hot'
        >>> checked_kind("hot")
        Traceback (most recent call last):
        ValueError: observation is 'hot'; give None or 'seeds', 'normalized', 'one_hot'
    """
    # An array is equal to a name in its own way.
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        given = repr(kind) if isinstance(kind, str) else f"of type {type(kind).__name__}"
        raise ValueError(f"{what} is {given}; give None or {', '.join(map(repr, KINDS))}")
    return kind


def kind_of(policy: object, what: str = "") -> ObservationKind | None:
    """The kind of observation that a policy says it takes; None where it says nothing.

    Args:
        policy: The policy.
        what: What an error calls its observation.

    Raises:
        ValueError: It is no kind, or cannot be read.
    """
    what = what or f"the observation of {_called(policy)}"
    try:
        kind = getattr(policy, "observation", None)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{what} cannot be read: {reason_of(error)}") from error
    return checked_kind(kind, what)


def seeded(policy: Policy, seed: int, who: str = "") -> Policy:
    """A fresh player of a policy that has a method `seeded`, else the policy itself.

    Args:
        policy: The policy.
        seed: The seed of its random numbers.
        who: What an error calls the policy.

    Raises:
        TypeError: The method gives nothing that could be called.
        ValueError: It fails.
    """
    who = who or _called(policy)
    try:
        method: Callable[[int], Any] | None = getattr(policy, "seeded", None)
        fresh: Any = policy if method is None else method(seed)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{who}: its method seeded failed: {reason_of(error)}") from error
    if not callable(fresh):
        given = type(fresh).__name__
        raise TypeError(f"{who}: its method seeded must give a player, not {given}")
    return cast("Policy", fresh)


def reason_of(error: BaseException) -> str:
    """What has failed, in a line with other words, whatever the error has to say."""
    try:
        said = " ".join(str(error).encode("utf-8", "backslashreplace").decode().split())
    except Exception:  # noqa: BLE001 - It may fail to tell of itself.
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _called(policy: object) -> str:
    return f"player {getattr(policy, '__name__', type(policy).__name__)!r}"


def kind_of_space(space: Space[Any] | None, *, flat: bool = False) -> ObservationKind | None:
    """The kind of the observations in a space of ours; None where it is no such space.

    So a player can tell what its model takes, which knows the space it was trained in.

    Args:
        space: The space of one observation, as `single_observation_space` of an environment is.
        flat: Whether `"one_hot"` has its (14, 25) numbers in one axis.

    Example:
        >>> import oware
        >>> from oware.agents import kind_of_space
        >>> kind_of_space(oware.OwareEnv(observation="one_hot").single_observation_space)
        'one_hot'
        >>> kind_of_space(oware.OwareEnv().single_action_space) is None
        True
    """
    if not isinstance(space, Box) or space.low.any() or (space.high != space.high.max()).any():
        return None
    one, several = float(space.high.max()) == 1, (14 * COLUMNS,) if flat else (14, COLUMNS)
    if space.shape == (14,):
        return "normalized" if one else "seeds"
    return "one_hot" if one and space.shape == several else None


def seeing(policy: Policy, given: ObservationKind, rules: Rules | RuleSetName) -> Policy:
    """A policy that takes observations of one kind and shows another policy its own kind.

    It is the policy itself where that takes any kind or this one.

    Args:
        policy: The policy, which may have an attribute `observation`.
        given: The kind of the observations that there are.
        rules: The rules of the games.

    Raises:
        ValueError: The policy's attribute is no kind, or its kind does not follow from what there
            is.
    """
    own = kind_of(policy)
    if own is None or own == given:
        return policy
    total = 12 * as_rules(rules).seeds_per_pit
    # Two numbers of more than 24 seeds could not be told from each other.
    if given == "one_hot" and total > 2 * (COLUMNS - 1):
        raise ValueError(
            f"a player takes observations of the kind {own!r}, which cannot be told from 'one_hot' "
            f"with {total} seeds on the board; give the environment observation={own!r} or 'seeds'"
        )
    return Seeing(policy, given, own, total)


class Seeing:
    """A policy behind observations of another kind; see `seeing`."""

    def __init__(
        self, policy: Policy, given: ObservationKind, own: ObservationKind, total: int
    ) -> None:
        self.policy = policy
        self.observation: ObservationKind = given
        self._own: ObservationKind = own
        self._total = total

    def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:  # noqa: ANN401
        """What the policy answers."""
        seen = converted(observation, self.observation, self._own, self._total)
        return self.policy(seen, action_mask)


def answers_of(
    policy: Policy, observation: NDArray[Any], action_mask: NDArray[np.int8]
) -> NDArray[np.integer[Any]]:
    """The actions (n,) of a policy, which may write into what it is given.

    They keep their dtype, as another one might hold other numbers.

    Raises:
        TypeError: The policy answers with something else than an integer for each row.
    """
    actions: NDArray[Any] = np.asarray(policy(observation.copy(), action_mask.copy()))
    rows = len(observation)
    if actions.shape != (rows,) or not np.issubdtype(actions.dtype, np.integer):
        raise TypeError(
            f"the actions must be integers ({rows},), not {actions.dtype} {actions.shape}"
        )
    return actions


def move_of(player: Policy, game: Game) -> int:
    """The move that a player of many boards chooses in one game.

    It is shown the game in observations of its kind, see `oware.types.Policy`, in a batch of one.

    Args:
        player: The player. Whatever it raises is not caught.
        game: A game that is going on. It is not changed.

    Returns:
        The answer, which is a legal move, 0 to 5, if the player keeps to the mask.

    Raises:
        TypeError: There is no player or no game, or the player answers with something else than one
            integer in an array (1,).
        ValueError: The game is over, or the player's attribute `observation` is no kind.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[4, 1, 0, 2, 0, 6, 3, 3, 4, 5, 2, 1])
        >>> oware.agents.move_of(oware.agents.GreedyAgent(seed=0), game)
        5
    """
    if not callable(player):
        given = type(player).__name__
        raise TypeError(f"player must be a callable, not {given}; oware.agents.named makes one")
    if not isinstance(game, Game):
        raise TypeError(f"game must be an oware.Game, not {type(game).__name__}")
    if game.is_over:
        raise ValueError(f"the game is over: {game.to_string()}")
    policy = seeing(player, "seeds", game.rules)
    rows = game.observation()[np.newaxis], game.action_mask()[np.newaxis]
    return int(answers_of(policy, *rows)[0])


def converted(
    observation: NDArray[Any], given: ObservationKind, wanted: ObservationKind, total: int
) -> NDArray[Any]:
    """Observations (n, ...) of one kind as those of another one.

    Args:
        observation: Observations of the kind `given`.
        given: Their kind.
        wanted: The kind that is wanted.
        total: The seeds that a game begins with, pits and stores together; with `"one_hot"` given
            at most 48. A set-up may have fewer: from `"one_hot"` a number of 24 and more is then
            too great, by as many as are missing.

    Example:
        >>> import oware
        >>> given = oware.Game().observation("one_hot")[np.newaxis]
        >>> converted(given, "one_hot", "seeds", 48)
        array([[4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0]], dtype=uint8)
    """
    if given == wanted:
        return observation
    seeds = _seeds(observation, given, total)
    if wanted == "seeds":
        return seeds
    if wanted == "normalized":
        return seeds.astype(np.float32) / np.float32(total)
    planes: NDArray[np.float32] = np.eye(COLUMNS, dtype=np.float32)[np.minimum(seeds, COLUMNS - 1)]
    return planes


def _seeds(observation: NDArray[Any], given: ObservationKind, total: int) -> NDArray[np.uint8]:
    if given == "seeds":
        return observation
    if given == "normalized":
        return np.rint(observation * np.float32(total)).astype(np.uint8)
    seeds = observation.argmax(axis=2)
    # Of two in the last column each has 24, so what the sum lacks belongs to one alone; where there
    # is none, the game began with fewer seeds.
    lacking = np.where(seeds.max(axis=1) < COLUMNS - 1, 0, total - seeds.sum(axis=1))
    rows = np.arange(len(seeds))
    seeds[rows, seeds.argmax(axis=1)] += lacking
    whole: NDArray[np.uint8] = seeds.astype(np.uint8)
    return whole
