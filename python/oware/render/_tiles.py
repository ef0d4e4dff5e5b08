"""Many boards in one picture."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from oware._counts import count
from oware.render import _raster

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oware.render._view import BoardView
    from oware.types import PageTheme

_MOST = 1024
# Width over height of one board, and about that of the picture.
_BOARD, _PICTURE = 8 / 3, 3 / 2
_MARGIN = {"light": 255, "dark": 24}


def draw(
    views: list[BoardView], columns: SupportsIndex | None, height: int, theme: PageTheme
) -> NDArray[np.uint8]:
    """The boards from left to right and from top to bottom."""
    if not 1 <= len(views) <= _MOST:
        raise ValueError(f"there are {len(views)} boards; give 1 to {_MOST}")
    if columns is None:
        across = min(max(round(sqrt(len(views) * _PICTURE / _BOARD)), 1), len(views))
    else:
        across = count("columns", columns, 1, _MOST)
    margin = max(height // 30, 1)
    width = round(height * _BOARD)
    shape = (
        ceil(len(views) / across) * (height + margin) + margin,
        across * (width + margin) + margin,
        3,
    )
    picture = np.full(shape, _MARGIN[theme], dtype=np.uint8)
    for place, view in enumerate(views):
        row, column = divmod(place, across)
        top, left = margin + row * (height + margin), margin + column * (width + margin)
        picture[top : top + height, left : left + width] = _raster.draw(view, height, theme)
    return picture
