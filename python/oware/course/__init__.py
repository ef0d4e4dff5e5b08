"""A course for beginners: fifteen steps on the board, and puzzles with proven solutions.

The notebook `05_learn_oware` leads through it. The boards need what `oware.Board` needs:
`pip install "oware[notebooks]"`.
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from oware import _missing, _oware
from oware.analysis import Puzzle
from oware.course._boards import puzzle_board as _puzzle_board
from oware.course._boards import step_board as _step_board
from oware.course._step import Step
from oware.course._steps import STEPS

if TYPE_CHECKING:
    from typing import SupportsIndex

    from oware.course._series import PuzzleBoard as PuzzleBoard
    from oware.widget import Board

__all__ = ["PuzzleBoard", "Step", "board", "puzzle_board", "puzzle_series", "puzzles", "steps"]


def steps() -> tuple[Step, ...]:
    """The steps of the course, in order.

    Example:
        >>> [step.title for step in steps()][:3]
        ['Sowing', 'This is not Kalah', 'Capture']
    """
    return STEPS


def board(step: SupportsIndex | Step) -> Board:
    """A board with the task of a step, which answers every move that is not the one.

    Args:
        step: Its number, from 1, or a step.

    Raises:
        ModuleNotFoundError: anywidget is missing.
        TypeError: It is neither a number nor a step.
        ValueError: There is no such step.

    Example:
        >>> lesson = board(3)
        >>> lesson.play("E")
        >>> lesson.message
        'E ends in b, which was empty: one seed there is one too few to be taken.'
        >>> lesson.play("D")
        >>> lesson.solved
        True
    """
    if not isinstance(step, Step):
        step = STEPS[_oware.count("step", step, 1, len(STEPS)) - 1]
    return _step_board(step)


def puzzles() -> tuple[Puzzle, ...]:
    """The puzzles of the course, easy ones first.

    Their solutions were proven when they were found, `Puzzle.proof` says how, and the tests of this
    package prove them again.

    Example:
        >>> found = puzzles()
        >>> len(found) >= 37, found[0].grade, found[0].margin >= 2
        (True, 1, True)
    """
    text = files("oware.course").joinpath("puzzles.json").read_text(encoding="utf-8")
    rules = _oware.Rules()
    return tuple(
        Puzzle(rules=rules, **one | {key: tuple(one[key]) for key in ("line", "values")})
        for one in json.loads(text)["puzzles"]
    )


def puzzle_board(puzzle: SupportsIndex | Puzzle) -> Board:
    """A board with a puzzle, which tells what is wrong with a move that is not the solution.

    Args:
        puzzle: Its number in `puzzles`, from 1, or any puzzle.

    Raises:
        ModuleNotFoundError: anywidget is missing.
        TypeError: It is neither a number nor a puzzle.
        ValueError: There is no such puzzle.

    Example:
        >>> task = puzzle_board(1)
        >>> task.play(puzzles()[0].move)
        >>> task.solved
        True
    """
    if not isinstance(puzzle, Puzzle):
        known = puzzles()
        puzzle = known[_oware.count("puzzle", puzzle, 1, len(known)) - 1]
    return _puzzle_board(puzzle)


def puzzle_series(*, grade: SupportsIndex | None = None, start: SupportsIndex = 1) -> PuzzleBoard:
    """A board with all puzzles, to be solved one after the other.

    Args:
        grade: Only those of this grade; None for all, easy ones first.
        start: The one to begin with, from 1.

    Raises:
        ModuleNotFoundError: anywidget is missing.
        TypeError: An argument is no int.
        ValueError: There is no such puzzle, or none of that grade.

    Example:
        >>> board = puzzle_series()
        >>> board.play(board.puzzle.move)
        >>> board.solved
        True
        >>> board.next()
        >>> board.number, board.solved
        (2, False)
    """
    made: type[PuzzleBoard] = __getattr__("PuzzleBoard")
    known = puzzles()
    if grade is not None:
        grade = _oware.count("grade", grade, 1, known[-1].grade)
        known = tuple(puzzle for puzzle in known if puzzle.grade == grade)
        if not known:
            grades = sorted({puzzle.grade for puzzle in puzzles()})
            raise ValueError(f"no puzzle has grade {grade}; give one of {grades}")
    return made(known, _oware.count("start", start, 1, len(known)))


Step.__module__ = "oware.course"


def __getattr__(name: str) -> Any:  # noqa: ANN401
    # It needs anywidget, which nothing else here does.
    if name != "PuzzleBoard":
        raise AttributeError(f"module 'oware.course' has no attribute {name!r}")
    return import_module("oware.course._series").PuzzleBoard


def __dir__() -> list[str]:
    boards = {"PuzzleBoard"} if _missing.installed("anywidget") else set()
    return sorted({*globals(), *boards})
