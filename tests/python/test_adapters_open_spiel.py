"""Games to and from OpenSpiel, and its agents in our environment."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.random_agent import RandomAgent
from open_spiel.python.algorithms.tabular_qlearner import QLearner

import oware
from oware.adapters.open_spiel import Environment, from_actions, from_state, to_state

SPIEL = pyspiel.load_game("oware")


def board(state: pyspiel.State, seeds: int = 48) -> list[int]:
    return [round(seeds * share) for share in state.observation_tensor(0)]


@pytest.mark.parametrize("seeds_per_pit", [3, 4, 5])
def test_random_games_are_converted_both_ways(seeds_per_pit: int) -> None:
    spiel = pyspiel.load_game("oware", {"num_seeds_per_house": seeds_per_pit})
    rng = random.Random(seeds_per_pit)
    results = set()
    for _ in range(100):
        state = spiel.new_initial_state()
        game = from_state(state)
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            game = from_state(state)
            assert game.moves == state.history()
            assert game.is_over == state.is_terminal()
            if not game.is_over:
                assert [*game.pits, *game.stores] == board(state, 12 * seeds_per_pit)
                assert game.to_move == state.current_player()
                assert game.legal_moves() == state.legal_actions()
        results.add(game.winner)
        winner = {None: [0, 0], 0: [1, -1], 1: [-1, 1]}[game.winner]
        assert state.returns() == winner
        back = to_state(game)
        assert back.serialize() == state.serialize()
        assert str(back) == str(state)
        assert back.get_game().get_parameters() == spiel.get_parameters()
        assert from_actions(game.moves, game.rules) == game
    assert results == {None, 0, 1}


def test_what_has_no_counterpart_is_refused() -> None:
    with pytest.raises(ValueError, match="the game has begun from a set-up"):
        to_state(oware.Game(pits=[1] * 12))
    with pytest.raises(ValueError, match="the state is of tic_tac_toe"):
        from_state(pyspiel.load_game("tic_tac_toe").new_initial_state())
    short = pyspiel.load_game("oware", {"num_houses_per_player": 5})
    with pytest.raises(ValueError, match="only rows of 6 houses"):
        from_state(short.new_initial_state())
    with pytest.raises(oware.IllegalMoveError, match="action 2 is 2; legal after Ca: 0, 1, 3, 4"):
        from_actions([2, 0, 2])


def test_a_game_that_open_spiel_would_have_ended_is_refused() -> None:
    rng = random.Random(0)
    refused = 0
    for _ in range(50):
        game = oware.Game(oware.Rules(repetition=0))
        while game.ply < 300 and not game.is_over:
            game.play(rng.choice(game.legal_moves()))
        try:
            state = to_state(game)
        except ValueError as error:
            refused += 1
            assert "which OpenSpiel does not allow" in str(error)  # noqa: PT017
        else:
            assert state.history() == game.moves
    assert 0 < refused < 50


def test_time_steps_are_those_of_open_spiel() -> None:
    ours = Environment()
    theirs = rl_environment.Environment("oware")
    assert ours.observation_spec() == theirs.observation_spec()
    assert ours.action_spec() == theirs.action_spec()
    for name in (
        "name",
        "num_players",
        "num_actions_per_step",
        "is_turn_based",
        "max_game_length",
        "use_observation",
    ):
        assert getattr(ours, name) == getattr(theirs, name), name
    rng = random.Random(1)
    for _ in range(50):
        # Neither minds what it is told while no game is under way.
        step, other = ours.step([9]), theirs.step([9])
        assert step.first()
        assert other.first()
        while True:
            assert step.step_type == other.step_type
            assert step.rewards == other.rewards
            assert step.discounts == other.discounts
            assert step.observations.keys() == other.observations.keys()
            for key in ("legal_actions", "current_player", "serialized_state"):
                assert step.observations[key] == other.observations[key], key
            if step.last():
                break
            # OpenSpiel's view is South's for both; here each player has its own.
            south, north = step.observations["info_state"]
            assert np.allclose(south, other.observations["info_state"][0])
            assert south == [*north[6:12], *north[:6], north[13], north[12]]
            assert ours.get_time_step() is step
            action = rng.choice(step.observations["legal_actions"][step.current_player()])
            step, other = ours.step([action]), theirs.step([action])


def test_a_game_that_is_cut_off_keeps_its_discount() -> None:
    env = Environment("abapa", max_steps=3, discount=0.9)
    step = env.reset()
    assert (step.rewards, step.discounts) == (None, None)
    for action in (0, 0, 1):
        assert not step.last()
        step = env.step([action])
        assert step.rewards == [0.0, 0.0]
        assert step.discounts == [0.9, 0.9]
    assert step.last()
    assert step.observations["legal_actions"] == [[], []]
    assert step.current_player() == pyspiel.PlayerId.TERMINAL


def test_rewards_are_each_players_own() -> None:
    env = Environment("abapa", reward="captures", opening_plies=5)
    env.seed(3)
    total = np.zeros(2)
    step = env.reset()
    begun = env.game().stores
    rng = random.Random(0)
    while not step.last():
        step = env.step([rng.choice(step.observations["legal_actions"][step.current_player()])])
        total += step.rewards
    south = env.game().stores[0] - env.game().stores[1] - begun[0] + begun[1]
    assert total.tolist() == [south, -south]


def test_a_seed_gives_the_same_openings() -> None:
    env = Environment("abapa", opening_plies=8)
    env.seed(4)
    openings = [env.reset().observations for _ in range(5)]
    env.seed(4)
    assert [env.reset().observations for _ in range(5)] == openings
    assert openings[0] != openings[1]


@pytest.mark.parametrize("rules", ["open_spiel", "village"])
def test_agents_of_open_spiel_play_through_it(rules: Any) -> None:
    np.random.seed(0)  # noqa: NPY002 - as OpenSpiel's agents draw from it
    env = Environment(rules, max_steps=200)
    learner = QLearner(0, env.action_spec()["num_actions"])
    agents = [learner, RandomAgent(1, env.action_spec()["num_actions"])]
    returns = []
    for _ in range(30):
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.current_player()].step(step).action])
        for agent in agents:
            agent.step(step)
        returns.append(step.rewards[0])
        assert step.rewards[1] == -step.rewards[0]
    assert len(set(returns)) > 1
    # It has been told of every game's end.
    assert learner._q_values


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(ValueError, match=r"discount is 1\.5; give 0 to 1"):
        Environment(discount=1.5)
    with pytest.raises(ValueError, match="unknown rule set"):
        Environment("chess")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Environment(max_steps=2.5)  # type: ignore[arg-type]
    env = Environment()
    with pytest.raises(ValueError, match=r"no time step before the first reset"):
        env.get_time_step()
    env.reset()
    with pytest.raises(ValueError, match="2 actions; give that of the current player"):
        env.step([1, 2])
    with pytest.raises(oware.IllegalMoveError, match="action 6"):
        env.step([6])
    env.seed(-1)
    with pytest.raises(ValueError, match="seed"):
        env.reset()
