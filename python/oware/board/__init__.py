"""What stands behind `oware.Board` and `oware.replay`: a session, its drawing, and a page of it."""

from __future__ import annotations

from oware.board._acts import act
from oware.board._page import Replay, replay, text
from oware.board._session import DEPTH, Session

__all__ = ["DEPTH", "Replay", "Session", "act", "replay", "text"]

Replay.__module__ = replay.__module__ = "oware"
