"""What the README and the pages of `docs/` show is true: examples run, links and commands exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from test_docstrings import MODULES

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
# Examples that need a framework run where the frameworks are (`make test-frameworks`).
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.stem != "frameworks"]
each_page = pytest.mark.parametrize(
    "page", [README, *PAGES], ids=lambda page: page.relative_to(ROOT).as_posix()
)
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)")


@pytest.fixture(scope="module")
def text() -> str:
    return README.read_text(encoding="utf-8")


def blocks(text: str, *languages: str) -> list[tuple[str, int]]:
    """The fenced blocks in a language, each with the line on which its code starts."""
    return [
        (match[2], text[: match.start(2)].count("\n") + 1)
        for match in BLOCK.finditer(text)
        if match[1] in languages
    ]


def anchor(heading: str) -> str:
    """The name that GitHub gives a heading."""
    return "#" + re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@each_page
def test_the_python_examples_run_in_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    examples = blocks(text, "python", "pycon", "py")
    assert examples or page != README
    for code, line in examples:
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, names, page.stem, str(page), line - 1)
            assert not any(example.options.get(doctest.SKIP) for example in test.examples)
            failed = runner.run(test, clear_globs=False).failed
            assert failed == 0, f"{page.name}, line {line}:\n{capsys.readouterr().out}"
            # The runner works on the names that it was given, in a copy of its own.
            names = test.globs
        else:
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)


def test_the_make_commands_exist(text: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    shell = "\n".join(code for code, _ in blocks(text, "bash", "sh", "shell", "console"))
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
