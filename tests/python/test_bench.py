"""The command `oware bench` measures all it says it does, and writes it down. No time is judged."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import json
import math
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from oware import bench, cli
from oware.bench import contenders, memory, peers, plot
from oware.bench.clock import Sample
from oware.bench.contenders import Contender, SelfPlay, draw, forced_kernel
from oware.bench.measure import Measured, Results
from oware.bench.plan import CHANGES, QUICK, TABLES, Row, plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def command(*arguments: object) -> tuple[int, str, str]:
    """The command in this process: its exit code, output and errors."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as exit_info,
    ):
        cli.main(["bench", *map(str, arguments)])
    code = exit_info.value.code
    assert isinstance(code, int)
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that a quick run writes."""
    path = tmp_path_factory.mktemp("bench")
    files = [f"--{kind}={path / kind}" for kind in ("json", "markdown")]
    code, out, err = command("--quick", *files)
    assert code == 0
    assert "100%" in err
    (path / "out").write_text(out, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def figures(folder: Path) -> Any:
    return json.loads((folder / "json").read_text(encoding="utf-8"))


def test_the_json_has_the_form_described(figures: Any) -> None:
    assert figures["schema"] == 1
    assert set(figures) == {
        *("schema", "oware", "started", "machine", "rounds", "rounds_wanted", "forced_kernel"),
        *("processor_share", "notes", "rows", "copies", "memory"),
    }
    assert figures["oware"] == oware.__version__
    assert figures["rounds"] == figures["rounds_wanted"] == QUICK.rounds
    assert figures["forced_kernel"] is None
    assert figures["machine"]["kernels"] == list(oware.cpu_features())
    keys = {
        *("table", "name", "detail", "unit", "boards", "kernel", "threads", "bytes_written"),
        *("per_second", "times_copy", "base", "times_base", "episodes", "mean_length", "samples"),
    }
    assert all(set(row) == keys for row in figures["rows"])


def test_every_row_has_figures(figures: Any) -> None:
    rows = figures["rows"]
    assert [f"{row['table']}/{row['name']}" for row in rows] == [
        row.key for row in plan(QUICK).rows
    ]
    assert {row["table"] for row in rows} == TABLES.keys() - {"memory"}
    sizes = {copy["bytes"] for copy in figures["copies"]}
    for row in rows:
        clocks = {"wall", "cpu"} if row["threads"] == 1 else {"wall"}
        assert set(row["per_second"]) == clocks
        shown = [row["per_second"], row["times_base"] if row["base"] else {}]
        if row["bytes_written"]:
            shown.append(row["times_copy"])
            assert row["bytes_written"] in sizes
        for quartiles in (one for kind in shown for one in kind.values()):
            low, median, high = quartiles["low"], quartiles["median"], quartiles["high"]
            assert 0 < low <= median <= high < math.inf, row["name"]
        assert len(row["samples"]) == QUICK.rounds
        assert all(sample["units"] > 0 and sample["wall"] > 0 for sample in row["samples"])
    assert sum(row["episodes"] or 0 for row in rows) > 100


def test_a_step_writes_as_many_bytes_as_its_arrays_have(figures: Any) -> None:
    written = {
        f"{row['table']}/{row['name']}": row["bytes_written"] / row["boards"]
        for row in figures["rows"]
    }
    # Fourteen pits and stores, six moves, a reward of four bytes and five flags and codes.
    assert written["step/abapa, 1,024"] == written["fresh/abapa, 1"] == 29
    assert written["observations/normalized"] == 29 + 3 * 14
    assert written["options/seat_rewards"] == 29 + 8


def test_boards_are_weighed(figures: Any) -> None:
    weighed = {one["name"]: one for one in figures["memory"]}
    # Where the system does not tell the memory, that is noted.
    assert weighed.keys() == ({"codingame", "abapa"} if memory.can_measure() else set())
    assert any("memory: left out" in note for note in figures["notes"]) != bool(weighed)
    for one in weighed.values():
        assert one["boards"] == QUICK.boards
        assert one["arrays"] == 29
        assert 16 < one["state"] < 10_000


def test_text_and_markdown_have_every_row(folder: Path, figures: Any) -> None:
    text = (folder / "out").read_text(encoding="utf-8")
    markdown = (folder / "markdown").read_text(encoding="utf-8")
    for written in (text, markdown):
        for table in {row["table"] for row in figures["rows"]}:
            assert TABLES[table] in written
        for row in figures["rows"]:
            assert row["name"] in written
        assert f"oware {oware.__version__} on " in written
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(lines) >= len(figures["rows"])
    assert all(line.endswith("|") for line in lines)


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    few = bench.run(plan(QUICK).only(["rules/awari"]), rounds=2, progress=False)
    plot.plot(few, tmp_path / "rates.svg")
    assert "rules: awari" in (tmp_path / "rates.svg").read_text(encoding="utf-8")
    path = tmp_path / "rates.png"
    assert command("--quick", "--only=perft", f"--plot={path}")[0] == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_is_not_drawn_to_the_end_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_drawn(_: Any, file: Any, **__: Any) -> None:
        with contextlib.nullcontext(file) if hasattr(file, "write") else file.open("wb") as to:
            to.write(b"new")
        raise OSError("the disk is full")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", half_drawn)
    path = tmp_path / "rates.png"
    path.write_bytes(b"old")
    few = bench.run(plan(QUICK).only(["rules/awari"]), rounds=2, progress=False)
    with pytest.raises(OSError, match="the disk is full"):
        plot.plot(few, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only=chess"], "no row matches 'chess'; --list shows them all"),
        (["--kernel=mmx"], "--kernel mmx: this machine has "),
        (["--rounds=1"], "--rounds"),
        (["--rounds=many"], "--rounds"),
        (["--clock=sundial"], "sundial"),
        (["--plot=picture.chess"], "picture.chess: no format to plot in; end it in ."),
        (["--plot=picture"], "picture: no format to plot in"),
        (["--json=no/such/place.json"], "place.json: there is no folder "),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.setattr(bench, "run", lambda *_, **__: pytest.fail("it has begun"))
    code, out, err = command("--quick", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = command("--quick", "--plot", tmp_path / "plot.png")
    assert (code, out) == (2, "")
    assert 'no module matplotlib.figure: pip install "oware[notebooks]"' in " ".join(err.split())
    # What needs no picture needs no matplotlib.
    assert command("--quick", "--only=perft")[0] == 0


def test_the_list_is_what_would_be_measured() -> None:
    code, out, _ = command("--quick", "--list")
    assert code == 0
    assert out.splitlines() == plan(QUICK).keys
    assert len(set(plan(QUICK).keys)) == len(plan(QUICK).keys)
    out = command("--list", "--no-peers")[1]
    assert "step/codingame, 65,536" in out
    assert "peers/" not in out
    out = command("--quick", "--list", "--only=rules/*village", "--only=opponents/*greedy")[1]
    assert out.splitlines() == [
        *("step/codingame, 1,024", "step/abapa, 1,024", "rules/village"),
        *("opponents/codingame, greedy", "opponents/abapa, greedy"),
    ]


def test_every_field_of_the_rules_is_changed() -> None:
    assert CHANGES.keys() == inspect.signature(oware.Rules).parameters.keys()
    names = {row.name for row in plan(QUICK).rows if row.table == "fields"}
    for field, values in CHANGES.items():
        changed = [value for value in values if value != getattr(oware.Rules(), field)]
        assert changed
        assert {f"{field}={value!r}" for value in changed} <= names


@pytest.mark.parametrize("legal", range(1, 64))
def test_actions_are_drawn_uniformly_from_the_legal_ones(legal: int) -> None:
    moves = [move for move in range(6) if legal >> move & 1]
    mask = np.zeros((6000, 6), np.int8)
    mask[:, moves] = 1
    drawn = np.bincount(draw(mask, np.random.default_rng(legal)), minlength=6)
    assert drawn.sum() == len(mask)
    share = len(mask) / len(moves)
    for move in range(6):
        # Five standard deviations.
        assert abs(drawn[move] - share * (move in moves)) <= 5 * math.sqrt(share)


@pytest.mark.parametrize("num_envs", [1, 50, 20_000])
def test_the_scout_is_in_the_same_games(num_envs: int) -> None:
    contender = SelfPlay(num_envs, warm_up=200 if num_envs < 1000 else 3, opponent="random")
    for _ in range(3):
        sample = contender.burst()
        assert sample.units == contender.steps * num_envs
        np.testing.assert_array_equal(contender.env.observe(), contender.scout.observe())
    assert (contender.scout is contender.env) == (num_envs == 20_000)
    assert contender.env.observe().any(axis=1).all()
    assert contender.units == 3 * contender.steps * num_envs


def test_episodes_are_as_long_as_games() -> None:
    contender = SelfPlay(256, warm_up=600, rules="abapa")
    while contender.units < 300_000:
        contender.burst()
    lengths = []
    generator = random.Random(1)
    for _ in range(400):
        game = oware.Game("abapa")
        while not game.is_over:
            game.play(generator.choice(game.legal_moves()))
        lengths.append(game.ply)
    assert contender.episodes
    assert contender.units / contender.episodes == pytest.approx(np.mean(lengths), rel=0.1)


def test_a_kernel_is_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OWARE_KERNEL", raising=False)
    few = plan(QUICK, with_peers=False).only(["step/abapa, 64", "kernels/abapa, words"])
    results = bench.run(few, rounds=1, kernel="portable", progress=False)
    kernels = {one.row.key: one.kernel for one in results.rows}
    # A row that is about another kernel keeps that.
    assert kernels["kernels/abapa, words"] == "words"
    assert kernels["step/abapa, 64"] == "portable"
    assert "kernel portable forced" in bench.as_text(results)
    assert json.loads(bench.as_json(results))["forced_kernel"] == "portable"
    assert "OWARE_KERNEL" not in os.environ
    monkeypatch.setenv("OWARE_KERNEL", "words")
    with forced_kernel("portable"):
        assert oware.OwareEnv(64).kernel == "portable"
    assert os.environ["OWARE_KERNEL"] == "words"


def interrupted(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Have the user press Ctrl-C after so many counts."""
    left = [after]
    burst = contenders.Perft.burst

    def counting(self: contenders.Perft) -> Sample:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return burst(self)

    monkeypatch.setattr(contenders.Perft, "burst", counting)
    # One count a round, after those of the calibration.
    monkeypatch.setattr("oware.bench.measure.math.ceil", lambda _: 1)


