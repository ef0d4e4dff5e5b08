"""A move and what it was worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oware._words import SEATS, letter, line_letters, seeds, signed

if TYPE_CHECKING:
    from oware.analysis._captures import Capture
    from oware.types import Rating, Seat

THRESHOLDS: Final[dict[Rating, float]] = {
    "best": 0.5,
    "good": 1.5,
    "inaccuracy": 3.0,
    "mistake": 5.0,
}
"""A move has the first of these ratings below whose number lies what it gives up, in seeds.

So, where values are exact and therefore whole numbers: 0 seeds are best, 1 is good, 2 are an
inaccuracy, 3 or 4 a mistake, and what gives up 5 or more is a `blunder`.
"""


@dataclass(frozen=True)
class MoveReview:
    """A move and what it was worth.

    Values are final net seeds of the player who moved, their store less the other one's, with best
    play by both, as in `oware.search.Result`.

    Args:
        ply: How many plies had been played before it.
        seat: Who moved: 0 for South, 1 for North.
        move: The move, 0 to 5.
        captured: The seeds that it captured.
        rating: See `THRESHOLDS`; a move that gives a won or a drawn game away for certain is a
            mistake at least.
        loss: The seeds that it gave up: `best_value` less `value`.
        value: The value of the move.
        best: A best move.
        best_value: The value of a best move.
        values: The value of each of the moves 0 to 5; None for one that is not legal.
        line: The better line: best play by both from before the move, up to 12 plies.
        reply_line: Best play by both from after the move; empty when the game was over.
        threat: What the opponent threatened most before the move, see `threats`; None for nothing.
        threat_met: Whether that threatening move captures less after the move; None for no
            threat.
        reply: The most that the opponent could capture at once after the move; None for nothing.
        exact: Whether the values are the true ones, each line having been followed to its end or
            into the database.
        depth: The plies that were searched.

    Example:
        >>> import oware
        >>> found = rate(oware.Game(pits=[1, 1, 4, 0, 0, 0, 0, 1, 0, 0, 1, 2]), 2, depth=6)
        >>> found.letter, str(found.reply), found.threat_met
        ('C', 'f captures 4 seeds (A, B)', False)
    """

    ply: int
    seat: Seat
    move: int
    captured: int
    rating: Rating
    loss: float
    value: float
    best: int
    best_value: float
    values: tuple[float | None, ...]
    line: tuple[int, ...]
    reply_line: tuple[int, ...]
    threat: Capture | None
    threat_met: bool | None
    reply: Capture | None
    exact: bool
    depth: int

    @property
    def letter(self) -> str:
        """The move in letters: A to F for South, a to f for North."""
        return letter(self.seat, self.move)

    @property
    def best_letter(self) -> str:
        """The best move in letters."""
        return letter(self.seat, self.best)

    @property
    def line_letters(self) -> str:
        """The better line as a transcript."""
        return line_letters(self.seat, self.line)

    @property
    def reply_letters(self) -> str:
        """The line after the move as a transcript."""
        return line_letters(1 - self.seat, self.reply_line)

    @property
    def forced(self) -> bool:
        """Whether no other move was legal."""
        return sum(value is not None for value in self.values) == 1

    @property
    def south_value(self) -> float:
        """The value of the move as South sees it."""
        return -self.value if self.seat else self.value

    @property
    def result_given_away(self) -> bool:
        """Whether the values are exact and the move made a win or a draw into less."""
        return self.exact and sign(self.value) < sign(self.best_value)

    def record(self) -> dict[str, Any]:
        """The review as plain values: a row of `Review.table`.

        Example:
            >>> import oware
            >>> row = rate(oware.Game(), 5, depth=6).record()
            >>> row["player"], row["move"], row["captured"], row["threat_seeds"]
            ('South', 'F', 0, 0)
        """
        return {
            "ply": self.ply,
            "player": SEATS[self.seat],
            "move": self.letter,
            "captured": self.captured,
            "rating": self.rating,
            "loss": self.loss,
            "value": self.value,
            "best": self.best_letter,
            "best_value": self.best_value,
            "exact": self.exact,
            "depth": self.depth,
            "forced": self.forced,
            "threat": None if self.threat is None else self.threat.letter,
            "threat_seeds": 0 if self.threat is None else self.threat.seeds,
            "threat_met": self.threat_met,
            "reply": None if self.reply is None else self.reply.letter,
            "reply_seeds": 0 if self.reply is None else self.reply.seeds,
            "line": self.line_letters,
            "reply_line": self.reply_letters,
            "south_value": self.south_value,
        }

    def __str__(self) -> str:
        """The rating in words: `F is a blunder that gives up 5 seeds; B was better (BfC)`."""
        if self.forced:
            return f"{self.letter} was the only move"
        about = "" if self.exact else "about "
        given = seeds(int(self.loss)) if self.loss == int(self.loss) else f"{self.loss:.1f} seeds"
        if self.rating == "best":
            text = f"{self.letter} is a best move, worth {about}{signed(self.value)}"
        else:
            article = "an" if self.rating == "inaccuracy" else "a"
            name = "good move" if self.rating == "good" else self.rating
            text = f"{self.letter} is {article} {name} that gives up {about}{given}"
            text += f"; {self.best_letter} was better ({self.line_letters})"
            if self.threat_met is False:
                text += f"; it left a threat standing: {self.threat}"
            if self.reply is not None and self.reply != self.threat:
                text += f"; now {self.reply}"
        return text


def rating(loss: float, *, at_least_mistake: bool = False) -> Rating:
    """The rating of a move that gives up so many seeds."""
    if at_least_mistake and loss < THRESHOLDS["mistake"]:
        return "mistake"
    for name, below in THRESHOLDS.items():
        if loss < below:
            return name
    return "blunder"


def sign(value: float) -> int:
    """Whether a player who has so many net seeds at the end wins (1), draws (0) or loses (-1)."""
    return (value > 0) - (value < 0)
