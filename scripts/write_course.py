"""Write the notebook of the course, `notebooks/05_learn_oware.ipynb`, as run.

`python scripts/write_course.py` takes the texts of `oware.course`, and its puzzles.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import nbformat

from oware import course
from run_notebooks import FOLDER, write_as_run

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = FOLDER / "05_learn_oware.ipynb"
WELCOME = """\
# Learn Oware

Fifteen steps on the board, then puzzles. Run all cells (**Run**, **Run All Cells**), read, and
click a pit to play it; those that can be sown have a bright ring. Each board says above what it
asks for, and answers every move: a wrong one is not played, so try as you like. **New game**
sets a board up again.

It needs `pip install "oware[notebooks]"`."""
PUZZLES = """\
# Puzzles

Now look ahead. One move is at least two seeds better than any other: find it. The grade is how many
moves a plain search has to look ahead to find it, so take your time from grade 3 on. Most of these
boards hold so few seeds that the endgame database knows every move's value; in the others every
line was followed down to it.

The board answers a wrong move with the reply, and with what it loses. **Next puzzle** and the key
N lead on, P leads back, and the list leads to any of them. Below are all of them once more as
pictures, each with its solution folded away."""
FAREWELL = """\
# And now, play

`oware.Board(coach=True)` is a game with a coach, who stops you after a blunder.
`oware.Board(opponent="greedy")` is an opponent who always takes the most."""


def cells() -> Iterator[Any]:
    """The cells, from top to bottom."""
    make: Any = nbformat.v4
    markdown, code = make.new_markdown_cell, make.new_code_cell
    yield markdown(WELCOME)
    yield code("from oware import course")
    for step in course.steps():
        yield markdown(f"## {step.number}. {step.title}\n\n{step.lesson}")
        yield code(f"course.board({step.number})")
    yield markdown(PUZZLES)
    yield code("course.puzzle_series()")
    numbered = enumerate(course.puzzles(), 1)
    for grade, group in groupby(numbered, key=lambda pair: pair[1].grade):
        yield markdown(f"## Grade {grade}")
        for number, _ in group:
            # As pictures: fifty boards at once are slow to open.
            yield markdown(f"Puzzle {number}")
            yield code(f"course.puzzles()[{number - 1}]")
    yield markdown(FAREWELL)


def main() -> None:
    """Run the cells and write them."""
    make: Any = nbformat.v4
    notebook = make.new_notebook(
        cells=list(cells()),
        metadata={
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
        },
    )
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number:02}"
    write_as_run(notebook, FILE)
    print(f"{len(notebook.cells)} cells in {FILE}")


if __name__ == "__main__":
    main()
