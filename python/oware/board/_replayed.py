"""A game that is shown move by move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware._counts import count
from oware.board import _frames

if TYPE_CHECKING:
    from typing import SupportsIndex

    from oware._oware import Game
    from oware.board._frames import State


class Replayed:
    """A game with its positions, of which one is shown."""

    def __init__(self, game: Game, names: tuple[str, str]) -> None:
        self._game = game.copy()
        self._frames = _frames.frames(game, names)
        self.ply = 0

    @property
    def state(self) -> State:
        """What the browser shows of it."""
        return {"frames": self._frames, "ply": self.ply}

    @property
    def last(self) -> int:
        """The ply of the last position."""
        return len(self._frames) - 1

    def seek(self, ply: SupportsIndex) -> None:
        """Show the position after so many moves."""
        self.ply = count("ply", ply, 0, self.last)

    def shown(self) -> Game:
        """The game up to the position that is shown."""
        game = self._game.copy()
        while len(game.moves) > self.ply:
            game.undo()
        return game
