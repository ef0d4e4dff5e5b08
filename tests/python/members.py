"""What a public class offers."""

from __future__ import annotations

import inspect


def members(thing: type) -> dict[str, object]:
    """The members of a class by their names, those from private bases of this package included.

    They are sorted, as PyO3 adds those of a compiled class in an order that varies.
    """
    found: dict[str, object] = {}
    for base in reversed(inspect.getmro(thing)):
        package, *rest = base.__module__.split(".")
        if base is thing or (package == "oware" and any(part.startswith("_") for part in rest)):
            found |= vars(base)
    return dict(sorted(found.items()))
