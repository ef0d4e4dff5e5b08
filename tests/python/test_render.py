from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from oware import render
from oware.render import BoardView, _font, _raster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SVG = "{http://www.w3.org/2000/svg}"
# Centres of the absolute pits and of the stores in a picture 240 high.
COLUMNS = [127.5, 204.5, 281.5, 358.5, 435.5, 512.5]
PITS = [(x, 142.0) for x in COLUMNS] + [(x, 74.0) for x in reversed(COLUMNS)]
STORES = [(590.0, 95.0), (50.0, 121.0)]
LETTERS = "ABCDEFabcdef"

START = BoardView((4,) * 12, (0, 0), 0, caption="South to move")
# Every number is there once, so that each tells its place.
DISTINCT = BoardView((1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31), (37, 240), 0)
PLAYED = BoardView((4, 4, 4, 4, 4, 0, 5, 5, 0, 0, 4, 4), (5, 0), 1, last_move=5, captured=(8, 9))


@dataclass(frozen=True)
class StubGame:
    pits: tuple[int, ...] = (4,) * 12
    stores: tuple[int, int] = (0, 0)
    to_move: int = 0
    last_move: int | None = None
    last_captures: tuple[int, ...] = ()
    is_over: bool = False
    termination: str | None = None
    winner: int | None = None


def parsed(board: BoardView) -> ET.Element:
    return ET.fromstring(render.svg(board))  # noqa: S314 - our own text


def drawn(board: BoardView, tag: str) -> Iterator[tuple[ET.Element, dict[str, str]]]:
    """The elements of a kind, each with its own attributes and those of its group."""
    for group in parsed(board).iter(f"{SVG}g"):
        for element in group.iter(SVG + tag):
            yield element, {**group.attrib, **element.attrib}


def texts(board: BoardView) -> list[tuple[float, float, str, str]]:
    """x, y, string and colour of every text in the SVG."""
    return [
        (float(style["x"]), float(style["y"]), element.text or "", style["fill"])
        for element, style in drawn(board, "text")
    ]


def seeds_at(board: BoardView, place: tuple[float, float]) -> list[tuple[float, float]]:
    """Centres of the seeds in the SVG that lie within a pit or a store."""
    centres = [
        (float(style["cx"]), float(style["cy"]))
        for _, style in drawn(board, "circle")
        if style["r"] == "6.6"
    ]
    reach = 68 if place in STORES else 30
    return [at for at in centres if abs(at[0] - place[0]) < 32 and abs(at[1] - place[1]) < reach]


def changed(one: BoardView, other: BoardView) -> NDArray[np.intp]:
    """(row, column) of the pixels in which two boards differ, in pictures 240 high."""
    return np.argwhere((render.rgb_array(one) != render.rgb_array(other)).any(axis=2))


def distances(pixels: NDArray[np.intp], place: tuple[float, float]) -> NDArray[np.float64]:
    away: NDArray[np.float64] = np.hypot(
        pixels[:, 1] + 0.5 - place[0], pixels[:, 0] + 0.5 - place[1]
    )
    return away


# What stands where


def test_rows_run_counter_clockwise_with_stores_at_the_right_hands() -> None:
    at = {text: (x, y) for x, y, text, _ in texts(START) if text.isalpha()}
    assert sorted("fedcba", key=lambda pit: at[pit][0]) == list("fedcba")
    assert sorted("ABCDEF", key=lambda pit: at[pit][0]) == list("ABCDEF")
    assert {at[pit][1] for pit in "abcdef"} == {at["North"][1]}
    assert {at[pit][1] for pit in "ABCDEF"} == {at["South"][1]}
    assert at["North"][1] < at["South"][1]
    assert at["North"][0] < at["f"][0] == at["A"][0]
    assert at["South"][0] > at["a"][0] == at["F"][0]


@pytest.mark.parametrize("pit", range(12))
def test_the_svg_says_the_count_beside_its_pit(pit: int) -> None:
    x, y = PITS[pit]
    near = [
        text
        for at_x, at_y, text, _ in texts(DISTINCT)
        if text.isdigit() and at_x == x and abs(at_y - y) < 60 and (at_y > y) == (pit < 6)
    ]
    assert near == [str(DISTINCT.pits[pit])]
    letters = [text for at_x, _, text, _ in texts(DISTINCT) if at_x == x and text in LETTERS]
    assert LETTERS[pit] in letters


