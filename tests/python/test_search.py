from __future__ import annotations

import _thread
import math
import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest

import oware
from oware import search
from oware.agents import MinimaxAgent, evaluate
from oware.search import Result, alpha_beta, best_moves, static_value


def minimax(game: oware.Game, depth: int) -> float:
    """Final net seeds for the mover; the rules have no end at the majority."""
    if game.is_over:
        mover = game.to_move
        return game.stores[mover] - game.stores[1 - mover]
    if depth == 0:
        return static_value(game)
    return max(value for value in values(game, depth) if value is not None)


def values(game: oware.Game, depth: int) -> list[float | None]:
    """The value of each move."""
    found: list[float | None] = [None] * 6
    for move in game.legal_moves():
        after = game.copy()
        after.play(move)
        found[move] = -minimax(after, depth - 1)
    return found


@pytest.mark.parametrize("transcript", ["", "FfEe", "AbCcBaDdEe", "FaEbDcCdBeAf"])
def test_values_are_those_of_minimax(transcript: str) -> None:
    rules = oware.Rules(majority_ends=False)
    game = oware.Game.from_transcript(transcript, rules)
    expected = values(game, 4)
    result = alpha_beta(game, depth=4, move_values=True)
    assert result.move_values == tuple(expected)
    assert result.value == max(value for value in expected if value is not None)
    assert expected[result.move] == result.value
    assert result.depth == len(result.line) == 4
    assert not result.exact
    assert best_moves(game, 4) == [m for m in range(6) if expected[m] == result.value]
    # Nor does it make a difference whether the rules end the game at the majority.
    assert alpha_beta(oware.Game.from_transcript(transcript), depth=4).value == result.value


def test_a_value_is_played_on_past_a_majority() -> None:
    game = oware.Game(pits=[0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1], stores=(24, 21))
    result = alpha_beta(game, depth=20)
    assert (result.value, result.exact, result.line) == (6.0, True, (5, 5))
    assert result.depth < 20
    assert result.nodes > 0


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("table_entries", [1024, search.TABLE_ENTRIES])
def test_threads_and_table_do_not_change_the_value(threads: int, table_entries: int) -> None:
    game = oware.Game.from_transcript("AbCcBaDdEe", "awari")
    alone = alpha_beta(game, depth=9)
    result = alpha_beta(game, depth=9, threads=threads, table_entries=table_entries)
    assert (result.value, result.depth) == (alone.value, alone.depth)


def test_few_seeds_count_their_true_value_without_a_depth() -> None:
    endgame = oware.Endgame.build(10, "awari", progress=False)
    rng = np.random.default_rng(0)
    told_apart = 0
    for _ in range(30):
        # One ply leads to eleven seeds, or with a capture to fewer.
        pits = rng.multinomial(rng.integers(10, 13), np.ones(12) / 12)
        game = oware.Game("awari", pits=pits, stores=(20, 48 - 20 - sum(pits)), to_move=0)
        if game.is_over:
            continue
        expected = []
        for move in game.legal_moves():
            after = game.copy()
            after.play(move)
            looked_up = not after.is_over and sum(after.pits) <= 10
            value = minimax(after, 0)
            if looked_up:
                value = after.stores[1] - after.stores[0] + endgame.value(after)
            expected.append(-value)
        result = alpha_beta(game, nodes=10**9, on_depth=lambda _: True)
        assert (result.value, result.exact) == (max(expected), False)
        told_apart += result.value != alpha_beta(game, depth=1).value
    assert told_apart > 10


def test_the_game_stays_as_it_is() -> None:
    game = oware.Game.from_transcript("FfEe")
    alpha_beta(game, depth=6)
    best_moves(game, 3)
    assert game == oware.Game.from_transcript("FfEe")


def test_history_counts() -> None:
    # Two lone seeds go round; the position arises once more and the game ends.
    rules = oware.Rules(repetition=2, majority_ends=False)
    game = oware.Game(rules, pits=[1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0], stores=(4, 2))
    for move in (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5):
        game.play(move)
    result = alpha_beta(game, depth=1)
    assert (result.exact, result.value) == (True, -2.0)
    fresh = oware.Game(rules, pits=game.pits, stores=(4, 2), to_move=1)
    assert not alpha_beta(fresh, depth=1).exact


