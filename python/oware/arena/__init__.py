"""Players against each other: ratings from their results.

>>> from oware import arena
>>> ratings = arena.fit(["a", "b"], wins=[[0, 30], [10, 0]], draws=[[0, 0], [0, 0]], anchor="b")
>>> round(ratings.elo[0])
191
"""

from __future__ import annotations

from oware.arena._ratings import Ratings, fit

__all__ = ["Ratings", "fit"]
