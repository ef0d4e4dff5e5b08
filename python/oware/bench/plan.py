"""What is measured: the rows, table by table."""

from __future__ import annotations

import fnmatch
import os
import random
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, get_args

from oware import RULE_SETS, Rules, cpu_features
from oware.bench import memory, peers
from oware.bench.contenders import Perft, Playouts, Rollout, SelfPlay
from oware.types import Feeding, GrandSlam, ObservationKind, PolicyName, RewardKind, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oware.bench.contenders import Contender

__all__ = ["FULL", "QUICK", "TABLES", "Plan", "Row", "Scale", "plan"]


@dataclass(frozen=True)
class Scale:
    """How much work the measuring is."""

    sizes: tuple[int, ...]
    """Numbers of boards of the first table."""
    large: int
    """The number of boards where threads are compared."""
    warm_up: int
    """Plies before anything is timed; half of them for more boards than 65,536."""
    seconds: float
    """What a row is timed for in a round, about."""
    rounds: int
    depth: int
    """Plies of a count of lines."""
    boards: int
    """The number of boards whose memory is measured."""


FULL: Final = Scale(
    sizes=(1, 64, 1024, 8192, 65_536, 1_048_576),
    large=65_536,
    warm_up=1000,
    seconds=0.02,
    rounds=15,
    depth=9,
    boards=1_000_000,
)
QUICK: Final = Scale(
    sizes=(1, 64, 1024),
    large=16_384,
    warm_up=60,
    seconds=0.001,
    rounds=2,
    depth=6,
    boards=20_000,
)

TABLES: Final[Mapping[str, str]] = {
    "step": "A step of self-play, the arrays reused (copy=False)",
    "fresh": "The same with fresh arrays (copy=True)",
    "kernels": "Kernels, 1,024 boards",
    "rules": "Rule sets, 1,024 boards",
    "fields": "abapa with one field changed, and random rules, 1,024 boards",
    "opponents": "Opponents inside the step, 1,024 boards: an agent's step is two plies",
    "observations": "Observations, 1,024 boards of codingame",
    "options": "Options, 1,024 boards of codingame",
    "threads": "Threads",
    "rollout": "Steps of a policy inside the environment (rollout), codingame",
    "playouts": "Random games from the start to the end (playouts)",
    "perft": "Lines of play counted (perft)",
    "peers": "Other libraries in the same process",
    "memory": "Memory, bytes a board",
}
"""The tables in their order, each with its title."""

CHANGES: Final[Mapping[str, tuple[Any, ...]]] = {
    "grand_slam": get_args(GrandSlam),
    "feeding": get_args(Feeding),
    "no_move": get_args(Share),
    "repetition": (0, 2, 3, 4),
    "repetition_needs_both_rows": (True, False),
    "repetition_share": get_args(Share),
    "max_plies": (None, 200),
    "limit_share": get_args(Share),
    "majority_ends": (True, False),
    "seeds_per_pit": (3, 4, 6),
}
"""Values of each field of `Rules`."""
RANDOM_RULES: Final = 4
OPPONENTS: Final[tuple[PolicyName, ...]] = ("random", "greedy")
"""Those that play inside the kernel."""
BYTES_A_BOARD: Final = 5000
"""Twice what a board may take with its history, its arrays and its actions, and then some."""


@dataclass(frozen=True)
class Row:
    """One thing to be timed.

    Args:
        table: A key of `TABLES`.
        name: What it is called there.
        make: Makes it and warms it up.
        base: The row beside which it is put, as `table/name`.
        kernel: What it is forced to play with; None for what is best.
        detail: What the name does not tell.
    """

    table: str
    name: str
    make: Callable[[], Contender] = field(repr=False)
    base: str | None = None
    kernel: str | None = None
    detail: str = ""

    @property
    def key(self) -> str:
        """Its name among all rows."""
        return f"{self.table}/{self.name}"


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    scale: Scale
    rows: Sequence[Row]
    memory: Sequence[str]
    """Rule sets whose boards are weighed."""
    notes: Sequence[str] = ()
    """What is left out, and why."""

    @property
    def keys(self) -> list[str]:
        """The name of every row."""
        return [row.key for row in self.rows] + [f"memory/{name}" for name in self.memory]

    def only(self, patterns: Sequence[str]) -> Plan:
        """The rows whose names match a pattern, and those beside which they are put.

        Args:
            patterns: Parts of names `table/name`, with `*` and `?` for what may stand there.

        Raises:
            ValueError: A pattern matches no row.
        """
        wanted: set[str] = set()
        for pattern in patterns:
            matches = fnmatch.filter(self.keys, f"*{pattern}*")
            if not matches:
                raise ValueError(f"no row matches {pattern!r}; --list shows them all")
            wanted.update(matches)
        wanted |= {row.base for row in self.rows if row.key in wanted and row.base is not None}
        rows = [row for row in self.rows if row.key in wanted]
        names = [name for name in self.memory if f"memory/{name}" in wanted]
        has_peers = any(row.table == "peers" for row in rows)
        return Plan(self.scale, rows, names, self.notes if has_peers else ())


def plan(scale: Scale, *, with_peers: bool = True) -> Plan:
    """Everything that can be measured here.

    Args:
        scale: How much work that may be.
        with_peers: Whether other libraries are measured where they are installed.

    Example:
        >>> from oware.bench.plan import QUICK, plan
        >>> plan(QUICK).only(["codingame, greedy"]).keys
        ['step/codingame, 1,024', 'opponents/codingame, greedy']
    """
    notes = [
        f"steps of {boards:,} boards: left out, as the memory of this machine is too small"
        for boards in scale.sizes
        if not fits(boards)
    ]
    rows = [
        *steps(scale),
        *variants(scale),
        *settings(scale),
        *threads(scale),
        *rollouts(scale),
        *playouts(scale),
    ]
    rows.append(Row("perft", f"awari, {scale.depth} plies", lambda: Perft(scale.depth)))
    if with_peers:
        for name, (_, _, make) in peers.PEERS.items():
            if note := peers.missing(name):
                notes.append(note)
            else:
                rows.append(Row("peers", name, partial(make, scale.warm_up), BASE))
    weighed = ("codingame", "abapa") if memory.can_measure() else ()
    if not weighed:
        notes.append("memory: left out, as this system does not tell it in /proc")
    return Plan(scale, rows, weighed, notes)


