"""How many games a second an actor of Ray plays, beside one process on one thread.

    python benches/self_play_ray.py [--games 512] [--each 64] [--simulations 64] [--rounds 5]

The cluster is this machine with one actor of one core. In every round both play the same number of
games: the actor `--each` at a time, the process once in the same shares and once all in lockstep,
as it does when nothing is said. Other programs slow down a whole round, so each has ratios of its
own, of which the median, the least and the most are printed:

    clock   games by the wall clock
    time    games by processor time, of the actor and of the process that waits for it together

Ray's own services, which idle, are in the first. With every process on one core, as in
`taskset -c 0 python benches/self_play_ray.py`, it is the stricter of the two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

# Read as Ray starts: its workers otherwise wait for every other program of the machine.
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray spells it so.

import ray

import oware
from oware.train import RayGames, Settings, self_play

if TYPE_CHECKING:
    from collections.abc import Callable


def measured(play: Callable[[], object], elsewhere: Callable[[], float]) -> tuple[float, float]:
    """Seconds by the clock, and of processor time here and elsewhere."""
    before = time.process_time() + elsewhere()
    clock = time.perf_counter()
    play()
    clock = time.perf_counter() - clock
    return clock, time.process_time() + elsewhere() - before


def spread(ratios: list[float]) -> str:
    """The median, the least and the most."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    """Measure in turns, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=512)
    parser.add_argument("--each", type=int, default=64)
    parser.add_argument("--simulations", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()

    network = oware.Network.random(seed=0)
    endgame = oware.Endgame.load(12, "abapa")
    together = Settings(simulations=options.simulations)
    shared = together.replace(games_each=options.each)
    ways: dict[str, list[tuple[float, float]]] = {"actor": [], "shares": [], "together": []}
    with RayGames(1, address="local") as play:
        # Starts the actor, and lets it open the database.
        play(network, 2, shared, seed=0, endgame=endgame)
        [actor] = play._players  # noqa: SLF001

        def actor_time() -> float:
            return ray.get(actor.__ray_call__.remote(lambda _: time.process_time()))

        for number in range(options.rounds):
            for way, settings in (("actor", shared), ("shares", shared), ("together", together)):
                call = play if way == "actor" else self_play
                games = partial(
                    call, network, options.games, settings, seed=number, endgame=endgame
                )
                ways[way].append(measured(games, actor_time))
    for way, rounds in ways.items():
        clock, spent = (
            options.games / statistics.median(each) for each in zip(*rounds, strict=True)
        )
        print(f"{way:9} {clock:6.1f} games/s by the clock, {spent:6.1f} by processor time")
    for other in ("shares", "together"):
        pairs = list(zip(ways[other], ways["actor"], strict=True))
        by_clock, by_time = (
            spread([theirs[i] / ours[i] for theirs, ours in pairs]) for i in (0, 1)
        )
        print(f"the actor beside {other:9}: {by_clock} by the clock, {by_time} by processor time")


if __name__ == "__main__":
    main()
