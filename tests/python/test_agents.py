from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import oware
from oware.agents import (
    Evaluation,
    GreedyAgent,
    MinimaxAgent,
    RandomAgent,
    Tally,
    captures,
    evaluate,
    named,
    wilson,
)
from oware.types import GrandSlam

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def boards(rules: oware.Rules, count: int, seed: int) -> list[oware.Game]:
    """Positions that are not over: from random play, and set up with few seeds and with many."""
    rng = np.random.default_rng(seed)
    found: list[oware.Game] = []
    while len(found) < count:
        kind = len(found) % 3
        if kind == 0:
            game = oware.Game(rules)
            for _ in range(rng.integers(150)):
                if game.is_over:
                    break
                game.play(int(rng.choice(game.legal_moves())))
        else:
            # Few seeds make grand slams and empty rows, many make laps.
            most = 4 if kind == 1 else 12 * rules.seeds_per_pit
            pits = rng.integers(most, size=12) * (rng.random(12) < 0.5)
            if pits.sum() > 12 * rules.seeds_per_pit:
                continue
            game = oware.Game(rules, pits=pits.tolist(), to_move=int(rng.integers(2)))
        if not game.is_over:
            found.append(game)
    return found


def stacked(games: list[oware.Game]) -> tuple[NDArray[Any], NDArray[np.int8]]:
    return np.stack([g.observation() for g in games]), np.stack([g.action_mask() for g in games])


def taken_by(game: oware.Game, move: int) -> int:
    return game.copy().play(move)


@pytest.mark.parametrize("seeds_per_pit", [1, 4, 20])
@pytest.mark.parametrize("grand_slam", get_args(GrandSlam))
def test_captures_are_those_of_the_rules(grand_slam: GrandSlam, seeds_per_pit: int) -> None:
    rules = oware.Rules(grand_slam, seeds_per_pit=seeds_per_pit)
    games = boards(rules, 300, seed=seeds_per_pit)
    counted = captures(stacked(games)[0], grand_slam)
    for game, row in zip(games, counted, strict=True):
        expected = {move: taken_by(game, move) for move in game.legal_moves()}
        assert {move: row[move] for move in expected} == expected, game.to_string()
    assert counted.any()


def test_a_slam_is_treated_as_the_rules_say() -> None:
    # Sown to 2, 2, 2: the last of the four own seeds falls into the third pit of the row.
    game = oware.Game(pits=[0, 0, 0, 0, 0, 3, 1, 1, 1, 0, 0, 0])
    counted = {
        kind: int(captures([game.observation()], kind)[0, 5]) for kind in get_args(GrandSlam)
    }
    assert counted == {
        "capture_nothing": 0,
        "forbidden": 6,
        "capture_all": 6,
        "leave_landing_pit": 4,
        "leave_far_pit": 4,
        "opponent_takes_rest": 6,
    }


@pytest.mark.parametrize(
    "observation",
    [
        np.zeros((1, 14), np.float32),
        np.zeros((1, 14, 25), np.float32),
        np.zeros(14, np.uint8),
        np.zeros((1, 12), np.uint8),
    ],
)
def test_captures_need_seeds(observation: NDArray[Any]) -> None:
    with pytest.raises(ValueError, match="kind 'seeds'"):
        captures(observation, "capture_nothing")


