"""Game records: what is read comes out again, and what is wrong is told with its place."""

from __future__ import annotations

import copy
import doctest
import io
import os
import pickle
import stat
import threading
import tracemalloc
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oware
from oware import cli
from oware.records import Move, Record, RecordError, Variation, _parse, read, write
from strategies import games, rules
from test_docstrings import FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


AUALE = """\
[Variant "Oware Abapa"]
[Event "?"]
[Site "Vic"]
[Date "2014.05.01"]
[Round "1"]
[South "Joan"]
[North "?"]
[Result "1-0"]
[Annotator "a \\"quoted\\" \\\\ man"]

1. F f 2. E { Ama likes
   this } e 3. D d+0 (3. d! {threatens} C (3... c $3) c) 4. A 1-0
"""


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - It is our own.


def one(text: str) -> Record:
    (record,) = read(text)
    return record


def text_of(*records: Record) -> str:
    file = io.StringIO()
    assert write(records, file) == len(records)
    return file.getvalue()


def test_what_auale_writes_is_read() -> None:
    record = one(AUALE)
    assert list(record.tags) == [
        *("Variant", "Event", "Site", "Date", "Round", "South", "North", "Result", "Annotator")
    ]
    assert record.tags["Annotator"] == 'a "quoted" \\ man'
    assert record.result == "1-0"
    assert record.transcript == "FfEeDdA"
    assert record.moves[2].comments == ("Ama likes this",)
    assert record.moves[5].captured == 0
    (variation,) = record.moves[5].variations
    assert "".join(move.letter for move in variation.moves) == "dCc"
    assert variation.moves[0].marks == ("!",)
    assert variation.moves[0].comments == ("threatens",)
    assert variation.moves[1].variations == (Variation((Move("c", marks=("$3",)),)),)
    assert variation.depth == 2
    assert record.rules == oware.Rules.named("auale")
    assert record.moves[6].place == (12, 61)
    assert record.place == (1, 1)


def test_the_layout() -> None:
    record = one(AUALE)
    assert text_of(record, Record(result="1/2-1/2")) == (
        AUALE.split("\n\n", maxsplit=1)[0]
        + "\n\nFfE {Ama likes this} eD d+0 (d ! {threatens} C (c $3) c) A 1-0\n\n1/2-1/2\n"
    )
    assert str(Record({"Result": "*", "Round": "2", "A": "b", "Variant": "x"})).split("\n") == [
        *('[Variant "x"]', '[Round "2"]', '[Result "*"]', '[A "b"]', "", "*")
    ]


def test_lines_are_short_and_begin_with_nothing_that_means_something() -> None:
    comment = "[x] %y " * 30 + "word " * 60
    moves = (*Move.line("Ab" * 100), Move("F", comments=(comment,)))
    text = str(Record(moves=moves))
    lines = text.split("\n")
    assert max(map(len, lines)) <= 79 + len(comment)
    assert [len(line) for line in lines][:2] == [78, 78]
    assert not any(line.startswith(("[", "%")) for line in lines)
    assert one(text).moves == moves


texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters='{}()[];%"\\ \t*1-0'),
    max_size=30,
)
comments = st.lists(st.text(st.sampled_from('aB{}()[];% \n\té0-*\\"')), max_size=2).map(tuple)


def moves(
    variations: st.SearchStrategy[tuple[Variation, ...]],
) -> st.SearchStrategy[Move]:
    return st.builds(
        Move,
        st.sampled_from("ABCDEFabcdef"),
        comments,
        variations,
        st.none() | st.integers(0, 999),
        st.lists(st.sampled_from(["!", "?", "!!", "??", "!?", "?!", "$0", "$141"]), max_size=2).map(
            tuple
        ),
    )


def lines(of: st.SearchStrategy[Move], least: int) -> st.SearchStrategy[tuple[Move, ...]]:
    return st.lists(of, min_size=least, max_size=6).map(tuple)


trees = st.recursive(
    moves(st.just(())),
    lambda inner: moves(
        st.lists(st.builds(Variation, lines(inner, 1), comments), max_size=2).map(tuple)
    ),
    max_leaves=20,
)
records = st.builds(
    Record,
    st.dictionaries(
        st.from_regex(r"[A-Za-z0-9_]{1,8}", fullmatch=True) | st.sampled_from(["Result", "FEN"]),
        texts,
        max_size=5,
    ),
    lines(trees, 0),
    st.sampled_from(["1-0", "0-1", "1/2-1/2", "*", "25-14", "0-0", "24-24", "999-0"]),
    comments,
)


