"""Regret: exact against the database, and nothing for a perfect player."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from oware import arena
from oware.agents import GreedyAgent

if TYPE_CHECKING:
    from numpy.typing import NDArray


@pytest.fixture(scope="module")
def database() -> oware.Endgame:
    return oware.Endgame.build(8, "awari", progress=False)


def first_best(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
    return GreedyAgent(rules="awari").best(observation, action_mask).argmax(axis=1)


def test_a_perfect_player_gives_nothing_away(database: oware.Endgame) -> None:
    found = arena.regret(lambda game: database.best_moves(game)[-1], database, 40, seed=1)
    assert found.mean == 0
    assert not found.losses.any()
    assert all(row["worst"] == 0 and row["best"] == 1 for row in found.table())
    assert [row["seeds"] for row in found.table()] == list(range(1, 9))
    assert all(row["positions"] == 40 for row in found.table()[1:])


def test_a_loss_is_what_the_values_say(database: oware.Endgame) -> None:
    found = arena.regret(first_best, database, 30, seed=2)
    assert len(found.positions) == len(found.moves) == len(found.losses) > 200
    for game, seeds, move, loss in zip(
        found.positions, found.seeds, found.moves, found.losses, strict=True
    ):
        assert sum(game.pits) == seeds
        # A move is worth what it captures and what is left to the other of what follows.
        worth = {}
        for legal in game.legal_moves():
            after = game.copy()
            captured = after.play(legal)
            if not after.is_over:
                worth[legal] = captured - database.value(after)
            else:
                worth[legal] = database.move_values(game)[legal]
        assert loss == max(worth.values()) - worth[int(move)]
    assert found.losses.max() > 0
    [two] = [row for row in found.table() if row["seeds"] == 2]
    chosen = found.losses[found.seeds == 2]
    assert two["mean"] == pytest.approx(chosen.mean())
    assert two["half"] == pytest.approx(1.959964 * chosen.std(ddof=1) / np.sqrt(len(chosen)))
    assert str(found).splitlines()[-1].split()[0] == "all"


def test_the_same_seed_asks_the_same_positions(database: oware.Endgame) -> None:
    one, two, other = (arena.regret("random", database, 5, seed=seed) for seed in (3, 3, 4))
    assert one.positions == two.positions
    assert (one.moves == two.moves).all()
    assert one.positions != other.positions


def test_positions_are_met_in_play_and_of_different_games(database: oware.Endgame) -> None:
    found = arena.regret("greedy", database, 20, seed=5)
    for game in found.positions:
        assert oware.Game.from_transcript(game.transcript(), "awari") == game
    eight = [game.transcript() for game in found.positions if sum(game.pits) == 8]
    assert len({line[:20] for line in eight}) == 20


def test_games_of_the_caller_are_asked_in_their_order(database: oware.Endgame) -> None:
    games = [
        oware.Game("awari", pits=[0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 2, 1]),
        oware.Game("village", pits=[0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0], stores=(20, 20)),
    ]
    for player in ("minimax:1", "greedy", lambda game: game.legal_moves()[0]):
        found = arena.regret(player, database, games)
        assert list(found.positions) == games
        assert found.seeds.tolist() == [6, 6]


def test_an_engine_is_asked_too(database: oware.Endgame) -> None:
    games = [oware.Game("awari", pits=[0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 2, 1], stores=(20, 20))]
    engine = arena.Engine(
        [sys.executable, "-m", "oware", "uci"], depth=12, move_time=None, grace=120, start_time=120
    )
    assert arena.regret(engine, database, games).mean == 0


@pytest.mark.parametrize("player", ["greedy", lambda game: game.legal_moves()[0]])
def test_progress_is_shown_where_asked_for(
    database: oware.Endgame, capsys: pytest.CaptureFixture[str], player: Any
) -> None:
    silent = arena.regret(player, database, 20, seed=1)
    assert capsys.readouterr().err == ""
    shown = arena.regret(player, database, 20, seed=1, progress=True)
    count = len(shown.positions)
    assert count > arena._regret.AT_ONCE
    assert f"{count}/{count}" in capsys.readouterr().err
    assert (shown.moves == silent.moves).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"player": lambda _: 6}, oware.IllegalMoveError, "illegal move: 6"),
        ({"player": lambda _: 1 // 0}, ValueError, "ZeroDivisionError"),
        ({"player": lambda _, mask: mask[:, 0] * 0 + 9}, oware.IllegalMoveError, "illegal move: 9"),
        ({"endgame": None}, TypeError, "endgame must be an oware.Endgame, not NoneType"),
        ({"positions": 0}, ValueError, "positions is 0"),
        ({"positions": 2.5}, TypeError, "positions must be an int or games, not float"),
        ({"positions": []}, ValueError, "there are no positions"),
        ({"positions": ["x"]}, TypeError, r"positions\[0\] must be an oware.Game, not str"),
        ({"positions": [oware.Game("awari")]}, ValueError, "48 seeds"),
        (
            {"positions": [oware.Game("abapa", pits=[1] + [0] * 10 + [1])]},
            ValueError,
            "the database is for",
        ),
        ({"positions": [oware.Game("awari", pits=[0] * 12)]}, ValueError, r"\[0\] is over"),
        ({"rules": "abapa"}, ValueError, "the database is for"),
        ({"rules": "abap"}, ValueError, "unknown rule set"),
        ({"positions": 2**70}, ValueError, f"positions is {2**70}; give 1 to 1000000"),
        ({"positions": 10**5000}, ValueError, "positions is an integer of 16610 bits; give 1 to"),
        ({"seed": -1}, ValueError, "seed is -1; give at least 0"),
        ({"seed": None}, TypeError, "seed must be an int, not NoneType"),
        ({"seed": 1.5}, TypeError, "seed must be an int, not float"),
        ({"seed": None, "positions": []}, TypeError, "seed must be an int, not NoneType"),
        ({"move_time": math.nan}, ValueError, "move_time is nan; give seconds above 0"),
        ({"move_time": "x"}, TypeError, "move_time must be a number, not str"),
        ({"move_time": None}, TypeError, "move_time must be a number, not NoneType"),
        ({"progress": "x"}, TypeError, "progress must be a bool, not str"),
    ],
)
def test_what_makes_no_sense_is_refused(
    database: oware.Endgame, arguments: Any, error: type, message: str
) -> None:
    given = {"player": "greedy", "endgame": database, "positions": 2}
    with pytest.raises(error, match=message):
        arena.regret(**{**given, **arguments})
