"""Run notebooks and write them as they come out: `python scripts/run_notebooks.py [NAME ...]`.

A name is that of a file in `notebooks/` without `.ipynb`; without one all are run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"


def write_as_run(notebook: nbformat.NotebookNode, file: Path) -> None:
    """Run a notebook from top to bottom and write it, with nothing of where and when it ran."""
    # What a widget is made of lives in the package, and is not written.
    with TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=None,
            coalesce_streams=True,
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": folder}},
        ).execute()
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, file)


def main(names: list[str]) -> None:
    """Run the notebooks of some names, or all."""
    files = [FOLDER / f"{name}.ipynb" for name in names] or sorted(FOLDER.glob("*.ipynb"))
    for file in files:
        write_as_run(nbformat.read(file, as_version=4), file)
        print(file)


if __name__ == "__main__":
    main(sys.argv[1:])
