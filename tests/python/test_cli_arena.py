from __future__ import annotations

import contextlib
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

from oware import arena, cli
from oware.agents import RandomAgent

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """The command in this process: its exit code, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_info:
            cli.main(["arena", *arguments])
        out, err = capsys.readouterr()
        code = exit_info.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


def test_it_prints_the_table_and_keeps_the_games(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    told = ["greedy", "random", "minimax:1", "--games=6", "--seed=3", "--openings=4"]
    code, out, err = run(*told, f"--out={path}", "--anchor=random", "--rules=auale")
    assert code == 0
    assert "18/18" in err
    results = arena.load(path)
    assert out == f"{results.table('random')}\n"
    assert len(results.games) == 18
    assert re.search(r"random .* \+0 +\+0 to +\+0 ", out)
    # Nothing is left to do.
    again = run(*told, f"--out={path}", "--anchor=random", "--rules=auale", "--no-progress")
    assert again == (0, out, "")


def test_an_interrupt_leaves_a_file_that_goes_on(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    told = ["greedy", "random", "minimax:1", "--games=20", "--no-progress", f"--out={path}"]
    tournament = arena.tournament

    def interrupted(*arguments: Any, **settings: Any) -> Any:
        def stop(done: int, total: int) -> None:
            assert done < total
            raise KeyboardInterrupt

        return tournament(*arguments, on_game=stop, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(arena, "tournament", interrupted)
        code, out, err = run(*told)
        assert code == 130
        assert "20 games" in out
        assert err == "Stopped with 20 of 60 games kept; the same command goes on from there.\n"
        code, out, err = run("greedy", "random", "--games=300", "--no-progress")
        assert (code, out) == (130, "")
        assert "--out FILE" in err
    code, out, err = run(*told)
    assert (code, err) == (0, "")
    assert out == f"{arena.tournament(['greedy', 'random', 'minimax:1'], games=20)}\n"


def test_an_interrupt_before_any_game_is_over(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    told = ["greedy", "random", "minimax:1", "--gauntlet", "--no-progress", f"--out={path}"]
    stopped = "Stopped with 0 of 200 games kept; the same command goes on from there.\n"
    with monkeypatch.context() as patch:
        patch.setattr(arena, "tournament", interrupt)
        assert run(*told) == (130, "", stopped)
    assert not path.exists()
    monkeypatch.setattr(RandomAgent, "__call__", interrupt)
    assert run(*told) == (130, "", stopped)
    assert len(arena.load(path).games) == 0
    assert "nan" not in str(arena.load(path))


def interrupt(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def test_forfeits_are_told(run: Any) -> None:
    code, out, _ = run("uci:no-such-program-here", "random", "--games=12", "--no-progress")
    assert code == 0
    assert out.count("loses to random: cannot be started: ") == 5
    assert out.endswith("and 7 more games by forfeit\n")


def test_a_picture_is_drawn(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    assert run("greedy", "random", "--games=4", "--no-progress", f"--plot={path}")[0] == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_is_not_drawn_to_the_end_leaves_the_old_one(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", half_drawn)
    path = tmp_path / "picture.png"
    path.write_bytes(b"old")
    code, _, err = run("greedy", "random", "--games=4", "--no-progress", f"--plot={path}")
    assert code == 1
    assert "no picture: the disk is full" in err
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def half_drawn(_: Any, file: Any, **__: Any) -> None:
    with contextlib.nullcontext(file) if hasattr(file, "write") else file.open("wb") as to:
        to.write(b"new")
    raise OSError("the disk is full")


def test_a_picture_that_cannot_be_drawn_is_told_before_the_games(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena, "tournament", lambda *_, **__: pytest.fail("it has begun"))
    code, out, err = run("greedy", "random", f"--plot={tmp_path / 'x.unknown'}")
    assert (code, out) == (2, "")
    assert "no format to plot in; end it in ." in " ".join(err.split())
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = run("greedy", "random", f"--plot={tmp_path / 'x.png'}")
    assert (code, out) == (2, "")
    assert 'no module matplotlib.figure: pip install "oware[arena]"' in " ".join(err.split())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["greedy"], 2, "give at least 2 players, not 1"),
        (["greedy", "grady"], 2, "unknown player 'grady'"),
        (["greedy", "random", "--games=3"], 2, "give an even number"),
        (["greedy", "random", "--anchor=x"], 2, "it is none of greedy, random"),
        (["greedy", "random", "--rules=abap"], 2, "unknown rule set"),
        (["greedy", "random", "--plot=no/where.png"], 2, "there is no folder"),
        (["greedy", "random", "--out=no/where.jsonl"], 1, "there is no such folder"),
    ],
)
def test_what_makes_no_sense_is_refused(
    run: Any, arguments: list[str], code: int, message: str
) -> None:
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert message in " ".join(err.split())
