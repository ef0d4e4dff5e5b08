"""A board with many puzzles, one after the other; it needs anywidget, and is loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware.board import Exercise, Series, Task
from oware.course._boards import judged
from oware.widget import Board

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from oware.analysis import Puzzle


class PuzzleBoard(Board):
    """A board with puzzles that are solved one after the other; `puzzle_series` makes it.

    Its buttons and the keys P and N lead to the puzzle before and to the next one, and its list to
    any; the list also tells which ones have been solved.

    Args:
        puzzles: The puzzles, in their order; those of a grade belong side by side.
        number: The one to begin with, from 1.

    Raises:
        TypeError: The number is no int.
        ValueError: There are no puzzles, or there is none of that number.

    Example:
        >>> board = puzzle_series()
        >>> board.puzzle.theme
        'chain'
    """

    def __init__(self, puzzles: Sequence[Puzzle], number: SupportsIndex = 1) -> None:
        if not puzzles:
            raise ValueError("there are no puzzles; give at least one")
        super().__init__(puzzles[0].game(), opponent=None, hints=0)
        self._puzzles = tuple(puzzles)
        exercises = [
            exercise(one, f"Puzzle {at} of {len(puzzles)}.") for at, one in enumerate(puzzles, 1)
        ]
        self._series = Series(exercises, "puzzle")
        self._session.series = self._series
        self._session.turn_to(number)

    @property
    def number(self) -> int:
        """Which puzzle is on the board, from 1.

        Example:
            >>> puzzle_series(start=4).number
            4
        """
        return self._series.number

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle on the board.

        Example:
            >>> puzzle_series(start=4).puzzle == puzzles()[3]
            True
        """
        return self._puzzles[self.number - 1]

    @property
    def solved_puzzles(self) -> tuple[int, ...]:
        """The numbers of the puzzles that have been solved.

        Example:
            >>> board = puzzle_series()
            >>> board.play(board.puzzle.move)
            >>> board.solved_puzzles
            (1,)
        """
        return tuple(sorted(self._series.solved))

    def turn_to(self, number: SupportsIndex) -> None:
        """Go to a puzzle, and begin it anew.

        Args:
            number: Which one, from 1.

        Raises:
            TypeError: It is no int.
            ValueError: There is no such puzzle.

        Example:
            >>> board = puzzle_series()
            >>> board.turn_to(2)
            >>> board.puzzle == puzzles()[1]
            True
        """
        self._session.turn_to(number)

    def next(self) -> None:
        """Go to the next puzzle.

        Raises:
            ValueError: This is the last one.

        Example:
            >>> board = puzzle_series()
            >>> board.next()
            >>> board.number
            2
        """
        if self.number == len(self._puzzles):
            raise ValueError(f"puzzle {self.number} is the last one; turn_to(1) begins anew")
        self.turn_to(self.number + 1)

    def previous(self) -> None:
        """Go to the puzzle before.

        Raises:
            ValueError: This is the first one.

        Example:
            >>> puzzle_series().previous()
            Traceback (most recent call last):
            ValueError: puzzle 1 is the first one
        """
        if self.number == 1:
            raise ValueError("puzzle 1 is the first one")
        self.turn_to(self.number - 1)


def exercise(puzzle: Puzzle, title: str) -> Exercise:
    """A puzzle as a task."""
    goal, remark = judged(puzzle)
    task = Task(f"{title} {puzzle.task}", goal, None, remark)
    return Exercise(puzzle.game(), task, f"Grade {puzzle.grade}")


PuzzleBoard.__module__ = "oware.course"
