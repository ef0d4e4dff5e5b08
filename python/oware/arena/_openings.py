"""Openings: the same few moves from which a pair plays two games, one from either seat."""

from __future__ import annotations

import operator
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from oware._counts import told
from oware._oware import Game

if TYPE_CHECKING:
    from oware._oware import Rules

__all__ = ["PLIES", "openings_of"]

PLIES: Final = 6
"""Random plies of an opening unless told otherwise."""
MOST_PLIES: Final = 100
TRIES: Final = 50
"""How often an opening is drawn again that ends the game or leads where another one has led."""


def openings_of(
    openings: int | Sequence[str], count: int, rules: Rules, seed: int
) -> list[list[int]]:
    """The moves of so many openings.

    Args:
        openings: How many random plies each has, or transcripts, taken in turn.
        count: How many openings.
        rules: The rules.
        seed: Seed of the random ones.

    Raises:
        TypeError: The openings are neither.
        ValueError: A number is out of range, or a transcript no opening of a game that goes on.
    """
    if isinstance(openings, str):
        raise TypeError("openings must be a number of plies or a sequence of transcripts")
    if isinstance(openings, Sequence):
        if not openings:
            raise ValueError("openings is empty; give transcripts or a number of random plies")
        given = [_read(text, number, rules) for number, text in enumerate(openings)]
        return [given[number % len(given)] for number in range(count)]
    if isinstance(openings, bool) or not hasattr(openings, "__index__"):
        kind = type(openings).__name__
        raise TypeError(f"openings must be a number of plies or transcripts, not {kind}")
    plies = operator.index(openings)
    if not 0 <= plies <= MOST_PLIES:
        raise ValueError(f"openings is {told(plies)}; give 0 to {MOST_PLIES} random plies")
    # `random` of this generator is the same for a seed in every version of Python.
    rng = random.Random(f"oware.arena {seed}")
    seen: set[str] = set()
    return [_drawn(plies, rules, rng, seen) for _ in range(count)]


def _drawn(plies: int, rules: Rules, rng: random.Random, seen: set[str]) -> list[int]:
    game = Game(rules)
    for _ in range(TRIES):
        game = Game(rules)
        while game.ply < plies and not game.is_over:
            moves = game.legal_moves()
            game.play(moves[int(rng.random() * len(moves))])
        if not game.is_over and game.to_string() not in seen:
            break
    else:
        if game.is_over:
            raise ValueError(f"openings is {plies}: games of random plies are over by then")
    seen.add(game.to_string())
    return list(game.moves)


def _read(text: str, number: int, rules: Rules) -> list[int]:
    if not isinstance(text, str):
        raise TypeError(f"openings[{number}] must be a transcript, not {type(text).__name__}")
    try:
        game = Game.from_transcript(text, rules)
    except ValueError as error:
        raise ValueError(f"openings[{number}]: {error}") from None
    if game.is_over:
        raise ValueError(f"openings[{number}]: the game {text!r} is over already")
    return list(game.moves)
