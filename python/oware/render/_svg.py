"""The board as SVG text."""

from __future__ import annotations

from functools import cache
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from oware.render._overlay import overlay
from oware.render._scene import (
    HEIGHT,
    LIGHT,
    SEED,
    WIDTH,
    Mark,
    Seeds,
    Shape,
    Stroke,
    Text,
    backdrop,
    pieces,
)
from oware.render._view import BoardView, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oware.types import PageTheme

_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
# Height of a capital as a share of the font size; these fonts agree within a few per cent.
_CAP_SHARE = 0.72


def _attributes(**values: float) -> str:
    return " ".join(f'{name}="{round(value, 2):g}"' for name, value in values.items())


def _paint(way: str, colour: str, theme: PageTheme) -> str:
    """The attribute that fills or strokes in a colour.

    A page's colour scheme decides by a function of CSS; where that is unknown, the attribute holds.
    """
    light = LIGHT.get(colour, colour)
    if theme == "auto" and light != colour:
        return f'{way}="{colour}" style="{way}:light-dark({light},{colour})"'
    return f'{way}="{light if theme == "light" else colour}"'


def _look(mark: Shape | Text | Stroke, theme: PageTheme) -> str:
    """The attributes that marks of one look share."""
    if isinstance(mark, Text):
        size = round(mark.size / _CAP_SHARE, 2)
        return f'{_paint("fill", mark.colour, theme)} font-size="{size:g}"'
    line = mark.width if isinstance(mark, Stroke) else mark.line
    way = "stroke" if line else "fill"
    look = _paint(way, mark.colour, theme)
    if mark.opacity < 1:
        look += f' {way}-opacity="{mark.opacity:g}"'
    if line:
        look += f' fill="none" stroke-width="{line:g}"'
    if isinstance(mark, Stroke):
        look += ' stroke-linecap="round" stroke-linejoin="round"'
    return look


def _element(mark: Shape | Text | Stroke) -> str:
    if isinstance(mark, Stroke):
        points = " ".join(f"{round(x, 1):g},{round(y, 1):g}" for x, y in mark.points)
        return f'<polyline points="{points}"/>'
    if isinstance(mark, Text):
        return f"<text {_attributes(x=mark.x, y=mark.y + mark.size / 2)}>{escape(mark.text)}</text>"
    if mark.w == mark.h == 2 * mark.radius:
        return f"<circle {_attributes(cx=mark.x, cy=mark.y, r=mark.radius)}/>"
    x, y = mark.x - mark.w / 2, mark.y - mark.h / 2
    return f"<rect {_attributes(x=x, y=y, width=mark.w, height=mark.h, rx=mark.radius)}/>"


def _without_seeds(marks: Iterable[Mark]) -> Iterator[Shape | Text | Stroke]:
    """The marks, with seeds taken apart: the same part of all of them has one look."""
    for mark in marks:
        if isinstance(mark, Seeds):
            for part in SEED:
                yield from (part._replace(x=part.x + x, y=part.y + y) for x, y in mark.places)
        else:
            yield mark


def _groups(marks: Iterable[Mark], theme: PageTheme) -> str:
    """Elements in the order of the marks, neighbours of one look in one group."""
    groups = groupby(_without_seeds(marks), key=lambda mark: _look(mark, theme))
    return "\n".join(f"<g {look}>{''.join(map(_element, group))}</g>" for look, group in groups)


@cache
def _empty_board(theme: PageTheme) -> str:
    return _groups(backdrop(), theme)


def _lines(view: BoardView, theme: PageTheme) -> Iterator[str]:
    scheme = ";color-scheme:light dark" if theme == "auto" else ""
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" style="max-width:100%;height:auto{scheme}" '
        f'role="img" aria-label="{escape(describe(view))}" '
        f'font-family="{_FONT}" font-weight="600" text-anchor="middle">'
    )
    yield _empty_board(theme)
    yield _groups(pieces(view), theme)
    marks = _groups(overlay(view), theme)
    if marks:
        yield marks
    yield "</svg>"


def draw(view: BoardView, theme: PageTheme) -> str:
    """The picture as one SVG element that refers to nothing outside itself and has no ids."""
    return "\n".join(_lines(view, theme))
