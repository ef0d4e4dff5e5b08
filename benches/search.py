"""How fast the search is, and how often its move is one of an endgame database's best.

    python benches/search.py [--rounds 5] [--endgame FILE] [--positions 2000] [--time 0.1]

Positions a second and seconds to a depth are processor time of one thread, from the start of a
game; the best of the rounds is printed, as other programs only ever take time away. Steps a second
are those of an environment whose opponent searches four plies.

With a database, the search plays itself with some moves at random; of the positions met with 13 to
18 seeds, in which moves differ in value, it gets the given time for each and no database.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import oware
from oware.search import alpha_beta, best_moves

DEPTHS = (12, 14, 16, 18)


def speed(rounds: int) -> None:
    """Positions a second and seconds to some depths."""
    for depth in DEPTHS:
        seconds, nodes = [], 0
        for _ in range(rounds):
            begin = time.thread_time()
            nodes = alpha_beta(oware.Game(), depth=depth).nodes
            seconds.append(time.thread_time() - begin)
        best = min(seconds)
        print(f"depth {depth}: {best:.3f} s, {nodes} positions, {nodes / best / 1e6:.1f} M/s")


def steps(rounds: int) -> None:
    """Steps a second against an opponent that searches."""
    env = oware.OwareEnv(1024, opponent="minimax:4", opening_plies=8, autoreset_mode="same_step")
    mask = env.reset(seed=0)[1]["action_mask"]
    rng = np.random.default_rng(0)
    seconds = []
    for _ in range(10 * rounds):
        actions = np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)
        begin = time.process_time()
        mask = env.step(actions)[4]["action_mask"]
        seconds.append(time.process_time() - begin)
    print(f"1,024 environments against minimax:4: {1024 / float(np.median(seconds)):.0f} steps/s")


def agreement(path: str, positions: int, seconds: float) -> None:
    """How often the move is one of the best."""
    endgame = oware.Endgame.open(path)
    rng = np.random.default_rng(0)
    agreed = asked = lost = 0
    while asked < positions:
        game = oware.Game("awari")
        while not game.is_over and game.ply < 300 and asked < positions:
            seeds = sum(game.pits)
            if 13 <= seeds <= 18:
                fresh = oware.Game(
                    "awari", pits=game.pits, stores=game.stores, to_move=game.to_move
                )
                values = endgame.move_values(fresh)
                known = values.values()
                if len(set(known)) > 1 and rng.random() < 0.25:
                    asked += 1
                    move = alpha_beta(fresh, time=seconds).move
                    agreed += move in endgame.best_moves(fresh)
                    lost += max(known) - values[move]
            at_random = game.ply < 6 or rng.random() < 0.05
            moves = game.legal_moves() if at_random else best_moves(game, 4)
            game.play(moves[rng.integers(len(moves))])
    print(
        f"{seconds} s a move: one of the database's best in {agreed} of {asked} positions"
        f" ({agreed / asked:.1%}), {lost / asked:.3f} seeds given up a move"
    )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--endgame", help="a database of at least 18 seeds under awari's rules")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--time", type=float, default=0.1, help="seconds a move")
    options = parser.parse_args()
    speed(options.rounds)
    steps(options.rounds)
    if options.endgame:
        agreement(options.endgame, options.positions, options.time)


if __name__ == "__main__":
    main()
