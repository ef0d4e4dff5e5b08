"""The same seed gives the same episodes, wherever and however they are played."""

from __future__ import annotations

import copy
import hashlib
import itertools
import multiprocessing
import pickle
import warnings
from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest

import oware
from reference import Stream, assert_same, first_legal, some_actions

# Draws for the seat, the opening and every reply; episodes that end in each way.
SETTINGS: dict[str, Any] = {
    "rules": "codingame",
    "opponent": "random",
    "opening_plies": 3,
    "reward": "captures",
    "max_steps": 60,
}


def play(env: oware.OwareEnv, steps: int, rng: np.random.Generator) -> str:
    """Play at random from where the environment is; a digest of all that it shows."""
    digest = hashlib.sha256()
    state = env.get_state()
    _, info = env.set_state(state)
    for _ in range(steps):
        step = env.step(some_actions(rng, info["action_mask"]))
        info = step[4]
        for array in [*step[:4], *(info[name] for name in ("action_mask", "to_move", "winner"))]:
            digest.update(array.tobytes())
    digest.update(env.get_state())
    return digest.hexdigest()


@pytest.mark.parametrize(
    "settings",
    [
        {**SETTINGS, "autoreset_mode": "same_step", "max_steps": 20},
        {"rules": "abapa", "observation": "normalized", "max_steps": 25},
    ],
    ids=["random", "self-play"],
)
def test_any_number_of_threads(settings: dict[str, Any]) -> None:
    # A thread takes no fewer than 8,192 rows; the last of seven gets fewer than the others.
    rows = 7 * 8192 + 3
    counts = (1, 2, 3, 7)
    envs = {threads: oware.OwareEnv(rows, num_threads=threads, **settings) for threads in counts}
    rng = np.random.default_rng(0)
    masks = [env.reset(seed=0)[1]["action_mask"] for env in envs.values()]
    finished = 0
    for _ in range(45):
        actions = some_actions(rng, masks[0])
        steps = {threads: env.step(actions) for threads, env in envs.items()}
        for threads in counts[1:]:
            for ours, expected in zip(steps[threads][:4], steps[1][:4], strict=True):
                assert np.array_equal(ours, expected)
            for name in ("action_mask", "to_move", "termination", "winner"):
                assert np.array_equal(steps[threads][4][name], steps[1][4][name])
        finished += int((steps[1][2] | steps[1][3]).sum())
        masks = [steps[1][4]["action_mask"]]
    assert finished > rows
    assert len({env.get_state() for env in envs.values()}) == 1


@pytest.mark.parametrize("opponent", [None, "random", "greedy", first_legal])
def test_one_batch_of_64_and_64_batches_of_one(opponent: Any) -> None:
    settings = {**SETTINGS, "opponent": opponent, "autoreset_mode": "same_step"}
    whole = oware.OwareEnv(64, **settings)
    parts = [oware.OwareEnv(1, **settings) for _ in range(64)]
    seed = 1000
    shown, info = whole.reset(seed=seed)
    for row, part in enumerate(parts):
        observation, own = part.reset(seed=seed + row)
        assert_same(observation, shown[row : row + 1])
        assert_same(own, {name: array[row : row + 1] for name, array in info.items()})
    rng = np.random.default_rng(0)
    finished = 0
    for _ in range(150):
        actions = some_actions(rng, info["action_mask"])
        step = whole.step(actions)
        info = step[4]
        finished += int((step[2] | step[3]).sum())
        for row, part in enumerate(parts):
            own_step = part.step(actions[row : row + 1])
            for ours, expected in zip(own_step[:4], step[:4], strict=True):
                assert ours[0].tobytes() == expected[row].tobytes()
            assert np.array_equal(own_step[4]["action_mask"][0], info["action_mask"][row])
    assert finished > 64


def test_a_list_of_seeds_and_none_in_it() -> None:
    env = oware.OwareEnv(4, opening_plies=9)
    counted, _ = env.reset(seed=30)
    listed, _ = env.reset(seed=[30, 31, 32, 33])
    assert np.array_equal(counted, listed)
    for kind in ((30, 31, 32, 33), np.arange(30, 34), range(30, 34), [np.uint64(30), 31, 32, 33]):
        assert np.array_equal(env.reset(seed=kind)[0], counted)  # type: ignore[arg-type]
    going_on, _ = env.reset()
    assert not np.array_equal(going_on, counted)
    env.reset(seed=30)
    mixed, _ = env.reset(seed=[None, 31, None, 7])
    assert np.array_equal(mixed[[0, 2]], going_on[[0, 2]])
    assert np.array_equal(mixed[1], counted[1])
    assert not np.array_equal(mixed[3], counted[3])
    env.reset(seed=30)
    assert np.array_equal(env.reset(seed=[None] * 4)[0], going_on)


