"""The commands `oware show` and `oware analyse`: games of a file, move by move."""

from __future__ import annotations

import html as escaping
import json as plain
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from oware import Rules, analysis, render, replay
from oware.analysis import DEFAULT_DEPTH, Review
from oware.cli_files import check_folder, chosen, game_of, write_text
from oware.cli_options import rule_set, rule_sets_beginning, told_plainly

if TYPE_CHECKING:
    from oware._oware import Game
    from oware.records import Record

__all__ = [
    "Depth",
    "MoveTime",
    "Ply",
    "analyse",
    "heading",
    "print_boards",
    "print_review",
    "reviewed",
    "show",
]

SEATS: Final = ("South", "North")
STYLES: Final = {
    "best": "green",
    "good": "",
    "inaccuracy": "yellow",
    "mistake": "bold yellow",
    "blunder": "bold red",
}
PLAIN_WIDTH: Final = 160
"""The most characters of a line of a table that goes to a file or a pipe."""

File: TypeAlias = Annotated[Path, typer.Argument(metavar="FILE", help="A file of records in OGN.")]
Number: TypeAlias = Annotated[
    int | None, typer.Option("--game", min=1, metavar="N", help="Only the N-th game of the file.")
]
Ply: TypeAlias = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="Only the board after N moves.")
]
OwnRules: TypeAlias = Annotated[
    Rules | None,
    typer.Option(
        "--rules",
        parser=rule_set,
        metavar="NAME",
        help="A rule set; by default each record's own.",
        autocompletion=rule_sets_beginning,
    ),
]
Depth: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=1, max=250, metavar="N", help="Plies to look ahead.", show_default=str(DEFAULT_DEPTH)
    ),
]
MoveTime: TypeAlias = Annotated[
    float | None,
    typer.Option("--time", min=0.001, max=86400, metavar="S", help="Seconds for each move."),
]


def show(
    file: File,
    game: Number = None,
    ply: Ply = None,
    rules: OwnRules = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Draw the board to this file instead.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write a page with a slider to this file instead."),
    ] = None,
) -> None:
    """Show the games of a file, board by board, or draw one.

    A picture is of the end of the game, or of the board after --ply moves; the page needs no
    network. The exit code is 1 where the file cannot be read or a move is not legal.
    """
    if html is not None and ply is not None:
        raise typer.BadParameter("--html has every board; leave --ply out")
    for out in (svg, html):
        check_folder(out)
    with told_plainly():
        if svg is None and html is None:
            empty = True
            for number, record in chosen(file, game):
                typer.echo(("" if empty else "\n") + heading(number, record))
                print_boards(file, record, rules, ply)
                empty = False
            if empty:
                typer.echo(f"{file}: there is no game in it")
            return
        record = the_one(file, game)
        if svg is not None:
            write_text(svg, render.svg(reached(file, record, rules, ply)))
            typer.echo(f"{svg}: the board after {len(record.moves) if ply is None else ply} moves")
        if html is not None:
            played = game_of(file, record, rules)
            # A record is played by its own rules.
            page = replay(played if rules else record, title=title(record))
            write_text(html, str(page))
            typer.echo(f"{html}: {len(record.moves)} moves")


def analyse(
    file: File,
    game: Number = None,
    depth: Depth = None,
    time: MoveTime = None,
    rules: OwnRules = None,
    html: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write the tables to a page, too.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON: a list with an object for each game.")
    ] = False,
) -> None:
    """Rate every move of the games of a file by the seeds that it gave up.

    Values are the net seeds that the player who moved could expect at the end; = marks those that
    are exact. The exit code is 1 where the file cannot be read or a move is not legal.
    """
    check_folder(html)
    results: list[dict[str, Any]] = []
    pages: list[str] = []
    with told_plainly():
        empty = True
        for number, record in chosen(file, game):
            found = reviewed(file, record, rules, depth, time)
            if json:
                results.append(as_plain(number, record, found))
            else:
                typer.echo(("" if empty else "\n") + heading(number, record))
                print_review(found)
            if html is not None:
                heads = escaping.escape(f"Game {number}: {title(record)}")
                pages.append(f"<h2>{heads}</h2>{found._repr_html_()}")
            empty = False
        if json:
            typer.echo(plain.dumps(results, indent=1, allow_nan=False))
        elif empty:
            typer.echo(f"{file}: there is no game in it")
        if html is not None:
            write_text(html, page_of(file.name, pages))


def the_one(path: Path, number: int | None) -> Record:
    """The record of a number, or the only one of a file."""
    found = chosen(path, number)
    record = next(found, None)
    if record is None:
        raise ValueError(f"{path}: there is no game in it")
    if number is None and next(found, None) is not None:
        raise typer.BadParameter(f"{path} holds more than one game; choose one with --game")
    return record[1]


