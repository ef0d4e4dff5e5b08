"""The memory that boards take: the growth of a fresh process, run by `oware bench` as a child."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from oware import OwareEnv
from oware.bench.contenders import draw

__all__ = ["Memory", "can_measure", "measure"]

STATM: Final = Path("/proc/self/statm")
PLIES: Final = 100
"""Plies before the look, so that histories are under way."""


@dataclass(frozen=True)
class Memory:
    """What the boards of one environment take."""

    name: str
    boards: int
    state: float
    """Bytes a board: the growth of the process without the arrays that it hands out."""
    arrays: float
    """Bytes a board of those arrays."""


def can_measure() -> bool:
    """Whether this system tells the resident memory of a process, as Linux does."""
    return STATM.exists()


def resident() -> int:
    """The resident bytes of this process, without what was freed and is only kept for later."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(rules: str, boards: int) -> Memory:
    """The memory of boards under some rules, in a process of its own.

    Args:
        rules: A rule set by name.
        boards: Their number.

    Raises:
        subprocess.CalledProcessError: The process failed, for want of memory perhaps.

    Example:
        >>> from oware.bench.memory import can_measure, measure
        >>> not can_measure() or 0 < measure("codingame", 20_000).state < 10_000
        True
    """
    program = f"from oware.bench.memory import child; child({rules!r}, {boards})"
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    )
    state, arrays = json.loads(done.stdout)
    return Memory(rules, boards, state, arrays)


def child(rules: str, boards: int) -> None:
    """Print the bytes of state and of arrays for each board; the whole work of the child."""
    generator = np.random.default_rng(1)
    everything_legal = np.ones((boards, 6), np.int8)
    # What drawing needs in passing is part of the process before the environment is.
    for _ in range(3):
        draw(everything_legal, generator)
    before = resident()
    env = OwareEnv(boards, rules=rules, copy=False)  # type: ignore[arg-type]
    shown: tuple[Any, ...] = env.reset(seed=1)
    for _ in range(PLIES):
        shown = env.step(draw(shown[-1]["action_mask"], generator))
    arrays = sum(array.nbytes for array in (*shown[:-1], *shown[-1].values()))
    print(json.dumps([(resident() - before - arrays) / boards, arrays / boards]))
