"""The help in a game on a board: hints, and a coach who rates its moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware import analysis
from oware.board._coach import PAUSES, arrow, threat

if TYPE_CHECKING:
    from oware._oware import Game
    from oware.analysis import Hint, MoveReview
    from oware.board._frames import State


class Help:
    """What the coach has said of a game and of the position, and the hints that are left.

    Args:
        coach: Whether every move is rated.
        hints: The hints of a game.
        depth: The plies that both look ahead.
    """

    def __init__(self, *, coach: bool, hints: int, depth: int) -> None:
        self.coach = coach
        self._hints_a_game = hints
        self._depth = depth
        self.begin()

    def begin(self) -> None:
        """Begin with another game."""
        self.hints = self._hints_a_game
        self.ratings: list[MoveReview] = []
        self.clear()

    def clear(self) -> None:
        """Let go of what belongs to the position that was."""
        self._arrows: list[State] = []
        self._endangered: list[int] = []
        self._values: list[float | None] | None = None
        self._hint: Hint | None = None
        self.rating: State | None = None
        self.told: list[str] = []
        self.paused: str = ""

    @property
    def state(self) -> State:
        """What the browser shows of it."""
        return {
            "hints": self.hints,
            "coach": self.coach,
            "paused": self.paused,
            "rating": self.rating,
            "arrows": self._arrows,
            "endangered": self._endangered,
            "values": self._values,
            "told": self.told,
        }

    def forget(self, ply: int) -> None:
        """Let go of the ratings of moves that have been taken back."""
        self.ratings = [one for one in self.ratings if one.ply < ply]

    def rate(self, before: Game, move: int, after: Game) -> bool:
        """Rate a move that was played; whether the game pauses."""
        review = analysis.rate(before, move, depth=self._depth)
        self.ratings.append(review)
        self.rating = {"name": review.rating, "text": f"{review}."}
        if review.rating not in PAUSES or after.is_over:
            return False
        reply, self._endangered, told = threat(after, review)
        self._arrows = [reply]
        self.paused = f"{review.letter} is a blunder: {told}. Take it back?"
        return True

    def hint(self, game: Game) -> str:
        """Show a best move, and say why; nothing where no hints are left.

        The same position costs one hint only.
        """
        if self._hint is None:
            if self.hints == 0:
                return ""
            self._hint = analysis.hint(game, depth=self._depth)
            self.hints -= 1
        self._arrows = [arrow(game, self._hint.move, "best")]
        self._values = list(self._hint.values)
        return f"Hint: play {self._hint.letter}. {self._hint.reason}"

    def explain(self, game: Game) -> None:
        """Tell what there is to see in a position, in words."""
        self.told = [fact.text for fact in analysis.explain(game).facts]
