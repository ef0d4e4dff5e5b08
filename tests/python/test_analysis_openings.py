"""The opening explorer: values from the search, counts from records."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

import oware
from oware.analysis import Openings, openings
from oware.records import Move, Record
from oware.search import alpha_beta


def record(moves: str, result: str, **tags: str) -> Record:
    return Record(tags, Move.line(moves), result)


RECORDS = [
    record("FfEe", "1-0"),
    record("FfD", "0-1"),
    record("FeDd", "1/2-1/2"),
    record("A", "25-23"),
    record("A", "*"),
    record("", "*"),
    record("fF", "1-0", FEN="4-4-4-4-4-4-4-4-4-4-4-4-0-0-N"),
]


def test_values_are_those_of_the_search() -> None:
    found = openings(2, search_depth=5, rules="awari")
    assert found.rules == oware.RULE_SETS["awari"]
    assert len(found.root.replies) == 6
    lines = [found.root, *found.root.replies]
    for line in lines:
        game = oware.Game.from_transcript(line.moves, "awari")
        expected = alpha_beta(game, depth=5, move_values=True)
        assert expected.move_values is not None
        got: list[Any] = [None] * 6
        for reply in line.replies:
            after = oware.Game.from_transcript(reply.moves, "awari")
            got[after.moves[-1]] = reply.value
            assert reply.best == (reply.value == expected.value)
            assert reply.seat == game.to_move
            assert not reply.exact
        assert tuple(got) == expected.move_values
        values = [reply.value or 0 for reply in line.replies]
        assert values == sorted(values, reverse=True)


def test_visits_and_results_are_counted() -> None:
    found = openings(3, records=iter(RECORDS), search_depth=2)
    assert (found.games, found.skipped) == (6, 1)

    def counts(moves: str) -> tuple[int, int, int, int]:
        line = found.at(moves)
        return line.visits, line.south_wins, line.draws, line.north_wins

    assert counts("") == (6, 2, 1, 1)
    assert counts("F") == (3, 1, 1, 1)
    assert counts("Ff") == (2, 1, 0, 1)
    assert counts("FfD") == (1, 0, 0, 1)
    assert counts("A") == (2, 1, 0, 0)
    assert counts("B") == (0, 0, 0, 0)
    assert found.at("F").score == 0.5
    assert found.at("Fe").score == 0.5
    assert found.at("FfD").score == 0
    assert found.at("A").score == 1
    assert found.at("B").score is None
    assert found.root.score is None


def test_games_are_counted_as_records_are() -> None:
    game = oware.Game("abapa")
    while not game.is_over:
        game.play(game.legal_moves()[-1])
    found = openings(1, records=[game, oware.Game.from_transcript("Ff")], search=False)
    assert found.root.visits == 2
    line = found.at(game.transcript()[0])
    wins = {0: line.south_wins, 1: line.north_wins, None: line.draws}
    assert wins[game.winner] == 1


def test_lines_that_were_played_are_followed_further() -> None:
    found = openings(20, records=RECORDS, least_visits=1, search_depth=2)
    rows = {row["moves"]: row["visits"] for row in found.table()}
    expected = {"A": 2, "F": 3, "Ff": 2, "FfE": 1, "FfEe": 1, "FfD": 1, "Fe": 1, "FeD": 1}
    assert rows == {**expected, "FeDd": 1}
    again = openings(20, records=RECORDS, least_visits=2, search=False)
    assert {row["moves"] for row in again.table()} == {"A", "F", "Ff"}
    assert {row["value"] for row in again.table()} == {None}


def test_a_game_may_end_within_the_opening() -> None:
    rules = oware.Rules(seeds_per_pit=1, max_plies=3)
    found = openings(5, rules=rules)
    assert max(len(row["moves"]) for row in found.table()) == 3
    assert all(row["exact"] for row in found.table())


def test_the_tree_is_told_as_table_text_and_html() -> None:
    found = openings(2, records=RECORDS, search_depth=3)
    rows = found.table()
    assert len(rows) == 6 + 36
    assert rows[0]["moves"] == found.root.replies[0].moves
    plain = (str, int, float, bool, type(None))
    assert all(isinstance(value, plain) for row in rows for value in row.values())
    lines = found.text().splitlines()
    assert lines[0] == "start  6 games (2-1-1)"
    assert len(lines) == 1 + len(rows)
    assert str(found) == found.text()
    assert repr(found) == "<oware.analysis.Openings: 42 lines, 6 games>"
    assert any(re.fullmatch(r"    f  [-+][\d.]+\*?  2 games \(1-0-1\)", line) for line in lines)
    page = found._repr_html_()
    assert page.count("<li>") == page.count("</li>") == len(rows)
    assert page.count("<details") == page.count("</details>") == 7
    assert "6 games" in page


def test_progress_is_shown_where_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    openings(2, search_depth=1)
    assert capsys.readouterr().err == ""
    openings(2, search_depth=1, progress=True)
    assert "7/7" in capsys.readouterr().err


def test_the_same_limits_give_the_same_tree() -> None:
    found = openings(2, nodes=500)
    assert openings(2, nodes=500) == found
    assert isinstance(pickle.loads(pickle.dumps(found)), Openings)  # noqa: S301


BAD_CALLS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"depth": 0}, ValueError, "depth is 0; give 1 to 8"),
    ({"depth": 9}, ValueError, "depth is 9; give 1 to 8"),
    ({"depth": 61, "least_visits": 1}, ValueError, "depth is 61; give 1 to 60"),
    ({"depth": "2"}, TypeError, "depth must be an int, not str"),
    ({"depth": 1, "least_visits": -1}, ValueError, "least_visits is -1"),
    ({"depth": 1, "search": None}, TypeError, "search must be a bool, not NoneType"),
    ({"depth": 1, "search_depth": 0}, ValueError, "depth is 0"),
    ({"depth": 1, "rules": "abap"}, ValueError, 'unknown rule set "abap"'),
    ({"depth": 1, "records": 3}, TypeError, "records must be an iterable of records or games"),
    ({"depth": 1, "records": RECORDS[0]}, TypeError, "records must be an iterable of records"),
    ({"depth": 1, "records": ["FfEe"]}, TypeError, "oware.records.Record or oware.Game, not str"),
    ({"depth": 3, "records": [record("FfF", "*")]}, ValueError, "move 3: F is an empty pit"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_CALLS)
def test_bad_calls_say_what_is_wrong(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        openings(**arguments)


def test_a_line_that_is_not_there_is_named() -> None:
    found = openings(1, search_depth=1)
    with pytest.raises(KeyError, match="there is no line 'Ff' here: no 'Ff'"):
        found.at("Ff")
    with pytest.raises(TypeError, match="moves must be a str, not int"):
        found.at(5)  # type: ignore[arg-type]
