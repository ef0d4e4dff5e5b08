"""Find the weights of the search's evaluation by regression on the outcomes of games.

    python scripts/tune_evaluation.py play games.npz [--games 4000] [--depth 6] [--seed 1]
    python scripts/tune_evaluation.py fit games.npz ... --endgame awari-24.oware
    python scripts/tune_evaluation.py few src/search/few_seeds.bin

`play` lets a search of few plies play itself, some moves at random, and keeps every position with
the net seeds that its mover took from there on. `fit` takes the true value instead where the
database (under `awari`'s rules) has it, there also after some random plies, and explains these
values by one weight for each number of seeds in each pit of a row, the same for the mover and
against the opponent, in each phase of the game, and a constant for being the mover (ridge
regression, a fifth of the games held out). It prints the tables for `src/search/evaluation.rs`.
`few` writes the values of all boards of few seeds, which searches without a depth take instead.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations
from pathlib import Path

import numpy as np

import oware
from oware.search import best_moves

COUNTS = 16
"""Numbers of seeds told apart; the last one stands for more, too."""
PHASES = (8, 12, 16, 20, 24, 32)
"""The most seeds on the board in each phase of the game, the last one first."""
FEW_SEEDS = 10
"""The most seeds of the boards whose values `few` writes."""


def play(path: Path, games: int, depth: int, seed: int) -> None:
    """Play games and keep their positions."""
    rng = np.random.default_rng(seed)
    boards, futures, numbers = [], [], []
    begin = time.monotonic()
    for number in range(games):
        # Values are played on past a majority.
        game = oware.Game(oware.Rules(majority_ends=False))
        opening = rng.integers(4, 16)
        seen: list[tuple[np.ndarray, int, int]] = []
        while not game.is_over and game.ply < 300:
            at_random = game.ply < opening or rng.random() < 0.05
            if game.ply >= opening:
                stores = game.stores
                seen.append((game.observation(), game.to_move, stores[0] - stores[1]))
            moves = game.legal_moves() if at_random else best_moves(game, depth)
            game.play(moves[rng.integers(len(moves))])
        if not game.is_over:
            continue
        final = game.stores[0] - game.stores[1]
        for observation, mover, margin in seen:
            boards.append(observation[:12])
            futures.append((final - margin) * (1 if mover == 0 else -1))
            numbers.append(number)
        if number % 500 == 499:
            print(f"{number + 1} games, {len(boards)} positions, {time.monotonic() - begin:.0f} s")
    np.savez(path, boards=np.array(boards), futures=np.array(futures, np.int16), games=numbers)


def features(boards: np.ndarray) -> np.ndarray:
    """What the mover has more of than the opponent of each number in each pit, and a one."""
    columns = np.zeros((len(boards), 6 * COUNTS + 1), np.float32)
    columns[:, -1] = 1
    rows = np.arange(len(boards))
    for pit in range(6):
        for sign, row in ((1, 0), (-1, 6)):
            counts = np.minimum(boards[:, row + pit], COUNTS - 1)
            columns[rows, pit * COUNTS + counts] += sign
    return columns


def wandered(boards: np.ndarray, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Some boards after up to four random plies, as a search meets them, and their origins."""
    rng = np.random.default_rng(seed)
    rules = oware.Rules.named("awari").replace(repetition=0)
    found, origins = [], []
    for index in rng.permutation(len(boards))[:count]:
        game = oware.Game(rules, pits=boards[index])
        for _ in range(rng.integers(1, 5)):
            moves = game.legal_moves()
            if moves:
                game.play(moves[rng.integers(len(moves))])
        if not game.is_over:
            found.append(game.observation()[:12])
            origins.append(index)
    return np.array(found), np.array(origins)


def fit(paths: list[Path], database: Path) -> None:
    """Fit and print the weights."""
    data = [np.load(path) for path in paths]
    boards = np.concatenate([one["boards"] for one in data])
    futures = np.concatenate([one["futures"] for one in data]).astype(np.float32)
    games = np.concatenate([one["games"] for one in data])
    endgame = oware.Endgame.open(database)
    seeds = boards.sum(axis=1, dtype=np.int64)
    few = np.flatnonzero((seeds > 8) & (seeds <= endgame.max_seeds))
    more, origins = wandered(boards[few], 120_000, 0)
    boards = np.concatenate([boards, more])
    games = np.concatenate([games, games[few][origins]])
    futures = np.concatenate([futures, np.zeros(len(more), np.float32)])
    seeds = boards.sum(axis=1, dtype=np.int64)
    known = seeds <= endgame.max_seeds
    futures[known] = endgame.values(boards[known])
    phases = np.digitize(seeds, [edge + 1 for edge in PHASES])
    tempos, tables = [], []
    for phase in range(len(PHASES) + 1):
        train, held = ((phases == phase) & ((games % 5 == 0) == out) for out in (False, True))
        columns = features(boards[train]).astype(np.float64)
        penalty = np.eye(columns.shape[1]) * (20 if known[train].all() else 200)
        penalty[-1, -1] = 0
        weights = np.linalg.solve(columns.T @ columns + penalty, columns.T @ futures[train])
        rest = futures[held] - features(boards[held]) @ weights
        explained = 1 - rest.var() / futures[held].var()
        print(f"// phase {phase}: {train.sum()} positions, {explained:.3f} explained in others")
        tempos.append(round(100 * float(weights[-1])))
        tables.append(np.rint(100 * weights[:-1]).astype(int).reshape(6, COUNTS))
    print(f"static TEMPO: [i32; {len(tempos)}] = {tempos};")
    print(f"static WEIGHTS: [[[i16; {COUNTS}]; ROW]; {len(tables)}] = [")
    for table in tables:
        print("    [")
        for row in table:
            print(f"        [{', '.join(map(str, row))}],")
        print("    ],")
    print("];")


def every_board(seeds: int) -> np.ndarray:
    """Every board of so many seeds, in the order of `src/index.rs`."""
    # Eleven bars among the seeds part the pits; the last bar counts most.
    bars = np.array(list(combinations(range(seeds + 11), 11)))
    bars = bars[np.lexsort(bars.T)]
    return np.diff(bars, axis=1, prepend=-1, append=seeds + 11).astype(np.uint8) - 1


def few(path: Path) -> None:
    """Write the values of all boards of few seeds."""
    endgame = oware.Endgame.build(FEW_SEEDS, "awari", progress=False)
    values = [endgame.values(every_board(seeds)) for seeds in range(FEW_SEEDS + 1)]
    path.write_bytes(np.concatenate(values).astype(np.int8).tobytes())


def main() -> None:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    player = commands.add_parser("play")
    player.add_argument("path", type=Path)
    player.add_argument("--games", type=int, default=4000)
    player.add_argument("--depth", type=int, default=6)
    player.add_argument("--seed", type=int, default=1)
    fitter = commands.add_parser("fit")
    fitter.add_argument("paths", type=Path, nargs="+")
    fitter.add_argument("--endgame", type=Path, required=True)
    commands.add_parser("few").add_argument("path", type=Path)
    options = parser.parse_args()
    if options.command == "play":
        play(options.path, options.games, options.depth, options.seed)
    elif options.command == "few":
        few(options.path)
    else:
        fit(options.paths, options.endgame)


if __name__ == "__main__":
    main()
