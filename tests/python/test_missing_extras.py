"""Where the library of an extra is not installed, one kind of error names both."""

from __future__ import annotations

import pydoc
import sys
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import oware
from oware import analysis, arena, plots, train

if TYPE_CHECKING:
    from collections.abc import Callable

ADAPTERS = {
    "jax": "jax",
    "open_spiel": "pyspiel",
    "pettingzoo": "pettingzoo",
    "rllib": "ray",
    "sb3": "stable_baselines3",
    "torch": "torch",
    "torchrl": "torch",
}
"""Each adapter, and the package that it imports first."""
USES: dict[str, tuple[str, str, Callable[[], object]]] = {
    "a board": ("anywidget", "notebooks", partial(import_module, "oware.widget")),
    "a plot": ("matplotlib", "notebooks", lambda: plots.balance(oware.Game())),
    "a plot of a review": (
        "matplotlib",
        "notebooks",
        lambda: analysis.review("F", depth=1).plot(),
    ),
    "a plot of a tournament": ("matplotlib", "arena", lambda: played().plot()),
    "a ladder": ("elote", "arena", arena.Ladder),
    "Parquet": ("pyarrow", "arena", lambda: played().to_parquet(Path("never.parquet"))),
    "a cluster": ("ray", "ray", lambda: train.RayGames),
    "Minari": ("minari", "minari", lambda: played().to_minari("oware/never-v0")),
    **{
        name: (package, name.replace("_", "-"), partial(import_module, f"oware.adapters.{name}"))
        for name, package in ADAPTERS.items()
    },
}
"""What is missing, its extra, and what needs it."""


def played() -> arena.Results:
    return arena.tournament(["greedy", "random"], games=2)


@pytest.mark.parametrize("use", USES)
def test_a_missing_library_is_named_with_its_extra(
    use: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, extra, call = USES[use]
    for module in [*sys.modules]:
        if module.split(".")[0] == package:
            monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    for module in ("oware.widget", "oware.train._ray", f"oware.adapters.{use}"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ModuleNotFoundError) as raised:
        call()
    assert raised.value.name is not None
    assert raised.value.name.partition(".")[0] == package
    assert str(raised.value) == f'no module {raised.value.name}: pip install "oware[{extra}]"'


@pytest.mark.parametrize(
    ("place", "name", "libraries"),
    [
        ("oware", "Board", ["anywidget"]),
        ("oware.course", "PuzzleBoard", ["anywidget"]),
        ("oware.train", "Model", ["torch", "filelock"]),
        ("oware.train", "RayGames", ["ray"]),
        ("oware.train", "Trainer", ["torch", "filelock"]),
    ],
)
def test_a_name_is_listed_where_it_can_be_had(
    place: str, name: str, libraries: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module(place)
    monkeypatch.delitem(vars(module), name, raising=False)
    for library in libraries:
        there = ModuleType(library)
        there.__spec__ = ModuleSpec(library, None)
        monkeypatch.setitem(sys.modules, library, there)
    assert name in dir(module)
    monkeypatch.setitem(sys.modules, libraries[0], None)
    assert name not in dir(module)
    # It asks for all that is listed.
    assert pydoc.render_doc(module)
