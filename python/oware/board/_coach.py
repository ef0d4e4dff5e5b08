"""What a board draws and says of a blunder and of a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oware.board import _frames
from oware.board._frames import LETTERS, State

if TYPE_CHECKING:
    from oware._oware import Game
    from oware.analysis import MoveReview

PAUSES: Final = ("blunder",)
"""After which ratings the coach pauses the game."""


def arrow(game: Game, move: int, kind: str) -> State:
    """An arrow along a move of the player to move, to where its last seed falls."""
    return {"start": 6 * game.to_move + move, "end": _frames.path(game, move)[-1], "kind": kind}


def threat(game: Game, review: MoveReview) -> tuple[State, list[int], str]:
    """The best reply to a move as an arrow, the pits that it captures, and both in words.

    Args:
        game: The game after the move.
        review: The move's review.
    """
    if review.reply is None:
        reply, pits, lost = review.reply_line[0], [], 0
    else:
        reply, pits, lost = review.reply.move, list(review.reply.pits), review.reply.seeds
    letter = LETTERS[6 * game.to_move + reply]
    told = f"{letter} would capture {lost} at once" if lost else f"the best reply is {letter}"
    return arrow(game, reply, "threat"), pits, told
