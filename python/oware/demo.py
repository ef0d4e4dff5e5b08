"""An agent that learns Oware in about a minute, with numpy alone: `python -m oware demo`.

The method is the advantage actor-critic of Mnih et al. (2016), "Asynchronous Methods for Deep
Reinforcement Learning", played by a batch of games in lockstep, with the generalized advantage
estimation of Schulman et al. (2016) and the optimiser Adam of Kingma and Ba (2015).

The same seed gives the same agent on the same machine with the same numpy and the same number of
threads for matrix products: a sum of floats depends on the order of its terms. Where numpy is built
on OpenBLAS, the environment variable `OPENBLAS_NUM_THREADS` sets that number. The products here are
so small that one thread is best, and the command sets it to one where it is not set.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from oware import Game, OwareEnv
from oware.agents import Evaluation, RandomAgent, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from oware.types import OpponentName, Policy

__all__ = ["Adam", "Agent", "Progress", "run", "train"]

NUM_ENVS = 2048
ROLLOUT = 8  # Steps in each environment between two updates.
UPDATE = NUM_ENVS * ROLLOUT  # Moves of the agent that an update learns from.
STEPS = 8_000_000
OPENING_PLIES = 4  # Random plies that begin each game, so that the games differ.

LEARNING_RATE = 0.006
DISCOUNT = 0.995
TRACE = 0.9  # The lambda of generalized advantage estimation.
ENTROPY = 0.02  # What a nat of indecision is worth, so that the agent goes on trying.

PLANES, COUNTS = 14, 25  # Twelve pits and two stores; 0 to 23 seeds, and 24 or more.


def one_hot(observation: NDArray[Any]) -> NDArray[np.float32]:
    """Observations of seeds (n, 14) as zeros and ones (n, 350): one for the count in each place."""
    ones = np.minimum(observation, COUNTS - 1)[:, :, None] == np.arange(COUNTS)
    inputs: NDArray[np.float32] = ones.reshape(-1, PLANES * COUNTS).astype(np.float32)
    return inputs


def log_softmax(logits: NDArray[Any], legal: NDArray[np.bool_]) -> NDArray[Any]:
    """The logarithm of each move's probability (n, 6), where an illegal move has none."""
    # Not minus infinity, as that times a probability of zero is not a number.
    logits = np.where(legal, logits, np.float32(-1e9))
    logits -= logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return logits


