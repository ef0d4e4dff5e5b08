"""Random numbers that no library can change: the same seed gives the same ones for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")
WORD: Final = 2**64
GOLDEN: Final = 0x9E3779B97F4A7C15


class Stream:
    """SplitMix64; Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014."""

    def __init__(self, seed: int) -> None:
        self.state = seed % WORD

    def draw(self) -> int:
        """64 random bits."""
        self.state = (self.state + GOLDEN) % WORD
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to a bound that is small and left out."""
        return (self.draw() >> 32) * bound >> 32

    def choose(self, items: Sequence[Item]) -> Item:
        """One of some things."""
        return items[self.below(len(items))]
