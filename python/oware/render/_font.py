"""A small bitmap font, drawn for this package, and its smooth enlargement.

Every glyph is a grid of dots, 5 wide and 7 high above the baseline, with two rows below it for
descenders. A glyph is not enlarged dot by dot: neighbouring dots are joined by strokes with round
ends, so letters are crisp at one pixel a dot and smooth at twenty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

CAP_HEIGHT = 7
"""Height of a capital or a digit, in dots."""

_ROWS = 9
_PITCH = 6
_STROKE = 0.57
"""Half the width of a stroke, in dots."""
_MISSING = "\ufffd"

# Each block is a line of characters and below every character its dots.
_SHEET = """\
0     1     2     3     4     5     6     7     8     9     -     +     /
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###. ..... ..... ....#
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...# ..... ..#.. ....#
#...# ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...# ..... ..#.. ...#.
#...# ..#.. ...#. ..##. #..#. ....# ####. ...#. .###. .#### .###. ##### ..#..
#...# ..#.. ..#.. ....# ##### ....# #...# ..#.. #...# ....# ..... ..#.. .#...
#...# ..#.. .#... #...# ...#. #...# #...# ..#.. #...# ....# ..... ..#.. #....
.###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .###. ..... ..... #....

A     B     C     D     E     F     G     H     I     J     K     L     M
..#.. ####. .###. ####. ##### ##### .###. #...# .###. ..### #...# #.... #...#
.#.#. #...# #...# #...# #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.##
#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.#
#...# ####. #.... #...# ####. ####. #..## ##### ..#.. ...#. ##... #.... #...#
##### #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...#
#...# #...# #...# #...# #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...#
#...# ####. .###. ####. ##### #.... .###. #...# .###. .##.. #...# ##### #...#

N     O     P     Q     R     S     T     U     V     W     X     Y     Z
#...# .###. ####. .###. ####. .###. ##### #...# #...# #...# #...# #...# #####
##..# #...# #...# #...# #...# #...# ..#.. #...# #...# #...# #...# #...# ....#
#.#.# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. .#.#. ...#.
#..## #...# ####. #...# ####. .###. ..#.. #...# #...# #...# ..#.. ..#.. ..#..
#...# #...# #.... #.#.# #.#.. ....# ..#.. #...# .#.#. #.#.# .#.#. ..#.. .#...
#...# #...# #.... #..#. #..#. #...# ..#.. #...# .#.#. ##.## #...# ..#.. #....
#...# .###. #.... .##.# #...# .###. ..#.. .###. ..#.. #...# #...# ..#.. #####

a     b     c     d     e     f     g     h     i     j     k     l     m
..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#. #.... .##.. .....
..... #.... ..... ....# ..... .#... ..... #.... ..... ..... #.... ..#.. .....
.###. ####. .###. .#### .###. ####. .#### ####. .##.. ..##. #..#. ..#.. ##.#.
....# #...# #...# #...# #...# .#... #...# #...# ..#.. ...#. #.#.. ..#.. #.#.#
.#### #...# #.... #...# ##### .#... #...# #...# ..#.. ...#. ##... ..#.. #.#.#
#...# #...# #...# #...# #.... .#... #...# #...# ..#.. ...#. #.#.. ..#.. #.#.#
.#### ####. .###. .#### .###. .#... .#### #...# .###. ...#. #..#. .###. #.#.#
..... ..... ..... ..... ..... ..... ....# ..... ..... #..#. ..... ..... .....
..... ..... ..... ..... ..... ..... .###. ..... ..... .##.. ..... ..... .....

n     o     p     q     r     s     t     u     v     w     x     y     z
..... ..... ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... .....
..... ..... ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... .....
####. .###. ####. .#### #.##. .#### ####. #...# #...# #.#.# #...# #...# #####
#...# #...# #...# #...# ##... #.... .#... #...# #...# #.#.# .#.#. #...# ...#.
#...# #...# #...# #...# #.... .###. .#... #...# #...# #.#.# ..#.. #...# ..#..
#...# #...# #...# #...# #.... ....# .#..# #...# .#.#. #.#.# .#.#. #...# .#...
#...# .###. ####. .#### #.... ####. ..##. .#### ..#.. .#.#. #...# .#### #####
..... ..... #.... ....# ..... ..... ..... ..... ..... ..... ..... ....# .....
..... ..... #.... ....# ..... ..... ..... ..... ..... ..... ..... .###. .....

