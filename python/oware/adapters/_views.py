"""What both seats see of one board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["views"]

FROM_THE_OTHER_SIDE: Final = np.r_[6:12, 0:6, 13, 12]
"""Where the pits and stores of an observation lie for the other seat."""


def views(observation: NDArray[Any], to_move: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """South's and North's observation, from that of the seat to move.

    Args:
        observation: An observation of any kind: (14, ...).
        to_move: 0 for South, 1 for North.

    Example:
        >>> import oware
        >>> game = oware.Game.from_transcript("C")
        >>> south, north = views(game.observation(), game.to_move)
        >>> south.tolist()
        [4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 0, 0]
    """
    other = observation[FROM_THE_OTHER_SIDE]
    return (other, observation) if to_move else (observation, other)
