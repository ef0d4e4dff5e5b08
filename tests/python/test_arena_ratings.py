"""Ratings: against a formula, against a slow search, and whether the intervals keep their word."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from oware import arena

if TYPE_CHECKING:
    from numpy.typing import NDArray

ELO = 400 / math.log(10)


def simulated(
    strengths: NDArray[Any], draw: float, games: int, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Wins and draws of a round robin between players of such logarithms of strength."""
    count = len(strengths)
    wins, draws = np.zeros((2, count, count))
    for one in range(count):
        for two in range(one):
            half = (strengths[one] - strengths[two]) / 2
            chances = np.array([math.exp(half), draw, math.exp(-half)])
            won, drawn, lost = rng.multinomial(games, chances / chances.sum())
            wins[one, two], wins[two, one] = won, lost
            draws[one, two] = draws[two, one] = drawn
    return wins, draws


def likelihood(
    strengths: NDArray[Any], draw: float, wins: NDArray[Any], draws: NDArray[Any]
) -> float:
    """The logarithm of how likely the results are, pair by pair, as the model says it."""
    total = 0.0
    for one in range(len(strengths)):
        for two in range(one):
            s, t = math.exp(strengths[one]), math.exp(strengths[two])
            middle = draw * math.sqrt(s * t)
            every = s + t + middle
            total += wins[one, two] * math.log(s / every)
            total += wins[two, one] * math.log(t / every)
            total += draws[one, two] * math.log(middle / every)
    return total


def test_two_players_are_as_the_formula_has_it() -> None:
    # Of two players, the most likely odds are those that were seen.
    ratings = arena.fit(["a", "b"], [[0, 60], [15, 0]], [[0, 25], [25, 0]], anchor="b", at=1500)
    assert ratings.elo[0] == pytest.approx(1500 + ELO * math.log(60 / 15))
    assert ratings.elo[1] == ratings.low[1] == ratings.high[1] == 1500
    assert ratings.draw == pytest.approx(25 / math.sqrt(60 * 15))
    assert ratings.probabilities("a", "b") == pytest.approx((0.6, 0.25, 0.15))
    # Without draws the variance is that of a logit: 1 / (n p q).
    plain = arena.fit(["a", "b"], [[0, 60], [15, 0]], [[0, 0], [0, 0]], anchor="b")
    assert plain.draw == 0
    half = 1.959964 * ELO * math.sqrt(1 / 60 + 1 / 15)
    assert plain.high[0] - plain.elo[0] == pytest.approx(half)
    assert plain.elo[0] - plain.low[0] == pytest.approx(half)


def test_it_is_the_maximum_and_the_curvature_there() -> None:
    rng = np.random.default_rng(5)
    wins, draws = simulated(np.array([0.0, 0.5, 1.4, -0.3]), 0.4, 60, rng)
    names = list("abcd")
    ratings = arena.fit(names, wins, draws, anchor="a")
    best = np.append(ratings.elo / ELO, math.log(ratings.draw))

    def at(point: NDArray[Any]) -> float:
        return likelihood(point[:-1], math.exp(point[-1]), wins, draws)

    for _ in range(200):
        assert at(best + rng.normal(scale=0.01, size=5) * np.array([0, 1, 1, 1, 1])) < at(best)
    # The second derivatives by differences, without the anchor.
    step, free = 1e-4, [1, 2, 3, 4]
    unit = np.eye(5) * step
    information = -np.array(
        [
            [
                at(best + unit[i] + unit[j])
                - at(best + unit[i] - unit[j])
                - at(best - unit[i] + unit[j])
                + at(best - unit[i] - unit[j])
                for j in free
            ]
            for i in free
        ]
    ) / (4 * step**2)
    expected = np.linalg.inv(information)[:3, :3] * ELO**2
    assert np.allclose(ratings.covariance[1:, 1:], expected, rtol=1e-3)


def test_only_differences_count() -> None:
    wins, draws = simulated(np.array([0.0, 0.7, -0.9]), 0.2, 50, np.random.default_rng(6))
    names = ["a", "b", "c"]
    by_mean = arena.fit(names, wins, draws)
    by_b = arena.fit(names, wins, draws, anchor="b", at=1200)
    assert by_mean.elo.mean() == pytest.approx(0)
    assert by_b.elo[1] == 1200
    assert by_mean.difference("a", "c") == pytest.approx(by_b.difference("a", "c"))
    # A player's interval is that of the difference to the anchor.
    assert by_b.difference("a", "b")[1] == pytest.approx(by_b.low[0] - 1200)
    assert [row["player"] for row in by_b.table()] == ["b", "a", "c"]