@pytest.mark.parametrize("name", oware.RULE_SETS)
def test_the_greedy_player_has_the_choice_of_the_environments(name: str) -> None:
    rules = oware.RULE_SETS[name]  # type: ignore[index]
    agent = GreedyAgent(rules=rules)
    games, choices = [], []
    for game in boards(rules, 200, seed=1):
        best = agent.best([game.observation()], [game.action_mask()])[0]
        chosen = set(np.flatnonzero(best).tolist())
        most = max(taken_by(game, move) for move in game.legal_moves())
        assert chosen == {m for m in game.legal_moves() if taken_by(game, m) == most}
        # The environment takes no position in which the first reply ends the game.
        if not any(ends(game, move) for move in chosen):
            games.append(game)
            choices.append(chosen)
    assert len(games) > 60
    seen: list[set[int]] = [set() for _ in games]
    for mover, seat in ((0, "north"), (1, "south")):
        rows = [i for i, game in enumerate(games) if game.to_move == mover]
        repeats = 120  # Of six choices each is seen but once in a thousand million.
        env = oware.OwareEnv(len(rows) * repeats, rules=rules, opponent="greedy", seat=seat)  # type: ignore[arg-type]
        env.reset(seed=0)
        env.set_positions(
            [games[i].pits for i in rows for _ in range(repeats)],
            [games[i].stores for i in rows for _ in range(repeats)],
            [mover] * env.num_envs,
        )
        for row in range(env.num_envs):
            move = env.game(row).last_move
            assert move is not None
            seen[rows[row // repeats]].add(move % 6)
    assert seen == choices


def ends(game: oware.Game, move: int) -> bool:
    after = game.copy()
    after.play(move)
    return after.is_over


@pytest.mark.parametrize("kind", [RandomAgent, GreedyAgent])
def test_a_player_chooses_among_its_moves_with_equal_chances(kind: Any) -> None:
    game = oware.Game(pits=[4, 0, 4, 0, 0, 4, 4, 4, 4, 4, 4, 4])
    observation = np.repeat(game.observation()[None], 30_000, axis=0)
    mask = np.repeat(game.action_mask()[None], 30_000, axis=0)
    counts = np.bincount(kind(0)(observation, mask), minlength=6)
    assert counts[[1, 3, 4]].tolist() == [0, 0, 0]
    # Each is 10,000 with a deviation of 82.
    assert (abs(counts[[0, 2, 5]] - 10_000) < 400).all()


@pytest.mark.parametrize("kind", [RandomAgent, GreedyAgent])
def test_the_same_seed_plays_the_same_games(kind: Any) -> None:
    def positions(seed: int) -> bytes:
        env = oware.OwareEnv(16, opponent=kind(seed))
        player = kind(7)
        observation, info = env.reset(seed=3)
        for _ in range(40):
            actions = player(observation, info["action_mask"])
            observation, _, _, _, info = env.step(actions)
        return env.pits.tobytes()

    assert positions(1) == positions(1)
    assert positions(1) != positions(2)


def test_a_player_of_a_name() -> None:
    assert isinstance(named("random"), RandomAgent)
    assert isinstance(named("greedy"), GreedyAgent)
    with pytest.raises(
        ValueError, match=r"unknown player 'deep blue'; known: 'novice', .*'greedy'"
    ):
        named("deep blue")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("amatuer", "amateur"),
        ("Master", "master"),
        ("master+endgame", "master"),
        ("strong@100", "strong"),
        ("greedy+endgame", "greedy"),
        ("minmax:4", "minimax:4"),
        ("minimax", "minimax:DEPTH"),
    ],
)
def test_a_name_that_is_spelt_much_like_another_one(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"; did you mean '{meant}'\\?$"):
        named(name)


@pytest.mark.parametrize("name", [5, None, b"greedy"])
def test_a_name_is_a_text(name: Any) -> None:
    with pytest.raises(TypeError, match="name must be a str, not"):
        named(name)


@pytest.mark.parametrize("name", ["random", "greedy", "minimax:2", "mcts:10", "novice", "strong"])
@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), ("1", TypeError), (1.5, TypeError)])
def test_a_seed_is_an_integer_of_at_least_0(name: str, seed: Any, error: Any) -> None:
    with pytest.raises(error, match=r"seed (is -1; give|must be an int, not)"):
        named(name, seed)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (1, 7), (5, 10), (970, 1000), (9, 9)])
def test_wilson_solves_its_equation(successes: int, trials: int) -> None:
    # Its ends are the rates from which the seen one is 1.96 standard deviations away.
    rate = successes / trials
    for end in wilson(successes, trials):
        distance = 1.96 * math.sqrt(end * (1 - end) / trials)
        assert abs(end - rate) == pytest.approx(distance, abs=1e-9)


