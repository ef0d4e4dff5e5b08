"""What can be captured at once: by the player to move, and by the other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from oware import _oware
from oware._words import LETTERS, letter, seeds

if TYPE_CHECKING:
    from oware.types import Seat

LAP: Final = 12
"""From so many seeds on, a sowing goes round the whole board."""


@dataclass(frozen=True)
class Capture:
    """A move that captures.

    Args:
        seat: Who makes it: 0 for South, 1 for North.
        move: The pit that is sown, 0 to 5.
        seeds: How many seeds it captures.
        pits: The pits that it captures, 0 to 11, in sowing order.
        lap: Whether the sowing goes round the board: twelve seeds or more.
        slam: Whether it takes every seed that the other player has.

    Example:
        >>> import oware
        >>> captures(oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0]))
        (Capture(seat=0, move=5, seeds=4, pits=(6, 7), lap=False, slam=False),)
    """

    seat: Seat
    move: int
    seeds: int
    pits: tuple[int, ...]
    lap: bool = False
    slam: bool = False

    @property
    def letter(self) -> str:
        """The move in letters: A to F for South, a to f for North."""
        return letter(self.seat, self.move)

    @property
    def pit_letters(self) -> str:
        """The captured pits in letters."""
        return "".join(LETTERS[pit] for pit in self.pits)

    def __str__(self) -> str:
        """The move, its seeds and where they lie, as `F captures 4 seeds (a, b)`."""
        return f"{self.letter} captures {seeds(self.seeds)} ({', '.join(self.pit_letters)})"


def captures(game: _oware.Game) -> tuple[Capture, ...]:
    """The legal moves that capture, most seeds first.

    Args:
        game: The game, which stays as it is. There is no such move when it is over.

    Raises:
        TypeError: The argument is no game.

    Example:
        >>> import oware
        >>> [found] = captures(oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0]))
        >>> str(found)
        'F captures 4 seeds (a, b)'
    """
    check_game(game)
    return () if game.is_over else found(unending(game))


def threats(game: _oware.Game) -> tuple[Capture, ...]:
    """What the opponent could capture next if the mover passed, most seeds first.

    Nobody may pass in Oware: a threat is what stands if the mover's move changes nothing about it.
    The rules of the game hold for it, feeding and grand slams included; endings by majority,
    repetition and number of plies do not count. An opponent without seeds threatens nothing.

    Args:
        game: The game, which stays as it is. There is no threat when it is over.

    Raises:
        TypeError: The argument is no game.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[1, 1, 4, 0, 0, 0, 0, 0, 0, 0, 1, 2])
        >>> [str(threat) for threat in threats(game)]
        ['f captures 4 seeds (A, B)']
    """
    check_game(game)
    return () if game.is_over else found(unending(game, passed=True))


def refused_slams(game: _oware.Game) -> tuple[Capture, ...]:
    """The grand slams of the mover that the rules refuse: what each would capture otherwise.

    Such a move captures nothing or less, or is not legal, as the rules have it.

    Args:
        game: The game, which stays as it is. There is none when it is over.

    Raises:
        TypeError: The argument is no game.

    Example:
        >>> import oware
        >>> [slam] = refused_slams(oware.Game(pits=[4, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0]))
        >>> str(slam)
        'F captures 4 seeds (a, b)'
    """
    check_game(game)
    if game.is_over:
        return ()
    kept = {capture.move: capture.seeds for capture in found(unending(game))}
    return tuple(
        capture
        for capture in found(unending(game, grand_slam="capture_all"))
        if capture.slam and kept.get(capture.move) != capture.seeds
    )


def check_game(game: object) -> None:
    """Raise `TypeError` for what is no game."""
    if not isinstance(game, _oware.Game):
        raise TypeError(f"game must be an oware.Game, not {type(game).__name__}")


def unending(
    game: _oware.Game, *, passed: bool = False, grand_slam: str | None = None
) -> _oware.Game:
    """The position without history, under the rules of moves alone: nothing but they ends it."""
    rules = game.rules.replace(majority_ends=False, repetition=0, max_plies=None, no_move="stay")
    if grand_slam is not None:
        rules = rules.replace(grand_slam=grand_slam)  # type: ignore[arg-type]
    mover = 1 - game.to_move if passed else game.to_move
    return _oware.Game(rules, pits=game.pits, stores=game.stores, to_move=mover)


def found(position: _oware.Game) -> tuple[Capture, ...]:
    """The moves of an `unending` position that capture."""
    mover, pits = position.to_move, position.pits
    captures = []
    for move in position.legal_moves():
        taken = position.play(move)
        if taken:
            theirs = position.pits[6 - 6 * mover :][:6]
            captures.append(
                Capture(
                    seat=mover,
                    move=move,
                    seeds=taken,
                    pits=tuple(sorted(position.last_captures)),
                    lap=pits[6 * mover + move] >= LAP,
                    slam=not any(theirs),
                )
            )
        position.undo()
    return tuple(sorted(captures, key=lambda capture: -capture.seeds))
