"""A slow twin of `oware.OwareEnv`, written from its documentation over `oware.Game`.

It shares no code with the batch: boards are those of `Game`, views and rewards are worked out here,
and so is the random stream. What a seed gives is thereby pinned down to the last draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import oware

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15


class Stream:
    """SplitMix64 from a mixed seed; Steele, Lea and Flood (2014)."""

    def __init__(self, seed: int) -> None:
        self.state = mix((seed + GOLDEN) % WORD)

    def draw(self) -> int:
        self.state = (self.state + GOLDEN) % WORD
        return mix(self.state)

    def below(self, end: int) -> int:
        """A number below another one, by the upper half of one draw."""
        return (self.draw() >> 32) * end >> 32

    def choose(self, moves: Sequence[int]) -> int:
        """One of some moves."""
        return moves[self.below(len(moves))]


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def view(game: oware.Game, seat: int, kind: str) -> NDArray[Any]:
    """The board of a game as a seat sees it."""
    first, other = 6 * seat, 6 - 6 * seat
    counts = [*game.pits[first : first + 6], *game.pits[other : other + 6]]
    counts += [game.stores[seat], game.stores[1 - seat]]
    if kind == "seeds":
        return np.array(counts, np.uint8)
    if kind == "normalized":
        return np.array(counts, np.float32) / np.float32(12 * game.rules.seeds_per_pit)
    planes = np.zeros((14, 25), np.float32)
    for plane, count in zip(planes, counts, strict=True):
        plane[min(count, 24)] = 1
    return planes


def greediest(game: oware.Game) -> list[int]:
    """The legal moves that capture most."""
    taken = {move: game.copy().play(move) for move in game.legal_moves()}
    return [move for move in taken if taken[move] == max(taken.values())]


class Row:
    """One environment of the batch."""

    def __init__(self, settings: dict[str, Any], seed: int) -> None:
        self.settings = settings
        self.stream = Stream(seed)
        self.game = oware.Game(settings["rules"])
        self.live = False
        self.steps = 0
        self.agent: Literal[0, 1] | None = None if settings["opponent"] is None else 0
        self.opponent = settings["opponent"]
        self.place = 0
        self.regret = float("nan")
        self.redrawn = 0

    @property
    def viewer(self) -> int:
        return self.game.to_move if self.agent is None else self.agent

    def margin(self, seat: int) -> int:
        return self.game.stores[seat] - self.game.stores[1 - seat]

    def begin(self) -> None:
        """Start the next episode."""
        self.sit()
        while not self.try_opening():
            self.redrawn += 1

    def begin_at(self, game: oware.Game) -> None:
        """Start the next episode from a position."""
        self.sit()
        self.start(game)

    def sit(self) -> None:
        self.opponent, self.place = self.settings["opponent"], 0
        if self.opponent is None:
            return
        if isinstance(self.opponent, list):
            weights = [weight for _, weight in self.opponent]
            bits = self.stream.draw() >> 32
            bounds = [
                round(sum(weights[: n + 1]) / sum(weights) * 2**32) for n in range(len(weights))
            ]
            self.place = next(place for place, bound in enumerate(bounds) if bits < bound)
            self.opponent = self.opponent[self.place][0]
        seat = self.settings["seat"]
        if seat == "random":
            seat = ("south", "north")[self.stream.draw() >> 63]
        self.agent = 1 if seat == "north" else 0

    def try_opening(self) -> bool:
        game = self.first()
        for _ in range(self.settings["opening_plies"]):
            game.play(self.stream.choose(game.legal_moves()))
            if game.is_over:
                return False
        self.start(game)
        return not self.game.is_over

    def first(self) -> oware.Game:
        """The game before its opening."""
        seeds = self.settings["start_seeds"]
        if seeds is None:
            return oware.Game(self.settings["rules"])
        low, high = seeds if isinstance(seeds, tuple) else (seeds, seeds)
        count = low + self.stream.below(high - low + 1)
        while True:
            game = self.placed(count)
            if not game.is_over:
                return game

    def placed(self, count: int) -> oware.Game:
        """Seeds and eleven walls, in the order in which they are drawn."""
        pits, left = [0], count
        while left:
            walls = 12 - len(pits)
            if self.stream.below(left + walls) < walls:
                pits.append(0)
            else:
                pits[-1] += 1
                left -= 1
        pits += [0] * (12 - len(pits))
        rules = self.settings["rules"]
        total = 12 * oware.Game(rules).rules.seeds_per_pit
        splits = [
            (south, total - count - south)
            for south in range(total - count + 1)
            if 2 * south <= total and 2 * (total - count - south) <= total
        ]
        stores = splits[self.stream.below(len(splits))]
        return oware.Game(rules, pits=pits, stores=stores, to_move=self.stream.draw() >> 63)

    def start(self, game: oware.Game) -> None:
        self.game = game
        self.live = True
        self.steps = 0
        self.reply()

    def reply(self) -> None:
        """The opponent's ply, where it is to move."""
        game = self.game
        if self.agent is None or game.is_over or game.to_move == self.agent:
            return
        if self.opponent == "random":
            move = self.stream.choose(game.legal_moves())
        elif self.opponent == "greedy":
            move = self.stream.choose(greediest(game))
        else:
            seen = view(game, game.to_move, self.settings["observation"])
            move = int(self.opponent(seen[None], game.action_mask()[None])[0])
        game.play(move)

    def step(self, action: int) -> tuple[float, bool, bool, list[float]]:
        """Reward, terminated, truncated, and both seats' rewards."""
        self.regret = float("nan")
        if not self.live:
            assert self.settings["autoreset_mode"] == "next_step"
            self.begin()
            return 0.0, False, False, [0.0, 0.0]
        seat = self.viewer
        before = self.margin(seat)
        values = self.move_values()
        if values:
            self.regret = max(values.values()) - values[action]
        self.game.play(action)
        self.reply()
        self.steps += 1
        terminated = self.game.is_over
        truncated = not terminated and self.steps == self.settings["max_steps"]
        self.live = not (terminated or truncated)
        reward = self.reward(seat, before)
        both = [reward, 0 - reward] if seat == 0 else [0 - reward, reward]
        return reward, terminated, truncated, both

    def move_values(self) -> dict[int, int]:
        """What the database says of the legal moves, if it reaches."""
        endgame = self.settings["endgame"]
        if endgame is None or sum(self.game.pits) > endgame.max_seeds:
            return {}
        values: dict[int, int] = endgame.move_values(self.game)
        return values

    def value(self) -> float:
        """What the viewer still takes."""
        if self.game.is_over:
            return 0.0
        values = self.move_values()
        if not values:
            return float("nan")
        best = max(values.values())
        return best if self.viewer == self.game.to_move else -best

    def reward(self, seat: int, before: int) -> float:
        margin = self.margin(seat)
        if self.settings["reward"] == "captures":
            return margin - before
        if not self.game.is_over:
            return 0.0
        if self.settings["reward"] == "outcome":
            return float(np.sign(margin))
        return margin / (12 * self.game.rules.seeds_per_pit)

    def info(self) -> tuple[NDArray[np.int8], int, int, int]:
        game = self.game
        mask = game.action_mask() if self.live else np.ones(6, np.int8)
        termination = oware.TERMINATIONS.index(game.termination or "going_on")
        return mask, self.viewer, termination, -1 if game.winner is None else game.winner


