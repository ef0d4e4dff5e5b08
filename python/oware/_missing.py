"""Whether the library of an extra is installed, and the error where it is not."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["installed", "missing_extra"]


def installed(*libraries: str) -> bool:
    """Whether all of some libraries are installed; none is imported.

    Modules list only such names in `dir` as can be had: `help` and `inspect.getmembers` get each.
    """
    return all(find_spec(library) is not None for library in libraries)


def missing_extra(extra: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """What to raise where a library could not be imported.

    Args:
        extra: The extra of `oware` that installs the library.
        error: What the import raised.

    Example:
        >>> raise missing_extra("sb3", ModuleNotFoundError(name="sb3_contrib"))
        Traceback (most recent call last):
        ModuleNotFoundError: no module sb3_contrib: pip install "oware[sb3]"
    """
    message = f'no module {error.name}: pip install "oware[{extra}]"'
    return ModuleNotFoundError(message, name=error.name, path=error.path)
