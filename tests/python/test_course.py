"""The course: what its steps say is so, and its puzzles are proven."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

import oware
from oware import course
from oware.analysis import Puzzle
from oware.search import alpha_beta, best_moves
from test_board import act

if TYPE_CHECKING:
    from collections.abc import Iterator

LETTERS = "ABCDEFabcdef"
STEPS = course.steps()
PUZZLES = course.puzzles()
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_learn_oware.ipynb"
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.title)


def after(step: course.Step, transcript: str) -> oware.Game:
    """The game of a step after some moves."""
    game = step.game()
    game.play_transcript(transcript)
    return game


def choices(step: course.Step) -> Iterator[str]:
    """What has been played where the learner is to move."""
    for at in range(0, len(step.line), 2):
        yield step.line[:at]


def moves(game: oware.Game) -> list[str]:
    return [LETTERS[6 * game.to_move + move] for move in game.legal_moves()]


def threats(game: oware.Game) -> dict[str, tuple[int, str]]:
    """What the player to move can take: seeds and pits."""
    found = {}
    for move in game.legal_moves():
        played = game.copy()
        seeds = played.play(move)
        if seeds:
            pits = "".join(sorted(LETTERS[pit] for pit in played.last_captures))
            found[LETTERS[6 * game.to_move + move]] = (seeds, pits)
    return found


def values(game: oware.Game) -> dict[str, float]:
    """What the moves are worth at the end, by search."""
    found = alpha_beta(game, depth=10, move_values=True).move_values
    assert found is not None
    return {
        LETTERS[6 * game.to_move + move]: value
        for move, value in enumerate(found)
        if value is not None
    }


# Every step


def test_there_are_fifteen_steps() -> None:
    assert [step.number for step in STEPS] == list(range(1, 16))
    assert len({step.title for step in STEPS}) == len({step.position for step in STEPS}) == 15


@each_step
def test_all_seeds_are_there_and_south_is_to_move(step: course.Step) -> None:
    game = step.game()
    assert sum(game.pits) + sum(game.stores) == 48
    assert game.to_move == 0
    assert game.rules == oware.Rules()
    assert not game.is_over


@each_step
def test_every_legal_move_is_the_right_one_or_has_an_answer_of_its_own(step: course.Step) -> None:
    expected = set()
    for played in choices(step):
        game = after(step, played)
        right = step.line[len(played)]
        assert right in moves(game)
        expected |= {played + move for move in moves(game) if move != right}
    assert set(step.answers) == expected
    texts = [*step.answers.values(), *step.refusals.values(), *step.remarks.values(), step.done]
    assert len(set(texts)) == len(texts)
    for transcript, text in step.answers.items():
        assert len(text) < 180
        assert step.answer(transcript) == text
    assert set(step.remarks) == {step.line[:at] for at in range(1, len(step.line), 2)}


@each_step
def test_refusals_are_of_pits_that_hold_seeds_and_may_not_be_sown(step: course.Step) -> None:
    game = step.game()
    filled = {LETTERS[pit] for pit in range(6) if game.pits[pit]}
    assert set(step.refusals) == filled - set(moves(game))


@each_step
def test_the_board_answers_wrong_moves_and_is_solved_by_the_right_ones(step: course.Step) -> None:
    board = course.board(step.number)
    assert board.state["task"] == step.task
    assert board.hints == 0
    for played in choices(step):
        before = board.game
        assert before.transcript() == played
        assert board.state["legal"] == before.legal_moves()
        for move in moves(before):
            if move != step.line[len(played)]:
                act(board, "play", pit=LETTERS.index(move))
                assert board.message == step.answers[played + move]
                assert board.state["tone"] == "bad"
                assert board.game == before
        if not played:
            assert board.state["refusals"] == step.refusals
        assert not board.solved
        act(board, "play", pit=LETTERS.index(step.line[len(played)]))
        if not board.solved:
            assert step.remarks[played + step.line[len(played)]] in board.message
    assert board.solved
    assert board.game.transcript() == step.line
    assert step.done in board.message
    assert board.state["refusals"] == {}
    board.new()
    assert not board.solved


@pytest.mark.parametrize("number", [4, 6, 9, 10, 11, 12, 13, 14, 15])
def test_what_a_step_asks_for_is_good_play(number: int) -> None:
    step = STEPS[number - 1]
    for played in choices(step):
        worth = values(after(step, played))
        assert max(worth, key=lambda move: worth[move]) == step.line[len(played)] or (
            # A move that takes nothing is worth as much as the slam's lesson.
            number == 6 and worth["D"] == pytest.approx(max(worth.values()), abs=0.5)
        )


@each_step
def test_words_about_where_a_move_ends_are_true(step: course.Step) -> None:
    checked = 0
    for transcript, text in step.answers.items():
        game = after(step, transcript[:-1])
        path = oware.board._frames.path(game, LETTERS.index(transcript[-1]))
        if said := re.match(r"([A-F]) ends in ([A-Fa-f])\b", text):
            assert (said[1], said[2]) == (transcript[-1], LETTERS[path[-1]])
            checked += 1
        if said := re.match(r"([A-F]) sows ([A-Fa-f, ]+?)(?: and ([a-f])\.|[.:])", text):
            listed = re.findall("[A-Fa-f]", said[2] + (said[3] or ""))
            assert listed == [LETTERS[pit] for pit in path]
            checked += 1
    assert checked >= {1: 4, 2: 2, 3: 4, 4: 2, 5: 1, 6: 1, 9: 2}.get(step.number, 0)


# What single steps say


def test_step_2_kalah() -> None:
    assert STEPS[1].game().pits[10] == 6
    assert after(STEPS[1], "F").last_captures == (8,)
    for move in "CD":
        assert after(STEPS[1], move).pits[6] == 5
    assert after(STEPS[1], "E").pits[6] == 5


def test_step_3_one_two_and_four() -> None:
    assert after(STEPS[2], "C").pits[5] == 2
    assert after(STEPS[2], "E").pits[7] == 1
    assert after(STEPS[2], "F").pits[6] == 4


def test_step_4_the_chain() -> None:
    assert threats(STEPS[3].game()) == {"C": (7, "abc"), "F": (3, "a")}


def test_step_5_the_skipped_pit() -> None:
    game = STEPS[4].game()
    assert threats(game) == {"F": (2, "a")}
    assert after(STEPS[4], "E").pits[7] == 4
    # One pit further back the last seed would have made a two.
    assert (4 + game.pits[4]) % 12 == 6
    assert after(STEPS[4], "E").pits[6] == 2


def test_step_6_the_slam() -> None:
    game = STEPS[5].game()
    assert threats(game) == {"D": (2, "a")}
    taking = oware.Game(
        oware.Rules(grand_slam="capture_all"), pits=game.pits, stores=game.stores, to_move=0
    )
    taking.play(5)
    assert (taking.last_captures, game.pits[7]) == ((6, 7), 2)
    assert not any(taking.pits[6:])


def test_step_7_feeding(database: oware.Endgame) -> None:
    worth = database.move_values(STEPS[6].game())
    assert worth == {4: 0, 5: 4}
    assert moves(after(STEPS[6], "F")) == ["a"]
    assert threats(after(STEPS[6], "Fa"))["E"] == (2, "b")


def test_step_8_forced_feeding(database: oware.Endgame) -> None:
    step = STEPS[7]
    for transcript in ("", "Ae"):
        worth = database.move_values(after(step, transcript))
        assert max(worth, key=lambda move: worth[move]) == 0
        assert sorted(worth.values())[-2] < worth[0]
    for move in "DE":
        assert threats(after(step, move))["e"] == (3, "A")
    for move in "BC":
        assert threats(after(step, f"Ae{move}")) == {"f": (2, "A")}
    for move, forced in (("D", "E"), ("E", "F")):
        game = after(step, f"Ae{move}f")
        assert (moves(game), any(game.pits[6:])) == ([forced], False)
    end = after(step, "AeAf")
    assert (end.termination, end.stores) == ("no_move", (27, 21))


def test_step_9_twenty_five() -> None:
    step = STEPS[8]
    assert (after(step, "D").termination, after(step, "D").stores) == ("majority", (25, 9))
    assert after(step, "F").stores[0] == 24
    assert threats(after(step, "A"))["e"][0] == 5


def test_step_10_two_attacks() -> None:
    step = STEPS[9]

    def aimed(move: str) -> dict[str, tuple[int, str]]:
        game = after(step, move)
        return threats(oware.Game(pits=game.pits, stores=game.stores, to_move=0))

    assert threats(step.game()) == {}
    assert aimed("E") == {"C": (4, "ab"), "D": (2, "a"), "F": (4, "ab")}
    assert aimed("D") == {}
    assert aimed("F") == {"D": (2, "a")}
    assert set(aimed("C")) == {"D", "F"}
    assert threats(after(step, "Cb")) == {}
    for reply in moves(after(step, "E")):
        assert threats(after(step, f"E{reply}"))


def test_step_11_three_are_safe() -> None:
    step = STEPS[10]
    for move in "BF":
        assert threats(after(step, move)) == {"e": (3, "E")}
    for move in "DE":
        assert threats(after(step, move)) == {}
    game = after(step, "D")
    assert game.pits[4:8] == (3, 3, 1, 1)
    assert after(step, "De").pits[4] == 4


def test_step_12_the_big_pit() -> None:
    step = STEPS[11]
    assert threats(step.game())["F"] == (7, "abc")
    assert threats(after(step, "Bc"))["F"] == (6, "abc")
    assert threats(after(step, "Cc"))["F"][0] == 9
    assert moves(after(step, "C")) == ["c"]
    end = after(step, step.line)
    assert (end.termination, end.stores[0]) == ("majority", 25)
    assert after(step, "EcC").pits[5] == 16
    # From F, thirteen seeds reach b, and so on.
    for seeds, reached in ((13, "b"), (14, "c"), (15, "d")):
        game = oware.Game(pits=[0] * 5 + [seeds] + [1] * 6)
        assert LETTERS[oware.board._frames.path(game, 5)[-1]] == reached


def test_step_13_the_reply() -> None:
    step = STEPS[12]
    assert threats(step.game()) == {"F": (2, "c")}
    assert threats(after(step, "F"))["f"] == (8, "BCD")
    assert threats(after(step, "B")) == {"f": (3, "D")}
    assert threats(after(step, "D")) == threats(after(step, "C")) == {"d": (2, "B")}
    assert (after(step, "C").pits[3], after(step, "D").pits[5]) == (3, 4)


def test_step_14_ahead() -> None:
    step = STEPS[13]
    for move in "ABD":
        assert moves(after(step, move)) == ["b"]
    assert threats(after(step, "Ab")) == threats(after(step, "Bb")) == {"E": (2, "c")}
    assert after(step, "E").pits[7:9] == (3, 1)
    end = after(step, step.line)
    assert (end.termination, end.stores) == ("majority", (26, 17))
    assert end.last_captures == (8, 9)


def test_step_15_behind(database: oware.Endgame) -> None:
    step = STEPS[14]
    stores = {"A": 25, "B": 26, "D": 30, "E": 30}
    for move, theirs in stores.items():
        assert after(step, f"{move}e").stores == (15, theirs)
    for move in "BCDE":
        assert after(step, f"Ce{move}f").stores == (15, 26)
    end = after(step, "CeAf")
    assert (end.termination, end.stores) == ("no_move", (25, 23))
    worth = database.move_values(step.game())
    assert max(worth, key=lambda move: worth[move]) == 2


# Puzzles


@pytest.fixture(scope="module")
def database() -> oware.Endgame:
    return oware.Endgame.build(14, "abapa", progress=False)


def test_there_are_graded_puzzles_of_every_theme() -> None:
    proven = [puzzle for puzzle in PUZZLES if puzzle.proof == "database"]
    assert len(proven) >= 37
    assert {puzzle.theme for puzzle in PUZZLES} == {"slam", "feeding", "chain", "endgame", "lap"}
    assert [puzzle.grade for puzzle in PUZZLES] == sorted(puzzle.grade for puzzle in PUZZLES)
    assert len({puzzle.grade for puzzle in PUZZLES}) >= 4
    positions = {puzzle.position for puzzle in PUZZLES}
    assert len(positions) == len(PUZZLES)
    assert not positions & {step.position for step in STEPS}


def test_the_database_proves_every_solution_that_it_reaches(database: oware.Endgame) -> None:
    for puzzle in PUZZLES:
        game = puzzle.game()
        assert (sum(game.pits) <= 14) == (puzzle.proof == "database")
        if puzzle.proof != "database":
            continue
        ahead = game.stores[puzzle.seat] - game.stores[1 - puzzle.seat]
        known = database.move_values(game)
        assert {m: v - ahead for m, v in enumerate(puzzle.values) if v is not None} == known
        best, second = sorted(known.values(), reverse=True)[:2]
        assert known[puzzle.move] == best >= second + 2


def test_search_proves_the_others(database: oware.Endgame) -> None:
    for puzzle in PUZZLES:
        if puzzle.proof == "database":
            continue
        found = alpha_beta(puzzle.game(), depth=puzzle.depth, endgame=database, move_values=True)
        assert found.exact == (puzzle.proof == "exact")
        assert found.move == puzzle.move
        assert found.move_values == puzzle.values
        assert puzzle.margin >= 2


def test_lines_are_legal_and_grades_are_the_least_depths() -> None:
    for puzzle in PUZZLES:
        game = puzzle.game()
        assert puzzle.line[0] == puzzle.move
        for move in puzzle.line:
            game.play(move)
        if puzzle.grade > 9:
            continue
        game = puzzle.game()
        finds = [best_moves(game, depth) == [puzzle.move] for depth in range(1, puzzle.grade + 1)]
        assert finds == [False] * (puzzle.grade - 1) + [True]


def test_a_puzzle_board_tells_what_is_wrong_with_every_other_move() -> None:
    for number, puzzle in enumerate(PUZZLES, 1):
        board = course.puzzle_board(number)
        start = puzzle.game()
        said = set()
        for move in start.legal_moves():
            if move == puzzle.move:
                continue
            act(board, "play", pit=6 * puzzle.seat + move)
            letter = LETTERS[6 * puzzle.seat + move]
            seeds = start.copy().play(move)
            takes = "nothing" if not seeds else "1 seed" if seeds == 1 else f"{seeds} seeds"
            assert board.message.startswith(f"{letter} takes {takes}")
            loss = puzzle.values[puzzle.move] - puzzle.values[move]  # type: ignore[operator]
            assert f"worth {loss:.0f} seed" in board.message or puzzle.proof == "search"
            assert board.game == start
            said.add(board.message)
        assert len(said) == len(start.legal_moves()) - 1
        act(board, "play", pit=6 * puzzle.seat + puzzle.move)
        assert board.solved
        assert puzzle.line_letters in board.message


def test_a_series_leads_through_all_puzzles() -> None:
    board = course.puzzle_series()
    for number, puzzle in enumerate(PUZZLES, 1):
        assert (board.number, board.puzzle) == (number, puzzle)
        assert board.state["task"] == f"Puzzle {number} of {len(PUZZLES)}. {puzzle.task}"
        assert board.game == puzzle.game()
        assert (board.game.moves, board.solved) == ([], False)
        wrong = next(move for move in puzzle.game().legal_moves() if move != puzzle.move)
        act(board, "play", pit=6 * puzzle.seat + wrong)
        assert " takes " in board.message
        assert board.message.endswith("Try another one.")
        assert (board.game.moves, board.solved) == ([], False)
        act(board, "play", pit=6 * puzzle.seat + puzzle.move)
        assert puzzle.line_letters in board.message
        assert board.message.endswith("Well done!")
        assert board.solved
        assert board.state["series"]["number"] == number
        assert board.state["series"]["solved"] == [*board.solved_puzzles] == [*range(1, number + 1)]
        if number < len(PUZZLES):
            act(board, "turn_to", number=number + 1)
    assert board.state["series"]["groups"] == [f"Grade {puzzle.grade}" for puzzle in PUZZLES]
    act(board, "turn_to", number=50)
    assert board.message == "Puzzle is 50; give 1 to 49."
    assert board.solved
    with pytest.raises(ValueError, match=r"^puzzle 49 is the last one; turn_to\(1\) begins anew$"):
        board.next()
    assert (board.number, board.solved) == (49, True)
    board.previous()
    assert board.number == 48
    assert not board.solved


def test_a_series_may_have_one_grade_and_begin_anywhere() -> None:
    wanted = [puzzle for puzzle in PUZZLES if puzzle.grade == 3]
    board = course.puzzle_series(grade=3, start=2)
    assert board.puzzle == wanted[1]
    assert f"Puzzle 2 of {len(wanted)}." in board.state["task"]
    board.new()
    assert board.number == 2


def test_a_series_knows_nothing_of_a_position_set_up_by_hand() -> None:
    board = course.puzzle_series()
    board.set_position([4] * 12)
    board.play("C")
    board.play("c")
    assert (board.game.moves, board.solved) == ([2, 2], False)
    board.next()
    assert board.game == PUZZLES[1].game()


def test_a_board_without_a_series_has_nothing_to_turn_to() -> None:
    board = course.puzzle_board(1)
    act(board, "turn_to", number=2)
    assert board.message == "The board has a single task."
    assert "series" not in board.state


def test_the_file_is_plain_and_says_how_it_was_made() -> None:
    path = Path(course.__file__).with_name("puzzles.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    script = Path(__file__).parents[2] / content["made_by"].split()[-1]
    assert script.is_file()
    assert all(isinstance(puzzle, Puzzle) for puzzle in PUZZLES)


# Bad calls


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"grade": 0}, ValueError, "grade is 0; give 1 to 15"),
        ({"grade": 4}, ValueError, "no puzzle has grade 4; give one of [1, 2, 3, 5"),
        ({"grade": "1"}, TypeError, "grade must be an int, not str"),
        ({"start": 0}, ValueError, "start is 0; give 1 to 49"),
        ({"start": 50}, ValueError, "start is 50; give 1 to 49"),
        ({"start": None}, TypeError, "start must be an int, not NoneType"),
        ({"grade": 15, "start": 2}, ValueError, "start is 2; give 1 to 1"),
    ],
)
def test_bad_series_say_what_is_wrong(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        course.puzzle_series(**arguments)


def test_a_series_needs_a_puzzle() -> None:
    with pytest.raises(ValueError, match="there are no puzzles; give at least one"):
        course.PuzzleBoard(())
    with pytest.raises(ValueError, match="puzzle is 3; give 1 to 2"):
        course.PuzzleBoard(PUZZLES[:2], 3)
    assert course.PuzzleBoard(PUZZLES[5:7]).puzzle == PUZZLES[5]


@pytest.mark.parametrize(
    ("call", "argument", "error", "message"),
    [
        (course.board, 0, ValueError, "step is 0; give 1 to 15"),
        (course.board, 16, ValueError, "step is 16; give 1 to 15"),
        (course.board, "1", TypeError, "step must be an int, not str"),
        (course.board, True, TypeError, "step must be an int, not bool"),
        (course.puzzle_board, 0, ValueError, "puzzle is 0; give 1 to "),
        (course.puzzle_board, None, TypeError, "puzzle must be an int, not NoneType"),
        (course.puzzle_board, STEPS[0], TypeError, "puzzle must be an int, not "),
    ],
)
def test_bad_calls_say_what_is_wrong(
    call: Any, argument: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call(argument)


# The notebook


def test_the_notebook_has_every_step_and_every_puzzle_a_line_each() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    boards = [f"course.board({step.number})" for step in STEPS]
    boards += ["course.puzzle_series()"]
    boards += [f"course.puzzles()[{at}]" for at in range(len(PUZZLES))]
    assert code == ["from oware import course", *boards]
    for step in STEPS:
        assert f"## {step.number}. {step.title}\n\n{step.lesson}" in text
