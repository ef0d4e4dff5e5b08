"""The rewards of whole episodes, against the same moves played in a `Game`."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import oware
from oware.types import RewardKind
from reference import some_actions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from oware.types import SeatChoice

RULES = {
    "abapa": oware.Rules.named("abapa"),
    "awari": oware.Rules.named("awari"),
    "codingame": oware.Rules.named("codingame"),
    "takes rest": oware.Rules(grand_slam="opponent_takes_rest", no_move="split", seeds_per_pit=3),
    "to the last seed": oware.Rules(majority_ends=False, repetition=2, grand_slam="capture_all"),
}


@dataclass
class Episode:
    """What an environment gave in one episode, beside a replay of its moves."""

    game: oware.Game
    start: int
    """South's lead when the agent first moves."""
    movers: list[int] = field(default_factory=list)
    leads: list[int] = field(default_factory=list)
    """South's lead after each step."""
    rewards: list[float] = field(default_factory=list)
    seat_rewards: list[list[float]] = field(default_factory=list)
    terminated: bool = False
    truncated: bool = False
    termination: int = 0
    winner: int = -1


def lead(game: oware.Game) -> int:
    return game.stores[0] - game.stores[1]


def begin(env: oware.OwareEnv, row: int) -> Episode:
    """An episode at its start, the opening and the opponent's first ply replayed."""
    game = env.game(row)
    if game.ply == len(game.moves):
        replay = oware.Game(env.rules)
        for move in game.moves:
            replay.play(move)
        assert replay == game
    return Episode(game, lead(game))


def episodes(env: oware.OwareEnv, steps: int, rng: np.random.Generator) -> Iterator[Episode]:
    """Play at random, and give each episode that ends."""
    _, info = env.reset(seed=7)
    rows = [begin(env, row) for row in range(env.num_envs)]
    for _ in range(steps):
        before = info["to_move"]
        actions = some_actions(rng, info["action_mask"])
        _, reward, terminated, truncated, info = env.step(actions)
        for row, episode in enumerate(rows):
            if episode.terminated or episode.truncated:
                assert (reward[row], terminated[row], truncated[row]) == (0, False, False)
                assert info["seat_rewards"][row].tolist() == [0, 0]
                rows[row] = begin(env, row)
                continue
            game = episode.game
            episode.movers.append(before[row])
            game.play(actions[row])
            if not game.is_over and game.to_move != info["to_move"][row]:
                game.play(env.game(row).moves[-1])
            assert (tuple(env.pits[row]), tuple(env.stores[row])) == (game.pits, game.stores)
            episode.leads.append(lead(game))
            episode.rewards.append(reward[row])
            episode.seat_rewards.append(info["seat_rewards"][row].tolist())
            episode.terminated = bool(terminated[row])
            episode.truncated = bool(truncated[row])
            episode.termination = info["termination"][row]
            episode.winner = info["winner"][row]
            if episode.terminated or episode.truncated:
                yield episode


def expected(kind: RewardKind, episode: Episode, total: int) -> list[float]:
    """What South is due for each step."""
    if kind == "captures":
        leads = itertools.pairwise([episode.start, *episode.leads])
        return [float(after - before) for before, after in leads]
    end = float(np.sign(lead(episode.game))) if kind == "outcome" else lead(episode.game) / total
    steps = len(episode.leads) - 1
    return [0.0] * steps + [end if episode.terminated else 0.0]


class AnyLegal:
    """A callable opponent that plays at random."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)

    def __call__(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.intp]:
        assert len(observation) == len(mask)
        return some_actions(self.rng, mask)


def check(env: oware.OwareEnv, kind: RewardKind, steps: int, cap: int | None) -> Counter[str]:
    """Check every episode that ends; returns how they do."""
    endings = Counter[str]()
    total = 12 * env.rules.seeds_per_pit
    for episode in episodes(env, steps, np.random.default_rng(1)):
        game = episode.game
        south = np.array(expected(kind, episode, total), np.float32)
        movers = np.array(episode.movers)
        assert np.array_equal(episode.rewards, np.where(movers == 0, south, -south))
        assert np.array_equal(episode.seat_rewards, np.stack([south, -south], axis=1))
        assert episode.terminated == game.is_over
        assert episode.truncated == (not game.is_over)
        assert not episode.truncated or len(episode.rewards) == cap
        assert oware.TERMINATIONS[episode.termination] == (game.termination or "going_on")
        assert episode.winner == (-1 if game.winner is None else game.winner)
        if kind == "captures":
            assert sum(south) == lead(game) - episode.start
        elif kind == "outcome" and game.is_over:
            assert sum(south) == {0: 1, 1: -1, None: 0}[game.winner]
        endings[game.termination or "truncated"] += 1
    return endings


@pytest.mark.parametrize("kind", get_args(RewardKind))
@pytest.mark.parametrize("rules", RULES)
def test_self_play(rules: str, kind: RewardKind) -> None:
    env = oware.OwareEnv(20, rules=RULES[rules], reward=kind, seat_rewards=True)
    endings = check(env, kind, 400, None)
    assert endings.total() > 20
    assert len(endings) > 1
    assert "truncated" not in endings


@pytest.mark.parametrize("kind", get_args(RewardKind))
@pytest.mark.parametrize("seat", ["south", "north"])
@pytest.mark.parametrize("opponent", ["random", "greedy", AnyLegal])
def test_against_an_opponent(opponent: Any, seat: SeatChoice, kind: RewardKind) -> None:
    for number, rules in enumerate(RULES.values()):
        env = oware.OwareEnv(
            8,
            rules=rules,
            opponent=AnyLegal() if opponent is AnyLegal else opponent,
            seat=seat,
            reward=kind,
            seat_rewards=True,
            opening_plies=4 * (number % 2),
        )
        endings = check(env, kind, 160, None)
        assert endings.total() > 8
        assert "truncated" not in endings


@pytest.mark.parametrize("kind", get_args(RewardKind))
@pytest.mark.parametrize("opponent", [None, "random"])
def test_capped_episodes(opponent: Any, kind: RewardKind) -> None:
    cap = 80 if opponent is None else 40
    env = oware.OwareEnv(
        20,
        rules="codingame",
        opponent=opponent,
        reward=kind,
        seat_rewards=True,
        opening_plies=3,
        max_steps=cap,
    )
    endings = check(env, kind, 5 * cap, cap)
    assert endings["truncated"] > 20
    assert endings["majority"] > 10


def test_no_reward_is_a_negative_zero() -> None:
    env = oware.OwareEnv(8, seat_rewards=True, autoreset_mode="same_step", reward="captures")
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for _ in range(200):
        _, reward, _, _, info = env.step(some_actions(rng, info["action_mask"]))
        for numbers in (reward, info["seat_rewards"]):
            assert not np.signbit(numbers[numbers == 0]).any()
