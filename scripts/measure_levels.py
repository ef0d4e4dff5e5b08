"""Measure how strong the players are that `oware play` has for opponents.

Each plays against the three before it in the list, as others are so far off that games say little;
ratings by Bradley and Terry (`oware.arena.fit`) join the pairs, with 1500 for `greedy`. What this
prints is `STRENGTHS` in `oware.cli_history`: ratings, and their standard deviations, which a ladder
wants to be above 0.
"""

from __future__ import annotations

import numpy as np

from oware import arena

PLAYERS = ["random", "greedy", *(f"minimax:{depth}" for depth in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12))]
GAMES = 200
OPENING = 6


def main() -> None:
    """Play, and print a line for each player."""
    wins = np.zeros((len(PLAYERS), len(PLAYERS)))
    draws = np.zeros_like(wins)
    for one in range(len(PLAYERS)):
        for two in range(max(0, one - 3), one):
            pair = [PLAYERS[one], PLAYERS[two]]
            tally = arena.tournament(pair, GAMES, openings=OPENING).against(*pair).total
            wins[one, two], wins[two, one] = tally.wins, tally.losses
            draws[one, two] = draws[two, one] = tally.draws + tally.unfinished
    ratings = arena.fit(PLAYERS, wins, draws, anchor="greedy", at=1500)
    deviations = np.sqrt(np.diag(ratings.covariance))
    for name, elo, deviation in zip(PLAYERS, ratings.elo, deviations, strict=True):
        print(f'    "{name}": ({elo:.0f}, {max(deviation, 1):.0f}),')


if __name__ == "__main__":
    main()
