"""Endgame databases: the exact value of every position with few seeds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from oware._oware import EndgameCore

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from oware._oware import Game, Rules
    from oware.types import EndgameKey, EndgameStatistics, RuleSetName

__all__ = ["Endgame", "EndgameCost"]


@dataclass(frozen=True)
class EndgameCost:
    """What it takes to build a database.

    Example:
        >>> Endgame.cost(12)
        EndgameCost(boards=2704156, file=2704604, memory=5746331)
    """

    boards: int
    """Positions of all levels."""
    file: int
    """Bytes of the finished file."""
    memory: int
    """Bytes of memory at the most, while the largest level is solved."""


@final
class Endgame:
    """The value of every position of up to so many seeds on the board.

    A value is the net number of seeds that the mover still takes with best play by both; an endless
    line is worth 0. It depends on the twelve pits, the mover and three fields of the rules,
    `grand_slam`, `feeding` and `no_move`: history, stores, the ply limit and an ending by majority
    make no difference, as if play went on until nobody can move. Rule sets with the same three
    fields share a database, and games under other rules are refused.

    Databases come from `build`, `open` and `load`; they never change, and any number of threads may
    use one. They are solved by retrograde analysis, as in T. Lincke's thesis (ETH Zürich, 2002) and
    J. Romein and H. Bal, "Solving awari with parallel retrograde analysis" (IEEE Computer, 2003).

    Example:
        >>> import oware
        >>> database = Endgame.build(6, progress=False)
        >>> game = oware.Game("awari", pits=[0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0])
        >>> database.value(game)
        -6
        >>> database
        <oware.Endgame of 6 seeds for village, awari>
    """

    __slots__ = ("_core", "_path")

    MOST_SEEDS = EndgameCore.MOST_SEEDS
    """The most seeds that a database can have."""

    def __init__(self, core: EndgameCore, path: Path | None = None) -> None:
        if not isinstance(core, EndgameCore):
            raise TypeError(
                "a database is not made by calling oware.Endgame; use Endgame.load, build or open"
            )
        self._core = core
        self._path = path

    @staticmethod
    def build(
        max_seeds: SupportsIndex,
        rules: Rules | RuleSetName = "awari",
        path: str | os.PathLike[str] | None = None,
        num_threads: SupportsIndex | None = None,
        progress: bool = True,
    ) -> Endgame:
        """Solve every position of up to `max_seeds` seeds.

        With a path, each level is written before the next one begins, into an unfinished file
        `PATH.SEEDS.partial` that takes the name when it is whole. A build that was stopped, by
        Ctrl-C or otherwise, goes on after the last whole level; a file of fewer seeds is built on;
        one that has enough already is opened as it is. Of several processes one builds, and the
        others wait.

        Args:
            max_seeds: The most seeds on the board, 0 to `MOST_SEEDS`. `cost` tells what they take.
            rules: A rule set; three of its fields count.
            path: The file; None keeps the database in memory.
            num_threads: Threads at work; None for one for each processor.
            progress: Whether to show a bar on standard error.

        Raises:
            ValueError: For a number out of range, an unknown rule set, and a file at `path` that is
                not a whole database for these rules; no such file is changed.
            OSError: When a file cannot be written. Whole levels stay in the unfinished file.
            MemoryError: When there is too little memory.

        Example:
            >>> Endgame.build(5, "abapa", progress=False).statistics(5)["win"]
            2161
        """
        with Bar(EndgameCore.cost(max_seeds)[0]) as bar:
            core = EndgameCore.build(max_seeds, rules, path, num_threads, progress, bar.show)
        return Endgame(core, None if path is None else Path(path))

    @staticmethod
    def open(path: str | os.PathLike[str]) -> Endgame:
        """Map the file of a database, once it has been compared with its checksums.

        It is shared with other processes that use it, and must stay as it is while one of them
        does: who reads a file that is being cut short gets a bus error.

        Args:
            path: A file that `build` has written.

        Raises:
            OSError: When it cannot be read.
            ValueError: When it is cut, altered, no database at all, or of another version.

        Example:
            >>> Endgame.open("nowhere")
            Traceback (most recent call last):
            FileNotFoundError: [Errno 2] cannot open the file: No such file or directory: 'nowhere'
        """
        return Endgame(EndgameCore.open(path), Path(path))

    @staticmethod
    def load(
        max_seeds: SupportsIndex = 12,
        rules: Rules | RuleSetName = "awari",
        *,
        num_threads: SupportsIndex | None = None,
        progress: bool = True,
    ) -> Endgame:
        """Open the database in the user's cache folder, and build it there first if need be.

        The folder is the one that the environment variable `OWARE_CACHE` names, else that of the
        package platformdirs, `~/.cache/oware` on Linux. Twelve seeds take 2.6 MiB and some seconds.

        Args:
            max_seeds: The most seeds on the board.
            rules: A rule set.
            num_threads: As in `build`.
            progress: As in `build`, when there is something to build.

        Raises:
            ValueError, OSError, MemoryError: As in `build` and `open`.

        Example:
            >>> Endgame.load(6, progress=False).max_seeds
            6
        """
        path = cache_path(max_seeds, rules)
        path.parent.mkdir(parents=True, exist_ok=True)
        # What is whole already is opened, and the arguments are looked at either way.
        return Endgame.build(max_seeds, rules, path, num_threads, progress)

    @staticmethod
    def cost(max_seeds: SupportsIndex) -> EndgameCost:
        """What building a database of so many seeds takes.

        Args:
            max_seeds: The most seeds on the board.

        Raises:
            ValueError: For a number out of range.

        Example:
            >>> Endgame.cost(24).file
            1251678532
        """
        return EndgameCost(*EndgameCore.cost(max_seeds))

    @property
    def max_seeds(self) -> int:
        """The most seeds on a board that has a value here."""
        return self._core.max_seeds()

    @property
    def key(self) -> EndgameKey:
        """The fields of the rules on which the values depend, by name.

        Where the effect is the same, one value stands for several: `feeding` has none under
        `"forbidden"`, and a share by `"stay"` nets as little as one by `"split"`.
        """
        return self._core.key()

    @property
    def rule_sets(self) -> tuple[RuleSetName, ...]:
        """The named rule sets that this database is for."""
        return self._core.rule_sets()

    @property
    def path(self) -> Path | None:
        """The file; None when the database is in memory alone."""
        return self._path

    def value(self, game: Game) -> int:
        """The net number of seeds that the mover still takes with best play by both.

        Of a finished game, that of its pits as they lie, as if it went on.

        Args:
            game: A game under rules of this database, with up to `max_seeds` seeds in its pits.

        Raises:
            ValueError: When the rules differ in what counts, or there are more seeds.

        Example:
            >>> import oware
            >>> Endgame.load(6, progress=False).value(oware.Game("awari", pits=[1] + [0] * 11))
            1
        """
        return self._core.value(game)

    def values(self, pits: ArrayLike) -> NDArray[np.int8]:
        """The values of many boards: int8, shape (N,).

        Args:
            pits: Integers of shape (N, 12): the mover's six pits in sowing order, then the
                opponent's. uint8 in rows is fastest.

        Raises:
            ValueError: For another shape, a board of more seeds, a pit of fewer than none.
            TypeError: For another dtype than integers.

        Example:
            >>> Endgame.load(6, progress=False).values([[0] * 11 + [1], [1] + [0] * 11])
            array([-1,  1], dtype=int8)
        """
        return self._core.values(pits)

    def move_values(self, game: Game) -> dict[int, int]:
        """The value of each legal move for the mover: the seeds that it nets, and what follows.

        None of a finished game.

        Args:
            game: As in `value`.

        Raises:
            ValueError: As in `value`.

        Example:
            >>> import oware
            >>> game = oware.Game("awari", pits=[0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0])
            >>> Endgame.load(6, progress=False).move_values(game)
            {1: -6, 2: -6}
        """
        values = self._core.move_values(game)
        return {} if game.is_over else values

    def best_moves(self, game: Game) -> list[int]:
        """The moves of the highest value, in sowing order; none of a finished game.

        Args:
            game: As in `value`.

        Raises:
            ValueError: As in `value`.

        Example:
            >>> import oware
            >>> game = oware.Game("awari", pits=[0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0])
            >>> Endgame.load(6, progress=False).best_moves(game)
            [1, 2]
        """
        values = self.move_values(game)
        return [move for move, value in values.items() if value == max(values.values())]

    def best_line(self, game: Game) -> list[int]:
        """A line of best play by both, from a game that is not over: moves of both in turn.

        Whoever has the better of it captures as soon as they can without giving anything up, the
        other puts that off, and of equals the first is played. The line ends where there is no
        move, or where a position of an endless line comes back. It may be longer than the game, as
        it takes no account of endings by majority, repetition and number of plies.

        Time and memory grow with the positions of one level that best play can reach: mostly a few
        thousand, millions at worst.

        Args:
            game: As in `value`.

        Raises:
            ValueError: As in `value`.

        Example:
            >>> import oware
            >>> game = oware.Game("awari", pits=[0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 2, 1])
            >>> Endgame.load(6, progress=False).best_line(game)
            [5, 4, 0, 5, 0]
        """
        return self._line(game)[0]

    def distance(self, game: Game) -> int:
        """The plies of `best_line` up to the last one that captures, 0 when none does.

        Args:
            game: As in `value`.

        Raises:
            ValueError: As in `value`.

        Example:
            >>> import oware
            >>> game = oware.Game("awari", pits=[0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 2, 1])
            >>> Endgame.load(6, progress=False).distance(game)
            4
        """
        return self._line(game)[1]

    def statistics(self, n: SupportsIndex) -> EndgameStatistics:
        """How the positions of `n` seeds are for the mover.

        Args:
            n: Seeds on the board, 0 to `max_seeds`.

        Returns:
            The number of positions that are a `win`, a `draw` (of value 0) and a `loss`, and a
            `histogram` from each value that occurs, in order, to the number of its positions.

        Raises:
            ValueError: For a number out of range.

        Example:
            >>> Endgame.load(6, progress=False).statistics(1)
            {'win': 5, 'draw': 0, 'loss': 7, 'histogram': {-1: 7, 1: 5}}
        """
        return self._core.statistics(n)

    def _line(self, game: Game) -> tuple[list[int], int]:
        moves, distance, _ = self._core.best_line(game)
        return ([], 0) if game.is_over else (moves, distance)

    def __repr__(self) -> str:
        """Its seeds and rules."""
        names = ", ".join(self.rule_sets)
        fields = ", ".join(f"{field}={value}" for field, value in self.key.items())
        return f"<oware.Endgame of {self.max_seeds} seeds for {names or fields}>"

    def __copy__(self) -> Endgame:
        """The same, as it never changes."""
        return self

    def __deepcopy__(self, memo: object) -> Endgame:
        """The same, as it never changes."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Endgame], tuple[Any, ...]]:
        """Pickle the path, which the other process must find as well."""
        if self._path is None:
            raise TypeError("a database in memory cannot be pickled; build it with a path")
        return Endgame.open, (self._path,)


def cache_path(max_seeds: SupportsIndex, rules: Rules | RuleSetName) -> Path:
    """Where `load` keeps a database."""
    import platformdirs

    key = EndgameCore.key_of(rules)
    EndgameCore.cost(max_seeds)  # Refuses what is no number of seeds.
    stem = f"{key['grand_slam']}-{key['feeding']}-{key['no_move']}-{max_seeds.__index__()}"
    named = os.environ.get("OWARE_CACHE")
    folder = Path(named) if named else platformdirs.user_cache_path("oware", appauthor=False)
    return folder / f"endgame-{EndgameCore.FILE_VERSION}" / f"{stem}.oware"


class Bar:
    """A progress bar over boards, from when it is first told of some."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self.bar is not None:
            if kind is None:
                self.bar.update(self.total - self.bar.n)
            self.bar.close()

    def show(self, seeds: int, done: int) -> None:
        """Show how far a building has come."""
        if self.bar is None:
            from tqdm import tqdm

            # What is there already took no time.
            self.bar = tqdm(total=self.total, initial=done, unit=" boards", unit_scale=True)
        self.bar.set_postfix(seeds=seeds, refresh=False)
        self.bar.update(max(done - self.bar.n, 0))
