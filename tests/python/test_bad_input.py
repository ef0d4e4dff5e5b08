"""Bad arguments of the environments and the drawing: what each raises and says; nothing changes."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest

import oware
import oware.render
import oware.uci
import test_bad_calls
from bad_calls import Bad, gaps, parameters
from oware.single import OwareSingleEnv
from test_bad_calls import BOOL, INT, RULES, STR, VALUES
from watched import KINDS, follow, frozen, photograph, played

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

# More than the sixty-four boards of a block, which an outside opponent does without.
ROWS = 70
STATE_OF_ANOTHER = oware.OwareEnv(ROWS, rules="village").get_state()

OPPONENT = "None, a name, a callable or a pool of them"
START = "None, an int or a tuple of two"
TYPES = {
    "num_envs": INT,
    "rules": RULES,
    "opponent": OPPONENT,
    "seat": STR,
    "observation": STR,
    "reward": STR,
    "seat_rewards": BOOL,
    "autoreset_mode": STR,
    "max_steps": INT,
    "start_seeds": START,
    "opening_plies": INT,
    "endgame": "None or an oware.Endgame",
    "copy": BOOL,
    "num_threads": INT,
}
RENDER = r"render_mode is {}; give None, 'ansi', 'rgb_array'"
COUNT = "{} is {}; give {} to {}"
ABAP = r'unknown rule set "abap"; known: .*; did you mean "abapa"\?'
HUGE = 10**30


def must_be(parameter: str, wanted: str, given: str) -> str:
    return re.escape(f"{parameter} must be {wanted}, not {given}")


# What every constructor takes: (parameter, value, error, message).
SETTINGS: list[tuple[str, object, type[Exception], str]] = [
    ("rules", "abap", ValueError, ABAP),
    ("rules", "", ValueError, 'unknown rule set ""; known: .*'),
    ("rules", {"feeding": "free"}, TypeError, must_be("rules", RULES, "dict")),
    (
        "opponent",
        "rndom",
        ValueError,
        r'unknown opponent "rndom"; known: .* or a callable; did you mean .random.\?',
    ),
    ("opponent", "amatuer", ValueError, r"unknown opponent .*; did you mean 'amateur'\?"),
    ("opponent", "xyz", ValueError, 'unknown opponent "xyz"; known: random, .* or a callable'),
    ("opponent", 5, TypeError, must_be("opponent", OPPONENT, "int")),
    ("opponent", b"random", TypeError, must_be("opponent", OPPONENT, "bytes")),
    ("opponent", "\ud800", ValueError, ".*surrogates not allowed"),
    ("seat", "up", ValueError, 'unknown seat "up"; known: south, north, random'),
    ("seat", "South", ValueError, r'unknown seat "South"; .*; did you mean "south"\?'),
    ("seat", 0, TypeError, must_be("seat", STR, "int")),
    ("observation", "onehot", ValueError, r'.*; did you mean "one_hot"\?'),
    ("reward", "win", ValueError, 'unknown reward "win"; known: outcome, margin, captures'),
    ("seat_rewards", "no", TypeError, must_be("seat_rewards", BOOL, "str")),
    ("max_steps", 0, ValueError, COUNT.format("max_steps", 0, 1, 2**32 - 1)),
    ("max_steps", 2**32, ValueError, COUNT.format("max_steps", 2**32, 1, 2**32 - 1)),
    ("max_steps", -HUGE, ValueError, COUNT.format("max_steps", -HUGE, 1, 2**32 - 1)),
    ("opening_plies", -1, ValueError, COUNT.format("opening_plies", -1, 0, 65535)),
    ("opening_plies", 65536, ValueError, COUNT.format("opening_plies", 65536, 0, 65535)),
    (
        "opening_plies",
        5000,
        ValueError,
        "opening_plies is 5000: none of 256 openings leaves a game .*",
    ),
    ("opponent", {}, ValueError, "opponent: the pool has 0 opponents; give 1 to 127"),
    ("opponent", {"random": -1}, ValueError, "opponent: the weight of the pool's opponent 0 is .*"),
    ("start_seeds", 0, ValueError, COUNT.format("start_seeds", 0, 1, 48)),
    ("start_seeds", (4, 49), ValueError, COUNT.format(r"start_seeds\[1\]", 49, 4, 48)),
    ("start_seeds", [4, 5], TypeError, must_be("start_seeds", START, "list")),
    ("endgame", 4, TypeError, must_be("endgame", "None or an oware.Endgame", "int")),
    ("render_mode", "human", ValueError, RENDER.format("'human'")),
    ("render_mode", 1, ValueError, RENDER.format(1)),
    ("render_mode", np.array(["ansi"]), ValueError, RENDER.format(".*")),
    ("render_mode", np.array(["ansi", "x"]), ValueError, RENDER.format(".*")),
]
BATCH_SETTINGS: list[tuple[str, object, type[Exception], str]] = [
    *SETTINGS,
    ("num_envs", 0, ValueError, COUNT.format("num_envs", 0, 1, 2**24)),
    ("num_envs", -1, ValueError, COUNT.format("num_envs", -1, 1, 2**24)),
    ("num_envs", 2**24 + 1, ValueError, COUNT.format("num_envs", 2**24 + 1, 1, 2**24)),
    ("num_envs", 2**30, ValueError, COUNT.format("num_envs", 2**30, 1, 2**24)),
    ("num_envs", HUGE, ValueError, COUNT.format("num_envs", HUGE, 1, 2**24)),
    ("autoreset_mode", "never", ValueError, 'unknown autoreset_mode "never"; known: next_step, .*'),
    ("copy", 0, TypeError, must_be("copy", BOOL, "int")),
    ("num_threads", 0, ValueError, COUNT.format("num_threads", 0, 1, 1024)),
    ("num_threads", 1025, ValueError, COUNT.format("num_threads", 1025, 1, 1024)),
]


def wrong_types() -> Iterator[tuple[str, object, type[Exception], str]]:
    for parameter, wanted in TYPES.items():
        for value, given, takers in VALUES:
            may_be_none = parameter in {"max_steps", "opponent", "start_seeds", "endgame"}
            if wanted in takers or wanted == OPPONENT or (value is None and may_be_none):
                continue
            if wanted == START and INT in takers:
                continue
            yield parameter, value, TypeError, must_be(parameter, wanted, given)


def bad_arrays(name: str, good: NDArray[np.int64]) -> Iterator[tuple[object, type[Exception], str]]:
    """What is no array of integers of the right shape."""
    for dtype in ("?", "f2", "f4", "f8", "c16", "O", "U3", "S3", "M8[s]", "m8[s]", "V8", "i4,i4"):
        bad = np.zeros(good.shape, dtype)
        yield bad, TypeError, re.escape(f"{name} has dtype {bad.dtype}; give integers")
    floats = good.astype(float)
    floats.flat[0] = np.nan
    yield floats, TypeError, f"{name} has dtype float64; give integers"
    for bad in (good[..., None], good[None], good[:-1], good[:0], np.array(0), good.repeat(2, 0)):
        shapes = re.escape(f"{bad.shape}, expected {good.shape}")
        yield bad, ValueError, f"{name} has shape {shapes}"
    for thing in (None, object(), {0: 1}, {0, 1}, [None] * ROWS, iter([0])):
        yield thing, TypeError, f"{name} has dtype object; give integers"
    yield "012", TypeError, f"{name} has dtype <U3; give integers"
    yield b"012", TypeError, rf"{name} has dtype \|S3; give integers"
    yield [], TypeError, f"{name} has dtype float64; give integers"
    yield [[0], [0, 1]], TypeError, must_be(name, "an array of integers", "list")
    yield 3, ValueError, rf"{name} has shape \(\), expected .*"


def bad_masks(name: str) -> Iterator[tuple[object, type[Exception], str]]:
    for thing in ([True] * ROWS, (True,) * ROWS, True, 1, "mask", {0: True}, object()):
        yield thing, TypeError, must_be(name, "a numpy array of bools", type(thing).__name__)
    for dtype in ("i1", "u1", "f4", "O", "U1", "M8[s]"):
        bad = np.ones(ROWS, dtype)
        yield bad, TypeError, re.escape(f"{name} has dtype {bad.dtype}; give bool")
    for shape in ((), (1,), (0,), (ROWS + 1,), (ROWS, 1)):
        message = re.escape(f"{name} has shape {shape}, expected ({ROWS},)")
        yield np.ones(shape, bool), ValueError, message


def row_0(**changed: object) -> dict[str, Any]:
    """Arguments of `set_positions` with one change in environment 0."""
    good: dict[str, Any] = {"pits": [[4] * 12], "stores": [[0, 0]], "to_move": [0]} | changed
    return {name: np.repeat(value, ROWS, 0) for name, value in good.items()}


GOOD_POSITIONS = row_0()
SETUP = "environment 0: "
SEEDS = rf"{SETUP}{{}} seeds in pits and stores, the rules have 48 \(12 x seeds_per_pit\)"
MASK = "options['reset_mask']"
LAST = 2**64 - 1 - ROWS
RANGE = f"give 0 to {LAST}"
SEED = "None, an int or a sequence of them"
KNOWN_MASK = "known: 'reset_mask'"


def zeros_but(row: int, value: object) -> list[object]:
    return [0] * row + [value] + [0] * (ROWS - row - 1)


def methods() -> Iterator[Bad]:
    """Bad arguments of the methods of a batch."""
    step, place, reset = "OwareEnv.step", "OwareEnv.set_positions", "OwareEnv.reset"
    good = np.zeros(ROWS, np.int64)
    value: Any
    for bad in bad_arrays("actions", good):
        yield Bad(f"{step}.actions", *bad)
    for action in (-1, 6, 2**63 - 1, -(2**63), 2**63, 2**64, -(2**63) - 1, 2**70, -(2**70)):
        message = f"environment 0: action {action} is not a pit from 0 to 5; legal: .*"
        yield Bad(f"{step}.actions", zeros_but(0, action), oware.IllegalMoveError, message)
    message = "environment 0: action {} is not a pit from 0 to 5; legal: .*"
    huge: Any = np.full(ROWS, 2**64 - 1, np.uint64)
    yield Bad(f"{step}.actions", huge, oware.IllegalMoveError, message.format(2**64 - 1))
    for huge, told in (([10**5000] * ROWS, "an integer of 16610 bits"), ((2**70,) * ROWS, 2**70)):
        yield Bad(f"{step}.actions", huge, oware.IllegalMoveError, message.format(told))
    for count in (ROWS - 1, ROWS + 1):
        message = re.escape(f"actions has shape ({count},), expected ({ROWS},)")
        yield Bad(f"{step}.actions", [2**70] * count, ValueError, message)
    message = re.escape(f"actions has shape (), expected ({ROWS},)")
    yield Bad(f"{step}.actions", 2**70, ValueError, message)
    objects = np.array([2**70] * ROWS, object)
    for mixed in (objects, [True] + [2**70] * (ROWS - 1), [0.5] + [2**70] * (ROWS - 1)):
        message = "actions has dtype (object|float64); give integers"
        yield Bad(f"{step}.actions", mixed, TypeError, message)

    for name, array in GOOD_POSITIONS.items():
        for bad in bad_arrays(name, array):
            yield Bad(f"{place}.{name}", *bad)
        message = f"{name} has dtype object; give integers"
        yield Bad(f"{place}.{name}", [2**70] * ROWS, TypeError, message)
    for pits, message in (
        ([-1] + [4] * 11, f"{SETUP}pit 0 holds -1 seeds"),
        ([5] * 12, SEEDS.format(60)),
        ([2**63 - 1] * 12, SEEDS.format(2**63 - 1)),
        ([-(2**63)] + [0] * 11, f"{SETUP}pit 0 holds -{2**63} seeds"),
    ):
        yield Bad(f"{place}.pits", row_0(pits=[pits])["pits"], oware.SetupError, message)
    over = row_0(pits=[[0] * 12])["pits"]
    yield Bad(f"{place}.pits", over, ValueError, rf"{SETUP}the position is finished \(.*\); .*")
    negative = row_0(stores=[[-1, -2]])["stores"]
    message = f"{SETUP}store of South holds -1 seeds; store of North holds -2 seeds"
    yield Bad(f"{place}.stores", negative, oware.SetupError, message)
    many = row_0(stores=[[200, 100]])["stores"].astype(np.uint8)
    yield Bad(f"{place}.stores", many, oware.SetupError, SEEDS.format(348))
    for mover in (2, -1, 2**40):
        message = rf"{SETUP}to_move is {mover}, not 0 \(South\) or 1 \(North\)"
        yield Bad(f"{place}.to_move", [mover] * ROWS, oware.SetupError, message)
    for bad in bad_masks("mask"):
        yield Bad(f"{place}.mask", *bad)

    for value, given in (("7", "str"), ({*range(ROWS)}, "set")):
        yield Bad(f"{reset}.seed", value, TypeError, must_be("seed", SEED, given))
    for value, given in ((1.5, "float"), (np.nan, "float"), (True, "bool"), (object(), "object")):
        yield Bad(f"{reset}.seed", value, TypeError, must_be("seed", INT, given))
        yield Bad(f"{reset}.seed", zeros_but(9, value), TypeError, must_be("seed[9]", INT, given))
    for value in (-1, LAST + 1, 2**64, HUGE):
        yield Bad(f"{reset}.seed", value, ValueError, f"seed is {value}; {RANGE}")
        message = rf"seed\[2\] is {value}; {RANGE}"
        yield Bad(f"{reset}.seed", zeros_but(2, value), ValueError, message)
    for seeds in ([], [1, 2], (1,) * 4, np.arange(2), np.zeros(0, int)):
        message = f"{len(seeds)} seeds for {ROWS} environments; give one for each"
        yield Bad(f"{reset}.seed", seeds, ValueError, message)
    column = np.zeros((ROWS, 1), int)
    yield Bad(f"{reset}.seed", column, TypeError, must_be("seed[0]", INT, "numpy.ndarray"))
    yield Bad(f"{reset}.seed", np.zeros(ROWS), TypeError, must_be("seed[0]", INT, "numpy.float64"))
    for bad in bad_masks(MASK):
        yield Bad(f"{reset}.options", {"reset_mask": bad[0]}, *bad[1:])
    nothing = f"{re.escape(MASK)} selects no environment; set at least one entry"
    yield Bad(f"{reset}.options", {"reset_mask": np.zeros(ROWS, bool)}, ValueError, nothing)
    for options, named in (({"mask": None}, "'mask'"), ({1: 2, "reset_mask": None}, "1")):
        message = f"unknown option {named}; {KNOWN_MASK}"
        yield Bad(f"{reset}.options", options, ValueError, message)
    for value in (5, [], "reset_mask", np.ones(ROWS, bool), [("reset_mask", None)]):
        given = type(value).__name__
        yield Bad(f"{reset}.options", value, TypeError, must_be("options", "a dict", given))

    for value, given in ((5, "int"), (b"random", "bytes"), ({"random"}, "set")):
        message = must_be("opponent", OPPONENT, given)
        yield Bad("OwareEnv.set_opponent.opponent", value, TypeError, message)
    message = r"opponent\[0\] must be a pair \(opponent, weight\), not str"
    yield Bad("OwareEnv.set_opponent.opponent", ("random",), TypeError, message)
    message = r'unknown opponent "minmax"; .*, or a callable; did you mean .minimax:DEPTH.\?'
    yield Bad("OwareEnv.set_opponent.opponent", "minmax", ValueError, message)

    for number in (ROWS, -1, 2**64, HUGE):
        message = f"there is no environment {number}; there are 0 to {ROWS - 1}"
        yield Bad("OwareEnv.game.i", number, IndexError, message)
    for value, given in ((1.0, "float"), ("1", "str"), (None, "NoneType"), (True, "bool")):
        yield Bad("OwareEnv.game.i", value, TypeError, must_be("i", INT, given))

    yield from refused_states("OwareEnv")
    for value in ("human", 1, np.array(["ansi"])):
        message = RENDER.format(re.escape(repr(value)))
        yield Bad("OwareEnv.render.mode", value, ValueError, message)


def rollouts() -> Iterator[Bad]:
    """Bad arguments of a rollout."""
    rollout = "OwareEnv.rollout"
    value: Any
    for value, given in ((5, "int"), (None, "NoneType"), (b"random", "bytes")):
        yield Bad(f"{rollout}.policy", value, TypeError, must_be("policy", "a str", given))
    yield Bad(
        f"{rollout}.policy", "best", ValueError, 'unknown policy "best"; known: random, greedy'
    )
    for value, given in ((1.0, "float"), ("3", "str"), (None, "NoneType"), (True, "bool")):
        yield Bad(f"{rollout}.steps", value, TypeError, must_be("steps", INT, given))
    for value in (0, -1, 2**24 + 1, HUGE):
        yield Bad(f"{rollout}.steps", value, ValueError, f"steps is {value}; give 1 to {2**24}")
    for value in (5, "out", {}, (1, 2), np.zeros(3)):
        given = type(value).__name__
        message = f"out must be an oware.Rollout, not {given}"
        yield Bad(f"{rollout}.out", value, TypeError, message)


def refused_states(name: str) -> Iterator[Bad]:
    """What is no state; a state of the right kind that is damaged is tested elsewhere."""
    parameter = f"{name}.set_state.state"
    value: Any
    for value in (None, "OWAREENV", bytearray(b"OWAREENV"), memoryview(b"OWAREENV"), 5, [1]):
        given = type(value).__name__
        yield Bad(parameter, value, TypeError, must_be("state", "bytes", given))
    for value in (b"", b"\0" * 100, b"something else entirely", b"owareenv" * 9):
        message = "the bytes are not the state of an environment"
        yield Bad(parameter, value, ValueError, message)
    yield Bad(parameter, STATE_OF_ANOTHER, ValueError, "the state was saved under other rules")


SINGLE = OwareSingleEnv.__name__


def single() -> Iterator[Bad]:
    """Bad arguments of the environment of one board."""
    value: Any
    for value in ([5], (5,), 1.5, True, "5"):
        message = must_be("seed", INT, type(value).__name__)
        yield Bad(f"{SINGLE}.reset.seed", value, TypeError, message)
    for value in (-1, 2**64 - 1, HUGE):
        message = f"seed is {value}; give 0 to {2**64 - 2}"
        yield Bad(f"{SINGLE}.reset.seed", value, ValueError, message)
    for value in (5, [1], np.ones(2), "ab", 0):
        given = type(value).__name__
        message = must_be("options", "a dict", given)
        yield Bad(f"{SINGLE}.reset.options", value, TypeError, message)
    message = "unknown option 'reset_mask'; known: none"
    yield Bad(f"{SINGLE}.reset.options", {"reset_mask": np.ones(1, bool)}, ValueError, message)

    for value, dtype in (
        *((None, "object"), ("3", "<U1"), (b"3", r"\|S1"), (3.0, "float64"), (True, "bool")),
        *((np.nan, "float64"), ([2**70], "object"), (np.array(3.0), "float64"), (1j, "complex128")),
    ):
        message = f"action has dtype {dtype}; give integers"
        yield Bad(f"{SINGLE}.step.action", value, TypeError, message)
    message = "action must be an integer, not list"
    yield Bad(f"{SINGLE}.step.action", [[1], [2, 3]], TypeError, message)
    for value in ([3], np.array([3]), (1, 2)):
        message = r"action has shape \(.,\), expected \(\)"
        yield Bad(f"{SINGLE}.step.action", value, ValueError, message)
    for value in (6, -1, np.uint8(255), 2**63, np.uint64(2**63), 2**70, -(2**70)):
        message = f"action {value} is not a pit from 0 to 5; legal: .*"
        yield Bad(f"{SINGLE}.step.action", value, oware.IllegalMoveError, message)

    place = f"{SINGLE}.set_position"
    pits = r"pits has shape \({}\), expected \(12,\)"
    yield Bad(f"{place}.pits", [4] * 11, ValueError, pits.format("11,"))
    yield Bad(f"{place}.pits", [[4] * 12], ValueError, pits.format("1, 12"))
    yield Bad(f"{place}.pits", [4.0] * 12, TypeError, "pits has dtype float64; give integers")
    yield Bad(f"{place}.pits", None, TypeError, "pits has dtype object; give integers")
    message = "pits must be an array of integers, not list"
    yield Bad(f"{place}.pits", [[1], [2, 3]], TypeError, message)
    yield Bad(f"{place}.pits", [5] * 12, oware.SetupError, SEEDS.format(60).removeprefix(SETUP))
    message = r"the position is finished \(even_split\); .*"
    yield Bad(f"{place}.pits", [0] * 12, ValueError, message)
    yield Bad(f"{place}.stores", (0, 0, 0), ValueError, r"stores has shape \(3,\), .*")
    yield Bad(f"{place}.stores", None, TypeError, "stores has dtype object; give integers")
    yield Bad(f"{place}.stores", (1, 0), oware.SetupError, SEEDS.format(49).removeprefix(SETUP))
    yield Bad(f"{place}.to_move", 2, oware.SetupError, "to_move is 2, .*")
    yield Bad(f"{place}.to_move", [0], ValueError, r"to_move has shape \(1,\), expected \(\)")
    yield Bad(f"{place}.to_move", True, TypeError, "to_move has dtype bool; give integers")

    message = must_be("opponent", OPPONENT, "int")
    yield Bad(f"{SINGLE}.set_opponent.opponent", 5, TypeError, message)
    yield from refused_states(SINGLE)
    yield Bad(f"{SINGLE}.render.mode", "human", ValueError, RENDER.format("'human'"))


VIEW = "render.BoardView"
NO_INDEX = "'{}' object cannot be interpreted as an integer"


def drawing() -> Iterator[Bad]:
    """Bad arguments of the functions that draw."""
    value: Any
    for function in ("svg", "html", "rgb_array", "ansi", "describe", "BoardView.of"):
        parameter = "game" if function == "BoardView.of" else "board"
        for value, given in ((5, "int"), (None, "NoneType"), ("4-4", "str")):
            message = f"'{given}' object has no attribute 'pits'"
            yield Bad(f"render.{function}.{parameter}", value, AttributeError, message)
    for value in (59, 2161, -1, HUGE):
        message = f"height is {value} pixels; choose one from 60 to 2160"
        yield Bad("render.rgb_array.height", value, ValueError, message)
    for value, given in (("240", "str"), (240.0, "float"), (None, "NoneType")):
        yield Bad("render.rgb_array.height", value, TypeError, NO_INDEX.format(given))
    for function in ("svg", "html", "rgb_array", "tiled"):
        for value in ("sepia", None, 1):
            message = f"theme is {value!r}; give .*'light', 'dark'"
            yield Bad(f"render.{function}.theme", value, ValueError, message)
    yield Bad("render.rgb_array.theme", "auto", ValueError, "theme is 'auto'; give 'light', 'dark'")
    yield Bad("render.tiled.boards", [], ValueError, "there are 0 boards; give 1 to 1024")
    yield Bad("render.tiled.boards", 5, TypeError, "'int' object is not iterable")
    yield Bad("render.tiled.columns", 0, ValueError, "columns is 0; give 1 to 1024")
    yield Bad("render.tiled.columns", 2.0, TypeError, must_be("columns", INT, "float"))
    yield Bad("render.tiled.height", 59, ValueError, "height is 59 pixels; choose one .*")
    yield Bad(
        "render.ansi.color", np.ones(2), TypeError, "color must be a bool or None, not ndarray"
    )
    yield Bad("render.Arrow.start", 12, ValueError, "start is 12, give a pit from 0 to 11")
    yield Bad("render.Arrow.start", 6, ValueError, "start and end are both 6, give two pits")
    yield Bad("render.Arrow.end", -1, ValueError, "end is -1, give a pit from 0 to 11")
    yield Bad("render.Arrow.end", None, TypeError, NO_INDEX.format("NoneType"))
    yield Bad("render.Arrow.kind", "worst", ValueError, "kind is 'worst', give 'move', .*")
    yield Bad(f"{VIEW}.arrows", 5, TypeError, "'int' object is not iterable")
    yield Bad(f"{VIEW}.arrows", [(1, 2)], TypeError, "arrows must be of Arrow, not tuple")
    yield Bad(f"{VIEW}.values", (1.0,), ValueError, "values has 1 entries, give 6")
    yield Bad(f"{VIEW}.values", (math.nan,) * 6, ValueError, "values is .*, give finite numbers .*")
    yield Bad(f"{VIEW}.values", ("a",) * 6, ValueError, "could not convert string to float.*")
    yield Bad(f"{VIEW}.pits", (4,) * 11, ValueError, "pits has 11 entries, give 12")
    yield Bad(f"{VIEW}.pits", (-1,) + (4,) * 11, ValueError, ".* fewer than 0 seeds")
    yield Bad(f"{VIEW}.pits", (4.0,) * 12, TypeError, NO_INDEX.format("float"))
    yield Bad(f"{VIEW}.pits", 48, TypeError, "'int' object is not iterable")
    yield Bad(f"{VIEW}.stores", (0,), ValueError, "stores has 1 entries, give 2")
    yield Bad(f"{VIEW}.stores", None, TypeError, "'NoneType' object is not iterable")
    yield Bad(f"{VIEW}.to_move", 2, ValueError, "to_move is 2, give 0 for South or 1 for North")
    yield Bad(f"{VIEW}.to_move", None, TypeError, NO_INDEX.format("NoneType"))
    message = "last_move is 12, give a pit from 0 to 11 or None"
    yield Bad(f"{VIEW}.last_move", 12, ValueError, message)
    yield Bad(f"{VIEW}.captured", (3, 12), ValueError, "captured has 12, give pits .*")
    yield Bad(f"{VIEW}.captured", 3, TypeError, "'int' object is not iterable")
    yield Bad(f"{VIEW}.caption", "a\nb", ValueError, r"caption is 'a\\nb', give one line .*")
    yield Bad(f"{VIEW}.caption", 5, TypeError, "caption must be a str, not int")
    yield Bad(f"{VIEW}.is_over", np.ones(2), ValueError, "The truth value of an array .*")


CONSTRUCTORS = [
    *(Bad(f"OwareEnv.{bad[0]}", *bad[1:]) for bad in (*BATCH_SETTINGS, *wrong_types())),
    *(Bad(f"{SINGLE}.{bad[0]}", *bad[1:]) for bad in SETTINGS),
]
METHODS = [*methods(), *rollouts()]
ONE_BOARD, DRAWING = list(single()), list(drawing())
TABLE = [*CONSTRUCTORS, *METHODS, *ONE_BOARD, *DRAWING]
GOODS: dict[str, dict[str, Any]] = {
    "OwareEnv.set_positions": GOOD_POSITIONS,
    "OwareEnv.rollout": {"policy": "random", "steps": 1},
    f"{SINGLE}.set_position": {"pits": [4] * 12},
    "render.rgb_array": {"board": oware.Game()},
    "render.ansi": {"board": oware.Game()},
    "render.describe": {"board": oware.Game()},
    "render.svg": {"board": oware.Game()},
    "render.html": {"board": oware.Game()},
    "render.tiled": {"boards": [oware.Game()]},
    "render.Arrow": {"start": 1, "end": 6},
    "render.BoardView": {"pits": (4,) * 12, "stores": (0, 0), "to_move": 0},
}
PUBLIC = {
    **{name: getattr(oware, name) for name in oware.__all__},
    **{f"render.{name}": getattr(oware.render, name) for name in oware.render.__all__},
    SINGLE: OwareSingleEnv,
}


def ids(table: list[Bad]) -> list[str]:
    return [f"{bad.parameter}-{i}" for i, bad in enumerate(table)]


def refused(subject: object, bad: Bad) -> None:
    """Call what the parameter belongs to with the bad value and good ones for the others."""
    path, name = bad.parameter.rsplit(".", 1)
    function = subject if path in PUBLIC else getattr(subject, path.rsplit(".", 1)[1])
    with pytest.raises(bad.error, match=f"^(?s:{bad.message})$"):
        function(**{**GOODS.get(path, {}), name: bad.value})  # type: ignore[operator]


@pytest.mark.parametrize("bad", [*CONSTRUCTORS, *DRAWING], ids=ids([*CONSTRUCTORS, *DRAWING]))
def test_a_bad_argument_is_refused(bad: Bad) -> None:
    owner = max((name for name in PUBLIC if f"{bad.parameter}.".startswith(f"{name}.")), key=len)
    refused(PUBLIC[owner], bad)


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_call_changes_nothing(kind: str) -> None:
    env, shown = played(kind, ROWS)
    twin, twins = played(kind, ROWS)
    for bad in METHODS:
        before = photograph(env), frozen(shown)
        refused(env, bad)
        assert (photograph(env), frozen(shown)) == before, bad
        shown, seen = follow(env, shown, 1)
        twins, expected = follow(twin, twins, 1)
        assert seen == expected, bad


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", [0, 1, 63, 64, ROWS - 1])
def test_an_illegal_action_is_named_with_its_environment(row: int, kind: str) -> None:
    env, shown = played(kind, ROWS)
    while (legal := shown[4]["action_mask"])[row].all():
        shown, _ = follow(env, shown, 1)
    before = photograph(env)
    actions = legal.argmax(1)
    empty = int(legal[row].argmin())
    for action, why in ((empty, "is an empty pit"), (6, "is not a pit from 0 to 5")):
        actions[row] = action
        message = f"^environment {row}: action {action} {why};"
        with pytest.raises(oware.IllegalMoveError, match=message):
            env.step(actions)
    assert photograph(env) == before


@pytest.mark.parametrize("bad", ONE_BOARD, ids=ids(ONE_BOARD))
def test_a_refused_call_changes_nothing_on_one_board(bad: Bad) -> None:
    env, twin = OwareSingleEnv(), OwareSingleEnv()
    for one in (env, twin):
        one.reset(seed=4)
        one.step(0)
    refused(env, bad)
    assert env.get_state() == twin.get_state()
    assert env.np_random.bit_generator.state == twin.np_random.bit_generator.state
    assert str(env.step(1)) == str(twin.step(1))


def wrong_values(owner: str) -> list[Bad]:
    """Bad values of a constructor; Gymnasium judges the render mode itself."""
    table = [bad for bad in CONSTRUCTORS if bad.parameter.startswith(owner)]
    return [bad for bad in table if bad.error is ValueError and "render" not in bad.parameter]


@pytest.mark.parametrize("bad", wrong_values(f"{SINGLE}."), ids=lambda bad: bad[0])
def test_make_refuses_the_same(bad: Bad) -> None:
    name = bad.parameter.rsplit(".", 1)[1]
    settings: Any = {name: bad.value}
    with pytest.raises(bad.error, match=f"^(?s:{bad.message})$"):
        gymnasium.make("oware/Oware-v0", **settings)


@pytest.mark.parametrize("bad", wrong_values("OwareEnv."), ids=lambda bad: bad[0])
def test_make_vec_refuses_the_same(bad: Bad) -> None:
    name = bad.parameter.rsplit(".", 1)[1]
    settings: Any = {"num_envs": 2, name: bad.value}
    with pytest.raises(bad.error, match=f"^(?s:{bad.message})$"):
        gymnasium.make_vec("oware/Oware-v0", **settings)


def test_there_are_enough_bad_calls() -> None:
    assert len(TABLE) >= 60
    assert len({(bad.parameter, bad.error, bad.message) for bad in TABLE}) >= 200


# What has bad calls among the tests of its own module.
ELSEWHERE = {
    "Endgame": "test_endgame.py",
    "Network": "test_network.py",
    "replay": "test_replay.py",
}
# What calls return, made by nobody else.
RESULTS = {"Playouts", "Replay", "Rollout"}


def test_bad_calls_elsewhere_are_made() -> None:
    for name, file in ELSEWHERE.items():
        text = (Path(__file__).parent / file).read_text(encoding="utf-8")
        assert name in PUBLIC
        assert text.count("pytest.raises") >= 5


def test_every_parameter_of_everything_public_has_a_bad_call() -> None:
    table = [*TABLE, *test_bad_calls.TABLE]
    missing = set()
    seen = set()
    for name, thing in PUBLIC.items():
        if name in ELSEWHERE or name in RESULTS:
            continue
        is_error = isinstance(thing, type) and issubclass(thing, BaseException)
        is_protocol = getattr(thing, "_is_protocol", False)
        if callable(thing) and not (is_error or is_protocol):
            missing |= gaps(name, thing, table)
            seen |= {*parameters(name, thing)}
    # What it is given is for other environments, which are closed by the same call.
    assert missing == {"OwareEnv.close_extras._"}
    assert {bad.parameter for bad in TABLE} <= seen
    assert {
        *("OwareEnv.num_envs", "OwareEnv.step.actions", "Rules.diff.other", "perft.depth"),
        *(f"{SINGLE}.reset.options", "render.BoardView.of.game", "Rules.replace.changes"),
    } <= seen


VAST = 10**4000
"""More digits than anybody reads; Python itself would write them."""
VASTLY: list[Callable[[], object]] = [
    lambda: oware.Rules(max_plies=VAST),
    lambda: oware.Rules(repetition=-VAST),
    lambda: oware.Rules(seeds_per_pit=VAST),
    lambda: oware.Game(pits=[VAST] * 12),
    lambda: oware.Game(to_move=VAST),
    lambda: oware.Game().play(VAST),
    lambda: oware.perft(oware.Game(), VAST),
    lambda: oware.playouts(oware.Game(), VAST),
    lambda: oware.OwareEnv(VAST),
    lambda: oware.OwareEnv(opening_plies=VAST),
    lambda: oware.OwareEnv(start_seeds=(1, VAST)),
    lambda: oware.OwareEnv(2).reset(seed=VAST),
    lambda: oware.OwareEnv(2).reset(seed=[0, VAST]),
    lambda: oware.OwareEnv(2).game(VAST),
    lambda: oware.Network.random((VAST,)),
    lambda: oware.Network.random((8,), seed=VAST),
    lambda: oware.search.Mcts(simulations=VAST),
    lambda: oware.search.alpha_beta(oware.Game(), depth=VAST),
    lambda: oware.Endgame.build(VAST),
    lambda: oware.agents.MinimaxAgent(VAST),
    lambda: oware.agents.MctsAgent(VAST),
    lambda: oware.agents.NetworkAgent(oware.Network.random((8,), seed=0), VAST),
    lambda: oware.agents.evaluate("random", "random", games=-VAST),
    lambda: oware.arena.tournament(["random", "greedy"], games=VAST + 1),
    lambda: oware.arena.tournament(["random", "greedy"], openings=VAST),
    lambda: oware.records.Move("F", captured=VAST),
    lambda: oware.records.Record({}).game(plies=-VAST),
    lambda: oware.render.rgb_array(oware.Game(), height=VAST),
    lambda: oware.render.tiled([oware.Game()], columns=VAST),
    lambda: oware.render.Arrow(0, VAST),
    lambda: oware.render.BoardView((4,) * 12, (0, 0), to_move=VAST, captured=(VAST,)),
    lambda: oware.uci.Engine(print, hash_size=VAST),
]


@pytest.mark.parametrize("call", VASTLY)
def test_a_vast_number_makes_no_long_message(call: Callable[[], object]) -> None:
    with pytest.raises((ValueError, IndexError), match=r"an integer of \d+ bits|\d{19}") as raised:
        call()
    assert len(str(raised.value)) < 160
