"""The types that users rely on: run by pytest, and checked by mypy and pyright."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from typing_extensions import assert_type

import oware
from oware.types import (
    EndgameKey,
    EndgameStatistics,
    EndingName,
    Policy,
    PuzzleTheme,
    Rating,
    Seat,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def first_legal(_: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.intp]:
    actions: NDArray[np.intp] = action_mask.argmax(axis=1)
    return actions


def test_rules() -> None:
    rules = oware.Rules(grand_slam="forbidden", repetition=0, max_plies=None)
    assert_type(rules.repetition, int)
    assert_type(rules.max_plies, int | None)
    assert_type(rules.majority_ends, bool)
    assert_type(oware.Rules.named("awari"), oware.Rules)
    assert_type(rules.describe(), str)
    assert rules.replace(repetition=3) == oware.Rules(grand_slam="forbidden")
    assert {rules: 1}[rules] == 1


def test_game() -> None:
    game = oware.Game("abapa", pits=[1] * 12, stores=np.array([18, 18]), to_move=1)
    assert_type(game.pits, tuple[int, ...])
    assert_type(game.to_move, Seat)
    assert_type(game.legal_moves(), list[int])
    assert_type(game.play(np.int64(5)), int)
    assert_type(game.undo(), int)
    assert_type(game.termination, EndingName | None)
    assert_type(game.winner, Seat | None)
    assert_type(game.copy(), oware.Game)
    assert_type(game.action_mask(), "NDArray[np.int8]")
    assert_type(oware.Game.from_string(game.to_string(), rules=game.rules), oware.Game)
    assert oware.perft(game, 1) == 6


def test_a_batch() -> None:
    policy: Policy = first_legal
    env = oware.OwareEnv(2, rules=oware.Rules(), opponent=policy, seat="south", reward="captures")
    observation, info = env.reset(seed=[0, None])
    assert_type(info, dict[str, Any])
    assert observation.shape == (2, 14)
    observation, reward, terminated, truncated, info = env.step([0, 1])
    assert_type(reward, "NDArray[np.float32]")
    assert_type(terminated, "NDArray[np.bool_]")
    assert_type(truncated, "NDArray[np.bool_]")
    assert_type(env.pits, "NDArray[np.uint8]")
    assert_type(env.get_state(), bytes)
    assert_type(env.game(1), oware.Game)
    env.set_opponent("greedy")
    assert env.set_state(env.get_state())[0].shape == observation.shape
    env.close()


def test_one_board() -> None:
    env: gymnasium.Env[NDArray[np.uint8], int] = gymnasium.make("oware/Oware-v0")
    observation, info = env.reset(seed=0)
    assert_type(observation, "NDArray[np.uint8]")
    assert env.action_space.sample(mask=info["action_mask"]) in range(6)
    assert env.observation_space.contains(observation)


def test_an_endgame_database() -> None:
    database = oware.Endgame.build(3, oware.Rules(), progress=False)
    game = oware.Game(pits=[0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0])
    assert_type(database.value(game), int)
    assert_type(database.values(np.zeros((2, 12), np.uint8)), "NDArray[np.int8]")
    assert_type(database.move_values(game), dict[int, int])
    assert_type(database.best_line(game), list[int])
    assert_type(database.statistics(np.int64(3)), EndgameStatistics)
    assert_type(database.key, EndgameKey)
    assert database.max_seeds == 3


def test_analysis() -> None:
    game = oware.Game.from_transcript("FfEe")
    review = oware.analysis.review(game, depth=np.int64(2))
    assert_type(review, oware.analysis.Review)
    assert_type(review.moves[0].rating, Rating)
    assert_type(review.moves[0].threat, oware.analysis.Capture | None)
    assert_type(review.table(), list[dict[str, Any]])
    assert_type(oware.analysis.hint(game, depth=2).values, tuple[float | None, ...])
    assert_type(oware.analysis.threats(game), tuple[oware.analysis.Capture, ...])
    assert_type(oware.analysis.explain(game).of("threat"), tuple[oware.analysis.Fact, ...])
    [puzzle] = oware.analysis.puzzles(1, themes=["endgame"])
    assert_type(puzzle.theme, PuzzleTheme)
    assert_type(oware.analysis.openings(1, nodes=9).root.value, float | None)
