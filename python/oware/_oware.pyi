import os
from collections.abc import Callable, Sequence
from typing import (
    Any,
    Final,
    Literal,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    final,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

from oware.endgame import Endgame
from oware.network import Network
from oware.types import (
    AutoresetName,
    EndgameKey,
    EndgameStatistics,
    EndingName,
    Evaluator,
    Feeding,
    GrandSlam,
    KernelName,
    ObservationKind,
    OpponentName,
    Policy,
    PolicyName,
    RewardKind,
    RuleSetName,
    ScoreName,
    Seat,
    SeatChoice,
    Share,
    TerminationName,
)

__all__ = [
    "RULE_SETS",
    "TERMINATIONS",
    "EndgameCore",
    "EnvCore",
    "Game",
    "IllegalMoveError",
    "MctsCore",
    "NetworkCore",
    "NotationError",
    "PlayerCore",
    "Rules",
    "SetupError",
    "Stop",
    "__version__",
    "alpha_beta",
    "best_moves",
    "count",
    "cpu_features",
    "perft",
    "playouts",
    "static_value",
]

__version__: Final[str]
RULE_SETS: Final[dict[RuleSetName, Rules]]
TERMINATIONS: Final[tuple[TerminationName, ...]]

class IllegalMoveError(ValueError): ...
class SetupError(ValueError): ...
class NotationError(ValueError): ...

_Seeds: TypeAlias = Sequence[SupportsIndex] | NDArray[np.integer[Any]]

class _Fields(TypedDict, total=False):
    grand_slam: GrandSlam
    feeding: Feeding
    no_move: Share
    repetition: SupportsIndex
    repetition_needs_both_rows: bool
    repetition_share: Share
    max_plies: SupportsIndex | None
    limit_share: Share
    majority_ends: bool
    seeds_per_pit: SupportsIndex

@final
class Rules:
    def __new__(
        cls,
        grand_slam: GrandSlam = "capture_nothing",
        feeding: Feeding = "required",
        no_move: Share = "own_side",
        repetition: SupportsIndex = 3,
        repetition_needs_both_rows: bool = True,
        repetition_share: Share = "own_side",
        max_plies: SupportsIndex | None = None,
        limit_share: Share = "own_side",
        majority_ends: bool = True,
        seeds_per_pit: SupportsIndex = 4,
    ) -> Rules: ...
    @property
    def grand_slam(self) -> GrandSlam: ...
    @property
    def feeding(self) -> Feeding: ...
    @property
    def no_move(self) -> Share: ...
    @property
    def repetition(self) -> int: ...
    @property
    def repetition_needs_both_rows(self) -> bool: ...
    @property
    def repetition_share(self) -> Share: ...
    @property
    def max_plies(self) -> int | None: ...
    @property
    def limit_share(self) -> Share: ...
    @property
    def majority_ends(self) -> bool: ...
    @property
    def seeds_per_pit(self) -> int: ...
    @staticmethod
    def named(name: RuleSetName) -> Rules: ...
    def describe(self) -> str: ...
    def diff(self, other: Rules | RuleSetName) -> dict[str, tuple[object, object]]: ...
    def replace(self, **changes: Unpack[_Fields]) -> Rules: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[type[Rules], tuple[object, ...]]: ...

@final
class Game:
    __hash__: None  # type: ignore[assignment]

    def __new__(
        cls,
        rules: Rules | RuleSetName = "abapa",
        *,
        pits: _Seeds | None = None,
        stores: _Seeds | None = None,
        to_move: SupportsIndex = 0,
    ) -> Game: ...
    @staticmethod
    def from_string(s: str, rules: Rules | RuleSetName = "abapa") -> Game: ...
    @staticmethod
    def from_fen(s: str, rules: Rules | RuleSetName = "abapa") -> Game: ...
    @staticmethod
    def from_transcript(text: str, rules: Rules | RuleSetName = "abapa") -> Game: ...
    @property
    def pits(self) -> tuple[int, ...]: ...
    @property
    def stores(self) -> tuple[int, int]: ...
    @property
    def to_move(self) -> Seat: ...
    @property
    def ply(self) -> int: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def moves(self) -> list[int]: ...
    @property
    def last_move(self) -> int | None: ...
    @property
    def last_captures(self) -> tuple[int, ...]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def termination(self) -> EndingName | None: ...
    @property
    def winner(self) -> Seat | None: ...
    @property
    def unawarded(self) -> Literal[0, 1]: ...
    def legal_moves(self) -> list[int]: ...
    def is_legal(self, m: SupportsIndex) -> bool: ...
    def play(self, m: SupportsIndex) -> int: ...
    def undo(self) -> int: ...
    def copy(self) -> Game: ...
    def to_string(self) -> str: ...
    def to_fen(self) -> str: ...
    def transcript(self) -> str: ...
    def play_transcript(self, text: str) -> None: ...
    def status(self) -> str: ...
    @overload
    def observation(self, kind: Literal["seeds"] = "seeds") -> NDArray[np.uint8]: ...
    @overload
    def observation(self, kind: Literal["normalized", "one_hot"]) -> NDArray[np.float32]: ...
    @overload
    def observation(self, kind: ObservationKind) -> NDArray[np.uint8] | NDArray[np.float32]: ...
    def action_mask(self) -> NDArray[np.int8]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: object, /) -> Game: ...
    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...
    def _repr_svg_(self) -> str: ...
    def _repr_html_(self) -> str: ...