class ReferenceEnv:
    """The batch: the methods of `OwareEnv` that play, with the same arguments and answers."""

    def __init__(self, num_envs: int, *, seed: int = 0, **settings: Any) -> None:
        defaults = {
            "rules": "abapa",
            "opponent": None,
            "seat": "random",
            "observation": "seeds",
            "reward": "outcome",
            "seat_rewards": False,
            "autoreset_mode": "next_step",
            "max_steps": 1000,
            "start_seeds": None,
            "opening_plies": 0,
            "endgame": None,
        }
        opponent = settings.get("opponent")
        if isinstance(opponent, dict):
            settings["opponent"] = list(opponent.items())
        self.pooled = isinstance(settings.get("opponent"), list)
        self.settings: dict[str, Any] = defaults | settings
        self.rows = [Row(self.settings, seed + row) for row in range(num_envs)]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        count = len(self.rows)
        seeds = [None] * count if seed is None else seed
        if isinstance(seeds, int):
            seeds = range(seeds, seeds + count)
        mask = np.ones(count, bool) if options is None else options["reset_mask"]
        for row, new, chosen in zip(self.rows, seeds, mask, strict=True):
            if chosen:
                row.stream = row.stream if new is None else Stream(new)
                row.begin()
        self.forget()
        return self.show()

    def set_positions(
        self, pits: Any, stores: Any, to_move: Any, mask: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        for index, row in enumerate(self.rows):
            if mask is None or mask[index]:
                board = {"pits": pits[index], "stores": stores[index], "to_move": to_move[index]}
                row.begin_at(oware.Game(self.settings["rules"], **board))
        self.forget()
        return self.show()

    def forget(self) -> None:
        """No move was just made."""
        for row in self.rows:
            row.regret = float("nan")

    def set_opponent(self, opponent: Any) -> None:
        opponent = list(opponent.items()) if isinstance(opponent, dict) else opponent
        self.settings["opponent"] = opponent
        self.pooled |= isinstance(opponent, list)

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        played = [row.step(int(action)) for row, action in zip(self.rows, actions, strict=True)]
        reward, terminated, truncated, seat_rewards = map(list, zip(*played, strict=True))
        finished = np.array(terminated) | np.array(truncated)
        final: dict[str, Any] = {}
        if self.settings["autoreset_mode"] == "same_step" and finished.any():
            final = self.finals(finished, np.array(seat_rewards, np.float32))
            for row, over in zip(self.rows, finished, strict=True):
                if over:
                    row.begin()
        observation, info = self.show(np.array(seat_rewards, np.float32))
        flags = np.array(terminated), np.array(truncated)
        return observation, np.array(reward, np.float32), *flags, info | final

    def show(
        self, seat_rewards: NDArray[np.float32] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        kind = self.settings["observation"]
        observation = np.stack([view(row.game, row.viewer, kind) for row in self.rows])
        columns = zip(*(row.info() for row in self.rows), strict=True)
        names = "action_mask", "to_move", "termination", "winner"
        info: dict[str, Any] = {
            name: np.array(column, np.int8) for name, column in zip(names, columns, strict=True)
        }
        if self.settings["seat_rewards"]:
            none = np.zeros((len(self.rows), 2), np.float32)
            info["seat_rewards"] = none if seat_rewards is None else seat_rewards
        if self.settings["endgame"] is not None:
            info["value"] = np.array([row.value() for row in self.rows], np.float32)
            info["regret"] = np.array([row.regret for row in self.rows], np.float32)
        if self.pooled:
            info["opponent"] = np.array([row.place for row in self.rows], np.int8)
        return observation, info

    def finals(
        self, finished: NDArray[np.bool_], seat_rewards: NDArray[np.float32]
    ) -> dict[str, Any]:
        """How the finished rows have ended, under Gymnasium's names."""
        observation, info = self.show(seat_rewards)
        final_obs = np.full(len(self.rows), None, object)
        for index in np.flatnonzero(finished):
            final_obs[index] = observation[index]
        masks = {f"_{name}": finished for name in info}
        return {
            "final_obs": final_obs,
            "_final_obs": finished,
            "final_info": info | masks,
            "_final_info": finished,
        }


def assert_same(ours: Any, expected: Any, where: str = "", rows: Any = ...) -> None:
    """Equal in structure, type, shape and entries; `final_info` only where a row has finished."""
    assert type(ours) is type(expected), (where, ours, expected)
    if isinstance(expected, tuple | list):
        assert len(ours) == len(expected), where
        for index, (one, other) in enumerate(zip(ours, expected, strict=True)):
            assert_same(one, other, f"{where}[{index}]", rows)
    elif isinstance(expected, dict):
        assert ours.keys() == expected.keys(), (where, ours.keys(), expected.keys())
        for name, other in expected.items():
            inner = expected["_final_info"] if name == "final_info" else rows
            inner = ... if name.startswith("_") else inner
            assert_same(ours[name], other, f"{where}[{name!r}]", inner)
    elif isinstance(expected, np.ndarray):
        assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape), where
        if expected.dtype == object:
            for index, (one, other) in enumerate(zip(ours, expected, strict=True)):
                assert_same(one, other, f"{where}[{index}]")
        else:
            floats = np.issubdtype(expected.dtype, np.floating)
            same = np.array_equal(ours[rows], expected[rows], equal_nan=floats)
            assert same, (where, ours, expected)
    else:
        assert ours == expected, (where, ours, expected)


def some_actions(rng: np.random.Generator, action_mask: NDArray[np.int8]) -> NDArray[np.intp]:
    """A legal action in each row, each as likely as the others."""
    actions: NDArray[np.intp] = np.argmax(action_mask * (1 - rng.random(action_mask.shape)), axis=1)
    return actions


def first_legal(observation: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.intp]:
    """An opponent without chance."""
    del observation
    actions: NDArray[np.intp] = action_mask.argmax(axis=1)
    return actions
