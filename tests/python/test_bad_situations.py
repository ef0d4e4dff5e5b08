"""Calls at the wrong time, or with helpers that fail: each is refused, and nothing changes."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import oware
from oware.single import OwareSingleEnv
from watched import KINDS, Arraylike, first_legal, follow, frozen, photograph, played

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray


def legal(env: oware.OwareEnv) -> list[int]:
    """An action for each board."""
    return [env.game(row).legal_moves()[0] for row in range(env.num_envs)]


START = [[4] * 12] * 2
CLOSED = "^the environment is closed; make another one$"
IN_USE = "^the environment is in use by another call; "


def test_a_step_before_the_first_reset() -> None:
    env = oware.OwareEnv(2)
    before = photograph(env)
    with pytest.raises(ResetNeeded, match=r"^environment 0: it has not started; call reset\(\) "):
        env.step([0, 0])
    assert photograph(env) == before
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeeded, match=r"^environment 1: it has not started;"):
        env.step([0, 0])
    env.set_positions(START, [[0, 0]] * 2, [0, 0], np.array([False, True]))
    env.step([0, 0])
    with pytest.raises(ResetNeeded, match=r"^no episode is under way; call reset\(\) before step"):
        OwareSingleEnv().step(0)


def test_errors_of_one_environment_speak_of_no_others() -> None:
    env = OwareSingleEnv(opponent=lambda _, __: [7], seat="south", max_steps=1)
    env.reset(seed=0)
    with pytest.raises(oware.IllegalMoveError, match=r"^the opponent's action 7 is not a pit "):
        env.step(0)
    with pytest.raises(ValueError, match=r"^the opponent moves first and ends the game; "):
        OwareSingleEnv(opponent="greedy", seat="south").set_position(
            [0] * 11 + [1], (23, 24), to_move=1
        )
    env.set_opponent("greedy")
    env.reset(seed=0)
    assert env.step(0)[3]
    with pytest.raises(ResetNeeded, match=r"^no episode is under way; call reset\(\) before step"):
        env.step(0)


@pytest.mark.parametrize("opponent", [None, "random", first_legal])
def test_a_step_of_a_finished_environment_that_waits_for_its_reset(opponent: Any) -> None:
    env = oware.OwareEnv(2, opponent=opponent, autoreset_mode="disabled", max_steps=2, seat="south")
    env.reset(seed=0)
    env.step([0, 0])
    env.reset(options={"reset_mask": np.array([True, False])})
    _, _, _, truncated, _ = env.step([0, 1])
    assert truncated.tolist() == [False, True]
    before = photograph(env)
    with pytest.raises(ResetNeeded, match=r"^environment 1: its episode is over; reset it, for "):
        env.step([1, 0])
    assert photograph(env) == before
    env.reset(options={"reset_mask": truncated})
    env.step([1, 0])


USES: dict[str, Callable[[oware.OwareEnv], object]] = {
    "reset": lambda env: env.reset(),
    "masked reset": lambda env: env.reset(options={"reset_mask": np.ones(2, bool)}),
    "step": lambda env: env.step([0, 0]),
    "set_positions": lambda env: env.set_positions(START, [[0, 0]] * 2, [0, 0]),
    "set_opponent": lambda env: env.set_opponent("greedy"),
    "observe": lambda env: env.observe(),
    "pits": lambda env: env.pits,
    "stores": lambda env: env.stores,
    "game": lambda env: env.game(0),
    "get_state": lambda env: env.get_state(),
    "set_state": lambda env: env.set_state(b""),
    "render": lambda env: env.render("ansi"),
    "pickle": pickle.dumps,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("use", USES)
def test_a_closed_environment(use: str) -> None:
    env = oware.OwareEnv(2, opponent="random")
    env.reset(seed=0)
    env.close()
    with pytest.raises(ClosedEnvironmentError, match=CLOSED):
        USES[use](env)
    env.close()
    env.close_extras()
    assert (env.num_envs, env.single_action_space.n) == (2, 6)  # type: ignore[attr-defined]


def test_a_closed_environment_of_one_board() -> None:
    env = OwareSingleEnv()
    env.reset(seed=0)
    env.close()
    uses: list[Callable[[], object]] = [
        *(env.reset, env.game, env.get_state, lambda: env.step(0), lambda: env.render("ansi")),
        *(lambda: env.set_position([4] * 12), lambda: env.set_state(b"")),
    ]
    for use in uses:
        with pytest.raises(ClosedEnvironmentError, match=CLOSED):
            use()
    env.close()


class Opponent:
    """Plays the first legal move until it is told to do something else."""

    def __init__(self) -> None:
        self.answer: Callable[[NDArray[Any], NDArray[np.int8]], Any] = first_legal

    def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
        assert observation.shape == (len(action_mask), 14)
        return self.answer(observation, action_mask)

    def fail(self, _: object, __: object) -> Any:
        raise LookupError("lost the thread")

    def use(self, _: object, mask: NDArray[np.int8]) -> Any:
        USES[self.wanted](self.env)
        return mask.argmax(1)

    env: oware.OwareEnv
    wanted: str


def against(opponent: Opponent, **settings: Any) -> tuple[oware.OwareEnv, Any]:
    """Two boards against an opponent that is asked in each step, in the middle of play."""
    opponent.answer = first_legal
    env = oware.OwareEnv(2, opponent=opponent, seat="north", max_steps=50, **settings)
    env.reset(seed=0)
    env.step([0, 1])
    opponent.env = env
    return env, env.step([2, 2])


NO_INTEGERS = "^the opponent's actions has dtype {}; give integers$"
ILLEGAL = r"^environment {}: the opponent's action {} is not a pit from 0 to 5; legal: .*$"
COUNT = r"^the opponent's actions has shape {}, expected \(2,\)$"
ANSWERS: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda _: [-1, 0], oware.IllegalMoveError, ILLEGAL.format(0, -1)),
    (lambda mask: [mask[0].argmax(), 6], oware.IllegalMoveError, ILLEGAL.format(1, 6)),
    (
        lambda mask: [mask[0].argmax(), mask[1].argmin()],
        oware.IllegalMoveError,
        "^environment 1: the opponent's action 0 is an empty pit; legal: .*",
    ),
    (lambda _: [0], ValueError, COUNT.format(r"\(1,\)")),
    (lambda _: [0, 0, 0], ValueError, COUNT.format(r"\(3,\)")),
    (lambda _: 0, ValueError, COUNT.format(r"\(\)")),
    (lambda mask: mask.argmax(1)[:, None], ValueError, COUNT.format(r"\(2, 1\)")),
    (lambda mask: mask, ValueError, COUNT.format(r"\(2, 6\)")),
    (lambda _: None, TypeError, NO_INTEGERS.format("object")),
    (lambda mask: mask.argmax(1) + 0.0, TypeError, NO_INTEGERS.format("float64")),
    (lambda _: np.full(2, np.nan), TypeError, NO_INTEGERS.format("float64")),
    (lambda mask: mask.argmax(1) > 0, TypeError, NO_INTEGERS.format("bool")),
    (lambda _: "00", TypeError, NO_INTEGERS.format("<U2")),
    (lambda _: [[0], [0, 1]], TypeError, "^the opponent's actions must be an array of int"),
]
# What asks an opponent: a step, a reset and positions where it is to move.
ASKING: dict[str, Callable[[oware.OwareEnv], object]] = {
    "step": lambda env: env.step(legal(env)),
    "reset": lambda env: env.reset(seed=3),
    "set_positions": lambda env: env.set_positions(
        [[4] * 12, [0, 4, *[4] * 10]], [[0, 0]] * 2, [0, 0]
    ),
}


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("copied", [True, False])
def test_an_opponent_that_fails_undoes_the_whole_call(copied: bool, mode: Any, asking: str) -> None:
    opponent = Opponent()
    env, shown = against(opponent, copy=copied, autoreset_mode=mode)
    before = photograph(env), frozen(shown)
    for answer, error, message in ANSWERS:
        opponent.answer = lambda _, mask, answer=answer: answer(mask)  # type: ignore[misc]
        if "empty pit" in message and asking == "reset":
            continue  # At the start of a game no pit is empty.
        with pytest.raises(error, match=message):
            ASKING[asking](env)
        assert (photograph(env), frozen(shown)) == before
    opponent.answer = opponent.fail
    with pytest.raises(LookupError, match="lost the thread"):
        ASKING[asking](env)
    assert (photograph(env), frozen(shown)) == before
    opponent.answer = first_legal
    ASKING[asking](env)
    follow(env, env.step(legal(env)), 5)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError, StopIteration])
def test_what_an_opponent_raises_comes_through(error: type[BaseException]) -> None:
    opponent = Opponent()
    env, _ = against(opponent)
    before = photograph(env)

    def stop(_: object, __: object) -> Any:
        raise error

    opponent.answer = stop
    for ask in ASKING.values():
        with pytest.raises(error):
            ask(env)
        assert photograph(env) == before


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize("use", [*USES, "close"])
def test_an_opponent_cannot_use_its_own_environment(use: str, asking: str) -> None:
    opponent = Opponent()
    env, _ = against(opponent)
    before = photograph(env)
    opponent.wanted = use
    opponent.answer = opponent.use
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(USES, "close", lambda env: env.close())
        with pytest.raises(RuntimeError, match=IN_USE):
            ASKING[asking](env)
    assert photograph(env) == before
    assert not env.closed
    opponent.answer = first_legal
    ASKING[asking](env)


def test_an_opponent_may_use_another_environment() -> None:
    opponent = Opponent()
    env, _ = against(opponent)
    other = oware.OwareEnv(1, opponent=first_legal)

    def ponder(_: object, mask: NDArray[np.int8]) -> Any:
        other.reset(seed=0)
        other.step([0])
        return mask.argmax(1)

    opponent.answer = ponder
    env.step([3, 3])
    assert other.game(0).ply > 0


@pytest.mark.parametrize("kind", KINDS)
def test_an_array_like_that_fails_or_uses_the_environment(kind: str) -> None:
    env, shown = played(kind, 2)

    def fail(error: BaseException) -> Any:
        raise error

    cases: list[tuple[Callable[[], Any], type[BaseException], str]] = [
        (lambda: fail(KeyboardInterrupt()), KeyboardInterrupt, "^$"),
        (lambda: fail(MemoryError()), MemoryError, "^$"),
        (lambda: fail(RuntimeError("on another device")), RuntimeError, "^on another device$"),
        (lambda: fail(TypeError("?")), TypeError, "^actions must be an array of integers, not "),
        (lambda: 5, TypeError, "^actions must be an array of integers, not "),
        (lambda: env.step([0, 0]), RuntimeError, IN_USE),
        (env.close, RuntimeError, IN_USE),
        (env.get_state, RuntimeError, IN_USE),
    ]
    before = photograph(env), frozen(shown)
    for make, error, message in cases:
        with pytest.raises(error, match=message) as refused:
            env.step(Arraylike(make))
        if error is TypeError:
            # What the array-like has said itself is not lost.
            assert isinstance(refused.value.__cause__, (TypeError, ValueError))
        assert (photograph(env), frozen(shown)) == before
    follow(env, env.step(Arraylike(lambda: shown[4]["action_mask"].argmax(1))), 3)


def refuse(message: str, call: Callable[..., object], *arguments: Any) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        call(*arguments)


def test_self_play_stays_self_play() -> None:
    message = "an environment made with opponent=None stays in self-play, one made with an opponent"
    for env, opponents in (
        (oware.OwareEnv(2), ("random", "greedy", first_legal)),
        (oware.OwareEnv(2, opponent="greedy"), (None,)),
    ):
        env.reset(seed=0)
        before = photograph(env)
        for opponent in opponents:
            refuse(message, env.set_opponent, opponent)
            assert photograph(env) == before
        env.step([0, 0])


def test_an_opponent_that_ends_the_game_before_the_agent_has_moved() -> None:
    env = oware.OwareEnv(2, opponent="random", seat="north")
    env.reset(seed=0)
    before = photograph(env)
    # South's only move captures two seeds, which makes a majority.
    pits = [[0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0], [4] * 12]
    message = "environment 0: the opponent moves first and ends the game; give the agent"
    refuse(message, env.set_positions, pits, [[23, 22], [0, 0]], [0, 0])
    assert photograph(env) == before
    env.step([0, 0])


def test_too_many_opponents_at_once() -> None:
    env = oware.OwareEnv(201, opponent=lambda _, mask: mask.argmax(1), seat="north")
    env.reset(seed=0)
    row = np.arange(201)
    for number in range(199):
        env.set_opponent(lambda _, mask: mask.argmax(1))
        env.reset(options={"reset_mask": row == number})
    before = photograph(env)
    message = "too many opponents are still in their episodes"
    refuse(message, env.set_opponent, lambda _, mask: mask.argmax(1))
    assert photograph(env) == before
    env.step(np.ones(201, int))
    env.reset()
    env.set_opponent(lambda _, mask: mask.argmax(1))


def test_a_state_of_another_environment() -> None:
    env = oware.OwareEnv(2)
    env.reset(seed=0)
    before = photograph(env)
    for other, message in (
        (oware.OwareEnv(3), "the state has 3 environments, this one has 2"),
        (oware.OwareEnv(2, rules="awari"), "the state was saved under other rules"),
        (oware.OwareEnv(2, opponent="random"), "only one of the state and the environment has an"),
    ):
        refuse(message, env.set_state, other.get_state())
        assert photograph(env) == before
    with_opponent = oware.OwareEnv(2, opponent="random")
    refuse("only one of the state and", with_opponent.set_state, env.get_state())


def spoil(array: NDArray[Any], how: str) -> None:
    """What somebody may do to an array that they were given."""
    with warnings.catch_warnings():
        # Numpy is about to do away with some of it.
        warnings.simplefilter("ignore", DeprecationWarning)
        if how == "flags":
            array.flags.writeable = False
        elif how == "shape":
            array.shape = (array.size, 1)
        else:
            array.dtype = np.dtype(f"V{array.itemsize}")  # type: ignore[misc]


def contents(shown: Any) -> Any:
    """The bytes of arrays, whatever they are taken for."""
    if isinstance(shown, dict):
        return {name: contents(value) for name, value in shown.items()}
    return shown.tobytes() if isinstance(shown, np.ndarray) else tuple(map(contents, shown))


def arrays(shown: Any) -> Iterator[NDArray[Any]]:
    for value in shown.values() if isinstance(shown, dict) else shown:
        if isinstance(value, np.ndarray):
            yield value
        else:
            yield from arrays(value)


@pytest.mark.parametrize("how", ["flags", "shape", "dtype"])
def test_reused_arrays_cannot_be_spoilt(how: str) -> None:
    env, shown = played("reused", 2)
    twin, expected = played("reused", 2)
    for array in arrays(shown):
        spoil(array, how)
    endings = 0
    while endings < 3:
        actions = legal(env)
        shown, expected = env.step(actions), twin.step(actions)
        assert contents(shown) == contents(expected)
        if "final_obs" in shown[4]:
            endings += 1
            spoil(shown[4]["final_obs"], how)
    with pytest.raises(ValueError, match=r"cannot resize|does not own its data|resize only works"):
        shown[1].resize(5)
    # Only who takes the base of an array away is told that there is nothing left to fill.
    base: Any = shown[1].base
    base.flags.writeable = False
    with pytest.raises(ValueError, match=r"^the base of an array of this environment \(copy="):
        env.step(legal(env))
    assert len(env.get_state()) > 0
