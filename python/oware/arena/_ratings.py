"""Ratings by Bradley and Terry, with Davidson's draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware._unknown import unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Ratings", "Z", "fit"]

ELO: Final = 400 / math.log(10)
"""Elo points of a unit of the natural logarithm of a strength."""
Z: Final = 1.959964
"""The normal distribution has 95 % of its mass within so many standard deviations."""
STEPS: Final = 200
CLOSE: Final = 1e-10


@dataclass(frozen=True, eq=False)
class Ratings:
    """How strong players are, in Elo points, with intervals of 95 % confidence.

    Args:
        players: Their names.
        elo: Float (n,): the ratings; 400 points are odds of ten to one among games that are won.
        low: Float (n,): the lower end of each interval.
        high: Float (n,): the upper end.
        draw: Davidson's parameter: between equals a draw is so many times as likely as a win of
            either. 0 where no game was drawn.
        anchor: The player at whom the scale was fixed, whose interval has no width; None for the
            mean of all.
        covariance: Float (n, n), of the ratings in Elo points.
        prior: Games that were added for each pair, see `fit`.

    Example:
        >>> ratings = fit(["a", "b"], wins=[[0, 60], [30, 0]], draws=[[0, 10], [10, 0]], anchor="b")
        >>> print(ratings)
        player  rating  95 % interval
        a         +120     +44 to   +197
        b           +0      +0 to     +0
    """

    players: tuple[str, ...]
    elo: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    draw: float
    anchor: str | None
    covariance: NDArray[np.float64]
    prior: float

    def difference(self, player: str, other: str) -> tuple[float, float, float]:
        """By how much a player is rated above another one, and the interval of that.

        Raises:
            ValueError: There is no such player.

        Example:
            >>> ratings = fit(["a", "b"], wins=[[0, 75], [25, 0]], draws=[[0, 0], [0, 0]])
            >>> [round(points) for points in ratings.difference("a", "b")]
            [191, 112, 269]
        """
        one, two = self._index(player), self._index(other)
        points = float(self.elo[one] - self.elo[two])
        cov = self.covariance
        half = Z * math.sqrt(max(cov[one, one] + cov[two, two] - 2 * cov[one, two], 0.0))
        return points, points - half, points + half

    def probabilities(self, player: str, other: str) -> tuple[float, float, float]:
        """How likely a player wins, draws and loses against another one.

        Raises:
            ValueError: There is no such player.

        Example:
            >>> ratings = fit(["a", "b"], wins=[[0, 60], [30, 0]], draws=[[0, 10], [10, 0]])
            >>> print(*(f"{chance:.2f}" for chance in ratings.probabilities("a", "b")))
            0.60 0.10 0.30
        """
        half = (self.elo[self._index(player)] - self.elo[self._index(other)]) / ELO / 2
        odds = np.array([math.exp(half), self.draw, math.exp(-half)])
        win, draw, loss = (odds / odds.sum()).tolist()
        return win, draw, loss

    def table(self) -> list[dict[str, Any]]:
        """A record for each player, the strongest first, for `pandas.DataFrame` or `csv`.

        Example:
            >>> fit(["a", "b"], [[0, 1], [1, 0]], [[0, 0], [0, 0]]).table()[0]["player"]
            'a'
        """
        order = np.argsort(-self.elo, kind="stable").tolist()
        columns = (self.elo, self.low, self.high)
        return [
            {
                "player": self.players[i],
                **dict(zip(("rating", "low", "high"), (float(c[i]) for c in columns), strict=True)),
            }
            for i in order
        ]

    def _index(self, player: str) -> int:
        if player not in self.players:
            raise ValueError(unknown("player", player, self.players))
        return self.players.index(player)

    def __str__(self) -> str:
        """A line for each player, the strongest first."""
        width = max(len("player"), *map(len, self.players))
        lines = [f"{'player':{width}}  rating  95 % interval"]
        lines += [
            f"{row['player']:{width}} {_points(row['rating']):>7} "
            f"{_points(row['low']):>7} to {_points(row['high']):>6}"
            for row in self.table()
        ]
        return "\n".join(lines)


def fit(
    players: Sequence[str],
    wins: ArrayLike,
    draws: ArrayLike,
    *,
    anchor: str | None = None,
    at: float = 0.0,
    prior: float = 0.0,
) -> Ratings:
    """Find the ratings under which results are the most likely.

    A player of strength s wins against one of strength t with a probability in proportion to s,
    loses in proportion to t, and draws in proportion to d * sqrt(s * t), where d is the same for
    all: the model of R. Bradley and M. Terry (Biometrika, 1952) with the draws of R. Davidson
    (Journal of the American Statistical Association, 1970). Strengths and d are found by maximum
    likelihood, intervals from its second derivatives.

    Args:
        players: Their names.
        wins: (n, n): how often the player of the row has won against that of the column.
        draws: (n, n), symmetric: how often they drew.
        anchor: The player whose rating is `at`; None puts the mean of all there.
        at: A rating in Elo points.
        prior: Games to add for each pair that has met, half of them won by either. Where somebody
            has won or lost every game, ratings are finite only with some; they then lean towards
            each other.

    Raises:
        ValueError: A shape or a number is wrong, there is no such player, or the results fit any
            difference that is large enough, as nobody of one part has scored against another part,
            or as there are draws, but no upset beside them.

    Example:
        >>> ratings = fit(["a", "b"], wins=[[0, 30], [10, 0]], draws=[[0, 0], [0, 0]], anchor="b")
        >>> round(ratings.elo[0])
        191
    """
    won, drawn = _counts(players, wins, draws)
    if anchor is not None and anchor not in players:
        raise ValueError(unknown("anchor", anchor, players))
    if not prior >= 0 or not math.isfinite(prior) or not math.isfinite(at):
        raise ValueError(f"prior is {prior} and at is {at}; give finite numbers, prior at least 0")
    met = (won + won.T + drawn) > 0
    won = won + prior / 2 * met
    _check_connected(players, (won + drawn) > 0)
    if drawn.any():
        _check_bounded(won > 0, drawn > 0)

    strength, draw, cov = _newton(won, drawn)
    count = len(players)
    # What is taken off each rating: the anchor's, or the mean of all.
    weights = np.full(count, 1 / count)
    if anchor is not None:
        weights = (np.arange(count) == players.index(anchor)).astype(float)
    contrast = np.eye(count) - weights
    elo = ELO * contrast @ strength + at
    cov = ELO**2 * contrast @ cov @ contrast.T
    half = Z * np.sqrt(np.maximum(np.diag(cov), 0.0))
    return Ratings(tuple(players), elo, elo - half, elo + half, draw, anchor, cov, prior)


def _newton(
    won: NDArray[np.float64], drawn: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Logarithms of the strengths, the draw parameter, and the covariance of the former.

    The likelihood is that of a log-linear model, so that it has no other maximum: for a pair with
    x = ln s - ln t, the three results have the weights exp(x / 2), d and exp(-x / 2).
    """
    count = len(won)
    first, second = np.triu_indices(count, 1)
    results = np.stack([won[first, second], drawn[first, second], won[second, first]], axis=1)
    kept = results.sum(axis=1) > 0
    first, second, results = first[kept], second[kept], results[kept]
    total = results.sum(axis=1)
    has_draws = results[:, 1].sum() > 0
    # Features (pairs, results, parameters): the strengths but the first one, then the draws.
    features = np.zeros((len(first), 3, count + 1))
    pairs = np.arange(len(first))
    for result, sign in ((0, 0.5), (2, -0.5)):
        features[pairs, result, first] = sign
        features[pairs, result, second] = -sign
    features[:, 1, count] = 1.0
    free = np.arange(1, count + 1 if has_draws else count)
    features = features[:, :, free]
    possible = np.array([0.0, 0.0 if has_draws else -np.inf, 0.0])

    def chances(at: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        weights = features @ at + possible
        log_sum = np.logaddexp.reduce(weights, axis=1)
        finite = np.where(np.isfinite(weights), weights, 0.0)
        likelihood = float((results * finite).sum() - (total * log_sum).sum())
        return np.exp(weights - log_sum[:, None]), likelihood

    found = np.zeros(len(free))
    chance, likelihood = chances(found)
    information = np.eye(len(free))
    for _ in range(STEPS):
        gradient = np.einsum("pr,prk->k", results - total[:, None] * chance, features)
        mean = np.einsum("pr,prk->pk", chance, features)
        information = np.einsum("p,pr,prk,prl->kl", total, chance, features, features)
        information -= np.einsum("p,pk,pl->kl", total, mean, mean)
        step = np.linalg.solve(information, gradient)
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
        scale = 1.0
        while scale > CLOSE:
            tried, better = chances(found + scale * step)
            if better >= likelihood:
                found, chance, likelihood = found + scale * step, tried, better
                break
            scale /= 2
        else:
            break
    full = np.zeros((count, count))
    full[1:, 1:] = np.linalg.inv(information)[: count - 1, : count - 1]
    strength = np.concatenate([[0.0], found[: count - 1]])
    return strength, math.exp(found[-1]) if has_draws else 0.0, full


def _counts(
    players: Sequence[str], wins: ArrayLike, draws: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    won, drawn = np.array(wins, dtype=np.float64), np.array(draws, dtype=np.float64)
    count = len(players)
    if count < 2 or len(set(players)) != count:
        raise ValueError(f"players are {list(players)}; give at least 2 different names")
    for name, table in (("wins", won), ("draws", drawn)):
        if table.shape != (count, count):
            raise ValueError(f"{name} has the shape {table.shape}, not ({count}, {count})")
        if not (np.isfinite(table).all() and (table >= 0).all() and not np.diag(table).any()):
            raise ValueError(f"{name} must be counts of at least 0, and 0 against oneself")
    if not (drawn == drawn.T).all():
        raise ValueError("draws must be symmetric")
    return won, drawn


def _check_connected(players: Sequence[str], scored: NDArray[np.bool_]) -> None:
    """Whether everybody has scored, directly or through others, against everybody else."""
    reach = scored | np.eye(len(players), dtype=bool)
    for middle in range(len(players)):
        reach |= reach[:, [middle]] & reach[[middle], :]
    if reach.all():
        return
    lonely = int(reach.sum(axis=1).argmin())
    those = [name for name, reached in zip(players, reach[lonely], strict=True) if not reached]
    raise ValueError(
        f"{players[lonely]} has never scored, directly or through others, against "
        f"{', '.join(those)}, so the difference has no most likely value; give a prior, such as "
        f"prior=1, or more games"
    )


def _check_bounded(won: NDArray[np.bool_], drawn: NDArray[np.bool_]) -> None:
    """Whether draws have a most likely frequency.

    With all strengths further apart and d greater in proportion, the results become only likelier
    where players can be put on a scale so that each win is at least one step down, and no draw more
    than one up or down: where such differences, as bounds on paths, have no cycle below 0.
    """
    count = len(won)
    bound = np.where(won, -1.0, np.where(drawn, 1.0, np.inf))
    np.fill_diagonal(bound, 0)
    for middle in range(count):
        through = bound[:, [middle]] + bound[[middle], :]
        # No path without a cycle goes further down.
        bound = np.maximum(np.minimum(bound, through), -count)
    if np.diag(bound).min() == 0:
        raise ValueError(
            "no player has lost to one whom it has beaten or drawn with, directly or through "
            "others, so with its draws the difference has no most likely value; give a prior, such "
            "as prior=1, or more games"
        )


def _points(points: float) -> str:
    return f"{round(points):+d}"
