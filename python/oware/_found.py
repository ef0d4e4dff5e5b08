"""Players of one's own by name: what a module holds."""

from __future__ import annotations

import inspect
import re
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from oware._policies import kind_of, reason_of, seeded

if TYPE_CHECKING:
    from collections.abc import Callable

    from oware.types import Policy

__all__ = ["PYTHON", "check_policy", "found", "policy_found", "takes"]

PYTHON: Final = "python:"
"""What the names of players begin with that a module holds."""
OF_ONE_GAME: Final = (
    "it takes no (observation, action_mask); functions of one game play in oware.arena.evaluate"
)
"""What is said of a function of a game where a policy is wanted."""


def found(name: str) -> Callable[..., Any]:
    """The player that `"python:MODULE:NAME"` names: a policy, or a function of a game.

    Raises:
        ValueError: The module cannot be imported, has nothing of that name, or it is no player.

    Example:
        >>> found("python:oware.agents:wilson").__name__
        'wilson'
    """
    module, _, path = name.removeprefix(PYTHON).partition(":")
    # It may be the name of a module all the same: that of `py` in a package.
    instead = _if_a_file(name.removeprefix(PYTHON))
    if not module or not path:
        raise ValueError(f"player {name!r}: {instead or 'give python:MODULE:NAME'}")
    try:
        holder = import_module(module)
    # A module may raise whatever it likes, and a script ends the process.
    except (Exception, SystemExit) as error:
        reason = f"{module} cannot be imported: {reason_of(error)}"
        told = instead if _is_missing(module, error) else ""
        raise ValueError(f"player {name!r}: {told or reason}") from error
    try:
        player: Any = reduce(getattr, path.split("."), cast("Any", holder))
    except AttributeError as error:
        raise ValueError(f"player {name!r}: {error}") from error
    wrong = ""
    if isinstance(player, type):
        wrong = "that is a class; name an object that is made of it"
    elif not callable(player):
        wrong = f"{type(player).__name__} objects cannot be called"
    elif not (takes(player, 1) or takes(player, 2)):
        wrong = "it takes no (observation, action_mask)"
    if wrong:
        raise ValueError(f"player {name!r}: {wrong}")
    kind_of(player, f"player {name!r}: its observation")
    return cast("Callable[..., Any]", player)


def _is_missing(module: str, error: BaseException) -> bool:
    """Whether it is a module's own name that leads nowhere, not one that the module imports.

    Example:
        >>> _is_missing("mine.py", ModuleNotFoundError(name="mine"))
        True
        >>> _is_missing("mine.py", ModuleNotFoundError(name="torch"))
        False
    """
    if module.startswith(".") or "/" in module or "\\" in module:
        return True
    return isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")


def _if_a_file(text: str) -> str:
    """What else to give where a text is no MODULE:NAME but has the path of a file; else nothing.

    Example:
        >>> _if_a_file("./mine.py:player")
        "give a module's name, not a file's: python:mine:player finds mine.py if its folder is ..."
    """
    file, _, player = text.rpartition(":")
    if not file or not player.isidentifier():
        file, player = text, "NAME"
    if not (file.startswith(".") or file.endswith(".py") or "/" in file or "\\" in file):
        return ""
    stem = re.split(r"[/\\]", file.removesuffix(".py"))[-1].lstrip(".") or "MODULE"
    return (
        f"give a module's name, not a file's: {PYTHON}{stem}:{player} finds {stem}.py "
        "if its folder is on sys.path"
    )


def policy_found(name: str, seed: int | None) -> Policy:
    """The policy that `"python:MODULE:NAME"` names, fresh where it has a method `seeded`.

    Raises:
        ValueError: There is none.
    """
    policy = found(name)
    if not takes(policy, 2):
        raise ValueError(f"player {name!r}: {OF_ONE_GAME}")
    return policy if seed is None else seeded(policy, seed, f"player {name!r}")


def check_policy(player: object, what: str) -> None:
    """Refuse what is no policy.

    Args:
        player: What was given.
        what: The name of the argument.

    Raises:
        TypeError: It cannot be called, is a class, or a function of a game.

    Example:
        >>> check_policy(None, "policy")
        Traceback (most recent call last):
        TypeError: policy must be a name or a callable (observation, action_mask) -> actions, ...
    """
    if not callable(player):
        raise TypeError(
            f"{what} must be a name or a callable (observation, action_mask) -> actions, not "
            f"{type(player).__name__}"
        )
    if isinstance(player, type):
        raise TypeError(f"{what} is the class {player.__name__}; give an object that is made of it")
    if takes(player, 1) and not takes(player, 2):
        raise TypeError(f"{what}: {OF_ONE_GAME}")


def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a callable can be called with so many arguments."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True
