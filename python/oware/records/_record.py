"""A game record."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, SupportsIndex

from oware import _oware
from oware._counts import count
from oware.records import _replay, _text
from oware.records._moves import MAX_TEXT, NO_TEXT, Move, RecordError, check_comments, check_moves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oware.records._moves import Place
    from oware.types import RuleSetName

TAG_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
RESULT: Final = re.compile(r"\*|1/2-1/2|(?:0|[1-9][0-9]{0,2})-(?:0|[1-9][0-9]{0,2})(?![0-9])")


@dataclass(frozen=True, repr=False)
class Record:
    """A game as it was written down.

    Args:
        tags: What is known about the game: `{"South": "Ama", "North": "Kofi"}`. `Variant` names the
            rules, `FEN` the position at the start where it is another one.
        moves: The moves played, with comments and variations.
        result: `1-0` when South has won, `0-1`, `1/2-1/2`, `*` for unknown, or seeds as `26-22`. A
            record need not agree with itself; `check` says where it does not.
        comments: What stands before the first move.
        place: Line and column where it began in what was read; two records may be equal without.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: It is no result, the name of a tag is not of letters, digits and underscores, or
            a value has line breaks or other controls, or more than 100,000 characters.

    Example:
        >>> from oware.records import Move, Record
        >>> record = Record({"Variant": "awari", "South": "Ama"}, Move.line("FfEe"))
        >>> record
        <oware.Record Ama - ?: 4 plies, *>
        >>> print(record)
        [Variant "awari"]
        [South "Ama"]
        <BLANKLINE>
        FfEe *
    """

    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    moves: tuple[Move, ...] = ()
    result: str = "*"
    comments: tuple[str, ...] = ()
    place: Place | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Check everything and make tuples of it."""
        tags = dict(self.tags)
        pairs: list[tuple[object, object]] = [*tags.items()]
        for name, value in pairs:
            if not isinstance(name, str) or not isinstance(value, str):
                raise TypeError(f"a tag must be a str with a str: {name!r}, {value!r}")
            if not TAG_NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no name of a tag: give letters, digits, underscores")
            if len(value) > MAX_TEXT:
                raise ValueError(f"the tag {name} is longer than {MAX_TEXT} characters")
            bad = NO_TEXT.search(value) or re.search(r"[\r\n]", value)
            if bad is not None:
                raise ValueError(f"the tag {name} holds the character {bad[0]!r}, which is no text")
        object.__setattr__(self, "tags", MappingProxyType(tags))
        object.__setattr__(self, "moves", check_moves(self.moves))
        if not isinstance(self.result, str):
            raise TypeError(f"result must be a str, not {type(self.result).__name__}")
        if not RESULT.fullmatch(self.result):
            raise ValueError(
                f"{self.result!r} is no result: give 1-0, 0-1, 1/2-1/2, * or seeds as 26-22"
            )
        object.__setattr__(self, "comments", check_comments(self.comments))

    def __reduce__(self) -> tuple[object, ...]:
        """As its arguments: the view that keeps the tags from changing cannot be pickled."""
        return Record, (dict(self.tags), self.moves, self.result, self.comments, self.place)

    def __repr__(self) -> str:
        """Who plays, how far and with which result."""
        players = " - ".join(self.tags.get(seat, "?") for seat in _replay.SEATS)
        return f"<oware.Record {players}: {len(self.moves)} plies, {self.result}>"

    def __str__(self) -> str:
        """The record as text, as `write` writes it."""
        return _text.record(self)

    @staticmethod
    def of(game: _oware.Game, **tags: str) -> Record:
        """The record of a game, finished or not.

        `Variant` is the name of the game's rules, or the rules as Python shows them,
        `Rules(max_plies=60)`, where they have no name; `FEN` is written where the start is not that
        of the rules. What is not known is `?`, as in PGN.

        Args:
            game: The game.
            tags: Further tags or other values: `South="Ama"`, `Result="1-0"` after a resignation.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: A tag is none, or its value is no text or no result.

        Example:
            >>> import oware
            >>> from oware.records import Record
            >>> print(Record.of(oware.Game.from_transcript("FfEe"), South="Ama", Round="3"))
            [Variant "abapa"]
            [Event "?"]
            [Site "?"]
            [Date "????.??.??"]
            [Round "3"]
            [South "Ama"]
            [North "?"]
            [Result "*"]
            <BLANKLINE>
            FfEe *
        """
        if not isinstance(game, _oware.Game):
            raise TypeError(f"game must be an oware.Game, not {type(game).__name__}")
        start = game.copy()
        for _ in game.moves:
            start.undo()
        names = (name for name, rules in _oware.RULE_SETS.items() if rules == game.rules)
        known = dict.fromkeys(_text.ROSTER, "?") | {
            "Variant": next(names, repr(game.rules)),
            "Date": "????.??.??",
            "Result": _replay.result(game),
        }
        if start != _oware.Game(game.rules):
            # Only the other form has the number of the move.
            known["FEN"] = start.to_fen() if start.ply else start.to_string()
        known |= tags
        return Record(known, Move.line(game.transcript()), known["Result"])

    @property
    def rules(self) -> _oware.Rules:
        """The rules that the tag `Variant` names; `abapa` where there is none or a question mark.

        A key of `oware.RULE_SETS` in small or capital letters, rules as Python shows them, or
        `Oware Abapa`, which Aualé writes and which means `auale`, the rules of that program.

        Raises:
            RecordError: The variant is not known.

        Example:
            >>> from oware.records import Record
            >>> Record({"Variant": "Rules(max_plies=60)"}).rules.max_plies
            60
            >>> Record({"Variant": "Kalah"}).rules
            Traceback (most recent call last):
            oware.records.RecordError: the tag Variant: unknown rules 'Kalah'; known: abapa, ...
        """
        try:
            return _replay.variant(self.tags.get("Variant", "?"))
        except ValueError as error:
            raise self._error(f"the tag Variant: {error}") from None

    @property
    def transcript(self) -> str:
        """The letters of the moves played.

        Example:
            >>> from oware.records import read
            >>> next(read("1. F f {known} 2. E (2. D) e")).transcript
            'FfEe'
        """
        return "".join(move.letter for move in self.moves)

    @property
    def points(self) -> tuple[float, float] | None:
        """What South and North got of the one point that the result shares out; None for unknown.

        Example:
            >>> from oware.records import Record
            >>> Record(result="0-1").points, Record(result="24-24").points
            ((0.0, 1.0), (0.5, 0.5))
        """
        if self.result == "*":
            return None
        if self.result == "1/2-1/2":
            return (0.5, 0.5)
        south, north = map(int, self.result.split("-"))
        return ((south > north) + (south == north) / 2, (south < north) + (south == north) / 2)

    def start(self, rules: _oware.Rules | RuleSetName | None = None) -> _oware.Game:
        """The game before the first move.

        Args:
            rules: Which rules to play by instead of the variant's.

        Raises:
            RecordError: The variant is not known, or the tag `FEN` is no position of its rules.

        Example:
            >>> from oware.records import Record
            >>> Record({"FEN": "1-0-0-0-0-2-2-0-0-0-0-3-20-20-N"}).start().legal_moves()
            [0, 5]
        """
        chosen = self.rules if rules is None else rules
        fen = self.tags.get("FEN", "").strip()
        try:
            if not fen or fen == "?":
                return _oware.Game(chosen)
            read = _oware.Game.from_fen if "/" in fen else _oware.Game.from_string
            return read(fen, chosen)
        except _oware.NotationError as error:
            raise self._error(f"the tag FEN: {error}") from None

    def game(
        self,
        rules: _oware.Rules | RuleSetName | None = None,
        *,
        plies: SupportsIndex | None = None,
    ) -> _oware.Game:
        """The game that was played.

        Args:
            rules: Which rules to play by instead of the variant's.
            plies: After how many moves to stop; None for all.

        Raises:
            RecordError: The variant is not known, the tag `FEN` is no position, or a move is not
                legal; the place is that of the move where the record was read.

        Example:
            >>> from oware.records import read
            >>> record = next(read("1. F f 2. E e"))
            >>> record.game().stores, record.game(plies=1).to_move
            ((0, 0), 1)
            >>> next(read("1. F f 2. F")).game()
            Traceback (most recent call last):
            oware.records.RecordError: line 1, column 11: move 3: F is an empty pit; legal: A, ...
        """
        game = self.start(rules)
        for move in self.moves if plies is None else self.moves[: count("plies", plies, 0)]:
            _replay.play(game, move)
        return game

    def check(self, rules: _oware.Rules | RuleSetName | None = None) -> list[RecordError]:
        """Everything in which the record contradicts the rules or itself, in the order of the text.

        Looked at are the variant, the position at the start, every move in the game and in the
        variations (after an illegal one the rest of its line is left out), the captures that the
        record tells, and the result: against the tag `Result` and, where the game has ended,
        against the game. A game that goes on may have any result: players resign, or agree to a
        draw.

        Args:
            rules: Which rules to play by instead of the variant's.

        Returns:
            The contradictions, not raised; empty when there are none.

        Example:
            >>> from oware.records import read
            >>> for problem in next(read("1. F f+2 2. E (2. F) e 1-0")).check():
            ...     print(problem)
            line 1, column 6: move 2: f captures 0 seeds, not 2
            line 1, column 19: move 3: F is an empty pit; legal: A, B, C, D, E
        """
        told = self.tags.get("Result", self.result)
        problems: list[RecordError] = []
        if told != self.result:
            reason = f"the tag Result is {_replay.short(told)}, the moves end with {self.result}"
            problems.append(self._error(reason))
        try:
            game = self.start(rules)
        except RecordError as error:
            return [*problems, error]
        problems += _replay.contradictions(game, self.moves)
        if len(game.moves) == len(self.moves) and game.is_over:
            right = {_replay.result(game), "{}-{}".format(*game.stores)}
            if self.result not in right:
                ending = f"the result is {self.result}, but the game has ended: {game.status()}"
                problems.append(
                    _replay.at(self.moves[-1], ending) if self.moves else self._error(ending)
                )
        return problems

    def _error(self, reason: str) -> RecordError:
        """An error about the record as a whole."""
        return _replay.at(self, reason)
