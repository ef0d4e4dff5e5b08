"""The opening explorer: what the first moves are worth, and how they have fared."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypedDict

from oware import _oware
from oware._counts import flag
from oware._progress import Bar
from oware._words import LETTERS, SEATS, letter, signed
from oware.analysis._search import Limits
from oware.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import SupportsFloat, SupportsIndex

    from oware._oware import Game, Rules
    from oware.endgame import Endgame
    from oware.types import RuleSetName, Seat

SEARCH_DEPTH: Final = 12
"""The plies that each position is searched when there is no other limit."""
MOST_PLIES: Final = 60
"""The most plies of an opening."""
MOST_PLIES_IN_FULL: Final = 8
"""The most plies when every move is followed: one more takes six times as long."""


@dataclass(frozen=True)
class Opening:
    """A line of first moves.

    Args:
        moves: The line as a transcript, `"FfE"`; empty for the start.
        value: The final net seeds that its last move is worth for the player who made it; None at
            the start and where nothing was searched.
        best: Whether no other move in its place is worth more.
        exact: Whether the value is the true one.
        visits: In how many of the records it was played.
        south_wins: How many of these South has won.
        draws: How many were drawn.
        north_wins: How many North has won. Games of unknown result are in `visits` alone.
        replies: The lines that are one move longer, the best first.

    Example:
        >>> openings(1, search_depth=6).root.replies[0].best
        True
    """

    moves: str
    value: float | None = None
    best: bool = False
    exact: bool = False
    visits: int = 0
    south_wins: int = 0
    draws: int = 0
    north_wins: int = 0
    replies: tuple[Opening, ...] = field(default=(), repr=False)

    @property
    def seat(self) -> Seat | None:
        """Who made the last move: 0 for South, 1 for North; None at the start."""
        return None if not self.moves else 0 if self.moves[-1].isupper() else 1

    @property
    def score(self) -> float | None:
        """The points that the player who made the last move got in a game, from 0 to 1.

        A win is a point, a draw half a one. None without results.
        """
        known = self.south_wins + self.draws + self.north_wins
        if not known or self.seat is None:
            return None
        wins = self.north_wins if self.seat else self.south_wins
        return (wins + self.draws / 2) / known

    def record(self) -> dict[str, Any]:
        """The line as plain values: a row of `Openings.table`.

        Example:
            >>> row = openings(1, search_depth=6).root.replies[0].record()
            >>> row["player"], row["ply"], row["best"], row["visits"]
            ('South', 1, True, 0)
        """
        return {
            "ply": len(self.moves),
            "moves": self.moves,
            "player": None if self.seat is None else SEATS[self.seat],
            "move": self.moves[-1:],
            "value": self.value,
            "best": self.best,
            "exact": self.exact,
            "visits": self.visits,
            "south_wins": self.south_wins,
            "draws": self.draws,
            "north_wins": self.north_wins,
            "score": self.score,
        }

    def __str__(self) -> str:
        """The last move and what is known of it."""
        told = [self.moves[-1:] or "start"]
        if self.value is not None:
            told.append(f"{signed(self.value)}{'*' if self.best else ''}")
        if self.visits:
            results = f"{self.south_wins}-{self.draws}-{self.north_wins}"
            told.append(f"{games(self.visits)} ({results})")
        return "  ".join(told)


@dataclass(frozen=True, repr=False)
class Openings:
    """The first moves of a game as a tree.

    Args:
        root: The start.
        rules: The rules.
        games: How many records were counted.
        skipped: How many began elsewhere and were not.

    Example:
        >>> print(openings(1, search_depth=6))
        start
          F  -0...*
          ...
          A  -4...
    """

    root: Opening
    rules: Rules
    games: int = 0
    skipped: int = 0

    def at(self, moves: str) -> Opening:
        """A line by its transcript.

        Args:
            moves: The moves, `"FfE"`.

        Raises:
            TypeError: It is no str.
            KeyError: There is no such line in the tree.

        Example:
            >>> openings(2, search_depth=4).at("Ff").moves
            'Ff'
        """
        if not isinstance(moves, str):
            raise TypeError(f"moves must be a str, not {type(moves).__name__}")
        line = self.root
        for ply in range(len(moves)):
            found = [reply for reply in line.replies if reply.moves == moves[: ply + 1]]
            if not found:
                raise KeyError(f"there is no line {moves!r} here: no {moves[: ply + 1]!r}")
            line = found[0]
        return line

    def table(self) -> list[dict[str, Any]]:
        """Every line as a plain record, the best first: `pandas.DataFrame(found.table())`.

        Example:
            >>> sorted(row["moves"] for row in openings(1, search_depth=6).table())
            ['A', 'B', 'C', 'D', 'E', 'F']
        """
        return [line.record() for line in walk(self.root) if line.moves]

    def text(self) -> str:
        """The tree, a line for each line of moves; an asterisk marks the best.

        Example:
            >>> len(openings(2, search_depth=2).text().splitlines())
            43
        """
        return "\n".join(f"{'  ' * len(line.moves)}{line}" for line in walk(self.root))

    def __repr__(self) -> str:
        """How many lines and games."""
        lines = sum(bool(line.moves) for line in walk(self.root))
        return f"<oware.analysis.Openings: {lines} lines, {games(self.games)}>"

    def __str__(self) -> str:
        """The tree as text."""
        return self.text()

    def _repr_html_(self) -> str:
        """The tree for Jupyter, to unfold, in the page's own colours."""
        told = "Values are net seeds at the end for the player who moves; * is best."
        if self.games:
            told += f" Counted: {games(self.games)}: won by South, drawn, won by North."
        return f'<div style="color:inherit"><p>{told}</p>{branch(self.root, unfold=True)}</div>'