@given(st.lists(records, max_size=4))
def test_what_is_written_is_read_again(written: list[Record]) -> None:
    text = text_of(*written)
    assert list(read(text)) == written
    assert text_of(*read(text)) == text


@given(records)
def test_with_other_line_ends_and_a_mark_at_the_start(record: Record) -> None:
    text = "\ufeff" + str(record).replace("\n", "\r\n") + "\r\n"
    assert list(read(text)) == [record]


@given(records)
def test_copies_are_equal(record: Record) -> None:
    for twin in (pickled(record), copy.deepcopy(record), copy.copy(record)):
        assert twin == record
        assert hash(twin) == hash(record)
        assert twin.tags == dict(record.tags)


@given(st.data())
def test_the_record_of_a_game_gives_the_game(data: st.DataObject) -> None:
    game = data.draw(games(st.sampled_from([*oware.RULE_SETS.values()]) | rules()))
    for _ in range(data.draw(st.integers(0, 60))):
        if game.is_over:
            break
        game.play(data.draw(st.sampled_from(game.legal_moves())))
    record = Record.of(game, South="Ama")
    assert one(str(record)) == record
    again = record.game()
    # A start that is over has no way back to what it was before the seeds were shared out.
    if game.moves or not game.is_over:
        assert again == game
    assert again.to_string() == game.to_string()
    assert again.rules == game.rules
    assert record.check() == []
    assert record.game(plies=len(game.moves)) == again
    if game.is_over:
        wrong = replace(record, result="1-0" if record.result != "1-0" else "0-1")
        assert len(wrong.check()) == 2
        assert (record.points or (0, 0))[0] == (0.5 if game.winner is None else 1 - game.winner)
    else:
        assert record.result == "*"


@given(st.text(st.sampled_from('Ff{}()[]"\\;%*1-0/2 \n\r+!?$.A\x00é')))
def test_any_text_gives_records_or_an_error_with_a_place(text: str) -> None:
    try:
        found = list(read(text))
    except RecordError as caught:
        error = caught
    else:
        assert list(read(text_of(*found))) == found
        return
    line, column = error.line or 0, error.column or 0
    assert 1 <= line <= text.count("\n") + 1
    assert 1 <= column <= len(text.split("\n")[line - 1]) + 1
    assert str(error) == f"line {line}, column {column}: {error.reason}"


