from __future__ import annotations

import pytest

import oware

START = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"
FEN = "4S,4S,4S,4S,4S,4S/4S,4S,4S,4S,4S,4S 0 0 S 1"


def test_the_start() -> None:
    assert oware.Game().to_string() == START
    assert oware.Game().to_fen() == FEN
    assert oware.Game.from_string(START) == oware.Game.from_fen(FEN) == oware.Game()


def test_the_parts_of_a_string() -> None:
    game = oware.Game.from_string("0-1-2-3-4-5-6-7-8-9-2-0-1-0-N")
    assert game.pits == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 0)
    assert game.stores == (1, 0)
    assert game.to_move == 1
    assert game.ply == 0


def test_the_parts_of_a_fen() -> None:
    # North's pits from 11 down to 6, then South's from 0 up to 5; a bare number is empty pits.
    game = oware.Game.from_fen("1,9S,8S,3/3S,1S,1,12S,2 7 8 N 3")
    assert game.pits == (3, 1, 0, 12, 0, 0, 0, 0, 0, 8, 9, 0)
    assert game.stores == (7, 8)
    assert game.to_move == 1
    assert game.ply == 5
    assert game.to_fen() == "1,9S,8S,3/3S,1S,1,12S,2 7 8 N 3"


def test_empty_pits_may_be_written_one_by_one_or_as_no_seeds() -> None:
    packed = oware.Game.from_fen("6/2,5S,3 20 20 S 1")
    assert oware.Game.from_fen("1,1,1,1,1,1/1,1,5S,0S,1,1 20 20 S 1") == packed


def test_both_forms_take_rules() -> None:
    rules = oware.Rules(seeds_per_pit=20)
    assert oware.Game.from_string("20-" * 12 + "0-0-S", rules) == oware.Game(rules)
    assert oware.Game.from_fen("20S,20S,20S,20S,20S,20S/6 60 60 N 1", rules=rules).stores == (
        60,
        60,
    )
    assert oware.Game.from_string(START, rules="auale").rules == oware.Rules.named("auale")


def test_the_ply_limit_counts_the_move_number_of_a_fen() -> None:
    rules = oware.Rules(max_plies=60)
    assert oware.Game.from_fen("6S,5/5,6S 0 0 N 30", rules).play(5) == 0
    assert oware.Game.from_fen("6S,5/5,6S 0 0 S 31", rules).termination == "ply_limit"
    assert oware.Game.from_string("0-0-0-0-0-6-0-0-0-0-0-6-0-0-S", rules).ply == 0


def test_a_finished_position_may_be_read() -> None:
    game = oware.Game.from_string("1-0-0-0-0-0-0-0-0-0-0-0-30-17-N")
    assert game.termination == "majority"
    assert game.winner == 0


BAD_STRINGS = {
    "": "form",
    "4-4": "form",
    START + "-S": "form",
    START.replace("-S", "-s"): 'the mover is "s", not "S" or "N"',
    START.replace("-S", ""): "form",
    START.replace("4-0-0", "-0-0"): 'a pit is "", not a number',
    START.replace("0-0-S", "0-x-S"): 'a store is "x", not a number',
    START.replace("4-4-4", "4-+4-4"): r'a pit is "\+4", not a number',
    START.replace("4-4-4", "4- 4-4"): 'a pit is " 4", not a number',
    START.replace("4-4-4", "4-٤-4"): 'a pit is "٤", not a number',
    START.replace("0-0-S", "1-0-S"): "49 seeds in pits and stores, the rules have 48",
    START.replace("0-0-S", f"{10**30}-0-S"): "a store is .* not a number in range",
    f"4-{'9' * 18}-" + "4-" * 10 + "0-0-S": "seeds in pits and stores",
}


@pytest.mark.parametrize(("text", "message"), BAD_STRINGS.items())
def test_bad_strings_are_refused(text: str, message: str) -> None:
    with pytest.raises(oware.NotationError, match=message):
        oware.Game.from_string(text)