def test_the_intervals_cover_the_truth_as_often_as_they_claim() -> None:
    rng = np.random.default_rng(7)
    truth = np.array([0.0, 0.3, 0.8, -0.5, 1.2, 0.1])
    names = list("abcdef")
    covered = tried = 0
    errors = []
    for _ in range(400):
        wins, draws = simulated(truth, 0.5, 100, rng)
        ratings = arena.fit(names, wins, draws, anchor="a")
        elo = truth * ELO
        covered += int(((ratings.low <= elo) & (elo <= ratings.high))[1:].sum())
        tried += 5
        errors.append(ratings.elo - elo)
        low, high = ratings.difference("e", "d")[1:]
        covered += low <= elo[4] - elo[3] <= high
        tried += 1
    # 2,400 intervals, of which those of a simulation hang together: 95 % within about one.
    assert 0.935 < covered / tried < 0.965
    assert np.abs(np.mean(errors, axis=0)).max() < 5


def test_many_players_and_lopsided_results_converge() -> None:
    rng = np.random.default_rng(8)
    truth = np.linspace(-4, 4, 30)
    wins, draws = simulated(truth, 0.1, 40, rng)
    ratings = arena.fit([str(i) for i in range(30)], wins, draws)
    assert np.abs(ratings.elo - truth * ELO).max() < 150
    assert (ratings.high - ratings.low < 300).all()


@pytest.mark.parametrize(
    ("wins", "draws"),
    [
        ([[0, 7], [0, 0]], [[0, 1], [1, 0]]),
        ([[0, 0], [0, 0]], [[0, 5], [5, 0]]),
        # The first beats the second and that the third; each pair has a draw.
        ([[0, 3, 4], [0, 0, 3], [0, 0, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]),
    ],
)
def test_draws_without_an_upset_need_a_prior(wins: list[Any], draws: list[Any]) -> None:
    names = ["a", "b", "c"][: len(wins)]
    with pytest.raises(ValueError, match=r"no most likely value; give a prior, such as prior=1"):
        arena.fit(names, wins, draws)
    ratings = arena.fit(names, wins, draws, prior=1)
    assert np.isfinite(ratings.covariance).all()
    assert np.abs([ratings.low, ratings.high]).max() < 1500


def test_one_upset_is_enough_for_draws() -> None:
    # Three of a circle, the fourth below them; draws far apart.
    wins = [[0, 5, 0, 0], [0, 0, 5, 5], [5, 0, 0, 0], [0, 1, 0, 0]]
    draws = np.zeros((4, 4))
    draws[0, 3] = draws[3, 0] = 1
    ratings = arena.fit(["a", "b", "c", "d"], wins, draws)
    assert np.abs([ratings.low, ratings.high]).max() < 3000
    assert ratings.draw > 0


def test_who_was_never_scored_against_needs_a_prior() -> None:
    wins = [[0, 10, 10], [0, 0, 5], [0, 5, 0]]
    draws = np.zeros((3, 3))
    names = ["a", "b", "c"]
    with pytest.raises(ValueError, match=r"b has never scored, .* against a, .* give a prior"):
        arena.fit(names, wins, draws)
    ratings = arena.fit(names, wins, draws, prior=1, anchor="b")
    assert ratings.elo[0] > 300
    assert ratings.elo[2] == pytest.approx(0, abs=1e-6)
    # Two that never met, not through others either.
    with pytest.raises(ValueError, match="never scored"):
        arena.fit(list("abcd"), np.kron(np.eye(2), [[0, 1], [1, 0]]), np.zeros((4, 4)), prior=5)
    # Two that met through a third are compared.
    chain = [[0, 6, 0], [4, 0, 6], [0, 4, 0]]
    assert arena.fit(names, chain, draws).difference("a", "c")[0] == pytest.approx(
        2 * ELO * math.log(6 / 4)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": ["a"]}, "at least 2 different names"),
        ({"players": ["a", "a"]}, "at least 2 different names"),
        ({"wins": [[0, 1]]}, r"wins has the shape \(1, 2\), not \(2, 2\)"),
        ({"wins": [[0, -1], [1, 0]]}, "wins must be counts"),
        ({"wins": [[0, math.nan], [1, 0]]}, "wins must be counts"),
        ({"wins": [[1, 1], [1, 0]]}, "0 against oneself"),
        ({"draws": [[0, 1], [0, 0]]}, "draws must be symmetric"),
        ({"anchor": "z"}, "unknown anchor 'z'; known: a, b"),
        ({"prior": -1}, "prior is -1"),
        ({"at": math.inf}, "at is inf"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: Any, message: str) -> None:
    given = {"players": ["a", "b"], "wins": [[0, 1], [1, 0]], "draws": np.zeros((2, 2))}
    with pytest.raises(ValueError, match=message):
        arena.fit(**{**given, **arguments})
