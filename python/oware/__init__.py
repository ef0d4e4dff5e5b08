"""The board game Oware: exact rules, games, and environments for reinforcement learning.

>>> import oware
>>> game = oware.Game()
>>> game.play_transcript("FfEe")
>>> game.legal_moves()
[0, 1, 2, 3, 5]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

from oware import _missing, records, search
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
from oware.network import Network
from oware.rollout import Rollout

if TYPE_CHECKING:
    from oware import agents as agents
    from oware import analysis, arena, train
    from oware.board import Replay, replay
    from oware.widget import Board as Board

# Without `Board`: `from oware import *` loads no widgets.
__all__ = [
    "RULE_SETS",
    "TERMINATIONS",
    "Endgame",
    "Game",
    "IllegalMoveError",
    "Network",
    "NotationError",
    "OwareEnv",
    "Playouts",
    "Replay",
    "Rollout",
    "Rules",
    "SetupError",
    "__version__",
    "analysis",
    "arena",
    "cpu_features",
    "perft",
    "playouts",
    "records",
    "replay",
    "search",
    "train",
]

if "oware/Oware-v0" not in gymnasium.registry:
    gymnasium.register(
        "oware/Oware-v0",
        entry_point="oware.single:OwareSingleEnv",
        vector_entry_point="oware.single:make_batch",
    )


# What costs time or needs a library of its own is imported when it is used, from these modules.
_LATER = {
    "Board": "oware.widget",
    "Replay": "oware.board",
    "agents": "oware.agents",
    "analysis": "oware.analysis",
    "arena": "oware.arena",
    "replay": "oware.board",
    "train": "oware.train",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _LATER:
        raise AttributeError(f"module 'oware' has no attribute {name!r}")
    module = importlib.import_module(_LATER[name])
    value = module if module.__name__ == f"oware.{name}" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    later = _LATER.keys() - ({"Board"} if not _missing.installed("anywidget") else set())
    return sorted({*globals(), *later})
