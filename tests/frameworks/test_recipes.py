"""What docs/frameworks.md shows runs, and so do the recipes for frameworks that need no adapter."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytest_plugins = "win_rates"

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "frameworks.md"


def trained(script: str, *arguments: str) -> tuple[list[dict[str, float]], str]:
    """The lines of JSON that a script prints, and all of it."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "scripts" / script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return lines, done.stdout


def test_the_examples_of_the_page() -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert tried
    assert not failed


def test_the_scripts_of_the_page_exist() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:scripts|benches)/\w+\.py", text))
    assert named >= {"scripts/train_ppo.py", "scripts/train_tianshou.py"}
    assert all((ROOT / name).is_file() for name in named)


def test_ppo_in_one_file_learns(win_rates: Callable[[object], dict[str, float]]) -> None:
    lines, printed = trained("train_ppo.py", "--steps", "82000", "--games", "500")
    assert [line["steps"] for line in lines] == [81920]
    # Random moves win 46 % of the games against each other; the rest are theirs or drawn.
    assert min(win_rates(printed).values()) > 70


@pytest.mark.slow
def test_dqn_of_tianshou_learns(win_rates: Callable[[object], dict[str, float]]) -> None:
    lines, printed = trained("train_tianshou.py", "--epochs", "1", "--games", "500")
    assert [line["steps"] for line in lines] == [10_000]
    assert min(win_rates(printed).values()) > 65
