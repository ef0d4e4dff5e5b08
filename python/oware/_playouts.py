"""Random games from given positions to their ends."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

import numpy as np

from oware import _oware

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from oware.types import RuleSetName

    Positions: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]

__all__ = ["Playouts", "playouts"]


@dataclass(frozen=True, eq=False)
class Playouts:
    """The results of random games: n from each of P positions.

    `margin`, int16 (P, n): South's store less North's when the game had ended, what the rules share
    out at the end included. `plies`, int32 (P, n): the plies played from the position.
    `termination`, int8 (P, n): why the game ended, an index into `oware.TERMINATIONS`; 0
    (`going_on`) for a game that `max_plies` left unfinished.

    >>> import oware
    >>> results = oware.playouts(oware.Game(), 1000, seed=0)
    >>> results.margin.shape, results.plies.shape
    ((1, 1000), (1, 1000))
    >>> bool((abs(results.margin) <= 48).all())
    True
    """

    margin: NDArray[np.int16]
    plies: NDArray[np.int32]
    termination: NDArray[np.int8]

    @property
    def winner(self) -> NDArray[np.int8]:
        """The winners, int8 (P, n): 0 for South, 1 for North, -1 for a draw or an unfinished game.

        >>> import oware
        >>> over = oware.Game(pits=[1, *[0] * 11], stores=(27, 20))
        >>> oware.playouts(over, 3).winner
        array([[0, 0, 0]], dtype=int8)
        """
        winner = np.where(self.margin > 0, 0, np.where(self.margin < 0, 1, -1))
        return np.where(self.termination == 0, -1, winner).astype(np.int8)

    @property
    def wins(self) -> NDArray[np.int64]:
        """Games from each position that South won, that North won, and others: int64 (P, 3).

        >>> import oware
        >>> over = oware.Game(pits=[1, *[0] * 11], stores=(27, 20))
        >>> oware.playouts(over, 3).wins
        array([[3, 0, 0]])
        """
        winner = self.winner
        counts = [np.count_nonzero(winner == seat, axis=1) for seat in (0, 1, -1)]
        return np.stack(counts, axis=1).astype(np.int64)

    @property
    def mean_margin(self) -> NDArray[np.float64]:
        """The mean margin of each position's games: float64 (P,).

        >>> import oware
        >>> over = oware.Game(pits=[1, *[0] * 11], stores=(27, 20))
        >>> oware.playouts(over, 3).mean_margin
        array([7.])
        """
        mean: NDArray[np.float64] = self.margin.mean(axis=1, dtype=np.float64)
        return mean


def playouts(
    start: _oware.Game | Sequence[_oware.Game] | Positions,
    n: SupportsIndex,
    *,
    rules: RuleSetName | _oware.Rules | None = None,
    seed: SupportsIndex | None = None,
    num_threads: SupportsIndex = 1,
    max_plies: SupportsIndex | None = None,
) -> Playouts:
    """Play n random games from each position to the end under its rules.

    Each move is drawn from the legal ones, all exactly as likely. `start` is one of:

    - a `Game`, or a sequence of P games under the same rules. They stay as they are; what has been
      played counts for repetition and the ply limit. A finished game gives its own result n times,
      after 0 plies.
    - a tuple `(pits, stores, to_move)` of integer arrays (P, 12), (P, 2) and (P,), as
      `env.set_positions` takes them, under `rules` (`"abapa"` if left out).

    `n` is at least 1, and P times n at most 2**30. `seed` is at least 0 and below 2**64; `None`
    draws one. The same seed gives the same results for any `num_threads` (1 to 1024: at most that
    many threads play) and on any machine: game j from position i has a random stream of its own.
    `max_plies`, at least 1, leaves a game unfinished that goes on after so many plies from the
    position: its margin is that of the stores as they are. Where the rules know neither repetition
    nor a ply limit, `None` means 1000, else no limit.

    Other Python threads run meanwhile, and Ctrl-C interrupts. The memory needed is that of the
    results, seven bytes a game.

    Raises `SetupError` for positions that cannot be set up, `TypeError` and `ValueError` for
    arguments of the wrong type or out of range and for games under different rules, and
    `MemoryError`.

    >>> import oware
    >>> results = oware.playouts(oware.Game(), 10_000, seed=1)
    >>> south, north, draws = results.wins[0]
    >>> int(south + north + draws)
    10000
    >>> pits, stores = [[4] * 12, [0, 0, 0, 0, 0, 1, 1, 3, 0, 0, 0, 0]], [[0, 0], [20, 23]]
    >>> oware.playouts((pits, stores, [0, 0]), 5, seed=1, rules="codingame").margin.shape
    (2, 5)
    """
    games: list[_oware.Game] | None = None
    positions: tuple[Any, Any, Any] | None = None
    if isinstance(start, _oware.Game):
        games = [start]
    elif isinstance(start, tuple) and len(start) == 3 and not isinstance(start[0], _oware.Game):
        positions = start
    else:
        games = _games(start)
    margin, plies, termination = _oware.playouts(
        games,
        positions,
        n,
        rules=rules,
        seed=secrets.randbits(64) if seed is None else seed,
        num_threads=num_threads,
        max_plies=max_plies,
    )
    return Playouts(margin, plies, termination)


def _games(start: object) -> list[_oware.Game]:
    """The games of a sequence."""
    wanted = "an oware.Game, a sequence of them or a tuple (pits, stores, to_move)"
    if isinstance(start, (str, bytes)):
        raise TypeError(f"start must be {wanted}, not {type(start).__name__}")
    try:
        items: Iterator[Any] = iter(start)  # type: ignore[call-overload]
    except TypeError as error:
        raise TypeError(f"start must be {wanted}, not {type(start).__name__}") from error
    games = []
    # One by one: a sequence may claim more items than there is memory for.
    for at, game in enumerate(items):
        if not isinstance(game, _oware.Game):
            raise TypeError(f"start[{at}] must be an oware.Game, not {type(game).__name__}")
        games.append(game)
    return games
