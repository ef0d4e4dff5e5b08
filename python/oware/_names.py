"""The names of players, read: what each stands for, not yet a player."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Final

from oware._found import PYTHON, found
from oware._levels import LEVELS, Level

__all__ = [
    "AIDED",
    "KNOWN",
    "MOST_PLIES_AHEAD",
    "MOST_SIMULATIONS",
    "PYTHON",
    "meant",
    "network_of",
    "read_name",
]

MOST_PLIES_AHEAD: Final = 16
"""The most plies that a player known by name looks ahead."""
MOST_SIMULATIONS: Final = 1_000_000
"""The most simulations of a player known by name."""
AIDED: Final = "+endgame"
"""What the names of players end with that use an endgame database."""
KNOWN: Final = (
    f"{', '.join(map(repr, LEVELS))}, 'random', 'greedy', 'minimax:DEPTH', 'mcts:SIMULATIONS', "
    f"'net:PATH', 'net:PATH@SIMULATIONS', those that search also with '{AIDED}' at the end, "
    "'python:MODULE:NAME', or a callable"
)
"""What can be named, for messages."""
IN_A_RUN: Final = "network.safetensors"
"""The best network in the folder of a training run."""


def read_name(name: str) -> tuple[str, int, bool]:
    """The kind of a player, the number behind it and whether it uses a database, from its name.

    Names are read as the environment reads those of opponents; networks are known here only.

    Raises:
        ValueError: There is no player of that name.
    """
    if name in {"random", "greedy"}:
        return name, 0, False
    if name.startswith(PYTHON):
        found(name)
        return "python", 0, False
    level = network_of(name)
    if level is not None:
        if not level.network.is_file():
            path = str(level.network) if level.network.parts else ""
            raise ValueError(f"player {name!r}: there is no file {path!r}; give the network's path")
        if level.aided and not level.simulations:
            raise ValueError(f"player {name!r}: a database is for a search; give @SIMULATIONS")
        return "net", level.simulations, level.aided
    kind, colon, given = name.removesuffix(AIDED).partition(":")
    if kind + colon == "minimax:":
        what, most = "depth is", MOST_PLIES_AHEAD
    elif kind + colon == "mcts:":
        what, most = "simulations are", MOST_SIMULATIONS
    else:
        raise ValueError(f"unknown player {name!r}; known: {KNOWN}{meant(name)}")
    return kind, _number(name, what, given, most), name.endswith(AIDED)


def meant(name: str) -> str:
    """What asks whether another name was meant, where an unknown one is spelt much like it.

    Example:
        >>> meant("greedy+endgame")
        "; 'greedy' does not search; did you mean 'greedy'?"
        >>> meant("minmax:4"), meant("minimax:4"), meant("chess")
        ("; did you mean 'minimax:4'?", '', '')
    """
    plain = name.removesuffix(AIDED).partition("@")[0]
    why = ""
    if plain in LEVELS:
        why = f"; the simulations of {plain!r} are fixed; for others give 'net:PATH@SIMULATIONS'"
    elif plain in {"random", "greedy"}:
        why = f"; {plain!r} does not search"
    kind, colon, given = name.removesuffix(AIDED).partition(":")
    numbered = {"minimax": "DEPTH", "mcts": "SIMULATIONS"}
    # A name of any length is looked at in no time.
    closest = get_close_matches(kind[:40], [*LEVELS, "random", "greedy", *numbered], 1)
    if not closest or (kind in numbered and colon):
        return ""
    number = f":{given or numbered[closest[0]]}" if closest[0] in numbered else ""
    return "" if closest[0] + number == name else f"{why}; did you mean '{closest[0]}{number}'?"


def _number(name: str, what: str, given: str, most: int) -> int:
    # A sign or a leading zero would be another name of the same player.
    number = int(given) if given.isdecimal() and len(given) <= len(str(most)) else 0
    if not (1 <= number <= most and str(number) == given):
        raise ValueError(f"player {name!r}: the {what} {given!r}; give 1 to {most}")
    return number


def network_of(name: str) -> Level | None:
    """The network that a name stands for and how it plays; None for a player without one.

    Raises:
        ValueError: The name's number of simulations is out of range.

    Example:
        >>> network_of("net:mine.safetensors@200").simulations
        200
        >>> network_of("greedy") is None
        True
    """
    if name in LEVELS:
        return LEVELS[name]
    if not name.startswith("net:"):
        return None
    path, given, aided = _split(name)
    simulations = _number(name, "simulations are", given, MOST_SIMULATIONS) if given else 0
    return Level(path, simulations, aided=aided)


def _split(name: str) -> tuple[Path, str, bool]:
    """The path in a network's name, the number behind it or nothing, and whether `+endgame` is.

    A file's own name may end like that: as much is the path as names a file.
    """
    text = name.removeprefix("net:")
    readings = []
    for rest in (text, text.removesuffix(AIDED)):
        path, _, number = rest.rpartition("@")
        readings.append((_file(rest), "", rest != text))
        if path and number.isdecimal():
            readings.append((_file(path), number, rest != text))
    files = (reading for reading in readings if reading[0].is_file())
    return next(files, readings[-1])


def _file(path: str) -> Path:
    """The file of a path, which may be the folder of a run."""
    file = Path(path)
    return file / IN_A_RUN if path and file.is_dir() else file
