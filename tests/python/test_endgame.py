"""`oware.Endgame`: values, refusals and what it costs to ask."""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from bad_calls import Bad, gaps
from oware import Endgame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware.types import RuleSetName

AWARI = {
    1: (5, 0, 7),
    2: (25, 13, 40),
    3: (123, 63, 178),
    4: (580, 143, 642),
    5: (2165, 0, 2203),
    6: (5698, 1548, 5130),
    7: (14921, 4487, 12416),
    8: (37767, 8351, 29464),
}
"""Wins, draws and losses of the mover: T. Lincke's thesis (ETH Zürich, 2002), appendix B."""
ABAPA = {2: (24, 13, 41), 3: (121, 64, 179), 6: (5707, 1545, 5124), 8: (37806, 8333, 29443)}


@pytest.fixture(scope="module")
def awari() -> Endgame:
    return Endgame.build(9, "awari", progress=False)


@pytest.fixture(scope="module")
def abapa() -> Endgame:
    return Endgame.build(8, "abapa", progress=False)


def game(pits: list[int], rules: RuleSetName = "awari", to_move: int = 0) -> oware.Game:
    """A game in which the mover has these pits first."""
    return oware.Game(rules, pits=pits[6 * to_move :] + pits[: 6 * to_move], to_move=to_move)


def boards(seeds: int) -> Iterator[tuple[int, ...]]:
    """Every board of so many seeds."""
    for bars in itertools.combinations(range(seeds + 11), 11):
        edges = (-1, *bars, seeds + 11)
        yield tuple(high - low - 1 for low, high in itertools.pairwise(edges))


def told() -> dict[RuleSetName, dict[int, list[int]]]:
    """The counts in the table of docs/endgames.md."""
    text = (Path(__file__).parents[2] / "docs" / "endgames.md").read_text(encoding="utf-8")
    table: dict[RuleSetName, dict[int, list[int]]] = {"awari": {}, "abapa": {}}
    for line in text.partition("## The first levels")[2].partition("## Files")[0].splitlines():
        cells = [cell.strip().replace(",", "") for cell in line.split("|")[1:-1]]
        if cells and cells[0].isdigit():
            for rules, counts in zip(table, (cells[1:4], cells[4:7]), strict=True):
                if counts[0]:
                    table[rules][int(cells[0])] = list(map(int, counts))
    return table


def check_told(rules: RuleSetName, database: Endgame) -> None:
    counts = told()[rules]
    assert list(counts) == list(range(1, len(counts) + 1))
    assert len(counts) >= database.max_seeds
    for seeds in range(1, database.max_seeds + 1):
        found = database.statistics(seeds)
        assert counts[seeds] == [found["win"], found["draw"], found["loss"]]


def test_the_documentation_tells_the_counts(awari: Endgame, abapa: Endgame) -> None:
    check_told("awari", awari)
    check_told("abapa", abapa)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["awari", "abapa"])
def test_the_documentation_tells_the_counts_of_many_seeds(
    rules: RuleSetName, tmp_path: Path
) -> None:
    check_told(rules, Endgame.build(18, rules, tmp_path / rules, progress=False))


def test_statistics_of_awari(awari: Endgame) -> None:
    for seeds, expected in AWARI.items():
        found = awari.statistics(seeds)
        assert (found["win"], found["draw"], found["loss"]) == expected
    histogram = {-6: 4242, -4: 116, -2: 772, 0: 1548, 2: 550, 3: 62, 4: 302, 6: 4784}
    assert awari.statistics(6)["histogram"] == histogram
    assert list(awari.statistics(6)["histogram"]) == list(histogram)


def test_statistics_of_abapa(abapa: Endgame) -> None:
    for seeds, expected in ABAPA.items():
        found = abapa.statistics(seeds)
        assert (found["win"], found["draw"], found["loss"]) == expected


def test_statistics_count_the_values(abapa: Endgame) -> None:
    for seeds in range(6):
        values, counts = np.unique(abapa.values(list(boards(seeds))), return_counts=True)
        expected = dict(zip(values.tolist(), counts.tolist(), strict=True))
        assert abapa.statistics(seeds)["histogram"] == expected


