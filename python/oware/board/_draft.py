"""A position that is being edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware._oware import Game

if TYPE_CHECKING:
    from oware._oware import Rules
    from oware.board._frames import State


class Draft:
    """Pits, stores and a mover, from those of a game on; what they amount to may be no position."""

    def __init__(self, game: Game, rules: Rules) -> None:
        self._rules = rules
        self._most = 12 * rules.seeds_per_pit
        self._pits = list(game.pits)
        self._stores = list(game.stores)
        self._to_move: int = game.to_move

    @property
    def state(self) -> State:
        """What the board shows of it."""
        return {"pits": [*self._pits], "stores": [*self._stores], "to_move": self._to_move}

    @property
    def told(self) -> str:
        """How many seeds there are."""
        total = sum(self._pits) + sum(self._stores)
        return f"Editing: {total} of {self._most} seeds are on the board."

    def change(self, place: int, by: int, to: int | None) -> None:
        """Change the seeds of a place: 0 to 11 are pits, 12 and 13 South's and North's store."""
        if place not in range(14):
            raise ValueError(f"place is {place}; give 0 to 13")
        row, at = (self._pits, place) if place < 12 else (self._stores, place - 12)
        row[at] = min(max(row[at] + by if to is None else to, 0), self._most)

    def set_mover(self, seat: int) -> None:
        """Choose who is to move."""
        if seat not in (0, 1):
            raise ValueError(f"to_move is {seat}; give 0 for South or 1 for North")
        self._to_move = seat

    def empty(self) -> None:
        """Take all seeds away."""
        self._pits, self._stores = [0] * 12, [0, 0]

    def game(self) -> Game:
        """A game from there; `SetupError` where it cannot be set up."""
        return Game(self._rules, **self.state)
