"""A best move, with reasons."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oware._words import SEATS, letter, line_letters, seeds, signed
from oware.analysis._captures import captures, check_game, threats
from oware.analysis._explain import Fact, of_capture, rest, rows
from oware.analysis._search import Limits, continued

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import SupportsFloat, SupportsIndex

    from oware._oware import Game
    from oware.endgame import Endgame
    from oware.search import Result
    from oware.types import Seat


@dataclass(frozen=True)
class Hint:
    """A best move and what speaks for it.

    Args:
        seat: Whose move it is: 0 for South, 1 for North.
        move: The move, 0 to 5.
        value: The final net seeds for the mover, as in `oware.search.Result`.
        values: The value of each of the moves 0 to 5; None for one that is not legal.
        exact: Whether the values are the true ones.
        depth: The plies that were searched.
        line: Best play by both, up to 12 plies, the move first.
        reasons: What speaks for the move: facts, the weightiest first.

    Example:
        >>> import oware
        >>> found = hint(oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0]), depth=8)
        >>> found.letter, found.reasons[0].text
        ('F', 'F captures 4 seeds (a, b).')
    """

    seat: Seat
    move: int
    value: float
    values: tuple[float | None, ...]
    exact: bool
    depth: int
    line: tuple[int, ...]
    reasons: tuple[Fact, ...]

    @property
    def letter(self) -> str:
        """The move in letters: A to F for South, a to f for North."""
        return letter(self.seat, self.move)

    @property
    def line_letters(self) -> str:
        """The line as a transcript."""
        return line_letters(self.seat, self.line)

    @property
    def reason(self) -> str:
        """All reasons in words."""
        return " ".join(fact.text for fact in self.reasons)

    def __str__(self) -> str:
        """The move and the reasons."""
        return f"{self.letter}: {self.reason}"

    def _repr_html_(self) -> str:
        """The move and the reasons for Jupyter, in the page's own colours."""
        reason = html.escape(self.reason)
        return f'<p style="color:inherit"><strong>{self.letter}</strong>: {reason}</p>'


def hint(
    game: Game,
    *,
    depth: SupportsIndex | None = None,
    time: SupportsFloat | None = None,
    nodes: SupportsIndex | None = None,
    endgame: Endgame | None = None,
    threads: SupportsIndex = 1,
) -> Hint:
    """Advise a best move, and say what speaks for it.

    Args:
        game: The game, which stays as it is.
        depth: As in `oware.search.alpha_beta`; without any limit, 14 plies.
        time: Likewise.
        nodes: Likewise.
        endgame: Likewise.
        threads: Likewise.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The game is over, an argument is out of range, or the database is of other
            rules.

    Example:
        >>> import oware
        >>> found = hint(oware.Game(pits=[1, 1, 4, 0, 0, 0, 0, 1, 0, 0, 1, 2]), depth=8)
        >>> any(fact.kind == "saves" for fact in found.reasons)
        True
    """
    check_game(game)
    found = Limits(depth, time, nodes, endgame, threads).search(game)
    assert found.move_values is not None  # noqa: S101 - `Limits.search` asks for them.
    return Hint(
        seat=game.to_move,
        move=found.move,
        value=found.value,
        values=found.move_values,
        exact=found.exact,
        depth=found.depth,
        line=continued(game, found.line, endgame),
        reasons=(*reasons(game, found.move), *outlook(game, found)),
    )


def reasons(game: Game, move: int) -> Iterator[Fact]:
    """What a legal move does at once."""
    mover, other = game.to_move, SEATS[1 - game.to_move]
    name, legal = letter(mover, move), game.legal_moves()
    if legal == [move]:
        yield Fact("only", f"{name} is the only legal move.", mover, (move,))
    after = game.copy()
    after.play(move)
    if after.is_over:
        yield Fact("ends", f"{name} ends the game: {after.status()}.", mover, (move,))
    for capture in captures(game):
        if capture.move == move:
            yield of_capture("capture", f"{capture}{rest(game, capture)}.", capture)
    _, theirs = rows(game)
    if not any(theirs) and any(rows_after(after, mover)):
        yield Fact("feeds", f"{name} feeds {other}, who has no seed.", mover, (move,))
    if after.is_over:
        return
    threat, reply = threats(game)[:1], captures(after)[:1]
    left = reply[0].seeds if reply else 0
    if threat and left < threat[0].seeds:
        now = f"at most {seeds(left)}" if left else "nothing"
        text = f"{name} meets a threat: {threat[0]}; after it {other} can capture {now} at once."
        saved = threat[0].seeds - left
        yield Fact("saves", text, mover, (move,), threat[0].pits, saved)
    elif not reply:
        text = f"{name} leaves {other} nothing to capture at once."
        yield Fact("safe", text, mover, (move,))
    ahead = threats(after)[:1]
    if ahead:
        text = f"{name} threatens more: {ahead[0]}."
        yield Fact("threatens", text, mover, (move, ahead[0].move), ahead[0].pits, ahead[0].seeds)


def rows_after(after: Game, mover: int) -> tuple[int, ...]:
    """The opponent's pits after a move."""
    return after.pits[:6] if mover else after.pits[6:]


def outlook(game: Game, found: Result) -> Iterator[Fact]:
    """What the search says of a move."""
    mover = game.to_move
    others = [
        value
        for move, value in enumerate(found.move_values or ())
        if value is not None and move != found.move
    ]
    far = "" if found.exact else f", as far as {found.depth} plies show"
    if others and found.value - max(others) >= 1:
        less = found.value - max(others)
        told = seeds(int(less)) if less == int(less) else f"{less:.1f} seeds"
        yield Fact("margin", f"Any other move is worth at least {told} less{far}.", mover)
    text = f"With best play {SEATS[mover]} ends with {signed(found.value)} net seeds{far}."
    yield Fact("value", text, mover, (found.move,))
