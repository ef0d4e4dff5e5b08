"""Tournaments: who meets whom, what is counted, what is refused."""

from __future__ import annotations

import pickle
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from oware import arena
from oware.agents import GreedyAgent, MinimaxAgent, named
from oware.arena._openings import openings_of
from oware.arena._play import Planned, play_batch, play_one

if TYPE_CHECKING:
    from numpy.typing import NDArray


def first_best(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
    """Greedy, and of equals the first."""
    return GreedyAgent().best(observation, action_mask).argmax(axis=1)


def last_best(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
    best = MinimaxAgent(1).best(observation, action_mask)
    return 5 - best[:, ::-1].argmax(axis=1)


def first(game: oware.Game) -> int:
    return game.legal_moves()[0]


def same(one: arena.Results, other: arena.Results) -> bool:
    return all(np.array_equal(array, vars(other.games)[k]) for k, array in vars(one.games).items())


@pytest.mark.parametrize("rules", ["abapa", "awari", "village", "codingame"])
@pytest.mark.parametrize("max_plies", [9, 60, 1000])
def test_a_batch_plays_the_games_that_one_after_the_other_gives(rules: Any, max_plies: int) -> None:
    # Slow and simple beside fast: the same players, game by game.
    rules = oware.Rules.named(rules)
    policies = {0: first_best, 1: last_best}
    players = [arena.player(policy) for policy in policies.values()]
    openings = [*openings_of(5, 8, rules, 3), [], [0]]
    plans = [Planned(i, i % 2, 1 - i % 2, i // 2) for i in range(2 * len(openings))]
    starts = [openings[plan.opening] for plan in plans]
    batch = play_batch(plans, starts, policies, rules, max_plies)  # type: ignore[arg-type]
    singles = [
        play_one(plan, start, players, {}, rules, 0, max_plies)
        for plan, start in zip(plans, starts, strict=True)
    ]
    assert batch == singles
    assert len({game.moves for game in batch}) > len(openings)


def test_every_pair_plays_every_opening_from_both_seats() -> None:
    results = arena.tournament(["random", "greedy", "minimax:1"], games=40, openings=5, seed=2)
    games = results.games
    met = Counter(zip(games.south.tolist(), games.north.tolist(), strict=True))
    assert met == {(a, b): 20 for a in range(3) for b in range(3) if a != b}
    for pair in ((0, 1), (0, 2), (1, 2)):
        for opening in range(20):
            chosen = (games.opening == opening) & (games.south + games.north == sum(pair))
            assert sorted(games.south[chosen]) == sorted(pair)
            # The same opening for all pairs.
            starts = {line.tobytes() for line in games.moves[games.opening == opening][:, :5]}
            assert len(starts) == 1
    assert len({line.tobytes() for line in games.moves[:, :5]}) == 20


def test_a_gauntlet_is_of_the_first_player() -> None:
    games = arena.tournament(["greedy", "random", "minimax:1"], games=4, gauntlet=True).games
    assert len(games) == 8
    assert all(0 in pair for pair in zip(games.south, games.north, strict=True))


def test_the_arrays_are_those_of_the_games() -> None:
    results = arena.tournament(
        {"greedy": "greedy", "first": first, "any": "random"}, games=6, seed=4, rules="awari"
    )
    games = results.games
    for number in range(len(games)):
        game = results.game(number)
        assert game.is_over
        assert game.stores == tuple(games.stores[number])
        assert game.termination == arena.ENDINGS[games.ending[number]]
        assert (-1 if game.winner is None else game.winner) == games.winner[number]
        assert (games.moves[number, game.ply :] == -1).all()
    assert sum(results.endings().values()) == len(games) == 18
    own = np.isin(games.south, [0, 2]) & np.isin(games.north, [0, 2])
    for ending, met in results.endings("greedy", "any").items():
        assert met == (own & (games.ending == arena.ENDINGS.index(ending))).sum()
    assert sum(results.endings("first").values()) == 12
    assert 0.9 < results.unique <= 1


def test_results_add_up() -> None:
    results = arena.tournament(["greedy", "random", "minimax:1"], games=20)
    table = results.cross_table()
    assert np.allclose((table + table.T)[~np.eye(3, dtype=bool)], 1)
    for row in results.pairs():
        assert row["wins"] + row["draws"] + row["losses"] + row["unfinished"] == row["games"] == 20
        assert row["score"] == pytest.approx((row["score_south"] + row["score_north"]) / 2)
        assert row["unique"] <= row["games"]
    for row in results.standings():
        total = results.against(row["player"]).total
        assert (row["games"], row["wins"]) == (total.games, total.wins) == (40, total.wins)
    assert str(results).splitlines()[1].split()[1] == results.standings()[0]["player"]


def test_ratings_that_need_a_prior_are_shown_as_such() -> None:
    told = "ratings with one game added to each pair"
    # Whoever wins every game would be rated above all bounds.
    clear = arena.tournament(["minimax:4", "random"], games=6, seed=1)
    assert clear.against("random").total.losses == 6
    assert {row["prior"] for row in clear.standings()} == {1.0}
    assert str(clear).splitlines()[-1].startswith(told)
    close = arena.tournament(["greedy", "minimax:1"], games=20, seed=1)
    assert {row["prior"] for row in close.standings()} == {0.0}
    assert told not in str(close)


def test_the_same_seed_gives_the_same_games_and_another_seed_others() -> None:
    def play(seed: int) -> arena.Results:
        return arena.tournament(["random", "greedy", "minimax:1"], games=40, seed=seed)

    assert same(play(1), play(1))
    assert not same(play(1), play(2))


def test_repeated_games_are_not_unique() -> None:
    players = {"one": first_best, "two": last_best}
    results = arena.tournament(players, games=8, openings=["Ff", "Aa"])
    assert results.unique == 0.5
    assert results.pairs()[0]["unique"] == 4


def test_openings_differ_where_they_can() -> None:
    rules = oware.Rules()
    assert len({tuple(line) for line in openings_of(2, 36, rules, 0)}) > 25
    assert openings_of(0, 3, rules, 0) == [[], [], []]
    assert openings_of(4, 9, rules, 0) == openings_of(4, 20, rules, 0)[:9]
    assert openings_of(["Aa"], 2, rules, 0) == [[0, 0], [0, 0]]


def test_an_unfinished_game_is_half_a_point_for_either() -> None:
    results = arena.tournament(["greedy", "random"], games=6, max_plies=10)
    assert results.endings()["unfinished"] == 6
    assert results.against("greedy", "random").total.unfinished == 6
    assert results.cross_table()[0, 1] == 0.5
    assert (results.games.plies == 10).all()


def test_a_player_that_fails_loses_that_game_alone() -> None:
    def often_wrong(observation: NDArray[Any], _: NDArray[np.int8]) -> Any:
        # Wrong as soon as South's or North's first pit is empty.
        if (observation[:, 0] == 0).any():
            raise RuntimeError("no first pit")
        return np.zeros(len(observation), np.int64)

    results = arena.tournament({"wrong": often_wrong, "greedy": "greedy"}, games=20, openings=3)
    told = results.forfeits()
    assert len(told) == 20
    assert {row["player"] for row in told} == {"wrong"}
    failed = {row["game"] for row in told if row["reason"] == "RuntimeError: no first pit"}
    assert len(failed) > 15
    # Each in its own time, though they were played at once.
    assert len(set(results.games.plies[list(failed)])) > 3
    assert results.against("greedy").total.wins == 20


FIVE: Any = 5
LEGAL = "illegal move: {}; legal: [0-5](, [0-5])*"


def test_the_moves_of_a_lost_game_that_were_legal_are_told() -> None:
    # In both ways to play, with a policy and with a function.
    for answer in (lambda _, mask: mask.argmin(axis=1), lambda game: 0 if game.moves else 5):
        results = arena.tournament({"one": answer, "greedy": "greedy"}, games=20, seed=3)
        told = results.forfeits()
        assert len({row["reason"] for row in told}) > 5
        for row in told:
            game = results.game(row["game"])
            legal = ", ".join(map(str, game.legal_moves()))
            assert row["reason"].endswith(f"; legal: {legal}")


class UntoldError(Exception):
    """An error that fails to tell of itself."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def fails_with(error: Exception) -> Any:
    def player(_: oware.Game) -> int:
        raise error

    return player


@pytest.mark.parametrize(
    ("player", "reason"),
    [
        (lambda _: 7, LEGAL.format("7")),
        (lambda _: 10**5000, LEGAL.format("an integer of 16610 bits")),
        (lambda _: "A", "TypeError: 'str' object cannot be interpreted as an integer"),
        (lambda _: 1 // 0, "ZeroDivisionError: .*"),
        (lambda _: sys.exit("bye"), "SystemExit: bye"),
        (lambda _, __: sys.exit("bye"), "SystemExit: bye"),
        (fails_with(ValueError("two\nlines, and \ud800")), r"ValueError: two lines, and \\ud800"),
        (fails_with(UntoldError()), "UntoldError"),
        (lambda observation, _: observation[:, 0] * 0 + 6, LEGAL.format("6")),
        (
            lambda observation, _: observation,
            r"TypeError: the actions must be integers \(1,\).*",
        ),
        (lambda _, mask: mask.sum(axis=1) * 0.5, "TypeError: .* not float64 .*"),
    ],
)
def test_why_a_game_was_lost_is_kept(player: Any, reason: str) -> None:
    results = arena.tournament({"bad": player, "greedy": "greedy"}, games=4)
    for row in results.forfeits():
        assert (row["player"], row["opponent"]) == ("bad", "greedy")
        assert re.fullmatch(reason, row["reason"]), row["reason"]
    assert len(results.forfeits()) == 4
    assert results.against("bad").total.losses == 4


def test_players_cannot_change_what_others_see() -> None:
    def vandal(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
        chosen = action_mask.argmax(axis=1)
        observation[:] = 0
        action_mask[:] = 1
        return chosen

    def tamperer(game: oware.Game) -> int:
        chosen = game.legal_moves()[0]
        game.play(chosen)
        return chosen

    for player in (vandal, tamperer):
        results = arena.tournament({"one": player, "first": first, "greedy": "greedy"}, games=4)
        assert results.forfeits() == []
        assert all(results.game(number).is_over for number in range(12))


def test_a_callable_with_a_seed_is_reproducible() -> None:
    class Coin:
        def seeded(self, seed: int) -> Any:
            return named("random", seed)

        def __call__(self, _: Any, __: Any) -> Any:
            raise AssertionError("the seeded one plays")

    def play() -> arena.Results:
        return arena.tournament({"any": Coin(), "greedy": "greedy"}, games=10)

    assert same(play(), play())
    assert play().forfeits() == []


def test_evaluate_is_one_call() -> None:
    evaluation = arena.evaluate("minimax:2", "random", games=40, seed=3)
    assert evaluation.south.games == evaluation.north.games == 20
    assert evaluation.total.win_rate > 0.8
    assert "South" in str(evaluation)


def test_evaluate_warns_of_a_player_that_fails() -> None:
    message = "4 of 4 games were lost by forfeit; the first one by the opponent: illegal move: 6; "
    with pytest.warns(RuntimeWarning, match=message):
        assert arena.evaluate("greedy", lambda _: 6, games=4).total.wins == 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"players": "greedy"}, TypeError, "players must be a sequence or a mapping"),
        ({"players": ["greedy"]}, ValueError, "give at least 2 players, not 1"),
        ({"players": ["greedy", "greedy"]}, ValueError, "two players are called 'greedy'"),
        ({"players": ["greedy", "grady"]}, ValueError, "unknown player 'grady'"),
        ({"players": ["greedy", "minimax:99"]}, ValueError, "the depth is '99'"),
        ({"players": ["greedy", 3]}, TypeError, "a player must be a name, .* not int"),
        ({"players": ["greedy", lambda: 0]}, TypeError, "takes neither"),
        ({"players": ["greedy", "uci:"]}, ValueError, "the command is missing"),
        ({"players": ["greedy", "uci:'"]}, ValueError, "No closing quotation"),
        ({"players": {"": "greedy", "b": "random"}}, ValueError, "0 characters"),
        ({"games": 3}, ValueError, "games is 3; give an even number"),
        ({"games": 0}, ValueError, "games is 0; give at least 2"),
        ({"games": 2.0}, TypeError, "games must be an int, not float"),
        ({"games": True}, TypeError, "games must be an int, not bool"),
        ({"seed": -1}, ValueError, "seed is -1; give at least 0"),
        ({"max_plies": 6}, ValueError, "max_plies is 6; give more than an opening has"),
        ({"max_plies": 10**6}, ValueError, "max_plies is 1000000; give 1 to 100000"),
        ({"rules": "abap"}, ValueError, "unknown rule set"),
        ({"openings": 2.5}, TypeError, "openings must be a number of plies .*, not float"),
        ({"openings": 101}, ValueError, "openings is 101; give 0 to 100"),
        ({"openings": "Aa"}, TypeError, "a sequence of transcripts"),
        ({"openings": []}, ValueError, "openings is empty"),
        ({"openings": ["Aa", "AA"]}, ValueError, r"openings\[1\]: move 2"),
        ({"openings": [3]}, TypeError, r"openings\[0\] must be a transcript, not int"),
        ({"move_time": 0, "players": ["greedy", "uci:x"]}, ValueError, "move_time is 0"),
        ({"move_time": float("nan")}, ValueError, "move_time is nan; give seconds above 0"),
        ({"gauntlet": 1}, TypeError, "gauntlet must be a bool, not int"),
        ({"progress": "x"}, TypeError, "progress must be a bool, not str"),
        ({"on_game": 5}, TypeError, "on_game must be None or a callable, not int"),
        ({"players": ["greedy", arena.Function(FIVE, first)]}, TypeError, "name .* not 5"),
        ({"players": ["greedy", arena.Function("", first)]}, TypeError, "name .* not ''"),
        ({"players": ["greedy", arena.Engine(["x"], name=FIVE)]}, TypeError, "name .* not 5"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        arena.tournament(**{"players": ["greedy", "random"], "games": 2, **arguments})


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"command": "oware uci"}, TypeError, "command must be a sequence of str"),
        ({"command": []}, ValueError, "command is empty"),
        ({"command": 5}, TypeError, "command must be a sequence of str, not 5"),
        ({"command": iter(["oware"])}, TypeError, "command must be a sequence of str"),
        ({"options": ["Hash"]}, TypeError, "options must be None or a mapping, not list"),
        ({"options": {"Hash": "1\nquit"}}, ValueError, "options has 'Hash': .* line breaks"),
        ({"options": {"Ha\ud800sh": 1}}, ValueError, "options has .*; give text without"),
        ({"move_time": None}, ValueError, "no limit"),
        ({"move_time": float("nan")}, ValueError, "move_time is nan"),
        ({"depth": 0}, ValueError, "depth is 0"),
        ({"grace": -1}, ValueError, "grace is -1"),
        ({"grace": None}, TypeError, "grace must be a number, not NoneType"),
        ({"start_time": "1"}, TypeError, "start_time must be a number, not str"),
        ({"nodes": 1.5}, TypeError, "nodes must be an int, not float"),
    ],
)
def test_an_engine_that_makes_no_sense_is_refused(
    arguments: Any, error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        arena.Engine(**{"command": ["oware", "uci"], **arguments})


def test_unknown_names_are_refused_in_results() -> None:
    results = arena.tournament(["greedy", "random"], games=2)
    for ask in (
        lambda: results.against("grady"),
        lambda: results.endings("grady"),
        lambda: results.ratings(anchor="grady"),
        lambda: results.standings(anchor="grady"),
    ):
        with pytest.raises(ValueError, match="'grady'; known: greedy, random"):
            ask()
    for number in (-1, 2):
        with pytest.raises(IndexError, match="there is no game"):
            results.game(number)


def test_games_are_told_in_a_line() -> None:
    games = arena.tournament(["greedy", "random"], games=2, openings=0, max_plies=5).games
    assert repr(games) == str(games) == "<oware.arena.Games: 2 games of up to 5 plies>"
    assert repr(arena.Games.of([])) == "<oware.arena.Games: 0 games of up to 0 plies>"


def test_players_by_name_go_to_other_processes() -> None:
    for made in (arena.player("minimax:2"), arena.player("novice"), arena.player(named("greedy"))):
        players = {"made": made, "random": "random"}
        copy = pickle.loads(pickle.dumps(made))  # noqa: S301 - It is our own.
        again = {"made": copy, "random": "random"}
        assert same(arena.tournament(players, games=2), arena.tournament(again, games=2))


@pytest.mark.parametrize("lockstep", [2.0, "2", None])
def test_a_number_of_games_at_once_is_an_integer(lockstep: Any) -> None:
    with pytest.raises(TypeError, match="lockstep must be an int"):
        arena.Batched("any", lambda _, seed: named("random", seed), lockstep=lockstep)
