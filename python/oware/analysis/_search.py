"""Searching and looking up, as everything in this package does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oware import search

if TYPE_CHECKING:
    from typing import SupportsFloat, SupportsIndex

    from oware._oware import Game
    from oware.endgame import Endgame

DEFAULT_DEPTH: Final = 14
"""The plies that are searched when there is no other limit."""
LINE: Final = 12
"""The most plies of a line that is told."""
DIRECT_SEEDS: Final = 10
"""Up to so many seeds a line takes the direct way to its captures; with more that is slow."""


@dataclass(frozen=True)
class Limits:
    """How hard to search, and what to search with."""

    depth: SupportsIndex | None = None
    time: SupportsFloat | None = None
    nodes: SupportsIndex | None = None
    endgame: Endgame | None = None
    threads: SupportsIndex = 1

    def search(self, game: Game) -> search.Result:
        """The value of every move, and the best line as far as the database goes on with it."""
        unlimited = self.depth is None and self.time is None and self.nodes is None
        return search.alpha_beta(
            game,
            depth=DEFAULT_DEPTH if unlimited else self.depth,
            time=self.time,
            nodes=self.nodes,
            endgame=self.endgame,
            threads=self.threads,
            move_values=True,
        )


def continued(game: Game, line: tuple[int, ...], endgame: Endgame | None) -> tuple[int, ...]:
    """A line, and where it leads into the database, what that goes on with."""
    after = game.copy()
    played = []
    for move in line[:LINE]:
        if after.is_over:
            break
        after.play(move)
        played.append(move)
    if endgame is None:
        return tuple(played)
    while len(played) < LINE and not after.is_over and sum(after.pits) <= endgame.max_seeds:
        few = sum(after.pits) <= DIRECT_SEEDS
        onward = endgame.best_line(after) if few else [lookup(after, endgame)]
        for move in onward[: LINE - len(played)]:
            after.play(move)
            played.append(move)
            # The line of a database goes on past the endings that the game has.
            if after.is_over:
                break
        if few:
            break
    return tuple(played)


def lookup(game: Game, endgame: Endgame) -> int:
    """A best move by the database: who has the better of it captures what they can."""
    values = endgame.move_values(game)
    value = max(values.values())
    taken = {move: game.copy().play(move) for move in values if values[move] == value}
    return max(taken, key=lambda move: taken[move] if value > 0 else -taken[move])
