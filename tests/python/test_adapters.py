"""What all adapters have in common."""

from __future__ import annotations

import importlib
import sys

import pytest

FRAMEWORKS = {
    "jax": "jax",
    "open_spiel": "pyspiel",
    "pettingzoo": "pettingzoo",
    "rllib": "torch",
    "sb3": "stable_baselines3",
    "torch": "torch",
    "torchrl": "torch",
}
"""Each adapter, and the package that it imports first."""


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_missing_framework_is_named_with_its_extra(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = FRAMEWORKS[name]
    for module in [*sys.modules]:
        if module.split(".")[0] == package:
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(sys.modules, f"oware.adapters.{name}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    extra = name.replace("_", "-")
    with pytest.raises(ModuleNotFoundError) as raised:
        importlib.import_module(f"oware.adapters.{name}")
    assert raised.value.name is not None
    assert raised.value.name.partition(".")[0] == package
    assert str(raised.value) == f'no module {raised.value.name}: pip install "oware[{extra}]"'
