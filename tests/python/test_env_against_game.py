"""Random play of a batch, row by row against a slow environment made of `Game`s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import oware
from oware.types import (
    AutoresetName,
    Feeding,
    GrandSlam,
    ObservationKind,
    RewardKind,
    RuleSetName,
    SeatChoice,
    Share,
)
from reference import ReferenceEnv, assert_same, first_legal, some_actions

if TYPE_CHECKING:
    from oware.types import OpponentName, Policy


def some_rules(rng: np.random.Generator) -> oware.Rules:
    """Rules over all fields; half of them are short, so that a test sees many endings."""
    return oware.Rules(
        grand_slam=rng.choice(get_args(GrandSlam)),
        feeding=rng.choice(get_args(Feeding)),
        no_move=rng.choice(get_args(Share)),
        repetition=int(rng.choice([0, 2, 3, 4])),
        repetition_needs_both_rows=bool(rng.integers(2)),
        repetition_share=rng.choice(get_args(Share)),
        max_plies=int(rng.integers(12, 120)) if rng.integers(2) else None,
        limit_share=rng.choice(get_args(Share)),
        majority_ends=bool(rng.integers(2)),
        seeds_per_pit=int(rng.integers(1, 21)),
    )


def some_settings(rng: np.random.Generator) -> dict[str, Any]:
    """Arguments of an environment, over all that change what it plays or shows."""
    return {
        "rules": some_rules(rng),
        "opponent": (None, "random", "greedy", first_legal)[rng.integers(4)],
        "seat": rng.choice(get_args(SeatChoice)),
        "observation": rng.choice(get_args(ObservationKind)),
        "reward": rng.choice(get_args(RewardKind)),
        "seat_rewards": bool(rng.integers(2)),
        "autoreset_mode": rng.choice(get_args(AutoresetName)),
        "max_steps": (1, 30, 1000, None)[rng.integers(4)],
        "opening_plies": (0, 0, 1, 4)[rng.integers(4)],
    }


class Pair:
    """An environment and its slow twin, which do the same and must answer the same."""

    def __init__(self, num_envs: int, **settings: Any) -> None:
        self.ours = oware.OwareEnv(num_envs, **settings)
        self.slow = ReferenceEnv(num_envs, **settings)
        self.action_mask = np.ones((num_envs, 6), np.int8)
        self.over = np.zeros(num_envs, bool)
        self.finished = 0

    def do(self, name: str, *args: Any, **kwargs: Any) -> None:
        answer = getattr(self.ours, name)(*args, **kwargs)
        assert_same(answer, getattr(self.slow, name)(*args, **kwargs))
        self.action_mask = answer[-1]["action_mask"]
        pits, stores = self.ours.pits.tolist(), self.ours.stores.tolist()
        for index, row in enumerate(self.slow.rows):
            assert (pits[index], stores[index]) == ([*row.game.pits], [*row.game.stores])
        if name == "step":
            self.over = answer[2] | answer[3]
            self.finished += int(self.over.sum())

    def play(self, steps: int, rng: np.random.Generator) -> None:
        """Steps at random, with resets where the environment makes none."""
        for _ in range(steps):
            if self.over.any() and self.slow.settings["autoreset_mode"] == "disabled":
                self.do("reset", options={"reset_mask": self.over})
            self.do("step", some_actions(rng, self.action_mask))
            index = int(rng.integers(len(self.slow.rows)))
            self.compare_game(index)

    def compare_game(self, index: int) -> None:
        """`game(i)` is the game there, with its latest moves."""
        ours, slow = self.ours.game(index), self.slow.rows[index].game
        assert (str(ours), ours.ply, ours.rules) == (str(slow), slow.ply, slow.rules)
        assert (ours.termination, ours.unawarded) == (slow.termination, slow.unawarded)
        assert ours.moves == slow.moves[len(slow.moves) - len(ours.moves) :]
        assert bool(ours.moves) == bool(slow.moves)


@pytest.mark.parametrize("rules", get_args(RuleSetName))
def test_named_rules(rules: RuleSetName) -> None:
    pair = Pair(31, rules=rules)
    pair.do("reset", seed=5)
    pair.play(300, np.random.default_rng(0))
    assert pair.finished > 31


def test_every_named_rule_set_is_played() -> None:
    assert set(get_args(RuleSetName)) == oware.RULE_SETS.keys()


@pytest.mark.parametrize("case", range(60))
def test_random_settings(case: int) -> None:
    rng = np.random.default_rng(case)
    pair = Pair(7, **some_settings(rng))
    pair.do("reset", seed=case)
    pair.play(60, rng)
    pair.do("reset", seed=[3, None, 3, None, 0, 2**63, 2**64 - 8])
    pair.play(20, rng)
    pair.do("reset", seed=9, options={"reset_mask": rng.random(7) < [1, *[0.5] * 6]})
    pair.play(20, rng)


@pytest.mark.parametrize("case", range(30))
def test_set_up_positions(case: int) -> None:
    rng = np.random.default_rng(case)
    settings = some_settings(rng) | {"seat": ("south", "north")[case % 2]}
    pair = Pair(5, **settings)
    pair.do("reset", seed=case)
    for _ in range(8):
        boards = [some_board(rng, settings) for _ in range(5)]
        pits, stores, to_move = zip(*boards, strict=True)
        mask = rng.random(5) < [1, *[0.5] * 4]
        pair.do("set_positions", np.array(pits), np.array(stores), np.array(to_move), mask)
        pair.play(12, rng)


def some_board(
    rng: np.random.Generator, settings: dict[str, Any]
) -> tuple[list[int], list[int], int]:
    """A board from which an episode can start: in play, and so after the opponent's first ply."""
    rules = settings["rules"]
    while True:
        weights = rng.random(14) * (rng.random(14) < rng.random())
        counts = rng.multinomial(
            rng.integers(12 * rules.seeds_per_pit) + 1, (weights + 1e-9) / (weights + 1e-9).sum()
        ).tolist()
        to_move = int(rng.integers(2))
        game = oware.Game(rules, pits=counts[:12], stores=counts[12:], to_move=to_move)
        afters = []
        for move in game.legal_moves():
            afters.append(game.copy())
            afters[-1].play(move)
        if not game.is_over and not any(after.is_over for after in afters):
            return counts[:12], counts[12:], to_move


@pytest.mark.parametrize("seat", get_args(SeatChoice))
def test_changes_of_the_opponent(seat: SeatChoice) -> None:
    rng = np.random.default_rng(1)
    pair = Pair(9, rules="codingame", opponent="random", seat=seat, opening_plies=2)
    pair.do("reset", seed=0)
    opponents: list[OpponentName | Policy] = ["greedy", first_legal, "random", first_legal]
    for opponent in opponents:
        pair.ours.set_opponent(opponent)
        pair.slow.set_opponent(opponent)
        pair.play(100, rng)
    assert pair.finished > 27


@pytest.mark.parametrize("opponent", [None, "random", "greedy", first_legal])
def test_openings_that_end_the_game_are_drawn_again(opponent: Any) -> None:
    rules = oware.Rules(seeds_per_pit=1)
    pair = Pair(20, rules=rules, opponent=opponent, opening_plies=50, max_steps=5)
    pair.do("reset", seed=0)
    pair.play(60, np.random.default_rng(0))
    assert sum(row.redrawn for row in pair.slow.rows) > 100
