"""Options that several commands take, and how they tell what goes wrong."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from oware import RULE_SETS, Rules, agents
from oware._names import PYTHON, read_name

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "DIFFICULTIES",
    "NamedOpponent",
    "NamedRules",
    "own_module_allowed",
    "player_of",
    "rule_set",
    "told_plainly",
]

DIFFICULTIES: Final = {
    "beginner": "random",
    "easy": "greedy",
    "medium": "minimax:3",
    "hard": "minimax:6",
    "expert": "minimax:12",
}
"""Names for how hard a game shall be, and the players behind them."""


def rule_set(name: str) -> Rules:
    """The rule set of a name that was typed."""
    try:
        return Rules.named(name)  # type: ignore[arg-type]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def player_of(name: str) -> str:
    """The player of a name that was typed, which may be that of a level."""
    known = DIFFICULTIES.get(name, name)
    own_module_allowed(known)
    try:
        read_name(known)
    except ValueError as error:
        levels = ", ".join(DIFFICULTIES)
        raise typer.BadParameter(f"{error}; or a level: {levels}") from None
    return known


def own_module_allowed(name: str) -> None:
    """Let a player's module be found in the working folder, after all that is installed."""
    if name.startswith(PYTHON) and "" not in sys.path:
        sys.path.append("")


def rule_sets_beginning(typed: str) -> list[str]:
    """What a shell may complete the name of a rule set to."""
    return [name for name in RULE_SETS if name.startswith(typed)]


def opponents_beginning(typed: str) -> list[str]:
    """What a shell may complete the name of an opponent to."""
    known = (*DIFFICULTIES, *agents.LEVELS, *DIFFICULTIES.values())
    return [name for name in known if name.startswith(typed)]


@contextmanager
def told_plainly() -> Iterator[None]:
    """Say what goes wrong in a line, and end the command."""
    try:
        yield
    except (OSError, ValueError, MemoryError) as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(1) from None


NamedRules: TypeAlias = Annotated[
    Rules,
    typer.Option(
        "--rules",
        parser=rule_set,
        metavar="NAME",
        help="A rule set.",
        autocompletion=rule_sets_beginning,
    ),
]

NamedOpponent: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--opponent",
        parser=player_of,
        metavar="NAME",
        help="Who plays against you: a level (beginner, easy, medium, hard, expert), "
        "a trained one (novice, amateur, strong, master), or random, greedy, minimax:DEPTH, "
        "mcts:SIMULATIONS or net:PATH[@SIMULATIONS], those that search also with +endgame, "
        "or python:MODULE:NAME for a policy of your own.",
        show_default="easy",
        autocompletion=opponents_beginning,
    ),
]
