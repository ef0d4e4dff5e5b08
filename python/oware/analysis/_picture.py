"""A review as a plot and as HTML."""

from __future__ import annotations

import html as escaping
from typing import TYPE_CHECKING, Any, Final

from oware._missing import missing_extra
from oware._words import SEATS, signed

if TYPE_CHECKING:
    from oware.analysis._rating import MoveReview
    from oware.analysis._review import Review

# White text on each has a contrast of at least 4.5, whatever the page behind.
COLOURS: Final = {
    "best": "#1a7f37",
    "good": "#4d7326",
    "inaccuracy": "#8a6100",
    "mistake": "#b54708",
    "blunder": "#c4232e",
}
"""The colour of each rating."""


def plot(review: Review, axes: Any) -> Any:  # noqa: ANN401
    """The balance by the ply, the stores' difference beside it."""
    if axes is None:
        axes = new_axes()
    start = review.moves[0].ply if review.moves else 0
    plies = range(start, start + len(review.stores))
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.step(plies, [south - north for south, north in review.stores], where="post",
              color="tab:grey", label="stores")  # fmt: skip
    axes.plot(plies[: len(review.balance())], review.balance(), color="tab:blue", label="expected")
    for name in ("inaccuracy", "mistake", "blunder"):
        marked = [move for move in review.moves if move.rating == name]
        if marked:
            axes.scatter(
                [move.ply + 1 for move in marked],
                [move.south_value for move in marked],
                color=COLOURS[name],
                label=name,
                zorder=3,
            )
    axes.set_xlabel("ply")
    axes.set_ylabel("net seeds for South")
    axes.legend()
    return axes


def new_axes() -> Any:  # noqa: ANN401
    """Axes of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        raise missing_extra("notebooks", error) from error
    return plt.subplots(figsize=(8, 3.5), layout="constrained")[1]


def html(review: Review) -> str:
    """A table of the moves under a line of the balance; colours come from the page around it."""
    south, north = (escaping.escape(name) for name in review.players)
    outcome = "unfinished" if review.result == "*" else review.result
    head = "".join(
        f'<th scope="col" style="text-align:left;padding:2px 8px">{title}</th>'
        for title in ("Ply", "Player", "Move", "Rating", "Value", "Better line", "Threat, reply")
    )
    rows = "".join(row(move, review.players) for move in review.moves)
    return (
        '<div style="color:inherit;overflow-x:auto">'
        f"<p><strong>{south}</strong> (South) against <strong>{north}</strong> (North),"
        f" {outcome}. Values are net seeds at the end for the player who"
        " moved; = marks exact ones.</p>"
        f"{curve(review.balance())}"
        '<table style="border-collapse:collapse;color:inherit;background:transparent">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def row(move: MoveReview, players: tuple[str, str]) -> str:
    """One move."""
    pill = (
        f'<span style="background:{COLOURS[move.rating]};color:#fff;border-radius:4px;'
        f'padding:1px 6px">{move.rating}</span>'
    )
    threat = "" if move.threat is None else f"threat met: {move.threat}"
    if move.threat_met is False:
        threat = f"threat missed: {move.threat}"
    reply = "" if move.reply is None else f"now {move.reply}"
    better = "" if move.rating == "best" else f"{signed(move.best_value)}: {move.line_letters}"
    value = f"{'=' if move.exact else ''}{signed(move.value)}"
    name = players[move.seat]
    cells = (
        move.ply + 1,
        name if name == SEATS[move.seat] else f"{name} ({SEATS[move.seat]})",
        f"{move.letter}+{move.captured}" if move.captured else move.letter,
        None,
        value,
        better,
        "; ".join(part for part in (threat, reply) if part),
    )
    shown = "".join(
        '<td style="text-align:left;padding:2px 8px;white-space:nowrap">'
        f"{pill if cell is None else escaping.escape(str(cell))}</td>"
        for cell in cells
    )
    return f"<tr>{shown}</tr>"


def curve(balance: list[float]) -> str:
    """The balance as a small drawing, South's advantage upwards."""
    if len(balance) < 2:
        return ""
    width, height = 600, 100
    most = max(1.0, *map(abs, balance))
    points = " ".join(
        f"{ply * width / (len(balance) - 1):.1f},{height / 2 * (1 - value / most * 0.95):.1f}"
        for ply, value in enumerate(balance)
    )
    told = f"Net seeds that South could expect, from {signed(balance[0])} to {signed(balance[-1])}"
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{told}"'
        ' style="max-width:600px;width:100%;display:block">'
        f'<line x1="0" y1="{height // 2}" x2="{width}" y2="{height // 2}" stroke="currentColor"'
        ' stroke-opacity="0.4"/>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"/></svg>'
    )
