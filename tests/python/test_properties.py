"""What holds for every game, under any rules and from any board."""

from __future__ import annotations

import copy
import pickle
import random
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oware
import strategies

if TYPE_CHECKING:
    from collections.abc import Iterator

# Long enough for most random games to end.
PLIES = 300

games = strategies.games()
luck = st.builds(random.Random, st.integers(0, 2**32))
quick = settings(deadline=None)


def play_out(game: oware.Game, luck: random.Random, plies: int = PLIES) -> Iterator[int]:
    """Play random moves and yield each one after it was played."""
    while not game.is_over and plies > 0:
        move = luck.choice(game.legal_moves())
        game.play(move)
        yield move
        plies -= 1


def everything(game: oware.Game) -> tuple[object, ...]:
    """All that a game tells about itself."""
    return (
        *(game.pits, game.stores, game.to_move, game.ply, game.rules, game.moves),
        *(game.last_move, game.last_captures, game.unawarded, game.legal_moves()),
        *(game.is_over, game.termination, game.winner),
        *(str(game), repr(game), game.transcript(), game.to_fen(), game.to_string()),
        *(game.observation().tobytes(), game.action_mask().tobytes()),
    )


@quick
@given(game=games, luck=luck)
def test_seeds_are_conserved(game: oware.Game, luck: random.Random) -> None:
    # The arguments, and not what an ending made of them, say how many there are.
    seeds = sum(game.pits) + sum(game.stores) + game.unawarded
    for _ in play_out(game, luck):
        assert sum(game.pits) + sum(game.stores) + game.unawarded == seeds
        assert min(game.pits) >= 0
        assert game.unawarded in (0, 1)


@quick
@given(game=games, luck=luck)
def test_a_game_that_is_not_over_has_a_legal_move(game: oware.Game, luck: random.Random) -> None:
    while True:
        legal = game.legal_moves()
        assert bool(legal) != game.is_over
        assert (game.termination is None) != game.is_over
        assert [move for move in range(-1, 7) if game.is_legal(move)] == legal
        assert list(np.flatnonzero(game.action_mask())) == (legal or [*range(6)])
        assert all(game.pits[6 * game.to_move + move] for move in legal)
        if next(play_out(game, luck), None) is None or game.ply > PLIES:
            break


@quick
@given(game=games, luck=luck)
def test_undo_restores_everything(game: oware.Game, luck: random.Random) -> None:
    before = [(game.copy(), everything(game), pickle.dumps(game))]
    moves = []
    for move in play_out(game, luck, plies=60):
        moves.append(move)
        before.append((game.copy(), everything(game), pickle.dumps(game)))
    assert game.moves == moves
    before.pop()
    while moves:
        assert game.undo() == moves.pop()
        as_copied, as_told, as_pickled = before.pop()
        assert game == as_copied
        assert everything(game) == as_told
        assert pickle.dumps(game) == as_pickled


