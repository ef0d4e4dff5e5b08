from __future__ import annotations

import contextlib
import copy
import pickle
import random
import threading
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import oware
from cases import board
from oware import render

LONE = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
"""One seed in each player's first pit."""


def test_a_new_game() -> None:
    game = oware.Game()
    assert game.pits == (4,) * 12
    assert game.stores == (0, 0)
    assert (game.to_move, game.ply, game.unawarded, game.moves) == (0, 0, 0, [])
    assert (game.last_move, game.last_captures) == (None, ())
    assert (game.is_over, game.termination, game.winner) == (False, None, None)
    assert game.legal_moves() == [0, 1, 2, 3, 4, 5]
    assert game.rules == oware.Rules()
    assert oware.Game(oware.Rules(seeds_per_pit=20)).pits == (20,) * 12


def test_answers_are_plain_python() -> None:
    game = oware.Game()
    game.play(np.int64(2))
    told = [*game.pits, *game.stores, game.to_move, game.ply, *game.moves, *game.legal_moves()]
    assert {type(number) for number in told} == {int}
    moves = game.moves
    moves.append(3)
    assert game.moves == [2]


@pytest.mark.parametrize(
    "pits",
    [
        (1, *[0] * 11),
        [1, *[0] * 11],
        bytes([1, *[0] * 11]),
        np.array([1, *[0] * 11], np.uint8),
        np.eye(12, dtype=np.int16)[:, 0],
        [np.uint8(1), *[0] * 11],
    ],
)
def test_set_ups_from_any_sequence_of_integers(pits: Any) -> None:
    game = oware.Game(pits=pits, stores=np.array([7, 9], np.uint64), to_move=np.int8(1))
    assert game.pits == (1, *[0] * 11)
    assert game.stores == (7, 9)
    assert game.to_move == 1


def test_every_reason_for_a_refusal_is_given() -> None:
    with pytest.raises(oware.SetupError) as refused:
        oware.Game(pits=[50, -1], stores=[-3, 0, 0], to_move=2)
    assert str(refused.value) == (
        "2 pits instead of 12; 3 stores instead of 2; pit 1 holds -1 seeds; "
        "store of South holds -3 seeds; 50 seeds in pits and stores, "
        "the rules have 48 (12 x seeds_per_pit); "
        "to_move is 2, not 0 (South) or 1 (North)"
    )


def test_a_set_up_may_hold_up_to_all_seeds_anywhere() -> None:
    rules = oware.Rules(seeds_per_pit=20)
    game = oware.Game(rules, pits=[240, *[0] * 11])
    assert game.play(0) == 0
    assert sum(game.pits) == 240
    with pytest.raises(
        oware.SetupError, match=r"^241 seeds in pits and stores, the rules have 240"
    ):
        oware.Game(rules, pits=[240, 1, *[0] * 10])
    assert oware.Game(pits=[0] * 12).termination == "even_split"


