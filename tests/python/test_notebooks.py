"""The notebooks run from top to bottom without an error or a warning, and show what is committed.

They are committed with their outputs, so that a reader sees them without running anything.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

from notebooks import (
    FOLDER,
    NOTEBOOKS,
    VARYING,
    code_cells,
    complaints,
    differences,
    read,
    run,
    varies,
)

if TYPE_CHECKING:
    from pathlib import Path

# PyTorch is not among what these tests need: those of the frameworks run this one.
WITH_PYTORCH = {"06_alphazero"}


@pytest.fixture(scope="module", autouse=True)
def _font_cache() -> None:
    """Matplotlib's font cache: making it inside a notebook can take so long that it warns."""
    subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], check=True)


each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS, f"no notebook in {FOLDER}"
    assert VARYING.keys() | WITH_PYTORCH <= {path.stem for path in NOTEBOOKS}


@each_notebook
def test_it_is_committed_as_run_from_top_to_bottom(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    code = code_cells(notebook)
    assert code
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any(cell.outputs for cell in code)
    assert complaints(notebook) == []


@each_notebook
def test_few_cells_vary_and_each_for_a_reason(path: Path) -> None:
    count, names = VARYING.get(path.stem, (0, set()))
    varying = [cell for cell in code_cells(read(path)) if varies(cell)]
    assert len(varying) == count
    for cell in varying:
        assert names & set(re.findall(r"\w+", cell.source)), cell.source


@pytest.mark.parametrize(
    "path",
    [path for path in NOTEBOOKS if path.stem not in WITH_PYTORCH],
    ids=lambda path: path.stem,
)
def test_it_runs_and_shows_what_is_committed(path: Path, tmp_path: Path) -> None:
    now = run(path, tmp_path)
    assert complaints(now) == []
    changed = differences(read(path), now)
    assert not changed, f"run `python scripts/run_notebooks.py {path.stem}` again:\n{changed}"


def notebook_of(text: str, shows: dict[str, str] | None = None, tags: tuple[str, ...] = ()) -> Any:
    """A notebook of one cell that writes a text and shows something, by its kinds."""
    make: Any = nbformat.v4
    outputs = [make.new_output("stream", name="stdout", text=text)]
    if shows is not None:
        outputs.append(make.new_output("display_data", data=shows))
    cell = make.new_code_cell(execution_count=1, outputs=outputs, metadata={"tags": list(tags)})
    return make.new_notebook(cells=[cell])


def test_what_comes_out_otherwise_is_found() -> None:
    figure = {"text/plain": "<Figure>", "image/png": "AAAA"}
    committed = notebook_of("1.5 seeds\n", figure)
    assert differences(committed, notebook_of("1.5 seeds\n", figure | {"image/png": "BBBB"})) == ""
    assert differences(committed, notebook_of("1.4 seeds\n", figure)).splitlines()[-2:] == [
        "-1.5 seeds",
        "+1.4 seeds",
    ]
    for shows in ({"text/plain": "<Figure>"}, figure | {"text/plain": "<Axes>"}, None):
        assert differences(committed, notebook_of("1.5 seeds\n", shows))


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml"])
def test_our_own_pictures_are_compared(kind: str) -> None:
    assert differences(notebook_of("", {kind: "<g>"}), notebook_of("", {kind: "<p>"}))


def test_a_stream_is_the_same_in_one_output_and_in_two() -> None:
    make: Any = nbformat.v4
    one = notebook_of("a\nb\n")
    two = notebook_of("a\n")
    two.cells[0].outputs.append(make.new_output("stream", name="stdout", text="b\n"))
    assert differences(one, two) == ""


@pytest.mark.parametrize(
    ("committed", "now"),
    [
        ("<at 0x7f12ab>", "<at 0x7f00cd>"),
        (f"oware-{'0a' * 16}", f"oware-{'1b' * 16}"),
        ("'0.1.0'", "'0.2.0'"),
    ],
)
def test_names_of_the_run_are_not_compared(committed: str, now: str) -> None:
    assert differences(notebook_of(committed), notebook_of(now)) == ""


def test_of_a_varying_cell_everything_but_the_figures_is_compared() -> None:
    def varying(text: str) -> Any:
        return notebook_of(text, tags=("varies",))

    committed = varying("win  99.3 % [ 98.6,  99.7], 1,024 games, nan%: 0-4-25-15-N")
    other = varying("win 100.0 % [ 8.6, 100.0], 987 games, 7.0%: 1-0-20-27-S")
    assert differences(committed, other) == ""
    assert differences(committed, varying("loss 99.3 %"))