def test_limits() -> None:
    game = oware.Game()
    assert alpha_beta(game, nodes=3000).nodes <= 3000
    assert alpha_beta(game, depth=5, time=1000, nodes=10**12).depth == 5
    assert alpha_beta(game, time=1e-9).depth == 1
    result = alpha_beta(game, time=np.float32(0.05))
    assert result.depth >= 5
    assert alpha_beta(game, depth=np.int8(3), threads=np.int16(2)).depth == 3


def test_each_depth_is_told_and_can_be_the_last() -> None:
    told: list[Result] = []

    def enough(result: Result) -> bool:
        told.append(result)
        return result.depth == 6

    result = alpha_beta(oware.Game(), depth=30, on_depth=enough)
    assert [one.depth for one in told] == [1, 2, 3, 4, 5, 6]
    assert result.value == told[-1].value

    def fail(_: Result) -> None:
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        alpha_beta(oware.Game(), depth=30, on_depth=fail)


@pytest.mark.parametrize("call", [lambda g: alpha_beta(g, depth=200), lambda g: best_moves(g, 200)])
def test_an_interrupt_ends_a_search(call: Any) -> None:
    # It would take longer than the universe has. That it ends shows that other threads run, too.
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call(oware.Game())
    timer.join()


@pytest.mark.parametrize("threads", [1, 3])
def test_another_thread_ends_a_search(threads: int) -> None:
    stop = search.Stop()
    assert not stop.is_set()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    result = alpha_beta(oware.Game(), stop=stop, threads=threads)
    timer.join()
    assert stop.is_set()
    assert 4 < result.depth < 250
    assert result.move in oware.Game().legal_moves()
    # One that is set leaves time for no more than the first depth.
    assert alpha_beta(oware.Game(), time=1000, stop=stop).depth == 1
    with pytest.raises(TypeError):
        search.Stop(1)  # type: ignore[call-arg]


