"""Captures, threats, hints and reviews, on positions worked out by hand."""

from __future__ import annotations

import _thread
import copy
import doctest
import pickle
import re
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import oware
from oware import analysis, records
from oware.analysis import (
    THRESHOLDS,
    Capture,
    _rating,
    _search,
    captures,
    hint,
    rate,
    refused_slams,
    review,
    threats,
)
from test_docstrings import FLAGS

RULES = oware.RULE_SETS
# C feeds e, f and A: nothing else moves South's thin pits A and B out of the way of f.
THREATENED = [1, 1, 4, 0, 0, 0, 0, 1, 0, 0, 1, 2]


def chain(**more: Any) -> oware.Game:
    """F captures a and b, two seeds each; North keeps the four in c."""
    return oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], **more)


def test_a_capture_is_told_with_its_pits() -> None:
    game = chain()
    before = game.copy()
    [capture] = captures(game)
    assert capture == Capture(seat=0, move=5, seeds=4, pits=(6, 7))
    assert (capture.letter, capture.pit_letters) == ("F", "ab")
    assert str(capture) == "F captures 4 seeds (a, b)"
    assert game == before


def test_captures_come_biggest_first_whoever_moves() -> None:
    # e (3 seeds) ends in B, 2 there then; f (1) in A, 3 there then. e takes A and B at once.
    game = oware.Game(pits=[2, 1, 5, 0, 0, 0, 0, 0, 0, 0, 3, 1], to_move=1)
    assert [str(capture) for capture in captures(game)] == [
        "e captures 5 seeds (A, B)",
        "f captures 3 seeds (A)",
    ]


def test_a_lap_is_told() -> None:
    # Thirteen from F: every other pit gets one, a and b another; they then hold 2 and 2.
    game = oware.Game(pits=[1, 1, 1, 1, 1, 13, 0, 0, 2, 2, 2, 2], to_move=0)
    [capture] = captures(game)
    assert capture == Capture(seat=0, move=5, seeds=4, pits=(6, 7), lap=True)


def test_a_threat_is_what_the_opponent_captures_when_the_mover_passes() -> None:
    game = oware.Game(pits=THREATENED)
    assert [str(threat) for threat in threats(game)] == ["f captures 4 seeds (A, B)"]
    # The same threat from the other side.
    turned = oware.Game(pits=[0, 1, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], to_move=1)
    assert threats(turned) == (Capture(seat=0, move=5, seeds=4, pits=(6, 7)),)


def test_endings_are_no_bar_to_a_threat() -> None:
    # A repetition, a ply limit or a majority would end the game; what is threatened stands.
    game = oware.Game(RULES["codingame"].replace(max_plies=1), pits=THREATENED, stores=(24, 14))
    assert [threat.seeds for threat in threats(game)] == [4]


def test_an_opponent_without_seeds_threatens_nothing() -> None:
    game = oware.Game(pits=[4, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0])
    assert threats(game) == ()
    # Nor is there anything to see when the game is over.
    over = oware.Game(pits=[0] * 12, stores=(24, 24))
    assert captures(over) == threats(over) == refused_slams(over) == ()


@pytest.mark.parametrize(
    ("grand_slam", "seeds", "refused"),
    [
        ("capture_nothing", 0, [4]),
        ("forbidden", 0, [4]),
        ("capture_all", 4, []),
        ("leave_landing_pit", 2, [4]),
        ("leave_far_pit", 2, [4]),
        ("opponent_takes_rest", 4, []),
    ],
)
def test_grand_slams_are_as_the_rules_have_them(
    grand_slam: Any, seeds: int, refused: list[int]
) -> None:
    rules = oware.Rules(grand_slam=grand_slam)
    # F would take all that North has; then the same with North about to do it to South.
    ours = oware.Game(rules, pits=[4, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0])
    theirs = oware.Game(rules, pits=[1, 1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2])
    assert sum(capture.seeds for capture in captures(ours)) == seeds
    assert sum(threat.seeds for threat in threats(theirs)) == seeds
    assert [slam.seeds for slam in refused_slams(ours)] == refused
    assert all(capture.slam == (seeds == 4) for capture in captures(ours))


def test_a_slam_that_nothing_but_slams_is_played_under_forbidden() -> None:
    game = oware.Game("awari", pits=[0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0])
    assert [(capture.seeds, capture.slam) for capture in captures(game)] == [(4, True)]
    assert refused_slams(game) == ()


def test_a_hint_says_why() -> None:
    found = hint(chain(), depth=8)
    assert (found.letter, found.line_letters[0]) == ("F", "F")
    assert found.reasons[0].text == "F captures 4 seeds (a, b)."
    assert found.reason.startswith("F captures 4 seeds (a, b). ")
    assert str(found) == f"F: {found.reason}"
    assert found.value == max(value for value in found.values if value is not None)


