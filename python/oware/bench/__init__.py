"""How fast oware is on this machine: what `oware bench` measures, and how.

- **Rows and rounds.** Each row is one thing to be timed, such as a step of 1,024 boards. A round
  times every row once, one after the other, so that a busy machine slows all of them alike; the
  median of the rounds and their quartiles are shown. A ratio is taken within each round, and its
  median shown.
- **What is timed.** Only calls of the thing itself. The actions are drawn uniformly from the legal
  ones outside the clock, after a warm-up, so that games are at all stages. Where a call is so short
  that reading a clock would count, a second environment with the same seed plays ahead, and its
  moves are then played in one stretch.
- **Two clocks.** The wall clock is what a user waits for; the processor time of the thread is what
  is left of it when others use the machine as well. Work on several threads has the wall clock
  alone.
- **Yardsticks.** A step writes its arrays, so it can hardly take less time than copying as many
  bytes: that copy is measured in the same rounds, from one buffer to another, each of the size of
  all the arrays together. Peers run in the same process, where they are installed.
"""

from __future__ import annotations

from oware.bench.measure import Results, run
from oware.bench.plan import FULL, QUICK, Plan, Row, Scale, plan
from oware.bench.report import as_json, as_markdown, as_text

__all__ = [
    "FULL",
    "QUICK",
    "Plan",
    "Results",
    "Row",
    "Scale",
    "as_json",
    "as_markdown",
    "as_text",
    "plan",
    "run",
]
