"""A board to play on in a notebook: `oware.Board`, with anywidget.

`pip install "oware[notebooks]"` installs what it needs.
"""

from __future__ import annotations

import base64
import secrets
from html import escape
from typing import TYPE_CHECKING, Any

from oware._missing import missing_extra
from oware.board import DEPTH, Session, act, text
from oware.render import BoardView, describe, svg

try:
    import anywidget
    import traitlets
except ModuleNotFoundError as error:
    raise missing_extra("notebooks", error) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import SupportsIndex

    from oware import Game, Rules
    from oware.analysis import MoveReview
    from oware.records import Record
    from oware.types import OpponentName, PageTheme, Policy, RuleSetName, SeatChoice

__all__ = ["Board"]


class Board(anywidget.AnyWidget):
    """A board in a notebook: to play on, to try positions on, and to look at games.

    It is played with the mouse, by touch, or by keys: A to F choose a pit, or the arrow keys and
    Enter; U takes back and H asks for a hint. Screen readers are told everything. Whatever is done
    on it can be read and done from Python as well.

    Args:
        game: The game to begin with, which stays as it is; None for a new one.
        rules: The rules of a new game, a name or `oware.Rules`; None for `"abapa"`.
        opponent: The name of a player (`oware.agents.named`), a callable
            `(observation, action_mask) -> actions` that gets a batch of one (see
            `oware.types.Policy`), or None to play both sides. An opponent that raises or answers
            with an illegal move shows its error on the board, and the player's move is taken back.
        seat: Where the player sits: `"south"`, who opens, `"north"`, or `"random"` for each game.
        hints: How many hints there are a game.
        coach: Whether every move is rated (`oware.analysis.rate`). After a blunder the game pauses,
            the threat is shown, and the move may be taken back.
        goal: What a task asks for: the letters of the moves that solve it, `"C"` or `"CE"`, or a
            callable that gets the game before a move, the move 0 to 5, and the game after it. It
            returns True when the task is done, a text to refuse the move with, or None to go on.
        answers: What to say to certain wrong moves, by their letters; such a move is not played.
            Where a pit may not be chosen at all, the board says it there as well.
        task: A text above the board.
        on_move: A callable with the arguments of `goal`, called for each move of the player that
            stands; a text that it returns is shown.
        depth: The plies that hints and coach look ahead, 1 to 30.
        seed: Seed of the opponent's random numbers, where it has a name, and of drawn seats.
        theme: `"light"` or `"dark"` for a ground of its own; `"auto"` has the page's.

    Raises:
        ModuleNotFoundError: anywidget is missing.
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range or no known name.

    Example:
        >>> import oware
        >>> board = oware.Board(opponent="greedy", seed=1)
        >>> board.play("C")
        >>> len(board.game.moves), board.hints
        (2, 3)
    """

    _esm = text("board.js")
    _css = text("board.css")

    state = traitlets.Dict().tag(sync=True)
    theme = traitlets.Unicode().tag(sync=True)
    token = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        game: Game | None = None,
        *,
        rules: Rules | RuleSetName | None = None,
        opponent: OpponentName | Policy | None = "minimax:3",
        seat: SeatChoice = "south",
        hints: SupportsIndex = 3,
        coach: bool = False,
        goal: str | Callable[[Game, int, Game], bool | str | None] | None = None,
        answers: Mapping[str, str] | None = None,
        task: str = "",
        on_move: Callable[[Game, int, Game], object] | None = None,
        depth: SupportsIndex = DEPTH,
        seed: int | None = None,
        theme: PageTheme = "auto",
    ) -> None:
        if theme not in ("auto", "light", "dark"):
            raise ValueError(f"theme is {theme!r}; give 'auto', 'light', 'dark'")
        self._still: Any = None
        latest: list[dict[str, Any]] = []
        session = Session(
            game,
            rules=rules,
            opponent=opponent,
            seat=seat,
            hints=hints,
            coach=coach,
            goal=goal,
            answers=answers,
            task=task,
            on_move=on_move,
            depth=depth,
            seed=seed,
            publish=latest.append,
        )
        # The name of its model, which the browser finds it by.
        token = secrets.token_hex(16)
        super().__init__(state=latest[-1], theme=theme, token=token, model_id=token)
        self._session = session
        session.set_publish(self._show)
        self.on_msg(self._on_message)

    def _show(self, state: dict[str, Any]) -> None:
        self.state = state
        if self._still is not None:
            self._still.update(self._picture(), raw=True)

    def _on_message(self, _: object, content: object, __: object) -> None:
        if content == {"do": "tell"}:
            # Not by setting it: what is equal is not sent again.
            self.send_state("state")
        else:
            act(self._session, content)

    @property
    def game(self) -> Game:
        """The game as it stands, as a copy.

        Example:
            >>> import oware
            >>> oware.Board(opponent=None).game == oware.Game()
            True
        """
        return self._session.game.copy()

    @property
    def mode(self) -> str:
        """What the board shows: `"play"`, `"edit"` or `"replay"`.

        Example:
            >>> import oware
            >>> oware.Board().mode
            'play'
        """
        return self._session.mode

    @property
    def message(self) -> str:
        """The line under the board.

        Example:
            >>> import oware
            >>> oware.Board().message
            'Your move, South.'
        """
        return self._session.message

    @property
    def hints(self) -> int:
        """The hints that are left in this game.

        Example:
            >>> import oware
            >>> oware.Board(hints=5).hints
            5
        """
        return self._session.help.hints

    @property
    def paused(self) -> bool:
        """Whether the coach has paused the game.

        Example:
            >>> import oware
            >>> oware.Board(coach=True).paused
            False
        """
        return bool(self._session.help.paused)

    @property
    def solved(self) -> bool:
        """Whether the goal has been reached.

        Example:
            >>> import oware
            >>> board = oware.Board(opponent=None, goal="C")
            >>> board.play("C")
            >>> board.solved
            True
        """
        return self._session.solved

    @property
    def ratings(self) -> tuple[MoveReview, ...]:
        """The coach's ratings of the moves of this game.

        Example:
            >>> import oware
            >>> board = oware.Board(opponent=None, coach=True, depth=4)
            >>> board.play("F")
            >>> board.ratings[0].letter
            'F'
        """
        return tuple(self._session.help.ratings)

    @property
    def ply(self) -> int:
        """How many moves of a replay have been made where it stands.

        Example:
            >>> import oware
            >>> board = oware.Board()
            >>> board.replay(oware.Game.from_transcript("FfEe"))
            >>> board.go_to(3)
            >>> board.ply
            3
        """
        return self._session.ply

    def play(self, move: str | SupportsIndex) -> None:
        """Play a move, and let the opponent reply.

        Args:
            move: Its letter, or 0 to 5.

        Raises:
            oware.IllegalMoveError: It is not legal.
            TypeError: It is neither a letter nor an integer.
            ValueError: The letter is none of the player to move, or the board waits for something
                else.

        Example:
            >>> import oware
            >>> board = oware.Board(opponent=None)
            >>> board.play("F")
            >>> board.play("f")
            >>> board.game.transcript()
            'Ff'
        """
        self._session.play(self._session.move_named(move))

    def undo(self) -> None:
        """Take back the player's last move, and the opponent's reply to it.

        Raises:
            ValueError: There is none.

        Example:
            >>> import oware
            >>> board = oware.Board(opponent="greedy")
            >>> board.play("C")
            >>> board.undo()
            >>> board.game.moves
            []
        """
        self._session.undo()

    def take_back(self) -> None:
        """Take back the blunder after which the coach has paused the game.

        Raises:
            ValueError: It has not.

        Example:
            >>> import oware
            >>> oware.Board().take_back()
            Traceback (most recent call last):
            ValueError: the coach has not paused the game
        """
        self._session.take_back()

    def play_on(self) -> None:
        """Go on although the coach has paused the game.

        Raises:
            ValueError: It has not.

        Example:
            >>> import oware
            >>> oware.Board().play_on()
            Traceback (most recent call last):
            ValueError: the coach has not paused the game
        """
        self._session.play_on()

    def new(self) -> None:
        """Begin a new game from the position at the start.

        Example:
            >>> import oware
            >>> board = oware.Board()
            >>> board.play("C")
            >>> board.new()
            >>> board.game.moves
            []
        """
        self._session.new()

    def hint(self) -> str:
        """Show a hint on the board, as long as some are left.

        Returns:
            What the board says.

        Raises:
            ValueError: There is no move to give a hint for.

        Example:
            >>> import oware
            >>> game = oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
            >>> oware.Board(game).hint()
            'Hint: play F. F captures 4 seeds (a, b). ...'
        """
        self._session.hint()
        return self._session.message

    def ask(self) -> tuple[str, ...]:
        """Show on the board what there is to see in the position (`oware.analysis.explain`).

        Returns:
            The sentences.

        Example:
            >>> import oware
            >>> oware.Board().ask()[0]
            'South is to move; 48 seeds are on the board.'
        """
        self._session.ask()
        return tuple(self._session.help.told)

    def replay(self, game: Game | Record | None = None) -> None:
        """Show a game move by move, with a slider.

        Args:
            game: A game or a record; None for the game on the board, which stays there meanwhile.

        Raises:
            TypeError: It is neither.
            oware.records.RecordError: The moves of the record are not legal.

        Example:
            >>> import oware
            >>> board = oware.Board()
            >>> board.replay(oware.Game.from_transcript("FfEe"))
            >>> board.mode
            'replay'
        """
        self._session.replay(game)

    def go_to(self, ply: SupportsIndex) -> None:
        """Show the position of a replay after so many of its moves.

        Raises:
            TypeError: It is no integer.
            ValueError: The board shows no replay, or the game has no such ply.

        Example:
            >>> import oware
            >>> oware.Board().go_to(1)
            Traceback (most recent call last):
            ValueError: the board shows no replay
        """
        self._session.go_to(ply)

    def set_position(
        self, pits: list[int], stores: tuple[int, int] = (0, 0), to_move: int = 0
    ) -> None:
        """Begin a game from a position.

        Args:
            pits: The 12 absolute pits, South's first.
            stores: South's and North's.
            to_move: 0 for South, 1 for North.

        Raises:
            oware.SetupError: It cannot be set up.

        Example:
            >>> import oware
            >>> board = oware.Board(opponent=None)
            >>> board.set_position([0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], (20, 19))
            >>> board.game.stores
            (20, 19)
        """
        self._session.set_position(pits, stores, to_move)

    # Showing it

    def _picture(self) -> dict[str, str]:
        """The board as a picture, for a notebook that is opened without a kernel.

        A live board hides it by a rule of its style sheet; the class has the name for that.
        """
        view = BoardView.of(self._session.game)
        image = base64.b64encode(svg(view).encode()).decode()
        return {
            "text/html": (
                f'<img class="oware-still oware-still-{self.token}" alt="{escape(describe(view))}"'
                f' style="max-width:640px;width:100%" src="data:image/svg+xml;base64,{image}">'
            ),
            "text/plain": str(self._session.game),
        }

    def _ipython_display_(self) -> None:
        from IPython.display import display as untyped_display

        display: Any = untyped_display
        bundle = self._repr_mimebundle_()
        if bundle is not None:
            data, metadata = bundle
            display(data | {"text/plain": "oware.Board"}, metadata=metadata, raw=True)
        handle = display(self._picture(), raw=True, display_id=True)
        if self._still is None:
            self._still = handle

    def __repr__(self) -> str:
        """The game as text."""
        return f"<oware.Board: {self._session.game.status()}>"


Board.__module__ = "oware"