def openings(
    depth: SupportsIndex,
    *,
    records: Iterable[Record | Game] | None = None,
    rules: Rules | RuleSetName = "abapa",
    least_visits: SupportsIndex = 0,
    search: bool = True,
    search_depth: SupportsIndex | None = None,
    time: SupportsFloat | None = None,
    nodes: SupportsIndex | None = None,
    endgame: Endgame | None = None,
    threads: SupportsIndex = 1,
    progress: bool = False,
) -> Openings:
    """Explore the first moves: what a search says of them, and how they fared in records.

    Every move from the start is followed, or with `least_visits` those that were played so often.
    Each position on the way is searched once, 12 plies when there is no other limit: three plies
    take some seconds.

    Args:
        depth: How many plies from the start, 1 to 60, without `least_visits` 1 to 8.
        records: Records or games to count; those that begin at another position are skipped.
        rules: The rules to search by, and to replay records by.
        least_visits: How many games must have played a line that is followed; 0 for any line.
        search: Whether to search at all.
        search_depth: As `depth` in `oware.search.alpha_beta`, for each position.
        time: As in `oware.search.alpha_beta`.
        nodes: Likewise.
        endgame: Likewise.
        threads: Likewise.
        progress: Whether to show a bar on standard error.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or the database is of other rules.
        oware.records.RecordError: A move of a record is not legal.

    Example:
        >>> import oware
        >>> from oware.records import Record
        >>> games = [oware.Game.from_transcript("Ff"), oware.Game.from_transcript("FeD")]
        >>> found = openings(2, records=map(Record.of, games), search_depth=6)
        >>> found.at("F").visits, found.at("Fe").visits, found.at("A").visits
        (2, 1, 0)
    """
    least = _oware.count("least_visits", least_visits, 0, 2**31)
    plies = _oware.count("depth", depth, 1, MOST_PLIES if least else MOST_PLIES_IN_FULL)
    search, progress = flag("search", search), flag("progress", progress)
    start = _oware.Game(rules)
    if search_depth is None and time is None and nodes is None:
        search_depth = SEARCH_DEPTH
    limits = Limits(search_depth, time, nodes, endgame, threads) if search else None
    tally = count(records, start, plies)
    build = Builder(tally, limits, least, plies)
    with Bar(build.inner(start, "") if progress else 0, progress and search, "positions") as bar:
        replies = build.replies(start, "", bar)
    root = Opening("", replies=replies, **tally.of(""))
    return Openings(root, start.rules, tally.games, tally.skipped)


class Counts(TypedDict):
    """Fields of an `Opening`."""

    visits: int
    south_wins: int
    draws: int
    north_wins: int


