from __future__ import annotations

import _thread
import math
import pickle
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from oware.agents import MctsAgent, MinimaxAgent, evaluate, named
from oware.search import Mcts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oware.search import MctsResult
    from oware.types import ObservationKind

WIN = oware.Game(pits=[1, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], stores=(21, 17))
"""F takes four seeds, for a majority."""


def uniform(
    observation: NDArray[Any], action_mask: NDArray[np.int8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    assert len(observation) == len(action_mask)
    return np.zeros(action_mask.shape, np.float32), np.zeros(len(action_mask), np.float32)


def games(count: int, rules: Any = "abapa") -> list[oware.Game]:
    """Games in all phases."""
    rng = np.random.default_rng(count)
    made = []
    for number in range(count):
        game = oware.Game(rules)
        for _ in range(number % 40):
            before = game.copy()
            game.play(rng.choice(game.legal_moves()))
            if game.is_over:
                game = before
                break
        made.append(game)
    return made


def same(one: MctsResult, other: MctsResult) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "q")
        for name in ("visits", "policy", "value", "q", "exact", "actions")
    )


@pytest.mark.parametrize("evaluator", [None, uniform])
def test_results_are_as_documented(evaluator: Any) -> None:
    found = Mcts(evaluator, simulations=90, seed=0).search(games(30))
    shapes = {
        "visits": (np.int32, (30, 6)),
        "policy": (np.float32, (30, 6)),
        "value": (np.float32, (30,)),
        "q": (np.float32, (30, 6)),
        "exact": (np.bool_, (30,)),
        "actions": (np.int64, (30,)),
    }
    for name, (dtype, shape) in shapes.items():
        array = getattr(found, name)
        assert (array.dtype, array.shape) == (dtype, shape)
        assert array.flags.owndata or array.base is not None
        assert array.flags.writeable
        assert array.flags.c_contiguous
    open_ = ~found.exact
    assert (found.visits[open_].sum(axis=1) == 90).all()
    assert np.allclose(found.policy.sum(axis=1), 1)
    assert np.allclose(found.policy[open_], found.visits[open_] / 90)
    assert np.isnan(found.q[found.visits == 0]).all()
    mean = np.nansum(found.q * found.visits, axis=1) / found.visits.sum(axis=1)
    assert np.allclose(mean[open_], found.value[open_], atol=0.05)
    for game, action in zip(games(30), found.actions, strict=True):
        assert game.is_legal(int(action))


@pytest.mark.parametrize("evaluator", [None, uniform])
def test_a_winning_capture_is_found(evaluator: Any) -> None:
    found = Mcts(evaluator, simulations=300, seed=0).search(WIN)
    assert found.actions.tolist() == [5]
    assert (found.exact[0], found.value[0]) == (True, 1)
    assert found.policy.tolist() == [[0, 0, 0, 0, 0, 1]]


@pytest.mark.parametrize("evaluator", [None, uniform])
def test_threads_batches_and_neighbours_change_nothing(evaluator: Any) -> None:
    some = games(50)
    settings: dict[str, Any] = {"simulations": 60}
    if evaluator is not None:
        settings["noise"] = (1.0, 0.25)
    once = Mcts(evaluator, seed=7, **settings).search(some, temperature=1)
    again = Mcts(evaluator, seed=7, batch=33, num_threads=3, **settings)
    assert same(again.search(some, temperature=1), once)
    for at in (0, 20, 49):
        alone = Mcts(evaluator, seed=7 + at, **settings).search(some[at], temperature=1)
        assert alone.visits.tolist() == once.visits[at : at + 1].tolist()
        assert alone.actions[0] == once.actions[at]
    assert not same(Mcts(evaluator, seed=8, **settings).search(some, temperature=1), once)


