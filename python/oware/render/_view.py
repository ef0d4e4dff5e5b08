"""What a picture shows of a game, apart from how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from operator import index
from typing import TYPE_CHECKING, Protocol

from oware._counts import told

if TYPE_CHECKING:
    from oware.types import ArrowKind

SEATS = ("South", "North")
LETTERS = "ABCDEFabcdef"
"""The name of every absolute pit: A to F are South's, a to f North's."""


class SupportsBoard(Protocol):
    """A game that can be drawn; `oware.Game` is one."""

    @property
    def pits(self) -> tuple[int, ...]:
        """Seeds in the 12 absolute pits: South's 0 to 5, then North's 6 to 11."""
        ...

    @property
    def stores(self) -> tuple[int, int]:
        """Seeds in South's and in North's store."""
        ...

    @property
    def to_move(self) -> int:
        """0 for South, 1 for North."""
        ...

    @property
    def last_move(self) -> int | None:
        """Absolute pit that the last move was sown from."""
        ...

    @property
    def last_captures(self) -> tuple[int, ...]:
        """Absolute pits that the last move captured."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        ...

    @property
    def termination(self) -> str | None:
        """Name of the rule that ended the game."""
        ...

    @property
    def winner(self) -> int | None:
        """0 for South, 1 for North, None for a draw or a game that goes on."""
        ...


