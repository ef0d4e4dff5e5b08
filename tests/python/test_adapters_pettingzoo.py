"""The environment for PettingZoo, by PettingZoo's own tests and by what they do not look at."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import oware
from oware.adapters.pettingzoo import env, raw_env

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

AGENTS = ["player_0", "player_1"]


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rules": "village", "max_steps": 50, "opening_plies": 3, "observation": "one_hot"},
        {"rules": "awari", "reward": "captures", "observation": "normalized"},
    ],
)
def test_pettingzoo_finds_no_fault(
    make: Callable[..., Any], settings: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    api_test(make(mask="info", **settings), num_cycles=500)
    with warnings.catch_warnings():
        # Its own board games, which have a mask in the observation as well, are exempt by name.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array", UserWarning)
        warnings.filterwarnings("ignore", "Observation space for each agent prob", UserWarning)
        api_test(make(**settings), num_cycles=500)
    seed_test(lambda: make(**settings))
    assert capsys.readouterr().out.count("Passed API test") == 2


def test_pettingzoo_can_render(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {
        "human": lambda frame: frame is None,
        "ansi": lambda frame: "South" in frame,
        "rgb_array": lambda frame: frame.ndim == 3 and frame.dtype == np.uint8,
    }
    assert set(kinds) == set(raw_env.metadata["render_modes"])
    render_test(env, kinds)
    assert "South to move" in capsys.readouterr().out


class Ending(NamedTuple):
    """A game that one move of South's ends, or leaves unfinished."""

    pits: list[int]
    stores: tuple[int, int]
    move: int
    max_steps: int
    reward: float
    """South's."""


# South's last seed goes to North, who cannot give any back and takes what is left.
FED = [0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0]
ENDINGS = {
    "win": Ending([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 3], (23, 20), 5, 10, 1.0),
    "loss": Ending(FED, (20, 24), 5, 10, -1.0),
    "draw": Ending(FED, (24, 20), 5, 10, 0.0),
    "truncation": Ending([4] * 12, (0, 0), 2, 1, 0.0),
}


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("seat", [0, 1])
def test_each_agent_is_told_its_own_reward(name: str, seat: int) -> None:
    ending = ENDINGS[name]
    game = env(max_steps=ending.max_steps)
    game.reset()
    game.unwrapped.set_position(
        np.roll(ending.pits, 6 * seat), np.roll(ending.stores, seat), to_move=seat
    )
    told = play(game, [ending.move])
    assert told == {AGENTS[seat]: ending.reward, AGENTS[1 - seat]: -ending.reward}


def play(game: Any, moves: Iterable[int]) -> dict[str, float]:
    """What each agent is told in all that it has got, if these moves are played."""
    told = dict.fromkeys(AGENTS, 0.0)
    ends = set()
    moves = iter(moves)
    for agent in game.agent_iter():
        _, reward, terminated, truncated, _ = game.last()
        told[agent] += reward
        if terminated or truncated:
            ends.add((terminated, truncated))
            game.step(None)
        else:
            game.step(next(moves))
    assert ends in ({(True, False)}, {(False, True)})
    assert game.agents == []
    return told


def test_rewards_of_whole_games_are_those_of_the_game() -> None:
    rng = random.Random(0)
    results = set()
    for seed in range(300):
        # The same moves on a board without agents, cut off now and then.
        referee = oware.Game()
        moves: list[int] = []
        while not referee.is_over and referee.ply < 120:
            moves.append(rng.choice(referee.legal_moves()))
            referee.play(moves[-1])
        results.add((referee.is_over, referee.winner))
        south = float(referee.stores[0] - referee.stores[1])
        captures = env(reward="captures", max_steps=120)
        captures.reset(seed=seed)
        assert play(captures, moves) == {AGENTS[0]: south, AGENTS[1]: -south}
        outcome = env(max_steps=120)
        outcome.reset(seed=seed)
        won = {None: 0.0, 0: 1.0, 1: -1.0}[referee.winner]
        assert play(outcome, moves) == {AGENTS[0]: won, AGENTS[1]: -won}
    assert results == {(False, None), (True, None), (True, 0), (True, 1)}


