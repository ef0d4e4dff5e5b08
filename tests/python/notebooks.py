"""The notebooks: how the tests run them, and what of their outputs has to come out again."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any, Final

import nbformat
from nbclient import NotebookClient

FOLDER: Final = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS: Final = sorted(FOLDER.glob("*.ipynb"))

VARIES: Final = "varies"
"""The tag of a cell whose figures are other ones in each run, or on another processor."""
VARYING: Final = {
    "01_quickstart": (1, {"perf_counter"}),
    "03_training_an_agent": (2, {"agent"}),
    "06_alphazero": (3, {"trainer", "network"}),
}
"""How many cells of a notebook have the tag, and of what each of them shows figures.

Those are a clock, and what NumPy and PyTorch have trained: in sums of floating-point numbers each
processor rounds in an order of its own.
"""

# tqdm draws its bars on the error stream; nothing else has a place there.
PROGRESS_BAR: Final = re.compile(r"[^\r\n]*\|[^\r\n]*\[[^\r\n]*\]\s*")
# An address, the name of a widget, the version: those of the run and nothing that it found.
OF_THE_RUN: Final = re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{32}\b|'\d+\.\d+\.\d+'")
# A number with the blanks that align it, or a position.
FIGURE: Final = re.compile(r" *[-+]?\d[\d,.]*(?:-\d+)*(?:-[NS])?| *\bnan\b")


def read(path: Path) -> Any:
    """A notebook as committed."""
    return nbformat.read(path, as_version=4)


def run(path: Path, folder: Path) -> Any:
    """The notebook as it comes out now, run from top to bottom in a folder."""
    notebook = read(path)
    # The kernel is this interpreter's, whatever the notebook was last run with.
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=1200,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def varies(cell: Any) -> bool:
    return VARIES in cell.metadata.get("tags", [])


def stream(cell: Any, name: str) -> str:
    """What a cell wrote into a stream, however many outputs that came in."""
    outputs = [output for output in cell.outputs if output.output_type == "stream"]
    return "".join(output.text for output in outputs if output.name == name)


def complaints(notebook: Any) -> list[str]:
    """What the outputs show of errors and warnings, a line each."""
    found = []
    for cell in code_cells(notebook):
        errors = [output for output in cell.outputs if output.output_type == "error"]
        found += [f"{error.ename}: {error.evalue}" for error in errors]
        rest = PROGRESS_BAR.sub("", stream(cell, "stderr")).strip()
        if rest:
            found.append(rest)
    return found


def shown(cell: Any) -> list[str]:
    """What a cell shows, as lines that are the same whenever it shows the same.

    Of a picture in pixels and of a widget no more than its kind, as other versions of what draws
    them do so in other ways; our own pictures are text. Where the figures vary, everything but
    them, and of pictures the kind.
    """
    text = [stream(cell, "stdout")]
    for output in cell.outputs:
        for kind, data in sorted(output.get("data", {}).items()):
            text.append(kind)
            is_text = kind.startswith("text/") or kind == "image/svg+xml"
            if kind == "text/plain" or (is_text and not varies(cell)):
                text.append(data)
    joined = OF_THE_RUN.sub("...", "\n".join(text))
    return (FIGURE.sub("#", joined) if varies(cell) else joined).splitlines()


def differences(committed: Any, now: Any) -> str:
    """What comes out otherwise than committed, for a reader: nothing if all is the same."""
    found = []
    for old, new in zip(code_cells(committed), code_cells(now), strict=True):
        there, here = shown(old), shown(new)
        if there != here:
            lines = difflib.unified_diff(there, here, "committed", "now", lineterm="", n=0)
            # A picture in one line tells nothing.
            found += [f"[{old.execution_count}]", *(line[:200] for line in lines)]
    return "\n".join(found)
