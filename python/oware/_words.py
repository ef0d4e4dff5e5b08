"""Moves, seeds and values in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SEATS: Final = ("South", "North")
LETTERS: Final = "ABCDEFabcdef"
"""The name of every absolute pit: A to F are South's, a to f North's."""


def letter(seat: int, move: int) -> str:
    """A move as a transcript has it."""
    return LETTERS[6 * seat + move]


def line_letters(seat: int, line: Iterable[int]) -> str:
    """Moves of both in turn, the first of them by a seat, as a transcript has them."""
    return "".join(letter((seat + ply) % 2, move) for ply, move in enumerate(line))


def seeds(number: int) -> str:
    """A number of seeds."""
    return "1 seed" if number == 1 else f"{number} seeds"


def signed(value: float) -> str:
    """A value with its sign; a whole number without decimals."""
    return f"{value:+.0f}" if value == int(value) else f"{value:+.2f}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
