"""Players against each other: tournaments, ratings, and what perfect play says of a player.

>>> from oware import arena
>>> results = arena.tournament(["minimax:2", "greedy", "random"], games=20, seed=1)
>>> [row["player"] for row in results.standings()]
['minimax:2', 'greedy', 'random']
>>> print(arena.evaluate("greedy", "random", games=100, seed=1).total.games)
100
"""

from __future__ import annotations

from oware.agents import Evaluation, Tally, wilson
from oware.arena._games import Games
from oware.arena._ladder import Ladder, Rung
from oware.arena._openings import PLIES
from oware.arena._play import ENDINGS
from oware.arena._players import MOVE_TIME, Batched, Engine, Function, Player, player
from oware.arena._ratings import Ratings, fit
from oware.arena._regret import Regret, regret
from oware.arena._results import Results
from oware.arena._tournament import evaluate, load, tournament

__all__ = [
    "ENDINGS",
    "MOVE_TIME",
    "PLIES",
    "Batched",
    "Engine",
    "Evaluation",
    "Function",
    "Games",
    "Ladder",
    "Player",
    "Ratings",
    "Regret",
    "Results",
    "Rung",
    "Tally",
    "evaluate",
    "fit",
    "load",
    "player",
    "regret",
    "tournament",
    "wilson",
]
