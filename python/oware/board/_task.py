"""What a board asks for, and what it answers to a move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oware._policies import reason_of
from oware.board._arguments import callable_or_none
from oware.board._frames import LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oware._oware import Game

Answer = bool | str | None


class Required:
    """The goal to play one of some moves, given by their letters."""

    def __init__(self, letters: str) -> None:
        wrong = [letter for letter in letters if letter not in LETTERS]
        if wrong or not letters:
            raise ValueError(f"goal is {letters!r}; give letters of pits, A to F and a to f")
        self._letters = letters

    def __call__(self, before: Game, move: int, after: Game) -> bool:  # noqa: ARG002
        return LETTERS[6 * before.to_move + move] in self._letters


class Task:
    """A goal, what is said to wrong moves, and a remark on each that stands."""

    def __init__(
        self,
        text: str,
        goal: str | Callable[[Game, int, Game], Answer] | None,
        answers: Mapping[str, str] | None,
        on_move: Callable[[Game, int, Game], object] | None,
    ) -> None:
        self._goal: Callable[[Game, int, Game], Answer] | None
        if isinstance(goal, str):
            self._goal = Required(goal)
        elif goal is None or callable(goal):
            self._goal = goal
        else:
            raise TypeError(f"goal must be a str, a callable or None, not {type(goal).__name__}")
        self._answers = dict(answers or {})
        pairs: list[tuple[object, object]] = [*self._answers.items()]
        for letter, answer in pairs:
            if not isinstance(letter, str) or len(letter) != 1 or letter not in LETTERS:
                raise ValueError(f"answers has the key {letter!r}; give letters of pits")
            if not isinstance(answer, str):
                raise TypeError(f"answers[{letter!r}] must be a str, not {type(answer).__name__}")
        self._on_move = callable_or_none("on_move", on_move)
        if not isinstance(text, str):
            raise TypeError(f"task must be a str, not {type(text).__name__}")
        self.text = text

    def refusals(self, legal: list[int]) -> dict[str, str]:
        """What is said to pits that may not be chosen now, by their letters."""
        return {
            letter: text
            for letter, text in self._answers.items()
            if legal and LETTERS.index(letter) not in legal
        }

    def judge(self, before: Game, move: int, after: Game) -> tuple[Answer, str]:
        """The goal's verdict, True or a reply to a wrong move, and a remark on one that stands."""
        letter = LETTERS[6 * before.to_move + move]
        try:
            verdict = None
            if self._goal is not None:
                verdict = self._goal(before.copy(), move, after.copy())
            if verdict is not True and letter in self._answers:
                return self._answers[letter], ""
            if verdict is False and isinstance(self._goal, Required):
                return f"{letter} is not the move. Try another one.", ""
            if isinstance(verdict, str):
                return verdict, ""
            remark = None
            if self._on_move is not None:
                remark = self._on_move(before.copy(), move, after.copy())
        except Exception as error:  # noqa: BLE001 - Whatever a callable raises is shown.
            return f"The check of this move failed: {reason_of(error)}", ""
        return verdict is True, remark if isinstance(remark, str) else ""
