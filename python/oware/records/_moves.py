"""The moves of a game record, with what is said about them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from oware import _oware
from oware._counts import told

if TYPE_CHECKING:
    from collections.abc import Iterable

    Place: TypeAlias = tuple[int, int]
    """Line and column of a text, from 1."""

MAX_DEPTH: Final = 32
"""How deep variations may lie within variations."""

MAX_TEXT: Final = 100_000
"""The most characters of a comment or of a tag's value, so that any may be written on one line."""

MARK: Final = re.compile(r"[!?]{1,2}|\$[0-9]{1,3}")
SPACE: Final = re.compile(r"[ \t\r\n\f\v]+")
# White space apart, controls are no text; half a surrogate pair cannot be encoded.
NO_TEXT: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")

LETTERS: Final = ("ABCDEF", "abcdef")


class RecordError(_oware.NotationError):
    """A text that is no game record, or a record that the rules contradict.

    Args:
        reason: What is wrong.
        line: The line of the text, from 1; None for a record that was not read.
        column: The character in the line, from 1.

    Example:
        >>> from oware.records import RecordError, read
        >>> try:
        ...     list(read("FfEe {a comment"))
        ... except RecordError as error:
        ...     print(error.line, error.column, error.reason)
        1 6 this comment is never closed
    """

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        # All of them, so that the error can be pickled.
        super().__init__(reason, line, column)
        self.reason = reason
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if self.line is None:
            return self.reason
        return f"line {self.line}, column {self.column}: {self.reason}"


def check_comments(comments: Iterable[object]) -> tuple[str, ...]:
    if isinstance(comments, str):
        raise TypeError(f"comments must be a sequence of str: give ({comments!r},)")
    tidy: list[str] = []
    for comment in comments:
        if not isinstance(comment, str):
            raise TypeError(f"a comment must be a str, not {type(comment).__name__}")
        bad = NO_TEXT.search(comment)
        if bad is not None:
            raise ValueError(f"a comment holds the character {bad[0]!r}, which is no text")
        if len(comment) > MAX_TEXT:
            raise ValueError(f"a comment is longer than {MAX_TEXT} characters")
        tidy.append(SPACE.sub(" ", comment).strip(" "))
    return tuple(filter(None, tidy))


def check_moves(moves: Iterable[object]) -> tuple[Move, ...]:
    checked: list[Move] = []
    for move in moves:
        if not isinstance(move, Move):
            raise TypeError(f"a move must be a Move, not {type(move).__name__}: see Move.line")
        checked.append(move)
    return tuple(checked)


@dataclass(frozen=True)
class Move:
    """A move of a record, with what is said about it.

    Args:
        letter: A to F for South, a to f for North.
        comments: What follows it in braces. Runs of white space count as one space.
        variations: What might have been played instead.
        captured: The seeds that it captured, where the record says so.
        marks: Judgements: `!`, `?`, `!?` and the like, or a number as `$3`.
        place: Line and column that it was read from; two moves may be equal without.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: It is no letter of a move, no mark or no number of seeds; or a comment is no
            text or has more than 100,000 characters.

    Example:
        >>> from oware.records import Move, Variation
        >>> Move("F", comments=("the usual one",), variations=(Variation(Move.line("Ed")),)).pit
        5
    """

    letter: str
    comments: tuple[str, ...] = ()
    variations: tuple[Variation, ...] = ()
    captured: int | None = None
    marks: tuple[str, ...] = ()
    place: Place | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check everything and make tuples of it."""
        if not isinstance(self.letter, str):
            raise TypeError(f"a move must be a letter, not {type(self.letter).__name__}")
        if len(self.letter) != 1 or self.letter not in "ABCDEFabcdef":
            raise ValueError(f"{self.letter!r} is no move: give A to F for South, a to f for North")
        # Most moves are without any of these, and files have many.
        if self.comments != ():
            object.__setattr__(self, "comments", check_comments(self.comments))
        if self.variations != ():
            variations: tuple[object, ...] = tuple(self.variations)
            for variation in variations:
                if not isinstance(variation, Variation):
                    kind = type(variation).__name__
                    raise TypeError(f"a variation must be a Variation, not {kind}")
            object.__setattr__(self, "variations", variations)
        if self.marks != ():
            marks: tuple[object, ...] = tuple(self.marks)
            for mark in marks:
                if not isinstance(mark, str) or not MARK.fullmatch(mark):
                    known = "!, ?, !!, ??, !?, ?! or $0 to $999"
                    raise ValueError(f"{mark!r} is no mark: give {known}")
            object.__setattr__(self, "marks", marks)
        if self.captured is not None:
            if isinstance(self.captured, bool) or not isinstance(self.captured, int):
                raise TypeError(f"captured must be an int, not {type(self.captured).__name__}")
            if not 0 <= self.captured <= 999:
                raise ValueError(f"captured is {told(self.captured)}; give 0 to 999")

    @staticmethod
    def line(letters: str) -> tuple[Move, ...]:
        """The moves of a transcript, without anything about them.

        Args:
            letters: `"FfEe"`.

        Raises:
            TypeError: It is no str.
            ValueError: A character is no move.

        Example:
            >>> from oware.records import Move
            >>> Move.line("Ff") == (Move("F"), Move("f"))
            True
        """
        if not isinstance(letters, str):
            raise TypeError(f"letters must be a str, not {type(letters).__name__}")
        return tuple(map(Move, letters))

    @property
    def seat(self) -> int:
        """Who moves, 0 or 1.

        Example:
            >>> from oware.records import Move
            >>> Move("a").seat
            1
        """
        return int(self.letter.islower())

    @property
    def pit(self) -> int:
        """The pit as `Game.play` takes it, 0 to 5.

        Example:
            >>> from oware.records import Move
            >>> Move("b").pit
            1
        """
        return LETTERS[self.seat].index(self.letter)


@dataclass(frozen=True)
class Variation:
    """What might have been played instead of a move, and on from there.

    Args:
        moves: At least one.
        comments: What stands before the first move.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There is no move, a comment is no text, or variations lie more than 32 deep
            within each other.

    Example:
        >>> from oware.records import Move, Variation
        >>> Variation(Move.line("Ed"), ("is quieter",)).depth
        1
    """

    moves: tuple[Move, ...]
    comments: tuple[str, ...] = ()
    depth: int = field(init=False, repr=False, compare=False)
    """One more than the depth of the deepest variation within."""

    def __post_init__(self) -> None:
        """Check everything and make tuples of it."""
        object.__setattr__(self, "moves", check_moves(self.moves))
        if not self.moves:
            raise ValueError("a variation has no move")
        object.__setattr__(self, "comments", check_comments(self.comments))
        # A bound on it here lets everything else walk the tree by plain recursion.
        inner = (variation.depth for move in self.moves for variation in move.variations)
        object.__setattr__(self, "depth", 1 + max(inner, default=0))
        if self.depth > MAX_DEPTH:
            raise ValueError(f"variations lie more than {MAX_DEPTH} deep within each other")
