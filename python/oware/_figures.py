"""Matplotlib's figures, loaded when one is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oware._missing import missing_extra
from oware._replacing import replacing

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_picture", "figure_class", "save_picture"]


def figure_class(extra: str = "notebooks") -> Any:  # noqa: ANN401
    """Matplotlib's `Figure`.

    Args:
        extra: The extra that the error names where Matplotlib is missing.

    Raises:
        ModuleNotFoundError: Matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise missing_extra(extra, error) from error
    return Figure


def check_picture(path: Path, extra: str = "notebooks") -> None:
    """Refuse what no figure could be saved into, before there is one.

    Args:
        path: Where the picture is to go.
        extra: As for `figure_class`.

    Raises:
        ModuleNotFoundError: Matplotlib is missing.
        ValueError: The name does not end in a format that it writes.
    """
    formats = figure_class(extra)().canvas.get_supported_filetypes()
    if path.suffix.lstrip(".").lower() not in formats:
        raise ValueError(f"{path}: no format to plot in; end it in .{', .'.join(sorted(formats))}")


def save_picture(figure: Any, path: Path, **options: object) -> None:  # noqa: ANN401
    """Save a figure into a file, which appears whole or not at all.

    Args:
        figure: Matplotlib's.
        path: Where the picture goes; its ending names the format.
        options: What `savefig` takes besides.

    Raises:
        OSError: It cannot be written. An older file stays as it was.
    """
    with replacing(path, "xb") as file:
        figure.savefig(file, format=path.suffix.lstrip(".").lower(), **options)
