"""How fast a network is evaluated, and how fast it plays itself in a search.

    python benches/network.py [--hidden 160,128] [--rounds 3] [--games 1024] [--simulations 64]

All figures are processor time of one thread, the best of the rounds. Boards are drawn; games begin
at the start and go on for some plies, each move drawn from the visits, with noise and trees kept,
as self-play has it.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np

import oware

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

PLIES = 6


def least(act: Callable[[], object], rounds: int) -> float:
    """The seconds that something takes at best."""
    seconds = []
    for _ in range(rounds):
        begin = time.thread_time()
        act()
        seconds.append(time.thread_time() - begin)
    return min(seconds)


def self_play(network: oware.Network, count: int, simulations: int) -> None:
    """Print how fast games are played."""
    games = [oware.Game() for _ in range(count)]
    mcts = oware.search.Mcts(network, simulations=simulations, noise=(1.5, 0.25), seed=0)
    begin, moves, positions = time.thread_time(), 0, 0
    for _ in range(PLIES):
        found = mcts.search(games, temperature=1.0, reuse=True)
        for game, action in zip(games, found.actions, strict=True):
            game.play(int(action))
        moves, positions = moves + len(games), positions + found.positions
        games = [game for game in games if not game.is_over]
    seconds = time.thread_time() - begin
    print(
        f"{count} games, {simulations} simulations: {moves / seconds:,.0f} moves/s, "
        f"{positions / seconds:,.0f} evaluations/s, {found.mean_batch:.0f} a batch"
    )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hidden", default="160,128", help="the widths of the hidden layers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--simulations", type=int, default=64)
    options = parser.parse_args()
    network = oware.Network.random([int(width) for width in options.hidden.split(",")], seed=0)
    rng = np.random.default_rng(0)
    pits = rng.multinomial(30, np.ones(12) / 12, size=10_240)
    boards = np.concatenate([pits, np.full((len(pits), 2), 9)], axis=1).astype(np.uint8)
    print(network)
    for batch, calls in ((256, 40), (8, 100), (1, 300)):
        some = boards[: batch * calls].reshape(calls, batch, 14)

        def ask(some: NDArray[np.uint8] = some) -> None:
            for each in some:
                network.evaluate(each)

        seconds = least(ask, options.rounds)
        print(f"batches of {batch}: {batch * calls / seconds:,.0f} evaluations/s")
    self_play(network, options.games, options.simulations)


if __name__ == "__main__":
    main()
