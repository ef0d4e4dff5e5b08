"""Every position and every game of the case files once more, through `OwareEnv`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import cases
import oware
from oware.types import RewardKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

RULES = cases.rules()


def code(state: cases.State) -> int:
    return oware.TERMINATIONS.index(state["termination"] or "going_on")


def winner(state: cases.State) -> int:
    seat = cases.winner(state)
    return -1 if seat is None else seat


def outcome(state: cases.State, seat: int) -> int:
    return 0 if winner(state) == -1 else 1 if winner(state) == seat else -1


def margin(state: cases.State, seat: int) -> int:
    return state["stores"][seat] - state["stores"][1 - seat]


def reward(kind: RewardKind, before: cases.State, after: cases.State, total: int) -> float:
    """What the mover of `before` is due for `after`."""
    seat = before["to_move"]
    if kind == "captures":
        return margin(after, seat) - margin(before, seat)
    if not after["over"]:
        return 0
    return outcome(after, seat) if kind == "outcome" else margin(after, seat) / total


def masks(states: list[cases.State], moves: list[list[int]]) -> NDArray[np.int8]:
    """The moves as masks; all ones where the game is over."""
    rows = [
        [int(state["over"] or move in some) for move in range(6)]
        for state, some in zip(states, moves, strict=True)
    ]
    return np.array(rows, np.int8)


def check_info(info: dict[str, Any], states: list[cases.State]) -> None:
    assert np.array_equal(info["to_move"], [state["to_move"] for state in states])
    assert np.array_equal(info["termination"], [code(state) for state in states])
    assert np.array_equal(info["winner"], [winner(state) for state in states])


def check_boards(env: oware.OwareEnv, states: list[cases.State]) -> None:
    assert np.array_equal(env.pits, [state["pits"] for state in states])
    assert np.array_equal(env.stores, [state["stores"] for state in states])
    for index, state in enumerate(states):
        assert cases.seen(env.game(index)) == state


@pytest.mark.parametrize("kind", get_args(RewardKind))
@pytest.mark.parametrize("rules", RULES)
def test_positions(rules: str, kind: RewardKind) -> None:
    positions = [case for case in cases.positions() if case["rules"] == rules]
    assert len(positions) == 100
    played = [(case, int(move)) for case in positions for move in case["moves"]]
    starts = [case["start"] for case, _ in played]
    moves = [[*map(int, case["moves"])] for case, _ in played]
    afters: list[cases.State] = []
    for case, move in played:
        after: Any = dict(case["moves"][str(move)])
        del after["captured"]
        afters.append(after)
    env = oware.OwareEnv(len(played), rules=RULES[rules], reward=kind, autoreset_mode="disabled")
    columns = zip(
        *((case["pits"], case["stores"], case["to_move"]) for case, _ in played), strict=True
    )
    observation, info = env.set_positions(*map(np.array, columns))
    check_boards(env, starts)
    check_info(info, starts)
    assert np.array_equal(info["action_mask"], masks(starts, moves))
    assert np.array_equal(
        observation[:, -2], [start["stores"][start["to_move"]] for start in starts]
    )

    _, rewards, terminated, truncated, info = env.step([move for _, move in played])
    check_boards(env, afters)
    check_info(info, afters)
    total = 12 * RULES[rules].seeds_per_pit
    expected = [reward(kind, *pair, total) for pair in zip(starts, afters, strict=True)]
    assert np.array_equal(rewards, np.array(expected, np.float32))
    assert np.array_equal(terminated, [after["over"] for after in afters])
    assert not truncated.any()
    later = [env.game(index).legal_moves() for index in range(len(played))]
    assert np.array_equal(info["action_mask"], masks(afters, later))


@pytest.mark.parametrize("rules", RULES)
def test_moves_that_no_rule_allows_and_positions_that_are_over(rules: str) -> None:
    env = oware.OwareEnv(1, rules=RULES[rules])
    refused = over = 0
    for case in cases.positions():
        if case["rules"] != rules:
            continue
        board = [case["pits"]], [case["stores"]], [case["to_move"]]
        if case["start"]["over"]:
            over += 1
            termination = case["start"]["termination"]
            with pytest.raises(ValueError, match=rf"^environment 0: .*\({termination}\)"):
                env.set_positions(*board)
            continue
        env.set_positions(*board)
        for move in range(6):
            if str(move) not in case["moves"]:
                refused += 1
                with pytest.raises(oware.IllegalMoveError, match=f"^environment 0: action {move} "):
                    env.step([move])
        assert env.pits[0].tolist() == case["pits"]
    assert refused > 100
    assert over > 0


@pytest.mark.parametrize("rules", RULES)
def test_games(rules: str) -> None:
    games = [case for case in cases.games() if case["rules"] == rules]
    assert len(games) == 30
    env = oware.OwareEnv(30, rules=RULES[rules], max_steps=None, seat_rewards=True)
    _, info = env.reset()
    checked = 0
    for ply in range(max(case["plies"] for case in games)):
        # Where a game is over, others follow that nobody looks at.
        actions = info["action_mask"].argmax(axis=1)
        playing = [index for index, case in enumerate(games) if ply < case["plies"]]
        for index in playing:
            actions[index] = games[index]["moves"][ply]
            assert info["action_mask"][index, actions[index]] == 1
            assert info["to_move"][index] == ply % 2
        _, rewards, terminated, truncated, info = env.step(actions)
        assert not truncated.any()
        for index in playing:
            case = games[index]
            last = ply + 1 == case["plies"]
            assert terminated[index] == (last and case["end"]["over"])
            if not last:
                continue
            checked += 1
            end = case["end"]
            assert (env.pits[index].tolist(), env.stores[index].tolist()) == (
                end["pits"],
                end["stores"],
            )
            game = env.game(index)
            assert cases.seen(game) == end
            assert game.ply == case["plies"]
            assert game.moves == case["moves"][-len(game.moves) :]
            assert info["termination"][index] == code(end)
            assert info["winner"][index] == winner(end)
            assert info["to_move"][index] == end["to_move"]
            both = [outcome(end, seat) for seat in (0, 1)]
            assert info["seat_rewards"][index].tolist() == both
            assert rewards[index] == both[ply % 2]
    assert checked == 30
