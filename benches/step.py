"""How fast a batched step is from Python, beside OpenSpiel's `oware` in the same process.

    python benches/step.py [--rounds 15] [--json step.json]

Every line is measured in turn in each round, so that a busy machine slows all of them alike; the
median over the rounds and the spread (quartiles) are printed. Actions are drawn uniformly from the
live mask outside the clock, after a thousand plies of warm-up, so that games are at all stages.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import oware

if TYPE_CHECKING:
    from collections.abc import Callable

WARM_UP_PLIES = 1000


class Batch:
    """Random self-play in an `OwareEnv`, timing only its steps."""

    def __init__(self, name: str, num_envs: int, **settings: Any) -> None:  # noqa: ANN401
        self.name = name
        self.num_envs = num_envs
        self.env = oware.OwareEnv(num_envs, autoreset_mode="same_step", **settings)
        self.mask = self.env.reset(seed=1)[1]["action_mask"]
        self.generator = np.random.default_rng(1)
        self.steps = self.episodes = 0
        for _ in range(WARM_UP_PLIES if num_envs <= 4096 else 200):
            self.step()

    def step(self) -> float:
        """One step; its seconds."""
        scores = self.generator.random((self.num_envs, 6), dtype=np.float32)
        # A score may be 0, so an illegal move needs one below that.
        actions = np.where(self.mask, scores, -1).argmax(axis=1)
        start = time.perf_counter()
        _, _, terminated, truncated, info = self.env.step(actions)
        seconds = time.perf_counter() - start
        self.mask = info["action_mask"]
        self.steps += self.num_envs
        self.episodes += int(np.count_nonzero(terminated | truncated))
        return seconds

    def rate(self) -> float:
        """Steps a second, over some steps of about a million boards in all."""
        calls = max(10, min(2000, 1_000_000 // self.num_envs))
        return self.num_envs * calls / sum(self.step() for _ in range(calls))


class OpenSpiel:
    """Random play in OpenSpiel: legal actions, a step, the observation tensor, the mask."""

    def __init__(self) -> None:
        import pyspiel

        self.name = "OpenSpiel oware, one board"
        self.game = pyspiel.load_game("oware")
        self.state = self.game.new_initial_state()
        self.generator = np.random.default_rng(1)
        self.steps = self.episodes = 0

    def rate(self) -> float:
        """Steps a second."""
        seconds = 0.0
        steps = 2000
        for _ in range(steps):
            legal = self.state.legal_actions()
            action = int(self.generator.choice(legal))
            start = time.perf_counter()
            self.state.apply_action(action)
            over = self.state.is_terminal()
            if over:
                self.state = self.game.new_initial_state()
            self.state.legal_actions()
            np.asarray(self.state.observation_tensor(), np.float32)
            np.asarray(self.state.legal_actions_mask(), np.int8)
            self.state.rewards()
            seconds += time.perf_counter() - start
            self.episodes += over
        self.steps += steps
        return steps / seconds


def contenders() -> list[Callable[[], Batch | OpenSpiel]]:
    """What is measured, made one after the other."""
    made: list[Callable[[], Batch | OpenSpiel]] = [
        lambda: Batch("1,024 codingame, copy=False", 1024, rules="codingame", copy=False),
        lambda: Batch("1,024 codingame", 1024, rules="codingame"),
        lambda: Batch("1,024 abapa, copy=False", 1024, rules="abapa", copy=False),
        lambda: Batch("1,024 codingame, random", 1024, rules="codingame", opponent="random"),
        lambda: Batch("1,024 codingame, greedy", 1024, rules="codingame", opponent="greedy"),
        lambda: Batch("1 codingame, copy=False", 1, rules="codingame", copy=False),
        lambda: Batch("65,536 codingame, copy=False", 65536, rules="codingame", copy=False),
    ]
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        print("OpenSpiel is not installed (pip install open-spiel): left out")
    else:
        made.append(OpenSpiel)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="at least 2")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds needs at least 2 for a spread")

    running = [make() for make in contenders()]
    rates: dict[str, list[float]] = {one.name: [] for one in running}
    for _ in range(options.rounds):
        for one in running:
            rates[one.name].append(one.rate())

    machine = f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}"
    print(
        f"oware {oware.__version__} on {machine}; {options.rounds} interleaved rounds, one thread"
    )
    print(f"{'':30} {'M steps/s':>10} {'quartiles':>17} {'ns/step':>9} {'length':>7}")
    rows = []
    for one in running:
        low, median, high = statistics.quantiles(rates[one.name], n=4)
        length = one.steps / max(one.episodes, 1)
        print(
            f"{one.name:30} {median / 1e6:10.3f} {low / 1e6:8.3f} -{high / 1e6:7.3f}"
            f" {1e9 / median:9.1f} {length:7.1f}"
        )
        rows.append({"name": one.name, "rates": rates[one.name], "mean_length": length})
    if isinstance(running[-1], OpenSpiel):
        ratios = [
            a / b for a, b in zip(rates[running[0].name], rates[running[-1].name], strict=True)
        ]
        print(f"{running[0].name} over OpenSpiel: {statistics.median(ratios):.0f} times")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
