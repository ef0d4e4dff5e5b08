"""The board as text for a terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from oware.render._view import LETTERS, SEATS

if TYPE_CHECKING:
    from oware.render._view import BoardView

_BRIGHT, _DIM, _BLUE, _RED = "1", "2", "1;94", "1;91"


def has_colour() -> bool:
    """Whether standard output shows colours, by the variables that most programs obey."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    # Inside some editors and under pythonw there is no standard output at all.
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal and os.environ.get("TERM") != "dumb"


def _painted(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colour and style else text


def draw(view: BoardView, colour: bool) -> str:
    """Five lines, as `str` has them of a game, the letters and pits of each seat in its style."""
    seat_styles = [
        _BRIGHT if seat == view.to_move and not view.is_over else _DIM for seat in range(2)
    ]

    def pit(place: int) -> str:
        style = seat_styles[place // 6]
        if place == view.last_move:
            style = _BLUE
        elif place in view.captured:
            style = _RED
        return _painted(f"[{view.pits[place]:3}]", style, colour)

    def letters(row: range) -> str:
        names = "    ".join(LETTERS[place] for place in row)
        return " " * 12 + _painted(names, seat_styles[row[0] // 6], colour)

    south, north = range(6), range(11, 5, -1)
    stores = [f"{count:3}" for count in view.stores]
    names = [_painted(SEATS[seat], seat_styles[seat], colour) for seat in range(2)]
    lines = [
        letters(north),
        f"{names[1]} {stores[1]} {''.join(map(pit, north))}",
        f"{' ' * 10}{''.join(map(pit, south))} {stores[0]} {names[0]}",
        letters(south),
        view.caption,
    ]
    return "\n".join(lines)
