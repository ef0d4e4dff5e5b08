"""The process of an engine and what is said to it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Final

from oware._oware import RULE_SETS, Game

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from oware._oware import Rules
    from oware.arena._players import Engine

__all__ = ["Forfeit", "Process", "illegal_move"]

LETTERS: Final = ("ABCDEF", "abcdef")
LONGEST: Final = 1 << 16
"""Bytes of a line; what is longer comes in parts."""
HEARD: Final = ("bestmove", "readyok", "uciok", "option name Rules ")
"""How lines begin that matter."""
MOST_HEARD: Final = 256
"""Lines that wait to be looked at; of an engine that does not stop talking the last ones count."""
FAREWELL: Final = 0.3
"""Seconds that an engine has for going when it is told to quit: whoever stops all waits for it."""
END: Final = 1.0
"""Seconds after the last word of a process in which it tells its exit code."""


class Forfeit(Exception):  # noqa: N818 - No error of the program: a player loses the game.
    """A player has lost a game by what it did, or did not."""


def illegal_move(answer: str, legal: Iterable[object]) -> str:
    """Why a player loses that answers with such a move, and what it might have played."""
    return f"illegal move: {answer}; legal: {', '.join(map(str, legal))}"


class Process:
    """An engine that plays one game after the other, started when it is asked.

    Args:
        engine: Which one, and how long it may take.
        rules: The rules of its games.
    """

    def __init__(self, engine: Engine, rules: Rules) -> None:
        self._engine = engine
        self.rules = rules
        self._process: subprocess.Popen[bytes] | None = None
        self._told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._said: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def new_game(self) -> None:
        """Begin a game, in a fresh process where there is none.

        Raises:
            Forfeit: It cannot be started, or does not answer.
        """
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._start()
        self._say("ucinewgame", "isready")
        self._hear("readyok", self._engine.start_time)

    def move(self, game: Game) -> int:
        """Its move in a game.

        Raises:
            Forfeit: The process has ended, is silent, or its answer is no legal move.
        """
        start, moves = game.copy(), game.transcript()
        while start.moves:
            start.undo()
        board = "startpos" if start == Game(game.rules) else f"fen {start.to_string()}"
        self._say(f"position {board} moves {moves}" if moves else f"position {board}")
        self._say(self._engine.go)
        answer = self._hear("bestmove", (self._engine.move_time or 0.0) + self._engine.grace)
        words = answer.split()
        letter = words[1] if len(words) > 1 else ""
        move = LETTERS[game.to_move].find(letter) if len(letter) == 1 else -1
        if not game.is_legal(move):
            letters = [LETTERS[game.to_move][legal] for legal in game.legal_moves()]
            raise Forfeit(illegal_move(repr(answer[:60]), letters))
        return move

    def close(self) -> None:
        """End the process, by force if it does not go, and whatever it has started itself."""
        self._end(FAREWELL)

    def _start(self) -> None:
        engine = self._engine
        try:
            # In a session of its own, so that a Ctrl-C meant for the tournament is not its end, and
            # what a script starts can be ended with it.
            self._process = subprocess.Popen(
                engine.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            # The latter where a word cannot be a word of a command.
            raise Forfeit(f"cannot be started: {error}") from None
        # Of its own, as the threads of an earlier process may still be about.
        self._told, self._said = queue.SimpleQueue(), queue.SimpleQueue()
        stdin, stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        threading.Thread(target=_talk, args=(stdin, self._told, self._said), daemon=True).start()
        threading.Thread(target=_listen, args=(stdout, self._said), daemon=True).start()
        self._say("uci")
        known = self._hear("uciok", engine.start_time, also="option name Rules ")
        for name, rules in RULE_SETS.items():
            if rules == self.rules and f" var {name}" in known:
                self._say(f"setoption name Rules value {name}")
                break
        for option, value in (engine.options or {}).items():
            self._say(f"setoption name {option} value {value}")

    def _say(self, *lines: str) -> None:
        if self._process is None:
            raise Forfeit("the process has ended")
        for line in lines:
            self._told.put(line)

    def _hear(self, beginning: str, seconds: float, also: str = "\n") -> str:
        """The next line that begins so, after the last one that begins with something else."""
        process, kept = self._process, ""
        if process is None:
            raise Forfeit("the process has ended")
        until = time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            try:
                line = self._said.get(timeout=max(left, 0.0))
            except queue.Empty:
                line = ""
            if line is None:
                self._ended(process)
            elif line.startswith(beginning):
                return kept + line
            elif left <= 0:
                # Nothing more has come, or there is no end of other lines.
                if process.poll() is not None:
                    self._ended(process)
                self._end(0)
                raise Forfeit(f"no answer within {seconds:g} s")
            elif line.startswith(also):
                kept = f"{line}\n"

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        """The process has closed a pipe: tell how it ended."""
        try:
            how = f"the process has ended with exit code {process.wait(END)}"
        except subprocess.TimeoutExpired:
            how = "the process has stopped talking"
        self._end(0)
        raise Forfeit(how)

    def _end(self, seconds: float) -> None:
        """End the process with all that is left of its session, by force after so long."""
        process, self._process = self._process, None
        if process is None:
            return
        self._told.put("quit")
        self._told.put(None)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        finally:
            if hasattr(os, "killpg"):
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()


def _pipe(file: IO[bytes] | None) -> IO[bytes]:
    if file is None:
        raise RuntimeError("the process was started without pipes")
    return file


def _talk(
    file: IO[bytes],
    told: queue.SimpleQueue[str | None],
    said: queue.SimpleQueue[str | None],
) -> None:
    """Write what an engine is told, which may wait until it reads; its end is as if it said so."""
    try:
        with file:
            while (line := told.get()) is not None:
                file.write(f"{line}\n".encode())
                file.flush()
    except OSError:
        said.put(None)


def _listen(file: IO[bytes], said: queue.SimpleQueue[str | None]) -> None:
    """Pass on the lines that matter, and None at the end."""
    with file:
        while line := file.readline(LONGEST):
            text = line.decode("utf-8", "replace").strip()
            if text.startswith(HEARD):
                if said.qsize() >= MOST_HEARD:
                    with contextlib.suppress(queue.Empty):
                        said.get_nowait()
                said.put(text)
    said.put(None)
