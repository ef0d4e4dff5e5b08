"""Numbers and flags among the arguments of functions."""

from __future__ import annotations

import math
import numbers
import operator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import SupportsIndex

__all__ = ["count", "flag", "real", "told"]

MOST_BITS: Final = 200
"""Of integers that a message shows whole."""


def count(name: str, value: SupportsIndex, least: int, most: int | None = None) -> int:
    """A parameter as an integer between bounds, which are allowed themselves.

    Example:
        >>> count("depth", 0, 1, 30)
        Traceback (most recent call last):
        ValueError: depth is 0; give 1 to 30
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    number = operator.index(value)
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        raise ValueError(f"{name} is {told(number)}; give {bounds}")
    return number


def flag(name: str, value: object) -> bool:
    """A parameter that is True or False and nothing else.

    Example:
        >>> flag("progress", 1)
        Traceback (most recent call last):
        TypeError: progress must be a bool, not int
    """
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a bool, not {type(value).__name__}")
    return value


def told(number: int) -> str:
    """An integer in a message, which stays short: Python itself writes no more than 4,300 digits.

    Example:
        >>> told(7), told(10**5000)
        ('7', 'an integer of 16610 bits')
    """
    bits = number.bit_length()
    return str(number) if bits <= MOST_BITS else f"an integer of {bits} bits"


def real(name: str, value: object) -> float:
    """A parameter as a float, infinite where it is larger than any.

    Example:
        >>> real("minutes", 10**400), real("minutes", 2)
        (inf, 2.0)
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        return math.inf if operator.gt(value, 0) else -math.inf
