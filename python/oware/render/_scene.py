"""The board as a list of simple marks, drawn alike by the SVG writer and the rasteriser.

Lengths are in units of 1/240 of the picture's height; x runs to the right, y downwards. North's
pits 11 down to 6 stand above South's pits 0 to 5, each player's store is at their right hand, so
sowing runs counter-clockwise.
"""

from __future__ import annotations

from itertools import chain
from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING, NamedTuple

from oware.render import _font
from oware.render._view import LETTERS, SEATS, BoardView

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH, HEIGHT = 640, 240

FRAME = "#3d2616"
BOARD = "#c2935c"
BOARD_LIGHT = "#d9b07c"
GRAIN = "#8a5a2e"
HOLLOW = "#4a2c17"
HOLLOW_LIGHT = "#9c6a3c"
INK = "#2e1a0c"
CREAM = "#f3e6cf"
DIM = "#a88c6c"
TURN = "#f2b84b"
CAPTION = "#f4e7d0"
LAST_MOVE = "#14567a"
CAPTURED = "#a3231a"

LIGHT = {FRAME: "#f6ecdc", DIM: "#7d603f", TURN: "#9a5a00", CAPTION: "#2e1a0c"}
"""What the colours around the board are on a light page; the wood is the same."""

COUNT_SIZE = 14.0
PIT_RADIUS = 29.5
_MARK_RADIUS = PIT_RADIUS + 2.5
_PIT_X = tuple(320 + 77 * (column - 2.5) for column in range(6))
_PIT_Y = (142.0, 74.0)
_LETTERS_Y = (207.0, 9.0)
_STORE_SIZE = (64.0, 136.0)
_STORE_AT = ((590.0, 95.0), (50.0, 121.0))


class Shape(NamedTuple):
    """A rounded rectangle around (x, y); with `line`, only its outline of that width."""

    x: float
    y: float
    w: float
    h: float
    radius: float
    colour: str
    opacity: float = 1.0
    line: float = 0.0


class Text(NamedTuple):
    """A line of text with the middle of its capitals at (x, y); `size` is their height."""

    x: float
    y: float
    size: float
    text: str
    colour: str


class Seeds(NamedTuple):
    """Seeds at these places, none of which overlap; each looks like `SEED`."""

    places: tuple[tuple[float, float], ...]


class Stroke(NamedTuple):
    """A line of this width through points, with round joints and ends."""

    points: tuple[tuple[float, float], ...]
    width: float
    colour: str
    opacity: float = 1.0


Mark = Shape | Text | Seeds | Stroke


def pit_at(pit: int) -> tuple[float, float]:
    """The centre of an absolute pit."""
    return (_PIT_X[pit], _PIT_Y[0]) if pit < 6 else (_PIT_X[11 - pit], _PIT_Y[1])


def _disc(
    x: float, y: float, r: float, colour: str, opacity: float = 1.0, line: float = 0.0
) -> Shape:
    return Shape(x, y, 2 * r, 2 * r, r, colour, opacity, line)


SEED_RADIUS = 6.6
SEED = (
    _disc(0, 0, SEED_RADIUS, "#2b1a0e"),
    _disc(0, 0, SEED_RADIUS - 0.9, "#cfc9b2"),
    _disc(-1.6, -1.8, 2.4, "#f4f1e4", 0.9),
)
"""The parts of a seed, around (0, 0)."""


def _hollows() -> Iterator[Shape]:
    """Pits and stores, lit from above: the floor grows lighter towards the lower rim."""
    holes = [(*at, *_STORE_SIZE, 27.0) for at in _STORE_AT]
    holes += [(*pit_at(pit), 2 * PIT_RADIUS, 2 * PIT_RADIUS, PIT_RADIUS) for pit in range(12)]
    for x, y, w, h, radius in holes:
        yield Shape(x, y + 1.5, w + 2, h + 2, radius + 1, BOARD_LIGHT, 0.8)
    for x, y, w, h, radius in holes:
        yield Shape(x, y, w, h, radius, HOLLOW)
    for x, y, w, h, radius in holes:
        for step in range(1, 7):
            inset = 3.0 * step
            yield Shape(
                x, y + 0.55 * inset, w - inset, h - inset, radius - inset / 2, HOLLOW_LIGHT, 0.1
            )


def backdrop() -> Iterator[Shape]:
    """The empty board, the same in every picture."""
    yield Shape(320, 120, 640, 240, 12, FRAME)
    yield Shape(320, 108, 624, 176, 10, INK)
    yield Shape(320, 108, 622, 174, 9, BOARD_LIGHT)
    yield Shape(320, 109, 622, 172, 9, BOARD)
    for line in range(42):
        # Multiples of irrational numbers scatter the grain evenly and alike every time.
        length = 60 + 240 * (line * sqrt(2) % 1)
        x = 14 + length / 2 + (612 - length) * (line * sqrt(3) % 1)
        y = 26 + 4.0 * line
        yield Shape(x, y, length, 0.8 + 0.8 * (line * sqrt(5) % 1), 0.4, GRAIN, 0.16)
    yield from _hollows()


