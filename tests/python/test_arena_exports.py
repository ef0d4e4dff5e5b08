"""The ladder, the picture and the Parquet file of a tournament."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet
import pytest

import oware
from oware import arena, plots

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def results() -> arena.Results:
    players = {"greedy": "greedy", "cheat": lambda _: 9, "random": "random", "plus": "minimax:1"}
    return arena.tournament(players, games=20, seed=1)


def glicko2(own: arena.Rung, other: arena.Rung, score: float) -> arena.Rung:
    """The rung after one game, by Glickman's steps, the volatility found by halving."""
    scale, tau = 173.7178, 0.5
    mu, phi = (own.rating - 1500) / scale, own.deviation / scale
    mu_j, phi_j = (other.rating - 1500) / scale, other.deviation / scale
    g = 1 / math.sqrt(1 + 3 * phi_j**2 / math.pi**2)
    expected = 1 / (1 + math.exp(-g * (mu - mu_j)))
    v = 1 / (g**2 * expected * (1 - expected))
    delta = v * g * (score - expected)
    a = math.log(own.volatility**2)

    def f(x: float) -> float:
        e = math.exp(x)
        return e * (delta**2 - phi**2 - v - e) / (2 * (phi**2 + v + e) ** 2) - (x - a) / tau**2

    low, high = a - 10, a + 10
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    sigma = math.exp(low / 2)
    after = 1 / math.sqrt(1 / (phi**2 + sigma**2) + 1 / v)
    return arena.Rung(scale * (mu + after**2 * g * (score - expected)) + 1500, scale * after, sigma)


def test_a_ladder_follows_the_formulas() -> None:
    rng = np.random.default_rng(0)
    ladder = arena.Ladder()
    mine = {name: arena.Rung() for name in "abc"}
    for _ in range(60):
        south, north = rng.permutation(list("abc"))[:2].tolist()
        winner = [0, 1, None][rng.integers(3) if north == "a" else 0]
        ladder.record(south, north, winner)
        score = {0: 1.0, 1: 0.0, None: 0.5}[winner]
        mine[south], mine[north] = (
            glicko2(mine[south], mine[north], score),
            glicko2(mine[north], mine[south], 1 - score),
        )
    for name, rung in ladder.rungs.items():
        assert vars(rung) == pytest.approx(vars(mine[name]), abs=1e-3, rel=1e-5)


def test_a_ladder_goes_on_from_its_state(results: arena.Results) -> None:
    whole, part = arena.Ladder(), arena.Ladder()
    whole.add(results)
    whole.add(results)
    part.add(results)
    again = arena.Ladder(json.loads(json.dumps(part.state())))
    again.add(results)
    assert again.rungs.keys() == whole.rungs.keys()
    for name, rung in again.rungs.items():
        assert vars(rung) == pytest.approx(vars(whole.rungs[name]))
    assert [line.split()[0] for line in str(whole).splitlines()[1:]] == list(whole.rungs)
    assert list(whole.rungs)[-1] == "cheat"


def test_a_ladder_refuses_what_makes_no_sense() -> None:
    ladder = arena.Ladder()
    with pytest.raises(ValueError, match="winner is 2; give 0, 1 or None"):
        ladder.record("a", "b", 2)
    with pytest.raises(ValueError, match="'a' cannot play against itself"):
        ladder.record("a", "a", 0)
    with pytest.raises(TypeError, match="rungs must be a mapping, not list"):
        arena.Ladder([])  # type: ignore[arg-type]
    for rung, error, message in (
        (5, TypeError, r"rungs\['a'\] must be a Rung or a mapping, not int"),
        ({"raiting": 5}, ValueError, "unknown field 'raiting'; .* did you mean 'rating'"),
        ({"rating": "5"}, TypeError, "rating must be a number, not str"),
        ({"rating": float("nan")}, ValueError, "rating is nan; give a finite number"),
        ({"deviation": -5}, ValueError, "deviation is -5.0; give a number above 0"),
        ({"volatility": 0}, ValueError, "volatility is 0.0; give a number above 0"),
    ):
        with pytest.raises(error, match=message):
            arena.Ladder({"a": rung})
    with pytest.raises(TypeError, match="a player's name must be a str, not int"):
        ladder.record("a", 1, 0)  # type: ignore[arg-type]
    assert list(ladder.rungs) == []


def test_parquet_has_the_games(results: arena.Results, tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    path.write_bytes(b"old")
    results.to_parquet(path)
    assert [file.name for file in tmp_path.iterdir()] == ["games.parquet"]
    table = pyarrow.parquet.read_table(path)
    games = results.games
    assert table["south"].to_pylist() == [results.players[i] for i in games.south]
    assert table["ending"].to_pylist() == [arena.ENDINGS[i] for i in games.ending]
    assert table["north_store"].to_pylist() == games.stores[:, 1].tolist()
    assert table["reason"].to_pylist() == list(games.reason)
    assert table["moves"].to_pylist() == [
        line[:plies].tolist() for line, plies in zip(games.moves, games.plies, strict=True)
    ]
    assert json.loads(table.schema.metadata[b"oware arena"]) == results.settings


def test_the_picture_shows_the_standings(results: arena.Results, tmp_path: Path) -> None:
    figure = results.plot(anchor="random")
    rows = results.standings(anchor="random")
    left: Any = figure.axes[0]
    assert [text.get_text() for text in left.get_yticklabels()] == [row["player"] for row in rows]
    assert list(left.lines[0].get_xdata()) == pytest.approx([row["rating"] for row in rows])
    # One of them has lost every game.
    assert left.get_xlabel() == "Elo points, with one game\nadded to each pair"
    scores = [text.get_text() for text in figure.axes[1].texts]
    assert len(scores) == 12
    assert scores[0] == f"{100 * results.cross_table()[3, 0]:.0f}"
    figure.savefig(tmp_path / "figure.png")
    assert not results.against("cheat").total.wins
    with pytest.raises(TypeError, match=r"results must be an oware.arena.Results, not Game"):
        plots.tournament(oware.Game())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'x'; known"):
        results.plot(anchor="x")
