"""The notebook that needs PyTorch runs from top to bottom, and shows what is committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebooks import FOLDER, complaints, differences, read, run

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOK = FOLDER / "06_alphazero.ipynb"


def test_it_runs_and_shows_what_is_committed(tmp_path: Path) -> None:
    now = run(NOTEBOOK, tmp_path)
    assert complaints(now) == []
    changed = differences(read(NOTEBOOK), now)
    assert not changed, f"run `python scripts/run_notebooks.py {NOTEBOOK.stem}` again:\n{changed}"
    assert (tmp_path / "run" / "network.safetensors").is_file()
