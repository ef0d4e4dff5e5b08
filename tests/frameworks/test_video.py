"""Videos as Gymnasium writes them, with the real moviepy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
from moviepy.video.io.ffmpeg_reader import ffmpeg_parse_infos
from moviepy.video.io.VideoFileClip import VideoFileClip

if TYPE_CHECKING:
    from pathlib import Path


def test_a_game_becomes_a_video(tmp_path: Path) -> None:
    env = gymnasium.make("oware:oware/Oware-v0", render_mode="rgb_array", opponent="random")
    recorded: Any = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "videos"))
    _, info = recorded.reset(seed=5)
    over, steps = False, 0
    while not over:
        _, _, terminated, truncated, info = recorded.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
        steps += 1
    recorded.close()
    [path] = (tmp_path / "videos").glob("*.mp4")
    assert path.stat().st_size > 10_000
    told = ffmpeg_parse_infos(str(path))
    assert told["video_size"] == [640, 240]
    assert told["video_fps"] == env.metadata["render_fps"] == 4
    with VideoFileClip(str(path)) as clip:
        assert sum(1 for _ in clip.iter_frames()) == steps + 1
