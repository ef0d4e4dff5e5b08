"""AlphaZero for Oware in one file, on top of the games of `oware.train.self_play`.

    oware train --minutes 30

An iteration plays games with the best network so far, learns from the games of the last iterations,
and now and then lets what it has learnt play a match against the best. After each one everything
that the next one needs is in the run's folder:

    settings.json                what decides the run
    checkpoint                   weights, their mean, Adam's state, the best network, the count
    experience/000012            the positions of an iteration
    network-000010.safetensors   each network that was the best
    network.safetensors          the best one: a player by the name "net:PATH"
    log.csv, tensorboard/        a row, and a point of each curve, for an iteration
    lock                         held by the process that trains

A process that was killed goes on after the last whole iteration, and where a number of iterations
was asked for, it comes to the same weights.

Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go through
self-play", Science 362 (2018).
"""

from __future__ import annotations

import math
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from filelock import FileLock
from torch.nn import functional
from tqdm import tqdm

from oware._counts import count, real
from oware.agents import NetworkAgent, evaluate
from oware.network import Network
from oware.train import _stages
from oware.train._alone import alone
from oware.train._experience import Experience
from oware.train._folder import LOCK, begun, known, settled, solved
from oware.train._model import Model, device_of
from oware.train._self_play import self_play

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from oware.endgame import Endgame
    from oware.train._settings import Settings
    from oware.types import OpponentName

__all__ = ["Trainer"]

AVERAGED: Final = 0.998
"""What the mean of the weights keeps of itself at each step of the optimiser."""
WARM_UP: Final = 5
"""Iterations in which the learning rate grows to its value."""
EARLIEST: Final = 3
"""The fewest iterations whose examples are learnt from, as soon as there are as many."""
YARDSTICKS: Final[tuple[OpponentName, ...]] = ("greedy", "minimax:2", "minimax:4")
"""Whom each new best network plays without search."""
MOST_THREADS: Final = 1024


