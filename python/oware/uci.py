"""An engine process that speaks the dialect of UCI of the Oware interface Aualé.

The Universal Chess Interface is a conversation in lines of text: an interface for people starts the
engine and sends it positions, and the engine answers with moves. `oware uci` is such an engine; the
dialect, that of Aualé and its engine Aalina, has Oware's positions and writes moves without spaces.

>>> answers = []
>>> with Engine(answers.append) as engine:
...     for line in ("position startpos moves FfEe", "go depth 1"):
...         again = engine.answer(line)
>>> [answer.split()[0] for answer in answers]
['info', 'bestmove']
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oware._counts import told
from oware._oware import RULE_SETS, Game, Rules, __version__
from oware.endgame import Endgame
from oware.search import Stop, alpha_beta
from oware.uci_limits import Limits, allotted, read_limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from oware.search import Result

__all__ = ["LONGEST", "SPINS", "Engine"]

LETTERS: Final = ("ABCDEF", "abcdef")
NO_MOVE: Final = "0000"
"""The move of a finished game, and of a position that could not be set."""
START: Final = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"
LONGEST: Final = 1 << 16
"""Bytes of a line: room for the moves of any game."""
LONG: Final = 300
"""The most characters that are shown of a path or a reason."""
SPINS: Final = {"Hash": (1, 256), "Threads": (1, 1024), "MoveOverhead": (0, 5000)}
"""The options that are numbers: the least and the most."""
ENTRIES: Final = 1 << 16
"""Entries of the table in a MiB."""
AT_ONCE: Final = 0.005
"""Seconds in which nobody says stop: less than it can take to start a thread on a busy machine."""
PATIENCE: Final = 1.0
"""Seconds for a thread whose answer nobody reads, when the engine is closed."""


class Engine:
    """What takes part in the conversation: it is given lines and writes answers.

    Args:
        write: Called with each line of an answer, without its end, from any thread.
        rules: The rule set, until the option `Rules` names another one.
        threads: Threads that search.
        hash_size: MiB of the transposition table.
        endgame: A folder of endgame databases, or one database; None for none.
        move_overhead: Milliseconds of each move's time that are left to what is around the engine.

    Raises:
        ValueError: There is no such rule set, or a number is out of range.

    Example:
        >>> with Engine(print) as engine:
        ...     again = engine.answer("isready")
        readyok
    """

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        rules: str = "auale",
        threads: int = 1,
        hash_size: int = 16,
        endgame: str | os.PathLike[str] | None = None,
        move_overhead: int = 20,
    ) -> None:
        self._write = write
        self._rules = Rules.named(rules)  # type: ignore[arg-type]
        self._named = rules
        self._spins = {"Hash": hash_size, "Threads": threads, "MoveOverhead": move_overhead}
        for name, value in self._spins.items():
            least, most = SPINS[name]
            if not least <= value <= most:
                raise ValueError(f"{name} is {told(value)}; give {least} to {most}")
        self._folder = "" if endgame is None else os.fspath(endgame)
        self._endgame: Endgame | None = None
        self._position = (START, "")
        self._game: Game | None = None
        self._search: Search | None = None
        self._find_endgame()
        self._set_position()
        self._commands: dict[str, Callable[[str, float], object]] = {
            "uci": lambda *_: self._introduce(),
            "isready": lambda *_: self._write("readyok"),
            "ucinewgame": lambda *_: self._place(START, ""),
            "setoption": lambda rest, _: self._set_option(rest),
            "position": lambda rest, _: self._read_position(rest),
            "go": self._go,
            "stop": lambda *_: self._stop(),
            "ponderhit": lambda _, begin: self._ponder_hit(begin),
            # There is nothing more to tell, and nothing to pay for.
            "debug": lambda *_: None,
            "register": lambda *_: None,
        }

    def __enter__(self) -> Self:
        """Nothing, as it is open from the start."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def answer(self, line: str) -> bool:
        """Do what a line says; whatever makes no sense is told in an `info string`.

        Args:
            line: A command and its parameters.

        Returns:
            Whether the conversation goes on: False after `quit`.

        Example:
            >>> Engine(print).answer("hello")
            info string unknown command: 'hello'
            True
        """
        begin = time.monotonic()
        command, _, rest = line.strip().partition(" ")
        if command == "quit":
            return False
        if command in self._commands:
            self._commands[command](rest.strip(), begin)
        elif command:
            self._tell(f"unknown command: {quoted(command)}")
        return True

    def close(self) -> None:
        """End the search that is going on.

        Example:
            >>> engine = Engine(lambda line: None)
            >>> engine.answer("go infinite")
            True
            >>> engine.close()
        """
        self._stop(PATIENCE)

    def _tell(self, text: str) -> None:
        self._write(f"info string {text}")

    def _introduce(self) -> None:
        self._write(f"id name oware {__version__}")
        self._write("id author The oware authors")
        names = "".join(f" var {name}" for name in RULE_SETS)
        self._write(f"option name Rules type combo default {self._named}{names}")
        for name, value in self._spins.items():
            least, most = SPINS[name]
            self._write(f"option name {name} type spin default {value} min {least} max {most}")
        self._write(f"option name EndgameFolder type string default {self._folder or '<empty>'}")
        self._write("option name Ponder type check default true")
        self._write("uciok")

    def _set_option(self, text: str) -> None:
        parts = re.fullmatch(r"name\s+(.*?)(?:\s+value(?:\s+(.*))?)?", text)
        if parts is None:
            self._tell(f"setoption wants: name NAME value VALUE, not {quoted(text)}")
            return
        name, value = parts[1].lower(), (parts[2] or "").strip()
        if self._is_searching():
            self._tell(f"option {quoted(parts[1])} stays: options are set between searches")
        elif name == "rules":
            self._set_rules(value)
        elif name == "endgamefolder":
            self._folder = "" if value == "<empty>" else value
            self._find_endgame()
        elif name != "ponder":  # That one tells what the interface is going to do.
            for spin in SPINS:
                if name == spin.lower():
                    self._set_spin(spin, value)
                    return
            self._tell(f"unknown option: {quoted(parts[1])}")

    def _set_rules(self, name: str) -> None:
        if name not in RULE_SETS:
            self._tell(f"unknown rules: {quoted(name)}; there are {', '.join(RULE_SETS)}")
            return
        self._named, self._rules = name, RULE_SETS[name]
        self._find_endgame()
        self._set_position()

    def _set_spin(self, name: str, value: str) -> None:
        least, most = SPINS[name]
        if re.fullmatch("[0-9]{1,9}", value) and least <= int(value) <= most:
            self._spins[name] = int(value)
        else:
            self._tell(f"{name} is {quoted(value)}; give {least} to {most}")

    def _find_endgame(self) -> None:
        """Open the largest database for the rules."""
        self._endgame = None
        if not self._folder:
            return
        for path in databases(Path(self._folder).expanduser(), self._rules):
            try:
                database = Endgame.open(path)
            except (OSError, ValueError) as error:
                self._tell(f"{quoted(str(path), LONG)}: {error}")
                continue
            if self._named in database.rule_sets:
                self._endgame = database
                self._tell(f"endgames of {database.max_seeds} seeds from {quoted(str(path), LONG)}")
                return
        self._tell(f"no endgame database for {self._named} in {quoted(self._folder, LONG)}")

    def _read_position(self, text: str) -> None:
        parts = re.fullmatch(r"(?:startpos|fen\s+(?P<fen>.*?))(?:\s+moves(?P<moves>\s.*)?)?", text)
        if parts is None:
            self._tell(f"position wants: startpos or fen BOARD, and moves, not {quoted(text)}")
            self._game = None
            return
        self._place(parts["fen"] or START, "".join((parts["moves"] or "").split()))

    def _place(self, board: str, moves: str) -> None:
        self._position = (board, moves)
        self._set_position()

    def _set_position(self) -> None:
        """Set up the position last told, under the rules of now."""
        board, moves = self._position
        self._game = None
        try:
            game = Game.from_string(board, self._rules)
            game.play_transcript(moves)
        except ValueError as error:
            # The letter of a move that is none is in the message already.
            reason, number = str(error), re.match(r"move (\d+):", str(error))
            if number is not None:
                reason = (
                    f"move {number[1]}, {moves[int(number[1]) - 1]}{reason[number.end() - 1 :]}"
                )
            self._tell(f"no such position: {plain(reason)}")
        else:
            self._game = game

    def _is_searching(self) -> bool:
        return self._search is not None and not self._search.answered

    def _go(self, text: str, begin: float) -> None:
        if self._is_searching():
            self._tell("already searching; send stop first")
            return
        limits, unknown = read_limits(text)
        if unknown:
            self._tell(f"go: {', '.join(map(quoted, unknown[:4]))} makes no sense here")
        if self._game is None or self._game.is_over:
            reason = "there is no position" if self._game is None else "the game is over"
            self._tell(f"{reason}: there is no move")
        search = self._search = Search(self._game, limits, self._span(limits), begin)
        if search.span is not None and search.span <= AT_ONCE:
            self._think(search)
        else:
            search.thread = threading.Thread(target=self._think, args=(search,), daemon=True)
            search.thread.start()

    def _span(self, limits: Limits) -> float | None:
        """The seconds for a search, None for one that goes on until it is told otherwise."""
        if limits.ponder or limits.infinite or self._game is None:
            return None
        # A table takes time to be given back.
        overhead = self._spins["MoveOverhead"] + self._spins["Hash"] / 8
        return allotted(limits, self._game.to_move, overhead)

    def _stop(self, timeout: float | None = None) -> None:
        search = self._search
        if search is not None:
            search.end()
            if search.thread is not None:
                search.thread.join(timeout)

    def _ponder_hit(self, begin: float) -> None:
        """The opponent has made the move expected: from now on time counts."""
        search = self._search
        if search is None or search.answered or not search.limits.ponder:
            self._tell("nothing to hit: there is no search that ponders")
            return
        search.limits = search.limits.counted()
        span = self._span(search.limits)
        search.may_answer.set()
        if span is not None:
            timer = threading.Timer(max(begin + span - time.monotonic(), 0), search.end)
            timer.daemon = True
            timer.start()

    def _think(self, search: Search) -> None:
        line: tuple[int, ...] = ()
        if search.game is not None and not search.game.is_over:
            line = self._found(search, search.game)
        search.may_answer.wait()
        # Whoever reads the answer may ask again at once.
        search.answered = True
        to_move = 0 if search.game is None else search.game.to_move
        told = written(line[:2], to_move)
        answer = f"bestmove {told[0] if told else NO_MOVE}"
        self._write(answer + (f" ponder {told[1]}" if len(told) > 1 else ""))

    def _found(self, search: Search, game: Game) -> tuple[int, ...]:
        """The best line, at least a legal move whatever happens."""
        limits, span = search.limits, search.span
        depth = limits.depth
        if span is not None and limits.clock[game.to_move] is not None:
            # A forced move needs no time.
            depth = 1 if len(game.legal_moves()) == 1 else depth
        left = None if span is None else search.begin + span - time.monotonic()
        told: list[Result] = []

        def tell(result: Result) -> None:
            told.append(result)
            self._inform(search, result, game.to_move)

        try:
            result = alpha_beta(
                game,
                depth=depth,
                nodes=limits.nodes,
                time=None if left is None else max(left, 1e-9),
                endgame=self._endgame,
                threads=self._spins["Threads"],
                table_entries=self._spins["Hash"] * ENTRIES,
                on_depth=tell,
                stop=search.stop,
            )
        except Exception as error:  # noqa: BLE001 - A game is lost by no answer.
            self._tell(f"the search failed: {plain(f'{type(error).__name__}: {error}')}")
            return tuple(game.legal_moves()[:1])
        # The last depth of a search that has seen every end is not told, nor what came after it.
        if not told or (result.depth, result.line) != (told[-1].depth, told[-1].line):
            self._inform(search, result, game.to_move)
        return result.line

    def _inform(self, search: Search, result: Result, to_move: int) -> None:
        seconds = max(time.monotonic() - search.begin, 1e-6)
        self._write(
            f"info depth {result.depth} score cp {round(100 * result.value)} nodes {result.nodes}"
            f" nps {round(result.nodes / seconds)} time {round(1000 * seconds)}"
            f" pv {written(result.line, to_move)}"
        )


