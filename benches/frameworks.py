"""How many steps a second the adapters make, beside the same framework over single environments.

    python benches/frameworks.py [--rounds 5]

Steps a second are processor time of one thread against the opponent `"random"`: first of the
environment's `step` alone, then with the masks asked for as the framework's learner does. The best
of the rounds is printed, as other programs only ever take time away.
"""

from __future__ import annotations

import argparse
import functools
import time
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

import oware  # noqa: F401 - registers the environment

if TYPE_CHECKING:
    from collections.abc import Callable

ENVIRONMENTS = (16, 128, 1024)


def draw(masks: Any, rng: np.random.Generator) -> Any:  # noqa: ANN401
    """A legal action for each row."""
    return np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)


def rates(
    environments: int, rounds: int, masks: Callable[[], Any], step: Callable[[Any], object]
) -> tuple[float, float]:
    """Environment steps a second, without and with the masks."""
    rng = np.random.default_rng(0)
    steps = max(20, 8192 // environments)
    alone, together = [], []
    for _ in range(rounds):
        stepping = masking = 0.0
        for _ in range(steps):
            begin = time.thread_time()
            mask = masks()
            masking += time.thread_time() - begin
            actions = draw(mask, rng)
            begin = time.thread_time()
            step(actions)
            stepping += time.thread_time() - begin
        alone.append(environments * steps / stepping)
        together.append(environments * steps / (stepping + masking))
    return max(alone), max(together)


class MaskedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """The single environment as MaskablePPO wants it."""

    mask: Any = None

    def reset(self, **how: Any) -> Any:  # noqa: ANN401
        """Keep the mask."""
        observation, info = super().reset(**how)
        self.mask = info["action_mask"]
        return observation, info

    def step(self, action: Any) -> Any:  # noqa: ANN401
        """Keep the mask."""
        *told, info = super().step(action)
        self.mask = info["action_mask"]
        return *told, info

    def action_masks(self) -> Any:  # noqa: ANN401
        """As MaskablePPO asks for it."""
        return self.mask


def sb3(rounds: int) -> None:
    """Stable-Baselines3: `OwareVecEnv` and `DummyVecEnv`."""
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.vec_env import DummyVecEnv

    from oware.adapters.sb3 import OwareVecEnv

    def single() -> MaskedEnv:
        return MaskedEnv(gymnasium.make("oware/Oware-v0", opponent="random"))

    for environments in ENVIRONMENTS:
        measured = []
        for env in (OwareVecEnv(environments), DummyVecEnv([single] * environments)):
            env.reset()
            masks = functools.partial(get_action_masks, env)
            measured.append(rates(environments, rounds, masks, env.step))
        report("sb3", environments, *measured)


def torchrl(rounds: int) -> None:
    """TorchRL: `OwareTorchEnv` and its own wrapper of Gymnasium's environments, one after another.

    A step includes what TorchRL does for a collector: the reset of what has finished.
    """
    import torch
    from torchrl.data import Bounded
    from torchrl.envs import GymWrapper, SerialEnv
    from torchrl.envs.libs.gym import default_info_dict_reader

    from oware.adapters.torchrl import OwareTorchEnv

    torch.set_num_threads(1)

    def single() -> GymWrapper:
        env = gymnasium.make("oware/Oware-v0", opponent="random", observation="normalized")
        wrapped = GymWrapper(env, categorical_action_encoding=True)
        spec = Bounded(0, 1, shape=(6,), dtype=torch.int8)
        wrapped.set_info_dict_reader(default_info_dict_reader(["action_mask"], spec=[spec]))
        return wrapped

    for environments in ENVIRONMENTS[:2]:
        measured = []
        for env in (OwareTorchEnv(environments), SerialEnv(environments, single)):
            state = {"now": env.reset()}

            def masks(state: Any = state) -> Any:  # noqa: ANN401
                return state["now"]["action_mask"].numpy()

            def step(actions: Any, env: Any = env, state: Any = state) -> None:  # noqa: ANN401
                now = state["now"].set("action", torch.from_numpy(actions))
                _, state["now"] = env.step_and_maybe_reset(now)

            measured.append(rates(environments, rounds, masks, step))
        report("torchrl", environments, *measured)


def report(
    framework: str, environments: int, ours: tuple[float, float], theirs: tuple[float, float]
) -> None:
    """A line for each of the two rates."""
    for what, our, their in zip(("step", "step and masks"), ours, theirs, strict=True):
        print(
            f"{framework:8} {environments:5} environments, {what:14}: {our:9,.0f} steps/s, "
            f"over single ones {their:7,.0f}: {our / their:.1f} times"
        )


def main() -> None:
    """Measure every adapter."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    sb3(arguments.rounds)
    torchrl(arguments.rounds)


if __name__ == "__main__":
    main()
