"""How well a player plays: its games by seat, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from oware._counts import count
from oware._found import PYTHON, check_policy
from oware._policies import seeing
from oware.agents._named import named
from oware.env import OwareEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oware._oware import Rules
    from oware.types import ObservationKind, OpponentName, Policy, RuleSetName

__all__ = ["MAX_PLIES", "Evaluation", "Tally", "evaluate", "first_games", "wilson"]

MAX_PLIES: Final = 1000
"""Where a game is cut off that its rules may never end."""


def wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """The interval for a rate by Wilson (1927), at z = 1.96 of 95 % confidence.

    Unlike the rate plus or minus its standard error it stays within 0 to 1 and has a width at
    either end.

    Args:
        successes: 0 to `trials`.
        trials: At least 0; without a trial the interval is 0 to 1.
        z: Quantile of the normal distribution.

    Returns:
        The ends of the interval, each from 0 to 1.

    Example:
        >>> low, high = wilson(970, 1000)
        >>> print(f"{low:.3f} to {high:.3f}")
        0.957 to 0.979
    """
    if trials == 0:
        return 0.0, 1.0
    rate, spread = successes / trials, z * z / trials
    middle = (rate + spread / 2) / (1 + spread)
    half = math.sqrt(rate * (1 - rate) * spread + spread * spread / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Tally:
    """How a number of games went for a player.

    Args:
        wins: Games won.
        draws: Games drawn.
        losses: Games lost.
        unfinished: Games that were cut off.

    Example:
        >>> print(Tally(wins=3, draws=0, losses=1))
        win  75.0 % [ 30.1,  95.4]  draw   0.0 % [  0.0,  49.0]  loss  25.0 % [  4.6,  69.9]
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    unfinished: int = 0

    def __add__(self, other: Tally) -> Tally:
        """The games of both."""
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.unfinished + other.unfinished,
        )

    @property
    def games(self) -> int:
        """How many games there were."""
        return self.wins + self.draws + self.losses + self.unfinished

    @property
    def win_rate(self) -> float:
        """The share of the games that were won, not a number when there were none."""
        return self.wins / self.games if self.games else math.nan

    @property
    def score(self) -> float:
        """The points a game: 1 for a win, a half for a draw or an unfinished game.

        Not a number when there were no games.

        Example:
            >>> Tally(wins=3, draws=1, losses=4, unfinished=2).score
            0.45
        """
        points = self.wins + (self.draws + self.unfinished) / 2
        return points / self.games if self.games else math.nan

    def __str__(self) -> str:
        """Each rate with its interval; unfinished games where there are any."""
        shown = [("win", self.wins), ("draw", self.draws), ("loss", self.losses)]
        if self.unfinished:
            shown.append(("unfinished", self.unfinished))
        return "  ".join(f"{name} {self._rate(count)}" for name, count in shown)

    def _rate(self, count: int) -> str:
        if self.games == 0:
            return "   - % [    -,     -]"
        low, high = wilson(count, self.games)
        return f"{100 * count / self.games:5.1f} % [{100 * low:5.1f}, {100 * high:5.1f}]"


@dataclass(frozen=True)
class Evaluation:
    """How a player did from each seat; as text a table with intervals of 95 % confidence.

    Args:
        south: Its games as South, who opens.
        north: Its games as North.

    Example:
        >>> evaluation = Evaluation(south=Tally(wins=90, losses=10), north=Tally(80, 5, 15))
        >>> evaluation.total.win_rate
        0.85
    """

    south: Tally
    north: Tally

    @property
    def total(self) -> Tally:
        """Its games from either seat."""
        return self.south + self.north

    def __str__(self) -> str:
        """A line for each seat and one for both."""
        lines = [("South", self.south), ("North", self.north), ("both", self.total)]
        return "\n".join(f"{name:5} {tally.games:6} games  {tally}" for name, tally in lines)


def evaluate(
    policy: Policy | OpponentName,
    opponent: Policy | OpponentName,
    games: int = 2000,
    *,
    rules: RuleSetName | Rules = "abapa",
    opening_plies: int = 4,
    max_plies: int = MAX_PLIES,
    observation: ObservationKind = "seeds",
    seed: int = 0,
) -> Evaluation:
    """Let a player play games against an opponent, half of them from either seat.

    The first game of each of `games` environments is counted: of games that end by some time,
    there would be too many short ones.

    Args:
        policy: The player, or the name of one.
        opponent: Its opponent, or the name of one.
        games: Number of games, at least 2; South has one more when it is odd.
        rules: The rules: a name or `oware.Rules`.
        opening_plies: Random plies at the beginning of each game.
        max_plies: About how many plies after the opening a game is cut off and counts as
            unfinished; at least 2.
        observation: The kind of observation that the player and its opponent get; one that has an
            attribute `observation` gets that kind (see `oware.types.Policy`).
        seed: Seed of openings and of players given by name. The same seed gives the same openings
            to either seat. Neighbouring seeds share all openings but one: for independent samples
            take seeds `games` apart.

    Returns:
        The player's wins, draws and losses from each seat.

    Raises:
        TypeError: An argument has the wrong type; functions of one game play in
            `oware.arena.evaluate`.
        ValueError: An argument is out of range or no known name.
        oware.IllegalMoveError: A player has chosen an illegal move.

    Example:
        >>> evaluation = evaluate("greedy", "random", games=200)
        >>> evaluation.total.games, evaluation.total.win_rate > 0.8
        (200, True)
    """
    games, max_plies = count("games", games, 2), count("max_plies", max_plies, 2)
    if not isinstance(policy, str):
        check_policy(policy, "policy")
    against: Any = opponent
    # Of others, such as pools, an environment tells whether they can be opponents.
    if against is None or callable(against):
        check_policy(against, "opponent")
    player: Policy = named(policy, seed, rules) if isinstance(policy, str) else policy
    if isinstance(opponent, str) and opponent.startswith(PYTHON):
        # An environment would have it go on with the numbers that it has drawn so far.
        opponent = named(opponent, seed, rules)

    def play(seat: Literal["south", "north"], count: int) -> Tally:
        env = OwareEnv(
            count,
            rules=rules,
            opponent=opponent,
            seat=seat,
            observation=observation,
            max_steps=max_plies // 2,
            opening_plies=opening_plies,
        )
        return first_games(env, seeing(player, observation, rules), seed)

    return Evaluation(south=play("south", (games + 1) // 2), north=play("north", games // 2))


def first_games(env: OwareEnv, player: Policy, seed: int) -> Tally:
    """The first game of each environment, which has an opponent and rewards the outcome."""
    observation, info = env.reset(seed=seed)
    playing = np.ones(env.num_envs, dtype=bool)
    outcomes: list[NDArray[np.float32]] = []
    unfinished = 0
    while playing.any():
        actions = player(observation, info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(actions)
        outcomes.append(reward[playing & terminated])
        unfinished += int((playing & truncated).sum())
        playing &= ~(terminated | truncated)
    outcome = np.concatenate(outcomes)
    wins, draws, losses = (int((outcome == value).sum()) for value in (1, 0, -1))
    return Tally(wins, draws, losses, unfinished)
