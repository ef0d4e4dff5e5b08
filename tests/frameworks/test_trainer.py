"""The trainer: the same networks however often it is stopped, and ones that play."""

from __future__ import annotations

import csv
import doctest
import importlib
import io
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import oware
from interrupts import AT_MOST, program, seconds_to_end
from oware import cli_train
from oware.cli import app
from oware.train import Experience, Model, Settings, Trainer, _files, _stages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest_plugins = "win_rates"

TINY = Settings(
    hidden=(16,), games=12, simulations=8, endgame=5, batch=64, gate_every=2, gate_games=20
)
TOGETHER = 6
"""Iterations of the runs that are compared."""


@pytest.fixture(scope="module")
def endgame() -> oware.Endgame:
    return oware.Endgame.build(5, "abapa", progress=False)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, endgame: oware.Endgame) -> Path:
    """The folder of a run that was never stopped."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    Trainer(folder, TINY, endgame=endgame).run(iterations=TOGETHER, progress=False)
    return folder


def state(folder: Path) -> dict[str, Any]:
    """What a run has come to, without how long it took."""
    payload = io.BytesIO(_files.read(folder / "checkpoint", "checkpoint"))
    found: dict[str, Any] = torch.load(payload, weights_only=True)
    del found["seconds"]
    for row in found["log"]:
        del row["seconds"]
    return found


def assert_same_run(one: Path, other: Path) -> None:
    torch.testing.assert_close(state(one), state(other), rtol=0, atol=0)
    for folder, counterpart in ((one, other), (other, one)):
        for path in [*folder.glob("*.safetensors"), *folder.glob("experience/*")]:
            assert (counterpart / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_a_model_says_what_its_network_says() -> None:
    network = oware.Network.random(hidden=(32, 16), seed=2)
    env = oware.OwareEnv(200, autoreset_mode="same_step")
    env.reset(seed=0)
    seen = env.rollout("random", 40).observation.reshape(-1, 14)
    model = Model.of(network)
    with torch.no_grad():
        found = model(torch.from_numpy(seen))
    expected = network.evaluate(seen)
    for ours, theirs in zip(found, (expected.logits, expected.value, expected.margin), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-5)
    for name, array in model.network("awari").parameters.items():
        np.testing.assert_array_equal(array, network.parameters[name])


@pytest.mark.parametrize("name", ["_model", "alphazero"])
def test_examples(name: str) -> None:
    module = importlib.import_module(f"oware.train.{name}")
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried
    assert not failed


def test_a_run_leaves_its_files(whole: Path) -> None:
    assert {path.name for path in whole.iterdir()} >= {
        "settings.json",
        "checkpoint",
        "experience",
        "network-000000.safetensors",
        "network.safetensors",
        "log.csv",
        "tensorboard",
    }
    with (whole / "log.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["iteration"]) for row in rows] == list(range(1, TOGETHER + 1))
    assert [row["match"] != "" for row in rows] == [False, True] * (TOGETHER // 2)
    best = int(rows[-1]["best_iteration"])
    crowned = (whole / f"network-{best:06}.safetensors").read_bytes()
    assert (whole / "network.safetensors").read_bytes() == crowned
    kept = sorted(int(path.name) for path in (whole / "experience").iterdir())
    assert kept == [4, 5, 6]
    assert len(Experience.load(whole / "experience" / "000006")) > 12 * 20


def test_a_run_that_is_gone_on_with_comes_to_the_same(
    whole: Path, tmp_path: Path, endgame: oware.Endgame
) -> None:
    for stage in range(TOGETHER):
        trainer = Trainer(tmp_path / "run", TINY, endgame=endgame)
        assert trainer.iteration == stage
        stop_after_one(trainer, TOGETHER)
    assert_same_run(whole, tmp_path / "run")


class StopError(Exception):
    """What ends a run in these tests."""


def stop_after_one(trainer: Trainer, iterations: int) -> None:
    """Go on for one iteration of so many."""
    keep = trainer._keep

    def keep_and_stop(*given: Any) -> None:
        keep(*given)
        raise StopError

    trainer._keep = keep_and_stop  # type: ignore[assignment,method-assign]
    with pytest.raises(StopError):
        trainer.run(iterations=iterations, progress=False)


PROGRAM = """
import json, sys, oware
from oware.train import Settings, Trainer
settings = Settings.from_json(json.loads(sys.argv[2]))
Trainer(sys.argv[1], settings, endgame=oware.Endgame.open(sys.argv[3])).run(
    iterations=int(sys.argv[4]), progress=False
)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_that_was_killed_comes_to_the_same(tmp_path: Path) -> None:
    database = tmp_path / "endgame"
    oware.Endgame.build(5, "abapa", path=database, progress=False)

    def command(folder: str) -> list[str]:
        text = json.dumps(TINY.to_json())
        places = [str(tmp_path / folder), text, str(database), str(TOGETHER)]
        return [sys.executable, "-c", PROGRAM, *places]

    subprocess.run(command("whole"), check=True)
    rng, kills, folder = random.Random(0), 0, tmp_path / "killed"
    while kills < 5:
        # Somewhere in the iteration after the one of a number that is drawn.
        wanted = rng.randrange(TOGETHER)
        process = subprocess.Popen(command(folder.name))
        while process.poll() is None and iterations_of(folder) < wanted:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.3))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        assert process.wait() in (0, -signal.SIGKILL)
        if iterations_of(folder) == TOGETHER:
            assert_same_run(tmp_path / "whole", folder)
            folder = tmp_path / f"killed-{kills}"
    subprocess.run(command(folder.name), check=True)
    assert_same_run(tmp_path / "whole", folder)