def test_seeds_up_to_the_last() -> None:
    env = oware.OwareEnv(3, opening_plies=9)
    last = 2**64 - 4
    shown, _ = env.reset(seed=last)
    again, _ = env.reset(seed=[last, last, 2**63])
    assert np.array_equal(again[0], shown[0])
    assert np.array_equal(again[1], shown[0])
    assert not np.array_equal(again[2], shown[2])
    for seed in (last + 1, [0, 0, last + 1]):
        with pytest.raises(ValueError, match=f"is {last + 1}; give 0 to {last}$"):
            env.reset(seed=seed)


def test_environments_without_a_seed_differ() -> None:
    shown = [oware.OwareEnv(4, opening_plies=12).reset()[0].tobytes() for _ in range(8)]
    assert len(set(shown)) == 8


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    env = oware.OwareEnv(5000, opening_plies=1, opponent="random", seat="south")
    env.reset(seed=0)
    pairs = Counter(tuple(env.game(i).moves) for i in range(5000))
    neighbours = Counter(
        (env.game(i).moves[0], env.game(i + 1).moves[0]) for i in range(0, 5000, 2)
    )
    assert len(pairs) == len(neighbours) == 36
    assert chi_square(neighbours, dict.fromkeys(neighbours, 1 / 36)) < critical(35)


def test_the_single_environment_is_row_0() -> None:
    alone = gymnasium.make("oware/Oware-v0", **SETTINGS).unwrapped
    batch = oware.OwareEnv(5, **SETTINGS)
    for seed in (0, 7, 2**40, None, None):
        assert np.array_equal(alone.reset(seed=seed)[0], batch.reset(seed=seed)[0][0])


# In mid-episode: copies of every kind go on alike.


def in_the_middle(**changes: Any) -> oware.OwareEnv:
    env = oware.OwareEnv(16, **{**SETTINGS, **changes})
    env.reset(seed=2)
    play(env, 33, np.random.default_rng(1))
    return env


def go_on(env: oware.OwareEnv) -> str:
    """More steps, through several episodes where the batch is small."""
    return play(env, 150 if env.num_envs < 100 else 20, np.random.default_rng(2))


