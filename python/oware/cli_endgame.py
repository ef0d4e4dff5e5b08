"""The commands `oware endgame build`, `stats` and `probe`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from oware import Endgame, Game, NotationError
from oware.cli_options import NamedRules, told_plainly
from oware.endgame import cache_path

if TYPE_CHECKING:
    from oware import Rules

__all__ = ["app"]

app = typer.Typer(
    help="Exact values of positions with few seeds: build a database, ask it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SEEDS = 12  # What `Endgame.load` takes by default.
SAMPLE = 9  # Seeds of a database that is built to see how fast this machine is.
SLOWER = 1.5  # What a position takes in a database that no cache holds, in terms of the sample's.

DatabasePath: TypeAlias = Annotated[
    Path | None,
    typer.Option("--path", metavar="FILE", help="The database; by default in your cache folder."),
]
Threads: TypeAlias = Annotated[
    int | None,
    typer.Option("--threads", min=1, max=1024, help="Threads; by default one a processor."),
]
Seeds: TypeAlias = Annotated[int, typer.Option(min=0, max=Endgame.MOST_SEEDS, help="Most seeds.")]


@app.command()
def build(
    seeds: Seeds = SEEDS,
    rules: NamedRules = "awari",  # type: ignore[assignment]
    path: DatabasePath = None,
    threads: Threads = None,
) -> None:
    """Build a database, or go on with one that was stopped."""
    with told_plainly():
        database = built(seeds, rules, path or cache_path(seeds, rules), threads)
    typer.echo(f"{database.path}: {database.max_seeds} seeds, for {for_whom(database)}")


@app.command()
def stats(
    seeds: Seeds = SEEDS,
    rules: NamedRules = "awari",  # type: ignore[assignment]
    path: DatabasePath = None,
    histogram: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Show how many boards of N seeds have each value."),
    ] = None,
) -> None:
    """Count the positions that the mover wins, draws and loses."""
    with told_plainly():
        database = found(seeds, rules, path)
        if histogram is not None:
            for value, count in database.statistics(histogram)["histogram"].items():
                typer.echo(f"{value:5}{count:15}")
            return
        typer.echo(f"seeds{'win':>15}{'draw':>15}{'loss':>15}")
        for level in range(1, database.max_seeds + 1):
            counts = database.statistics(level)
            columns = (counts["win"], counts["draw"], counts["loss"])
            typer.echo(f"{level:5}" + "".join(f"{count:15}" for count in columns))


@app.command()
def probe(
    position: Annotated[
        str,
        typer.Argument(
            metavar="POSITION", help="12 pits, or 12 pits, two stores and S or N, joined by dashes."
        ),
    ],
    rules: NamedRules = "awari",  # type: ignore[assignment]
    path: DatabasePath = None,
) -> None:
    """Show the value of a position and of its moves, and best play."""
    text = f"{position}-0-0-S" if position.count("-") == 11 else position
    try:
        game = Game.from_string(text, rules)
    except NotationError as error:
        raise typer.BadParameter(str(error)) from None
    with told_plainly():
        database = found(max(SEEDS, sum(game.pits)), rules, path)
        value = database.value(game)
        values = database.move_values(game)
        line = database.best_line(game)
    letters = ("ABCDEF", "abcdef")
    typer.echo(f"{game}\nvalue {value}")
    for move, worth in values.items():
        best = "  best" if worth == value else ""
        typer.echo(f"  {letters[game.to_move][move]} {worth:3}{best}")
    if line:
        seats = (game.to_move, 1 - game.to_move)
        moves = (letters[seats[ply % 2]][move] for ply, move in enumerate(line))
        typer.echo(f"line {''.join(moves)}")


def found(seeds: int, rules: Rules, path: Path | None) -> Endgame:
    """The database of a path, or one from the cache that has enough seeds."""
    if path is not None:
        return Endgame.open(path)
    for reach in range(seeds, Endgame.MOST_SEEDS + 1):
        if cache_path(reach, rules).exists():
            return Endgame.load(reach, rules)
    if seeds > SEEDS:
        raise ValueError(
            f"there is no database of {seeds} seeds for these rules; build it with "
            f"`oware endgame build --seeds {seeds}`"
        )
    return built(seeds, rules, cache_path(seeds, rules), None)


def built(seeds: int, rules: Rules, path: Path, threads: int | None) -> Endgame:
    """A database, built with a word about what that takes, unless it is there."""
    if not path.exists():
        cost = Endgame.cost(seeds)
        start = time.perf_counter()
        sample = Endgame.build(SAMPLE, rules, num_threads=threads, progress=False)
        pace = (time.perf_counter() - start) / Endgame.cost(sample.max_seeds).boards
        typer.echo(
            f"{cost.boards:,} positions: {size(cost.file)} on disk, {size(cost.memory)} of memory "
            f"while they are solved, about {duration(cost.boards * pace * SLOWER)}",
            err=True,
        )
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return Endgame.build(seeds, rules, path, threads)
    except KeyboardInterrupt:
        typer.echo("Stopped; the same command goes on after the last whole level.", err=True)
        raise typer.Exit(130) from None


def for_whom(database: Endgame) -> str:
    """The rules that a database is for."""
    fields = (f"{field}={value}" for field, value in database.key.items())
    return ", ".join(database.rule_sets or fields)


def size(count: int) -> str:
    """A number of bytes in the unit that suits it."""
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            break
        amount /= 1024
    return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"


def duration(seconds: float) -> str:
    """A length of time in the unit that suits it."""
    if seconds < 100:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
