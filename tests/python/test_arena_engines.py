"""Engines as processes: ours plays, and whatever goes wrong costs a game, with the reason kept."""

from __future__ import annotations

import os
import re
import select
import shlex
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import oware
from oware import arena
from oware.arena._engine import MOST_HEARD, Process

if TYPE_CHECKING:
    from collections.abc import Sequence

OURS = [sys.executable, "-m", "oware", "uci"]
PATIENCE = 120.0
"""Seconds in which a process that is all right answers, however busy the machine is."""

LEGAL = "; legal: ([A-F](, [A-F])*|[a-f](, [a-f])*)"


def fake(tmp_path: Path, on_go: str) -> Sequence[str]:
    """An engine that notes each start and does something when it is to move."""
    path = tmp_path / "engine.py"
    program = f"""
        import os, sys, time
        with open({str(tmp_path / "starts")!r}, "a") as file:
            file.write("started\\n")
        for line in sys.stdin:
            if line == "uci\\n":
                print("id name fake\\nuciok", flush=True)
            elif line == "isready\\n":
                print("readyok", flush=True)
            elif line.startswith("go"):
                {on_go}
    """
    path.write_text(textwrap.dedent(program), encoding="utf-8")
    return [sys.executable, "-S", str(path)]


def starts(tmp_path: Path) -> int:
    return len((tmp_path / "starts").read_text(encoding="utf-8").splitlines())


def test_our_engine_plays_by_the_rules_of_the_tournament() -> None:
    engine = arena.Engine(OURS, depth=3, move_time=None, grace=PATIENCE, start_time=PATIENCE)
    results = arena.tournament(
        {"engine": engine, "greedy": "greedy"}, games=2, rules="awari", seed=3
    )
    assert results.forfeits() == []
    assert results.against("engine").total.wins == 2
    again = arena.tournament({"engine": engine, "greedy": "greedy"}, games=2, rules="awari", seed=3)
    assert (results.games.moves == again.games.moves).all()


def test_two_engines_by_name_have_a_time_per_move() -> None:
    command = f"uci:{shlex.join(OURS)}"
    players = {"one": command, "two": arena.player(command, move_time=0.002)}
    results = arena.tournament(players, games=2, move_time=0.001, max_plies=20)
    assert results.forfeits() == []
    assert [entry["player"].rpartition("; ")[2] for entry in results.settings["players"]] == [
        "go movetime 1",
        "go movetime 2",
    ]
    assert (results.games.plies == 20).all()


@pytest.mark.parametrize(
    ("on_go", "reason", "restarts"),
    [
        ("sys.exit(3)", "the process has ended with exit code 3", True),
        ("os.close(1); time.sleep(60)", "the process has stopped talking", True),
        ("time.sleep(60)", r"no answer within 1\.01 s", True),
        ('print("bestmove G", flush=True)', f"illegal move: 'bestmove G'{LEGAL}", False),
        ('print("bestmove", flush=True)', f"illegal move: 'bestmove'{LEGAL}", False),
        ('print("bestmove 0000", flush=True)', f"illegal move: 'bestmove 0000'{LEGAL}", False),
        (
            'print("bestmove " + "A" * 10**6, flush=True)',
            f"illegal move: 'bestmove A+'{LEGAL}",
            False,
        ),
    ],
)
def test_what_an_engine_loses_by(tmp_path: Path, on_go: str, reason: str, restarts: bool) -> None:
    grace = 1 if "no answer" in reason else PATIENCE
    engine = arena.Engine(
        fake(tmp_path, on_go), "bad", move_time=0.01, grace=grace, start_time=PATIENCE
    )
    results = arena.tournament(
        [engine, "greedy", arena.player(lambda game: game.legal_moves()[0], "first")], games=2
    )
    told = results.forfeits()
    assert [row["player"] for row in told] == ["bad"] * 4
    for row in told:
        assert re.fullmatch(reason, row["reason"]), row["reason"]
    # The others play on, and the engine is started again for its next game if it has to be.
    assert results.against("greedy", "first").total.games == 2
    assert starts(tmp_path) == (4 if restarts else 1)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import time; time.sleep(60)", "no answer within 0.5 s"),
        ("raise SystemExit(7)", "the process has ended with exit code 7"),
        ("while True: print('readyok')", "no answer within 0.5 s"),
        ("while True: print('option name Rules ' + 'x' * 999)", "no answer within 0.5 s"),
        ("import sys; sys.stdout.buffer.write('uciok'.encode('utf-16'))", "... with exit code 0"),
    ],
)
def test_an_engine_that_does_not_start_loses(program: str, reason: str) -> None:
    engine = arena.Engine([sys.executable, "-S", "-c", program], "bad", start_time=0.5)
    results = arena.tournament([engine, "greedy"], games=2)
    reasons = {reason.replace("...", "the process has ended"), "no answer within 0.5 s"}
    assert {row["reason"] for row in results.forfeits()} <= reasons
    assert results.against("bad").total.losses == 2
    assert results.games.winner.tolist() == [1, 0]


