"""The command `oware play`: a game in the terminal."""

from __future__ import annotations

import enum
import io
import random
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path  # noqa: TC003 - Typer reads the annotations.
from typing import TYPE_CHECKING, Annotated

import typer

from oware import Game, Rules, _kept
from oware._found import PYTHON
from oware.cli_files import check_target, game_of, records_of
from oware.cli_options import (
    NamedOpponent,
    player_of,
    rule_set,
    rule_sets_beginning,
    told_plainly,
)
from oware.cli_table import SEATS, Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from oware.records import Record

__all__ = ["play"]


class Seat(str, enum.Enum):
    """Where a person sits."""

    SOUTH = "south"
    NORTH = "north"
    RANDOM = "random"


def play(
    opponent: NamedOpponent = None,
    seat: Annotated[
        Seat | None, typer.Option(help="Where you sit; South opens.", show_default="south")
    ] = None,
    rules: Annotated[
        Rules | None,
        typer.Option(
            parser=rule_set,
            metavar="NAME",
            help="A rule set.",
            show_default="abapa",
            autocompletion=rule_sets_beginning,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the opponent, for the same game again.")
    ] = None,
    hints: Annotated[int, typer.Option(min=0, max=1000, help="How many hints you get.")] = 3,
    load: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Go on with the last game of a file of records."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the game there when it ends or is left."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the game that you left last.")
    ] = False,
) -> None:
    """Play a game in the terminal.

    A letter plays a pit; hint, threats, explain, undo, save FILE, resign, help and quit do what
    they say. Games that end are kept, see `oware history`; one that is left waits for --resume.
    """
    if resume and load is not None:
        raise typer.BadParameter("give --load or --resume, not both")
    if resume and rules is not None:
        raise typer.BadParameter("--rules: the game that --resume goes on with has its own")
    if save is not None:
        check_target(save, load)
    with told_plainly():
        table = seated(opponent, seat, rules, seed, hints, load, resume=resume)
    table.file = save
    if isinstance(sys.stdin, io.TextIOWrapper):
        # What cannot be read as text is no move, but no reason to end the game either.
        sys.stdin.reconfigure(errors="replace")
    typer.echo("A letter plays that pit; help tells what else there is, quit leaves.")
    if not resume and load is None and _kept.unfinished_path().exists():
        typer.echo("A game that you left is waiting: oware play --resume goes on with it.")
    with hanging_up_interrupts():
        table.play()


def seated(
    opponent: str | None,
    seat: Seat | None,
    rules: Rules | None,
    seed: int | None,
    hints: int,
    load: Path | None,
    *,
    resume: bool,
) -> Table:
    """The table as the options have it, with a new game or an old one."""
    record = None
    if resume:
        record = _kept.unfinished()
        if record is None:
            raise ValueError("no game is waiting; oware play begins one")
    elif load is not None:
        record = last_record(load)
    if record is None:
        chosen = seat or Seat.SOUTH
        person = random.Random(seed).randrange(2) if chosen is Seat.RANDOM else index(chosen)
        return Table(Game(rules or Rules()), opponent or "greedy", person, seed, hints)

    path = load or _kept.unfinished_path()
    game = game_of(path, record, rules)
    if game.is_over or record.result != "*":
        raise ValueError(f"{path}: the game is over; oware show {path} shows it")
    types = types_of(record)
    if seat is None or seat is Seat.RANDOM:
        person = types.index("human") if types.count("human") == 1 else game.to_move
    else:
        person = index(seat)
    opponent = opponent or opponent_of(path, record, person, resume=resume)
    table = Table(game, opponent, person, seed, hints)
    if resume:
        table.date = record.tags.get("Date", table.date)
        table.hints_used = count(record, "Hints")
        table.taken_back = count(record, "TakenBack")
        table.loaded = "Loaded" in record.tags
        table.before = record
    else:
        table.loaded = True
    return table


def opponent_of(path: Path, record: Record, person: int, *, resume: bool) -> str:
    """The player that a person in a seat goes on against, as the record has it."""
    types = types_of(record)
    swapped = types[1 - person] == "human"
    # Who goes on in the other seat has the same player against them, if there was one.
    its = record.tags.get(SEATS[person if swapped else 1 - person], "")
    if swapped and types[person] == "human":
        its = ""
    if not resume and its.startswith(PYTHON):
        # A file may come from anywhere, and a name in it would be code that runs here.
        raise ValueError(f"{path}: the opponent is {its}: give --opponent {its}, if you trust it")
    # A network or a module that is not there any more has no substitute, but "?" is nobody.
    named = its.startswith(("net:", PYTHON)) or (resume and not swapped and its not in ("", "?"))
    return (player_of(its) if named else known(its)) or "greedy"


def types_of(record: Record) -> list[str | None]:
    """Whether a person or a program sat in South's and in North's seat, where a record tells."""
    return [record.tags.get(f"{name}Type") for name in SEATS]


def index(seat: Seat) -> int:
    """The number of South's or North's seat."""
    return int(seat is Seat.NORTH)


def known(name: str) -> str | None:
    """The player of a name in a record, if it is one of ours."""
    try:
        return player_of(name)
    except typer.BadParameter:
        return None


def count(record: Record, tag: str) -> int:
    """A number in a tag of ours; 0 where there is none."""
    text = record.tags.get(tag, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def last_record(path: Path) -> Record:
    """The last record of a file."""
    last = None
    for record in records_of(path):
        last = record
    if last is None:
        raise ValueError(f"{path}: there is no game in it")
    return last


@contextmanager
def hanging_up_interrupts() -> Iterator[None]:
    """Let a terminal that is closed, or a process that is told to end, leave as Ctrl-C does."""

    def interrupt(_: int, frame: FrameType | None) -> None:  # noqa: ARG001
        raise KeyboardInterrupt

    before = {}
    # Python lets no other thread say what a signal does.
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGHUP", "SIGTERM"):
            number = getattr(signal, name, None)
            # Who starts it may want a signal to do nothing, as `nohup` does.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
