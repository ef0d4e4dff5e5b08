"""The command `oware history`: the games that were played in the terminal, and how well."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - Typer reads the annotations.
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from oware import Rules, _kept, replay
from oware.cli_files import check_folder, write_text
from oware.cli_options import told_plainly
from oware.cli_show import (
    PLAIN_WIDTH,
    Depth,
    MoveTime,
    Ply,
    heading,
    print_boards,
    print_review,
    reviewed,
    title,
)

if TYPE_CHECKING:
    from oware.arena import Rung
    from oware.records import Record

__all__ = ["STRENGTHS", "app", "rating"]

app = typer.Typer(rich_markup_mode=None)

STRENGTHS: Final = {
    "random": (989, 33),
    "greedy": (1500, 1),
    "minimax:1": (1677, 24),
    "minimax:2": (2153, 24),
    "minimax:3": (2390, 28),
    "minimax:4": (2517, 25),
    "minimax:5": (2625, 27),
    "minimax:6": (2714, 26),
    "minimax:7": (2821, 29),
    "minimax:8": (2919, 28),
    "minimax:10": (3104, 32),
    "minimax:12": (3253, 35),
    "novice": (1979, 23),
    "amateur": (2552, 25),
    "strong": (2871, 28),
    "master": (3523, 45),
}
"""Ratings of players by name under the rules `abapa`, and the standard deviations of these.

Measured by `scripts/measure_players.py ratings`; the scale has 1500 for `greedy`.
"""
SEATS: Final = ("South", "North")
HELP: Final = ("Hints", "TakenBack", "Loaded")
"""The tags of a game with help."""

Number: TypeAlias = Annotated[
    int | None,
    typer.Argument(min=1, metavar="N", help="The number in the list; by default the last game."),
]


@app.callback(invoke_without_command=True)
def history(context: typer.Context) -> None:
    """List the games that you have played in the terminal, and your rating.

    The rating is Glicko-2's, from games by the rules abapa, from the start, without hints and with
    no move taken back, against opponents whose strength has been measured: those with a rating in
    the list. It has 1500 for greedy, and needs the extra arena.
    """
    if context.invoked_subcommand is not None:
        return
    with told_plainly():
        games, waiting = _kept.games(), _kept.unfinished()
    if games:
        print_games(games)
        typer.echo(told_rating(games))
    else:
        typer.echo("No game has been played to its end; oware play begins one.")
    if waiting is not None:
        typer.echo(f"A game waits, {title(waiting)}: oware play --resume goes on with it.")


@app.command()
def show(number: Number = None, ply: Ply = None) -> None:
    """Show a game board by board."""
    with told_plainly():
        number, record = game(number)
        typer.echo(heading(number, record))
        print_boards(_kept.games_path(), record, None, ply)


@app.command()
def review(
    number: Number = None,
    depth: Depth = None,
    time: MoveTime = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write a page with a slider and the ratings, too."),
    ] = None,
) -> None:
    """Rate the moves of a game by the seeds that they gave up."""
    check_folder(html)
    with told_plainly():
        number, record = game(number)
        typer.echo(heading(number, record))
        found = reviewed(_kept.games_path(), record, None, depth, time)
        print_review(found)
        if html is not None:
            write_text(html, str(replay(record, review=found, title=title(record))))
            typer.echo(f"{html}: {len(record.moves)} moves")


def game(number: int | None) -> tuple[int, Record]:
    """The game of a number, or the last one, with its number."""
    games = _kept.games()
    if not games:
        raise ValueError("no game has been played to its end; oware play begins one")
    if number is not None and number > len(games):
        count = "1 game" if len(games) == 1 else f"{len(games)} games"
        raise typer.BadParameter(f"{number}: there is {count}")
    number = number or len(games)
    return number, games[number - 1]


def print_games(games: list[Record]) -> None:
    """Print a table of games."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Game", justify="right")
    for name in ("Date", "Opponent", "Seat", "Result"):
        table.add_column(name, no_wrap=True)
    table.add_column("Moves", justify="right")
    table.add_column("Help")
    styles = {"won": "green", "lost": "red"}
    for number, record in enumerate(games, 1):
        seat, result = person(record), outcome(record)
        opponent = record.tags.get(SEATS[1 - seat], "?") if seat is not None else title(record)
        if opponent in STRENGTHS:
            opponent += f" ({STRENGTHS[opponent][0]})"
        table.add_row(
            str(number),
            Text(record.tags.get("Date", "?")),
            Text(opponent),
            "?" if seat is None else SEATS[seat],
            Text(result, styles.get(result, "")),
            str(len(record.moves)),
            told_help(record),
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)


def person(record: Record) -> int | None:
    """Where the person sat; None where the tags do not tell."""
    types = [record.tags.get(f"{seat}Type") for seat in SEATS]
    return types.index("human") if types.count("human") == 1 else None


def outcome(record: Record) -> str:
    """How a game went for the person."""
    seat, points = person(record), record.points
    if points is None:
        return "unfinished"
    if seat is None:
        return record.result
    return {0.0: "lost", 0.5: "draw", 1.0: "won"}[points[seat]]


def told_help(record: Record) -> str:
    """What help the person had."""
    told = []
    if "Loaded" in record.tags:
        told.append("loaded")
    for tag, one, more in (("Hints", "hint", "hints"), ("TakenBack", "taken back", "taken back")):
        if tag in record.tags:
            count = record.tags[tag]
            told.append(f"{count} {one if count == '1' else more}")
    return ", ".join(told)


def is_rated(record: Record) -> bool:
    """Whether a game counts for the person's rating."""
    seat = person(record)
    if seat is None or record.points is None or "FEN" in record.tags:
        return False
    if any(tag in record.tags for tag in HELP) or record.tags[SEATS[1 - seat]] not in STRENGTHS:
        return False
    try:
        return record.rules == Rules()
    except ValueError:
        return False


def rating(games: list[Record]) -> tuple[Rung, int]:
    """The person's rating after the games that count, and how many these are.

    Opponents stay at their own ratings, as they do not change.

    Raises:
        ModuleNotFoundError: The library of the ladder is missing.
    """
    from oware.arena import Ladder, Rung

    you, count = Rung(), 0
    for record in filter(is_rated, games):
        seat, points = person(record), record.points
        assert seat is not None and points is not None  # noqa: PT018, S101 - It is rated.
        strength, deviation = STRENGTHS[record.tags[SEATS[1 - seat]]]
        ladder = Ladder({"you": you, "opponent": Rung(strength, deviation)})
        names = ("you", "opponent") if seat == 0 else ("opponent", "you")
        ladder.record(*names, None if points[0] == 0.5 else int(points[1]))
        you = ladder.rungs["you"]
        count += 1
    return you, count


def told_rating(games: list[Record]) -> str:
    """The person's rating in a line."""
    try:
        you, count = rating(games)
    except ModuleNotFoundError:
        return 'For your rating: pip install "oware[arena]"'
    if count == 0:
        return "No rating yet: no game counts for one (oware history --help)."
    low, high = you.interval
    return (
        f"Your rating: {you.rating:.0f}, with 95 % confidence {low:.0f} to {high:.0f}, "
        f"after {count} rated {'game' if count == 1 else 'games'}."
    )
