"""Train PPO and DQN, each by its adapter, against opponents that get stronger, and keep the player.

    python scripts/train_learners.py ppo --save ppo.safetensors
    python scripts/train_learners.py dqn --save dqn.safetensors

PPO is `MaskablePPO` of Stable-Baselines3; DQN is TorchRL's, double and of several steps. What they
learn is saved as a network that plays without them: `oware arena net:dqn.safetensors minimax:4`.
After each of ten parts it prints a line of JSON with steps, minutes of one processor core, and the
shares of the points that the network wins from some players; `docs/players.md` has ratings.

Needs `pip install "oware[sb3]"` or `pip install "oware[torchrl]"`.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch import nn

import oware
from oware.agents import NetworkAgent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

PARTS = 10
LESSONS = (
    (0.0, {"random": 1, "greedy": 1}, 0),
    (0.1, {"greedy": 1, "minimax:2": 2}, 1),
    (0.3, {"greedy": 1, "minimax:2": 2, "minimax:4": 2}, 2),
)
"""From which share of the training on: which opponents with which weights, the earlier self's."""
MEASURED = ("greedy", "minimax:2", "minimax:4")

ENVS, WIDTHS, DISCOUNT, OPENING = 256, [256, 128], 0.98, 6
# A reward is the seeds that a move and its reply win, less those they lose: there is one at once,
# where the outcome comes some forty moves later.
SETTINGS: dict[str, Any] = {"reward": "captures", "opening_plies": OPENING}


class Learner(Protocol):
    """What the two have in common."""

    steps: int
    """For how many it learns, unless told otherwise."""
    batch: oware.OwareEnv
    temperature: float
    """Of the earlier self, when it is an opponent."""

    def learn(self, steps: int, left: float) -> int:
        """Learn for some steps, with a share of the training left; how many they were."""
        ...

    def network(self) -> oware.Network:
        """What it has learnt, as a player."""
        ...


def exported(layers: Iterable[nn.Module]) -> oware.Network:
    """The linear layers as a network of the package, which says nothing of values."""
    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    found: dict[str, Any] = {}
    for i, layer in enumerate(linear):
        name = f"hidden.{i}" if i < len(linear) - 1 else "policy"
        found[f"{name}.weight"] = layer.weight.detach().numpy()
        found[f"{name}.bias"] = layer.bias.detach().numpy()
    # The package's networks see what sowing comes to as well, and each count as a number.
    unseen = oware.Network.INPUTS - linear[0].in_features
    found["hidden.0.weight"] = np.pad(found["hidden.0.weight"], ((0, 0), (0, unseen)))
    for name in ("value", "margin"):
        found[f"{name}.weight"] = np.zeros((1, linear[-1].in_features), np.float32)
        found[f"{name}.bias"] = np.zeros(1, np.float32)
    return oware.Network.from_parameters(found, rules="abapa")


class Ppo:
    """MaskablePPO of Stable-Baselines3."""

    steps, temperature = 2_457_600, 1.0
    length = 32

    def __init__(self, seed: int) -> None:
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import VecNormalize

        from oware.adapters.sb3 import OwareVecEnv

        env = OwareVecEnv(ENVS, observation="one_hot", **SETTINGS)
        self.batch = env.env
        self.left = 1.0
        self.model = MaskablePPO(
            "MlpPolicy",
            VecNormalize(env, norm_obs=False, gamma=DISCOUNT),
            learning_rate=lambda _: 1e-3 * self.left,
            n_steps=self.length,
            batch_size=1024,
            n_epochs=4,
            gamma=DISCOUNT,
            ent_coef=0.01,
            policy_kwargs={"net_arch": WIDTHS, "activation_fn": nn.ReLU},
            seed=seed,
        )

    def learn(self, steps: int, left: float) -> int:
        """Play and learn in turn."""
        self.left = left
        before: int = self.model.num_timesteps
        self.model.learn(steps, reset_num_timesteps=False)
        after: int = self.model.num_timesteps
        return after - before

    def network(self) -> oware.Network:
        """The policy, of which the likeliest move is played."""
        policy = self.model.policy
        return exported([*policy.mlp_extractor.policy_net, policy.action_net])