@pytest.mark.parametrize("seat", [0, 1])
def test_the_svg_says_the_count_beside_its_store(seat: int) -> None:
    near = [text for x, _, text, _ in texts(DISTINCT) if x == STORES[seat][0] and text.isdigit()]
    assert near == [str(DISTINCT.stores[seat])]


@pytest.mark.parametrize("pit", [0, 4, 6, 11])
@pytest.mark.parametrize("count", [*range(14), 19, 20, 31, 240])
def test_a_pit_shows_its_seeds_up_to_nineteen(pit: int, count: int) -> None:
    pits = [0] * 12
    pits[pit] = count
    board = BoardView(tuple(pits), (0, 0), 0)
    seeds = seeds_at(board, PITS[pit])
    assert len(seeds) == min(count, 19)
    assert all(math.dist(seed, PITS[pit]) + 6.6 <= 29.5 for seed in seeds)
    # The first twelve lie side by side, give or take the rounding of coordinates.
    assert all(math.dist(*pair) > 13.18 for pair in combinations(seeds[:12], 2))
    others = [place for place in PITS + STORES if place != PITS[pit]]
    assert not any(seeds_at(board, place) for place in others)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_store_shows_its_seeds_inside_itself(seat: int) -> None:
    for count in (0, 1, 24, 35):
        stores = (count, 0) if seat == 0 else (0, count)
        board = BoardView((0,) * 12, stores, 0)
        seeds = seeds_at(board, STORES[seat])
        assert len(seeds) == count
        assert all(math.dist(*pair) > 13.18 for pair in combinations(seeds, 2))
        assert not seeds_at(board, STORES[1 - seat])
        # Only the pixels of the store, its count and no others tell it from an empty one.
        pixels = changed(board, BoardView((0,) * 12, (0, 0), 0))
        assert (np.abs(pixels[:, 1] + 0.5 - STORES[seat][0]) < 32).all()


# Marks


@pytest.mark.parametrize("pit", range(12))
def test_the_last_move_and_a_capture_mark_the_rim_of_their_pit_and_differ(pit: int) -> None:
    moved, taken = replace(START, last_move=pit), replace(START, captured=(pit,))
    for marked in (moved, taken):
        pixels = changed(START, marked)
        rim = distances(pixels, PITS[pit])
        assert len(pixels) > 150
        assert rim.min() > 28
        assert rim.max() < 36
        # All round: a mark in each of the eight directions.
        angles = np.arctan2(pixels[:, 0] - PITS[pit][1], pixels[:, 1] - PITS[pit][0])
        assert len(set(np.floor(angles / (math.pi / 4)) % 8)) == 8
    assert len(changed(moved, taken)) > 150
    assert render.svg(moved) != render.svg(taken)


def test_the_last_move_is_a_ring_and_a_capture_is_dots() -> None:
    blue = np.array([0x14, 0x56, 0x7A])
    x, y = PITS[3]
    around = np.linspace(0, 2 * math.pi, 200, endpoint=False)
    rows = np.floor(y + 32 * np.sin(around)).astype(int)
    columns = np.floor(x + 32 * np.cos(around)).astype(int)
    ring = render.rgb_array(replace(START, last_move=3))[rows, columns].astype(int)
    assert np.abs(ring - blue).max() < 12
    dots = render.rgb_array(replace(START, captured=(3,)))[rows, columns].astype(int)
    red = (dots[:, 0] > 140) & (dots[:, 1] < 70)
    # From wood to dot and back, twenty times around.
    assert np.count_nonzero(red & ~np.roll(red, 1)) == 20


@pytest.mark.parametrize(("to_move", "lit"), [(0, "ABCDEF"), (1, "abcdef")])
def test_the_row_of_the_player_to_move_is_lit(to_move: int, lit: str) -> None:
    board = replace(START, to_move=to_move)
    colours: dict[str, set[str]] = {}
    for _, _, text, colour in texts(board):
        if text in LETTERS or text in ("South", "North"):
            colours.setdefault(colour, set()).add(text)
    assert {*lit, ("South", "North")[to_move]} in colours.values()
    assert len(colours) == 2
    over = {colour for *_, text, colour in texts(replace(board, is_over=True)) if text in LETTERS}
    assert len(over) == 1
    # The bar along the row, above North's pits or below South's.
    bar = changed(board, replace(board, is_over=True))
    in_bar = bar[(bar[:, 1] > 100) & (np.abs(bar[:, 0] - (198, 18)[to_move]) < 2)]
    assert len(set(in_bar[:, 1])) > 400