def iterations_of(folder: Path) -> int:
    """How many iterations a run has written that may be under way."""
    try:
        return len((folder / "log.csv").read_text().splitlines()) - 1
    except FileNotFoundError:
        return 0


def test_no_step_of_the_optimiser_waits_for_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies: list[str] = []
    # The optimiser takes items of its own, from counts that stay on the processor.
    for name in ("cpu", "numpy", "tolist"):
        method = getattr(torch.Tensor, name)

        def counted(*given: Any, name: str = name, method: Any = method) -> Any:
            copies.append(name)
            return method(*given)

        monkeypatch.setattr(torch.Tensor, name, counted)
    found = []
    for passes in (1.0, 9.0):
        trainer = Trainer(tmp_path / f"{passes}", TINY.replace(endgame=0, passes=passes))
        trainer.experience[0] = played = oware.train.self_play(trainer.best, 4, TINY, seed=0)
        copies.clear()
        steps = trainer._descend(len(played), 0.001)["steps"]
        found.append((steps, list(copies)))
    (few, once), (many, again) = found
    assert many > few + 10
    assert once == again


def test_a_worse_network_does_not_become_the_best(tmp_path: Path, endgame: oware.Endgame) -> None:
    trainer = Trainer(tmp_path / "run", TINY.replace(gate_simulations=0), endgame=endgame)
    first = trainer.best
    values = iter([0.49, 0.5, 1.0, 1.0, 1.0])
    trainer._match = lambda *_: next(values)  # type: ignore[method-assign]
    trainer.run(iterations=2, progress=False)
    assert trainer.best is first
    assert trainer.best_iteration == 0
    trainer.run(iterations=4, progress=False)
    assert trainer.best is not first
    assert trainer.best_iteration == 4


def test_a_larger_network_learns_from_a_smaller_ones_games(
    whole: Path, tmp_path: Path, endgame: oware.Endgame
) -> None:
    settings = TINY.replace(hidden=(48, 16), passes=20.0)
    taught = Trainer(tmp_path / "run", settings, endgame=endgame, teacher=whole)
    untaught = Trainer(tmp_path / "untaught", settings, endgame=endgame)
    seen = Experience.load(whole / "experience" / "000006")

    def error(trainer: Trainer) -> float:
        found = trainer.best.evaluate(seen.observation)
        return float(((found.value - seen.value) ** 2).mean())

    assert error(taught) < 0.75 * error(untaught)
    taught.run(iterations=2, progress=False)
    assert sorted(taught.experience) == [0, 1, 2]
    again = Trainer(tmp_path / "run", endgame=endgame)
    assert sorted(again.experience) == [0, 1, 2]
    folders = [tmp_path / "at once", tmp_path / "in parts"]
    Trainer(folders[0], settings, endgame=endgame, teacher=whole).run(iterations=3, progress=False)
    stop_after_one(Trainer(folders[1], settings, endgame=endgame, teacher=whole), 3)
    Trainer(folders[1], endgame=endgame).run(iterations=3, progress=False)
    assert_same_run(*folders)
    with pytest.raises(ValueError, match="it was played by other rules"):
        Trainer(tmp_path / "other", TINY.replace(rules="awari", endgame=0), teacher=whole)