# How many seeds of a pit that holds 0 to 12 lie on its outer ring; the others lie within.
_OUTER = (0, 0, 0, 0, 0, 0, 5, 6, 7, 7, 7, 8, 9)
_FLOOR = 12


def _ring(count: int, radius: float, turn: float) -> Iterator[tuple[float, float]]:
    for place in range(count):
        angle = turn + 2 * pi * place / count
        yield radius * cos(angle), radius * sin(angle)


def _pit_seeds(pit: int, count: int) -> list[tuple[float, float]]:
    """Where the seeds of a pit lie: twelve on the floor, then up to seven more on top of them."""
    x, y = pit_at(pit)
    turn = 2.4 * pit + 0.7
    floor = min(count, _FLOOR)
    outer = _OUTER[floor]
    inner = floor - outer
    # Neighbours on a ring just do not touch, nor do the rings.
    near = 0.0 if inner == 1 else SEED_RADIUS / sin(pi / max(inner, 2))
    far = max(SEED_RADIUS / sin(pi / max(outer, 2)), near + 2 * SEED_RADIUS)
    places = [*_ring(outer, far, turn), *_ring(inner, near, turn + 0.35)]
    heap = min(count - floor, 7)
    if heap in (1, 7):
        places.append((0.0, 0.0))
    if heap > 1:
        places += _ring(min(heap, 6), 13.0, turn + 0.9)
    return [(x + dx, y + dy) for dx, dy in places]


def _store_seeds(seat: int, count: int) -> list[tuple[float, float]]:
    """Where the seeds of a store lie: rows of three and of four, from the bottom up."""
    x, y = _STORE_AT[seat]
    bottom = y + _STORE_SIZE[1] / 2
    places = [
        (x + 13.6 * (column - (across - 1) / 2), bottom - 12.0 - 12.0 * row)
        for row in range(10)
        for across in (3 + row % 2,)
        for column in range(across)
    ]
    return places[:count]


def _wide(text: str) -> float:
    """Width of a text over its height."""
    return max(_font.width(text), 1) / _font.CAP_HEIGHT


def fitted(x: float, y: float, size: float, text: str, colour: str, room: float) -> Text:
    """Text made smaller where it would not fit into `room`."""
    return Text(x, y, min(size, room / _wide(text)), text, colour)


def pieces(view: BoardView, *, smallest: float = 0.0) -> Iterator[Mark]:
    """What differs from picture to picture: marks, seeds, counts and letters.

    `smallest` is the least size of legible text. Letters grow to it; where even the counts would
    have to, there is no room for letters and seeds, and the counts stand in the pits instead.
    """
    if view.last_move is not None:
        yield _disc(*pit_at(view.last_move), _MARK_RADIUS, LAST_MOVE, line=4)
    for pit in view.captured:
        x, y = pit_at(pit)
        for dx, dy in _ring(20, _MARK_RADIUS, 0.0):
            yield _disc(x + dx, y + dy, 2.4, CAPTURED)
    if not view.is_over:
        yield Shape(320, (198, 18)[view.to_move], 460, 3, 1.5, TURN)
    yield from _numbers(view) if smallest > COUNT_SIZE else _details(view, smallest)


def _numbers(view: BoardView) -> Iterator[Mark]:
    """Counts in pits and stores and nothing else."""
    places = [*map(pit_at, range(12)), *_STORE_AT]
    for (x, y), count in zip(places, (*view.pits, *view.stores), strict=True):
        number = fitted(x, y, 2 * COUNT_SIZE, str(count), CREAM, 72)
        # Three digits are wider than a pit and need its dark floor beyond the rim.
        yield Shape(x, y, number.size * _wide(number.text), 32, 0, HOLLOW)
        yield number


def _details(view: BoardView, smallest: float) -> Iterator[Mark]:
    """Seeds, counts beside pits and stores, letters, names and the caption."""
    pits = [_pit_seeds(pit, count) for pit, count in enumerate(view.pits)]
    stores = [_store_seeds(seat, count) for seat, count in enumerate(view.stores)]
    yield Seeds(tuple(chain(*(places[:_FLOOR] for places in pits), *stores)))
    yield Seeds(tuple(chain(*(places[_FLOOR:] for places in pits))))

    letter_size = max(9.0, smallest)
    colours = [TURN if seat == view.to_move and not view.is_over else DIM for seat in range(2)]
    for pit, count in enumerate(view.pits):
        x, y = pit_at(pit)
        seat = pit // 6
        yield fitted(x, y + (42.5, -42.5)[seat], COUNT_SIZE, str(count), INK, 72)
        yield Text(x, _LETTERS_Y[seat], letter_size, LETTERS[pit], colours[seat])
    for seat, count in enumerate(view.stores):
        x = _STORE_AT[seat][0]
        yield fitted(x, (180, 36)[seat], 18, str(count), INK, 60)
        yield Text(x, _LETTERS_Y[seat], letter_size, SEATS[seat], colours[seat])
    yield fitted(320, 226, max(13.0, smallest), view.caption, CAPTION, 520)
