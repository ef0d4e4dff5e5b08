"""Opponents: the two that play themselves, callables, and changes between them."""

from __future__ import annotations

import copy
import gc
import itertools
import weakref
from typing import TYPE_CHECKING, Any, get_args

import gymnasium
import numpy as np
import pytest

import oware
from oware.search import best_moves
from oware.types import AutoresetName, ObservationKind, OpponentName
from reference import assert_same, first_legal, greediest, some_actions

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from oware.types import SeatChoice


class Recorder:
    """A callable that plays the first legal move and keeps what it was asked."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.calls: list[tuple[NDArray[Any], NDArray[np.int8]]] = []

    def __call__(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.intp]:
        self.calls.append((observation, mask))
        return first_legal(observation, mask)

    def take(self) -> list[tuple[NDArray[Any], NDArray[np.int8]]]:
        """The calls since the last time."""
        calls, self.calls = self.calls, []
        return calls


def games(env: oware.OwareEnv) -> list[oware.Game]:
    return [env.game(i) for i in range(env.num_envs)]


def after(env: oware.OwareEnv, actions: NDArray[np.intp]) -> list[oware.Game]:
    """The games as the opponent will see them."""
    played = games(env)
    for game, action in zip(played, actions, strict=True):
        if not game.is_over:
            game.play(action)
    return played


def asked(games: list[oware.Game], kind: ObservationKind) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """What a callable should be asked about games in which it is to move."""
    observations = np.stack([game.observation(kind) for game in games])
    return observations, np.stack([game.action_mask() for game in games])


def candidates(name: OpponentName, game: oware.Game) -> list[int]:
    """The moves of which an opponent plays one."""
    if name == "greedy":
        return greediest(game)
    return game.legal_moves() if name == "random" else best_moves(game, int(name[-1]))


@pytest.mark.parametrize("name", ["random", "greedy", "minimax:1", "minimax:3"])
@pytest.mark.parametrize("rules", oware.RULE_SETS)
def test_replies(name: OpponentName, rules: str) -> None:
    env = oware.OwareEnv(20, rules=rules, opponent=name, autoreset_mode="disabled")  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    replies = 0
    for _ in range(60):
        actions = some_actions(rng, info["action_mask"])
        before = after(env, actions)
        _, _, terminated, truncated, info = env.step(actions)
        for i, game in enumerate(before):
            if game.is_over:
                assert env.game(i).moves[-1] == actions[i]
                continue
            reply = env.game(i).moves[-1]
            assert reply in candidates(name, game)
            game.play(reply)
            assert (game.pits, game.stores) == (tuple(env.pits[i]), tuple(env.stores[i]))
            replies += 1
        if (terminated | truncated).any():
            _, info = env.reset(options={"reset_mask": terminated | truncated})
    assert replies > 1000


def results_against(opponent: OpponentName, seat: SeatChoice, games: int) -> NDArray[np.float32]:
    """The agent's results when it plays at random."""
    env = oware.OwareEnv(games, opponent=opponent, seat=seat, max_steps=None)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    results = np.full(games, np.nan, np.float32)
    while np.isnan(results).any():
        _, reward, terminated, _, info = env.step(some_actions(rng, info["action_mask"]))
        first = terminated & np.isnan(results)
        results[first] = reward[first]
    return results


@pytest.mark.parametrize(("seat", "share"), [("south", 0.944), ("north", 0.920)])
def test_greedy_beats_random(seat: SeatChoice, share: float) -> None:
    """The shares are those of 20,000 games for each seat of the agent, which plays at random."""
    lost = results_against("greedy", seat, 4000) == -1
    # Four standard deviations.
    assert abs(lost.mean() - share) < 4 * (share * (1 - share) / 4000) ** 0.5


def test_random_is_as_good_as_random() -> None:
    assert abs(np.mean(results_against("random", "random", 4000))) < 0.06


