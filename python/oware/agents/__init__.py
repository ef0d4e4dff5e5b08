"""Players of many boards at once, and how well they play.

A player is a `Policy`: a callable that takes observations (n, 14) of the kind `"seeds"`, or of the
kind in its attribute `observation`, and action masks (n, 6) and returns n actions. It can be an
environment's `opponent`, and `evaluate` tells how often it wins.
"""

from __future__ import annotations

from oware._levels import LEVELS, Level
from oware._policies import checked_kind, kind_of_space, move_of
from oware.agents._boards import captures
from oware.agents._evaluation import MAX_PLIES, Evaluation, Tally, evaluate, wilson
from oware.agents._named import named
from oware.agents._players import (
    GreedyAgent,
    MctsAgent,
    MinimaxAgent,
    NetworkAgent,
    RandomAgent,
)

__all__ = [
    "LEVELS",
    "MAX_PLIES",
    "Evaluation",
    "GreedyAgent",
    "Level",
    "MctsAgent",
    "MinimaxAgent",
    "NetworkAgent",
    "RandomAgent",
    "Tally",
    "captures",
    "checked_kind",
    "evaluate",
    "kind_of_space",
    "move_of",
    "named",
    "wilson",
]
