"""What the README shows is true: its examples run, its links and its commands exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
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


def test_the_python_examples_run_in_order(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    examples = blocks(text, "python", "pycon", "py")
    assert examples
    for code, line in examples:
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, names, "README", str(README), line - 1)
            assert not any(example.options.get(doctest.SKIP) for example in test.examples)
            failed = runner.run(test, clear_globs=False).failed
            assert failed == 0, f"README.md, line {line}:\n{capsys.readouterr().out}"
            # The runner works on the names that it was given, in a copy of its own.
            names = test.globs
        else:
            exec(compile("\n" * (line - 1) + code, str(README), "exec"), names)


def test_the_make_commands_exist(text: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    shell = "\n".join(code for code, _ in blocks(text, "bash", "sh", "shell", "console"))
    named = set(re.findall(r"\bmake ([a-z-]+)", shell))
    assert {"demo", "test"} <= named <= targets


def test_the_links_lead_somewhere(text: str) -> None:
    anchors = {anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    for path, fragment in LINK.findall(text):
        assert (ROOT / path).exists(), path
        if fragment and not path:
            assert fragment in anchors, fragment
