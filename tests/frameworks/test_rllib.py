"""The environments for RLlib, and training with it, here and on a cluster of two nodes."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env
from ray.cluster_utils import Cluster
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule, MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

import oware
from oware.adapters.rllib import (
    AGENTS,
    OwareMultiAgentEnv,
    OwareSingleAgentEnv,
    OwareVectorEnv,
    RLlibAgent,
)
from oware.agents import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest_plugins = "win_rates"
# Ray forks as it starts a node, which JAX warns of where other tests have run it in this process.
pytestmark = pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")

ROOT = Path(__file__).parents[2]
KINDS = ("seeds", "normalized", "one_hot")
# Ray's workers otherwise wait for every other program of a machine.
RAY = {"RAY_AUTH_MODE": "disabled", "RAY_worker_niceness": "0"}


def legal(observation: dict[str, Any], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def view(game: oware.Game, agent: str, kind: str) -> Any:
    """What an agent sees, worked out without the environment."""
    seat = AGENTS.index(agent)
    first, other = 6 * seat, 6 - 6 * seat
    counts = [*game.pits[first : first + 6], *game.pits[other : other + 6]]
    counts += [game.stores[seat], game.stores[1 - seat]]
    if kind == "one_hot":
        return np.eye(25, dtype=np.float32)[np.minimum(counts, 24)].ravel()
    return np.array(counts, np.float32) / np.float32(48 if kind == "normalized" else 1)


def test_rllib_checks_self_play() -> None:
    check_multiagent_environments(OwareMultiAgentEnv())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reward", ["outcome", "captures"])
def test_self_play_is_the_game_seen_by_each_agent(kind: str, reward: str) -> None:
    env = OwareMultiAgentEnv({"observation": kind, "reward": reward, "max_steps": 150})
    rng = np.random.default_rng(0)
    seen_ends = set()
    for seed in range(60):
        observations, infos = env.reset(seed=seed)
        game = oware.Game()
        totals = dict.fromkeys(AGENTS, 0.0)
        while True:
            [(agent, observation)] = observations.items()
            assert agent == AGENTS[game.to_move]
            assert env.observation_spaces[agent].contains(observation)
            assert np.array_equal(observation["observations"], view(game, agent, kind))
            assert np.array_equal(observation["action_mask"], game.action_mask())
            assert infos == {agent: {"termination": 0, "winner": -1}}
            action = legal(observation, rng)
            game.play(action)
            observations, rewards, terminateds, truncateds, infos = env.step({agent: action})
            for name in AGENTS:
                totals[name] += rewards[name]
            over = game.is_over or game.ply == 150
            assert terminateds == {"__all__": game.is_over}
            assert truncateds == {"__all__": over and not game.is_over}
            if over:
                break
        margin = game.stores[0] - game.stores[1]
        due = margin if reward == "captures" else game.is_over * np.sign(margin)
        assert totals == {"player_0": due, "player_1": -due}
        assert set(observations) == set(AGENTS)
        for name, observation in observations.items():
            assert np.array_equal(observation["observations"], view(game, name, kind))
            assert observation["action_mask"].all()
            ending = oware.TERMINATIONS.index(game.termination or "going_on")
            winner = -1 if game.winner is None else game.winner
            assert infos[name] == {"termination": ending, "winner": winner}
        seen_ends.add("cut off" if not game.is_over else game.winner)
    assert seen_ends >= {0, 1, None, "cut off"}


def test_an_episode_of_rllib_gives_each_agent_its_own_return() -> None:
    env = OwareMultiAgentEnv({"max_steps": None})
    rng = np.random.default_rng(1)
    for seed in range(20):
        episode = MultiAgentEpisode(
            observation_space=env.observation_spaces, action_space=env.action_spaces
        )
        observations, infos = env.reset(seed=seed)
        episode.add_env_reset(observations=observations, infos=infos)
        while not episode.is_done:
            actions = {name: legal(seen, rng) for name, seen in observations.items()}
            observations, rewards, terminateds, truncateds, infos = env.step(actions)
            episode.add_env_step(
                observations,
                actions,
                rewards,
                infos,
                terminateds=terminateds,
                truncateds=truncateds,
            )
        winner = env.game().winner
        for seat, name in enumerate(AGENTS):
            alone = episode.agent_episodes[name]
            due = 0 if winner is None else 1 if winner == seat else -1
            assert alone.get_return() == due
            assert alone.is_terminated
            assert alone.get_rewards(-1) == due


def test_self_play_refuses_what_it_cannot_play() -> None:
    env = OwareMultiAgentEnv()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step({"player_0": 0})
    env.reset(seed=0)
    for given in ({}, {"player_1": 0}, {"player_0": 0, "player_1": 0}, {"anyone": 0}):
        with pytest.raises(ValueError, match="'player_0' is to move"):
            env.step(given)
    env.step({"player_0": 0})
    env.step({"player_1": 0})
    with pytest.raises(oware.IllegalMoveError, match="empty pit"):
        env.step({"player_0": 0})
    with pytest.raises(TypeError):
        env.step({"player_0": 1.5})
    assert env.game().ply == 2


@pytest.mark.parametrize("env_class", [OwareMultiAgentEnv, OwareSingleAgentEnv, OwareVectorEnv])
def test_bad_configs(env_class: Any) -> None:
    for config, error, message in (
        (
            {"rule": "abapa"},
            TypeError,
            r"^env_config: unknown key 'rule'; known: .*; did you mean 'rules'\?$",
        ),
        ({"max_stepz": 5, "rules": "awari"}, TypeError, "did you mean 'max_steps'"),
        ({"autoreset_mode": "disabled"}, TypeError, "env_config: unknown key 'autoreset_mode'"),
        ({5: 6}, TypeError, "env_config: unknown key 5; known: "),
        ({"rules": "chess"}, ValueError, "chess"),
        ({"observation": "pixels"}, ValueError, "pixels"),
        ({"max_steps": 0}, ValueError, "max_steps"),
        ({"render_mode": "human"}, ValueError, "render_mode"),
    ):
        with pytest.raises(error, match=message):
            env_class(config)


def test_self_play_has_no_opponent() -> None:
    for key in ("opponent", "seat", "seat_rewards"):
        with pytest.raises(TypeError, match=f"^env_config: unknown key '{key}'; known: rules, "):
            OwareMultiAgentEnv({key: "random"})


@pytest.mark.parametrize("kind", KINDS)
def test_gymnasium_checks_the_single_agent(kind: str) -> None:
    env = OwareSingleAgentEnv({"observation": kind, "render_mode": "rgb_array"})
    # The check draws actions without a mask.
    env.action_space.sample = lambda *_: 2  # type: ignore[method-assign]
    check_env(env, skip_render_check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_batch_plays_what_single_environments_play(kind: str) -> None:
    config = {"observation": kind, "opponent": "greedy", "opening_plies": 3}
    batch = OwareVectorEnv({**config, "num_envs": 3})
    singles = [OwareSingleAgentEnv(config) for _ in range(3)]
    rng = np.random.default_rng(0)
    observation, info = batch.reset(seed=5)
    alone = [env.reset(seed=5 + row)[0] for row, env in enumerate(singles)]
    over = np.zeros(3, bool)
    ended = 0
    for _ in range(200):
        assert batch.observation_space.contains(observation)
        for name, array in observation.items():
            assert array.dtype == np.float32
            assert np.array_equal(array, [one[name] for one in alone])
        actions = np.where(observation["action_mask"], rng.random((3, 6)), -1).argmax(axis=1)
        observation, reward, terminated, truncated, info = batch.step(actions)
        for row, env in enumerate(singles):
            if over[row]:
                alone[row], _ = env.reset()
                assert (reward[row], terminated[row], truncated[row]) == (0, False, False)
            else:
                alone[row], *given, told = env.step(actions[row])
                assert [reward[row], terminated[row], truncated[row]] == given
                assert told["winner"] == info["winner"][row]
        over = terminated | truncated
        ended += int(over.sum())
    assert ended > 3


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])  # noqa: S301
@pytest.mark.parametrize("env_class", [OwareMultiAgentEnv, OwareSingleAgentEnv, OwareVectorEnv])
def test_copies_keep_the_game(env_class: Any, copied: Any) -> None:
    env = env_class({"opening_plies": 4})
    env.reset(seed=3)
    other = copied(env)
    assert pickle.dumps(env._env.get_state()) == pickle.dumps(other._env.get_state())
    assert type(other) is env_class


@pytest.fixture
def module() -> ActionMaskingTorchRLModule:
    torch.manual_seed(0)
    env = OwareSingleAgentEnv()
    return ActionMaskingTorchRLModule(
        observation_space=env.observation_space, action_space=env.action_space, model_config={}
    )


def test_an_agent_plays_legal_moves_from_either_seat(module: Any) -> None:
    for deterministic in (False, True):
        player = RLlibAgent(module, deterministic=deterministic, seed=0)
        found = evaluate(player, "random", 100, observation="normalized")
        assert found.south.games == found.north.games == 50
        assert evaluate("random", player, 10, observation="normalized").total.games == 10


def test_an_agent_draws_by_the_probabilities(module: Any) -> None:
    game = oware.Game(pits=[4, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4], stores=[4, 0])
    rows = 20_000
    seen = np.repeat(game.observation("normalized")[None], rows, axis=0)
    masks = np.repeat(game.action_mask()[None], rows, axis=0)
    batch = {"obs": {"observations": torch.as_tensor(seen[:1]), "action_mask": torch.ones(1, 6)}}
    logits = module.forward_inference(batch)["action_dist_inputs"][0].detach().numpy()
    due = np.exp(logits) * game.action_mask()
    drawn = np.bincount(RLlibAgent(module, seed=1)(seen, masks), minlength=6) / rows
    assert np.abs(drawn - due / due.sum()).max() < 0.02
    assert drawn[1] == 0
    again = RLlibAgent(module, seed=1)(seen, masks)
    assert np.array_equal(again, RLlibAgent(module, seed=1)(seen, masks))
    likeliest = RLlibAgent(module, deterministic=True)(seen, masks)
    assert (likeliest == np.argmax(due)).all()


def test_one_of_several_modules(module: Any) -> None:
    space = OwareSingleAgentEnv()
    spec = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        observation_space=space.observation_space,
        action_space=space.action_space,
        model_config={},
    )
    several = MultiRLModuleSpec(rl_module_specs={"a": spec, "b": spec}).build()
    assert isinstance(several, MultiRLModule)
    assert RLlibAgent(several, module_id="b").module is several["b"]
    assert RLlibAgent(module).module is module
    with pytest.raises(TypeError, match="give module_id, one of 'a', 'b'"):
        RLlibAgent(several)
    with pytest.raises(ValueError, match="module_id is 'c'; give one of 'a', 'b'"):
        RLlibAgent(several, module_id="c")


def trained(*arguments: str) -> tuple[str, list[dict[str, float]]]:
    """What the script prints, and its iterations."""
    script = str(ROOT / "scripts" / "train_rllib.py")
    done = subprocess.run(
        [sys.executable, script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **RAY, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    lines = done.stdout.splitlines()
    iterations = [json.loads(line) for line in lines if line.startswith("{")]
    return done.stdout, iterations


@pytest.mark.slow
@pytest.mark.parametrize("form", ["self-play", "single", "vector"])
def test_two_iterations_and_an_evaluation(
    form: str, win_rates: Callable[[object], dict[str, float]]
) -> None:
    printed, iterations = trained(
        *("--form", form, "--iterations", "2", "--batch", "1024", "--envs", "8"),
        *("--evaluation-interval", "2", "--games", "20"),
    )
    first, second = iterations
    assert second["steps"] >= 2 * first["steps"] >= 2048
    assert "south" not in first
    assert second["evaluation_length"] > 10
    assert abs(second["evaluation_return"]) <= (0 if form == "self-play" else 1)
    assert set(win_rates(printed)) == {"South", "North"}


@pytest.mark.slow
def test_it_wins_from_each_seat(win_rates: Callable[[object], dict[str, float]]) -> None:
    printed, _ = trained("--form", "self-play", "--iterations", "30", "--evaluation-interval", "30")
    assert min(win_rates(printed).values()) > 85


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Two nodes with a processor each, on this machine."""
    for name, value in RAY.items():
        monkeypatch.setenv(name, value)
    node = {"num_cpus": 1, "object_store_memory": 100 * 2**20}
    made = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        made.add_node(**node)
        made.wait_for_nodes()
        yield made
    finally:
        made.shutdown()


@pytest.mark.slow
def test_a_cluster_of_two_nodes(
    cluster: Cluster, win_rates: Callable[[object], dict[str, float]]
) -> None:
    printed, iterations = trained(
        *("--form", "self-play", "--iterations", "2", "--batch", "512", "--envs", "4"),
        *("--evaluation-interval", "2", "--games", "20"),
        *("--env-runners", "2", "--address", cluster.address),
    )
    assert "2 environment runners on 2 nodes" in printed
    assert iterations[-1]["steps"] >= 1024
    assert set(win_rates(printed)) == {"South", "North"}


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_a_cluster_that_runs_here_is_not_joined_unasked() -> None:
    _, iterations = trained(
        *("--form", "vector", "--iterations", "1", "--batch", "256", "--envs", "4"),
        *("--games", "10"),
    )
    assert iterations[-1]["steps"] >= 256
