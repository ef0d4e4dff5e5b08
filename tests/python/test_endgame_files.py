"""Builds of databases that are killed, interrupted, short of room, or not alone."""

from __future__ import annotations

import _thread
import os
import random
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

import oware
from oware import Endgame
from oware._oware import EndgameCore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BUILD = """
import sys
import oware
oware.Endgame.build(int(sys.argv[1]), path=sys.argv[2], progress=False)
"""
SEEDS = 13


def start(seeds: int, path: Path, program: str = BUILD) -> subprocess.Popen[str]:
    """A build in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", program, str(seeds), str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def boundaries(seeds: int) -> list[int]:
    """Where a file of whole levels may end: a head of 32 bytes and a byte a board each."""
    boards = [Endgame.cost(n).boards + 32 * (n + 1) for n in range(seeds + 1)]
    return [0, *boards]


def first_solved(path: Path) -> int:
    """Build to the end, and tell the first level that was not there."""
    solved = [SEEDS]
    EndgameCore.build(SEEDS, "awari", path, None, True, lambda seeds, _: solved.append(seeds))
    return min(solved)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What every build of so many seeds must come to."""
    path = tmp_path_factory.mktemp("whole") / "database"
    Endgame.build(SEEDS, path=path, progress=False)
    return path.read_bytes()


def test_a_build_that_is_killed_goes_on(tmp_path: Path, whole: bytes) -> None:
    drawn = random.Random(14)
    path, partial = tmp_path / "database", tmp_path / f"database.{SEEDS}.partial"
    ends = boundaries(SEEDS)
    for _ in range(10):
        # The level that is on its way when the process ends is any, the last one most often.
        level = SEEDS - min(int(drawn.expovariate(0.4)), SEEDS - 1)
        build = start(SEEDS, path)
        while not (partial.exists() and partial.stat().st_size >= ends[level]):
            assert build.poll() is None
            time.sleep(0.001)
        time.sleep(drawn.random() * 0.2 * 2 ** (level - SEEDS))
        build.kill()
        build.communicate()
        if not path.exists():
            # Whole levels are there as they will be, and perhaps a part of the next one.
            left = partial.read_bytes()
            finished = max(n for n, end in enumerate(ends) if end <= len(left))
            assert finished >= level
            assert left[: ends[finished]] == whole[: ends[finished]]
            assert names(tmp_path) == [partial.name]
            before = partial.stat()
            assert first_solved(path) >= min(finished, SEEDS)
            # It is the same file that was gone on with.
            assert path.stat().st_ino == before.st_ino
        assert path.read_bytes() == whole
        assert names(tmp_path) == [path.name]
        path.unlink()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are Unix's")
