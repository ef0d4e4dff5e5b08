"""A run's folder for one process at a time."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import Timeout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from filelock import BaseFileLock

__all__ = ["alone"]


@contextmanager
def alone(lock: BaseFileLock) -> Iterator[None]:
    """Keep others out of a folder, by a lock in it that ends with the process at the latest.

    Raises:
        BlockingIOError: Another one has it.
    """
    try:
        lock.acquire(timeout=0)
    except Timeout:
        folder = str(Path(lock.lock_file).parent)
        raise BlockingIOError(errno.EAGAIN, "another process trains there", folder) from None
    try:
        yield
    finally:
        lock.release()
