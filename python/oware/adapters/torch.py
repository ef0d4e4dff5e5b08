"""A PyTorch network as a player.

Needs `pip install "oware[torch]"`.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oware._missing import missing_extra
from oware.agents import checked_kind

try:
    import torch
except ModuleNotFoundError as error:
    raise missing_extra("torch", error) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from oware.types import ObservationKind

__all__ = ["TorchAgent"]


class TorchAgent:
    """A network as a player: an environment's `opponent`, or to be evaluated.

    Args:
        network: Takes observations (n, ...) as float32 and returns logits or values of the moves
            (n, 6), or a tuple that begins with them. It plays as it is at the time, without
            gradients and in the mode it is in: a copy of it stays as good as it was.
        deterministic: Whether it plays the best of its legal moves, or draws one by its logits.
        device: Where the network is; None for where its first parameter is.
        observation: The kind of observation that the network takes; None for the environment's.

    Raises:
        ValueError: There is no such kind of observation; in play, the network returns something
            else than (n, 6).

    Example:
        >>> import oware
        >>> import torch
        >>> _ = torch.manual_seed(0)
        >>> player = TorchAgent(torch.nn.Linear(14, 6), observation="normalized")
        >>> env = oware.OwareEnv(3, opponent=player, seat="south", observation="normalized")
        >>> observation, info = env.reset(seed=0)
        >>> player(observation, info["action_mask"]).shape
        (3,)
    """

    def __init__(
        self,
        network: Callable[[torch.Tensor], Any],
        *,
        deterministic: bool = False,
        device: torch.device | str | None = None,
        observation: ObservationKind | None = None,
    ) -> None:
        self.network = network
        self.deterministic = deterministic
        self.device = device
        self.observation = checked_kind(observation)

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        device = self.device
        parameters: Callable[[], Iterator[Any]] | None = getattr(self.network, "parameters", None)
        if device is None and parameters is not None:
            device = next((each.device for each in parameters()), None)
        seen = torch.from_numpy(np.asarray(observation, dtype=np.float32)).to(device)
        with torch.no_grad():
            answer = self.network(seen)
        logits = answer[0] if isinstance(answer, tuple) else answer
        if logits.shape != action_mask.shape:
            raise ValueError(
                f"the network returned {tuple(logits.shape)} for {len(action_mask)} boards; "
                f"it must be {action_mask.shape}"
            )
        illegal = torch.from_numpy(np.asarray(action_mask) == 0).to(logits.device)
        masked = logits.float().masked_fill(illegal, -torch.inf)
        if self.deterministic:
            chosen = masked.argmax(dim=1)
        else:
            chosen = torch.distributions.Categorical(logits=masked).sample()
        actions: NDArray[np.int64] = chosen.cpu().numpy()
        return actions
