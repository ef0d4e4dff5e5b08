"""What is drawn over a board: arrows, and what each move is worth."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING

from oware.render._scene import (
    CAPTURED,
    COUNT_SIZE,
    HOLLOW,
    INK,
    TURN,
    Mark,
    Shape,
    Stroke,
    fitted,
    pit_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware.render._view import Arrow, BoardView

ARROWS = {"move": "#2f86bd", "best": "#3f9a4a", "threat": "#d8402f"}
_GAIN, _LOSS = "#3c8c46", CAPTURED
_STEPS = 20
_HEAD = 13.0
_BULGE = 24.0
# Bars are at full length at this many seeds, or at the largest value where that is more.
_LEAST_SCALE = 4.0
_BAR = 25.0


def _curve(arrow: Arrow) -> list[tuple[float, float]]:
    """From pit to pit, bent outwards as seen from the middle of the sowing."""
    (x0, y0), (x1, y1) = pit_at(arrow.start), pit_at(arrow.end)
    length = hypot(x1 - x0, y1 - y0)
    bulge = min(0.25 * length, _BULGE) * 2 / length
    cx, cy = (x0 + x1) / 2 - bulge * (y1 - y0), (y0 + y1) / 2 + bulge * (x1 - x0)
    shares = [step / _STEPS for step in range(_STEPS + 1)]
    return [
        (
            (1 - t) ** 2 * x0 + 2 * t * (1 - t) * cx + t**2 * x1,
            (1 - t) ** 2 * y0 + 2 * t * (1 - t) * cy + t**2 * y1,
        )
        for t in shares
    ]


def _arrow(arrow: Arrow) -> Iterator[Mark]:
    points = _curve(arrow)
    (x0, y0), (x1, y1) = points[-4], points[-1]
    length = hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    head = tuple(
        (x1 - _HEAD * ux - side * 0.62 * _HEAD * uy, y1 - _HEAD * uy + side * 0.62 * _HEAD * ux)
        for side in (1, -1)
    )
    tip = (head[0], (x1, y1), head[1])
    for width, colour in ((8.5, INK), (5.0, ARROWS[arrow.kind])):
        yield Stroke(tuple(points), width, colour)
        yield Stroke(tip, width, colour)


def _bars(view: BoardView, values: tuple[float | None, ...], smallest: float) -> Iterator[Mark]:
    """A bar to the left of each pit of the mover, and its value beside the letter."""
    known = [abs(value) for value in values if value is not None]
    scale = max([_LEAST_SCALE, *known])
    for move, value in enumerate(values):
        if value is None:
            continue
        pit = 6 * view.to_move + move
        x, y = pit_at(pit)
        at = x - 38.5
        yield Shape(at, y, 7, 2 * _BAR + 4, 3.5, HOLLOW)
        length = _BAR * abs(value) / scale
        if length > 0:
            middle = y - length / 2 if value > 0 else y + length / 2
            colour = _GAIN if value > 0 else _LOSS
            yield Shape(at, middle, 4, length, min(2.0, length / 2), colour)
        yield Shape(at, y, 9, 1.4, 0.7, "#f3e6cf")
        if smallest <= COUNT_SIZE:
            letters_y = 207.0 if view.to_move == 0 else 9.0
            text = f"{value:+.1f}".removesuffix(".0")
            yield fitted(x + 24, letters_y, max(9.0, smallest), text, TURN, 30)


def overlay(view: BoardView, *, smallest: float = 0.0) -> Iterator[Mark]:
    """Bars first, arrows on top; `smallest` is the least size of legible text."""
    if view.values is not None:
        yield from _bars(view, view.values, smallest)
    for arrow in view.arrows:
        yield from _arrow(arrow)
