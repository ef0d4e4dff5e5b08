"""Playing games: many in lockstep where both players can, else one after the other."""

from __future__ import annotations

import operator
import random
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware._counts import told
from oware._oware import TERMINATIONS, Game
from oware._policies import answers_of, move_of, reason_of
from oware.arena._engine import Forfeit, Process, illegal_move
from oware.arena._players import Batched, Engine, Function
from oware.env import OwareEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from oware._oware import Rules
    from oware.arena._players import Player
    from oware.types import Policy

__all__ = ["ENDINGS", "Planned", "Played", "ask", "chooser", "play_batch", "play_one", "seed_of"]

ENDINGS: Final = (*TERMINATIONS[1:], "unfinished", "forfeit")
"""How a game may end: by a rule, cut off at a number of plies, or lost by what a player did."""
LONGEST: Final = 300
"""The most characters that are kept of a reason."""


@dataclass(frozen=True)
class Planned:
    """A game to be played: its number, the players' numbers by seat, the opening's number."""

    number: int
    south: int
    north: int
    opening: int


@dataclass(frozen=True)
class Played:
    """A game that was played."""

    plan: Planned
    moves: tuple[int, ...]
    stores: tuple[int, int]
    winner: int
    ending: str
    reason: str = ""


def seed_of(seed: int, *numbers: int) -> int:
    """The seed of a player in a batch or a game: another one for other numbers."""
    return random.Random(f"oware.arena {seed} {numbers}").getrandbits(63)


def play_one(
    plan: Planned,
    opening: Sequence[int],
    players: Sequence[Player],
    processes: dict[int, Process],
    rules: Rules,
    seed: int,
    max_plies: int,
) -> Played:
    """Play one game.

    Args:
        plan: The game.
        opening: The moves that it begins with.
        players: All players.
        processes: The engines' processes by number of their player; new ones are added.
        rules: The rules.
        seed: Seed of the tournament.
        max_plies: How many plies it has at most.
    """
    game = Game(rules)
    for move in opening:
        game.play(move)
    seats = (plan.south, plan.north)
    loser = 0
    try:
        choosers: list[Callable[[Game], int]] = []
        for loser, number in enumerate(seats):
            player = players[number]
            if isinstance(player, Engine):
                process = processes.setdefault(number, Process(player, rules))
                process.new_game()
                choosers.append(process.move)
            else:
                its_seed = seed_of(seed, plan.south, plan.north, plan.opening, loser)
                choosers.append(chooser(player, rules, its_seed))
        while not game.is_over and game.ply < max_plies:
            loser = game.to_move
            game.play(choosers[loser](game))
    except Forfeit as forfeit:
        reason = str(forfeit)[:LONGEST]
        return Played(plan, tuple(game.moves), game.stores, 1 - loser, "forfeit", reason)
    winner = -1 if game.winner is None else game.winner
    ending = game.termination or "unfinished"
    return Played(plan, tuple(game.moves), game.stores, winner, ending)


def chooser(player: Batched | Function, rules: Rules, seed: int) -> Callable[[Game], int]:
    """What gives a legal move of a player that is no process."""
    choose: Callable[[Game], int] = (
        partial(move_of, player.policy(rules, seed))
        if isinstance(player, Batched)
        else lambda game: operator.index(player.function(game.copy()))
    )

    def chosen(game: Game) -> int:
        try:
            move = choose(game)
        except (Exception, SystemExit) as error:
            raise Forfeit(reason_of(error)) from error
        if not game.is_legal(move):
            raise Forfeit(illegal_move(told(move), game.legal_moves()))
        return move

    return chosen


def play_batch(
    plans: Sequence[Planned],
    openings: Sequence[Sequence[int]],
    policies: dict[int, Policy],
    rules: Rules,
    max_plies: int,
) -> list[Played]:
    """Play games in one environment, a ply of each at a time.

    Args:
        plans: The games.
        openings: The moves that each begins with.
        policies: The players' policies by number.
        rules: The rules.
        max_plies: How many plies a game has at most.
    """
    count = len(plans)
    # A finished row plays on from the start, which nobody looks at.
    env = OwareEnv(count, rules=rules, max_steps=None)
    observation, info = env.reset(seed=0)
    seats = np.array([(plan.south, plan.north) for plan in plans])
    moves = np.full((count, max_plies), -1, np.int8)
    played: dict[int, Played] = {}
    going_on = np.ones(count, dtype=bool)
    rows = np.arange(count)
    # The opening's move at each ply, -1 where there is none.
    forced = np.full((count, max(map(len, openings)) + 1), -1)
    for row, opening in enumerate(openings):
        forced[row, : len(opening)] = opening

    def finish(row: int, winner: int, ending: str, reason: str = "") -> None:
        line = tuple(moves[row][moves[row] >= 0].tolist())
        stores = (int(env.stores[row, 0]), int(env.stores[row, 1]))
        played[row] = Played(plans[row], line, stores, winner, ending, reason)
        going_on[row] = False

    for ply in range(max_plies):
        mask = info["action_mask"]
        actions = mask.argmax(axis=1)
        moving = seats[rows, info["to_move"]]
        given = forced[:, min(ply, forced.shape[1] - 1)]
        actions = np.where((given >= 0) & going_on, given, actions)
        asked = going_on & (given < 0)
        for number, policy in policies.items():
            its = np.flatnonzero(asked & (moving == number))
            if its.size:
                actions[its], wrong = ask(policy, observation[its], mask[its])
                for index, reason in wrong.items():
                    loser = int(its[index])
                    finish(loser, 1 - int(info["to_move"][loser]), "forfeit", reason)
                    actions[loser] = mask[loser].argmax()
        if not going_on.any():
            break
        moves[going_on, ply] = actions[going_on]
        observation, _, terminated, _, info = env.step(actions)
        for row in np.flatnonzero(terminated & going_on).tolist():
            finish(row, int(info["winner"][row]), TERMINATIONS[info["termination"][row]])
    for row in np.flatnonzero(going_on).tolist():
        finish(row, -1, "unfinished")
    env.close()
    return [played[row] for row in range(count)]


def ask(
    policy: Policy, observation: NDArray[Any], mask: NDArray[np.int8]
) -> tuple[NDArray[np.integer[Any]], dict[int, str]]:
    """Actions, and by row why one is none; where a player fails on all, each row is asked alone."""
    wrong: dict[int, str] = {}
    try:
        actions = answers_of(policy, observation, mask)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - Whatever a player does costs it a game, no more.
        reason = reason_of(error)[:LONGEST]
        if len(observation) == 1:
            return np.zeros(1, np.int64), {0: reason}
        actions = np.zeros(len(observation), np.int64)
        for row in range(len(observation)):
            alone, why = ask(policy, observation[row : row + 1], mask[row : row + 1])
            actions[row] = alone[0]
            wrong |= dict.fromkeys([row], why[0]) if why else {}
    rows = np.arange(len(actions))
    legal = (actions >= 0) & (actions < 6) & (mask[rows, actions.clip(0, 5)] != 0)
    for row in np.flatnonzero(~legal).tolist():
        moves = np.flatnonzero(mask[row]).tolist()
        wrong.setdefault(row, illegal_move(str(actions[row]), moves))
    return actions, wrong
