"""Objects that lie, fail and overflow, to call things with."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import oware


class RudeError(Exception):
    """What the nasty objects raise."""


def raising(*_: Any, **__: Any) -> Any:
    raise RudeError


def answering(answer: Any) -> Callable[..., Any]:
    return lambda *_, **__: answer


def item(_: object, number: int) -> int:
    """Python's old way of iterating ends with this error only."""
    if number >= 1000:
        raise IndexError
    return 0


def with_methods(**methods: Any) -> Any:
    """An object whose class has these special methods."""
    names = {f"__{name}__": method for name, method in methods.items()}
    return type("Nasty", (), names)()


def itself() -> list[Any]:
    """A list that is its own item."""
    items: list[Any] = []
    items.append(items)
    return items


def deep() -> list[Any]:
    items: list[Any] = []
    for _ in range(200):
        items = [items]
    return items


class OddMapping(Mapping[Any, Any]):
    def __getitem__(self, key: object) -> Any:
        raise RudeError

    def __iter__(self) -> Any:
        yield "reset_mask"

    def __len__(self) -> int:
        return 2**40


class OddArray(np.ndarray[Any, Any]):
    astype = ravel = view = copy = tolist = answering(None)


class OddString(str):
    __slots__ = ()

    __eq__ = __hash__ = __str__ = raising


class OddInt(int):
    __index__ = __int__ = __eq__ = __lt__ = raising
    __hash__ = int.__hash__


NUMBERS: dict[str, Any] = {
    str(number): number
    for number in (
        *(0, 1, 2, 3, -1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 4, 2**64, -(2**63), -(2**64)),
        *(0.0, -0.0, 1.5, math.nan, math.inf, 1j, True, False, np.True_, np.uint8(5), np.int64(-1)),
        *(
            np.float16(1),
            np.datetime64("NaT", "s"),
            np.timedelta64(3, "s"),
            np.uint64(2**64 - 1),
            np.void(b"?"),
        ),
    )
} | {"a long int": 10**5000, "a long negative int": -(10**5000)}

TEXTS: dict[str, Any] = {
    "no text": "",
    "a surrogate": "\ud800",
    "nul": "\0",
    "a long text": "x" * 100_000,
    "accents": "awalé",
    "an odd str": OddString("abapa"),
    "no bytes": b"",
    "bytes": b"\0\1\2",
    "a magic": b"OWAREENV" * 20,
    "a bytearray": bytearray(3),
}
SHAPES = ((), (0,), (1,), (3,), (3, 1), (3, 2), (3, 12), (3, 13), (0, 12), (3, 0), (1,) * 20)
DTYPES = (
    "?",
    "i1",
    "u1",
    ">i4",
    "i8",
    ">u8",
    "f2",
    "f8",
    "c8",
    "O",
    "U2",
    "S2",
    "M8[ns]",
    "m8",
    "V5",
)
FACTORIES: dict[str, Callable[[], Any]] = {
    **{
        f"zeros of {dtype} {shape}": partial(np.zeros, shape, dtype)
        for shape in SHAPES
        for dtype in DTYPES
    },
    "records": lambda: np.zeros(3, "u1,i8")["f1"],
    "many rows": lambda: np.broadcast_to(np.int64(1), (2**40,)),
    "many columns": lambda: np.broadcast_to(np.uint8(1), (3, 2**40)),
    "many trues": lambda: np.broadcast_to(True, (2**40,)),
    "no huge rows": lambda: np.zeros((0, 2**30), np.int8),
    "bytes as bools": lambda: np.array([2, 3, 255], np.uint8).view(bool),
    "read-only": lambda: np.frombuffer(b"\0\1\2", np.uint8),
    "an odd array": lambda: np.zeros(3, np.int64).view(OddArray),
    "odd pits": lambda: np.full((3, 12), 4, np.int32).view(OddArray),
    "odd bools": lambda: np.ones(3, bool).view(OddArray),
    "a masked array": lambda: np.ma.masked_array(np.zeros(3, np.int64), True),
    "a matrix": lambda: np.asmatrix(np.zeros((3, 12), int)),
    "objects": lambda: np.array([raising, None, 5], object),
    "a list": lambda: [0, 1, 2],
    "a ragged list": lambda: [[0], [1, 2], 3],
    "a list of nothing": lambda: [None] * 3,
    "itself": itself,
    "a deep list": deep,
    "a tuple": lambda: (0, 1, 2),
    "a set": lambda: {0, 1, 2},
    "a dict": lambda: {0: 0, 1: 1, 2: 2},
    "an option": lambda: {"reset_mask": np.ones(3, bool)},
    "an odd option": lambda: {"reset_mask": with_methods(array=raising)},
    "an option without a name": lambda: {None: 1},
    "an odd mapping": OddMapping,
    "a long range": lambda: range(2**62),
    "a generator": lambda: (number for number in range(3)),
    "nothing": lambda: None,
    "an ellipsis": lambda: ...,
    "not implemented": lambda: NotImplemented,
    "a type": lambda: int,
    "a module": answering(types),
    "an error": RudeError,
    "a memory view": lambda: memoryview(bytes(3)),
    "rules": lambda: oware.Rules(seeds_per_pit=20),
    "a game": lambda: oware.Game("awari"),
    "an environment": lambda: oware.OwareEnv(2),
    "a callable": lambda: raising,
    "a callable without sense": lambda: answering(itself()),
    "an odd int": lambda: OddInt(3),
    "plain": with_methods,
    "len raises": lambda: with_methods(len=raising, getitem=raising),
    "len lies": lambda: with_methods(len=answering(3), getitem=raising),
    "len is negative": lambda: with_methods(len=answering(-1), getitem=item),
    "len is huge": lambda: with_methods(len=answering(2**62), getitem=item),
    "len is no int": lambda: with_methods(len=answering("3"), getitem=item),
    "items are odd": lambda: with_methods(
        len=answering(3), getitem=lambda _, number: [itself()][number]
    ),
    "index raises": lambda: with_methods(index=raising),
    "index is huge": lambda: with_methods(index=answering(2**70)),
    "index is text": lambda: with_methods(index=answering("1")),
    "index is fine": lambda: with_methods(index=answering(1)),
    "array raises": lambda: with_methods(array=raising),
    "array is none": lambda: with_methods(array=answering(None)),
    "array is odd": lambda: with_methods(array=answering(np.zeros(3, "O"))),
    "an interface": lambda: with_methods(array_interface=answering({})),
    "an interface that lies": type(
        "Liar", (), {"__array_interface__": {"shape": (3,), "typestr": "<i8", "version": 3}}
    ),
    "eq raises": lambda: with_methods(eq=raising, hash=raising, bool=raising),
    "repr raises": lambda: with_methods(repr=raising, str=raising, format=raising),
    "getattr raises": lambda: with_methods(getattribute=raising),
    "class lies": type("Liar", (), {"__class__": property(answering(np.ndarray))}),
    "class is rules": type("Liar", (), {"__class__": property(answering(oware.Rules))}),
    "class is a str": type("Liar", (), {"__class__": property(answering(str))}),
}
ENDLESS = {"many rows", "many columns", "many trues", "a long range", "len is huge"}
"""Those that no memory holds: to go through them never ends."""
POOL: dict[str, Callable[[], Any]] = {
    **{name: answering(value) for name, value in (NUMBERS | TEXTS).items()},
    **FACTORIES,
}
