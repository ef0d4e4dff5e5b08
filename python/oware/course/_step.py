"""A step of the course: a position, what is to be played there, and what to say to all else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oware import _oware

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oware._oware import Game

LETTERS: Final = "ABCDEFabcdef"


@dataclass(frozen=True)
class Step:
    """A position that teaches one thing, and what the board says to each move there.

    Args:
        number: Its place in the course, from 1.
        title: What it is about.
        lesson: The text to read first, in Markdown.
        task: What is asked for.
        position: The board, stores and mover, as `Game.to_string` has them.
        line: The moves that solve it, a transcript: the learner's, with North's replies between.
        done: What the board says when it is solved.
        answers: What it says to every other legal move, by the transcript that ends in it.
        refusals: What it says to pits that may not be sown at first, by their letters.
        remarks: What it says to right moves that do not yet solve it, by their transcript.

    Example:
        >>> step = steps()[2]
        >>> step.title, step.line
        ('Capture', 'D')
    """

    number: int
    title: str
    lesson: str
    task: str
    position: str
    line: str
    done: str
    answers: Mapping[str, str]
    refusals: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)

    def game(self) -> Game:
        """A game that starts from the position.

        Example:
            >>> steps()[0].game().pits
            (4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
        """
        return _oware.Game.from_string(self.position)

    def answer(self, transcript: str) -> bool | str | None:
        """What is said to the last of the moves since the position.

        Returns:
            True where it solves the step, None where it leads on, otherwise why it is not the move.

        Example:
            >>> steps()[2].answer("D")
            True
            >>> steps()[2].answer("C")
            'C ends in F. That makes two, but in your own row nothing is ever captured.'
        """
        if transcript == self.line:
            return True
        if self.line.startswith(transcript):
            return None
        return self.answers.get(transcript, f"{transcript[-1:]} is not the move. Try another one.")

    def reply(self, transcript: str) -> str:
        """North's reply to right moves, a letter; empty once the step is solved.

        Example:
            >>> steps()[0].reply("D")
            ''
        """
        return self.line[len(transcript) : len(transcript) + 1]
