"""The board game Oware: exact rules, games, and environments for reinforcement learning.

>>> import oware
>>> game = oware.Game()
>>> game.play_transcript("FfEe")
>>> game.legal_moves()
[0, 1, 2, 3, 5]
"""

from __future__ import annotations

import gymnasium

from oware import analysis, records, search
from oware._oware import (
    RULE_SETS,
    TERMINATIONS,
    Game,
    IllegalMoveError,
    NotationError,
    Rules,
    SetupError,
    __version__,
    cpu_features,
    perft,
)
from oware._playouts import Playouts, playouts
from oware.endgame import Endgame
from oware.env import OwareEnv
from oware.rollout import Rollout

__all__ = [
    "RULE_SETS",
    "TERMINATIONS",
    "Endgame",
    "Game",
    "IllegalMoveError",
    "NotationError",
    "OwareEnv",
    "Playouts",
    "Rollout",
    "Rules",
    "SetupError",
    "__version__",
    "analysis",
    "cpu_features",
    "perft",
    "playouts",
    "records",
    "search",
]

if "oware/Oware-v0" not in gymnasium.registry:
    gymnasium.register(
        "oware/Oware-v0",
        entry_point="oware.single:OwareSingleEnv",
        vector_entry_point="oware.env:OwareEnv",
    )
