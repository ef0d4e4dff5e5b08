"""Games of a network against itself."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from oware._counts import count
from oware._oware import Game
from oware.network import Network
from oware.search import Mcts
from oware.train._experience import Experience
from oware.train._settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    from numpy.typing import NDArray

    from oware.endgame import Endgame

__all__ = ["LONGEST_GAME", "Share", "in_lockstep", "self_play", "shares"]

LONGEST_GAME: Final = 400
"""After how many plies a game of self-play is cut off, with the seeds as they lie."""


def self_play(
    network: Network,
    games: SupportsIndex,
    settings: Settings | None = None,
    *,
    seed: SupportsIndex | None = None,
    endgame: Endgame | None = None,
    num_threads: SupportsIndex = 1,
    watch: Callable[[int], object] | None = None,
) -> Experience:
    """Let a network play against itself and keep what a better one would say.

    The games are searched in lockstep as AlphaZero does (Silver et al., Science 362, 2018): PUCT
    with noise at the root; moves drawn by their visits, first in proportion, later sharper. A
    position's policy is the share of the visits; its value is a mixture of what the search has
    found and how the game ended. A game ends where the database begins, with its exact value.
    After that come some plies of the best moves and of any, each position with its exact targets.

    Both seats learn from the same positions, as the mover always sees their own row first.

    Args:
        network: The network.
        games: How many games, at least 1; `settings.games_each` of them in lockstep.
        settings: What the games are like; of these the fields that speak of games.
        seed: Seed of everything that is drawn, at least 0 and below 2⁶³; None for another one
            every time. It decides the games, for any number of threads.
        endgame: Exact values, of the settings' rules.
        num_threads: The most threads.
        watch: Called before each ply with the number of games that have not ended.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or the database is of other rules.

    Example:
        >>> import oware
        >>> settings = Settings(simulations=8)
        >>> network = oware.Network.random(hidden=(8,), seed=0)
        >>> seen = self_play(network, 4, settings, seed=0)
        >>> seen.observation.shape == (len(seen), 14), len(seen) > 100
        (True, True)
    """
    settings = checked(network, settings)
    parts = shares(games, settings, seed)
    left, played = sum(part.games for part in parts), []
    for part in parts:
        left -= part.games

        def told(under_way: int, later: int = left) -> None:
            if watch is not None:
                watch(under_way + later)

        played.append(in_lockstep(network, part, settings, endgame, num_threads, told))
    return Experience.joined(played)


def checked(network: Network, settings: Settings | None) -> Settings:
    """The settings of self-play, the usual ones where there are none, after a look at their kinds.

    Raises:
        TypeError: One of them is of another kind.
    """
    if not isinstance(network, Network):
        raise TypeError(f"network must be an oware.Network, not {type(network).__qualname__}")
    settings = Settings() if settings is None else settings
    if not isinstance(settings, Settings):
        given = type(settings).__qualname__
        raise TypeError(f"settings must be oware.train.Settings, not {given}")
    return settings


class Share(NamedTuple):
    """Games that are played in lockstep, and their seed, which decides them."""

    games: int
    seed: int


def shares(games: SupportsIndex, settings: Settings, seed: SupportsIndex | None) -> list[Share]:
    """What `self_play` plays one after another, and a cluster at the same time."""
    games = count("games", games, 1, 2**20)
    seed = secrets.randbits(62) if seed is None else count("seed", seed, 0, 2**63 - 1)
    each = settings.games_each or games
    if games <= each:
        return [Share(games, seed)]
    seeds = np.random.SeedSequence(seed).generate_state(-(-games // each), np.uint64) >> 1
    return [
        Share(min(each, games - number * each), own) for number, own in enumerate(seeds.tolist())
    ]


def in_lockstep(
    network: Network,
    share: Share,
    settings: Settings,
    endgame: Endgame | None = None,
    num_threads: SupportsIndex = 1,
    watch: Callable[[int], object] = lambda _: None,
) -> Experience:
    """Play a share of the games of `self_play`."""
    rng = np.random.default_rng(share.seed)
    mcts = Mcts(
        network,
        simulations=settings.simulations,
        leaves=settings.leaves,
        noise=settings.noise,
        endgame=endgame,
        seed=int(rng.integers(2**63)),
        num_threads=num_threads,
    )
    playing = [_Line(i, opened(settings, rng)) for i in range(share.games)]
    south = np.zeros((len(playing), 2))
    searched, solved = _Rows(), _Rows()
    while playing:
        watch(len(playing))
        sharp = [line.plies >= settings.exploring_plies for line in playing]
        found = mcts.search(
            [line.game for line in playing],
            temperature=np.where(sharp, settings.temperature, 1.0),
            reuse=True,
        )
        for row, line in enumerate(playing):
            exact = bool(found.exact[row])
            searched.add(line.game, found.policy[row], found.value[row], 0.0, exact, line.number)
        actions = found.actions.tolist()
        # From the last to the first, so that whatever takes a free place has moved already.
        for row in reversed(range(len(playing))):
            line = playing[row]
            line.game.play(actions[row])
            line.plies += 1
            if line.game.is_over or line.plies >= LONGEST_GAME or _known(line.game, endgame):
                south[line.number] = _result(line.game, endgame)
                if endgame is not None and not line.game.is_over:
                    _play_on(line.game, endgame, settings.endgame_plies, rng, solved)
                last = playing.pop()
                if line is not last:
                    playing[row] = last
    seen = searched.experience()
    side = 1 - 2 * np.array(searched.movers, np.int64)
    ended = south[searched.numbers] * side[:, None]
    own = np.where(seen.exact, 1.0, settings.own_value)
    value = own * seen.value + (1 - own) * ended[:, 0]
    seen = replace(seen, value=value.astype(np.float32), margin=ended[:, 1].astype(np.float32))
    return Experience.joined([seen, solved.experience()])


@dataclass
class _Line:
    """A game under way, its number, and how many plies were searched."""

    number: int
    game: Game
    plies: int = 0


@dataclass
class _Rows:
    """Positions as they come, to be made arrays at the end."""

    observations: list[NDArray[np.uint8]] = field(default_factory=list)
    masks: list[NDArray[np.int8]] = field(default_factory=list)
    policies: list[NDArray[np.float32]] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    movers: list[int] = field(default_factory=list)

    def add(
        self,
        game: Game,
        policy: NDArray[np.float32],
        value: float,
        margin: float,
        exact: bool,
        number: int,
    ) -> None:
        self.observations.append(game.observation())
        self.masks.append(game.action_mask())
        self.policies.append(policy)
        self.values.append(value)
        self.margins.append(margin)
        self.exact.append(exact)
        self.numbers.append(number)
        self.movers.append(game.to_move)

    def experience(self) -> Experience:
        return Experience(
            np.array(self.observations, np.uint8).reshape(-1, 14),
            np.array(self.masks, np.int8).reshape(-1, 6),
            np.array(self.policies, np.float32).reshape(-1, 6),
            np.array(self.values, np.float32),
            np.array(self.margins, np.float32),
            np.array(self.exact, np.bool_),
        )


def opened(settings: Settings, rng: np.random.Generator) -> Game:
    """A game after its random opening, which has not ended it."""
    while True:
        game = Game(settings.rules)
        for _ in range(int(rng.integers(settings.opening_plies + 1))):
            if game.is_over:
                break
            game.play(int(rng.choice(game.legal_moves())))
        if not game.is_over:
            return game


def _known(game: Game, endgame: Endgame | None) -> bool:
    return endgame is not None and sum(game.pits) <= endgame.max_seeds


def _result(game: Game, endgame: Endgame | None) -> tuple[float, float]:
    """Result and share of the seeds for South: of an ended game, a solved one, or as it lies."""
    seeds = sum(game.pits) + sum(game.stores)
    net = game.stores[0] - game.stores[1]
    if endgame is not None and not game.is_over and _known(game, endgame):
        value = endgame.value(game)
        net += -value if game.to_move else value
    return float(np.sign(net)), net / seeds


def _play_on(
    game: Game, endgame: Endgame, plies: int, rng: np.random.Generator, rows: _Rows
) -> None:
    """Play solved positions, as examples of perfect play."""
    seeds = sum(game.pits) + sum(game.stores)
    for _ in range(plies):
        if game.is_over or not _known(game, endgame):
            break
        values = endgame.move_values(game)
        best = max(values.values())
        policy = np.array([values.get(move) == best for move in range(6)], np.float32)
        net = game.stores[game.to_move] - game.stores[1 - game.to_move] + best
        rows.add(game, policy / policy.sum(), float(np.sign(net)), net / seeds, True, -1)
        among = list(values)
        if rng.random() < 0.5:
            among = [move for move in among if values[move] == best]
        game.play(among[int(rng.integers(len(among)))])
