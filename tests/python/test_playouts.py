from __future__ import annotations

import _thread
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware

if TYPE_CHECKING:
    from oware.types import RuleSetName

KERNELS = oware.cpu_features()
OVER = oware.Game(pits=[1, *[0] * 11], stores=(27, 20))


def arrays(results: oware.Playouts) -> list[bytes]:
    return [array.tobytes() for array in (results.margin, results.plies, results.termination)]


@pytest.mark.parametrize("rules", oware.RULE_SETS)
def test_every_kernel_and_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch, rules: RuleSetName
) -> None:
    results = []
    for kernel in KERNELS:
        monkeypatch.setenv("OWARE_KERNEL", kernel)
        results += [
            oware.playouts(oware.Game(rules), 1100, seed=3, num_threads=threads)
            for threads in (1, 3)
        ]
    assert len({tuple(arrays(each)) for each in results}) == 1
    assert (results[0].plies > 0).all()
    assert len(np.unique(results[0].margin)) > 20


def test_shapes_and_types() -> None:
    games = [oware.Game(), oware.Game.from_transcript("FfEe")]
    results = oware.playouts(games, 5, seed=0)
    kinds = {"margin": np.int16, "plies": np.int32, "termination": np.int8, "winner": np.int8}
    for name, kind in kinds.items():
        array = getattr(results, name)
        assert array.shape == (2, 5)
        assert array.dtype == kind
        assert array.flags.c_contiguous
    assert results.wins.shape == (2, 3)
    assert results.wins.dtype == np.int64
    assert results.mean_margin.shape == (2,)
    assert results.mean_margin.dtype == np.float64
    assert [game.ply for game in games] == [0, 4]


def test_results_are_those_of_the_margins() -> None:
    results = oware.playouts(oware.Game("codingame"), 4000, seed=5)
    margin, winner = results.margin[0], results.winner[0]
    assert ((winner == 0) == (margin > 0)).all()
    assert ((winner == 1) == (margin < 0)).all()
    assert (results.wins[0] == [(margin > 0).sum(), (margin < 0).sum(), (margin == 0).sum()]).all()
    assert (results.wins > 0).all()
    assert results.mean_margin[0] == margin.mean()
    limited = results.termination[0] == oware.TERMINATIONS.index("ply_limit")
    assert limited.any()
    assert (results.plies[0][limited] == 200).all()
    assert (results.plies[0][~limited] <= 200).all()


def test_positions_play_like_games() -> None:
    games = [oware.Game("auale"), oware.Game("auale", to_move=1)]
    games.append(oware.Game("auale", pits=OVER.pits, stores=(10, 3)))
    positions = (
        np.array([game.pits for game in games], np.int8),
        np.array([game.stores for game in games])[:, ::1],
        [game.to_move for game in games],
    )
    expected = arrays(oware.playouts(games, 50, seed=1))
    assert arrays(oware.playouts(tuple(games), 50, seed=1)) == expected
    assert arrays(oware.playouts(positions, 50, seed=1, rules="auale")) == expected


def test_a_game_and_a_position_have_streams_of_their_own() -> None:
    alone = oware.playouts(oware.Game(), 30, seed=2)
    both = oware.playouts([oware.Game(), oware.Game()], 40, seed=2)
    assert (both.margin[0, :30] == alone.margin[0]).all()
    assert (both.margin[0] != both.margin[1]).any()
    assert arrays(oware.playouts(oware.Game(), 30, seed=3)) != arrays(alone)
    assert arrays(oware.playouts(oware.Game(), 30)) != arrays(oware.playouts(oware.Game(), 30))


def test_a_finished_game_keeps_its_result() -> None:
    results = oware.playouts([OVER, oware.Game()], 3, seed=0)
    assert (results.margin[0] == 7).all()
    assert not results.plies[0].any()
    assert (results.termination[0] == oware.TERMINATIONS.index("majority")).all()
    assert results.plies[1].all()


def test_what_was_played_counts() -> None:
    # Two lone seeds go round for ever; each ply is forced.
    rules = oware.Rules(repetition=3, repetition_needs_both_rows=False)
    game = oware.Game(rules, pits=[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], to_move=1)
    left = int(oware.playouts(game, 1).plies[0, 0])
    for _ in range(20):
        game.play(game.legal_moves()[0])
    assert oware.playouts(game, 1).plies[0, 0] == left - 20
    results = oware.playouts(game, 2)
    assert (results.termination == oware.TERMINATIONS.index("repetition")).all()
    limited = oware.Game(oware.Rules(max_plies=30))
    limited.play(0)
    assert oware.playouts(limited, 100).plies.max() == 29


