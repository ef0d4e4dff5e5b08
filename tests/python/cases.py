"""The case files that Rust and Python tests share: positions and games, each with its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import oware

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).parents[1] / "data"


class State(TypedDict):
    """What there is to see of a game."""

    pits: list[int]
    stores: list[int]
    to_move: Literal[0, 1]
    unawarded: int
    over: bool
    termination: str | None


class Played(State):
    """A game after one move."""

    captured: int


class PositionCase(TypedDict):
    """A position, how it is seen and what every legal move makes of it."""

    rules: str
    pits: list[int]
    stores: list[int]
    to_move: Literal[0, 1]
    start: State
    moves: dict[str, Played]


class GameCase(TypedDict):
    """A game from the start, and how it stands after its moves."""

    rules: str
    moves: list[int]
    end: State
    plies: int


def rules() -> dict[str, oware.Rules]:
    """The rule sets of the cases by name: the named ones and variants of `abapa`."""
    text = (DATA / "rules.json").read_text(encoding="utf-8")
    return {name: oware.Rules(**fields) for name, fields in json.loads(text).items()}


def positions() -> Iterator[PositionCase]:
    """Every position."""
    yield from map(json.loads, _lines("positions.jsonl"))


def games() -> Iterator[GameCase]:
    """Every game."""
    yield from map(json.loads, _lines("games.jsonl"))


def _lines(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def winner(state: State) -> int | None:
    """Who holds more seeds in a finished game."""
    south, north = state["stores"]
    return None if not state["over"] or south == north else int(north > south)


def seen(game: oware.Game) -> State:
    """What there is to see of a `Game`."""
    return {
        "pits": list(game.pits),
        "stores": list(game.stores),
        "to_move": game.to_move,
        "unawarded": game.unawarded,
        "over": game.is_over,
        "termination": game.termination,
    }


def board(south: str, north: str, **more: Any) -> oware.Game:
    """A game with these seeds, a digit a pit; each row from its owner's left, as players count."""
    return oware.Game(pits=[int(seeds) for seeds in south + north], **more)
