"""Rating the moves of a game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oware import _oware, records
from oware._progress import Bar
from oware._words import SEATS
from oware.analysis._captures import captures, check_game, threats
from oware.analysis._rating import THRESHOLDS, MoveReview, rating, sign
from oware.analysis._search import Limits, continued

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsFloat, SupportsIndex

    from oware.endgame import Endgame
    from oware.search import Result
    from oware.types import Rating, RuleSetName


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
            ModuleNotFoundError: Matplotlib is missing, which the extra `notebooks` installs.

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


def played(
    game_or_moves: object, rules: _oware.Rules | RuleSetName | None
) -> tuple[_oware.Game, tuple[str, str]]:
    """The game that is meant, and who played it."""
    if isinstance(game_or_moves, _oware.Game):
        if rules is not None:
            raise TypeError("a game has its own rules; give rules with a record or moves alone")
        return game_or_moves, SEATS
    if isinstance(game_or_moves, records.Record):
        south, north = (game_or_moves.tags.get(name, "?") for name in SEATS)
        players = ("South" if south == "?" else south, "North" if north == "?" else north)
        return game_or_moves.game(rules), players
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
