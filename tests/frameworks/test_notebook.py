"""The notebook that needs PyTorch runs from top to bottom."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "06_alphazero.ipynb"


def test_it_runs(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, kernel_name="python3", timeout=1200, resources=resources).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not [each for cell in code for each in cell.outputs if each.output_type == "error"]
    assert (tmp_path / "run" / "network.safetensors").is_file()
