"""Puzzles: distinct, about what they say, graded by minimax, and proven."""

from __future__ import annotations

import _thread
import copy
import pickle
import re
import threading
from collections import Counter
from typing import Any

import numpy as np
import pytest

import oware
from oware.agents import GreedyAgent
from oware.analysis import Puzzle, puzzles, refused_slams
from oware.analysis._puzzle import margin
from oware.search import alpha_beta, best_moves

THEMES = ("slam", "lap", "feeding", "chain", "endgame")
DEPTH = 8


@pytest.fixture(scope="module")
def database() -> oware.Endgame:
    return oware.Endgame.build(15, "abapa", progress=False)


@pytest.fixture(scope="module")
def many(database: oware.Endgame) -> list[Puzzle]:
    return puzzles(100, seed=2, depth=DEPTH, endgame=database, exact=True)


@pytest.fixture(scope="module")
def searched() -> list[Puzzle]:
    return puzzles(15, seed=2, depth=DEPTH)


def test_there_are_twenty_distinct_ones_of_each_theme(many: list[Puzzle]) -> None:
    assert Counter(puzzle.theme for puzzle in many) == dict.fromkeys(THEMES, 20)
    boards = set()
    for puzzle in many:
        pits = puzzle.game().pits
        boards.add(pits[6:] + pits[:6] if puzzle.seat else pits)
    assert len(boards) == 100
    grades = [puzzle.grade for puzzle in many]
    assert grades == sorted(grades)
    assert min(Counter(puzzle.theme for puzzle in many if puzzle.grade >= 3).values()) >= 3


def test_each_has_its_theme(many: list[Puzzle], searched: list[Puzzle]) -> None:
    for puzzle in many + searched:
        game = puzzle.game()
        own, theirs = game.pits[:6], game.pits[6:]
        if puzzle.seat:
            own, theirs = theirs, own
        assert game.to_move == puzzle.seat
        assert not game.is_over
        if puzzle.theme == "lap":
            assert own[puzzle.move] >= 12
        elif puzzle.theme == "feeding":
            assert not any(theirs)
            assert len(game.legal_moves()) > 1
        elif puzzle.theme == "endgame":
            assert sum(game.pits) <= (15 if puzzle in many else 10)
        elif puzzle.theme == "slam":
            slams = refused_slams(game)
            assert slams
            assert puzzle.move not in {slam.move for slam in slams}
            # Were it not refused, it would take everything.
            after = oware.Game(
                game.rules.replace(grand_slam="capture_all", no_move="stay"),
                pits=game.pits,
                to_move=game.to_move,
            )
            after.play(slams[0].move)
            assert not any(after.pits[6 - 6 * puzzle.seat :][:6])
        else:
            chains = []
            for move in puzzle.line[:3]:
                game.play(move)
                chains.append(len(game.last_captures) > 1)
            assert any(chains[::2])


def test_the_margin_is_that_to_the_second_best() -> None:
    assert margin((None, 1.5, -2.0, 4.25, None, 1.5)) == 2.75
    assert margin((None, 4.0, 4.0, None, None, None)) == 0
    assert margin((None, 4.0, None, None, None, None)) == 0


def test_each_of_many_is_proven_by_the_database(
    many: list[Puzzle], database: oware.Endgame
) -> None:
    for puzzle in many:
        game = puzzle.game()
        ahead = game.stores[puzzle.seat] - game.stores[1 - puzzle.seat]
        told = {
            move: value - ahead for move, value in enumerate(puzzle.values) if value is not None
        }
        # Where the database does not reach, every line has come to it.
        if sum(game.pits) <= 15:
            assert puzzle.proof == "database"
            assert told == database.move_values(game)
        else:
            assert puzzle.proof == "exact"
            found = alpha_beta(game, depth=DEPTH, endgame=database, move_values=True)
            assert found.exact
            assert found.move_values == puzzle.values
        second, best = sorted(told.values())[-2:]
        assert best - second == puzzle.margin >= 2
        assert told[puzzle.move] == best


def test_what_the_database_does_not_reach_is_proven_by_searches_of_two_depths(
    searched: list[Puzzle],
) -> None:
    small = oware.Endgame.build(10, "abapa", progress=False)
    for puzzle in searched:
        game = puzzle.game()
        values = []
        for depth in (DEPTH - 1, DEPTH):
            found = alpha_beta(game, depth=depth, endgame=small, move_values=True)
            assert found.exact == (puzzle.proof != "search")
            assert found.move_values is not None
            values.append(found.move_values)
            assert margin(found.move_values) >= 2
            assert found.move_values[puzzle.move] == max(
                value for value in found.move_values if value is not None
            )
        assert puzzle.values == values[-1]
        assert puzzle.margin == margin(values[-1])
    assert {puzzle.proof for puzzle in searched} == {"database", "search"}


def test_a_line_begins_with_the_solution_and_can_be_played(
    many: list[Puzzle], searched: list[Puzzle]
) -> None:
    for puzzle in many + searched:
        game = puzzle.game()
        assert puzzle.line[0] == puzzle.move
        for move in puzzle.line:
            game.play(move)


def test_the_grade_is_the_least_depth_that_finds_the_move_alone(many: list[Puzzle]) -> None:
    for puzzle in many:
        game = puzzle.game()
        finds = [best_moves(game, depth) == [puzzle.move] for depth in range(1, puzzle.grade + 1)]
        assert finds == [False] * (puzzle.grade - 1) + [True]


