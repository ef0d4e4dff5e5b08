from __future__ import annotations

import _thread
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

import oware

if TYPE_CHECKING:
    from oware.types import RuleSetName

# Lines of 1, 2, 3, ... plies from the start.
ABAPA = [
    6, 36, 190, 1014, 5219, 27332, 139157, 711414, 3592872, 18137964, 91558687, 460005710,
]  # fmt: skip
AWARI = [*ABAPA[:11], 460000575]


@pytest.mark.parametrize(("rules", "counts"), [("abapa", ABAPA), ("awari", AWARI)])
def test_counts_from_the_start(rules: RuleSetName, counts: list[int]) -> None:
    game = oware.Game(rules)
    assert [oware.perft(game, depth) for depth in range(1, 11)] == counts[:10]


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "counts"), [("abapa", ABAPA), ("awari", AWARI)])
def test_deep_counts_from_the_start(rules: RuleSetName, counts: list[int]) -> None:
    game = oware.Game(rules)
    assert [oware.perft(game, depth) for depth in (11, 12)] == counts[10:]


def lines(game: oware.Game, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in game.legal_moves():
        game.play(move)
        total += lines(game, depth - 1)
        game.undo()
    return total


def test_counts_are_those_of_playing_every_line() -> None:
    for transcript in ("FfEe", "AbCdEfAaBb", "FaEbDcCdBeAf"):
        game = oware.Game.from_transcript(transcript)
        assert [oware.perft(game, depth) for depth in range(5)] == [
            lines(game, depth) for depth in range(5)
        ]
        assert game.transcript() == transcript


def test_repetition_and_ply_limit_are_off() -> None:
    rules = oware.Rules(repetition=2, max_plies=3)
    assert oware.perft(oware.Game(rules), 5) == ABAPA[4]


def test_a_finished_position_has_no_children() -> None:
    over = oware.Game(pits=[1, *[0] * 11], stores=(27, 20))
    assert over.is_over
    assert [oware.perft(over, depth) for depth in range(3)] == [1, 0, 0]


def test_depth_is_any_integer_in_range() -> None:
    assert oware.perft(oware.Game(), np.int8(3)) == ABAPA[2]
    # Two lone seeds follow each other round the board for ever, and every move is forced.
    lonely = oware.Game(pits=[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], to_move=1)
    assert oware.perft(lonely, 1000) == 1


def test_another_thread_interrupts() -> None:
    # The count would take longer than the universe has. That it ends shows that other threads run.
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        oware.perft(oware.Game(), 30)
    timer.join()