def heading(number: int, record: Record) -> str:
    """A game in a line."""
    parts = [f"Game {number}: {title(record)}"]
    if record.tags.get("Date", "?")[0] != "?":
        parts.append(record.tags["Date"])
    if (variant := record.tags.get("Variant", "?")) != "?":
        parts.append(variant)
    return ", ".join(parts)


def title(record: Record) -> str:
    """Who played, and the result."""
    south, north = (record.tags.get(seat, "?") for seat in SEATS)
    result = "unfinished" if record.result == "*" else record.result
    return f"{south} (South) - {north} (North), {result}"


def reached(path: Path, record: Record, rules: Rules | None, ply: int | None) -> Game:
    """The game after so many of its moves."""
    if ply is not None and ply > len(record.moves):
        raise typer.BadParameter(f"--ply {ply}: the game has {len(record.moves)} moves")
    return game_of(path, record, rules, ply)


def print_boards(path: Path, record: Record, rules: Rules | None, ply: int | None) -> None:
    """Print the boards of a game, or the one after so many moves, with what was said of each."""
    end = reached(path, record, rules, ply)
    if ply is not None:
        typer.echo(f"\n{render.ansi(end)}", color=True)
        return
    game = game_of(path, record, rules, 0)
    typer.echo(f"\n{render.ansi(game)}", color=True)
    for comment in record.comments:
        typer.echo(f"  {comment}")
    for move in record.moves:
        number = game.ply + 1
        taken = game.play(move.pit)
        marks = "".join(f" {mark}" for mark in move.marks)
        typer.echo(f"\n{number}. {move.letter}{f' takes {taken}' if taken else ''}{marks}")
        typer.echo(render.ansi(game), color=True)
        for comment in move.comments:
            typer.echo(f"  {comment}")


def reviewed(
    path: Path, record: Record, rules: Rules | None, depth: int | None, time: float | None
) -> Review:
    """The review of a record's game, with a bar where somebody looks."""
    if time is not None and math.isnan(time):
        # Some versions of Typer take it to lie within any range.
        raise typer.BadParameter("--time nan: give a number of seconds")
    game_of(path, record, rules)  # Tells the file, and the place of a move that is not legal.
    progress = sys.stderr is not None and sys.stderr.isatty()
    return analysis.review(record, rules=rules, depth=depth, time=time, progress=progress)


def print_review(review: Review) -> None:
    """Print the ratings of a game as a table, and a line about each player."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("Ply", justify="right")
    for name in ("Player", "Move", "Rating"):
        table.add_column(name, no_wrap=True)
    for name in ("Gave up", "Value"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("Better line", overflow="fold")
    for move in review.moves:
        better = move.rating != "best"
        table.add_row(
            str(move.ply + 1),
            SEATS[move.seat],
            f"{move.letter}+{move.captured}" if move.captured else move.letter,
            Text("forced" if move.forced else move.rating, STYLES[move.rating]),
            f"{move.loss:g}" if better else "",
            f"{'=' if move.exact else ''}{signed(move.value)}",
            f"{signed(move.best_value)}: {move.line_letters}" if better else "",
        )
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    console.print(table)
    for seat, (name, counts) in enumerate(review.summary().items()):
        its = [told(rating, counts[rating]) for rating in STYLES if counts[rating]]
        who = review.players[seat]
        who = name if who == name else f"{name} ({who})"
        typer.echo(f"{who}: {', '.join(its) or 'no move'}; {counts['loss']:g} seeds given up")


def told(rating: str, count: float) -> str:
    """How many moves have a rating."""
    if count == 1 or rating in {"best", "good"}:
        return f"{count:g} {rating}"
    return (
        f"{count:g} {rating.removesuffix('y')}ies" if rating[-1] == "y" else f"{count:g} {rating}s"
    )


def signed(value: float) -> str:
    """A value with its sign, a whole number without decimals."""
    return f"{round(value, 2):+g}"


def as_plain(number: int, record: Record, review: Review) -> dict[str, Any]:
    """A review as plain values."""
    return {
        "game": number,
        "tags": dict(record.tags),
        "start": review.start,
        "result": review.result,
        "balance": review.balance(),
        "summary": review.summary(),
        "moves": review.table(),
    }


def page_of(name: str, parts: list[str]) -> str:
    """A page of the reviews of a file."""
    title = escaping.escape(f"Games of {name}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><style>:root{color-scheme:light dark}'
        "body{font-family:sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem}</style>"
        f"</head><body><h1>{title}</h1>{''.join(parts)}</body></html>\n"
    )
