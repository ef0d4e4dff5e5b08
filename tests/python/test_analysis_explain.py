"""What is said of a position is so: every sentence is held to the rules, on many positions."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

import oware
from oware.analysis import Fact, explain, hint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware.types import GrandSlam

LETTERS = "ABCDEFabcdef"
SEATS = ("South", "North")
ROWS = (range(6), range(6, 12))


def positions(number: int, seed: int) -> Iterator[oware.Game]:
    """Positions from all phases of games, under every named rule set and grand slam."""
    rng = random.Random(seed)
    kinds: list[GrandSlam] = [
        *("capture_all", "leave_landing_pit", "leave_far_pit", "opponent_takes_rest")
    ]
    rules = [*oware.RULE_SETS.values(), *(oware.Rules(grand_slam=kind) for kind in kinds)]
    rules.append(oware.Rules(feeding="free"))
    for at in range(number):
        game = oware.Game(rules[at % len(rules)])
        for _ in range(rng.randrange(120)):
            # Many captures, so that endings with few seeds come about.
            found = [(game.copy().play(move), rng.random(), move) for move in game.legal_moves()]
            choice = max(found)[2] if rng.random() < 0.6 else rng.choice(found)[2]
            before = game.copy()
            game.play(choice)
            if game.is_over:
                game = game if at % 20 == 0 else before
                break
        yield game
    for at in range(number // 4):
        # Few seeds, a row that is empty or as good as empty.
        pits = [rng.choice((0, 0, 0, 1, 2, 3, 8, 13)) if rng.random() < 0.4 else 0 for _ in ROWS[0]]
        thin = [rng.choice((0, 1, 2)) if rng.random() < 0.3 else 0 for _ in ROWS[1]]
        mover = rng.randrange(2)
        board = [*pits, *thin] if mover == 0 else [*thin, *pits]
        while sum(board) > 44:
            board[board.index(max(board))] = 1
        yield oware.Game(rules[at % len(rules)], pits=board, to_move=mover)


POSITIONS = list(positions(240, seed=8))


def takes(game: oware.Game, mover: int) -> dict[int, tuple[int, set[int]]]:
    """What each legal move of a player captures, and where, by playing it."""
    rules = game.rules.replace(majority_ends=False, repetition=0, max_plies=None, no_move="stay")
    found = {}
    for move in range(6):
        position = oware.Game(rules, pits=game.pits, stores=game.stores, to_move=mover)
        if position.is_legal(move):
            taken = position.play(move)
            if taken:
                found[move] = (taken, set(position.last_captures))
    return found


def told(fact: Fact) -> tuple[int, tuple[int, set[int]]]:
    """Move, seeds and pits of a sentence on a capture."""
    said = re.search(r"([A-Fa-f]) captures (\d+) seeds? \(([a-fA-F, ]+)\)", fact.text)
    assert said is not None, fact.text
    pits = {LETTERS.index(name) for name in said[3].split(", ")}
    assert fact.pits == tuple(sorted(pits))
    assert fact.seeds == int(said[2])
    assert fact.moves == (LETTERS.index(said[1]) % 6,)
    assert (LETTERS.index(said[1]) >= 6) == (fact.seat == 1)
    return fact.moves[0], (int(said[2]), pits)


def held(game: oware.Game) -> set[str]:
    """Hold everything said of a position to the rules; the kinds of what was said."""
    found = explain(game)
    assert found.text.splitlines() == [fact.text for fact in found.facts]
    assert str(found) == found.text
    if game.is_over:
        assert found.text == f"{game.status()}."
        return {"over"}
    mover, other = game.to_move, 1 - game.to_move
    total = sum(game.pits) + sum(game.stores)

    [turn] = found.of("turn")
    said = re.fullmatch(r"(\w+) is to move; (\d+) seeds? (?:is|are) on the board\.", turn.text)
    assert said is not None
    assert (SEATS.index(said[1]), int(said[2])) == (mover, sum(game.pits))

    counts = found.of("count")
    assert [fact.seat for fact in counts] == [0, 1]
    for seat, fact in enumerate(counts):
        numbers = [int(number) for number in re.findall(r"\d+", fact.text)]
        store = game.stores[seat]
        if 2 * store > total:
            assert fact.seeds == 0
            assert numbers == [store, total]
            assert "more than half" in fact.text
        else:
            assert numbers == [store, fact.seeds, total]
            assert 2 * (store + (fact.seeds or 0)) > total >= 2 * (store + (fact.seeds or 0) - 1)

    for kind, seat in (("capture", mover), ("threat", other)):
        facts = found.of("capture" if kind == "capture" else "threat")
        truth = takes(game, seat)
        if truth:
            assert dict(told(fact) for fact in facts) == truth
            assert len(facts) == len(truth)
            assert all(fact.seat == seat for fact in facts)
            seeds = [fact.seeds or 0 for fact in facts]
            assert seeds == sorted(seeds, reverse=True)
        else:
            assert [fact.seeds for fact in facts] == [0]
            assert SEATS[seat] in facts[0].text

    held_feeding(game, found.of("feeding"), found.of("illegal"))

    for fact in found.of("slam"):
        [move] = fact.moves
        everything = oware.Game(
            game.rules.replace(grand_slam="capture_all", majority_ends=False, no_move="stay"),
            pits=game.pits,
            to_move=mover,
        )
        assert everything.play(move) == fact.seeds
        assert not any(everything.pits[pit] for pit in ROWS[other])
        if "not legal" in fact.text:
            assert not game.is_legal(move)
        elif "nothing" in fact.text:
            assert move not in takes(game, mover)
        else:
            numbers = [int(number) for number in re.findall(r"\d+", fact.text)]
            assert numbers == [fact.seeds, takes(game, mover)[move][0]]

    laps = {pit: number for pit, number in enumerate(game.pits) if number >= 12}
    assert {fact.pits[0]: fact.seeds for fact in found.of("lap")} == laps
    assert all(f"{LETTERS[f.pits[0]]} has {f.seeds} seeds" in f.text for f in found.of("lap"))

    weak: dict[int | None, Fact] = {fact.seat: fact for fact in found.of("weak")}
    for seat in range(2):
        thin = tuple(pit for pit in ROWS[seat] if game.pits[pit] in (1, 2))
        assert (weak[seat].pits if seat in weak else ()) == thin
        if thin:
            subject = weak[seat].text.split(" hold")[0]
            assert re.findall(r"\b[A-Fa-f]\b", subject) == [LETTERS[pit] for pit in thin]
    return {fact.kind for fact in found.facts}


def held_feeding(game: oware.Game, feeding: tuple[Fact, ...], illegal: tuple[Fact, ...]) -> None:
    """Hold what is said of feeding, and of moves that are not legal."""
    mover, other = game.to_move, 1 - game.to_move
    legal = game.legal_moves()
    full = [move for move in range(6) if game.pits[6 * mover + move]]
    empty = not any(game.pits[pit] for pit in ROWS[other])
    assert len(feeding) == empty
    for fact in feeding:
        assert SEATS[other] in fact.text
        feeds = []
        for move in full:
            after = oware.Game(
                game.rules.replace(feeding="free", grand_slam="capture_nothing", no_move="stay",
                                   majority_ends=False, repetition=0, max_plies=None),
                pits=game.pits,
                to_move=mover,
            )  # fmt: skip
            after.play(move)
            if any(after.pits[pit] for pit in ROWS[other]):
                feeds.append(move)
        if "must feed" in fact.text:
            assert list(fact.moves) == legal == feeds
            names = re.findall(r"\b[A-Fa-f]\b", fact.text)
            assert names == [LETTERS[6 * mover + move] for move in legal]
        elif "no move can" in fact.text:
            assert not feeds
        else:
            assert legal == full
    barred = tuple(move for move in full if move not in legal and not empty)
    assert tuple(move for fact in illegal for move in fact.moves) == barred
    for fact in illegal:
        names = re.findall(r"\b[A-Fa-f]\b", fact.text.split(" would")[0])
        assert names == [LETTERS[6 * mover + move] for move in fact.moves]


def test_every_sentence_is_true() -> None:
    assert len(POSITIONS) >= 200
    kinds = set().union(*map(held, POSITIONS))
    # Nothing that can be said went without a position to hold it to.
    assert kinds >= {
        *("over", "turn", "count", "feeding", "illegal", "capture", "threat", "slam"),
        *("lap", "weak"),
    }


def test_every_reason_of_a_hint_is_true() -> None:
    kinds: set[str] = set()
    for game in POSITIONS:
        if game.is_over:
            continue
        found = hint(game, depth=4)
        mover, other = game.to_move, 1 - game.to_move
        after = game.copy()
        captured = after.play(found.move)
        left = max((seeds for seeds, _ in takes(after, other).values()), default=0)
        before = max((seeds for seeds, _ in takes(game, other).values()), default=0)
        values = sorted((value for value in found.values if value is not None), reverse=True)
        for fact in found.reasons:
            kinds.add(fact.kind)
            if fact.kind == "only":
                assert game.legal_moves() == [found.move]
            elif fact.kind == "ends":
                assert after.is_over
                assert after.status() in fact.text
            elif fact.kind == "capture":
                assert told(fact) == (found.move, takes(game, mover)[found.move])
                assert fact.seeds == captured
            elif fact.kind == "feeds":
                assert not any(game.pits[pit] for pit in ROWS[other])
                assert any(after.pits[pit] for pit in ROWS[other])
            elif fact.kind == "saves":
                assert fact.seeds == before - left > 0
                numbers = [int(number) for number in re.findall(r"(\d+) seeds?", fact.text)]
                assert numbers == ([before, left] if left else [before])
            elif fact.kind == "safe":
                assert left == 0
            elif fact.kind == "threatens":
                ahead = max(takes(after, mover).values(), key=lambda take: take[0])
                assert fact.seeds == ahead[0]
            elif fact.kind == "margin":
                assert values[0] - values[1] >= 1
            else:
                assert fact.kind == "value"
                assert found.value == values[0]
        assert (captured > 0) == any(fact.kind == "capture" for fact in found.reasons)
        assert found.letter == LETTERS[6 * mover + found.move]
    assert kinds == {
        *("only", "ends", "capture", "feeds", "saves", "safe", "threatens", "margin", "value"),
    }


@pytest.mark.parametrize(
    ("rules", "pits", "sentence"),
    [
        (
            "abapa",
            [4, 0, 0, 0, 3, 1, *[0] * 6],
            "North has no seed: South must feed it, with E or F.",
        ),
        (
            oware.Rules(feeding="free"),
            [4, 0, 0, 0, 3, 1, *[0] * 6],
            "North has no seed; under these rules it need not be fed.",
        ),
        ("awari", [1, 0, 0, 0, 0, *[0] * 7], "North has no seed, and no move can feed it."),
        (
            "awari",
            [4, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0],
            "F would leave North without a seed, which the rules forbid.",
        ),
        (
            "awari",
            [4, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0],
            "F would take all 4 seeds of North, a grand slam, and is not legal.",
        ),
        (
            "abapa",
            [4, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0],
            "F would take all 4 seeds of North, a grand slam: it captures nothing.",
        ),
        (
            oware.Rules(grand_slam="leave_far_pit"),
            [4, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0],
            "F would take all 4 seeds of North, a grand slam: it captures only 2 seeds.",
        ),
        (
            oware.Rules(grand_slam="opponent_takes_rest"),
            [4, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0, 0],
            "F captures 4 seeds (a, b), a grand slam, and North takes all that is left.",
        ),
        (
            "abapa",
            [0, 12, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0],
            "B has 12 seeds: it sows round the board and skips itself.",
        ),
    ],
)  # fmt: skip
def test_what_is_said(rules: oware.Rules, pits: list[int], sentence: str) -> None:
    assert sentence in explain(oware.Game(rules, pits=pits)).text.splitlines()
