"""What the core takes for an opponent: names and players that environments get are read here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware._oware import PlayerCore

if TYPE_CHECKING:
    from oware._oware import Rules
    from oware.endgame import Endgame
    from oware.network import Network
    from oware.types import OpponentName, Policy, RuleSetName

__all__ = ["for_core", "player_core"]


def for_core(
    opponent: OpponentName | Policy | None, rules: Rules | RuleSetName
) -> OpponentName | Policy | PlayerCore | None:
    """What the core is given for an opponent in an environment of some rules.

    It knows the names of players without a network itself. A network plays inside the core, by its
    name or as an `oware.agents.NetworkAgent`; one whose search is under other rules, and whatever
    else can be called, is called.
    """
    from oware import agents  # Not above, as it has environments itself.

    name = ""
    if isinstance(opponent, str) and agents.network_of(opponent) is not None:
        name, opponent = opponent, agents.named(opponent, rules=rules)
    # One of another class may play in another way.
    if isinstance(opponent, agents.NetworkAgent) and type(opponent) is agents.NetworkAgent:
        made = opponent.core(rules, name)
        return opponent if made is None else made
    return opponent


def player_core(
    network: Network, simulations: int, temperature: float, endgame: Endgame | None, name: str
) -> PlayerCore:
    """A network's player for the core, from what pickles keep of it."""
    source = (network, simulations, temperature, endgame, name)
    database = None if endgame is None else endgame._core  # noqa: SLF001
    core = network._core  # noqa: SLF001
    return PlayerCore(core, simulations, temperature, database, name, source)
