"""Train an agent by self-play through PettingZoo's interface, with PPO in plain PyTorch.

    python scripts/train_pettingzoo.py [--updates 40]

Both agents are one network, which learns from what either was given. Prints how often it wins
against random moves from either seat as it learns. On one core it takes two minutes.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch.distributions import Categorical

from oware.adapters.pettingzoo import env
from oware.adapters.torch import TorchAgent
from oware.agents import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable


class Network(torch.nn.Module):
    """Logits of the moves and a value, from observations of the kind `"one_hot"`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Flatten(),
            torch.nn.Linear(14 * 25, 128),
            torch.nn.Tanh(),
            torch.nn.Linear(128, 128),
            torch.nn.Tanh(),
        )
        self.policy = torch.nn.Linear(128, 6)
        self.value = torch.nn.Linear(128, 1)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (n, 6) and values (n,)."""
        hidden = self.body(seen)
        return self.policy(hidden), self.value(hidden).squeeze(1)


class Plies(NamedTuple):
    """What agents saw, did and were given in the end, one row a ply."""

    seen: torch.Tensor
    mask: torch.Tensor
    action: torch.Tensor
    log_prob: torch.Tensor
    given: torch.Tensor


def masked(logits: torch.Tensor, mask: torch.Tensor) -> Categorical:
    """The distribution over legal moves."""
    return Categorical(logits=logits.masked_fill(~mask, -1e9))


def play(games: list[Any], network: Network) -> Plies:
    """A game on every board, each agent's reward carried back over its own plies."""
    rows: list[tuple[torch.Tensor, ...]] = []
    owners: list[tuple[int, str]] = []
    final: dict[tuple[int, str], float] = {}
    for game in games:
        game.reset()
    playing = [*range(len(games))]
    while playing:
        # One call of the network for all boards, whoever is on turn there.
        told = [games[k].last()[0] for k in playing]
        seen = torch.from_numpy(np.stack([each["observation"] for each in told]))
        mask = torch.from_numpy(np.stack([each["action_mask"] for each in told]) != 0)
        with torch.no_grad():
            choice = masked(network(seen)[0], mask)
            action = choice.sample()
        rows += zip(seen, mask, action, choice.log_prob(action), strict=True)
        for k, move in zip(playing, action.tolist(), strict=True):
            owners.append((k, games[k].agent_selection))
            games[k].step(move)
        for k in playing:
            if any(games[k].terminations.values()) or any(games[k].truncations.values()):
                final |= {(k, agent): games[k].rewards[agent] for agent in games[k].agents}
        playing = [k for k in playing if (k, games[k].agent_selection) not in final]
    given = torch.zeros(len(owners))
    for row in reversed(range(len(owners))):
        given[row] = final[owners[row]]
        final[owners[row]] *= 0.99
    seen, mask, action, log_prob = map(torch.stack, zip(*rows, strict=True))
    return Plies(seen, mask, action, log_prob, given)


def train(
    updates: int = 40,
    seed: int = 0,
    report: Callable[[int, int, TorchAgent], object] = lambda *_: None,
) -> TorchAgent:
    """The agent after so many updates; `report` gets their number, the plies and the agent."""
    torch.manual_seed(seed)
    network = Network()
    player = TorchAgent(network, observation="one_hot")
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    games = [env(observation="one_hot", max_steps=300, opening_plies=2) for _ in range(64)]
    for i, game in enumerate(games):
        game.reset(seed=seed + i)
    plies = 0
    for update in range(1, updates + 1):
        batch = play(games, network)
        plies += len(batch.given)
        for _ in range(4):
            for chosen in torch.randperm(len(batch.given)).split(1024):
                part = Plies(*(each[chosen] for each in batch))
                logits, value = network(part.seen)
                choice = masked(logits, part.mask)
                gain = part.given - value.detach()
                gain = (gain - gain.mean()) / (gain.std() + 1e-6)
                ratio = (choice.log_prob(part.action) - part.log_prob).exp()
                surrogate = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
                loss = (
                    -surrogate.mean()
                    + 0.5 * (part.given - value).square().mean()
                    - 0.01 * choice.entropy().mean()
                )
                optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimiser.step()
        report(update, plies, player)
    return player


def main() -> None:
    """Train, and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    def report(update: int, plies: int, player: TorchAgent) -> None:
        if update % 8 == 0:
            result = evaluate(player, "random", games=2000, observation="one_hot")
            print(f"{update:3} updates, {plies} plies\n{result}")

    train(arguments.updates, arguments.seed, report)


if __name__ == "__main__":
    main()
