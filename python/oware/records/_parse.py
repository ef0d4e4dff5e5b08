"""From text to records, a line of text at a time."""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO, TypeAlias

from oware.records._moves import MAX_DEPTH, MAX_TEXT, NO_TEXT, Move, RecordError, Variation
from oware.records._record import RESULT, TAG_NAME, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oware.records._moves import Place

    Source: TypeAlias = str | os.PathLike[str] | TextIO

MAX_LINE: Final = 1 << 20
"""The most characters of a line, in a file bytes."""

MAX_RECORD: Final = 1 << 21
"""The most characters of one record: far more than any has, and its moves fit in memory."""

BLANK: Final = re.compile(r"[ \t\r\n\f\v]*")
STRING: Final = re.compile(r'"((?:[^"\\\r\n]|\\[^\r\n])*)"')
NUMBER: Final = re.compile(r"[0-9]+\.*|\.+")
MOVES: Final = re.compile(r"[A-Fa-f]+")
SEEDS: Final = re.compile(r"\+([0-9]{1,3})(?![0-9])")
GLYPH: Final = re.compile(r"\$[0-9]{1,3}(?![0-9])|!!|\?\?|!\?|\?!|!|\?")


def records(source: Source) -> Iterator[Record]:
    """The records of a text, each as soon as it has been read to its end."""
    if isinstance(source, os.PathLike):
        with Path(source).open("rb") as file:
            yield from _Parser(_decoded(file)).records()
    elif isinstance(source, str):
        looks_like_a_name = "\n" not in source and source.endswith((".ogn", ".pgn", ".txt"))
        hint = "; a str is the text itself, give a pathlib.Path to read a file"
        lines = io.StringIO(source)
        yield from _Parser(lines.readline, hint if looks_like_a_name else "").records()
    else:
        yield from _Parser(_checked(source)).records()


def _decoded(file: io.BufferedReader) -> Callable[[int], str]:
    """The lines of a file in UTF-8; decoded one by one, so that an error has a place."""
    number = 0

    def line(limit: int) -> str:
        nonlocal number
        number += 1
        raw = file.readline(limit)
        if len(raw) >= limit:
            # Too long, also where its characters are fewer: the parser says so.
            return " " * limit
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode()) + 1
            byte = raw[error.start]
            reason = f"the byte 0x{byte:02x} is not UTF-8; records are text in UTF-8"
            raise RecordError(reason, number, column) from None

    return line


def _checked(file: TextIO) -> Callable[[int], str]:
    """The lines of a file that somebody else has opened."""
    number = 0

    def line(limit: int) -> str:
        nonlocal number
        number += 1
        try:
            text = file.readline(limit)
        except UnicodeDecodeError as error:
            # The file decodes blocks, not lines.
            reason = f"from here on the file cannot be decoded as {error.encoding}: {error.reason}"
            raise RecordError(reason, number, 1) from None
        if not isinstance(text, str):
            raise TypeError("the file is open for bytes: open it as text, with encoding='utf-8'")
        return text

    return line


@dataclass
class _Draft:
    """A move that may still get comments and variations."""

    letter: str
    place: Place
    captured: int | None = None
    marks: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    variations: list[Variation] = field(default_factory=list)


@dataclass
class _Line:
    """The moves of the game or of a variation, as far as they have been read."""

    place: Place
    comments: list[str] = field(default_factory=list)
    moves: list[_Draft] = field(default_factory=list)

    def say(self, comment: str) -> None:
        (self.moves[-1] if self.moves else self).comments.append(comment)

    def finished(self) -> tuple[Move, ...]:
        return tuple(
            Move(
                move.letter,
                tuple(move.comments),
                tuple(move.variations),
                move.captured,
                tuple(move.marks),
                move.place,
            )
            for move in self.moves
        )


