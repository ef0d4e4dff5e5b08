"""What self-play has shown: positions, and what a network should say of them."""

from __future__ import annotations

import io
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from oware.train import _files

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Experience"]


@dataclass(frozen=True, eq=False)
class Experience:
    """n positions, each seen by the player to move, and the targets of a network for them.

    Args:
        observation: uint8 (n, 14), of the kind `"seeds"`.
        action_mask: int8 (n, 6), 1 for a legal move.
        policy: float32 (n, 6), probabilities of the moves.
        value: float32 (n,), the result, 1 a win and -1 a loss.
        margin: float32 (n,), the final net seeds over all seeds.
        exact: bool (n,), whether policy and value are what perfect play gives; the margin is, too,
            where the position is in the database.

    Example:
        >>> Experience.empty().observation.shape
        (0, 14)
    """

    observation: NDArray[np.uint8]
    action_mask: NDArray[np.int8]
    policy: NDArray[np.float32]
    value: NDArray[np.float32]
    margin: NDArray[np.float32]
    exact: NDArray[np.bool_]

    @staticmethod
    def empty() -> Experience:
        """No positions.

        Example:
            >>> len(Experience.empty())
            0
        """
        return Experience(
            np.zeros((0, 14), np.uint8),
            np.zeros((0, 6), np.int8),
            np.zeros((0, 6), np.float32),
            np.zeros(0, np.float32),
            np.zeros(0, np.float32),
            np.zeros(0, np.bool_),
        )

    @staticmethod
    def joined(parts: Sequence[Experience]) -> Experience:
        """The positions of several, one after another.

        Example:
            >>> len(Experience.joined([Experience.empty()] * 3))
            0
        """
        columns = zip(*map(_arrays, [Experience.empty(), *parts]), strict=True)
        return Experience(*(np.concatenate(column) for column in columns))

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self.observation)

    def __getitem__(self, rows: NDArray[Any]) -> Experience:
        """Those at some places, in fresh arrays."""
        return Experience(*(array[rows] for array in _arrays(self)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all.

        Raises:
            OSError: It cannot be written.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     Experience.empty().save(Path(folder) / "seen")
            ...     [path.name for path in Path(folder).iterdir()]
            ['seen']
        """
        buffer = io.BytesIO()
        arrays: dict[str, Any] = vars(self)
        np.savez(buffer, **arrays)
        _files.write(path, "experience", buffer.getvalue())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Experience:
        """Read what `save` has written.

        Raises:
            OSError: It cannot be read.
            ValueError: It is no such file, of another version, or was damaged.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     Experience.empty().save(Path(folder) / "seen")
            ...     len(Experience.load(Path(folder) / "seen"))
            0
        """
        with np.load(io.BytesIO(_files.read(path, "experience")), allow_pickle=False) as stored:
            return Experience(*(stored[field.name] for field in fields(Experience)))


def _arrays(experience: Experience) -> tuple[NDArray[Any], ...]:
    return tuple(getattr(experience, field.name) for field in fields(experience))
