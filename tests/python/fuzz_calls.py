"""Calls everything public with nasty objects; run as a script, since a call may end the process.

Usage: `python fuzz_calls.py CALLS SEED FILE`. The file tells the call under way.
"""

from __future__ import annotations

import inspect
import random
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

import oware
import oware.render
from nasty import ENDLESS, POOL, RudeError, answering
from oware.single import OwareSingleEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = 3
EXPECTED = (
    *(TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, RuntimeError),
    *(gymnasium.error.ClosedEnvironmentError, gymnasium.error.ResetNeeded, RudeError),
)


def first_legal(_: Any, mask: Any) -> Any:
    return mask.argmax(1)


KINDS: tuple[dict[str, Any], ...] = (
    {},
    {"opponent": first_legal, "copy": False, "autoreset_mode": "same_step", "seat_rewards": True},
    {"opponent": "greedy", "observation": "one_hot", "autoreset_mode": "disabled"},
)
GOOD: dict[str, list[Any]] = {
    "num_envs": [1, 3],
    "rules": ["abapa", "awari", oware.Rules()],
    "opponent": ["random", first_legal],
    "seat": ["north"],
    "observation": ["one_hot"],
    "kind": ["seeds", "one_hot"],
    "reward": ["margin"],
    "autoreset_mode": ["same_step", gymnasium.vector.AutoresetMode.DISABLED],
    "render_mode": ["ansi"],
    "mode": ["ansi"],
    "seed": [5, [1, None, 3]],
    "options": [{"reset_mask": np.array([True, False, True])}],
    "actions": [[0, 0, 0], np.array([1, 2, 3])],
    "action": [0, np.int8(3)],
    "pits": [[[4] * 12] * ROWS, [4] * 12],
    "stores": [[[0, 0]] * ROWS, (0, 0)],
    "to_move": [[0, 1, 0], 1],
    "mask": [np.array([True, False, False])],
    "i": [0, 2],
    "m": [0, 5],
    "s": ["4-4-4-4-4-4-4-4-4-4-4-4-0-0-S"],
    "text": ["FfEe"],
    "game": [oware.Game()],
    "board": [oware.Game()],
    "depth": [0, 3],
    "name": ["harvest"],
    "other": ["harvest"],
}


def environments() -> list[Any]:
    made: list[Any] = [oware.OwareEnv(ROWS, **settings) for settings in KINDS]
    made.append(OwareSingleEnv())
    for env in made:
        env.reset(seed=1)
    return made


def public(thing: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods of an object, with those that Python calls itself."""
    for name in dir(type(thing)):
        special = name in {"__eq__", "__ne__", "__deepcopy__", "__contains__", "__lt__"}
        if callable(getattr(type(thing), name)) and (special or not name.startswith("_")):
            yield name, getattr(thing, name)


def targets() -> list[tuple[str, Callable[[], Any], str | None]]:
    """What is called: a name, what makes the object, and the method."""
    found: list[tuple[str, Callable[[], Any], str | None]] = []
    for module in (oware, oware.render):
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing):
                found.append((name, answering(thing), None))
    found.append(("OwareSingleEnv", answering(OwareSingleEnv), None))
    for make in (oware.Game, lambda: oware.Rules(max_plies=9)):
        found += [(f"{type(make()).__name__}.{name}", make, name) for name, _ in public(make())]
    return found


class Fuzz:
    def __init__(self, seed: int, file: str) -> None:
        self.luck = random.Random(seed)
        self.names = sorted(POOL)
        self.envs = environments()
        self.file = Path(file).open("w", encoding="utf-8")  # noqa: SIM115 - open to the end

    def argument(self, called: str, parameter: str) -> tuple[str, Any]:
        goods = GOOD.get(parameter, [])
        if goods and self.luck.random() < 0.4:
            return "a good one", self.luck.choice(goods)
        name = self.luck.choice(self.names)
        # The fields of a view are gone through, as a tuple's would be, and a comparison is numpy's.
        while name in ENDLESS and called in {"BoardView", "Game.__eq__", "Game.__ne__"}:
            name = self.luck.choice(self.names)
        return name, POOL[name]()

    def arguments(
        self, name: str, function: Callable[..., Any]
    ) -> tuple[list[str], list[Any], dict[str, Any]]:
        try:
            parameters = [*inspect.signature(function).parameters.values()]
        except ValueError:
            parameters = []
        told: list[str] = []
        some: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in parameters:
            if parameter.default is not parameter.empty and self.luck.random() < 0.5:
                continue
            told_one, value = self.argument(name, parameter.name)
            told.append(f"{parameter.name}: {told_one}")
            if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL}:
                some.append(value)
            else:
                named[parameter.name] = value
        if self.luck.random() < 0.05:
            told.append("one too many")
            some.append(None)
        return told, some, named

    def call(self, name: str, function: Callable[..., Any]) -> None:
        told, some, named = self.arguments(name, function)
        line = f"{name}({', '.join(told)})"
        # Whatever happens now, this can be read.
        self.file.seek(0)
        self.file.truncate()
        self.file.write(line)
        self.file.flush()
        try:
            function(*some, **named)
        except EXPECTED:
            pass
        except MemoryError:
            # What numpy says to a sequence that claims 2**62 items.
            if not any(name in line for name in ENDLESS):
                raise
        except BaseException as error:
            print(f"{line}: {type(error)}: {error}")
            raise

    def check(self) -> None:
        """Every environment is whole, or closed by a call."""
        for number, env in enumerate(self.envs):
            batch = getattr(env, "_batch", env)
            try:
                state = batch.get_state()
                batch.set_state(state)
                assert batch.get_state() == state
                total = batch.pits.sum(1, dtype=int) + batch.stores.sum(1, dtype=int)
                assert (total <= 12 * batch.rules.seeds_per_pit).all()
                assert (batch.observe() == batch.observe()).all()
            except gymnasium.error.ClosedEnvironmentError:
                self.envs[number] = environments()[number]

    def run(self, calls: int) -> None:
        others = targets()
        for number in range(calls):
            if self.luck.random() < 0.6:
                env = self.luck.choice(self.envs)
                name, function = self.luck.choice([*public(env)])
                self.call(f"{type(env).__name__}.{name}", function)
            else:
                name, make, method = self.luck.choice(others)
                thing = make()
                self.call(name, thing if method is None else getattr(thing, method))
            if number % 20 == 0:
                self.check()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    Fuzz(int(sys.argv[2]), sys.argv[3]).run(int(sys.argv[1]))
    print("survived")
