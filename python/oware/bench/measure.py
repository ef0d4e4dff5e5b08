"""The rounds: every row once, one after the other, again and again."""

from __future__ import annotations

import datetime as dt
import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tqdm import tqdm

from oware.bench import memory
from oware.bench.contenders import Copy, forced_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oware.bench.clock import Sample
    from oware.bench.contenders import Contender
    from oware.bench.plan import Plan, Row

__all__ = ["ClockName", "Measured", "Quartiles", "Results", "run"]

ClockName: TypeAlias = Literal["wall", "cpu"]

BAR = "{desc:40.40} {percentage:3.0f}% |{bar}| {elapsed} (about {remaining} left)"


@dataclass(frozen=True)
class Quartiles:
    """The middle of some figures and their spread."""

    low: float
    median: float
    high: float

    @staticmethod
    def of(figures: Sequence[float]) -> Quartiles:
        """Those of at least one figure."""
        if len(figures) == 1:
            return Quartiles(figures[0], figures[0], figures[0])
        return Quartiles(*statistics.quantiles(figures, n=4, method="inclusive"))


@dataclass
class Measured:
    """A row with its figures, a sample for each round."""

    row: Row
    unit: str
    boards: int
    written: int
    kernel: str | None
    threads: int
    samples: list[Sample] = field(default_factory=list)
    units: int = 0
    episodes: int | None = None

    def clock(self, wanted: ClockName) -> ClockName:
        """The clock that counts: threads of others do not show in the time of this one."""
        return "wall" if self.threads > 1 else wanted

    def seconds(self, clock: ClockName) -> list[float]:
        """Seconds for a unit of work, round by round."""
        # The clock of a thread may be too coarse to tell anything.
        return [max(getattr(one, clock), 1e-9) / one.units for one in self.samples]

    def rate(self, clock: ClockName) -> Quartiles:
        """Units a second."""
        return Quartiles.of([1 / seconds for seconds in self.seconds(clock)])

    @property
    def mean_length(self) -> float | None:
        """Steps in an episode; None where none has ended."""
        return self.units / self.episodes if self.episodes else None


@dataclass
class Results:
    """All that was measured."""

    wanted: int
    """The rounds asked for."""
    rounds: int = 0
    """The rounds completed."""
    kernel: str | None = None
    """What every environment was forced to play with."""
    rows: list[Measured] = field(default_factory=list)
    copies: dict[int, list[Sample]] = field(default_factory=dict)
    """Copies of so many bytes."""
    memory: list[memory.Memory] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    started: str = ""

    def row(self, key: str) -> Measured | None:
        """The row of a name `table/name`, where it was measured."""
        return next((one for one in self.rows if one.row.key == key), None)

    def against_base(self, one: Measured, clock: ClockName) -> Quartiles | None:
        """How many times the base's time a unit takes."""
        base = None if one.row.base is None else self.row(one.row.base)
        if base is None:
            return None
        # Where one of the two can only be told by the wall clock, so must be the other.
        if "wall" in (one.clock(clock), base.clock(clock)):
            clock = "wall"
        return ratios(one.seconds(clock), base.seconds(clock))

    def against_copy(self, one: Measured, clock: ClockName) -> Quartiles | None:
        """How many times the time of copying its bytes a call takes."""
        if not one.written:
            return None
        clock = one.clock(clock)
        copies = [max(getattr(s, clock), 1e-9) / s.units for s in self.copies[one.written]]
        a_board = one.written / one.boards
        return ratios(one.seconds(clock), [seconds * a_board for seconds in copies])

    @property
    def share(self) -> float:
        """How much of a processor the thread that measured had, on average."""
        samples = [s for one in self.rows if one.threads == 1 for s in one.samples]
        samples += [s for copies in self.copies.values() for s in copies]
        return sum(s.cpu for s in samples) / sum(s.wall for s in samples) if samples else math.nan


