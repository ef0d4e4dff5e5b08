"""What the browser may ask of a board: messages of plain values, each an act of the session."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from oware._oware import IllegalMoveError
from oware.board._draft import Draft

if TYPE_CHECKING:
    from oware.board._frames import State
    from oware.board._session import Session

PLAIN: Final = frozenset(
    (
        *("new", "undo", "take_back", "play_on", "hint", "ask"),
        *("edit", "done", "cancel", "replay", "resume"),
    )
)
"""The acts that need nothing but their name, which is that of a method."""


def act(session: Session, message: object) -> None:
    """Do what a message asks for; what cannot be done is said on the board."""
    if not isinstance(message, dict):
        return
    try:
        _do(session, message)
    except (ValueError, TypeError, KeyError, IllegalMoveError) as error:
        session.refuse(error)


def _do(session: Session, message: State) -> None:
    name = message.get("do")
    if name == "play":
        # A second click may come from a board that has not yet seen what the first one did.
        if message.get("version") == session.version:
            session.play(operator.index(message["pit"]) % 6)
    elif name == "change":
        place, by = operator.index(message["place"]), operator.index(message.get("by", 0))
        to = None if message.get("to") is None else operator.index(message["to"])
        session.change(lambda draft: draft.change(place, by, to))
    elif name == "mover":
        seat = operator.index(message["seat"])
        session.change(lambda draft: draft.set_mover(seat))
    elif name == "empty":
        session.change(Draft.empty)
    elif name == "turn_to":
        session.turn_to(operator.index(message["number"]))
    elif name == "coach":
        session.set_coach(message["on"])
    elif name == "go_to":
        # The browser has all positions, and shows this one already.
        session.seek(operator.index(message["ply"]))
    elif name in PLAIN:
        getattr(session, name)()
