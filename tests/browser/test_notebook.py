"""The board in Jupyter Notebook 7, in a real Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab import Cell, Notebook
from nbformat.v4 import new_code_cell

import oware
from test_board import LETTERS, pit, says, shows, tool

if TYPE_CHECKING:
    from lab import Lab
    from playwright.sync_api import Page

BOARD = "import oware\nboard_0 = oware.Board(opponent='greedy', seed=3)\nboard_0"
# Notebook's complaints of itself, as it opens.
OWN = {
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
}


def test_moves_by_clicks(lab: Lab, page: Page, seen: list[str]) -> None:
    notebook = Notebook(lab, page, "seven.ipynb", [new_code_cell(BOARD)], place="notebooks")
    cell, game = Cell(notebook, 0), oware.Game()
    board = cell.board
    for move in (2, 4, 5):
        pit(board, LETTERS[move]).click()
        game.play(move)
        cell.python("len(board.game.moves)", len(game.moves) + 1)
        game.play(cell.ask("board.game.moves[-1]"))
        cell.moves(game.moves)
        shows(board, game.pits)
    tool(board, "Undo").click()
    says(board, "Taken back.")
    cell.moves(game.moves[:-2])
    notebook.close()
    seen[:] = [one for one in seen if one not in OWN]
