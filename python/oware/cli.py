"""The command `oware`, also run by `python -m oware`."""

from __future__ import annotations

import enum
import os
import sys
import time
from pathlib import Path  # noqa: TC003 - Typer reads the annotations.
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup

from oware import (
    RULE_SETS,
    Game,
    Rules,
    __version__,
    cli_endgame,
    cli_history,
    cli_records,
    cpu_features,
    perft,
)
from oware.cli_arena import arena
from oware.cli_files import check_folder, check_picture
from oware.cli_options import NamedRules, rule_set
from oware.cli_play import play
from oware.cli_show import analyse, show
from oware.cli_train import train
from oware.cli_uci import uci
from oware.demo import STEPS, UPDATE
from oware.demo import run as run_demo

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

COMMANDS: Final = (
    "play",
    "history",
    "show",
    "analyse",
    "analyze",
    "records",
    "rules",
    "arena",
    "train",
    "endgame",
    "uci",
    "demo",
    "perft",
    "bench",
)
"""The order in which they are listed: for who plays, who studies games, who makes players."""


class InOrder(TyperGroup):
    """Commands and groups of commands in the order of `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401
        """The names of all."""
        return sorted(super().list_commands(ctx), key=COMMANDS.index)


app = typer.Typer(
    name="oware",
    cls=InOrder,
    help="The board game Oware: play in the terminal, keep and analyse games, hold tournaments,"
    " train networks, solve endgames.",
    no_args_is_help=True,
    # Plain text, the same whether or not it is read in a terminal.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

app.add_typer(cli_endgame.app, name="endgame")
app.add_typer(cli_history.app, name="history")
app.add_typer(cli_records.app, name="records")
app.command()(play)
app.command()(show)
app.command()(analyse)
app.command("analyze", hidden=True)(analyse)
app.command()(arena)
app.command()(train)
app.command()(uci)

THREADS = "OPENBLAS_NUM_THREADS"


class ClockName(str, enum.Enum):
    """What times a benchmark."""

    WALL = "wall"
    CPU = "cpu"


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        typer.echo(f"oware {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command()
def demo(
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Seed of the agent and its training.")
    ] = 0,
    steps: Annotated[int, typer.Option(min=UPDATE, help="Moves of the agent in training.")] = STEPS,
) -> None:
    """Train an agent and show how it plays, before and after."""
    if os.name == "posix" and THREADS not in os.environ:
        # numpy has read the variable when it was loaded: only a fresh process goes by it. On more
        # threads a busy machine spends most of the training waiting, and sums come out otherwise.
        again = [sys.executable, "-m", "oware", "demo", f"--seed={seed}", f"--steps={steps}"]
        os.execve(sys.executable, again, {**os.environ, THREADS: "1"})  # noqa: S606
    run_demo(seed=seed, steps=steps)


@app.command()
def rules(
    name: Annotated[
        Rules | None, typer.Argument(parser=rule_set, metavar="NAME", help="A rule set.")
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Show in what two rule sets differ."),
    ] = None,
) -> None:
    """List the rule sets, describe one, or compare two."""
    if diff is not None and name is not None:
        raise typer.BadParameter("give a name or --diff, not both")
    if diff is not None:
        differences = rule_set(diff[0]).diff(rule_set(diff[1]))
        width = max(map(len, differences), default=0)
        for field, (one, other) in differences.items():
            typer.echo(f"{field:{width}}  {one} | {other}")
        if not differences:
            typer.echo(f"{diff[0]} and {diff[1]} have the same rules.")
    elif name is not None:
        typer.echo(name.describe())
    else:
        default = Rules()
        for known, its_rules in RULE_SETS.items():
            fields = [f"{field}={its}" for field, (_, its) in default.diff(its_rules).items()]
            same = "the default" if known == "abapa" else "as abapa"
            typer.echo(f"{known:12}{', '.join(fields) or same}")


@app.command("perft")
def count(
    depth: Annotated[int, typer.Argument(min=0, max=1000, help="Plies from the start.")],
    rules: NamedRules = "abapa",  # type: ignore[assignment]
) -> None:
    """Count the ways to play on from the start, a line for each number of plies."""
    for plies in range(depth + 1):
        start = time.perf_counter()
        lines = perft(Game(rules), plies)
        typer.echo(f"{plies:3} {lines:20} {time.perf_counter() - start:10.3f} s")


@app.command()
def bench(
    rounds: Annotated[
        int | None, typer.Option(min=2, show_default="15", help="Rounds, each of every row.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few seconds in all: shows that it works, no more.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Rows whose name has this in it; again for more."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="Show the names, do nothing.")] = False,
    kernel: Annotated[
        str | None, typer.Option(metavar="NAME", help="One of oware.cpu_features() for all.")
    ] = None,
    clock: Annotated[
        ClockName, typer.Option(help="Clock of the figures; the JSON has both.")
    ] = ClockName.WALL,
    peers: Annotated[bool, typer.Option(help="Measure other libraries, too.")] = True,
    json: Annotated[Path | None, typer.Option(help="Write every sample here.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the tables here.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw a picture here (extra notebooks).")
    ] = None,
) -> None:
    """Measure how fast oware is on this machine.

    A round times every row once, one after the other, so that a busy machine slows all of them
    alike; shown are the medians of the rounds and their quartiles, and medians of ratios within
    rounds. Actions are drawn uniformly from the legal ones outside the clock, after a warm-up of
    1,000 plies. A step is put beside a copy of as many bytes as it writes, and beside OpenSpiel,
    EnvPool and Pgx in the same process where they are installed. Ctrl-C ends it with what it has.

    Figures of a busy machine are too low; the ratios hold, and --clock cpu counts only the time
    that the thread had.
    """
    # It is no part of playing.
    from oware import bench as its
    from oware.bench import plot as drawing

    scale = its.QUICK if quick else its.FULL
    plan = its.plan(scale, with_peers=peers)
    if only:
        try:
            plan = plan.only(only)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None
    if kernel is not None and kernel not in cpu_features():
        known = ", ".join(cpu_features())
        raise typer.BadParameter(f"--kernel {kernel}: this machine has {known}")
    check_picture(plot, "notebooks")
    for path in (json, markdown):
        check_folder(path)
    if listing:
        typer.echo("\n".join(plan.keys))
        return

    results = its.run(plan, rounds=rounds or scale.rounds, kernel=kernel)
    typer.echo(its.as_text(results, clock.value))
    if json is not None:
        json.write_text(its.as_json(results) + "\n", encoding="utf-8")
    if markdown is not None:
        markdown.write_text(its.as_markdown(results, clock.value) + "\n", encoding="utf-8")
    if plot is not None:
        drawing.plot(results, plot, clock.value)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit.

    Args:
        arguments: What follows the command's name; None for that of this process.

    Raises:
        SystemExit: Always: 0 when all went well, 1 when something failed or the output could not be
            written, 2 when the arguments make no sense.

    Example:
        >>> main(["rules", "--diff", "open_spiel", "auale"])
        Traceback (most recent call last):
        SystemExit: 0
    """
    try:
        app(args=arguments, prog_name="oware")
    except OSError as error:
        sys.exit(f"oware: {error}")