class Agent:
    """A network that sees a board, and names a move and what it expects of the game.

    The first layer adds up 14 rows of `hidden`, one for the count in each pit and store. From what
    is positive in that sum come six logits and a value.

    Args:
        seed: Seed of the weights that it begins with.
        hidden: Number of hidden units.

    Example:
        >>> game = Game()
        >>> action = Agent(seed=0)(game.observation()[None], game.action_mask()[None])
        >>> game.is_legal(action[0])
        True
    """

    def __init__(self, seed: int = 0, hidden: int = 64) -> None:
        rng = np.random.default_rng(seed)

        def normal(rows: int, columns: int, scale: float) -> NDArray[Any]:
            return rng.normal(0, scale, (rows, columns)).astype(np.float32)

        self.weights: dict[str, NDArray[Any]] = {
            "hidden": normal(PLANES * COUNTS, hidden, (2 / PLANES) ** 0.5),
            "hidden_bias": np.zeros(hidden, np.float32),
            "policy": normal(hidden, 6, 0.01),
            "policy_bias": np.zeros(6, np.float32),
            "value": normal(hidden, 1, 0.01),
            "value_bias": np.zeros(1, np.float32),
        }

    def forward(self, inputs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Hidden units (n, hidden), logits (n, 6) and values (n,) of inputs (n, 350)."""
        w = self.weights
        hidden = np.maximum(inputs @ w["hidden"] + w["hidden_bias"], 0)
        logits = hidden @ w["policy"] + w["policy_bias"]
        values = hidden @ w["value"] + w["value_bias"]
        return hidden, logits, values[:, 0]

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """The likeliest legal move of each row: the agent is a `Policy`."""
        _, logits, _ = self.forward(one_hot(observation))
        best: NDArray[np.int64] = log_softmax(logits, action_mask != 0).argmax(axis=1)
        return best


@dataclass(frozen=True)
class Batch:
    """Moves that the agent has made, and what became of them: n rows each."""

    inputs: NDArray[Any]
    legal: NDArray[np.bool_]
    actions: NDArray[np.int64]
    advantages: NDArray[Any]
    returns: NDArray[Any]


def loss_and_gradients(agent: Agent, batch: Batch) -> tuple[float, float, dict[str, NDArray[Any]]]:
    """The loss over a batch, the mean entropy, and the loss's gradient by each weight.

    The loss of a row is `- advantage * log p(action) + (value - return)^2 - ENTROPY * entropy`: an
    action that did better than expected becomes likelier, and the value goes to what came.
    """
    rows = np.arange(len(batch.actions))
    hidden, logits, values = agent.forward(batch.inputs)
    log_p = log_softmax(logits, batch.legal)
    p = np.exp(log_p)
    entropy = -(p * log_p).sum(axis=1)
    error = values - batch.returns
    loss = -batch.advantages * log_p[rows, batch.actions] + error**2 - ENTROPY * entropy

    # d(-log p(action)) / d(logits) is p, less one at the action.
    d_logits = p * batch.advantages[:, None]
    d_logits[rows, batch.actions] -= batch.advantages
    d_logits += ENTROPY * p * (log_p + entropy[:, None])
    d_logits /= len(rows)
    d_values = 2 * error[:, None] / len(rows)
    # Back through the layers, and through the units that were positive.
    w = agent.weights
    d_hidden = (d_logits @ w["policy"].T + d_values @ w["value"].T) * (hidden > 0)
    gradients = {
        "hidden": batch.inputs.T @ d_hidden,
        "hidden_bias": d_hidden.sum(axis=0),
        "policy": hidden.T @ d_logits,
        "policy_bias": d_logits.sum(axis=0),
        "value": hidden.T @ d_values,
        "value_bias": d_values.sum(axis=0),
    }
    return float(loss.mean()), float(entropy.mean()), gradients


class Adam:
    """Steps against the gradient, each weight's in units of how large its gradients are.

    Args:
        weights: Changed in place.

    Example:
        >>> weights = {"w": np.array([1.0, -1.0])}
        >>> Adam(weights).step({"w": np.array([100.0, -0.01])}, rate=0.1)
        >>> weights["w"].round(3)
        array([ 0.9, -0.9])
    """

    def __init__(self, weights: dict[str, NDArray[Any]]) -> None:
        self.weights = weights
        self.mean = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self.square = {name: np.zeros_like(weight) for name, weight in weights.items()}
        self.steps = 0

    def step(self, gradients: dict[str, NDArray[Any]], rate: float) -> None:
        """Change each weight by about `rate`."""
        self.steps += 1
        for name, gradient in gradients.items():
            self.mean[name] += 0.1 * (gradient - self.mean[name])
            self.square[name] += 0.001 * (gradient**2 - self.square[name])
            # Both averages began at zero, which their first steps make up for.
            mean = self.mean[name] / (1 - 0.9**self.steps)
            square = self.square[name] / (1 - 0.999**self.steps)
            self.weights[name] -= rate * mean / (np.sqrt(square) + 1e-8)


def advantages(
    rewards: NDArray[Any], ended: NDArray[np.bool_], values: NDArray[Any]
) -> NDArray[np.float32]:
    """How much better than expected each move did.

    Args:
        rewards: What each step gave: (steps, n).
        ended: Whether it ended the game: (steps, n).
        values: What the agent expected before each step, and after the last: (steps + 1, n).
    """
    advantage = np.zeros(rewards.shape, np.float32)
    following = np.zeros(rewards.shape[1], np.float32)
    for t in reversed(range(len(rewards))):
        # Where a game has ended, nothing of the next one is this move's doing.
        going_on = DISCOUNT * ~ended[t]
        surprise = rewards[t] + going_on * values[t + 1] - values[t]
        following = advantage[t] = surprise + TRACE * going_on * following
    return advantage


@dataclass(frozen=True)
class Progress:
    """How the training stands after an update."""

    steps: int
    """Moves that the agent has made in all."""
    win_rate: float
    """The share won of the games that ended since the update before, when it played to explore."""
    entropy: float
    """How undecided the agent is: log 6, about 1.8, when every move is as likely."""


def train(
    agent: Agent, steps: int = STEPS, seed: int = 0, opponent: OpponentName | Policy = "random"
) -> Iterator[Progress]:
    """Train an agent in place; between two updates the loop over this may do as it likes.

    Args:
        agent: The agent.
        steps: Moves for the agent to make in all; rounded down to whole updates.
        seed: Seed of the games and of the agent's moves.
        opponent: Whom it learns against.

    Yields:
        After each update, how the training stands.

    Example:
        >>> for progress in train(Agent(), steps=50_000):
        ...     print(progress.steps)
        16384
        32768
        49152
    """
    env = OwareEnv(
        NUM_ENVS,
        opponent=opponent,
        autoreset_mode="same_step",
        max_steps=None,
        opening_plies=OPENING_PLIES,
    )
    rng = np.random.default_rng(seed)
    adam = Adam(agent.weights)
    observation, info = env.reset(seed=seed)

    shape = (ROLLOUT, NUM_ENVS)
    observations = np.empty((*shape, PLANES), np.uint8)
    legal = np.empty((*shape, 6), bool)
    actions = np.empty(shape, np.int64)
    rewards = np.empty(shape, np.float32)
    ended = np.empty(shape, bool)
    values = np.empty((ROLLOUT + 1, NUM_ENVS), np.float32)

    updates = steps // UPDATE
    for update in range(updates):
        for t in range(ROLLOUT):
            observations[t] = observation
            legal[t] = info["action_mask"]
            _, logits, values[t] = agent.forward(one_hot(observation))
            # The largest of the logarithms plus Gumbel noise falls to each move with its chance.
            noise = rng.gumbel(size=logits.shape)
            actions[t] = (log_softmax(logits, legal[t]) + noise).argmax(axis=1)
            observation, rewards[t], ended[t], _, info = env.step(actions[t])
        _, _, values[ROLLOUT] = agent.forward(one_hot(observation))

        advantage = advantages(rewards, ended, values)
        scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        batch = Batch(
            inputs=one_hot(observations.reshape(-1, PLANES)),
            legal=legal.reshape(-1, 6),
            actions=actions.reshape(-1),
            advantages=scaled.reshape(-1),
            returns=(advantage + values[:ROLLOUT]).reshape(-1),
        )
        _, entropy, gradients = loss_and_gradients(agent, batch)
        adam.step(gradients, rate=LEARNING_RATE * (1 - update / updates))

        outcomes = rewards[ended]
        yield Progress(
            steps=(update + 1) * UPDATE,
            win_rate=float((outcomes > 0).mean()) if len(outcomes) else float("nan"),
            entropy=entropy,
        )


def speed(num_envs: int, steps: int = 1000) -> tuple[float, float]:
    """Steps per second of random play: within `step`, and with the choice of moves."""
    env = OwareEnv(num_envs, autoreset_mode="same_step", copy=False)
    player = RandomAgent(seed=0)
    observation, info = env.reset(seed=0)
    inside = 0.0
    start = time.perf_counter()
    for _ in range(steps):
        actions = player(observation, info["action_mask"])
        before = time.perf_counter()
        observation, _, _, _, info = env.step(actions)
        inside += time.perf_counter() - before
    played = steps * num_envs
    return played / inside, played / (time.perf_counter() - start)


def show(
    title: str, player: Policy | OpponentName, opponent: OpponentName, games: int
) -> Evaluation:
    """Let a player play fresh games, and print how they went."""
    # Far from every seed that the training begins with.
    evaluation = evaluate(player, opponent, games, opening_plies=OPENING_PLIES, seed=1 << 32)
    print(f"\n{title} against {opponent}\n{evaluation}", flush=True)
    return evaluation


def run(seed: int = 0, steps: int = STEPS, games: int = 2000) -> dict[str, Evaluation]:
    """The demo: print a board and the speed, train an agent, and show how it plays.

    Ctrl-C ends the training early; what was learned so far is shown.

    Args:
        seed: Seed of the agent and of its training.
        steps: Moves of the agent in training.
        games: Games of each evaluation.

    Returns:
        How the trained agent does against each opponent.
    """
    print(Game())
    stepping, playing = speed(num_envs=1024)
    print(
        f"\n1,024 games of random self-play: {stepping / 1e6:.1f} million steps a second, "
        f"{playing / 1e6:.1f} million with the choice of moves in numpy"
    )
    agent = Agent(seed)
    opponents: tuple[OpponentName, ...] = ("random", "greedy")
    show("The player greedy", "greedy", "random", games)
    for opponent in opponents:
        show("The agent before training", agent, opponent, games)

    print(f"\nTraining against random, {steps:,} moves; Ctrl-C ends it early", flush=True)
    start = time.perf_counter()
    done = 0
    try:
        with tqdm(total=steps, unit=" moves", unit_scale=True) as bar:
            for progress in train(agent, steps, seed):
                bar.set_postfix(won=f"{progress.win_rate:.1%}", refresh=False)
                bar.update(progress.steps - done)
                done = progress.steps
    except KeyboardInterrupt:
        print("\nEnded early.")
    print(f"{done:,} moves in {time.perf_counter() - start:.0f} s", flush=True)
    return {name: show("The agent after training", agent, name, games) for name in opponents}