def test_several_threads_search_at_once() -> None:
    game = oware.Game()
    expected = alpha_beta(game, depth=8).value
    found: list[float] = []
    threads = [
        threading.Thread(target=lambda: found.append(alpha_beta(game, depth=8, threads=2).value))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({}, ValueError, "nothing ends the search; give depth, time, nodes or stop"),
        ({"depth": 0}, ValueError, "depth is 0; give 1 to 250"),
        ({"depth": 251}, ValueError, "depth is 251; give 1 to 250"),
        ({"depth": -(10**30)}, ValueError, "depth is -1000000000000000000000000000000"),
        ({"depth": 3.0}, TypeError, "depth must be an int, not float"),
        ({"depth": True}, TypeError, "depth must be an int, not bool"),
        ({"time": math.nan}, ValueError, "time is NaN; give a number of seconds above 0"),
        ({"time": math.inf}, ValueError, "time is inf"),
        ({"time": 0}, ValueError, "time is 0"),
        ({"time": -1.5}, ValueError, "time is -1.5"),
        ({"time": "1"}, TypeError, "time must be a number of seconds, not str"),
        ({"time": False}, TypeError, "time must be a number of seconds, not bool"),
        ({"nodes": 0}, ValueError, "nodes is 0; give 1 to"),
        ({"nodes": 1.5}, TypeError, "nodes must be an int"),
        ({"depth": 2, "threads": 0}, ValueError, "threads is 0; give 1 to 1024"),
        ({"depth": 2, "threads": 1025}, ValueError, "threads is 1025"),
        ({"depth": 2, "table_entries": 0}, ValueError, "table_entries is 0"),
        ({"depth": 2, "table_entries": 1 << 58}, MemoryError, "no memory for a table"),
        ({"depth": 2, "move_values": 1}, TypeError, "move_values must be a bool"),
        ({"depth": 2, "endgame": "awari"}, TypeError, "endgame must be None or an oware.Endgame"),
        ({"depth": 2, "on_depth": 7}, TypeError, "callable"),
        ({"depth": 2, "stop": True}, TypeError, r"stop must be None or an oware\.search\.Stop"),
    ],
)
def test_bad_arguments(wrong: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        alpha_beta(oware.Game(), **wrong)


def test_bad_games() -> None:
    over = oware.Game(pits=[0] * 12, stores=(20, 28))
    with pytest.raises(ValueError, match="the game is over"):
        alpha_beta(over, depth=3)
    with pytest.raises(ValueError, match="the game is over"):
        best_moves(over, 3)
    for call in (lambda g: alpha_beta(g, depth=3), lambda g: best_moves(g, 3), static_value):
        with pytest.raises(TypeError, match=r"game must be an oware\.Game, not str"):
            call("4-4-4-4")  # type: ignore[arg-type]


def played(env: oware.OwareEnv, steps: int, seed: int | None = 3) -> list[Any]:
    """What some steps show."""
    if seed is not None:
        env.reset(seed=seed)
    shown = []
    for step in range(steps):
        mask = np.array([[m in env.game(i).legal_moves() for m in range(6)] for i in range(8)])
        scores = np.random.default_rng(step).random((8, 6))
        shown.append(env.step(np.where(mask, scores, -1).argmax(1))[0].tolist())
    return shown


def test_an_opponent_that_searches_plays_alike_on_any_number_of_threads() -> None:
    settings: dict[str, Any] = {"opponent": "minimax:3", "opening_plies": 4, "rules": "open_spiel"}
    once = played(oware.OwareEnv(8, **settings), 60)
    assert played(oware.OwareEnv(8, num_threads=3, **settings), 60) == once
    assert played(oware.OwareEnv(8, **settings), 60, seed=4) != once


def test_an_opponent_that_searches_is_saved() -> None:
    env = oware.OwareEnv(8, opponent="minimax:2")
    played(env, 5)
    state = env.get_state()
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301
    other = oware.OwareEnv(8, opponent="random")
    other.set_state(state)
    expected = played(env, 20, seed=None)
    assert played(copy, 20, seed=None) == expected
    # Each episode keeps the opponent that it began with; the next one has this environment's own.
    assert played(other, 3, seed=None) == expected[:3]


def test_an_opponent_that_searches_beats_greedy() -> None:
    evaluation = evaluate("minimax:4", "greedy", 40)
    assert evaluation.total.wins > 30
    assert evaluation == evaluate(MinimaxAgent(4, 0), "greedy", 40)
    assert evaluate("greedy", "minimax:4", 40).total.losses > 30


def test_an_interrupt_takes_a_step_back() -> None:
    env = oware.OwareEnv(500, opponent="minimax:16", seat="south", opening_plies=8)
    env.reset(seed=0)
    state = env.get_state()
    actions = [env.game(i).legal_moves()[0] for i in range(500)]
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        env.step(actions)
    timer.join()
    assert env.get_state() == state


@pytest.mark.parametrize("depth", ["0", "17", "", "04", "+4", "4.0", "x"])
def test_depths_that_no_opponent_has(depth: str) -> None:
    with pytest.raises(ValueError, match=r"the depth is .*; give 1 to 16"):
        oware.OwareEnv(1, opponent=f"minimax:{depth}")
    with pytest.raises(ValueError, match=r"the depth is .*; give 1 to 16"):
        evaluate(f"minimax:{depth}", "random", 2)
    with pytest.raises(ValueError, match="unknown opponent"):
        oware.OwareEnv(1, opponent="minimax")


def test_agents_that_search_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="depth is 17; give 1 to 16"):
        MinimaxAgent(17)
    with pytest.raises(TypeError):
        MinimaxAgent(2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kind 'seeds'"):
        MinimaxAgent(2)(np.zeros((2, 14), np.float32), np.ones((2, 6), np.int8))


def test_the_database_is_believed() -> None:
    endgame = oware.Endgame.build(8, "awari", progress=False)
    rng = np.random.default_rng(0)
    for _ in range(50):
        pits = rng.multinomial(8, np.ones(12) / 12)
        game = oware.Game("awari", pits=pits, stores=(20, 20), to_move=0)
        if game.is_over:
            continue
        result = alpha_beta(game, depth=9, endgame=endgame, move_values=True)
        assert (result.value, result.exact) == (endgame.value(game), True)
        assert result.move in endgame.best_moves(game)
    with pytest.raises(ValueError, match=r"awari|forbidden"):
        alpha_beta(oware.Game("abapa"), depth=3, endgame=endgame)


def test_time_is_kept() -> None:
    # Processor time, as a busy machine gives others their turn.
    begin = time.thread_time()
    alpha_beta(oware.Game(), time=0.1)
    assert time.thread_time() - begin < 0.15
