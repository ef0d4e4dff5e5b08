"""When a finished environment starts again, and what is left of how it ended."""

from __future__ import annotations

import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import oware
from oware.single import OwareSingleEnv
from oware.types import AutoresetName, ObservationKind
from reference import assert_same, first_legal, some_actions

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODES = get_args(AutoresetName)
NAMES = ("action_mask", "to_move", "termination", "winner", "seat_rewards")

# Episodes that are short, and end by rules and by the cap.
SELF_PLAY: dict[str, Any] = {"rules": "codingame", "max_steps": 90, "seat_rewards": True}
AGAINST: dict[str, Any] = {
    **SELF_PLAY,
    "opponent": "random",
    "opening_plies": 3,
    "reward": "captures",
    "max_steps": 45,
}


@pytest.mark.parametrize("kind", get_args(ObservationKind))
@pytest.mark.parametrize("settings", [SELF_PLAY, AGAINST], ids=["self-play", "against"])
def test_the_modes_tell_the_same_story(settings: dict[str, Any], kind: ObservationKind) -> None:
    """What the disabled mode shows in a step and a reset, the others show in their own ways."""
    disabled, same = (
        oware.OwareEnv(10, observation=kind, autoreset_mode=mode, **settings)
        for mode in ("disabled", "same_step")
    )
    rng = np.random.default_rng(0)
    shown, info = disabled.reset(seed=3)
    assert_same(same.reset(seed=3), (shown, info))
    kept = []
    flags = np.zeros(2, int)
    for _ in range(250):
        actions = some_actions(rng, info["action_mask"])
        last, reward, terminated, truncated, last_info = disabled.step(actions)
        shown, *rest, info = same.step(actions)
        assert_same(tuple(rest), (reward, terminated, truncated))
        over = terminated | truncated
        if not over.any():
            assert_same((shown, info), (last, last_info))
            continue
        flags += terminated.sum(), truncated.sum()
        finals = {name: info.pop(name) for name in ("final_obs", "_final_obs")}
        finals |= {name: info.pop(name) for name in ("final_info", "_final_info")}
        assert [obs is None for obs in finals["final_obs"]] == (~over).tolist()
        assert np.array_equal(np.stack(finals["final_obs"][over]), last[over])
        for mask in ("_final_obs", "_final_info"):
            assert_same(finals[mask], over)
        for name in NAMES:
            final = finals["final_info"][name]
            assert_same(final[over], last_info[name][over])
            assert_same(finals["final_info"][f"_{name}"], over)
        kept.append((finals, copy.deepcopy(finals)))
        # The seats' rewards are those of the step, whatever has begun since.
        expected, again = disabled.reset(options={"reset_mask": over})
        assert not again["seat_rewards"].any()
        assert_same((shown, info), (expected, again | {"seat_rewards": last_info["seat_rewards"]}))
    assert (flags > 5).all()
    for finals, then in kept:
        assert_same(finals, then)


@pytest.mark.parametrize("settings", [SELF_PLAY, AGAINST], ids=["self-play", "against"])
def test_the_next_step_is_the_reset_whatever_its_action(settings: dict[str, Any]) -> None:
    env = oware.OwareEnv(10, **settings)
    alone = [oware.OwareEnv(1, autoreset_mode="disabled", **settings) for _ in range(10)]
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=3)
    for row, other in enumerate(alone):
        other.reset(seed=3 + row)
    over = np.zeros(10, bool)
    finished = 0
    for step in range(250):
        actions = some_actions(rng, info["action_mask"])
        actions[over] = rng.choice([0, 5, 6, -1, 99, -(2**63), 2**63 - 1], over.sum())
        given: Any = actions
        if step % 2:
            given = [2**70 if done else one for done, one in zip(over, actions, strict=True)]
        shown, reward, terminated, truncated, info = env.step(given)
        for row, other in enumerate(alone):
            if over[row]:
                expected, expected_info = other.reset()
                assert (reward[row], terminated[row], truncated[row]) == (0, False, False)
            else:
                expected, *rest, expected_info = other.step(actions[row : row + 1])
                assert [reward[row], terminated[row], truncated[row]] == rest
            assert np.array_equal(shown[row], expected[0])
            for name in NAMES:
                assert np.array_equal(info[name][row], expected_info[name][0])
        over = terminated | truncated
        finished += int(over.sum())
    assert finished > 10


def plain(value: Any) -> Any:
    """Numbers without their types: Gymnasium keeps Python's, and rewards in double precision."""
    return np.asarray(value, np.float64)