def test_control_c_keeps_what_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    calibration = 3
    interrupted(monkeypatch, calibration + 2)
    code, out, _ = command("--quick", "--rounds=9", "--only=perft")
    assert code == 0
    assert "2 interleaved rounds" in out
    assert "Note: ended early, after 2 of 9 rounds." in out
    interrupted(monkeypatch, calibration)
    few = plan(QUICK).only(["perft"])
    with pytest.raises(KeyboardInterrupt):
        bench.run(few, rounds=9, progress=False)


def test_a_peer_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    notes = plan(QUICK).notes
    assert len(notes) >= len(peers.PEERS)
    for name, (module, package, _) in peers.PEERS.items():
        told = f"{name}: left out, as {module} is not installed (pip install {package})"
        assert told in notes
    assert not [note for note in plan(QUICK, with_peers=False).notes if "installed" in note]


def test_a_peer_that_fails_is_left_out() -> None:
    def fail() -> Contender:
        raise RuntimeError("out of order")

    rows = [*plan(QUICK).only(["perft"]).rows, Row("peers", "Mancala", fail)]
    results = bench.run(bench.Plan(QUICK, rows, []), rounds=1, progress=False)
    assert [one.row.table for one in results.rows] == ["perft"]
    assert results.notes == ["Mancala: left out, as it fails: RuntimeError: out of order"]
    # A failure of ours is no reason to go on.
    with pytest.raises(RuntimeError, match="out of order"):
        bench.run(bench.Plan(QUICK, [Row("perft", "x", fail)], []), rounds=1, progress=False)


