"""Gymnasium's checker and wrappers around the environments."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, get_args

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import vector
from packaging.version import Version

import oware
from oware.single import OwareSingleEnv
from oware.types import AutoresetName, ObservationKind, OpponentName, RewardKind, SeatChoice
from reference import assert_same, first_legal, some_actions

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODES = get_args(AutoresetName)
# Before, a step that begins an episode was left out in same-step mode.
COUNTS_EVERY_STEP = Version(gymnasium.__version__) >= Version("1.4")
# Before, every entry of an info needed a mask beside it, also one that all rows have.
LISTS_WITHOUT_MASKS = Version(gymnasium.__version__) >= Version("1.2.2")

SETTINGS: dict[str, dict[str, Any]] = {
    "self-play": {"rules": "codingame", "reward": "captures", "max_steps": 70},
    "random": {"rules": "awari", "reward": "margin", "opponent": "random", "opening_plies": 2},
    "callable": {"rules": "codingame", "reward": "captures", "opponent": first_legal},
}


def make(**settings: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make("oware/Oware-v0", **settings)


@pytest.mark.parametrize("seat", get_args(SeatChoice))
@pytest.mark.parametrize("opponent", [None, *get_args(OpponentName), first_legal])
def test_the_checker_is_silent(opponent: Any, seat: SeatChoice) -> None:
    kinds = itertools.product(get_args(ObservationKind), get_args(RewardKind), [0, 3])
    rule_sets = itertools.cycle(oware.RULE_SETS)
    for (observation, reward, opening_plies), rules in zip(kinds, rule_sets, strict=False):
        env = make(
            rules=rules,
            opponent=opponent,
            observation=observation,
            reward=reward,
            seat=seat,
            opening_plies=opening_plies,
            seat_rewards=opening_plies > 0,
        )
        # The checker knows no masks; a sample of this seed is legal wherever it is played.
        env.action_space.seed(3)
        # Any warning is an error here.
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_the_checker_renders(mode: str | None) -> None:
    check_env(make(render_mode=mode).unwrapped)


def pick(observation: NDArray[np.uint8], mask: NDArray[np.int8]) -> int:
    """A move that follows from what is seen, and still varies."""
    legal = np.flatnonzero(mask)
    weighed = int(observation.astype(int) @ np.arange(3, 17) ** 2)
    return int(legal[weighed % len(legal)])


def picks(env: gymnasium.vector.VectorEnv[Any, Any, Any], info: dict[str, Any]) -> list[int]:
    batch = env.unwrapped
    assert isinstance(batch, oware.OwareEnv)
    return [pick(*row) for row in zip(batch.observe(), info["action_mask"], strict=True)]


def by_hand(settings: dict[str, Any], seed: int, episodes: int) -> list[list[float]]:
    """The rewards of episode after episode of one environment."""
    env = OwareSingleEnv(**settings)
    found = []
    for episode in range(episodes):
        observation, info = env.reset(seed=None if episode else seed)
        rewards = []
        over = False
        while not over:
            action = pick(observation, info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            rewards.append(reward)
            over = terminated or truncated
        found.append(rewards)
    return found


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SETTINGS)
def test_statistics_of_a_batch(name: str, mode: AutoresetName, copy: bool) -> None:
    settings = SETTINGS[name]
    env = vector.RecordEpisodeStatistics(
        oware.OwareEnv(4, autoreset_mode=mode, copy=copy, **settings)
    )
    statistics: list[list[tuple[float, int]]] = [[] for _ in range(4)]
    _, info = env.reset(seed=20)
    for _ in range(400):
        _, _, terminated, truncated, info = env.step(picks(env, info))
        over = terminated | truncated
        assert over.any() == ("episode" in info)
        if not over.any():
            continue
        assert_same(info["_episode"], over)
        for row in np.flatnonzero(over).tolist():
            statistics[row].append((info["episode"]["r"][row], info["episode"]["l"][row]))
        if mode == "disabled":
            _, info = env.reset(options={"reset_mask": over.copy()})
    episodes = min(map(len, statistics))
    assert episodes > 3
    for row, found in enumerate(statistics):
        expected = by_hand(settings, 20 + row, len(found))
        if mode == "same_step" and not COUNTS_EVERY_STEP:
            expected[1:] = [rewards[1:] for rewards in expected[1:]]
        assert [length for _, length in found] == [len(rewards) for rewards in expected]
        assert np.allclose([total for total, _ in found], [sum(rewards) for rewards in expected])
    assert env.episode_count == sum(map(len, statistics))


@pytest.mark.parametrize("name", SETTINGS)
def test_statistics_of_a_single_environment(name: str) -> None:
    env = wrappers.RecordEpisodeStatistics(make(**SETTINGS[name]))
    for episode, rewards in enumerate(by_hand(SETTINGS[name], 5, 4)):
        observation, info = env.reset(seed=None if episode else 5)
        for index in range(len(rewards)):
            assert "episode" not in info
            action = pick(observation, info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            assert reward == rewards[index]
            assert (terminated or truncated) == (index + 1 == len(rewards))
        assert info["episode"]["l"] == len(rewards)
        assert np.isclose(info["episode"]["r"], sum(rewards))


def test_statistics_of_gymnasiums_batch() -> None:
    settings = SETTINGS["random"]
    env = gymnasium.make_vec("oware/Oware-v0", num_envs=3, vectorization_mode="sync", **settings)
    assert isinstance(env, SyncVectorEnv)
    recorded = vector.RecordEpisodeStatistics(env)
    observation, info = recorded.reset(seed=1)
    lengths: list[list[int]] = [[], [], []]
    for _ in range(300):
        actions = [pick(*row) for row in zip(observation, info["action_mask"], strict=True)]
        observation, _, _, _, info = recorded.step(actions)
        for row in np.flatnonzero(info.get("_episode", [])).tolist():
            lengths[row].append(info["episode"]["l"][row])
    for row, found in enumerate(lengths):
        assert found
        assert found == [len(rewards) for rewards in by_hand(settings, 1 + row, len(found))]
    recorded.close()


@pytest.mark.parametrize("kind", get_args(ObservationKind))
def test_normalized_observations(kind: ObservationKind) -> None:
    settings = {**SETTINGS["self-play"], "observation": kind}
    plain = oware.OwareEnv(4, **settings)
    env = vector.RecordEpisodeStatistics(vector.NormalizeObservation(oware.OwareEnv(4, **settings)))
    normalizer = env.env
    assert isinstance(normalizer, vector.NormalizeObservation)
    expected, info = plain.reset(seed=2)
    observation, _ = env.reset(seed=2)
    seen = [expected]
    totals = np.zeros(4)
    finished = 0
    rng = np.random.default_rng(0)
    for _ in range(200):
        deviation = np.sqrt(normalizer.obs_rms.var + normalizer.epsilon)
        assert np.allclose(observation, (expected - normalizer.obs_rms.mean) / deviation, atol=1e-4)
        actions = some_actions(rng, info["action_mask"])
        expected, reward, terminated, truncated, info = plain.step(actions)
        observation, same_reward, _, _, recorded = env.step(actions)
        assert_same(same_reward, reward)
        seen.append(expected)
        totals += reward
        for row in np.flatnonzero(terminated | truncated).tolist():
            assert np.isclose(recorded["episode"]["r"][row], totals[row])
            totals[row] = 0
            finished += 1
    assert finished > 4
    everything = np.concatenate(seen).astype(np.float64)
    assert np.allclose(normalizer.obs_rms.mean, everything.mean(axis=0), atol=1e-3)
    assert np.allclose(normalizer.obs_rms.var, everything.var(axis=0), atol=1e-3, rtol=1e-3)


def test_normalized_observations_of_a_single_environment() -> None:
    env = wrappers.NormalizeObservation(make(observation="normalized"))
    observation, _ = env.reset(seed=0)
    for action in (0, 1, 2, 3):
        assert observation.shape == (14,)
        assert np.isfinite(observation).all()
        observation, *_ = env.step(action)


@pytest.mark.parametrize("mode", MODES)
def test_infos_as_lists(mode: AutoresetName) -> None:
    settings = {**SETTINGS["self-play"], "seat_rewards": True, "autoreset_mode": mode}
    plain = oware.OwareEnv(3, **settings)
    env = vector.DictInfoToList(oware.OwareEnv(3, **settings))
    if not LISTS_WITHOUT_MASKS:
        with pytest.raises(KeyError, match="_action_mask"):
            env.reset(seed=0)
        return
    _, info = plain.reset(seed=0)
    _, listed = env.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(3, bool)
    finished = 0
    for _ in range(150):
        for row, own in enumerate(listed):
            final = over[row] and mode == "same_step"
            assert ("final_info" in own) == ("final_obs" in own) == final
            for name in ("action_mask", "to_move", "termination", "winner", "seat_rewards"):
                assert np.array_equal(own[name], info[name][row])
                if final:
                    assert np.array_equal(own["final_info"][name], info["final_info"][name][row])
            if final:
                assert np.array_equal(own["final_obs"], info["final_obs"][row])
        if over.any() and mode == "disabled":
            _, info = plain.reset(options={"reset_mask": over})
            _, listed = env.reset(options={"reset_mask": over})
        actions = some_actions(rng, info["action_mask"])
        _, _, terminated, truncated, info = plain.step(actions)
        listed = env.step(actions)[4]
        over = terminated | truncated
        finished += int(over.sum())
    assert finished > 3


@pytest.mark.parametrize("mode", ["next_step", "disabled"])
def test_wrappers_that_change_one_thing(mode: AutoresetName) -> None:
    settings: dict[str, Any] = {"observation": "one_hot", "reward": "captures", "max_steps": 50}
    settings["autoreset_mode"] = mode
    plain = oware.OwareEnv(3, **settings)
    env = vector.ClipReward(vector.FlattenObservation(oware.OwareEnv(3, **settings)), -1, 1)
    assert env.observation_space.shape == (3, 350)
    assert env.metadata["autoreset_mode"] is plain.metadata["autoreset_mode"]
    rng = np.random.default_rng(0)
    expected, info = plain.reset(seed=0)
    observation, _ = env.reset(seed=0)
    captured = 0
    for _ in range(50):
        assert np.array_equal(observation, expected.reshape(3, 350))
        actions = some_actions(rng, info["action_mask"])
        expected, reward, _, _, info = plain.step(actions)
        observation, clipped, _, _, _ = env.step(actions)
        assert np.array_equal(clipped, reward.clip(-1, 1))
        captured += int(np.sum(reward > 1))
    assert captured > 0


@pytest.mark.parametrize("mode", ["same_step", "disabled"])
def test_wrappers_refuse_the_modes_that_they_cannot_handle(mode: AutoresetName) -> None:
    # Older releases assert where newer ones raise a ValueError.
    with pytest.raises((ValueError, AssertionError)):
        vector.NormalizeObservation(oware.OwareEnv(2, autoreset_mode=mode))


def test_a_time_limit_truncates() -> None:
    env = gymnasium.make("oware/Oware-v0", max_episode_steps=3)
    env.reset(seed=0)
    assert [env.step(action)[3] for action in (0, 1, 2)] == [False, False, True]


def test_processes_of_gymnasiums_own() -> None:
    """Single environments in spawned processes play as those in this one."""
    settings = SETTINGS["random"]
    env = AsyncVectorEnv([lambda: OwareSingleEnv(**settings)] * 2, context="spawn")
    twin = oware.OwareEnv(2, **settings)
    try:
        observation, _ = env.reset(seed=4)
        expected, info = twin.reset(seed=4)
        for _ in range(60):
            assert np.array_equal(observation, expected)
            actions = np.array(picks(twin, info))
            observation, *_ = env.step(actions)
            expected, _, _, _, info = twin.step(actions)
    finally:
        env.close()