def test_a_full_disk_leaves_whole_levels(tmp_path: Path, whole: bytes) -> None:
    limited = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
{BUILD}"""
    path, partial = tmp_path / "database", tmp_path / f"database.{SEEDS}.partial"
    build = start(SEEDS, path, limited)
    _, err = build.communicate()
    assert build.returncode == 1
    assert "OSError: [Errno 27] cannot write the file: File too large" in err
    assert str(partial) in err
    assert "panicked" not in err
    finished, size = max((n, end) for n, end in enumerate(boundaries(SEEDS)) if end <= 3_000_000)
    assert partial.read_bytes() == whole[:size]
    assert names(tmp_path) == [partial.name]
    before = partial.stat()
    assert first_solved(path) == finished
    # It is the same file that was gone on with.
    assert path.stat().st_ino == before.st_ino
    assert path.read_bytes() == whole


def test_control_c_stops_it(tmp_path: Path) -> None:
    # The whole build would take minutes.
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        Endgame.build(20, path=tmp_path / "database", progress=False)
    timer.join()
    assert names(tmp_path) == ["database.20.partial"]
    assert (tmp_path / "database.20.partial").stat().st_size in boundaries(20)


def test_a_watch_that_raises_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no terminal")

    monkeypatch.setattr("oware.endgame.Bar.show", broken)
    with pytest.raises(RuntimeError, match=r"^no terminal$"):
        Endgame.build(16)


def test_other_threads_run_meanwhile() -> None:
    beats = []
    built = threading.Event()

    def beat() -> None:
        while not built.wait(0.01):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    Endgame.build(12, progress=False)
    built.set()
    thread.join()
    assert beats


def test_two_processes_load_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
import os, sys
os.environ["OWARE_CACHE"] = sys.argv[2]
import oware
database = oware.Endgame.load(int(sys.argv[1]), progress=False)
print(database.statistics(11)["win"], database.path)
"""
    loads = [start(11, tmp_path / "cache", program) for _ in range(3)]
    said = {load.communicate() for load in loads}
    assert len(said) == 1
    [(out, err)] = said
    assert err == ""
    path = tmp_path / "cache" / "endgame-1" / "forbidden-required-own_side-11.oware"
    assert out == f"371960 {path}\n"
    assert names(path.parent) == [path.name]
    # From now on it is only opened.
    monkeypatch.setenv("OWARE_CACHE", str(tmp_path / "cache"))
    before = path.stat()
    assert Endgame.load(11, "village").path == path
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_load_keeps_rules_and_seeds_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWARE_CACHE", str(tmp_path))
    house = oware.Rules(grand_slam="capture_all", feeding="free", no_move="stay")
    for rules in ("awari", "abapa", house):
        for seeds in (2, 3):
            database = Endgame.load(seeds, rules, progress=False)
            assert database.max_seeds == seeds
            assert database.value(oware.Game(rules, pits=[0, 0, 0, 0, 0, 1] + [0] * 6)) in {
                -1,
                0,
                1,
            }
    assert names(tmp_path / "endgame-1") == [
        "capture_all-free-split-2.oware",
        "capture_all-free-split-3.oware",
        "capture_nothing-required-own_side-2.oware",
        "capture_nothing-required-own_side-3.oware",
        "forbidden-required-own_side-2.oware",
        "forbidden-required-own_side-3.oware",
    ]


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    from oware.endgame import cache_path

    monkeypatch.delenv("OWARE_CACHE")
    folder = platformdirs.user_cache_path("oware", appauthor=False)
    assert cache_path(12, "awari") == folder / "endgame-1" / "forbidden-required-own_side-12.oware"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:0], "it is not an endgame database"),
        (lambda data: b"PK" + data, "it is not an endgame database"),
        (lambda data: data[:-1], "it was cut, level 4 is not whole"),
        (lambda data: data[:-32], "it was cut, level 4 is not whole"),
        (lambda data: data[:500], "it was cut, level 3 is not whole"),
        (lambda data: data + b"\0", "it was altered, level 4"),
        (lambda data: data[:300] + bytes([data[300] ^ 4]) + data[301:], "it was altered, level 3"),
        (lambda data: data[:8] + b"\2" + data[9:], "it has version 2, this release reads 1"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(
    tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    path = tmp_path / "database"
    Endgame.build(3, path=path, progress=False)
    changed = change(path.read_bytes())
    path.write_bytes(changed)
    for ask in (Endgame.open, lambda path: Endgame.build(3, path=path, progress=False)):
        with pytest.raises(ValueError, match=f"{path}: {message}"):
            ask(path)
    assert path.read_bytes() == changed


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    paths = [tmp_path]
    if hasattr(os, "mkfifo"):
        paths.append(tmp_path / "pipe")
        os.mkfifo(paths[-1])
    for path in paths:
        for ask in (Endgame.open, lambda path: Endgame.build(3, path=path, progress=False)):
            with pytest.raises(ValueError, match="it is a folder, a pipe or a device; give an end"):
                ask(path)


def test_a_file_of_other_rules_is_not_built_on(tmp_path: Path) -> None:
    path = tmp_path / "database"
    Endgame.build(3, "abapa", path, progress=False)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"it is for abapa, .*, not for village, awari \("):
        Endgame.build(4, "awari", path, progress=False)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_sample_values_of_many_seeds(tmp_path: Path) -> None:
    database = Endgame.build(18, path=tmp_path / "database", progress=False)
    first = oware.Game("awari", pits=[0, 0, 6, 0, 3, 5, 1, 2, 1, 0, 0, 0])
    assert database.value(first) == -2
    # C captures all, which is illegal.
    assert database.move_values(first) == {4: -2, 5: -6}
    drawn = oware.Game("awari", pits=[1, 1, 1, 1, 1, 2, 4, 2, 3, 0, 0, 0])
    assert database.move_values(drawn) == {0: -1, 1: -1, 2: -2, 3: -2, 4: -2, 5: 0}
    assert database.best_moves(drawn) == [5]
    pits = [[5, 0, 1, 0, 0, 8, 0, 0, 1, 0, 0, 0], [0, 0, 0, 2, 0, 5, 0, 4, 1, 1, 3, 1]]
    assert database.values(pits).tolist() == [9, -3]
    assert len(database.best_line(first)) >= database.distance(first) > 0
