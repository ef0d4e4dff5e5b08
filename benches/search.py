"""How fast the search is, and how often its move is one of an endgame database's best.

    python benches/search.py [--rounds 5] [--endgame FILE] [--positions 2000] [--time 0.1]
    python benches/search.py --endgame FILE --guided SMALLER [--positions 1000]

Positions a second and seconds to a depth are processor time of one thread, from the start of a
game; the best of the rounds is printed, as other programs only ever take time away. Steps a second
are those of an environment whose opponent searches. Simulations a second are those of 1,024 games
in all phases, searched together.

With a database, the search plays itself with some moves at random; of the positions met with 13 to
18 seeds, in which moves differ in value, it gets the given time for each and no database.

With a smaller database as well, Monte-Carlo tree search gets that and an evaluator, one that knows
nothing and then the network that comes with the package, of positions that the database holds and
of such with up to three seeds more, in either seat.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

import oware
from oware.search import alpha_beta, best_moves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from oware.types import Evaluator, RuleSetName

DEPTHS = (12, 14, 16, 18)
RULES: tuple[RuleSetName, ...] = ("abapa", "awari", "codingame")


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


def steps(rounds: int, opponent: str) -> None:
    """Steps a second against an opponent that searches."""
    env = oware.OwareEnv(1024, opponent=opponent, opening_plies=8, autoreset_mode="same_step")
    mask = env.reset(seed=0)[1]["action_mask"]
    rng = np.random.default_rng(0)
    seconds = []
    for _ in range(2 * rounds):
        actions = np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)
        begin = time.process_time()
        mask = env.step(actions)[4]["action_mask"]
        seconds.append(time.process_time() - begin)
    print(f"1,024 environments against {opponent}: {1024 / float(np.median(seconds)):.0f} steps/s")


def simulations(rounds: int, rules: RuleSetName) -> None:
    """Simulations a second with playouts."""
    games = []
    rng = np.random.default_rng(0)
    while len(games) < 1024:
        game = oware.Game(rules)
        for _ in range(len(games) % 40):
            if not game.is_over:
                game.play(rng.choice(game.legal_moves()))
        games += [] if game.is_over else [game]
    seconds, made = [], 0
    for _ in range(rounds):
        mcts = oware.search.Mcts(simulations=200, seed=0)
        begin = time.process_time()
        made = int(mcts.search(games).visits.sum())
        seconds.append(time.process_time() - begin)
    print(f"UCT, 1,024 games, {rules}: {made / min(seconds) / 1e6:.2f} M simulations/s")


def unforced(
    endgame: oware.Endgame, low: int, high: int, rng: np.random.Generator
) -> Iterator[oware.Game]:
    """Positions met in play with so many seeds, in which moves differ in value."""
    while True:
        game = oware.Game("awari")
        while not game.is_over and game.ply < 300:
            if low <= sum(game.pits) <= high:
                # Of an even score: what was taken before makes no difference to the best moves.
                taken = 48 - sum(game.pits)
                stores = (taken // 2, taken - taken // 2)
                fresh = oware.Game("awari", pits=game.pits, stores=stores, to_move=game.to_move)
                values = endgame.move_values(fresh).values()
                if len(set(values)) > 1 and rng.random() < 0.25:
                    yield fresh
            at_random = game.ply < 6 or rng.random() < 0.05
            moves = game.legal_moves() if at_random else best_moves(game, 4)
            game.play(moves[rng.integers(len(moves))])


def agreement(endgame: oware.Endgame, positions: int, seconds: float) -> None:
    """How often alpha-beta's move is one of the best."""
    agreed = lost = 0
    rng = np.random.default_rng(0)
    for game in islice(unforced(endgame, 13, 18, rng), positions):
        move = alpha_beta(game, time=seconds).move
        values = endgame.move_values(game)
        agreed += move in endgame.best_moves(game)
        lost += max(values.values()) - values[move]
    print(
        f"{seconds} s a move: one of the database's best in {agreed} of {positions} positions"
        f" ({agreed / positions:.1%}), {lost / positions:.3f} seeds given up a move"
    )


def nothing(
    observation: NDArray[Any], action_mask: NDArray[np.int8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Every move is as likely, every position as good."""
    return np.zeros(action_mask.shape, np.float32), np.zeros(len(observation), np.float32)


def guided(
    endgame: oware.Endgame,
    known: oware.Endgame,
    evaluator: Evaluator,
    positions: int,
    exploration: float,
    seeds: tuple[int, int],
) -> None:
    """How often the move of a search with an evaluator is one of the best."""
    found = unforced(endgame, *seeds, np.random.default_rng(0))
    games = list(islice(found, positions))
    mcts = oware.search.Mcts(
        evaluator,
        simulations=5000,
        leaves=4,
        batch=1024,
        score="margin",
        exploration=exploration,
        endgame=known,
        seed=0,
    )
    result = mcts.search(games)
    agreed = np.array(
        [m in endgame.best_moves(game) for game, m in zip(games, result.actions, strict=True)]
    )
    north = np.array([game.to_move == 1 for game in games])
    print(
        f"PUCT, {'network' if isinstance(evaluator, oware.Network) else 'nothing'}, "
        f"5,000 simulations, exploration {exploration}, {known.max_seeds} seeds known, "
        f"{seeds[0]} to {seeds[1]} asked: one of the best in {agreed.sum()} of {positions} "
        f"({agreed.mean():.1%}; as South {agreed[~north].mean():.1%}, "
        f"as North {agreed[north].mean():.1%}), {result.mean_batch:.0f} positions a batch"
    )


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--endgame", help="a database of at least 18 seeds under awari's rules")
    parser.add_argument("--guided", help="a smaller one")
    parser.add_argument("--exploration", type=float, default=0.3)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--time", type=float, default=0.1, help="seconds a move")
    options = parser.parse_args()
    if options.guided:
        endgame, known = oware.Endgame.open(options.endgame), oware.Endgame.open(options.guided)
        most = known.max_seeds
        network = oware.Network.load(oware.agents.LEVELS["strong"].network)
        for evaluator in (nothing, network):
            for seeds in ((most - 2, most), (most + 1, most + 3)):
                guided(endgame, known, evaluator, options.positions, options.exploration, seeds)
        return
    speed(options.rounds)
    for opponent in ("minimax:4", "mcts:200"):
        steps(options.rounds, opponent)
    for rules in RULES:
        simulations(options.rounds, rules)
    if options.endgame:
        agreement(oware.Endgame.open(options.endgame), options.positions, options.time)


if __name__ == "__main__":
    main()
