"""What the core takes for the opponent of an environment: a name, a player, or a pool of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from oware._counts import real
from oware._names import KNOWN, PYTHON, meant, network_of
from oware._oware import PlayerCore
from oware._policies import seeing

if TYPE_CHECKING:
    from oware._oware import Rules
    from oware.endgame import Endgame
    from oware.network import Network
    from oware.types import ObservationKind, Opponent, OpponentName, Policy, RuleSetName

__all__ = ["CoreOpponent", "for_core", "player_core"]

MOST_CHOICES: Final = 127
"""The most opponents of a pool."""

One: TypeAlias = "OpponentName | Policy | PlayerCore"
CoreOpponent: TypeAlias = "One | list[tuple[One, float]] | None"
"""What the core takes: one opponent, or those of a pool with their weights."""


def for_core(
    opponent: Opponent | None,
    rules: Rules | RuleSetName,
    observation: ObservationKind | None = None,
) -> CoreOpponent:
    """What the core is given for an opponent in an environment of some rules and observations.

    A mapping from opponents to weights, or a sequence of pairs of both, is a pool. Without a kind
    of observations a name is that of a player which the core plays itself: so it reads those in a
    state, which must not run the code of a module.
    """
    if opponent is None:
        return None
    if isinstance(opponent, str) or callable(opponent):
        return _one(opponent, rules, observation)
    return [
        _weighted(place, pair, rules, observation) for place, pair in enumerate(_pairs(opponent))
    ]


def _pairs(pool: object) -> list[object]:
    if isinstance(pool, (str, bytes, bytearray)) or not isinstance(pool, (Mapping, Sequence)):
        given = type(pool).__name__
        raise TypeError(f"opponent must be None, a name, a callable or a pool of them, not {given}")
    count = len(pool)
    # Before they are listed, as there may be any number.
    if not 1 <= count <= MOST_CHOICES:
        raise ValueError(f"opponent: the pool has {count} opponents; give 1 to {MOST_CHOICES}")
    return list(islice(pool.items() if isinstance(pool, Mapping) else pool, count))


def _weighted(
    place: int, pair: object, rules: Rules | RuleSetName, observation: ObservationKind | None
) -> tuple[One, float]:
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        given = type(pair).__name__
        raise TypeError(f"opponent[{place}] must be a pair (opponent, weight), not {given}")
    one, weight = pair
    if not isinstance(one, str) and not callable(one):
        given = type(one).__name__
        raise TypeError(f"opponent[{place}] must be a name or a callable, not {given}")
    number = real(f"the weight of opponent[{place}]", weight)
    return _one(cast("OpponentName | Policy", one), rules, observation), number


def _one(
    opponent: OpponentName | Policy, rules: Rules | RuleSetName, observation: ObservationKind | None
) -> One:
    """One opponent.

    The core knows the names of players without a network itself. A network plays inside the core,
    by its name or as an `oware.agents.NetworkAgent`; one whose search is under other rules, and
    whatever else can be called, is called, with the kind of observations that it takes.
    """
    # Not above, as agents are measured in environments themselves.
    from oware.agents import NetworkAgent, named

    name = ""
    if isinstance(opponent, str) and observation is not None and opponent.startswith(PYTHON):
        opponent = named(opponent, rules=rules)
    elif isinstance(opponent, str) and network_of(opponent) is not None:
        name, opponent = opponent, named(opponent, rules=rules)
    elif isinstance(opponent, str) and (asked := meant(opponent)):
        # The core knows of no levels, and of no other spelling.
        raise ValueError(f'unknown opponent "{opponent}"; known: {KNOWN}{asked}')
    # One of another class may play in another way.
    if isinstance(opponent, NetworkAgent) and type(opponent) is NetworkAgent:
        made = opponent.core(rules, name)
        if made is not None:
            return made
    if isinstance(opponent, str) or observation is None:
        return opponent
    return seeing(opponent, observation, rules)


def player_core(
    network: Network, simulations: int, temperature: float, endgame: Endgame | None, name: str
) -> PlayerCore:
    """A network's player for the core, from what pickles keep of it."""
    source = (network, simulations, temperature, endgame, name)
    database = None if endgame is None else endgame._core  # noqa: SLF001
    core = network._core  # noqa: SLF001
    return PlayerCore(core, simulations, temperature, database, name, source)
