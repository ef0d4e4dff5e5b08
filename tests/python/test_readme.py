"""What the README and the pages of `docs/` show is true: examples run, links and commands exist."""

from __future__ import annotations

import ast
import re
import shlex
from typing import TYPE_CHECKING

import pytest
import typer

from oware.cli import app
from pages import (
    FRAMEWORKS,
    LANGUAGES,
    NOT_RUN,
    PAGES,
    PYTHON,
    README,
    ROOT,
    SHELL,
    blocks,
    run_in_order,
)
from test_docstrings import MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

each_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)")


def anchor(heading: str) -> str:
    """The name that GitHub gives a heading."""
    return "#" + re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command `oware` in the blocks for a shell, without the first."""
    for block in blocks(page, *SHELL):
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["oware"]:
                until = next((i for i, word in enumerate(words) if word in {">", "|"}), len(words))
                yield words[1:until]


@each_page
def test_every_block_is_in_a_language_that_is_looked_at(page: Path) -> None:
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        assert block.language in LANGUAGES, f"{where}: {block.language!r}"
        if block.language in PYTHON:
            assert block.mark in {"", FRAMEWORKS, NOT_RUN}, f"{where}: {block.mark!r}"
    fences = re.findall(r"^\s*(?:```|~~~)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page)), f"{page.name} has a block that is not found"


def test_what_runs_nowhere_is_listed() -> None:
    not_run = [page.stem for page in PAGES for block in blocks(page) if block.mark == NOT_RUN]
    # PufferLib, which does not build where the tests run.
    assert not_run == ["frameworks"]


@each_page
def test_the_python_examples_run_in_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = [block for block in blocks(page, *PYTHON) if not block.mark]
    assert examples or page != README
    run_in_order(page, examples)


@each_page
def test_the_commands_and_options_exist(page: Path) -> None:
    for words in commands(page):
        command, rest = typer.main.get_command(app), words
        while isinstance(command, typer.core.TyperGroup) and rest:
            assert rest[0] in command.commands, f"oware {shlex.join(words)}: no {rest[0]}"
            command, rest = command.commands[rest[0]], rest[1:]
        # Reads the arguments and runs nothing.
        command.make_context("oware", rest)


def test_there_are_commands_to_read() -> None:
    read = [words[0] for page in PAGES for words in commands(page)]
    assert {"play", "arena", "train", "endgame", "bench"} <= set(read)


@pytest.mark.parametrize(
    ("section", "module", "of"),
    [
        ("PettingZoo", "pettingzoo", "raw_env"),
        ("Stable-Baselines3", "sb3", "OwareVecEnv"),
        ("OpenSpiel", "open_spiel", "Environment"),
        ("TorchRL", "torchrl", "OwareTorchEnv"),
        ("JAX", "jax", "Oware"),
    ],
)
def test_the_tables_of_frameworks_name_every_option(section: str, module: str, of: str) -> None:
    text = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
    table = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    options = re.findall(r"^\| Options \| (.*) \|$", table, re.MULTILINE)
    # Read and not imported, as frameworks may be missing.
    source = (ROOT / "python" / "oware" / "adapters" / f"{module}.py").read_text(encoding="utf-8")
    arguments = [
        argument.arg
        for made in ast.parse(source).body
        if isinstance(made, ast.ClassDef) and made.name == of
        for method in made.body
        if isinstance(method, ast.FunctionDef) and method.name == "__init__"
        for argument in (*method.args.args[1:], *method.args.kwonlyargs)
    ]
    assert options == [", ".join(f"`{name}`" for name in arguments)]


def test_the_make_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    shell = "\n".join(block.text for block in blocks(README, *SHELL))
    named = set(re.findall(r"\bmake ([a-z-]+)", shell))
    assert {"demo", "test"} <= named <= targets


@each_page
def test_the_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path, fragment in LINK.findall(text):
        target = page.parent / path if path else page
        assert target.exists(), path
        if fragment:
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert fragment in {anchor(heading) for heading in headings}, f"{path}{fragment}"


def test_every_public_module_is_in_the_reference() -> None:
    pages = (ROOT / "docs" / "reference").glob("*.md")
    named = {
        name
        for page in pages
        for name in re.findall(r"^\.\. automodule:: (\S+)$", page.read_text("utf-8"), re.MULTILINE)
    }
    adapters = {path.stem for path in (ROOT / "python" / "oware" / "adapters").glob("[a-z]*.py")}
    assert named == {*MODULES, *(f"oware.adapters.{name}" for name in adapters)}


def test_the_paths_that_contributing_names_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"(?:src|python|tests|scripts|docs|benches|notebooks|\.ci)/[\w./-]*", text)
    assert "python/oware/_names.py" in named
    missing = [path for path in named if not (ROOT / path.rstrip(".")).exists()]
    assert missing == []