(     )     .     ,     :     '     !     ?     =     %     \ufffd
..##. .##.. ..... ..... ..... ..#.. ..#.. .###. ..... ##..# #####
.#... ...#. ..... ..... ..... ..#.. ..#.. #...# ..... ##..# #...#
.#... ...#. ..... ..... ..#.. ..... ..#.. ....# ##### ...#. #...#
.#... ...#. ..... ..... ..... ..... ..#.. ...#. ..... ..#.. #...#
.#... ...#. ..... ..... ..... ..... ..#.. ..#.. ##### .#... #...#
.#... ...#. ..... ..... ..... ..... ..... ..... ..... #..## #...#
..##. .##.. ..#.. ..#.. ..#.. ..... ..#.. ..#.. ..... #..## #####
..... ..... ..... .#... ..... ..... ..... ..... ..... ..... .....
"""

_Segment = tuple[int, int, int, int]


def _read_sheet() -> dict[str, tuple[str, ...]]:
    """Cut the sheet into glyphs without empty columns at the sides."""
    glyphs: dict[str, tuple[str, ...]] = {" ": ("...",)}
    for block in _SHEET.split("\n\n"):
        header, *rows = block.splitlines()
        for left in range(0, len(header), _PITCH):
            cell = [row[left : left + _PITCH - 1] for row in rows]
            used = [x for x in range(_PITCH - 1) if any(row[x] == "#" for row in cell)]
            glyphs[header[left]] = tuple(row[used[0] : used[-1] + 1] for row in cell)
    return glyphs


_GLYPHS = _read_sheet()


def _glyph(char: str) -> tuple[str, ...]:
    return _GLYPHS.get(char, _GLYPHS[_MISSING])


def _segments(char: str) -> list[_Segment]:
    """The strokes of a glyph, as segments (x0, y0, x1, y1) between the centres of dots.

    Diagonal neighbours are joined only where no dot already leads around the corner; a dot
    without neighbours is a segment of no length.
    """
    rows = _glyph(char)
    on = {(x, y) for y, row in enumerate(rows) for x, dot in enumerate(row) if dot == "#"}
    strokes: list[_Segment] = []
    for x, y in sorted(on):
        strokes.append((x, y, x, y))
        strokes += [(x, y, *end) for end in ((x + 1, y), (x, y + 1)) if end in on]
        for step in (-1, 1):
            if (x + 1, y + step) in on and not {(x + 1, y), (x, y + step)} & on:
                strokes.append((x, y, x + 1, y + step))
    return strokes


def advances(text: str) -> Iterator[tuple[str, int]]:
    """The characters of a line of text, each with the dots that lie to its left."""
    left = 0
    for char in text:
        yield char, left
        left += len(_glyph(char)[0]) + 1


def width(text: str) -> int:
    """Width of a line of text, in dots; one empty column stands between two glyphs."""
    return max(sum(len(_glyph(char)[0]) + 1 for char in text) - 1, 0)


def coverage(char: str, dot: float, dx: float) -> NDArray[np.float32]:
    """How much of each pixel a character covers, at `dot` pixels a dot, as a (rows, columns) array.

    The array has a border of one pixel. The glyph's left edge is `1 + dx` pixels from the left,
    its baseline `1 + 7 * dot` pixels from the top.
    """
    tall, wide = int(np.ceil(_ROWS * dot)) + 2, int(np.ceil(width(char) * dot + dx)) + 2
    # Pixel centres in dots, from the centre of the glyph's top left dot.
    x = (np.arange(wide, dtype=np.float32) - np.float32(0.5 + dx)) / np.float32(dot) - np.float32(
        0.5
    )
    y = ((np.arange(tall, dtype=np.float32) - np.float32(0.5)) / np.float32(dot) - np.float32(0.5))[
        :, None
    ]
    ink = np.zeros((tall, wide), dtype=np.float32)
    for x0, y0, x1, y1 in _segments(char):
        # Distance to the nearest point of the segment.
        run, fall = x1 - x0, y1 - y0
        along = np.clip(((x - x0) * run + (y - y0) * fall) / max(run**2 + fall**2, 1), 0, 1)
        distance = np.hypot(x - x0 - along * run, y - y0 - along * fall) * np.float32(dot)
        np.maximum(ink, np.clip(np.float32(_STROKE * dot + 0.5) - distance, 0, 1), out=ink)
    return ink
