"""Tasks on one board that follow one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oware._counts import count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from oware._oware import Game
    from oware.board._frames import State
    from oware.board._task import Task


@dataclass(frozen=True)
class Exercise:
    """A task with the position that it is about."""

    game: Game
    task: Task
    group: str
    """What a list of the exercises puts it under."""


class Series:
    """Exercises, the one that is shown, and those that have been solved, by numbers from 1."""

    def __init__(self, exercises: Sequence[Exercise], kind: str) -> None:
        self._exercises = tuple(exercises)
        self._kind = kind
        self.number = 1
        self.solved: set[int] = set()

    def turn_to(self, number: SupportsIndex) -> Exercise:
        """Go to an exercise."""
        self.number = count(self._kind, number, 1, len(self._exercises))
        return self._exercises[self.number - 1]

    @property
    def state(self) -> State:
        """What the browser shows of it."""
        return {
            "kind": self._kind,
            "number": self.number,
            "groups": [one.group for one in self._exercises],
            "solved": sorted(self.solved),
        }