ARROW_KINDS = ("move", "best", "threat")


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from one absolute pit to another.

    `kind` chooses its colour: blue for `"move"`, green for `"best"`, red for `"threat"`.

    Raises `ValueError` where a pit is none, both are one, or the kind is unknown.

    >>> Arrow(2, 6, kind="best")
    Arrow(start=2, end=6, kind='best')
    """

    start: int
    end: int
    kind: ArrowKind = "move"

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", index(self.start))
        object.__setattr__(self, "end", index(self.end))
        for name, pit in (("start", self.start), ("end", self.end)):
            if pit not in range(12):
                raise ValueError(f"{name} is {told(pit)}, give a pit from 0 to 11")
        if self.start == self.end:
            raise ValueError(f"start and end are both {self.start}, give two pits")
        kind: object = self.kind
        if not isinstance(kind, str) or kind not in ARROW_KINDS:
            raise ValueError(f"kind is {kind!r}, give {', '.join(map(repr, ARROW_KINDS))}")


@dataclass(frozen=True, slots=True)
class BoardView:
    """What a picture shows of a game.

    `pits` are the 12 absolute pits in sowing order, South's 0 to 5 and North's 6 to 11; `stores`
    are South's and North's; `to_move` is 0 for South and 1 for North. `last_move` is the absolute
    pit that the last move was sown from, `captured` are those it emptied. `caption` is one line
    under the board. With `is_over`, nobody is shown to be on the move. `arrows` lie over the board.
    `values` are what the mover's six moves are worth, in seeds, None for one without a value: each
    gets a bar beside its pit, up for a gain and down for a loss.

    Raises `ValueError` with every reason why there is no such board.

    >>> BoardView(pits=(4,) * 12, stores=(0, 0), to_move=0, caption="South to move").pits[3]
    4
    """

    pits: tuple[int, ...]
    stores: tuple[int, int]
    to_move: int
    last_move: int | None = None
    captured: tuple[int, ...] = ()
    caption: str = ""
    is_over: bool = False
    arrows: tuple[Arrow, ...] = ()
    values: tuple[float | None, ...] | None = None

    def __post_init__(self) -> None:
        # Numpy's integers are welcome, but later arithmetic must not wrap around at 256.
        pits, stores, captured = (
            tuple(index(n) for n in values) for values in (self.pits, self.stores, self.captured)
        )
        object.__setattr__(self, "pits", pits)
        object.__setattr__(self, "stores", stores)
        object.__setattr__(self, "captured", captured)
        object.__setattr__(self, "to_move", index(self.to_move))
        if self.last_move is not None:
            object.__setattr__(self, "last_move", index(self.last_move))
        object.__setattr__(self, "is_over", bool(self.is_over))
        if not isinstance(self.caption, str):
            raise TypeError(f"caption must be a str, not {type(self.caption).__name__}")
        arrows = tuple(self.arrows)
        object.__setattr__(self, "arrows", arrows)
        for arrow in arrows:
            if not isinstance(arrow, Arrow):
                raise TypeError(f"arrows must be of Arrow, not {type(arrow).__name__}")
        values = self.values
        if values is not None:
            values = tuple(None if value is None else float(value) for value in values)
            object.__setattr__(self, "values", values)

        reasons = []
        if len(pits) != 12:
            reasons.append(f"pits has {len(pits)} entries, give 12")
        if len(stores) != 2:
            reasons.append(f"stores has {len(stores)} entries, give 2")
        if min((*pits, *stores), default=0) < 0:
            reasons.append("a pit or a store holds fewer than 0 seeds")
        if self.to_move not in (0, 1):
            reasons.append(f"to_move is {told(self.to_move)}, give 0 for South or 1 for North")
        if self.last_move is not None and self.last_move not in range(12):
            reasons.append(f"last_move is {told(self.last_move)}, give a pit from 0 to 11 or None")
        no_pits = ", ".join(told(pit) for pit in captured if pit not in range(12))
        if no_pits:
            reasons.append(f"captured has {no_pits}, give pits from 0 to 11")
        if values is not None and len(values) != 6:
            reasons.append(f"values has {len(values)} entries, give 6")
        if not all(value is None or isfinite(value) for value in values or ()):
            reasons.append(f"values is {values}, give finite numbers or None")
        if not self.caption.isprintable():
            reasons.append(f"caption is {self.caption!r}, give one line of printable characters")
        if reasons:
            raise ValueError("; ".join(reasons))

    @classmethod
    def of(cls, game: SupportsBoard) -> BoardView:
        """Take the view of a game as it stands; its caption says whose turn it is or who won.

        >>> from types import SimpleNamespace
        >>> game = SimpleNamespace(
        ...     pits=(0,) * 12, stores=(21, 27), to_move=0, last_move=8, last_captures=(0, 1),
        ...     is_over=True, termination="majority", winner=1)
        >>> BoardView.of(game).caption
        'North wins 27-21 (majority)'
        """
        return cls(
            pits=game.pits,
            stores=game.stores,
            to_move=game.to_move,
            last_move=game.last_move,
            captured=game.last_captures,
            caption=_caption(game),
            is_over=game.is_over,
        )


def _caption(game: SupportsBoard) -> str:
    if not game.is_over:
        return f"{SEATS[game.to_move]} to move"
    best, other = max(game.stores), min(game.stores)
    result = "Draw" if game.winner is None else f"{SEATS[game.winner]} wins"
    reason = f" ({game.termination.replace('_', ' ')})" if game.termination else ""
    return f"{result} {best}-{other}{reason}"


def describe(view: BoardView) -> str:
    """What the picture of a board shows, in words."""
    parts = ["Oware board."]
    for seat, name in enumerate(SEATS):
        row = slice(6 * seat, 6 * seat + 6)
        seeds = ", ".join(map(str, view.pits[row]))
        ends = f"{LETTERS[row][0]} to {LETTERS[row][-1]}"
        parts.append(f"{name}: {view.stores[seat]} in store, pits {ends} hold {seeds}.")
    if view.last_move is not None:
        parts.append(f"Last move: {LETTERS[view.last_move]}.")
    if view.captured:
        parts.append(f"Captured: {', '.join(LETTERS[pit] for pit in view.captured)}.")
    if view.values is not None:
        worth = ", ".join(
            f"{LETTERS[6 * view.to_move + move]} {value:+.1f}"
            for move, value in enumerate(view.values)
            if value is not None
        )
        parts.append(f"Moves are worth: {worth}." if worth else "No move has a value.")
    names = {"move": "Arrow", "best": "Best move", "threat": "Threat"}
    parts += [
        f"{names[arrow.kind]}: {LETTERS[arrow.start]} to {LETTERS[arrow.end]}."
        for arrow in view.arrows
    ]
    turn = "" if view.is_over else f"{SEATS[view.to_move]} to move"
    # A caption usually says whose turn it is; it is not said twice.
    parts += [f"{line}." for line in dict.fromkeys((turn, view.caption)) if line]
    return " ".join(parts)
