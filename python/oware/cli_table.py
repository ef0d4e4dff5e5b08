"""A game in the terminal between a person and a player, from the first move to the last."""

from __future__ import annotations

import datetime as dt
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from oware import Game, _kept, analysis, records
from oware._policies import move_of, reason_of, seeing
from oware.agents import MAX_PLIES, named
from oware.cli_files import check_target
from oware.cli_options import told_plainly
from oware.records import Record
from oware.render import ansi

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware.analysis import Hint

__all__ = ["SEATS", "Table"]

SEATS: Final = ("South", "North")
LETTERS: Final = ("ABCDEF", "abcdef")
HINT_DEPTH: Final = 12
"""The plies that a hint looks ahead: less than a tenth of a second."""
COMMANDS: Final = """\
A to F     play that pit (small letters do, too)
hint       a best move, and why
threats    what the other player could capture next
explain    what there is to see on the board
undo       take back your last move and the reply to it (also: back)
save FILE  write the game to a file
resign     give the game up
help       this list
quit       leave; the game waits for `oware play --resume`"""


class Leave(Exception):  # noqa: N818 - It is no error.
    """The person leaves the game as it is."""


class Failed(Exception):  # noqa: N818 - Of another's code.
    """The opponent has answered nothing that can be played."""


class Table:
    """A game between a person and a player of ours."""

    def __init__(
        self, game: Game, opponent: str, person: int, seed: int | None = None, hints: int = 3
    ) -> None:
        self.game = game
        self.opponent = opponent
        self.person = person
        self.hints = hints
        self.reply = seeing(named(opponent, seed, game.rules), "seeds", game.rules)
        self.date = f"{dt.datetime.now().astimezone():%Y.%m.%d}"
        self.hints_used = self.taken_back = 0
        self.loaded = self.resigned = False
        self.before: Record | None = None
        """The game as it waited to be gone on with, if it did."""
        self.file: Path | None = None
        """Where to write the game besides."""
        self.written: set[Path] = set()
        self.hint: Hint | None = None
        self.untouched = True

    def record(self) -> Record:
        """The game as it stands, with what `--resume` and `oware history` want to know."""
        names = ["You", "You"]
        types = ["human", "human"]
        names[1 - self.person], types[1 - self.person] = self.opponent, "program"
        tags = {"Event": "oware play", "Date": self.date, "South": names[0], "North": names[1]}
        tags |= {"SouthType": types[0], "NorthType": types[1]}
        if self.hints_used:
            tags["Hints"] = str(self.hints_used)
        if self.taken_back:
            tags["TakenBack"] = str(self.taken_back)
        if self.loaded:
            tags["Loaded"] = "yes"
        if self.resigned:
            tags["Result"] = ("0-1", "1-0")[self.person]
            tags["Termination"] = "resigned"
        return Record.of(self.game, **tags)

    def play(self) -> None:
        """Play until the game ends or the person leaves, and keep it."""
        game = self.game
        try:
            while not game.is_over and not self.resigned and game.ply < MAX_PLIES:
                if game.to_move == self.person:
                    self.turn()
                else:
                    self.move(self.answer(), f"{self.opponent} plays", "takes")
        except (Leave, EOFError, KeyboardInterrupt):
            self.leave()
            return
        except Failed as failed:
            self.leave()
            typer.echo(f"Error: {self.opponent} failed: {failed}", err=True)
            raise typer.Exit(1) from failed
        with self.kept_or_shown():
            _kept.add(self.record())
            if self.before is not None:
                _kept.take_up(self.before)
        typer.echo(f"\n{ansi(game)}", color=True)
        if self.resigned:
            typer.echo(f"You resign: {self.opponent} wins.")
        elif not game.is_over:
            typer.echo(f"Unfinished after {game.ply} plies.")
        with self.kept_or_shown():
            self.write_besides()
        typer.echo(
            "The game is kept: oware history lists it, oware history review rates its moves."
        )

    def answer(self) -> int:
        """The opponent's move."""
        try:
            move = move_of(self.reply, self.game)
            self.game.copy().play(move)
        except (Exception, SystemExit) as error:  # Whatever a policy of one's own raises.
            raise Failed(reason_of(error)) from error
        return move

    def leave(self) -> None:
        """Keep the game to go on with later, first of all: the terminal may be gone."""
        waits = self.before is not None or not self.untouched
        with self.kept_or_shown():
            if waits:
                _kept.put_aside(self.record(), self.before)
            self.write_besides()
        typer.echo(f"\nThe game is left at {self.game.to_string()}")
        if waits:
            typer.echo("oware play --resume goes on with it.")

    @contextmanager
    def kept_or_shown(self) -> Iterator[None]:
        """Show the record of a game that cannot be written, and end the command."""
        try:
            with told_plainly():
                yield
        except typer.Exit:
            typer.echo(f"\n{self.record()}")
            raise

    def write_besides(self) -> None:
        """Write the game where `--save` wants it."""
        if self.file is not None:
            records.write([self.record()], self.file)

    def turn(self) -> None:
        """Ask the person until they have moved."""
        game = self.game
        typer.echo(f"\n{ansi(game)}", color=True)
        letters = LETTERS[self.person]
        legal = " ".join(letters[move] for move in game.legal_moves())
        while True:
            typed = input(f"{SEATS[self.person]}, your move ({legal}): ").strip()
            word, _, rest = typed.partition(" ")
            answer = word.lower()
            move = letters.lower().find(answer) if len(answer) == 1 and not rest else -1
            if game.is_legal(move):
                self.untouched = False
                self.move(move, "You play", "take")
                return
            if move >= 0:
                typer.echo(f"{why_not(game, move)}: give one of {legal}.")
            elif answer in {"save", "s"}:
                self.save(rest.strip())
            elif not rest and answer in {"u", "undo", "back"}:
                if self.undo():
                    return
            elif not rest and answer == "resign":
                self.resigned, self.untouched = True, False
                return
            elif not rest and answer in {"q", "quit", "exit"}:
                raise Leave
            elif rest or not self.tell(answer):
                typer.echo(f"{typed!a} is no move: give one of {legal}, or help.")

    def tell(self, answer: str) -> bool:
        """Tell what was asked for; False where that is nothing to tell."""
        if answer in {"hint", "h"}:
            self.give_hint()
        elif answer in {"threats", "t"}:
            for fact in analysis.explain(self.game).of("threat"):
                typer.echo(fact.text)
        elif answer == "explain":
            typer.echo(analysis.explain(self.game).text)
        elif answer in {"help", "?"}:
            typer.echo(COMMANDS)
        else:
            return False
        return True

    def give_hint(self) -> None:
        """Advise a move; the same position costs one hint only."""
        if self.hint is None:
            if self.hints_used >= self.hints:
                typer.echo("No hints are left in this game.")
                return
            self.hint = analysis.hint(self.game, depth=HINT_DEPTH)
            self.hints_used += 1
        left = max(self.hints - self.hints_used, 0)
        typer.echo(f"{self.hint} ({left} {'hint' if left == 1 else 'hints'} left)")

    def undo(self) -> bool:
        """Take back the person's last move and the reply to it, if there are such."""
        # It is the person's turn, so their last move and the reply to it are on top.
        if len(self.game.moves) < 2:
            typer.echo("You have not moved yet.")
            return False
        self.game.undo()
        self.game.undo()
        self.taken_back += 1
        self.hint = None
        return True

    def save(self, name: str) -> None:
        """Write the game to a file that the person names."""
        if not name:
            typer.echo("Give a file, too: save game.ogn")
            return
        path = Path(name).expanduser()
        try:
            if path.absolute() not in self.written:
                check_target(path)
            records.write([self.record()], path)
        except (OSError, ValueError, typer.BadParameter) as error:
            typer.echo(f"Not saved: {error}")
        else:
            self.written.add(path.absolute())
            typer.echo(f"Saved: {path}")

    def move(self, move: int, plays: str, takes: str) -> None:
        """Play a move and say so."""
        letter = LETTERS[self.game.to_move][move]
        taken = self.game.play(move)
        self.hint = None
        typer.echo(f"{plays} {letter}" + (f" and {takes} {taken}." if taken else "."))


def why_not(game: Game, move: int) -> str:
    """Why a move of the player to move is not legal."""
    letter = LETTERS[game.to_move][move]
    if game.pits[6 * game.to_move + move] == 0:
        return f"{letter} is an empty pit"
    barred = analysis.explain(game).of("feeding") + analysis.explain(game).of("illegal")
    reason = f" ({barred[0].text.rstrip('.')})" if barred else ""
    return f"{letter} is not legal{reason}"