def test_a_majority_is_of_the_seeds_that_are_there() -> None:
    pits = [0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    game = oware.Game(pits=pits, stores=(2, 2))
    assert game.play(5) == 2
    assert game.termination == "majority"
    assert game.winner == 0
    assert oware.Game(pits=pits, stores=(1, 5)).termination == "majority"
    assert not oware.Game(pits=pits, stores=(1, 4)).is_over


ENDINGS = {
    "majority": oware.Game(pits=LONE, stores=(25, 21)),
    "even_split": oware.Game(pits=[0] * 12, stores=(24, 24)),
    "board_empty": oware.Game("awari", pits=[0] * 12, stores=(20, 28)),
    "no_move": oware.Game(pits=[0] * 6 + LONE[:6], stores=(20, 20)),
    "ply_limit": oware.Game.from_fen("1S,5/1S,5 9 9 S 101", "codingame"),
}


def test_a_letter_is_no_move_but_tells_who_plays_letters() -> None:
    game = oware.Game()
    with pytest.raises(TypeError, match="m must be an int, not str; play_transcript plays letters"):
        game.play("F")  # type: ignore[arg-type]
    assert game == oware.Game()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_game_may_begin_at_its_end(ending: str) -> None:
    game = ENDINGS[ending]
    assert game.is_over
    assert game.termination == ending
    assert game.termination in oware.TERMINATIONS
    assert game.legal_moves() == []
    assert not any(game.is_legal(move) for move in range(6))
    np.testing.assert_array_equal(game.action_mask(), np.ones(6, np.int8))
    for move in range(6):
        with pytest.raises(
            oware.IllegalMoveError, match=f"^action {move} comes after the end of the game$"
        ):
            game.play(move)
    with pytest.raises(IndexError, match="no move"):
        game.undo()


def test_no_move_shares_out_the_board() -> None:
    game = ENDINGS["no_move"]
    assert (game.pits, game.stores, game.unawarded) == ((0,) * 12, (20, 21), 0)
    assert game.winner == 1
    split = oware.Rules(no_move="split")
    game = oware.Game(split, pits=[0] * 6 + [3, 0, 0, 0, 0, 0], stores=(20, 21))
    assert (game.pits, game.stores, game.unawarded) == ((0,) * 12, (21, 22), 1)
    stay = oware.Rules(no_move="stay")
    game = oware.Game(stay, pits=[0] * 6 + [3, 0, 0, 0, 0, 0], stores=(22, 21))
    assert (sum(game.pits), game.stores, game.unawarded) == (3, (22, 21), 0)
    assert game.winner == 0


def test_play_returns_captures_without_the_shares_of_an_ending() -> None:
    game = oware.Game(oware.Rules(max_plies=1))
    assert game.play(5) == 0
    assert game.termination == "ply_limit"
    assert game.stores == (20, 28)
    slam: dict[str, Any] = {"pits": [0, 0, 0, 3, 0, 1, 1, 0, 0, 0, 0, 0], "stores": (10, 10)}
    game = oware.Game(oware.Rules(grand_slam="opponent_takes_rest"), **slam)
    assert game.play(5) == 2
    assert (game.stores, game.termination) == ((12, 13), "majority")


def test_an_ended_game_says_who_won() -> None:
    game = oware.Game("codingame", pits=LONE, stores=(20, 20))
    assert game.winner is None
    assert oware.Game(pits=LONE, stores=(21, 25)).winner == 1
    assert ENDINGS["even_split"].winner is None


@pytest.mark.parametrize(
    ("game", "move", "message"),
    [
        (board("000001", "000000"), 0, "action 0 is an empty pit; legal: 5"),
        (
            board("100001", "000000"),
            0,
            "action 0 does not feed the opponent, whose row is empty; legal: 5",
        ),
        (
            board("100001", "100000", rules="village"),
            5,
            "action 5 leaves the opponent without a seed; legal: 0",
        ),
        (oware.Game(), 6, "action 6 is not a pit from 0 to 5; legal: 0, 1, 2, 3, 4, 5"),
        (oware.Game(), -1, "action -1 is not a pit from 0 to 5; legal: 0, 1, 2, 3, 4, 5"),
        (oware.Game(), 10**30, f"action {10**30} is not a pit"),
        (oware.Game(), -(10**30), f"action -{10**30} is not a pit"),
        # Python does not print integers as long as this.
        pytest.param(oware.Game(), 10**5000, "action an integer of 16610 bits is", id="long"),
    ],
)
def test_an_illegal_move_is_explained_and_changes_nothing(
    game: oware.Game, move: int, message: str
) -> None:
    before = game.copy()
    with pytest.raises(oware.IllegalMoveError, match=f"^{message}"):
        game.play(move)
    assert not game.is_legal(move)
    assert game == before


def test_undo() -> None:
    game = oware.Game()
    states = []
    for move in (5, 5, 4, 4):
        states.append(game.copy())
        game.play(move)
    assert [game.undo() for _ in range(4)] == [4, 4, 5, 5]
    assert game == states[0]
    with pytest.raises(IndexError, match="no move has been played that could be undone"):
        game.undo()


def test_undo_from_a_finished_game() -> None:
    game = board("000001", "011000", rules=oware.Rules(no_move="split", feeding="free"))
    before = game.copy()
    game.play_transcript("Fa")
    assert (game.termination, game.stores, game.unawarded) == ("no_move", (1, 1), 1)
    assert game.undo() == 0
    assert (game.termination, game.stores, game.unawarded) == (None, (0, 0), 0)
    assert game.undo() == 5
    assert game == before


def test_copies_are_independent() -> None:
    game = oware.Game.from_transcript("FfEe")
    for other in (game.copy(), copy.copy(game), copy.deepcopy(game), copy.deepcopy([game])[0]):
        assert other == game
        assert other is not game
        other.play(0)
        assert other != game
        assert game.ply == 4


def test_equality_is_of_the_whole_history() -> None:
    start = oware.Game()
    start.play(0)
    there = oware.Game.from_string(start.to_string())
    assert there.pits == start.pits
    assert there != start
    assert oware.Game("abapa") == oware.Game("nineqm")
    assert oware.Game("abapa") != oware.Game("harvest")
    assert start != start.transcript()
    assert oware.Game.from_fen("6S,5/5,6S 0 0 S 1") != oware.Game.from_fen("6S,5/5,6S 0 0 S 2")


def test_games_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(oware.Game())


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "game",
    [
        oware.Game.from_transcript("FfEe"),
        oware.Game("awari", pits=LONE, stores=(3, 4), to_move=1),
        oware.Game.from_fen("6S,5/5,6S 0 0 N 77", oware.Rules(seeds_per_pit=1)),
        *ENDINGS.values(),
    ],
    ids=repr,
)
def test_pickle(game: oware.Game, protocol: int) -> None:
    twin = pickle.loads(pickle.dumps(game, protocol))  # noqa: S301 - our own bytes
    assert twin == game
    assert (twin.ply, twin.moves, repr(twin), str(twin)) == (
        game.ply,
        game.moves,
        repr(game),
        str(game),
    )


