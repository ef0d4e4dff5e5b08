"""The fenced blocks of the README and of the pages of `docs/`."""

from __future__ import annotations

import doctest
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).parents[2]
README: Final = ROOT / "README.md"
PAGES: Final = [README, *sorted((ROOT / "docs").rglob("*.md"))]

PYTHON: Final = ("python", "pycon")
SHELL: Final = ("bash", "console", "sh")
OTHER: Final = ("text", "{eval-rst}", "{image}", "{toctree}")
LANGUAGES: Final = {*PYTHON, *SHELL, *OTHER}

FRAMEWORKS: Final = "needs-frameworks"
"""Behind the language: the block runs where the frameworks are, in `make test-frameworks`."""
NOT_RUN: Final = "not-run"
"""Behind the language: no test runs the block, and the page says why."""

FENCE: Final = re.compile(r"^(`{3,}|~{3,})(.*)\n((?:.*\n)*?)\1$", re.MULTILINE)
MODULE: Final = re.compile(
    r"^This `(\w+)\.py` [^`]*?:\n\n```python\n((?:.*\n)*?)```$", re.MULTILINE
)
"""A block that the page calls a file."""


@dataclass(frozen=True)
class Block:
    """A fenced block: the first word of its fence, the rest, its text and where that begins."""

    language: str
    mark: str
    text: str
    line: int


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page, those in some languages or all."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        language, _, mark = match[2].partition(" ")
        if not languages or language in languages:
            line = text.count("\n", 0, match.start(3)) + 1
            found.append(Block(language, mark, match[3], line))
    return found


def run_in_order(page: Path, examples: Iterable[Block]) -> None:
    """Run blocks of Python one after the other, each with the names of those before it.

    Those that the page calls files can be imported as well.
    """
    own = modules(page)
    assert not own.keys() & sys.modules.keys()
    sys.modules.update(own)
    try:
        _run_in_order(page, examples)
    finally:
        for name in own:
            del sys.modules[name]


def modules(page: Path) -> dict[str, ModuleType]:
    """The modules that a page calls files."""
    made = {}
    for name, text in MODULE.findall(page.read_text(encoding="utf-8")):
        made[name] = ModuleType(name)
        exec(compile(text, f"{page}: {name}.py", "exec"), vars(made[name]))
    return made


def _run_in_order(page: Path, examples: Iterable[Block]) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    for block in examples:
        if ">>>" in block.text:
            parser = doctest.DocTestParser()
            test = parser.get_doctest(block.text, names, page.stem, str(page), block.line - 1)
            assert not any(example.options.get(doctest.SKIP) for example in test.examples)
            report: list[str] = []
            runner.run(test, out=report.append, clear_globs=False)
            assert not report, f"{page.name}, line {block.line}:\n{''.join(report)}"
            # The runner works on the names that it was given, in a copy of its own.
            names = test.globs
        else:
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)


def run_everything(page: Path) -> None:
    """Run all Python of a page, where its frameworks are."""
    run_in_order(page, [block for block in blocks(page, *PYTHON) if block.mark != NOT_RUN])