def compare_infos(ours: dict[str, Any], theirs: dict[str, Any], names: tuple[str, ...]) -> None:
    """Equal wherever Gymnasium's batch has an entry."""
    for name in names:
        mask = theirs[f"_{name}"]
        assert np.array_equal(plain(ours[name])[mask], plain(theirs[name])[mask]), name


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("settings", [SELF_PLAY, AGAINST], ids=["self-play", "against"])
def test_gymnasiums_batch_of_single_environments_shows_the_same(
    settings: dict[str, Any], mode: AutoresetName
) -> None:
    ours = oware.OwareEnv(6, autoreset_mode=mode, **settings)
    theirs = SyncVectorEnv(
        [lambda: OwareSingleEnv(**settings)] * 6, autoreset_mode=AutoresetMode[mode.upper()]
    )
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    rng = np.random.default_rng(0)
    shown, info = ours.reset(seed=8)
    expected, expected_info = theirs.reset(seed=8)
    over = np.zeros(6, bool)
    finished = 0
    for _ in range(200):
        assert_same(shown, expected)
        names: tuple[str, ...] = NAMES
        if over.any() and mode == "same_step":
            # Theirs are the rewards of the reset: none.
            names = NAMES[:-1]
            for name in ("final_obs", "final_info"):
                assert_same(info[f"_{name}"], expected_info[f"_{name}"])
            assert_same(info["final_obs"], expected_info["final_obs"])
            assert info["final_info"].keys() == expected_info["final_info"].keys()
            compare_infos(info["final_info"], expected_info["final_info"], NAMES)
        compare_infos(info, expected_info, names)
        if over.any() and mode == "disabled":
            shown, info = ours.reset(options={"reset_mask": over})
            expected, expected_info = theirs.reset(options={"reset_mask": over})
            assert_same(shown, expected)
            compare_infos(info, expected_info, NAMES)
        actions = some_actions(rng, info["action_mask"])
        shown, reward, terminated, truncated, info = ours.step(actions)
        expected, *rest, expected_info = theirs.step(actions)
        assert np.array_equal(reward, rest[0].astype(np.float32))
        assert_same((terminated, truncated), tuple(rest[1:]))
        over = terminated | truncated
        finished += int(over.sum())
    assert finished > 10
    theirs.close()


def leaves(info: dict[str, Any]) -> dict[str, Any]:
    """The arrays of an info, by the path to them."""
    found: dict[str, Any] = {}
    for name, value in info.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": array for inner, array in leaves(value).items()}
        else:
            found[name] = value
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", get_args(ObservationKind))
@pytest.mark.parametrize("opponent", [None, "greedy", first_legal])
def test_reused_buffers(opponent: Any, kind: ObservationKind, mode: AutoresetName) -> None:
    settings = {**AGAINST, "opponent": opponent, "observation": kind, "autoreset_mode": mode}
    fresh = oware.OwareEnv(5, **settings)
    reusing = oware.OwareEnv(5, copy=False, **settings)
    rng = np.random.default_rng(0)
    shown = fresh.reset(seed=0)
    held = reusing.reset(seed=0)
    assert_same(held, shown)
    arrays: dict[str, Any] = {"observation": held[0], **held[1]}
    dense = np.zeros_like(held[0])
    over = np.zeros(5, bool)
    for _ in range(150):
        if over.any() and mode == "disabled":
            shown = fresh.reset(options={"reset_mask": over})
            held = reusing.reset(options={"reset_mask": over})
            assert_same(held, shown)
            assert {id(array) for array in [held[0], *held[1].values()]} <= set(
                map(id, arrays.values())
            )
        actions = some_actions(rng, shown[1]["action_mask"])
        expected = fresh.step(actions)
        step = reusing.step(actions)
        if "final_obs" in expected[4]:
            over = expected[4]["_final_obs"]
            rows = np.stack(expected[4].pop("final_obs")[over])
            reused = step[4]["final_obs"]
            dense[over] = rows
            # Rows that have not finished now hold how they ended before.
            assert_same(reused, dense)
            arrays.setdefault("final_obs", reused)
            assert reused is arrays["final_obs"]
            del step[4]["final_obs"]
        assert_same(step, expected)
        names = ("observation", "reward", "terminated", "truncated")
        for name, array in [*zip(names, step[:4], strict=True), *leaves(step[4]).items()]:
            assert arrays.setdefault(name, array) is array, name
        assert step[4] is not held[1]
        over = step[2] | step[3]
        shown = expected[0], expected[4]
        held = step[0], step[4]
    assert ("final_obs" in arrays) == (mode == "same_step")


