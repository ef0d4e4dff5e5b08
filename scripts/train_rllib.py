"""Train a player with RLlib's PPO, on this machine or on a Ray cluster.

    python scripts/train_rllib.py --form vector --iterations 40
    python scripts/train_rllib.py --form self-play --iterations 2 --env-runners 2 --address auto

`--form` is the environment: `vector`, many games against `--opponent` stepped together; `single`,
environments of one game each; `self-play`, where one shared policy has both seats. `--address auto`
joins the cluster that this machine is part of; without an address Ray starts here.

Every iteration prints a line of JSON: the plies and the return are means over the games that have
ended lately. Every `--evaluation-interval` of them and at the end the
policy also plays `--games` games from each seat against `--opponent`, each move drawn by its
probabilities; `south` and `north` are the shares that it wins.

Needs `pip install "oware[rllib]"`.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from oware.adapters.rllib import OwareMultiAgentEnv, OwareSingleAgentEnv, OwareVectorEnv, RLlibAgent
from oware.agents import Evaluation, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oware.types import ObservationKind

OBSERVATION: ObservationKind = "one_hot"
FORMS: dict[str, Any] = {
    "self-play": OwareMultiAgentEnv,
    "single": OwareSingleAgentEnv,
    "vector": OwareVectorEnv,
}


def configured(options: argparse.Namespace) -> PPOConfig:
    """The algorithm that the options ask for."""
    settings = {"observation": OBSERVATION, "max_steps": 400, "opening_plies": 2}
    if options.form != "self-play":
        settings["opponent"] = options.opponent
    config = (
        PPOConfig()
        .environment(FORMS[options.form], env_config=settings)
        .env_runners(
            num_env_runners=options.env_runners,
            num_envs_per_env_runner=options.envs,
            gym_env_vectorize_mode="vector_entry_point" if options.form == "vector" else "sync",
        )
        .learners(num_learners=0, num_gpus_per_learner=0)
        .training(
            train_batch_size_per_learner=options.batch,
            minibatch_size=min(1024, options.batch),
            num_epochs=4,
            lr=1e-3,
            gamma=0.99,
            lambda_=0.95,
            entropy_coeff=0.01,
            vf_clip_param=10.0,
        )
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"fcnet_hiddens": [128, 128], "fcnet_activation": "relu"},
            )
        )
        .evaluation(
            evaluation_interval=options.evaluation_interval,
            evaluation_duration=20,
            evaluation_num_env_runners=0,
        )
        .debugging(seed=options.seed)
    )
    if options.form == "self-play":
        config = config.multi_agent(
            policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared"
        )
    return config


def episodes(prefix: str, results: Mapping[str, Any]) -> dict[str, float]:
    """The mean length and return of the episodes, where any has ended."""
    return {
        f"{prefix}{name}": round(float(results[key]), 3)
        for name, key in (("length", "episode_len_mean"), ("return", "episode_return_mean"))
        if key in results
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments, train and tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--form", choices=FORMS, default="vector")
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--batch", type=int, default=4096, help="steps in an iteration")
    parser.add_argument("--envs", type=int, default=32, help="games of each environment runner")
    parser.add_argument("--env-runners", type=int, default=0, help="0: sample in this process")
    parser.add_argument("--address", help="of a Ray cluster; `auto` for the one that runs here")
    parser.add_argument("--games", type=int, default=1000, help="games from each seat")
    parser.add_argument("--evaluation-interval", type=int, default=10, help="iterations")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)

    torch.set_num_threads(1)
    if options.address:
        ray.init(address=options.address)
    else:
        # Without an address, Ray joins whatever runs on the machine.
        ray.init("local", num_cpus=options.env_runners + 1, include_dashboard=False)
    algorithm = configured(options).build_algo()
    if options.env_runners:
        nodes = algorithm.env_runner_group.foreach_env_runner(
            lambda _: ray.get_runtime_context().get_node_id(), local_env_runner=False
        )
        print(f"{len(nodes)} environment runners on {len(set(nodes))} nodes", flush=True)

    def evaluated() -> Evaluation:
        module = algorithm.get_module("shared" if options.form == "self-play" else None)
        player = RLlibAgent(module, seed=options.seed)
        return evaluate(player, options.opponent, 2 * options.games, observation=OBSERVATION)

    seconds = 0.0
    for iteration in range(1, options.iterations + 1):
        begin = time.perf_counter()
        result = algorithm.train()
        seconds += time.perf_counter() - begin
        sampled = result["env_runners"]
        line: dict[str, float] = {
            "iteration": iteration,
            "steps": int(sampled["num_env_steps_sampled_lifetime"]),
            "seconds": round(seconds, 1),
            **episodes("", sampled),
        }
        if iteration % options.evaluation_interval == 0:
            # RLlib's own evaluation has run as well; in self-play its return is always 0.
            line |= episodes("evaluation_", result["evaluation"]["env_runners"])
            found = evaluated()
            line |= {"south": found.south.win_rate, "north": found.north.win_rate}
        print(json.dumps(line), flush=True)
    print(evaluated(), flush=True)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
