"""Boards that check a step or a puzzle, and answer what is played there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware import search
from oware._words import letter, seeds, signed

if TYPE_CHECKING:
    from collections.abc import Callable

    from oware._oware import Game
    from oware.analysis import Puzzle
    from oware.course._step import Step
    from oware.widget import Board

    Goal = Callable[[Game, int, Game], bool | str | None]
    Remark = Callable[[Game, int, Game], str | None]

REPLY_DEPTH: Final = 8
"""Plies to look for the best reply to a wrong move: at once, on a puzzle's few seeds."""


def step_board(step: Step) -> Board:
    """A board with the task of a step."""
    from oware.widget import Board

    def goal(before: Game, move: int, _: Game) -> bool | str | None:
        return step.answer(played(before, move))

    def remark(before: Game, move: int, _: Game) -> str | None:
        transcript = played(before, move)
        return step.done if transcript == step.line else step.remarks.get(transcript)

    return Board(
        step.game(),
        opponent=scripted(step) if len(step.line) > 1 else None,
        hints=0,
        goal=goal,
        answers=step.refusals,
        task=step.task,
        on_move=remark,
    )


def played(before: Game, move: int) -> str:
    """The moves so far and one more, as a transcript."""
    return before.transcript() + letter(before.to_move, move)


def scripted(step: Step) -> Callable[[Any, Any], Any]:
    """An opponent that plays the line of a step, and knows nothing else."""
    replies: dict[bytes, int] = {}
    game = step.game()
    for one in step.line:
        move = "abcdef".index(one.lower())
        if game.to_move == 1:
            replies[game.observation().tobytes()] = move
        game.play(move)

    def North(observation: Any, _: Any) -> Any:  # noqa: ANN401, N802 - The board shows the name.
        return np.array([replies[row.tobytes()] for row in observation])

    return North


def puzzle_board(puzzle: Puzzle) -> Board:
    """A board with a puzzle."""
    from oware.widget import Board

    goal, remark = judged(puzzle)
    return Board(puzzle.game(), opponent=None, hints=0, goal=goal, task=puzzle.task, on_move=remark)


def judged(puzzle: Puzzle) -> tuple[Goal, Remark]:
    """What a board says to the moves of a puzzle; of a position set up by hand it knows nothing."""
    start = puzzle.game()

    def goal(before: Game, move: int, after: Game) -> bool | str | None:
        if before != start:
            return None
        return move == puzzle.move or refutation(puzzle, before, move, after)

    def remark(before: Game, _: int, __: Game) -> str | None:
        if before != start:
            return None
        return f"Best play goes on {puzzle.line_letters}: {signed(value(puzzle, puzzle.move))}."

    return goal, remark


def value(puzzle: Puzzle, move: int) -> float:
    """What a legal move of a puzzle is worth."""
    worth = puzzle.values[move]
    assert worth is not None  # noqa: S101 - Only legal moves are asked about.
    return worth


def refutation(puzzle: Puzzle, before: Game, move: int, after: Game) -> str:
    """Why a move is not the best: what it takes, what the reply takes, and what it loses."""
    said = f"{letter(puzzle.seat, move)} takes {told(before.copy().play(move))}"
    if after.is_over:
        said += ", and the game is over"
    else:
        reply = search.alpha_beta(after, depth=REPLY_DEPTH).move
        taken = after.copy().play(reply)
        said += f"; {letter(1 - puzzle.seat, reply)} then takes {told(taken)}"
    loss = value(puzzle, puzzle.move) - value(puzzle, move)
    return f"{said}. The best move is worth {told(loss)} more. Try another one."


def told(number: float) -> str:
    """A number of seeds in words."""
    return seeds(int(number)) if number else "nothing"