BASE: Final = "step/codingame, 1,024"
ABAPA: Final = "step/abapa, 1,024"


def fits(boards: int) -> bool:
    """Whether the memory of this machine suffices for the rows of so many boards."""
    try:
        memory_here = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return True  # Windows does not tell.
    return boards * BYTES_A_BOARD <= memory_here


def play(
    scale: Scale,
    table: str,
    name: str,
    boards: int = 1024,
    *,
    base: str | None = None,
    kernel: str | None = None,
    **settings: Any,  # noqa: ANN401
) -> Row:
    """A row of steps of an environment, by default of `codingame`."""
    warm_up = scale.warm_up if boards <= 65_536 else scale.warm_up // 2
    rules = settings.get("rules")
    detail = repr(rules) if isinstance(rules, Rules) else ""
    return Row(table, name, partial(SelfPlay, boards, warm_up, **settings), base, kernel, detail)


def steps(scale: Scale) -> Iterator[Row]:
    """Batches of all sizes, fresh arrays, kernels."""
    for rules in ("codingame", "abapa"):
        for boards in scale.sizes:
            if fits(boards):
                yield play(scale, "step", f"{rules}, {boards:,}", boards, rules=rules)
    for rules in ("codingame", "abapa"):
        for boards in (1, 1024):
            name = f"{rules}, {boards:,}"
            base = f"step/{name}"
            yield play(scale, "fresh", name, boards, base=base, rules=rules, copy=True)
    for rules in ("codingame", "abapa"):
        for kernel in cpu_features():
            name, base = f"{rules}, {kernel}", f"step/{rules}, 1,024"
            yield play(scale, "kernels", name, base=base, kernel=kernel, rules=rules)


def variants(scale: Scale) -> Iterator[Row]:
    """What rules cost."""
    for rule_set in RULE_SETS:
        yield play(scale, "rules", rule_set, base=BASE, rules=rule_set)
    default = Rules()
    for name, values in CHANGES.items():
        for value in values:
            change: dict[str, Any] = {name: value}
            rules = default.replace(**change)
            if rules != default:
                yield play(scale, "fields", f"{name}={value!r}", base=ABAPA, rules=rules)
    generator = random.Random(1)
    for number in range(RANDOM_RULES):
        fields: dict[str, Any] = {name: generator.choice(its) for name, its in CHANGES.items()}
        rules = default.replace(**fields)
        yield play(scale, "fields", f"random rules {number + 1}", base=ABAPA, rules=rules)


def settings(scale: Scale) -> Iterator[Row]:
    """Opponents, observations and the other options."""
    for rules in ("codingame", "abapa"):
        for opponent in OPPONENTS:
            base = f"step/{rules}, 1,024"
            name = f"{rules}, {opponent}"
            yield play(scale, "opponents", name, base=base, rules=rules, opponent=opponent)
    for kind in get_args(ObservationKind):
        if kind != "seeds":
            yield play(scale, "observations", kind, base=BASE, observation=kind)
    yield play(scale, "options", "next_step", base=BASE, autoreset_mode="next_step")
    yield play(scale, "options", "seat_rewards", base=BASE, seat_rewards=True)
    for kind in get_args(RewardKind):
        if kind != "outcome":
            yield play(scale, "options", f"reward {kind}", base=BASE, reward=kind)
    yield play(scale, "options", "opening_plies=4", base=BASE, opening_plies=4)


def threads(scale: Scale) -> Iterator[Row]:
    """The same work on one thread and on two."""
    for boards in (1024, scale.large):
        one = f"step, {boards:,}, 1 thread"
        yield play(scale, "threads", one, boards)
        two = f"step, {boards:,}, 2 threads"
        yield play(scale, "threads", two, boards, base=f"threads/{one}", num_threads=2)


def rollouts(scale: Scale) -> Iterator[Row]:
    """Steps of a policy of the environment's own, on one thread and on two."""
    for policy in OPPONENTS:
        for boards in (1024, scale.large):
            one, two = (f"{policy}, {boards:,}, {n}" for n in ("1 thread", "2 threads"))
            make = partial(Rollout, policy, boards, scale.warm_up // 4)
            base = f"threads/step, {boards:,}, 1 thread"
            yield Row("rollout", one, partial(make, 1), base)
            yield Row("rollout", two, partial(make, 2), f"rollout/{one}")


def playouts(scale: Scale) -> Iterator[Row]:
    """Random games to their ends, by threads, kernels and rules."""
    games = f"{scale.large:,} games"
    base = f"codingame, {games}, 1 thread"
    make = partial(Playouts, "codingame", scale.large)
    yield Row("playouts", base, partial(make, 1))
    two = f"codingame, {games}, 2 threads"
    yield Row("playouts", two, partial(make, 2), f"playouts/{base}")
    for kernel in cpu_features():
        name = f"codingame, {games}, {kernel}"
        yield Row("playouts", name, partial(make, 1), f"playouts/{base}", kernel)
    make = partial(Playouts, "abapa", scale.large)
    yield Row("playouts", f"abapa, {games}, 1 thread", partial(make, 1), f"playouts/{base}")