class Search:
    """One `go`: what it was to be, and what of it there is."""

    def __init__(self, game: Game | None, limits: Limits, span: float | None, begin: float) -> None:
        self.game = game
        self.limits = limits
        self.span = span
        self.begin = begin
        self.stop = Stop()
        self.thread: threading.Thread | None = None
        self.answered = False
        self.may_answer = threading.Event()
        if not (limits.infinite or limits.ponder):
            self.may_answer.set()

    def end(self) -> None:
        """Answer as soon as possible."""
        self.stop.set()
        self.may_answer.set()


def written(line: tuple[int, ...], to_move: int) -> str:
    """A line in letters, in the case of whoever moves."""
    return "".join(LETTERS[(to_move + ply) % 2][move] for ply, move in enumerate(line))


def plain(text: str) -> str:
    """Text of one line of plain characters, not too long."""
    return " ".join(ascii(text[:LONG])[1:-1].split())


def quoted(text: str, most: int = 60) -> str:
    """What somebody wrote, so that it can be shown in a line."""
    return ascii(text if len(text) <= most else f"{text[: most - 3]}...")


def databases(place: Path, rules: Rules) -> list[Path]:
    """A file, or those of a folder that may be databases, the most promising ones first."""
    if not place.is_dir():
        return [place]
    stem = f"{rules.grand_slam}-{rules.feeding}-{rules.no_move}-"
    sizes = []
    for path in place.glob("*.oware"):
        with contextlib.suppress(OSError):
            sizes.append((path.name.startswith(stem), path.stat().st_size, path))
    return [path for _, _, path in sorted(sizes, reverse=True)]
