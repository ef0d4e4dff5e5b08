"""Who can play: names, callables over batches, functions of a game, engine processes."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from oware._counts import count, real, told
from oware._found import PYTHON, found, takes
from oware._names import network_of, read_name
from oware._policies import kind_of, seeded, seeing
from oware.agents import NetworkAgent, named
from oware.endgame import Endgame
from oware.network import Network

if TYPE_CHECKING:
    from oware._levels import Level
    from oware._oware import Game, Rules
    from oware.types import Policy

__all__ = ["MOVE_TIME", "Batched", "Engine", "Function", "Player", "player", "players_of"]

MOVE_TIME: Final = 0.1
"""Seconds a move of an engine that is told nothing else."""
LONGEST_NAME: Final = 200
LOCKSTEP: Final = 256
"""Games that a player over batches plays at once, unless told otherwise."""
SLOW: Final = 32
"""The same for players that think so long that more games would be lost by an interruption."""
QUICK: Final = {"random", "greedy", "minimax:1", "minimax:2", "minimax:3", "minimax:4"}


@dataclass(frozen=True)
class Batched:
    """A player of many boards at once, made anew for each batch of games.

    Args:
        name: What tables call it.
        make: Called with rules and a seed, it gives an `oware.types.Policy` that plays them.
        described: What a file of results keeps of it.
        lockstep: How many games it plays at once, an even number; they reach the file together.
            Against another player over batches, the smaller number of both counts.
        network: The checksum of its network, which a file of results keeps to tell another network
            by; empty for a player without one.

    Raises:
        TypeError: The number is none.
        ValueError: It is not even, or below 2.

    Example:
        >>> from oware.agents import RandomAgent
        >>> Batched("any", lambda rules, seed: RandomAgent(seed)).name
        'any'
    """

    name: str
    make: Callable[[Rules, int], Policy]
    described: str = "a policy"
    lockstep: int = LOCKSTEP
    network: str = ""

    def policy(self, rules: Rules, seed: int) -> Policy:
        """What plays a batch of games, for observations of the kind `"seeds"`.

        Args:
            rules: The rules of the games.
            seed: Seed of its random numbers.

        Example:
            >>> import numpy as np
            >>> import oware
            >>> from oware.agents import RandomAgent
            >>> made = Batched("any", lambda rules, seed: RandomAgent(seed))
            >>> game = oware.Game()
            >>> policy = made.policy(game.rules, 1)
            >>> policy(game.observation()[np.newaxis], game.action_mask()[np.newaxis]).shape
            (1,)
        """
        return seeing(self.make(rules, seed), "seeds", rules)

    def __post_init__(self) -> None:
        """Check the number."""
        if count("lockstep", self.lockstep, 2) % 2:
            raise ValueError(
                f"lockstep is {told(self.lockstep)}; give an even number of at least 2"
            )


@dataclass(frozen=True)
class Function:
    """A player that is asked for one game at a time.

    Args:
        name: What tables call it.
        function: Called with a copy of the `oware.Game`, it gives a move, 0 to 5.
        described: What a file of results keeps of it.

    Example:
        >>> Function("first", lambda game: game.legal_moves()[0]).name
        'first'
    """

    name: str
    function: Callable[[Game], int]
    described: str = "a function of a game"


@dataclass(frozen=True)
class Engine:
    """A process that speaks the dialect of UCI that `oware uci` speaks.

    It is told the rules by its option `Rules`, where it has one, and the position by the moves from
    the start. One that ends, that is silent for `grace` seconds beyond its time, or that answers an
    illegal move loses the game; the process is started again for the next one.

    Args:
        command: The program and its arguments.
        name: What tables call it; None for the command.
        move_time: Seconds a move, above 0; None where depth or nodes are the limit.
        depth: The most plies of its search.
        nodes: The most positions of its search.
        grace: Seconds beyond `move_time` (beyond nothing, without one) after which it is silent.
        start_time: Seconds that it has for answering when it is started.
        options: Options of the engine, set after its start.

    Raises:
        TypeError: The command is no sequence of texts, or a number has the wrong type.
        ValueError: It is empty, a number is out of range, or there is no limit at all.

    Example:
        >>> Engine(["oware", "uci"], move_time=0.05).name
        'oware uci'
    """

    command: Sequence[str]
    name: str = ""
    move_time: float | None = MOVE_TIME
    depth: int | None = None
    nodes: int | None = None
    grace: float = 5.0
    start_time: float = 30.0
    options: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        command: Any = self.command
        if (
            isinstance(command, str)
            or not isinstance(command, Sequence)
            or not all(isinstance(word, str) for word in command)
        ):
            raise TypeError(f"command must be a sequence of str, not {command!r}")
        if not self.command or not self.command[0]:
            raise ValueError("command is empty; give a program and its arguments")
        object.__setattr__(self, "command", tuple(self.command))
        if not self.name:
            object.__setattr__(self, "name", shlex.join(self.command))
        for field in ("grace", "start_time"):
            _check_seconds(field, getattr(self, field))
        if self.move_time is not None:
            _check_seconds("move_time", self.move_time)
        for field in ("depth", "nodes"):
            limit = getattr(self, field)
            if limit is not None:
                count(field, limit, 1)
        _check_options(self.options)
        if self.move_time is None and self.depth is None and self.nodes is None:
            raise ValueError("the engine has no limit; give move_time, depth or nodes")

    @property
    def described(self) -> str:
        """What a file of results keeps of it.

        Example:
            >>> Engine(["oware", "uci"], depth=4, move_time=None).described
            'uci:oware uci; go depth 4'
        """
        options = "".join(f"; {name}={value}" for name, value in (self.options or {}).items())
        return f"uci:{shlex.join(self.command)}; {self.go}{options}"

    @property
    def go(self) -> str:
        """The command that starts a search.

        Example:
            >>> Engine(["oware", "uci"], move_time=0.25).go
            'go movetime 250'
        """
        limits = {
            "depth": self.depth,
            "nodes": self.nodes,
            "movetime": None if self.move_time is None else max(1, round(1000 * self.move_time)),
        }
        return "go" + "".join(f" {key} {value}" for key, value in limits.items() if value)


Player: TypeAlias = Batched | Function | Engine
"""What `player` makes of whatever can play."""


def player(spec: object, name: str | None = None, *, move_time: float = MOVE_TIME) -> Player:
    """Make a player of what stands for one.

    Args:
        spec: A name that `oware.agents.named` knows, such as `"minimax:4"`; `"uci:COMMAND"` for an
            engine process; a callable over batches `(observation, action_mask) -> actions`, see
            `oware.types.Policy`; a function of one `oware.Game` that gives a move; a `Batched`,
            `Function` or `Engine`. A callable that can be called with two arguments is taken to be
            one over batches. One that draws random numbers should have a method `seeded(seed)` that
            gives a fresh player: only then do seeds of a tournament decide what it plays.
        name: What tables call it; by default the name itself, or that of the callable.
        move_time: Seconds a move of an engine that is given by name, above 0.

    Raises:
        OSError: The file of a network cannot be read.
        TypeError: That is nothing that can play.
        ValueError: There is no player of that name, or the file holds no network.

    Example:
        >>> player("minimax:2").name
        'minimax:2'
        >>> type(player("uci:oware uci --rules awari")).__name__
        'Engine'
        >>> player(lambda game: game.legal_moves()[-1], name="last").name
        'last'
    """
    _check_seconds("move_time", move_time)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a str, not {type(name).__name__}")
    if name is not None and not 0 < len(name) <= LONGEST_NAME:
        raise ValueError(f"the name {name[:20]!r} has {len(name)} characters; give 1 to 200")
    if isinstance(spec, str):
        made = _by_name(spec, move_time)
    elif isinstance(spec, (Batched, Function, Engine)):
        made, own = spec, cast("Any", spec.name)
        if not isinstance(own, str) or not own:
            raise TypeError(f"the name of a player must be a str that is not empty, not {own!r}")
    elif callable(spec):
        made = _by_callable(spec, name)
    else:
        kind = type(spec).__name__
        raise TypeError(f"a player must be a name, a callable or an arena.Engine, not {kind}")
    return made if name is None else _renamed(made, name)


def players_of(specs: object, move_time: float = MOVE_TIME) -> tuple[Player, ...]:
    """The players of an argument: a sequence, or a mapping from names to players."""
    if isinstance(specs, Mapping):
        made = [player(spec, name, move_time=move_time) for name, spec in specs.items()]
    elif isinstance(specs, Sequence) and not isinstance(specs, str):
        made = [player(spec, move_time=move_time) for spec in specs]
    else:
        kind = type(specs).__name__
        raise TypeError(f"players must be a sequence or a mapping from names, not {kind}")
    if len(made) < 2:
        raise ValueError(f"give at least 2 players, not {len(made)}")
    names = [each.name for each in made]
    for each in names:
        if names.count(each) > 1:
            raise ValueError(
                f"two players are called {each!r}; give a mapping from names to players"
            )
    return tuple(made)


def _check_seconds(name: str, value: object) -> None:
    seconds = real(name, value)
    if not (seconds > 0 and math.isfinite(seconds)):
        raise ValueError(f"{name} is {seconds}; give seconds above 0")


def _check_options(options: object) -> None:
    """Whether each option is one line of text that an engine can be told."""
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be None or a mapping, not {type(options).__name__}")
    for option, value in options.items():
        line = f"{option} {value}"
        if len(line.splitlines()) != 1 or line.encode("utf-8", "ignore").decode() != line:
            raise ValueError(f"options has {option!r}: {value!r}; give text without line breaks")


def _by_name(text: str, move_time: float) -> Player:
    kind, _, rest = text.partition(":")
    if kind == "uci":
        try:
            command = shlex.split(rest)
        except ValueError as error:
            raise ValueError(f"player {text!r}: {error}") from None
        if not command:
            raise ValueError(f"player {text!r}: the command is missing; give uci:COMMAND")
        return Engine(command, name=text, move_time=move_time)
    if kind + ":" == PYTHON:
        return replace(_by_callable(found(text), text), described=text)
    read_name(text)  # Refuses a name that nobody has.
    lockstep = LOCKSTEP if text in QUICK else SLOW
    level = network_of(text)
    if level is None:
        return Batched(text, partial(_named, text), text, lockstep)
    # Once, so that all games are of one network even where its file is replaced meanwhile.
    network = Network.load(level.network)
    return Batched(text, partial(_asking, level, network), text, lockstep, _checksum(network))


def _named(text: str, rules: Rules, seed: int) -> Policy:
    return named(text, seed, rules)


def _asking(level: Level, network: Network, rules: Rules, seed: int) -> Policy:
    endgame = Endgame.load(rules=rules) if level.aided else None
    return NetworkAgent(network, level.simulations, level.temperature, seed, rules, endgame)


def _checksum(network: Network) -> str:
    """The one in the network's file, whose parameters and rules it vouches for."""
    return network._core.to_bytes().partition(b";checksum=")[2][:8].decode()  # noqa: SLF001


def _by_callable(function: Callable[..., Any], called: str | None = None) -> Batched | Function:
    own = str(getattr(function, "__name__", type(function).__name__))
    name = own if called is None else called
    module = getattr(function, "__module__", type(function).__module__)
    described = f"{module}.{getattr(function, '__qualname__', type(function).__qualname__)}"
    if takes(function, 2):
        who = f"player {name!r}"
        kind_of(function, f"the observation of {who}")  # Refuses a kind that there is not.
        network = ""
        if isinstance(function, NetworkAgent):
            network = _checksum(function._network)  # noqa: SLF001
        return Batched(name, partial(_seeded, function, who), described, network=network)
    if takes(function, 1):
        return Function(name, function, described)
    raise TypeError(
        f"{own} takes neither (observation, action_mask) nor one game; it cannot be a player"
    )


def _seeded(function: Policy, who: str, _: Rules, seed: int) -> Policy:
    return seeded(function, seed, who)


def _renamed(made: Player, name: str) -> Player:
    if isinstance(made, Batched):
        return replace(made, name=name)
    if isinstance(made, Function):
        return Function(name, made.function, made.described)
    fields = {field: getattr(made, field) for field in made.__dataclass_fields__}
    return Engine(**{**fields, "name": name})
