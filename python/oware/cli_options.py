"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from oware import Rules

__all__ = ["NamedRules", "rule_set"]


def rule_set(name: str) -> Rules:
    """The rule set of a name that was typed."""
    try:
        return Rules.named(name)  # type: ignore[arg-type]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


NamedRules: TypeAlias = Annotated[
    Rules, typer.Option("--rules", parser=rule_set, metavar="NAME", help="A rule set.")
]
