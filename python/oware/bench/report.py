"""What was measured, as text, as Markdown and as JSON."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware import __version__, cpu_features
from oware.bench.plan import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oware.bench.measure import ClockName, Measured, Quartiles, Results

__all__ = ["SCHEMA", "as_json", "as_markdown", "as_text"]

SCHEMA: Final = 1
"""The version of the form of the JSON: a change that a reader could stumble over raises it."""

HEADINGS: Final = ("", "M/s", "quartiles", "ns each", "x copy", "x base", "length", "kernel")
EXPLAINED: Final = (
    "M/s: millions a second (steps of a board, agent steps, leaves), the median of the rounds and"
    " its quartiles. x copy: times the time of copying as many bytes as the call writes. x base:"
    " times the time of the base, which is the row with the same name in the first table where the"
    " heading names none. length: mean steps of an episode in it."
)


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processor": processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "kernels": list(cpu_features()),
    }


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def head(results: Results, clock: ClockName) -> list[str]:
    """What the figures are, in sentences."""
    its = machine()
    forced = f", kernel {results.kernel} forced" if results.kernel else ""
    clocks = {"wall": "wall clock", "cpu": "processor time of the thread"}
    place = f"{its['processor']} ({its['system']}), Python {its['python']}, numpy {its['numpy']}"
    lines = [
        f"oware {__version__} on {place}; kernels {', '.join(its['kernels'])}{forced}.",
        f"{results.rounds} interleaved rounds, {clocks[clock]}.",
        EXPLAINED,
    ]
    if results.share < 0.9:
        advice = "the ratios, or --clock cpu" if clock == "wall" else "the ratios"
        lines.append(
            f"The measuring thread had {results.share:.0%} of a processor: others are at work here,"
            f" so trust {advice}."
        )
    return lines + [f"Note: {note}." for note in results.notes]


def significant(figure: float) -> str:
    """Three digits or more, without an exponent."""
    digits = next((n for n, least in ((0, 100), (1, 10), (2, 1), (3, 0.1)) if figure >= least), 4)
    return f"{figure:,.{digits}f}"


def cells(results: Results, one: Measured, clock: ClockName) -> list[str]:
    """A row of a table."""
    rate = one.rate(one.clock(clock))
    copy, base = results.against_copy(one, clock), results.against_base(one, clock)
    return [
        one.row.name + ("" if one.unit == "steps" else f" ({one.unit})"),
        significant(rate.median / 1e6),
        f"{significant(rate.low / 1e6)} - {significant(rate.high / 1e6)}",
        significant(1e9 / rate.median),
        significant(copy.median) if copy else "",
        significant(base.median) if base else "",
        f"{one.mean_length:.1f}" if one.mean_length else "",
        one.kernel or "",
    ]


def tables(results: Results, clock: ClockName) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """The title, headings and rows of each table, without columns that say nothing."""
    for table, title in TABLES.items():
        rows = [one for one in results.rows if one.row.table == table]
        if rows:
            bases = {one.row.base for one in rows if one.row.base is not None}
            base = f" (base: {next(iter(bases))})" if len(bases) == 1 else ""
            every = [cells(results, one, clock) for one in rows]
            kept = [i for i in range(len(HEADINGS)) if i == 0 or any(row[i] for row in every)]
            yield (
                title + base,
                [HEADINGS[i] for i in kept],
                [[row[i] for i in kept] for row in every],
            )
    if results.memory:
        rows_ = [
            [f"{one.name}, {one.boards:,} boards", f"{one.state:,.0f}", f"{one.arrays:,.0f}"]
            for one in results.memory
        ]
        yield TABLES["memory"], ["", "state", "arrays handed out"], rows_


def as_text(results: Results, clock: ClockName = "wall") -> str:
    """The tables for a terminal.

    Args:
        results: What was measured.
        clock: The clock that the figures are of, for what is done on one thread.
    """
    parts = ["\n".join(head(results, clock))]
    for title, headings, rows in tables(results, clock):
        grid = [headings, *rows]
        widths = [max(len(row[i]) for row in grid) for i in range(len(headings))]
        lines = [title]
        for row in grid:
            first = row[0].ljust(widths[0])
            rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            lines.append("  ".join(["", first, *rest]).rstrip())
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def as_markdown(results: Results, clock: ClockName = "wall") -> str:
    """The tables as Markdown.

    Args:
        results: What was measured.
        clock: The clock that the figures are of, for what is done on one thread.
    """
    parts = ["\n".join(head(results, clock))]
    for title, headings, rows in tables(results, clock):
        lines = [f"### {title}", "", line(headings), line(["---", *["--:"] * (len(headings) - 1)])]
        parts.append("\n".join(lines + [line(row) for row in rows]))
    return "\n\n".join(parts)


def line(row: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(row)} |"


def as_json(results: Results) -> str:
    """Everything, every sample included, in the form that docs/performance.md describes.

    Args:
        results: What was measured.
    """
    everything = {
        "schema": SCHEMA,
        "oware": __version__,
        "started": results.started,
        "machine": machine(),
        "rounds": results.rounds,
        "rounds_wanted": results.wanted,
        "forced_kernel": results.kernel,
        "processor_share": results.share,
        "notes": results.notes,
        "rows": [row_of(results, one) for one in results.rows],
        "copies": [
            {"bytes": size, "samples": [asdict(sample) for sample in samples]}
            for size, samples in results.copies.items()
        ],
        "memory": [asdict(one) for one in results.memory],
    }
    return json.dumps(everything, indent=1)


def row_of(results: Results, one: Measured) -> dict[str, Any]:
    """One row for the JSON."""
    return {
        "table": one.row.table,
        "name": one.row.name,
        "detail": one.row.detail,
        "unit": one.unit,
        "boards": one.boards,
        "kernel": one.kernel,
        "threads": one.threads,
        "bytes_written": one.written,
        "per_second": {clock: asdict(one.rate(clock)) for clock in clocks_of(one)},
        "times_copy": {clock: plain(results.against_copy(one, clock)) for clock in clocks_of(one)},
        "base": one.row.base,
        "times_base": {clock: plain(results.against_base(one, clock)) for clock in clocks_of(one)},
        "episodes": one.episodes,
        "mean_length": one.mean_length,
        "samples": [asdict(sample) for sample in one.samples],
    }


def clocks_of(one: Measured) -> tuple[ClockName, ...]:
    """The clocks that tell what a row takes."""
    return ("wall", "cpu") if one.threads == 1 else ("wall",)


def plain(quartiles: Quartiles | None) -> dict[str, float] | None:
    """Quartiles for the JSON."""
    return None if quartiles is None else asdict(quartiles)
