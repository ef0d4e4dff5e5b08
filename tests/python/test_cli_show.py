from __future__ import annotations

import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import oware
from oware import cli, records, render
from oware.records import Move, Record

if TYPE_CHECKING:
    from pathlib import Path

TWO = """[South "Ama"] [North "Kofi"] [Date "2014.05.01"] [Variant "awari"]
{At the club} FfE {Ama likes this} e! 1-0

[FEN "0-0-0-0-1-2-1-1-4-0-0-0-20-19-S"] E b *
"""


class Tags(HTMLParser):
    """The elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.seen.append(tag)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of two games."""
    path = tmp_path / "two.ogn"
    path.write_text(TWO)
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """The command in this process: its exit code, output and errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_info:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        code = exit_info.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


def test_every_board_is_shown(run: Any, file: Path) -> None:
    code, out, err = run("show", file)
    assert (code, err) == (0, "")
    first, second = records.read(file)
    texts = []
    for record in (first, second):
        for ply in range(len(record.moves) + 1):
            board = str(record.game(plies=ply))
            assert board in out
            texts.append(out.index(board))
    assert texts == sorted(texts)
    assert out.startswith("Game 1: Ama (South) - Kofi (North), 1-0, 2014.05.01, awari\n\n  ")
    assert "\nGame 2: ? (South) - ? (North), unfinished\n" in out
    assert "\n  At the club\n\n1. F\n" in out
    assert "\n  Ama likes this\n\n4. e !\n" in out
    assert "\n1. E\n" in out


def test_captures_are_told(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "game.ogn"
    game = oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
    game.play(5)
    records.write([Record.of(game)], file)
    assert "\n1. F takes 4\n" in run("show", file)[1]


def test_one_board_is_shown(run: Any, file: Path) -> None:
    code, out, _ = run("show", file, "--game", "1", "--ply", "3")
    board = str(next(records.read(file)).game(plies=3))
    assert (code, out.split("\n\n", 1)[1]) == (0, f"{board}\n")


def test_a_board_is_drawn(run: Any, file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    code, out, _ = run("show", file, "--game", "2", "--svg", picture)
    assert (code, out) == (0, f"{picture}: the board after 2 moves\n")
    second = list(records.read(file))[1]
    assert picture.read_text() == render.svg(second.game())
    ET.parse(picture)  # noqa: S314 - It is our own.
    run("show", file, "--game", "2", "--svg", picture, "--ply", "1")
    assert picture.read_text() == render.svg(second.game(plies=1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.svg", "two.ogn"]


@pytest.mark.parametrize("rules", [[], ["--rules", "abapa"]])
def test_a_page_is_written(run: Any, file: Path, tmp_path: Path, rules: list[str]) -> None:
    page = tmp_path / "game.html"
    code, out, _ = run("show", file, "--game", "1", "--html", page, *rules)
    assert (code, out) == (0, f"{page}: 4 moves\n")
    text = page.read_text(encoding="utf-8")
    assert "Ama" in text
    assert "https://" not in text


def test_a_game_is_rated(run: Any, file: Path) -> None:
    code, out, err = run("analyse", file, "--depth", "6")
    assert (code, err) == (0, "")
    for record in records.read(file):
        review = oware.analysis.review(record, depth=6)
        for move in review.moves:
            name = "South" if move.seat == 0 else "North"
            [line] = [
                line
                for line in out.splitlines()
                if line.split()[:3] == [str(move.ply + 1), name, move.letter]
            ]
            assert move.rating in line
            assert (move.line_letters in line) == (move.rating != "best")
    assert "South (Ama): " in out
    assert "North (Kofi): " in out
    assert "South: 1 blunder; 11.41 seeds given up" in out


def test_ratings_are_told_as_json(run: Any, file: Path) -> None:
    code, out, err = run("analyse", file, "--depth", "4", "--json")
    assert (code, err) == (0, "")
    first, second = json.loads(out)
    review = oware.analysis.review(next(records.read(file)), depth=4)
    assert first["game"] == 1
    assert first["tags"]["South"] == "Ama"
    assert first["moves"] == review.table()
    assert first["summary"] == review.summary()
    assert first["balance"] == review.balance()
    assert (second["game"], second["result"]) == (2, "*")
    assert [one["game"] for one in json.loads(run("analyse", file, "--json", "--game", 2)[1])] == [
        2
    ]


def test_ratings_are_written_to_a_page(run: Any, file: Path, tmp_path: Path) -> None:
    page = tmp_path / "ratings.html"
    assert run("analyze", file, "--depth", "4", "--html", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.seen.count("h2") == tags.seen.count("table") == 2
    assert tags.seen.count("tr") == 2 + 4 + 2
    assert "Game 1: Ama (South) - Kofi (North), 1-0" in text


def test_a_limit_of_time_is_taken(run: Any, file: Path) -> None:
    code, out, _ = run("analyse", file, "--game", "2", "--time", "0.01")
    assert code == 0
    assert "blunder" in out


def test_a_file_without_games(run: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty.ogn"
    empty.touch()
    for command in ("show", "analyse"):
        assert run(command, empty) == (0, f"{empty}: there is no game in it\n", "")
    code, _, err = run("show", empty, "--svg", tmp_path / "board.svg")
    assert (code, err) == (1, f"Error: {empty}: there is no game in it\n")


@pytest.mark.parametrize("command", ["show", "analyse"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "No such file"),
        (b"Ff (Ed", ":1:4: this variation is never closed"),
        (b"F f F", ":1:5: move 3: F is an empty pit; legal: A, B, C, D, E"),
        (b'[Variant "Kalah"] F', ":1:1: the tag Variant: unknown rules"),
        (b"\xff\xfe", ":1:1: the byte 0xff is not UTF-8"),
    ],
)
def test_files_that_cannot_be_shown(
    run: Any, tmp_path: Path, command: str, text: bytes | None, message: str
) -> None:
    file = tmp_path / "bad.ogn"
    if text is not None:
        file.write_bytes(text)
    code, _, err = run(command, file)
    assert code == 1
    assert err.startswith("Error: ")
    assert str(file) in err
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show"], "FILE"),
        (["analyse"], "FILE"),
        (["show", "two.ogn", "--game", "0"], "--game"),
        (["show", "two.ogn", "--game", "3"], "--game 3: two.ogn holds 2 games"),
        (["analyse", "two.ogn", "--game", "3"], "--game 3: two.ogn holds 2 games"),
        (["show", "two.ogn", "--game", "1", "--ply", "5"], "--ply 5: the game has 4 moves"),
        (["show", "two.ogn", "--svg", "out.svg"], "more than one game; choose one with --game"),
        (["show", "two.ogn", "--svg", "missing/out.svg"], "there is no folder"),
        (["show", "two.ogn", "--html", "out.html", "--ply", "1"], "leave --ply out"),
        (["show", "two.ogn", "--rules", "chess"], "unknown rule set"),
        (["analyse", "two.ogn", "--html", "missing/out.html"], "there is no folder"),
        (["analyse", "two.ogn", "--depth", "0"], "--depth"),
        (["analyse", "two.ogn", "--depth", "251"], "--depth"),
        (["analyse", "two.ogn", "--time", "nan"], "--time"),
        (["analyse", "two.ogn", "--time", "-1"], "--time"),
    ],
)
def test_mistakes_of_use(
    run: Any, file: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(file.parent)
    code, out, err = run(*arguments)
    assert code == 2
    assert message.lower() in " ".join(err.split()).lower()
    assert "Traceback" not in err
    assert [path.name for path in file.parent.iterdir()] == ["two.ogn"]
    assert "Game 3" not in out


def test_a_page_that_cannot_be_written_leaves_the_old_one(run: Any, file: Path) -> None:
    folder = file.parent / "folder"
    folder.mkdir()
    code, _, err = run("show", file, "--game", "1", "--html", folder)
    assert code == 1
    assert err.startswith("Error: ")
    assert sorted(path.name for path in file.parent.iterdir()) == ["folder", "two.ogn"]


def test_tables_have_colours_where_they_are_wanted(file: Path) -> None:
    for variables, coloured in (({"FORCE_COLOR": "1"}, True), ({}, False)):
        done = subprocess.run(
            [sys.executable, "-m", "oware", "analyse", str(file), "--game", "2", "--depth", "4"],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONUTF8": "1", "TERM": "xterm", **variables},
        )
        assert (b"\x1b[1;31mblunder" in done.stdout) == coloured
        assert (b"\x1b" in done.stdout) == coloured


def test_a_console_without_such_lines_gets_others(file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "oware", "analyse", str(file), "--game", "2", "--depth", "4"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert "blunder" in done.stdout.decode("ascii")


def test_moves_of_a_long_game_are_all_there(run: Any, tmp_path: Path) -> None:
    game = oware.Game()
    while not game.is_over and game.ply < 40:
        game.play(game.legal_moves()[0])
    file = tmp_path / "game.ogn"
    records.write([Record({}, Move.line(game.transcript()))], file)
    out = run("analyse", file, "--depth", "1")[1]
    rows = [line.split() for line in out.splitlines()]
    plies = [row[0] for row in rows if row[1:2] in (["South"], ["North"])]
    assert plies == [str(ply) for ply in range(1, game.ply + 1)]
