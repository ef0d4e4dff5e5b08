"""The course in JupyterLab, in a real Chromium: its steps and puzzles are solved there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest
from lab import Cell, Notebook
from playwright.sync_api import expect

from oware import course
from test_board import pit, says, shows, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab import Lab
    from playwright.sync_api import Page

    from oware.analysis import Puzzle

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_learn_oware.ipynb"
LETTERS = "ABCDEFabcdef"


class Course(Notebook):
    """The notebook of the course, run from top to bottom."""

    def __init__(self, lab: Lab, page: Page) -> None:
        self.cells = nbformat.read(NOTEBOOK, as_version=4).cells
        self.code = [cell for cell in self.cells if cell.cell_type == "code"]
        for cell in self.code:
            cell.outputs, cell.execution_count = [], None
        super().__init__(lab, page, NOTEBOOK.name, self.cells)

    def enter(self, source: str) -> tuple[Cell, str]:
        """A cell, and its board in the kernel, which keeps what each cell was worth."""
        cell = Cell(self, [one.source for one in self.cells].index(source))
        cell.enter()
        return cell, f"Out[{[one.source for one in self.code].index(source) + 1}]"


@pytest.fixture(scope="module")
def notebook(lab: Lab, tab: Page) -> Iterator[Course]:
    opened = Course(lab, tab)
    yield opened
    opened.close()


@pytest.mark.usefixtures("page")
def test_the_fifteen_steps_are_completed_by_clicks(notebook: Course) -> None:
    for step in course.steps():
        cell, kept = notebook.enter(f"course.board({step.number})")
        complete(cell, step, kept)
        cell.python(f"{kept}.solved, {kept}.game.transcript()", (True, step.line))


def test_puzzles_are_solved_one_after_the_other(notebook: Course, page: Page) -> None:
    cell, kept = notebook.enter("course.puzzle_series()")
    board, keys = cell.board, page.keyboard
    first, second, third = course.puzzles()[:3]

    def letter(puzzle: Puzzle, move: int) -> str:
        return LETTERS[6 * puzzle.seat + move]

    # By clicks, after every wrong move.
    expect(board).to_contain_text("Puzzle 1 of 49. South to move.")
    expect(tool(board, "Previous puzzle")).to_be_disabled()
    for move in first.game().legal_moves():
        if move != first.move:
            pit(board, letter(first, move)).click()
            says(board, re.compile(rf"^{letter(first, move)} takes .* Try another one\.$"))
            cell.python(f"{kept}.game.moves", [])
    pit(board, letter(first, first.move)).click()
    says(board, f"Best play goes on {first.line_letters}")
    says(board, "Well done!")
    cell.python(f"{kept}.solved_puzzles", (1,))
    tool(board, "Next puzzle").click()

    # By keys.
    expect(board).to_contain_text("Puzzle 2 of 49.")
    shows(board, second.game().pits)
    keys.press(letter(second, second.move).lower())
    says(board, "Well done!")
    cell.python(f"{kept}.number, {kept}.solved_puzzles", (2, (1, 2)))
    keys.press("n")
    expect(board).to_contain_text("Puzzle 3 of 49.")
    shows(board, third.game().pits)
    keys.press("p")
    expect(board).to_contain_text("Puzzle 2 of 49.")
    shows(board, second.game().pits)

    # By the list, in which letters choose no pits.
    chosen = board.get_by_role("combobox", name="Choose a puzzle")
    assert chosen.locator("option").all_inner_texts()[:3] == [
        *("Puzzle 1 (solved)", "Puzzle 2 (solved)", "Puzzle 3")
    ]
    chosen.select_option("49")
    expect(board).to_contain_text("Puzzle 49 of 49.")
    expect(tool(board, "Next puzzle")).to_be_disabled()
    chosen.focus()
    keys.press(letter(course.puzzles()[48], course.puzzles()[48].move))
    cell.python(f"{kept}.number, {kept}.game.moves", (49, []))


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
