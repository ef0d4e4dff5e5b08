from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from oware import Game, Network, _kept, cli, cli_table, records
from oware.cli_options import DIFFICULTIES
from oware.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LETTERS = "a\nB\nc\nD\ne\nF\n" * 500
START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    folder = tmp_path / "data"
    monkeypatch.setenv("OWARE_DATA", str(folder))
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command in this process: its exit code, output and errors."""

    def run(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as exit_info:
            cli.main(["play", *arguments])
        out, err = capsys.readouterr()
        code = exit_info.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


# Playing


def test_a_game_is_played_to_its_end_and_kept(run: Any, data: Path) -> None:
    # Letters that are not legal are refused until one is.
    for seed in ("1", "2"):
        code, out, _ = run("--seed", seed, typed=LETTERS)
        assert code == 0
        ending, kept = out.splitlines()[-2:]
        assert any(word in ending for word in ("wins", "Draw")), ending
        assert kept.startswith("The game is kept: oware history lists it")
        assert "is left at" not in out
        assert "greedy plays" in out
    assert [path.name for path in data.iterdir()] == ["games.ogn"]
    games = _kept.games()
    assert len(games) == 2
    for record in games:
        assert record.game().is_over
        assert record.check() == []
        assert record.tags["Event"] == "oware play"
        assert (record.tags["South"], record.tags["North"]) == ("You", "greedy")
        assert (record.tags["SouthType"], record.tags["NorthType"]) == ("human", "program")
        assert len(record.tags["Date"].split(".")) == 3


def test_the_same_seed_is_the_same_game(run: Any) -> None:
    games = [
        run(
            "--seed",
            seed,
            "--seat",
            "random",
            "--opponent",
            "random",
            typed=LETTERS[:36] + "resign",
        )
        for seed in ("1", "1", "2")
    ]
    assert games[0] == games[1] != games[2]


def test_moves_are_told(run: Any) -> None:
    code, out, err = run("--seed", "1", typed="z\n\nA\n")
    assert (code, err) == (0, "")
    legal = "South, your move (A B C D E F): "
    assert f"{legal}'z' is no move: give one of A B C D E F, or help.\n" in out
    assert f"{legal}'' is no move" in out
    assert "You play A.\ngreedy plays " in out
    assert "\nThe game is left at 0-5-5-5-" in out


def test_captures_are_told(run: Any) -> None:
    _, out, _ = run("--seed", "1", typed=LETTERS)
    assert " and takes 2." in out
    assert " and takes 0" not in out


def test_why_a_pit_cannot_be_played(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "game.ogn"
    game = Game(pits=[4, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0], stores=(20, 20))
    records.write([Record.of(game)], file)
    _, out, _ = run("--load", str(file), typed="b\na\n")
    assert "B is an empty pit: give one of E F.\n" in out
    assert (
        "A is not legal (North has no seed: South must feed it, with E or F): give one of E F.\n"
        in out
    )


@pytest.mark.parametrize(("level", "name"), DIFFICULTIES.items())
def test_levels_are_players(run: Any, level: str, name: str) -> None:
    code, out, _ = run("--opponent", level, "--seat", "north", "--seed", "3", typed="resign\n")
    assert code == 0
    assert out.count(f"{name} plays ") == 1
    assert f"You resign: {name} wins.\n" in out
    [record] = _kept.games()
    assert (record.tags["South"], record.result) == (name, "1-0")
    assert record.tags["Termination"] == "resigned"


def test_a_move_is_taken_back_with_its_reply(run: Any) -> None:
    _, out, _ = run(typed="A\nu\nU\nB\nback\nq\nB\n")
    assert "You have not moved yet." in out
    assert f"\nThe game is left at {START}\n" in out
    waiting = _kept.unfinished()
    assert waiting is not None
    assert waiting.tags["TakenBack"] == "2"


def test_north_does_not_take_back_the_opening(run: Any) -> None:
    _, opened, _ = run("--seat", "north", "--seed", "4", typed="q\n")
    _, out, _ = run("--seat", "north", "--seed", "4", typed="u\na\nundo\nquit\n")
    assert "North, your move (a b c d e f): You have not moved yet." in out
    assert "You play a." in out
    assert out.splitlines()[-2] == opened.splitlines()[-1]


def test_a_game_without_end_is_cut_off(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_table, "MAX_PLIES", 6)
    code, out, _ = run("--rules", "village", typed=LETTERS)
    assert code == 0
    assert "\nUnfinished after 6 plies.\n" in out
    assert [record.result for record in _kept.games()] == ["*"]


# Help


def test_hints_are_counted(run: Any) -> None:
    _, out, _ = run("--hints", "1", "--seed", "1", typed="hint\nh\na\nhint\n")
    assert out.count("(0 hints left)") == 2
    assert out.count("With best play South ends with") == 2
    assert "No hints are left in this game.\n" in out
    waiting = _kept.unfinished()
    assert waiting is not None
    assert waiting.tags["Hints"] == "1"
    assert "No hints are left" in run("--hints", "1", "--resume", typed="hint\n")[1]
    assert "(1 hint left)" in run("--resume", typed="hint\n")[1]


def test_threats_and_the_position_are_told(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "game.ogn"
    game = Game(pits=[1, 1, 4, 0, 0, 0, 0, 1, 0, 0, 1, 2], stores=(20, 18))
    records.write([Record.of(game)], file)
    _, out, _ = run("--load", str(file), typed="threats\nquit\n")
    assert "): North threatens: f captures 4 seeds (A, B)" in out
    assert "South is to move" not in out
    _, out, _ = run("--load", str(file), typed="explain\nquit\n")
    assert "): South is to move; 10 seeds are on the board.\n" in out
    assert "North threatens: f captures 4 seeds (A, B)" in out


def test_help_names_every_word(run: Any) -> None:
    _, out, _ = run(typed="help\n?\n")
    words = ("hint", "threats", "explain", "undo", "save FILE", "resign", "help", "quit")
    for word in words:
        assert out.count(f"\n{word} ") == 2


# Saving, leaving, going on


def test_a_game_is_saved_and_loaded(run: Any, tmp_path: Path, data: Path) -> None:
    file = tmp_path / "game.ogn"
    saving = f"save\nsave {file}\na\nsave {file}\n"
    _, out, _ = run("--seat", "north", "--opponent", "medium", "--seed", "1", typed=saving)
    assert "Give a file, too: save game.ogn\n" in out
    assert out.count(f"Saved: {file}\n") == 2
    [saved] = records.read(file)
    assert len(saved.moves) == 3
    other = tmp_path / "other.ogn"
    _, out, _ = run("--load", str(file), "--save", str(other), typed="b\n")
    assert "minimax:3 plays" in out
    assert "North, your move" in out
    [record] = records.read(other)
    assert record.transcript.startswith(saved.transcript + "b")
    assert record.tags["Loaded"] == "yes"
    # Two games were left: the later one waits, the other one is kept.
    assert _kept.unfinished() == record
    assert _kept.games() == [saved]
    # One may go on in the same file.
    assert run("--load", str(other), "--save", str(other), typed="resign\n")[0] == 0
    [record] = records.read(other)
    assert record.result == "1-0"
    assert sorted(path.name for path in data.iterdir()) == ["games.ogn", "unfinished.ogn"]


def test_nothing_is_overwritten(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "precious.txt"
    file.write_text("precious")
    missing = tmp_path / "missing" / "game.ogn"
    code, out, _ = run(typed=f"save {file}\nsave {missing}\nsave {tmp_path}\n")
    assert code == 0
    assert f"Not saved: {file} is there already; give another name\n" in out
    assert f"Not saved: {missing}: there is no folder {missing.parent}\n" in out
    assert f"Not saved: {tmp_path} is there already" in out
    code, out, err = run("--save", str(file))
    assert (code, out) == (2, "")
    assert "is there already" in " ".join(err.split())
    assert file.read_text() == "precious"


def test_a_game_that_was_left_is_gone_on_with(run: Any, data: Path) -> None:
    _, out, _ = run("--opponent", "minimax:2", "--seat", "north", "--seed", "1", typed="a\nb\n")
    assert out.endswith("\noware play --resume goes on with it.\n")
    left = _kept.unfinished()
    assert left is not None
    assert not (data / "games.ogn").exists()
    assert "A game that you left is waiting" in run(typed="q\n")[1]
    # To look at it and leave again changes nothing.
    assert run("--resume", typed="q\n")[0] == 0
    assert _kept.unfinished() == left
    code, out, _ = run("--resume", typed="resign\n")
    assert code == 0
    assert "North, your move" in out
    assert "is waiting" not in out
    [record] = _kept.games()
    assert record.transcript == left.transcript
    assert (record.tags["South"], record.result) == ("minimax:2", "1-0")
    assert _kept.unfinished() is None
    code, out, err = run("--resume")
    assert (code, out, err) == (1, "", "Error: no game is waiting; oware play begins one\n")


def test_a_game_does_not_go_on_with_another_opponent(run: Any, tmp_path: Path) -> None:
    network = tmp_path / "n.safetensors"
    Network.random(hidden=(4,), seed=0).save(network)
    assert run("--opponent", f"net:{network}", typed="F\nq\n")[0] == 0
    left = _kept.unfinished()
    assert left is not None
    network.unlink()
    code, out, err = run("--resume", typed="E\nq\n")
    assert (code, out) == (2, "")
    assert "n.safetensors" in "".join(err.split())
    assert _kept.unfinished() == left
    # Another one may be put there on purpose.
    assert run("--resume", "--opponent", "greedy", typed="q\n")[0] == 0


def test_an_untouched_game_is_not_kept(run: Any, data: Path) -> None:
    code, out, _ = run("--seat", "north", typed="hint\nquit\n")
    assert code == 0
    assert "--resume" not in out
    assert not data.exists()


def test_control_c_leaves_the_game(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.endswith(f"\nThe game is left at {START}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "--load", "game.ogn"], "give --load or --resume, not both"),
        (["--resume", "--rules", "awari"], "has its own"),
        (["--hints", "-1"], "--hints"),
        (["--opponent", "minimax:99"], "the depth is '99'"),
        (["--opponent", "harder"], "a level: beginner, easy, medium, hard, expert"),
        (["--save", "missing/game.ogn"], "there is no folder"),
    ],
)
def test_mistakes_of_use(run: Any, arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        ("", "game.ogn: there is no game in it"),
        ("Ff (Ed", "game.ogn:1:4: this variation is never closed"),
        ("F f F", "move 3: F is an empty pit"),
        ("FfEe 1-0", "the game is over; oware show"),
    ],
)
def test_files_that_hold_no_game_to_go_on_with(
    run: Any, tmp_path: Path, text: str | None, message: str
) -> None:
    file = tmp_path / "game.ogn"
    if text is not None:
        file.write_text(text)
    code, out, err = run("--load", str(file))
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err


def test_a_game_that_cannot_be_kept_is_shown(run: Any, data: Path) -> None:
    data.write_text("a file where the folder should be")
    code, out, err = run("--seed", "1", typed="a\nquit\n")
    assert code == 1
    assert err.startswith("Error: ")
    [record] = records.read(out[out.index("[Variant") :])
    assert len(record.moves) == 2
    code, out, err = run("--seed", "1", typed="resign\n")
    assert code == 1
    assert out.endswith("\n\n0-1\n")


def test_a_damaged_file_loses_no_game(run: Any, data: Path) -> None:
    data.mkdir()
    (data / "unfinished.ogn").write_text("no record")
    code, out, err = run("--seed", "1", typed="a\nquit\n")
    assert code == 1
    assert "unfinished.ogn:1:1: 'n' begins no tag" in err
    assert "[Variant" in out
    assert (data / "unfinished.ogn").read_text() == "no record"
    assert run("--resume")[0] == 1


# As a process


def test_as_a_module_with_a_pipe() -> None:
    for typed, expected in (
        (b"A\n", "You play A."),
        (b"", START),
        (b"\xff\xfe\nA\n", "is no move"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "oware", "play", "--seed", "0"],
            input=typed,
            capture_output=True,
            check=True,
        )
        out = done.stdout.decode()
        assert expected in out
        assert "The game is left at" in out
        assert "\x1b" not in out
        assert done.stderr == b""


def test_colours_where_they_are_wanted() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "oware", "play", "--seed", "0"],
        input="A\n",
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "FORCE_COLOR": "1"},
    )
    assert "\x1b[1;94m[" in done.stdout


if sys.platform != "win32":
    # There are no such terminals and signals there.
    import pty

    def in_a_terminal(
        variables: dict[str, str], act: Callable[[subprocess.Popen[bytes], int], None]
    ) -> tuple[int, bytes]:
        """Play in a real terminal; the exit code, and all that was shown."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "oware", "play", "--seed", "0"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", **variables},
        ) as process:
            os.close(theirs)
            shown = until(ours, b"your move")
            act(process, ours)
            shown += until(ours, b"The game is left at")
            code = process.wait(timeout=60)
        os.close(ours)
        return code, shown

    def until(terminal: int, text: bytes) -> bytes:
        """What is shown up to and with a text."""
        shown = b""
        while text not in shown:
            shown += os.read(terminal, 1000)
        return shown

    def test_a_terminal_has_colours_unless_told_otherwise() -> None:
        def control_c(_: subprocess.Popen[bytes], terminal: int) -> None:
            os.write(terminal, b"A\n")
            until(terminal, b"your move")
            os.write(terminal, b"\x04")

        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            code, shown = in_a_terminal(variables, control_c)
            assert code == 0
            assert (b"\x1b[1m[" in shown) == coloured

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_signals_leave_and_keep_the_game(number: int) -> None:
        def play_and_signal(process: subprocess.Popen[bytes], terminal: int) -> None:
            os.write(terminal, b"A\n")
            until(terminal, b"your move")
            time.sleep(0.05)
            process.send_signal(number)

        code, _ = in_a_terminal({}, play_and_signal)
        assert code == 0
        waiting = _kept.unfinished()
        assert waiting is not None
        assert len(waiting.moves) == 2
