"""Bad calls as data, and a search for parameters that no bad call is made with."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from members import members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Bad(NamedTuple):
    """A value that a parameter must refuse, with the exception and its message."""

    parameter: str
    """As `Class.parameter`, `Class.method.parameter` or `function.parameter`."""
    value: object
    error: type[Exception]
    message: str
    """A regular expression that the whole message matches."""


def parameters(name: str, thing: Any) -> Iterator[str]:
    """Every parameter of a callable; of a class, those of its constructor and public methods."""
    for parameter in inspect.signature(thing).parameters:
        if parameter != "self":
            yield f"{name}.{parameter}"
    if inspect.isclass(thing):
        for member in members(thing):
            value = getattr(thing, member)
            if not member.startswith("_") and callable(value):
                yield from parameters(f"{name}.{member}", value)


def gaps(name: str, thing: Any, table: Iterable[Bad]) -> set[str]:
    """The parameters of a callable that no row of the table is about."""
    return {*parameters(name, thing)} - {row.parameter for row in table}
