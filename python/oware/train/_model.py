"""The network as PyTorch trains it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import nn
from torch.nn import functional

from oware.network import Network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oware._oware import Rules
    from oware.types import RuleSetName

__all__ = ["Model", "device_of"]

MOST_SAID: Final = 160
"""Characters of what PyTorch says of a device: it may go on for pages."""


class Model(nn.Module):
    """A module with the parameters of an `oware.Network`, by the same names.

    Args:
        hidden: The widths of the hidden layers.

    Example:
        >>> import oware
        >>> network = oware.Network.random(hidden=(16, 8), seed=0)
        >>> model = Model.of(network)
        >>> observation = torch.tensor([oware.Game().observation().tolist()])
        >>> logits, value, margin = model(observation)
        >>> bool(abs(value.item() - network.evaluate(observation.numpy()).value[0]) < 1e-6)
        True
    """

    def __init__(self, hidden: Sequence[int]) -> None:
        super().__init__()
        widths = [Network.INPUTS, *hidden]
        layers = itertools.pairwise(widths)
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in layers)
        self.policy = nn.Linear(widths[-1], 6)
        self.value = nn.Linear(widths[-1], 1)
        self.margin = nn.Linear(widths[-1], 1)

    @staticmethod
    def of(network: Network) -> Model:
        """The module of a network.

        Example:
            >>> import oware
            >>> Model.of(oware.Network.random(hidden=(16,), seed=0)).policy.weight.shape
            torch.Size([6, 16])
        """
        model = Model(network.hidden)
        parameters = network.parameters.items()
        model.load_state_dict({name: torch.from_numpy(array) for name, array in parameters})
        return model

    def network(self, rules: RuleSetName | Rules) -> Network:
        """The network of the module.

        Args:
            rules: The rules that it is trained under.

        Example:
            >>> Model((16, 8)).network("awari")
            <oware.Network of 604-16-8, 9888 parameters>
        """
        state = self.state_dict().items()
        return Network.from_parameters(
            {name: tensor.detach().cpu().numpy() for name, tensor in state}, rules
        )

    def forward(
        self, observation: torch.Tensor, columns: torch.Tensor | None = None
    ) -> tuple[Any, Any, Any]:
        """What the network says of boards, as `oware.network.NetworkOutput` has it.

        Args:
            observation: Integers (n, 14), of the kind `"seeds"`.
            columns: What `Network.columns` says of them; None to ask it, for which a GPU waits.

        Returns:
            Logits (n, 6), values (n,) and margins (n,).

        Example:
            >>> logits, value, margin = Model((16,))(torch.zeros(3, 14, dtype=torch.uint8))
            >>> logits.shape, value.shape, margin.shape
            (torch.Size([3, 6]), torch.Size([3]), torch.Size([3]))
        """
        first, *others = self.hidden
        weight, counts = first.weight.split([Network.INPUTS - 14, 14], dim=1)
        # The sum of the columns that are 1, in place of a product with all that are 0.
        if columns is None:
            columns = torch.from_numpy(Network.columns(observation.cpu().numpy()))
            columns = columns.to(weight.device)
        summed = functional.embedding_bag(columns, weight.t().contiguous(), mode="sum")
        features = (summed + functional.linear(observation / 48, counts, first.bias)).relu()
        for layer in others:
            features = layer(features).relu()
        value, margin = self.value(features).tanh(), self.margin(features).tanh()
        return self.policy(features), value.squeeze(1), margin.squeeze(1)


def device_of(name: str | torch.device) -> torch.device:
    """A device that can compute.

    Raises:
        TypeError: That is no name.
        ValueError: There is no such device here; the message says why, in PyTorch's words where
            they are short.
    """
    if not isinstance(name, str | torch.device):
        raise TypeError(f"device must be a name of PyTorch's, not {type(name).__name__}")
    wrong = (
        f"device is {str(name)[:40]!r}; give 'cpu', or where PyTorch finds a GPU 'cuda', 'cuda:N' "
        "or 'mps': "
    )
    try:
        device = torch.device(name)
    except RuntimeError:  # It lists all that PyTorch was ever built for.
        raise ValueError(f"{wrong}PyTorch knows no device of that name") from None
    try:
        torch.zeros(1, device=device).item()
    except (AssertionError, RuntimeError) as error:  # The first where PyTorch is without CUDA.
        said = str(error).partition("\n")[0]
        raise ValueError(f"{wrong}{said[:MOST_SAID]}") from None
    return device
