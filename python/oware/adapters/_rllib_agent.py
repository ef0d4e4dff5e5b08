"""A module of RLlib as a player, and what such modules see."""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from gymnasium import spaces
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule

from oware.agents import checked_kind, kind_of_space

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from ray.rllib.core.rl_module.rl_module import RLModule

    from oware.types import ObservationKind

__all__ = ["RLlibAgent"]


def flat(observation: NDArray[Any], axes: int) -> NDArray[np.float32]:
    """Observations as float32 whose last axis holds all numbers of one."""
    numbers = np.asarray(observation, np.float32)
    return numbers.reshape(*numbers.shape[: axes - 1], -1)


def masked(
    observation: NDArray[Any], action_mask: NDArray[np.int8], axes: int
) -> dict[str, NDArray[np.float32]]:
    """An observation, or with two axes several, as RLlib's masking modules take it."""
    mask = np.asarray(action_mask, np.float32)
    return {"observations": flat(observation, axes), "action_mask": mask}


class RLlibAgent:
    """A trained module as a player: an environment's `opponent`, or to be evaluated.

    Args:
        module: A module that takes `observations` and `action_mask`, as `Algorithm.get_module`
            returns it, or several of them.
        module_id: Which of several modules.
        deterministic: Whether it plays its likeliest move, or draws one.
        seed: Seed of what it draws; None for other moves every time.
        observation: The kind of observation that the module takes, before it is laid flat; None for
            the one that its observation space tells, and for the environment's where that is no
            space of ours.

    Raises:
        TypeError: Several modules are given without a `module_id`.
        ValueError: There is no module with that `module_id`, or no such kind of observation.

    Example:
        >>> from oware.agents import evaluate
        >>> from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (
        ...     ActionMaskingTorchRLModule,
        ... )
        >>> from oware.adapters.rllib import OwareSingleAgentEnv
        >>> env = OwareSingleAgentEnv()
        >>> module = ActionMaskingTorchRLModule(
        ...     observation_space=env.observation_space,
        ...     action_space=env.action_space,
        ...     model_config={},
        ... )
        >>> player = RLlibAgent(module, seed=0)
        >>> player.observation
        'normalized'
        >>> evaluate(player, "random", 100).total.games
        100
    """

    def __init__(
        self,
        module: RLModule,
        *,
        module_id: str | None = None,
        deterministic: bool = False,
        seed: int | None = None,
        observation: ObservationKind | None = None,
    ) -> None:
        if isinstance(module, MultiRLModule):
            known = ", ".join(map(repr, module.keys()))
            if module_id is None:
                raise TypeError(f"there are several modules: give module_id, one of {known}")
            if module_id not in module:
                raise ValueError(f"module_id is {module_id!r}; give one of {known}")
            module = module[module_id]
        self.module = module
        self.deterministic = deterministic
        space = getattr(module, "observation_space", None)
        seen = space.get("observations") if isinstance(space, spaces.Dict) else None
        self.observation = checked_kind(observation) or kind_of_space(seen, flat=True)
        self._rng = np.random.default_rng(seed)

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        arrays = masked(observation, action_mask, 2)
        seen = {name: torch.as_tensor(array) for name, array in arrays.items()}
        with torch.no_grad():
            logits = self.module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        scores: NDArray[Any] = np.where(action_mask, logits.numpy(), -np.inf)
        if not self.deterministic:
            # The largest after Gumbel noise is drawn by the probabilities.
            scores = scores + self._rng.gumbel(size=scores.shape)
        actions: NDArray[np.int64] = scores.argmax(axis=1)
        return actions