def test_games_that_go_on_for_ever_are_left_unfinished() -> None:
    rules = oware.Rules(repetition=0, majority_ends=False)
    game = oware.Game(rules, pits=[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], stores=(3, 1), to_move=1)
    for cap, plies in ((None, 1000), (17, 17), (5000, 5000)):
        results = oware.playouts(game, 2, max_plies=cap)
        assert (results.plies == plies).all()
        assert (results.termination == 0).all()
        assert (results.margin == 2).all()
        assert (results.winner == -1).all()
        assert (results.wins == [[0, 0, 2]]).all()


def test_nothing_to_play() -> None:
    results = oware.playouts([], 4)
    assert results.margin.shape == (0, 4)
    assert results.wins.shape == (0, 3)


ONE = ([[4] * 12], [[0, 0]], [0])
WANTED = "an oware.Game, a sequence of them or a tuple \\(pits, stores, to_move\\)"


@pytest.mark.parametrize(
    ("start", "settings", "error", "message"),
    [
        (3, {}, TypeError, f"start must be {WANTED}, not int"),
        ("abapa", {}, TypeError, f"start must be {WANTED}, not str"),
        ([OVER, 3], {}, TypeError, r"start\[1\] must be an oware.Game, not int"),
        (
            [oware.Game(), oware.Game("awari")],
            {},
            ValueError,
            r"games\[1\] has other rules: .*repetition is 2, not 3.*; give games of one rule set",
        ),
        (OVER, {"rules": "awari"}, ValueError, r"games\[0\] has other rules: .*"),
        (OVER, {"rules": "awar"}, ValueError, r'unknown rule set "awar".* did you mean "awari"\?'),
        (
            ONE,
            {"rules": 3},
            TypeError,
            "rules must be the name of a rule set or an oware.Rules, .*",
        ),
        (OVER, {"n": 0}, ValueError, "n is 0; give 1 to 1073741824"),
        (OVER, {"n": 1.0}, TypeError, "n must be an int, not float"),
        ([OVER] * 3, {"n": 2**29}, ValueError, "3 positions with n=536870912 are more than .*"),
        (OVER, {"seed": -1}, ValueError, f"seed is -1; give 0 to {2**64 - 1}"),
        (OVER, {"seed": 2**64}, ValueError, f"seed is {2**64}; give 0 to {2**64 - 1}"),
        (OVER, {"seed": 1.0}, TypeError, "seed must be an int, not float"),
        (OVER, {"seed": True}, TypeError, "seed must be an int, not bool"),
        (OVER, {"num_threads": 0}, ValueError, "num_threads is 0; give 1 to 1024"),
        (OVER, {"num_threads": "2"}, TypeError, "num_threads must be an int, not str"),
        (OVER, {"max_plies": 0}, ValueError, "max_plies is 0; give 1 to 2147483647"),
        (OVER, {"max_plies": 1.5}, TypeError, "max_plies must be an int, not float"),
        (([[4] * 11], [[0, 0]], [0]), {}, ValueError, r"pits has shape \(1, 11\).*"),
        (([[4] * 12], [[0, 0]] * 2, [0]), {}, ValueError, r"stores has shape \(2, 2\).*"),
        (([[4.0] * 12], [[0, 0]], [0]), {}, TypeError, "pits has dtype .*; give integers"),
        ((7, [[0, 0]], [0]), {}, TypeError, "pits must be an array of integers, not int"),
        (([[4] * 12] * 2, [[0, 0], [0, 1]], [0, 0]), {}, oware.SetupError, "position 1: .*"),
        (([[4] * 12], [[0, 0]], [2]), {}, oware.SetupError, "position 0: .*"),
    ],
)
def test_bad_calls(start: Any, settings: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        oware.playouts(start, **{"n": 1, **settings})


def test_an_unknown_kernel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWARE_KERNEL", "mmx")
    with pytest.raises(ValueError, match=r'^OWARE_KERNEL: unknown kernel "mmx"; known: '):
        oware.playouts(oware.Game(), 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_a_long_call(threads: int) -> None:
    # Long enough to run for minutes.
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        oware.playouts(oware.Game(), 2**27, num_threads=threads)
    timer.join()


def test_several_threads_play_at_once() -> None:
    def play(seed: int) -> list[bytes]:
        return arrays(oware.playouts(oware.Game(), 5000, seed=seed, num_threads=2))

    alone = [play(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(4))) == alone


def test_random_play_is_even_handed() -> None:
    """The moves of a first ply, told by the margin that a game of one ply leaves."""
    # Each of South's six pits holds one seed; only that of pit 5 captures, two seeds.
    game = oware.Game(pits=[1] * 6 + [1, 3, 3, 3, 3, 3], stores=(0, 0))
    results = oware.playouts(game, 60_000, seed=9, max_plies=1)
    captures = int((results.margin == 2).sum())
    # Five standard deviations of a binomial count.
    assert abs(captures - 10_000) < 5 * (60_000 * 5 / 36) ** 0.5
    assert int((results.margin == 0).sum()) == 60_000 - captures
