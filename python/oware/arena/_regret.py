"""What a player gives away against perfect play, by number of seeds on the board."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware._counts import count, flag
from oware._oware import Game, IllegalMoveError, Rules
from oware._progress import Bar
from oware._rules import as_rules
from oware.agents import MAX_PLIES
from oware.arena._engine import Forfeit, Process
from oware.arena._play import ask, chooser
from oware.arena._players import MOVE_TIME, Batched, Engine, Function
from oware.arena._players import player as player_of
from oware.arena._ratings import Z
from oware.endgame import Endgame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oware.arena._players import Player
    from oware.types import RuleSetName

__all__ = ["Regret", "regret"]

POSITIONS: Final = 100
"""Positions of each number of seeds unless told otherwise."""
MOST_POSITIONS: Final = 1_000_000
GAMES: Final = 20
"""Random games for each position that is wanted, after which fewer have to do."""
AT_ONCE: Final = 64
"""Positions that a player of batches is asked about at a time."""


@dataclass(frozen=True, eq=False)
class Regret:
    """The seeds that a player gives away per move; as text a line for each number of seeds.

    Args:
        player: The player's name.
        positions: The positions, in the order in which they were asked.
        seeds: int16 (N,): the seeds on the board of each.
        moves: int8 (N,): what the player played, 0 to 5.
        losses: int16 (N,): the value of the best move less that of the player's, in seeds; 0 for a
            best move.

    Example:
        >>> import oware
        >>> from oware import arena
        >>> database = oware.Endgame.load(6, progress=False)
        >>> worse = arena.regret("random", database, seed=1)
        >>> better = arena.regret("minimax:4", database, seed=1)
        >>> worse.mean > better.mean > 0
        True
    """

    player: str
    positions: tuple[Game, ...]
    seeds: NDArray[np.int16]
    moves: NDArray[np.int8]
    losses: NDArray[np.int16]

    @property
    def mean(self) -> float:
        """The seeds that a move gives away on average over all positions."""
        return float(self.losses.mean())

    def table(self) -> list[dict[str, Any]]:
        """A record for each number of seeds, for `pandas.DataFrame` or `csv`.

        It has the number of positions, the mean loss in seeds with the half-width of its interval
        of 95 % confidence, the greatest loss, and the share of moves that were best.

        Example:
            >>> import oware
            >>> from oware import arena
            >>> database = oware.Endgame.load(6, progress=False)
            >>> [row["seeds"] for row in arena.regret("greedy", database, positions=5).table()]
            [1, 2, 3, 4, 5, 6]
        """
        return [
            {"seeds": count, **_summary(self.losses[self.seeds == count])}
            for count in np.unique(self.seeds).tolist()
        ]

    def __str__(self) -> str:
        """A line for each number of seeds and one for all."""
        rows = [(str(row["seeds"]), row) for row in self.table()]
        rows.append(("all", _summary(self.losses)))
        lines = [
            f"{self.player}: seeds given away per move",
            "seeds  positions     mean  worst   best",
        ]
        lines += [
            f"{name:>5}  {row['positions']:9}  {row['mean']:5.2f} ± {row['half']:4.2f} "
            f"{row['worst']:4}  {100 * row['best']:4.0f}%"
            for name, row in rows
        ]
        return "\n".join(lines)


def regret(
    player: object,
    endgame: Endgame,
    positions: int | Sequence[Game] = POSITIONS,
    *,
    rules: RuleSetName | Rules | None = None,
    seed: int = 0,
    move_time: float = MOVE_TIME,
    progress: bool = False,
) -> Regret:
    """Measure how many seeds a player gives away per move against perfect play.

    The values are exact, those of `Endgame.move_values`: the net seeds that the mover still takes
    with best play by both. A perfect player gives nothing away, whoever it plays against, which no
    rating tells.

    Args:
        player: What `oware.arena.player` takes.
        endgame: The database.
        positions: The games to ask about, not over and within reach of the database; or how many,
            1 to 1,000,000, of each number of seeds from 1 to the database's most. Those are met in
            random play, at most one of each number in a game; where a number is rarely met there
            are fewer.
        rules: The rules of random play; None for a rule set of the database, one that goes on after
            a majority where there is such a one.
        seed: Seed of the positions and the player, at least 0.
        move_time: Seconds a move of an engine that is given by name.
        progress: Whether to show a bar on standard error.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The rules are not the database's, a game is over or has too many seeds, a number
            is out of range, or the player has failed to answer.
        oware.IllegalMoveError: The player has answered an illegal move.

    Example:
        >>> import oware
        >>> from oware import arena
        >>> database = oware.Endgame.load(6, progress=False)
        >>> arena.regret(lambda game: database.best_moves(game)[0], database).mean
        0.0
    """
    asked = player_of(player, move_time=move_time)
    seed = count("seed", seed, 0)
    flag("progress", progress)
    if not isinstance(endgame, Endgame):
        raise TypeError(f"endgame must be an oware.Endgame, not {type(endgame).__name__}")
    if isinstance(positions, Sequence):
        games = list(positions)
    else:
        games = _met(positions, endgame, _rules_of(endgame, rules), seed)
    if not games:
        raise ValueError("there are no positions")
    values = [_values(endgame, game, number) for number, game in enumerate(games)]
    with Bar(len(games), progress, "positions") as bar:
        moves = _asked(asked, games, seed, bar)
    losses = []
    for game, value, move in zip(games, values, moves, strict=True):
        if move not in value:
            legal = ", ".join(map(str, value))
            raise IllegalMoveError(
                f"{asked.name} answers {move} in {game.to_string()}; legal: {legal}"
            )
        losses.append(max(value.values()) - value[move])
    return Regret(
        asked.name,
        tuple(games),
        np.array([sum(game.pits) for game in games], np.int16),
        np.array(moves, np.int8),
        np.array(losses, np.int16),
    )


def _rules_of(endgame: Endgame, rules: RuleSetName | Rules | None) -> Rules:
    if rules is not None:
        return as_rules(rules)
    if not endgame.rule_sets:
        raise ValueError("no rule set has the rules of the database; give rules")
    # Where a majority ends games, few reach the positions of one seed or two.
    return min(map(Rules.named, endgame.rule_sets), key=lambda rules: rules.majority_ends)


def _values(endgame: Endgame, game: Game, number: int) -> dict[int, int]:
    if not isinstance(game, Game):
        raise TypeError(f"positions[{number}] must be an oware.Game, not {type(game).__name__}")
    if game.is_over:
        raise ValueError(f"positions[{number}] is over: {game.to_string()}")
    return endgame.move_values(game)


def _met(wanted: int, endgame: Endgame, rules: Rules, seed: int) -> list[Game]:
    """Positions met in random play, by number of seeds."""
    if isinstance(wanted, bool) or not hasattr(wanted, "__index__"):
        raise TypeError(f"positions must be an int or games, not {type(wanted).__name__}")
    wanted = count("positions", wanted, 1, MOST_POSITIONS)
    found: dict[int, list[Game]] = {seeds: [] for seeds in range(1, endgame.max_seeds + 1)}
    rng = random.Random(f"oware.arena {seed}")
    for _ in range(GAMES * wanted):
        game = Game(rules)
        here: dict[int, list[Game]] = {}
        while not game.is_over and game.ply < MAX_PLIES:
            seeds = sum(game.pits)
            if len(found.get(seeds, ())) < wanted and seeds in found:
                here.setdefault(seeds, []).append(game.copy())
            moves = game.legal_moves()
            game.play(moves[int(rng.random() * len(moves))])
        for seeds, games in here.items():
            found[seeds].append(games[int(rng.random() * len(games))])
        if all(len(games) >= wanted for games in found.values()):
            break
    return [game for games in found.values() for game in games]


def _asked(asked: Player, games: list[Game], seed: int, bar: Bar) -> list[int]:
    if isinstance(asked, Batched):
        return _batch(asked, games, seed, bar)
    return _one_by_one(asked, games, bar)


def _batch(asked: Batched, games: list[Game], seed: int, bar: Bar) -> list[int]:
    """What a player of batches plays, in batches of one set of rules."""
    moves = [-1] * len(games)
    for rules in {game.rules for game in games}:
        policy = asked.policy(rules, seed)
        all_rows = [row for row, game in enumerate(games) if game.rules == rules]
        for first in range(0, len(all_rows), AT_ONCE):
            rows = all_rows[first : first + AT_ONCE]
            observation = np.stack([games[row].observation() for row in rows])
            mask = np.stack([games[row].action_mask() for row in rows])
            chosen, wrong = ask(policy, observation, mask)
            for row, move in zip(rows, chosen.tolist(), strict=True):
                moves[row] = move
            for index, reason in wrong.items():
                raise _failure(asked.name, games[rows[index]], reason)
            bar.update(len(rows))
    return moves


def _one_by_one(asked: Function | Engine, games: list[Game], bar: Bar) -> list[int]:
    moves = []
    process: Process | None = None
    try:
        for game in games:
            try:
                if isinstance(asked, Function):
                    moves.append(chooser(asked, game.rules, 0)(game))
                    bar.update()
                    continue
                if process is None or process.rules != game.rules:
                    if process is not None:
                        process.close()
                    process = Process(asked, game.rules)
                process.new_game()
                moves.append(process.move(game))
                bar.update()
            except Forfeit as forfeit:
                raise _failure(asked.name, game, str(forfeit)) from forfeit
    finally:
        if process is not None:
            process.close()
    return moves


def _failure(name: str, game: Game, reason: str) -> ValueError:
    kind = IllegalMoveError if reason.startswith("illegal move") else ValueError
    return kind(f"{name} in {game.to_string()}: {reason}")


def _summary(losses: NDArray[np.int16]) -> dict[str, Any]:
    count = len(losses)
    spread = float(losses.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return {
        "positions": count,
        "mean": float(losses.mean()),
        "half": Z * spread,
        "worst": int(losses.max()),
        "best": float((losses == 0).mean()),
    }
