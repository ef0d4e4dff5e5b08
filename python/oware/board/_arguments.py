"""What the arguments of a board may be, and what they become."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from oware import agents
from oware._oware import Game
from oware._policies import seeing
from oware.board._frames import LETTERS, SEATS
from oware.records import Record

if TYPE_CHECKING:
    from typing import SupportsIndex

    from oware._oware import Rules
    from oware.types import OpponentName, Policy, RuleSetName


def replayable(game: Game | Record) -> tuple[Game, tuple[str, str] | None]:
    """The game that is meant and who played it, where that is known."""
    if isinstance(game, Record):
        south, north = (game.tags.get(seat, "?") for seat in SEATS)
        found = (SEATS[0] if south == "?" else south, SEATS[1] if north == "?" else north)
        return game.game(), found
    if isinstance(game, Game):
        return game, None
    raise TypeError(
        f"game must be an oware.Game or an oware.records.Record, not {type(game).__name__}"
    )


def starting(game: Game | None, rules: Rules | RuleSetName | None) -> Game:
    if game is None:
        return Game("abapa" if rules is None else rules)
    if not isinstance(game, Game):
        raise TypeError(f"game must be an oware.Game or None, not {type(game).__name__}")
    if rules is not None:
        raise TypeError("a game has its own rules; give rules without a game")
    return game.copy()


def policy_of(
    opponent: OpponentName | Policy | None, seed: int | None, rules: Rules
) -> tuple[Policy | None, str]:
    if opponent is None:
        return None, ""
    if isinstance(opponent, str):
        return seeing(agents.named(opponent, seed, rules), "seeds", rules), opponent
    if not callable(opponent):
        raise TypeError(
            "opponent must be a name, a callable (observation, action_mask) -> actions or None, "
            f"not {type(opponent).__name__}"
        )
    return seeing(opponent, "seeds", rules), getattr(opponent, "__name__", type(opponent).__name__)


def callable_or_none(name: str, value: Any) -> Any:  # noqa: ANN401
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a callable or None, not {type(value).__name__}")
    return value


def seat_of(seat: object) -> int | None:
    """The seat of the player; None for one that is drawn for each game."""
    seats: dict[object, int | None] = {"south": 0, "north": 1, "random": None}
    if not isinstance(seat, str) or seat not in seats:
        raise ValueError(f"seat is {seat!r}; give 'south', 'north' or 'random'")
    return seats[seat]


def move_named(game: Game, move: str | SupportsIndex) -> int:
    """A move 0 to 5 of the player to move, from its letter or number."""
    if not isinstance(move, str):
        if isinstance(move, bool) or not hasattr(move, "__index__"):
            raise TypeError(f"move must be a letter or an int, not {type(move).__name__}")
        return operator.index(move)
    own = LETTERS[6 * game.to_move :][:6]
    if len(move) != 1 or move not in own:
        raise ValueError(f"{move!r} is no pit of the player to move: {own[0]} to {own[-1]}")
    return own.index(move)


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