def test_a_caption_changes_the_line_under_the_board_alone() -> None:
    pixels = changed(START, replace(START, caption="South to play"))
    assert len(pixels)
    assert pixels[:, 0].min() > 215


# The SVG as a document


@pytest.mark.parametrize("board", [START, DISTINCT, PLAYED])
def test_the_svg_is_plain_and_refers_to_nothing(board: BoardView) -> None:
    root = parsed(board)
    assert root.get("viewBox") == "0 0 640 240"
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "g", "rect", "circle", "text"}
    names = {name for element in root.iter() for name in element.attrib}
    assert not {name for name in names if name == "id" or "href" in name or name.startswith("on")}
    assert not re.search(r"url\(|@import|data:", render.svg(board))


def test_the_background_covers_the_picture() -> None:
    _, first = next(drawn(START, "rect"))
    assert [first[name] for name in ("x", "y", "width", "height")] == ["0", "0", "640", "240"]
    assert "fill-opacity" not in first


def test_every_mark_lies_within_the_picture() -> None:
    for board in (START, DISTINCT, PLAYED):
        for _, style in drawn(board, "circle"):
            assert float(style["r"]) <= float(style["cx"]) <= 640 - float(style["r"])
            assert float(style["r"]) <= float(style["cy"]) <= 240 - float(style["r"])
        for _, style in drawn(board, "rect"):
            assert min(float(style["x"]), float(style["y"])) >= 0
            assert float(style["x"]) + float(style["width"]) <= 640
            assert float(style["y"]) + float(style["height"]) <= 240


def test_the_label_states_the_board() -> None:
    root = parsed(replace(PLAYED, caption="North to move"))
    assert root.get("role") == "img"
    assert root.get("aria-label") == (
        "Oware board. South: 5 in store, pits A to F hold 4, 4, 4, 4, 4, 0. "
        "North: 0 in store, pits a to f hold 5, 5, 0, 0, 4, 4. "
        "Last move: F. Captured: c, d. North to move."
    )


def test_the_label_of_a_finished_game_gives_the_result() -> None:
    board = replace(START, is_over=True, caption="North wins 27-21 (majority)")
    label = parsed(board).get("aria-label") or ""
    assert label.endswith("4. North wins 27-21 (majority).")


def test_a_caption_cannot_break_out_of_its_text() -> None:
    caption = "</text><script>\"'&amp;]]>"
    board = replace(START, caption=caption)
    assert caption in [text for _, _, text, _ in texts(board)]
    assert caption in (parsed(board).get("aria-label") or "")


def test_html_is_one_block_around_the_svg() -> None:
    page = ET.fromstring(f"<body>{render.html(PLAYED)}{render.html(START)}</body>")  # noqa: S314
    assert [child.tag for child in page] == ["div", "div"]
    assert ET.tostring(page[0][0]) == ET.tostring(parsed(PLAYED))


# The pixels


