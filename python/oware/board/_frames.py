"""Games as plain values that the drawing in the browser shows: positions, and moves seed by seed.

The browser knows no rules. It is told where every seed goes and what is left in the end.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from oware.render import BoardView

if TYPE_CHECKING:
    from oware._oware import Game
    from oware.analysis import MoveReview, Review

SEATS: Final = ("South", "North")
LETTERS: Final = "ABCDEFabcdef"

State = dict[str, Any]


def titles(names: tuple[str, str]) -> list[str]:
    """What South and North are called, with their seats."""
    named = zip(names, SEATS, strict=True)
    return [name if name == seat else f"{seat} ({name})" for name, seat in named]


def position(game: Game) -> State:
    """What is on the board, and what the last move left marked."""
    return {
        "pits": list(game.pits),
        "stores": list(game.stores),
        "to_move": game.to_move,
        "over": game.is_over,
        "last": game.last_move,
        "captured": list(game.last_captures),
        "label": BoardView.of(game).caption,
    }


def path(game: Game, move: int) -> list[int]:
    """The absolute pits that a move of the player to move drops a seed into, in order."""
    origin = 6 * game.to_move + move
    places = [(origin + step) % 12 for step in range(1, 12)]
    # The origin is not among them: no lap drops a seed there.
    return [places[seed % 11] for seed in range(game.pits[origin])]


def step(before: Game, after: Game) -> State:
    """A move seed by seed: `after` is the game one ply later than `before`."""
    move = after.moves[-1]
    return {
        "seat": before.to_move,
        "pit": 6 * before.to_move + move,
        "path": path(before, move),
        "captured": list(after.last_captures),
        "before": {"pits": list(before.pits), "stores": list(before.stores)},
    }


def said(before: Game, after: Game, name: str) -> str:
    """A move in words: `North sowed d and captured 5 (A, B)`."""
    place = 6 * before.to_move + after.moves[-1]
    text = f"{name} sowed {LETTERS[place]}"
    if after.last_captures:
        sown = list(before.pits)
        for pit in path(before, after.moves[-1]):
            sown[pit] += 1
        seeds = sum(sown[pit] for pit in after.last_captures)
        text += f" and captured {seeds} ({', '.join(LETTERS[pit] for pit in after.last_captures)})"
    return text


def ending(game: Game, names: tuple[str, str]) -> str:
    """The result in words, with what a player is called."""
    best, other = max(game.stores), min(game.stores)
    reason = "" if game.termination is None else f" ({game.termination.replace('_', ' ')})"
    if game.winner is None:
        return f"Draw, {best}-{other}{reason}"
    name = names[game.winner]
    return f"{name} win{'' if name == 'You' else 's'} {best}-{other}{reason}"


def turns(game: Game) -> list[str]:
    """The moves so far, a text for each pair of plies."""
    letters = game.transcript()
    start = 0 if not letters or letters[0].isupper() else 1
    text = " " * start + letters
    return [text[at : at + 2].strip() for at in range(0, len(text), 2)]


def frames(game: Game, names: tuple[str, str], review: Review | None = None) -> list[State]:
    """Every position of a game from its start, each with the move that led to it."""
    games = [game.copy()]
    for _ in game.moves:
        earlier = games[-1].copy()
        earlier.undo()
        games.append(earlier)
    games.reverse()
    rated: dict[int, MoveReview] = {} if review is None else {one.ply: one for one in review.moves}
    shown = [{**position(games[0]), "step": None, "message": _told(games[0], "The start", names)}]
    for before, after in pairwise(games):
        frame = {**position(after), "step": step(before, after)}
        text = said(before, after, names[before.to_move])
        frame["message"] = _told(after, f"{len(shown)}. {text}", names)
        one = rated.get(before.ply)
        if one is not None:
            frame["rating"] = {"name": one.rating, "text": str(one)}
        shown.append(frame)
    return shown


def _told(game: Game, text: str, names: tuple[str, str]) -> str:
    if game.is_over:
        return f"{text}. {ending(game, names)}."
    return f"{text}. {names[game.to_move]} to move."
