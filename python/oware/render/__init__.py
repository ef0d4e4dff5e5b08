"""Pictures of an Oware board, drawn without a display and without a drawing library.

`svg` and `html` draw for a notebook or a web page, `rgb_array` for a video; all three show the
same board. North's pits are on top, f to a from left to right, South's are below, A to F; each
player's store is at their right hand. Every pit and store shows its seeds, as far as nineteen and
thirty-five of them, and always their number. A blue ring marks the pit that was played last, red
dots mark the pits it captured, and a bright bar lies along the row of the player to move. Arrows
and the values of moves are drawn where a `BoardView` has them. `ansi` writes a board as text, and
`describe` puts into words what a picture shows.

>>> from oware.render import BoardView, rgb_array, svg
>>> pits = (4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4)
>>> board = BoardView(pits=pits, stores=(0, 0), to_move=1, last_move=2)
>>> svg(board).startswith("<svg")
True
>>> rgb_array(board).shape
(240, 640, 3)
"""

from __future__ import annotations

from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING, SupportsIndex

from oware._counts import told
from oware._oware import Game
from oware.render import _ansi, _raster, _svg, _tiles
from oware.render import _view as _boards
from oware.render._view import Arrow, BoardView, SupportsBoard

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from oware.types import PageTheme

__all__ = [
    "Arrow",
    "BoardView",
    "SupportsBoard",
    "ansi",
    "describe",
    "html",
    "rgb_array",
    "svg",
    "tiled",
]

_THEMES: tuple[PageTheme, ...] = ("auto", "light", "dark")


def _view(board: BoardView | SupportsBoard) -> BoardView:
    return board if isinstance(board, BoardView) else BoardView.of(board)


def _theme(theme: object, known: tuple[PageTheme, ...] = _THEMES) -> PageTheme:
    # An array is equal to a theme in its own way.
    for name in known:
        if isinstance(theme, str) and theme == name:
            return name
    raise ValueError(f"theme is {theme!r}; give {', '.join(map(repr, known))}")


def _height(height: SupportsIndex) -> int:
    pixels = index(height)
    if not 60 <= pixels <= 2160:
        raise ValueError(f"height is {told(pixels)} pixels; choose one from 60 to 2160")
    return pixels


def svg(board: BoardView | SupportsBoard, *, theme: PageTheme = "auto") -> str:
    """Draw a board as one SVG element.

    It has its own background, refers to nothing outside itself and contains no ids, so that any
    number of boards fit on a page. The theme `"light"` is for light pages and `"dark"` for dark
    ones; `"auto"` follows what the reader prefers (`prefers-color-scheme`) and is dark in programs
    that do not know CSS's function `light-dark`.

    Raises `ValueError` for an unknown theme.

    >>> picture = svg(BoardView(pits=(4,) * 12, stores=(0, 0), to_move=0))
    >>> picture[:5], picture[-6:]
    ('<svg ', '</svg>')
    """
    return _svg.draw(_view(board), _theme(theme))


def html(board: BoardView | SupportsBoard, *, theme: PageTheme = "auto") -> str:
    """Draw a board as a piece of HTML for a notebook: the SVG in a block of its own.

    Screen readers get the whole position in words. `theme` is that of `svg`.

    >>> "North: 0 in store" in html(BoardView(pits=(4,) * 12, stores=(0, 0), to_move=0))
    True
    """
    return f'<div style="max-width:640px">{_svg.draw(_view(board), _theme(theme))}</div>'


def rgb_array(
    board: BoardView | SupportsBoard, *, height: SupportsIndex = 240, theme: PageTheme = "dark"
) -> NDArray[np.uint8]:
    """Draw a board as pixels.

    Returns a fresh, writable, C-contiguous uint8 array of shape (height, width, 3), red, green and
    blue, with width the nearest integer to 8/3 of `height`. The same board gives the same pixels.
    Below a height of 120 there is no room for seeds, letters and caption; the numbers then stand in
    the pits.

    Raises `ValueError` for a `height` outside 60 to 2160 and a `theme` other than `"light"` and
    `"dark"`.

    >>> board = BoardView(pits=(4,) * 12, stores=(0, 0), to_move=0)
    >>> rgb_array(board, height=360).shape
    (360, 960, 3)
    """
    return _raster.draw(_view(board), _height(height), _theme(theme, _THEMES[1:]))


def tiled(
    boards: Iterable[BoardView | SupportsBoard],
    *,
    columns: SupportsIndex | None = None,
    height: SupportsIndex = 120,
    theme: PageTheme = "dark",
) -> NDArray[np.uint8]:
    """Draw many boards as one picture, row by row.

    `height` is that of one board, in pixels; between boards and around them lies a margin of a
    thirtieth of it. Without `columns` the picture is about as wide as it is high, three to two.
    Returns a fresh uint8 array (height, width, 3).

    Raises `ValueError` where there is no board, more than 1024, or no such number of columns.

    >>> import oware
    >>> env = oware.OwareEnv(12)
    >>> _ = env.reset(seed=1)
    >>> tiled(env.game(i) for i in range(12)).shape
    (500, 976, 3)
    """
    views = [_view(board) for board in boards]
    return _tiles.draw(views, columns, _height(height), _theme(theme, _THEMES[1:]))


def ansi(board: BoardView | SupportsBoard, *, color: bool | None = None) -> str:
    """Write a board as text, in colour where a terminal has it.

    Without colours it is what `str` makes of an `oware.Game`. With them, the row of the player to
    move is bright, the pit that was played last blue, and those that it captured red. `color` None
    asks the environment: colours are on where standard output is a terminal that can show them;
    the variables `NO_COLOR` and `FORCE_COLOR` decide otherwise, whatever it is.

    >>> print(ansi(BoardView((4,) * 12, (0, 0), to_move=0, caption="South to move"), color=False))
                f    e    d    c    b    a
    North   0 [  4][  4][  4][  4][  4][  4]
              [  4][  4][  4][  4][  4][  4]   0 South
                A    B    C    D    E    F
    South to move
    """
    if color is not None and not isinstance(color, bool):
        raise TypeError(f"color must be a bool or None, not {type(color).__name__}")
    view = _view(board)
    if isinstance(board, Game):
        # As the game itself tells how it stands.
        view = replace(view, caption=board.status())
    return _ansi.draw(view, _ansi.has_colour() if color is None else color)


def describe(board: BoardView | SupportsBoard) -> str:
    """Say in words what the picture of a board shows, for those who do not see it.

    >>> print(describe(BoardView((4,) * 12, (0, 0), to_move=0)))
    Oware board. South: 0 in store, pits A to F hold 4, 4, 4, 4, 4, 4. \
North: 0 in store, pits a to f hold 4, 4, 4, 4, 4, 4. South to move.
    """
    return _boards.describe(_view(board))
