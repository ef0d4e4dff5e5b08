"""The board in JupyterLab, in a real Chromium: what is done on it is so in Python too."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from lab import LATE, until
from playwright.sync_api import expect

import oware

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lab import Cell, Lab
    from playwright.sync_api import Locator, Page

LETTERS = "ABCDEFabcdef"
# F is a blunder: f then captures eight seeds, which C saves.
DANGER = "oware.Game(pits=[0, 1, 2, 2, 0, 3, 3, 0, 1, 4, 1, 4], stores=(13, 14))"
LINE = "FfEeCdAaBc"
ENDGAME = "oware.Game(pits=[2, 1, 0, 1, 0, 0, 0, 1, 0, 1, 3, 1], stores=(19, 19))"


def cell(source: str) -> pytest.MarkDecorator:
    return pytest.mark.cell(f"import oware\n{source}")


def shown(arguments: str) -> pytest.MarkDecorator:
    """A cell that shows a board."""
    return cell(f"board = oware.Board({arguments})\nboard")


def pit(board: Locator, letter: str) -> Locator:
    seat = "South" if letter.isupper() else "North"
    return board.get_by_role("button", name=re.compile(rf"^{seat} {letter}, \d+ seed"))


def tool(board: Locator, name: str) -> Locator:
    return board.get_by_role("button", name=name, exact=True)


def says(board: Locator, text: str | re.Pattern[str]) -> None:
    expect(board.get_by_role("status")).to_contain_text(text)


def shows(board: Locator, pits: Sequence[int]) -> None:
    """Every pit says and draws so many seeds."""
    until(lambda: told(board), list(pits))
    until(lambda: drawn(board), [min(count, 19) for count in pits])


def told(board: Locator) -> list[int]:
    """The seeds that the labels of the pits tell."""
    labels: list[str] = board.locator(".oware-pit:not(.oware-store)").evaluate_all(
        "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    counts = {label.split()[1][0]: int(label.split()[2]) for label in labels}
    return [counts[letter] for letter in LETTERS]


def drawn(board: Locator) -> list[int]:
    """The seeds that are drawn in the pits."""
    counts: list[int] = board.locator(".oware-table > svg").evaluate(
        "svg => [...svg.querySelectorAll('.oware-seeds')].map((one) => one.childElementCount)"
    )
    return counts[:12]


@shown("opponent='greedy', seed=3")
def test_a_whole_game_by_clicks(cell: Cell) -> None:
    board, game = cell.board, oware.Game()
    while not game.is_over:
        legal = game.legal_moves()
        move = legal[len(game.moves) % len(legal)]
        pit(board, LETTERS[move]).click()
        game.play(move)
        if not game.is_over:
            cell.python("len(board.game.moves)", len(game.moves) + 1)
            game.play(cell.ask("board.game.moves[-1]"))
        cell.moves(game.moves)
        shows(board, game.pits)
    cell.python("board.game.is_over", True)
    says(board, f"{max(game.stores)}-{min(game.stores)}")
    assert len(game.moves) > 20


@shown(f"{ENDGAME}, opponent=None")
def test_a_whole_game_by_keys_for_both_sides(cell: Cell) -> None:
    board, keys = cell.board, cell.page.keyboard
    game = oware.Game(pits=[2, 1, 0, 1, 0, 0, 0, 1, 0, 1, 3, 1], stores=(19, 19))
    cells = cell.page.locator(".jp-Cell").count()
    expect(pit(board, "A")).to_have_attribute("tabindex", "0")
    pit(board, "A").focus()
    while not game.is_over:
        move = game.legal_moves()[-1]
        target = LETTERS[6 * game.to_move + move]
        if game.ply % 2:
            keys.press(target.lower())
        else:
            # There by the arrow keys, from wherever the last move has left the focus.
            for key in ("ArrowUp", *["ArrowRight"] * 5, "ArrowUp", *["ArrowRight"] * 5):
                if not pit(board, target).evaluate("one => one === document.activeElement"):
                    keys.press(key)
            expect(pit(board, target)).to_be_focused()
            keys.press("Enter")
        game.play(move)
        cell.moves(game.moves)
        shows(board, game.pits)
    assert len(game.moves) == 22
    says(board, re.compile("wins|Draw"))
    # The letters were no commands of JupyterLab, which add, cut and delete cells.
    assert cell.page.locator(".jp-Cell").count() == cells


@shown("opponent='greedy', seed=1")
def test_undo_and_hints(cell: Cell) -> None:
    board = cell.board
    expect(tool(board, "Undo")).to_be_disabled()
    pit(board, "C").click()
    cell.python("len(board.game.moves)", 2)
    tool(board, "Undo").click()
    cell.moves([])
    shows(board, [4] * 12)
    pit(board, "D").click()
    cell.python("len(board.game.moves)", 2)
    # The keys belong to the board that was clicked.
    expect(tool(board, "Undo")).to_be_enabled()
    cell.page.keyboard.press("u")
    cell.moves([])
    for left in (2, 1, 0):
        tool(board, f"Hint ({left + 1})").click()
        cell.python("board.hints", left)
        says(board, "Hint: play ")
        expect(board.locator("path[stroke='#3f9a4a']")).to_have_count(2)
        advised = cell.ask("board.message").split()[2][0]
        before = cell.ask("len(board.game.moves)")
        pit(board, advised).click()
        cell.python("len(board.game.moves)", before + 2)
        assert cell.ask(f"board.game.moves[{before}]") == LETTERS.index(advised)
    expect(tool(board, "Hint (0)")).to_be_disabled()


@shown(f"{DANGER}, opponent=None")
def test_an_empty_pit_is_refused_in_words(cell: Cell) -> None:
    # A pit that cannot be sown stays within reach of screen readers, and of clicks.
    expect(pit(cell.board, "A")).to_have_attribute("aria-disabled", "true")
    pit(cell.board, "A").click(force=True)
    says(cell.board, "A is empty")
    pit(cell.board, "a").focus()
    cell.page.keyboard.press("e")
    says(cell.board, "E is empty")
    cell.moves([])


@shown("opponent=None")
def test_a_position_is_edited_by_clicks_and_keys(cell: Cell) -> None:
    board, keys = cell.board, cell.page.keyboard

    def holds(letter: str, label: str) -> None:
        expect(pit(board, letter)).to_have_attribute("aria-label", label)

    tool(board, "Edit").click()
    cell.python("board.mode", "edit")
    tool(board, "Empty").click()
    shows(board, [0] * 12)
    pit(board, "F").click()
    holds("F", "South F, 1 seed")
    pit(board, "F").click()
    holds("F", "South F, 2 seeds")
    pit(board, "a").focus()
    keys.press("3")
    holds("a", "North a, 3 seeds")
    keys.press("-")
    holds("a", "North a, 2 seeds")
    pit(board, "b").click()
    pit(board, "c").click()
    holds("c", "North c, 1 seed")
    pit(board, "c").click(modifiers=["Shift"])
    holds("c", "North c, 0 seeds")
    tool(board, "Click adds").click()
    pit(board, "F").click()
    holds("F", "South F, 1 seed")
    store = board.get_by_role("button", name="South's store")
    store.focus()
    keys.press("1")
    expect(store).to_have_attribute("aria-label", "South's store, 1 seed")
    tool(board, "To move: South").click()
    tool(board, "To move: North").click()
    expect(tool(board, "To move: South")).to_be_visible()
    tool(board, "Play from here").click()
    cell.python("board.mode", "play")
    assert cell.ask("board.game.pits") == (0, 0, 0, 0, 0, 1, 2, 1, 0, 0, 0, 0)
    pit(board, "F").click()
    cell.moves([5])
    cell.python("board.game.stores", (4, 0))

    tool(board, "Edit").click()
    cell.python("board.mode", "edit")
    expect(tool(board, "Empty")).to_be_visible()
    pit(board, "a").focus()
    keys.press("9")
    holds("a", "North a, 9 seeds")
    keys.press("Escape")
    cell.python("board.mode", "play")
    cell.moves([5])


@cell(
    f"board = oware.Board(opponent=None)\nboard.replay(oware.Game.from_transcript({LINE!r}))\nboard"
)
def test_a_replay_is_scrubbed(cell: Cell) -> None:
    board, keys = cell.board, cell.page.keyboard
    slider = board.get_by_role("slider")
    slider.focus()
    for ply in (1, 2, 3):
        keys.press("ArrowRight")
        cell.python("board.ply", ply)
        shows(board, oware.Game.from_transcript(LINE[:ply]).pits)
    keys.press("End")
    cell.python("board.ply", 10)
    says(board, "10. North sowed c. South to move.")
    slider.fill("5")
    cell.python("board.ply", 5)
    shows(board, oware.Game.from_transcript(LINE[:5]).pits)
    tool(board, "One move back").click()
    cell.python("board.ply", 4)
    tool(board, "Play from here").click()
    cell.python("board.game.transcript()", LINE[:4])
    pit(board, "A").click()
    cell.python("board.game.transcript()", f"{LINE[:4]}A")


@shown(f"{DANGER}, opponent='greedy', seed=1, coach=True")
def test_the_coach_pauses_and_takes_back(cell: Cell) -> None:
    board = cell.board
    for answer in ("Take back", "Play on"):
        pit(board, "F").click()
        cell.python("board.paused", True)
        # The opponent waits; the threat is drawn, and the pits that it is to.
        cell.moves([5])
        says(board, "F is a blunder: f would capture 8 at once.")
        expect(board.get_by_role("group", name="Coach")).to_contain_text("blunder")
        expect(board.locator("path[stroke='#d8402f']")).to_have_count(2)
        for letter in "BCD":
            expect(pit(board, letter)).to_have_attribute("aria-label", re.compile("in danger"))
        tool(board, answer).click()
        cell.python("board.paused", False)
        if answer == "Take back":
            cell.moves([])
            assert cell.ask("board.ratings") == ()
    cell.python("board.game.moves", [5, 5])
    cell.python("board.game.stores", (15, 22))
    assert cell.ask("[one.rating for one in board.ratings]") == ["blunder"]


@shown(f"{DANGER}, opponent=None")
def test_the_coach_explains_in_words(cell: Cell) -> None:
    tool(cell.board, "Ask the coach").click()
    facts = cell.ask("[fact.text for fact in oware.analysis.explain(board.game).facts]")
    until(lambda: cell.board.locator(".oware-told li").all_inner_texts(), facts)
    assert any("threatens: f captures 8 seeds" in fact for fact in facts)


@cell(
    "calls = []\n"
    "def broken(observation, mask):\n"
    "    calls.append(1)\n"
    "    if len(calls) == 1:\n"
    "        raise RuntimeError('out of seeds')\n"
    "    return [7] if len(calls) == 2 else mask.argmax(1)\n"
    "board = oware.Board(opponent=broken)\nboard"
)
def test_an_opponent_that_raises_leaves_the_game_as_it_was(cell: Cell) -> None:
    board = cell.board
    for error in ("RuntimeError: out of seeds", "IllegalMoveError: action 7"):
        pit(board, "C").click()
        says(board, error)
        says(board, "The game is as it was.")
        cell.moves([])
        shows(board, [4] * 12)
    pit(board, "C").click()
    cell.moves([2, 0])


@shown(
    f"{DANGER}, opponent=None, task='Save your seeds.', goal='C', answers={{'B': 'D is taken.'}}"
)
def test_a_task_answers_wrong_moves_and_knows_the_right_one(cell: Cell) -> None:
    board = cell.board
    expect(board).to_contain_text("Save your seeds.")
    pit(board, "B").click()
    says(board, "D is taken.")
    pit(board, "F").click()
    says(board, "F is not the move")
    cell.moves([])
    pit(board, "C").click()
    says(board, "Well done!")
    cell.python("(board.solved, board.game.moves)", (True, [2]))


@cell(
    "board = oware.Board(opponent=None)\ntwin = oware.Board(opponent=None)\n"
    "display(board)\ndisplay(twin)"
)
def test_two_boards_are_independent(cell: Cell) -> None:
    one, twin = cell.board.nth(0), cell.board.nth(1)
    pit(one, "A").click()
    cell.moves([0])
    pit(twin, "F").click()
    cell.python("twin.game.moves", [5])
    cell.moves([0])
    # From Python, too.
    cell.run("board.play('a')")
    shows(one, oware.Game.from_transcript("Aa").pits)
    shows(twin, oware.Game.from_transcript("F").pits)
    tool(one, "New game").click()
    cell.moves([])
    assert cell.ask("twin.game.moves") == [5]


@shown("opponent=None")
def test_a_board_that_is_slow_to_load_is_not_dead(cell: Cell, page: Page) -> None:
    page.evaluate("window.patient = AbortSignal.timeout")
    # anywidget gives up at once, not after its two seconds.
    page.evaluate("AbortSignal.timeout = () => window.patient.call(AbortSignal, 0)")
    cell.board.evaluate("one => one.classList.add('of-before')")
    with page.expect_event("pageerror", lambda error: LATE in str(error)):
        page.keyboard.press("Control+Enter")
    expect(cell.place.locator(".of-before")).to_have_count(0)
    pit(cell.board, "C").click()
    page.evaluate("AbortSignal.timeout = window.patient")
    cell.moves([2])
    shows(cell.board, oware.Game.from_transcript("C").pits)


@shown(f"oware.Game.from_transcript({LINE[:9]!r}), opponent=None")
def test_seeds_move_one_by_one(cell: Cell, page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    board = cell.board
    board.locator(".oware-table > svg").evaluate(
        """svg => {
            window.seen = [];
            const pits = [...svg.querySelectorAll(".oware-seeds")].slice(0, 12);
            new MutationObserver(() => {
                window.seen.push(pits.map((one) => one.childElementCount).join());
            }).observe(svg, { childList: true, subtree: true });
        }"""
    )
    pits = list(cell.ask("board.game.pits"))
    held, pits[7] = pits[7], 0
    wanted = [",".join(map(str, pits))]
    for seed in range(held):
        pits[(8 + seed) % 12] += 1
        wanted.append(",".join(map(str, pits)))
    pit(board, "b").click()
    cell.python("len(board.game.moves)", 10)
    shows(board, cell.ask("board.game.pits"))
    seen = [*dict.fromkeys(page.evaluate("window.seen"))]
    assert [one for one in seen if one in wanted] == wanted


@shown("opponent=None")
def test_without_motion_seeds_do_not_move(cell: Cell, page: Page) -> None:
    cell.board.locator(".oware-hand").evaluate(
        """hand => {
            window.held = 0;
            new MutationObserver(() => {
                window.held += hand.childElementCount;
            }).observe(hand, { childList: true });
        }"""
    )
    pit(cell.board, "C").click()
    shows(cell.board, oware.Game.from_transcript("C").pits)
    assert page.evaluate("window.held") == 0


@shown("opponent=None, coach=True")
def test_a_phones_width_is_enough(cell: Cell, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    board = cell.board
    expect(board).to_have_class(re.compile("oware-small"))
    board.scroll_into_view_if_needed()
    assert board.evaluate("one => one.scrollWidth <= one.clientWidth")
    boxes = [pit(board, letter).bounding_box() for letter in LETTERS]
    assert all(box and min(box["width"], box["height"]) >= 24 for box in boxes)
    for one, other in pairwise(box["x"] if box else 0 for box in boxes[:6]):
        assert other - one >= 24
    pit(board, "C").click()
    cell.moves([2])
    shows(board, oware.Game.from_transcript("C").pits)


# axe-core goes through the whole page, so the boards of other cells are out of it meanwhile.
AXE = """async (where) => {
    const others = [...document.querySelectorAll(".jp-Cell .oware")]
        .filter((one) => !one.matches(where))
        .map((one) => [one, document.createComment("")]);
    for (const [one, mark] of others) one.replaceWith(mark);
    try {
        // Boards have no frames, and no style sheets from elsewhere to be waited for.
        return await axe.run(where, { iframes: false, preload: false });
    } finally {
        for (const [one, mark] of others) mark.replaceWith(one);
    }
}"""


def violations(page: Page, where: str) -> list[str]:
    """What axe-core finds, a line each."""
    if not page.evaluate("'axe' in window"):
        source = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        page.evaluate(f"() => {{ {source} }}")
    found = page.evaluate(AXE, where)["violations"]
    return [
        f"{one['id']}: {one['help']}: {json.dumps([node['html'] for node in one['nodes']])[:500]}"
        for one in found
    ]


def themed(theme: str, width: int) -> Any:
    board = f"{DANGER}, opponent=None, coach=True, task='Try it.', theme={theme!r}"
    return pytest.param(theme, width, marks=shown(board), id=f"{theme}-{width}")


@pytest.mark.parametrize(
    ("theme", "width"),
    [themed("auto", 1000), themed("light", 360), themed("dark", 360)],
)
def test_axe_finds_nothing_to_complain_of(cell: Cell, page: Page, theme: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    board = cell.board
    expect(board).to_have_attribute("data-theme", theme)
    expect(board).to_have_class(re.compile("oware-small" if width < 500 else "^oware$"))
    board.evaluate("one => one.classList.add('under-test')")
    where = ".under-test"
    tool(board, "Hint (3)").click()
    says(board, "Hint: play ")
    tool(board, "Ask the coach").click()
    expect(board.locator(".oware-told li").first).to_be_visible()
    assert violations(page, where) == []
    pit(board, "F").click()
    expect(tool(board, "Take back")).to_be_visible()
    assert violations(page, where) == []
    tool(board, "Play on").click()
    tool(board, "Edit").click()
    expect(tool(board, "Empty")).to_be_visible()
    assert violations(page, where) == []
    tool(board, "Back to the game").click()
    tool(board, "Replay").click()
    expect(board.get_by_role("slider")).to_be_visible()
    assert violations(page, where) == []


@cell("from oware import course\nboard = course.puzzle_series()\nboard")
def test_axe_finds_nothing_to_complain_of_in_a_list_of_puzzles(cell: Cell, page: Page) -> None:
    tool(cell.board, "Next puzzle").click()
    expect(cell.board).to_contain_text("Puzzle 2 of 49.")
    cell.board.evaluate("one => one.classList.add('with-puzzles')")
    assert violations(page, ".with-puzzles") == []


@cell(f"oware.replay(oware.Game.from_transcript({LINE!r}))")
def test_a_replay_shows_itself_in_a_notebook(cell: Cell) -> None:
    board = cell.place.frame_locator("iframe").locator(".oware")
    tool(board, "To the end").click()
    shows(board, oware.Game.from_transcript(LINE).pits)


@shown("opponent=None")
def test_reopened_without_a_kernel_the_last_picture_is_there(
    cell: Cell, lab: Lab, page: Page
) -> None:
    picture = cell.place.locator("img.oware-still")
    expect(picture).to_be_hidden()
    pit(cell.board, "C").click()
    cell.moves([2])
    alt = re.compile("pits A to F hold 4, 4, 0, 5, 5, 5.*Last move: C")
    expect(picture).to_have_attribute("alt", alt)
    cell.notebook.save()
    cell.notebook.close()
    saved = nbformat.read(cell.notebook.file, as_version=4)
    # A kernel that is not there: JupyterLab asks for another one, and gets none. Told the language,
    # it may take one without asking.
    saved.metadata.pop("language_info", None)
    saved.metadata.kernelspec = {"name": "gone", "display_name": "Gone"}
    nbformat.write(saved, lab.root / "reopened.ipynb")
    page.goto(lab.url("reopened.ipynb"))
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="No Kernel", exact=True).click()
    expect(picture).to_be_visible()
    expect(picture).to_have_attribute("alt", alt)
    assert picture.evaluate("one => one.complete && one.naturalWidth > 0")
    expect(cell.board).to_have_count(0)


@pytest.mark.parametrize("width", [360, 1000])
def test_a_replay_is_a_page_of_its_own(page: Page, tmp_path: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    game = oware.Game.from_transcript(LINE)
    found = oware.analysis.review(game, depth=6)
    file = tmp_path / "game.html"
    oware.replay(game, review=found, title="A <b>short</b> game").save(file)
    page.goto(file.as_uri())
    board = page.locator(".oware")
    expect(page.get_by_role("heading")).to_have_text("A <b>short</b> game")
    shows(board, [4] * 12)
    page.keyboard.press("Tab")
    for ply in range(1, 11):
        page.keyboard.press("ArrowRight")
        shows(board, oware.Game.from_transcript(LINE[:ply]).pits)
        expect(board.locator(".oware-pill")).to_have_text(found.moves[ply - 1].rating)
    tool(board, "To the start").click()
    shows(board, [4] * 12)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page, "body") == []
