"""`set_positions`: episodes that start anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import oware
from oware.types import AutoresetName
from reference import assert_same, first_legal, some_actions

if TYPE_CHECKING:
    from oware.types import OpponentName, SeatChoice

START = [4] * 12
# North has one seed; South can feed, and so can North.
SPARSE = [0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 0]
OVER = {
    "majority": ([1] * 12, [25, 0]),
    "even_split": ([0] * 12, [24, 24]),
    "board_empty": ([0] * 12, [20, 19]),
    "no_move": ([0] * 6 + [1] * 6, [10, 10]),
}


def tables(*boards: tuple[list[int], list[int], int]) -> tuple[Any, Any, Any]:
    pits, stores, to_move = zip(*boards, strict=True)
    return np.array(pits), np.array(stores), np.array(to_move)


def test_boards_are_absolute_and_views_the_movers() -> None:
    env = oware.OwareEnv(2)
    board = ([1, 2, 3, 0, 0, 0, 4, 0, 0, 0, 0, 5], [7, 8])
    shown, info = env.set_positions(*tables((*board, 0), (*board, 1)))
    assert shown.tolist() == [
        [1, 2, 3, 0, 0, 0, 4, 0, 0, 0, 0, 5, 7, 8],
        [4, 0, 0, 0, 0, 5, 1, 2, 3, 0, 0, 0, 8, 7],
    ]
    assert env.pits.tolist() == [board[0]] * 2
    assert env.stores.tolist() == [board[1]] * 2
    assert info["to_move"].tolist() == [0, 1]
    assert info["action_mask"].tolist() == [[1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 1]]
    assert [env.game(i) for i in (0, 1)] == [
        oware.Game(pits=board[0], stores=board[1], to_move=0),
        oware.Game(pits=board[0], stores=board[1], to_move=1),
    ]


@pytest.mark.parametrize("dtype", [*"bhilqBHILQ", ">i4"])
def test_any_integer_type_and_stride(dtype: str) -> None:
    env, twin = oware.OwareEnv(2), oware.OwareEnv(2)
    pits, stores, to_move = tables((START, [0, 0], 1), (SPARSE, [20, 19], 0))
    expected = twin.set_positions(pits.tolist(), stores.tolist(), to_move.tolist())
    strided = np.asfortranarray(pits.astype(dtype))[::-1][::-1]
    assert_same(env.set_positions(strided, stores.astype(dtype), to_move.astype(dtype)), expected)
    assert_same(env.set_positions(pits, stores, to_move), expected)


def test_what_it_starts_is_an_episode() -> None:
    """It needs no reset, has no opening, and counts steps and plies from nothing."""
    env = oware.OwareEnv(3, opening_plies=9, max_steps=4, seat_rewards=True)
    shown, info = env.set_positions(*tables(*[(START, [0, 0], 1)] * 3))
    assert not info["seat_rewards"].any()
    assert {env.game(i).ply for i in range(3)} == {0}
    rng = np.random.default_rng(0)
    for step in range(1, 5):
        shown, _, terminated, truncated, info = env.step(some_actions(rng, info["action_mask"]))
        assert not terminated.any()
        assert np.array_equal(truncated, [step == 4] * 3)
    assert {env.game(i).ply for i in range(3)} == {4}
    shown, info = env.set_positions(*tables(*[(START, [0, 0], 0)] * 3))
    assert np.array_equal(info["action_mask"], np.ones((3, 6)))
    assert not env.step([0, 1, 2])[3].any()
    assert np.array_equal(shown, [[*START, 0, 0]] * 3)


def test_the_next_episode_starts_as_usual() -> None:
    env = oware.OwareEnv(1, max_steps=1)
    env.set_positions(*tables((SPARSE, [20, 19], 0)))
    assert env.step([5])[3][0]
    shown, *_ = env.step([0])
    assert shown[0].tolist() == [*START, 0, 0]


@pytest.mark.parametrize("mode", get_args(AutoresetName))
@pytest.mark.parametrize("opponent", [None, "random", first_legal])
def test_a_mask_leaves_the_others_alone(opponent: Any, mode: AutoresetName) -> None:
    env = oware.OwareEnv(4, opponent=opponent, autoreset_mode=mode, seat="south")
    _, info = env.reset(seed=0)
    shown, _, _, _, info = env.step([0, 1, 2, 3])
    before = [env.game(i) for i in range(4)]
    mask = np.array([False, True, False, True])
    # What the mask leaves out is not even looked at.
    nonsense = ([-1] * 12, [99, 99], 7)
    good = (SPARSE, [20, 19], 0)
    after, after_info = env.set_positions(*tables(nonsense, good, nonsense, good), mask)
    assert mask.tolist() == [False, True, False, True]
    assert np.array_equal(after[~mask], shown[~mask])
    assert [env.game(i) for i in (0, 2)] == [before[0], before[2]]
    assert after[mask].tolist() == [[*SPARSE, 20, 19]] * 2
    for name, array in after_info.items():
        assert np.array_equal(array[~mask], info[name][~mask])
    again = env.set_positions(*tables(nonsense, nonsense, nonsense, nonsense), np.zeros(4, bool))
    assert_same(again, (after, after_info))


def test_a_row_that_is_over_goes_on_where_it_is_put() -> None:
    for mode in get_args(AutoresetName):
        env = oware.OwareEnv(2, rules=oware.Rules(max_plies=3), autoreset_mode=mode)
        env.reset(seed=0)
        played = [env.step([action, action]) for action in (5, 5, 4)]
        assert played[2][2].all()
        env.set_positions(*tables((START, [0, 0], 1), (START, [0, 0], 0)))
        _, _, terminated, _, _ = env.step([1, 2])
        assert not terminated.any()
        assert [env.game(i).moves for i in range(2)] == [[1], [2]]


@pytest.mark.parametrize("opponent", ["random", "greedy", first_legal])
@pytest.mark.parametrize(("seat", "number"), [("south", 0), ("north", 1)])
def test_the_opponent_moves_first_where_it_is_to_move(
    seat: SeatChoice, number: int, opponent: OpponentName
) -> None:
    env = oware.OwareEnv(2, opponent=opponent, seat=seat, seat_rewards=True, reward="captures")
    # Pit 5 of either side takes two seeds; the others take none.
    pits = [4, 0, 0, 0, 0, 1] * 2
    pits[0] = pits[6] = 1
    shown, info = env.set_positions(*tables((pits, [18, 18], number), (pits, [18, 18], 1 - number)))
    assert info["to_move"].tolist() == [number] * 2
    assert not info["seat_rewards"].any()
    assert env.game(0).moves == []
    assert shown[0].tolist() == [*pits, 18, 18]
    assert env.game(1).to_move == number
    [reply] = env.game(1).moves
    game = oware.Game(pits=pits, stores=[18, 18], to_move=1 - number)
    assert reply in {"random": [0, 5], "greedy": [5]}.get(str(opponent), [0])
    game.play(reply)
    assert game == env.game(1)


def test_random_seats_are_drawn_here_too() -> None:
    env = oware.OwareEnv(1000, opponent=first_legal)
    env.reset(seed=0)
    _, info = env.set_positions(*tables(*[(START, [0, 0], 0)] * 1000))
    north = info["to_move"] == 1
    assert 400 < north.sum() < 600
    assert [env.game(i).ply for i in range(1000)] == north.tolist()


@pytest.mark.parametrize("termination", OVER)
def test_positions_that_are_over_are_refused(termination: str) -> None:
    pits, stores = OVER[termination]
    rules = oware.Rules(majority_ends=termination != "board_empty")
    opponents: tuple[OpponentName | None, ...] = (None, "random")
    for opponent in opponents:
        env = oware.OwareEnv(2, rules=rules, opponent=opponent)
        env.reset(seed=0)
        state = env.get_state()
        with pytest.raises(ValueError, match=rf"^environment 1: .*finished \({termination}\)"):
            env.set_positions(*tables((START, [0, 0], 0), (pits, stores, 0)))
        assert env.get_state() == state
        env.set_positions(*tables((START, [0, 0], 0), (pits, stores, 0)), np.array([True, False]))


def test_positions_that_cannot_be_set_up_are_refused() -> None:
    env = oware.OwareEnv(2)
    env.reset(seed=0)
    state = env.get_state()
    wrong = ([49, -1, *[0] * 10], [0, 0], 2)
    with pytest.raises(oware.SetupError, match=r"^environment 1: ") as refusal:
        env.set_positions(*tables((START, [0, 0], 0), wrong))
    for reason in ("-1", "49", "2"):
        assert reason in str(refusal.value)
    assert env.get_state() == state


@pytest.mark.parametrize("opponent", ["greedy", first_legal])
def test_an_opponent_that_ends_the_game_at_once_is_refused(opponent: Any) -> None:
    env = oware.OwareEnv(3, opponent=opponent, seat="south")
    env.reset(seed=0)
    state = env.get_state()
    # North's only move takes two seeds, and with them the majority.
    pits = [1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 1]
    boards = (START, [0, 0], 0), (pits, [15, 19], 1), (START, [0, 0], 1)
    with pytest.raises(ValueError, match=r"^environment 1: the opponent moves first and ends"):
        env.set_positions(*tables(*boards))
    assert env.get_state() == state
    _, info = env.set_positions(*tables(*boards), np.array([True, False, True]))
    assert info["to_move"].tolist() == [0, 0, 0]
    assert [env.game(i).ply for i in range(3)] == [0, 0, 1]
