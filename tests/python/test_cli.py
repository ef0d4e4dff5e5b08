from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import oware
from oware import cli
from oware.cli import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command in this process: its exit code, output and errors."""

    def run(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as exit_info:
            cli.main(arguments)
        out, err = capsys.readouterr()
        code = exit_info.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


def test_version(run: Any) -> None:
    assert run("--version") == (0, f"oware {oware.__version__}\n", "")


def test_help_names_every_command_in_order(run: Any) -> None:
    code, out, _ = run("--help")
    assert code == 0
    listed = re.findall(r"^  ([a-z]+)  ", out.partition("Commands:")[2], re.MULTILINE)
    assert [*listed[:4], "analyze", *listed[4:]] == list(COMMANDS)
    for command in COMMANDS:
        assert run(command, "--help")[0] == 0


def test_the_page_names_every_command() -> None:
    page = Path(__file__).parents[2] / "docs" / "terminal.md"
    rows = re.findall(r"^\| \[?`oware ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [command for command in COMMANDS if command != "analyze"]


def test_rules_are_listed(run: Any) -> None:
    code, out, _ = run("rules")
    assert code == 0
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert list(lines) == list(oware.RULE_SETS)
    assert lines["abapa"].split(maxsplit=1)[1] == "the default"
    assert (
        lines["codingame"].split(maxsplit=1)[1] == "repetition=0, max_plies=200, limit_share=stay"
    )


@pytest.mark.parametrize("name", oware.RULE_SETS)
def test_rules_are_described(run: Any, name: str) -> None:
    described = oware.RULE_SETS[name].describe()  # type: ignore[index]
    assert run("rules", name) == (0, described + "\n", "")


def test_rules_are_compared(run: Any) -> None:
    code, out, _ = run("rules", "--diff", "open_spiel", "auale")
    assert code == 0
    assert out == "repetition_needs_both_rows  False | True\n"
    assert run("rules", "--diff", "abapa", "nineqm")[1] == "abapa and nineqm have the same rules.\n"


def test_perft(run: Any) -> None:
    code, out, _ = run("perft", "6")
    assert code == 0
    counts = [line.split()[:2] for line in out.splitlines()]
    expected = [1, 6, 36, 190, 1014, 5219, 27332]
    assert counts == [[str(depth), str(lines)] for depth, lines in enumerate(expected)]
    game = oware.Game("village")
    assert run("perft", "7", "--rules", "village")[1].split()[-3] == str(oware.perft(game, 7))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "chess"),
        (["rules", "chess"], 'unknown rule set "chess"; known: abapa, harvest'),
        (["rules", "--diff", "abapa", "chess"], 'unknown rule set "chess"'),
        (["rules", "--diff", "abapa"], "--diff"),
        (["rules", "awari", "--diff", "abapa", "awari"], "a name or --diff, not both"),
        (["perft"], "depth"),
        (["perft", "deep"], "depth"),
        (["perft", "-1"], "-1"),
        (["perft", "1001"], "depth"),
        (["perft", "3", "--rules", "chess"], 'unknown rule set "chess"'),
        (["play", "--opponent", "deep blue"], "deep blue"),
        (["play", "--seat", "west"], "west"),
        (["play", "--rules", "chess"], 'unknown rule set "chess"'),
        (["play", "--seed", "-1"], "--seed"),
        (["demo", "--seed", "-1"], "--seed"),
        (["demo", "--steps", "1"], "--steps"),
    ],
)
def test_mistakes_are_told_in_plain_words(run: Any, arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    # Typer words it, each version in its way.
    assert message.lower() in " ".join(err.split()).lower()
    assert "Traceback" not in err


def test_the_demo_gets_its_options(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[dict[str, int]] = []
    monkeypatch.setattr(cli, "run_demo", lambda **options: calls.append(options))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    assert run("demo", "--seed", "3", "--steps", "20000")[0] == 0
    assert calls == [{"seed": 3, "steps": 20000}]


def test_the_demo_starts_again_on_one_thread(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], str]] = []

    def execve(path: str, arguments: list[str], environment: dict[str, str]) -> None:
        assert path == arguments[0] == sys.executable
        started.append((arguments[1:], environment["OPENBLAS_NUM_THREADS"]))
        raise SystemExit(0)

    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "name", "posix")
    monkeypatch.setattr(os, "execve", execve)
    assert run("demo", "--steps", "20000")[0] == 0
    assert started == [(["-m", "oware", "demo", "--seed=0", "--steps=20000"], "1")]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("oware pl", {"play"}),
        ("oware play --opponent m", {"medium", "master", "minimax:3", "minimax:6", "minimax:12"}),
        ("oware play --rules aw", {"awari"}),
    ],
)
def test_a_shell_completes(
    run: Any, monkeypatch: pytest.MonkeyPatch, typed: str, expected: set[str]
) -> None:
    monkeypatch.setenv("_OWARE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    code, out, _ = run()
    assert code == 0
    assert set(out.split()) == expected


def test_a_mistake_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "oware", "rules", "chess"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert 'unknown rule set "chess"' in done.stderr
    assert "Traceback" not in done.stderr


def test_output_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("typer.echo", full)
    with pytest.raises(SystemExit, match=r"^oware: \[Errno \d+\] No space left on device$"):
        cli.main(["rules"])
