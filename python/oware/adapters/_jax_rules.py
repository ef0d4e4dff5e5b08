"""What a move does on a board, and which moves there are, as functions of JAX.

A board is uint8 (14,), seen by the seat to move: its pits, the other seat's, its store, the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from jax import Array

    from oware import Rules

__all__ = ["PITS", "ROW", "legal_moves", "sow", "turned"]

ROW: Final = 6
PITS: Final = 12
LAP: Final = 11
"""The pits that a lap of sowing fills: the origin is passed over."""


def turned(board: Array) -> Array:
    """A board as the other seat sees it."""
    return jnp.concatenate([board[ROW:PITS], board[:ROW], board[13:], board[12:13]])


def sow(board: Array, chosen: Array, rules: Rules) -> tuple[Array, Array]:
    """The board after a move, seen by the next seat, and the seeds that the move captured.

    `chosen` marks one of the six pits. With n seeds, every pit but the origin gets n // 11, and one
    more where it is among the n % 11 that follow.
    """
    seeds = board.astype(jnp.int32)
    own, theirs, stores = seeds[:ROW], seeds[ROW:PITS], seeds[PITS:]
    origin = jnp.where(chosen, jnp.arange(ROW), 0).sum()
    laps, rest = jnp.divmod(jnp.where(chosen, own, 0).sum(), LAP)
    near, far = (jnp.arange(ROW) - origin) % PITS, jnp.arange(ROW, PITS) - origin
    own = jnp.where(chosen, 0, own + laps + (near <= rest))
    theirs = theirs + laps + (far <= rest)

    # From the pit where the last seed fell backwards, as long as there are two or three seeds.
    ends_here = far == jnp.where(rest == 0, LAP, rest)
    takeable = (theirs == 2) | (theirs == 3)
    links = []
    following = jnp.bool_(False)
    for pit in reversed(range(ROW)):
        following = takeable[pit] & (ends_here[pit] | following)
        links.append(following)
    chain = jnp.stack(links[::-1])

    slam = (chain | (theirs == 0)).all() & chain.any()
    if rules.grand_slam == "capture_nothing":
        chain &= ~slam
    elif rules.grand_slam == "leave_landing_pit":
        chain &= ~(slam & ends_here)
    elif rules.grand_slam == "leave_far_pit":
        chain &= ~(slam & (chain.cumsum() == 1))
    taken = jnp.where(chain, theirs, 0).sum()
    theirs = jnp.where(chain, 0, theirs)
    gains = jnp.stack([jnp.int32(0), taken])
    if rules.grand_slam == "opponent_takes_rest":
        gains = gains.at[0].set(jnp.where(slam, own.sum(), 0))
        own = jnp.where(slam, 0, own)
    after = jnp.concatenate([theirs, own, stores[::-1] + gains])
    return after.astype(jnp.uint8), taken


def legal_moves(board: Array, rules: Rules) -> Array:
    """The moves that the rules allow, as if nothing had ended the game: bools (6,)."""
    own, theirs = board[:ROW], board[ROW:PITS]
    stocked = own > 0
    if rules.grand_slam == "forbidden":

        def left(chosen: Array) -> Array:
            # The next seat's row comes first.
            return sow(board, chosen, rules)[0][:ROW].any()

        leaving = stocked & jax.vmap(left)(jnp.eye(ROW, dtype=bool))
        return jnp.where(leaving.any(), leaving, stocked)
    if rules.feeding == "required":
        reaching = jnp.arange(ROW) + own >= ROW
        return stocked & (reaching | theirs.any())
    return stocked