@pytest.mark.parametrize("rules", ["awari", "abapa"])
def test_a_value_is_that_of_the_best_move(
    rules: RuleSetName, request: pytest.FixtureRequest
) -> None:
    database: Endgame = request.getfixturevalue(rules)
    drawn = np.random.default_rng(1)
    for seeds in range(1, 9):
        for _ in range(100):
            pits = np.bincount(drawn.integers(0, 12, seeds), minlength=12).tolist()
            before = game(pits, rules, int(drawn.integers(2)))
            if before.is_over:
                assert database.move_values(before) == {}
                assert database.best_moves(before) == database.best_line(before) == []
                continue
            values = database.move_values(before)
            assert list(values) == before.legal_moves()
            for move, value in values.items():
                after = before.copy()
                seat = before.to_move
                taken = after.play(move)
                if after.termination == "no_move":
                    # Its share is what the database has as the value of the board before.
                    assert value == after.stores[seat] - after.stores[1 - seat]
                elif not after.is_over:
                    assert value == taken - database.value(after)
            best = max(values.values())
            assert database.value(before) == best
            assert database.best_moves(before) == [m for m, v in values.items() if v == best]


def test_values_of_many_boards_are_those_of_games(awari: Endgame) -> None:
    some = list(boards(5))[::7] + list(boards(9))[::4001]
    values = awari.values(some)
    assert values.dtype == np.int8
    assert values.flags.owndata
    assert values.flags.writeable
    asked = 0
    for pits, value in zip(some, values, strict=True):
        for seat in (0, 1):
            played = game(list(pits), to_move=seat)
            # What is over has nothing left on its board.
            assert played.is_over or awari.value(played) == value
            asked += not played.is_over
    assert asked > len(some)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64, ">i4"])
def test_values_take_every_kind_of_array(awari: Endgame, dtype: Any) -> None:
    rows = np.array(list(boards(4)))[::5]
    expected = awari.values(rows.tolist())
    array = rows.astype(dtype)
    array.flags.writeable = False
    assert np.array_equal(awari.values(array), expected)
    assert np.array_equal(awari.values(np.asfortranarray(array)), expected)
    wide = np.zeros((len(rows), 24), dtype)
    wide[:, ::2] = rows
    assert np.array_equal(awari.values(wide[:, ::2]), expected)
    assert np.array_equal(awari.values(array[::-1]), expected[::-1])
    assert awari.values(array[:0]).shape == (0,)


def test_stores_history_and_majority_make_no_difference(abapa: Endgame) -> None:
    pits = [0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0]
    value = abapa.value(game(pits, "abapa"))
    for stores in ((0, 0), (10, 3), (3, 39), (39, 3), (21, 21)):
        assert abapa.value(oware.Game("abapa", pits=pits, stores=stores)) == value
    over = oware.Game("abapa", pits=pits, stores=(39, 3))
    assert over.termination == "majority"
    assert abapa.best_moves(over) == []
    assert abapa.distance(over) == 0


def test_rule_sets_share_databases(awari: Endgame, abapa: Endgame) -> None:
    assert awari.rule_sets == ("village", "awari")
    assert abapa.rule_sets == ("abapa", "harvest", "nineqm", "open_spiel", "auale", "codingame")
    own = {name: database for database in (awari, abapa) for name in database.rule_sets}
    assert own.keys() == oware.RULE_SETS.keys()
    pits = [0, 1, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0]
    for name, database in own.items():
        other = abapa if database is awari else awari
        assert database.value(game(pits, name)) == -6
        with pytest.raises(ValueError, match=f"the database is for .*, the game has .*{name}"):
            other.value(game(pits, name))
    for field, value in {"grand_slam": "capture_all", "feeding": "free", "no_move": "stay"}.items():
        rules = oware.Rules(**{field: value})  # type: ignore[arg-type]
        for ask in (abapa.value, abapa.move_values, abapa.best_moves, abapa.best_line):
            with pytest.raises(ValueError, match=r"the database is for abapa, .*, the game has "):
                ask(oware.Game(rules, pits=pits))
        database = Endgame.build(3, rules, progress=False)
        assert database.rule_sets == ()
        assert database.key[field] == {"stay": "split"}.get(value, value)  # type: ignore[literal-required]