def test_the_evaluator_sees_what_an_environment_shows() -> None:
    seen: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def watch(observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        seen.append((observation, mask))
        return uniform(observation, mask)

    game = oware.Game.from_transcript("FfEe")
    kinds: list[tuple[ObservationKind, Any, tuple[int, ...]]] = [
        ("seeds", np.uint8, (14,)),
        ("normalized", np.float32, (14,)),
        ("one_hot", np.float32, (14, 25)),
    ]
    for kind, dtype, shape in kinds:
        seen.clear()
        found = Mcts(watch, simulations=40, observation=kind, batch=5, seed=0).search(game)
        observation, mask = seen[0]
        assert np.array_equal(observation[0], game.observation(kind))
        assert np.array_equal(mask[0], game.action_mask())
        for observation, mask in seen:
            assert observation.dtype == dtype
            assert observation.shape == (len(mask), *shape)
            assert mask.dtype == np.int8
            assert 1 <= len(mask) <= 5
        assert found.batches == len(seen)
        assert found.positions == sum(len(mask) for _, mask in seen)
        assert found.mean_batch == found.positions / found.batches


def test_batches_are_full() -> None:
    found = Mcts(uniform, simulations=100, batch=512, seed=0).search(games(256))
    print(f"256 games, a limit of 512: {found.mean_batch:.0f} positions a batch")
    assert found.mean_batch >= 0.8 * 512


def test_priors_and_values_guide_the_search() -> None:
    def prefers_c(observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        logits = np.full(mask.shape, -np.inf)
        logits[:, 2] = 0
        logits[mask[:, 2] == 0] = 0
        return logits, np.zeros(len(observation))

    found = Mcts(prefers_c, simulations=50, leaves=1, seed=0).search(oware.Game())
    assert found.visits.tolist() == [[0, 0, 50, 0, 0, 0]]

    def dislikes_north_s_seeds(observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        value = (observation[:, :6].sum(1) - 24.0) / 48
        return np.zeros(mask.shape, np.float16), np.clip(value, -1, 1).astype(np.float64)

    found = Mcts(dislikes_north_s_seeds, simulations=400, seed=0).search(oware.Game())
    assert found.visits.max() > 70


class Moody:
    """An evaluator that fails now and then."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls = 0

    def __call__(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        self.calls += 1
        if self.calls == 4:
            return self.answer(len(mask))
        return uniform(observation, mask)


def raising(_: int) -> Any:
    raise LookupError("no weights")


ZEROS = np.zeros
BAD_ANSWERS: list[tuple[Any, type[Exception], str]] = [
    (raising, LookupError, "no weights"),
    (lambda _: None, TypeError, r"answer must be a tuple \(logits, value\), not NoneType"),
    (lambda n: ZEROS((n, 6)), TypeError, "answer must be a tuple"),
    (lambda n: (ZEROS((n, 6)),), TypeError, "answer must be a tuple"),
    (lambda n: (ZEROS((n, 5)), ZEROS(n)), ValueError, r"logits has shape \(\d+, 5\), expected"),
    (lambda n: (ZEROS((n + 1, 6)), ZEROS(n)), ValueError, "logits has shape"),
    (lambda n: (ZEROS((n, 6)), ZEROS((n, 1))), ValueError, "value has shape"),
    (lambda n: (ZEROS((n, 6), int), ZEROS(n)), TypeError, "logits has dtype .*; give floats"),
    (lambda n: (ZEROS((n, 6)), ["0"] * n), TypeError, "value has dtype"),
    (lambda n: (ZEROS((n, 6)), ZEROS(n, complex)), TypeError, "value has dtype"),
    (lambda n: (ZEROS((n, 6)), np.full(n, np.nan)), ValueError, "value is NaN; give -1 to 1"),
    (lambda n: (ZEROS((n, 6)), np.full(n, 1.01)), ValueError, "value is 1.01; give -1 to 1"),
    (lambda n: (np.full((n, 6), np.nan), ZEROS(n)), ValueError, "logit of the legal move . is NaN"),
    (lambda n: (np.full((n, 6), -np.inf), ZEROS(n)), ValueError, "no legal move has a finite"),
]


@pytest.mark.parametrize(("answer", "error", "message"), BAD_ANSWERS)
def test_an_evaluator_that_fails(answer: Any, error: type[Exception], message: str) -> None:
    some = games(20)
    mcts = Mcts(Moody(answer), simulations=50, batch=16, seed=0)
    with pytest.raises(error, match=message):
        mcts.search(some)
    # What was found before is kept, and the rest can be searched.
    found = mcts.search(some, reuse=True)
    assert (found.visits.sum(axis=1)[~found.exact] >= 50).all()


def test_an_evaluator_cannot_use_its_own_search() -> None:
    def recursive(observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        mcts.search(oware.Game())
        return uniform(observation, mask)

    mcts = Mcts(recursive, simulations=5)
    with pytest.raises(RuntimeError, match="in use by another call"):
        mcts.search(oware.Game())


@pytest.mark.parametrize("evaluator", [None, uniform])
def test_trees_are_kept(evaluator: Any) -> None:
    some = games(20)
    mcts = Mcts(evaluator, simulations=200, seed=3)
    before = mcts.search(some)
    on = [i for i, (g, a) in enumerate(zip(some, before.actions, strict=True)) if goes_on(g, a)]
    some = [some[i] for i in on]
    mcts = Mcts(evaluator, simulations=200, seed=3)
    before = mcts.search(some)
    other = Mcts(evaluator, simulations=200, seed=3)
    other.search(some)
    mcts.advance(before.actions)
    for game, action in zip(some, before.actions, strict=True):
        game.play(int(action))
    assert mcts.games == some
    after = mcts.search()
    kept = before.visits[np.arange(len(some)), before.actions]
    # The position's own first visit is no visit of a move.
    going_on = ~after.exact
    assert (after.visits.sum(axis=1)[going_on] == kept[going_on] - 1 + 200).all()
    assert same(other.search(some, reuse=True), after)
    fresh = mcts.search(some)
    assert (fresh.visits.sum(axis=1)[~fresh.exact] == 200).all()


def goes_on(game: oware.Game, action: int) -> bool:
    after = game.copy()
    after.play(int(action))
    return not after.is_over


def test_temperature_spreads_actions() -> None:
    start = [oware.Game()] * 500
    found = Mcts(simulations=60, seed=0).search(start, temperature=0)
    assert (found.visits[np.arange(500), found.actions] == found.visits.max(axis=1)).all()
    warm = Mcts(simulations=60, seed=0).search(start, temperature=1)
    assert np.array_equal(warm.visits, found.visits)
    expected = warm.visits.sum(axis=0) / warm.visits.sum()
    drawn = np.bincount(warm.actions, minlength=6) / 500
    assert np.abs(drawn - expected).max() < 0.08
    temperatures = np.where(np.arange(500) < 250, 0, 1.0)
    mixed = Mcts(simulations=60, seed=0).search(start, temperature=temperatures)
    assert np.array_equal(mixed.actions[250:], warm.actions[250:])
    assert np.array_equal(mixed.actions[:250], found.actions[:250])


def test_the_database_is_believed() -> None:
    endgame = oware.Endgame.load(8, "awari", progress=False)
    rng = np.random.default_rng(0)
    some: list[oware.Game] = []
    while len(some) < 60:
        pits = rng.multinomial(8, np.ones(12) / 12)
        game = oware.Game("awari", pits=pits, stores=(20, 20))
        if not game.is_over:
            some.append(game)
    for evaluator in (None, uniform):
        settings: dict[str, Any] = {"simulations": 50, "endgame": endgame, "seed": 0}
        found = Mcts(evaluator, **settings).search(some)
        assert found.exact.all()
        values = [np.sign(endgame.value(game)) for game in some]
        assert found.value.tolist() == values
        found = Mcts(evaluator, score="margin", **settings).search(some)
        assert np.allclose(found.value * 48, [endgame.value(game) for game in some])
        for game, action in zip(some, found.actions, strict=True):
            assert action in endgame.best_moves(game)
    with pytest.raises(ValueError, match=r"awari|forbidden"):
        Mcts(endgame=endgame).search(oware.Game("abapa"))


@pytest.mark.parametrize("evaluator", [None, uniform])
def test_an_interrupt_ends_a_search(evaluator: Any) -> None:
    mcts = Mcts(evaluator, simulations=1 << 24, seed=0)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mcts.search([oware.Game()] * 4)
    timer.join()


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"evaluator": 5}, TypeError, "evaluator must be None, an oware.Network or a callable"),
        ({"simulations": 0}, ValueError, "simulations is 0; give 1 to 16777216"),
        ({"simulations": 1.5}, TypeError, "simulations must be an int, not float"),
        ({"simulations": True}, TypeError, "simulations must be an int, not bool"),
        ({"leaves": 0}, ValueError, "leaves is 0; give 1 to 1024"),
        ({"exploration": -1}, ValueError, "exploration is -1; give 0 to 1000000"),
        ({"exploration": math.nan}, ValueError, "exploration is NaN"),
        ({"exploration": "1"}, TypeError, "exploration must be a number, not str"),
        ({"exploration": False}, TypeError, "exploration must be a number, not bool"),
        ({"score": "win"}, ValueError, 'unknown score "win"; known: outcome, margin'),
        ({"score": 1}, TypeError, "score must be a str, not int"),
        ({"endgame": "awari"}, TypeError, "endgame must be None or an oware.Endgame, not str"),
        ({"noise": (1.0, 0.25)}, ValueError, "noise is added to an evaluator's priors"),
        ({"evaluator": uniform, "noise": 0.3}, TypeError, r"noise must be None or a tuple"),
        ({"evaluator": uniform, "noise": (0, 0.25)}, ValueError, "alpha, is 0; give 0.001"),
        ({"evaluator": uniform, "noise": (1, 1.5)}, ValueError, "fraction, is 1.5; give 0 to 1"),
        ({"observation": "pixels"}, ValueError, 'unknown observation "pixels"'),
        ({"batch": 0}, ValueError, "batch is 0; give 1 to"),
        ({"seed": -1}, ValueError, "seed is -1; give 0 to"),
        ({"seed": "x"}, TypeError, "seed must be an int"),
        ({"num_threads": 0}, ValueError, "num_threads is 0; give 1 to 1024"),
    ],
)
def test_bad_settings(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Mcts(**wrong)


def test_bad_games() -> None:
    mcts = Mcts(simulations=5, seed=0)
    with pytest.raises(ValueError, match="nothing has been searched yet; give games"):
        mcts.search()
    with pytest.raises(ValueError, match="nothing has been searched yet"):
        mcts.advance([0])
    over = oware.Game(pits=[0] * 12, stores=(20, 28))
    with pytest.raises(ValueError, match=r"games\[1\] is over; there is no move to search for"):
        mcts.search([oware.Game(), over])
    with pytest.raises(ValueError, match=r"games\[1\] has other rules than games\[0\]"):
        mcts.search([oware.Game(), oware.Game("awari")])
    with pytest.raises(TypeError, match=r"games\[0\] must be an oware\.Game, not str"):
        mcts.search("F")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"games must be an oware\.Game or a sequence of them"):
        mcts.search(5)  # type: ignore[arg-type]
    for temperature, error in (
        (-1, ValueError),
        (math.inf, ValueError),
        ("hot", TypeError),
        ([1.0], ValueError),
        ([1.0, math.nan], ValueError),
        (None, TypeError),
    ):
        with pytest.raises(error, match="temperature"):
            mcts.search([oware.Game()] * 2, temperature=temperature)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="reuse must be a bool"):
        mcts.search(oware.Game(), reuse=1)  # type: ignore[arg-type]
    mcts.search([oware.Game(), oware.Game()])
    for actions in ([0, 6], [-1, 0]):
        with pytest.raises(ValueError, match=r"games\[[01]\] has no move -?\d after which"):
            mcts.advance(actions)
    with pytest.raises(ValueError, match="shape"):
        mcts.advance([0])
    with pytest.raises(TypeError, match="dtype"):
        mcts.advance([0.0, 1.0])
    assert [game.ply for game in mcts.games] == [0, 0]
    assert mcts.search([]).visits.shape == (0, 6)


def played(env: oware.OwareEnv, steps: int, seed: int | None = 3) -> list[Any]:
    """What some steps show."""
    if seed is not None:
        env.reset(seed=seed)
    shown = []
    for step in range(steps):
        mask = np.array([env.game(i).action_mask() for i in range(env.num_envs)])
        scores = np.random.default_rng(step).random((20, 6))[: env.num_envs]
        shown.append(env.step(np.where(mask, scores, -1).argmax(1))[0].tolist())
    return shown


@pytest.mark.parametrize("opponent", ["mcts:30", "mcts:30+endgame", "minimax:2+endgame"])
def test_opponents_play_alike_however_they_are_batched(
    opponent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"opponent": opponent, "opening_plies": 30, "rules": "open_spiel"}
    once = played(oware.OwareEnv(9, **settings), 15)
    assert played(oware.OwareEnv(9, num_threads=3, **settings), 15) == once
    few = played(oware.OwareEnv(4, **settings), 15)
    assert few == [rows[:4] for rows in once]
    assert played(oware.OwareEnv(9, **settings), 15, seed=4) != once
    for kernel in oware.cpu_features():
        monkeypatch.setenv("OWARE_KERNEL", kernel)
        assert played(oware.OwareEnv(9, **settings), 15) == once, kernel


def test_opponents_are_saved() -> None:
    env = oware.OwareEnv(8, opponent="mcts:20+endgame", opening_plies=4)
    played(env, 3)
    state = env.get_state()
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301
    other = oware.OwareEnv(8, opponent="random", opening_plies=4)
    other.set_state(state)
    expected = played(env, 12, seed=None)
    assert played(copy, 12, seed=None) == expected
    assert played(other, 2, seed=None) == expected[:2]
    env.set_opponent("minimax:1+endgame")
    played(env, 3)


def test_opponents_that_search_beat_simpler_ones() -> None:
    assert evaluate("mcts:100", "random", 60).total.wins > 50
    assert evaluate("mcts:200", "greedy", 60).total.wins > 35
    assert evaluate("greedy", "mcts:200", 60).total.losses > 35
    assert evaluate("mcts:100+endgame", "greedy", 60).total.wins > 35


def test_an_interrupt_takes_a_step_back() -> None:
    env = oware.OwareEnv(200, opponent="mcts:1000000", seat="south", opening_plies=8)
    env.reset(seed=0)
    state = env.get_state()
    actions = [env.game(i).legal_moves()[0] for i in range(200)]
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        env.step(actions)
    timer.join()
    assert env.get_state() == state


@pytest.mark.parametrize(
    "name", ["mcts:0", "mcts:1000001", "mcts:", "mcts:07", "mcts:+7", "mcts:7.0", "mcts:7 +endgame"]
)
def test_simulations_that_no_opponent_has(name: str) -> None:
    with pytest.raises(ValueError, match=r"the simulations are .*; give 1 to 1000000"):
        oware.OwareEnv(1, opponent=name)
    with pytest.raises(ValueError, match=r"the simulations are .*; give 1 to 1000000"):
        named(name)


@pytest.mark.parametrize("name", ["mcts", "random+endgame", "+endgame", "uct:5", "mcts+endgame:5"])
def test_names_that_no_opponent_has(name: str) -> None:
    with pytest.raises(ValueError, match="unknown opponent"):
        oware.OwareEnv(1, opponent=name)
    with pytest.raises(ValueError, match="unknown player"):
        named(name)


def test_agents() -> None:
    observation = np.array([WIN.observation(), oware.Game().observation()])
    mask = np.array([WIN.action_mask(), oware.Game().action_mask()])
    actions = MctsAgent(200, seed=0)(observation, mask)
    assert actions[0] == 5
    assert mask[1, actions[1]]
    over = oware.Game(pits=[0] * 12, stores=(20, 28))
    row = over.observation()[None], np.ones((1, 6), np.int8)
    assert MctsAgent(5)(*row).shape == MinimaxAgent(2)(*row).shape == (1,)
    aided = named("minimax:2+endgame", rules="awari")
    assert isinstance(aided, MinimaxAgent)
    assert isinstance(named("mcts:5+endgame"), MctsAgent)
    endgame = oware.Endgame.load(rules="awari", progress=False)
    rng = np.random.default_rng(1)
    for _ in range(30):
        game = oware.Game("awari", pits=rng.multinomial(9, np.ones(12) / 12), stores=(19, 20))
        if not game.is_over:
            (action,) = aided(game.observation()[None], game.action_mask()[None])
            assert action in endgame.best_moves(game)
    with pytest.raises(ValueError, match="simulations is 0; give 1 to 1000000"):
        MctsAgent(0)
    with pytest.raises(TypeError):
        MctsAgent(2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kind 'seeds'"):
        MctsAgent(2)(np.zeros((2, 14), np.float32), np.ones((2, 6), np.int8))
