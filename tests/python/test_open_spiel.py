"""OpenSpiel's `oware`, an independent referee, against the rule set `open_spiel`.

Its houses are our pits, its players our seats, its actions our moves. Three things differ, none of
them a rule:

- its observation is absolute, the same for both players: 12 houses and 2 scores over 48;
- it sweeps the board at every end, each player taking their own row, where `majority` leaves the
  seeds in place here; the winner is the same, as a majority cannot be caught up with;
- it aborts a game at 1,000 plies, which is no result; no game below comes near.
"""

from __future__ import annotations

import random
from collections import Counter

import pyspiel
import pytest

import oware

SPIEL = pyspiel.load_game("oware")
CAP = SPIEL.max_game_length()
RULES = oware.Rules.named("open_spiel")


def compare_a_game(seed: int) -> oware.Game:
    """Play one random game on both boards, and hold them against each other before every ply."""
    rng = random.Random(seed)
    theirs = SPIEL.new_initial_state()
    ours = oware.Game(RULES)
    while not theirs.is_terminal():
        assert not ours.is_over, ours
        legal = ours.legal_moves()
        assert legal == theirs.legal_actions(), ours
        assert ours.to_move == theirs.current_player(), ours
        assert [*ours.pits, *ours.stores] == board(theirs), ours
        assert ours.ply < CAP, ours
        move = rng.choice(legal)
        theirs.apply_action(move)
        ours.play(move)
    assert ours.is_over, ours
    rows = sum(ours.pits[:6]), sum(ours.pits[6:])
    assert [0] * 12 + [rows[0] + ours.stores[0], rows[1] + ours.stores[1]] == board(theirs), ours
    results: dict[int | None, list[float]] = {0: [1, -1], 1: [-1, 1], None: [0, 0]}
    assert results[ours.winner] == theirs.returns(), ours
    return ours


def board(state: pyspiel.State) -> list[int]:
    return [round(48 * share) for share in state.observation_tensor(0)]


def compare_games(seeds: range) -> None:
    """Compare games and print what they were: `pytest -s` shows it."""
    plies = 0
    endings = Counter[str | None]()
    longest = 0
    for seed in seeds:
        game = compare_a_game(seed)
        plies += game.ply
        longest = max(longest, game.ply)
        endings[game.termination] += 1
    print(f"{len(seeds)} games, {plies} plies, the longest {longest}: {dict(endings)}")
    assert {"majority", "no_move", "repetition"} <= endings.keys()


def test_random_games() -> None:
    compare_games(range(3_000))


@pytest.mark.slow
def test_many_random_games() -> None:
    compare_games(range(3_000, 53_000))
