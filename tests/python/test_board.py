"""What a board does, without a browser: acts as the browser sends them, and what it is told."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from oware.board import _frames
from strategies import random_game
from test_docstrings import FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable

RULES = [*oware.RULE_SETS, oware.Rules(grand_slam="leave_far_pit"), oware.Rules(seeds_per_pit=9)]
# F is a blunder: f then captures eight seeds, which C saves.
DANGER: dict[str, Any] = {"pits": [0, 1, 2, 2, 0, 3, 3, 0, 1, 4, 1, 4], "stores": (13, 14)}


def act(board: oware.Board, do: str, **more: Any) -> None:
    """What a click sends, as the newest board on a screen does."""
    message = {"do": do, "version": board.state["version"], **more}
    board._handle_custom_msg(json.loads(json.dumps(message)), [])


def last_legal(_: Any, mask: Any) -> Any:
    return 5 - mask[:, ::-1].argmax(1)


# Moves seed by seed


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_seeds_of_every_move_end_where_the_rules_put_them(rules: Any) -> None:
    for seed in range(5):
        game = random_game(seed, 150, rules=rules)
        replayed = [oware.Game(rules)]
        for move in game.moves:
            replayed.append(replayed[-1].copy())
            replayed[-1].play(move)
        for before, after in pairwise(replayed):
            step = _frames.step(before, after)
            pits, stores = list(step["before"]["pits"]), list(step["before"]["stores"])
            held, pits[step["pit"]] = pits[step["pit"]], 0
            assert len(step["path"]) == held
            assert step["pit"] not in step["path"]
            for pit in step["path"]:
                pits[pit] += 1
            for pit in step["captured"]:
                stores[step["seat"]] += pits[pit]
                pits[pit] = 0
            if not after.is_over:
                assert (pits, stores) == (list(after.pits), list(after.stores))


def test_frames_are_the_positions_of_a_game_and_plain_json() -> None:
    game = random_game(7)
    frames = _frames.frames(game, ("South", "North"))
    assert json.loads(json.dumps(frames)) == frames
    assert len(frames) == len(game.moves) + 1
    again = oware.Game()
    for frame, move in zip(frames, [*game.moves, None], strict=True):
        assert (frame["pits"], frame["stores"]) == (list(again.pits), list(again.stores))
        assert frame["over"] == again.is_over
        if move is not None:
            again.play(move)
    assert f"{max(game.stores)}-{min(game.stores)}" in frames[-1]["message"]


def test_captures_are_told() -> None:
    before = oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
    after = before.copy()
    after.play(5)
    assert _frames.said(before, after, "You") == "You sowed F and captured 4 (b, a)" or (
        _frames.said(before, after, "You") == "You sowed F and captured 4 (a, b)"
    )


# Playing


@pytest.mark.parametrize("opponent", ["random", "greedy", "minimax:2", last_legal, None])
@pytest.mark.parametrize("seat", ["south", "north"])
def test_a_game_is_played_to_its_end(opponent: Any, seat: Any) -> None:
    board = oware.Board(opponent=opponent, seat=seat, seed=1)
    plies = 0
    while not board.game.is_over:
        game = board.game
        assert json.loads(json.dumps(board.state)) == board.state
        legal = [6 * game.to_move + move for move in game.legal_moves()]
        assert board.state["legal"] == legal
        if opponent is not None:
            assert game.to_move == ("south", "north").index(seat)
        assert (tuple(board.state["pits"]), tuple(board.state["stores"])) == (
            game.pits,
            game.stores,
        )
        act(board, "play", pit=legal[plies % len(legal)])
        expected = game.copy()
        expected.play(legal[plies % len(legal)] % 6)
        if opponent is not None and not expected.is_over:
            expected.play(board.game.moves[-1])
        assert board.game == expected
        plies += 1
        assert plies < 500
    assert board.state["legal"] == []
    assert board.state["over"]


def test_what_is_published_brings_every_move_once() -> None:
    board = oware.Board(opponent=last_legal)
    states: list[dict[str, Any]] = []
    board.observe(lambda change: states.append(change["new"]), names="state")
    act(board, "play", pit=2)
    assert [[step["pit"] for step in state["steps"]] for state in states] == [[2], [11]]
    assert states[0]["thinking"]
    assert states[0]["legal"] == []
    act(board, "ask")
    assert states[-1]["steps"] == []


def test_a_click_on_a_board_that_has_changed_meanwhile_is_no_move() -> None:
    board = oware.Board(opponent=None)
    old = board.state["version"]
    act(board, "play", pit=2)
    act(board, "play", pit=8, version=old)
    assert board.game.transcript() == "C"


def test_an_illegal_pit_is_refused_on_the_board_and_raises_in_python() -> None:
    board = oware.Board(oware.Game(**DANGER), opponent=None)
    act(board, "play", pit=4)
    assert board.game.moves == []
    assert "empty pit" in board.message
    with pytest.raises(oware.IllegalMoveError):
        board.play("E")
    with pytest.raises(ValueError, match=r"'e' is no pit of the player to move: A to F"):
        board.play("e")
    with pytest.raises(oware.IllegalMoveError):
        board.play(9)
    assert board.game.moves == []


@pytest.mark.parametrize(
    "message",
    [
        None,
        5,
        [],
        {},
        {"do": 3},
        {"do": "explode"},
        {"do": "__init__"},
        {"do": "play"},
        {"do": "play", "pit": "C"},
        {"do": "change", "place": 99},
        {"do": "change", "place": 3, "by": "x"},
        {"do": "go_to", "ply": 4},
        {"do": "mover", "seat": 7},
        {"do": "coach", "on": 3},
        {"do": "coach"},
        {"do": "done"},
        {"do": "take_back"},
        {"do": "undo"},
    ],
    ids=str,
)
def test_whatever_a_browser_sends_changes_no_game(message: Any) -> None:
    board = oware.Board(opponent=None)
    board.play("C")
    before = board.game
    if isinstance(message, dict) and message.get("do") == "undo":
        board.new()
        before = board.game
    if isinstance(message, dict) and message.get("do") == "play":
        message = {"version": board.state["version"], **message}
    board._handle_custom_msg(message, [])
    assert board.game == before
    assert board.mode == "play"


def test_undo_leads_back_to_the_players_choice() -> None:
    board = oware.Board(opponent=last_legal, seat="north")
    assert board.game.moves == [5]
    assert not board.state["can_undo"]
    board.play("c")
    assert len(board.game.moves) == 3
    board.undo()
    assert board.game.moves == [5]
    with pytest.raises(ValueError, match="there is no move to take back"):
        board.undo()
    both = oware.Board(opponent=None)
    both.play("A")
    both.play("a")
    both.undo()
    assert both.game.transcript() == "A"


def test_a_finished_game_can_be_taken_back() -> None:
    board = oware.Board(
        oware.Game(pits=[0] * 5 + [1, 1] + [0] * 4 + [3], stores=(23, 20)), opponent=None
    )
    board.play("F")
    assert board.game.is_over
    assert "wins" in board.message
    board.undo()
    assert not board.game.is_over


def test_a_game_that_is_given_stays_as_it_is_and_is_the_start() -> None:
    game = oware.Game.from_transcript("FfEe", "awari")
    board = oware.Board(game, opponent=None)
    board.play("D")
    assert game.transcript() == "FfEe"
    board.undo()
    with pytest.raises(ValueError, match="no move to take back"):
        board.undo()
    board.play("D")
    board.new()
    assert board.game == game


def test_the_opponent_opens_where_it_is_to_move() -> None:
    start = oware.Game(pits=[4] * 12, to_move=1)
    assert oware.Board(start, opponent=last_legal).game.moves == [5]
    assert oware.Board(start, opponent=last_legal, seat="north").game.moves == []


# Opponents that fail


def failing(error: BaseException | Any) -> Callable[..., Any]:
    def opponent(_: Any, mask: Any) -> Any:  # noqa: ARG001
        if isinstance(error, BaseException):
            raise error
        return error

    return opponent


NO_INTEGER = "TypeError: the actions must be integers (1,), not "


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (RuntimeError("no idea"), "RuntimeError: no idea"),
        (RuntimeError(), "RuntimeError."),
        ([0.5], NO_INTEGER),
        ([1, 2], NO_INTEGER),
        (3, NO_INTEGER),
        ([6], "action 6 is not a pit"),
        (None, NO_INTEGER),
    ],
)
@pytest.mark.parametrize("coach", [False, True])
def test_an_opponent_that_fails_leaves_the_game_as_it_was(
    answer: Any, said: str, coach: bool
) -> None:
    board = oware.Board(opponent=failing(answer), coach=coach, depth=2)
    board.play("F")
    assert said in board.message
    assert board.state["tone"] == "error"
    assert board.game == oware.Game()
    assert board.ratings == ()
    assert board.state["legal"] == [0, 1, 2, 3, 4, 5]


def test_an_interrupted_opponent_leaves_the_game_as_it_was() -> None:
    board = oware.Board(opponent=failing(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        board.play("F")
    assert board.game == oware.Game()
    assert board.state["legal"] == [0, 1, 2, 3, 4, 5]


# Help


def test_hints_are_counted_once_a_position() -> None:
    board = oware.Board(opponent=None, hints=1, depth=4)
    act(board, "hint")
    first = board.message
    assert board.state["arrows"][0]["kind"] == "best"
    assert board.state["values"] == list(oware.analysis.hint(oware.Game(), depth=4).values)
    act(board, "hint")
    assert (board.hints, board.message) == (0, first)
    board.play(board.state["arrows"][0]["start"])
    assert board.state["arrows"] == []
    assert board.hint() == "No hints are left in this game."
    board.new()
    assert board.hints == 1


def test_the_coach_rates_as_the_analysis_does_and_pauses_after_a_blunder() -> None:
    game = oware.Game(**DANGER)
    rated = [oware.analysis.rate(game, move, depth=6) for move in game.legal_moves()]
    assert {"best", "blunder"} <= {one.rating for one in rated}
    for one in rated:
        board = oware.Board(game, opponent=last_legal, coach=True, depth=6)
        board.play(one.move)
        assert board.ratings == (one,)
        assert board.state["rating"] == {"name": one.rating, "text": f"{one}."}
        assert board.paused == (one.rating == "blunder")
        assert len(board.game.moves) == (1 if board.paused else 2)
        if not board.paused:
            continue
        assert board.state["legal"] == []
        with pytest.raises(ValueError, match="the coach has paused the game"):
            board.play("f")
        assert one.reply is not None
        [arrow] = board.state["arrows"]
        assert (arrow["start"], arrow["kind"]) == (6 + one.reply.move, "threat")
        assert board.state["endangered"] == list(one.reply.pits)
        assert f"would capture {one.reply.seeds} at once" in board.message
        act(board, "take_back")
        assert board.game == game
        assert not board.ratings
        assert not board.state["paused"]
        board.play(one.move)
        act(board, "play_on")
        assert len(board.game.moves) == 2
        assert board.ratings == (one,)


def test_the_coach_can_be_switched() -> None:
    board = oware.Board(opponent=None, depth=2)
    board.play("F")
    act(board, "coach", on=True)
    board.play("f")
    act(board, "coach", on=False)
    board.play("E")
    assert [one.ply for one in board.ratings] == [1]


def test_asking_tells_the_facts_of_the_analysis() -> None:
    board = oware.Board(oware.Game(**DANGER), opponent=None)
    facts = oware.analysis.explain(board.game).facts
    assert board.ask() == tuple(fact.text for fact in facts)
    assert board.state["told"] == [fact.text for fact in facts]
    board.play("C")
    assert board.state["told"] == []


# Tasks


def test_a_goal_of_letters_answers_wrong_moves() -> None:
    board = oware.Board(
        oware.Game(**DANGER), opponent=last_legal, goal="CD", answers={"B": "f still captures."}
    )
    board.play("B")
    assert (board.game.moves, board.message) == ([], "f still captures.")
    board.play("F")
    assert (board.game.moves, board.message) == ([], "F is not the move. Try another one.")
    board.play("C")
    assert (board.game.moves, board.solved) == ([2], True)
    assert board.state["legal"] == []
    with pytest.raises(ValueError, match="the task is done"):
        board.play("d")
    board.new()
    assert not board.solved


def test_answers_are_there_for_pits_that_may_not_be_sown() -> None:
    answers = {"A": "A feeds nobody.", "B": "B is empty.", "F": "One seed is enough."}
    board = oware.Board(
        oware.Game(pits=[2, 0, 0, 0, 3, 1] + [0] * 6), opponent=None, goal="E", answers=answers
    )
    assert board.state["legal"] == [4, 5]
    assert board.state["refusals"] == {"A": "A feeds nobody.", "B": "B is empty."}
    board.play("E")
    assert board.state["refusals"] == {}


def test_a_goal_may_be_a_callable_over_several_moves() -> None:
    def take_two(before: oware.Game, move: int, after: oware.Game) -> bool | str | None:
        if move == 0:
            return "Not with A."
        return True if after.stores[before.to_move] >= 2 else None

    game = oware.Game(pits=[1, 0, 0, 0, 2, 1, 1, 3, 0, 0, 0, 3])
    board = oware.Board(game, opponent=None, goal=take_two)
    board.play("A")
    assert (board.game.moves, board.message) == ([], "Not with A.")
    board.play("E")
    assert board.solved
    assert board.game.stores[0] >= 2


def test_on_move_remarks_on_moves_that_stand() -> None:
    seen = []

    def look(before: oware.Game, move: int, after: oware.Game) -> str:
        seen.append((before.ply, move, after.ply))
        return "Noted."

    board = oware.Board(opponent=last_legal, on_move=look)
    board.play("C")
    assert seen == [(0, 2, 1)]
    assert "Noted." in board.message


def test_a_check_that_raises_is_told_and_the_move_not_played() -> None:
    def broken(*_: Any) -> None:
        raise KeyError("oops")

    for settings in ({"goal": broken}, {"on_move": broken}):
        board = oware.Board(opponent=None, **settings)  # type: ignore[arg-type]
        board.play("C")
        assert "The check of this move failed: KeyError: 'oops'" in board.message
        assert board.game.moves == []


# Editor and replay


def test_a_position_is_edited() -> None:
    board = oware.Board(opponent=None)
    act(board, "edit")
    act(board, "empty")
    act(board, "change", place=5, by=1)
    act(board, "change", place=5, by=1)
    act(board, "change", place=5, by=-1)
    act(board, "change", place=6, to=2)
    act(board, "change", place=7, by=-1)
    act(board, "change", place=12, to=1)
    act(board, "mover", seat=1)
    assert board.message == "Editing: 4 of 48 seeds are on the board."
    assert board.state["pits"] == [0] * 5 + [1, 2] + [0] * 5
    with pytest.raises(ValueError, match="mode 'edit'"):
        board.play("A")
    act(board, "done")
    assert board.game == oware.Game(pits=[0] * 5 + [1, 2] + [0] * 5, stores=(1, 0), to_move=1)
    board.play("a")
    board.new()
    assert board.game.stores == (1, 0)


def test_what_cannot_be_set_up_is_said_and_stays_in_the_editor() -> None:
    board = oware.Board(opponent=None)
    board.play("C")
    act(board, "edit")
    act(board, "change", place=0, by=1)
    act(board, "done")
    assert board.mode == "edit"
    assert board.message.startswith("This position cannot be set up: ")
    act(board, "cancel")
    assert (board.mode, board.game.transcript()) == ("play", "C")
    with pytest.raises(oware.SetupError):
        board.set_position([9] * 12)
    assert board.game.transcript() == "C"


def test_a_replay_goes_through_a_game_or_a_record() -> None:
    board = oware.Board(opponent=None)
    board.play("C")
    game = random_game(3, 30)
    record = oware.records.Record.of(game, South="Ama", North="Kofi")
    for shown in (game, record):
        board.replay(shown)
        assert len(board.state["frames"]) == 31
        act(board, "go_to", ply=12)
        assert board.ply == 12
        board.go_to(7)
        assert board.state["ply"] == 7
    assert "Ama sowed" in board.state["frames"][1]["message"]
    act(board, "cancel")
    assert (board.mode, board.game.transcript()) == ("play", "C")
    board.replay()
    assert board.ply == 1
    board.replay(game)
    board.go_to(10)
    act(board, "resume")
    assert board.game.moves == game.moves[:10]


def test_a_replay_goes_on_under_the_rules_of_its_game() -> None:
    board = oware.Board(opponent="greedy", seed=1)
    board.replay(oware.Game.from_transcript("Ff", "awari"))
    board.go_to(2)
    act(board, "resume")
    assert board.game.rules == oware.Rules.named("awari")
    board.play("E")
    assert len(board.game.moves) == 4


# Bad arguments


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"game": "x"}, TypeError, "game must be an oware.Game or None, not str"),
        ({"game": oware.Game(), "rules": "awari"}, TypeError, "a game has its own rules"),
        ({"rules": "nope"}, ValueError, "nope"),
        ({"opponent": "nobody"}, ValueError, "nobody"),
        ({"opponent": 5}, TypeError, "opponent must be a name, a callable"),
        ({"seat": "east"}, ValueError, "seat is 'east'; give 'south', 'north' or 'random'"),
        ({"hints": -1}, ValueError, "hints is -1; give 0 to 1000"),
        ({"hints": 2.0}, TypeError, "hints must be an int, not float"),
        ({"depth": 0}, ValueError, "depth is 0; give 1 to 30"),
        ({"coach": 1}, TypeError, "coach must be a bool, not int"),
        ({"goal": "AX"}, ValueError, "goal is 'AX'; give letters of pits"),
        ({"goal": 4}, TypeError, "goal must be a str, a callable or None, not int"),
        ({"on_move": 4}, TypeError, "on_move must be a callable or None, not int"),
        ({"answers": {"AB": "x"}}, ValueError, "answers has the key 'AB'"),
        ({"answers": {"A": 3}}, TypeError, r"answers\['A'\] must be a str, not int"),
        ({"task": 3}, TypeError, "task must be a str, not int"),
        ({"theme": "sepia"}, ValueError, "theme is 'sepia'; give 'auto', 'light', 'dark'"),
    ],
)
def test_bad_arguments_are_refused(
    settings: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        oware.Board(**settings)


@pytest.mark.parametrize("wrong", [True, 1.5, None, [1]])
def test_a_move_and_a_ply_are_integers(wrong: Any) -> None:
    board = oware.Board(opponent=None)
    given = type(wrong).__name__
    with pytest.raises(TypeError, match=f"^move must be a letter or an int, not {given}$"):
        board.play(wrong)
    assert board.game.moves == []
    board.replay(oware.Game.from_transcript("FfEe"))
    with pytest.raises(TypeError, match=f"^ply must be an int, not {given}$"):
        board.go_to(wrong)
    with pytest.raises(ValueError, match=r"^ply is 5; give 0 to 4$"):
        board.go_to(5)
    assert board.ply == 0


def test_seats_may_be_drawn() -> None:
    board = oware.Board(opponent="random", seat="random", seed=4)
    seats = set()
    for _ in range(20):
        board.new()
        seats.add(len(board.game.moves))
    assert seats == {0, 1}


def test_the_same_seed_plays_the_same_game() -> None:
    games = []
    for _ in range(2):
        board = oware.Board(opponent="random", seed=9)
        for _ in range(5):
            board.play(board.game.legal_moves()[0])
        games.append(board.game)
    assert games[0] == games[1]


# The package


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2] / "docs" / "board.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert tried > 20
    assert failed == 0, capsys.readouterr().out


def test_the_widget_library_is_loaded_only_when_used() -> None:
    program = """
