from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import oware
from oware import _kept, cli, cli_history
from oware.arena import Ladder, Rung
from oware.cli_options import DIFFICULTIES
from oware.records import Record, write

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own."""
    folder = tmp_path / "data"
    monkeypatch.setenv("OWARE_DATA", str(folder))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """The command in this process: its exit code, output and errors."""

    def run(*arguments: object, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as exit_info:
            cli.main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        code = exit_info.value.code
        assert isinstance(code, int)
        return code, out, err

    return run


def kept(result: str = "1-0", north: str = "greedy", moves: str = "FfEe", **tags: str) -> Record:
    """A game that the person has played as South."""
    types = {"SouthType": "human", "NorthType": "program", "Date": "2026.11.30"}
    game = oware.Game.from_transcript(moves)
    return Record.of(game, South="You", North=north, Result=result, **{**types, **tags})


def rows(out: str) -> list[list[str]]:
    """The lines of a table that begin with a number."""
    lines = [line.split() for line in out.splitlines()]
    return [line for line in lines if line and line[0].isdigit()]


def test_without_games(run: Any, data: Path) -> None:
    told = "no game has been played to its end; oware play begins one"
    assert run("history") == (0, f"{told.capitalize()}.\n", "")
    for command in ("show", "review"):
        assert run("history", command) == (1, "", f"Error: {told}\n")
    assert not data.exists()


def test_games_that_were_played_are_listed_shown_and_reviewed(run: Any) -> None:
    run("play", "--seed", "1", typed="a\nB\nc\nD\ne\nF\n" * 500)
    run("play", "--opponent", "hard", "--seat", "north", typed="hint\na\nback\nresign\n")
    run("play", "--seed", "2", typed="a\n")
    first, second = _kept.games()
    code, out, err = run("history")
    assert (code, err) == (0, "")
    one, two = rows(out)
    south, north = first.points or (None, None)
    result = "won" if south == 1 else "lost" if north == 1 else "draw"
    strength = cli_history.STRENGTHS["greedy"][0]
    date = first.tags["Date"]
    assert one == ["1", date, "greedy", f"({strength})", "South", result, str(len(first.moves))]
    strength = cli_history.STRENGTHS["minimax:6"][0]
    lost = ["2", date, "minimax:6", f"({strength})", "North", "lost", str(len(second.moves))]
    assert two == [*lost, "1", "hint,", "1", "taken", "back"]
    assert "after 1 rated game." in out
    waits = "A game waits, You (South) - greedy (North), unfinished: oware play --resume goes on"
    assert waits in out

    code, out, err = run("history", "show", "1")
    assert (code, err) == (0, "")
    assert out.startswith(f"Game 1: You (South) - greedy (North), {first.result}")
    assert str(first.game()) in out
    assert str(first.game(plies=3)) in out
    assert (
        str(first.game(plies=3))
        == run("history", "show", "1", "--ply", "3")[1].split("\n\n")[1][:-1]
    )
    # The last game is the one that is meant where none is named.
    assert run("history", "show")[1].startswith("Game 2: minimax:6 (South) - You (North), 1-0")

    code, out, err = run("history", "review", "1", "--depth", "2")
    assert (code, err) == (0, "")
    review = oware.analysis.review(first, depth=2)
    assert [row[2].partition("+")[0] for row in rows(out)[: len(review.moves)]] == [
        move.letter for move in review.moves
    ]
    assert "South (You): " in out


def test_a_review_makes_a_page(run: Any, tmp_path: Path) -> None:
    _kept.add(kept())
    page = tmp_path / "game.html"
    code, out, _ = run("history", "review", "--depth", "2", "--html", page)
    assert code == 0
    assert out.endswith(f"{page}: 4 moves\n")
    text = page.read_text(encoding="utf-8")
    review = oware.analysis.review(kept(), depth=2)
    assert review.moves[0].rating in text
    assert "You" in text


def test_many_games_are_added_one_by_one(data: Path) -> None:
    for count in range(1, 20):
        _kept.add(kept(Round=str(count)))
        assert [record.tags["Round"] for record in _kept.games()] == [
            str(number) for number in range(1, count + 1)
        ]
    # Another program's file, without a line's end.
    path = data / "games.ogn"
    path.write_text("FfEe 1-0", encoding="utf-8")
    _kept.add(kept())
    assert [record.result for record in _kept.games()] == ["1-0", "1-0"]


def test_commands_at_the_same_time_lose_no_game() -> None:
    script = (
        "import sys\n"
        "from oware import _kept\n"
        "from oware.records import Move, Record\n"
        "for number in range(40):\n"
        "    _kept.add(Record({'Round': f'{sys.argv[1]}.{number}'}, Move.line('FfEe'), '1-0'))\n"
    )
    players = [subprocess.Popen([sys.executable, "-c", script, name]) for name in "abc"]
    assert [player.wait(timeout=120) for player in players] == [0, 0, 0]
    rounds = [record.tags["Round"] for record in _kept.games()]
    assert sorted(rounds) == sorted(f"{name}.{number}" for name in "abc" for number in range(40))


def test_a_full_disk_leaves_the_games_that_are_kept(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _kept.add(kept())
    before = (data / "games.ogn").read_bytes()

    def fsync(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", fsync)
        with pytest.raises(OSError, match="No space"):
            _kept.add(kept("0-1"))
    assert (data / "games.ogn").read_bytes() == before
    _kept.add(kept("0-1"))
    assert [record.result for record in _kept.games()] == ["1-0", "0-1"]


def test_every_level_has_a_strength() -> None:
    strengths = [cli_history.STRENGTHS[name] for name in DIFFICULTIES.values()]
    assert strengths == sorted(strengths)
    assert cli_history.STRENGTHS["greedy"] == (1500, 1)


@pytest.mark.parametrize(
    "record",
    [
        kept("*"),
        kept(Hints="1"),
        kept(TakenBack="1"),
        kept(Loaded="yes"),
        kept(north="mcts:7"),
        kept(Variant="village"),
        kept(Variant="chess"),
        kept(SouthType="program"),
        kept(NorthType="human"),
        kept(FEN="4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"),
        Record(),
    ],
)
def test_games_that_do_not_count(run: Any, record: Record) -> None:
    assert cli_history.rating([record]) == (Rung(), 0)
    _kept.add(record)
    code, out, _ = run("history")
    assert code == 0
    assert "No rating yet" in out
    assert len(rows(out)) == 1


def test_the_rating_goes_by_the_opponents() -> None:
    """A game moves it as much as in the ladder; opponents stay where they are."""
    strength, deviation = cli_history.STRENGTHS["minimax:3"]
    ladder = Ladder({"a": Rung(), "b": Rung(strength, deviation)})
    ladder.record("a", "b", 0)
    assert cli_history.rating([kept(north="minimax:3")]) == (ladder.rungs["a"], 1)
    # Once more, against the same opponent.
    ladder = Ladder({"a": ladder.rungs["a"], "b": Rung(strength, deviation)})
    ladder.record("a", "b", None)
    games = [kept(north="minimax:3"), kept("1/2-1/2", north="minimax:3")]
    assert cli_history.rating(games) == (ladder.rungs["a"], 2)


def test_a_rating_settles_at_the_strength_of_an_equal() -> None:
    games = [kept(result, north="minimax:2") for result in ("1-0", "0-1") * 50]
    you, count = cli_history.rating(games)
    strength, _ = cli_history.STRENGTHS["minimax:2"]
    assert count == 100
    assert abs(you.rating - strength) < 60
    assert you.deviation < 70
    assert cli_history.rating([*games, kept("0-1", north="minimax:2")])[0].rating < you.rating
    north = {"SouthType": "program", "NorthType": "human"}
    swapped = Record.of(oware.Game(), South="greedy", North="You", Result="0-1", **north)
    assert cli_history.rating([swapped]) == cli_history.rating([kept()])


def test_without_the_library_of_ratings(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _kept.add(kept())
    monkeypatch.setitem(sys.modules, "elote", None)
    code, out, _ = run("history")
    assert code == 0
    assert out.endswith('\nFor your rating: pip install "oware[arena]"\n')
    assert len(rows(out)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "2"], "2: there is 1 game"),
        (["review", "2"], "2: there is 1 game"),
        (["show", "0"], "N"),
        (["show", "--ply", "5"], "--ply 5: the game has 4 moves"),
        (["review", "--depth", "0"], "--depth"),
        (["review", "--html", "missing/page.html"], "there is no folder"),
        (["forget"], "forget"),
    ],
)
def test_mistakes_of_use(run: Any, arguments: list[str], message: str) -> None:
    _kept.add(kept())
    code, _, err = run("history", *arguments)
    assert code == 2
    assert message in " ".join(err.split())


def test_a_damaged_file_is_told(run: Any, data: Path) -> None:
    data.mkdir()
    path = data / "games.ogn"
    path.write_text("FfEe 1-0\n\nFf (", encoding="utf-8")
    for command in ([], ["show", "1"], ["review", "1"]):
        code, out, err = run("history", *command)
        assert (code, out) == (1, "")
        assert err == f"Error: {path}:3:4: this variation is never closed\n"


def test_a_game_with_an_illegal_move_is_told(run: Any, data: Path) -> None:
    data.mkdir()
    path = data / "games.ogn"
    path.write_text("F f F 1-0\n", encoding="utf-8")
    assert run("history")[0] == 0
    for command in ("show", "review"):
        code, _, err = run("history", command)
        assert code == 1
        assert f"{path}:1:5: move 3: F is an empty pit" in err


@pytest.mark.parametrize(
    "tags",
    [
        {},
        {"South": "?", "North": "?"},
        {"South": "", "North": ""},
        {"South": "Ama", "North": "Kofi", "SouthType": "human", "NorthType": "human"},
    ],
)
def test_a_record_that_names_no_player_has_greedy(
    run: Any, data: Path, tags: dict[str, str]
) -> None:
    data.mkdir()
    record = Record.of(oware.Game.from_transcript("Ff"), **tags)
    for options in (["--resume"], ["--load", data / "unfinished.ogn"]):
        for seat in ([], ["--seat=south"], ["--seat=north"]):
            write([record], data / "unfinished.ogn")
            code, out, err = run("play", *options, *seat, typed="a\nb\nc\nd\ne\nquit\n")
            assert (code, err) == (0, "")
            assert f"{'North' if seat == ['--seat=north'] else 'South'}, your move" in out
            assert "greedy plays" in out


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        ({"north": "minimax:2"}, "minimax:2"),
        ({"north": "Kofi"}, "greedy"),
        ({"north": "random", "SouthType": "program", "NorthType": "human"}, "greedy"),
    ],
)
def test_the_other_seat_has_the_same_player_against_it(
    run: Any, data: Path, tags: dict[str, str], name: str
) -> None:
    data.mkdir()
    record = kept("*", moves="Ff", **tags)
    other = "south" if record.tags["NorthType"] == "human" else "north"
    for options in (["--resume"], ["--load", data / "unfinished.ogn"]):
        write([record], data / "unfinished.ogn")
        code, out, err = run("play", *options, "--seat", other, typed="a\nb\nc\nd\nquit\n")
        assert (code, err) == (0, "")
        assert f"{other.title()}, your move" in out
        assert f"{name} plays" in out


def test_the_page_has_the_strengths() -> None:
    page = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
    for name, (strength, deviation) in cli_history.STRENGTHS.items():
        shown = "the scale" if name == "greedy" else deviation
        assert f"| `{name}` | {strength} | {shown} |" in page