BAD_FENS = {
    "": "form",
    FEN.removesuffix(" 1"): "form",
    FEN + " 1": "form",
    FEN.replace("/", ","): "form",
    FEN.replace("4S,", "", 1): "form",
    FEN.replace("4S,", "4S,4S,", 1): "form",
    FEN.replace("4S,", "7,", 1): "form",
    FEN.replace("4S,", "0,", 1): "form",
    FEN.replace("4S,", "S,", 1): "form",
    FEN.replace("4S,", "-4S,", 1): "form",
    FEN.replace("4S,", "5S,", 1): "49 seeds in pits and stores, the rules have 48",
    FEN.replace(" 0 0", " x 0"): 'South\'s store is "x", not a number',
    FEN.replace(" 0 0", " 0 -1"): 'North\'s store is "-1", not a number',
    FEN.replace("S 1", "W 1"): 'the mover is "W", not "S" or "N"',
    FEN.replace("S 1", "S 0"): 'the move number is "0", not a number in range',
    FEN.replace("S 1", "S 2147483649"): "the move number is .* not a number in range",
    FEN.replace("S 1", f"S {2**63 - 1}"): "the move number is .* not a number in range",
    FEN.replace("S 1", f"S {10**30}"): "the move number is .* not a number in range",
}


@pytest.mark.parametrize(("text", "message"), BAD_FENS.items())
def test_bad_fens_are_refused(text: str, message: str) -> None:
    with pytest.raises(oware.NotationError, match=message):
        oware.Game.from_fen(text)


def test_the_largest_move_number() -> None:
    assert oware.Game.from_fen(FEN.replace("S 1", "S 2147483648")).ply == 2**32 - 2


def test_a_transcript() -> None:
    game = oware.Game.from_transcript("FfEe")
    assert game.moves == [5, 5, 4, 4]
    assert game.to_string() == "6-6-6-5-0-1-6-6-6-5-0-1-0-0-S"
    assert game.transcript() == "FfEe"


def test_a_transcript_begins_with_the_player_to_move() -> None:
    game = oware.Game(to_move=1)
    game.play_transcript("fAe")
    assert game.moves == [5, 0, 4]
    assert game.transcript() == "fAe"


def test_white_space_in_a_transcript_is_passed_over() -> None:
    assert oware.Game.from_transcript("\n Ff\tE e \n") == oware.Game.from_transcript("FfEe")
    assert oware.Game.from_transcript("") == oware.Game()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FfG", "move 3 is 'G', but South is to move: A to F"),
        ("FF", "move 2 is 'F', but North is to move: a to f"),
        ("f", "move 1 is 'f', but South is to move: A to F"),
        ("Ff1", "move 3 is '1', but South is to move"),
        ("F f F", "move 3: action 5 is an empty pit; legal: 0, 1, 2, 3, 4"),
        ("Ff🌱", "move 3 is '🌱', but South"),
    ],
)
def test_a_bad_transcript_is_refused_and_leaves_the_game_as_it_was(text: str, message: str) -> None:
    with pytest.raises(oware.NotationError, match=message):
        oware.Game.from_transcript(text)
    game = oware.Game()
    with pytest.raises(oware.NotationError, match=message):
        game.play_transcript(text)
    assert game == oware.Game()


def test_a_transcript_cannot_go_on_after_the_end() -> None:
    game = oware.Game(oware.Rules(max_plies=2))
    with pytest.raises(
        oware.NotationError, match="move 3: action 4 comes after the end of the game"
    ):
        game.play_transcript("FfE")


def test_the_board_as_text() -> None:
    game = oware.Game.from_string("0-1-2-3-4-5-6-7-8-9-2-0-1-0-N")
    assert str(game).splitlines() == [
        "            f    e    d    c    b    a",
        "North   0 [  0][  2][  9][  8][  7][  6]",
        "          [  0][  1][  2][  3][  4][  5]   1 South",
        "            A    B    C    D    E    F",
        "North to move",
    ]
    assert str(oware.Game(pits=[0] * 12, stores=(24, 24))).endswith("\nDraw 24-24 (even_split)")