_Source: TypeAlias = tuple[Network, int, float, Endgame | None, str]
_Saved: TypeAlias = OpponentName | tuple[str, int]
_Current: TypeAlias = _Saved | list[tuple[_Saved, float]]
_Opponent: TypeAlias = OpponentName | Policy | PlayerCore

@final
class PlayerCore:
    def __new__(
        cls,
        network: NetworkCore,
        simulations: int,
        temperature: float,
        endgame: EndgameCore | None,
        name: str,
        source: _Source,
    ) -> PlayerCore: ...
    @property
    def source(self) -> _Source: ...

@final
class EnvCore:
    def __new__(
        cls,
        num_envs: SupportsIndex,
        *,
        rules: RuleSetName | Rules,
        opponent: _Opponent | list[tuple[_Opponent, float]] | None,
        seat: SeatChoice,
        observation: ObservationKind,
        reward: RewardKind,
        seat_rewards: bool,
        autoreset_mode: AutoresetName,
        max_steps: SupportsIndex | None,
        start_seeds: SupportsIndex | tuple[SupportsIndex, SupportsIndex] | None,
        opening_plies: SupportsIndex,
        endgame: EndgameCore | None,
        copy: bool,
        num_threads: SupportsIndex,
        entropy: int,
    ) -> EnvCore: ...
    def reset(
        self,
        seed: SupportsIndex | Sequence[SupportsIndex | None] | None,
        reset_mask: NDArray[np.bool_] | None,
    ) -> tuple[NDArray[Any], dict[str, Any]]: ...
    def step(
        self, actions: ArrayLike
    ) -> tuple[
        NDArray[Any],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]: ...
    def rollout(self, policy: PolicyName, steps: int, out: dict[str, NDArray[Any]]) -> None: ...
    def tells(self) -> tuple[bool, bool]: ...
    def set_positions(
        self,
        pits: ArrayLike,
        stores: ArrayLike,
        to_move: ArrayLike,
        mask: NDArray[np.bool_] | None,
    ) -> tuple[NDArray[Any], dict[str, Any]]: ...
    def set_opponent(self, opponent: _Opponent | list[tuple[_Opponent, float]] | None) -> None: ...
    def observe(self) -> NDArray[Any]: ...
    def boards(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
    def game(self, index: SupportsIndex) -> Game: ...
    def opponents(self) -> tuple[list[Policy], list[_Source], _Current | None, bool]: ...
    def set_opponents(
        self,
        callables: list[Policy],
        players: list[PlayerCore],
        current: _Current | None,
        told: bool,
    ) -> None: ...
    def kernel(self) -> KernelName: ...
    def state(self) -> bytes: ...
    def set_state(self, state: bytes) -> tuple[NDArray[Any], dict[str, Any]]: ...
    def close(self) -> None: ...

@final
class EndgameCore:
    FILE_VERSION: Final[int]
    MOST_SEEDS: Final[int]
    @staticmethod
    def build(
        max_seeds: SupportsIndex,
        rules: RuleSetName | Rules,
        path: str | os.PathLike[str] | None,
        num_threads: SupportsIndex | None,
        progress: bool,
        watch: Callable[[int, int], object],
    ) -> EndgameCore: ...
    @staticmethod
    def open(path: str | os.PathLike[str]) -> EndgameCore: ...
    @staticmethod
    def cost(max_seeds: SupportsIndex) -> tuple[int, int, int]: ...
    @staticmethod
    def key_of(rules: RuleSetName | Rules) -> EndgameKey: ...
    def key(self) -> EndgameKey: ...
    def rule_sets(self) -> tuple[RuleSetName, ...]: ...
    def max_seeds(self) -> int: ...
    def value(self, game: Game) -> int: ...
    def values(self, pits: ArrayLike) -> NDArray[np.int8]: ...
    def move_values(self, game: Game) -> dict[int, int]: ...
    def best_line(self, game: Game) -> tuple[list[int], int, bool]: ...
    def statistics(self, n: SupportsIndex) -> EndgameStatistics: ...

@final
class MctsCore:
    def __new__(
        cls,
        evaluator: Evaluator | NetworkCore | None,
        *,
        simulations: SupportsIndex,
        leaves: SupportsIndex | None,
        exploration: SupportsFloat | None,
        score: ScoreName,
        endgame: EndgameCore | None,
        noise: tuple[SupportsFloat, SupportsFloat] | None,
        observation: ObservationKind,
        batch: SupportsIndex,
        seed: SupportsIndex,
        num_threads: SupportsIndex,
    ) -> MctsCore: ...
    def search(
        self, games: list[Game] | None, reuse: bool, temperature: SupportsFloat | ArrayLike
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.bool_],
        NDArray[np.int64],
        int,
        int,
    ]: ...
    def advance(self, actions: ArrayLike) -> None: ...
    def games(self) -> list[Game]: ...

