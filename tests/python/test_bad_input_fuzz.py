"""Nasty objects for every parameter: an ordinary exception or an answer, never a dead process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fuzz_calls


@pytest.mark.parametrize("seed", [1, 2])
def test_nasty_objects(seed: int, tmp_path: Path) -> None:
    script = Path(fuzz_calls.__file__)
    last = tmp_path / "last"
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", script, "5000", str(seed), last],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    called = last.read_text(encoding="utf-8", errors="replace")
    assert done.stdout.endswith("survived\n"), f"{called}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == 0
