"""The file of a tournament: JSON lines, a header and a line for each game, each with a checksum."""

from __future__ import annotations

import inspect
import json
import os
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from oware._oware import RULE_SETS, Rules
from oware._replacing import replacing
from oware.arena._play import ENDINGS, Planned, Played

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["FORMAT", "VERSION", "appending", "begin", "fields_of", "read"]

FORMAT: Final = "oware arena"
VERSION: Final = 1
BEGINNING: Final = f'{{"format": "{FORMAT}"'.encode()
LONGEST: Final = 1 << 16
"""The most bytes that are read of a file of something else."""
CHECK: Final = ', "crc32": "'
LETTERS: Final = "012345"
FIELDS: Final = sorted(name for name, kind in vars(Rules).items() if inspect.isdatadescriptor(kind))
"""The fields of the rules."""


def fields_of(rules: Rules) -> dict[str, object]:
    """What a header says of the rules."""
    return {name: getattr(rules, name) for name in FIELDS}


def begin(path: Path, header: dict[str, Any]) -> list[Played]:
    """Make a file with a header, or read the games of one that has the same header.

    A last line without its end, of a process that was killed while it wrote, is cut off.

    Raises:
        OSError: The file cannot be read or written.
        ValueError: It is damaged, or of another tournament.
    """
    data = _bytes(path) if path.exists() else b""
    if not data:
        # The header is there as a whole or not at all.
        with replacing(path, "xb") as file:
            file.write(_line({"format": FORMAT, "version": VERSION, **header}))
        return []
    whole = _whole(data)
    known, games = _read(path, whole)
    _check_same(path, known, header)
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    return games


@contextmanager
def appending(path: Path) -> Iterator[Callable[[list[Played]], None]]:
    """Something to call with games that are to be added to a file.

    Raises:
        RuntimeError: When it is called, if something else has written to the file meanwhile.
    """
    with path.open("ab", buffering=0) as file:
        size = path.stat().st_size

        def add(games: list[Played]) -> None:
            nonlocal size
            if os.fstat(file.fileno()).st_size != size:
                raise RuntimeError(
                    f"{path} has changed meanwhile: another process plays the same tournament"
                )
            for game in games:
                data = _line(_fields(game))
                size += len(data)
                while data:
                    data = data[file.write(data) :]
            os.fsync(file.fileno())

        yield add


def read(path: Path) -> tuple[dict[str, Any], list[Played]]:
    """The header and the games of a file; a last line without its end does not count.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is damaged, or something else.
    """
    return _read(path, _whole(_bytes(path)))


def _check_same(path: Path, known: dict[str, Any], header: dict[str, Any]) -> None:
    """Whether a file is of the tournament of a header, each player still with its network."""
    for key in {**known, **header}:
        was: Any = known.get(key)
        now: Any = header.get(key)
        if was == now:
            continue
        if key == "players" and list(map(_called, was)) == list(map(_called, now)):
            old, new = next(pair for pair in zip(was, now, strict=True) if pair[0] != pair[1])
            told = "has changed since these games"
            if "network" not in old:
                told = "has a network, and these games do not tell which one it was"
            raise ValueError(f"{path}: {_called(new)} {told}: give another path")
        raise ValueError(
            f"{path} is of another tournament: it was made with {key}={_text(key, was)}, "
            f"not {_text(key, now)}; give another path"
        )


def _text(key: str, value: Any) -> str:  # noqa: ANN401
    """What a header says under a key, as one would ask for it."""
    if key == "players":
        return ", ".join(map(_called, value))
    if key == "rules":
        named = (name for name, its in RULE_SETS.items() if value == fields_of(its))
        return next(named, str(value))
    return str(value)


def _called(entry: dict[str, str]) -> str:
    name, player = entry["name"], entry["player"]
    return name if name == player else f"{name} ({player})"


def _bytes(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: it is a folder, a pipe or a device; give a file")
    with path.open("rb") as file:
        start = file.read(len(BEGINNING))
        # Something else may be of any size: its first line tells that it is no tournament.
        return start + (file.read() if start == BEGINNING else file.readline(LONGEST))


def _whole(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def _read(path: Path, data: bytes) -> tuple[dict[str, Any], list[Played]]:
    lines = data.splitlines()
    if not lines:
        raise ValueError(f"{path} has no header; it is no file of a tournament")
    header = _checked(path, 1, lines[0])
    if header.pop("format", None) != FORMAT:
        raise ValueError(f"{path}, line 1: this is no file of a tournament")
    version = header.pop("version", None)
    if version != VERSION:
        raise ValueError(f"{path}: its version is {version}; this oware reads version {VERSION}")
    games = []
    for number, line in enumerate(lines[1:]):
        fields = _checked(path, number + 2, line)
        try:
            games.append(_game(fields, number))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {number + 2} is damaged: {error}") from None
    return header, games


def _line(fields: dict[str, Any]) -> bytes:
    """One line, its checksum that of all before it."""
    text = json.dumps(fields, ensure_ascii=True)[:-1]
    return f'{text}{CHECK}{zlib.crc32(text.encode()):08x}"}}\n'.encode()


def _checked(path: Path, number: int, line: bytes) -> dict[str, Any]:
    text, found, check = line.rpartition(CHECK.encode())
    if not found or check != f'{zlib.crc32(text):08x}"}}'.encode():
        raise ValueError(
            f"{path}, line {number} is damaged, or no line of a tournament: its checksum differs"
        )
    fields: dict[str, Any] = json.loads(text + b"}")
    return fields


def _fields(game: Played) -> dict[str, Any]:
    plan = game.plan
    return {
        "game": plan.number,
        "south": plan.south,
        "north": plan.north,
        "opening": plan.opening,
        "moves": "".join(map(str, game.moves)),
        "stores": list(game.stores),
        "winner": game.winner,
        "ending": game.ending,
        "reason": game.reason,
    }


def _game(fields: dict[str, Any], number: int) -> Played:
    if fields["game"] != number:
        raise ValueError(f"it has game {fields['game']}, not {number}")
    if fields["ending"] not in ENDINGS:
        raise ValueError(f"unknown ending {fields['ending']!r}")
    south, north = fields["stores"]
    return Played(
        Planned(number, fields["south"], fields["north"], fields["opening"]),
        tuple(LETTERS.index(letter) for letter in fields["moves"]),
        (south, north),
        fields["winner"],
        fields["ending"],
        fields["reason"],
    )
