"""The examples in the docstrings of the adapters, where their frameworks are installed."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

MODULES = (
    "_rllib_agent",
    "_sb3_agent",
    "jax",
    "open_spiel",
    "pettingzoo",
    "rllib",
    "sb3",
    "torch",
    "torchrl",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"oware.adapters.{name}")
    for public in module.__all__:
        thing = getattr(module, public)
        members = [thing]
        if inspect.isclass(thing):
            members += [
                value
                for member, value in vars(thing).items()
                if not member.startswith("_") and inspect.isfunction(value)
            ]
        for member in members:
            assert ">>>" in (inspect.getdoc(member) or ""), f"{member} has no example"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testmod(module, optionflags=flags)
    assert tried
    assert not failed
