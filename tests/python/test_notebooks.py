"""The notebooks run from top to bottom, as committed, without an error or a warning.

They are committed with their outputs, so that a reader sees them without running anything.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
# PyTorch is not among what these tests need: those of the frameworks run this one.
WITH_PYTORCH = {"06_alphazero"}
# tqdm draws its bars on the error stream; nothing else has a place there.
PROGRESS_BAR = re.compile(r"[^\r\n]*\|[^\r\n]*\[[^\r\n]*\]\s*")


@pytest.fixture(scope="module", autouse=True)
def _font_cache() -> None:
    """Matplotlib's font cache: making it inside a notebook can take so long that it warns."""
    subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], check=True)


each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def complaints(notebook: Any) -> list[str]:
    """What the outputs show of errors and warnings, a line each."""
    found = []
    for cell in notebook.cells:
        streams: dict[str, str] = {}
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                found.append(f"{output.ename}: {output.evalue}")
            elif output.output_type == "stream":
                streams[output.name] = streams.get(output.name, "") + output.text
        rest = PROGRESS_BAR.sub("", streams.get("stderr", "")).strip()
        if rest:
            found.append(rest)
    return found


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS, f"no notebook in {FOLDER}"


@each_notebook
def test_it_is_committed_as_run_from_top_to_bottom(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any(cell.outputs for cell in code)
    assert complaints(notebook) == []


@pytest.mark.parametrize(
    "path",
    [path for path in NOTEBOOKS if path.stem not in WITH_PYTORCH],
    ids=lambda path: path.stem,
)
def test_it_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    # The kernel is this interpreter's, whatever the notebook was last run with.
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    assert complaints(notebook) == []
