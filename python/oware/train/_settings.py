"""What a training run is told."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from oware._counts import count, real
from oware._oware import Rules
from oware._rules import as_rules
from oware.network import Network

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oware.types import RuleSetName

__all__ = ["Settings"]

WHOLE: Final = {
    "seed": (0, 2**63 - 1),
    "games": (2, 2**20),
    "games_each": (0, 2**20),
    "simulations": (1, 1_000_000),
    "leaves": (1, 1024),
    "opening_plies": (0, 100),
    "exploring_plies": (0, 10_000),
    "endgame_plies": (0, 1000),
    "batch": (1, 2**20),
    "endgame": (0, 24),
    "window": (1, 10_000),
    "gate_every": (1, 1_000_000),
    "gate_games": (2, 1_000_000),
    "gate_simulations": (0, 1_000_000),
}
"""The fields that are integers, with the least and the most."""
REAL: Final = {
    "temperature": (0.0, 100.0),
    "own_value": (0.0, 1.0),
    "passes": (0.0, 1000.0),
    "learning_rate": (0.0, 10.0),
    "final_rate": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "margin_weight": (0.0, 1000.0),
}
"""The same for numbers."""


@dataclass(frozen=True)
class Settings:
    """Everything that decides a run, besides how long it lasts.

    The same settings give the same networks, for any number of threads of self-play and of actors
    on a cluster; gradients are the same for one number of threads, one version of PyTorch and one
    kind of processor.

    Args:
        rules: The rules: a name or `oware.Rules`.
        seed: Seed of the network's first weights, of games and of batches.
        hidden: The widths of the network's hidden layers.
        games: Games played in an iteration.
        games_each: How many of them are played in lockstep, with a seed of their own, 0 for all.
            Such shares are what the actors of a cluster are given.
        simulations: Simulations of the search for each move.
        leaves: Leaves of a tree that are valued at a time.
        noise: Dirichlet noise on the priors at the root: concentration and fraction.
        opening_plies: The most random plies before a game; each has its own number from 0 to this.
        exploring_plies: Plies after that whose moves are drawn by their visits.
        temperature: How moves are drawn after those, as in `oware.search.Mcts`.
        own_value: How much of a value target is what the search has found, the rest being how the
            game ended.
        endgame: Up to how many seeds positions are solved, 0 for none. A game that gets there ends
            with its exact value; on from there, `endgame_plies` are played, every second one in the
            mean at random, as examples of perfect play.
        endgame_plies: The most plies of those.
        batch: Examples of a step of the optimiser.
        passes: How often an example is learnt from, in the mean, while it is new: an iteration
            takes as many steps as its new examples, times this, fill.
        window: The most iterations whose examples are learnt from; early in a run the later half
            of them.
        learning_rate: The rate of Adam, that of the first steps after a warm-up.
        final_rate: What is left of it at the end, as a share; it goes there along a cosine.
        weight_decay: How fast weights shrink, decoupled from the gradient as in AdamW.
        margin_weight: How much the error of the net seeds counts beside that of the result.
        gate_every: After how many iterations a network has to play against the best so far, which
            plays the games: it takes its place where it scores at least a half.
        gate_games: The games of that match, each opening from both seats.
        gate_simulations: The simulations of a move in it, 0 for the network alone.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of range.

    Example:
        >>> Settings(games=64).replace(simulations=32).simulations
        32
    """

    rules: RuleSetName | Rules = "abapa"
    seed: int = 0
    hidden: tuple[int, ...] = (512, 128)
    games: int = 512
    games_each: int = 0
    simulations: int = 64
    leaves: int = 2
    noise: tuple[float, float] = (1.7, 0.25)
    opening_plies: int = 8
    exploring_plies: int = 24
    temperature: float = 0.25
    own_value: float = 0.5
    endgame: int = 15
    endgame_plies: int = 24
    batch: int = 1024
    passes: float = 3.0
    window: int = 40
    learning_rate: float = 2e-3
    final_rate: float = 0.02
    weight_decay: float = 1e-4
    margin_weight: float = 4.0
    gate_every: int = 4
    gate_games: int = 400
    gate_simulations: int = 16

    def __post_init__(self) -> None:
        """Check and normalise every field."""
        object.__setattr__(self, "rules", as_rules(self.rules))
        for name, (least, most) in WHOLE.items():
            object.__setattr__(self, name, count(name, getattr(self, name), least, most))
        for name, (low, high) in REAL.items():
            number = real(name, getattr(self, name))
            if not low <= number <= high:
                raise ValueError(f"{name} is {number}; give {low:g} to {high:g}")
            object.__setattr__(self, name, number)
        noise: Any = self.noise
        if not isinstance(noise, tuple | list) or len(noise) != 2:
            raise TypeError(f"noise must be two numbers, not {noise!r}")
        alpha, fraction = (real(f"noise[{i}]", given) for i, given in enumerate(noise))
        if not (alpha >= 0.001 and math.isfinite(alpha) and 0 <= fraction <= 1):
            raise ValueError(f"noise is {self.noise}; give at least 0.001, and 0 to 1")
        object.__setattr__(self, "noise", (alpha, fraction))
        # The network itself says which widths there can be.
        object.__setattr__(self, "hidden", Network.random(self.hidden, seed=0).hidden)
        if self.gate_games % 2:
            raise ValueError(f"gate_games is {self.gate_games}; give an even number")

    def replace(self, **changes: Any) -> Settings:  # noqa: ANN401
        """The same settings but for some.

        Example:
            >>> Settings().replace(rules="awari").rules.grand_slam
            'forbidden'
        """
        return dataclasses.replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """The settings as what JSON can hold, of the rules those that differ from `oware.Rules()`.

        Example:
            >>> Settings(rules="open_spiel").to_json()["rules"]
            {'repetition': 2, 'repetition_needs_both_rows': False}
        """
        changed = Rules().diff(self.rules)
        rules = {name: value for name, (_, value) in changed.items()}
        return {**dataclasses.asdict(self), "rules": rules}

    @staticmethod
    def from_json(values: Mapping[str, Any]) -> Settings:
        """Settings that `to_json` has given.

        Example:
            >>> Settings.from_json(Settings(seed=3).to_json()) == Settings(seed=3)
            True
        """
        known = {field.name for field in dataclasses.fields(Settings)}
        unknown = sorted(values.keys() - known)
        if unknown:
            raise ValueError(f"unknown settings: {', '.join(unknown)}")
        if "rules" not in values:
            raise ValueError("there are no rules")
        lists = {name: tuple(values[name]) for name in ("hidden", "noise") if name in values}
        return Settings(**{**values, **lists, "rules": Rules(**values["rules"])})