@pytest.mark.parametrize("kind", get_args(ObservationKind))
@pytest.mark.parametrize("mode", get_args(AutoresetName))
@pytest.mark.parametrize("seat", ["south", "north", "random"])
def test_a_callable_is_asked_once_a_step(
    seat: SeatChoice, mode: AutoresetName, kind: ObservationKind
) -> None:
    opponent = Recorder()
    env = oware.OwareEnv(
        12, rules="codingame", opponent=opponent, seat=seat, autoreset_mode=mode, observation=kind
    )
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    opens = info["to_move"] == 1
    calls = opponent.take()
    assert len(calls) == opens.any()
    if opens.any():
        start = oware.Game("codingame")
        assert_same(calls[0], asked([start] * int(opens.sum()), kind))
    over = np.zeros(12, bool)
    skipped = resets = 0
    for _ in range(120):
        if over.any() and mode == "disabled":
            _, info = env.reset(options={"reset_mask": over})
            calls = opponent.take()
            opens = over & (info["to_move"] == 1)
            assert [len(call[0]) for call in calls] == ([opens.sum()] if opens.any() else [])
            over[:] = False
        actions = some_actions(rng, info["action_mask"])
        played = after(env, actions)
        _, _, terminated, truncated, info = env.step(actions)
        calls = opponent.take()
        # A row that is over begins again, where the opponent may be to move.
        begun = over if mode == "next_step" else np.zeros(12, bool)
        opens = begun & (info["to_move"] == 1)
        expected = [
            oware.Game("codingame") if begun[i] else game
            for i, game in enumerate(played)
            if opens[i] or not (begun[i] or game.is_over)
        ]
        skipped += sum(game.is_over for game in played)
        assert_same(calls[0], asked(expected, kind))
        over = terminated | truncated
        if mode == "same_step":
            opens = over & (info["to_move"] == 1)
            assert [len(call[0]) for call in calls[1:]] == ([opens.sum()] if opens.any() else [])
            resets += len(calls) - 1
        else:
            assert len(calls) == 1
    assert skipped > 0
    assert (resets > 0) == (mode == "same_step" and seat != "south")


def test_a_callable_gets_arrays_of_its_own() -> None:
    def spoil(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.intp]:
        actions = first_legal(observation, mask)
        observation.fill(7)
        mask.fill(7)
        return actions

    ours, twin = (oware.OwareEnv(4, opponent=opponent) for opponent in (spoil, first_legal))
    assert_same(ours.reset(seed=0), twin.reset(seed=0))
    actions = np.full(4, 5)
    assert_same(ours.step(actions), twin.step(actions))


@pytest.mark.parametrize(
    "cast",
    [list, tuple, np.int8, np.uint64, np.asfortranarray, lambda moves: np.repeat(moves, 2)[::2]],
)
def test_a_callable_answers_with_integers_of_any_kind(cast: Callable[[Any], Any]) -> None:
    ours = oware.OwareEnv(4, opponent=lambda *asked: cast(first_legal(*asked)), seat="north")
    twin = oware.OwareEnv(4, opponent=first_legal, seat="north")
    assert_same(ours.reset(seed=0), twin.reset(seed=0))
    assert_same(ours.step([0, 1, 2, 3]), twin.step([0, 1, 2, 3]))


def test_a_callable_of_the_single_environment_gets_batches_of_one() -> None:
    opponent = Recorder()
    env = gymnasium.make("oware/Oware-v0", opponent=opponent, seat="north")
    env.reset(seed=0)
    env.step(5)
    assert [(call[0].shape, call[1].shape) for call in opponent.calls] == [((1, 14), (1, 6))] * 2


def test_threads_and_callables() -> None:
    rows = 2 * 8192
    shown = []
    for threads in (1, 2):
        env = oware.OwareEnv(rows, opponent=first_legal, num_threads=threads)
        env.reset(seed=0)
        shown.append([env.step(np.full(rows, 5))])
    assert_same(shown[0][0], shown[1][0])


# What goes wrong in a callable undoes all.


