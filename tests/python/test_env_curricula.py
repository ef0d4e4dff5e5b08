"""Pools of opponents, starts with few seeds, and exact values beside a step."""

from __future__ import annotations

import copy
import math
import pickle
from functools import cache
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest

import oware
from oware.agents import NetworkAgent
from oware.single import OwareSingleEnv
from reference import assert_same, first_legal, greediest, some_actions
from test_env_against_game import Pair, some_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def last_legal(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.intp]:
    """Another opponent without chance."""
    del observation
    actions: NDArray[np.intp] = 5 - action_mask[:, ::-1].argmax(axis=1)
    return actions


POOLS: list[Any] = [
    {"random": 1, "greedy": 2},
    {"greedy": 0.25},
    [("greedy", 1), ("random", 0), ("greedy", 1e-3), ("random", 7)],
    [(first_legal, 1), ("random", 2.5), ("greedy", 0), (last_legal, 2)],
]


@cache
def database(rules: Any) -> oware.Endgame:
    return oware.Endgame.build(7, rules, progress=False)


@pytest.mark.parametrize("kernel", oware.cpu_features())
@pytest.mark.parametrize("seed", range(6))
def test_pools_and_starts_are_those_of_the_slow_twin(
    seed: int, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWARE_KERNEL", kernel)
    rng = np.random.default_rng(seed)
    settings = some_settings(rng)
    if settings["opponent"] is not None:
        settings["opponent"] = POOLS[rng.integers(4)]
    total = 12 * settings["rules"].seeds_per_pit
    low, high = sorted(rng.integers(3, total + 1, 2).tolist())
    settings["start_seeds"] = [(low, high), low, None][rng.integers(3)]
    settings["opening_plies"] = int(rng.integers(2))
    rows = (1, 30, 70)[seed % 3]
    pair = Pair(rows, **settings)
    pair.do("reset", seed=seed)
    for turn in range(4):
        pair.play(30, rng)
        if settings["opponent"] is not None:
            pair.ours.set_opponent(POOLS[turn])
            pair.slow.set_opponent(POOLS[turn])
        pair.do("reset", options={"reset_mask": np.arange(rows) % 2 == 0})
    assert pair.finished > 0 or settings["max_steps"] in {None, 1000}


@pytest.mark.parametrize("kernel", oware.cpu_features())
@pytest.mark.parametrize("opponent", [None, "greedy", POOLS[0], POOLS[3]])
@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_values_are_those_of_the_slow_twin(
    mode: str, opponent: Any, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OWARE_KERNEL", kernel)
    rng = np.random.default_rng(1)
    rules = ("abapa", "awari", "codingame", "auale")[rng.integers(4)]
    pair = Pair(
        70,
        rules=rules,
        opponent=opponent,
        autoreset_mode=mode,
        start_seeds=(2, 12),
        max_steps=9,
        endgame=database(rules),
    )
    pair.do("reset", seed=3)
    pair.play(40, rng)
    assert pair.finished > 100


@pytest.mark.parametrize("rules", oware.RULE_SETS)
def test_values_and_regrets_of_thousands_of_positions(rules: Any) -> None:
    """Each is what `Endgame.move_values` says of that position alone."""
    endgame = database(rules)
    rng = np.random.default_rng(0)
    rows = 1500
    pits = np.zeros((rows, 12), int)
    for board in pits:
        np.add.at(board, rng.integers(0, 12, rng.integers(1, 10)), 1)
    left = 48 - pits.sum(axis=1)
    stores = np.stack([left // 2, left - left // 2], axis=1)
    to_move = rng.integers(0, 2, rows)
    games = [
        oware.Game(rules, pits=p, stores=s, to_move=t)
        for p, s, t in zip(pits, stores, to_move.tolist(), strict=True)
    ]
    live = np.array([not game.is_over for game in games])
    env = oware.OwareEnv(rows, rules=rules, endgame=endgame, max_steps=None)
    env.reset(seed=0)
    _, info = env.set_positions(pits, stores, to_move, mask=live)
    assert (info["value"].dtype, info["value"].shape) == (np.float32, (rows,))
    assert np.isnan(info["regret"]).all()
    actions = some_actions(rng, info["action_mask"])
    values = info["value"]
    _, _, _, _, info = env.step(actions)
    told = best = 0
    for row in np.flatnonzero(live):
        game = games[row]
        if sum(game.pits) > endgame.max_seeds:
            assert math.isnan(values[row])
            assert math.isnan(info["regret"][row])
            continue
        moves = endgame.move_values(game)
        assert values[row] == max(moves.values()) == endgame.value(game)
        regret = max(moves.values()) - moves[int(actions[row])]
        assert info["regret"][row] == regret
        told, best = told + 1, best + (regret == 0)
    assert 600 < told < live.sum()
    assert 0 < best < told


def test_a_best_player_regrets_nothing() -> None:
    """Played on to the end, what the start was worth is what the agent takes."""
    endgame = database("awari")
    rules = oware.Rules.named("awari")
    assert not rules.majority_ends
    env = oware.OwareEnv(
        200, rules="awari", endgame=endgame, start_seeds=(1, 7), autoreset_mode="disabled"
    )
    _, info = env.reset(seed=5)
    owed = info["value"].copy()
    mover = info["to_move"].copy()
    lead = [s[m] - s[1 - m] for s, m in zip(env.stores.astype(int), mover, strict=True)]
    over = np.zeros(200, bool)
    for _ in range(60):
        actions = np.zeros(200, int)
        for row in np.flatnonzero(~over):
            actions[row] = endgame.best_moves(env.game(row))[0]
        _, _, terminated, truncated, info = env.step(actions)
        assert (info["regret"][~over] == 0).all()
        over = terminated | truncated
        for row in np.flatnonzero(terminated):
            stores = env.stores[row].astype(int)
            if oware.TERMINATIONS[info["termination"][row]] != "repetition":
                assert stores[mover[row]] - stores[1 - mover[row]] - lead[row] == owed[row]
            assert info["value"][row] == 0
        if over.any():
            _, after = env.reset(options={"reset_mask": over})
            stores = env.stores.astype(int)
            for row in np.flatnonzero(over):
                mover[row] = after["to_move"][row]
                owed[row] = after["value"][row]
                lead[row] = stores[row][mover[row]] - stores[row][1 - mover[row]]
            over[:] = False


def test_many_rows_and_threads_tell_the_same() -> None:
    endgame = database("abapa")
    rows = 2 * 8192 + 3
    told = []
    for threads in (1, 3):
        env = oware.OwareEnv(
            rows,
            opponent={"random": 1, "greedy": 1},
            endgame=endgame,
            start_seeds=(1, 9),
            num_threads=threads,
        )
        _, info = env.reset(seed=0)
        told.append([info, env.step(info["action_mask"].argmax(axis=1))])
    assert_same(told[0], told[1])


@pytest.mark.parametrize("opponent", [None, {"random": 1, "greedy": 1}])
def test_with_copy_false_the_arrays_are_the_same_ones(opponent: Any) -> None:
    settings: dict[str, Any] = {
        "opponent": opponent,
        "endgame": database("abapa"),
        "start_seeds": 6,
        "autoreset_mode": "same_step",
    }
    env, twin = (oware.OwareEnv(20, copy=copying, **settings) for copying in (False, True))
    rng = np.random.default_rng(0)
    names = ["value", "regret"] if opponent is None else ["value", "regret", "opponent"]
    _, info = env.reset(seed=0)
    _, expected = twin.reset(seed=0)
    first = dict(info)
    fresh = dict(expected)
    finals = 0
    for _ in range(60):
        for name in names:
            assert info[name] is first[name]
            assert_same(info[name], expected[name])
        # Somebody may have given the view another shape, or made it read-only.
        info["value"].shape = (4, 5)
        info["value"].flags.writeable = False
        actions = some_actions(rng, expected["action_mask"])
        info, expected = env.step(actions)[4], twin.step(actions)[4]
        assert all(expected[name] is not fresh[name] for name in names)
        info["value"].flags.writeable = True
        info["value"].shape = (20,)
        assert ("final_info" in info) == ("final_info" in expected)
        if "final_info" in expected:
            finals += 1
            mask = expected["_final_info"]
            for name in names:
                ours, theirs = info["final_info"], expected["final_info"]
                assert_same(ours[name][mask], theirs[name][mask])
                assert_same(ours[f"_{name}"], theirs[f"_{name}"])
    assert finals > 5


def test_final_values_are_of_the_episode_that_ended() -> None:
    endgame = database("abapa")
    env = oware.OwareEnv(
        300,
        opponent=[("random", 1), ("greedy", 1), (first_legal, 1)],
        endgame=endgame,
        start_seeds=(2, 9),
        max_steps=3,
        autoreset_mode="same_step",
    )
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    seen = np.zeros(2, int)
    for _ in range(12):
        before = info["opponent"].copy()
        _, _, terminated, truncated, info = env.step(some_actions(rng, info["action_mask"]))
        if not (terminated | truncated).any():
            continue
        final, boards = info["final_info"], info["final_obs"]
        assert_same(final["_value"], info["_final_info"])
        over = terminated | truncated
        assert np.array_equal(final["opponent"][over], before[over])
        assert np.array_equal(final["regret"][over], info["regret"][over], equal_nan=True)
        assert (final["value"][terminated] == 0).all()
        for row in np.flatnonzero(truncated):
            pits = boards[row][:12]
            if pits.sum() > endgame.max_seeds:
                assert math.isnan(final["value"][row])
            else:
                assert final["value"][row] == endgame.values([pits])[0]
        seen += [terminated.sum(), truncated.sum()]
    assert (seen > 20).all()


def test_a_single_environment_tells_plain_numbers() -> None:
    made = gymnasium.make(
        "oware/Oware-v0",
        opponent={"random": 1, "greedy": 3},
        endgame=database("abapa"),
        start_seeds=(3, 6),
        max_episode_steps=-1,
    )
    batch = oware.OwareEnv(
        1,
        opponent={"random": 1, "greedy": 3},
        endgame=database("abapa"),
        start_seeds=(3, 6),
        autoreset_mode="disabled",
    )
    env = made.unwrapped
    for seed in range(30):
        _, info = env.reset(seed=seed)
        _, expected = batch.reset(seed=seed)
        while True:
            for name in ("value", "regret"):
                assert type(info[name]) is float
                assert np.array_equal(info[name], expected[name][0], equal_nan=True)
            assert type(info["opponent"]) is int
            assert info["opponent"] == expected["opponent"][0]
            action = int(info["action_mask"].argmax())
            _, _, terminated, _, info = env.step(action)
            expected = batch.step([action])[4]
            if terminated:
                break


# Pools.


def test_each_opponent_has_its_share_of_the_episodes() -> None:
    weights = {"random": 1, "greedy": 2.5, "minimax:1": 0, "minimax:2": 0.5}
    rows = 8000
    env = oware.OwareEnv(rows, opponent=weights)
    _, info = env.reset(seed=0)
    assert info["opponent"].dtype == np.int8
    shares = np.array(list(weights.values())) / 4
    counts = np.bincount(info["opponent"], minlength=4)
    deviations = np.sqrt(shares * (1 - shares) / rows)
    assert (np.abs(counts / rows - shares) <= 4 * deviations).all()


def test_each_row_plays_the_opponent_that_is_told() -> None:
    """Over several episodes; networks, callables and names together."""
    networks = [oware.Network.random(hidden=(5,), seed=seed) for seed in (1, 2)]
    plays: list[Callable[[oware.Game], list[int]]] = [
        greediest,
        lambda game: [max(game.legal_moves(), key=lambda m: float(logits(networks[0], game)[m]))],
        lambda game: [game.legal_moves()[0]],
        lambda game: [max(game.legal_moves(), key=lambda m: float(logits(networks[1], game)[m]))],
        lambda game: [game.legal_moves()[-1]],
        lambda game: game.legal_moves(),
    ]

    def logits(network: oware.Network, game: oware.Game) -> NDArray[np.float32]:
        found: NDArray[np.float32] = network.evaluate([game.observation()]).logits[0]
        return found

    pool: Any = [
        ("greedy", 1),
        (NetworkAgent(networks[0]), 1),
        (first_legal, 1),
        (NetworkAgent(networks[1]), 1),
        (last_legal, 1),
        ("random", 1),
    ]
    env = oware.OwareEnv(40, opponent=pool, max_steps=4, autoreset_mode="disabled")
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    met = set()
    episodes = np.zeros(40, int)
    for _ in range(60):
        actions = some_actions(rng, info["action_mask"])
        before = [env.game(row) for row in range(40)]
        _, _, terminated, truncated, info = env.step(actions)
        for row, game in enumerate(before):
            game.play(actions[row])
            if not game.is_over:
                assert env.game(row).moves[-1] in plays[info["opponent"][row]](game)
                met.add((row, int(info["opponent"][row])))
        over = terminated | truncated
        if over.any():
            drawn = info["opponent"].copy()
            _, info = env.reset(options={"reset_mask": over})
            assert (info["opponent"][~over] == drawn[~over]).all()
            episodes += over
    assert len(met) > 150
    assert episodes.min() > 5


def test_episodes_under_way_keep_opponent_and_place() -> None:
    env = oware.OwareEnv(200, opponent="greedy", autoreset_mode="disabled")
    _, info = env.reset(seed=0)
    assert "opponent" not in info
    pool: Any = [(first_legal, 1), (last_legal, 1)]
    env.set_opponent(pool)
    info = env.step(info["action_mask"].argmax(axis=1))[4]
    assert not info["opponent"].any()
    half = np.arange(200) % 2 == 0
    _, info = env.reset(options={"reset_mask": half})
    assert 30 < info["opponent"][half].sum() < 70
    assert not info["opponent"][~half].any()
    # One alone is at place 0 from now on.
    env.set_opponent("random")
    drawn = info["opponent"].copy()
    info = env.step(info["action_mask"].argmax(axis=1))[4]
    assert np.array_equal(info["opponent"], drawn)
    _, info = env.reset()
    assert not info["opponent"].any()


def test_with_copy_false_a_pool_may_come_later() -> None:
    env = oware.OwareEnv(50, opponent="random", copy=False, autoreset_mode="same_step")
    observation, _ = env.reset(seed=0)
    env.set_opponent({"random": 1, "greedy": 1})
    again, told = env.reset(seed=0)
    assert again is observation
    assert told["opponent"].any()


@pytest.mark.parametrize("rows", [3, 70])
def test_pickles_copies_and_states_keep_pools_and_starts(rows: int) -> None:
    network = NetworkAgent(oware.Network.random(hidden=(5,), seed=1), temperature=1.0)
    for opponent in (POOLS[0], POOLS[3], [("random", 1), (network, 2), (first_legal, 1)]):
        settings: dict[str, Any] = {"opponent": opponent, "start_seeds": (4, 20), "max_steps": 6}
        env = oware.OwareEnv(rows, **settings)
        rng = np.random.default_rng(0)
        _, info = env.reset(seed=1)
        for _ in range(5):
            info = env.step(some_actions(rng, info["action_mask"]))[4]
        others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]  # noqa: S301
        restored = oware.OwareEnv(rows, **settings)
        assert_same(restored.set_state(env.get_state())[1]["opponent"], info["opponent"])
        others.append(restored)
        for _ in range(30):
            actions = some_actions(rng, info["action_mask"])
            step = env.step(actions)
            info = step[4]
            for other in others:
                assert_same(other.step(actions), step)


def test_pickles_keep_a_database_with_a_path(tmp_path: Any) -> None:
    endgame = oware.Endgame.build(4, "awari", path=tmp_path / "four.owdb", progress=False)
    env = oware.OwareEnv(5, rules="awari", endgame=endgame, start_seeds=3)
    env.reset(seed=0)
    other = pickle.loads(pickle.dumps(env))  # noqa: S301
    actions = np.array([env.game(i).legal_moves()[0] for i in range(5)])
    assert_same(other.step(actions), env.step(actions))
    assert copy.deepcopy(env).get_state() == env.get_state()


def test_a_place_beyond_the_pool_takes_the_first() -> None:
    """A callable that is not known gives way to the pool's own of its place, or the first."""
    many: Any = [(first_legal, 0), (first_legal, 0), (first_legal, 1)]
    source = oware.OwareEnv(4, opponent=many, seat="south")
    source.reset(seed=0)
    target = oware.OwareEnv(4, opponent={"greedy": 1, "random": 0}, seat="south")
    _, info = target.set_state(source.get_state())
    assert (info["opponent"] == 2).all()
    games = [target.game(i) for i in range(4)]
    target.step([0, 1, 2, 3])
    for row, game in enumerate(games):
        game.play(row)
        assert target.game(row).moves[-1] in greediest(game)


# Starts.


@pytest.mark.parametrize("opening_plies", [0, 1])
def test_starts_have_so_many_seeds(opening_plies: int) -> None:
    rows = 4000
    env = oware.OwareEnv(rows, start_seeds=(3, 8), opening_plies=opening_plies)
    _, info = env.reset(seed=0)
    starts = [env.game(row) for row in range(rows)]
    for game in starts:
        for _ in range(opening_plies):
            game.undo()
    counts = np.bincount([sum(game.pits) for game in starts], minlength=49)
    assert counts[3:9].sum() == rows
    if opening_plies == 0:
        assert (np.abs(counts[3:9] - rows / 6) < 4 * np.sqrt(rows * 5 / 36)).all()
        assert abs(info["to_move"].mean() - 0.5) < 4 * 0.5 / np.sqrt(rows)
    for game in starts:
        assert not game.is_over
        assert sum(game.pits) + sum(game.stores) == 48
        assert max(game.stores) <= 24
        assert game.moves == []
    stores = {game.stores[0] for game in starts}
    assert stores == set(range(48 - 8 - 24, 25))


def test_who_moves_first_is_drawn() -> None:
    """The opponent moves first in half of the episodes, whichever the seat is."""
    for seat in ("south", "north"):
        env = oware.OwareEnv(2000, opponent="random", seat=seat, start_seeds=10)
        env.reset(seed=0)
        plies = np.array([len(env.game(row).moves) for row in range(2000)])
        assert set(plies.tolist()) == {0, 1}
        assert abs(plies.mean() - 0.5) < 0.06


def test_starts_are_those_of_each_row_alone() -> None:
    env = oware.OwareEnv(100, start_seeds=(1, 48))
    env.reset(seed=7)
    for row in (0, 63, 99):
        single = oware.OwareEnv(1, start_seeds=(1, 48))
        single.reset(seed=7 + row)
        assert single.game(0) == env.game(row)


@pytest.mark.parametrize("rules", [*oware.RULE_SETS.values(), oware.Rules(seeds_per_pit=20)])
def test_any_number_of_seeds_can_be_a_start(rules: oware.Rules) -> None:
    total = 12 * rules.seeds_per_pit
    for count in (1, 2, total - 1, total):
        env = oware.OwareEnv(70, rules=rules, start_seeds=count)
        env.reset(seed=0)
        assert (env.pits.sum(axis=1, dtype=int) == count).all()


# What is refused.


@pytest.mark.parametrize(
    ("opponent", "error", "message"),
    [
        ({}, ValueError, "^opponent: the pool has 0 opponents; give 1 to 127$"),
        ([], ValueError, "^opponent: the pool has 0 opponents"),
        ([("random", 1)] * 128, ValueError, "^opponent: the pool has 128 opponents"),
        ({"random": -1}, ValueError, "^opponent: the weight of the pool's opponent 0 is -1; give"),
        ({"random": 1, "greedy": math.nan}, ValueError, "the pool's opponent 1 is NaN"),
        ({"random": math.inf}, ValueError, "opponent 0 is inf"),
        ({"random": 0, "greedy": 0}, ValueError, "the weights of the pool add up to 0; give"),
        ({"random": 10**400}, ValueError, "the weight of the pool's opponent 0 is inf; give"),
        ({"random": "1"}, TypeError, r"^the weight of opponent\[0\] must be a number, not str$"),
        ({"random": True}, TypeError, r"^the weight of opponent\[0\] must be a number, not bool$"),
        ({"random": None}, TypeError, r"^the weight of opponent\[0\] must be a number"),
        ({"rndom": 1}, ValueError, '^unknown opponent "rndom"'),
        ({None: 1}, TypeError, r"^opponent\[0\] must be a name or a callable, not NoneType$"),
        ({5: 1}, TypeError, r"^opponent\[0\] must be a name or a callable, not int$"),
        (["random", "greedy"], TypeError, r"^opponent\[0\] must be a pair \(opponent, weight\)"),
        ([("random", 1, 2)], TypeError, r"^opponent\[0\] must be a pair"),
        ([5], TypeError, r"^opponent\[0\] must be a pair \(opponent, weight\), not int$"),
        ([({"random": 1}, 1)], TypeError, r"^opponent\[0\] must be a name or a callable, not dict"),
        ({"net:nowhere": 1}, ValueError, "there is no file 'nowhere'"),
        (b"random", TypeError, "^opponent must be None, a name, a callable or a pool of them, not"),
    ],
)
def test_pools_that_are_refused(opponent: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        oware.OwareEnv(2, opponent=opponent)
    env = oware.OwareEnv(2, opponent="random")
    env.reset(seed=0)
    state = env.get_state()
    with pytest.raises(error, match=message):
        env.set_opponent(opponent)
    assert env.get_state() == state
    assert "opponent" not in env.step([0, 1])[4]


def test_self_play_meets_no_pool() -> None:
    with pytest.raises(ValueError, match="stays in self-play"):
        oware.OwareEnv(2).set_opponent({"random": 1})


def test_more_callables_than_there_are_numbers() -> None:
    env = oware.OwareEnv(200, opponent="random", seat="south")
    env.reset(seed=0)
    pool: Any = [(first_legal, 1) for _ in range(120)]
    env.set_opponent(pool)
    env.reset()
    state = env.get_state()
    with pytest.raises(ValueError, match="too many opponents are still in their episodes"):
        env.set_opponent(pool)
    assert env.get_state() == state
    info = env.step(np.arange(200) % 6)[4]
    assert len(set(info["opponent"].tolist())) > 60


@pytest.mark.parametrize(
    ("seeds", "error", "message"),
    [
        (0, ValueError, "^start_seeds is 0; give 1 to 48$"),
        (49, ValueError, "^start_seeds is 49; give 1 to 48$"),
        (-(10**30), ValueError, "^start_seeds is -1000.*; give 1 to 48$"),
        ((0, 4), ValueError, r"^start_seeds\[0\] is 0; give 1 to 48$"),
        ((5, 4), ValueError, r"^start_seeds\[1\] is 4; give 5 to 48$"),
        ((5, 49), ValueError, r"^start_seeds\[1\] is 49; give 5 to 48$"),
        ((5,), ValueError, "^start_seeds has 1 numbers; give the fewest and the most$"),
        ((1, 2, 3), ValueError, "^start_seeds has 3 numbers"),
        ((1.5, 3), TypeError, r"^start_seeds\[0\] must be an int, not float$"),
        ((1, None), TypeError, r"^start_seeds\[1\] must be an int, not NoneType$"),
    ],
)
def test_starts_that_are_refused(seeds: Any, error: type[Exception], message: str) -> None:
    for make in (oware.OwareEnv, OwareSingleEnv):
        with pytest.raises(error, match=message):
            make(start_seeds=seeds)


def test_starts_are_held_to_the_seeds_of_the_rules() -> None:
    rules = oware.Rules(seeds_per_pit=1)
    oware.OwareEnv(2, rules=rules, start_seeds=12).reset(seed=0)
    with pytest.raises(ValueError, match=r"^start_seeds is 13; give 1 to 12$"):
        oware.OwareEnv(2, rules=rules, start_seeds=13)


def test_databases_that_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^the database is for .*awari .*, the game has abapa"):
        oware.OwareEnv(2, rules="abapa", endgame=database("awari"))
    for bad in (5, "12", database("awari").values):
        with pytest.raises(TypeError, match=r"^endgame must be None or an oware\.Endgame, not"):
            oware.OwareEnv(2, endgame=bad)  # type: ignore[arg-type]


def test_copies_go_on_telling_opponents() -> None:
    env = oware.OwareEnv(2, opponent={"random": 1, "greedy": 1})
    env.reset(seed=0)
    env.set_opponent("greedy")
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):  # noqa: S301
        info = copied.reset(seed=1)[1]
        assert info["opponent"].tolist() == env.reset(seed=1)[1]["opponent"].tolist()
    plain = oware.OwareEnv(2, opponent="greedy")
    assert "opponent" not in copy.deepcopy(plain).reset(seed=0)[1]
