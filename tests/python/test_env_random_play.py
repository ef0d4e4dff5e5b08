"""Statistics of random games under OpenSpiel's rules, played by a batch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest

import oware
from reference import some_actions


@dataclass
class Statistics:
    """How games ended, and after how many plies."""

    plies: int = 0
    longest: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    winners: Counter[int] = field(default_factory=Counter)

    @property
    def games(self) -> int:
        return self.endings.total()

    def share(self, ending: str) -> float:
        return self.endings[ending] / self.games

    def __str__(self) -> str:
        shares = ", ".join(
            f"{ending} {self.share(ending):.2%}" for ending, _ in self.endings.most_common()
        )
        results = [self.winners[winner] / self.games for winner in (0, 1, -1)]
        return (
            f"{self.games} games, {self.plies / self.games:.2f} plies each, the longest "
            f"{self.longest}; {shares}; South wins {results[0]:.2%}, North {results[1]:.2%}, "
            f"draws {results[2]:.2%}"
        )


def play(statistics: Statistics, rows: int, seed: int) -> None:
    """Play one game to its end in each row."""
    env = oware.OwareEnv(rows, rules="open_spiel", max_steps=None)
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    playing = np.ones(rows, bool)
    ply = 0
    while playing.any():
        ply += 1
        _, _, terminated, _, info = env.step(some_actions(rng, info["action_mask"]))
        ended = terminated & playing
        playing &= ~terminated
        statistics.plies += ply * int(ended.sum())
        statistics.endings.update(oware.TERMINATIONS[code] for code in info["termination"][ended])
        statistics.winners.update(info["winner"][ended].tolist())
    statistics.longest = max(statistics.longest, ply)


def check(statistics: Statistics, length: float, share: float) -> None:
    """Within so many plies and such a share of what 200,000 games had."""
    print(statistics)
    assert abs(statistics.plies / statistics.games - 104) < length
    for ending, expected in (("majority", 0.76), ("no_move", 0.15), ("repetition", 0.09)):
        assert abs(statistics.share(ending) - expected) < share, ending
    assert statistics.endings.keys() <= {"majority", "no_move", "repetition", "even_split"}


def test_20_000_games() -> None:
    statistics = Statistics()
    play(statistics, 20_000, 0)
    assert statistics.games == 20_000
    check(statistics, 1.5, 0.013)


@pytest.mark.slow
def test_200_000_games() -> None:
    statistics = Statistics()
    for batch in range(10):
        play(statistics, 20_000, 100_000 * (batch + 1))
    assert statistics.games == 200_000
    check(statistics, 0.8, 0.008)