class Unreliable:
    """A callable that can be told to fail."""

    def __init__(self) -> None:
        self.failure: Callable[[NDArray[np.intp]], Any] | None = None

    def __call__(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        actions = first_legal(observation, mask)
        return actions if self.failure is None else self.failure(actions)


def divide(_: NDArray[np.intp]) -> Any:
    return 1 / 0


def interrupt(_: NDArray[np.intp]) -> Any:
    raise KeyboardInterrupt("stop")


def no_pit(actions: NDArray[np.intp]) -> Any:
    """An answer that is none, after answers that are legal."""
    return [*actions[:-1], 6]


FAILURES: dict[str, tuple[Callable[[NDArray[np.intp]], Any], type[BaseException], str]] = {
    "an exception": (divide, ZeroDivisionError, "division"),
    "an interrupt": (interrupt, KeyboardInterrupt, "stop"),
    "no pit": (
        no_pit,
        oware.IllegalMoveError,
        r"^environment \d: the opponent's action 6 is not a",
    ),
    "a negative action": (lambda a: -1 - a, oware.IllegalMoveError, "the opponent's action -"),
    "a number beyond 64 bits": (
        lambda a: [*a[:-1], 2**70],
        oware.IllegalMoveError,
        rf"^environment \d: the opponent's action {2**70} is not a pit from 0 to 5; legal: \d",
    ),
    "a number of thousands of digits": (
        lambda a: [*a[:-1], -(10**5000)],
        oware.IllegalMoveError,
        r"the opponent's action an integer of 16610 bits is not a pit from 0 to 5; legal: \d",
    ),
    "too few beyond 64 bits": (
        lambda a: [2**70, *a][: len(a) - 1],
        ValueError,
        r"the opponent's actions has shape",
    ),
    "too few": (lambda a: a[1:], ValueError, r"the opponent's actions has shape"),
    "too many": (lambda a: [*a, 0], ValueError, r"the opponent's actions has shape"),
    "a table": (lambda a: a[:, None], ValueError, r"the opponent's actions has shape"),
    "floats": (lambda a: a.astype(float), TypeError, r"the opponent's actions has dtype float64"),
    "bools": (lambda a: a > 0, TypeError, r"the opponent's actions has dtype bool"),
    "nothing": (lambda _: None, TypeError, r"the opponent's actions"),
    "a text": (lambda _: "random", TypeError, r"the opponent's actions"),
}


class Snapshot:
    """Everything there is to see of an environment, and its arrays with what they hold."""

    def __init__(self, env: oware.OwareEnv, arrays: list[Any]) -> None:
        self.env = env
        self.arrays = arrays
        self.held = copy.deepcopy(arrays)
        self.seen = env.get_state(), env.observe(), env.pits, env.stores, games(env)

    def check(self) -> None:
        env = self.env
        assert_same((env.get_state(), env.observe(), env.pits, env.stores), self.seen[:4])
        assert games(env) == self.seen[4]
        for array, held in zip(self.arrays, self.held, strict=True):
            assert_same(array, held)


@pytest.mark.parametrize("copying", [True, False])
@pytest.mark.parametrize("mode", get_args(AutoresetName))
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_undoes_the_whole_call(failure: str, mode: AutoresetName, copying: bool) -> None:
    fail, error, message = FAILURES[failure]
    opponent = Unreliable()
    settings: dict[str, Any] = {"rules": "codingame", "autoreset_mode": mode, "max_steps": 30}
    settings |= {"seat_rewards": True, "opening_plies": 1}
    env = oware.OwareEnv(9, opponent=opponent, copy=copying, **settings)
    twin = oware.OwareEnv(9, opponent=first_legal, **settings)
    rng = np.random.default_rng(0)

    def fail_once(call: Callable[[oware.OwareEnv], Any], arrays: list[Any]) -> Any:
        before = Snapshot(env, arrays)
        opponent.failure = fail
        with pytest.raises(error, match=message):
            call(env)
        opponent.failure = None
        before.check()
        return call(env)

    shown = fail_once(lambda env: env.reset(seed=1), [])
    assert_same(shown, twin.reset(seed=1))
    for number in range(40):
        actions = some_actions(rng, shown[-1]["action_mask"])
        expected = twin.step(actions)
        if number % 3:
            step = env.step(actions)
        else:
            step = fail_once(lambda env, actions=actions: env.step(actions), [shown])  # type: ignore[misc]
        if mode == "same_step" and not copying:
            # Dense ones; `test_env_autoreset` compares them.
            step[4].pop("final_obs", None)
            expected[4].pop("final_obs", None)
        assert_same(step, expected)
        shown = step
        over = step[2] | step[3]
        if mode == "disabled" and over.any():
            options = {"reset_mask": over.copy()}
            shown = fail_once(lambda env, options=options: env.reset(options=options), [shown])  # type: ignore[misc]
            assert_same(shown, twin.reset(options=options))
    board = np.full((9, 12), 4), np.zeros((9, 2), int), np.arange(9) % 2
    shown = fail_once(lambda env: env.set_positions(*board), [shown])
    assert_same(shown, twin.set_positions(*board))


def test_the_reason_for_which_an_answer_is_refused() -> None:
    env = oware.OwareEnv(2, opponent=lambda *_: [0, 1], seat="south")
    env.reset(options={"reset_mask": np.array([True, False])})
    pits = [[4, 4, 4, 4, 4, 4, 1, 0, 4, 4, 4, 4]] * 2
    env.set_positions(pits, np.zeros((2, 2), int), [0, 0])
    state = env.get_state()
    with pytest.raises(
        oware.IllegalMoveError,
        match=r"^environment 1: the opponent's action 1 is an empty pit; legal: 0, 2, 3, 4, 5$",
    ):
        env.step([0, 0])
    assert env.get_state() == state


def test_an_opponent_that_uses_its_own_environment_is_told_so() -> None:
    envs: list[oware.OwareEnv] = []

    def meddle(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.intp]:
        if envs:
            envs[0].observe()
        return first_legal(observation, mask)

    env = oware.OwareEnv(2, opponent=meddle, seat="south")
    env.reset(seed=0)
    envs.append(env)
    state = env.get_state()
    with pytest.raises(RuntimeError, match="in use"):
        env.step([0, 0])
    assert env.get_state() == state


# Openings.


def test_openings_that_the_opponent_ends_are_drawn_again() -> None:
    """With one seed a pit and a long opening some first plies end the game; no episode shows it."""
    opponent = Recorder()
    rules = oware.Rules(seeds_per_pit=1)
    env = oware.OwareEnv(300, rules=rules, opponent=opponent, seat="south", opening_plies=41)
    _, info = env.reset(seed=0)
    rows = [len(observation) for observation, _ in opponent.take()]
    assert rows[0] == 300
    assert len(rows) > 1
    assert all(later < earlier for earlier, later in itertools.pairwise(rows))
    assert not info["termination"].any()
    assert not info["to_move"].any()
    assert {env.game(i).ply for i in range(300)} == {42}


def test_an_opponent_that_always_ends_the_game_is_given_up() -> None:
    env = oware.OwareEnv(
        3, rules=oware.Rules(max_plies=2), opponent=first_legal, seat="south", opening_plies=1
    )
    state = env.get_state()
    with pytest.raises(ValueError, match=r"^environment \d: the opponent moves first and ends"):
        env.reset(seed=0)
    assert env.get_state() == state


# Changes of the opponent.


def test_an_episode_keeps_the_opponent_that_it_began_with() -> None:
    first, second = Recorder("first"), Recorder("second")
    env = oware.OwareEnv(10, rules="codingame", opponent=first, seat="south", max_steps=None)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    env.set_opponent(second)
    mine = np.ones(10, bool)
    over = np.zeros(10, bool)
    both = 0
    while mine.any():
        actions = some_actions(rng, info["action_mask"])
        played = after(env, actions)
        needs = np.array([not game.is_over for game in played]) & ~over
        mine &= ~over
        _, _, terminated, truncated, info = env.step(actions)
        for recorder, rows in ((first, needs & mine), (second, needs & ~mine)):
            calls = recorder.take()
            if rows.any():
                assert_same(calls, [asked([played[i] for i in np.flatnonzero(rows)], "seeds")])
            else:
                assert calls == []
        both += bool((needs & mine).any() and (needs & ~mine).any())
        over = terminated | truncated
    assert both > 5


def test_names_and_callables_take_turns() -> None:
    recorder = Recorder()
    env = oware.OwareEnv(4, opponent="greedy", seat="south")
    env.reset(seed=0)
    env.set_opponent(recorder)
    env.step([0, 1, 2, 3])
    assert recorder.take() == []
    env.reset()
    env.step([0, 1, 2, 3])
    assert [len(call[0]) for call in recorder.take()] == [4]
    env.set_opponent("random")
    env.reset(options={"reset_mask": np.array([True, False, True, False])})
    env.step([0, 5, 0, 5])
    assert [len(call[0]) for call in recorder.take()] == [2]
    env.reset()
    env.step([0, 1, 2, 3])
    assert recorder.take() == []


def test_a_state_knows_no_callables() -> None:
    """The environment that takes it over has its own opponent play on, by whatever name."""
    source = oware.OwareEnv(5, opponent=Recorder(), seat="south")
    source.reset(seed=0)
    source.step([0, 1, 2, 3, 4])
    state = source.get_state()
    second = Recorder()
    target = oware.OwareEnv(5, opponent=second, seat="south")
    assert_same(target.set_state(state)[0], source.observe())
    target.step([5] * 5)
    assert [len(call[0]) for call in second.take()] == [5]
    greedy = oware.OwareEnv(5, opponent="greedy", seat="south")
    greedy.set_state(state)
    actions = np.full(5, 5)
    before = after(greedy, actions)
    greedy.step(actions)
    for i, game in enumerate(before):
        assert greedy.game(i).moves[-1] in greediest(game)


def test_many_callables_at_once() -> None:
    recorders = [Recorder(str(number)) for number in range(200)]
    env = oware.OwareEnv(200, opponent="random", seat="south")
    env.reset(seed=0)
    for row, recorder in enumerate(recorders):
        env.set_opponent(recorder)
        env.reset(options={"reset_mask": np.arange(200) == row})
    env.step(np.arange(200) % 6)
    for row, recorder in enumerate(recorders):
        start = oware.Game()
        start.play(row % 6)
        assert_same(recorder.take(), [asked([start], "seeds")])
    pickled = copy.deepcopy(env)
    pickled.step(
        first_legal(pickled.observe(), np.stack([g.action_mask() for g in games(pickled)]))
    )
    assert not any(recorder.calls for recorder in recorders)


def test_any_number_of_callables_one_after_the_other() -> None:
    env = oware.OwareEnv(2, opponent="random", seat="north")
    for number in range(600):
        recorder = Recorder(str(number))
        env.set_opponent(recorder)
        env.reset(seed=number)
        assert [len(call[0]) for call in recorder.take()] == [2]


def test_more_callables_than_can_be_told_apart() -> None:
    env = oware.OwareEnv(300, opponent="random", seat="south")
    env.reset(seed=0)
    for row in range(200):
        env.set_opponent(Recorder())
        env.reset(options={"reset_mask": np.arange(300) == row})
    state = env.get_state()
    with pytest.raises(ValueError, match=r"^too many opponents are still in their episodes$"):
        env.set_opponent(Recorder())
    assert env.get_state() == state
    env.step(np.zeros(300, int))
    # Once an episode is over its opponent can be forgotten.
    env.reset(options={"reset_mask": np.arange(300) == 7})
    env.set_opponent(Recorder())


@pytest.mark.parametrize(
    ("callables", "current"),
    [
        ([], ("callable", 0)),
        ([first_legal], ("callable", 1)),
        ([first_legal], ("network", 0)),
        ([first_legal], ("person", 0)),
        ([first_legal] * 201, ("callable", 0)),
    ],
)
def test_saved_opponents_that_contradict_each_other(
    callables: list[Any], current: tuple[str, int]
) -> None:
    env = oware.OwareEnv(2, opponent=first_legal)
    saved = env.__getstate__() | {"_opponents": (callables, [], current, False)}
    with pytest.raises(ValueError, match="the saved opponents contradict each other"):
        oware.OwareEnv.__new__(oware.OwareEnv).__setstate__(saved)


class Own:
    """An opponent that knows its own environment, and looks at it when it goes."""

    env: oware.OwareEnv

    def __init__(self, seen: list[tuple[int, ...]]) -> None:
        self.seen = seen

    def __call__(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.intp]:
        gc.collect()
        return first_legal(observation, mask)

    def __del__(self) -> None:
        self.seen.append(self.env.pits.shape)


@pytest.mark.parametrize("copied", [True, False])
def test_an_opponent_that_refers_to_its_environment_is_collected(copied: bool) -> None:
    seen: list[tuple[int, ...]] = []
    opponent = Own(seen)
    env = opponent.env = oware.OwareEnv(2, opponent=opponent, seat="south", copy=copied)
    env.reset(seed=0)
    env.step([0, 1])
    gone = weakref.ref(env)
    del opponent, env
    gc.collect()
    assert gone() is None
    assert seen == [(2, 12)]


def test_an_opponent_may_use_its_environment_when_it_is_replaced() -> None:
    seen: list[tuple[int, ...]] = []
    opponent = Own(seen)
    env = opponent.env = oware.OwareEnv(2, opponent=opponent)
    del opponent
    env.set_opponent("random")
    env.reset()
    assert seen == []
    env.set_opponent(first_legal)
    assert seen == [(2, 12)]
