"""The engine as a process, spoken to through pipes as an interface does."""

from __future__ import annotations

import contextlib
import queue
import re
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import oware
from oware.uci import Engine
from oware.uci_limits import allotted, read_limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 30
INFO = re.compile(
    r"info depth (\d+) score cp (-?\d+) nodes (\d+) nps (\d+) time (\d+) pv ([A-Fa-f]+)"
)
BESTMOVE = re.compile(r"bestmove ([A-Fa-f]|0000)( ponder [A-Fa-f])?")


class Talk:
    """An engine and what it has said."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "oware", "uci", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.said: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self.listen)
        self.reader.start()

    def listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            text = line.decode("ascii")
            assert text.endswith("\n")
            self.said.put(text[:-1])
        self.said.put(None)

    def say(self, *lines: str | bytes) -> None:
        assert self.process.stdin is not None
        for line in lines:
            data = line.encode() if isinstance(line, str) else line
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def until(self, pattern: str) -> list[str]:
        """What it says up to a line of this pattern."""
        said: list[str] = []
        while not said or not re.fullmatch(pattern, said[-1]):
            line = self.said.get(timeout=PATIENCE)
            assert line is not None, said
            assert line.strip(), "an empty line is the end for Aualé"
            said.append(line)
        return said

    def ask(self, *lines: str | bytes) -> list[str]:
        """What it says to these lines, and no more."""
        self.say(*lines, "isready")
        return self.until("readyok")[:-1]

    def move(self, *lines: str) -> tuple[str, list[str]]:
        """The move that it answers, and all it says before."""
        self.say(*lines)
        said = self.until("bestmove.*")
        found = BESTMOVE.fullmatch(said[-1])
        assert found is not None, said[-1]
        return found[1], said[:-1]

    def end(self) -> int:
        """Wait for its end, and make sure that it complained of nothing."""
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        return code


@pytest.fixture
def start() -> Iterator[Any]:
    """Starts engines, which are ended with the test."""
    talks: list[Talk] = []

    def start(*arguments: str) -> Talk:
        talks.append(Talk(*arguments))
        return talks[-1]

    yield start
    for talk in talks:
        talk.process.kill()
        talk.process.wait()
        talk.reader.join()
        for pipe in (talk.process.stdin, talk.process.stdout, talk.process.stderr):
            assert pipe is not None
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def letters(game: oware.Game) -> list[str]:
    return [("ABCDEF", "abcdef")[game.to_move][move] for move in game.legal_moves()]


def test_it_introduces_itself(start: Any) -> None:
    talk = start("--rules", "awari", "--threads", "2")
    talk.say("uci")
    said = talk.until("uciok")
    assert said[0] == f"id name oware {oware.__version__}"
    assert said[1].startswith("id author ")
    names = " ".join(f"var {name}" for name in oware.RULE_SETS)
    assert f"option name Rules type combo default awari {names}" in said
    assert "option name Threads type spin default 2 min 1 max 1024" in said
    assert "option name EndgameFolder type string default <empty>" in said
    # Aualé's parser takes one word for a name.
    options = [line.split() for line in said if line.startswith("option")]
    assert all(words[1] == "name" and words[3] == "type" for words in options)
    talk.say("quit")
    assert talk.end() == 0


def test_two_engines_play_a_game(start: Any) -> None:
    players = start(), start("--hash", "1")
    game = oware.Game("auale")
    for player in players:
        player.say("uci")
        player.until("uciok")
        assert player.ask("ucinewgame") == []
    while not game.is_over and game.ply < 400:
        # Now from the start, now from a later position, as Aualé does it after a capture.
        position = f"startpos moves {game.transcript()}" if game.ply else "startpos"
        move, said = players[game.to_move].move(f"position {position}", "go depth 4 movetime 5000")
        assert move in letters(game)
        assert any(INFO.fullmatch(line) for line in said)
        game.play_transcript(move)
    assert game.is_over
    position = f"position startpos moves {game.transcript()}"
    for player in players:
        assert player.move(position, "go depth 4")[0] == "0000"
        player.say("quit")
        assert player.end() == 0


def test_what_it_finds_is_what_the_search_finds(start: Any) -> None:
    talk = start()
    game = oware.Game.from_transcript("FfEeAbCc", "auale")
    expected: list[oware.search.Result] = []
    oware.search.alpha_beta(game, depth=9, on_depth=expected.append)
    move, said = talk.move("position startpos moves FfEeAbCc", "go depth 9")
    told = [INFO.fullmatch(line) for line in said]
    assert len(told) == 9
    for line, result in zip(told, expected, strict=True):
        assert line is not None
        assert int(line[1]) == result.depth
        assert int(line[2]) == round(100 * result.value)
        assert int(line[3]) == result.nodes
        after = game.copy()
        after.play_transcript(line[6])
        assert after.ply - game.ply == len(result.line)
    assert move == "ABCDEF"[expected[-1].move]
    # North's moves are small letters, also where the position is given outright.
    fen = oware.Game.from_transcript("FfE", "auale").to_string()
    move, said = talk.move(f"position fen {fen}", "go depth 5")
    assert move in "abcdef"
    assert re.fullmatch(r".* pv [a-f][A-F][a-f][A-F][a-f]", said[-1])
    # Moves may be apart, and the last of two positions counts.
    move, _ = talk.move("position startpos", "position startpos moves F f  E", "go nodes 2000")
    assert move in "abcdef"


@pytest.mark.parametrize(
    "words", ["infinite", "ponder", "movetime 100000", "wtime 1000000", "depth 200"]
)
def test_stop_is_answered_at_once(start: Any, words: str) -> None:
    talk = start("--threads", "2")
    delays: list[float] = []
    # A busy machine may be late now and then.
    while len(delays) < 3 or (min(delays) >= 0.05 and len(delays) < 6):
        talk.say("position startpos moves FfEe", f"go {words}")
        talk.until("info depth 8 .*")
        # It listens while it searches.
        assert not [line for line in talk.ask() if line.startswith("bestmove")]
        begin = time.monotonic()
        move, _ = talk.move("stop")
        delays.append(time.monotonic() - begin)
        assert move in "ABCDEF"
        # There is one answer to a search, and none to a stop without one.
        assert talk.ask("stop", "stop") == []
    assert min(delays) < 0.05


@pytest.mark.parametrize(
    ("limit", "overhead", "least", "most"),
    [
        ("movetime 1", 20, 0.2, 50),
        ("movetime 200", 100, 40, 200),
        ("wtime 4000", 20, 40, 200),
        ("wtime 1000 winc 100", 20, 30, 200),
        ("wtime 400 movestogo 2", 100, 25, 200),
    ],
)
def test_time_is_kept(start: Any, limit: str, overhead: int, least: float, most: float) -> None:
    talk = start("--move-overhead", str(overhead))
    talk.ask()
    for _ in range(3):
        spans = []
        for _ in range(3):
            begin = time.monotonic()
            talk.move("position startpos moves FfEe", f"go {limit}")
            spans.append(1000 * (time.monotonic() - begin))
        # A busy machine may be late now and then, but it is never early.
        assert min(spans) <= most
        assert max(spans) > least


def test_no_game_is_lost_by_the_clock(start: Any) -> None:
    talk = start()
    talk.ask()
    game = oware.Game("auale")
    clocks = [3000.0, 3000.0]
    # What it plays hangs on the time that it gets: a game may be long, as clocks are not to care.
    while not game.is_over and game.ply < 200:
        clock = f"wtime {int(clocks[0])} btime {int(clocks[1])}"
        moves = f" moves {game.transcript()}" if game.ply else ""
        begin = time.monotonic()
        move, _ = talk.move(f"position startpos{moves}", f"go {clock}")
        clocks[game.to_move] -= 1000 * (time.monotonic() - begin)
        assert min(clocks) > 0, f"{clocks} after {game.ply} plies"
        assert move in letters(game)
        game.play_transcript(move)
    # It has thought about its moves, too.
    assert max(clocks) < 2500


@pytest.mark.parametrize("clock", [100, 1_000, 60_000, 3_600_000])
@pytest.mark.parametrize("increment", [0, 5, 1000])
@pytest.mark.parametrize("lost", [0.2, 2])
def test_a_clock_lasts_for_any_number_of_moves(clock: int, increment: int, lost: float) -> None:
    left = float(clock)
    moves = 0
    while moves < 300 and left > 10:
        limits, _ = read_limits(f"btime {int(left)} binc {increment}")
        seconds = allotted(limits, 1, 20)
        assert seconds is not None
        # What is around the engine takes some time of its own.
        left -= 1000 * seconds + lost
        assert left > 0
        left += increment
        moves += 1
    assert moves > 25


def test_pondering(start: Any) -> None:
    talk = start()
    position = "position startpos moves FfEe"
    talk.say(position, "go ponder wtime 2000 btime 2000")
    talk.until("info depth 6 .*")
    assert not [line for line in talk.ask() if line.startswith("bestmove")]
    assert talk.move("ponderhit")[0] in "ABCDEF"
    assert talk.ask("ponderhit") == ["info string nothing to hit: there is no search that ponders"]
    # The end of the search alone is no answer.
    talk.say(position, "go ponder depth 2")
    talk.until("info depth 2 .*")
    assert not [line for line in talk.ask() if line.startswith("bestmove")]
    assert talk.move("ponderhit")[0] in "ABCDEF"


def test_an_infinite_search_that_is_done_waits(start: Any) -> None:
    talk = start()
    over, lone = "0-0-0-0-0-0-0-0-0-0-0-0-24-24-S", "0-0-0-0-0-1-1-0-0-0-0-1-22-23-S"
    for position, move in ((over, "0000"), (lone, "F")):
        talk.say(f"position fen {position}", "go infinite")
        time.sleep(0.05)
        assert not [line for line in talk.ask() if line.startswith("bestmove")]
        assert talk.move("stop")[0] == move


GARBAGE: list[str | bytes] = [
    "",
    "   ",
    "\t",
    "\0\0\0",
    b"\xff\xfe\x80 go",
    "é" * 50,
    "joho debug on",
    "UCI",
    b"\r",
    "x" * 200_000,
    b"position fen " + b"4-" * 100_000,
    "position",
    "position fen",
    "position moves",
    "position startpos moves Z",
    "position fen 1-2-3 moves A",
    "setoption",
    "setoption name",
    "setoption name Clear Hash",
    "setoption name Hash",
    "setoption name Hash value -1",
    "setoption name Hash value 99999999999999999999999",
    "setoption name Threads value two",
    "setoption name Rules value chess",
    "setoption name EndgameFolder value /nowhere/\0",
    "setoption name EndgameFolder value <empty>",
    "debug",
    "debug on",
    "register later",
    "ponderhit",
    "stop",
]


def test_garbage_is_survived(start: Any) -> None:
    talk = start()
    for line in GARBAGE:
        for answer in talk.ask(line):
            assert answer.startswith("info string "), line
            assert len(answer) < 400
    assert talk.ask("hello") == ["info string unknown command: 'hello'"]
    assert talk.ask("setoption name Depth value 3") == ["info string unknown option: 'Depth'"]
    assert talk.ask("setoption name Hash value 0") == ["info string Hash is '0'; give 1 to 256"]
    move, said = talk.move("position startpos", "go depth x nodes movetime speed 7")
    assert said[0] == (
        "info string go: 'depth x', 'nodes movetime', 'speed', '7' makes no sense here"
    )
    assert move in "ABCDEF"
    for limits in ("depth -3", "depth 9999 nodes 0", "movetime -5", "wtime 0 btime 0", "wtime -9"):
        assert talk.move(f"go {limits}")[0] in "ABCDEF"
    talk.say("quit")
    assert talk.end() == 0


def test_illegal_moves_are_named_and_have_no_answer(start: Any) -> None:
    talk = start()
    answer = "info string no such position: "
    (said,) = talk.ask("position startpos moves FfEg")
    assert said.startswith(f"{answer}move 4 is 'g'")
    # No move of another position is played instead.
    assert talk.move("go depth 3") == (
        "0000",
        ["info string there is no position: there is no move"],
    )
    (said,) = talk.ask("position startpos moves Ff F")
    assert said.startswith(f"{answer}move 3, F: action 5 is an empty pit")
    (said,) = talk.ask("position fen 4-4-4-4-4-4-4-4-4-4-4-9-0-0-S")
    assert said.startswith(answer)
    assert "53 seeds" in said
    assert talk.move("position startpos", "go depth 3")[0] in "ABCDEF"


def test_what_is_not_for_a_search_is_refused_during_one(start: Any) -> None:
    talk = start()
    talk.say("go infinite")
    talk.until("info depth 5 .*")

    def refused(line: str) -> list[str]:
        return [said for said in talk.ask(line) if not said.startswith("info depth")]

    assert refused("go depth 3") == ["info string already searching; send stop first"]
    assert refused("setoption name Hash value 1") == [
        "info string option 'Hash' stays: options are set between searches"
    ]
    # A position is one for the next search.
    assert refused("position startpos moves F") == []
    assert talk.move("stop")[0] in "ABCDEF"
    assert talk.move("go depth 3")[0] in "abcdef"


def test_rules_make_a_difference(start: Any) -> None:
    talk = start()
    # Everything of North's would be captured: no capture at Aualé's, an illegal move in awari.
    board = "2-0-0-0-0-1-1-0-0-0-0-0-22-22-S"
    assert "F" not in letters(oware.Game.from_string(board, "awari"))
    talk.ask(f"position fen {board}")
    assert talk.ask("setoption name Rules value awari") == []
    for _ in range(3):
        assert talk.move("go depth 1")[0] == "A"
    # Moves are judged by the rules of now.
    (said,) = talk.ask(f"position fen {board} moves F")
    assert said.startswith("info string no such position: ")
    assert talk.ask("setoption name rules value auale") == []
    assert talk.move("go depth 1")[0] in "abcdef"


def test_endgame_databases(start: Any, tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    for seeds in (4, 6):
        oware.Endgame.build(seeds, "auale", folder / f"any-{seeds}.oware", progress=False)
    oware.Endgame.build(7, "awari", folder / "more.oware", progress=False)
    (folder / "broken.oware").write_bytes(b"no database" * 100_000)
    talk = start("--endgame", str(folder))
    said = talk.ask()
    assert "broken.oware" in said[0]
    assert said[1].startswith("info string endgames of 6 seeds from ")
    # Six seeds after the capture, whose values are known.
    game = oware.Game("auale", pits=[0, 2, 0, 0, 0, 1, 1, 0, 2, 0, 1, 1], stores=(20, 20))
    endgame = oware.Endgame.open(folder / "any-6.oware")
    result = oware.search.alpha_beta(game, depth=20, endgame=endgame)
    assert result.exact
    move, said = talk.move(f"position fen {game.to_string()}", "go depth 20")
    found = INFO.fullmatch(said[-1])
    assert found is not None
    assert int(found[2]) == round(100 * result.value)
    assert int(found[1]) == result.depth
    assert move == "ABCDEF"[result.move]
    said = talk.ask("setoption name Rules value awari")
    assert said[-1].startswith("info string endgames of 7 seeds from ")
    assert talk.ask("setoption name EndgameFolder value <empty>") == []
    path = folder / "any-4.oware"
    assert talk.ask(f"setoption name EndgameFolder value {path}") == [
        f"info string no endgame database for awari in {str(path)!r}"
    ]
    (said_last, *_) = talk.ask(f"setoption name EndgameFolder value {tmp_path / 'nowhere'}")[::-1]
    assert said_last.startswith("info string no endgame database for awari in ")


@pytest.mark.parametrize("words", ["", "go infinite", "go ponder", "go movetime 100000"])
def test_the_end_of_input_is_the_end(start: Any, words: str) -> None:
    talk = start()
    talk.say("isready", words)
    talk.until("readyok")
    talk.process.stdin.close()
    assert talk.end() == 0


def test_it_ends_when_nobody_listens(start: Any) -> None:
    talk = start()
    talk.ask()
    # Half a search's answers stay unread.
    talk.say("go infinite", "quit")
    assert talk.end() == 0


@pytest.mark.parametrize(
    ("text", "seat", "seconds"),
    [
        ("movetime 1000", 0, 0.98),
        ("movetime 10", 0, 0.0025),
        ("movetime 0", 1, 0),
        ("movetime -1000", 1, 0),
        ("wtime 60000 btime 30000", 0, 1.98),
        ("wtime 60000 btime 30000", 1, 0.98),
        ("wtime 60000 btime 30000 winc 1000", 0, 2.73),
        ("wtime 1000 movestogo 1", 0, 0.73),
        ("wtime 1000 movestogo 0", 0, 1 / 75),
        ("wtime 100 winc 5000", 0, 0.055),
        ("wtime 100", 0, 0.0005),
        ("wtime -5 winc -5", 0, 0),
        ("wtime 60000 movetime 100", 0, 0.08),
        ("wtime 60000 depth 3", 1, None),
        ("", 0, 1.98),
        ("depth 7", 0, None),
        ("nodes 7", 0, None),
    ],
)
def test_time_allotted(text: str, seat: int, seconds: float | None) -> None:
    limits, unknown = read_limits(text)
    assert unknown == []
    assert allotted(limits, seat, 20) == (seconds if seconds is None else pytest.approx(seconds))


def test_what_an_engine_cannot_be() -> None:
    with pytest.raises(ValueError, match="unknown rule set"):
        Engine(print, rules="chess")
    with pytest.raises(ValueError, match="Hash is 257; give 1 to 256"):
        Engine(print, hash_size=257)
    with pytest.raises(ValueError, match="Threads is 0; give 1 to 1024"):
        Engine(print, threads=0)
    with pytest.raises(ValueError, match="MoveOverhead is -1; give 0 to 5000"):
        Engine(print, move_overhead=-1)
    done = subprocess.run(
        [sys.executable, "-m", "oware", "uci", "--rules", "chess"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"chess" in done.stderr


def test_a_search_that_fails_has_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise MemoryError("no\nmemory")

    said: list[str] = []
    monkeypatch.setattr("oware.uci.alpha_beta", fail)
    with Engine(said.append) as engine:
        engine.answer("position startpos")
        engine.answer("go depth 3")
    assert said == ["info string the search failed: MemoryError: no\\nmemory", "bestmove A"]