@final
class NetworkCore:
    FILE_VERSION: Final[int]
    INPUTS: Final[int]
    LARGEST_FILE: Final[int]
    @staticmethod
    def random(
        hidden: Sequence[SupportsIndex], seed: SupportsIndex, rules: RuleSetName | Rules
    ) -> NetworkCore: ...
    @staticmethod
    def from_parameters(
        parameters: dict[str, NDArray[Any]], rules: RuleSetName | Rules
    ) -> NetworkCore: ...
    @staticmethod
    def from_bytes(data: bytes) -> NetworkCore: ...
    @staticmethod
    def columns(observation: ArrayLike) -> NDArray[np.int32]: ...
    def to_bytes(self) -> bytes: ...
    def rules(self) -> Rules: ...
    def hidden(self) -> tuple[int, ...]: ...
    def parameters(self) -> dict[str, NDArray[np.float32]]: ...
    def evaluate(
        self, observation: ArrayLike, num_threads: SupportsIndex
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]: ...

def count(name: str, value: SupportsIndex, least: int, most: int) -> int: ...
def cpu_features() -> tuple[KernelName, ...]: ...
def perft(game: Game, depth: SupportsIndex) -> int: ...
def playouts(
    games: list[Game] | None,
    positions: tuple[ArrayLike, ArrayLike, ArrayLike] | None,
    n: SupportsIndex,
    *,
    rules: RuleSetName | Rules | None,
    seed: SupportsIndex,
    num_threads: SupportsIndex,
    max_plies: SupportsIndex | None,
) -> tuple[NDArray[np.int16], NDArray[np.int32], NDArray[np.int8]]: ...

@final
class Stop:
    def __new__(cls) -> Stop: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

_Found: TypeAlias = tuple[float, bool, tuple[int, ...], int, int, tuple[float | None, ...] | None]

def alpha_beta(
    game: Game,
    depth: SupportsIndex | None,
    time: SupportsFloat | None,
    nodes: SupportsIndex | None,
    endgame: EndgameCore | None,
    threads: SupportsIndex,
    table_entries: SupportsIndex,
    move_values: bool,
    on_depth: Callable[..., object] | None,
    stop: Stop | None,
) -> _Found: ...
def best_moves(
    game: Game, depth: SupportsIndex, endgame: EndgameCore | None = None
) -> list[int]: ...
def static_value(game: Game) -> float: ...
