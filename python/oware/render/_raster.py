"""The board as pixels."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oware.render import _font
from oware.render._overlay import overlay
from oware.render._scene import (
    FRAME,
    HEIGHT,
    LIGHT,
    SEED,
    WIDTH,
    Seeds,
    Shape,
    Stroke,
    Text,
    backdrop,
    pieces,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from oware.render._view import BoardView
    from oware.types import PageTheme

# Characters of a dot font cannot be told apart at less than a pixel a dot.
_SMALLEST_TEXT = _font.CAP_HEIGHT
_BAND = 64
# Shapes are placed to a quarter of a pixel, so that a few stamps serve all seeds.
_STEPS = 4


class _Stamp(NamedTuple):
    """A mark ready to be laid over an image: image = image * keep + ink.

    Both arrays have shape (rows, 3 * columns): red, green and blue lie side by side in a row, which
    keeps numpy's inner loops long.
    """

    keep: NDArray[np.float32]
    ink: NDArray[np.float32]


def _rgb(colour: str) -> NDArray[np.float32]:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=np.float32)


def _stamp(layers: Iterable[tuple[NDArray[np.float32], str, float]]) -> _Stamp:
    """Layers of one size, each a coverage, a colour and an opacity, from the lowest up."""
    keep: NDArray[np.float32] = np.ones((1, 1), dtype=np.float32)
    ink: NDArray[np.float32] = np.zeros((1, 1), dtype=np.float32)
    for coverage, colour, opacity in layers:
        alpha: NDArray[np.float32] = np.repeat(coverage * np.float32(opacity), 3, axis=1)
        rest = np.float32(1) - alpha
        keep = np.multiply(keep, rest, dtype=np.float32)
        paint = alpha * np.tile(_rgb(colour), coverage.shape[1])
        ink = np.add(ink * rest, paint, dtype=np.float32)
    # Half a step more, because the way back to whole numbers rounds down.
    ink += np.float32(0.5)
    return _Stamp(keep, ink)


def _coverage(
    shape: Shape, scale: float, x: NDArray[np.float32], y: NDArray[np.float32]
) -> NDArray[np.float32]:
    """How much of each pixel a shape covers; x and y are distances of pixels from its centre.

    A pixel's share is taken from its distance to the edge: half on the edge, nothing from half a
    pixel outside, everything from half a pixel inside.
    """
    w, h, radius, line = (
        np.float32(length * scale) for length in (shape.w, shape.h, shape.radius, shape.line)
    )
    # Distance to the rectangle shrunk by its radius, then grown by it again.
    out_x, out_y = np.abs(x) - (w / 2 - radius), np.abs(y) - (h / 2 - radius)
    distance = np.sqrt(np.maximum(out_x, 0) ** 2 + np.maximum(out_y, 0) ** 2)
    distance += np.minimum(np.maximum(out_x, out_y), 0) - radius
    if line:
        distance = np.abs(distance) - line / 2
    covered: NDArray[np.float32] = np.clip(np.float32(0.5) - distance, 0, 1)
    return covered


@lru_cache(maxsize=256)
def _shape_stamp(shapes: tuple[Shape, ...], scale: float, dx: float, dy: float) -> _Stamp:
    """Shapes around (0, 0), which lies (dx, dy) pixels away from the middle of the central pixel.

    The stamp has an odd number of rows and columns.
    """
    reach_x = ceil(max(abs(shape.x) + (shape.w + shape.line) / 2 for shape in shapes) * scale + 1)
    reach_y = ceil(max(abs(shape.y) + (shape.h + shape.line) / 2 for shape in shapes) * scale + 1)
    x = np.arange(-reach_x, reach_x + 1, dtype=np.float32) - np.float32(dx)
    y = np.arange(-reach_y, reach_y + 1, dtype=np.float32)[:, None] - np.float32(dy)
    return _stamp(
        (
            _coverage(
                shape, scale, x - np.float32(shape.x * scale), y - np.float32(shape.y * scale)
            ),
            shape.colour,
            shape.opacity,
        )
        for shape in shapes
    )


@lru_cache(maxsize=256)
def _glyph_stamp(char: str, dot: float, dx: float, colour: str) -> _Stamp:
    return _stamp([(_font.coverage(char, dot, dx), colour, 1.0)])


def _press(image: NDArray[np.uint8], stamp: _Stamp, left: int, top: int) -> None:
    """Lay a stamp over a (rows, 3 * columns) image, inside of which it has to lie."""
    rows, columns = stamp.keep.shape
    under = image[top : top + rows, 3 * left : 3 * left + columns]
    over = under * stamp.keep
    over += stamp.ink
    under[...] = over


def _split(place: float) -> tuple[int, float]:
    """A place as a whole pixel and a fraction that stamps are made for."""
    pixel, step = divmod(round(place * _STEPS), _STEPS)
    return pixel, step / _STEPS


def _lay(
    image: NDArray[np.uint8], shapes: tuple[Shape, ...], x: float, y: float, scale: float
) -> None:
    """Lay shapes over the image, with their (0, 0) at (x, y)."""
    # Pixel p reaches from p to p + 1; its middle is at p + 0.5.
    column, dx = _split(x * scale - 0.5)
    row, dy = _split(y * scale - 0.5)
    stamp = _shape_stamp(shapes, scale, dx, dy)
    rows, columns = stamp.keep.shape
    _press(image, stamp, column - columns // 6, row - rows // 2)


def _write(image: NDArray[np.uint8], text: Text, scale: float) -> None:
    dot = text.size * scale / _font.CAP_HEIGHT
    # Starting on a whole pixel keeps letters of one pixel a dot sharp.
    start = round(text.x * scale - _font.width(text.text) * dot / 2)
    top = round((text.y - text.size / 2) * scale)
    for char, left in _font.advances(text.text):
        column, dx = _split(start + left * dot)
        # A glyph has a border of one pixel.
        _press(image, _glyph_stamp(char, dot, dx, text.colour), column - 1, top - 1)


def _draw_stroke(image: NDArray[np.uint8], stroke: Stroke, scale: float) -> None:
    """Draw a line, as far as it lies within the image."""
    half = stroke.width * scale / 2
    points = [(x * scale, y * scale) for x, y in stroke.points]
    (left, right), (top, bottom) = (
        (
            max(int(min(point[axis] for point in points) - half) - 1, 0),
            min(ceil(max(point[axis] for point in points) + half) + 1, size),
        )
        for axis, size in ((0, image.shape[1] // 3), (1, image.shape[0]))
    )
    x = np.arange(left, right, dtype=np.float32) + np.float32(0.5)
    y = (np.arange(top, bottom, dtype=np.float32) + np.float32(0.5))[:, None]
    distance: NDArray[np.float32] = np.full((bottom - top, right - left), 1e9, dtype=np.float32)
    for (x0, y0), (x1, y1) in pairwise(points):
        run, fall = x1 - x0, y1 - y0
        along = ((x - x0) * run + (y - y0) * fall) / max(run**2 + fall**2, 1e-9)
        along = np.clip(along, 0, 1)
        away = np.hypot(x - x0 - along * run, y - y0 - along * fall)
        np.minimum(distance, away.astype(np.float32), out=distance)
    covered = np.clip(np.float32(half + 0.5) - distance, 0, 1)
    _press(image, _stamp([(covered, stroke.colour, stroke.opacity)]), left, top)


@lru_cache(maxsize=2)
def _empty_board(height: int, *, light: bool = False) -> NDArray[np.uint8]:
    scale = height / HEIGHT
    width = round(WIDTH * scale)
    # A video has no transparent corners, so the frame's colour goes all the way into them.
    image = np.tile(_rgb(LIGHT[FRAME] if light else FRAME).astype(np.uint8), (height, width))
    for shape in backdrop():
        left, right, top, bottom = (
            min(max(round((middle + side * size / 2) * scale) + side, 0), limit)
            for middle, size, limit in ((shape.x, shape.w, width), (shape.y, shape.h, height))
            for side in (-1, 1)
        )
        x = np.arange(left, right, dtype=np.float32) + np.float32(0.5 - shape.x * scale)
        colour = LIGHT.get(shape.colour, shape.colour) if light else shape.colour
        # Some shapes are as large as the picture: a few rows at a time keep the arrays small.
        for first in range(top, bottom, _BAND):
            rows = np.arange(first, min(first + _BAND, bottom), dtype=np.float32)[:, None]
            coverage = _coverage(shape, scale, x, rows + np.float32(0.5 - shape.y * scale))
            _press(image, _stamp([(coverage, colour, shape.opacity)]), left, first)
    image.flags.writeable = False
    return image


def draw(view: BoardView, height: int, theme: PageTheme) -> NDArray[np.uint8]:
    """The picture as a fresh (height, width, 3) array; nothing but `"light"` is light."""
    scale = height / HEIGHT
    light = theme == "light"
    empty = _empty_board(height, light=light)
    picture: NDArray[np.uint8] = empty.reshape(height, -1, 3).copy()
    image = picture.reshape(height, -1)
    smallest = _SMALLEST_TEXT / scale
    for drawn in chain(pieces(view, smallest=smallest), overlay(view, smallest=smallest)):
        mark = drawn
        if light and not isinstance(mark, Seeds):
            mark = mark._replace(colour=LIGHT.get(mark.colour, mark.colour))
        if isinstance(mark, Text):
            _write(image, mark, scale)
        elif isinstance(mark, Seeds):
            for x, y in mark.places:
                _lay(image, SEED, x, y, scale)
        elif isinstance(mark, Stroke):
            _draw_stroke(image, mark, scale)
        else:
            # Without its position one stamp serves every pit.
            _lay(image, (mark._replace(x=0, y=0),), mark.x, mark.y, scale)
    return picture
