"""Pictures of an Oware board, drawn without a display and without a drawing library.

`svg` and `html` draw for a notebook or a web page, `rgb_array` for a video; all three show the
same board. North's pits are on top, f to a from left to right, South's are below, A to F; each
player's store is at their right hand. Every pit and store shows its seeds, as far as nineteen and
thirty-five of them, and always their number. A blue ring marks the pit that was played last, red
dots mark the pits it captured, and a bright bar lies along the row of the player to move.

>>> from oware.render import BoardView, rgb_array, svg
>>> pits = (4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4)
>>> board = BoardView(pits=pits, stores=(0, 0), to_move=1, last_move=2)
>>> svg(board).startswith("<svg")
True
>>> rgb_array(board).shape
(240, 640, 3)
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, SupportsIndex

from oware.render import _raster, _svg
from oware.render._view import BoardView, SupportsBoard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["BoardView", "SupportsBoard", "html", "rgb_array", "svg"]


def _view(board: BoardView | SupportsBoard) -> BoardView:
    return board if isinstance(board, BoardView) else BoardView.of(board)


def svg(board: BoardView | SupportsBoard) -> str:
    """Draw a board as one SVG element.

    It has its own background, refers to nothing outside itself and contains no ids, so that any
    number of boards fit on a page.

    >>> picture = svg(BoardView(pits=(4,) * 12, stores=(0, 0), to_move=0))
    >>> picture[:5], picture[-6:]
    ('<svg ', '</svg>')
    """
    return _svg.draw(_view(board))


def html(board: BoardView | SupportsBoard) -> str:
    """Draw a board as a piece of HTML for a notebook: the SVG in a block of its own.

    Screen readers get the whole position in words.

    >>> "North: 0 in store" in html(BoardView(pits=(4,) * 12, stores=(0, 0), to_move=0))
    True
    """
    return f'<div style="max-width:640px">{_svg.draw(_view(board))}</div>'


def rgb_array(
    board: BoardView | SupportsBoard, *, height: SupportsIndex = 240
) -> NDArray[np.uint8]:
    """Draw a board as pixels.

    Returns a fresh, writable, C-contiguous uint8 array of shape (height, width, 3), red, green and
    blue, with width the nearest integer to 8/3 of `height`. The same board gives the same pixels.
    Below a height of 120 there is no room for seeds, letters and caption; the numbers then stand in
    the pits.

    Raises `ValueError` for a `height` outside 60 to 2160.

    >>> board = BoardView(pits=(4,) * 12, stores=(0, 0), to_move=0)
    >>> rgb_array(board, height=360).shape
    (360, 960, 3)
    """
    pixels = index(height)
    if not 60 <= pixels <= 2160:
        raise ValueError(f"height is {pixels} pixels; choose one from 60 to 2160")
    return _raster.draw(_view(board), pixels)
