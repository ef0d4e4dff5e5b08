"""The command `oware train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from oware.agents import evaluate
from oware.cli_options import NamedRules, told_plainly
from oware.train import Settings

__all__ = ["train"]

MINUTES = 30.0
OPPONENTS = ("random", "greedy", "minimax:2", "minimax:4")
GAMES = 400
DEFAULTS = Settings()
# The settings that are numbers and have no option of their own.
OTHERS = sorted(
    name
    for name, value in vars(DEFAULTS).items()
    if isinstance(value, int | float) and name not in {"seed", "games", "simulations", "endgame"}
)


def widths(text: str) -> tuple[int, ...]:
    """The widths of layers that were typed."""
    try:
        return tuple(int(width) for width in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"{text!r} are no widths; give such as 256,128") from None


def setting(text: str) -> tuple[str, Any]:
    """The name and the number of a setting that was typed."""
    name, _, number = text.partition("=")
    if name not in OTHERS:
        raise typer.BadParameter(f"--set {text}: known are {', '.join(OTHERS)}")
    kind = type(getattr(DEFAULTS, name))
    try:
        return name, kind(number)
    except ValueError:
        wanted = "an integer" if kind is int else "a number"
        raise typer.BadParameter(f"--set {text}: {name} is {wanted}") from None


def train(
    minutes: Annotated[
        float | None,
        typer.Option(min=0, help="How long, with what went before.", show_default=f"{MINUTES:g}"),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=0, help="How many iterations, instead of --minutes.")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The run: made, or gone on with.")
    ] = Path("oware-run"),
    rules: NamedRules = "abapa",  # type: ignore[assignment]
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything.")] = DEFAULTS.seed,
    hidden: Annotated[
        str, typer.Option(metavar="WIDTHS", help="Widths of the network's layers.")
    ] = ",".join(map(str, DEFAULTS.hidden)),
    games: Annotated[int, typer.Option(min=2, help="Games of an iteration.")] = DEFAULTS.games,
    simulations: Annotated[
        int, typer.Option(min=1, help="Simulations of a move.")
    ] = DEFAULTS.simulations,
    endgame: Annotated[
        int, typer.Option(min=0, max=24, help="Up to how many seeds positions are solved.")
    ] = DEFAULTS.endgame,
    other: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=NUMBER",
            help="Another setting, as oware.train.Settings has it, such as passes=3; any number.",
        ),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A run whose examples a new one learns first."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads.")] = 1,
    device: Annotated[str, typer.Option(help="Where gradients are computed: cpu, cuda.")] = "cpu",
    progress: Annotated[bool, typer.Option(help="Show a bar.")] = True,
) -> None:
    """Train a network by self-play, as AlphaZero does.

    Ctrl-C stops after the last whole iteration; the same command goes on from there. The network is
    a player of the name that is told at the end.
    """
    if minutes is not None and iterations is not None:
        raise typer.BadParameter("give --minutes or --iterations, not both")
    layers, others = widths(hidden), dict(setting(text) for text in other or ())
    try:
        from oware.train import Trainer
    except ImportError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(1) from None
    with told_plainly():
        settings = Settings(
            rules=rules,
            seed=seed,
            hidden=layers,
            games=games,
            simulations=simulations,
            endgame=endgame,
            **others,
        )
        try:
            trainer = Trainer(out, settings, device=device, num_threads=threads, teacher=teacher)
        except RuntimeError as error:  # PyTorch's of a device that is not there.
            raise ValueError(str(error).partition("\n")[0]) from None
        length = None if iterations is not None else MINUTES if minutes is None else minutes
        try:
            trainer.run(iterations=iterations, minutes=length, progress=progress)
        except KeyboardInterrupt:
            typer.echo("Stopped; the same command goes on after the last iteration.", err=True)
            raise typer.Exit(130) from None
    name = f"net:{out / 'network.safetensors'}"
    typer.echo(f"{trainer.iteration} iterations, {trainer.games:,} games. The network alone:")
    for opponent in OPPONENTS:
        typer.echo(f"against {opponent}\n{evaluate(name, opponent, GAMES, rules=rules, seed=1)}")
    typer.echo(f"The player: {name}, with a search: {name}@200")
