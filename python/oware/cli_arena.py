"""The command `oware arena`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations.
from typing import TYPE_CHECKING, Annotated

import typer

from oware import arena as its
from oware._figures import save_picture
from oware.agents import MAX_PLIES
from oware.arena import MOVE_TIME, PLIES
from oware.cli_files import check_picture
from oware.cli_options import NamedRules, own_module_allowed

if TYPE_CHECKING:
    from oware.arena import Results

__all__ = ["arena"]

FEW = 5  # Games lost by forfeit that are told one by one.


def arena(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER...",
            help="At least two: novice, amateur, strong, master, random, greedy, minimax:DEPTH,"
            " mcts:SIMULATIONS, net:PATH[@SIMULATIONS], python:MODULE:NAME for a policy of your"
            " own, or uci:COMMAND for an engine.",
        ),
    ],
    games: Annotated[int, typer.Option(min=2, help="Games of each pair, an even number.")] = 100,
    rules: NamedRules = "abapa",  # type: ignore[assignment]
    openings: Annotated[
        int, typer.Option(min=0, max=100, help="Random plies from which a pair plays two games.")
    ] = PLIES,
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Only the first player meets the others.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of openings and players.")] = 0,
    move_time: Annotated[
        float, typer.Option(min=0.001, help="Seconds a move of an engine.")
    ] = MOVE_TIME,
    max_plies: Annotated[
        int, typer.Option(min=1, max=100_000, help="Where a game is cut off, and counts half.")
    ] = MAX_PLIES,
    anchor: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Whose rating is 0; else the mean.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep every game here, and go on with what is there."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw a picture here (extra arena).")
    ] = None,
    progress: Annotated[bool, typer.Option(help="Show a bar.")] = True,
) -> None:
    """Let players play against each other, every opening from both seats.

    An engine that crashes, is silent or cheats loses that game, and the tournament goes on. Ctrl-C
    ends it with a table of the games so far; with --out, the same command goes on with the rest.
    """
    if anchor is not None and anchor not in players:
        raise typer.BadParameter(f"--anchor {anchor}: it is none of {', '.join(players)}")
    check_picture(plot, "arena")
    for name in players:
        own_module_allowed(name)
    try:
        results = its.tournament(
            players,
            games,
            rules=rules,
            openings=openings,
            gauntlet=gauntlet,
            seed=seed,
            path=out,
            max_plies=max_plies,
            move_time=move_time,
            progress=progress,
        )
    except KeyboardInterrupt:
        if out is None:
            typer.echo("Stopped; give --out FILE to keep the games.", err=True)
        else:
            # There is none where it is stopped before it has begun.
            kept = its.load(out) if out.is_file() else None
            if kept is not None and len(kept.games):
                show(kept, anchor)
            pairs = len(players) - 1 if gauntlet else len(players) * (len(players) - 1) // 2
            typer.echo(
                f"Stopped with {0 if kept is None else len(kept.games)} of {pairs * games} games "
                "kept; the same command goes on from there.",
                err=True,
            )
        raise typer.Exit(130) from None
    except (OSError, RuntimeError, ValueError) as error:
        typer.echo(f"Error: {error}", err=True)
        # What is wrong with a file begins with its name; any other value is one of the arguments.
        argument = isinstance(error, ValueError) and not str(error).startswith(str(out))
        raise typer.Exit(2 if argument else 1) from None
    show(results, anchor)
    if plot is not None:
        draw(results, anchor, plot)


def show(results: Results, anchor: str | None) -> None:
    """Print the tables, and who has lost by forfeit."""
    typer.echo(results.table(anchor))
    told = results.forfeits()
    for row in told[:FEW]:
        typer.echo(
            f"game {row['game']}: {row['player']} loses to {row['opponent']}: {row['reason']}"
        )
    if len(told) > FEW:
        typer.echo(f"and {len(told) - FEW} more games by forfeit")


def draw(results: Results, anchor: str | None, path: Path) -> None:
    """Draw the picture into a file."""
    try:
        save_picture(results.plot(anchor), path)
    except (OSError, ValueError) as error:
        typer.echo(f"Error: no picture: {error}", err=True)
        raise typer.Exit(1) from None
