"""The rules in JAX, played against `oware.Game`, and what is built for Pgx's states."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest
from pgx.experimental import auto_reset

import oware
from oware.adapters.jax import Oware, State

NAMED = [name for name, rules in oware.RULE_SETS.items() if not rules.repetition]
LOOPING = [name for name, rules in oware.RULE_SETS.items() if rules.repetition]
DRAWN: list[tuple[Any, Any, Any, bool, int | None, int]] = [
    ("capture_all", "required", "own_side", True, None, 3),
    ("capture_all", "free", "split", False, 30, 4),
    ("leave_landing_pit", "required", "stay", True, 40, 5),
    ("leave_far_pit", "free", "split", True, 25, 4),
    ("opponent_takes_rest", "required", "split", False, None, 4),
    ("forbidden", "required", "stay", False, 50, 20),
]
VARIANTS = {
    f"{slam}, {share}": oware.Rules(
        grand_slam=slam,
        feeding=feeding,
        no_move=share,
        repetition=0,
        majority_ends=majority,
        max_plies=limit,
        limit_share=share,
        seeds_per_pit=seeds,
    )
    for slam, feeding, share, majority, limit, seeds in DRAWN
}
GAMES = 250


class Players:
    """Games in pairs, one here and one there, with moves at random."""

    def __init__(self, rules: oware.Rules, *, max_steps: int | None = 300, **settings: Any) -> None:
        self.rules = rules
        self.max_steps = max_steps
        self.env = Oware(rules, max_steps=max_steps, **settings)
        self.step = jax.jit(jax.vmap(self.env.step))
        self.begin = jax.jit(jax.vmap(self.env.from_position))
        self.rng = np.random.default_rng(0)
        self.games = [self.drawn() for _ in range(GAMES)]
        self.south = self.rng.integers(2, size=GAMES)
        self.age = np.zeros(GAMES, int)
        self.endings: set[str] = set()
        self.state = self.started()

    def drawn(self) -> oware.Game:
        """The usual start, or a thin position in which slams, hunger and loops are near."""
        while True:
            if self.rng.random() < 0.3:
                return oware.Game(self.rules)
            total = 12 * self.rules.seeds_per_pit
            seeds = self.rng.integers(2, total // 2)
            pits = self.rng.multinomial(seeds, self.rng.dirichlet(np.full(12, 0.3)))
            taken = int(total - seeds)
            south = max(0, min(taken, taken // 2 + int(self.rng.integers(-2, 3))))
            stores = [south, taken - south]
            to_move = int(self.rng.integers(2))
            game = oware.Game(self.rules, pits=pits, stores=stores, to_move=to_move)
            if not game.is_over:
                return game

    def started(self) -> State:
        """States of the games, which have only begun."""
        to_move = np.array([game.to_move for game in self.games])
        pits = np.array([game.pits for game in self.games])
        stores = np.array([game.stores for game in self.games])
        started: State = self.begin(pits, stores, to_move, self.south ^ to_move)
        return started

    def ply(self) -> None:
        """One move in each game; then new games for those that are over."""
        masks = np.array([game.action_mask() for game in self.games])
        actions = np.where(masks, self.rng.random(masks.shape), -1).argmax(axis=1)
        seats = [game.to_move for game in self.games]
        for game, action in zip(self.games, actions, strict=True):
            game.play(action)
        self.age += 1
        self.state = self.step(self.state, actions)
        self.compare(seats)
        over = np.asarray(self.state.terminated | self.state.truncated)
        self.endings |= {self.games[i].termination or "truncated" for i in np.flatnonzero(over)}
        if over.any():
            self.games = [
                self.drawn() if ended else game
                for ended, game in zip(over, self.games, strict=True)
            ]
            self.age[over] = 0
            fresh = self.started()
            self.state = jax.tree.map(
                lambda new, old: np.where(over.reshape((-1,) + (1,) * (old.ndim - 1)), new, old),
                fresh,
                self.state,
            )

    def compare(self, seats: list[Any]) -> None:
        state = jax.tree.map(np.asarray, self.state)
        games = self.games
        over = np.array([game.is_over for game in games])
        endings = [oware.TERMINATIONS.index(game.termination or "going_on") for game in games]
        truncated = ~over & (self.age == self.max_steps)
        masks = np.array([game.action_mask() for game in games], bool)
        masks[over | truncated] = True
        seen = np.array([game.observation() for game in games])
        to_move = np.array([game.to_move for game in games])
        assert np.array_equal(state.board, seen)
        assert np.array_equal(state.to_move, to_move)
        assert np.array_equal(state.current_player, self.south ^ to_move)
        assert np.array_equal(state.terminated, over)
        assert np.array_equal(state.truncated, truncated)
        assert np.array_equal(state.termination, endings)
        assert np.array_equal(state.legal_action_mask, masks)
        assert np.array_equal(state.ply, self.age)
        reward = [
            1.0 * game.is_over * np.sign(game.stores[seat] - game.stores[1 - seat])
            for seat, game in zip(seats, games, strict=True)
        ]
        rows = np.arange(GAMES)
        assert np.array_equal(state.rewards[rows, self.south ^ np.array(seats)], reward)
        assert np.array_equal(state.rewards.sum(axis=1), np.zeros(GAMES))


@pytest.mark.parametrize("name", NAMED)
def test_named_rules_without_repetition_over_100_000_plies(name: Any) -> None:
    players = Players(oware.RULE_SETS[name])
    for _ in range(100_000 // GAMES):
        players.ply()
    assert {"majority", "no_move"} <= players.endings


@pytest.mark.parametrize("name", LOOPING)
def test_named_rules_with_repetition(name: Any) -> None:
    players = Players(oware.RULE_SETS[name])
    for _ in range(100_000 // GAMES):
        players.ply()
    assert "repetition" in players.endings


@pytest.mark.parametrize("name", VARIANTS)
def test_other_rules(name: str) -> None:
    players = Players(VARIANTS[name])
    for _ in range(25_000 // GAMES):
        players.ply()
    assert "no_move" in players.endings


@pytest.mark.parametrize(("stores", "ending"), [((22, 24), "even_split"), ((3, 3), "board_empty")])
def test_the_last_seeds_are_captured(stores: tuple[int, int], ending: str) -> None:
    pits = [0] * 5 + [1, 1] + [0] * 5
    rules = oware.Rules(grand_slam="capture_all", majority_ends=ending == "even_split")
    game = oware.Game(rules, pits=pits, stores=stores)
    game.play(5)
    env = Oware(rules)
    state = jax.jit(env.from_position)(jnp.array(pits), jnp.array(stores), 0, 0)
    state = jax.jit(env.step)(state, 5)
    assert game.termination == oware.TERMINATIONS[int(state.termination)] == ending
    assert np.array_equal(state.board, game.observation())


def test_a_game_from_its_start_to_a_repetition() -> None:
    # Two seeds that run after each other for ever.
    env = Oware("auale", history=64)
    pits = [0] * 12
    pits[0] = pits[6] = 1
    game = oware.Game("auale", pits=pits, stores=[23, 23])
    step = jax.jit(env.step)
    state = jax.jit(env.from_position)(jnp.array(pits), jnp.array([23, 23]), 0, 1)
    while not game.is_over:
        move = game.legal_moves()[0]
        game.play(move)
        state = step(state, move)
    assert game.termination == "repetition"
    assert bool(state.terminated)
    assert oware.TERMINATIONS[int(state.termination)] == "repetition"
    assert np.array_equal(state.board, game.observation())
    assert np.array_equal(state.rewards, [0, 0])


def test_an_occurrence_further_back_than_the_history_is_not_counted() -> None:
    ends = {}
    for history in (2, 10, 12, 64):
        env = Oware("auale", history=history, max_steps=100)
        step = jax.jit(env.step)
        pits = jnp.zeros(12, int).at[jnp.array([0, 6])].set(1)
        state = jax.jit(env.from_position)(pits, jnp.array([23, 23]), 0, 1)
        while not bool(state.terminated | state.truncated):
            state = step(state, state.legal_action_mask.argmax())
        ends[history] = int(state.ply), bool(state.truncated)
    # After twelve plies each seed lies where the other one began.
    assert ends == {2: (100, True), 10: (100, True), 12: (12, False), 64: (12, False)}


@pytest.mark.parametrize(
    ("reward", "observation"),
    [("outcome", "seeds"), ("margin", "normalized"), ("captures", "one_hot")],
)
def test_rewards_and_observations_are_those_of_the_environment(
    reward: Any, observation: Any
) -> None:
    batch = oware.OwareEnv(
        16, rules="harvest", reward=reward, observation=observation, autoreset_mode="disabled"
    )
    env = Oware("harvest", reward=reward, observation=observation)
    step = jax.jit(jax.vmap(env.step))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), 16))
    seen, info = batch.reset(seed=0)
    assert env.observation_shape == seen.shape[1:]
    np.testing.assert_allclose(jax.jit(jax.vmap(env.observe))(state), seen, rtol=2e-7)
    rng = np.random.default_rng(0)
    finished = np.zeros(16, bool)
    for _ in range(300):
        actions = np.where(info["action_mask"], rng.random((16, 6)), -1).argmax(axis=1)
        mover = np.asarray(state.current_player)
        state = step(state, actions)
        seen, given, terminated, _, info = batch.step(actions)
        live = ~finished
        assert state.observation.dtype == seen.dtype
        # XLA multiplies by the reciprocal of a constant, which may be off by the last bit.
        np.testing.assert_allclose(state.observation[live], seen[live], rtol=2e-7)
        rewards = state.rewards[np.arange(16), mover]
        np.testing.assert_allclose(rewards[live], given[live], rtol=2e-7)
        assert np.array_equal(state.rewards.sum(axis=1), np.zeros(16))
        finished |= terminated
        if terminated.any():
            # The batch goes on with new games; those here have ended and stay so.
            seen, info = batch.reset(options={"reset_mask": terminated})
    assert finished.all()


def test_a_step_after_the_end_changes_nothing() -> None:
    env = Oware("harvest", max_steps=3)
    step = jax.jit(env.step)
    state = jax.jit(env.init)(jax.random.key(0))
    for action in (0, 1, 2):
        state = step(state, action)
    assert bool(state.truncated)
    assert state.legal_action_mask.all()
    after = step(state, 4)
    same = jax.tree.map(lambda one, other: bool((one == other).all()), state, after)
    assert all(jax.tree.leaves(same))

    won = jax.jit(env.from_position)(jnp.array([0] * 11 + [1]), jnp.array([30, 17]), 0, 0)
    assert bool(won.terminated)
    assert won.rewards.tolist() == [0, 0]
    assert step(won, 0).rewards.tolist() == [0, 0]
    assert not bool(step(won, 0).truncated)


@pytest.mark.parametrize("action", [5, -1, 6, 2**31 - 1])
def test_an_illegal_action_loses(action: int) -> None:
    env = Oware("abapa", reward="captures")
    pits = jnp.array([4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4])
    state = jax.jit(env.from_position)(pits, jnp.array([4, 0]), 0, 1)
    step = jax.jit(env.step)
    after = step(state, action)
    assert bool(after.terminated)
    assert after.rewards.tolist() == [1, -1]
    assert after.board.tolist() == state.board.tolist()
    assert int(after.termination) == 0
    assert step(after, 0).rewards.tolist() == [0, 0]


def test_each_player_sits_south_as_often() -> None:
    state = jax.jit(jax.vmap(Oware().init))(jax.random.split(jax.random.key(1), 1000))
    assert 450 < int(state.current_player.sum()) < 550
    assert not state.to_move.any()


def test_pgx_resets_it() -> None:
    env = Oware("harvest")
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = jax.random.split(jax.random.key(0), 32)
    state = jax.jit(jax.vmap(env.init))(keys)
    rng = np.random.default_rng(0)
    ended = 0
    for turn in range(250):
        masks = np.asarray(state.legal_action_mask)
        actions = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        state = step(state, actions, jax.random.split(jax.random.key(turn), 32))
        over = np.asarray(state.terminated)
        ended += int(over.sum())
        assert (np.asarray(state.board)[over] == [4] * 12 + [0] * 2).all()
    assert ended > 32


def test_mctx_searches_with_it() -> None:
    env = Oware("harvest", observation="normalized")

    def margin(state: State) -> jax.Array:
        board = state.board.astype(jnp.float32)
        return jnp.tanh((board[..., 12] - board[..., 13]) / 8)

    def recurrent(params: Any, key: Any, action: Any, state: State) -> Any:
        del params, key
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        rewards = jnp.take_along_axis(state.rewards, mover[:, None], axis=1)[:, 0]
        output = mctx.RecurrentFnOutput(
            reward=rewards,
            # What is good for the next player is bad for this one.
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=jnp.where(state.legal_action_mask, 0.0, -jnp.inf),
            value=margin(state),
        )
        return output, state

    def found(state: State, key: Any) -> Any:
        root = mctx.RootFnOutput(
            prior_logits=jnp.where(state.legal_action_mask, 0.0, -jnp.inf),
            value=margin(state),
            embedding=state,
        )
        return mctx.gumbel_muzero_policy(
            None,
            key,
            root,
            recurrent,
            num_simulations=64,
            invalid_actions=~state.legal_action_mask,
            gumbel_scale=0.0,
        ).action

    search = jax.jit(found)
    # Games against random moves, in half of which the search is South.
    games = 64
    step = jax.jit(jax.vmap(env.step))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))
    rng = np.random.default_rng(0)
    total = np.zeros(games)
    key = jax.random.key(1)
    while not (state.terminated | state.truncated).all():
        key, used = jax.random.split(key)
        masks = np.asarray(state.legal_action_mask)
        guess = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        best = np.asarray(search(state, used))
        assert masks[np.arange(games), best].all()
        state = step(state, np.where(state.current_player == 0, best, guess))
        total += np.asarray(state.rewards[:, 0])
    assert total.mean() > 0.8


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": "chess"}, ValueError, "chess"),
        ({"rules": None}, TypeError, "None"),
        ({"observation": "pixels"}, ValueError, "observation is 'pixels'; give 'seeds'"),
        ({"reward": "score"}, ValueError, "reward is 'score'; give 'outcome'"),
        ({"max_steps": 0}, ValueError, "max_steps"),
        ({"max_steps": 1.5}, TypeError, "max_steps"),
        ({"history": 0}, ValueError, "history"),
        ({"history": 7}, ValueError, "history is 7; give an even number"),
    ],
)
def test_bad_arguments(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Oware(**arguments)