@given(st.binary(max_size=60))
def test_any_bytes_give_records_or_an_error(tmp_path_factory: Any, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.ogn"
    path.write_bytes(b"FfEe {" + raw)
    try:
        found = list(read(path))
    except RecordError as caught:
        error = caught
    else:
        assert found[0].moves[3].comments or b"{" + raw.strip() == b"{}"
        return
    assert (error.line or 0) >= 1


WRONG = {
    "(F)": (1, 1, "a variation follows the move that it replaces"),
    "F (": (1, 3, "this variation is never closed"),
    'F (e\n[A "b"]\n*': (1, 3, "this variation is never closed"),
    "F (e (f)\n": (1, 3, "this variation is never closed"),
    "F )": (1, 3, "no variation is open"),
    "F ()": (1, 3, "the variation has no move"),
    "F ({so})": (1, 3, "the variation has no move"),
    "F (f *)": (1, 6, "a result stands within a variation"),
    "F\n  {a\nb": (2, 3, "this comment is never closed"),
    "F }": (1, 3, "'}' begins no"),
    "F" + "(E" * 33: (1, 66, "more than 32 deep"),
    "(" * 100_000: (1, 1, "a variation follows"),
    "F" + "(F" * 100_000: (1, 66, "more than 32 deep"),
    "[": (1, 2, "the name of a tag is missing"),
    "[\r\n": (1, 2, "the name of a tag is missing"),
    "F\n[A \n\n": (3, 1, "the value of the tag A is missing"),
    "[é": (1, 2, "the name of a tag is missing"),
    "[A": (1, 3, "the value of the tag A is missing"),
    "[A b]": (1, 4, "the value of the tag A is missing"),
    '[A "b\n"]': (1, 4, "this string is not closed on its line"),
    '[A "b\\"]': (1, 4, "this string is not closed on its line"),
    '[A "b"\nF': (1, 1, "the tag A is not closed"),
    '[A "b"]\n[A "c"]': (2, 2, "the tag A stands here again"),
    "FfEg": (1, 4, "'g' begins no tag, move, comment, variation or result"),
    "F\r\n\r\n x": (3, 2, "'x' begins no"),
    "!F": (1, 1, "'!' begins no"),
    "+2": (1, 1, "'+' begins no"),
    "F+2+2": (1, 4, "'+' begins no"),
    "F+1000": (1, 2, "'+' begins no"),
    "F $1000": (1, 3, "'$' begins no"),
    "1/2": (1, 2, "'/' begins no"),
    "F\0": (1, 2, r"'\x00' is no text"),
    "{\x1b": (1, 2, r"'\x1b' is no text"),
    "F\ud800": (1, 2, r"'\ud800' is no text"),
    "F {" + "x\n" * 60_000: (1, 3, "the comment is longer than 100000 characters"),
    "F ;" + "x" * 100_001: (1, 3, "the comment is longer than 100000 characters"),
    '[A "' + "x" * 100_001 + '"]': (1, 1, "the value of the tag A is longer than 100000"),
    "games.ogn": (1, 1, "give a pathlib.Path to read a file"),
}


@pytest.mark.parametrize(("text", "told"), WRONG.items(), ids=lambda value: repr(value)[:30])
def test_errors_name_line_and_column(text: str, told: tuple[int, int, str]) -> None:
    with pytest.raises(RecordError) as caught:
        list(read(text))
    error = caught.value
    assert (error.line, error.column) == told[:2]
    assert told[2] in error.reason
    assert isinstance(error, oware.NotationError)
    twin = pickled(error)
    assert (str(twin), twin.line, twin.column) == (str(error), error.line, error.column)


def test_what_comes_before_an_error_has_been_read() -> None:
    found = read("Ff 1-0\n\nEe ?!?!( 0-1")
    assert next(found).transcript == "Ff"
    with pytest.raises(RecordError, match=r"^line 3, column 10: "):
        next(found)


def test_the_import_format() -> None:
    found = list(
        read(
            '%an escape [\n[A "b"] [C\n"d"]{first} 1.F 1... f ; to the end (\n2.E\n% another\n'
            'e 12-3 {and on} ; its line\n\n{before} [A "c"] 5 A * ;\n[B ""]'
        )
    )
    assert found == [
        Record(
            {"A": "b", "C": "d"},
            (
                *Move.line("F"),
                Move("f", ("to the end (",)),
                Move("E"),
                Move("e", ("and on", "its line")),
            ),
            "12-3",
            ("first",),
        ),
        Record({"A": "c"}, Move.line("A"), "*", ("before",)),
        Record({"B": ""}),
    ]
    assert list(read("")) == list(read(" \n\n%\n")) == []


def test_the_result_may_be_in_the_tag_alone() -> None:
    assert one('[Result "0-1"] Ff').result == "0-1"
    assert one('[Result "?"] Ff').result == "*"
    assert one("Ff").points is None


def test_the_longest_texts_are_read_again(tmp_path: Path) -> None:
    # Their lines are the longest that can be written.
    long = Move("F", ("}" + "\U0001f331" * 99_999,))
    records = [Record({"A": "\U0001f331" * 100_000, "B": '"' * 100_000}, (long,)), Record()]
    write(records, tmp_path / "long.ogn")
    assert list(read(tmp_path / "long.ogn")) == records


def test_a_comment_may_have_any_character() -> None:
    move = Move("F", ("a } brace", " two \r\n lines ", "", "{"))
    assert move.comments == ("a } brace", "two lines", "{")
    assert one(str(Record(moves=(move, Move("f"))))).moves == (move, Move("f"))


ILLEGAL = {
    "FF": (1, 2, "move 2 is F, but North is to move: a to f"),
    "F f\nF": (2, 1, "move 3: F is an empty pit; legal: A, B, C, D, E"),
    '[FEN "1-0-0-0-0-0-0-0-0-0-0-0-27-20-S"]\nA': (2, 1, "move 1: A comes after the end"),
    '[FEN "5-0-0-0-0-1-0-0-0-0-0-0-20-22-S"] A': (1, 41, "move 1: A does not feed the opponent"),
    '[FEN "6/2,5S,3 20 20 S 31"] Ff': (1, 29, "move 61: F is an empty pit; legal: C"),
    ' [FEN "4-4"] A': (1, 2, 'the tag FEN: "4-4" does not have the form'),
    '\n[Variant "Kalah"]': (2, 1, "the tag Variant: unknown rules 'Kalah'; known: abapa, harvest"),
    '[Variant "Rules(max_plies=-1)"]': (1, 1, "'max_plies=-1' does not have the form field=value"),
    '[Variant "Rules(max_plies=0)"]': (1, 1, "are no rules"),
    '[Variant "Rules(chess=1)"]': (1, 1, "are no rules"),
    '[Variant "Rules(print(1))"]': (1, 1, "'print(1)' does not have the form field=value"),
}


@pytest.mark.parametrize(("text", "told"), ILLEGAL.items())
def test_what_the_rules_forbid_has_a_place_and_a_reason(
    text: str, told: tuple[int, int, str]
) -> None:
    record = one(text)
    with pytest.raises(RecordError) as caught:
        record.game()
    assert (caught.value.line, caught.value.column) == told[:2]
    assert told[2] in caught.value.reason
    assert [str(problem) for problem in record.check()] == [str(caught.value)]


def test_without_having_been_read_there_is_no_place() -> None:
    with pytest.raises(RecordError, match=r"^move 2 is A, but North is to move: a to f$") as caught:
        Record(moves=Move.line("AA")).game()
    assert caught.value.line is None
    assert str(Record({"Variant": "x"}).check()[0]).startswith("the tag Variant: unknown rules 'x'")


@pytest.mark.parametrize("name", oware.RULE_SETS)
def test_variants_are_names_of_rule_sets(name: str) -> None:
    known: Any = oware.RULE_SETS
    for variant in (name, name.upper(), f" {name} "):
        assert Record({"Variant": variant}).rules == known[name]
    assert Record({"Variant": "Kalah"}).game(known[name]).rules == known[name]
    assert Record({"Variant": "Kalah"}).check(known[name]) == []


def test_without_a_variant_the_rules_are_the_default() -> None:
    assert Record().rules == Record({"Variant": "?"}).rules == oware.Rules()


def test_both_forms_of_a_start() -> None:
    late = oware.Game.from_fen("1,9S,8S,3/3S,1S,1,12S,2 7 8 N 3")
    late.play(late.legal_moves()[0])
    assert "/" in Record.of(late).tags["FEN"]
    assert Record.of(late).game() == late
    early = oware.Game.from_string("0-1-2-3-4-5-6-7-8-9-2-0-1-0-N")
    assert Record.of(early).tags["FEN"] == early.to_string()
    assert "FEN" not in Record.of(oware.Game("awari")).tags


def test_check_looks_into_variations_and_captures() -> None:
    record = one("F+1 (A+0 a (b C C) A)\n(B a B) f (f E+4 f) (F) E {x} E e 0-1")
    assert [str(problem) for problem in record.check()] == [
        "line 1, column 1: move 1: F captures 0 seeds, not 1",
        "line 1, column 17: move 4 is C, but North is to move: a to f",
        "line 1, column 20: move 3: A is an empty pit; legal: B, C, D, E, F",
        "line 2, column 6: move 3: B is an empty pit; legal: A, C, D, E, F",
        "line 2, column 14: move 3: E captures 0 seeds, not 4",
        "line 2, column 18: move 4: f is an empty pit; legal: a, b, c, d, e",
        "line 2, column 22: move 2 is F, but North is to move: a to f",
        "line 2, column 31: move 4 is E, but North is to move: a to f",
    ]


def test_results_that_contradict_the_game_are_kept_and_told() -> None:
    text = (
        """[Variant "Rules(grand_slam='capture_all')"] [FEN "4-0-0-0-0-1-1-0-0-0-0-0-3-3-S"]\n"""
        " F+{} {} {}"
    )
    for result in ("0-1", "1/2-1/2", "*", "8-3", "3-9"):
        record = one(text.format(2, "{two}", result))
        assert record.result == result
        told = f"the result is {result}, but the game has ended: South wins 9-3 (no_move)"
        assert [str(problem) for problem in record.check()] == [f"line 2, column 2: {told}"]
    for result in ("1-0", "9-3"):
        # Aualé gives the last move what the end of the game gave its player.
        for captured in (2, 6):
            assert one(text.format(captured, "", result)).check() == []
    (problem,) = one(text.format(4, "", "1-0")).check()
    assert problem.reason == "move 1: F captures 2 seeds, not 4"
    (problem,) = one('[Result "1-0"] Ff 0-1').check()
    assert str(problem) == "line 1, column 1: the tag Result is '1-0', the moves end with 0-1"
    # Players resign, and agree to draws.
    for result in ("1-0", "0-1", "1/2-1/2", "*"):
        assert one(f"Ff {result}").check() == []


BAD: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "letter": (lambda: Move("g"), ValueError, "'g' is no move"),
    "letters": (lambda: Move("Ff"), ValueError, "'Ff' is no move"),
    "no letter": (lambda: Move(""), ValueError, "'' is no move"),
    "a pit": (lambda: Move(3), TypeError, "a move must be a letter, not int"),  # type: ignore[arg-type]
    "line": (lambda: Move.line(["F"]), TypeError, "letters must be a str, not list"),  # type: ignore[arg-type]
    "a comment": (lambda: Move("F", "x"), TypeError, r"give \('x',\)"),  # type: ignore[arg-type]
    "bytes": (lambda: Move("F", (b"x",)), TypeError, "a comment must be a str, not bytes"),  # type: ignore[arg-type]
    "nul": (lambda: Move("F", ("\0",)), ValueError, "which is no text"),
    "half": (lambda: Variation(Move.line("F"), ("\ud800",)), ValueError, "which is no text"),
    "variations": (lambda: Move("F", (), ("E",)), TypeError, "must be a Variation, not str"),  # type: ignore[arg-type]
    "captured": (lambda: Move("F", captured=-1), ValueError, "captured is -1; give 0 to 999"),
    "captures": (lambda: Move("F", captured=True), TypeError, "captured must be an int, not bool"),
    "mark": (lambda: Move("F", marks=("!!!",)), ValueError, "'!!!' is no mark"),
    "no move": (lambda: Variation(()), ValueError, "a variation has no move"),
    "no moves": (lambda: Variation("E"), TypeError, "a move must be a Move, not str"),  # type: ignore[arg-type]
    "moves": (lambda: Record({}, "Ff"), TypeError, "see Move.line"),  # type: ignore[arg-type]
    "tag": (lambda: Record({"A b": ""}), ValueError, "'A b' is no name of a tag"),
    "value": (lambda: Record({"A": "b\nc"}), ValueError, "the tag A holds the character '.n'"),
    "number": (lambda: Record({"Round": 3}), TypeError, "a tag must be a str with a str"),  # type: ignore[dict-item]
    "result": (lambda: Record(result="2"), ValueError, "'2' is no result: give 1-0"),
    "results": (lambda: Record(result=1), TypeError, "result must be a str, not int"),  # type: ignore[arg-type]
    "long": (lambda: Move("F", ("x" * 100_001,)), ValueError, "longer than 100000 characters"),
    "long value": (lambda: Record({"A": "x" * 100_001}), ValueError, "the tag A is longer than"),
    "newline": (lambda: Record(result="1-0\n"), ValueError, "is no result"),
    "game": (lambda: Record.of("Ff"), TypeError, "game must be an oware.Game, not str"),  # type: ignore[arg-type]
    "of": (lambda: Record.of(oware.Game(), Result="won"), ValueError, "'won' is no result"),
    "plies": (lambda: Record().game(plies=-1), ValueError, "plies is -1; give at least 0"),
    "half a ply": (lambda: Record().game(plies=0.5), TypeError, "plies must be an int"),  # type: ignore[arg-type]
    "rules": (lambda: Record().game("chess"), ValueError, 'unknown rule set "chess"'),  # type: ignore[arg-type]
    "source": (lambda: read(b"Ff"), TypeError, "source must be a path, an open text file or a str"),  # type: ignore[arg-type]
    "binary": (lambda: next(read(io.BytesIO(b"Ff"))), TypeError, "open for bytes: open it as text"),  # type: ignore[arg-type]
    "target": (lambda: write([], "x.ogn"), TypeError, "a pathlib.Path or an open text file"),  # type: ignore[arg-type]
    "nothing": (lambda: write([], None), TypeError, "not NoneType"),  # type: ignore[arg-type]
    "a record": (lambda: write(Record(), io.StringIO()), TypeError, r"give \[record\]"),  # type: ignore[arg-type]
    "records": (lambda: write([Record(), 3], io.StringIO()), TypeError, r"records\[1\] must be a"),  # type: ignore[list-item]
}


