from __future__ import annotations

import json
import os
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

import oware
from strategies import random_game

if TYPE_CHECKING:
    from pathlib import Path


def state_of(page: str) -> Any:
    found = re.search(r"^const state = (.*);$", page, re.MULTILINE)
    assert found
    return json.loads(found[1])


def test_the_page_has_every_position_and_needs_nothing_else() -> None:
    game = random_game(2)
    page = str(oware.replay(game))
    frames = state_of(page)["frames"]
    assert len(frames) == len(game.moves) + 1
    assert frames[-1]["pits"] == list(game.pits)
    links = set(re.findall(r"\w+://[^\s\"'<>]*", page))
    assert links == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)|<link|src=", page.replace("url(#${", "url(#"))


def test_the_page_of_a_record_names_its_players_and_cannot_be_broken_out_of() -> None:
    name = '</script><script>alert("&")'
    record = oware.records.Record.of(oware.Game.from_transcript("FfEe"), South=name, North="Kofi")
    page = str(oware.replay(record))
    assert name not in page
    assert state_of(page)["names"] == [f"South ({name})", "North (Kofi)"]
    assert page.count("</script>") == 1


def test_a_review_is_shown_with_its_moves() -> None:
    game = oware.Game.from_transcript("FfEeDd")
    review = oware.analysis.review(game, depth=4)
    frames = state_of(str(oware.replay(game, review=review)))["frames"]
    assert "rating" not in frames[0]
    for frame, one in zip(frames[1:], review.moves, strict=True):
        assert frame["rating"] == {"name": one.rating, "text": str(one)}


def test_it_shows_itself_in_a_frame() -> None:
    replay = oware.replay(oware.Game.from_transcript("FfEe"), title="Four moves")
    shown = replay._repr_html_()
    inside = re.search('srcdoc="([^"]*)"', shown)
    assert inside
    assert unescape(inside[1]) == str(replay)
    assert "<title>Four moves</title>" in str(replay)


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = oware.replay(oware.Game.from_transcript("FfEe"))
    file = tmp_path / "game.html"
    replay.save(str(file))
    assert file.read_text(encoding="utf-8") == str(replay)
    file.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        replay.save(file)
    assert file.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["game.html"]
    with pytest.raises(FileNotFoundError):
        replay.save(tmp_path / "nowhere" / "game.html")


def test_bad_arguments_are_refused() -> None:
    game: Any = oware.Game()
    bad: Any = 5
    with pytest.raises(TypeError, match=r"game must be an oware.Game or an oware.records.Record"):
        oware.replay(bad)
    with pytest.raises(TypeError, match=r"review must be an oware.analysis.Review, not int"):
        oware.replay(game, review=bad)
    with pytest.raises(TypeError, match="title must be a str, not int"):
        oware.replay(game, title=bad)
    with pytest.raises(ValueError, match="theme is 'sepia'; give 'auto', 'light', 'dark'"):
        oware.replay(game, theme="sepia")  # type: ignore[arg-type]
    with pytest.raises(oware.records.RecordError):
        oware.replay(next(oware.records.read("Ff Ff Ff *")))
