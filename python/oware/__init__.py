"""The board game Oware: exact rules, games, and environments for reinforcement learning.

>>> import oware
>>> game = oware.Game()
>>> game.play_transcript("FfEe")
>>> game.legal_moves()
[0, 1, 2, 3, 5]
"""

from __future__ import annotations

from oware._oware import (
    RULE_SETS,
    TERMINATIONS,
    Game,
    IllegalMoveError,
    NotationError,
    Rules,
    SetupError,
    __version__,
    perft,
)

__all__ = [
    "RULE_SETS",
    "TERMINATIONS",
    "Game",
    "IllegalMoveError",
    "NotationError",
    "Rules",
    "SetupError",
    "__version__",
    "perft",
]
