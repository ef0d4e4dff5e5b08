"""Matches of the searches against OpenSpiel's `MCTSBot`, under its rules.

    python benches/against_open_spiel.py mcts [--games 400] [--simulations 1000] [--exploration 1.4]
    python benches/against_open_spiel.py alpha-beta [--games 40] [--time 0.1] [--bot-time 1]

Every second game has the opening of the one before, four random plies, with the seats changed. The
bot plays as its examples have it: random rollouts, one for each leaf, an exploration of 2, and
values that are proven. A game that OpenSpiel would abort counts as a draw. Each result is printed
as it comes. Players by name meet the bot in `scripts/measure_players.py open-spiel`.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np
import pyspiel

import oware

if TYPE_CHECKING:
    from collections.abc import Callable

GAME = pyspiel.load_game("oware")
GAMES = {"mcts": 400, "alpha-beta": 40}
OPENING = 4
BOT_EXPLORATION = 2.0
ENDLESS = 10_000_000
"""A bot that plays by the clock stops at this many simulations."""


def bot(simulations: int, seconds: float, seed: int) -> pyspiel.MCTSBot:
    """OpenSpiel's bot, limited by simulations and, unless that is below 0, by seconds."""
    return pyspiel.MCTSBot(
        GAME,
        pyspiel.RandomRolloutEvaluator(1, seed),
        BOT_EXPLORATION,
        simulations,
        2000,
        True,
        seed,
        False,
        max_wall_clock_time=seconds,
    )


def play(choose: Callable[[oware.Game], int], theirs: pyspiel.MCTSBot, number: int) -> float:
    """Our points of one game."""
    rng = np.random.default_rng(number // 2)
    state, game = GAME.new_initial_state(), oware.Game("open_spiel")
    for _ in range(OPENING):
        move = int(rng.choice(game.legal_moves()))
        game.play(move)
        state.apply_action(move)
    while not state.is_terminal() and game.ply < GAME.max_game_length():
        ours = state.current_player() == number % 2
        move = choose(game) if ours else theirs.step(state)
        game.play(move)
        state.apply_action(move)
    returns = state.returns()[number % 2] if state.is_terminal() else 0.0
    return (returns + 1) / 2


def main() -> None:
    """Read the arguments and play."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("search", choices=GAMES)
    parser.add_argument("--games", type=int)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--bot-simulations", type=int, help="as many as ours unless told")
    parser.add_argument("--exploration", type=float)
    parser.add_argument("--leaves", type=int)
    parser.add_argument("--time", type=float, default=0.1, help="seconds a move of alpha-beta")
    parser.add_argument("--bot-time", type=float, default=1.0, help="seconds of the bot's then")
    options = parser.parse_args()
    games = options.games or GAMES[options.search]

    points, begin = 0.0, time.perf_counter()
    for number in range(options.first, options.first + games):
        if options.search == "mcts":
            search = oware.search.Mcts(
                simulations=options.simulations,
                exploration=options.exploration,
                leaves=options.leaves,
                seed=number,
            )
            theirs = bot(options.bot_simulations or options.simulations, -1.0, number)
            points += play(lambda game, it=search: int(it.search(game).actions[0]), theirs, number)
        else:
            theirs = bot(ENDLESS, options.bot_time, number)
            points += play(
                lambda game: oware.search.alpha_beta(game, time=options.time).move, theirs, number
            )
        played = number - options.first + 1
        print(
            f"{played} games, {points:g} points ({points / played:.1%}), "
            f"{time.perf_counter() - begin:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
