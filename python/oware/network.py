"""A small policy-value network, evaluated by the core without any framework."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from oware._oware import NetworkCore
from oware._replacing import replacing

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import SupportsIndex

    from numpy.typing import ArrayLike, NDArray

    from oware._oware import Rules
    from oware.types import RuleSetName

__all__ = ["Network", "NetworkOutput"]


@dataclass(frozen=True, eq=False)
class NetworkOutput:
    """What a network says of n boards, in fresh arrays.

    Args:
        logits: float32 (n, 6): how good the moves are; the softmax over the legal ones is the
            policy. Those of illegal moves mean nothing.
        value: float32 (n,): the expected result for the player to move, 1 a win and -1 a loss.
        margin: float32 (n,): the expected final net seeds of the player to move over all seeds.

    Example:
        >>> import oware
        >>> output = Network.random(seed=0).evaluate([oware.Game().observation()] * 3)
        >>> output.logits.shape, output.value.shape, output.margin.shape
        ((3, 6), (3,), (3,))
    """

    logits: NDArray[np.float32]
    value: NDArray[np.float32]
    margin: NDArray[np.float32]


@final
class Network:
    """A policy-value network that never changes, to be asked from any number of threads.

    Networks come from `load`, `random` and `from_parameters`. One is an evaluator of
    `oware.search.Mcts`, which then asks it without going through Python, and plays as
    `oware.agents.NetworkAgent`.

    **Input**: 604 numbers for the 14 counts of an observation of the kind `"seeds"`, of which all
    but the last 14 are columns, 0 or 1, see `columns`: the counts, as in the kind `"one_hot"`, and
    what sowing each pit would come to; then come the counts / 48. **Layers**: hidden ones are fully
    connected with rectifiers, then come three heads: `policy` (6 logits), `value` (tanh) and
    `margin` (tanh).

    **Numbers** are of 32 bits. The outputs for a board are the same bits alone and in any batch,
    for any number of threads. Another kind of processor may round otherwise, in the last digits.

    Example:
        >>> import oware
        >>> network = Network.random(hidden=(64, 32), seed=0)
        >>> network
        <oware.Network of 604-64-32, 41064 parameters>
        >>> found = oware.search.Mcts(network, simulations=50, seed=0).search(oware.Game())
        >>> int(found.visits.sum())
        50
    """

    __slots__ = ("_core",)

    INPUTS = NetworkCore.INPUTS
    """The numbers that the first layer takes."""

    def __init__(self, core: NetworkCore) -> None:
        if not isinstance(core, NetworkCore):
            raise TypeError(
                "a network is not made by calling oware.Network; use Network.load, random or "
                "from_parameters"
            )
        self._core = core

    @staticmethod
    def random(
        hidden: Sequence[SupportsIndex] = (256, 128),
        seed: SupportsIndex | None = None,
        rules: RuleSetName | Rules = "abapa",
    ) -> Network:
        """Make a network that has learnt nothing.

        Weights are uniform around 0 and as wide as keeps the spread of the numbers from layer to
        layer (He et al., ICCV 2015), those of the first layer and the heads a tenth of that;
        biases are 0.

        Args:
            hidden: The widths of the hidden layers: 1 to 8 of them, each 1 to 4,096.
            seed: Seed of the weights, at least 0 and below 2⁶⁴; None for other ones every time.
            rules: The rules that it is for.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: An argument is out of range, or there are more than 8,388,608 parameters.

        Example:
            >>> Network.random(hidden=(32,), seed=1).hidden
            (32,)
        """
        seed = secrets.randbits(64) if seed is None else seed
        return Network(NetworkCore.random(hidden, seed, rules))

    @staticmethod
    def from_parameters(
        parameters: Mapping[str, ArrayLike], rules: RuleSetName | Rules = "abapa"
    ) -> Network:
        """Make the network of some arrays.

        Args:
            parameters: Arrays of floats by name: `hidden.0.weight` and `hidden.0.bias`, those of
                further hidden layers, and of `policy`, `value` and `margin`. A weight has the shape
                (outputs, inputs), as PyTorch's `Linear` has it.
            rules: The rules that it was trained under.

        Raises:
            TypeError: An array is none, or not of floats.
            ValueError: A parameter is missing, unknown or of a wrong shape, or holds what is no
                finite number.

        Example:
            >>> parameters = Network.random(hidden=(8,), seed=0).parameters
            >>> parameters["value.bias"][:] = 0.5
            >>> changed = Network.from_parameters(parameters)
            >>> changed.parameters["value.bias"]
            array([0.5], dtype=float32)
        """
        arrays = {name: np.asarray(array) for name, array in dict(parameters).items()}
        # A number beyond 32 bits becomes infinite, and the core refuses that.
        with np.errstate(over="ignore"):
            return Network(NetworkCore.from_parameters(arrays, rules))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Network:
        """Read a network from a file.

        Args:
            path: A file that `save` has written.

        Raises:
            OSError: It cannot be read.
            ValueError: It is no such file, was damaged or altered, is too large or of another
                version, or holds what is no finite number.

        Example:
            >>> Network.load("nowhere.safetensors")
            Traceback (most recent call last):
            FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.safetensors'
        """
        path = Path(path)
        if path.exists() and not path.is_file():
            best = path / "network.safetensors"  # Of a training run's folder.
            instead = str(best) if best.is_file() else "a network's file"
            raise ValueError(f"{path}: it is a folder, a pipe or a device; give {instead}")
        with path.open("rb") as file:
            # One byte too many tells that it is too large.
            data = file.read(NetworkCore.LARGEST_FILE + 1)
        try:
            return Network(NetworkCore.from_bytes(data))
        except ValueError as error:
            # So begin the other files in the folder of a training run.
            ours = data.startswith((b"oware checkpoint ", b"oware experience "))
            instead = "; give network.safetensors of that training run" if ours else ""
            raise ValueError(f"{path}: {error}{instead}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file of safetensors.

        The file is written beside the path and takes its place when it is whole. Any library for
        safetensors reads the parameters, by the names of `parameters`; the entry `oware.network` of
        its metadata has the version, the widths of the layers, the rules and a checksum.

        Args:
            path: The file, whose folder must exist; an older one is replaced.

        Raises:
            OSError: It cannot be written. An older file stays as it was.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = Path(folder) / "mine.safetensors"
            ...     Network.random(hidden=(16,), seed=0).save(path)
            ...     Network.load(path)
            <oware.Network of 604-16, 9816 parameters>
        """
        data = self._core.to_bytes()
        with replacing(path, "xb") as file:
            file.write(data)

    @staticmethod
    def columns(observation: ArrayLike) -> NDArray[np.int32]:
        """Say which of a network's columns are 1.

        Of each group one is: of 14 groups of 25, from input 0 on, the one of min(count, 24) of each
        place; of 12 groups of 10, from input 350 on, the one of min(seeds, 9) that sowing a pit,
        first the mover's and then the opponent's, would capture if it were its owner's turn; of
        another 12 groups of 10, from input 470 on, in the same way the one of the seeds that would
        then be in the pit of the last one, before they are captured. An empty pit comes to 0 of
        both; what the rules say of grand slams plays no part.

        Args:
            observation: Observations of the kind `"seeds"`: integers (n, 14), each 0 to 255.

        Returns:
            Their indices among the inputs: int32 (n, 38).

        Raises:
            TypeError: The observations are no integers.
            ValueError: They have another shape, or are out of range.

        Example:
            >>> import oware
            >>> game = oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
            >>> columns = Network.columns([game.observation()])[0]
            >>> columns[14:26] - range(350, 470, 10)  # F captures 4, and none any other pit.
            array([0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0])
            >>> columns[26:] - range(470, 590, 10)  # The last seed of E is the third in F.
            array([0, 0, 0, 0, 3, 2, 2, 5, 1, 0, 0, 0])
        """
        return NetworkCore.columns(observation)

    @property
    def parameters(self) -> dict[str, NDArray[np.float32]]:
        """Fresh copies of the parameters by name, from the first layer to the heads.

        Example:
            >>> for name, array in Network.random(hidden=(64,), seed=0).parameters.items():
            ...     print(name, array.shape)
            hidden.0.weight (64, 604)
            hidden.0.bias (64,)
            policy.weight (6, 64)
            policy.bias (6,)
            value.weight (1, 64)
            value.bias (1,)
            margin.weight (1, 64)
            margin.bias (1,)
        """
        return self._core.parameters()

    @property
    def hidden(self) -> tuple[int, ...]:
        """The widths of the hidden layers.

        Example:
            >>> Network.random(seed=0).hidden
            (256, 128)
        """
        return self._core.hidden()

    @property
    def rules(self) -> Rules:
        """The rules that it was trained under; it can be asked about games under any.

        Example:
            >>> Network.random(seed=0, rules="awari").rules.grand_slam
            'forbidden'
        """
        return self._core.rules()

    def evaluate(self, observation: ArrayLike, num_threads: SupportsIndex = 1) -> NetworkOutput:
        """Say what boards are worth, and which moves are good.

        Args:
            observation: Observations of the kind `"seeds"`: integers (n, 14), each 0 to 255.
            num_threads: The most threads.

        Raises:
            TypeError: The observations are no integers.
            ValueError: They have another shape, or are out of range.

        Example:
            >>> import oware
            >>> output = Network.random(seed=0).evaluate([oware.Game().observation()])
            >>> bool(abs(output.value[0]) < 1)
            True
        """
        return NetworkOutput(*self._core.evaluate(observation, num_threads))

    def __call__(
        self, observation: ArrayLike, action_mask: ArrayLike | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits (n, 6) and values (n,) of observations; the mask plays no part."""
        del action_mask
        logits, value, _ = self._core.evaluate(observation, 1)
        return logits, value

    def __repr__(self) -> str:
        """The widths of the layers, and how many parameters there are."""
        layers = "-".join(map(str, (self.INPUTS, *self.hidden)))
        count = sum(array.size for array in self.parameters.values())
        return f"<oware.Network of {layers}, {count} parameters>"

    def __reduce__(self) -> tuple[Callable[..., Network], tuple[Any, ...]]:
        """Networks are pickled as the bytes of their file."""
        return _from_bytes, (self._core.to_bytes(),)


def _from_bytes(data: bytes) -> Network:
    return Network(NetworkCore.from_bytes(data))