def test_a_hint_tells_of_the_threat_that_a_move_meets() -> None:
    game = oware.Game(pits=THREATENED)
    found = hint(game, depth=8)
    [saved] = [fact for fact in found.reasons if fact.kind == "saves"]
    after = game.copy()
    after.play(found.move)
    left = max((capture.seeds for capture in captures(after)), default=0)
    assert saved.seeds == 4 - left > 0
    assert "f captures 4 seeds (A, B)" in saved.text


def test_a_hint_tells_of_the_duty_to_feed_and_of_the_only_move() -> None:
    found = hint(oware.Game(pits=[4, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]), depth=8)
    assert [fact.kind for fact in found.reasons][:2] == ["only", "feeds"]
    assert found.reasons[1].text == "F feeds North, who has no seed."


def test_a_hint_tells_when_a_move_ends_the_game() -> None:
    found = hint(chain(stores=(22, 17)), depth=8)
    assert found.reasons[0].text == "F ends the game: South wins 26-17 (majority)."


def test_a_rating_follows_from_the_seeds_given_up() -> None:
    # F captures four. E feeds a and leaves F with three, out of reach of nothing.
    best, worse = rate(chain(), 5, depth=10), rate(chain(), 4, depth=10)
    assert (best.rating, best.loss, best.captured) == ("best", 0, 4)
    assert worse.loss == round(best.value - worse.value, 2) > THRESHOLDS["mistake"]
    assert (worse.rating, worse.best_letter) == ("blunder", "F")
    assert worse.line[0] == 5
    assert worse.values == best.values
    assert "E is a blunder that gives up " in str(worse)


def test_the_thresholds_are_the_documented_ones() -> None:
    names = {loss: _rating.rating(loss) for loss in (0.0, 0.49, 1, 2, 3, 4, 4.99, 5, 30)}
    assert list(names.values()) == [
        "best", "best", "good", "inaccuracy", "mistake", "mistake", "mistake", "blunder", "blunder",
    ]  # fmt: skip


def test_a_threat_is_met_or_missed() -> None:
    game = oware.Game(pits=THREATENED)
    database = oware.Endgame.build(10, "abapa", progress=False)
    rated = {move: rate(game, move, endgame=database) for move in game.legal_moves()}
    assert all(one.threat == threats(game)[0] for one in rated.values())
    # C leaves A and B as they are: f still takes both. A takes itself out of the chain.
    assert (rated[2].threat_met, rated[2].reply) == (False, threats(game)[0])
    assert "it left a threat standing: f captures 4 seeds (A, B)" in str(rated[2])
    assert rated[0].threat_met
    assert rate(chain(), 5, depth=4).threat_met is None


def test_a_missed_threat_may_not_be_the_greatest_reply() -> None:
    # d threatens two seeds in B. A makes them three, and leaves f seven to take.
    pits = [3, 1, 0, 0, 0, 2, 1, 4, 3, 4, 0, 4]
    found = rate(oware.Game("awari", pits=pits, stores=(2, 24)), 0, depth=4)
    assert (str(found.threat), found.threat_met) == ("d captures 2 seeds (B)", False)
    assert str(found.reply) == "f captures 7 seeds (B, C, D)"
    assert "it left a threat standing: d captures 2 seeds (B); now f captures" in str(found)


def test_exact_values_come_from_the_database() -> None:
    database = oware.Endgame.build(8, "abapa", progress=False)
    game = oware.Game(pits=[0, 1, 2, 0, 0, 1, 1, 0, 2, 0, 0, 0], stores=(20, 21))
    values = database.move_values(game)
    assert values == {1: -7, 2: -3, 5: 7}
    for move, value in values.items():
        found = rate(game, move, endgame=database)
        # The mover has one seed less in store.
        assert (found.exact, found.value, found.loss) == (True, value - 1, 7 - value)
        assert found.rating == ("best" if value == 7 else "blunder")
        # The line goes on where the database does, as far as the game does.
        assert found.line[:2] == tuple(database.best_line(game)[:2])
        after = game.copy()
        for ply in found.line:
            after.play(ply)