def test_each_agent_sees_the_board_from_its_own_seat() -> None:
    game = env(opening_plies=5)
    for seed in range(20):
        game.reset(seed=seed)
        for _ in range(20):
            if game.terminations[game.agent_selection]:
                break
            [pits] = game.unwrapped._env._batch.pits
            [stores] = game.unwrapped._env._batch.stores
            for seat, agent in enumerate(AGENTS):
                seen = game.observe(agent)["observation"]
                assert seen.tolist() == [*np.roll(pits, -6 * seat), *np.roll(stores, seat)]
            waiting = AGENTS[1 - AGENTS.index(game.agent_selection)]
            assert not game.observe(waiting)["action_mask"].any()
            mask = game.observe(game.agent_selection)["action_mask"]
            game.step(game.action_space(waiting).sample(mask))


def test_what_is_seen_can_be_written_to() -> None:
    game = raw_env()
    game.reset(seed=0)
    for agent in AGENTS:
        for name, seen in game.observe(agent).items():
            before = seen.copy()
            np.add(seen, 1, out=seen)
            assert np.array_equal(game.observe(agent)[name], before)


def by_pickle(game: Any) -> Any:
    return pickle.loads(pickle.dumps(game))  # noqa: S301


@pytest.mark.parametrize("duplicate", [copy.deepcopy, by_pickle])
@pytest.mark.parametrize("make", [env, raw_env])
def test_a_copy_keeps_the_game(duplicate: Callable[[Any], Any], make: Callable[..., Any]) -> None:
    game = make(opening_plies=2)
    game.reset(seed=5)
    for _ in range(12):
        game.step(int(game.last()[0]["action_mask"].argmax()))
    other = duplicate(game)
    games = 0
    # Through the end and into the next game, whose opening is drawn from the copied stream.
    while games < 2:
        assert other.agent_selection == game.agent_selection
        seen, *told, _ = game.last()
        seen_too, *told_too, _ = other.last()
        assert told_too == told
        for name, array in seen.items():
            assert np.array_equal(seen_too[name], array)
        action = None if told[1] or told[2] else int(seen["action_mask"].argmax())
        game.step(action)
        other.step(action)
        if not game.agents:
            games += 1
            game.reset()
            other.reset()


def test_an_illegal_move_changes_nothing() -> None:
    game = env()
    game.reset(seed=0)
    game.step(2)
    for _ in range(2):
        before = game.last()
        with pytest.raises(oware.IllegalMoveError, match="action 6"):
            game.step(6)
        with pytest.raises(TypeError, match="player_1 is to move: the action must be 0 to 5"):
            game.step(None)
        after = game.last()
        assert np.array_equal(after[0]["observation"], before[0]["observation"])
        assert after[1:4] == before[1:4]


def test_an_illegal_move_can_be_made_to_lose() -> None:
    game = TerminateIllegalWrapper(env(), illegal_reward=-1)
    game.reset(seed=0)
    game.step(2)
    game.step(0)
    game.step(2)
    told = {agent: game._cumulative_rewards[agent] for agent in AGENTS}
    assert told == {"player_0": -1, "player_1": 0}
    assert game.last()[2]


def test_what_is_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="mask is 'none'; give 'observation' or 'info'"):
        raw_env(mask="none")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="render_mode is 'svg'"):
        raw_env(render_mode="svg")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown observation"):
        env(observation="pixels")
    with pytest.raises(ValueError, match="seed"):
        env().reset(seed=-1)


def test_after_a_game_only_none_is_taken() -> None:
    game = env(max_steps=1)
    game.reset(seed=0)
    game.step(0)
    with pytest.raises(ValueError, match="the only valid action is None"):
        game.step(0)