@pytest.mark.parametrize(
    ("height", "width"), [(60, 160), (84, 224), (119, 317), (240, 640), (361, 963), (2160, 5760)]
)
def test_an_array_is_fresh_and_of_the_asked_size(height: int, width: int) -> None:
    picture = render.rgb_array(PLAYED, height=height)
    assert picture.shape == (height, width, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous
    assert picture.flags.owndata
    assert picture.flags.writeable
    before = picture.copy()
    picture[:] = 0
    assert np.array_equal(render.rgb_array(PLAYED, height=height), before)


def test_the_default_height_is_240() -> None:
    assert np.array_equal(render.rgb_array(PLAYED), render.rgb_array(PLAYED, height=240))
    assert render.rgb_array(PLAYED, height=np.int64(90)).shape[0] == 90


@pytest.mark.parametrize("height", [-240, 0, 59, 2161])
def test_a_height_out_of_bounds_is_refused(height: int) -> None:
    with pytest.raises(ValueError, match=rf"height is {height} pixels; choose one from 60 to 2160"):
        render.rgb_array(START, height=height)


@pytest.mark.parametrize("height", [240.0, "240", None])
def test_a_height_that_is_no_integer_is_refused(height: object) -> None:
    with pytest.raises(TypeError, match="integer"):
        render.rgb_array(START, height=height)  # type: ignore[arg-type]


def test_pixels_do_not_depend_on_what_was_drawn_before() -> None:
    warm = render.rgb_array(PLAYED)
    for cached in (_raster._empty_board, _raster._shape_stamp, _raster._glyph_stamp):
        cached.cache_clear()
    assert np.array_equal(render.rgb_array(PLAYED), warm)


def test_a_large_picture_is_the_small_one_enlarged() -> None:
    small = render.rgb_array(PLAYED, height=240).astype(float)
    large = render.rgb_array(PLAYED, height=960).astype(float)
    mean = large.reshape(240, 4, 640, 4, 3).mean(axis=(1, 3))
    assert np.abs(mean - small).mean() < 2
    # No place is off by more than an edge that falls between two pixels.
    blocks = (mean - small).reshape(30, 8, 80, 8, 3).mean(axis=(1, 3))
    assert np.abs(blocks).max() < 25


def test_discs_have_smooth_edges() -> None:
    board = BoardView((0,) * 12, (0, 0), 0, is_over=True)
    one = replace(board, pits=(1, *board.pits[1:]))
    pixels = changed(board, one)
    seed = pixels[distances(pixels, PITS[0]) < 10]
    area = math.pi * 6.6**2
    assert abs(len(seed) - area) < 45
    # Between the dark rim and the light body lie pixels of neither colour.
    shades = render.rgb_array(one)[seed[:, 0], seed[:, 1], 0]
    assert np.count_nonzero((shades > 80) & (shades < 180)) > 15


def reads(picture: NDArray[np.uint8], text: str) -> bool:
    """Whether the dots below pit A, in a picture 240 high two pixels wide, are those of a text."""
    light = picture[174:194, 90:166].mean(axis=2)
    ink = (light.max() - light) / (light.max() - light.min())
    (top, bottom), (left, right) = (
        np.flatnonzero((ink > 0.5).any(axis=axis))[[0, -1]] for axis in (1, 0)
    )
    ink = ink[top : bottom + 1, left : right + 1]
    # Strokes may reach into a dot beside them, but do not fill it.
    dots = ink.reshape(len(ink) // 2, 2, -1, 2).mean(axis=(1, 3)) > 0.75
    want = [".".join(row) for row in zip(*map(_font._glyph, text), strict=True)]
    return ["".join(".#"[dot] for dot in row) for row in dots.astype(int)] == want


@pytest.mark.parametrize("count", [*range(21), 31, 48, 99, 100, 147, 189, 240])
def test_a_count_can_be_read_from_the_pixels(count: int) -> None:
    picture = render.rgb_array(BoardView((count,) + (0,) * 11, (0, 0), 1))
    assert reads(picture, str(count))
    assert not reads(picture, str(count + 1))


@pytest.mark.parametrize("height", [60, 119, 120, 240])
def test_all_counts_look_different_at_every_size(height: int) -> None:
    pictures = {
        render.rgb_array(replace(START, pits=(count,) * 12), height=height).tobytes()
        for count in range(0, 241, 1 if height < 120 else 8)
    }
    assert len(pictures) == (241 if height < 120 else 31)


def test_characters_look_different_and_unknown_ones_are_boxes() -> None:
    # The letter O is a zero.
    known = "0123456789ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-+/().,:'!?=% "
    for dot in (1.0, 2.0):
        images = {char: _font.coverage(char, dot, 0.0) for char in known + "\N{SNOWMAN}"}
        assert len({(image.shape, image.tobytes()) for image in images.values()}) == len(images)
    box = _font.coverage("\N{SNOWMAN}", 1.0, 0.0)
    assert np.array_equal(box, _font.coverage("\N{BLACK CHESS KING}", 1.0, 0.0))


def test_a_long_caption_shrinks_to_fit() -> None:
    board = replace(START, caption="South has the move and may take it slowly. " * 6)
    for height in (60, 120, 240):
        picture = render.rgb_array(board, height=height)
        side = round(height / 8)
        assert (picture[-round(height / 10) :, :side] == picture[0, 0]).all()
        assert (picture[-round(height / 10) :, -side:] == picture[0, 0]).all()


# Boards


def variations() -> list[BoardView]:
    """Boards that differ from one another in one thing or another."""
    boards = [START, PLAYED, DISTINCT, replace(START, to_move=1), replace(START, is_over=True)]
    for pit in range(12):
        pits = tuple(count + (place == pit) for place, count in enumerate(START.pits))
        boards += [
            replace(START, pits=pits),
            replace(START, last_move=pit),
            replace(START, captured=(pit,)),
        ]
    return [*boards, replace(START, stores=(1, 0)), replace(START, stores=(0, 1))]


@pytest.mark.parametrize("height", [60, 240])
def test_different_boards_give_different_pixels(height: int) -> None:
    boards = variations()
    assert len({render.rgb_array(board, height=height).tobytes() for board in boards}) == len(
        boards
    )


def test_different_boards_give_different_svgs_and_equal_boards_equal_ones() -> None:
    boards = variations()
    pictures = [render.svg(board) for board in boards]
    assert len(set(pictures)) == len(boards)
    assert [render.svg(board) for board in variations()] == pictures


@pytest.mark.parametrize(
    ("game", "caption"),
    [
        (StubGame(), "South to move"),
        (StubGame(to_move=1), "North to move"),
        (
            StubGame(stores=(27, 21), is_over=True, termination="majority", winner=0),
            "South wins 27-21 (majority)",
        ),
        (
            StubGame(stores=(20, 28), is_over=True, termination="no_move", winner=1),
            "North wins 28-20 (no move)",
        ),
        (
            StubGame(stores=(24, 24), is_over=True, termination="even_split"),
            "Draw 24-24 (even split)",
        ),
        (StubGame(is_over=True), "Draw 0-0"),
    ],
)
def test_a_game_is_drawn_as_its_view(game: StubGame, caption: str) -> None:
    view = BoardView.of(game)
    assert view.caption == caption
    assert view.is_over == game.is_over
    assert render.svg(game) == render.svg(view)
    assert render.html(game) == render.html(view)
    assert render.describe(game) == render.describe(view)
    assert np.array_equal(render.rgb_array(game), render.rgb_array(view))


def test_a_view_takes_over_the_marks_of_a_game() -> None:
    game = StubGame(PLAYED.pits, PLAYED.stores, 1, last_move=5, last_captures=(8, 9))
    assert BoardView.of(game) == replace(PLAYED, caption="North to move")


def test_numbers_of_numpy_are_welcome() -> None:
    pits, stores = np.full(12, 240, dtype=np.uint8), np.array([255, 0], dtype=np.uint8)
    one: Any = np.int8(1)
    three: Any = np.int64(3)
    board = BoardView(tuple(pits), tuple(stores), one, last_move=three)
    plain = BoardView((240,) * 12, (255, 0), 1, last_move=3)
    assert board == plain
    assert repr(board) == repr(plain)
    assert render.svg(board) == render.svg(plain)


@pytest.mark.parametrize(
    ("arguments", "reasons"),
    [
        ({"pits": (4,) * 11}, ["pits has 11 entries, give 12"]),
        ({"stores": (0, 0, 0)}, ["stores has 3 entries, give 2"]),
        ({"pits": (-1,) + (4,) * 11}, ["fewer than 0 seeds"]),
        ({"stores": (0, -2)}, ["fewer than 0 seeds"]),
        ({"to_move": 2}, ["to_move is 2, give 0 for South or 1 for North"]),
        ({"last_move": 12}, ["last_move is 12, give a pit from 0 to 11 or None"]),
        ({"captured": (3, -1)}, ["captured has -1, give pits from 0 to 11"]),
        ({"caption": "one\ntwo"}, ["caption is 'one\\ntwo', give one line"]),
        (
            {"pits": (), "stores": (), "to_move": -1},
            ["pits has 0", "stores has 0", "to_move is -1"],
        ),
    ],
)
def test_an_impossible_view_is_refused_with_every_reason(
    arguments: dict[str, object], reasons: list[str]
) -> None:
    with pytest.raises(ValueError, match=re.escape(reasons[0])) as error:
        BoardView(**{"pits": (4,) * 12, "stores": (0, 0), "to_move": 0, **arguments})  # type: ignore[arg-type]
    for reason in reasons:
        assert reason in str(error.value)


@pytest.mark.parametrize("pits", [(4.0,) * 12, ("4",) * 12])
def test_seeds_are_whole_numbers(pits: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="integer"):
        BoardView(pits, (0, 0), 0)  # type: ignore[arg-type]