def test_greed_solves_few_of_the_upper_grades(many: list[Puzzle]) -> None:
    upper = [puzzle for puzzle in many if puzzle.grade >= 3]
    assert len(upper) >= 20
    games = [puzzle.game() for puzzle in upper]
    seen = np.array([game.observation() for game in games])
    masks = np.array([game.action_mask() for game in games])
    solutions = np.array([puzzle.move for puzzle in upper])
    greedy = GreedyAgent(seed=0)
    solved = np.mean([np.asarray(greedy(seen, masks)) == solutions for _ in range(50)])
    assert solved < 1 / 3


def test_the_same_seed_gives_the_same_puzzles() -> None:
    first = puzzles(6, seed=4, depth=6)
    assert puzzles(6, seed=4, depth=6) == first
    assert puzzles(6, seed=5, depth=6) != first
    for puzzle in first:
        assert pickle.loads(pickle.dumps(puzzle)) == puzzle  # noqa: S301
        assert copy.deepcopy(puzzle) == puzzle


@pytest.mark.parametrize("rules", ["awari", "codingame", oware.Rules(grand_slam="leave_far_pit")])
def test_other_rules_have_puzzles_too(rules: Any) -> None:
    found = puzzles(5, rules=rules, depth=6)
    assert {puzzle.theme for puzzle in found} == set(THEMES)
    assert {puzzle.rules for puzzle in found} == {oware.Game(rules).rules}


def test_themes_that_the_rules_lack_are_left_out() -> None:
    rules = oware.Rules(grand_slam="capture_all", feeding="free")
    assert {puzzle.theme for puzzle in puzzles(3, rules=rules, depth=6)} == set(THEMES[1::2]) | {
        "endgame"
    }


def test_a_larger_database_proves_more() -> None:
    database = oware.Endgame.build(12, "abapa", progress=False)
    found = puzzles(6, themes=["chain", "endgame"], endgame=database, depth=6, exact=True)
    assert {puzzle.proof for puzzle in found} <= {"database", "exact"}
    assert max(sum(puzzle.game().pits) for puzzle in found) > 10


def test_a_puzzle_takes_an_answer_and_hides_the_solution(many: list[Puzzle]) -> None:
    puzzle = many[0]
    legal = puzzle.game().legal_moves()
    assert [move for move in legal if puzzle.solves(move)] == [puzzle.move]
    assert puzzle.record()["move"] == puzzle.letter
    assert repr(puzzle) == (
        f"<oware.analysis.Puzzle {puzzle.theme}, grade {puzzle.grade}: {puzzle.position}>"
    )
    assert str(puzzle).endswith(f"to move. Which move is best? (Grade {puzzle.grade}.)")
    page = puzzle._repr_html_()
    before, _, after = page.partition("<details>")
    assert puzzle.line_letters in after
    assert puzzle.line_letters not in before
    assert "<svg" in before


def test_progress_is_shown_where_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    puzzles(2, themes=["endgame"])
    assert capsys.readouterr().err == ""
    puzzles(2, themes=["endgame"], progress=True)
    assert "2/2" in capsys.readouterr().err


def test_ctrl_c_stops_the_search() -> None:
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        puzzles(100_000)
    timer.join()


BAD_CALLS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"n": 0}, ValueError, "n is 0; give 1 to 1000000"),
    ({"n": 2.0}, TypeError, "n must be an int, not float"),
    ({"n": 1, "seed": -1}, ValueError, "seed is -1"),
    ({"n": 1, "seed": "1"}, TypeError, "seed must be an int, not str"),
    ({"n": 1, "depth": 1}, ValueError, "depth is 1; give 2 to 250"),
    ({"n": 1, "rules": "abap"}, ValueError, 'unknown rule set "abap"'),
    ({"n": 1, "themes": "lap"}, TypeError, "give ['lap']"),
    ({"n": 1, "themes": 3}, TypeError, "themes must be an iterable of themes, not int"),
    ({"n": 1, "themes": []}, ValueError, "themes is empty"),
    ({"n": 1, "themes": ["laps"]}, ValueError, "unknown theme 'laps'; known: slam, lap"),
    (
        {"n": 1, "themes": ["slam"], "rules": oware.Rules(grand_slam="capture_all")},
        ValueError,
        "there is no theme 'slam' under these rules: grand_slam=capture_all refuses no grand slam",
    ),
    ({"n": 1, "endgame": "abapa-10"}, TypeError, "endgame must be None or an oware.Endgame"),
    ({"n": 1, "exact": 1}, TypeError, "exact must be a bool, not int"),
    # Twelve seeds cannot lie in one pit in play.
    (
        {"n": 1, "themes": ["lap"], "rules": oware.Rules(seeds_per_pit=1)},
        ValueError,
        "too few puzzles in 30000 positions: lap 0 of 1; ask for fewer, or for other themes",
    ),
    # The database that is built where none is given does not reach them.
    (
        {"n": 1, "themes": ["lap"], "exact": True},
        ValueError,
        "lap 0 of 1; ask for fewer, or for other themes, or give a larger database",
    ),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_CALLS)
def test_bad_calls_say_what_is_wrong(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        puzzles(**arguments)


def test_a_database_of_other_rules_is_refused() -> None:
    with pytest.raises(ValueError, match="the database is for village, awari"):
        puzzles(1, endgame=oware.Endgame.build(3, "awari", progress=False))