class _Parser:
    """Where the reading of a text stands."""

    def __init__(self, readline: Callable[[int], str], hint: str = "") -> None:
        self.readline = readline
        self.hint = hint
        self.text = ""
        self.at = 0
        self.number = 0
        self.size = 0
        """Characters of the present record in the lines before this one."""

    def records(self) -> Iterator[Record]:
        # The start of the next record is what ends one that has no result.
        while self.skip():
            self.size = 0
            yield self.record()

    def record(self) -> Record:
        place = self.place()
        tags: dict[str, str] = {}
        line = _Line(place)
        outer: list[_Line] = []
        result = None
        while result is None and self.skip():
            start = self.text[self.at]
            if start == "[":
                if line.moves or outer:
                    break
                self.tag(tags)
            elif start in "{;":
                line.say(self.comment())
            elif start == "(":
                if not line.moves:
                    raise self.error("a variation follows the move that it replaces; here is none")
                if len(outer) == MAX_DEPTH:
                    raise self.error(f"variations lie more than {MAX_DEPTH} deep within each other")
                outer.append(line)
                line = _Line(self.place())
                self.at += 1
            elif start == ")":
                if not outer:
                    raise self.error("no variation is open that this could close")
                if not line.moves:
                    raise self.error("the variation has no move", line.place)
                variation = Variation(line.finished(), tuple(line.comments))
                line = outer.pop()
                line.moves[-1].variations.append(variation)
                self.at += 1
            else:
                result = self.word(line, within=bool(outer))
        if outer:
            raise self.error("this variation is never closed", line.place)
        while result is not None and (start := self.next_on_line()) and start in "{;":
            # What follows the result on its line is about this record, not the next.
            line.say(self.comment())
        if result is None:
            told = tags.get("Result", "*")
            result = told if RESULT.fullmatch(told) else "*"
        return Record(tags, line.finished(), result, tuple(line.comments), place)

    def tag(self, tags: dict[str, str]) -> None:
        """Read a pair in brackets, which may go over several lines."""
        place = self.place()
        self.at += 1
        self.skip()
        name = TAG_NAME.match(self.text, self.at)
        if name is None:
            raise self.error("here the name of a tag is missing: letters, digits, underscores")
        if name[0] in tags:
            raise self.error(
                f"the tag {name[0]} stands here again; a record without moves ends with its result"
            )
        self.at = name.end()
        self.skip()
        value = STRING.match(self.text, self.at)
        if value is None:
            if self.text[self.at : self.at + 1] == '"':
                raise self.error("this string is not closed on its line")
            raise self.error(f"here the value of the tag {name[0]} is missing, in double quotes")
        self.at = value.end()
        if not self.skip() or self.text[self.at] != "]":
            raise self.error(f"the tag {name[0]} is not closed with ]", place)
        self.at += 1
        tags[name[0]] = re.sub(r'\\(["\\])', r"\1", value[1])
        if len(tags[name[0]]) > MAX_TEXT:
            reason = f"the value of the tag {name[0]} is longer than {MAX_TEXT} characters"
            raise self.error(reason, place)

    def comment(self) -> str:
        """Read a comment: to the end of its line, or in braces and then maybe over several."""
        place = self.place()
        self.at += 1
        if self.text[self.at - 1] == ";":
            rest, self.at = self.text[self.at :].rstrip("\r\n"), len(self.text)
            if len(rest) > MAX_TEXT:
                raise self.error(f"the comment is longer than {MAX_TEXT} characters", place)
            return rest
        comment = ""
        while True:
            end = self.text.find("}", self.at)
            comment += self.text[self.at : None if end < 0 else end]
            if len(comment) > MAX_TEXT:
                raise self.error(f"the comment is longer than {MAX_TEXT} characters", place)
            if end >= 0:
                self.at = end + 1
                return comment
            if not self.more():
                self.at = len(self.text)
                raise self.error("this comment is never closed", place)

    def word(self, line: _Line, *, within: bool) -> str | None:
        """Read a result, which is returned, or a move, a mark or a number."""
        text, at = self.text, self.at
        if letters := MOVES.match(text, at):
            number, end = self.number, letters.end()
            line.moves += [_Draft(text[column], (number, column + 1)) for column in range(at, end)]
            self.at = end
        elif result := RESULT.match(text, at):
            if within:
                raise self.error("a result stands within a variation")
            self.at = result.end()
            return result[0]
        elif count := NUMBER.match(text, at):
            # Numbers of moves say nothing that the moves do not.
            self.at = count.end()
        elif (mark := GLYPH.match(text, at)) and line.moves:
            line.moves[-1].marks.append(mark[0])
            self.at = mark.end()
        elif (seeds := SEEDS.match(text, at)) and line.moves and line.moves[-1].captured is None:
            line.moves[-1].captured = int(seeds[1])
            self.at = seeds.end()
        else:
            reason = f"{text[at]!r} begins no tag, move, comment, variation or result"
            raise self.error(reason + (self.hint if self.number == 1 else ""))
        return None

    def next_on_line(self) -> str:
        """The next character on this line that is not blank, if any."""
        blank = BLANK.match(self.text, self.at)
        if blank is not None:
            self.at = blank.end()
        return self.text[self.at : self.at + 1]

    def skip(self) -> bool:
        """Go to the next character that is not blank; false at the end of the text."""
        while True:
            if self.next_on_line():
                return True
            if not self.more():
                return False
            if self.text.startswith("%"):
                # In its first column this gives a line to other programs.
                self.at = len(self.text)

    def more(self) -> bool:
        """Go to the next line; false at the end of the text."""
        self.size += len(self.text)
        text = self.readline(MAX_LINE + 1)
        if not text:
            return False
        self.text, self.at = text, 0
        self.number += 1
        if self.number == 1:
            self.text = text.removeprefix("\ufeff")
        if len(text) > MAX_LINE:
            raise self.error(f"the line is longer than {MAX_LINE} characters")
        if self.size > MAX_RECORD:
            raise self.error(f"the record is longer than {MAX_RECORD} characters")
        bad = NO_TEXT.search(self.text)
        if bad is not None:
            self.at = bad.start()
            raise self.error(f"the character {bad[0]!r} is no text; is this a file of records?")
        return True

    def place(self) -> Place:
        return self.number, self.at + 1

    def error(self, reason: str, place: Place | None = None) -> RecordError:
        # What is missing at the end of a line is missing before its line break.
        end = len(self.text.rstrip("\r\n"))
        return RecordError(reason, *(place or (self.number, min(self.at, end) + 1)))