def test_a_line_is_followed_to_its_end(awari: Endgame) -> None:
    for pits in list(boards(7))[::501]:
        played = game(list(pits))
        if played.is_over:
            continue
        value = awari.value(played)
        line = awari.best_line(played)
        distance = awari.distance(played)
        taken = [0, 0]
        last = 0
        for ply, move in enumerate(line, 1):
            assert not played.is_over or played.termination == "repetition"
            if played.is_over:
                break
            assert move in awari.best_moves(played)
            seat = played.to_move
            captured = played.play(move)
            taken[seat] += captured
            last = ply if captured else last
        if played.termination == "no_move":
            assert played.stores[0] - played.stores[1] == value
            assert (last, len(line)) == (distance, played.ply)


def test_what_a_database_is(awari: Endgame, tmp_path: Path) -> None:
    assert (awari.max_seeds, awari.path) == (9, None)
    assert awari.key == {"grand_slam": "forbidden", "feeding": "required", "no_move": "own_side"}
    assert repr(awari) == "<oware.Endgame of 9 seeds for village, awari>"
    assert copy.copy(awari) is copy.deepcopy(awari) is awari
    with pytest.raises(TypeError, match="build it with a path"):
        pickle.dumps(awari)
    with pytest.raises(AttributeError):
        awari.path = tmp_path  # type: ignore[misc]
    made = Endgame.build(4, path=tmp_path / "four", progress=False)
    assert made.path == tmp_path / "four"
    again = pickle.loads(pickle.dumps(made))  # noqa: S301
    assert again.statistics(4) == awari.statistics(4)
    house = oware.Rules(grand_slam="leave_far_pit", feeding="free", no_move="split")
    assert repr(Endgame.build(0, house, progress=False)) == (
        "<oware.Endgame of 0 seeds for grand_slam=leave_far_pit, feeding=free, no_move=split>"
    )


def test_what_it_costs() -> None:
    cost = Endgame.cost(24)
    assert cost.boards - Endgame.cost(23).boards == 417_225_900
    # A byte each, and 24 seeds within 24 GiB.
    assert cost.boards <= cost.file < cost.boards + 4096
    assert cost.file < cost.memory < 4 << 30
    assert Endgame.cost(0).boards == 1


