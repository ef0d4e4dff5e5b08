"""The players that come with the package."""

from __future__ import annotations

import csv
import json
from itertools import pairwise

import pytest

import oware
from oware import arena
from oware._levels import TRAINED
from oware.agents import LEVELS, NetworkAgent, evaluate, named, wilson
from oware.train import Settings

NAMES = ["novice", "amateur", "strong", "master"]


def points(one: str, two: str, games: int) -> float:
    return arena.evaluate(one, two, games, seed=3).total.score


def test_they_are_known_by_name() -> None:
    assert list(LEVELS) == NAMES
    for name in NAMES:
        assert isinstance(named(name, seed=0), NetworkAgent)
        assert arena.player(name).name == name
    with pytest.raises(ValueError, match="'novice', 'amateur', 'strong', 'master', 'random'"):
        named("expert")


def test_their_network_is_small_and_what_its_record_says() -> None:
    assert TRAINED.stat().st_size <= 2_000_000
    settings = Settings.from_json(json.loads(TRAINED.with_name("settings.json").read_text()))
    network = oware.Network.load(TRAINED)
    assert network.hidden == settings.hidden
    assert network.rules == settings.rules
    with TRAINED.with_name("log.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert int(rows[-1]["best_iteration"]) > 0
    assert int(rows[-1]["games"]) == settings.games * int(rows[-1]["iteration"])


@pytest.mark.parametrize("name", NAMES)
def test_they_are_opponents_inside_the_step(name: str) -> None:
    env = oware.OwareEnv(2, opponent=name, seat="south")
    _, info = env.reset(seed=0)
    for _ in range(3):
        *_, info = env.step(info["action_mask"].argmax(axis=1))
    assert env.game(0).ply == env.game(1).ply == 6
    assert (info["to_move"] == 0).all()


@pytest.mark.parametrize("rules", ["abapa", "awari", "codingame", "village"])
def test_the_first_beats_random_moves_and_loses_to_the_second(rules: str) -> None:
    total = evaluate("novice", "random", 200, rules=rules, seed=1).total  # type: ignore[arg-type]
    assert total.win_rate > 0.7
    total = evaluate("amateur", "novice", 200, rules=rules, seed=1).total  # type: ignore[arg-type]
    assert total.wins > 2 * total.losses


def test_search_makes_it_stronger() -> None:
    # Of a rating 290 and 630 points higher, 0.84 and 0.97 are expected.
    assert points("strong", "amateur", 30) > 0.5
    assert points("master", "strong", 12) > 0.5


# What docs/players.md says of them, each with the openings of its measurements.


def least(player: str, other: str, games: int) -> float:
    """The lower bound of the points, with an interval of 95 %.

    Draws only make the true one narrower than that of as many wins and losses.
    """
    total = arena.evaluate(player, other, games, openings=6, seed=5).total
    return wilson(int(total.score * games), games)[0]


@pytest.mark.slow
def test_the_network_alone_is_above_four_plies_of_search() -> None:
    assert least("amateur", "minimax:4", 4000) > 0.5


@pytest.mark.slow
def test_the_network_with_a_search_is_above_eight_plies() -> None:
    assert least(f"net:{TRAINED}@200", "minimax:8", 400) > 0.6


@pytest.mark.slow
def test_each_is_well_above_the_one_before() -> None:
    ratings = arena.tournament(NAMES, 100, openings=6, seed=5).ratings()
    for lower, upper in pairwise(NAMES):
        assert ratings.difference(upper, lower)[1] >= 150
