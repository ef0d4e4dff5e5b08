"""Actions that no array of integers can hold, refused as other illegal ones are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from oware._counts import told
from oware._oware import IllegalMoveError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fitting", "step_again"]

Shown = TypeVar("Shown")

LEAST: Final = -(2**63)
MOST: Final = 2**63 - 1
NAMED: Final = re.compile(r"environment (\d+): action (-?\d+) ")
"""How the message begins of an action that is illegal."""


def fitting(actions: object) -> Any:  # noqa: ANN401
    """Integers of any size as others that are illegal too; None for what has nothing to fit.

    Numpy makes objects of those beyond 64 bits, and floats of those beyond 63 beside others.

    Example:
        >>> fitting([0, 2**70]), fitting([0, 1]), fitting([0.5])
        ([0, 9223372036854775807], None, None)
    """
    listed: Any = actions if isinstance(actions, list | tuple) else [actions]
    if any(isinstance(one, bool) or not isinstance(one, int | np.integer) for one in listed):
        return None
    fitted = [min(max(int(one), LEAST), MOST) for one in listed]
    if fitted == [*listed]:
        return None
    return fitted if listed is actions else fitted[0]


def step_again(step: Callable[[Any], Shown], actions: object, error: Exception) -> Shown:
    """Step by what fits, after an error; an action that is illegal is told as it was given."""
    if isinstance(error, IllegalMoveError):
        raise retold(error, actions)
    fitted = fitting(actions)
    if fitted is None:
        raise error
    try:
        return step(fitted)  # The action of a finished environment is ignored, whatever it is.
    except IllegalMoveError as illegal:
        raise retold(illegal, actions) from None


def retold(error: IllegalMoveError, actions: object) -> IllegalMoveError:
    """An error that tells of an action as it was given, not as it was made to fit."""
    found = NAMED.match(str(error))
    if found and int(found[2]) in (LEAST, MOST) and isinstance(actions, list | tuple | np.ndarray):
        given = told(int(actions[int(found[1])]))
        error.args = (str(error).replace(found[2], given, 1),)
    return error
