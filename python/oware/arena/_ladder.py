"""A running ladder in Glicko-2."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from oware._counts import real
from oware._missing import missing_extra
from oware._unknown import unknown
from oware.arena._ratings import Z

if TYPE_CHECKING:
    from oware.arena._results import Results

__all__ = ["Ladder", "Rung"]

WHEN: Final = datetime(2000, 1, 1, tzinfo=timezone.utc)
"""The time of every game: only games count, not the days between them."""


@dataclass(frozen=True)
class Rung:
    """Where a player stands on a ladder.

    Args:
        rating: In Glicko's points, which are Elo points; 1500 for a new player.
        deviation: The standard deviation of the rating, 350 for a new player.
        volatility: How much the player's strength is expected to change.

    Raises:
        TypeError: One of them is no number.
        ValueError: One of them is not finite, or the latter two are not above 0.

    Example:
        >>> Rung().interval
        (814.0, 2186.0)
    """

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06

    def __post_init__(self) -> None:
        """Check the numbers."""
        for field, value in vars(self).items():
            number = real(field, value)
            if not math.isfinite(number) or (field != "rating" and number <= 0):
                bounds = "a finite number" if field == "rating" else "a number above 0"
                raise ValueError(f"{field} is {number}; give {bounds}")

    @property
    def interval(self) -> tuple[float, float]:
        """The rating with two deviations less and more, rounded: about 95 % confidence."""
        half = Z * self.deviation
        return float(round(self.rating - half)), float(round(self.rating + half))


class Ladder:
    """Ratings by Glicko-2 that go on from tournament to tournament, updated after every game.

    It follows players that change, as in training; for players that stay as they are, the ratings
    of `Results.ratings` are better: they do not depend on the order of games, and their intervals
    keep their word. The formulas are those of M. Glickman (http://www.glicko.net/glicko.html) with
    a system constant of 0.5 and a rating period of one game, as the library `elote` has them:
    `pip install "oware[arena]"`.

    Args:
        rungs: Where the ladder begins: what `state` has given, or nothing.

    Raises:
        ModuleNotFoundError: The library is missing.
        TypeError: The rungs are no mapping, or one of them is none of these.
        ValueError: A number of a rung is out of range.

    Example:
        >>> from oware import arena
        >>> ladder = arena.Ladder()
        >>> ladder.add(arena.tournament(["greedy", "random"], games=20))
        >>> ladder.rungs["greedy"].rating > 1500 > ladder.rungs["random"].rating
        True
    """

    def __init__(self, rungs: Mapping[str, Any] | None = None) -> None:
        try:
            from elote import Glicko2Competitor
        except ModuleNotFoundError as error:
            raise missing_extra("arena", error) from error
        if rungs is not None and not isinstance(rungs, Mapping):
            raise TypeError(f"rungs must be a mapping, not {type(rungs).__name__}")
        self._make = Glicko2Competitor
        self._players: dict[str, Any] = {}
        _check_names(*(rungs or ()))
        for name, rung in (rungs or {}).items():
            self._player(name, _rung(name, rung))

    @property
    def rungs(self) -> dict[str, Rung]:
        """Where each player stands, the strongest first."""
        rungs = {
            name: Rung(player.rating, player.rd, player.volatility)
            for name, player in self._players.items()
        }
        return dict(sorted(rungs.items(), key=lambda item: -item[1].rating))

    def record(self, south: str, north: str, winner: int | None) -> None:
        """Take a game into account.

        Args:
            south: Who played South.
            north: Who played North.
            winner: 0 for South, 1 for North, None for a draw.

        Raises:
            TypeError: A name is no text.
            ValueError: The winner is none of these, or a player has played against itself.

        Example:
            >>> ladder = Ladder()
            >>> ladder.record("a", "b", 1)
            >>> list(ladder.rungs)
            ['b', 'a']
        """
        if winner not in (0, 1, None):
            raise ValueError(f"winner is {winner!r}; give 0, 1 or None")
        if south == north:
            raise ValueError(f"{south!r} cannot play against itself")
        _check_names(south, north)
        one, two = self._player(south), self._player(north)
        if winner is None:
            one.tied(two, match_time=WHEN)
        else:
            first, second = (one, two) if winner == 0 else (two, one)
            first.beat(second, match_time=WHEN)

    def add(self, results: Results) -> None:
        """Take every game of a tournament into account, in its order.

        Example:
            >>> from oware import arena
            >>> ladder = Ladder()
            >>> ladder.add(arena.tournament(["greedy", "random"], games=2))
            >>> len(ladder.rungs)
            2
        """
        games = results.games
        for south, north, winner in zip(
            games.south.tolist(), games.north.tolist(), games.winner.tolist(), strict=True
        ):
            names = results.players[south], results.players[north]
            self.record(*names, None if winner == -1 else winner)

    def state(self) -> dict[str, dict[str, float]]:
        """All that is needed to go on, for `json.dump` and `Ladder(...)`.

        Example:
            >>> ladder = Ladder()
            >>> ladder.record("a", "b", None)
            >>> Ladder(ladder.state()).rungs == ladder.rungs
            True
        """
        return {name: asdict(rung) for name, rung in self.rungs.items()}

    def __str__(self) -> str:
        """A line for each player, the strongest first."""
        rungs = self.rungs
        width = max([len("player"), *map(len, rungs)])
        lines = [f"{'player':{width}}  rating  95 % interval"]
        for name, rung in rungs.items():
            low, high = rung.interval
            lines.append(f"{name:{width}} {rung.rating:7.0f} {low:7.0f} to {high:6.0f}")
        return "\n".join(lines)

    def _player(self, name: str, rung: Rung | None = None) -> Any:  # noqa: ANN401
        if name not in self._players:
            rung = rung or Rung()
            self._players[name] = self._make(
                initial_rating=rung.rating,
                initial_rd=rung.deviation,
                initial_volatility=rung.volatility,
            )
        return self._players[name]


def _check_names(*names: object) -> None:
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a player's name must be a str, not {type(name).__name__}")


def _rung(name: object, given: Any) -> Rung:  # noqa: ANN401
    """A rung, or what `Ladder.state` has made of one."""
    if isinstance(given, Rung):
        return given
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise TypeError(f"rungs[{name!r}] must be a Rung or a mapping, not {kind}")
    known = [field.name for field in fields(Rung)]
    for field in given:
        if field not in known:
            raise ValueError(f"rungs[{name!r}]: {unknown('field', field, known)}")
    return Rung(**given)
