"""The names that arguments and answers take, as types."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = [
    "EndingName",
    "Feeding",
    "GrandSlam",
    "ObservationKind",
    "RuleSetName",
    "Seat",
    "Share",
    "TerminationName",
]

Seat: TypeAlias = Literal[0, 1]
"""South and North."""

GrandSlam: TypeAlias = Literal[
    "capture_nothing",
    "forbidden",
    "capture_all",
    "leave_landing_pit",
    "leave_far_pit",
    "opponent_takes_rest",
]
"""What becomes of a capture that would take every seed the opponent has left."""

Feeding: TypeAlias = Literal["required", "free"]
"""Whether an opponent's empty row must be fed."""

Share: TypeAlias = Literal["own_side", "split", "stay"]
"""How an ending shares out the seeds that are left on the board."""

RuleSetName: TypeAlias = Literal[
    "abapa", "harvest", "nineqm", "village", "awari", "open_spiel", "auale", "codingame"
]
"""A key of `oware.RULE_SETS`."""

EndingName: TypeAlias = Literal[
    "majority", "even_split", "board_empty", "no_move", "repetition", "ply_limit"
]
"""Why a game has ended."""

TerminationName: TypeAlias = Literal["going_on"] | EndingName
"""A member of `oware.TERMINATIONS`."""

ObservationKind: TypeAlias = Literal["seeds", "normalized", "one_hot"]
"""The form of an observation."""
