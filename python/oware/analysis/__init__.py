"""Analysing games and positions: reviews, hints, threats, puzzles, openings.

Everything here uses the public search, database and rules; a result is a frozen object whose
fields are plain numbers, with a text and, in Jupyter, a picture.

>>> import oware
>>> game = oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
>>> oware.analysis.hint(game, depth=8).letter
'F'
>>> oware.analysis.rate(game, 4, depth=8).rating
'blunder'
"""

from __future__ import annotations

from oware.analysis._captures import Capture, captures, refused_slams, threats
from oware.analysis._explain import Explanation, Fact, explain
from oware.analysis._hint import Hint, hint
from oware.analysis._openings import Opening, Openings, openings
from oware.analysis._puzzle import Puzzle
from oware.analysis._puzzles import puzzles
from oware.analysis._rating import THRESHOLDS, MoveReview
from oware.analysis._review import Review, rate, review
from oware.analysis._search import DEFAULT_DEPTH

__all__ = [
    "DEFAULT_DEPTH",
    "THRESHOLDS",
    "Capture",
    "Explanation",
    "Fact",
    "Hint",
    "MoveReview",
    "Opening",
    "Openings",
    "Puzzle",
    "Review",
    "captures",
    "explain",
    "hint",
    "openings",
    "puzzles",
    "rate",
    "refused_slams",
    "review",
    "threats",
]

for _public in (Capture, Explanation, Fact, Hint, MoveReview, Opening, Openings, Puzzle, Review):
    _public.__module__ = __name__