class Trainer:
    """A training run in a folder, which is begun or gone on with.

    Args:
        folder: The run's folder; made when it is not there.
        settings: What decides the run; None for those of the folder, or for the usual ones.
        device: Where gradients are computed: `"cpu"`, `"cuda"`, ... (PyTorch's names).
        num_threads: The threads of games, and of PyTorch for the whole process.
        endgame: Exact values for `settings.endgame` seeds; None for `oware.Endgame.load`.
        teacher: The folder of another run, whose last examples a new run learns first, as a larger
            network takes over from a smaller one; a run that is gone on with does without.
        play: What plays the games, as `self_play` does and called as it is: `oware.train.RayGames`,
            say; None for `self_play` itself on `num_threads` threads.

    Raises:
        OSError: The folder cannot be read or written, or another process trains there.
        TypeError: An argument has the wrong type.
        ValueError: The folder holds a run of other settings, its files are damaged, there is no
            such device, or rules or seeds of the database or the teacher are others. A new run's
            folder is not made then.

    Attributes:
        iteration: How many iterations there were.
        games: How many games they played.
        log: A row for each iteration: what is in `log.csv`.
        best: The best network so far.

    Example:
        >>> import tempfile
        >>> from oware.train import Settings
        >>> settings = Settings(hidden=(8,), games=4, simulations=4, endgame=0, gate_every=3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     trainer = Trainer(folder, settings)
        ...     trainer.run(iterations=2, progress=False)
        ...     sorted(path.name for path in Path(folder).glob("*.safetensors"))
        ['network-000000.safetensors', 'network.safetensors']
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        settings: Settings | None = None,
        *,
        device: str = "cpu",
        num_threads: int = 1,
        endgame: Endgame | None = None,
        teacher: str | os.PathLike[str] | None = None,
        play: Callable[..., Experience] | None = None,
    ) -> None:
        # Nothing is written before all of it is known to do.
        self.folder = Path(folder)
        self.num_threads = count("num_threads", num_threads, 1, MOST_THREADS)
        self.settings = settled(self.folder, settings)
        self.device = device_of(device)
        self.teacher = None if teacher is None else Path(teacher)
        if play is not None and not callable(play):
            raise TypeError(f"play must be None or a callable, not {type(play).__name__}")
        self.endgame = solved(self.settings, endgame)
        torch.set_num_threads(self.num_threads)
        self.play = play or partial(self_play, num_threads=self.num_threads)
        self._lock = FileLock(self.folder / LOCK)
        self._begin()

    def _begin(self) -> None:
        """Be where the last whole iteration has left off, or at the beginning."""
        first = Network.random(self.settings.hidden, self.settings.seed, self.settings.rules)
        self.iteration, self.best_iteration, self.taught = 0, 0, 0
        self.seconds, self.games, self.positions = 0.0, 0, 0
        self.best = first
        self.model, self.mean = (Model.of(first).to(self.device) for _ in range(2))
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), weight_decay=self.settings.weight_decay
        )
        self.experience: dict[int, Experience] = {}
        self.log: list[dict[str, Any]] = []
        if (self.folder / "checkpoint").exists():
            with alone(self._lock):
                self._restore()
                self._crown()
        else:
            if self.teacher is not None:
                self._learn_from(self.teacher)
            self.folder.mkdir(parents=True, exist_ok=True)
            with alone(self._lock):
                # Another process may have begun a run meanwhile.
                settled(self.folder, self.settings)
                begun(self.folder, self.settings)
                self._crown()
        self._written: tuple[int, ...] | None = _stages.stamp(self.folder)

    def run(
        self, *, iterations: int | None = None, minutes: float | None = None, progress: bool = True
    ) -> None:
        """Go on until the run as a whole, with what went before, is as long as this.

        Args:
            iterations: How many iterations.
            minutes: How long; the iteration under way then is the last.
            progress: Whether to tell of each match, and in a terminal to show a bar.

        Raises:
            BlockingIOError: Another process trains in the folder.
            TypeError: A length is no number.
            ValueError: Neither or both are given, or one is out of range.
            KeyboardInterrupt: Ctrl-C; the last whole iteration is kept, and the next call goes on
                from there.

        Example:
            >>> import tempfile
            >>> from oware.train import Settings
            >>> settings = Settings(hidden=(8,), games=4, simulations=4, endgame=0)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     trainer = Trainer(folder, settings)
            ...     trainer.run(iterations=1, progress=False)
            ...     trainer.run(iterations=3, progress=False)
            >>> trainer.iteration
            3
        """
        if (iterations is None) == (minutes is None):
            raise ValueError("give either iterations or minutes")
        if iterations is not None:
            iterations = count("iterations", iterations, 0)
        elif not (minutes := real("minutes", minutes)) >= 0:
            raise ValueError(f"minutes is {minutes}; give at least 0")
        self.folder.mkdir(parents=True, exist_ok=True)
        curves = _stages.curves(self.folder, self.iteration + 1)
        with alone(self._lock), self._bar(progress) as bar, curves as board:
            if self._written != _stages.stamp(self.folder):
                # An iteration was broken off, or another process has gone on with the run.
                self._begin()
            while (done := self._done(iterations, minutes)) < 1:
                self._written = None
                begin = time.perf_counter()
                self.iteration += 1
                played = self._play(bar)
                row = self._learn(played, done)
                if self.iteration % self.settings.gate_every == 0:
                    row |= self._gate(bar)
                self.seconds += time.perf_counter() - begin
                self._keep(row, board)
                self._written = _stages.stamp(self.folder)
                if progress and "match" in row:
                    bar.write(self._told(row))

    def _done(self, iterations: int | None, minutes: float | None) -> float:
        """The share of a run that is over."""
        if iterations is not None:
            return self.iteration / iterations if iterations > 0 else 1.0
        return self.seconds / 60 / minutes if minutes and minutes > 0 else 1.0

    def _bar(self, progress: bool) -> tqdm[Any]:
        """A bar of the games of an iteration, in a terminal."""
        return tqdm(unit="game", leave=False, disable=None if progress else True, mininterval=0.5)

    def _play(self, bar: tqdm[Any]) -> Experience:
        """The games of this iteration."""
        bar.set_description(f"iteration {self.iteration}: games")
        bar.reset(self.settings.games)
        played = self.play(
            self.best,
            self.settings.games,
            self.settings,
            seed=self._seed(0),
            endgame=self.endgame,
            watch=lambda left: bar.update(self.settings.games - left - bar.n),
        )
        self.games += self.settings.games
        self.positions += len(played)
        return played

    def _learn_from(self, teacher: Path) -> None:
        """Learn the examples of another run, whose iterations count as those before the first."""
        settings = known(teacher)
        if settings.rules != self.settings.rules:
            raise ValueError(f"{teacher}: it was played by other rules, {settings.rules}")
        taught = _stages.load_examples(teacher, _stages.load(teacher))
        self.experience = dict(enumerate(taught.values(), 1 - len(taught)))
        self.taught = len(taught)
        begin = time.perf_counter()
        self._descend(sum(map(len, self.experience.values())), self.settings.learning_rate)
        self.seconds = time.perf_counter() - begin
        self.best = self.mean.network(self.settings.rules)

    def _learn(self, played: Experience, done: float) -> dict[str, Any]:
        """Learn the examples of the last iterations."""
        settings = self.settings
        self.experience[self.iteration] = played
        back = max(EARLIEST, min(settings.window, (self.iteration + self.taught) // 2))
        for old in [old for old in self.experience if old <= self.iteration - back]:
            del self.experience[old]
        rate = settings.learning_rate * min(1.0, self.iteration / WARM_UP)
        least = settings.final_rate
        rate *= least + (1 - least) * (1 + math.cos(math.pi * done)) / 2
        return {**self._descend(len(played), rate), "exact": float(played.exact.mean())}

    def _descend(self, new: int, rate: float) -> dict[str, Any]:
        """Steps of the optimiser over what is known, as many as for a number of new examples."""
        settings = self.settings
        examples = Experience.joined(list(self.experience.values()))
        arrays = list(vars(examples).values())[:5]
        steps = math.ceil(settings.passes * new / settings.batch)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        rng = np.random.default_rng(self._seed(1))
        told = [torch.zeros(3, device=self.device)]
        for _ in range(steps):
            rows = rng.integers(len(examples), size=settings.batch)
            drawn = [array[rows] for array in arrays]
            drawn.append(Network.columns(drawn[0]))
            parts = self._losses(*(torch.from_numpy(array).to(self.device) for array in drawn))
            loss = parts[0] + parts[1] + settings.margin_weight * parts[2]
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            told.append(parts.detach())
            with torch.no_grad():
                for mean, now in zip(self.mean.parameters(), self.model.parameters(), strict=True):
                    mean.lerp_(now, 1 - AVERAGED)
        # Looked at after the last step: a GPU would wait for it at each.
        losses = sum(torch.stack(told).cpu().double())
        policy, value, margin = (losses / max(1, steps)).tolist()
        return {
            "learning_rate": rate,
            "steps": steps,
            "policy_loss": policy,
            "value_loss": value,
            "margin_loss": margin,
        }

    def _losses(self, *examples: torch.Tensor) -> torch.Tensor:
        """Cross-entropy of the policy, mean squares of the result and of the net seeds."""
        observation, mask, policy, value, margin, columns = examples
        logits, valued, net = self.model(observation, columns)
        logs = functional.log_softmax(logits.masked_fill(mask == 0, -1e9), dim=1)
        return torch.stack(
            [
                -(policy * logs).sum(1).mean(),
                functional.mse_loss(valued, value),
                functional.mse_loss(net, margin),
            ]
        )

    def _gate(self, bar: tqdm[Any]) -> dict[str, Any]:
        """Let the mean of the weights play against the best, and take its place."""
        settings = self.settings
        candidate = self.mean.network(settings.rules)
        bar.set_description(f"iteration {self.iteration}: match")
        match = self._match(candidate, self.best, settings.gate_simulations)
        if match < 0.5:
            return {"match": match}
        self.best, self.best_iteration = candidate, self.iteration
        points = {name: self._match(candidate, name, 0) for name in YARDSTICKS}
        self._crown()
        return {"match": match, **points}

    def _match(self, network: Network, other: Network | OpponentName, simulations: int) -> float:
        """The points of a network, 1 for a win and a half for a draw, per game."""
        settings = self.settings
        player, opponent = (
            # Called, both of them: neither knows more of a game than its board.
            NetworkAgent(each, simulations, seed=seed, num_threads=self.num_threads).__call__
            if isinstance(each, Network)
            else each
            for seed, each in enumerate((network, other))
        )
        return evaluate(
            player,
            opponent,
            settings.gate_games,
            rules=settings.rules,
            opening_plies=settings.opening_plies,
            seed=self._seed(2) % 2**32,
        ).total.score

    def _crown(self) -> None:
        """Write the best network to its files."""
        self.best.save(self.folder / f"network-{self.best_iteration:06}.safetensors")
        self.best.save(self.folder / "network.safetensors")

    def _keep(self, row: dict[str, Any], board: Any) -> None:  # noqa: ANN401
        """Write what the next iteration needs."""
        self.log.append({**self._counts(), **row})
        if board is not None:
            for name, value in self.log[-1].items():
                board.add_scalar(name.replace(":", "-"), value, self.iteration)
            board.flush()
        state = {
            **self._counts(),
            "model": self.model.state_dict(),
            "mean": self.mean.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "best": Model.of(self.best).state_dict(),
        }
        _stages.save(self.folder, self.iteration, state, self.log, self.experience)

    def _restore(self) -> None:
        """Be where the last whole iteration has left off."""
        state = _stages.load(self.folder)
        best = Model(self.settings.hidden)
        try:
            self.model.load_state_dict(state["model"])
            self.mean.load_state_dict(state["mean"])
            self.optimiser.load_state_dict(state["optimiser"])
            best.load_state_dict(state["best"])
        except RuntimeError as error:
            where, what = self.folder / "checkpoint", str(error).strip().rpartition("\n")[2].strip()
            raise ValueError(
                f"{where}: it is of a run with other settings or inputs: {what}"
            ) from None
        self.best = best.network(self.settings.rules)
        for name in self._counts():
            setattr(self, name, state[name])
        self.log = state["log"]
        self.experience = _stages.load_examples(self.folder, state)

    def _counts(self) -> dict[str, Any]:
        names = ("iteration", "seconds", "games", "positions", "best_iteration", "taught")
        return {name: getattr(self, name) for name in names}

    def _seed(self, purpose: int) -> int:
        """A seed for a purpose in this iteration."""
        sequence = np.random.SeedSequence([self.settings.seed, self.iteration, purpose])
        return int(sequence.generate_state(1, np.uint64)[0]) >> 1

    def _told(self, row: dict[str, Any]) -> str:
        """A line about a match."""
        points = "".join(f" {name} {row[name]:.0%}" for name in YARDSTICKS if name in row)
        parts = (f"{part} {row[part + '_loss']:.3f}" for part in ("policy", "value", "margin"))
        return (
            f"{self.seconds / 60:.1f} min  iteration {self.iteration}  loss {' '.join(parts)}  "
            f"match {row['match']:.0%}{points}"
        )
