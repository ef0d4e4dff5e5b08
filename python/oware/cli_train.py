"""The command `oware train`."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oware._unknown import unknown
from oware.agents import evaluate
from oware.cli_options import NamedRules, told_plainly
from oware.train import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware.train import RayGames, Trainer

__all__ = ["train"]

MINUTES = 30.0
OPPONENTS = ("random", "greedy", "minimax:2", "minimax:4")
GAMES = 400
SHARE = 64
"""Games that an actor plays at a time where nothing else is asked for."""
DEFAULTS = Settings()
# The settings that have an option of their own, and the others that are numbers.
OPTIONS = {"rules", "seed", "hidden", "games", "games_each", "simulations", "endgame"}
OTHERS = sorted(
    name
    for name, value in vars(DEFAULTS).items()
    if isinstance(value, int | float) and name not in OPTIONS
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
    if name in OPTIONS:
        option = f"--{name.replace('_', '-')}"
        raise typer.BadParameter(f"--set {text}: {name} has an option of its own: give {option}")
    if name not in OTHERS:
        raise typer.BadParameter(f"--set {text}: {unknown('setting', name, OTHERS)}")
    kind = type(getattr(DEFAULTS, name))
    try:
        return name, kind(number)
    except ValueError:
        wanted = "an integer" if kind is int else "a number"
        raise typer.BadParameter(f"--set {text}: {name} is {wanted}") from None


@contextmanager
def cluster(address: str | None, actors: int | None) -> Iterator[RayGames | None]:
    """What plays on the cluster that is asked for, if any is."""
    if address is None:
        yield None
        return
    try:
        from oware.train import RayGames
    except ImportError as error:
        raise ValueError(str(error)) from None
    with RayGames(actors, address=address) as play:
        yield play


def unmatched(trainer: Trainer, iterations: int) -> str | None:
    """A line about the best network where no other has played against it yet."""
    first = trainer.settings.gate_every
    if iterations >= first:
        return None
    learnt = "taught by the games of the teacher alone" if trainer.taught else "untrained"
    return (
        f"No match has been played yet, the first is after iteration {first}: network.safetensors "
        f"is the network of the start, {learnt}."
    )


def stopped(trainer: Trainer) -> Iterator[str]:
    """Lines about what a run keeps that was interrupted."""
    from oware.train import _stages

    iterations = _stages.kept(trainer.folder)
    if not iterations:
        yield "Stopped before the first iteration was over; nothing is kept."
        return
    amount = "1 iteration is" if iterations == 1 else f"{iterations:,} iterations are"
    yield f"Stopped; {amount} kept, and the same command goes on from there."
    if line := unmatched(trainer, iterations):
        yield line


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
    games_each: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How many of them are played in lockstep, 0 for all.",
            show_default=f"{DEFAULTS.games_each}; {SHARE} on a cluster",
        ),
    ] = None,
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
            help="Another of oware.train.Settings, such as passes=3; may be given again.",
        ),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A run whose examples a new one learns first."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads.")] = 1,
    device: Annotated[
        str, typer.Option(help="Where gradients are computed: cpu, cuda, cuda:N, mps.")
    ] = "cpu",
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Play on the Ray cluster of this address, auto for the one that runs here, local "
            "for one of this machine alone.",
        ),
    ] = None,
    actors: Annotated[
        int | None,
        typer.Option(
            min=1, help="Actors that play there.", show_default="one for each core of the cluster"
        ),
    ] = None,
    progress: Annotated[bool, typer.Option(help="Show a bar.")] = True,
) -> None:
    """Train a network by self-play, as AlphaZero does.

    Ctrl-C stops after the last whole iteration; the same command goes on from there. The network is
    a player of the name that is told at the end.
    """
    if minutes is not None and iterations is not None:
        raise typer.BadParameter("give --minutes or --iterations, not both")
    layers, others = widths(hidden), dict(setting(text) for text in other or ())
    if actors is not None and ray is None:
        raise typer.BadParameter("--actors play on a cluster: give --ray, --ray local for one here")
    if games_each is None:
        games_each = DEFAULTS.games_each if ray is None else SHARE
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
            games_each=games_each,
            simulations=simulations,
            endgame=endgame,
            **others,
        )
        length = None if iterations is not None else MINUTES if minutes is None else minutes
        with cluster(ray, actors) as play:
            trainer = Trainer(
                out, settings, device=device, num_threads=threads, teacher=teacher, play=play
            )
            before = trainer.iteration
            try:
                trainer.run(iterations=iterations, minutes=length, progress=progress)
            except KeyboardInterrupt:
                for line in stopped(trainer):
                    typer.echo(line, err=True)
                raise typer.Exit(130) from None
    if play is not None:
        typer.echo(
            f"Nodes that played: {len(play.played)}. Games lost with an actor, and played again: "
            f"{play.lost:,}."
        )
    if trainer.iteration == before and length is not None and trainer.seconds > 0:
        typer.echo(f"The run is {trainer.seconds / 60:.1f} minutes long already.")
    elif trainer.iteration == before > 0:
        typer.echo(f"The run has {before:,} iterations already.")
    if told := unmatched(trainer, trainer.iteration):
        typer.echo(told)
    name = f"net:{out / 'network.safetensors'}"
    typer.echo(f"{trainer.iteration} iterations, {trainer.games:,} games. The network alone:")
    for opponent in OPPONENTS:
        found = evaluate(
            name, opponent, GAMES, rules=rules, opening_plies=settings.opening_plies, seed=1
        )
        typer.echo(f"against {opponent}\n{found}")
    typer.echo(f"The player: {name}, with a search: {name}@200")
