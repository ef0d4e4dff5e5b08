"""What a board does, without the browser: a game, its players, hints, a coach, editor and replay.

Whatever happens, `Session.publish` is given the whole state to show, as plain values. Acts come
from the browser as plain values too, and from Python as calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oware._counts import count, flag
from oware._oware import Game, SetupError
from oware._policies import reason_of
from oware.board import _frames
from oware.board._arguments import move_named, replayable, sentence, starting
from oware.board._draft import Draft
from oware.board._frames import SEATS, State
from oware.board._help import Help
from oware.board._players import Players
from oware.board._replayed import Replayed
from oware.board._task import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import SupportsIndex

    from oware._oware import Rules
    from oware.board._series import Series
    from oware.board._task import Answer
    from oware.records import Record
    from oware.types import OpponentName, Policy, RuleSetName, SeatChoice

DEPTH: Final = 10
"""The plies that hints and the coach look ahead: about a tenth of a second."""


class Session:
    """A game on a board; see `oware.Board` for the arguments."""

    def __init__(
        self,
        game: Game | None,
        *,
        rules: Rules | RuleSetName | None,
        opponent: OpponentName | Policy | None,
        seat: SeatChoice,
        hints: SupportsIndex,
        coach: bool,
        goal: str | Callable[[Game, int, Game], Answer] | None,
        answers: Mapping[str, str] | None,
        task: str,
        on_move: Callable[[Game, int, Game], object] | None,
        depth: SupportsIndex,
        seed: int | None,
        publish: Callable[[State], object],
    ) -> None:
        self._start = starting(game, rules)
        self._rules = self._start.rules
        self._players = Players(opponent, seat, seed, self._rules)
        most, plies = count("hints", hints, 0, 1000), count("depth", depth, 1, 30)
        self._task = Task(task, goal, answers, on_move)
        self.help = Help(coach=flag("coach", coach), hints=most, depth=plies)
        self._publish = publish
        self.version = 0
        self.solved = False
        self.series: Series | None = None
        self._clear()
        self._begin(self._start)

    # What is known

    @property
    def mode(self) -> str:
        """What the board shows: `"play"`, `"edit"` or `"replay"`."""
        if self._draft is not None:
            return "edit"
        return "play" if self._replayed is None else "replay"

    @property
    def ply(self) -> int:
        """How many moves of a replay have been made where it stands."""
        return 0 if self._replayed is None else self._replayed.ply

    def legal(self) -> list[int]:
        """The absolute pits that may be chosen now."""
        waiting = self.mode != "play" or self.help.paused or self.solved
        if waiting or self._theirs():
            return []
        return [6 * self.game.to_move + move for move in self.game.legal_moves()]

    def state(self) -> State:
        """Everything that is shown."""
        shown = {
            **_frames.position(self.game),
            "version": self.version,
            "mode": self.mode,
            "names": _frames.titles(self._players.names),
            "legal": self.legal(),
            "refusals": self._task.refusals(self.legal()),
            "task": self._task.text,
            "message": self.message,
            "tone": self.tone,
            "can_undo": self._undoable() > 0,
            **self.help.state,
            "steps": self._steps,
            "moves": _frames.turns(self.game),
            "thinking": self._thinking,
            "solved": self.solved,
        }
        if self._draft is not None:
            shown |= self._draft.state | {"last": None, "captured": [], "over": False}
        if self._replayed is not None:
            shown |= self._replayed.state
        if self.series is not None:
            shown["series"] = self.series.state
        return shown

    # Showing

    def _clear(self) -> None:
        """Let go of what belongs to the position that was, and of editor and replay."""
        self.help.clear()
        self._steps: list[State] = []
        self._thinking = False
        self._draft: Draft | None = None
        self._replayed: Replayed | None = None

    def _say(self, message: str, tone: str = "info") -> None:
        self.message, self.tone = message, tone

    def refuse(self, error: Exception) -> None:
        """Say on the board why something cannot be done."""
        self._say(sentence(str(error)), "bad")
        self.show()

    def set_publish(self, publish: Callable[[State], object]) -> None:
        """Publish to another place from now on."""
        self._publish = publish

    def show(self) -> None:
        """Publish the state; the moves that it brings are drawn once."""
        self.version += 1
        self._publish(self.state())
        self._steps = []

    def _turn(self) -> str:
        return self._players.turn(self.game)

    # Playing

    def _begin(self, start: Game) -> None:
        self.game = start.copy()
        self._base = len(start.moves)
        self._players.sit()
        self.help.begin()
        self.solved = False
        self._clear()
        self._say(self._turn())
        if self._theirs():
            self._reply(start.copy(), "")
        self.show()

    def new(self) -> None:
        """Begin again from the position at the start."""
        self._begin(self._start)

    def turn_to(self, number: SupportsIndex) -> None:
        """Go to an exercise of the series, and begin it anew."""
        if self.series is None:
            raise ValueError("the board has a single task")
        exercise = self.series.turn_to(number)
        self._task = exercise.task
        self._rules = exercise.game.rules
        self._take(exercise.game)

    def _theirs(self) -> bool:
        return self._players.theirs(self.game)

    def play(self, move: int) -> None:
        """Play a move of the player to move, 0 to 5, and let the opponent reply.

        Raises `ValueError` where the board waits for something else, `IllegalMoveError` where the
        move is not legal.
        """
        if self.mode != "play":
            raise ValueError(f"the board is in the mode {self.mode!r}; go back to the game first")
        if self.help.paused:
            raise ValueError("the coach has paused the game: take back or play on first")
        if self.solved:
            raise ValueError("the task is done; begin a new game first")
        if self._theirs():
            raise ValueError("it is the opponent's move")
        before = self.game.copy()
        after = before.copy()
        after.play(move)
        self._clear()
        verdict, remark = self._task.judge(before, move, after)
        if isinstance(verdict, str):
            self._say(verdict, "bad")
            self.show()
            return
        self.game = after
        said = f"{self._told(before, after)} {remark}".strip()
        self._steps = [_frames.step(before, after)]
        if verdict is True:
            self.solved = True
            if self.series is not None:
                self.series.solved.add(self.series.number)
            self._say(f"{said} Well done!", "good")
            self.show()
            return
        if self.help.coach and self.help.rate(before, move, after):
            self._say(self.help.paused, "bad")
            self.show()
            return
        self._say(f"{said} {self._turn()}")
        if self._theirs():
            self._thinking = True
            self.show()
            self._thinking = False
            self._reply(before, said)
        self.show()

    def move_named(self, move: str | SupportsIndex) -> int:
        """A move 0 to 5 from its letter or number."""
        return move_named(self.game, move)

    def _reply(self, before: Game, said: str) -> bool:
        """Let the opponent move; where it fails, the game is the one before."""
        game = self.game
        try:
            after = self._players.reply(game)
        except Exception as error:  # noqa: BLE001 - Whatever an opponent raises is shown.
            self._fail(before, f"The opponent failed: {reason_of(error)}.")
            return False
        except BaseException:
            self._fail(before, "Interrupted.")
            self.show()
            raise
        self.game = after
        self._steps = [_frames.step(game, after)]
        self._say(f"{said} {self._told(game, after)} {self._turn()}".strip())
        return True

    def _told(self, before: Game, after: Game) -> str:
        """A move in words."""
        return f"{_frames.said(before, after, self._players.names[before.to_move])}."

    def _fail(self, before: Game, reason: str) -> None:
        self.game = before
        self.help.forget(before.ply)
        self._clear()
        self._say(f"{reason} The game is as it was.", "error")

    def _undoable(self) -> int:
        """How many plies an undo takes back."""
        return self._players.undoable(self.game, len(self.game.moves) - self._base)

    def undo(self) -> None:
        """Take back the last move of the player, and the opponent's reply to it.

        Raises `ValueError` where there is none.
        """
        plies = self._undoable()
        if self.mode != "play" or plies == 0:
            raise ValueError("there is no move to take back")
        self._go_back(plies)

    def _go_back(self, plies: int) -> None:
        game = self.game.copy()
        for _ in range(plies):
            game.undo()
        self.game = game
        self.help.forget(game.ply)
        self.solved = False
        self._clear()
        self._say(f"Taken back. {self._turn()}")
        self.show()

    # Help

    def take_back(self) -> None:
        """Take back the move after which the coach has paused the game."""
        if not self.help.paused:
            raise ValueError("the coach has not paused the game")
        self._go_back(1)

    def play_on(self) -> None:
        """Go on after the coach has paused the game."""
        if not self.help.paused:
            raise ValueError("the coach has not paused the game")
        before = self.game.copy()
        before.undo()
        rating = self.help.rating
        self._clear()
        self._say(self._turn())
        if not self._theirs() or self._reply(before, ""):
            self.help.rating = rating
        self.show()

    def hint(self) -> None:
        """Show a best move and why; the same position costs one hint only.

        Raises `ValueError` where nobody is to move.
        """
        if not self.legal():
            raise ValueError("there is no move to give a hint for")
        said = self.help.hint(self.game)
        self._say(said or "No hints are left in this game.", "info" if said else "bad")
        self.show()

    def ask(self) -> None:
        """Tell what there is to see in the position, in words."""
        self.help.explain(self.game)
        self.show()

    def set_coach(self, on: bool) -> None:
        """Switch the coach on or off."""
        self.help.coach = flag("coach", on)
        if not on:
            self.help.rating = None
        told = f"The coach {'rates every move' if on else 'is off'}. {self.help.paused}"
        self._say(told.strip())
        self.show()

    # Positions and games from elsewhere

    def edit(self) -> None:
        """Begin to edit the position."""
        self._clear()
        self._draft = Draft(self.game, self._rules)
        self._show_draft(self._draft)

    def _editing(self) -> Draft:
        if self._draft is None:
            raise ValueError("the board is not in the editor")
        return self._draft

    def _show_draft(self, draft: Draft) -> None:
        self._say(draft.told)
        self.show()

    def change(self, how: Callable[[Draft], object]) -> None:
        """Change the position that is edited."""
        draft = self._editing()
        how(draft)
        self._show_draft(draft)

    def done(self) -> None:
        """Play from the position that was edited, where it can be set up."""
        try:
            start = self._editing().game()
        except SetupError as error:
            self._say(f"This position cannot be set up: {error}", "error")
            self.show()
            return
        self._take(start)

    def set_position(
        self, pits: Sequence[int], stores: Sequence[int] = (0, 0), to_move: int = 0
    ) -> None:
        """Begin a game from a position."""
        self._take(Game(self._rules, pits=pits, stores=stores, to_move=to_move))

    def _take(self, start: Game) -> None:
        """Begin a game here, and begin new ones here too."""
        self._start = start
        self._begin(start)

    def cancel(self) -> None:
        """Go back to the game from the editor or a replay."""
        self._clear()
        self._say(self._turn())
        self.show()

    def replay(self, game: Game | Record | None = None) -> None:
        """Show a game move by move: this one, or another."""
        shown, found = replayable(self.game if game is None else game)
        replayed = Replayed(shown, found or (self._players.names if game is None else SEATS))
        if game is None:
            replayed.seek(replayed.last)
        self._clear()
        self._replayed = replayed
        self._say("Replay")
        self.show()

    def go_to(self, ply: SupportsIndex) -> None:
        """Show the position of a replay after so many of its moves."""
        self.seek(ply)
        self.show()

    def seek(self, ply: SupportsIndex) -> None:
        """Take note of the position of a replay that is shown already."""
        self._replaying().seek(ply)

    def resume(self) -> None:
        """Play on from the position that the replay shows."""
        game = self._replaying().shown()
        self._rules = game.rules
        self._players.turn_to(self._rules)
        self._take(game)

    def _replaying(self) -> Replayed:
        if self._replayed is None:
            raise ValueError("the board shows no replay")
        return self._replayed
