"""Videos as Gymnasium writes them, with the real moviepy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moviepy.video.io.ffmpeg_reader import ffmpeg_parse_infos
from moviepy.video.io.VideoFileClip import VideoFileClip

from videos import recorded_game

if TYPE_CHECKING:
    from pathlib import Path


def test_a_game_becomes_a_video(tmp_path: Path) -> None:
    recorded, steps = recorded_game(tmp_path / "videos")
    recorded.close()
    [path] = (tmp_path / "videos").glob("*.mp4")
    assert path.stat().st_size > 10_000
    told = ffmpeg_parse_infos(str(path))
    assert told["video_size"] == [640, 240]
    assert told["video_fps"] == recorded.metadata["render_fps"] == 4
    with VideoFileClip(str(path)) as clip:
        assert sum(1 for _ in clip.iter_frames()) == steps + 1
