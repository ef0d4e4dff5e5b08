"""Reading the clocks."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Clock", "Sample"]


@dataclass(frozen=True)
class Sample:
    """Some work and what it took."""

    units: int
    """Steps, plies or whatever the work is counted in."""
    wall: float
    """Seconds by the wall clock."""
    cpu: float
    """Seconds of processor time of the thread that measured."""

    def __add__(self, other: Sample) -> Sample:
        """Both together."""
        return Sample(self.units + other.units, self.wall + other.wall, self.cpu + other.cpu)


class Clock:
    """Times what is done inside its `with`."""

    wall = 0.0
    cpu = 0.0

    def __enter__(self) -> Self:
        """Start both clocks."""
        # The wall clock is the cheaper one to read, so it is read nearer to the work.
        self._cpu = thread_time()
        self._wall = perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop both."""
        self.wall = perf_counter() - self._wall
        self.cpu = thread_time() - self._cpu

    def sample(self, units: int) -> Sample:
        """The work that was timed."""
        return Sample(units, self.wall, self.cpu)
