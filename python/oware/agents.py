"""Players of many boards at once, and how well they play.

A player is a `Policy`: a callable that takes observations (n, 14) of the kind `"seeds"` and action
masks (n, 6) and returns n actions. It can be an environment's `opponent`, and `evaluate` tells how
often it wins.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from oware._opponents import player_core
from oware._oware import Game, Rules
from oware.endgame import Endgame
from oware.env import OwareEnv
from oware.network import Network
from oware.search import Mcts, best_moves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from oware._oware import PlayerCore
    from oware.types import GrandSlam, ObservationKind, OpponentName, Policy, RuleSetName

__all__ = [
    "LEVELS",
    "MAX_PLIES",
    "Evaluation",
    "GreedyAgent",
    "Level",
    "MctsAgent",
    "MinimaxAgent",
    "NetworkAgent",
    "RandomAgent",
    "Tally",
    "captures",
    "evaluate",
    "named",
    "wilson",
]

MAX_PLIES: Final = 1000
"""Where a game is cut off that its rules may never end."""
AIDED: Final = "+endgame"
"""What the names of players end with that use an endgame database."""
MOST_PLIES_AHEAD: Final = 16
"""The most plies that a player known by name looks ahead."""
MOST_SIMULATIONS: Final = 1_000_000
"""The most simulations of a player known by name."""


@dataclass(frozen=True)
class Level:
    """A network and how it plays.

    Args:
        network: Its file.
        simulations: The simulations for each move; 0 to ask it once.
        temperature: How moves are chosen; 0 for the best one.
        aided: Whether its search uses the database `Endgame.load(12, rules)`.

    Example:
        >>> Level(Path("mine.safetensors"), simulations=200).aided
        False
    """

    network: Path
    simulations: int = 0
    temperature: float = 0.0
    aided: bool = False


LEVELS: Final[Mapping[str, Level]] = {}
"""The networks that go by a name of their own, wherever a player is taken by name."""


def captures(observation: ArrayLike, grand_slam: GrandSlam) -> NDArray[np.int64]:
    """The seeds that each move of the mover would capture.

    Args:
        observation: Observations of the kind `"seeds"`: integers (n, 14).
        grand_slam: The field of `oware.Rules`: what becomes of a capture of all that is left.

    Returns:
        Seeds (n, 6), zero for an empty pit. Whether a move is legal plays no part.

    Raises:
        ValueError: The observations are of another kind.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
        >>> captures([game.observation()], "capture_nothing")
        array([[0, 0, 0, 0, 0, 4]])
    """
    board = seeds_of(observation, "captures are counted on")
    own, theirs = board[:, :6, None].astype(np.int64), board[:, None, 6:12].astype(np.int64)
    # Eleven seeds are a lap, as the origin gets none: every other pit then has one more.
    laps, rest = np.divmod(own, 11)
    distance = np.arange(6, 12) - np.arange(6)[:, None]
    sown = theirs + laps + (distance <= rest)
    end = np.where(rest == 0, 11, rest)
    takeable = ((sown == 2) | (sown == 3)) & (own > 0)

    # From the pit where the last seed fell backwards, as long as there are two or three seeds.
    chain = np.zeros(takeable.shape, dtype=bool)
    following = np.zeros(takeable.shape[:2], dtype=bool)
    for pit in reversed(range(6)):
        last = distance[:, pit] == end[:, :, 0]
        following = takeable[:, :, pit] & (last | following)
        chain[:, :, pit] = following

    slam = (chain | (sown == 0)).all(axis=2, keepdims=True)
    kept = {
        "capture_nothing": chain,
        "leave_landing_pit": chain & (distance == end),
        # The far end is the first pit of the chain in sowing order.
        "leave_far_pit": chain & (chain.cumsum(axis=2) == 1),
    }.get(grand_slam, np.zeros_like(chain))
    taken: NDArray[np.int64] = np.where(chain & ~(slam & kept), sown, 0).sum(axis=2)
    return taken


def seeds_of(observation: ArrayLike, use: str) -> NDArray[np.integer[Any]]:
    """Observations of the kind `"seeds"`, which some use needs."""
    board = np.asarray(observation)
    if board.ndim != 2 or board.shape[1] != 14 or not np.issubdtype(board.dtype, np.integer):
        raise ValueError(
            f"{use} observations of the kind 'seeds', integers (n, 14), "
            f"not {board.dtype} {board.shape}"
        )
    return board


def choose(among: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """One column at random of those that are True in each row (n, k)."""
    chosen: NDArray[np.int64] = np.where(among, rng.random(among.shape), -1.0).argmax(axis=1)
    return chosen


class RandomAgent:
    """A player that plays any legal move.

    Args:
        seed: Seed of its random numbers; None for other ones every time.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[0, 0, 0, 0, 0, 2, 1, 1, 4, 0, 0, 0])
        >>> RandomAgent(seed=0)(game.observation()[None], game.action_mask()[None])
        array([5])
    """

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(
        self,
        observation: NDArray[Any],  # noqa: ARG002
        action_mask: NDArray[np.int8],
    ) -> NDArray[np.int64]:
        """An action for each row."""
        return choose(np.asarray(action_mask) != 0, self._rng)


class GreedyAgent:
    """A player that takes the most seeds it can now, and among equals plays any.

    It plays as the environment's own opponent `"greedy"` does.

    Args:
        seed: Seed of its random numbers; None for other ones every time.
        rules: The rules of the games: a name or `oware.Rules`.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[1, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
        >>> GreedyAgent(seed=0)(game.observation()[None], game.action_mask()[None])
        array([5])
    """

    def __init__(self, seed: int | None = None, rules: RuleSetName | Rules = "abapa") -> None:
        self._rng = np.random.default_rng(seed)
        self._grand_slam: GrandSlam = as_rules(rules).grand_slam

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        return choose(self.best(observation, action_mask), self._rng)

    def best(self, observation: ArrayLike, action_mask: ArrayLike) -> NDArray[np.bool_]:
        """The legal moves that take the most, as bools (n, 6).

        Example:
            >>> import oware
            >>> game = oware.Game()
            >>> GreedyAgent().best([game.observation()], [game.action_mask()])
            array([[ True,  True,  True,  True,  True,  True]])
        """
        legal = np.asarray(action_mask) != 0
        taken = np.where(legal, captures(observation, self._grand_slam), -1)
        best: NDArray[np.bool_] = taken == taken.max(axis=1, keepdims=True)
        return best


class MinimaxAgent:
    """A player that plays a best move after a search of some plies, and among equals any.

    It plays as the environment's own opponent `"minimax:DEPTH"` does, but what it sees of a game is
    the board: it does not know which positions have arisen before, nor how near the ply limit is.

    Args:
        depth: The plies to search, 1 to 16.
        seed: Seed of its random numbers; None for other ones every time.
        rules: The rules of the games: a name or `oware.Rules`.
        endgame: The exact values of boards with few seeds, an `oware.Endgame` of these rules.

    Raises:
        TypeError: The depth is no integer.
        ValueError: The depth is out of range.

    Example:
        >>> import oware
        >>> game = oware.Game.from_transcript("AbCc")
        >>> MinimaxAgent(1, seed=0)(game.observation()[None], game.action_mask()[None])
        array([1])
    """

    def __init__(
        self,
        depth: int,
        seed: int | None = None,
        rules: RuleSetName | Rules = "abapa",
        endgame: Endgame | None = None,
    ) -> None:
        self._endgame = endgame
        self._depth = operator.index(depth)
        if not 1 <= self._depth <= MOST_PLIES_AHEAD:
            raise ValueError(f"depth is {depth}; give 1 to {MOST_PLIES_AHEAD}")
        self._rng = np.random.default_rng(seed)
        self._rules = as_rules(rules)

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        return choose(self.best(observation, action_mask), self._rng)

    def best(self, observation: ArrayLike, action_mask: ArrayLike) -> NDArray[np.bool_]:
        """The best legal moves, as bools (n, 6); every move where a game is over.

        Raises:
            ValueError: The observations are of another kind than `"seeds"`.

        Example:
            >>> import oware
            >>> game = oware.Game.from_transcript("AbCc")
            >>> MinimaxAgent(1).best([game.observation()], [game.action_mask()])
            array([[False,  True, False, False, False, False]])
        """
        best: NDArray[np.bool_] = np.asarray(action_mask) != 0
        for row, game in in_play(observation, self._rules):
            moves = best_moves(game, self._depth, endgame=self._endgame)
            best[row] = np.isin(np.arange(6), moves)
        return best


class MctsAgent:
    """A player that plays a best move after Monte-Carlo tree search with random games.

    It plays as the environment's own opponent `"mcts:SIMULATIONS"` does, but what it sees of a game
    is the board: it does not know which positions have arisen before, nor how near the ply limit
    is. The boards of one call are searched together.

    Args:
        simulations: The simulations for each move, 1 to 1,000,000.
        seed: Seed of its random numbers; None for other ones every time.
        rules: The rules of the games: a name or `oware.Rules`.
        endgame: The exact values of boards with few seeds, an `oware.Endgame` of these rules.
        num_threads: The most threads.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[1, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], stores=(21, 17))
        >>> MctsAgent(200, seed=0)(game.observation()[None], game.action_mask()[None])
        array([5])
    """

    def __init__(
        self,
        simulations: int,
        seed: int | None = None,
        rules: RuleSetName | Rules = "abapa",
        endgame: Endgame | None = None,
        num_threads: int = 1,
    ) -> None:
        count = operator.index(simulations)
        if not 1 <= count <= MOST_SIMULATIONS:
            raise ValueError(f"simulations is {simulations}; give 1 to {MOST_SIMULATIONS}")
        self._mcts = Mcts(simulations=count, seed=seed, endgame=endgame, num_threads=num_threads)
        self._rules = as_rules(rules)

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        actions: NDArray[np.int64] = np.asarray(action_mask).argmax(axis=1)
        rows = in_play(observation, self._rules)
        if rows:
            found = self._mcts.search([game for _, game in rows])
            actions[[row for row, _ in rows]] = found.actions
        return actions


class NetworkAgent:
    """A player that asks a network, alone or in a Monte-Carlo tree search.

    What it sees of a game is the board, as `MctsAgent`. The boards of one call are evaluated, and
    searched, together.

    As the `opponent` of an environment it is not called: the core plays it there, all environments
    that need a reply together. It then knows the games with their history, draws from the streams
    of the environments, whatever its seed, and uses their threads. Only one that searches under
    other rules than the environment's is called.

    Args:
        network: The network.
        simulations: The simulations for each move, 1 to 1,000,000; 0 to ask the network once.
        temperature: How moves are chosen, at least 0. At 0 it is the best one, else each is as
            likely as its share of the visits, or its policy where there is no search, to the power
            of 1 / temperature.
        seed: Seed of its random numbers; None for other ones every time.
        rules: The rules of the games that are searched; None for those of the network.
        endgame: The exact values of boards with few seeds, an `oware.Endgame` of these rules; used
            by a search.
        num_threads: The most threads.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or there is a database and no search.

    Example:
        >>> import oware
        >>> agent = NetworkAgent(oware.Network.random(seed=0), simulations=100, seed=0)
        >>> game = oware.Game(pits=[1, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], stores=(21, 17))
        >>> agent(game.observation()[None], game.action_mask()[None])
        array([5])
    """

    def __init__(
        self,
        network: Network,
        simulations: int = 0,
        temperature: float = 0.0,
        seed: int | None = None,
        rules: RuleSetName | Rules | None = None,
        endgame: Endgame | None = None,
        num_threads: int = 1,
    ) -> None:
        if not isinstance(network, Network):
            given = type(network).__qualname__
            raise TypeError(f"network must be an oware.Network, not {given}")
        count = operator.index(simulations)
        if not 0 <= count <= MOST_SIMULATIONS:
            raise ValueError(f"simulations is {simulations}; give 0 to {MOST_SIMULATIONS}")
        if not (temperature >= 0 and math.isfinite(temperature)):
            raise ValueError(f"temperature is {temperature}; give at least 0")
        if endgame is not None and not count:
            raise ValueError("a database is for a search; give simulations, or no endgame")
        self._network, self._temperature, self._endgame = network, temperature, endgame
        self._rules = network.rules if rules is None else as_rules(rules)
        self._simulations, self._num_threads = count, num_threads
        self._rng = np.random.default_rng(seed)
        self._mcts: Mcts | None = None
        if count:
            self._mcts = Mcts(
                network,
                simulations=count,
                endgame=endgame,
                seed=seed,
                num_threads=num_threads,
            )

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        legal = np.asarray(action_mask) != 0
        if self._mcts is not None:
            actions: NDArray[np.int64] = legal.argmax(axis=1)
            rows = in_play(observation, self._rules)
            if rows:
                games = [game for _, game in rows]
                found = self._mcts.search(games, temperature=self._temperature)
                actions[[row for row, _ in rows]] = found.actions
            return actions
        logits = self._network.evaluate(observation, self._num_threads).logits.astype(np.float64)
        if self._temperature > 0:
            # The highest of these has the distribution of the softmax (Gumbel, 1954).
            logits = logits / self._temperature + self._rng.gumbel(size=logits.shape)
        chosen: NDArray[np.int64] = np.where(legal, logits, -np.inf).argmax(axis=1)
        return chosen

    def core(self, rules: RuleSetName | Rules, name: str = "") -> PlayerCore | None:
        """What an environment of some rules plays it as; None where it searches under others.

        Args:
            rules: The environment's: a name or `oware.Rules`.
            name: That by which it can be had again.

        Example:
            >>> import oware
            >>> agent = NetworkAgent(oware.Network.random(seed=0), simulations=100)
            >>> agent.core("awari") is None
            True
        """
        if self._simulations and self._rules != as_rules(rules):
            return None
        return player_core(self._network, self._simulations, self._temperature, self._endgame, name)

    def seeded(self, seed: int) -> NetworkAgent:
        """A player like this one with other random numbers.

        Example:
            >>> import oware
            >>> agent = NetworkAgent(oware.Network.random(seed=0), temperature=1.0)
            >>> games = [oware.Game()] * 8
            >>> boards = np.array([game.observation() for game in games])
            >>> masks = np.array([game.action_mask() for game in games])
            >>> bool((agent.seeded(1)(boards, masks) == agent.seeded(1)(boards, masks)).all())
            True
        """
        return NetworkAgent(
            self._network,
            self._simulations,
            self._temperature,
            seed,
            self._rules,
            self._endgame,
            self._num_threads,
        )


def in_play(observation: ArrayLike, rules: Rules) -> list[tuple[int, Game]]:
    """The rows of observations whose games are not over, and these games."""
    boards = seeds_of(observation, "the board is read from")
    games = [Game(rules, pits=board[:12], stores=board[12:]) for board in boards]
    return [(row, game) for row, game in enumerate(games) if not game.is_over]


def as_rules(rules: RuleSetName | Rules) -> Rules:
    """Rules from what an argument `rules` may be."""
    return rules if isinstance(rules, Rules) else Rules.named(rules)


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
        observation: The kind of observation that the player and its opponent get.
        seed: Seed of openings and of players given by name. The same seed gives the same openings
            to either seat.

    Returns:
        The player's wins, draws and losses from each seat.

    Raises:
        ValueError: An argument is out of range or no known name.
        oware.IllegalMoveError: A player has chosen an illegal move.

    Example:
        >>> evaluation = evaluate("greedy", "random", games=200)
        >>> evaluation.total.games, evaluation.total.win_rate > 0.8
        (200, True)
    """
    if games < 2:
        raise ValueError(f"games is {games}; at least 2 are needed, one from each seat")
    if max_plies < 2:
        raise ValueError(f"max_plies is {max_plies}; give at least 2")
    player: Policy = named(policy, seed, rules) if isinstance(policy, str) else policy

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
        return first_games(env, player, seed)

    return Evaluation(south=play("south", (games + 1) // 2), north=play("north", games // 2))


def named(
    name: str, seed: int | None = None, rules: RuleSetName | Rules = "abapa"
) -> RandomAgent | GreedyAgent | MinimaxAgent | MctsAgent | NetworkAgent:
    """The player of a name.

    Args:
        name: `"random"`, `"greedy"`, `"minimax:DEPTH"` or `"mcts:SIMULATIONS"`, such as
            `"minimax:4"`; `"net:PATH"` for the best move of the network in that file, or
            `"net:PATH@SIMULATIONS"` for a search with it. With `+endgame` behind one that searches
            it uses the database `Endgame.load(12, rules)`.
        seed: Seed of its random numbers; None for other ones every time.
        rules: The rules of the games.

    Raises:
        OSError: The file cannot be read.
        ValueError: There is no player of that name, or the file holds no network.

    Example:
        >>> type(named("greedy")).__name__
        'GreedyAgent'
    """
    kind, number, aided = read_name(name)
    endgame = Endgame.load(rules=rules) if aided else None
    if kind == "random":
        return RandomAgent(seed)
    if kind == "greedy":
        return GreedyAgent(seed, rules)
    if kind == "minimax":
        return MinimaxAgent(number, seed, rules, endgame)
    level = network_of(name)
    if level is not None:
        network = Network.load(level.network)
        return NetworkAgent(network, number, level.temperature, seed, rules, endgame)
    return MctsAgent(number, seed, rules, endgame)


def read_name(name: str) -> tuple[str, int, bool]:
    """The kind of a player, the number behind it and whether it uses a database, from its name.

    Names are read as the environment reads those of opponents; networks are known here only.

    Raises:
        ValueError: There is no player of that name.
    """
    if name in {"random", "greedy"}:
        return name, 0, False
    level = network_of(name)
    if level is not None:
        if not level.network.is_file():
            path = str(level.network) if level.network.parts else ""
            raise ValueError(f"player {name!r}: there is no file {path!r}; give the network's path")
        if level.aided and not level.simulations:
            raise ValueError(f"player {name!r}: a database is for a search; give @SIMULATIONS")
        return "net", level.simulations, level.aided
    kind, colon, given = name.removesuffix(AIDED).partition(":")
    if kind + colon == "minimax:":
        what, most = "depth is", MOST_PLIES_AHEAD
    elif kind + colon == "mcts:":
        what, most = "simulations are", MOST_SIMULATIONS
    else:
        raise ValueError(
            f"unknown player {name!r}; known: 'random', 'greedy', 'minimax:DEPTH', "
            f"'mcts:SIMULATIONS', 'net:PATH', 'net:PATH@SIMULATIONS', those that search also with "
            f"'{AIDED}' at the end, or a callable"
        )
    return kind, _number(name, what, given, most), name.endswith(AIDED)


def _number(name: str, what: str, given: str, most: int) -> int:
    # A sign or a leading zero would be another name of the same player.
    number = int(given) if given.isdecimal() and len(given) <= len(str(most)) else 0
    if not (1 <= number <= most and str(number) == given):
        raise ValueError(f"player {name!r}: the {what} {given!r}; give 1 to {most}")
    return number


def network_of(name: str) -> Level | None:
    """The network that a name stands for and how it plays; None for a player without one.

    Raises:
        ValueError: The name's number of simulations is out of range.

    Example:
        >>> network_of("net:mine.safetensors@200").simulations
        200
        >>> network_of("greedy") is None
        True
    """
    if name in LEVELS:
        return LEVELS[name]
    if not name.startswith("net:"):
        return None
    path, given = split_name(name)
    simulations = _number(name, "simulations are", given, MOST_SIMULATIONS) if given else 0
    return Level(Path(path), simulations, aided=name.endswith(AIDED))


def split_name(name: str) -> tuple[str, str]:
    """The path in the name of a network's player, and the number behind it, which may be empty."""
    text = name.removesuffix(AIDED).removeprefix("net:")
    path, _, number = text.rpartition("@")
    return (path, number) if path and number.isdecimal() else (text, "")


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
