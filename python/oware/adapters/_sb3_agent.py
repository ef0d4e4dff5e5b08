"""A model of Stable-Baselines3 as a player."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from oware.agents import checked_kind, kind_of_space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from oware.types import ObservationKind

__all__ = ["SB3Agent"]


class SB3Agent:
    """A trained model as a player: an environment's `opponent`, or to be evaluated.

    Args:
        model: A model whose `predict` takes masks, such as `sb3_contrib.MaskablePPO`. It plays as
            it is at the time: a copy of the model stays as good as it was.
        deterministic: Whether it plays its likeliest move, or draws one.
        observation: The kind of observation that the model takes; None for the one that its
            observation space tells, and for the environment's where that is no space of ours.

    Raises:
        TypeError: The model's `predict` takes no masks.
        ValueError: There is no such kind of observation.

    Example:
        >>> import oware
        >>> from sb3_contrib import MaskablePPO
        >>> from oware.adapters.sb3 import OwareVecEnv
        >>> env = OwareVecEnv(4, observation="one_hot")
        >>> player = SB3Agent(MaskablePPO("MlpPolicy", env, seed=0))
        >>> player.observation
        'one_hot'
        >>> oware.agents.evaluate(player, "random", games=100).total.games
        100
    """

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        *,
        deterministic: bool = False,
        observation: ObservationKind | None = None,
    ) -> None:
        if "action_masks" not in inspect.signature(model.predict).parameters:
            raise TypeError(
                f"{type(model).__name__}.predict takes no action_masks, so its moves may be "
                "illegal; train a model that does, such as sb3_contrib.MaskablePPO"
            )
        self.model = model
        self.deterministic = deterministic
        told = kind_of_space(getattr(model, "observation_space", None))
        self.observation = checked_kind(observation) or told

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        actions: NDArray[np.int64]
        actions, _ = self.model.predict(
            observation, action_masks=action_mask, deterministic=self.deterministic
        )
        return actions
