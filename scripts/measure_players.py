"""Measure the players that ship with the package, by the arena: `docs/players.md` has the tables.

    python scripts/measure_players.py levels --rules abapa --games 400
    python scripts/measure_players.py others --rules abapa --games 200
    python scripts/measure_players.py others --players amateur --against minimax:4 --games 4000
    python scripts/measure_players.py searches --games 200
    python scripts/measure_players.py open-spiel --simulations 1000 --games 200
    python scripts/measure_players.py alpha-beta --games 400
    python scripts/measure_players.py ratings --rules abapa
    python scripts/measure_players.py regret --rules abapa --seeds 15
    python scripts/measure_players.py time
    python scripts/measure_players.py learners --players ppo.safetensors dqn.safetensors --games 200

Every opening of six random plies is played from both seats. Results go into files of `--out`, from
which a measurement that was stopped goes on. `ratings` fits all of them together; what it prints at
the end is `STRENGTHS` in `oware.cli_history`.
"""

from __future__ import annotations

import argparse
import itertools
import re
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import oware
from oware import arena
from oware.agents import move_of, named

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = list(oware.agents.LEVELS)
OTHERS = ["random", "greedy", *(f"minimax:{depth}" for depth in (2, 4, 6, 8)), "mcts:1000"]
SEARCHES = ["random", "greedy", *(f"minimax:{depth}" for depth in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12))]
NEAR = 3
"""How many of the searches before it one meets: others are so far off that games say little."""
BESIDE_LEARNERS = [*OTHERS[:5], "novice", "amateur"]
YARDSTICK = "minimax:6"
OPENING = 6
Z = 1.959964


def kept(options: argparse.Namespace, name: str) -> Path:
    """The file of a tournament."""
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}-{options.rules}.jsonl"


def points(results: arena.Results, one: str, two: str) -> str:
    """A player's share of the points against another, with its interval of 95 %."""
    sound(results)
    return share(results.against(one, two).total)


def sound(results: arena.Results) -> None:
    """Refuse results of which a player that fails is a part."""
    for forfeit in results.forfeits():
        raise RuntimeError(f"a game was lost by forfeit: {forfeit}")


def share(tally: arena.Tally) -> str:
    """A share of the points, with its interval of 95 %."""
    square = (tally.wins + (tally.draws + tally.unfinished) / 4) / tally.games
    half = Z * float(np.sqrt(max(square - tally.score**2, 0) / tally.games))
    return f"{100 * tally.score:5.1f} ± {100 * half:3.1f} %"


def levels(options: argparse.Namespace) -> None:
    """All against all, their ratings and the gaps between neighbours."""
    players = options.players
    results = arena.tournament(
        players,
        options.games,
        rules=options.rules,
        openings=OPENING,
        path=kept(options, "levels"),
        progress=True,
    )
    print(results.table(anchor=players[0]))
    ratings = results.ratings(anchor=players[0])
    for lower, upper in itertools.pairwise(players):
        gap, low, high = ratings.difference(upper, lower)
        won = points(results, upper, lower)
        print(f"{upper} above {lower}: {gap:.0f} ± {(high - low) / 2:.0f}, points {won}")
    print(f"unique games: {100 * results.unique:.1f} %")


def met(options: argparse.Namespace, name: str, other: str) -> str:
    """A player's share of the points against another, in a match of its own."""
    results = arena.tournament(
        [name, other],
        options.games,
        rules=options.rules,
        openings=OPENING,
        path=kept(options, re.sub(r"\W+", "-", f"{name}-{other}")),
    )
    return points(results, name, other)


def others(options: argparse.Namespace) -> None:
    """Each player against those that need no network."""
    print("| player | " + " | ".join(options.against) + " |")
    for name in options.players:
        cells = []
        for other in options.against:
            cells.append(met(options, name, other))
            print(name, other, cells[-1], flush=True)
        print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


def searches(options: argparse.Namespace) -> None:
    """Players that only search, each against those just below it."""
    for place, name in enumerate(SEARCHES):
        for other in SEARCHES[max(0, place - NEAR) : place]:
            print(name, other, met(options, name, other), flush=True)


def open_spiel(options: argparse.Namespace) -> None:
    """Each player against OpenSpiel's `MCTSBot`, under its rules.

    The bot plays as its examples have it: a random rollout for each leaf, an exploration of 2, and
    values that are proven. Its seed comes from the moves that were played, so that a match that was
    stopped goes on to the same games.
    """
    import pyspiel

    from oware.adapters.open_spiel import to_state

    rules = pyspiel.load_game("oware")

    def choose(game: oware.Game) -> int:
        seed = zlib.crc32(game.transcript().encode()) >> 1
        leaves = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(rules, leaves, 2.0, options.simulations, 2000, True, seed, False)
        return int(bot.step(to_state(game)))

    options.rules, bot = "open_spiel", f"MCTSBot({options.simulations})"
    print(f"| player | {bot} | as South | as North |")
    for name in options.players:
        results = arena.tournament(
            {name: name, bot: arena.Function(bot, choose)},
            options.games,
            rules=options.rules,
            openings=OPENING,
            path=kept(options, re.sub(r"\W+", "-", f"{name}-{bot}")),
        )
        sound(results)
        match = results.against(name, bot)
        cells = [share(tally) for tally in (match.total, match.south, match.north)]
        print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


