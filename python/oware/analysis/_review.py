"""Rating the moves of a game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oware import _oware, records
from oware.analysis._captures import Capture, captures, check_game, threats
from oware.analysis._progress import Bar
from oware.analysis._search import Limits, continued
from oware.analysis._words import SEATS, letter, line_letters, seeds, signed

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsFloat, SupportsIndex

    from oware.endgame import Endgame
    from oware.search import Result
    from oware.types import Rating, RuleSetName, Seat

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


@dataclass(frozen=True, repr=False)
class Review:
    """The moves of a game, rated.

    Args:
        start: The game before the first of them, as `Game.to_string` has it.
        rules: The rules of the game.
        moves: The moves.
        result: `1-0`, `0-1`, `1/2-1/2`, or `*` for a game that is not over.
        stores: What South and North had in store at the start and after each move.
        players: Who played South and North.

    Example:
        >>> import oware
        >>> found = review("FfEeDd", depth=6)
        >>> len(found.moves), found.moves[0].letter, found.result
        (6, 'F', '*')
    """

    start: str
    rules: _oware.Rules
    moves: tuple[MoveReview, ...]
    result: str
    stores: tuple[tuple[int, int], ...]
    players: tuple[str, str] = SEATS

    def table(self) -> list[dict[str, Any]]:
        """The reviews as plain records, one for each move: `pandas.DataFrame(review.table())`.

        Example:
            >>> [row["move"] for row in review("FfEe", depth=4).table()]
            ['F', 'f', 'E', 'e']
        """
        return [move.record() for move in self.moves]

    def summary(self) -> dict[str, dict[str, float]]:
        """For South and North: how many moves have each rating, and all seeds that they gave up.

        Example:
            >>> found = review("FfEe", depth=4).summary()["South"]
            >>> found["best"] + found["good"] + found["inaccuracy"] + found["mistake"]
            2
        """
        ratings: list[Rating] = [*THRESHOLDS, "blunder"]
        return {
            name: {
                **{rating: sum(one.rating == rating for one in own) for rating in ratings},
                "loss": round(sum(one.loss for one in own), 2),
            }
            for seat, name in enumerate(SEATS)
            for own in [[one for one in self.moves if one.seat == seat]]
        }

    def balance(self) -> list[float]:
        """The final net seeds that South could expect: before the first move and after each.

        Example:
            >>> len(review("FfEe", depth=4).balance())
            5
        """
        if not self.moves:
            return []
        first = self.moves[0]
        before = -first.best_value if first.seat else first.best_value
        return [before, *(move.south_value for move in self.moves)]

    def plot(self, axes: Any = None) -> Any:  # noqa: ANN401
        """Plot the balance: what South could expect, and what the stores showed.

        Args:
            axes: Matplotlib's `Axes` to draw on; None for new ones.

        Returns:
            The axes.

        Raises:
            ImportError: Matplotlib is missing, which the extra `notebooks` installs.

        Example:
            >>> from matplotlib.figure import Figure
            >>> axes = review("FfEe", depth=4).plot(Figure().subplots())
            >>> axes.get_xlabel()
            'ply'
        """
        from oware.analysis import _picture

        return _picture.plot(self, axes)

    def __repr__(self) -> str:
        """How many moves, and the result."""
        return f"<oware.analysis.Review of {len(self.moves)} moves, {self.result}>"

    def __str__(self) -> str:
        """A line for each move."""
        return "\n".join(f"{move.ply + 1}. {move}" for move in self.moves)

    def _repr_html_(self) -> str:
        """The reviews as a table for Jupyter, in the page's own colours."""
        from oware.analysis import _picture

        return _picture.html(self)


def review(
    game_or_moves: _oware.Game | records.Record | str | Iterable[SupportsIndex],
    *,
    rules: _oware.Rules | RuleSetName | None = None,
    depth: SupportsIndex | None = None,
    time: SupportsFloat | None = None,
    nodes: SupportsIndex | None = None,
    endgame: Endgame | None = None,
    threads: SupportsIndex = 1,
    progress: bool = False,
    on_move: Callable[[MoveReview], object] | None = None,
) -> Review:
    """Rate every move of a game by the seeds that it gave up.

    Each position is searched to the limits given, 14 plies when there is none: a game of sixty
    moves then takes some seconds. With limits of depth or nodes and one thread the same game gives
    the same review. Where a database reaches, or every line could be followed to its end, values
    are exact and marked so.

    Args:
        game_or_moves: A game, finished or not, which stays as it is; an `oware.records.Record`; a
            transcript, `"FfEe"`; or the moves, 0 to 5.
        rules: The rules that a record, a transcript or moves are played by; None for the record's
            own, and for `"abapa"`. A game has its own.
        depth: As in `oware.search.alpha_beta`, for each move.
        time: Likewise.
        nodes: Likewise.
        endgame: Likewise.
        threads: Likewise.
        progress: Whether to show a bar on standard error.
        on_move: Called with each move's review, in order.

    Raises:
        TypeError: An argument has the wrong type, or rules are given with a game.
        ValueError: The moves are not legal, an argument is out of range, or the database is of
            other rules.

    Example:
        >>> import oware
        >>> found = review("FfEeDdCcBbAaFf", depth=6)
        >>> worst = max(found.moves, key=lambda move: move.loss)
        >>> found.moves[0].letter, worst.loss >= 0
        ('F', True)
    """
    game, players = played(game_or_moves, rules)
    limits = Limits(depth, time, nodes, endgame, threads)
    moves = game.moves
    now = game.copy()
    for _ in moves:
        now.undo()
    start = now.to_string()
    stores = [now.stores]
    reviews: list[MoveReview] = []
    with Bar(len(moves), progress, "moves") as bar:
        found = limits.search(now) if moves else None
        for move in moves:
            assert found is not None  # noqa: S101 - A move was played, so there was one to find.
            one, found = rated(now, move, found, limits)
            reviews.append(one)
            now.play(move)
            stores.append(now.stores)
            bar.update()
            if on_move is not None:
                on_move(one)
    return Review(start, game.rules, tuple(reviews), result(game), tuple(stores), players)


