"""The results of a tournament as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from oware.arena._results import Results

__all__ = ["table"]


def table(results: Results, anchor: str | None) -> str:
    """The standings, beside them the score of each against each in per cent."""
    crossed = results.cross_table()
    rows = results.standings(anchor)
    places = [results.players.index(row["player"]) for row in rows]
    width = max(len("player"), *map(len, results.players))
    lines = [
        f"   {'player':{width}}  games    won  drawn   lost  score  rating  95 % interval  "
        + "".join(f"{number:>6}" for number in range(1, len(rows) + 1))
    ]
    for number, (place, row) in enumerate(zip(places, rows, strict=True), 1):
        rating = "       -              -"
        if "rating" in row:
            rating = f"{row['rating']:+8.0f} {row['low']:+6.0f} to {row['high']:+5.0f}"
        # Of an unfinished tournament a player may have no games.
        score = "    - " if np.isnan(row["score"]) else f"{100 * row['score']:5.1f}%"
        scores = crossed[place, places]
        lines.append(
            f"{number:2} {row['player']:{width}} {row['games']:6} {row['wins']:6} "
            f"{row['draws'] + row['unfinished']:6} {row['losses']:6} "
            f"{score}{rating}  "
            + "".join("     -" if np.isnan(s) else f"{100 * s:6.1f}" for s in scores)
        )
    games = results.games
    ended = ", ".join(f"{count} {name}" for name, count in results.endings().items() if count)
    lines.append(
        f"{len(games)} games, {100 * results.unique:.1f} % of them unique, of "
        f"{games.plies.mean():.1f} plies: {ended}"
        if len(games)
        else "no games"
    )
    if rows[0].get("prior"):
        lines.append(
            "ratings with one game added to each pair, half of it won by either: "
            "without it they have no bound"
        )
    return "\n".join(lines)
