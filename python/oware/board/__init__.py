"""What stands behind `oware.Board` and `oware.replay`: a session, its drawing, and a page of it."""

from __future__ import annotations

from oware.board._page import Replay, replay

__all__ = ["Replay", "replay"]

Replay.__module__ = replay.__module__ = "oware"
