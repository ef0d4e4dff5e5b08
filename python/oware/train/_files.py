"""Files of a run: a line that says what it is, then bytes that a checksum vouches for."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oware._replacing import replacing

if TYPE_CHECKING:
    import os

__all__ = ["read", "write"]

VERSION: Final = 1
LONGEST: Final = 200
"""The most bytes of the first line."""


def write(path: str | os.PathLike[str], kind: str, payload: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: It cannot be written; what was there is still there.
    """
    digest = hashlib.sha256(payload).hexdigest()
    with replacing(path, "xb") as file:
        file.write(f"oware {kind} {VERSION} {digest}\n".encode())
        file.write(payload)


def read(path: str | os.PathLike[str], kind: str) -> bytes:
    """What `write` has put into a file of that kind.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such file, of another version, or was damaged; the message says which.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: it is a folder, a pipe or a device; give a file")
    with path.open("rb") as file:
        words = file.readline(LONGEST).decode("ascii", "replace").split()
        # Before it is read, as something else may be of any size.
        if words[:2] != ["oware", kind] or len(words) != 4:
            raise ValueError(f"{path}: it is no {kind} of oware")
        if words[2] != str(VERSION):
            raise ValueError(f"{path}: it is of version {words[2]}; this oware reads {VERSION}")
        payload = file.read()
    if hashlib.sha256(payload).hexdigest() != words[3]:
        raise ValueError(f"{path}: it is cut off or was altered: its checksum does not fit")
    return payload