@quick
@given(game=games, luck=luck)
def test_copies_and_pickles_are_equal_and_play_on_alike(
    game: oware.Game, luck: random.Random
) -> None:
    for _ in play_out(game, luck, plies=luck.randrange(60)):
        pass
    twins = [game.copy(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]  # noqa: S301 - our own bytes
    for move in play_out(game, luck):
        for twin in twins:
            assert twin != game
            twin.play(move)
    for twin in twins:
        assert twin == game
        assert everything(twin) == everything(game)


@quick
@given(game=games, luck=luck)
def test_positions_survive_as_text(game: oware.Game, luck: random.Random) -> None:
    for _ in play_out(game, luck, plies=luck.randrange(60)):
        pass
    # A text has neither history nor the seed that is nobody's, so an ending may be told otherwise.
    endless = game.rules.replace(repetition=0, max_plies=None, no_move="stay")
    for read in (
        oware.Game.from_string(game.to_string(), endless),
        oware.Game.from_fen(game.to_fen(), endless),
    ):
        assert (read.pits, read.stores, read.to_move) == (game.pits, game.stores, game.to_move)
        assert read.to_string() == game.to_string()
    read = oware.Game.from_fen(game.to_fen(), endless)
    # A FEN's move number counts moves of both players, South's first.
    assert read.ply == game.ply // 2 * 2 + game.to_move
    assert oware.Game.from_fen(read.to_fen(), endless) == read


@quick
@given(rules=strategies.rules(), luck=luck)
def test_games_survive_as_transcripts(rules: oware.Rules, luck: random.Random) -> None:
    game = oware.Game(rules)
    for _ in play_out(game, luck, plies=luck.randrange(PLIES)):
        pass
    assert oware.Game.from_transcript(game.transcript(), rules) == game


def rotated(game: oware.Game) -> oware.Game:
    """The game's position seen from the other side of the board."""
    pits, (south, north) = game.pits, game.stores
    return oware.Game(
        game.rules, pits=pits[6:] + pits[:6], stores=(north, south), to_move=1 - game.to_move
    )


@quick
@given(game=games.filter(lambda game: not game.is_over), luck=luck)
def test_the_seats_are_alike(game: oware.Game, luck: random.Random) -> None:
    mirror = rotated(game)
    for move in play_out(game, luck):
        assert mirror.play(move) is not None
        assert mirror.pits == game.pits[6:] + game.pits[:6]
        assert mirror.stores == game.stores[::-1]
        assert mirror.to_move == 1 - game.to_move
        assert mirror.legal_moves() == game.legal_moves()
        assert mirror.termination == game.termination
        assert mirror.unawarded == game.unawarded
        assert mirror.winner == (None if game.winner is None else 1 - game.winner)
        np.testing.assert_array_equal(mirror.observation(), game.observation())


@quick
@given(
    game=strategies.games(strategies.rules().filter(lambda rules: bool(rules.max_plies))), luck=luck
)
def test_games_with_a_ply_limit_end_at_it(game: oware.Game, luck: random.Random) -> None:
    limit = game.rules.max_plies
    assert limit is not None
    for _ in play_out(game, luck, plies=limit):
        assert game.is_over or game.ply < limit
    assert game.is_over


# With a repetition rule a game is finite, as there are only so many captures, and so many positions
# between two of them. That bound is astronomical; this one is ten times the longest of 140,000
# random games under such rules, which had 1,893 plies.
@quick
@given(
    game=strategies.games(
        strategies.rules(largest=4)
        .filter(lambda rules: rules.repetition > 0)
        .map(lambda rules: rules.replace(max_plies=None))
    ),
    luck=luck,
)
def test_games_with_a_repetition_rule_end(game: oware.Game, luck: random.Random) -> None:
    for _ in play_out(game, luck, plies=20_000):
        pass
    assert game.is_over


@quick
@given(game=games, luck=luck)
def test_observations_show_the_board_from_the_player_to_move(
    game: oware.Game, luck: random.Random
) -> None:
    for _ in play_out(game, luck, plies=luck.randrange(60)):
        pass
    mover = game.to_move
    pits = game.pits[6 * mover :] + game.pits[: 6 * mover]
    counts = [*pits, game.stores[mover], game.stores[1 - mover]]
    np.testing.assert_array_equal(game.observation("seeds"), np.array(counts, np.uint8))
    whole = np.float32(12 * game.rules.seeds_per_pit)
    np.testing.assert_array_equal(
        game.observation("normalized"), np.array(counts, np.float32) / whole
    )
    one_hot = np.eye(25, dtype=np.float32)[np.minimum(counts, 24)]
    np.testing.assert_array_equal(game.observation("one_hot"), one_hot)


@quick
@given(rules=strategies.rules(largest=(2**32 - 1) // 25))
def test_rules_survive_as_text_and_as_bytes(rules: oware.Rules) -> None:
    assert eval(repr(rules), {"Rules": oware.Rules}) == rules  # noqa: S307 - our own text
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(rules, protocol)) == rules  # noqa: S301 - our own bytes
    assert copy.deepcopy(rules) == rules
    assert hash(rules.replace()) == hash(rules)


@quick
@given(one=strategies.rules(), other=strategies.rules())
def test_diff_is_what_replace_needs(one: oware.Rules, other: oware.Rules) -> None:
    diff = one.diff(other)
    assert (one == other) == (not diff)
    assert all(mine != theirs for mine, theirs in diff.values())
    assert one.replace(**{name: theirs for name, (_, theirs) in diff.items()}) == other  # type: ignore[arg-type]