def rate(
    game: _oware.Game,
    move: SupportsIndex,
    *,
    depth: SupportsIndex | None = None,
    time: SupportsFloat | None = None,
    nodes: SupportsIndex | None = None,
    endgame: Endgame | None = None,
    threads: SupportsIndex = 1,
) -> MoveReview:
    """Rate one move of a game that goes on, as `review` rates them all.

    Args:
        game: The game before the move, which stays as it is.
        move: The move, 0 to 5.
        depth: As in `oware.search.alpha_beta`, for the position and for the one after the move.
        time: Likewise.
        nodes: Likewise.
        endgame: Likewise.
        threads: Likewise.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The game is over, the move is not legal, an argument is out of range, or the
            database is of other rules.

    Example:
        >>> import oware
        >>> rate(oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0]), 4, depth=8).rating
        'blunder'
    """
    check_game(game)
    game.copy().play(move)  # Refuses what is not legal, before anything is searched.
    limits = Limits(depth, time, nodes, endgame, threads)
    return rated(game, move.__index__(), limits.search(game), limits)[0]


def rated(
    game: _oware.Game, move: int, found: Result, limits: Limits
) -> tuple[MoveReview, Result | None]:
    """The review of a move from what a search found before it, and what one finds after it."""
    assert found.move_values is not None  # noqa: S101 - `Limits.search` asks for them.
    value, best_value = found.move_values[move], found.move_values[found.move]
    assert value is not None and best_value is not None  # noqa: PT018, S101 - Both are legal.
    after = game.copy()
    captured = after.play(move)
    then = None if after.is_over else limits.search(after)
    loss = round(max(best_value - value, 0.0), 2)
    given_away = found.exact and sign(value) < sign(best_value)
    threat, replies = next(iter(threats(game)), None), captures(after)
    left = {reply.move: reply.seeds for reply in replies}
    review = MoveReview(
        ply=game.ply,
        seat=game.to_move,
        move=move,
        captured=captured,
        rating=rating(loss, at_least_mistake=given_away),
        loss=loss,
        value=value,
        best=found.move,
        best_value=best_value,
        values=found.move_values,
        line=continued(game, found.line, limits.endgame),
        reply_line=() if then is None else continued(after, then.line, limits.endgame),
        threat=threat,
        threat_met=None if threat is None else left.get(threat.move, 0) < threat.seeds,
        reply=replies[0] if replies else None,
        exact=found.exact,
        depth=found.depth,
    )
    return review, then


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


def played(
    game_or_moves: object, rules: _oware.Rules | RuleSetName | None
) -> tuple[_oware.Game, tuple[str, str]]:
    """The game that is meant, and who played it."""
    if isinstance(game_or_moves, _oware.Game):
        if rules is not None:
            raise TypeError("a game has its own rules; give rules with a record or moves alone")
        return game_or_moves, SEATS
    if isinstance(game_or_moves, records.Record):
        tags = game_or_moves.tags
        return game_or_moves.game(rules), (tags.get("South", "South"), tags.get("North", "North"))
    chosen = "abapa" if rules is None else rules
    if isinstance(game_or_moves, str):
        return _oware.Game.from_transcript(game_or_moves, chosen), SEATS
    if not isinstance(game_or_moves, Iterable):
        raise TypeError(
            "game_or_moves must be an oware.Game, an oware.records.Record, a transcript or moves,"
            f" not {type(game_or_moves).__name__}"
        )
    game = _oware.Game(chosen)
    for move in game_or_moves:
        game.play(move)
    return game, SEATS


def result(game: _oware.Game) -> str:
    """The result as records have it."""
    if not game.is_over:
        return "*"
    return "1/2-1/2" if game.winner is None else ("1-0", "0-1")[game.winner]
