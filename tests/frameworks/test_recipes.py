"""What the pages show of frameworks runs, and so do the recipes for those that need no adapter."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import oware
from oware.agents import evaluate
from pages import FRAMEWORKS, PAGES, ROOT, blocks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest_plugins = "win_rates"

PAGE = ROOT / "docs" / "frameworks.md"
# TorchRL warns of itself as it is imported.
WARNINGS = ("-W", "error", "-W", "ignore:Creating:DeprecationWarning")
SHOWING = [page for page in PAGES if any(block.mark == FRAMEWORKS for block in blocks(page))]


def trained(script: str, *arguments: str) -> tuple[list[dict[str, float]], str]:
    """The lines of JSON that a script prints, and all of it."""
    done = subprocess.run(
        [sys.executable, *WARNINGS, str(ROOT / "scripts" / script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return lines, done.stdout


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.stem)
def test_the_examples_of_the_page(page: Path, tmp_path: Path) -> None:
    # A process for each: Ray forks, which JAX warns of where it has run before.
    code = f"import pages, pathlib; pages.run_everything(pathlib.Path({str(page)!r}))"
    done = subprocess.run(
        [sys.executable, *WARNINGS, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "OMP_NUM_THREADS": "1",
            # Ray's workers otherwise wait for every other program of a machine.
            "RAY_AUTH_MODE": "disabled",
            "RAY_worker_niceness": "0",
        },
    )
    assert done.returncode == 0, done.stderr[-4000:]


def test_pages_show_frameworks() -> None:
    assert {page.stem for page in SHOWING} == {"frameworks", "networks", "training"}


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


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "steps"), [("ppo", 81_920), ("dqn", 40_960)])
def test_a_learner_is_kept_as_a_player(algorithm: str, steps: int, tmp_path: Path) -> None:
    path = tmp_path / "player.safetensors"
    given = ("--steps", str(steps), "--games", "20", "--save", str(path))
    lines, _ = trained("train_learners.py", algorithm, *given)
    assert [line["steps"] for line in lines] == [part * steps // 10 for part in range(1, 11)]
    assert evaluate(f"net:{path}", "random", games=200).total.win_rate > 0.6


def test_a_learner_is_kept_as_it_is() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "train_learners.py"))
    torch.manual_seed(0)
    layers = [torch.nn.Linear(350, 8), torch.nn.Linear(8, 4), torch.nn.Linear(4, 6)]
    relu = torch.nn.ReLU()
    body = torch.nn.Sequential(layers[0], relu, layers[1], relu, layers[2])
    seeds, _ = oware.OwareEnv(50, opening_plies=40).reset(seed=0)
    seeds[0, 0] = 30
    with torch.no_grad():
        expected = body(script["OneHot"]()(torch.from_numpy(seeds))).numpy()
    found = script["exported"](body).evaluate(seeds)
    assert np.abs(found.logits - expected).max() < 1e-5
    assert not found.value.any()
