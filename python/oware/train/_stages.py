"""What an iteration leaves in a run's folder for the next one."""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from oware._replacing import replacing, unfinished
from oware.train import _files
from oware.train._experience import Experience

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["curves", "kept", "load", "load_examples", "save", "stamp"]


def save(
    folder: Path,
    iteration: int,
    state: Mapping[str, Any],
    log: Sequence[Mapping[str, Any]],
    examples: Mapping[int, Experience],
) -> None:
    """Write the examples of an iteration, the log, and a checkpoint that knows of both, in turn.

    Examples that no later iteration learns from are removed after that, and what a process that was
    killed has begun to write.
    """
    places = {number: place(folder, number) for number in examples}
    (folder / "experience").mkdir(exist_ok=True)
    for number, path in places.items():
        if number == iteration or not path.exists():
            examples[number].save(path)
    names = dict.fromkeys(name for row in log for name in row)
    with replacing(folder / "log.csv") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(log)
    payload = io.BytesIO()
    torch.save({**state, "log": list(log), "experience": sorted(examples)}, payload)
    _files.write(folder / "checkpoint", "checkpoint", payload.getvalue())
    old = [path for path in (folder / "experience").iterdir() if path not in places.values()]
    left = [path for path in folder.iterdir() if unfinished(path)]
    for path in [*old, *left]:
        ours = path.name.removeprefix("-").isdecimal() or unfinished(path)
        if ours and path.is_file():
            path.unlink()


@contextmanager
def curves(folder: Path, iteration: int) -> Iterator[Any]:
    """TensorBoard's writer of the points from an iteration on, or None where it is not installed.

    Later points of a process that was killed are taken back.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError:
        yield None
        return
    with SummaryWriter(str(folder / "tensorboard"), purge_step=iteration) as writer:
        yield writer


def load(folder: Path) -> dict[str, Any]:
    """What is in the checkpoint of a run.

    Raises:
        OSError: It cannot be read.
        ValueError: It is damaged, or something else.
    """
    payload = io.BytesIO(_files.read(folder / "checkpoint", "checkpoint"))
    state: dict[str, Any] = torch.load(payload, map_location="cpu", weights_only=True)
    return state


def kept(folder: Path) -> int:
    """How many iterations are in the checkpoint of a run; none where there is none yet.

    Raises:
        OSError: It cannot be read.
        ValueError: It is damaged, or something else.
    """
    return int(load(folder)["iteration"]) if (folder / "checkpoint").exists() else 0


def stamp(folder: Path) -> tuple[int, ...]:
    """What tells a checkpoint from a later one; of none, nothing."""
    try:
        found = (folder / "checkpoint").stat()
    except FileNotFoundError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def load_examples(folder: Path, state: Mapping[str, Any]) -> dict[int, Experience]:
    """The examples that a checkpoint speaks of, by iteration.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file is damaged, or something else.
    """
    return {number: Experience.load(place(folder, number)) for number in state["experience"]}


def place(folder: Path, iteration: int) -> Path:
    """The file of the examples of an iteration."""
    return folder / "experience" / f"{iteration:06}"
