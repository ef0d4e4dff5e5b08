"""Examples worked by hand: those of rule pages, and games that end by repetition."""

from __future__ import annotations

from typing import Any

import pytest

import oware
from cases import board

LONE = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
"""One seed in each player's first pit."""


# Rule pages count a player's pits from 1 at the left; each example is played from both seats.


@pytest.mark.parametrize("seat", [0, 1])
def test_three_seeds_from_pit_3_end_in_pit_6(seat: int) -> None:
    rows = "003000", "000001"
    game = board(*rows[:: 1 - 2 * seat], to_move=seat)
    assert game.play(2) == 0
    assert game.pits[6 * seat :][:6] == (0, 0, 0, 1, 1, 1)


@pytest.mark.parametrize("seat", [0, 1])
def test_twelve_seeds_from_pit_1_skip_it_and_end_in_pit_2(seat: int) -> None:
    pits = [12, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4]
    game = oware.Game(pits=pits[6 * seat :] + pits[: 6 * seat], to_move=seat)
    assert game.play(0) == 0
    assert game.pits[6 * seat :][:6] == (0, 2, 1, 1, 1, 1)
    assert game.pits[6 * (1 - seat) :][:6] == (5, 5, 5, 5, 5, 5)


@pytest.mark.parametrize("seat", [0, 1])
def test_four_seeds_from_pit_4_take_pit_2_but_not_pit_1(seat: int) -> None:
    rows = "000400", "321000"
    game = board(*rows[:: 1 - 2 * seat], to_move=seat)
    # The opponent's pit 2 becomes 3 and is taken; their pit 1, now 4, stays.
    assert game.play(3) == 3
    assert game.pits[6 * (1 - seat) :][:6] == (4, 0, 1, 0, 0, 0)
    assert game.stores[seat] == 3
    assert game.last_captures == (6 * (1 - seat) + 1,)
    assert game.last_move == 6 * seat + 3


# Three games under `auale`: a position that arises twice ends the game if both rows have seeds.


def repeats(game: oware.Game, transcript: str) -> None:
    """The transcript's last move, and no earlier one, ends the game by repetition."""
    game.play_transcript(transcript[:-1])
    assert not game.is_over
    game.play_transcript(transcript[-1])
    assert game.termination == "repetition"


def test_two_seeds_go_round_the_board() -> None:
    # The last capture is the 18th ply, by North's f: it leaves one seed in South's A and one in
    # North's a, South to move, and the count starts anew. From there every move is forced:
    #
    #   A a B b C c D d E e    both seeds walk along their rows, to F and to f
    #   F                      South's seed crosses into a; its row is empty, so North must feed:
    #   f                      North's seed crosses into A
    #
    # Seeds in A and a, South to move: the position after the 18th ply. Each takes the one seed in
    # their row, 23 + 1 and 23 + 1.
    game = oware.Game("auale")
    repeats(game, "FdCeCfDcEcBbAaFeAf" + "AaBbCcDdEeFf")
    assert game.stores == (24, 24)
    assert game.winner is None


def test_three_seeds_take_each_others_places() -> None:
    # The last capture is the 15th ply: it leaves one seed each in A, E and b, North to move.
    #
    #   b c d e   and, later, a: North's seeds; the one from b goes to f, South's from F to b
    #   A B C     South's seed from A goes to D, and with D in the last ply to E
    #   E F       South's seed from E crosses into a
    #   f         North's seed crosses into A
    #
    #   ply       15   16   17   18   19   20   21   22   23   24   25   26   27
    #   move       F    b    A    c    B    d    E    e    F    a    C    f    D
    #   seeds in AEb  AEc  BEc  BEd  CEd  CEe  CFe  CFf  Caf  Cbf  Dbf  ADb  AEb
    #
    # Three seeds each a third of the way round, and the position after the 15th ply is there again,
    # North to move. South takes the two seeds in A and E, 23 + 2; North the one in b, 22 + 1.
    game = oware.Game("auale")
    repeats(game, "DeFfEdFcCaBbAfF" + "bAcBdEeFaCfD")
    assert game.stores == (25, 23)
    assert game.winner == 0


def test_a_position_with_an_empty_row_is_not_counted() -> None:
    # One seed each in a and f, North to move, nothing in South's row, which North must feed.
    #
    #   f             North's seed crosses into A: seeds in A and a, South to move
    #   A a B b … E e both seeds walk along their rows, to F and to f
    #   F             South's crosses into a: seeds in a and f, North to move, as at the start
    #
    # That is the 12th ply, and the position has arisen twice, but with an empty row it does not
    # count. The 13th, f again, repeats the position after the first ply, in which both rows have a
    # seed. Each takes their own: 24-24. Where any position counts, the 12th ply ends the game and
    # North has both seeds.
    start: dict[str, Any] = {"pits": [0] * 6 + [1, 0, 0, 0, 0, 1], "stores": (23, 23), "to_move": 1}
    game = oware.Game("auale", **start)
    repeats(game, "fAaBbCcDdEeFf")
    assert game.stores == (24, 24)
    other = oware.Game("open_spiel", **start)
    repeats(other, "fAaBbCcDdEeF")
    assert other.stores == (23, 25)


def test_three_occurrences_count_from_the_start() -> None:
    game = oware.Game(pits=LONE, stores=(23, 23))
    repeats(game, 2 * "AaBbCcDdEeFf")
    assert game.ply == 24


def test_undo_takes_an_occurrence_back() -> None:
    game = oware.Game("auale", pits=LONE, stores=(23, 23))
    game.play_transcript("AaBbCcDdEeF")
    for _ in range(3):
        game.play_transcript("f")
        assert game.termination == "repetition"
        assert game.undo() == 5
        assert not game.is_over
        assert game.pits == (0,) * 6 + (1, 0, 0, 0, 0, 1)