import sys, oware
assert "Board" in dir(oware)
oware.replay(oware.Game())
assert not {"anywidget", "ipywidgets", "traitlets", "IPython"} & sys.modules.keys()
oware.Board
assert "anywidget" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_the_library_the_extra_is_named() -> None:
    program = """
import sys
sys.modules["anywidget"] = None
import oware
try:
    oware.Board
except ModuleNotFoundError as error:
    assert 'pip install "oware[notebooks]"' in str(error), error
else:
    raise AssertionError
from oware import *
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_drawing_asks_for_nothing_from_elsewhere() -> None:
    from oware.board._page import text

    for name in ("board.js", "board.css"):
        assert "import " not in text(name).replace("!important", "")
        assert "fetch(" not in text(name)
        links = [word for word in text(name).split('"') if "://" in word]
        assert links == (["http://www.w3.org/2000/svg"] if name == "board.js" else [])


def test_a_board_in_a_notebook_is_followed_by_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython.display

    shown: list[Any] = []

    class Handle:
        def update(self, data: Any, *, raw: bool) -> None:
            assert raw
            shown.append(data)

    def display(data: Any, **_: Any) -> Handle:
        shown.append(data)
        return Handle()

    monkeypatch.setattr(IPython.display, "display", display)
    board = oware.Board(opponent=None)
    board._ipython_display_()
    assert "application/vnd.jupyter.widget-view+json" in shown[0]
    assert f"oware-still-{board.token}" in shown[1]["text/html"]
    board.play("C")
    assert "Last move: C" in shown[2]["text/html"]
    assert 'src="data:image/svg+xml;base64,' in shown[2]["text/html"]


def test_a_browser_is_told_the_state_when_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    board = oware.Board(opponent=None)
    assert board.model_id == board.token
    before = board.state
    sent: list[str] = []
    monkeypatch.setattr(board, "send_state", sent.append)
    board._handle_custom_msg({"do": "tell"}, [])
    assert sent == ["state"]
    assert board.state == before


def test_an_opponent_gets_a_batch_of_one() -> None:
    shapes = []

    def look(observation: Any, mask: Any) -> Any:
        shapes.append((observation.shape, observation.dtype, mask.shape, mask.dtype))
        return mask.argmax(1)

    oware.Board(opponent=look).play("C")
    assert shapes == [((1, 14), np.uint8, (1, 6), np.int8)]
