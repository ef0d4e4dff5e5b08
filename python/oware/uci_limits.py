"""What `go` says about the end of a search, and how much time that leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

__all__ = ["Limits", "allotted", "read_limits"]

DEFAULT: Final = 2000.0
"""Milliseconds where `go` says nothing, as Aalina has it."""
MOVES_LEFT: Final = 30
"""Moves for which the clock is to last."""
FLAGS: Final = {"infinite", "ponder"}
CLOCKS: Final = {"wtime": 0, "btime": 1}
INCREMENTS: Final = {"winc": 0, "binc": 1}
MOST_DEPTH: Final = 250
MOST: Final = 10**15


@dataclass(frozen=True)
class Limits:
    """The parameters of `go`; times in milliseconds, clocks for South and North."""

    depth: int | None = None
    nodes: int | None = None
    move_time: int | None = None
    clock: tuple[int | None, int | None] = (None, None)
    increment: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    infinite: bool = False
    ponder: bool = False

    def counted(self) -> Limits:
        """The same for a search that ponders no longer."""
        return replace(self, ponder=False)


def read_limits(text: str) -> tuple[Limits, list[str]]:
    """The limits in the parameters of `go`, and the words that are none."""
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    unknown: list[str] = []
    names = {"depth", "nodes", "movetime", "movestogo", *CLOCKS, *INCREMENTS}
    words = iter(text.split())
    for word in words:
        if word in FLAGS:
            flags.add(word)
        elif word in names:
            number = next(words, "")
            if re.fullmatch("[+-]?[0-9]{1,15}", number):
                numbers[word] = int(number)
            else:
                unknown.append(f"{word} {number}")
        else:
            unknown.append(word)
    clock: list[int | None] = [None, None]
    increment = [0, 0]
    for name, seat in CLOCKS.items():
        clock[seat] = numbers.get(name)
    for name, seat in INCREMENTS.items():
        increment[seat] = max(numbers.get(name, 0), 0)
    depth, nodes = numbers.get("depth"), numbers.get("nodes")
    limits = Limits(
        depth=None if depth is None else min(max(depth, 1), MOST_DEPTH),
        nodes=None if nodes is None else max(nodes, 1),
        move_time=numbers.get("movetime"),
        clock=(clock[0], clock[1]),
        increment=(increment[0], increment[1]),
        moves_to_go=numbers.get("movestogo"),
        infinite="infinite" in flags,
        ponder="ponder" in flags,
    )
    return limits, unknown


def allotted(limits: Limits, seat: int, overhead: float) -> float | None:
    """The seconds for a search; None where something else ends it.

    Of the time of a move the overhead is left over, of a very short one three quarters. A clock
    lasts for thirty moves of equal parts of what is then left, so it never runs out by itself.
    """
    spans: list[float] = []
    if limits.move_time is not None:
        spans.append(max(limits.move_time - overhead, limits.move_time / 4))
    clock = limits.clock[seat]
    if clock is not None:
        moves = MOVES_LEFT
        if limits.moves_to_go is not None and limits.moves_to_go > 0:
            moves = min(limits.moves_to_go, MOVES_LEFT)
        share = clock / moves + 0.75 * limits.increment[seat]
        spans.append(max(min(share, 0.75 * clock) - overhead, clock / 200))
    if not spans and limits.depth is None and limits.nodes is None:
        spans.append(DEFAULT - overhead)
    return max(min(spans), 0.0) / 1000 if spans else None