def test_settings_of_another_run_are_refused(whole: Path) -> None:
    with pytest.raises(ValueError, match="has games=12, not 13; give another folder"):
        Trainer(whole, TINY.replace(games=13))
    assert Trainer(whole).settings == TINY


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="it holds something else"):
        Trainer(tmp_path, TINY)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_damaged_checkpoint_is_refused(
    whole: Path, tmp_path: Path, endgame: oware.Endgame
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    data = bytearray((folder / "checkpoint").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "checkpoint").write_bytes(data)
    with pytest.raises(ValueError, match="cut off or was altered"):
        Trainer(folder, endgame=endgame)


def test_a_length_is_asked_for(whole: Path, endgame: oware.Endgame) -> None:
    trainer = Trainer(whole, endgame=endgame)
    with pytest.raises(ValueError, match="give either iterations or minutes"):
        trainer.run()
    with pytest.raises(ValueError, match="give either iterations or minutes"):
        trainer.run(iterations=1, minutes=1.0)


DEVICE = (
    "^device is '{}'; give 'cpu', or where PyTorch finds a GPU 'cuda', 'cuda:N' or 'mps': "
    "{}.{{,160}}$"
)
NO_NAME = "PyTorch knows no device of that name"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"device": "nonsense"}, ValueError, DEVICE.format("nonsense", NO_NAME)),
        ({"device": "gpu"}, ValueError, DEVICE.format("gpu", NO_NAME)),
        ({"device": "meta"}, ValueError, DEVICE.format("meta", "[^P]")),
        ({"device": 5}, TypeError, "device must be a name of PyTorch's, not int"),
        ({"num_threads": 0}, ValueError, "num_threads is 0; give 1 to 1024"),
        ({"num_threads": "2"}, TypeError, "num_threads must be an int, not str"),
        ({"settings": {}}, TypeError, r"settings must be oware\.train\.Settings, not dict"),
        ({"endgame": "x"}, TypeError, r"endgame must be None or an oware\.Endgame, not str"),
        ({"settings": TINY.replace(rules="awari")}, ValueError, "the database is for abapa"),
        ({"settings": TINY.replace(endgame=4)}, ValueError, "the database is of 5 seeds; "),
        (
            {"teacher": "nowhere"},
            FileNotFoundError,
            "the teacher is no training run; give the folder of one: 'nowhere'$",
        ),
        ({"teacher": __file__}, FileNotFoundError, "the teacher is no training run; give the fold"),
        ({"play": 5}, TypeError, "play must be None or a callable, not int"),
    ],
)
def test_what_is_refused_makes_no_folder(
    tmp_path: Path,
    endgame: oware.Endgame,
    given: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        Trainer(tmp_path / "run", **{"settings": TINY, "endgame": endgame, **given})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"iterations": -1}, ValueError, "iterations is -1; give at least 0"),
        ({"iterations": 1.5}, TypeError, "iterations must be an int, not float"),
        ({"minutes": float("nan")}, ValueError, "minutes is nan; give at least 0"),
        ({"minutes": -1}, ValueError, "minutes is -1"),
        ({"minutes": "1"}, TypeError, "minutes must be a number, not str"),
    ],
)
def test_a_length_is_a_number(
    whole: Path,
    endgame: oware.Endgame,
    given: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        Trainer(whole, endgame=endgame).run(**given)


@pytest.mark.parametrize("where", ["_descend", "_gate"])
def test_a_trainer_that_was_interrupted_goes_on(
    whole: Path, tmp_path: Path, endgame: oware.Endgame, where: str
) -> None:
    trainer = Trainer(tmp_path / "run", TINY, endgame=endgame)
    method = getattr(trainer, where)

    def interrupted(*given: Any) -> None:
        method(*given)
        raise KeyboardInterrupt

    setattr(trainer, where, interrupted)
    with pytest.raises(KeyboardInterrupt):
        trainer.run(iterations=TOGETHER, progress=False)
    delattr(trainer, where)
    trainer.run(iterations=TOGETHER, progress=False)
    assert_same_run(whole, tmp_path / "run")


TRAINS = """
import sys

import oware
from oware.train import Settings, Trainer, self_play

settings = Settings(hidden=(256, 128), games=1024, passes=500, endgame=0)
"""
WORK = {
    "games": """
        def play(*given, **named):
            begun()
            return self_play(*given, **named)
        Trainer(sys.argv[1], settings, play=play).run(iterations=2, progress=False)
    """,
    "the command": """
        from oware import cli
        from oware.train import alphazero

        def play(*given, **named):
            begun()
            return self_play(*given, **named)
        alphazero.self_play = play
        try:
            cli.main(["train", "--endgame=0", "--no-progress", "--out", sys.argv[1]])
        except SystemExit as end:
            assert end.code == 130
            raise KeyboardInterrupt from None
    """,
    "gradients": """
        settings = settings.replace(games=8, simulations=4)
        trainer = Trainer(sys.argv[1], settings)
        descend = trainer._descend
        trainer._descend = lambda *given: begun() or descend(*given)
        trainer.run(iterations=2, progress=False)
    """,
    "a match": """
        settings = settings.replace(
            games=8, simulations=4, passes=1, gate_every=1, gate_games=2000, gate_simulations=1000
        )
        trainer = Trainer(sys.argv[1], settings)
        gate = trainer._gate
        trainer._gate = lambda *given: begun() or gate(*given)
        trainer.run(iterations=2, progress=False)
    """,
}

if sys.platform != "win32":

    @pytest.mark.parametrize("name", WORK)
    def test_control_c_ends_a_run(tmp_path: Path, name: str) -> None:
        text = program(TRAINS, WORK[name])
        assert seconds_to_end("-c", text, str(tmp_path / "run")) < AT_MOST


def test_two_do_not_train_in_one_folder(tmp_path: Path, endgame: oware.Endgame) -> None:
    folder = tmp_path / "run"
    trainer = Trainer(folder, TINY, endgame=endgame)
    other = Trainer(folder, TINY, endgame=endgame)
    play, refused = trainer._play, []

    def meanwhile(bar: Any) -> Experience:
        for attempt in (lambda: other.run(iterations=1), lambda: Trainer(folder, TINY)):
            with pytest.raises(BlockingIOError, match="another process trains there"):
                attempt()
            refused.append(attempt)
        return play(bar)

    trainer.run(iterations=1, progress=False)
    trainer._play = meanwhile  # type: ignore[method-assign]
    trainer.run(iterations=2, progress=False)
    assert len(refused) == 2
    # What it has not done itself, it takes over.
    other.run(iterations=2, progress=False)
    assert (other.iteration, other.games) == (2, 2 * TINY.games)


def test_only_examples_are_cleared_away(tmp_path: Path) -> None:
    settings = TINY.replace(hidden=(8,), games=2, simulations=2, endgame=0, window=1, gate_every=9)
    trainer = Trainer(tmp_path, settings)
    trainer.run(iterations=1, progress=False)
    (tmp_path / "experience" / "notes.txt").write_text("mine")
    (tmp_path / "experience" / "copies").mkdir()
    (tmp_path / "experience" / ".oware-0123456789abcdef.tmp").write_text("")
    (tmp_path / ".oware-0123456789abcdef.tmp").write_text("")
    trainer.run(iterations=5, progress=False)
    left = {path.name for path in (tmp_path / "experience").iterdir()}
    assert left == {"notes.txt", "copies", "000003", "000004", "000005"}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".oware-")]


