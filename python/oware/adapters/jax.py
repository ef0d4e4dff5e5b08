"""Oware for JAX: the rules as pure functions for `jit` and `vmap`, with Pgx's state shape.

>>> import jax
>>> from oware.adapters.jax import Oware
>>> env = Oware("abapa")
>>> init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
>>> state = init(jax.random.split(jax.random.key(0), 3))
>>> state = step(state, jax.numpy.array([2, 5, 0]))
>>> state.observation[0].tolist()
[5, 4, 4, 4, 4, 4, 4, 4, 0, 5, 5, 5, 0, 0]
>>> state.legal_action_mask.shape, state.rewards.shape, state.terminated.tolist()
((3, 6), (3, 2), [False, False, False])

Needs `pip install "oware[jax]"`. What Pgx's games have is here under the same names, so code that
is written for them runs with this one, `pgx.experimental.auto_reset` and searches with mctx among
it. Pgx itself is not needed.

The rules are those of `oware.Game`, with one limit: a state remembers no more than `history` plies,
where the rules end a game by repetition. See `Oware`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, SupportsIndex, get_args

from oware import TERMINATIONS, Rules
from oware._counts import count, told
from oware._missing import missing_extra
from oware.types import ObservationKind, RewardKind

try:
    import jax
    import jax.numpy as jnp

    from oware.adapters._jax_rules import PITS, ROW, legal_moves, sow, turned
except ModuleNotFoundError as error:
    raise missing_extra("jax", error) from error

if TYPE_CHECKING:
    from jax import Array

    from oware.types import RuleSetName, Share, TerminationName

__all__ = ["Oware", "State"]

MOST: Final = 2**24


@dataclass(frozen=True)
class State:
    """A game as a pytree of arrays; `vmap` puts axes before those given here.

    Pgx's fields: `current_player` int32, the player to move, 0 or 1, who sits as South or as North;
    `observation`, as for `oware.OwareEnv`, seen by the seat to move; `rewards` float32 (2,) of the
    last step, by player; `terminated` and `truncated` bool; `legal_action_mask` bool (6,), all
    True once the game is over, so that a masked softmax stays finite.

    Our own: `board` uint8 (14,), an observation of the kind `"seeds"`; `to_move` int32, the seat to
    move, 0 for South; `ply` int32, the steps taken; `termination` int32, an index into
    `oware.TERMINATIONS`; `history` uint32 (history, 3), the positions since the last capture,
    newest first.

    Example:
        >>> import jax
        >>> state = Oware().init(jax.random.key(0))
        >>> int(state.to_move), state.board.tolist()
        (0, [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0])
    """

    current_player: Array
    observation: Array
    rewards: Array
    terminated: Array
    truncated: Array
    legal_action_mask: Array
    board: Array
    to_move: Array
    ply: Array
    termination: Array
    history: Array

    def replace(self, **changes: Array) -> State:
        """The same state but for some fields.

        Example:
            >>> import jax
            >>> state = Oware().init(jax.random.key(0))
            >>> bool(state.replace(truncated=jax.numpy.bool_(True)).truncated)
            True
        """
        return dataclasses.replace(self, **changes)


jax.tree_util.register_dataclass(State)


class Oware:
    """The game under one rule set: `init` and `step` are pure functions of their arguments.

    **Repetition.** Where the rules end a game by repetition, a state holds the positions of the
    last `history` plies since a capture, 12 bytes each; an occurrence that lies further back is
    not counted. All else is exact. In thousands of games by random and by searching players no
    repetition took more than 226 plies. Where the rules have no repetition, nothing is held.

    **Illegal actions** cannot raise in a compiled function. As in Pgx they end the game: it is
    `terminated`, the offender's reward is -1 and the other's 1, whatever `reward` is, the board
    stays as it was and `termination` is 0.

    **Ended games**: a step changes nothing and is rewarded with 0.

    Args:
        rules: A rule set by name (a key of `oware.RULE_SETS`) or as `oware.Rules`.
        observation: `"seeds"`, `"normalized"` or `"one_hot"`.
        reward: `"outcome"`, `"margin"` or `"captures"`, as for `oware.OwareEnv`.
        max_steps: Steps after which a game is truncated; None for no cap.
        history: Plies that repetition looks back, even, at least 2.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range or no known name.

    Example:
        >>> env = Oware("village", observation="normalized")
        >>> env.num_players, env.num_actions, env.observation_shape
        (2, 6, (14,))
    """

    id: Final = "oware"
    version: Final = "v0"
    num_players: Final = 2
    num_actions: Final = ROW

    def __init__(
        self,
        rules: Rules | RuleSetName = "abapa",
        *,
        observation: ObservationKind = "seeds",
        reward: RewardKind = "outcome",
        max_steps: SupportsIndex | None = 1000,
        history: SupportsIndex = 256,
    ) -> None:
        for name, value, kind in (
            ("observation", observation, ObservationKind),
            ("reward", reward, RewardKind),
        ):
            if value not in get_args(kind):
                known = ", ".join(map(repr, get_args(kind)))
                raise ValueError(f"{name} is {value!r}; give {known}")
        self.rules: Final = rules if isinstance(rules, Rules) else Rules.named(rules)
        self._observation = observation
        self._reward = reward
        self._max_steps = None if max_steps is None else count("max_steps", max_steps, 1, MOST)
        self._history = count("history", history, 2, MOST)
        if self._history % 2:
            raise ValueError(f"history is {told(self._history)}; give an even number of plies")
        if not self.rules.repetition:
            self._history = 0

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The shape of one observation."""
        return (14, 25) if self._observation == "one_hot" else (14,)

    def init(self, key: Array) -> State:
        """A game at its start.

        Args:
            key: Decides which player is South, and so moves first.

        Returns:
            The state.

        Example:
            >>> import jax
            >>> env = Oware()
            >>> keys = jax.random.split(jax.random.key(0), 8)
            >>> jax.vmap(env.init)(keys).current_player.tolist()
            [0, 1, 0, 1, 1, 0, 0, 1]
        """
        board = jnp.array([self.rules.seeds_per_pit] * PITS + [0, 0], jnp.uint8)
        return self._begin(board, jnp.int32(0), jax.random.bernoulli(key).astype(jnp.int32))

    def from_position(
        self, pits: Array, stores: Array, to_move: Array, current_player: Array
    ) -> State:
        """A game that starts from a position, which may be a finished one.

        Args:
            pits: Integers (12,), in sowing order from South's first pit, 12 x `seeds_per_pit` at
                most with the stores; that they are is not checked.
            stores: Integers (2,), South's and North's.
            to_move: 0 for South, 1 for North.
            current_player: The player who is to move, 0 or 1.

        Returns:
            The state.

        Example:
            >>> import jax.numpy as jnp
            >>> pits = jnp.array([0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 5])
            >>> state = Oware().from_position(pits, jnp.array([20, 19]), 0, 0)
            >>> state.legal_action_mask.tolist()
            [False, False, False, False, False, True]
        """
        absolute = jnp.concatenate([jnp.asarray(pits), jnp.asarray(stores)]).astype(jnp.uint8)
        seat = jnp.asarray(to_move, jnp.int32)
        board = jnp.where(seat == 0, absolute, turned(absolute))
        return self._begin(board, seat, jnp.asarray(current_player, jnp.int32))

    def step(self, state: State, action: Array, key: Array | None = None) -> State:
        """Play one action.

        Args:
            state: The state.
            action: An integer: the pit of the player to move in sowing order, 0 to 5.
            key: Without use, since nothing is left to chance; Pgx passes one.

        Returns:
            The state after it.

        Example:
            >>> import jax
            >>> env = Oware()
            >>> state = env.step(env.init(jax.random.key(0)), 5)
            >>> state.board.tolist()
            [5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0]
        """
        del key
        ended = state.terminated | state.truncated
        chosen = jnp.arange(ROW) == action
        legal = (state.legal_action_mask & chosen).any()

        board, taken = sow(state.board, chosen, self.rules)
        history = self._remember(state, taken)
        ply = state.ply + 1
        termination, mask, settled = self._settle(board, history, ply)
        terminated = termination > 0
        truncated = (
            jnp.zeros_like(terminated)
            if self._max_steps is None
            else ~terminated & (ply >= self._max_steps)
        )
        reward = self._rewarded(state.board, settled, terminated)
        played = State(
            current_player=1 - state.current_player,
            observation=self._seen(settled),
            rewards=by_player(reward, state.current_player),
            terminated=terminated,
            truncated=truncated,
            legal_action_mask=mask | terminated | truncated,
            board=settled,
            to_move=1 - state.to_move,
            ply=ply,
            termination=termination,
            history=history,
        )
        stays = state.replace(
            rewards=jnp.where(ended, 0.0, by_player(jnp.float32(-1), state.current_player)),
            terminated=state.terminated | ~ended,
            legal_action_mask=jnp.ones_like(state.legal_action_mask),
        )
        done: State = jax.tree.map(
            lambda new, old: jnp.where(legal & ~ended, new, old), played, stays
        )
        return done

    def observe(self, state: State) -> Array:
        """The observation of a state, seen by the seat to move.

        Example:
            >>> import jax
            >>> env = Oware(observation="one_hot")
            >>> env.observe(env.init(jax.random.key(0))).shape
            (14, 25)
        """
        return self._seen(state.board)

    def _begin(self, board: Array, to_move: Array, current_player: Array) -> State:
        history = jnp.zeros((self._history, 3), jnp.uint32)
        termination, mask, settled = self._settle(board, history, jnp.int32(0))
        terminated = termination > 0
        return State(
            current_player=current_player,
            observation=self._seen(settled),
            rewards=jnp.zeros(2, jnp.float32),
            terminated=terminated,
            truncated=jnp.zeros_like(terminated),
            legal_action_mask=mask | terminated,
            board=settled,
            to_move=to_move,
            ply=jnp.int32(0),
            termination=termination,
            history=history,
        )

    def _remember(self, state: State, taken: Array) -> Array:
        """The positions before the one that a move leads to: none from before a capture."""
        if not self._history:
            return state.history
        longer = jnp.concatenate([packed(state.board)[None], state.history[:-1]])
        # No position is all zeros: with an empty board the game is over.
        return jnp.where(taken > 0, jnp.uint32(0), longer)

    def _settle(self, board: Array, history: Array, ply: Array) -> tuple[Array, Array, Array]:
        """How a position ends the game, its legal moves, and the board after the ending."""
        rules = self.rules
        seeds = board.astype(jnp.int32)
        rows = seeds[:ROW].sum(), seeds[ROW:PITS].sum()
        on_board, own, other = rows[0] + rows[1], seeds[12], seeds[13]
        total = on_board + own + other
        mask = legal_moves(board, rules)
        none, never = jnp.int32(0), jnp.bool_(False)

        endings: list[tuple[TerminationName, Array, Share | None]] = []
        if rules.majority_ends:
            endings += [
                ("majority", 2 * jnp.maximum(own, other) > total, None),
                ("even_split", (2 * own == total) & (own == other), None),
            ]
        endings += [("board_empty", on_board == 0, None), ("no_move", ~mask.any(), rules.no_move)]
        if self._history:
            # Every other position of the past has the same mover.
            same = (history[1::2] == packed(board)).all(axis=-1).sum()
            again = same + 1 >= rules.repetition
            if rules.repetition_needs_both_rows:
                again &= (rows[0] > 0) & (rows[1] > 0)
            endings.append(("repetition", again, rules.repetition_share))
        if rules.max_plies is not None:
            endings.append(("ply_limit", ply >= rules.max_plies, rules.limit_share))

        termination, own_side, split = none, never, never
        # Backwards, as the first of the list counts.
        for name, ends, share in reversed(endings):
            termination = jnp.where(ends, TERMINATIONS.index(name), termination)
            own_side = jnp.where(ends, share == "own_side", own_side)
            split = jnp.where(ends, share == "split", split)
        gains = [
            jnp.where(own_side, row, jnp.where(split, on_board // 2, 0)).astype(jnp.uint8)
            for row in rows
        ]
        pits = jnp.where(own_side | split, jnp.uint8(0), board[:PITS])
        return termination, mask, jnp.concatenate([pits, board[PITS:] + jnp.stack(gains)])

    def _rewarded(self, before: Array, after: Array, terminated: Array) -> Array:
        """The reward of the player who has moved; they come second in the board after it."""
        margin = after[13].astype(jnp.float32) - after[12].astype(jnp.float32)
        if self._reward == "captures":
            return margin - (before[12].astype(jnp.float32) - before[13].astype(jnp.float32))
        if self._reward == "outcome":
            return jnp.where(terminated, jnp.sign(margin), 0.0)
        return jnp.where(terminated, margin / (PITS * self.rules.seeds_per_pit), 0.0)

    def _seen(self, board: Array) -> Array:
        if self._observation == "seeds":
            return board
        if self._observation == "normalized":
            return board.astype(jnp.float32) / (PITS * self.rules.seeds_per_pit)
        return jax.nn.one_hot(jnp.minimum(board, 24), 25, dtype=jnp.float32)


def packed(board: Array) -> Array:
    """The pits in three words, four pits in each."""
    return jax.lax.bitcast_convert_type(board[:PITS].reshape(3, 4), jnp.uint32)


def by_player(reward: Array, player: Array) -> Array:
    """A player's reward, and for the other one its negative."""
    return jnp.where(jnp.arange(2) == player, reward, 0 - reward).astype(jnp.float32)
