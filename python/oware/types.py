"""The names that arguments and answers take, as types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, SupportsFloat, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ArrowKind",
    "AutoresetName",
    "EndgameKey",
    "EndgameStatistics",
    "EndingName",
    "Evaluator",
    "FactKind",
    "Feeding",
    "GrandSlam",
    "KernelName",
    "ObservationKind",
    "Opponent",
    "OpponentName",
    "PageTheme",
    "Policy",
    "PolicyName",
    "Proof",
    "PuzzleTheme",
    "Rating",
    "RenderMode",
    "RewardKind",
    "RuleSetName",
    "ScoreName",
    "Seat",
    "SeatChoice",
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

TerminationName: TypeAlias = Literal["going_on", EndingName]
"""A member of `oware.TERMINATIONS`."""

ObservationKind: TypeAlias = Literal["seeds", "normalized", "one_hot"]
"""The form of an observation."""

OpponentName: TypeAlias = str
"""An opponent that the environment plays itself.

`"random"` plays any legal move and `"greedy"` one that captures most. `"minimax:4"` plays one that
is best after a search of four plies, see `oware.search.best_moves`; depths are 1 to 16.
`"mcts:200"` plays one that is best after Monte-Carlo tree search of 200 simulations with playouts,
see `oware.search.Mcts`; of these there are 1 to 1,000,000. `"net:PATH"` plays the best move of the
network in that file, see `oware.Network`, and `"net:PATH@200"` one that is best after a search with
it of 200 simulations; `"novice"`, `"amateur"`, `"strong"` and `"master"` are a network that comes
with the package, see `oware.agents.LEVELS`. With `+endgame` behind one that searches it knows the
values of the database `oware.Endgame.load(12, rules)`. Ties are drawn.
"""

PolicyName: TypeAlias = Literal["random", "greedy"]
"""What can play whole rollouts inside the environment."""

SeatChoice: TypeAlias = Literal["south", "north", "random"]
"""Where the agent sits when it has an opponent."""

RewardKind: TypeAlias = Literal["outcome", "margin", "captures"]
"""What a step is rewarded with."""

AutoresetName: TypeAlias = Literal["next_step", "same_step", "disabled"]
"""When a finished environment starts its next episode."""

KernelName: TypeAlias = Literal["avx512", "avx2", "sse4.1", "neon", "portable", "words"]
"""What plays the environments of a batch."""

RenderMode: TypeAlias = Literal["ansi", "rgb_array"]
"""What `render` returns."""

PageTheme: TypeAlias = Literal["auto", "light", "dark"]
"""The page that a picture is for; `"auto"` leaves it to the reader's browser."""

ArrowKind: TypeAlias = Literal["move", "best", "threat"]
"""What an arrow on a picture means."""

Policy: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], ArrayLike]
"""A player of many boards at once: observations (n, ...) and action masks (n, 6) to n actions.

It may have an attribute `observation`, an `ObservationKind`: observations are then of that kind
wherever it plays, in an environment, in the arena, on a board or from the command line. Without
one, or with None, it gets the environment's kind, and `"seeds"` where there is no environment.
"""

Opponent: TypeAlias = (
    OpponentName
    | Policy
    | Mapping[OpponentName, SupportsFloat]
    | Mapping[Policy, SupportsFloat]
    | Sequence[tuple[OpponentName | Policy, SupportsFloat]]
)
"""Who plays against an agent, one player or a pool of which each episode draws one.

A pool is a mapping from players to weights, such as `{"random": 1, "minimax:2": 3}`, or a sequence
of pairs of both; an episode has each as likely as its share of all weights.
"""


FactKind: TypeAlias = Literal[
    "over",
    "turn",
    "count",
    "feeding",
    "illegal",
    "capture",
    "threat",
    "slam",
    "lap",
    "weak",
    "only",
    "ends",
    "saves",
    "feeds",
    "safe",
    "threatens",
    "margin",
    "value",
]
"""What a fact is about; from `"only"` on, facts are about a move that is advised."""

Rating: TypeAlias = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
"""What a move is worth beside the best one."""

PuzzleTheme: TypeAlias = Literal["slam", "lap", "feeding", "chain", "endgame"]
"""What a puzzle is about, see `oware.analysis.puzzles`."""

Proof: TypeAlias = Literal["database", "exact", "search"]
"""How the values of a puzzle's moves are known, see `oware.analysis.Puzzle`."""

Evaluator: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], tuple[ArrayLike, ArrayLike]]
"""Tells what positions are worth, from observations (n, ...) and action masks (n, 6).

The answer is a pair of floats, logits (n, 6) and values (n,), -1 to 1 for the player to move.
"""

ScoreName: TypeAlias = Literal["outcome", "margin"]
"""What a value of `oware.search.Mcts` is: a result or final net seeds."""


class EndgameKey(TypedDict):
    """The fields of the rules on which endgame values depend."""

    grand_slam: GrandSlam
    feeding: Feeding
    no_move: Share


class EndgameStatistics(TypedDict):
    """How the positions of so many seeds are for the mover."""

    win: int
    draw: int
    loss: int
    histogram: dict[int, int]
