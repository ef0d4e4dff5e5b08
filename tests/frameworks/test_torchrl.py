"""The environment for TorchRL, by TorchRL's own checks, and agents that are trained through it."""

from __future__ import annotations

import copy
import pickle
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
import torch
from torchrl.collectors import Collector
from torchrl.envs import EnvBase
from torchrl.envs.utils import check_env_specs

import oware
from oware.adapters.torchrl import OwareTorchEnv
from oware.agents import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

pytest_plugins = "win_rates"

SCRIPTS = Path(__file__).parents[2] / "scripts"

# The networks are too small for more, and the machine may be shared.
torch.set_num_threads(1)


def make(num_envs: int, **settings: Any) -> Any:
    """The environment, of which TorchRL tells a type checker too little."""
    return OwareTorchEnv(num_envs, **settings)


@pytest.mark.parametrize("observation", ["seeds", "normalized", "one_hot"])
@pytest.mark.parametrize("opponent", ["random", None])
def test_torchrl_finds_no_fault(observation: str, opponent: str | None) -> None:
    env = make(5, observation=observation, opponent=opponent, max_steps=20)
    check_env_specs(env, seed=0)
    check_env_specs(env, break_when_any_done="both")
    assert env.batch_locked
    assert env.batch_size == (5,)


def array_of(tensor: torch.Tensor) -> Any:
    return tensor.squeeze(-1).numpy()


def test_it_is_the_batch() -> None:
    """Steps, flags and masks are those of a batch whose finished rows are reset by hand."""
    settings: dict[str, Any] = {"opponent": "greedy", "observation": "seeds", "max_steps": 30}
    env = make(6, **settings)
    batch = oware.OwareEnv(6, autoreset_mode="disabled", **settings)
    env.set_seed(4)
    torch.manual_seed(0)
    told = env.rollout(300, break_when_any_done=False)
    observation, info = batch.reset(seed=4)
    ends = set()
    for step in range(300):
        seen = told[:, step]
        assert np.array_equal(seen["observation"], observation)
        assert np.array_equal(seen["action_mask"], info["action_mask"] != 0)
        assert np.array_equal(seen["to_move"], info["to_move"])
        observation, reward, terminated, truncated, info = batch.step(seen["action"].numpy())
        then = seen["next"]
        assert np.array_equal(then["observation"], observation)
        assert np.array_equal(then["action_mask"], info["action_mask"] != 0)
        assert np.array_equal(array_of(then["reward"]), reward)
        assert np.array_equal(array_of(then["terminated"]), terminated)
        assert np.array_equal(array_of(then["truncated"]), truncated)
        assert np.array_equal(array_of(then["done"]), terminated | truncated)
        ended = terminated | truncated
        ends |= set(zip(terminated.tolist(), truncated.tolist(), strict=True))
        if ended.any():
            observation, info = batch.reset(options={"reset_mask": ended})
    assert ends == {(False, False), (True, False), (False, True)}


def test_a_mask_is_never_empty() -> None:
    env = make(50, opponent=None, rules="village", max_steps=100)
    env.set_seed(1)
    told = env.rollout(400, break_when_any_done=False)
    assert told["next", "terminated"].any()
    for masks in (told["action_mask"], told["next", "action_mask"]):
        assert masks.dtype == torch.bool
        assert masks.any(dim=-1).all()
    finished = told["next", "done"].squeeze(-1)
    assert told["next", "action_mask"][finished].all()


def test_tensors_lie_in_the_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(8, observation="one_hot")
    arrays: list[dict[str, Any]] = []
    step = oware.OwareEnv.step

    def watched(self: oware.OwareEnv, actions: Any) -> Any:
        told = step(self, actions)
        arrays.append({"action": actions, "observation": told[0], "reward": told[1], **told[4]})
        return told

    monkeypatch.setattr(oware.OwareEnv, "step", watched)
    now = env.rand_action(env.reset())
    given = now["action"]
    then = env.step(now)["next"]
    [seen] = arrays
    assert seen["action"].ctypes.data == given.data_ptr()
    for name in ("observation", "action_mask", "to_move", "reward"):
        assert seen[name].ctypes.data == then[name].data_ptr(), name
    # What has been handed out is not written to again.
    before = then["observation"].clone()
    env.step(env.rand_action(then.exclude("reward")))
    assert torch.equal(then["observation"], before)


def test_a_seed_gives_the_same_episodes() -> None:
    def play(env: Any) -> torch.Tensor:
        env.set_seed(9)
        torch.manual_seed(0)
        seen: torch.Tensor = env.rollout(100, break_when_any_done=False)["observation"]
        return seen

    env = make(4, opening_plies=4)
    first = play(env)
    assert torch.equal(play(env), first)
    assert torch.equal(play(make(4, opening_plies=4, num_threads=2)), first)
    env.set_seed(10)
    assert not torch.equal(env.reset()["observation"], first[:, 0])


def by_pickle(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))  # noqa: S301


@pytest.mark.parametrize("duplicate", [copy.deepcopy, by_pickle])
def test_a_copy_goes_on_as_the_original(duplicate: Any) -> None:
    env = make(4, max_steps=10)
    now = env.reset()
    for _ in range(5):
        now = env.step(env.rand_action(now))["next"]
    other = duplicate(env)
    for _ in range(5):
        action = now["action_mask"].int().argmax(dim=-1)
        then = env.step(now.clone().set("action", action))["next"]
        assert (other.step(now.clone().set("action", action))["next"] == then).all()
        now = then


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(ValueError, match="num_envs"):
        make(0)
    with pytest.raises(ValueError, match="unknown opponent"):
        make(2, opponent="nobody")
    env = make(2, seat="south", max_steps=1)
    now = env.reset()
    with pytest.raises(oware.IllegalMoveError, match="environment 1: action 6"):
        env.step(now.clone().set("action", torch.tensor([0, 6])))
    then = env.step(now.clone().set("action", torch.tensor([0, 0])))["next"]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(then.clone().set("action", torch.tensor([0, 0])))
    assert env.game(1).ply == 2
    env.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        env.env.reset()


def test_a_collector_plays_legal_moves() -> None:
    env = make(16, max_steps=40)
    assert isinstance(env, EnvBase)
    collector: Any = Collector(env, env.rand_action, frames_per_batch=1600, total_frames=4800)
    frames = 0
    for batch in collector:
        legal = batch["action_mask"].gather(-1, batch["action"].unsqueeze(-1))
        assert legal.all()
        assert batch["next", "truncated"].any()
        frames += batch.numel()
    assert frames == 4800


@pytest.mark.parametrize("name", ["train_torchrl", "train_pettingzoo"])
def test_training_makes_a_winner_from_each_seat(
    name: str, win_rates: Callable[[object], dict[str, float]]
) -> None:
    player = runpy.run_path(str(SCRIPTS / f"{name}.py"))["train"]()
    result = evaluate(player, "random", games=2000, observation="one_hot", seed=1)
    win_rates(result)
    assert result.south.win_rate > 0.85
    assert result.north.win_rate > 0.85
    # An opponent like any other, and a copy of it too.
    player.deterministic = True
    for opponent in (player, copy.deepcopy(player)):
        assert evaluate("random", opponent, 200, observation="one_hot").total.win_rate < 0.15