# The largest of these would take hours, were it not refused.
SEEDS = r"max_seeds is {}; give 0 to 31"
BAD = [
    Bad("Endgame.core", None, TypeError, ".*use Endgame.load, build or open"),
    Bad("Endgame.path", 3, TypeError, ".*use Endgame.load, build or open"),
    Bad("Endgame.build.max_seeds", -1, ValueError, SEEDS.format(-1)),
    Bad("Endgame.build.max_seeds", 32, ValueError, SEEDS.format(32)),
    Bad("Endgame.build.max_seeds", 10**30, ValueError, SEEDS.format(10**30)),
    Bad("Endgame.build.max_seeds", 3.0, TypeError, "max_seeds must be an int, not float"),
    Bad("Endgame.build.max_seeds", True, TypeError, "max_seeds must be an int, not bool"),
    Bad("Endgame.build.rules", "awar", ValueError, '.*did you mean "awari".*'),
    Bad("Endgame.build.rules", None, TypeError, "rules must be the name of a rule set .*"),
    Bad("Endgame.build.path", 3, TypeError, "path must be a str or an os.PathLike, not int"),
    Bad("Endgame.build.path", "", ValueError, "path is empty.*"),
    Bad("Endgame.build.path", "/no/such/folder", OSError, r".*No such file.*folder\.2\.partial'"),
    Bad("Endgame.build.path", "a\0b", OSError, ".*(?i:nul).*"),
    Bad("Endgame.build.num_threads", 0, ValueError, "num_threads is 0; give 1 to 1024"),
    Bad("Endgame.build.num_threads", 1.5, TypeError, "num_threads must be an int, not float"),
    Bad("Endgame.build.progress", "no", TypeError, "progress must be a bool, not str"),
    Bad("Endgame.open.path", None, TypeError, "path must be a str or an os.PathLike, not NoneType"),
    Bad("Endgame.open.path", "/no/such", FileNotFoundError, ".*No such file.*/no/such'"),
    Bad("Endgame.load.max_seeds", 32, ValueError, SEEDS.format(32)),
    Bad("Endgame.load.max_seeds", "3", TypeError, "max_seeds must be an int, not str"),
    Bad("Endgame.load.rules", "?", ValueError, "unknown rule set .*"),
    Bad("Endgame.load.num_threads", -1, ValueError, "num_threads is -1; give 1 to 1024"),
    Bad("Endgame.load.progress", None, TypeError, "progress must be a bool, not NoneType"),
    Bad("Endgame.cost.max_seeds", 32, ValueError, SEEDS.format(32)),
    Bad("Endgame.value.game", [1] * 12, TypeError, "game must be an oware.Game, not list"),
    Bad("Endgame.value.game", oware.Game("awari"), ValueError, "48 seeds on the board, .* 9; .*"),
    Bad("Endgame.value.game", oware.Game(), ValueError, "the database is for village, awari .*"),
    Bad("Endgame.move_values.game", oware.Game("awari"), ValueError, "48 seeds on the board, .*"),
    Bad("Endgame.best_moves.game", oware.Game("awari"), ValueError, "48 seeds on the board, .*"),
    Bad("Endgame.best_line.game", oware.Game("awari"), ValueError, "48 seeds on the board, .*"),
    Bad("Endgame.distance.game", oware.Game("awari"), ValueError, "48 seeds on the board, .*"),
    Bad("Endgame.values.pits", [0] * 12, ValueError, r"pits has shape \(12,\), expected \(N, 12\)"),
    Bad("Endgame.values.pits", [[0] * 11], ValueError, r"pits has shape \(1, 11\), expected .*"),
    Bad("Endgame.values.pits", [[0.0] * 12], TypeError, "pits has dtype .*; give integers"),
    Bad("Endgame.values.pits", [[0] * 12, [-1] + [0] * 11], ValueError, r"pits\[1, 0\] is -1; .*"),
    Bad("Endgame.values.pits", [[0] * 11 + [256]], ValueError, r"pits\[0, 11\] is 256; .* 0 to 9"),
    Bad("Endgame.values.pits", [[1] * 12], ValueError, r"pits\[0\] has 12 seeds, .* 9; build .*"),
    Bad("Endgame.values.pits", [[255] * 12], ValueError, r"pits\[0\] has 3060 seeds, .*"),
    Bad("Endgame.values.pits", "boards", TypeError, "pits .*"),
    Bad("Endgame.statistics.n", 10, ValueError, "n is 10; give 0 to 9"),
    Bad("Endgame.statistics.n", -1, ValueError, "n is -1; give 0 to 9"),
    Bad("Endgame.statistics.n", 1.0, TypeError, "n must be an int, not float"),
]


@pytest.mark.parametrize("bad", BAD, ids=[f"{bad.parameter}-{i}" for i, bad in enumerate(BAD)])
def test_a_bad_call_is_refused(bad: Bad, awari: Endgame) -> None:
    *path, name = bad.parameter.split(".")
    thing: Any = Endgame if len(path) == 1 else getattr(awari, path[1])
    goods: dict[str, dict[str, object]] = {
        "Endgame": {"core": None},
        "Endgame.build": {"max_seeds": 2},
    }
    good = goods.get(".".join(path), {})
    with pytest.raises(bad.error, match=f"^{bad.message}$"):
        thing(**good | {name: bad.value})


def test_every_parameter_has_a_bad_call() -> None:
    assert gaps("Endgame", Endgame, BAD) == set()


def test_many_threads_ask_at_once(awari: Endgame) -> None:
    from concurrent.futures import ThreadPoolExecutor

    rows = np.array(list(boards(6)), np.uint8)
    expected = awari.values(rows)
    with ThreadPoolExecutor(4) as pool:
        for values in pool.map(awari.values, [rows] * 20):
            assert np.array_equal(values, expected)


def test_it_is_asked_for_a_bar(tmp_path: Path) -> None:
    program = "import oware, sys; oware.Endgame.build(int(sys.argv[1]), path=sys.argv[2])"
    arguments = [sys.executable, "-c", program, "9", str(tmp_path / "nine")]
    first, second = (
        subprocess.run(arguments, capture_output=True, text=True, check=True) for _ in range(2)
    )
    assert first.stdout == second.stdout == second.stderr == ""
    assert "294k/294k" in first.stderr


def test_a_load_looks_at_every_argument_though_the_file_is_there() -> None:
    assert Endgame.load(2, progress=False).max_seeds == 2
    with pytest.raises(ValueError, match="num_threads is 0"):
        Endgame.load(2, num_threads=0)
