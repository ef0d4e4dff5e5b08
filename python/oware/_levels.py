"""Players that come with the package: one trained network, and how each plays it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LEVELS", "Level"]

TRAINED: Final = Path(__file__).with_name("trained") / "network.safetensors"


@dataclass(frozen=True)
class Level:
    """A network and how it plays.

    Args:
        network: Its file.
        simulations: The simulations for each move; 0 to ask it once.
        temperature: How moves are chosen; 0 for the best one.
        aided: Whether its search uses the database `Endgame.load(12, rules)`.

    Example:
        >>> from pathlib import Path
        >>> Level(Path("mine.safetensors"), simulations=200).aided
        False
    """

    network: Path
    simulations: int = 0
    temperature: float = 0.0
    aided: bool = False


LEVELS: Final[Mapping[str, Level]] = {
    "novice": Level(TRAINED, temperature=1.0),
    "amateur": Level(TRAINED),
    "strong": Level(TRAINED, simulations=50),
    "master": Level(TRAINED, simulations=800, aided=True),
}
"""The networks that go by a name of their own, wherever a player is taken by name."""
