"""Every position and every game of the case files, played through `Game`."""

from __future__ import annotations

from collections import Counter

import pytest

import cases
import oware

RULES = cases.rules()


def test_the_named_rule_sets_have_the_values_of_the_case_files() -> None:
    assert {name: RULES[name] for name in oware.RULE_SETS} == dict(oware.RULE_SETS)


@pytest.mark.parametrize("rules", RULES)
def test_positions(rules: str) -> None:
    checked = Counter[str]()
    for case in cases.positions():
        if case["rules"] != rules:
            continue
        checked["positions"] += 1
        setup = {key: case[key] for key in ("pits", "stores", "to_move")}
        game = oware.Game(RULES[rules], **setup)  # type: ignore[arg-type]
        assert cases.seen(game) == case["start"], case
        assert game.winner == cases.winner(case["start"]), case
        assert game.legal_moves() == sorted(map(int, case["moves"])), case
        before = game.copy()
        for move in range(6):
            assert game.is_legal(move) == (str(move) in case["moves"]), case
            if str(move) not in case["moves"]:
                with pytest.raises(oware.IllegalMoveError, match=f"^action {move} "):
                    game.play(move)
                continue
            checked["moves"] += 1
            expected = case["moves"][str(move)]
            assert {"captured": game.play(move), **cases.seen(game)} == expected, (move, case)
            assert game.winner == cases.winner(expected)
            assert game.undo() == move
            assert game == before
    assert checked["positions"] == 100
    assert checked["moves"] > 200


@pytest.mark.parametrize("rules", RULES)
def test_games(rules: str) -> None:
    checked = 0
    for case in cases.games():
        if case["rules"] != rules:
            continue
        checked += 1
        game = oware.Game(RULES[rules])
        for move in case["moves"]:
            assert not game.is_over, case
            game.play(move)
        assert cases.seen(game) == case["end"], case
        assert game.winner == cases.winner(case["end"])
        assert game.ply == case["plies"]
        assert game.moves == case["moves"]
        assert oware.Game.from_transcript(game.transcript(), RULES[rules]) == game
    assert checked == 30
