"""Players by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware._found import PYTHON, policy_found
from oware._names import network_of, read_name
from oware.agents._players import (
    GreedyAgent,
    MctsAgent,
    MinimaxAgent,
    NetworkAgent,
    RandomAgent,
)
from oware.endgame import Endgame
from oware.network import Network

if TYPE_CHECKING:
    from oware._oware import Rules
    from oware.types import Policy, RuleSetName

__all__ = ["named"]


def named(name: str, seed: int | None = None, rules: RuleSetName | Rules = "abapa") -> Policy:
    """The player of a name.

    Args:
        name: `"novice"`, `"amateur"`, `"strong"` or `"master"`, which play the network that comes
            with the package; `"random"`, `"greedy"`, `"minimax:DEPTH"` or `"mcts:SIMULATIONS"`,
            such as `"minimax:4"`; `"net:PATH"` for the best move of the network in that file, or
            `"net:PATH@SIMULATIONS"` for a search with it; the folder of a training run stands for
            its `network.safetensors`. With `+endgame` behind one that searches it uses the database
            `Endgame.load(12, rules)`. `"python:MODULE:NAME"` for a callable (`oware.types.Policy`)
            of a module that can be imported, whose method `seeded(seed)`, where it has one, gives a
            fresh player.
        seed: Seed of its random numbers; None for other ones every time.
        rules: The rules of the games; under others it chooses among the moves of the mask as well,
            but weighs them by these.

    Raises:
        OSError: The file cannot be read.
        TypeError: An argument has the wrong type.
        ValueError: There is no player of that name, the file holds no network, or the seed is below
            0.

    Example:
        >>> type(named("greedy")).__name__
        'GreedyAgent'
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, not {type(name).__name__}")
    if name.startswith(PYTHON):
        return policy_found(name, seed)
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
