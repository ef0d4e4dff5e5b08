"""The docstrings of everything public: each is there, and the examples in it run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
from itertools import pairwise
from typing import TYPE_CHECKING, Any, is_typeddict

import pytest

from members import members

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES = (
    "oware",
    "oware.adapters.open_spiel",
    "oware.adapters.pettingzoo",
    "oware.agents",
    "oware.analysis",
    "oware.arena",
    "oware.course",
    "oware.endgame",
    "oware.network",
    "oware.plots",
    "oware.records",
    "oware.render",
    "oware.search",
    "oware.single",
    "oware.train",
    "oware.types",
    "oware.uci",
    "oware.widget",
)
# Called by Gymnasium, never by a user.
HOOKS = {"oware.OwareEnv.close_extras"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def public() -> Iterator[tuple[str, Any]]:
    """Every public module, class, function, method and property with its full name."""
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        yield module_name, module
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.ismodule(thing) or not (inspect.isclass(thing) or callable(thing)):
                continue
            # Another name of a type has the docstring of that type, if any.
            if thing.__module__.partition(".")[0] != "oware":
                continue
            yield f"{module_name}.{name}", thing
            if inspect.isclass(thing):
                for member, value in members(thing).items():
                    member_of = getattr(thing, member)
                    if member.startswith("_") or inspect.ismemberdescriptor(value):
                        continue
                    if callable(member_of) or inspect.isdatadescriptor(value):
                        yield f"{module_name}.{name}.{member}", member_of


PUBLIC = dict(public())


def examples(name: str) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(inspect.getdoc(PUBLIC[name]) or "", name)


def test_compiled_and_python_names_are_found() -> None:
    assert {
        "oware",
        "oware.Rules",
        "oware.Rules.named",
        "oware.Rules.grand_slam",
        "oware.Game.play",
        "oware.Game.pits",
        "oware.perft",
        "oware.IllegalMoveError",
        "oware.render.svg",
    } <= PUBLIC.keys()


def test_every_alias_is_followed_by_what_it_means() -> None:
    source = inspect.getsource(importlib.import_module("oware.types"))
    body = ast.parse(source).body
    told = {
        node.target.id
        for node, following in pairwise(body)
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(following, ast.Expr)
    }
    classes = {node.name for node in body if isinstance(node, ast.ClassDef)}
    assert told | classes == set(importlib.import_module("oware.types").__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring(name: str) -> None:
    thing = PUBLIC[name]
    text = inspect.getdoc(thing) or ""
    summary = text.split("\n\n")[0]
    assert summary.endswith("."), f"{name} has no docstring that begins with a sentence"
    # These are types to be written in annotations; nobody calls them.
    only_a_type = getattr(thing, "_is_protocol", False) or is_typeddict(thing)
    if callable(thing) and name not in HOOKS and not only_a_type:
        assert examples(name), f"{name} has no example"


@pytest.mark.parametrize("name", [name for name in PUBLIC if examples(name)])
def test_examples(name: str) -> None:
    # As doctest has it: an example sees the names of its module.
    module = max((module for module in MODULES if f"{name}.".startswith(f"{module}.")), key=len)
    names = dict(vars(importlib.import_module(module)))
    text = inspect.getdoc(PUBLIC[name]) or ""
    test = doctest.DocTestParser().get_doctest(text, names, name, None, None)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=report.append)
    assert not report, "".join(report)
