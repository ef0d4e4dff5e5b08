"""Train an agent with TorchRL: a collector and PPO with a masked categorical distribution.

    python scripts/train_torchrl.py [--frames 204800]

Prints how often the agent wins from either seat as it learns. On one core it takes a minute.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from oware.adapters.torchrl import OwareTorchEnv, TensorDictAgent
from oware.agents import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

FRAMES = 8192
"""Steps between two updates, of all environments together."""


def network(outputs: int) -> Any:  # noqa: ANN401
    """A network that takes observations of the kind `"one_hot"`."""
    body = MLP(
        in_features=14 * 25,
        out_features=outputs,
        num_cells=[128, 128],
        activation_class=torch.nn.Tanh,
    )
    return torch.nn.Sequential(torch.nn.Flatten(-2), body)


def train(
    frames: int = 25 * FRAMES,
    seed: int = 0,
    report: Callable[[int, TensorDictAgent], object] = lambda *_: None,
) -> TensorDictAgent:
    """The agent after so many steps; `report` gets the steps and the agent after each update."""
    torch.manual_seed(seed)
    env = OwareTorchEnv(128, opponent="random", observation="one_hot")
    env.set_seed(seed)
    actor = ProbabilisticActor(
        TensorDictModule(network(6), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1), in_keys=["observation"])
    advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.0, normalize_advantage=True)
    optimiser = torch.optim.Adam(loss.parameters(), lr=1e-3)
    player = TensorDictAgent(actor, observation="one_hot")
    collector = Collector(
        env,
        actor,
        frames_per_batch=FRAMES,
        total_frames=frames,
        # The networks have no state that a transform would have to carry.
        auto_register_policy_transforms=False,
    )
    for update, batch in enumerate(collector, start=1):
        for _ in range(4):
            advantage(batch)
            steps = batch.reshape(-1)[torch.randperm(FRAMES)]
            for part in steps.split(1024):
                losses = loss(part)
                total = losses["loss_objective"] + losses["loss_critic"]
                optimiser.zero_grad()
                total.backward()
                torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
        report(update * FRAMES, player)
    collector.shutdown()
    return player


def main() -> None:
    """Train, and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--frames", type=int, default=25 * FRAMES)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    def report(steps: int, player: TensorDictAgent) -> None:
        if steps % (5 * FRAMES) == 0:
            result = evaluate(player, "random", games=2000, observation="one_hot")
            print(f"{steps:7} steps\n{result}")

    train(arguments.frames, arguments.seed, report)


if __name__ == "__main__":
    main()
