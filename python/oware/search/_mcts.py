"""Monte-Carlo tree search over many games at once."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from oware._oware import Game, MctsCore
from oware.endgame import Endgame
from oware.network import Network

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsFloat, SupportsIndex

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from oware.types import Evaluator, ObservationKind, ScoreName

__all__ = ["Mcts", "MctsResult"]


@dataclass(frozen=True, eq=False)
class MctsResult:
    """What a search of N games has found, in fresh arrays.

    Args:
        visits: int32 (N, 6): the simulations that went through each move, those of earlier searches
            included where a tree was kept.
        policy: float32 (N, 6): each move's share of the visits, and of a game of an exact value
            equal shares of its best moves, where the database knows the game's position those that
            keep most seeds: what a network is trained towards.
        value: float32 (N,): the mean value of all visits for the player to move, -1 to 1, or the
            exact value.
        q: float32 (N, 6): the same for each move; not a number for a move without a visit.
        exact: bool (N,): whether the value is exact: it follows from ends of the game and from the
            database.
        actions: int64 (N,): the move chosen in each game.
        batches: How often the evaluator was called.
        positions: The positions that it was called for.

    Example:
        >>> import oware
        >>> found = Mcts(simulations=50, seed=0).search(oware.Game())
        >>> found.visits.shape, found.actions.shape, int(found.visits.sum())
        ((1, 6), (1,), 50)
    """

    visits: NDArray[np.int32]
    policy: NDArray[np.float32]
    value: NDArray[np.float32]
    q: NDArray[np.float32]
    exact: NDArray[np.bool_]
    actions: NDArray[np.int64]
    batches: int
    positions: int

    @property
    def mean_batch(self) -> float:
        """The mean number of positions that the evaluator was called for, 0 where it was not.

        Example:
            >>> import oware
            >>> Mcts(simulations=50, seed=0).search(oware.Game()).mean_batch
            0.0
        """
        return self.positions / self.batches if self.batches else 0.0


@final
class Mcts:
    """Monte-Carlo tree search: with random games, or with an evaluator such as a network.

    Without an evaluator it is UCT (Kocsis and Szepesvári, ECML 2006): leaves are valued by random
    games to the end, sixty-four of them at a time. With one it is the search of AlphaZero (Silver
    et al., Nature 550, 2017): an evaluator gives each leaf a value and its moves prior
    probabilities, in batches over all games. Either way the values of ended games and of the
    endgame database are exact, what follows from them is too, and a game of an exact value is
    searched no further. Where the database knows the game's position, the best moves are those that
    keep most seeds, whatever `score` is.

    A search keeps to the rules of each game and to its history: repetition and the ply limit count
    as they do in play.

    **Random streams**: the game at place *i* draws from the stream of seed `seed` + *i*, which goes
    on from search to search. Its tree depends on this, the game and the settings alone: it is the
    same for any number of threads, whatever games are searched beside it and however they are
    batched, as long as the evaluator's answers do not depend on those either.

    Args:
        evaluator: None for random games; an `oware.Network`, which is asked without going through
            Python, on all threads, for its `margin` where `score` is; or a callable: observations
            of the kind `observation` and action masks int8 (n, 6) to (logits (n, 6), value (n,)),
            floats. The priors are the softmax of the logits of legal moves, of which at least one
            must be finite; a value is the player's to move, -1 to 1. An exception of its own comes
            through; after that, and after an answer of a wrong shape, dtype or value, the trees
            have fewer simulations and the search can be called again.
        simulations: The simulations of each game in a search, 1 to 16,777,216.
        leaves: How many leaves of a tree are valued at a time, 1 to 1,024. More make fuller
            batches, fewer a better search. None for 2 without and 8 with an evaluator.
        exploration: How much moves count that were seldom tried, at least 0. None for 1.4 without
            and 1.25 with an evaluator.
        score: `"outcome"` values games by 1, 0 and -1, `"margin"` by the final net seeds over all
            seeds of the game, played on past a majority.
        endgame: The exact values of boards with few seeds: every such position after the first
            counts as its database says, whatever the history; where the first is one, it decides
            which moves are best.
        noise: Dirichlet noise on the root's priors: None, or its concentration alpha, at least
            0.001, and its fraction, 0 to 1. AlphaZero has (10 / the number of moves, 0.25).
        observation: The kind of observation that a callable gets.
        batch: The most positions in one call of the evaluator. Calls have as many as this while
            enough games have simulations left.
        seed: Seed of the random streams, at least 0 and below 2⁶⁴; None for other ones every time.
        num_threads: The most threads.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range.

    Example:
        Four games are played to their ends; trees are kept from move to move.

        >>> import oware
        >>> mcts = Mcts(simulations=30, seed=0)
        >>> games = [oware.Game() for _ in range(4)]
        >>> while games:
        ...     found = mcts.search(games, reuse=True)
        ...     for game, action in zip(games, found.actions):
        ...         _ = game.play(action)
        ...     games = [game for game in games if not game.is_over]
    """

    __slots__ = ("_core",)

    def __init__(
        self,
        evaluator: Evaluator | None = None,
        *,
        simulations: SupportsIndex = 1000,
        leaves: SupportsIndex | None = None,
        exploration: SupportsFloat | None = None,
        score: ScoreName = "outcome",
        endgame: Endgame | None = None,
        noise: tuple[SupportsFloat, SupportsFloat] | None = None,
        observation: ObservationKind = "seeds",
        batch: SupportsIndex = 256,
        seed: SupportsIndex | None = None,
        num_threads: SupportsIndex = 1,
    ) -> None:
        self._core = MctsCore(
            evaluator._core if isinstance(evaluator, Network) else evaluator,  # noqa: SLF001
            simulations=simulations,
            leaves=leaves,
            exploration=exploration,
            score=score,
            endgame=endgame._core if isinstance(endgame, Endgame) else endgame,  # noqa: SLF001
            noise=noise,
            observation=observation,
            batch=batch,
            seed=secrets.randbits(64) if seed is None else seed,
            num_threads=num_threads,
        )

    def search(
        self,
        games: Game | Sequence[Game] | None = None,
        *,
        temperature: SupportsFloat | ArrayLike = 0.0,
        reuse: bool = False,
    ) -> MctsResult:
        """Search games, each by as many simulations as the settings say.

        Args:
            games: A game, N games under the same rules, or None for those of the last search as
                `advance` has left them, whose trees are kept. Games stay as they are.
            temperature: How actions are chosen: at 0 one of the best, else each move as likely as
                its share in `policy` to the power of 1 / temperature. A number for all games or
                floats (N,).
            reuse: Whether a game at the same place as in the last search keeps its tree where it
                has gone on from there, or is still the same.

        Raises:
            TypeError: An argument has the wrong type, or the evaluator's answer has.
            ValueError: A game is over, games differ in their rules, the database is of other rules,
                a temperature is out of range, or an answer of the evaluator makes no sense.
            RuntimeError: The search is in use by another call.

        Example:
            >>> import oware
            >>> game = oware.Game(pits=[1, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], stores=(21, 17))
            >>> Mcts(simulations=200, seed=0).search(game).actions
            array([5])
        """
        if games is None:
            wanted = None
        elif isinstance(games, Game):
            wanted = [games]
        else:
            try:
                wanted = list(games)
            except TypeError:
                given = type(games).__qualname__
                raise TypeError(
                    f"games must be an oware.Game or a sequence of them, not {given}"
                ) from None
        return MctsResult(*self._core.search(wanted, reuse, temperature))

    def advance(self, actions: ArrayLike) -> None:
        """Go on by an action in each game of the last search, keeping what is known below it.

        The visits of a move in the next search are those that it had in this one as a reply, and
        further ones.

        Args:
            actions: Integers (N,), moves after which the games are not over.

        Raises:
            TypeError: The actions are no integers.
            ValueError: There is no search yet, the shape is wrong, or a move is not legal or ends
                its game; no game has gone on then.

        Example:
            >>> import oware
            >>> mcts = Mcts(simulations=100, seed=0)
            >>> found = mcts.search(oware.Game())
            >>> mcts.advance(found.actions)
            >>> int(mcts.search().visits.sum()) > 100
            True
        """
        self._core.advance(actions)

    @property
    def games(self) -> list[Game]:
        """Copies of the games of the last search, as `advance` has left them.

        Example:
            >>> Mcts(simulations=100, seed=0).games
            []
        """
        return self._core.games()
