"""Bad arguments of `Rules`, `Game` and `perft`: what each raises and says; nothing changes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import oware
from bad_calls import Bad, gaps


class Endless:
    """A sequence that claims more items than there is memory."""

    def __len__(self) -> int:
        return 2**62

    def __getitem__(self, index: int) -> int:
        return 0


class Broken:
    """An integer that fails to tell its value."""

    def __index__(self) -> int:
        raise RuntimeError("broken")


# The type that each parameter takes, as a refusal calls it.
INT = "an int"
BOOL = "a bool"
STR = "a str"
INTS = "a sequence of ints"
RULES = "the name of a rule set or an oware.Rules"
TYPES = {
    "Rules.grand_slam": STR,
    "Rules.feeding": STR,
    "Rules.no_move": STR,
    "Rules.repetition": INT,
    "Rules.repetition_needs_both_rows": BOOL,
    "Rules.repetition_share": STR,
    "Rules.max_plies": INT,
    "Rules.limit_share": STR,
    "Rules.majority_ends": BOOL,
    "Rules.seeds_per_pit": INT,
    "Rules.named.name": STR,
    "Rules.diff.other": RULES,
    "Game.rules": RULES,
    "Game.pits": INTS,
    "Game.stores": INTS,
    "Game.to_move": INT,
    "Game.from_string.s": STR,
    "Game.from_string.rules": RULES,
    "Game.from_fen.s": STR,
    "Game.from_fen.rules": RULES,
    "Game.from_transcript.text": STR,
    "Game.from_transcript.rules": RULES,
    "Game.is_legal.m": INT,
    "Game.play.m": INT,
    "Game.play_transcript.text": STR,
    "Game.observation.kind": STR,
    "perft.game": "an oware.Game",
    "perft.depth": INT,
    "playouts.n": INT,
    "playouts.seed": INT,
    "playouts.num_threads": INT,
    "playouts.max_plies": INT,
}
# Values of other types, with the types that do take them.
VALUES: list[tuple[Any, str, set[str]]] = [
    (None, "NoneType", set()),
    (True, "bool", {BOOL}),
    (2, "int", {INT}),
    (2.0, "float", set()),
    ("2", "str", {STR, RULES}),
    (b"2", "bytes", {INTS}),
    ([2], "list", {INTS}),
    ({2}, "set", set()),
    (iter([2]), "list_iterator", set()),
    (np.float32(2), "numpy.float32", set()),
    (np.array(2.0), "numpy.ndarray", set()),
    (np.array([2]), "numpy.ndarray", {INTS}),
    (oware.Rules, "type", set()),
]
MAY_BE_NONE = {
    *("Rules.max_plies", "Game.pits", "Game.stores", "playouts.seed", "playouts.max_plies"),
}
REMEDIES = {("Game.play.m", "str"): "; play_transcript plays letters"}
START = (
    r"start must be an oware.Game, a sequence of them or a tuple \(pits, stores, to_move\), not {}"
)

WRONG_TYPES = [
    Bad(
        parameter,
        value,
        TypeError,
        re.escape(f"{parameter.split('.')[-1]} must be {wanted}, not {given}")
        + REMEDIES.get((parameter, given), ""),
    )
    for parameter, wanted in TYPES.items()
    for value, given, takers in VALUES
    if wanted not in takers and not (value is None and parameter in MAY_BE_NONE)
]

SHARES = "known: own_side, split, stay"
SETS = "known: abapa, harvest, nineqm, village, awari, open_spiel, auale, codingame"
ABAP = rf'unknown rule set "abap"; {SETS}; did you mean "abapa"\?'
PIT = "action {} is not a pit from 0 to 5; legal: 0, 1, 2, 3, 5"
TOO_MANY = r"{} seeds in pits and stores, the rules have 48 \(12 x seeds_per_pit\)"
FORM = '"{}" does not have the form ".*"'
REPETITION = r"repetition is {}; give 0 \(no such rule\) or 2 to 4294967295"
PLIES = r"max_plies is {}; give None \(no such rule\) or 1 to 4294967295"
SEEDS = "seeds_per_pit is {}; give 1 to 20"
DEPTH = "depth is {}; give 0 to 1000"
MOVER = r"to_move is {}, not 0 \(South\) or 1 \(North\)"
HUGE = 10**30

WRONG_VALUES = [
    Bad("Rules.grand_slam", "", ValueError, 'unknown grand_slam ""; known: .*'),
    Bad("Rules.grand_slam", "\ud800", ValueError, ".*surrogates not allowed"),
    Bad("Rules.grand_slam", "al", ValueError, 'unknown grand_slam "al"; known: .*rest'),
    Bad("Rules.grand_slam", "forbiden", ValueError, r'.*; did you mean "forbidden"\?'),
    Bad("Rules.feeding", "no", ValueError, 'unknown feeding "no"; known: required, free'),
    Bad("Rules.no_move", "none", ValueError, f'unknown no_move "none"; {SHARES}'),
    Bad("Rules.repetition", 1, ValueError, REPETITION.format(1)),
    Bad("Rules.repetition", -2, ValueError, REPETITION.format(-2)),
    Bad("Rules.repetition", 2**32, ValueError, REPETITION.format(2**32)),
    Bad("Rules.repetition", 2**64, ValueError, REPETITION.format(2**64)),
    Bad("Rules.repetition", Broken(), RuntimeError, "broken"),
    Bad("Rules.repetition_share", "0", ValueError, f'unknown repetition_share "0"; {SHARES}'),
    Bad("Rules.max_plies", 0, ValueError, PLIES.format(0)),
    Bad("Rules.max_plies", -1, ValueError, PLIES.format(-1)),
    Bad("Rules.max_plies", 2**32, ValueError, PLIES.format(2**32)),
    Bad("Rules.limit_share", "stays", ValueError, rf'.*; {SHARES}; did you mean "stay"\?'),
    Bad("Rules.seeds_per_pit", 0, ValueError, SEEDS.format(0)),
    Bad("Rules.seeds_per_pit", 21, ValueError, SEEDS.format(21)),
    Bad("Rules.seeds_per_pit", 260, ValueError, SEEDS.format(260)),
    Bad("Rules.seeds_per_pit", -HUGE, ValueError, SEEDS.format(-HUGE)),
    Bad("Rules.named.name", "abap", ValueError, ABAP),
    Bad("Rules.named.name", "?", ValueError, rf'unknown rule set "\?"; {SETS}'),
    Bad("Rules.diff.other", "abap", ValueError, ABAP),
    Bad("Rules.replace.changes", {"grandslam": 1}, TypeError, ".*keyword argument 'grandslam'"),
    Bad("Rules.replace.changes", {"seeds_per_pit": 0}, ValueError, SEEDS.format(0)),
    Bad("Game.rules", "abap", ValueError, ABAP),
    Bad("Game.pits", [4] * 11, oware.SetupError, "11 pits instead of 12"),
    Bad("Game.pits", [], oware.SetupError, "0 pits instead of 12"),
    Bad("Game.pits", range(10**12), oware.SetupError, "1000000000000 pits, far too many"),
    Bad("Game.pits", Endless(), oware.SetupError, f"{2**62} pits, far too many"),
    Bad("Game.pits", [5] * 12, oware.SetupError, TOO_MANY.format(60)),
    Bad("Game.pits", [HUGE] + [0] * 11, oware.SetupError, TOO_MANY.format(2**63 - 1)),
    Bad("Game.pits", [-1] + [4] * 11, oware.SetupError, "pit 0 holds -1 seeds"),
    Bad("Game.pits", [4] * 11 + [4.0], TypeError, r"pits\[11\] must be an int, not float"),
    Bad("Game.pits", [True] * 12, TypeError, r"pits\[0\] must be an int, not bool"),
    Bad("Game.pits", np.eye(12), TypeError, r"pits\[0\] must be an int, not numpy.ndarray"),
    Bad("Game.stores", (1, 0), oware.SetupError, TOO_MANY.format(49)),
    Bad("Game.stores", [0], oware.SetupError, "1 stores instead of 2"),
    Bad("Game.stores", (-1, -2), oware.SetupError, "store of South .*; store of North .* -2 seeds"),
    Bad("Game.stores", ("0", 0), TypeError, r"stores\[0\] must be an int, not str"),
    Bad("Game.stores", {"a": 1}, TypeError, "stores must be a sequence of ints, not dict"),
    Bad("Game.to_move", 2, oware.SetupError, MOVER.format(2)),
    Bad("Game.to_move", -1, oware.SetupError, MOVER.format(-1)),
    Bad("Game.from_string.s", "4-4", oware.NotationError, FORM.format("4-4")),
    Bad("Game.from_string.rules", "abap", ValueError, ABAP),
    Bad("Game.from_fen.s", "startpos", oware.NotationError, FORM.format("startpos")),
    Bad("Game.from_fen.rules", "abap", ValueError, ABAP),
    Bad("Game.from_transcript.text", "FfX", oware.NotationError, "move 3 is 'X', .*: A to F"),
    Bad("Game.from_transcript.rules", "abap", ValueError, ABAP),
    Bad("Game.play.m", 6, oware.IllegalMoveError, PIT.format(6)),
    Bad("Game.play.m", -1, oware.IllegalMoveError, PIT.format(-1)),
    Bad("Game.play.m", HUGE, oware.IllegalMoveError, PIT.format(HUGE)),
    Bad("Game.play.m", 4, oware.IllegalMoveError, "action 4 is an empty pit; legal: 0, 1, 2, 3, 5"),
    Bad("Game.play.m", Broken(), RuntimeError, "broken"),
    Bad("Game.play_transcript.text", "Aaa", oware.NotationError, "move 3 is 'a', .*: A to F"),
    Bad("Game.observation.kind", "onehot", ValueError, r'.*; did you mean "one_hot"\?'),
    Bad("perft.depth", -1, ValueError, DEPTH.format(-1)),
    Bad("perft.depth", 1001, ValueError, DEPTH.format(1001)),
    Bad("perft.depth", HUGE, ValueError, DEPTH.format(HUGE)),
    *(
        Bad("playouts.start", value, TypeError, START.format(given))
        for value, given in ((5, "int"), ("abapa", "str"), (None, "NoneType"), (oware.Game, "type"))
    ),
    Bad(
        "playouts.start", [oware.Game(), 5], TypeError, r"start\[1\] must be an oware.Game, not int"
    ),
    Bad("playouts.n", 0, ValueError, "n is 0; give .*"),
    Bad("playouts.n", -1, ValueError, "n is -1; give .*"),
    Bad("playouts.n", HUGE, ValueError, f"n is {HUGE}; give .*"),
    Bad("playouts.rules", "abap", ValueError, ".*"),
    Bad("playouts.seed", -1, ValueError, f"seed is -1; give 0 to {2**64 - 1}"),
    Bad("playouts.seed", 2**64, ValueError, f"seed is {2**64}; give 0 to {2**64 - 1}"),
    Bad("playouts.num_threads", 0, ValueError, "num_threads is 0; give 1 to 1024"),
    Bad("playouts.num_threads", 1025, ValueError, "num_threads is 1025; give 1 to 1024"),
    Bad("playouts.max_plies", 0, ValueError, "max_plies is 0; give .*"),
    Bad("playouts.max_plies", -1, ValueError, "max_plies is -1; give .*"),
]

TABLE = [*WRONG_TYPES, *WRONG_VALUES]


def game_now() -> oware.Game:
    return oware.Game.from_transcript("FfEe")


def call(game: oware.Game, parameter: str, value: Any) -> None:
    """Call what the parameter belongs to with this value, and with good ones for the others."""
    *path, name = parameter.split(".")
    thing: Any = {
        "Rules": oware.Rules,
        "Rules.named": oware.Rules.named,
        "Game": oware.Game,
        "perft": oware.perft,
        "playouts": oware.playouts,
    }.get(".".join(path))
    if thing is None:
        thing = getattr(game if path[0] == "Game" else game.rules, path[1])
    goods: dict[str, dict[str, object]] = {
        "Game.from_string": {"s": game.to_string()},
        "Game.from_fen": {"s": game.to_fen()},
        "Game.from_transcript": {"text": game.transcript()},
        "perft": {"game": game, "depth": 1},
        "playouts": {"start": game, "n": 1},
    }
    good = goods.get(".".join(path), {})
    thing(**good | (value if name == "changes" else {name: value}))


@pytest.mark.parametrize("bad", TABLE, ids=[f"{bad.parameter}-{i}" for i, bad in enumerate(TABLE)])
def test_a_bad_call_is_refused_and_changes_nothing(bad: Bad) -> None:
    game = game_now()
    with pytest.raises(bad.error, match=f"^{bad.message}$"):
        call(game, bad.parameter, bad.value)
    assert game == game_now()


@pytest.mark.parametrize("name", ["Rules", "Game", "perft", "playouts"])
def test_every_parameter_has_a_bad_call(name: str) -> None:
    assert gaps(name, getattr(oware, name), TABLE) == set()
    assert gaps(name, getattr(oware, name), WRONG_VALUES) <= {
        *("Rules.repetition_needs_both_rows", "Rules.majority_ends", "Game.is_legal.m"),
        "perft.game",
    }


def test_a_gap_is_found() -> None:
    def outer(one: int, two: int) -> None: ...

    assert gaps("outer", outer, [Bad("outer.one", 1, ValueError, "")]) == {"outer.two"}
    assert {"Rules.feeding", "Rules.named.name"} <= gaps("Rules", oware.Rules, [])


OWN_RULES: Any = oware.Rules()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: oware.Game("abapa", [4] * 12), "positional argument"),  # type: ignore[call-arg]
        (lambda: oware.Game(seeds=3), "unexpected keyword argument 'seeds'"),  # type: ignore[call-arg]
        (lambda: OWN_RULES.replace("forbidden"), "positional argument"),
        (lambda: oware.Game().play(), "missing 1 required positional argument: 'm'"),  # type: ignore[call-arg]
        (lambda: oware.Game().undo(1), "takes no arguments"),  # type: ignore[call-arg]
    ],
)
def test_arguments_that_do_not_fit_the_signature(wrong: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        wrong()
