"""Themes, arrows, values, boards as text and many boards in one picture."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from packaging.version import Version

import oware
from oware import render
from oware.render import Arrow, BoardView, _ansi
from strategies import random_game
from videos import recorded_game

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
START = BoardView((4,) * 12, (0, 0), 0, caption="South to move")
VALUES = (2.0, -1.5, None, 0.0, 40.0, -40.0)


def changed(one: BoardView, other: BoardView) -> tuple[Any, Any]:
    """Rows and columns of the pixels in which two boards differ."""
    rows, columns = np.nonzero((render.rgb_array(one) != render.rgb_array(other)).any(axis=2))
    return rows, columns


# Themes


def test_light_and_dark_differ_around_the_board_and_not_on_it() -> None:
    dark, light = (render.rgb_array(START, theme=theme) for theme in ("dark", "light"))
    assert np.array_equal(dark, render.rgb_array(START))
    assert dark[2, 2].mean() < 80 < 220 < light[2, 2].mean()
    assert np.array_equal(dark[30:185, 12:628], light[30:185, 12:628])
    # Dark letters on light ground and the other way round.
    assert light[218:234, 250:390].min() < 60
    assert dark[218:234, 250:390].max() > 200


def test_auto_is_dark_for_readers_without_css_and_names_both_colours() -> None:
    auto, dark, light = (render.svg(START, theme=theme) for theme in ("auto", "dark", "light"))
    assert render.svg(START) == auto
    pairs = re.findall(r'fill="(#\w+)" style="fill:light-dark\((#\w+),(#\w+)\)"', auto)
    assert pairs
    assert all(attribute == in_the_dark for attribute, _, in_the_dark in pairs)
    plain = re.sub(r' style="fill:light-dark\([^"]*"', "", auto)
    assert plain.replace(";color-scheme:light dark", "") == dark
    assert (
        re.sub(r'fill="#\w+" style="fill:light-dark\((#\w+),#\w+\)"', r'fill="\1"', auto).replace(
            ";color-scheme:light dark", ""
        )
        == light
    )


def test_html_has_the_theme_of_its_svg() -> None:
    for theme in ("auto", "light", "dark"):
        assert render.svg(START, theme=theme) in render.html(START, theme=theme)


# Arrows


@pytest.mark.parametrize(("start", "end"), [(0, 5), (5, 6), (2, 8), (10, 3), (11, 0), (6, 7)])
def test_an_arrow_leads_from_pit_to_pit(start: int, end: int) -> None:
    board = replace(START, arrows=(Arrow(start, end),))
    root = ET.fromstring(render.svg(board))  # noqa: S314 - our own text
    lines = [element.get("points", "").split() for element in root.iter(f"{SVG}polyline")]
    assert len(lines) == 4
    centres = [(127.5 + 77 * n, 142.0) for n in range(6)]
    centres += [(x, 74.0) for x, _ in reversed(centres)]
    ends = [tuple(map(float, point.split(","))) for point in (lines[0][0], lines[0][-1])]
    assert ends == [centres[start], centres[end]]
    rows, columns = changed(START, board)
    for x, y in (centres[start], centres[end]):
        assert np.hypot(columns + 0.5 - x, rows + 0.5 - y).min() < 1
    names = "ABCDEFabcdef"
    assert f"Arrow: {names[start]} to {names[end]}." in (root.get("aria-label") or "")


def test_kinds_of_arrows_have_their_own_colours_and_words() -> None:
    boards = [replace(START, arrows=(Arrow(2, 6, kind),)) for kind in ("move", "best", "threat")]
    pictures = {render.rgb_array(board).tobytes() for board in boards}
    assert len(pictures) == 3
    labels = [render.svg(board).split('"')[13] for board in boards]
    assert [re.search(r"(\w+ ?\w*): C to a", label)[1] for label in labels] == [  # type: ignore[index]
        *("Arrow", "Best move", "Threat")
    ]


def test_the_picture_with_arrows_is_the_same_at_any_size() -> None:
    board = replace(START, arrows=(Arrow(0, 11, "threat"), Arrow(5, 6)), values=VALUES)
    small = render.rgb_array(board, height=240).astype(float)
    large = render.rgb_array(board, height=960).astype(float)
    mean = large.reshape(240, 4, 640, 4, 3).mean(axis=(1, 3))
    assert np.abs(mean - small).mean() < 2


# Values


@pytest.mark.parametrize("to_move", [0, 1])
def test_values_are_bars_up_and_down_beside_the_movers_pits(to_move: int) -> None:
    board = replace(START, to_move=to_move)
    rows, columns = changed(board, replace(board, values=VALUES))
    y = (142.0, 74.0)[to_move]
    middles = [127.5 + 77 * n - 38.5 for n in range(6)]
    if to_move:
        middles.reverse()
    picture = render.rgb_array(replace(board, values=VALUES)).astype(int)
    for x, value in zip(middles, VALUES, strict=True):
        beside = (np.abs(columns + 0.5 - x) < 4) & (np.abs(rows + 0.5 - y) < 28)
        assert beside.any() == (value is not None)
        if not value:
            continue
        up, down = (picture[int(y + side * 12), int(x)] for side in (-1, 1))
        assert (up[1] > up[0] + 40) == (value == 40.0)
        assert (down[0] > down[1] + 60) == (value == -40.0)


def test_values_are_told_in_words_and_numbers() -> None:
    text = render.svg(replace(START, values=VALUES))
    assert "Moves are worth: A +2.0, B -1.5, D +0.0, E +40.0, F -40.0." in text
    assert all(f">{number}<" in text for number in ("+2", "-1.5", "+0", "+40", "-40"))


# Text


def test_without_colours_it_is_the_text_of_a_game() -> None:
    for seed in range(20):
        game = random_game(seed)
        assert render.ansi(game, color=False) == str(game)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", render.ansi(game, color=True))
        assert plain == str(game)


def test_colours_mark_the_mover_the_last_move_and_captures() -> None:
    board = replace(START, to_move=1, last_move=5, captured=(8, 9))
    north_letters, north, south, _, _ = render.ansi(board, color=True).splitlines()
    assert "\x1b[1mf    e" in north_letters
    assert north.count("\x1b[1;91m") == 2
    assert "\x1b[2m[  4]\x1b[0m" in south
    assert "\x1b[1;94m[  4]\x1b[0m   0" in south


@pytest.mark.parametrize(
    ("variables", "terminal", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
    ],
)
def test_the_environment_decides_about_colours(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], terminal: bool, coloured: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    assert _ansi.has_colour() == coloured
    env = gymnasium.make("oware/Oware-v0", render_mode="ansi")
    env.reset(seed=1)
    assert ("\x1b[" in str(env.render())) == coloured


# Many boards


@pytest.mark.parametrize(("count", "columns", "across"), [(1, None, 1), (12, None, 3), (5, 2, 2)])
def test_tiles_are_the_boards_row_by_row(count: int, columns: int | None, across: int) -> None:
    env = oware.OwareEnv(count)
    env.reset(seed=3)
    env.step(np.arange(count) % 6)
    games = [env.game(i) for i in range(count)]
    picture = render.tiled(games, columns=columns, height=90)
    assert picture.shape == (-(-count // across) * 93 + 3, across * 243 + 3, 3)
    for i, game in enumerate(games):
        top, left = 3 + 93 * (i // across), 3 + 243 * (i % across)
        tile = picture[top : top + 90, left : left + 240]
        assert np.array_equal(tile, render.rgb_array(game, height=90))


# Videos


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """The frames of each video, by path.

    Gymnasium leaves the encoding to moviepy, for which a stand-in keeps what it is given.
    """
    kept: dict[str, list[Any]] = {}

    def clip(frames: list[Any], fps: int) -> SimpleNamespace:
        assert fps == 4
        return SimpleNamespace(write_videofile=lambda path, **_: kept.update({path: frames}))

    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sequence = ModuleType("moviepy.video.io.ImageSequenceClip")
    sequence.ImageSequenceClip = clip  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, sequence.__name__, sequence)
    return kept


def test_record_video_gets_a_frame_of_every_step(
    written: dict[str, list[Any]], tmp_path: Path
) -> None:
    recorded, steps = recorded_game(tmp_path / "videos")
    recorded.stop_recording()
    [(path, frames)] = written.items()
    assert path.endswith("rl-video-episode-0.mp4")
    assert len(frames) == steps + 1
    assert all(frame.shape == (240, 640, 3) and frame.dtype == np.uint8 for frame in frames)
    assert len({frame.tobytes() for frame in frames}) == len(frames)


def test_record_video_of_a_batch_gets_all_boards_at_every_step(
    written: dict[str, list[Any]], tmp_path: Path
) -> None:
    recorder: Any = getattr(gymnasium.wrappers.vector, "RecordVideo", None)
    if Version(gymnasium.__version__) < Version("1.2.1"):
        assert recorder is None
        return
    env = gymnasium.make_vec(
        "oware/Oware-v0", num_envs=4, render_mode="rgb_array", opponent="random", max_steps=20
    )
    recorded = recorder(env, str(tmp_path / "videos"))
    _, info = recorded.reset(seed=5)
    steps, over = 0, False
    while not over:
        _, _, terminated, truncated, info = recorded.step(info["action_mask"].argmax(axis=1))
        over = bool(terminated[0] or truncated[0])
        steps += 1
    shown = np.array(env.render())
    recorded.stop_recording()
    [(path, frames)] = written.items()
    assert path.endswith("rl-video-episode-0.mp4")
    assert len(frames) == steps + 1
    assert shown.shape == (4, 240, 640, 3)
    rows, columns = frames[-1].shape[0] // 240, frames[-1].shape[1] // 640
    tiles = frames[-1].reshape(rows, 240, columns, 640, 3).swapaxes(1, 2).reshape(shown.shape)
    assert np.array_equal(tiles, shown)
    assert len({frame.tobytes() for frame in frames}) == len(frames)
