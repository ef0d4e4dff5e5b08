"""Game records in OGN, the Oware Game Notation: reading, checking and writing them.

OGN looks like chess's PGN: tags in brackets, moves as letters (A to F for South, a to f for North),
comments in braces, variations in parentheses, a result. Aualé writes it.

>>> import oware
>>> from oware import records
>>> text = '''
... [Variant "awari"]
... [South "Ama"]
... [North "Kofi"]
... [Result "1-0"]
...
... 1. F {Ama likes this.} f 2. E (2. D e 3. C) e 1-0
... '''
>>> record = next(records.read(text))
>>> record.tags["South"], record.result, record.transcript
('Ama', '1-0', 'FfEe')
>>> record.moves[0].comments, record.moves[2].variations[0].moves[0].letter
(('Ama likes this.',), 'D')
>>> record.game().rules == oware.Rules.named("awari")
True
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from oware._replacing import replacing
from oware.records import _parse
from oware.records._moves import Move, RecordError, Variation
from oware.records._record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oware.records._parse import Source

__all__ = ["Move", "Record", "RecordError", "Variation", "read", "write"]

RecordError.__module__ = __name__


def read(source: Source) -> Iterator[Record]:
    """Read the records of a file or a text, one after the other.

    Only the record that is being read is in memory, so that a file may be of any size. What is read
    is what PGN calls its import format: any layout, several tags on a line, numbers of moves,
    comments from `;` to the end of the line, lines that begin with `%` left out. Moves may carry
    the seeds that they capture (`F+2`, as Aualé has it) and marks (`F!`, `F $3`). A record ends
    with its result or before the tags of the next one; without a result, it has that of its tag
    `Result`.

    Whether moves are legal is a question of the rules: `Record.game` and `Record.check` ask it, and
    tell the place too.

    Args:
        source: A path, as `pathlib.Path`, of a file in UTF-8; a file that is open as text; or the
            text itself, as a str.

    Returns:
        An iterator over the records. A file is opened when the first is asked for.

    Raises:
        TypeError: The source is none of these.
        OSError: The file cannot be read.
        RecordError: The text is no record: the error has line and column. Lines have at most 2**20
            characters, records 2**21, comments and values of tags 100,000, and variations lie at
            most 32 deep within each other.

    Example:
        >>> from oware.records import read
        >>> for record in read('[South "Ama"] FfEe 1-0  [South "Kofi"] AbC *'):
        ...     print(record.tags["South"], record.transcript, record.points)
        Ama FfEe (1.0, 0.0)
        Kofi AbC None
        >>> next(read("Ff (Ed"))
        Traceback (most recent call last):
        oware.records.RecordError: line 1, column 4: this variation is never closed
    """
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "readline"):
        kind = type(source).__name__
        raise TypeError(f"source must be a path, an open text file or a str, not {kind}")
    return _parse.records(source)


def write(records: Iterable[Record], target: os.PathLike[str] | TextIO) -> int:
    """Write records to a file, as `read` reads them again.

    The tags that PGN wants stand first, each on its line; then an empty line, the moves in lines of
    up to 79 characters; between records, an empty line. Records are written as they come, so that
    an iterator may give more than memory holds.

    A path gets a new file or keeps its old one: the records go into a file beside it, which takes
    its place when all have been written.

    Args:
        records: The records.
        target: A path, as `pathlib.Path`, of a file that will be in UTF-8; or a file that is open
            as text.

    Returns:
        How many records were written.

    Raises:
        TypeError: The target is neither, or something is no record.
        OSError: The file cannot be written.

    Example:
        >>> import io
        >>> from oware.records import Move, Record, read, write
        >>> file = io.StringIO()
        >>> first = Record({"South": "Ama"}, Move.line("FfEe"))
        >>> write([first, Record(moves=Move.line("AbC"), result="0-1")], file)
        2
        >>> print(file.getvalue())
        [South "Ama"]
        <BLANKLINE>
        FfEe *
        <BLANKLINE>
        AbC 0-1
        <BLANKLINE>
        >>> [record.transcript for record in read(file.getvalue())]
        ['FfEe', 'AbC']
    """
    if isinstance(records, Record):
        raise TypeError("records must be an iterable of records: give [record]")
    if isinstance(target, str):
        raise TypeError("target must be a pathlib.Path or an open text file, not a str")
    if not isinstance(target, os.PathLike):
        if not hasattr(target, "write"):
            kind = type(target).__name__
            raise TypeError(f"target must be a pathlib.Path or an open text file, not {kind}")
        return _write(records, target)
    # Through a link, as writing goes.
    path = Path(os.path.realpath(target))
    if path.exists() and not path.is_file():
        # A pipe or a device is no file to be replaced; a folder is refused here.
        with path.open("w", encoding="utf-8", newline="\n") as file:
            return _write(records, file)
    with replacing(path) as file:
        return _write(records, file)


def _write(records: Iterable[Record], file: TextIO) -> int:
    count = 0
    for record in records:
        if not isinstance(record, Record):
            raise TypeError(f"records[{count}] must be a Record, not {type(record).__name__}")
        file.write(f"\n{record}\n" if count else f"{record}\n")
        count += 1
    return count
