"""Files that several commands read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from oware import _figures, records
from oware._replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oware._oware import Game, Rules
    from oware.records import Record

__all__ = [
    "check_folder",
    "check_picture",
    "check_target",
    "chosen",
    "game_of",
    "records_of",
    "write_text",
]


def records_of(path: Path) -> Iterator[Record]:
    """The records of a file; `ValueError` names the file, too, where one cannot be read."""
    try:
        yield from records.read(path)
    except records.RecordError as error:
        raise ValueError(told(path, error)) from None


def game_of(path: Path, record: Record, rules: Rules | None, plies: int | None = None) -> Game:
    """The game of a record; `ValueError` names the file, too, where a move is not legal."""
    try:
        return record.game(rules, plies=plies)
    except records.RecordError as error:
        raise ValueError(told(path, error)) from None


def told(path: Path, error: records.RecordError) -> str:
    """An error after its place."""
    place = "" if error.line is None else f"{error.line}:{error.column}:"
    return f"{path}:{place} {error.reason}"


def chosen(path: Path, number: int | None) -> Iterator[tuple[int, Record]]:
    """The records of a file with their numbers from 1, or the one of a number."""
    count = 0
    for count, record in enumerate(records_of(path), 1):
        if number is None or number == count:
            yield count, record
        if number == count:
            return
    if number is not None:
        games = "1 game" if count == 1 else f"{count} games"
        raise typer.BadParameter(f"--game {number}: {path} holds {games}")


def check_folder(path: Path | None) -> None:
    """Refuse to write where there is no folder."""
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"{path}: there is no folder {path.absolute().parent}")


def check_target(path: Path, load: Path | None = None) -> None:
    """Refuse to write where a folder is missing or something else would be lost."""
    check_folder(path)
    if path.exists() and (load is None or not load.exists() or not path.samefile(load)):
        raise typer.BadParameter(f"{path} is there already; give another name")


def check_picture(path: Path | None, extra: str) -> None:
    """Refuse to draw where nothing could be written, or without the library of an extra."""
    check_folder(path)
    if path is not None:
        try:
            _figures.check_picture(path, extra)
        except (ModuleNotFoundError, ValueError) as error:
            raise typer.BadParameter(str(error)) from None


def write_text(path: Path, text: str) -> None:
    """Write a file, which appears whole or not at all; one that is there is replaced."""
    with replacing(path) as file:
        file.write(text)
