from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oware
from oware import plots
from strategies import random_game


def test_balance_follows_the_game_ply_by_ply() -> None:
    game = random_game(4)
    replayed = oware.Game(game.rules)
    stores, rows = [replayed.stores], [(24, 24)]
    for move in game.moves:
        replayed.play(move)
        stores.append(replayed.stores)
        rows.append((sum(replayed.pits[:6]), sum(replayed.pits[6:])))
    before = game.copy()
    figure = plots.balance(game)
    assert game == before
    for axes, want in zip(figure.axes, (stores, rows), strict=True):
        for seat in (0, 1):
            line: Any = axes.lines[seat]
            assert list(line.get_xdata()) == list(range(len(want)))
            assert list(line.get_ydata()) == [pair[seat] for pair in want]
    assert figure.axes[0].get_title() == game.status()


def test_the_height_of_a_bar_is_the_value_of_its_move() -> None:
    values = (1.5, -2.0, None, 0.0, 3.0, None)
    axes: Any = plots.move_values(oware.Game(), values).axes[0]
    assert [bar.get_height() for bar in axes.patches] == [1.5, -2.0, 0, 0, 3, 0]
    assert axes.patches[0].get_facecolor() != axes.patches[1].get_facecolor()
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert [label for label in labels if "not legal" in label] == ["C\nnot legal", "F\nnot legal"]


def test_every_game_of_a_batch_is_counted_once_in_each_plot() -> None:
    results = oware.playouts([oware.Game(), random_game(1)], 300, seed=2)
    margin, length, ending = (axes for axes in plots.batch(results).axes)
    for axes in (margin, length):
        assert sum(patch.get_height() for patch in axes.patches) == 600  # type: ignore[attr-defined]
    bars = {patch.get_width() for patch in ending.patches}  # type: ignore[attr-defined]
    counts = np.bincount(results.termination.ravel())
    assert bars == set(counts[counts > 0])


def test_finished_games_make_a_plot_too() -> None:
    over = oware.Game(pits=[1, *[0] * 11], stores=(27, 20))
    stores, rows = plots.balance(over).axes
    assert [list(np.asarray(line.get_ydata())) for line in stores.lines[:2]] == [[27], [20]]
    assert [list(np.asarray(line.get_ydata())) for line in rows.lines] == [[1], [0]]
    ending = plots.batch(oware.playouts(over, 1)).axes[-1]
    assert [patch.get_width() for patch in ending.patches] == [1]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plots.balance(5), TypeError, "game must be an oware.Game, not int"),  # type: ignore[arg-type]
        (lambda: plots.move_values("x", [0] * 6), TypeError, "not str"),  # type: ignore[arg-type]
        (lambda: plots.move_values(oware.Game(), [1.0]), ValueError, "there are 1 values"),
        (lambda: plots.batch([1]), TypeError, "results must be oware.Playouts, not list"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