def test_an_info_can_be_added_to() -> None:
    env = oware.OwareEnv(2, copy=False)
    _, info = env.reset(seed=0)
    info["mine"] = 1
    assert "mine" not in env.step([0, 0])[4]
    assert "mine" not in env.reset()[1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponent", [None, "random", first_legal])
def test_a_masked_reset_leaves_the_others_alone(opponent: Any, mode: AutoresetName) -> None:
    env = oware.OwareEnv(6, opponent=opponent, autoreset_mode=mode, opening_plies=2)
    twin = copy.deepcopy(env)
    shown, info = env.reset(seed=0)
    twin.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(6):
        actions = some_actions(rng, info["action_mask"])
        shown, _, _, _, info = env.step(actions)
        twin.step(actions)
    mask = np.array([True, False, False, True, True, False])
    options = {"reset_mask": mask}
    seeds = [100, 101, None, None, 104, None]
    before = [env.game(i) for i in range(6)]
    after, after_info = env.reset(seed=seeds, options=options)
    assert list(options) == ["reset_mask"]
    assert options["reset_mask"] is mask
    assert mask.tolist() == [True, False, False, True, True, False]
    assert after.shape == (6, 14)
    assert np.array_equal(after[~mask], shown[~mask])
    for name in info:
        assert np.array_equal(after_info[name][~mask], info[name][~mask])
        assert after_info[name].shape == info[name].shape
    for i in range(6):
        assert (env.game(i) == before[i]) == (not mask[i])
        assert mask[i] <= (env.game(i).ply in {2, 3})
    # Rows with a seed start as in a batch of that seed; the others' streams have not moved.
    other = oware.OwareEnv(6, opponent=opponent, autoreset_mode=mode, opening_plies=2)
    fresh, _ = other.reset(seed=100)
    assert np.array_equal(after[[0, 4]], fresh[[0, 4]])
    actions = some_actions(rng, after_info["action_mask"])
    went_on = env.step(actions)[0]
    actions[mask] = some_actions(rng, info["action_mask"])[mask]
    assert np.array_equal(went_on[~mask], twin.step(actions)[0][~mask])


def test_a_masked_reset_takes_any_mapping() -> None:
    env = oware.OwareEnv(2)
    env.reset(seed=0)
    env.step([0, 0])
    _, info = env.reset(options=MappingProxyType({"reset_mask": np.array([False, True])}))
    assert info["to_move"].tolist() == [1, 0]
    _, info = env.reset(options={})
    assert info["to_move"].tolist() == [0, 0]


def finish(env: oware.OwareEnv) -> tuple[NDArray[np.bool_], dict[str, Any]]:
    """Play until a row has finished; which have, and the info then."""
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    while True:
        _, _, terminated, truncated, info = env.step(some_actions(rng, info["action_mask"]))
        if (terminated | truncated).any():
            return terminated | truncated, info


def test_a_masked_reset_is_the_pending_one() -> None:
    """In next-step mode a row that is reset by hand takes the action of the next step."""
    env = oware.OwareEnv(6)
    over, info = finish(env)
    assert not over.all()
    _, info = env.reset(options={"reset_mask": over})
    actions = some_actions(np.random.default_rng(0), info["action_mask"])
    env.step(actions)
    assert [env.game(i).moves for i in np.flatnonzero(over)] == [[a] for a in actions[over]]


def test_a_finished_row_takes_no_action_when_resets_are_disabled() -> None:
    env = oware.OwareEnv(6, autoreset_mode="disabled")
    over, info = finish(env)
    state = env.get_state()
    actions = some_actions(np.random.default_rng(0), info["action_mask"])
    row = int(np.argmax(over))
    with pytest.raises(gymnasium.error.ResetNeeded, match=f"^environment {row}: .*over"):
        env.step(actions)
    assert env.get_state() == state
    _, info = env.reset(options={"reset_mask": over})
    env.step(some_actions(np.random.default_rng(0), info["action_mask"]))


@pytest.mark.parametrize("mode", MODES)
def test_rows_that_never_began_need_a_reset(mode: AutoresetName) -> None:
    env = oware.OwareEnv(2, autoreset_mode=mode)
    for row in (0, 1):
        state = env.get_state()
        with pytest.raises(gymnasium.error.ResetNeeded, match=f"^environment {row}: .*not started"):
            env.step([0, 0])
        assert env.get_state() == state
        env.reset(options={"reset_mask": np.arange(2) == row})
    env.step([0, 0])
