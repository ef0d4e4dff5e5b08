"""What stands behind `oware.Board` and `oware.replay`: a session, its drawing, and a page of it."""

from __future__ import annotations

from oware.board._acts import act
from oware.board._page import Replay, replay, text
from oware.board._series import Exercise, Series
from oware.board._session import DEPTH, Session
from oware.board._task import Task

__all__ = ["DEPTH", "Exercise", "Replay", "Series", "Session", "Task", "act", "replay", "text"]

Replay.__module__ = replay.__module__ = "oware"
