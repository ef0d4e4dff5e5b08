"""Every kernel of this machine plays the same games, and can be forced."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

import oware

if TYPE_CHECKING:
    from oware.types import AutoresetName, OpponentName, RuleSetName

KERNELS = oware.cpu_features()


def played(
    num_envs: int, opponent: OpponentName | None, mode: AutoresetName, rules: RuleSetName
) -> tuple[str, bytes]:
    """A digest of everything that some steps show, and the state after them."""
    env = oware.OwareEnv(
        num_envs,
        rules=rules,
        opponent=opponent,
        autoreset_mode=mode,
        reward="captures",
        seat_rewards=True,
    )
    digest = hashlib.sha256()
    observation, info = env.reset(seed=5)
    generator = np.random.default_rng(5)
    for _ in range(150):
        scores = generator.random((num_envs, 6)) * info["action_mask"]
        observation, reward, terminated, truncated, info = env.step(scores.argmax(axis=1))
        shown = [observation, reward, terminated, truncated]
        shown += [info[name] for name in ("action_mask", "to_move", "termination", "winner")]
        for array in [*shown, info["seat_rewards"]]:
            digest.update(array.tobytes())
        if "final_info" in info:
            digest.update(np.stack([row for row in info["final_obs"] if row is not None]).tobytes())
            digest.update(info["final_info"]["winner"].tobytes())
    return digest.hexdigest(), env.get_state()


@pytest.mark.parametrize("rules", ["abapa", "awari", "codingame"])
@pytest.mark.parametrize("opponent", [None, "random", "greedy"])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_all_kernels_play_alike(
    monkeypatch: pytest.MonkeyPatch,
    rules: RuleSetName,
    opponent: OpponentName | None,
    mode: AutoresetName,
) -> None:
    games = {}
    for kernel in KERNELS:
        monkeypatch.setenv("OWARE_KERNEL", kernel)
        games[kernel] = played(100, opponent, mode, rules)
    assert len(set(games.values())) == 1, {name: digest for name, (digest, _) in games.items()}


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_can_be_forced(monkeypatch: pytest.MonkeyPatch, kernel: str) -> None:
    monkeypatch.setenv("OWARE_KERNEL", kernel)
    assert oware.OwareEnv(1).kernel == kernel
    assert oware.OwareEnv(100).kernel == kernel


def test_the_best_kernel_for_the_size_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OWARE_KERNEL", raising=False)
    assert oware.OwareEnv(1).kernel == "words"
    assert oware.OwareEnv(4096).kernel == KERNELS[0]
    monkeypatch.setenv("OWARE_KERNEL", "")
    assert oware.OwareEnv(4096).kernel == KERNELS[0]


def test_an_outside_opponent_is_asked_by_single_environments() -> None:
    env = oware.OwareEnv(100, opponent="random")
    env.reset(seed=0)
    state = env.get_state()
    env.set_opponent(lambda _, mask: mask.argmax(axis=1))
    assert env.kernel == "words"
    assert env.get_state() == state


def test_an_unknown_kernel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWARE_KERNEL", "mmx")
    with pytest.raises(ValueError, match=r'^OWARE_KERNEL: unknown kernel "mmx"; known: avx512, '):
        oware.OwareEnv(1)