def test_what_is_played_inside_is_counted() -> None:
    rows = {row.key: row for row in plan(QUICK).rows}
    games = rows["playouts/codingame, 16,384 games, 2 threads"].make()
    plies = games.burst().units
    assert 16_384 * 20 < plies < 16_384 * 200
    assert (games.units, games.episodes) == (plies, 16_384)
    assert games.burst().units != plies
    steps = rows["rollout/greedy, 1,024, 1 thread"].make()
    assert steps.burst().units == 16 * 1024


def test_ratios_are_of_the_same_round() -> None:
    def measured(
        name: str, base: str | None, walls: list[float], make: Callable[[], Contender], threads: int
    ) -> Measured:
        samples = [Sample(10, wall, wall / 2) for wall in walls]
        row = Row("step", name, make, base)
        return Measured(row, "steps", 5, 100, None, threads, samples, 30, 6)

    def make() -> Contender:
        raise NotImplementedError

    base = measured("a", None, [1.0, 4.0, 2.0], make, 1)
    other = measured("b", "step/a", [3.0, 12.0, 6.0], make, 1)
    threaded = measured("c", "step/a", [3.0, 12.0, 4.0], make, 2)
    copies = [Sample(1000, 1.0, 0.5), Sample(1000, 4.0, 2.0), Sample(1000, 2.0, 1.0)]
    results = Results(3, 3, rows=[base, other, threaded], copies={100: copies})
    for clock in ("wall", "cpu"):
        times = results.against_base(other, clock)
        assert times is not None
        assert (times.low, times.median, times.high) == pytest.approx((3, 3, 3))
        # A board takes a tenth of a second, twenty bytes of it a fiftieth.
        times = results.against_copy(base, clock)
        assert times is not None
        assert times.median == pytest.approx(5)
    times = results.against_base(threaded, "cpu")
    assert times is not None
    assert (times.low, times.median, times.high) == pytest.approx((2.5, 3, 3))
    assert results.against_base(base, "wall") is None
    assert base.rate("wall").median == 5
    assert base.mean_length == 5
    assert results.share == pytest.approx(0.5)


def test_playing_does_not_load_it() -> None:
    program = "import sys, oware.cli; print([name for name in sys.modules if 'bench' in name])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
