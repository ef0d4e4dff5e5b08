"""Rules, boards and lines of play drawn at random, for property tests."""

from __future__ import annotations

import random
from typing import Any, get_args

from hypothesis import strategies as st

import oware
from oware.types import Feeding, GrandSlam, Share

shares = st.sampled_from(get_args(Share))


def rules(*, largest: int = 12) -> st.SearchStrategy[oware.Rules]:
    """Rules over all fields; `largest` bounds the repetition count and, 25 times, the ply limit."""
    return st.builds(
        oware.Rules,
        grand_slam=st.sampled_from(get_args(GrandSlam)),
        feeding=st.sampled_from(get_args(Feeding)),
        no_move=shares,
        repetition=st.just(0) | st.integers(2, largest),
        repetition_needs_both_rows=st.booleans(),
        repetition_share=shares,
        max_plies=st.none() | st.integers(1, 25 * largest),
        limit_share=shares,
        majority_ends=st.booleans(),
        seeds_per_pit=st.integers(1, 20),
    )


@st.composite
def boards(draw: st.DrawFn, rules: oware.Rules) -> dict[str, Any]:
    """Arguments of `Game` for a board that the rules can set up, reachable or not."""
    left = 12 * rules.seeds_per_pit
    counts = []
    for few in draw(st.lists(st.booleans(), min_size=14, max_size=14)):
        counts.append(draw(st.integers(0, min(left, 4 if few else 30))))
        left -= counts[-1]
    return {
        "pits": counts[:12],
        "stores": counts[12:],
        "to_move": draw(st.sampled_from([0, 1])),
    }


@st.composite
def games(draw: st.DrawFn, among: st.SearchStrategy[oware.Rules] | None = None) -> oware.Game:
    """A game before its first move: from the start or from a board set up."""
    chosen = draw(rules() if among is None else among)
    board = draw(st.just({}) | boards(chosen))
    return oware.Game(chosen, **board)


def random_game(seed: int, plies: int = 1000, **settings: Any) -> oware.Game:
    """A game of so many random moves, or to its end; `settings` are those of `oware.Game`."""
    luck = random.Random(seed)
    game = oware.Game(**settings)
    while not game.is_over and game.ply < plies:
        game.play(luck.choice(game.legal_moves()))
    return game
