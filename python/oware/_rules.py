"""Rules among the arguments of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware._oware import Rules

if TYPE_CHECKING:
    from oware.types import RuleSetName

__all__ = ["as_rules"]


def as_rules(rules: RuleSetName | Rules) -> Rules:
    """Rules from what an argument `rules` may be.

    Raises:
        TypeError: It is neither a name nor rules.
        ValueError: There is no rule set of that name.
    """
    if isinstance(rules, Rules):
        return rules
    given: object = rules
    if not isinstance(given, str):
        kind = type(given).__name__
        raise TypeError(f"rules must be the name of a rule set or an oware.Rules, not {kind}")
    return Rules.named(rules)
