"""PPO in one file, as CleanRL writes algorithms: torch and the batched environment, nothing else.

    python scripts/train_ppo.py --steps 400000 --opponent random

Every iteration plays `--length` steps in `--envs` games and learns from them. Every tenth prints a
line of JSON with the shares of `--games` games that the policy wins from each seat. The algorithm
is that of Schulman et al. (2017), "Proximal Policy Optimization Algorithms".

Needs `pip install torch`.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

import oware
from oware.agents import Evaluation, evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from oware.types import ObservationKind, Policy

OBSERVATION: ObservationKind = "one_hot"
DISCOUNT, TRACE = 0.99, 0.95
CLIP, ENTROPY, VALUE = 0.2, 0.01, 0.5
EPOCHS, MINIBATCHES = 4, 8


class Agent(nn.Module):
    """Logits of the six moves and what the game is worth."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Flatten(), nn.Linear(14 * 25, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU()
        )
        self.actor, self.critic = nn.Linear(128, 6), nn.Linear(128, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, observation: Any, mask: Any) -> tuple[Any, Any]:  # noqa: ANN401
        """The distribution over legal moves, and values."""
        features = self.body(observation)
        logits = self.actor(features).masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits), self.critic(features)[:, 0]


def player(agent: Agent) -> Policy:
    """The agent as a player, which draws its moves."""

    def play(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.int64]:
        with torch.no_grad():
            moves, _ = agent(torch.as_tensor(observation), torch.as_tensor(action_mask))
            actions: NDArray[np.int64] = moves.sample().numpy()
        return actions

    return play


def advantages(rewards: Any, ended: Any, values: Any, following: Any) -> Any:  # noqa: ANN401
    """Generalized advantage estimates (T, N); `following` is what the last states are worth."""
    estimates = torch.zeros_like(rewards)
    trace = torch.zeros_like(following)
    for step in reversed(range(len(rewards))):
        goes_on = 1 - ended[step]
        error = rewards[step] + DISCOUNT * goes_on * following - values[step]
        trace = error + DISCOUNT * TRACE * goes_on * trace
        estimates[step], following = trace, values[step]
    return estimates


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments, train and tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--steps", type=int, default=400_000)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--games", type=int, default=1000, help="games from each seat")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    length, count = options.length, options.envs

    env = oware.OwareEnv(
        count,
        opponent=options.opponent,
        observation=OBSERVATION,
        # The observation after an end is already the next game's: no step is spent on a reset.
        autoreset_mode="same_step",
        opening_plies=2,
    )
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    seen = torch.zeros(length, count, 14, 25)
    masks = torch.zeros(length, count, 6, dtype=torch.int8)
    taken = torch.zeros(length, count, dtype=torch.int64)
    before, values, rewards, ended = (torch.zeros(length, count) for _ in range(4))

    def evaluated() -> Evaluation:
        return evaluate(player(agent), options.opponent, 2 * options.games, observation=OBSERVATION)

    observation, info = env.reset(seed=options.seed)
    seconds = 0.0
    for iteration in range(1, options.steps // (length * count) + 1):
        begin = time.perf_counter()
        for step in range(length):
            seen[step] = torch.as_tensor(observation)
            masks[step] = torch.as_tensor(info["action_mask"])
            with torch.no_grad():
                moves, values[step] = agent(seen[step], masks[step])
                taken[step] = moves.sample()
                before[step] = moves.log_prob(taken[step])
            observation, reward, terminated, truncated, info = env.step(taken[step].numpy())
            rewards[step] = torch.as_tensor(reward)
            ended[step] = torch.as_tensor(terminated | truncated)
        with torch.no_grad():
            mask = torch.as_tensor(info["action_mask"])
            following = agent(torch.as_tensor(observation), mask)[1]
        gains = advantages(rewards, ended, values, following)
        columns = [
            part.flatten(0, 1) for part in (seen, masks, taken, before, gains, gains + values)
        ]
        for _ in range(EPOCHS):
            for rows in torch.randperm(length * count).chunk(MINIBATCHES):
                boards, legal, actions, old, gain, target = (part[rows] for part in columns)
                moves, value = agent(boards, legal)
                ratio = (moves.log_prob(actions) - old).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                kept = torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain)
                # An illegal move has no probability and so adds nothing to the entropy.
                entropy = moves.entropy().mean()
                misses = (value - target).square().mean()
                loss = VALUE * misses - kept.mean() - ENTROPY * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        seconds += time.perf_counter() - begin
        if iteration % 10 == 0:
            found = evaluated()
            line = {
                "steps": iteration * length * count,
                "seconds": round(seconds, 1),
                "south": found.south.win_rate,
                "north": found.north.win_rate,
            }
            print(json.dumps(line), flush=True)
    print(evaluated(), flush=True)


if __name__ == "__main__":
    main()