def test_a_tampered_pickle_is_refused() -> None:
    restore, (rules, start, ply, moves) = oware.Game.from_transcript("FfEe").__reduce__()
    build: Any = restore
    assert build(rules, start, ply, moves) == oware.Game.from_transcript("FfEe")
    with pytest.raises(oware.IllegalMoveError):
        build(rules, start, ply, b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")
    with pytest.raises(oware.IllegalMoveError):
        build(rules, start, ply, b"\x06")
    with pytest.raises(oware.NotationError):
        build(rules, "9" + str(start), ply, moves)


def test_repr_names_the_rules_the_ply_and_the_position() -> None:
    game = oware.Game.from_transcript("Ff", "auale")
    assert repr(game) == f"<oware.Game auale ply 2: {game.to_string()}>"
    house = oware.Game(oware.Rules(repetition=0, max_plies=9))
    assert repr(house).startswith("<oware.Game Rules(repetition=0, max_plies=9) ply 0: 4-4-")


def test_pictures_are_drawn_by_render() -> None:
    game = oware.Game(pits=[0, 0, 0, 0, 0, 1, 1, 4, 4, 4, 4, 4])
    game.play(5)
    for part in ("svg", "html"):
        drawn = getattr(game, f"_repr_{part}_")()
        assert drawn == getattr(render, part)(game)
        assert drawn != getattr(render, part)(oware.Game())
    assert ET.fromstring(game._repr_svg_()).tag.endswith("svg")  # noqa: S314 - our own text


@pytest.mark.parametrize(
    ("kind", "shape", "dtype"),
    [
        ("seeds", (14,), np.uint8),
        ("normalized", (14,), np.float32),
        ("one_hot", (14, 25), np.float32),
    ],
)
def test_observations_are_fresh_owned_and_writable(
    kind: Any, shape: tuple[int, ...], dtype: type
) -> None:
    game = oware.Game(pits=[30, *[0] * 10, 1], stores=(7, 9), to_move=1)
    seen = game.observation(kind)
    assert seen.shape == shape
    assert seen.dtype == dtype
    assert seen.flags.owndata
    assert seen.flags.writeable
    assert seen.flags.c_contiguous
    seen[:] = 0
    assert game.observation(kind).any()


def test_an_observation_is_the_movers() -> None:
    game = oware.Game(pits=[30, *[0] * 10, 1], stores=(7, 9), to_move=1)
    counts = np.array([0, 0, 0, 0, 0, 1, 30, 0, 0, 0, 0, 0, 9, 7])
    np.testing.assert_array_equal(game.observation(), counts)
    np.testing.assert_array_equal(
        game.observation("normalized"), np.float32(counts) / np.float32(48)
    )
    one_hot = game.observation("one_hot")
    np.testing.assert_array_equal(one_hot.argmax(1), np.minimum(counts, 24))
    np.testing.assert_array_equal(one_hot.sum(1), np.ones(14))


def test_an_action_mask_is_fresh() -> None:
    game = oware.Game.from_transcript("Ff")
    mask = game.action_mask()
    assert mask.dtype == np.int8
    assert mask.flags.owndata
    assert mask.flags.writeable
    assert mask.tolist() == [1, 1, 1, 1, 1, 0]
    mask[:] = 0
    assert game.action_mask().tolist() == [1, 1, 1, 1, 1, 0]


def test_attributes_cannot_be_set() -> None:
    game: Any = oware.Game()
    for name in ("pits", "stores", "to_move", "ply", "rules", "moves", "winner", "nonsense"):
        with pytest.raises(AttributeError):
            setattr(game, name, None)


def test_one_game_in_many_threads() -> None:
    # Moves and undos from several threads interleave, but each one is whole.
    game = oware.Game(oware.Rules(repetition=0, majority_ends=False))
    stop = threading.Event()
    wrong: list[object] = []

    def disturb(seed: int) -> None:
        luck = random.Random(seed)
        while not stop.is_set():
            with contextlib.suppress(oware.IllegalMoveError, IndexError):
                game.play(luck.randrange(6)) if luck.random() < 0.6 else game.undo()

    def watch() -> None:
        while not stop.is_set():
            twin = game.copy()
            if sum(twin.pits) + sum(twin.stores) != 48 or twin.ply != len(twin.moves):
                wrong.append(twin)

    threads = [threading.Thread(target=disturb, args=(seed,)) for seed in range(3)]
    threads.append(threading.Thread(target=watch))
    for thread in threads:
        thread.start()
    threading.Event().wait(0.5)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    replayed = oware.Game(game.rules)
    replayed.play_transcript(game.transcript())
    assert replayed == game
