"""Where puzzles are looked for: in play of the engine against itself, and on boards drawn."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from oware import _oware, search
from oware.analysis._captures import LAP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oware._oware import Game, Rules
    from oware.analysis._stream import Stream
    from oware.endgame import Endgame
    from oware.types import PuzzleTheme

DRAWN_A_GAME: Final = 60
"""Boards drawn for each game played."""
LAP_REACH: Final = LAP + 1
"""Seeds of a database from which on boards are drawn with a lap, and another move beside it."""


def positions(
    rules: Rules, endgame: Endgame, open_to: Callable[[PuzzleTheme], bool], stream: Stream
) -> Iterator[tuple[Game, int | None]]:
    """Positions of one game after another, each with the game's number; between, drawn boards.

    Boards are drawn for the themes that are open to more puzzles.
    """
    for game in itertools.count():
        for position in self_play(rules, stream):
            yield position, game
        for theme in drawn_themes(rules, endgame):
            if open_to(theme):
                for _ in range(DRAWN_A_GAME):
                    yield drawn_board(theme, rules, endgame, stream), None


def self_play(rules: Rules, stream: Stream) -> Iterator[Game]:
    """The positions of a game that both play by a short look ahead, now and then at random."""
    game = _oware.Game(rules)
    opening = 2 + stream.below(8)
    while not game.is_over and game.ply < 200:
        at_random = game.ply < opening or stream.below(8) == 0
        moves = game.legal_moves() if at_random else search.best_moves(game, 2)
        game.play(stream.choose(moves))
        if game.ply >= opening and not game.is_over:
            yield _oware.Game(rules, pits=game.pits, stores=game.stores, to_move=game.to_move)


def reach(rules: Rules, endgame: Endgame) -> int:
    """The most seeds of a drawn board: half of all, as far as the database has values."""
    return min(endgame.max_seeds, 6 * rules.seeds_per_pit)


def drawn_themes(rules: Rules, endgame: Endgame) -> tuple[PuzzleTheme, ...]:
    """The themes that boards are drawn for.

    Play has chains enough, but those that a database proves are rare; where it has no laps, play
    has the only ones.
    """
    if reach(rules, endgame) < LAP_REACH:
        return ("slam", "feeding")
    return ("slam", "feeding", "lap", "chain")


def drawn_board(theme: PuzzleTheme, rules: Rules, endgame: Endgame, stream: Stream) -> Game:
    """A board of few seeds that may have a theme."""
    own, theirs = [0] * 6, [0] * 6
    most = reach(rules, endgame)
    if theme == "lap":
        own[stream.below(6)] = LAP
        for _ in range(1 + stream.below(most - LAP)):
            row = stream.choose((own, theirs))
            row[stream.below(6)] += 1
    elif theme == "chain":
        # On a full board it is not always the first look that finds it.
        theirs = [stream.choose((0, 1, 1, 2)) for _ in range(6)]
        for _ in range(most - sum(theirs)):
            own[stream.below(6)] += 1
    else:
        if theme == "slam":
            theirs = [stream.choose((0, 0, 0, 0, 1, 1, 2)) for _ in range(6)]
        for _ in range(1 + stream.below(max(1, most - sum(theirs)))):
            own[stream.below(6)] += 1
    mover = stream.below(2)
    left = 12 * rules.seeds_per_pit - sum(own) - sum(theirs)
    pits = theirs + own if mover else own + theirs
    return _oware.Game(rules, pits=pits, stores=(left // 2, left - left // 2), to_move=mover)


def mover_first(position: Game) -> tuple[int, ...]:
    """The twelve pits, the mover's first."""
    pits = position.pits
    return pits[6:] + pits[:6] if position.to_move else pits