class OneHot(nn.Module):
    """Observations of the kind `"seeds"`, which need little room in a buffer, as `"one_hot"`."""

    def forward(self, seeds: torch.Tensor) -> torch.Tensor:
        """Floats (..., 350)."""
        return nn.functional.one_hot(seeds.long().clamp(max=24), 25).flatten(-2).float()


class Dqn:
    """Double DQN of TorchRL, with targets of three steps."""

    steps, temperature = 819_200, 0.0
    length, sample, replays = 16, 512, 4

    def __init__(self, seed: int) -> None:
        from tensordict.nn import TensorDictSequential
        from torchrl.collectors import Collector
        from torchrl.data import Categorical, LazyTensorStorage, TensorDictReplayBuffer
        from torchrl.data.postprocs import MultiStep
        from torchrl.modules import MLP, EGreedyModule, QValueActor
        from torchrl.objectives import DQNLoss, SoftUpdate

        from oware.adapters.torchrl import OwareTorchEnv

        env = OwareTorchEnv(ENVS, observation="seeds", **SETTINGS)
        env.set_seed(seed)
        self.batch = env.env
        self.body = MLP(in_features=350, out_features=6, num_cells=WIDTHS, activation_class=nn.ReLU)
        actor = QValueActor(
            nn.Sequential(OneHot(), self.body),
            in_keys=["observation"],
            spec=Categorical(6),
            action_space="categorical",
            action_mask_key="action_mask",
        )
        explorer = EGreedyModule(
            Categorical(6), eps_init=0.1, eps_end=0.1, action_mask_key="action_mask"
        )
        self.collector = iter(
            Collector(
                env,
                TensorDictSequential(actor, explorer),
                frames_per_batch=ENVS * self.length,
                total_frames=-1,
                postproc=MultiStep(DISCOUNT, 3),
                auto_register_policy_transforms=False,
            )
        )
        storage = LazyTensorStorage(400_000)
        self.buffer = TensorDictReplayBuffer(storage=storage, batch_size=self.sample)
        self.loss = DQNLoss(actor, action_space="categorical", double_dqn=True, delay_value=True)
        self.loss.make_value_estimator(gamma=DISCOUNT)
        self.target = SoftUpdate(self.loss, tau=0.005)
        self.optimiser = torch.optim.Adam(self.loss.parameters(), fused=True)

    def learn(self, steps: int, left: float) -> int:
        """Play some plies in all games, replay what was played lately, and so on."""
        for group in self.optimiser.param_groups:
            group["lr"] = 5e-4 * left
        frames = ENVS * self.length
        rounds = max(1, steps // frames)
        for _ in range(rounds):
            self.buffer.extend(next(self.collector).reshape(-1))
            for _ in range(self.replays * frames // self.sample):
                part = self.buffer.sample()
                part["next", "reward"] = part["next", "reward"] / 10
                self.optimiser.zero_grad()
                self.loss(part)["loss"].backward()
                self.optimiser.step()
                self.target.step()
        return rounds * frames

    def network(self) -> oware.Network:
        """The values of the moves, of which the best is played."""
        return exported(self.body)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments, train and tell."""
    learners: dict[str, Callable[[int], Learner]] = {"ppo": Ppo, "dqn": Dqn}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("algorithm", choices=learners)
    parser.add_argument("--steps", type=int, help="moves of its own that it learns from")
    parser.add_argument(
        "--parts",
        type=int,
        default=PARTS,
        choices=range(1, PARTS + 1),
        help="after how many of ten to end",
    )
    parser.add_argument("--games", type=int, default=100, help="against each player, in each line")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", required=True, help="the file of the network")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    learner = learners[options.algorithm](options.seed)
    part = (options.steps or learner.steps) // PARTS
    steps, seconds = 0, 0.0
    for done in np.arange(options.parts) / PARTS:
        begin = time.process_time()
        others, own = [lesson[1:] for lesson in LESSONS if lesson[0] <= done][-1]
        earlier = NetworkAgent(learner.network(), temperature=learner.temperature)
        learner.batch.set_opponent([*others.items(), (earlier, own)])
        steps += learner.learn(part, 1 - done)
        seconds += time.process_time() - begin
        network = learner.network()
        network.save(options.save)
        line = {"steps": steps, "minutes": round(seconds / 60, 2)}
        for name in MEASURED:
            line[name] = oware.arena.evaluate(
                NetworkAgent(network), name, options.games, openings=OPENING
            ).total.score
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