def test_wilson_on_known_cases() -> None:
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_tallies_add_up() -> None:
    evaluation = Evaluation(south=Tally(8, 1, 1), north=Tally(5, 0, 4, unfinished=1))
    assert evaluation.total == Tally(13, 1, 5, 1)
    assert evaluation.total.games == 20
    assert evaluation.total.win_rate == 13 / 20
    assert evaluation.total.score == (13 + (1 + 1) / 2) / 20
    assert math.isnan(Tally().win_rate)
    assert math.isnan(Tally().score)
    south, north, both = str(evaluation).splitlines()
    assert south.startswith("South     10 games  win  80.0 % [ 49.0,  94.3]  draw  10.0 %")
    assert "unfinished" not in south
    assert "unfinished  10.0 % [" in north
    assert both.startswith("both      20 games  win  65.0 %")
    assert "nan" not in str(Tally())


def first(_: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    actions: NDArray[np.int64] = mask.argmax(axis=1)
    return actions


def last(_: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    actions: NDArray[np.int64] = 5 - mask[:, ::-1].argmax(axis=1)
    return actions


@pytest.mark.parametrize("rules", ["abapa", "open_spiel", "codingame"])
def test_results_are_those_of_the_games(rules: Any) -> None:
    def result(south_plays_first: bool) -> Tally:
        game = oware.Game(rules)
        while not game.is_over:
            moves = game.legal_moves()
            game.play(moves[0] if (game.to_move == 0) == south_plays_first else moves[-1])
        player = 0 if south_plays_first else 1
        return Tally(game.winner == player, game.winner is None, game.winner == 1 - player)

    evaluation = evaluate(first, last, 5, rules=rules, opening_plies=0)
    south, north = result(south_plays_first=True), result(south_plays_first=False)
    assert evaluation == Evaluation(south + south + south, north + north)
    turned = evaluate(last, first, 2, rules=rules, opening_plies=0)
    assert (turned.south.wins, turned.south.losses) == (north.losses, north.wins)
    assert (turned.north.wins, turned.north.losses) == (south.losses, south.wins)


def test_greedy_beats_random_about_as_often_as_is_known() -> None:
    evaluation = evaluate("greedy", "random", seed=5)
    assert evaluation.south.games == evaluation.north.games == 1000
    assert 0.90 < evaluation.total.win_rate < 0.95
    assert evaluation == evaluate(GreedyAgent(5), "random", seed=5)
    assert evaluation != evaluate("greedy", "random", seed=6)


def test_a_game_that_is_cut_off_is_unfinished() -> None:
    evaluation = evaluate("random", "random", 11, rules="village", max_plies=4)
    assert evaluation == Evaluation(Tally(unfinished=6), Tally(unfinished=5))


def test_the_kind_of_observation_is_the_players() -> None:
    shapes = set()

    def player(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        shapes.add(observation.shape[1:])
        return first(observation, mask)

    evaluate(player, player, 4, observation="one_hot")
    assert shapes == {(14, 25)}
    # Those that come with the package say that they take seeds.
    assert evaluate("greedy", "random", 20, seed=3, observation="one_hot") == evaluate(
        "greedy", "random", 20, seed=3
    )


def test_the_folder_of_a_run_stands_for_its_network(tmp_path: Path) -> None:
    run = tmp_path / "run@2"
    run.mkdir()
    network = oware.Network.random(hidden=(8,), seed=1)
    network.save(run / "network.safetensors")
    seen = stacked(boards(oware.Rules(), 60, seed=1))
    for behind in ("", "@20"):
        folder, file = (named(f"net:{path}{behind}", seed=3) for path in (run, *run.iterdir()))
        assert (np.asarray(folder(*seen)) == np.asarray(file(*seen))).all()
    evaluation = evaluate("random", f"net:{run}", 4)
    assert evaluation.total.games == 4
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ValueError, match=r"there is no file '.*network\.safetensors'"):
        named(f"net:{empty}")
    with pytest.raises(ValueError, match="there is no file ''"):
        named("net:")


SEARCHING = ["greedy", "minimax:2", "mcts:40", "amateur", "strong"]


@pytest.mark.parametrize("name", SEARCHING)
def test_a_player_of_other_rules_keeps_to_the_mask(name: str) -> None:
    # The grand slam F is illegal in awari, and legal where it captures nothing.
    slam = oware.Game("awari", pits=[1, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0], stores=(21, 22))
    assert slam.legal_moves() != oware.Game(pits=slam.pits, stores=slam.stores).legal_moves()
    others = boards(oware.RULE_SETS["awari"], 30, seed=1)
    for game in (slam, *others):
        player = named(name, seed=0)
        seen, mask = stacked([game])
        while mask.any():
            chosen = int(np.asarray(player(seen, mask))[0])
            assert mask[0, chosen] == 1, (game.to_string(), mask, chosen)
            # The next best, although the player knows of no reason why this one is forbidden.
            mask[0, chosen] = 0


def test_of_the_moves_that_a_mask_leaves_the_best_are_played() -> None:
    # F captures four seeds, E two, and A none.
    game = oware.Game(pits=[1, 0, 0, 0, 2, 2, 1, 1, 4, 4, 4, 4])
    captured = {move: taken_by(game, move) for move in game.legal_moves()}
    assert captured == {0: 0, 4: 2, 5: 4}
    player = MinimaxAgent(1)
    for left, best in (([0, 4, 5], 5), ([0, 4], 4), ([0], 0)):
        mask = np.isin(np.arange(6), left).astype(np.int8)
        assert np.flatnonzero(player.best([game.observation()], [mask])[0]).tolist() == [best]
    assert not player.best([game.observation()], [np.zeros(6, np.int8)]).any()


def test_an_illegal_move_is_reported() -> None:
    def player(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:  # noqa: ARG001
        return np.zeros(len(mask), np.int64)

    with pytest.raises(oware.IllegalMoveError, match="action 0 is an empty pit"):
        evaluate(player, "random", 50)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "strong@100",
            "the simulations of 'strong' are fixed; for others give 'net:PATH@SIMULATIONS'",
        ),
        (
            "master+endgame",
            "the simulations of 'master' are fixed; for others give 'net:PATH@SIMULATIONS'",
        ),
        ("greedy+endgame", "'greedy' does not search; did you mean"),
        ("random@1000000+endgame", "'random' does not search; did you mean"),
    ],
)
def test_a_name_that_takes_nothing_behind_it(name: str, why: str) -> None:
    for use in (named, lambda name: oware.OwareEnv(opponent=name)):
        with pytest.raises(ValueError, match=f"; {why}"):
            use(name)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 1}, "games is 1; give at least 2"),
        ({"max_plies": 1}, "max_plies is 1; give at least 2"),
        ({"rules": "chess"}, "unknown rule set"),
        ({"opening_plies": -1}, "opening_plies"),
        ({"observation": "pixels"}, "observation"),
        ({"seed": -1}, "seed"),
        ({"policy": "deep blue"}, "unknown player 'deep blue'"),
        ({"opponent": "deep blue"}, "unknown opponent"),
        ({"policy": "greedy", "rules": 5}, "rules must be the name of a rule set"),
        ({"policy": None}, r"policy must be a name or a callable \(.*, not NoneType"),
        ({"opponent": None}, r"opponent must be a name or a callable \(.*, not NoneType"),
        ({"policy": lambda game: game}, "policy: .* of one game play in oware.arena.evaluate"),
        ({"opponent": lambda game: game}, "opponent: .* of one game play in oware.arena.evaluate"),
        ({"policy": RandomAgent}, "policy is the class RandomAgent; give an object"),
        ({"opponent": RandomAgent}, "opponent is the class RandomAgent; give an object"),
    ],
)
def test_bad_arguments(wrong: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"policy": first, "opponent": "random", "games": 4}
    with pytest.raises((TypeError, ValueError), match=message):
        evaluate(**(arguments | wrong))
