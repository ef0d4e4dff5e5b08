"""The error where the library of an extra is not installed."""

from __future__ import annotations

__all__ = ["missing_extra"]


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
