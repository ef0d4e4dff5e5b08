"""The course in JupyterLab, in a real Chromium: its fifteen steps are completed by clicks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from lab import Cell, Notebook
from playwright.sync_api import expect

from oware import course
from test_board import pit, says, shows

if TYPE_CHECKING:
    from lab import Lab
    from playwright.sync_api import Page

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_learn_oware.ipynb"
LETTERS = "ABCDEFabcdef"


def test_the_fifteen_steps_are_completed_by_clicks(lab: Lab, page: Page) -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    for cell in cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook = Notebook(lab, page, NOTEBOOK.name, cells)
    sources = [cell.source for cell in cells]
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    for step in course.steps():
        source = f"course.board({step.number})"
        cell = Cell(notebook, sources.index(source))
        # No board has a name: the kernel keeps what each cell was worth.
        kept = f"Out[{code.index(source) + 1}]"
        cell.enter()
        complete(cell, step, kept)
        cell.python(f"{kept}.solved, {kept}.game.transcript()", (True, step.line))
    notebook.close()


def complete(cell: Cell, step: course.Step, kept: str) -> None:
    """Play all wrong moves, each of which is answered, and the right ones."""
    board, game = cell.board, step.game()
    expect(board).to_contain_text(step.task)
    for letter, text in step.refusals.items():
        # What may not be chosen is marked so, and can be clicked all the same.
        pit(board, letter).click(force=True)
        says(board, text)
    for played, right in enumerate(step.line):
        if game.to_move == 0:
            shows(board, game.pits)
            for move in game.legal_moves():
                if LETTERS[move] != right:
                    pit(board, LETTERS[move]).click()
                    says(board, step.answers[step.line[:played] + LETTERS[move]])
            cell.python(f"{kept}.game.transcript()", step.line[:played])
            pit(board, right).click()
        game.play_transcript(right)
    says(board, step.done)
    says(board, "Well done!")
    shows(board, game.pits)
