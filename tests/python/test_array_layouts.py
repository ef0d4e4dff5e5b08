"""Arrays as they come: any type, byte order, stride and class, and out of line with memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from watched import Arraylike, frozen, photograph

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Subclass(np.ndarray[Any, Any]):
    """An array with methods of its own, as libraries with units and masks have them."""

    def astype(self, *_: Any, **__: Any) -> Any:
        return np.zeros(1)

    ravel = view = copy = astype


def packed(numbers: NDArray[Any]) -> NDArray[Any]:
    """A field of records, whose distance is no multiple of its size."""
    records = np.zeros(numbers.shape, [("flag", "u1"), ("number", numbers.dtype)])
    records["number"] = numbers
    return records["number"]


def unaligned(numbers: NDArray[Any]) -> NDArray[Any]:
    memory = b"?" + numbers.tobytes()
    return np.frombuffer(memory, numbers.dtype, offset=1).reshape(numbers.shape)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "list": lambda numbers: numbers.tolist(),
    "int8": lambda numbers: numbers.astype(np.int8),
    "uint64": lambda numbers: numbers.astype(np.uint64),
    "big-endian": lambda numbers: numbers.astype(">i4"),
    "reversed": lambda numbers: numbers[::-1].copy()[::-1],
    "spread out": lambda numbers: np.repeat(numbers, 3, 0)[::3],
    "Fortran": np.asfortranarray,
    "broadcast": lambda numbers: np.broadcast_to(numbers[None], (2, *numbers.shape))[1],
    "packed": packed,
    "packed uint16": lambda numbers: packed(numbers.astype(np.uint16)),
    "unaligned": unaligned,
    "subclass": lambda numbers: numbers.view(Subclass),
    "subclass int32": lambda numbers: numbers.astype(np.int32).view(Subclass),
    "array-like": lambda numbers: Arraylike(lambda: numbers),
    "buffer": memoryview,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_integers_are_read_from_any_layout(layout: str) -> None:
    lay = LAYOUTS[layout]
    env, plain = oware.OwareEnv(5), oware.OwareEnv(5)
    pits = np.arange(60).reshape(5, 12) % 7 % 5
    stores = np.arange(10).reshape(5, 2)
    to_move = np.arange(5) % 2
    plain.set_positions(pits, stores, to_move)
    assert np.array_equal(plain.pits, pits)
    env.set_positions(lay(pits), lay(stores), lay(to_move))
    assert photograph(env)[0] == photograph(plain)[0]
    actions = np.array([game.legal_moves()[-1] for game in map(env.game, range(5))])
    assert frozen(env.step(lay(actions))) == frozen(plain.step(actions))


@pytest.mark.parametrize("layout", ["reversed", "spread out", "subclass"])
def test_bools_are_read_from_any_layout(layout: str) -> None:
    # A byte of a bool array may have any value; all but 0 are true.
    for mask in (np.array([True, False, True]), np.array([2, 0, 255], np.uint8).view(bool)):
        env = oware.OwareEnv(3)
        env.reset(seed=0)
        env.step([0, 1, 2])
        info = env.reset(options={"reset_mask": LAYOUTS[layout](mask)})[1]
        assert info["to_move"].tolist() == [0, 1, 0]
        env.set_positions([[4] * 12] * 3, [[0, 0]] * 3, [1] * 3, LAYOUTS[layout](mask))
        assert [env.game(row).ply for row in range(3)] == [0, 1, 0]
