"""The `VecEnv` for Stable-Baselines3, beside `DummyVecEnv`, and an agent that it trains."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import oware
from oware.adapters.sb3 import OwareVecEnv, SB3Agent
from oware.agents import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

pytest_plugins = "win_rates"

PAGE = Path(__file__).parents[2] / "docs" / "frameworks.md"

# The networks are too small for more, and the machine may be shared.
torch.set_num_threads(1)


def make(num_envs: int, **settings: Any) -> Any:
    """The environment, of which Stable-Baselines3 knows too little for a type checker."""
    return OwareVecEnv(num_envs, **settings)


def lowest(env: Any) -> Any:
    """The first legal action of each environment."""
    return env.action_masks().argmax(axis=1)


class MaskedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The single environment as MaskablePPO wants it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(gymnasium.make("oware/Oware-v0", **settings))

    def reset(self, **how: Any) -> Any:
        observation, self._info = super().reset(**how)
        return observation, self._info

    def step(self, action: Any) -> Any:
        *told, self._info = super().step(action)
        return *told, self._info

    def action_masks(self) -> Any:
        return self._info["action_mask"].astype(bool)


@pytest.mark.parametrize("observation", ["seeds", "one_hot"])
@pytest.mark.parametrize("reward", ["outcome", "captures"])
def test_it_is_dummy_vec_env_over_single_environments(observation: Any, reward: Any) -> None:
    settings: dict[str, Any] = {
        "opponent": "random",
        "observation": observation,
        "reward": reward,
        "max_steps": 40,
        "opening_plies": 2,
    }
    slow: Any = DummyVecEnv([lambda: MaskedEnv(**settings) for _ in range(5)])
    fast = make(5, **settings)
    assert fast.observation_space == slow.observation_space
    assert fast.action_space == slow.action_space
    assert fast.seed(3) == slow.seed(3)
    assert np.array_equal(fast.reset(), slow.reset())
    ends = set()
    rng = np.random.default_rng(0)
    for _ in range(400):
        masks = get_action_masks(slow)
        assert np.array_equal(get_action_masks(fast), masks)
        assert np.array_equal(fast.action_masks(), masks)
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        seen, rewards, ended, infos = fast.step(actions)
        seen_too, rewards_too, ended_too, infos_too = slow.step(actions)
        assert np.array_equal(seen, seen_too)
        assert seen.dtype == seen_too.dtype
        assert np.array_equal(rewards, rewards_too)
        assert rewards.dtype == rewards_too.dtype
        assert np.array_equal(ended, ended_too)
        for ours, theirs, over in zip(infos, infos_too, ended, strict=True):
            assert ours["TimeLimit.truncated"] == theirs["TimeLimit.truncated"]
            assert ("terminal_observation" in ours) == over
            if over:
                assert np.array_equal(ours["terminal_observation"], theirs["terminal_observation"])
                assert ours["winner"] == theirs["winner"]
                assert ours["termination"] == theirs["termination"]
                assert ours["is_success"] == (theirs["winner"] == theirs["to_move"])
                ends.add((ours["TimeLimit.truncated"], ours["is_success"]))
        for ours, theirs in zip(fast.reset_infos, slow.reset_infos, strict=True):
            assert np.array_equal(ours["action_mask"], theirs["action_mask"])
            assert ours["to_move"] == theirs["to_move"]
    assert ends == {(False, True), (False, False), (True, False)}


def test_episodes_are_counted_as_by_a_monitor() -> None:
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        env: Any = VecMonitor(make(8, reward="captures", opponent="greedy"))
    own: list[Any] = []
    step_wait = env.venv.step_wait

    def watch() -> Any:
        told = step_wait()
        own.extend(info["episode"] for info in told[3] if "episode" in info)
        return told

    env.venv.step_wait = watch
    env.seed(1)
    env.reset()
    counted: list[Any] = []
    while len(counted) < 30:
        *_, infos = env.step(lowest(env.venv))
        counted += [info["episode"] for info in infos if "episode" in info]
    assert [(each["r"], each["l"]) for each in own] == [(each["r"], each["l"]) for each in counted]
    assert all(each["t"] > 0 for each in own)


def test_seeds_are_used_once() -> None:
    env = make(4, opening_plies=6)
    env.seed(5)
    first = env.reset()
    second = env.reset()
    assert not np.array_equal(first, second)
    env.seed(5)
    assert np.array_equal(env.reset(), first)
    expected, _ = oware.OwareEnv(4, opponent="random", opening_plies=6).reset(seed=5)
    assert np.array_equal(first, expected)


def test_masks_are_found_by_name() -> None:
    env = make(3)
    env.reset()
    assert is_masking_supported(env)
    assert not env.has_attr("no_such_thing")
    [mask] = env.env_method("action_masks", indices=1)
    assert np.array_equal(mask, env.action_masks()[1])
    [method] = env.get_attr("action_masks", indices=[2])
    assert np.array_equal(method(), env.action_masks()[2])
    env.step(lowest(env))
    assert [game.ply > 0 for game in env.env_method("game")] == [True] * 3
    assert env.get_attr("rules", indices=1) == [oware.Rules.named("abapa")]
    assert env.env_method("set_opponent", "greedy") == [None] * 3
    env.set_attr("note", 7)
    assert env.get_attr("note") == [7, 7, 7]


def test_what_belongs_to_the_batch_is_not_for_one_environment() -> None:
    env = make(3)
    with pytest.raises(ValueError, match="the method 'set_opponent' is that of all environments"):
        env.env_method("set_opponent", "greedy", indices=[0])
    with pytest.raises(ValueError, match="the attribute 'note' is that of all environments"):
        env.set_attr("note", 7, indices=1)
    with pytest.raises(AttributeError, match="no_such_thing"):
        env.env_method("no_such_thing")


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(TypeError, match="opponent is None; Stable-Baselines3 learns one seat"):
        make(2, opponent=None)
    with pytest.raises(ValueError, match="num_envs"):
        make(0)
    env = make(2, seat="south")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step([0, 0])
    env.reset()
    with pytest.raises(RuntimeError, match="without step_async"):
        env.step_wait()
    with pytest.raises(oware.IllegalMoveError, match="environment 1: action 6"):
        env.step([0, 6])
    env.set_options({"position": 1})
    with pytest.raises(ValueError, match="unknown options"):
        env.reset()
    with pytest.raises(TypeError, match=r"PPO\.predict takes no action_masks"):
        SB3Agent(PPO("MlpPolicy", env))


def by_pickle(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))  # noqa: S301


@pytest.mark.parametrize("duplicate", [copy.deepcopy, by_pickle])
def test_a_copy_goes_on_as_the_original(duplicate: Any) -> None:
    env = make(6, max_steps=30)
    env.seed(2)
    env.reset()
    for _ in range(20):
        env.step(lowest(env))
    other = duplicate(env)
    for _ in range(50):
        actions = lowest(env)
        assert np.array_equal(lowest(other), actions)
        *told, infos = env.step(actions)
        *told_too, infos_too = other.step(actions)
        assert all(map(np.array_equal, told, told_too))
        for info, info_too in zip(infos, infos_too, strict=True):
            assert info.keys() == info_too.keys()
            if "episode" in info:
                assert info["episode"]["l"] == info_too["episode"]["l"]


def test_pictures_are_tiled() -> None:
    env = make(4, render_mode="rgb_array")
    env.reset()
    frame = env.render()
    assert frame.shape == (480, 1280, 3)
    assert frame.dtype == np.uint8
    assert make(2, render_mode="ansi").get_attr("render_mode") == ["ansi", "ansi"]


def test_maskable_ppo_learns_to_win(win_rates: Callable[[object], dict[str, float]]) -> None:
    """As the page on frameworks shows it."""
    section = PAGE.read_text(encoding="utf-8").partition("## Stable-Baselines3")[2]
    code = section.partition("```python needs-frameworks\n")[2].partition("```")[0]
    shown: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), shown)
    model = shown["model"]
    assert shown["result"].total.win_rate > 0.9
    player = SB3Agent(model, deterministic=True)
    result = evaluate(player, "random", games=2000, observation="one_hot", seed=1)
    win_rates(result)
    assert result.south.win_rate > 0.9
    assert result.north.win_rate > 0.9

    # The framework's own account, logged and evaluated, is that of the arena.
    assert np.mean(model.ep_success_buffer) > 0.9
    rewards: Any
    lengths: Any
    rewards, lengths = evaluate_policy(
        model, make(50, observation="one_hot"), 200, return_episode_rewards=True
    )
    assert len(rewards) == len(lengths) == 200
    assert np.mean(rewards) > 0.8

    # An opponent like any other, and a copy of it too.
    for opponent in (player, copy.deepcopy(player)):
        weaker = evaluate("random", opponent, games=200, observation="one_hot")
        assert weaker.total.win_rate < 0.1
