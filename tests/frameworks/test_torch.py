"""Networks as players."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import oware
from oware.adapters.torch import TorchAgent
from oware.agents import evaluate


def constant(values: list[float]) -> Any:
    """A network that thinks the same of every board."""
    return lambda seen: torch.tensor(values).expand(len(seen), -1)


BOARDS = np.zeros((2, 14), np.uint8)
MASKS = np.array([[1, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 1]], np.int8)


def test_the_best_legal_move_is_played() -> None:
    player = TorchAgent(constant([0, 1, 9, 2, 8, 3]), deterministic=True)
    assert player(BOARDS, MASKS).tolist() == [5, 2]


def test_moves_are_drawn_by_their_logits() -> None:
    torch.manual_seed(0)
    player = TorchAgent(constant([0.0, np.log(3.0), 5.0, -np.inf, 1.0, -np.inf]))
    played = player(BOARDS[:1].repeat(4000, 0), MASKS[:1].repeat(4000, 0))
    counts = np.bincount(played, minlength=6)
    assert counts[[2, 3, 4, 5]].sum() == 0
    assert abs(counts[1] / 4000 - 0.75) < 0.03


def test_a_network_may_return_a_value_too() -> None:
    logits = constant([0, 1, 9, 2, 8, 3])
    player = TorchAgent(lambda seen: (logits(seen), seen.sum(dim=1)), deterministic=True)
    assert player(BOARDS, MASKS).tolist() == [5, 2]


def test_it_sees_float32_and_leaves_no_gradients() -> None:
    seen = []
    linear = torch.nn.Linear(14, 6)

    def watched(board: torch.Tensor) -> Any:
        seen.append((board.dtype, tuple(board.shape), torch.is_grad_enabled()))
        return linear(board)

    frozen = BOARDS.copy()
    frozen.flags.writeable = False
    # An array that must not be written to is one that torch warns of.
    TorchAgent(watched)(frozen, MASKS)
    assert seen == [(torch.float32, (2, 14), False)]


def test_it_is_a_player_like_any_other() -> None:
    torch.manual_seed(0)
    player = TorchAgent(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(350, 6)))
    for side in (
        evaluate(player, "random", 100, observation="one_hot"),
        evaluate("random", player, 100, observation="one_hot"),
    ):
        assert side.total.games == 100
    env = oware.OwareEnv(4, opponent=player, observation="one_hot")
    env.reset(seed=0)


def test_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"returned \(2, 5\) for 2 boards; it must be \(2, 6\)"):
        TorchAgent(constant([0.0] * 5))(BOARDS, MASKS)
