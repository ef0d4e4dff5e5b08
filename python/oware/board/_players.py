"""Who plays on a board: the player, on both sides or against an opponent."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from oware._policies import move_of
from oware.board import _frames
from oware.board._arguments import policy_of, seat_of
from oware.board._frames import SEATS

if TYPE_CHECKING:
    from oware._oware import Game, Rules
    from oware.types import OpponentName, Policy, SeatChoice


class Players:
    """The player, and the opponent where there is one; see `oware.Board` for the arguments."""

    def __init__(
        self,
        opponent: OpponentName | Policy | None,
        seat: SeatChoice,
        seed: int | None,
        rules: Rules,
    ) -> None:
        self._luck = random.Random(seed)
        self._opponent, self._seed = opponent, seed
        self._policy, self._name = policy_of(opponent, seed, rules)
        self._choice = seat_of(seat)
        self._seat = 0

    def sit(self) -> None:
        """Take seats for a game."""
        self._seat = self._luck.randrange(2) if self._choice is None else self._choice

    def turn_to(self, rules: Rules) -> None:
        """Play by other rules from now on."""
        self._policy, _ = policy_of(self._opponent, self._seed, rules)

    @property
    def names(self) -> tuple[str, str]:
        """What South and North are called."""
        if self._policy is None:
            return SEATS
        own, other = "You", self._name
        return (own, other) if self._seat == 0 else (other, own)

    def theirs(self, game: Game) -> bool:
        """Whether it is the opponent's move."""
        return self._policy is not None and not game.is_over and game.to_move != self._seat

    def reply(self, game: Game) -> Game:
        """The game after the opponent's move."""
        assert self._policy is not None  # noqa: S101 - Only an opponent replies.
        after = game.copy()
        after.play(move_of(self._policy, game))
        return after

    def undoable(self, game: Game, played: int) -> int:
        """How many plies an undo takes back where so many have been played here."""
        if self._policy is None:
            return min(played, 1)
        # Back to where the player had the choice.
        parity = 1 if game.to_move != self._seat else 2
        return parity if played >= parity else 0

    def turn(self, game: Game) -> str:
        """Whose turn it is, or how the game has ended."""
        if game.is_over:
            return f"{_frames.ending(game, self.names)}."
        name = self.names[game.to_move]
        return f"Your move, {SEATS[game.to_move]}." if name == "You" else f"{name} to move."
