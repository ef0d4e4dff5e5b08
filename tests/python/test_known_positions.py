"""Players that have an endgame database play perfectly where it knows the position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from oware import agents, arena
from oware.search import Mcts, alpha_beta

if TYPE_CHECKING:
    from oware.types import RuleSetName

SEEDS = 8
RULES: tuple[RuleSetName, ...] = ("abapa", "awari")
NETWORK = oware.Network.random(hidden=(16,), seed=0)


@pytest.fixture(scope="module", params=RULES)
def database(request: pytest.FixtureRequest) -> oware.Endgame:
    return oware.Endgame.build(SEEDS, request.param, progress=False)


def rules_of(database: oware.Endgame) -> RuleSetName:
    [rules] = set(RULES) & set(database.rule_sets)
    return rules


@pytest.fixture(scope="module")
def games(database: oware.Endgame) -> list[oware.Game]:
    """Positions that the database knows, met in random play, with no history and none ahead."""
    met = arena.regret(lambda game: game.legal_moves()[0], database, 250, seed=1).positions
    return [fresh(game, rules_of(database)) for game in met]


def fresh(game: oware.Game, rules: RuleSetName) -> oware.Game:
    rest = 48 - sum(game.pits)
    stores = (rest // 2, rest - rest // 2)
    return oware.Game(rules, pits=game.pits, stores=stores, to_move=game.to_move)


def players(database: oware.Endgame) -> dict[str, Any]:
    rules = rules_of(database)
    return {
        "mcts": agents.MctsAgent(50, 0, rules, database),
        "network": agents.NetworkAgent(NETWORK, 50, 0.0, 0, rules, database),
        "warm": agents.NetworkAgent(NETWORK, 50, 1.0, 0, rules, database),
        "minimax": agents.MinimaxAgent(2, 0, rules, database),
    }


@pytest.mark.parametrize("name", ["mcts", "network", "warm", "minimax"])
def test_nothing_is_given_away(database: oware.Endgame, games: list[oware.Game], name: str) -> None:
    assert len(games) > 1500
    assert not arena.regret(players(database)[name], database, games).losses.any()


def test_alpha_beta_gives_nothing_away(database: oware.Endgame, games: list[oware.Game]) -> None:
    def choose(game: oware.Game) -> int:
        return alpha_beta(game, depth=3, endgame=database, table_entries=64).move

    assert not arena.regret(choose, database, games[::4]).losses.any()


def test_a_search_for_the_result_gives_seeds_away_without_the_database(
    database: oware.Endgame, games: list[oware.Game]
) -> None:
    plain = agents.MctsAgent(50, 0, rules_of(database))
    assert arena.regret(plain, database, games[::4]).mean > 0


def test_the_policy_is_shared_by_the_best_moves(
    database: oware.Endgame, games: list[oware.Game]
) -> None:
    games = games[::4]
    for evaluator in (None, NETWORK):
        for simulations in (1, 50):
            mcts = Mcts(evaluator, simulations=simulations, endgame=database, seed=0)
            found = mcts.search(games)
            best = [database.best_moves(game) for game in games]
            assert all(action in moves for action, moves in zip(found.actions, best, strict=True))
            expected = [np.isin(np.arange(6), moves) / len(moves) for moves in best]
            np.testing.assert_allclose(found.policy, expected, atol=1e-6)


def test_a_tree_that_is_kept_knows_each_new_root(
    database: oware.Endgame, games: list[oware.Game]
) -> None:
    mcts = Mcts(NETWORK, simulations=50, endgame=database, seed=0)
    playing = [game.copy() for game in games[::10]]
    for _ in range(6):
        found = mcts.search(playing, reuse=True)
        for game, action in zip(playing, found.actions, strict=True):
            assert action in database.best_moves(game)
            game.play(action)
        playing = [game for game in playing if not game.is_over]
    assert playing


def test_an_opponent_plays_as_the_agent_does(
    database: oware.Endgame, games: list[oware.Game]
) -> None:
    def goes_on(game: oware.Game) -> bool:
        return not any(after(game, move).is_over for move in game.legal_moves())

    games = [game for game in games if goes_on(game)]
    agent = players(database)["network"]
    answers = agent(
        np.array([game.observation() for game in games]),
        np.array([game.action_mask() for game in games]),
    )
    replies = np.zeros((len(games), 14))
    for seat in (0, 1):
        rows = [row for row, game in enumerate(games) if game.to_move == seat]
        env = oware.OwareEnv(
            len(rows),
            rules=rules_of(database),
            opponent=agent,
            seat="north" if seat == 0 else "south",
        )
        env.reset(seed=0)
        replies[rows], _ = env.set_positions(
            np.array([games[row].pits for row in rows]),
            np.array([games[row].stores for row in rows]),
            np.full(len(rows), seat),
        )
    assert len(games) > 500
    for game, answer, reply in zip(games, answers, replies, strict=True):
        assert (after(game, int(answer)).observation() == reply).all()


@pytest.mark.parametrize("name", ["mcts", "network"])
def test_what_can_be_won_is_won_soon(
    database: oware.Endgame, games: list[oware.Game], name: str
) -> None:
    """Against an opponent that puts captures off as long as it can."""
    player = players(database)[name]
    won = [game.copy() for game in games[::24] if database.value(game) > 0]
    assert len(won) > 20
    for game in won:
        seat, seeds, soonest = game.to_move, sum(game.pits), plies_to_capture(database, game)
        while not game.is_over and sum(game.pits) == seeds:
            if game.to_move == seat:
                move = int(player(game.observation()[None], game.action_mask()[None])[0])
            else:
                move = database.best_line(game)[0]
            game.play(move)
        assert game.ply <= 2 * soonest


def plies_to_capture(database: oware.Endgame, game: oware.Game) -> int:
    line, copy = database.best_line(game), game.copy()
    for move in line:
        copy.play(move)
        if copy.is_over or sum(copy.pits) < sum(game.pits):
            break
    return copy.ply


def after(game: oware.Game, move: int) -> oware.Game:
    copy = game.copy()
    copy.play(move)
    return copy
