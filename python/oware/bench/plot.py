"""What was measured, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oware._figures import figure_class, save_picture
from oware.bench.plan import TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from oware.bench.measure import ClockName, Measured, Results

__all__ = ["plot"]


def plot(results: Results, path: Path, clock: ClockName = "wall") -> None:
    """Draw the time of a step by the number of boards, and the rate of everything else.

    A point is the median, the line through it goes from one quartile to the other.

    Args:
        results: What was measured.
        path: Where the picture goes; its ending names the format.
        clock: The clock that the figures are of, for what is done on one thread.

    Raises:
        ModuleNotFoundError: Matplotlib is missing.
        OSError: The file cannot be written. An older one stays as it was.
    """
    sizes = [one for one in results.rows if one.row.table == "step"]
    others = [one for one in results.rows if one.row.table != "step"]
    heights = [4.0] * bool(sizes) + [1.5 + 0.2 * len(others)] * bool(others)
    if not heights:
        heights = [1.0]
    figure = figure_class()(figsize=(9, sum(heights)), layout="constrained")
    axes = figure.subplots(len(heights), squeeze=False, height_ratios=heights)[:, 0]
    if sizes:
        by_size(axes[0], results, sizes, clock)
    if others:
        by_rate(axes[-1], others, clock)
    save_picture(figure, path, dpi=150)


def by_size(axes: Any, results: Results, rows: list[Measured], clock: ClockName) -> None:  # noqa: ANN401
    """Nanoseconds a board against the number of boards."""
    for name in dict.fromkeys(one.row.name.partition(",")[0] for one in rows):
        line = [one for one in rows if one.row.name.startswith(f"{name},")]
        rates = [one.rate(one.clock(clock)) for one in line]
        middle = [1e9 / rate.median for rate in rates]
        below = [m - 1e9 / rate.high for m, rate in zip(middle, rates, strict=True)]
        above = [1e9 / rate.low - m for m, rate in zip(middle, rates, strict=True)]
        boards = [one.boards for one in line]
        axes.errorbar(boards, middle, yerr=[below, above], marker="o", label=name, capsize=2)
    copies = {}
    for one in rows:
        times = results.against_copy(one, clock)
        if times is not None:
            copies[one.boards] = 1e9 / one.rate(one.clock(clock)).median / times.median
    axes.plot(list(copies), list(copies.values()), "k--", label="a copy of as many bytes")
    axes.set(xscale="log", yscale="log", xlabel="boards", ylabel="ns a board", title=TABLES["step"])
    axes.grid(alpha=0.3)
    axes.legend()


def by_rate(axes: Any, rows: list[Measured], clock: ClockName) -> None:  # noqa: ANN401
    """Millions a second, a place for each row, a colour for each table."""
    tables = list(dict.fromkeys(one.row.table for one in rows))
    for place, one in enumerate(rows):
        rate = one.rate(one.clock(clock))
        colour = f"C{tables.index(one.row.table) % 10}"
        axes.plot([rate.low / 1e6, rate.high / 1e6], [place, place], color=colour)
        axes.plot(rate.median / 1e6, place, "o", color=colour)
    axes.set_yticks(
        range(len(rows)), [f"{one.row.table}: {one.row.name}" for one in rows], fontsize="small"
    )
    axes.set(xscale="log", xlabel="millions a second", ylim=(len(rows) - 0.5, -0.5))
    axes.grid(alpha=0.3)
