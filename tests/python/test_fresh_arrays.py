"""With `copy=True` nobody can tell that an array has served before."""

from __future__ import annotations

import gc
import warnings
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from oware.types import ObservationKind

ROWS = 70
KINDS: tuple[ObservationKind, ...] = ("seeds", "normalized", "one_hot")


def made(observation: ObservationKind = "seeds") -> oware.OwareEnv:
    env = oware.OwareEnv(
        ROWS, observation=observation, autoreset_mode="same_step", seat_rewards=True, max_steps=9
    )
    env.reset(seed=5)
    return env


def steps(env: oware.OwareEnv, count: int) -> Iterator[tuple[Any, ...]]:
    """Steps with the last legal move; the same ones in every environment."""
    mask = env.reset(seed=5)[1]["action_mask"]
    for _ in range(count):
        action = 5 - mask[:, ::-1].argmax(axis=1)
        result = env.step(action)
        mask = result[4]["action_mask"].copy()
        yield result


def arrays(result: tuple[Any, ...]) -> dict[str, NDArray[Any]]:
    """Every array of a step by a name of its own."""
    observation, reward, terminated, truncated, info = result
    found = {"observation": observation, "reward": reward}
    found |= {"terminated": terminated, "truncated": truncated}
    final_info = info.get("final_info", {})
    found |= {key: value for key, value in info.items() if key != "final_info"}
    found |= {f"final_info {key}": value for key, value in final_info.items()}
    return found


def plain(array: NDArray[Any]) -> Any:
    if array.dtype != object:
        return array.copy()
    return [None if entry is None else entry.tolist() for entry in array]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_stays_as_it_was(kind: ObservationKind) -> None:
    kept = [arrays(result) for result in steps(made(kind), 20)]
    again = list(steps(made(kind), 20))
    for held, other in zip(kept, again, strict=True):
        assert held.keys() == arrays(other).keys()
        for name, array in arrays(other).items():
            np.testing.assert_equal(plain(held[name]), plain(array), err_msg=name)
    memory = {array.__array_interface__["data"][0] for held in kept for array in held.values()}
    # The mask of finished rows goes by several names.
    assert len(memory) == sum(len({id(a) for a in held.values()}) for held in kept)


@pytest.mark.parametrize("kind", KINDS)
def test_dropped_arrays_give_the_same_episodes(kind: ObservationKind) -> None:
    kept = [arrays(result) for result in steps(made(kind), 20)]
    for held, result in zip(kept, steps(made(kind), 20), strict=True):
        for name, array in arrays(result).items():
            assert array.flags.owndata, name
            assert array.flags.writeable, name
            assert array.flags.c_contiguous, name
            np.testing.assert_equal(plain(held[name]), plain(array), err_msg=name)
        del result


@pytest.mark.parametrize("kind", KINDS)
def test_some_kept_and_some_dropped(kind: ObservationKind) -> None:
    # A view, a buffer and a final observation hold memory without the array handed out.
    rng = np.random.default_rng(3)
    held: list[tuple[Any, Any]] = []
    for result in steps(made(kind), 40):
        found = arrays(result)
        for name in rng.choice(sorted(found), size=4, replace=False):
            array = found[str(name)]
            if array.dtype == object:
                held += [(entry, entry.copy()) for entry in array if entry is not None][:3]
            elif rng.random() < 0.5:
                held.append((array[1:], array[1:].copy()))
            else:
                held.append(
                    (np.frombuffer(array.data, array.dtype).reshape(array.shape), array.copy())
                )
    assert len(held) > 100
    for array, copy in held:
        np.testing.assert_array_equal(array, copy)


def vandalise(array: NDArray[Any]) -> None:
    """All that can be done to an array in place."""
    if array.dtype == object:
        array[:] = "vandal"
    else:
        array[...] = 1
    with warnings.catch_warnings():
        # NumPy 2.5 advises against it, and still does it.
        warnings.simplefilter("ignore", DeprecationWarning)
        array.shape = (*array.shape, 1)
    array.flags.writeable = False


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_done_to_dropped_arrays_does_not_matter(kind: ObservationKind) -> None:
    kept = [arrays(result) for result in steps(made(kind), 20)]
    for held, result in zip(kept, steps(made(kind), 20), strict=True):
        found = arrays(result)
        for name, array in found.items():
            assert array.shape == held[name].shape, name
            assert array.dtype == held[name].dtype, name
            np.testing.assert_equal(plain(held[name]), plain(array), err_msg=name)
        for array in {id(array): array for array in found.values()}.values():
            for entry in array if array.dtype == object else []:
                if entry is not None:
                    vandalise(entry)
            vandalise(array)


def test_an_array_cannot_come_back_from_a_weak_reference() -> None:
    dropped: list[weakref.ref[Any]] = []
    seen: dict[int, NDArray[Any]] = {}
    for result in steps(made(), 20):
        dropped.append(weakref.ref(result[0]))
        seen[len(dropped) - 1] = result[0].copy()
        del result
    gc.collect()
    for number, reference in enumerate(dropped):
        array = reference()
        assert array is None or np.array_equal(array, seen[number])


def test_arrays_with_another_dtype_are_not_used_again() -> None:
    kept = [arrays(result)["termination"] for result in steps(made(), 10)]
    for held, result in zip(kept, steps(made(), 10), strict=True):
        array = result[4]["termination"]
        np.testing.assert_array_equal(held, array)
        assert array.dtype == np.int8
        # NumPy 2.4 warns of this way to set it.
        array.__setstate__((1, array.shape, np.dtype(np.uint8), False, array.tobytes()))


def test_what_a_view_left_in_dropped_flags_does_not_matter() -> None:
    most = 0
    for result in steps(made(), 20):
        flags = {id(a): a.view(np.uint8) for a in arrays(result).values() if a.dtype == bool}
        for number in flags.values():
            most = max(most, number.max())
            number[...] = 7
        del result, flags, number
    assert most == 1


def test_an_object_that_steps_as_it_goes_is_told_off() -> None:
    class Meddler:
        def __init__(self, env: oware.OwareEnv) -> None:
            self.env = env

        def __del__(self) -> None:
            try:
                self.env.step(np.zeros(ROWS, dtype=np.int64))
            except RuntimeError as error:
                told.append(str(error))
            except ValueError:
                told.append("free to step")

    told: list[str] = []
    env = made()
    for result in steps(env, 20):
        final_obs = result[4].get("final_obs")
        if final_obs is not None:
            final_obs[0] = Meddler(env)
        del result, final_obs
    gc.collect()
    assert any("in use by another call" in message for message in told)
