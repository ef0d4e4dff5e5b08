"""What `OwareEnv` and the single environment show: spaces, views, turns, seats, flags."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_args

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

import oware
from oware.types import AutoresetName, ObservationKind, SeatChoice
from reference import assert_same, first_legal, some_actions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oware.types import OpponentName

KINDS = get_args(ObservationKind)
DTYPES = {
    "action_mask": np.int8,
    "to_move": np.int8,
    "termination": np.int8,
    "winner": np.int8,
    "seat_rewards": np.float32,
}


@pytest.mark.parametrize("seeds_per_pit", [1, 4, 20])
@pytest.mark.parametrize("kind", KINDS)
def test_spaces(kind: ObservationKind, seeds_per_pit: int) -> None:
    rules = oware.Rules(seeds_per_pit=seeds_per_pit)
    env = oware.OwareEnv(5, rules=rules, observation=kind)
    high = {"seeds": 12 * seeds_per_pit}.get(kind, 1)
    shape = (14, 25) if kind == "one_hot" else (14,)
    dtype = np.uint8 if kind == "seeds" else np.float32
    assert env.single_observation_space == spaces.Box(0, high, shape, dtype)
    assert env.observation_space == spaces.Box(0, high, (5, *shape), dtype)
    assert env.single_action_space == spaces.Discrete(6)
    assert env.action_space == spaces.MultiDiscrete([6] * 5)
    single = gymnasium.make("oware/Oware-v0", rules=rules, observation=kind)
    assert single.observation_space == env.single_observation_space
    assert single.action_space == env.single_action_space


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opponent", [None, "random"])
def test_views_are_those_of_the_games(kind: ObservationKind, opponent: Any) -> None:
    env = oware.OwareEnv(9, rules="auale", observation=kind, opponent=opponent)
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=0)
    over = np.zeros(9, bool)
    finished = 0
    for _ in range(250):
        assert observation in env.observation_space
        assert np.array_equal(env.observe(), observation)
        for index in range(9):
            game = env.game(index)
            assert (tuple(env.pits[index]), tuple(env.stores[index])) == (game.pits, game.stores)
            shown = game.observation(kind)
            if game.to_move != info["to_move"][index]:
                # A reply has ended the game: the agent sees it, though North or South would move.
                assert opponent
                assert game.is_over
                shown = shown[[*range(6, 12), *range(6), 13, 12]]
            assert np.array_equal(observation[index], shown)
            assert game.is_over == over[index]
            mask = np.ones(6, np.int8) if over[index] else game.action_mask()
            assert np.array_equal(info["action_mask"][index], mask)
            assert (
                oware.TERMINATIONS[info["termination"][index]] == game.termination
                or not over[index]
            )
            assert info["winner"][index] == (-1 if game.winner is None else game.winner)
        observation, _, over, truncated, info = env.step(some_actions(rng, info["action_mask"]))
        assert not truncated.any()
        finished += int(over.sum())
    assert finished > 9


def test_terminations() -> None:
    assert oware.TERMINATIONS == (
        "going_on",
        "majority",
        "even_split",
        "board_empty",
        "no_move",
        "repetition",
        "ply_limit",
    )


def test_crowded_pits_are_shown_in_the_last_column() -> None:
    rules = oware.Rules(seeds_per_pit=20)
    env = oware.OwareEnv(1, rules=rules, observation="one_hot")
    counts = [23, 24, 25, 100, 0, 0, 1, 0, 0, 0, 0, 0]
    observation, _ = env.set_positions([counts], [[26, 27]], [0])
    columns = [min(count, 24) for count in [*counts, 26, 27]]
    assert np.array_equal(observation[0].argmax(axis=1), columns)
    assert np.array_equal(observation[0].sum(axis=1), np.ones(14))


def test_normalized_views_are_over_the_seeds_of_a_whole_game() -> None:
    rules = oware.Rules(seeds_per_pit=3)
    env = oware.OwareEnv(1, rules=rules, observation="normalized")
    pits = [[1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1]]
    observation, _ = env.set_positions(pits, [[0, 2]], [1])
    expected = np.array([0, 0, 0, 0, 0, 1, 1, 2, 3, 0, 0, 0, 2, 0], np.float32) / np.float32(36)
    assert np.array_equal(observation[0], expected)


@pytest.mark.parametrize("seat_rewards", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_arrays(kind: ObservationKind, seat_rewards: bool) -> None:
    env = oware.OwareEnv(4, observation=kind, seat_rewards=seat_rewards)
    observation, info = env.reset(seed=0)
    names = [name for name in DTYPES if seat_rewards or name != "seat_rewards"]
    assert list(info) == names
    step = env.step([0, 1, 2, 3])
    assert list(step[4]) == names
    assert [array.dtype for array in step[1:4]] == [np.float32, np.bool_, np.bool_]
    assert [array.shape for array in step[1:4]] == [(4,)] * 3
    for name in names:
        assert info[name].dtype == step[4][name].dtype == DTYPES[name]
    assert info["action_mask"].shape == (4, 6)
    handed = [observation, *info.values(), *step[:4], *step[4].values(), env.observe()]
    handed += [env.pits, env.stores]
    for array in handed:
        assert type(array) is np.ndarray
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.flags.owndata
    for one, other in itertools.combinations(handed, 2):
        assert not np.shares_memory(one, other)


def test_arrays_are_the_callers() -> None:
    env, twin = oware.OwareEnv(3, seat_rewards=True), oware.OwareEnv(3, seat_rewards=True)
    rng = np.random.default_rng(0)
    shown = env.reset(seed=0)
    assert_same(shown, twin.reset(seed=0))
    for _ in range(50):
        actions = some_actions(rng, shown[1]["action_mask"])
        for array in [shown[0], *shown[1].values(), env.pits, env.stores, env.observe()]:
            array.fill(99)
        step = env.step(actions)
        actions.fill(99)
        expected = twin.step(env.game(0).moves[-1:] + [env.game(i).moves[-1] for i in (1, 2)])
        assert_same(step, expected)
        shown = step[0], step[4]


def test_games_are_copies() -> None:
    env = oware.OwareEnv(2)
    env.reset(seed=0)
    game = env.game(1)
    game.play(3)
    assert env.game(1).moves == []
    assert np.array_equal(env.pits, np.full((2, 12), 4))


@pytest.mark.parametrize("dtype", [*"bhilqBHILQ", "int64", ">i4", ">u8", "<i2"])
def test_every_integer_type_is_an_action(dtype: str) -> None:
    env = oware.OwareEnv(3)
    env.reset(seed=0)
    actions = np.array([5, 0, 3], dtype)
    actions.flags.writeable = False
    env.step(actions)
    assert [env.game(i).moves for i in range(3)] == [[5], [0], [3]]


def test_actions_of_any_stride() -> None:
    numbers = np.arange(12).reshape(6, 2) % 6
    for actions in (numbers[::2, 1], numbers[::-2, 0], numbers.T[1, 3:], np.broadcast_to(2, 3)):
        env = oware.OwareEnv(3)
        env.reset(seed=0)
        env.step(actions)
        assert [env.game(i).moves[0] for i in range(3)] == actions.tolist()
    lists: list[Any] = [
        [1, 2, 3],
        (1, 2, 3),
        [np.int8(1), np.int32(2), 3],
    ]
    for listed in lists:
        env = oware.OwareEnv(3)
        env.reset(seed=0)
        env.step(listed)
        assert [env.game(i).moves[0] for i in range(3)] == [1, 2, 3]


def test_both_seats_act_in_self_play() -> None:
    env = oware.OwareEnv(4)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for ply in range(30):
        assert np.array_equal(info["to_move"], [ply % 2] * 4)
        assert [env.game(i).to_move for i in range(4)] == [ply % 2] * 4
        _, _, terminated, _, info = env.step(some_actions(rng, info["action_mask"]))
        assert not terminated.any()


def test_the_seat_has_no_effect_in_self_play() -> None:
    shown = [
        oware.OwareEnv(3, seat=seat, opening_plies=5).reset(seed=1) for seat in get_args(SeatChoice)
    ]
    assert_same(shown[0], shown[1])
    assert_same(shown[0], shown[2])


@pytest.mark.parametrize(("seat", "number"), [("south", 0), ("north", 1)])
@pytest.mark.parametrize("opponent", ["random", "greedy", first_legal])
def test_the_agent_keeps_its_seat(seat: SeatChoice, number: int, opponent: Any) -> None:
    env = oware.OwareEnv(6, opponent=opponent, seat=seat)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for step in range(60):
        assert np.array_equal(info["to_move"], [number] * 6)
        plies = {env.game(i).ply for i in range(6)}
        assert step > 8 or plies == {2 * step + number}
        assert all(env.game(i).is_over or env.game(i).to_move == number for i in range(6))
        _, _, _, _, info = env.step(some_actions(rng, info["action_mask"]))


def test_a_random_seat_is_drawn_for_each_episode() -> None:
    env = oware.OwareEnv(2000, opponent="random")
    first = env.reset(seed=0)[1]["to_move"]
    second = env.reset()[1]["to_move"]
    for seats in (first, second, first ^ second):
        # Five standard deviations.
        assert abs(np.sum(seats) - 1000) < 5 * np.sqrt(2000) / 2


@pytest.mark.parametrize("opening_plies", [0, 1, 6, 7])
def test_the_opponent_opens_inside_the_reset_where_it_is_to_move(opening_plies: int) -> None:
    env = oware.OwareEnv(
        40, opponent="random", opening_plies=opening_plies, reward="captures", seat_rewards=True
    )
    _, info = env.reset(seed=0)
    for i in range(40):
        game = env.game(i)
        assert game.to_move == info["to_move"][i]
        assert game.ply - opening_plies == (opening_plies % 2 != info["to_move"][i])
    assert not info["seat_rewards"].any()


def test_max_steps_counts_the_agents_steps() -> None:
    opponents: tuple[OpponentName | None, ...] = (None, "random")
    for opponent, opening_plies in itertools.product(opponents, [0, 5]):
        env = oware.OwareEnv(
            3, opponent=opponent, opening_plies=opening_plies, max_steps=7, seat="south"
        )
        rng = np.random.default_rng(0)
        _, info = env.reset(seed=0)
        for episode in range(3):
            for step in range(1, 8):
                _, reward, terminated, truncated, info = env.step(
                    some_actions(rng, info["action_mask"])
                )
                assert not terminated.any()
                assert np.array_equal(truncated, [step == 7] * 3), episode
                assert not reward.any()
            assert np.array_equal(info["action_mask"], np.ones((3, 6)))
            assert not info["termination"].any()
            assert np.array_equal(info["winner"], [-1] * 3)
            _, _, _, truncated, info = env.step([0, 0, 0])
            assert not truncated.any()


def test_opening_plies_count_for_the_ply_limit() -> None:
    env = oware.OwareEnv(3, rules=oware.Rules(max_plies=9), opening_plies=5)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for step in range(1, 5):
        _, _, terminated, _, info = env.step(some_actions(rng, info["action_mask"]))
        assert np.array_equal(terminated, [step == 4] * 3)
        endings = {oware.TERMINATIONS[code] for code in info["termination"]}
        assert endings == {"ply_limit" if step == 4 else "going_on"}


def test_a_rule_goes_before_the_cap() -> None:
    env = oware.OwareEnv(2, rules=oware.Rules(max_plies=6), max_steps=6)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    for step in range(1, 7):
        _, _, terminated, truncated, info = env.step(some_actions(rng, info["action_mask"]))
        assert np.array_equal(terminated, [step == 6] * 2)
        assert not truncated.any()


@pytest.mark.parametrize("mode", get_args(AutoresetName))
def test_a_batch_through_make_vec(mode: AutoresetName) -> None:
    env = gymnasium.make_vec(
        "oware/Oware-v0", num_envs=3, rules="awari", opponent="greedy", autoreset_mode=mode
    )
    assert type(env) is oware.OwareEnv
    assert isinstance(env, VectorEnv)
    assert (env.num_envs, env.rules) == (3, oware.Rules.named("awari"))
    assert env.spec is not None
    assert env.spec.id == "oware/Oware-v0"
    assert env.metadata["autoreset_mode"] is AutoresetMode[mode.upper()]
    assert "autoreset_mode" not in oware.OwareEnv.metadata
    direct = oware.OwareEnv(3, autoreset_mode=AutoresetMode[mode.upper()])
    assert direct.metadata["autoreset_mode"] is AutoresetMode[mode.upper()]


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({"max_episode_steps": 3}, 3),
        ({"max_episode_steps": 3, "max_steps": 5}, 3),
        ({"max_episode_steps": 5, "max_steps": 3}, 3),
        ({"max_episode_steps": 3, "max_steps": None}, 3),
        ({"max_episode_steps": None, "max_steps": 4}, 4),
    ],
)
def test_gymnasiums_own_cap_counts_for_one_board_and_for_a_batch(
    settings: dict[str, Any], steps: int
) -> None:
    batch = gymnasium.make_vec("oware/Oware-v0", num_envs=2, opponent="random", **settings)
    one = gymnasium.make("oware/Oware-v0", opponent="random", **settings)
    _, info = batch.reset(seed=0)
    _, info_too = one.reset(seed=0)
    for step in range(1, steps + 1):
        *_, truncated, info = batch.step(info["action_mask"].argmax(axis=1))
        *_, truncated_too, info_too = one.step(int(info_too["action_mask"].argmax()))
        assert truncated.tolist() == [step == steps] * 2
        assert truncated_too == (step == steps)


def test_gymnasiums_own_cap_is_judged() -> None:
    env = gymnasium.make_vec("oware/Oware-v0", num_envs=2, max_episode_steps=-1, max_steps=1)
    env.reset(seed=0)
    assert env.step([0, 0])[3].all()
    wrong: tuple[tuple[Any, str], ...] = (
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"max_episode_steps": 3, "max_steps": 0}, "max_steps"),
    )
    for settings, message in wrong:
        with pytest.raises(ValueError, match=f"^{message} "):
            gymnasium.make_vec("oware/Oware-v0", num_envs=2, **settings)


def test_gymnasium_finds_both_by_the_name_of_the_module() -> None:
    code = (
        "import gymnasium\n"
        "print(gymnasium.make('oware:oware/Oware-v0').unwrapped.reset(seed=0)[1]['to_move'])\n"
        "print(gymnasium.make_vec('oware:oware/Oware-v0', num_envs=2).num_envs)\n"
    )
    run = [sys.executable, "-c", code]
    assert subprocess.run(run, capture_output=True, check=True, text=True).stdout == "0\n2\n"


def single(**settings: Any) -> Any:
    return gymnasium.make("oware/Oware-v0", **settings).unwrapped


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opponent", [None, "greedy"])
def test_the_single_environment_is_row_0(kind: ObservationKind, opponent: Any) -> None:
    settings = {"observation": kind, "opponent": opponent, "seat_rewards": True, "max_steps": 90}
    settings |= {"reward": "captures", "opening_plies": 3}
    alone = single(**settings)
    batch = oware.OwareEnv(3, **settings)
    assert alone.rules == batch.rules
    rng = np.random.default_rng(0)
    shown, info = batch.reset(seed=11)
    observation, plain = alone.reset(seed=11)
    over = False
    episodes = 0
    for _ in range(300):
        assert observation in alone.observation_space
        assert np.array_equal(observation, shown[0])
        assert plain.keys() == info.keys()
        for name, value in plain.items():
            assert np.array_equal(value, info[name][0])
            assert type(value) is (int if info[name].ndim == 1 else np.ndarray)
        assert str(alone.game()) == str(batch.game(0))
        actions = some_actions(rng, info["action_mask"])
        shown, rewards, ended, capped, info = batch.step(actions)
        if over:
            episodes += 1
            observation, plain = alone.reset()
            over = False
        else:
            step = alone.step(actions[0])
            observation, plain = step[0], step[4]
            assert step[1:4] == (float(rewards[0]), bool(ended[0]), bool(capped[0]))
            assert [type(value) for value in step[1:4]] == [float, bool, bool]
            over = step[2] or step[3]
    assert episodes > 1


def test_the_single_environment_starts_anywhere_and_goes_on_from_states() -> None:
    env = single(opponent=first_legal, seat="north")
    pits = [0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 3]
    _, info = env.set_position(pits, (20, 19), to_move=0)
    assert (info["to_move"], env.game().ply, env.game().moves) == (1, 1, [4])
    state = env.get_state()
    after: NDArray[np.uint8] = env.step(5)[0]
    observation, info = env.set_state(state)
    assert info["to_move"] == 1
    assert not np.array_equal(observation, after)
    assert np.array_equal(env.step(5)[0], after)
    observation, info = env.set_position(pits, to_move=1)
    assert (info["to_move"], tuple(observation[-2:])) == (1, (0, 0))
