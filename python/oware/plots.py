"""Plots of games and of batches of games, with matplotlib: `pip install "oware[notebooks]"`.

Each function makes a `matplotlib.figure.Figure` of its own, which a notebook shows and
`figure.savefig("balance.png")` keeps; none touches what `pyplot` has open.

>>> import oware
>>> from oware import plots
>>> figure = plots.balance(oware.Game.from_transcript("FfEeCdAaBc"))
>>> figure.axes[0].get_xlabel()
'plies'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oware._figures import figure_class
from oware._oware import TERMINATIONS, Game
from oware._playouts import Playouts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from oware.arena import Results

__all__ = ["balance", "batch", "move_values", "tournament"]

# South is amber and North blue, told apart by anyone who sees colours at all.
_SOUTH, _NORTH, _NEITHER = "#b9700f", "#14567a", "#8c8c8c"
_GAIN, _LOSS = "#3c8c46", "#a3231a"


def _figure(extra: str = "notebooks", **settings: Any) -> Figure:  # noqa: ANN401
    figure: Figure = figure_class(extra)(layout="constrained", **settings)
    return figure


def _game(game: Game) -> Game:
    if not isinstance(game, Game):
        raise TypeError(f"game must be an oware.Game, not {type(game).__name__}")
    return game


def balance(game: Game) -> Figure:
    """Draw how a game stood after each ply: both stores, and the seeds in either row.

    Args:
        game: The game, finished or not.

    Raises:
        TypeError: It is no game.
        ModuleNotFoundError: Matplotlib is missing.

    Example:
        >>> import oware
        >>> figure = balance(oware.Game.from_transcript("FfEeCdAaBc"))
        >>> [int(count) for count in figure.axes[0].lines[0].get_ydata()]
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5]
    """
    back = _game(game).copy()
    states = [(back.ply, back.stores, back.pits)]
    for _ in game.moves:
        back.undo()
        states.append((back.ply, back.stores, back.pits))
    states.reverse()
    plies = [ply for ply, _, _ in states]

    figure = _figure(figsize=(7, 4.5))
    stores, rows = figure.subplots(2, sharex=True, height_ratios=(3, 2))
    for seat, (name, colour) in enumerate((("South", _SOUTH), ("North", _NORTH))):
        kept = [state[1][seat] for state in states]
        stores.step(plies, kept, where="post", color=colour, linewidth=2, label=f"{name}'s store")
        row = [sum(state[2][6 * seat : 6 * seat + 6]) for state in states]
        rows.step(plies, row, where="post", color=colour, label=f"{name}'s row")
    seeds = sum(game.pits) + sum(game.stores) + game.unawarded
    stores.axhline(seeds / 2, color=_NEITHER, linewidth=1, linestyle=":", label="half of all seeds")
    stores.set(xlabel="plies", ylabel="seeds in store", ylim=(0, None), title=game.status())
    stores.xaxis.label.set_visible(False)
    rows.set(xlabel="plies", ylabel="seeds in row", ylim=(0, None))
    for axes in (stores, rows):
        axes.legend(fontsize="small", frameon=False)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def move_values(game: Game, values: Sequence[float | None]) -> Figure:
    """Draw what each move of the player to move is worth, as bars.

    Args:
        game: The game.
        values: A number for each of the six moves, None for one without: the `move_values` of
            `oware.search.alpha_beta`, for example.

    Raises:
        TypeError: It is no game.
        ValueError: There are not six values.
        ModuleNotFoundError: Matplotlib is missing.

    Example:
        >>> import oware
        >>> game = oware.Game.from_transcript("FfEe")
        >>> found = oware.search.alpha_beta(game, depth=4, move_values=True)
        >>> figure = move_values(game, found.move_values)
        >>> figure.axes[0].get_title()
        'What each move of South is worth'
    """
    letters = "ABCDEFabcdef"[6 * _game(game).to_move :][:6]
    if len(values) != 6:
        raise ValueError(f"there are {len(values)} values; give one for each of six moves")
    figure = _figure(figsize=(6, 3))
    axes = figure.subplots()
    heights = [0.0 if value is None else float(value) for value in values]
    names = [
        f"{letter}\nnot legal" if value is None else letter
        for letter, value in zip(letters, values, strict=True)
    ]
    bars = axes.bar(
        range(6), heights, color=[_GAIN if height >= 0 else _LOSS for height in heights], width=0.6
    )
    axes.bar_label(
        bars,
        ["" if value is None else f"{value:+.1f}" for value in values],
        fontsize="small",
        padding=3,
    )
    axes.axhline(0, color="black", linewidth=1)
    axes.margins(y=0.15)
    axes.set_xticks(range(6), names)
    mover = ("South", "North")[game.to_move]
    axes.set(ylabel="final net seeds", title=f"What each move of {mover} is worth")
    axes.grid(axis="y", alpha=0.25)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    return figure


def _by(values: NDArray[Any], winner: NDArray[Any]) -> list[NDArray[Any]]:
    return [values[winner == seat] for seat in (0, 1, -1)]


def batch(results: Playouts) -> Figure:
    """Draw the statistics of many games: their margins, lengths and endings.

    Args:
        results: What `oware.playouts` has returned.

    Raises:
        TypeError: They are not that.
        ModuleNotFoundError: Matplotlib is missing.

    Example:
        >>> import oware
        >>> figure = batch(oware.playouts(oware.Game(), 1000, seed=1))
        >>> [axes.get_title() for axes in figure.axes]
        ['margin', 'length', 'ending']
    """
    if not isinstance(results, Playouts):
        raise TypeError(f"results must be oware.Playouts, not {type(results).__name__}")
    winner, margin = results.winner.ravel(), results.margin.ravel()
    colours = [_SOUTH, _NORTH, _NEITHER]
    counts = np.array([np.count_nonzero(winner == seat) for seat in (0, 1, -1)])
    names = [
        f"{name}: {count / max(winner.size, 1):.1%}"
        for name, count in zip(("South wins", "North wins", "neither"), counts, strict=True)
    ]
    figure = _figure(figsize=(10, 3.6))
    left, middle, right = figure.subplots(1, 3)
    reach = int(np.abs(margin).max(initial=1)) + 1
    left.hist(
        _by(margin, winner),
        bins=np.arange(-reach - 0.5, reach + 1.5, 2),
        stacked=True,
        color=colours,
        label=names,
    )
    figure.legend(loc="outside lower center", ncols=3, fontsize="small", frameon=False)
    left.set(title="margin", xlabel="South's store less North's", ylabel="games")
    middle.hist(_by(results.plies.ravel(), winner), bins=30, stacked=True, color=colours)
    middle.set(title="length", xlabel="plies")
    endings = np.bincount(results.termination.ravel(), minlength=len(TERMINATIONS))
    seen = np.flatnonzero(endings)
    right.barh([TERMINATIONS[i].replace("_", " ") for i in seen], endings[seen], color=_NEITHER)
    right.invert_yaxis()
    right.set(title="ending", xlabel="games")
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def tournament(results: Results, anchor: str | None = None) -> Figure:
    """Draw the ratings of a tournament with their intervals, and who has scored against whom.

    Args:
        results: What `oware.arena.tournament` has returned.
        anchor: The player whose rating is 0; None puts the mean of all there.

    Where ratings are those with a prior, as in `Results.standings`, the axis says so.

    Raises:
        TypeError: They are not that.
        ValueError: There is no such player, or no game was played.
        ModuleNotFoundError: Matplotlib is missing.

    Example:
        >>> from oware import arena
        >>> figure = tournament(arena.tournament(["greedy", "random"], games=20))
        >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
        ['greedy', 'random']
    """
    from oware.arena import Results

    if not isinstance(results, Results):
        raise TypeError(f"results must be an oware.arena.Results, not {type(results).__name__}")
    rows = results.standings(anchor)
    if not len(results.games) or "rating" not in rows[0]:
        raise ValueError("there are too few games for ratings")
    names, places = [row["player"] for row in rows], np.arange(len(rows))
    figure = _figure("arena", figsize=(3 + 0.9 * len(rows), 1.6 + 0.4 * len(rows)))
    left, right = figure.subplots(1, 2)
    points = np.array([[row["rating"], row["low"], row["high"]] for row in rows])
    left.errorbar(
        points[:, 0],
        places,
        xerr=np.abs(points[:, 1:] - points[:, :1]).T,
        fmt="o",
        color=_NORTH,
        capsize=3,
    )
    left.set_yticks(places, names)
    left.set_ylim(len(rows) - 0.5, -0.5)
    left.set(title="rating", xlabel="Elo points")
    if rows[0]["prior"]:
        left.set_xlabel("Elo points, with one game\nadded to each pair")
    left.grid(axis="x", alpha=0.25)
    left.spines[["top", "right", "left"]].set_visible(False)

    order = [results.players.index(name) for name in names]
    table = 100 * results.cross_table()[np.ix_(order, order)]
    right.imshow(np.ma.masked_invalid(table), cmap="BrBG", vmin=-40, vmax=140, aspect="auto")
    for row, column in np.argwhere(np.isfinite(table)):
        score = f"{table[row, column]:.0f}"
        right.text(column, row, score, ha="center", va="center", fontsize="small")
    right.set_xticks(places, names, rotation=30, ha="right")
    right.set_yticks([])
    right.set_ylim(len(rows) - 0.5, -0.5)
    right.set(title="score in per cent against")
    right.spines[:].set_visible(False)
    return figure
