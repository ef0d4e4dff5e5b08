"""Games that were played in the terminal, as the user's data folder keeps them."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

from oware import records
from oware.cli_files import records_of

if TYPE_CHECKING:
    from oware.records import Record


def folder() -> Path:
    """Where games are kept: what `OWARE_DATA` names, or the user's data folder."""
    import platformdirs

    named = os.environ.get("OWARE_DATA")
    return Path(named) if named else platformdirs.user_data_path("oware", appauthor=False)


def games_path() -> Path:
    """The file of the games that are over."""
    return folder() / "games.ogn"


def unfinished_path() -> Path:
    """The file of the game that waits to be gone on with, if there is one."""
    return folder() / "unfinished.ogn"


def add(record: Record) -> None:
    """Put a game behind those that are kept.

    One call writes it, so that of two commands at a time neither overwrites what the other adds;
    where the disk is full, nothing of it stays.

    Raises:
        OSError: It cannot be written.
    """
    path = games_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f"{record}\n".encode()
    with path.open("ab", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        # An empty line parts records.
        text = b"\n" + text if size else text
        whole = False
        try:
            written = file.write(text)
            os.fsync(file.fileno())
            whole = written == len(text)
        finally:
            if not whole:
                file.truncate(size)
    if not whole:
        raise OSError(errno.ENOSPC, "the game could not be written as a whole", str(path))


def games() -> list[Record]:
    """The games that are kept, the oldest first.

    Raises:
        OSError: The file cannot be read.
        ValueError: Somebody has put into it what is no record.
    """
    path = games_path()
    return list(records_of(path)) if path.exists() else []


def unfinished() -> Record | None:
    """The game that waits to be gone on with.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no record.
    """
    path = unfinished_path()
    return next(records_of(path), None) if path.exists() else None


def put_aside(record: Record, before: Record | None) -> None:
    """Let a game wait; another one that waits already goes to those that are kept.

    Args:
        record: The game.
        before: The same game as it waited before, if it did.

    Raises:
        OSError: It cannot be written.
        ValueError: What waits is no record.
    """
    waiting = unfinished()
    if waiting is not None and waiting != before:
        add(waiting)
    path = unfinished_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    records.write([record], path)


def take_up(record: Record) -> None:
    """Let a game wait no longer, as it is over."""
    if unfinished() == record:
        unfinished_path().unlink()