def alpha_beta(options: argparse.Namespace) -> None:
    """The last player against alpha-beta with the same time and the same database."""
    name = options.players[-1]
    endgame = oware.Endgame.load(12, options.rules)
    seconds = options.time or float(np.mean(measured(name, options.rules)))

    def choose(game: oware.Game) -> int:
        return oware.search.alpha_beta(game, time=seconds, endgame=endgame).move

    results = arena.tournament(
        {name: name, "alpha-beta": arena.Function("alpha-beta", choose)},
        options.games,
        rules=options.rules,
        openings=OPENING,
        path=kept(options, f"alpha-beta-{seconds:.3f}"),
        progress=True,
    )
    print(f"{1000 * seconds:.1f} ms a move: {name} {points(results, name, 'alpha-beta')}")


def ratings(options: argparse.Namespace) -> None:
    """What all tournaments say together, on one scale: 1500 for `greedy`."""
    tallies: dict[tuple[str, str], Any] = {}
    for path in sorted(Path(options.out).glob(f"*-{options.rules}.jsonl")):
        results = arena.load(path)
        for one, two in itertools.combinations(sorted(results.players), 2):
            known = tallies.get((one, two), arena.Tally())
            tallies[one, two] = known + results.against(one, two).total
    players = sorted({name for pair in tallies for name in pair})
    wins, draws = np.zeros((2, len(players), len(players)))
    for (first, second), tally in tallies.items():
        row, column = players.index(first), players.index(second)
        wins[row, column] += tally.wins
        wins[column, row] += tally.losses
        draws[[row, column], [column, row]] += tally.draws + tally.unfinished
    found = arena.fit(players, wins, draws, anchor="greedy", at=1500)
    deviations = np.sqrt(np.diag(found.covariance))
    order = np.argsort(found.elo)
    for row in order:
        print(f"| `{players[row]}` | {found.elo[row]:.0f} ± {Z * deviations[row]:.0f} |")
    for row in order:
        # A ladder wants deviations above 0.
        print(f'    "{players[row]}": ({found.elo[row]:.0f}, {max(deviations[row], 1):.0f}),')


def measured(name: str, rules: Any) -> list[float]:  # noqa: ANN401
    """The seconds that a player takes for each move of a game that it plays on its own."""
    player, game, spent = named(name, 0, rules), oware.Game(rules), []
    while not game.is_over and game.ply < 120:
        begin = time.perf_counter()
        move = move_of(player, game)
        spent.append(time.perf_counter() - begin)
        game.play(move)
    return spent


def times(options: argparse.Namespace) -> None:
    """What a move takes."""
    for name in options.players:
        spent = 1000 * np.array(measured(name, options.rules))
        print(f"{name}: {spent.mean():.2f} ms a move, {spent.max():.2f} at most", flush=True)


def regret(options: argparse.Namespace) -> None:
    """The seeds that each player gives away a move, by the seeds on the board, and results lost."""
    endgame = oware.Endgame.load(options.seeds, options.rules)
    rows: dict[int, list[str]] = {}
    results: list[str] = []
    for name in options.players:
        found = arena.regret(name, endgame, options.positions, rules=options.rules, seed=1)
        for row in found.table():
            rows.setdefault(row["seeds"], []).append(f"{row['mean']:.3f} ± {row['half']:.3f}")
        rows.setdefault(len(found.seeds), []).append(f"{found.mean:.3f}")
        net = np.array([balance(game) + endgame.value(game) for game in found.positions])
        results.append(str(int((np.sign(net - found.losses) < np.sign(net)).sum())))
    print("| seeds | " + " | ".join(options.players) + " |")
    for seeds, cells in sorted(rows.items()):
        name = "all" if seeds == max(rows) else seeds
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("| results made worse | " + " | ".join(results) + " |")


def balance(game: oware.Game) -> int:
    """The mover's seeds less the other's."""
    return game.stores[game.to_move] - game.stores[1 - game.to_move]


def learners(options: argparse.Namespace) -> None:
    """Networks of `train_learners.py` in one pool with others, and how far a search leads them."""
    names = {Path(path).stem: f"net:{path}" for path in options.players}
    results = arena.tournament(
        {**names, **{name: name for name in BESIDE_LEARNERS}},
        options.games,
        rules=options.rules,
        openings=OPENING,
        path=kept(options, "learners"),
        progress=True,
    )
    ratings = results.ratings(anchor="greedy", at=1500)
    print("| player | rating | " + " | ".join(f"`{name}`" for name in BESIDE_LEARNERS) + " |")
    for row in ratings.table():
        half = (row["high"] - row["low"]) / 2
        cells = [f"{row['rating']:.0f} ± {half:.0f}"]
        if row["player"] in names:
            cells += [points(results, row["player"], other) for other in BESIDE_LEARNERS]
        print(f"| `{row['player']}` | " + " | ".join(cells) + " |")
    for name in names:
        gap, low, high = ratings.difference(YARDSTICK, name)
        print(f"{YARDSTICK} above {name}: {gap:.0f} ± {(high - low) / 2:.0f}")
    print(f"unique games: {100 * results.unique:.1f} %")


MEASUREMENTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "levels": levels,
    "others": others,
    "searches": searches,
    "open-spiel": open_spiel,
    "alpha-beta": alpha_beta,
    "ratings": ratings,
    "regret": regret,
    "time": times,
    "learners": learners,
}


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=MEASUREMENTS)
    parser.add_argument("--players", nargs="+", default=LEVELS)
    parser.add_argument("--against", nargs="+", default=OTHERS, help="of `others`")
    parser.add_argument("--rules", default="abapa")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--positions", type=int, default=100, help="of each number of seeds")
    parser.add_argument("--simulations", type=int, default=1000, help="of OpenSpiel's bot")
    parser.add_argument("--time", type=float, help="seconds a move of alpha-beta")
    parser.add_argument("--out", default="measured")
    options = parser.parse_args()
    MEASUREMENTS[options.what](options)


if __name__ == "__main__":
    main()
