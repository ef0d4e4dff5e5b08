"""The command `oware uci`."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path  # noqa: TC003 - Typer reads the annotations.
from typing import TYPE_CHECKING, Annotated

import typer

from oware import RULE_SETS
from oware.cli_options import rule_set
from oware.uci import LONGEST, SPINS, Engine

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["uci"]


def known(name: str) -> str:
    """The name of a rule set, if there is one."""
    rule_set(name)
    return name


def uci(
    rules: Annotated[
        str,
        typer.Option(parser=known, metavar="NAME", help=f"A rule set: {', '.join(RULE_SETS)}."),
    ] = "auale",
    endgame: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Endgame databases; the largest one for the rules is used."
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option(min=SPINS["Threads"][0], max=SPINS["Threads"][1], help="Threads.")
    ] = 1,
    hash_size: Annotated[
        int,
        typer.Option(
            "--hash", min=SPINS["Hash"][0], max=SPINS["Hash"][1], help="MiB of the search's table."
        ),
    ] = 16,
    move_overhead: Annotated[
        int,
        typer.Option(
            min=SPINS["MoveOverhead"][0],
            max=SPINS["MoveOverhead"][1],
            help="Milliseconds of each move's time to leave over.",
        ),
    ] = 20,
) -> None:
    """Be an engine for the Oware interface Aualé, and whoever speaks its dialect of UCI.

    Reads commands from standard input and answers on standard output, until quit or the end.
    """
    serve(
        rules=rules,
        endgame=endgame,
        threads=threads,
        hash_size=hash_size,
        move_overhead=move_overhead,
    )


def read_line(file: BinaryIO) -> str | None:
    """The next line, an empty one for one that is too long; None at the end."""
    line = file.readline(LONGEST)
    if not line:
        return None
    if len(line) == LONGEST and not line.endswith(b"\n"):
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST)
        return ""
    return line.decode("utf-8", "replace")


def serve(**options: object) -> None:
    """Answer standard input on standard output, until `quit` or its end."""
    # Without a buffer in between: none is left over at the end, when nobody listens any more.
    target = sys.stdout.fileno()
    lock = threading.Lock()
    heard = True

    def write(line: str) -> None:
        nonlocal heard
        data = line.encode("ascii", "backslashreplace") + b"\n"
        with lock:
            try:
                while heard and data:
                    data = data[os.write(target, data) :]
            except OSError:
                heard = False

    with Engine(write, **options) as engine, contextlib.suppress(KeyboardInterrupt):  # type: ignore[arg-type]
        while heard:
            line = read_line(sys.stdin.buffer)
            if line is None or not engine.answer(line):
                break
