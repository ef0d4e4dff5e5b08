"""Many steps in one call."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import oware
from oware.rollout import empty_rollout

if TYPE_CHECKING:
    from oware.types import ObservationKind, PolicyName

SHAPES: dict[ObservationKind, tuple[tuple[int, ...], Any]] = {
    "seeds": ((14,), np.uint8),
    "normalized": ((14,), np.float32),
    "one_hot": ((14, 25), np.float32),
}


def started(num_envs: int, **settings: Any) -> oware.OwareEnv:
    env = oware.OwareEnv(num_envs, **{"autoreset_mode": "same_step", **settings})
    env.reset(seed=5)
    return env


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("num_envs", [1, 130])
def test_shapes_and_dtypes(kind: ObservationKind, policy: PolicyName, num_envs: int) -> None:
    env = started(num_envs, observation=kind, seat_rewards=True)
    rollout = env.rollout(policy, 40)
    shape, dtype = SHAPES[kind]
    expected: dict[str, tuple[tuple[int, ...], Any]] = {
        "observation": (shape, dtype),
        "action_mask": ((6,), np.int8),
        "to_move": ((), np.int8),
        "action": ((), np.int64),
        "reward": ((), np.float32),
        "terminated": ((), np.bool_),
        "truncated": ((), np.bool_),
        "termination": ((), np.int8),
        "winner": ((), np.int8),
        "seat_rewards": ((2,), np.float32),
    }
    untold = {"value", "regret", "opponent"}
    assert vars(rollout).keys() == expected.keys() | untold
    assert all(getattr(rollout, name) is None for name in untold)
    for name, (tail, kind_of_number) in expected.items():
        array = getattr(rollout, name)
        assert (array.shape, array.dtype) == ((40, num_envs, *tail), kind_of_number), name
        assert array.flags.owndata
        assert array.flags.c_contiguous


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_steps_with_the_same_actions_give_the_same(mode: str) -> None:
    env = started(100, autoreset_mode=mode, copy=False)
    rollout = env.rollout("random", 200)
    other = started(100, autoreset_mode=mode)
    seen, info = other.reset(seed=5)
    for t, action in enumerate(rollout.action):
        assert np.array_equal(rollout.observation[t], seen)
        assert np.array_equal(rollout.action_mask[t], info["action_mask"])
        seen, reward, terminated, truncated, info = other.step(action)
        assert np.array_equal(rollout.reward[t], reward)
        assert np.array_equal(rollout.terminated[t], terminated)
        assert np.array_equal(rollout.truncated[t], truncated)
        ends = info["termination"].copy()
        if "final_info" in info:
            finals = info["final_info"]
            ends[finals["_termination"]] = finals["termination"][finals["_termination"]]
        assert np.array_equal(rollout.termination[t], ends)
    assert np.array_equal(env.observe(), seen)
    assert np.array_equal(rollout.terminated, rollout.termination > 0)
    assert rollout.terminated.any()


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
@pytest.mark.parametrize(
    ("opponent", "solved"),
    [
        ({"random": 1, "greedy": 2}, False),
        ({"random": 1, "greedy": 2}, True),
        ({"random": 1, "minimax:1": 2}, True),
        (None, True),
    ],
)
def test_what_info_tells_beside_steps_is_told(mode: str, opponent: Any, solved: bool) -> None:
    settings: dict[str, Any] = {"autoreset_mode": mode, "opponent": opponent, "start_seeds": (1, 9)}
    if solved:
        settings["endgame"] = oware.Endgame.build(6, "abapa", progress=False)
    env = started(100, **settings)
    rollout = env.rollout("random", 60)
    other = started(100, **settings)
    for t, action in enumerate(rollout.action):
        _, info = other.set_state(other.get_state())
        *_, after = copy.deepcopy(other).step(action)
        assert np.array_equal(other.rollout("random", 1).action[0], action)
        if rollout.opponent is not None:
            assert np.array_equal(rollout.opponent[t], info["opponent"])
        if rollout.value is not None and rollout.regret is not None:
            assert np.array_equal(rollout.value[t], info["value"], equal_nan=True)
            assert np.array_equal(rollout.regret[t], after["regret"], equal_nan=True)
    assert env.get_state() == other.get_state()
    assert (rollout.value is None) == (rollout.regret is None) == (not solved)
    assert rollout.regret is None or ((rollout.regret > 0).any() and (rollout.regret == 0).any())
    assert (rollout.opponent is None) == (opponent is None)
    assert rollout.opponent is None or {*rollout.opponent.flat} == {0, 1}
    assert env.rollout("random", 60, out=rollout) is rollout


def test_arrays_of_an_environment_that_tells_less() -> None:
    plain = started(3, opponent="greedy").rollout("random", 4)
    pooled = started(3, opponent={"greedy": 1, "random": 1})
    with pytest.raises(ValueError, match=r"^out has no opponent$"):
        pooled.rollout("random", 4, out=plain)
    with pytest.raises(ValueError, match=r"^out has no value$"):
        started(3, endgame=oware.Endgame.build(2, "abapa", progress=False)).rollout(
            "random", 4, out=plain
        )


def test_the_same_arrays_are_filled_again() -> None:
    env = started(70)
    first = env.rollout("random", 30)
    kept = first.observation.copy()
    assert env.rollout("random", 30, out=first) is first
    assert not np.array_equal(first.observation, kept)
    again = started(70)
    assert np.array_equal(again.rollout("random", 60).observation[30:], first.observation)


def test_one_rollout_is_two_halves() -> None:
    whole = started(65, opponent="greedy", rules="awari").rollout("random", 100)
    env = started(65, opponent="greedy", rules="awari")
    halves = [env.rollout("random", 50) for _ in range(2)]
    for name in ("observation", "action", "reward", "terminated", "winner"):
        parts = [getattr(half, name) for half in halves]
        assert np.array_equal(getattr(whole, name), np.concatenate(parts)), name


def test_threads_do_not_matter() -> None:
    rollouts = [started(20_000, num_threads=threads).rollout("random", 12) for threads in (1, 2, 5)]
    for rollout in rollouts[1:]:
        for name, array in vars(rollouts[0]).items():
            assert np.array_equal(getattr(rollout, name), array), name


def test_a_callable_opponent_is_asked_in_a_rollout() -> None:
    asked = []

    def first_legal(_: Any, mask: Any) -> Any:
        asked.append(len(mask))
        return mask.argmax(axis=1)

    env = started(9, opponent=first_legal, seat="south")
    rollout = env.rollout("random", 80)
    assert len(asked) >= 80
    assert rollout.terminated.any()

    def fails(*_: Any) -> Any:
        raise RuntimeError("no idea")

    env = started(9, opponent=fails, seat="south")
    state = env.get_state()
    with pytest.raises(RuntimeError, match="no idea"):
        env.rollout("greedy", 3)
    assert env.observe().shape == (9, 14)
    assert env.get_state() != b""
    assert len(state) > 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("best", 3), ValueError, "policy"),
        ((None, 3), TypeError, "policy"),
        (("random", 0), ValueError, "steps is 0; give 1 to"),
        (("random", -1), ValueError, "steps is -1"),
        (("random", 2.0), TypeError, "steps must be an int, not float"),
        (("random", 2**40), ValueError, "steps is 1099511627776"),
    ],
)
def test_bad_arguments(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        started(2).rollout(*arguments)


def test_arrays_that_do_not_fit() -> None:
    env = started(3)
    good = empty_rollout(env.single_observation_space, 3, 4, seat_rewards=False)
    bad: dict[str, tuple[Any, type[Exception], str]] = {
        "action": (np.zeros((4, 3), np.int32), TypeError, "out.action has dtype int32"),
        "reward": (np.zeros((4, 2), np.float32), ValueError, r"out.reward has shape \(4, 2\)"),
        "winner": (np.zeros((3, 4), np.int8).T, ValueError, "not C-contiguous"),
        "terminated": ([[True]], TypeError, "out.terminated"),
        "termination": (good.winner, ValueError, "shares memory"),
    }
    odd = np.zeros(good.reward.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(4, 3)
    locked = good.to_move.copy()
    locked.setflags(write=False)
    bad["to_move"] = (locked, ValueError, "read-only")
    cases = [(name, *case) for name, case in bad.items()]
    cases.append(("reward", odd, ValueError, "^out.reward is not aligned; give the rollout as it"))
    for name, array, error, message in cases:
        with pytest.raises(error, match=message):
            env.rollout("random", 4, out=replace(good, **{name: array}))
    with pytest.raises(ValueError, match=r"out.observation has shape \(4, 3, 14\)"):
        env.rollout("random", 5, out=good)
    with pytest.raises(TypeError, match="Rollout"):
        env.rollout("random", 4, out=vars(good))  # type: ignore[arg-type]
    assert not env.rollout("random", 4, out=good).terminated.any()


def test_environments_that_cannot_roll_out() -> None:
    with pytest.raises(ResetNeeded):
        oware.OwareEnv(2).rollout("random", 3)
    message = "; make the environment with autoreset_mode 'next_step' or 'same_step'$"
    with pytest.raises(ValueError, match=message):
        started(2, autoreset_mode="disabled").rollout("random", 3)
    env = started(2)
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.rollout("random", 3)


def test_arrays_that_nothing_would_fill_are_refused() -> None:
    told = oware.OwareEnv(2, opponent={"random": 1.0}, endgame=oware.Endgame.build(2, "abapa"))
    told.reset(seed=0)
    full = told.rollout("random", 3)
    plain = oware.OwareEnv(2, opponent="random")
    plain.reset(seed=0)
    for name in ("value", "regret", "opponent"):
        others: dict[str, Any] = {
            other: None for other in ("value", "regret", "opponent") if other != name
        }
        with pytest.raises(
            ValueError, match=rf"out\.{name} is an array, where this environment has"
        ):
            plain.rollout("random", 3, out=replace(full, **others))
    kept = plain.rollout("random", 3, out=replace(full, value=None, regret=None, opponent=None))
    assert (kept.value, kept.regret, kept.opponent) == (None, None, None)
