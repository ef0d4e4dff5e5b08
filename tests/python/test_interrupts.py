"""What takes long is ended by Ctrl-C, and soon."""

from __future__ import annotations

import os

import pytest

from interrupts import AT_MOST, program, seconds_to_end

IMPORTS = """
import sys

import oware
from oware import analysis, arena
"""
WORK = {
    "a tournament in batches": """
        begun()
        arena.tournament(["mcts:3000", "mcts:2000"], games=1000)
    """,
    "a tournament of callables": """
        def slow(game):
            begun() if game.ply == 2 else None
            return oware.search.alpha_beta(game, depth=60).move
        arena.tournament([slow, "random"], games=1000, openings=2)
    """,
    "a tournament of engines": """
        command = [sys.executable, "-m", "oware", "uci"]
        engine = arena.Engine(command, move_time=100, start_time=120)
        def first(game):
            begun() if game.ply == 2 else None
            return game.legal_moves()[0]
        arena.tournament([first, engine], games=1000, openings=["Ff"])
    """,
    "regret": """
        endgame = oware.Endgame.load(8, "abapa", progress=False)
        games = [oware.Game(pits=[0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0])] * 20_000
        begun()
        arena.regret("mcts:20000", endgame, games)
    """,
    "openings": """
        begun()
        analysis.openings(8, search_depth=60)
    """,
    "puzzles with true values": """
        endgame = oware.Endgame.load(8, "abapa", progress=False)
        begun()
        analysis.puzzles(1_000_000, endgame=endgame, exact=True, depth=80)
    """,
}

if os.name == "posix":

    @pytest.mark.parametrize("name", WORK)
    def test_it_ends(name: str) -> None:
        assert seconds_to_end("-c", program(IMPORTS, WORK[name])) < AT_MOST