def test_a_checkpoint_of_another_network_is_refused(
    whole: Path, tmp_path: Path, endgame: oware.Endgame
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps({**settings, "hidden": [8]}))
    with pytest.raises(
        ValueError, match=r"checkpoint: it is of a run with other settings or inputs"
    ):
        Trainer(folder, endgame=endgame)


def test_a_line_about_a_match_names_its_losses(tmp_path: Path) -> None:
    trainer = Trainer(tmp_path, TINY.replace(endgame=0))
    trainer.seconds, trainer.iteration = 999.9 * 60, 999
    losses = {"policy_loss": 1.3874, "value_loss": 0.1894, "margin_loss": 0.0434}
    line = trainer._told({**losses, "match": 0.45})
    assert line == (
        "999.9 min  iteration 999  loss policy 1.387 value 0.189 margin 0.043  match 45%"
    )
    points = {"greedy": 1.0, "minimax:2": 0.801, "minimax:4": 0.38}
    longest = trainer._told({**losses, "match": 0.55, **points})
    assert longest.endswith("  match 55% greedy 100% minimax:2 80% minimax:4 38%")
    assert len(longest) <= 120


def command(out: Path, *given: str) -> Any:
    """What `oware train` prints of a tiny run."""
    tiny = ["--hidden=8", "--games=4", "--simulations=2", "--endgame=0", "--set=gate_games=2"]
    return CliRunner().invoke(app, ["train", *tiny, "--no-progress", f"--out={out}", *given])


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command evaluates with few games."""
    monkeypatch.setattr(cli_train, "GAMES", 4)


UNMATCHED = "No match has been played yet, the first is after iteration 2: network.safetensors is "


@pytest.mark.usefixtures("few")
def test_the_command_says_of_which_network_it_tells(tmp_path: Path) -> None:
    begun = command(tmp_path / "run", "--set=gate_every=2", "--iterations=1")
    assert begun.exit_code == 0, begun.output
    assert begun.stdout.startswith(f"{UNMATCHED}the network of the start, untrained.\n1 iterations")
    gone_on_with = command(tmp_path / "run", "--set=gate_every=2", "--iterations=2")
    assert gone_on_with.stdout.startswith("2 iterations, 8 games. The network alone:\n")
    taught = command(
        tmp_path / "taught", "--set=gate_every=2", "--iterations=0", f"--teacher={tmp_path / 'run'}"
    )
    assert taught.stdout.startswith(
        f"{UNMATCHED}the network of the start, taught by the games of the teacher alone.\n0 iter"
    )


@pytest.mark.usefixtures("few")
def test_the_command_says_where_there_is_nothing_to_do(tmp_path: Path) -> None:
    every = "--set=gate_every=1"
    fresh = command(tmp_path, every, "--minutes=0")
    assert fresh.exit_code == 0, fresh.output
    assert "already" not in fresh.output
    command(tmp_path, every, "--iterations=1")
    minutes = command(tmp_path, every, "--minutes=0.0001")
    assert re.match(r"The run is \d+\.\d minutes long already\.\n1 iterations", minutes.stdout)
    iterations = command(tmp_path, every, "--iterations=1")
    assert iterations.stdout.startswith("The run has 1 iterations already.\n1 iterations")


@pytest.mark.parametrize(
    ("at", "lines"),
    [
        (1, ["Stopped before the first iteration was over; nothing is kept."]),
        (
            2,
            [
                "Stopped; 1 iteration is kept, and the same command goes on from there.",
                f"{UNMATCHED}the network of the start, untrained.",
            ],
        ),
        (3, ["Stopped; 2 iterations are kept, and the same command goes on from there."]),
    ],
)
def test_the_command_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, lines: list[str]
) -> None:
    save = _stages.save

    def interrupted(folder: Path, iteration: int, *given: Any) -> None:
        if iteration == at:
            raise KeyboardInterrupt
        save(folder, iteration, *given)

    monkeypatch.setattr(_stages, "save", interrupted)
    told = command(tmp_path, "--set=gate_every=2", "--iterations=3")
    assert told.exit_code == 130
    assert told.output.splitlines() == lines


@pytest.mark.slow
def test_a_minute_of_training_beats_greedy(
    tmp_path: Path, win_rates: Callable[[object], dict[str, float]]
) -> None:
    out = tmp_path / "run"
    given = ["--iterations", "24", "--games", "128", "--simulations", "32", "--hidden", "64"]
    result = CliRunner().invoke(app, ["train", *given, "--endgame", "8", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "The network alone:" in result.output
    played = oware.arena.evaluate(f"net:{out / 'network.safetensors'}", "random", games=400)
    win_rates(played)
    assert played.total.win_rate > 0.6