@pytest.mark.parametrize("direct", [0, 4, 8])
def test_a_line_keeps_to_the_database(direct: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_search, "DIRECT_SEEDS", direct)
    database = oware.Endgame.build(8, "awari", progress=False)
    lengths = set()
    for last in range(3):
        pits = [0, 1, 2, 0, 0, 1, 1, 0, 2, 0, last // 2, last % 2]
        game = oware.Game("awari", pits=pits)
        best = database.best_moves(game)[0]
        line = _search.continued(game, (best,), database)
        lengths.add(len(line))
        for move in line:
            assert move in database.best_moves(game)
            game.play(move)
        assert game.is_over or len(line) == 12
    assert max(lengths) == 12


def test_a_result_given_away_is_a_mistake_at_least() -> None:
    database = oware.Endgame.build(8, "abapa", progress=False)
    game = oware.Game(pits=[0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0], stores=(22, 22))
    values = database.move_values(game)
    given = {
        move: rate(game, move, endgame=database)
        for move, value in values.items()
        if value <= 0 < max(values.values()) and max(values.values()) - value < 3
    }
    assert given
    for found in given.values():
        assert found.result_given_away
        assert found.rating == "mistake"


def game_of(seed: int, plies: int, rules: Any = "abapa") -> oware.Game:
    """A game of which every other move is sensible."""
    game = oware.Game(rules)
    while not game.is_over and game.ply < plies:
        best = oware.search.best_moves(game, 2)
        legal = game.legal_moves()
        game.play(best[0] if game.ply % 2 else legal[(seed + game.ply) % len(legal)])
    return game


def test_a_review_rates_every_move() -> None:
    game = game_of(1, 200)
    assert game.is_over
    before = game.copy()
    told: list[Any] = []
    found = review(game, depth=5, on_move=told.append)
    assert game == before
    assert [one.move for one in found.moves] == game.moves
    assert told == list(found.moves)
    assert found.result == {0: "1-0", 1: "0-1", None: "1/2-1/2"}[game.winner]
    assert found.stores[-1] == game.stores
    now = oware.Game.from_string(found.start, found.rules)
    for one in found.moves:
        assert one == rate(now, one.move, depth=5)
        assert one.loss == round(one.best_value - one.value, 2)
        assert one.captured == now.play(one.move)
    assert found.moves[-1].reply_line == ()
    assert found.moves[-1].reply is None


def test_a_review_takes_a_game_a_record_a_transcript_and_moves() -> None:
    game = oware.Game.from_transcript("FfEeDd", "awari")
    record = records.Record({"Variant": "awari"}, records.Move.line("FfEeDd"))
    found = review(game, depth=4)
    assert found.rules == RULES["awari"]
    assert review(record, depth=4) == found
    assert review("FfEeDd", rules="awari", depth=4) == found
    assert review([5, 5, 4, 4, 3, 3], rules="awari", depth=4) == found
    # A player who is not known is `?` in a record.
    assert review(records.Record.of(game), depth=4) == found
    assert review(oware.Game(), depth=4).moves == ()
    # A game from elsewhere keeps its start.
    middle = chain()
    middle.play(5)
    assert review(middle, depth=4).start == chain().to_string()
    assert review(middle, depth=4).moves[0].rating == "best"


def test_a_review_is_a_table() -> None:
    found = review("FfEeDd", depth=4)
    rows = found.table()
    assert [row["move"] for row in rows] == list("FfEeDd")
    assert [row["player"] for row in rows] == ["South", "North"] * 3
    assert len({tuple(row) for row in rows}) == 1
    plain = (str, int, float, bool, type(None))
    assert all(isinstance(value, plain) for row in rows for value in row.values())
    summary = found.summary()
    for seat, name in enumerate(("South", "North")):
        own = [row for row in rows if row["player"] == name]
        counted = dict(summary[name])
        assert counted.pop("loss") == round(sum(row["loss"] for row in own), 2)
        assert counted == {
            rating: sum(row["rating"] == rating for row in own)
            for rating in ("best", "good", "inaccuracy", "mistake", "blunder")
        }
        assert sum(counted.values()) == 3, seat
    assert found.balance()[1:] == [row["south_value"] for row in rows]
    assert [row["south_value"] for row in rows][1] == -rows[1]["value"]


class Strict(HTMLParser):
    """Checks that tags are closed in order, and keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        self.names.add(tag)
        if not (self.get_starttag_text() or "").endswith("/>"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        self.names.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_whole_escaped_and_refers_to_nothing() -> None:
    tags = {"South": "<script>alert(1)</script>", "North": 'a"&b'}
    record = records.Record(tags, records.Move.line("FfEeDd"))
    page = review(record, depth=4)._repr_html_()
    parser = Strict()
    parser.feed(page)
    parser.close()
    assert not parser.open
    assert "script" not in parser.names
    assert tags["South"] in parser.text
    assert tags["North"] in parser.text
    assert "http" not in page
    assert "url(" not in page
    for thing in (hint(chain(), depth=4), analysis.explain(chain())):
        assert "F captures 4 seeds (a, b)." in thing._repr_html_()


def test_text_on_a_rating_has_contrast() -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    from oware.analysis._picture import COLOURS

    assert [*COLOURS] == [*THRESHOLDS, "blunder"]
    assert all(1.05 / (luminance(colour) + 0.05) >= 4.5 for colour in COLOURS.values())


def test_a_plot_shows_the_balance() -> None:
    from matplotlib.figure import Figure

    found = review(game_of(3, 12), depth=4)
    axes = Figure().subplots()
    assert found.plot(axes) is axes
    assert list(axes.lines[-1].get_ydata()) == found.balance()
    assert list(axes.lines[-1].get_xdata()) == list(range(13))


def test_a_result_is_shown_in_short() -> None:
    assert repr(review("FfEe", depth=2)) == "<oware.analysis.Review of 4 moves, *>"


def test_results_are_frozen_and_pickle() -> None:
    for thing in (review("FfEe", depth=3), hint(chain(), depth=3), analysis.explain(chain())):
        assert pickle.loads(pickle.dumps(thing)) == thing  # noqa: S301
        assert copy.deepcopy(thing) == thing
        with pytest.raises(AttributeError):
            thing.moves = ()  # type: ignore[union-attr,misc]


def test_the_same_nodes_give_the_same_review() -> None:
    game = game_of(5, 16)
    assert review(game, nodes=3000) == review(game, nodes=3000)


def test_progress_is_shown_where_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    review("FfEe", depth=3)
    assert capsys.readouterr().err == ""
    review("FfEe", depth=3, progress=True)
    assert "4/4" in capsys.readouterr().err


def test_ctrl_c_stops_a_review() -> None:
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        review(game_of(1, 100), depth=60)
    timer.join()


BAD_CALLS: list[tuple[Any, type[Exception], str]] = [
    (lambda: captures("FfEe"), TypeError, "game must be an oware.Game, not str"),  # type: ignore[arg-type]
    (lambda: threats(None), TypeError, "game must be an oware.Game, not NoneType"),  # type: ignore[arg-type]
    (lambda: refused_slams(3), TypeError, "game must be an oware.Game, not int"),  # type: ignore[arg-type]
    (lambda: analysis.explain([]), TypeError, "game must be an oware.Game, not list"),  # type: ignore[arg-type]
    (lambda: hint(None), TypeError, "game must be an oware.Game, not NoneType"),  # type: ignore[arg-type]
    (lambda: rate("F", 0), TypeError, "game must be an oware.Game, not str"),  # type: ignore[arg-type]
    (lambda: rate(chain(), 0), oware.IllegalMoveError, "action 0 is an empty pit"),
    (lambda: rate(chain(), 5.0), TypeError, "m must be an int, not float"),  # type: ignore[arg-type]
    (lambda: rate(chain(), 5, depth=0), ValueError, "depth is 0"),
    (lambda: hint(chain(), time=-1), ValueError, "time is -1"),
    (lambda: hint(chain(), nodes=0), ValueError, "nodes is 0"),
    (lambda: hint(chain(), threads=0), ValueError, "threads is 0"),
    (lambda: hint(chain(), endgame=3), TypeError, "endgame must be None or an oware.Endgame"),  # type: ignore[arg-type]
    (
        lambda: review("FfEe", endgame=oware.Endgame.build(3, "awari", progress=False)),
        ValueError,
        "the database is for village, awari",
    ),
    (lambda: hint(oware.Game(pits=[0] * 12)), ValueError, "the game is over"),
    (lambda: review(chain(), rules="abapa"), TypeError, "a game has its own rules"),
    (lambda: review(3), TypeError, "game_or_moves must be an oware.Game, an oware.records.Record"),  # type: ignore[arg-type]
    (lambda: review("FfX"), ValueError, "X"),
    (lambda: review([5, 5, 9]), oware.IllegalMoveError, "action 9 is not a pit"),
    (lambda: review([0.5]), TypeError, "m must be an int, not float"),  # type: ignore[list-item]
    (lambda: review("Ff", rules="abap"), ValueError, 'unknown rule set "abap"'),  # type: ignore[arg-type]
    (lambda: review("Ff", progress="x"), TypeError, "progress must be a bool, not str"),  # type: ignore[arg-type]
    (lambda: review("Ff", depth="3"), TypeError, "depth must be an int, not str"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "error", "message"), BAD_CALLS)
def test_bad_calls_say_what_is_wrong(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2] / "docs" / "analysis.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert tried > 10
    assert failed == 0, capsys.readouterr().out


def test_the_page_tells_the_thresholds() -> None:
    page = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
    for rating, below in THRESHOLDS.items():
        assert f"| `{rating}` | less than {below:g} |" in page
