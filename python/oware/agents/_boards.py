"""Boards as players see them: what is asked about many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oware._oware import Game

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from oware._oware import Rules
    from oware.types import GrandSlam

__all__ = ["captures", "choose", "in_play", "seeds_of", "within"]


def captures(observation: ArrayLike, grand_slam: GrandSlam) -> NDArray[np.int64]:
    """The seeds that each move of the mover would capture.

    Args:
        observation: Observations of the kind `"seeds"`: integers (n, 14).
        grand_slam: The field of `oware.Rules`: what becomes of a capture of all that is left.

    Returns:
        Seeds (n, 6), zero for an empty pit. Whether a move is legal plays no part.

    Raises:
        ValueError: The observations are of another kind.

    Example:
        >>> import oware
        >>> game = oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0])
        >>> captures([game.observation()], "capture_nothing")
        array([[0, 0, 0, 0, 0, 4]])
    """
    board = seeds_of(observation, "captures are counted on")
    own, theirs = board[:, :6, None].astype(np.int64), board[:, None, 6:12].astype(np.int64)
    # Eleven seeds are a lap, as the origin gets none: every other pit then has one more.
    laps, rest = np.divmod(own, 11)
    distance = np.arange(6, 12) - np.arange(6)[:, None]
    sown = theirs + laps + (distance <= rest)
    end = np.where(rest == 0, 11, rest)
    takeable = ((sown == 2) | (sown == 3)) & (own > 0)

    # From the pit where the last seed fell backwards, as long as there are two or three seeds.
    chain = np.zeros(takeable.shape, dtype=bool)
    following = np.zeros(takeable.shape[:2], dtype=bool)
    for pit in reversed(range(6)):
        last = distance[:, pit] == end[:, :, 0]
        following = takeable[:, :, pit] & (last | following)
        chain[:, :, pit] = following

    slam = (chain | (sown == 0)).all(axis=2, keepdims=True)
    kept = {
        "capture_nothing": chain,
        "leave_landing_pit": chain & (distance == end),
        # The far end is the first pit of the chain in sowing order.
        "leave_far_pit": chain & (chain.cumsum(axis=2) == 1),
    }.get(grand_slam, np.zeros_like(chain))
    taken: NDArray[np.int64] = np.where(chain & ~(slam & kept), sown, 0).sum(axis=2)
    return taken


def seeds_of(observation: ArrayLike, use: str) -> NDArray[np.integer[Any]]:
    """Observations of the kind `"seeds"`, which some use needs."""
    board = np.asarray(observation)
    if board.ndim != 2 or board.shape[1] != 14 or not np.issubdtype(board.dtype, np.integer):
        raise ValueError(
            f"{use} observations of the kind 'seeds', integers (n, 14), "
            f"not {board.dtype} {board.shape}"
        )
    return board


def choose(among: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """One column at random of those that are True in each row (n, k)."""
    chosen: NDArray[np.int64] = np.where(among, rng.random(among.shape), -1.0).argmax(axis=1)
    return chosen


def within(
    legal: NDArray[np.bool_], actions: NDArray[np.int64], worth: NDArray[Any]
) -> NDArray[np.int64]:
    """Actions (n,), each that a row of `legal` (n, 6) forbids replaced by its move of most worth.

    A player that searches under other rules than those of the games may choose such a one.
    """
    allowed = legal[np.arange(len(actions)), actions]
    best = np.where(legal, worth, -np.inf).argmax(axis=1)
    chosen: NDArray[np.int64] = np.where(allowed, actions, best)
    return chosen


def in_play(observation: ArrayLike, rules: Rules) -> list[tuple[int, Game]]:
    """The rows of observations whose games are not over, and these games."""
    boards = seeds_of(observation, "the board is read from")
    games = [Game(rules, pits=board[:12], stores=board[12:]) for board in boards]
    return [(row, game) for row, game in enumerate(games) if not game.is_over]