@pytest.mark.parametrize("case", BAD)
def test_bad_calls_are_refused(case: str) -> None:
    call, error, message = BAD[case]
    with pytest.raises(error, match=message):
        call()


def test_nothing_can_be_changed() -> None:
    record = one(AUALE)
    tags: Any = record.tags
    with pytest.raises(TypeError):
        tags["South"] = "Kofi"
    for thing in (record, record.moves[0], record.moves[5].variations[0]):
        with pytest.raises(FrozenInstanceError):
            thing.comments = ()  # type: ignore[misc]
    mine = {"South": "Ama"}
    kept = Record(mine)
    mine["South"] = "Kofi"
    assert kept.tags["South"] == "Ama"
    assert repr(kept) == "<oware.Record Ama - ?: 0 plies, *>"


def test_the_deepest_tree_goes_through_everything() -> None:
    inner = Variation(Move.line("A"))
    for _ in range(31):
        inner = Variation((Move("A", variations=(inner,)),))
    record = Record(moves=(Move("A", variations=(inner,)),))
    assert one(str(record)) == record == pickled(record)
    assert copy.deepcopy(record) == record
    assert record.check() == []
    assert hash(record) == hash(replace(record))
    with pytest.raises(ValueError, match="more than 32 deep"):
        Variation((Move("A", variations=(inner,)),))


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.ogn"
    records = [one(AUALE), Record({"Site": "Abidjan, Côte d'Ivoire"}, Move.line("Aa"))]
    assert write(iter(records), path) == 2
    raw = path.read_bytes()
    assert b"\r" not in raw
    assert raw.decode() == text_of(*records)
    assert list(read(path)) == records
    path.write_bytes(b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"))
    assert list(read(path)) == records
    with path.open(encoding="utf-8-sig") as file:
        assert list(read(file)) == records


def test_a_file_can_be_rewritten_from_itself(tmp_path: Path) -> None:
    path = tmp_path / "games.ogn"
    write([Record(moves=Move.line("Ff"))] * 3, path)
    path.chmod(0o640)
    before = stat.S_IMODE(path.stat().st_mode)
    assert write((replace(record, result="1-0") for record in read(path)), path) == 3
    assert [record.result for record in read(path)] == ["1-0"] * 3
    assert stat.S_IMODE(path.stat().st_mode) == before


@pytest.mark.parametrize("error", [TypeError, KeyboardInterrupt, MemoryError])
def test_what_goes_wrong_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    def failing() -> Iterator[Record]:
        yield Record()
        raise error

    for path in (tmp_path / "old.ogn", tmp_path / "new.ogn"):
        if path.name == "old.ogn":
            path.write_text("Ff 1-0\n", encoding="utf-8")
        with pytest.raises(error):
            write(failing(), path)
    assert [path.name for path in tmp_path.iterdir()] == ["old.ogn"]
    assert (tmp_path / "old.ogn").read_text(encoding="utf-8") == "Ff 1-0\n"


def test_folders_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(read(tmp_path / "none.ogn"))
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        write([], tmp_path / "none" / "games.ogn")
    with pytest.raises(OSError, match=r"."):
        write([], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_one(tmp_path: Path) -> None:
    there, link = tmp_path / "there.ogn", tmp_path / "link.ogn"
    try:
        link.symlink_to(there)
    except OSError:
        return  # Windows asks for a right to make links.
    write([Record()], link)
    assert link.is_symlink()
    assert list(read(there)) == [Record()]


ENCODED = {
    "latin 1": (b'[A "b"]\n[South "Jo\xe3o"]', 2, 11, "the byte 0xe3 is not UTF-8"),
    "utf-16": ("Ff".encode("utf-16"), 1, 1, "the byte 0xf"),
    "utf-16 without a mark": ("Ff".encode("utf-16-le"), 1, 2, r"'\\x00' is no text"),
    "gzip": (b"\x1f\x8b\x08\x00\xff", 1, 2, "the byte 0x8b is not UTF-8"),
    "after accents": ("é{é\n é".encode() + b"\xff", 2, 3, "the byte 0xff is not UTF-8"),
    "cut": (b"F {\xc3", 1, 4, "the byte 0xc3 is not UTF-8"),
}


@pytest.mark.parametrize("case", ENCODED)
def test_what_is_not_utf_8_is_told_with_its_place(tmp_path: Path, case: str) -> None:
    raw, line, column, message = ENCODED[case]
    path = tmp_path / "games.ogn"
    path.write_bytes(raw.replace("é{é".encode(), "{é".encode()))
    with pytest.raises(RecordError, match=message) as caught:
        list(read(path))
    assert (caught.value.line, caught.value.column) == (line, column)


def test_an_open_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "games.ogn"
    path.write_bytes(b'[A "b"]\n[South "Jo\xe3o"]')
    with path.open(encoding="utf-8") as file, pytest.raises(RecordError, match="utf-8"):
        list(read(file))
    with path.open(encoding="latin-1") as file:
        assert one(file.read()).tags["South"] == "João"


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize("end", ["F", "é", "{", '[A "'])
def test_long_lines_and_records_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, as_file: bool
) -> None:
    monkeypatch.setattr(_parse, "MAX_LINE", 1000)
    monkeypatch.setattr(_parse, "MAX_RECORD", 5000)
    path = tmp_path / "games.ogn"

    def source(text: str) -> str | Path:
        path.write_text(text, encoding="utf-8", newline="\n")
        return path if as_file else text

    with pytest.raises(RecordError, match="the line is longer than 1000 characters") as caught:
        list(read(source("Ff *\n" + end + "x" * 2000)))
    assert caught.value.line == 2
    with pytest.raises(RecordError, match="the record is longer than 5000 characters"):
        list(read(source("{" + "x\n" * 3000 + "}")))
    assert len(list(read(source("Ff *\n" * 3000)))) == 3000


def test_a_long_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "games.ogn"
    record = one(AUALE)
    write((record for _ in range(2000)), path)
    assert path.stat().st_size > 400_000
    assert sum(1 for _ in read(path)) == 2000
    tracemalloc.start()
    try:
        assert sum(1 for _ in read(path)) == 2000
        write(read(path), tmp_path / "copy.ogn")
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


# Windows has no pipes with names.
if hasattr(os, "mkfifo"):

    def test_records_stream_through_a_pipe(tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=write, args=([Record(moves=Move.line("Ff"))] * 5, pipe))
        writer.start()
        assert [record.transcript for record in read(pipe)] == ["Ff"] * 5
        writer.join()
        assert pipe.is_fifo()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[Any, str, str]]:
    def run(*arguments: object) -> tuple[Any, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main([*map(str, arguments)])
        return (ended.value.code, *capsys.readouterr())

    return run


def test_the_command_checks_files(tmp_path: Path, run: Any) -> None:
    good, bad, cut = (tmp_path / name for name in ("good.ogn", "bad.ogn", "cut.ogn"))
    write([Record.of(oware.Game.from_transcript("FfEe"))] * 2, good)
    assert run("records", "check", good) == (0, "2 records, no problems\n", "")
    bad.write_text('[Variant "Kalah"]\n*\n\nFfF', encoding="utf-8")
    cut.write_text("Ff *\nFf {", encoding="utf-8")
    code, out, err = run("records", "check", bad, good, cut, tmp_path / "none.ogn")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"{bad}:1:1: the tag Variant: unknown rules 'Kalah'; known: abapa")
    assert lines[1:] == [
        f"{bad}:4:3: move 3: F is an empty pit; legal: A, B, C, D, E",
        f"{cut}:2:4: this comment is never closed",
        f"{tmp_path / 'none.ogn'}: No such file or directory",
        "5 records, 4 problems",
    ]
    assert run("records", "check", bad, "--rules", "awari")[1].endswith("2 records, 1 problem\n")
    assert run("records", "check", good, "--rules", "chess")[0] == 2
    assert run("records", "check")[0] == 2


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2] / "docs" / "records.md"
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert tried > 10
    assert failed == 0, capsys.readouterr().out
