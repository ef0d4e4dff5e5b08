"""What the rules say to a game record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from oware import _oware
from oware.records._moves import LETTERS, RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware.records._moves import Move
    from oware.records._record import Record
    from oware.types import RuleSetName

SEATS: Final = ("South", "North")

ALIASES: Final[dict[str, RuleSetName]] = {"oware abapa": "auale"}
"""Variants that others write, in small letters, and our names of their rules."""

RULES: Final = re.compile(r"Rules\((.*)\)")
FIELD: Final = re.compile(r" *([a-z_]+)=(?:'([a-z_]+)'|(True|False|None)|([0-9]{1,18})) *")
CONSTANTS: Final = {"True": True, "False": False, "None": None}


def variant(name: str) -> _oware.Rules:
    """The rules that a tag names or shows."""
    name = name.strip()
    if name == "?":
        return _oware.Rules()
    known = name.casefold()
    if known in ALIASES or known in _oware.RULE_SETS:
        return _oware.RULE_SETS[ALIASES.get(known, cast("RuleSetName", known))]
    shown = RULES.fullmatch(name)
    if shown is None:
        names = ", ".join(_oware.RULE_SETS)
        raise ValueError(f"unknown rules {short(name)}; known: {names}; or say which rules to use")
    fields: dict[str, object] = {}
    for part in shown[1].split(",") if shown[1] else []:
        pair = FIELD.fullmatch(part)
        if pair is None:
            raise ValueError(f"{short(part)} does not have the form field=value")
        text, constant, number = pair[2], pair[3], pair[4]
        fields[pair[1]] = text or (int(number) if number else CONSTANTS[constant])
    try:
        return _oware.Rules(**fields)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{short(name)} are no rules: {error}") from None


def result(game: _oware.Game) -> str:
    """The result of a game, finished or not."""
    if not game.is_over:
        return "*"
    return "1/2-1/2" if game.winner is None else ("1-0", "0-1")[game.winner]


def play(game: _oware.Game, move: Move) -> int:
    """Play a move of a record; the seeds that it captures."""
    number = f"move {game.ply + 1}"
    mover = game.to_move
    if move.seat != mover and not game.is_over:
        own = LETTERS[mover]
        reason = f"{number} is {move.letter}, but {SEATS[mover]} is to move: {own[0]} to {own[-1]}"
        raise at(move, reason)
    try:
        return game.play(move.pit)
    except _oware.IllegalMoveError as error:
        why = str(error).partition("; legal:")[0].removeprefix(f"action {move.pit} ")
        legal = ", ".join(LETTERS[mover][pit] for pit in game.legal_moves())
        rest = f"; legal: {legal}" if legal else ""
        raise at(move, f"{number}: {move.letter} {why}{rest}") from None


def contradictions(game: _oware.Game, moves: tuple[Move, ...]) -> Iterator[RecordError]:
    """What the rules contradict in a line and its variations; the game is left at its end."""
    for move in moves:
        before = game.copy() if move.variations else game
        stores = game.stores
        try:
            captured = play(game, move)
        except RecordError as error:
            yield error
            captured = None
        if move.captured is not None and captured is not None:
            # Some programs add what the end of the game gave the mover.
            gained = game.stores[move.seat] - stores[move.seat]
            if move.captured not in {captured, gained}:
                reason = f"{move.letter} captures {captured} seeds, not {move.captured}"
                yield at(move, f"move {game.ply}: {reason}")
        for variation in move.variations:
            yield from contradictions(before.copy(), variation.moves)
        if captured is None:
            return


def at(what: Move | Record, reason: str) -> RecordError:
    """An error with the place where something was read."""
    return RecordError(reason, *(what.place or (None, None)))


def short(text: str) -> str:
    """A text as a message shows it."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