CHANGES: dict[str, dict[str, Any]] = {
    "random": {},
    "greedy": {"opponent": "greedy", "rules": "awari"},
    "callable": {"opponent": first_legal, "autoreset_mode": "same_step"},
    "self-play": {"opponent": None, "observation": "one_hot", "seat_rewards": True},
    "buffers": {"copy": False, "observation": "normalized", "rules": oware.Rules(seeds_per_pit=6)},
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_pickles_copies_and_states(changes: dict[str, Any]) -> None:
    env = in_the_middle(**changes)
    others = [copy.deepcopy(env), copy.copy(env)]
    others += [
        pickle.loads(pickle.dumps(env, protocol))  # noqa: S301
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ]
    restored = oware.OwareEnv(16, **{**SETTINGS, **changes})
    restored.set_state(env.get_state())
    fresh = in_the_middle(**changes)
    games = [env.game(i) for i in range(16)]
    told = go_on(env)
    for other in [*others, restored, fresh]:
        assert [other.game(i) for i in range(16)] == games
        assert other.metadata == env.metadata
        assert other.observation_space == env.observation_space
        assert (other.rules, other.num_envs) == (env.rules, env.num_envs)
        assert go_on(other) == told


def test_a_state_can_be_gone_back_to() -> None:
    env = in_the_middle()
    state = env.get_state()
    assert env.get_state() == state
    shown, info = env.set_state(state)
    assert np.array_equal(shown, env.observe())
    first = go_on(env)
    assert env.get_state() != state
    again, again_info = env.set_state(state)
    assert_same((again, again_info), (shown, info))
    assert go_on(env) == first


def test_a_copy_has_a_life_of_its_own() -> None:
    env = in_the_middle()
    state = env.get_state()
    other = copy.deepcopy(env)
    go_on(other)
    assert env.get_state() == state


def test_a_pickled_single_environment() -> None:
    env = gymnasium.make("oware/Oware-v0", **SETTINGS).unwrapped
    observation, info = env.reset(seed=1)
    for _ in range(5):
        observation, *_, info = env.step(int(info["action_mask"].argmax()))
    other = pickle.loads(pickle.dumps(env))  # noqa: S301
    for _ in range(5):
        action = int(info["action_mask"].argmax())
        observation, *rest, info = env.step(action)
        theirs, *their_rest, their_info = other.step(action)
        assert_same((theirs, *their_rest, their_info), (observation, *rest, info))


def send(env: oware.OwareEnv, connection: Any) -> None:
    """Go on in another process and tell."""
    connection.send(go_on(env))
    connection.close()


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.parametrize("rows", [16, 2 * 8192])
def test_other_processes(method: str, rows: int) -> None:
    """An environment in mid-episode goes on alike after a spawn and after a fork."""
    context: Any = multiprocessing.get_context(method)
    env = oware.OwareEnv(rows, num_threads=2, **SETTINGS)
    env.reset(seed=2)
    play(env, 33, np.random.default_rng(1))
    ours, theirs = context.Pipe()
    child = context.Process(target=send, args=(env, theirs))
    with warnings.catch_warnings():
        # Newer Pythons warn of any fork beside threads; numpy's are idle.
        warnings.simplefilter("ignore", DeprecationWarning)
        child.start()
    theirs.close()
    told = ours.recv()
    child.join()
    assert child.exitcode == 0
    assert go_on(env) == told


# What is drawn is drawn evenly.


def chi_square(counts: Counter[Any], shares: dict[Any, float]) -> float:
    total = counts.total()
    assert counts.keys() <= shares.keys()
    return sum(
        (counts[key] - total * share) ** 2 / (total * share) for key, share in shares.items()
    )


def critical(freedom: int) -> float:
    """What chi-square exceeds once in 10,000 times, by Wilson and Hilferty's approximation."""
    spread = 2 / (9 * freedom)
    return freedom * float(1 - spread + 3.719 * spread**0.5) ** 3


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
def test_the_random_opponent_plays_every_legal_move_as_often(count: int) -> None:
    rows = 12_000
    pits = [3] * count + [0] * (6 - count) + [3] * 6
    env = oware.OwareEnv(rows, opponent="random", seat="north")
    env.reset(seed=0)
    env.set_positions([pits] * rows, np.zeros((rows, 2), int), np.zeros(rows, int))
    played = Counter(env.game(i).moves[0] for i in range(rows))
    assert len(played) == count
    if count > 1:
        assert chi_square(played, dict.fromkeys(range(count), 1 / count)) < critical(count - 1)


def test_the_greedy_opponent_draws_among_equals() -> None:
    rows = 9_000
    # Pits 3, 4 and 5 take two seeds each, pit 0 none.
    pits = [1, 0, 0, 4, 5, 2, 4, 1, 4, 1, 4, 4]
    env = oware.OwareEnv(rows, opponent="greedy", seat="north")
    env.reset(seed=0)
    env.set_positions([pits] * rows, np.zeros((rows, 2), int), np.zeros(rows, int))
    game = oware.Game(pits=pits)
    assert {move: game.copy().play(move) for move in game.legal_moves()} == {0: 0, 3: 2, 4: 2, 5: 2}
    played = Counter(env.game(i).moves[0] for i in range(rows))
    assert chi_square(played, dict.fromkeys((3, 4, 5), 1 / 3)) < critical(2)


def test_openings_are_drawn_evenly() -> None:
    rows = 20_000
    env = oware.OwareEnv(rows, opening_plies=2)
    env.reset(seed=0)
    lines = Counter(tuple(env.game(i).moves) for i in range(rows))
    shares = dict.fromkeys(itertools.product(range(6), repeat=2), 1 / 36)
    assert chi_square(lines, shares) < critical(35)


def test_the_generator_is_splitmix64() -> None:
    """Row *i* draws from the stream of seed + *i*, as written down in `reference`."""
    env = oware.OwareEnv(50, opening_plies=1)
    env.reset(seed=123)
    for row in range(50):
        assert env.game(row).moves == [Stream(123 + row).choose(range(6))]
