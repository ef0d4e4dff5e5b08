"""A puzzle: a position with one clearly best move."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oware import _oware, render
from oware._words import SEATS, letter, line_letters, signed

if TYPE_CHECKING:
    from typing import SupportsIndex

    from oware.types import Proof, PuzzleTheme, Seat


@dataclass(frozen=True, repr=False)
class Puzzle:
    """A position with one clearly best move, and the solution.

    Args:
        position: The board, stores and mover, as `Game.to_string` has them.
        rules: The rules to play by.
        theme: What it is about, see `puzzles`.
        grade: The least depth of plain minimax, see `oware.search.best_moves`, that finds the move
            and no other.
        move: The solution, 0 to 5.
        line: Best play by both, up to 12 plies, the solution first.
        values: The value of each of the moves 0 to 5, final net seeds for the mover; None for one
            that is not legal.
        proof: How the values are known. `"database"`: each was looked up; `"exact"`: every line was
            followed to its end or into a database; `"search"`: to `depth`, and one ply less far
            tells the same.
        depth: The plies that were searched for the proof.
        drawn: Whether the board was drawn at random rather than met in play.

    Example:
        >>> puzzle = puzzles(1, themes=["endgame"], seed=1)[0]
        >>> puzzle.proof, puzzle.margin >= 2, puzzle.solves(puzzle.move)
        ('database', True, True)
    """

    position: str
    rules: _oware.Rules
    theme: PuzzleTheme
    grade: int
    move: int
    line: tuple[int, ...]
    values: tuple[float | None, ...]
    proof: Proof
    depth: int
    drawn: bool = False

    def game(self) -> _oware.Game:
        """A game that starts from the position.

        Example:
            >>> puzzle = puzzles(1, themes=["endgame"], seed=1)[0]
            >>> puzzle.game().is_legal(puzzle.move)
            True
        """
        return _oware.Game.from_string(self.position, self.rules)

    @property
    def seat(self) -> Seat:
        """Who is to move: 0 for South, 1 for North."""
        return 0 if self.position.endswith("S") else 1

    @property
    def letter(self) -> str:
        """The solution in letters: A to F for South, a to f for North."""
        return letter(self.seat, self.move)

    @property
    def line_letters(self) -> str:
        """The line as a transcript."""
        return line_letters(self.seat, self.line)

    @property
    def margin(self) -> float:
        """By how many net seeds the solution is better than any other move."""
        return margin(self.values)

    def solves(self, move: SupportsIndex) -> bool:
        """Whether a move is the solution.

        Raises:
            TypeError: It is no integer.
            oware.IllegalMoveError: It is not legal.

        Example:
            >>> puzzle = puzzles(1, themes=["endgame"], seed=1)[0]
            >>> [puzzle.solves(move) for move in puzzle.game().legal_moves()].count(True)
            1
        """
        self.game().play(move)
        return move.__index__() == self.move

    def record(self) -> dict[str, Any]:
        """The puzzle as plain values, for a table.

        Example:
            >>> sorted(puzzles(1, themes=["endgame"], seed=1)[0].record())[:4]
            ['depth', 'drawn', 'grade', 'line']
        """
        return {
            "position": self.position,
            "theme": self.theme,
            "grade": self.grade,
            "player": SEATS[self.seat],
            "move": self.letter,
            "line": self.line_letters,
            "value": self.values[self.move],
            "margin": self.margin,
            "proof": self.proof,
            "depth": self.depth,
            "drawn": self.drawn,
        }

    def __repr__(self) -> str:
        """Theme, grade and position, without the solution."""
        return f"<oware.analysis.Puzzle {self.theme}, grade {self.grade}: {self.position}>"

    def __str__(self) -> str:
        """The task, without the solution."""
        return f"{self.game()}\n{self.task}"

    @property
    def task(self) -> str:
        """What is asked for."""
        return f"{SEATS[self.seat]} to move. Which move is best? (Grade {self.grade}.)"

    def _repr_html_(self) -> str:
        """The board and the task for Jupyter; the solution unfolds."""
        value = self.values[self.move]
        solution = f"{self.letter}: {self.line_letters}"
        if value is not None:
            solution += f", worth {signed(value)}, {signed(self.margin)} to any other move"
        return (
            f'<div style="color:inherit">{render.html(self.game())}<p>{html.escape(self.task)}</p>'
            f"<details><summary>Solution</summary>{html.escape(solution)}</details></div>"
        )


def margin(values: tuple[float | None, ...] | list[float | None]) -> float:
    """The best value less the second best; 0 for a single move."""
    known = sorted((value for value in values if value is not None), reverse=True)
    return round(known[0] - known[1], 2) if len(known) > 1 else 0.0
