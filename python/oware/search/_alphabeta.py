"""Alpha-beta search of one game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oware import _oware
from oware._oware import Stop
from oware.endgame import Endgame

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsFloat, SupportsIndex

    from oware._oware import Game

__all__ = ["TABLE_ENTRIES", "Result", "Stop", "alpha_beta", "best_moves", "static_value"]

TABLE_ENTRIES: Final = 1 << 20
"""The entries of a transposition table unless told otherwise: 16 MiB."""


@dataclass(frozen=True)
class Result:
    """What a search has found.

    Args:
        value: The final net seeds for the mover, their store less the opponent's, with best play by
            both as far as the search sees, played on past a majority.
        exact: Whether every line was followed to its end or into the database, so that the value is
            the true one.
        line: Best play by both, 0 to 5, at least one move.
        depth: The plies that were searched in full.
        nodes: The positions that were visited.
        move_values: For each move its value, None for one that is not legal; None where it was not
            asked for.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1], stores=(24, 21))
        >>> alpha_beta(game, depth=20)
        Result(value=6.0, exact=True, line=(5, 5), depth=2, nodes=3, move_values=None)
    """

    value: float
    exact: bool
    line: tuple[int, ...]
    depth: int
    nodes: int
    move_values: tuple[float | None, ...] | None = None

    @property
    def move(self) -> int:
        """A best move.

        Example:
            >>> Result(value=0.0, exact=False, line=(4, 1), depth=2, nodes=30).move
            4
        """
        return self.line[0]


def alpha_beta(
    game: Game,
    *,
    depth: SupportsIndex | None = None,
    time: SupportsFloat | None = None,
    nodes: SupportsIndex | None = None,
    endgame: Endgame | None = None,
    threads: SupportsIndex = 1,
    table_entries: SupportsIndex = TABLE_ENTRIES,
    move_values: bool = False,
    on_depth: Callable[[Result], object] | None = None,
    stop: Stop | None = None,
) -> Result:
    """Search for the best move, deeper and deeper until a limit is reached.

    The search goes no further once every line has been followed to its end. It keeps to the rules
    of the game and its history: repetition and the ply limit count as they will in play. A majority
    ends no line, as values are final net seeds; who wins is the same either way. Where the search
    ends before the game does, `static_value` says what the position is taken to be worth; without
    `depth`, boards of up to ten seeds count their true value under `awari` there instead.

    The value of a depth is that of plain minimax, whatever the number of threads and the size of
    the table; with several threads the move may be another one of the same value.

    Args:
        game: The game, which stays as it is; other threads may play on meanwhile.
        depth: The most plies, 1 to 250. A number of plies means the same as in "minimax:DEPTH".
        time: Seconds, above 0.
        nodes: Positions to visit, at least 1. The first depth is always searched in full.
        endgame: The exact values of boards with few seeds: every such position after the first
            counts as its database says, whatever the history.
        threads: How many threads search, 1 to 1024.
        table_entries: The entries of the transposition table, 16 bytes each; rounded down to a
            power of two.
        move_values: Whether to find the value of every move. This takes longer.
        on_depth: Called with the result of each depth; when it returns something true the search
            ends there.
        stop: Ends the search when another thread sets it, within about a millisecond.

    Returns:
        What the deepest search found; where the limit broke one off, the best of the moves that it
        had looked at, and with `move_values` the last one that was not.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The game is over, there is no limit, an argument is out of range, or the
            database is of other rules.
        MemoryError: There is no memory for the table.

    Example:
        >>> import oware
        >>> game = oware.Game.from_transcript("AbCc")
        >>> result = alpha_beta(game, depth=10, move_values=True)
        >>> result.move_values[result.move] == result.value
        True
    """
    core = endgame._core if isinstance(endgame, Endgame) else endgame  # noqa: SLF001
    told = None if on_depth is None else lambda *found: on_depth(Result(*found))
    return Result(
        *_oware.alpha_beta(
            game, depth, time, nodes, core, threads, table_entries, move_values, told, stop
        )
    )


def best_moves(game: Game, depth: SupportsIndex, *, endgame: Endgame | None = None) -> list[int]:
    """Every move that is best after a search of so many plies.

    Args:
        game: The game, which stays as it is.
        depth: Plies, 1 to 250.
        endgame: As for `alpha_beta`.

    Returns:
        The moves, 0 to 5, in ascending order.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The game is over, the depth out of range or the database of other rules.

    Example:
        >>> import oware
        >>> best_moves(oware.Game.from_transcript("AbCc"), 1)
        [1]
    """
    core = endgame._core if isinstance(endgame, Endgame) else endgame  # noqa: SLF001
    return _oware.best_moves(game, depth, core)


def static_value(game: Game) -> float:
    """The final net seeds for the mover that a position is taken to be worth without a search.

    Args:
        game: The game; its history plays no part.

    Raises:
        TypeError: The argument is no game.

    Example:
        >>> import oware
        >>> abs(static_value(oware.Game())) < 1
        True
    """
    return _oware.static_value(game)
