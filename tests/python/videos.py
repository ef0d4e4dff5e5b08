"""A game that Gymnasium records as a video."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from pathlib import Path


def recorded_game(folder: Path) -> tuple[Any, int]:
    """An environment that still records, and the steps that it took to the end of a game."""
    env = gymnasium.make("oware:oware/Oware-v0", render_mode="rgb_array", opponent="random")
    recorded: Any = gymnasium.wrappers.RecordVideo(env, str(folder))
    _, info = recorded.reset(seed=5)
    over, steps = False, 0
    while not over:
        _, _, terminated, truncated, info = recorded.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
        steps += 1
    return recorded, steps
