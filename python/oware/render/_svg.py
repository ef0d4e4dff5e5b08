"""The board as SVG text."""

from __future__ import annotations

from functools import cache
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from oware.render._scene import HEIGHT, SEED, WIDTH, Mark, Seeds, Shape, Text, backdrop, pieces
from oware.render._view import BoardView, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
# Height of a capital as a share of the font size; these fonts agree within a few per cent.
_CAP_SHARE = 0.72


def _attributes(**values: float) -> str:
    return " ".join(f'{name}="{round(value, 2):g}"' for name, value in values.items())


def _look(mark: Shape | Text) -> str:
    """The attributes that marks of one look share."""
    if isinstance(mark, Text):
        size = round(mark.size / _CAP_SHARE, 2)
        return f'fill="{mark.colour}" font-size="{size:g}"'
    paint = "stroke" if mark.line else "fill"
    look = f'{paint}="{mark.colour}"'
    if mark.opacity < 1:
        look += f' {paint}-opacity="{mark.opacity:g}"'
    if mark.line:
        look += f' fill="none" stroke-width="{mark.line:g}"'
    return look


def _element(mark: Shape | Text) -> str:
    if isinstance(mark, Text):
        return f"<text {_attributes(x=mark.x, y=mark.y + mark.size / 2)}>{escape(mark.text)}</text>"
    if mark.w == mark.h == 2 * mark.radius:
        return f"<circle {_attributes(cx=mark.x, cy=mark.y, r=mark.radius)}/>"
    x, y = mark.x - mark.w / 2, mark.y - mark.h / 2
    return f"<rect {_attributes(x=x, y=y, width=mark.w, height=mark.h, rx=mark.radius)}/>"


def _without_seeds(marks: Iterable[Mark]) -> Iterator[Shape | Text]:
    """The marks, with seeds taken apart: the same part of all of them has one look."""
    for mark in marks:
        if isinstance(mark, Seeds):
            for part in SEED:
                yield from (part._replace(x=part.x + x, y=part.y + y) for x, y in mark.places)
        else:
            yield mark


def _groups(marks: Iterable[Mark]) -> str:
    """Elements in the order of the marks, neighbours of one look in one group."""
    groups = groupby(_without_seeds(marks), key=_look)
    return "\n".join(f"<g {look}>{''.join(map(_element, group))}</g>" for look, group in groups)


@cache
def _empty_board() -> str:
    return _groups(backdrop())


def _lines(view: BoardView) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" style="max-width:100%;height:auto" '
        f'role="img" aria-label="{escape(describe(view))}" '
        f'font-family="{_FONT}" font-weight="600" text-anchor="middle">'
    )
    yield _empty_board()
    yield _groups(pieces(view))
    yield "</svg>"


def draw(view: BoardView) -> str:
    """The picture as one SVG element that refers to nothing outside itself and has no ids."""
    return "\n".join(_lines(view))
