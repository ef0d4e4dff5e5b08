"""The players themselves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware._counts import count, real
from oware._names import MOST_PLIES_AHEAD, MOST_SIMULATIONS
from oware._opponents import player_core
from oware._rules import as_rules
from oware.agents._boards import captures, choose, in_play, within
from oware.network import Network
from oware.search import Mcts, alpha_beta, best_moves

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from oware._oware import Game, PlayerCore, Rules
    from oware.endgame import Endgame
    from oware.types import GrandSlam, ObservationKind, RuleSetName

__all__ = [
    "GreedyAgent",
    "MctsAgent",
    "MinimaxAgent",
    "NetworkAgent",
    "RandomAgent",
]


def _rng(seed: int | None) -> np.random.Generator:
    return np.random.default_rng(None if seed is None else count("seed", seed, 0))


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
        self._rng = _rng(seed)

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

    observation: Final[ObservationKind] = "seeds"

    def __init__(self, seed: int | None = None, rules: RuleSetName | Rules = "abapa") -> None:
        self._rng = _rng(seed)
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

    observation: Final[ObservationKind] = "seeds"

    def __init__(
        self,
        depth: int,
        seed: int | None = None,
        rules: RuleSetName | Rules = "abapa",
        endgame: Endgame | None = None,
    ) -> None:
        self._endgame = endgame
        self._depth = count("depth", depth, 1, MOST_PLIES_AHEAD)
        self._rng = _rng(seed)
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
        legal: NDArray[np.bool_] = np.asarray(action_mask) != 0
        best = legal.copy()
        for row, game in in_play(observation, self._rules):
            moves = best_moves(game, self._depth, endgame=self._endgame)
            best[row] &= np.isin(np.arange(6), moves)
            if not best[row].any():
                best[row] = self._next_best(game, legal[row])
        return best

    def _next_best(self, game: Game, legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The best of the moves that a mask leaves where it forbids the best of all."""
        found = alpha_beta(game, depth=self._depth, endgame=self._endgame, move_values=True)
        values = [-math.inf if value is None else value for value in found.move_values or ()]
        worth = np.where(legal, values, -np.inf)
        best: NDArray[np.bool_] = legal & (worth == worth.max())
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

    observation: Final[ObservationKind] = "seeds"

    def __init__(
        self,
        simulations: int,
        seed: int | None = None,
        rules: RuleSetName | Rules = "abapa",
        endgame: Endgame | None = None,
        num_threads: int = 1,
    ) -> None:
        number = count("simulations", simulations, 1, MOST_SIMULATIONS)
        self._mcts = Mcts(simulations=number, seed=seed, endgame=endgame, num_threads=num_threads)
        self._rules = as_rules(rules)

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        return _searched(self._mcts, in_play(observation, self._rules), action_mask)


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

    observation: Final[ObservationKind] = "seeds"

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
        number = count("simulations", simulations, 0, MOST_SIMULATIONS)
        temperature = real("temperature", temperature)
        if not (temperature >= 0 and math.isfinite(temperature)):
            raise ValueError(f"temperature is {temperature}; give at least 0")
        if endgame is not None and not number:
            raise ValueError("a database is for a search; give simulations, or no endgame")
        self._network, self._temperature, self._endgame = network, temperature, endgame
        self._rules = network.rules if rules is None else as_rules(rules)
        self._simulations, self._num_threads = number, num_threads
        self._rng = _rng(seed)
        self._mcts: Mcts | None = None
        if number:
            self._mcts = Mcts(
                network,
                simulations=number,
                endgame=endgame,
                seed=seed,
                num_threads=num_threads,
            )

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        if self._mcts is not None:
            rows = in_play(observation, self._rules)
            return _searched(self._mcts, rows, action_mask, self._temperature)
        legal = np.asarray(action_mask) != 0
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
            >>> import numpy as np
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


def _searched(
    mcts: Mcts, rows: list[tuple[int, Game]], action_mask: ArrayLike, temperature: float = 0.0
) -> NDArray[np.int64]:
    """An action for each row of masks: what a search of the games in play chooses, else any."""
    legal = np.asarray(action_mask) != 0
    actions: NDArray[np.int64] = legal.argmax(axis=1)
    if rows:
        found = mcts.search([game for _, game in rows], temperature=temperature)
        searched = [row for row, _ in rows]
        actions[searched] = within(legal[searched], found.actions, found.visits)
    return actions
