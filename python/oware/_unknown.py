"""What is said of a name that nobody knows."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["unknown"]


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """A message with the names that there are, and with the one that is spelt most like it.

    Example:
        >>> unknown("setting", "widnow", ["batch", "window"])
        "unknown setting 'widnow'; known: batch, window; did you mean 'window'?"
    """
    names = list(known)
    closest = get_close_matches(name, names, 1) if isinstance(name, str) else []
    meant = f"; did you mean {closest[0]!r}?" if closest else ""
    return f"unknown {what} {name!r}; known: {', '.join(names)}{meant}"
