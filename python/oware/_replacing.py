"""Files that appear whole or not at all: the one place where they are written."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

BEFORE: Final = ".oware-"
AFTER: Final = ".tmp"


@contextmanager
def replacing(path: str | os.PathLike[str], mode: Literal["x", "xb"] = "x") -> Iterator[Any]:
    """A new file beside a path, of text or of bytes, that takes its place when all is written.

    An error leaves what was there. A link stays one: what it leads to is replaced.

    Raises:
        OSError: The folder is missing, or what is there is no file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "this is no file that could be replaced", str(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(target.parent))
    encoding, newline = (None, None) if mode == "xb" else ("utf-8", "\n")
    beside = target.with_name(f"{BEFORE}{secrets.token_hex(8)}{AFTER}")
    try:
        with beside.open(str(mode), encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def unfinished(path: Path) -> bool:
    """Whether a file is of a process that was killed before `replacing` was through."""
    return path.name.startswith(BEFORE) and path.name.endswith(AFTER)