@pytest.mark.parametrize("program", ["no-such-program-here", "no\0program", "no\ud800program"])
def test_a_program_that_is_not_there_loses(program: str) -> None:
    results = arena.tournament([arena.Engine([program], "bad"), "greedy"], games=2)
    assert len(results.forfeits()) == 2
    assert results.forfeits()[0]["reason"].startswith("cannot be started: ")


def test_no_process_is_left_behind(tmp_path: Path) -> None:
    # It does not heed `quit`, and is ended.
    engine = arena.Engine(
        fake(tmp_path, 'print("bestmove G", flush=True)'), "bad", start_time=PATIENCE
    )
    path = Path(engine.command[-1])
    path.write_text(f"{path.read_text(encoding='utf-8')}\ntime.sleep(600)\n", encoding="utf-8")
    process = Process(engine, oware.Rules())
    process.new_game()
    running = process._process
    assert running is not None
    process.close()
    assert running.poll() is not None
    process.close()


def test_of_what_an_engine_says_without_end_little_is_kept() -> None:
    flood = ["while True: print('uciok\\nreadyok\\nbestmove 0', flush=True)"]
    engine = arena.Engine([sys.executable, "-S", "-c", *flood], start_time=PATIENCE)
    process = Process(engine, oware.Rules())
    process.new_game()
    said = process._said
    until = time.monotonic() + PATIENCE
    while said.qsize() < MOST_HEARD:
        assert time.monotonic() < until
        time.sleep(0.01)
    time.sleep(0.2)
    assert said.qsize() <= MOST_HEARD
    process.close()


def test_an_engine_that_does_not_listen_is_silent() -> None:
    # More than a pipe holds, so that whoever writes it waits until it is read.
    deaf = ["print('uciok', flush=True); import time; time.sleep(600)"]
    engine = arena.Engine(
        [sys.executable, "-S", "-c", *deaf], "deaf", start_time=2, options={"Book": "x" * 10**6}
    )
    results = arena.tournament([engine, "greedy"], games=2)
    assert {row["reason"] for row in results.forfeits()} == {"no answer within 2 s"}
    assert results.against("deaf").total.losses == 2


if hasattr(os, "killpg"):

    @pytest.mark.parametrize("on_go", ["time.sleep(600)", "sys.exit()"])
    def test_what_an_engine_has_started_ends_with_it(tmp_path: Path, on_go: str) -> None:
        # As a script does that starts the program proper. Whoever holds the pipe open is there.
        held = tmp_path / "held"
        os.mkfifo(held)
        end = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
        child = f"file = open({str(held)!r}, 'wb', 0); file.write(b'x'); print(); import time"
        path = tmp_path / "script.py"
        script = f"""
            import subprocess, sys, time
            child = [sys.executable, "-S", "-uc", {child + "; time.sleep(600)"!r}]
            subprocess.Popen(child, stdout=subprocess.PIPE).stdout.readline()
            for line in sys.stdin:
                if line.startswith("go"):
                    {on_go}
                print("uciok\\nreadyok", flush=True)
        """
        path.write_text(textwrap.dedent(script), encoding="utf-8")
        engine = arena.Engine(
            [sys.executable, "-S", str(path)], "script", grace=0.5, start_time=PATIENCE
        )
        assert arena.tournament([engine, "greedy"], games=2).endings()["forfeit"] == 2
        os.set_blocking(end, True)
        assert os.read(end, 9) == b"xx"
        assert select.select([end], [], [], PATIENCE) == ([end], [], [])
        assert os.read(end, 9) == b""
        os.close(end)