def ratios(ours: list[float], theirs: list[float]) -> Quartiles:
    """The ratios within each round."""
    return Quartiles.of([a / b for a, b in zip(ours, theirs, strict=True)])


@dataclass
class Running:
    """Something that is timed, and how often in a round."""

    contender: Contender
    samples: list[Sample]
    times: int = 1

    def calibrate(self, seconds: float) -> None:
        """Find out how many bursts take about so long."""
        # The fastest: a busy machine makes others longer, and none shorter.
        fastest = min(self.contender.burst().wall for _ in range(3))
        self.times = max(1, math.ceil(seconds / max(fastest, 1e-7)))

    def sample(self) -> Sample:
        """What it does in a round."""
        total = self.contender.burst()
        for _ in range(self.times - 1):
            total += self.contender.burst()
        return total


def run(plan: Plan, *, rounds: int, kernel: str | None = None, progress: bool = True) -> Results:
    """Measure a plan.

    Ctrl-C ends it early, with the rounds that are complete; before the first, it is raised.

    Args:
        plan: What is measured.
        rounds: At least 1.
        kernel: What every environment is forced to play with, one of `oware.cpu_features()`; None
            for each one's best.
        progress: Whether a bar is shown.

    Example:
        >>> from oware.bench import QUICK, plan, run
        >>> results = run(plan(QUICK).only(["perft"]), rounds=2, progress=False)
        >>> results.rows[0].rate("wall").median > 0
        True
    """
    results = Results(rounds, kernel=kernel, notes=list(plan.notes))
    results.started = dt.datetime.now(dt.timezone.utc).isoformat(timespec="seconds")
    work = len(plan.memory) + len(plan.rows) * (1 + rounds)
    with tqdm(total=work, unit="", disable=not progress, bar_format=BAR) as bar:
        for name in plan.memory:
            bar.set_description(f"memory/{name}")
            results.memory.append(memory.measure(name, plan.scale.boards))
            bar.update()
        running = set_up(plan, results, bar)
        try:
            for _ in range(rounds):
                samples = []
                for one, measured in running:
                    if measured is not None:
                        bar.set_description(measured.row.key, refresh=False)
                    samples.append(one.sample())
                    if measured is not None:
                        bar.update()
                for (one, _), sample in zip(running, samples, strict=True):
                    one.samples.append(sample)
                results.rounds += 1
        except KeyboardInterrupt:
            if not results.rounds:
                raise
            results.notes.append(f"ended early, after {results.rounds} of {rounds} rounds")
    for one, its_row in running:
        if its_row is not None:
            its_row.units, its_row.episodes = one.contender.units, one.contender.episodes
    return results


def set_up(plan: Plan, results: Results, bar: tqdm[Any]) -> list[tuple[Running, Measured | None]]:
    """Make all that is timed; the copies stand without a row."""
    running: list[tuple[Running, Measured | None]] = []
    seconds = plan.scale.seconds
    for row in plan.rows:
        bar.set_description(f"making {row.key}", refresh=False)
        contender = make(row, results)
        bar.update()
        if contender is None:
            continue
        measured = Measured(
            row,
            contender.unit,
            contender.boards,
            contender.written,
            contender.kernel,
            contender.threads,
        )
        results.rows.append(measured)
        running.append((Running(contender, measured.samples), measured))
        if contender.written and contender.written not in results.copies:
            samples = results.copies[contender.written] = []
            running.append((Running(Copy(contender.written), samples), None))
    for one, its_row in running:
        one.calibrate(seconds / 4 if its_row is None else seconds)
    return running


def make(row: Row, results: Results) -> Contender | None:
    """What a row times; None, and a note, where a peer fails."""
    forced = row.kernel or results.kernel
    with forced_kernel(forced):
        if row.table != "peers":
            return row.make()
        try:
            return row.make()
        except Exception as error:  # noqa: BLE001 - whatever ails another library, ours is measured
            results.notes.append(
                f"{row.name}: left out, as it fails: {type(error).__name__}: {error}"
            )
            return None
