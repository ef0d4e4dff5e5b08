"""The command `oware records check`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations.
from typing import TYPE_CHECKING, Annotated

import typer

from oware import Rules, records
from oware.cli_options import rule_set

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["app"]

app = typer.Typer(
    help="Game records in OGN, the Oware Game Notation.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def group() -> None:
    """Stay a group, whatever the number of commands."""


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of records.")],
    rules: Annotated[
        Rules | None,
        typer.Option(
            parser=rule_set, metavar="NAME", help="A rule set; by default each record's own."
        ),
    ] = None,
) -> None:
    """Check that records can be read, that moves are legal and results right.

    Every problem is told on a line with its file, line and column. The exit code is 1 if there is
    any. What follows a place that cannot be read is not looked at.
    """
    read = problems = 0
    for path in files:
        for found in checked(path, rules):
            read += found is None
            if found is not None:
                problems += 1
                typer.echo(f"{path}:{found}")
    what = "1 record" if read == 1 else f"{read} records"
    typer.echo(f"{what}, {problems or 'no'} problem{'' if problems == 1 else 's'}")
    if problems:
        raise typer.Exit(1)


def checked(path: Path, rules: Rules | None) -> Iterator[str | None]:
    """The problems of a file, and None for each record that could be read."""
    try:
        for record in records.read(path):
            yield None
            yield from map(told, record.check(rules))
    except records.RecordError as error:
        yield told(error)
    except OSError as error:
        yield f" {error.strerror}"


def told(problem: records.RecordError) -> str:
    """A problem after its place."""
    return f"{problem.line}:{problem.column}: {problem.reason}"
