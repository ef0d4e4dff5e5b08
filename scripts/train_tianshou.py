"""Double DQN with Tianshou, whose DQN family takes masks from the observation.

    python scripts/train_tianshou.py --epochs 10

Every epoch plays `--steps` steps against `--opponent`, learns from them and prints a line of JSON
with the shares of `--games` games that the policy wins from each seat.

Needs `pip install tianshou`, version 2.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from torch import nn

from oware.agents import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from oware.types import Policy


class WithMask(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Observations as Tianshou looks for them: `obs` and, for the next action, `mask`."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        mask = spaces.Box(0, 1, (6,), np.int8)
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": mask})

    def reset(self, **arguments: Any) -> Any:  # noqa: ANN401
        """The observation with its mask, and info."""
        seen, info = self.env.reset(**arguments)
        return {"obs": seen, "mask": info["action_mask"]}, info

    def step(self, action: Any) -> Any:  # noqa: ANN401
        """The same after a step."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        return {"obs": seen, "mask": info["action_mask"]}, reward, terminated, truncated, info


class Values(nn.Module):
    """What each move is worth, from the seeds in each pit and store."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(14 * 25, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 6)
        )

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:  # noqa: ANN401
        """Values (n, 6), and a state that there is none of."""
        del info
        seeds = torch.as_tensor(np.asarray(obs), dtype=torch.int64).clamp(max=24)
        return self.body(nn.functional.one_hot(seeds, 25).flatten(1).float()), state


def player(policy: Any) -> Policy:  # noqa: ANN401
    """A policy of Tianshou's as a player."""

    def play(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        with torch.no_grad():
            seen = Batch(obs=Batch(obs=observation, mask=action_mask), info=Batch())
            actions: NDArray[np.int64] = policy(seen).act
        return actions

    return play


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments, train and tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--steps", type=int, default=10_000, help="steps in an epoch")
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--games", type=int, default=1000, help="games from each seat")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    np.random.seed(options.seed)  # noqa: NPY002 - Tianshou explores with it.
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)

    def made() -> gymnasium.Env[Any, Any]:
        env = gymnasium.make("oware:oware/Oware-v0", opponent=options.opponent, opening_plies=2)
        return WithMask(env)

    envs = DummyVectorEnv([made for _ in range(options.envs)])
    envs.seed(options.seed)
    policy = DiscreteQLearningPolicy(
        model=Values(), action_space=spaces.Discrete(6), eps_training=0.1
    )
    algorithm = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.99,
        n_step_return_horizon=5,
        target_update_freq=200,
    )
    buffer = VectorReplayBuffer(50_000, options.envs)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    seconds = 0.0
    for epoch in range(1, options.epochs + 1):
        begin = time.perf_counter()
        algorithm.run_training(
            OffPolicyTrainerParams(
                training_collector=collector,
                max_epochs=1,
                epoch_num_steps=options.steps,
                collection_step_num_env_steps=20 * options.envs,
                batch_size=256,
                update_step_num_gradient_steps_per_sample=0.1,
                verbose=False,
                show_progress=False,
            )
        )
        seconds += time.perf_counter() - begin
        found = evaluate(player(policy), options.opponent, 2 * options.games)
        line = {
            "steps": epoch * options.steps,
            "seconds": round(seconds, 1),
            "south": found.south.win_rate,
            "north": found.north.win_rate,
        }
        print(json.dumps(line), flush=True)
    print(evaluate(player(policy), options.opponent, 2 * options.games), flush=True)


if __name__ == "__main__":
    main()
