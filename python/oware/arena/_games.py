"""The games of a tournament as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oware.arena._play import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from oware.arena._play import Played

__all__ = ["Games"]


@dataclass(frozen=True, eq=False)
class Games:
    """Games as arrays, in the order in which they were planned.

    Args:
        south: int16 (N,): who played South, an index into the players.
        north: int16 (N,): who played North.
        opening: int32 (N,): the number of the opening, the same for two games of each pair.
        winner: int8 (N,): 0 for South, 1 for North, -1 for nobody.
        ending: int8 (N,): an index into `oware.arena.ENDINGS`.
        plies: int32 (N,): how many moves were made.
        stores: int16 (N, 2): South's and North's seeds at the end.
        moves: int8 (N, T): the moves of both in turn, 0 to 5, the opening's included; -1 after the
            end.
        reason: N texts: why a game was lost by forfeit, else empty.

    Example:
        >>> from oware import arena
        >>> games = arena.tournament(["greedy", "random"], games=4, openings=2).games
        >>> games.south.tolist(), games.opening.tolist(), games.moves.dtype
        ([0, 1, 0, 1], [0, 0, 1, 1], dtype('int8'))
        >>> games
        <oware.arena.Games: 4 games of up to ... plies>
    """

    south: NDArray[np.int16]
    north: NDArray[np.int16]
    opening: NDArray[np.int32]
    winner: NDArray[np.int8]
    ending: NDArray[np.int8]
    plies: NDArray[np.int32]
    stores: NDArray[np.int16]
    moves: NDArray[np.int8]
    reason: tuple[str, ...]

    def __len__(self) -> int:
        """How many games there are."""
        return len(self.south)

    def __repr__(self) -> str:
        """How many games there are, and how long the longest is."""
        games = "1 game" if len(self) == 1 else f"{len(self)} games"
        return f"<oware.arena.Games: {games} of up to {self.moves.shape[1]} plies>"

    @staticmethod
    def of(played: Sequence[Played]) -> Games:
        """The arrays of games that were played.

        Example:
            >>> len(Games.of([]))
            0
        """
        count = len(played)
        plies = np.array([len(game.moves) for game in played], np.int32)
        moves = np.full((count, plies.max(initial=0)), -1, np.int8)
        for row, game in enumerate(played):
            moves[row, : len(game.moves)] = game.moves
        return Games(
            south=np.array([game.plan.south for game in played], np.int16),
            north=np.array([game.plan.north for game in played], np.int16),
            opening=np.array([game.plan.opening for game in played], np.int32),
            winner=np.array([game.winner for game in played], np.int8),
            ending=np.array([ENDINGS.index(game.ending) for game in played], np.int8),
            plies=plies,
            stores=np.array([game.stores for game in played], np.int16).reshape(count, 2),
            moves=moves,
            reason=tuple(game.reason for game in played),
        )
