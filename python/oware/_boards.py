"""The games behind an environment: to look at, to set up, to save and to go on with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

from oware import _oware
from oware._opponents import player_core
from oware.endgame import Endgame

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from oware._opponents import CoreOpponent
    from oware._oware import Game

__all__ = ["Boards", "core_of"]


class Boards:
    """What an `oware.OwareEnv` does with its games beside playing them."""

    _core: _oware.EnvCore
    _settings: Mapping[str, Any]

    def observe(self) -> NDArray[Any]:
        """The observations now, in a fresh array of the observation space.

        Example:
            >>> import oware
            >>> oware.OwareEnv(3).observe().shape
            (3, 14)
        """
        return self._core.observe()

    @property
    def pits(self) -> NDArray[np.uint8]:
        """The seeds in the pits now, in sowing order from South's first: a fresh uint8 (N, 12)."""
        return self._core.boards()[0]

    @property
    def stores(self) -> NDArray[np.uint8]:
        """The seeds in South's and North's store now: a fresh uint8 (N, 2)."""
        return self._core.boards()[1]

    def game(self, i: SupportsIndex) -> Game:
        """The game of environment `i`, as a copy with the history that its rules need.

        Where repetition counts that is every move since the last capture, else the last move.

        Args:
            i: 0 to N - 1.

        Raises:
            IndexError: There is no such environment.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(2)
            >>> _ = env.reset(seed=0)
            >>> _ = env.step([2, 5])
            >>> env.game(1).transcript()
            'F'
        """
        return self._core.game(i)

    def get_state(self) -> bytes:
        """All that is needed to go on from here: games with their history, random streams, seats.

        Callables are not part of it: where one was the opponent, the restoring environment's own
        takes its place, unless it has them all (as after `pickle` and `copy.deepcopy`). Of networks
        the state has names and checksums: an environment that has the same one as an opponent goes
        on with it, another one reads it from the file of its name.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(2)
            >>> _ = env.reset(seed=0)
            >>> state = env.get_state()
            >>> _ = env.step([0, 0])
            >>> env.set_state(state)[1]["to_move"]
            array([0, 0], dtype=int8)
        """
        return self._core.state()

    def set_state(self, state: bytes) -> tuple[NDArray[Any], dict[str, Any]]:
        """Go on from a state of `get_state`.

        Args:
            state: Saved from an environment of the same rules and number, with or without an
                opponent as this one.

        Returns:
            Observation and info of all environments.

        Raises:
            TypeError: The state is not bytes.
            ValueError: The state is damaged or of another kind of environment, or an opponent is a
                network whose file is gone or has changed, or that never had a name.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(2)
            >>> env.set_state(b"something else")
            Traceback (most recent call last):
            ValueError: the bytes are not the state of an environment
        """
        return self._core.set_state(state)

    def set_positions(
        self,
        pits: ArrayLike,
        stores: ArrayLike,
        to_move: ArrayLike,
        mask: NDArray[np.bool_] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start episodes from positions.

        There is no opening. The agent's seat is `seat`, drawn again where that is `"random"`; the
        opponent moves first where it is to move.

        Args:
            pits: Integers (N, 12), in sowing order from South's first pit.
            stores: Integers (N, 2), South's and North's.
            to_move: Integers (N,), 0 for South and 1 for North.
            mask: Bools (N,); only where it is True does an episode start. None for everywhere.

        Returns:
            Observation and info of all environments.

        Raises:
            oware.SetupError: A position cannot be set up; the message gives every reason.
            TypeError: An array has the wrong dtype.
            ValueError: An array has the wrong shape, a position is finished, or the opponent moves
                first and ends the game.

        Example:
            >>> import oware
            >>> env = oware.OwareEnv(1)
            >>> pits = [[0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 5]]
            >>> observation, info = env.set_positions(pits, [[20, 19]], [0])
            >>> info["action_mask"]
            array([[0, 0, 0, 0, 0, 1]], dtype=int8)
        """
        return self._core.set_positions(pits, stores, to_move, mask)

    def __getstate__(self) -> dict[str, Any]:
        """Everything, history, streams and opponents included."""
        kept = {name: value for name, value in self.__dict__.items() if name != "_core"}
        return {**kept, "_opponents": self._core.opponents(), "_state": self._core.state()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        """Go on where the saved environment was."""
        kept = dict(saved)
        state = kept.pop("_state")
        callables, sources, current, told = kept.pop("_opponents")
        self.__dict__.update(kept)
        # A placeholder, until callables and networks are there.
        opponent = None if current is None else "random"
        self._core = core_of(self._settings, opponent, 0)
        players = [player_core(*source) for source in sources]
        self._core.set_opponents(callables, players, current, told)
        self._core.set_state(state)


def core_of(settings: Mapping[str, Any], opponent: CoreOpponent, entropy: int) -> _oware.EnvCore:
    """The core of an environment of some settings."""
    endgame = settings["endgame"]
    database = endgame._core if isinstance(endgame, Endgame) else endgame  # noqa: SLF001
    return _oware.EnvCore(opponent=opponent, entropy=entropy, **{**settings, "endgame": database})
