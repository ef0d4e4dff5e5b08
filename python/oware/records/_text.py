"""How a record looks as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware.records._moves import Move
    from oware.records._record import Record

ROSTER: Final = ("Variant", "Event", "Site", "Date", "Round", "South", "North", "Result")
"""The tags that stand first, in this order."""

WIDTH: Final = 79
"""The most characters of a line of moves, as in PGN; one word may be longer."""


def record(of: Record) -> str:
    """A record as text, without a line break at its end."""
    return "\n".join(_lines(of))


def _lines(of: Record) -> Iterator[str]:
    first = [name for name in ROSTER if name in of.tags]
    for name in [*first, *(name for name in of.tags if name not in ROSTER)]:
        value = of.tags[name].replace("\\", "\\\\").replace('"', '\\"')
        yield f'[{name} "{value}"]'
    if of.tags:
        yield ""
    words = _Words()
    words.comments(of.comments)
    words.moves(of.moves)
    words.add(of.result)
    yield from words.lines()


class _Words:
    """The words of the moves, to be set in lines."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.opening = ""
        self.letters = False
        """Whether the last word is one of plain moves, which a further one may join."""

    def add(self, word: str) -> None:
        self.words.append(self.opening + word)
        self.opening = ""
        self.letters = False

    def comments(self, comments: tuple[str, ...]) -> None:
        for comment in comments:
            if "}" in comment:
                # Nothing stands for a brace within braces; this form goes to the end of its line.
                self.add(f";{comment}\n")
            else:
                first, *rest = f"{{{comment}}}".split(" ")
                self.add(first)
                self.words += rest

    def moves(self, moves: tuple[Move, ...]) -> None:
        for move in moves:
            plain = move.captured is None
            word = move.letter if plain else f"{move.letter}+{move.captured}"
            if plain and self.letters and len(self.words[-1]) < WIDTH - 1:
                self.words[-1] += word
            else:
                self.add(word)
                self.letters = plain
            for mark in move.marks:
                self.add(mark)
            self.comments(move.comments)
            for variation in move.variations:
                self.letters = False
                self.opening += "("
                self.comments(variation.comments)
                self.moves(variation.moves)
                self.letters = False
                if self.words[-1].endswith("\n"):
                    self.add(")")
                else:
                    self.words[-1] += ")"

    def lines(self) -> Iterator[str]:
        line: list[str] = []
        length = 0
        for word in self.words:
            # At the start of a line these mean something, to simple readers even in a comment.
            bound = word.startswith(("%", "["))
            if line and not bound and length + 1 + len(word) > WIDTH:
                yield " ".join(line)
                line, length = [], 0
            length += len(word) + (1 if line else 0)
            line.append(word)
            if word.endswith("\n"):
                yield " ".join(line).removesuffix("\n")
                line, length = [], 0
        if line:
            yield " ".join(line)
