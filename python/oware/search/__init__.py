"""Searching for the best move: alpha-beta, and Monte-Carlo tree search over many games at once.

>>> import oware
>>> result = oware.search.alpha_beta(oware.Game(), depth=8)
>>> result.depth, len(result.line)
(8, 8)
>>> found = oware.search.Mcts(simulations=200, seed=0).search([oware.Game()] * 3)
>>> found.visits.sum(axis=1).tolist()
[200, 200, 200]
"""

from __future__ import annotations

from oware.search._alphabeta import (
    TABLE_ENTRIES,
    Result,
    Stop,
    alpha_beta,
    best_moves,
    static_value,
)
from oware.search._mcts import Mcts, MctsResult

__all__ = [
    "TABLE_ENTRIES",
    "Mcts",
    "MctsResult",
    "Result",
    "Stop",
    "alpha_beta",
    "best_moves",
    "static_value",
]