@dataclass
class Tally:
    """How often lines were played: games, won by South, drawn, won by North."""

    lines: dict[str, list[int]] = field(default_factory=dict)
    games: int = 0
    skipped: int = 0

    def add(self, transcript: str, points: tuple[float, float] | None, plies: int) -> None:
        """Count a game."""
        self.games += 1
        for length in range(min(len(transcript), plies) + 1):
            counts = self.lines.setdefault(transcript[:length], [0, 0, 0, 0])
            counts[0] += 1
            if points is not None:
                counts[1 + round(2 * points[1])] += 1

    def of(self, moves: str) -> Counts:
        """The counts of a line."""
        visits, south_wins, draws, north_wins = self.lines.get(moves, (0, 0, 0, 0))
        return Counts(visits=visits, south_wins=south_wins, draws=draws, north_wins=north_wins)


def count(records: Iterable[Record | Game] | None, start: Game, plies: int) -> Tally:
    """Count the games that begin at the start."""
    tally = Tally()
    if records is None:
        return tally
    if isinstance(records, (Record, _oware.Game)) or not isinstance(records, Iterable):
        kind = type(records).__name__
        raise TypeError(f"records must be an iterable of records or games, not {kind}")
    for one in records:
        if not isinstance(one, (Record, _oware.Game)):
            kind = type(one).__name__
            raise TypeError(f"records must be oware.records.Record or oware.Game, not {kind}")
        record = one if isinstance(one, Record) else Record.of(one)
        if record.start(start.rules) != start:
            tally.skipped += 1
            continue
        record.game(start.rules, plies=plies)  # Refuses moves that are not legal.
        tally.add(record.transcript, record.points, plies)
    return tally


@dataclass(frozen=True)
class Builder:
    """What makes the tree."""

    tally: Tally
    limits: Limits | None
    least: int
    plies: int

    def followed(self, game: Game, moves: str) -> Iterator[tuple[int, str]]:
        """The moves that are followed, and the lines that they make."""
        if len(moves) < self.plies:
            for move in game.legal_moves():
                longer = moves + letter(game.to_move, move)
                if self.tally.of(longer)["visits"] >= self.least:
                    yield move, longer

    def inner(self, game: Game, moves: str) -> int:
        """How many positions there are to search."""
        followed = list(self.followed(game, moves))
        total = int(bool(followed))
        for move, longer in followed:
            game.play(move)
            total += self.inner(game, longer)
            game.undo()
        return total

    def replies(self, game: Game, moves: str, bar: Bar) -> tuple[Opening, ...]:
        """The lines that go on from one, the best first."""
        followed = list(self.followed(game, moves))
        if not followed:
            return ()
        found = None if self.limits is None else self.limits.search(game)
        bar.update()
        lines = []
        for move, longer in followed:
            value = None
            if found is not None and found.move_values is not None:
                value = found.move_values[move]
            game.play(move)
            replies = self.replies(game, longer, bar)
            game.undo()
            lines.append(
                Opening(
                    longer,
                    value=value,
                    best=found is not None and value == found.value,
                    exact=found is not None and found.exact,
                    replies=replies,
                    **self.tally.of(longer),
                )
            )
        return tuple(sorted(lines, key=rank))


def games(number: int) -> str:
    """A number of games."""
    return "1 game" if number == 1 else f"{number} games"


def rank(line: Opening) -> tuple[float, int, int]:
    """The best first; of equals the one played most."""
    value = 0.0 if line.value is None else line.value
    return (-value, -line.visits, LETTERS.index(line.moves[-1]))


def walk(line: Opening) -> Iterator[Opening]:
    """A line and all that go on from it."""
    yield line
    for reply in line.replies:
        yield from walk(reply)


def branch(line: Opening, *, unfold: bool = False) -> str:
    """A line with all that go on from it, to unfold."""
    told = html.escape(str(line))
    if not line.replies:
        return f"<div>{told}</div>"
    inside = "".join(f"<li>{branch(reply)}</li>" for reply in line.replies)
    start = "<details open>" if unfold else "<details>"
    return f'{start}<summary>{told}</summary><ul style="list-style:none">{inside}</ul></details>'
