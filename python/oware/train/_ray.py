"""Games of self-play on a cluster of Ray."""

from __future__ import annotations

import socket
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Final

import oware
from oware._counts import count
from oware._missing import missing_extra
from oware._oware import Rules
from oware.endgame import Endgame
from oware.train._experience import Experience
from oware.train._self_play import Share, checked, in_lockstep, shares

try:
    import ray
except ModuleNotFoundError as error:
    raise missing_extra("ray", error) from None

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    from typing_extensions import Self

    from oware.network import Network
    from oware.train._settings import Settings
    from oware.types import EndgameKey

__all__ = ["RayGames"]

LOSSES: Final = 5
"""How often every actor may be lost before any share of games arrives."""
SECONDS: Final = 5
"""How long a cluster may take to answer."""


class RayGames:
    """What `self_play` gives, played by actors on a cluster of Ray.

    Called as `self_play` is, it gives the same positions in the same order: the network goes to the
    cluster's object store, each share of `settings.games_each` games to the next actor that is
    free, as a call that depends on nothing before it. An actor has one core. The actors are spread
    over the nodes, and begin as soon as there is a core for them.

    When an actor dies, or its node, the games that it was playing are lost: they are counted, other
    actors play them again, and Ray starts another actor where it finds a core.

    Every node needs the same version of this package with the extra `ray`, and keeps an endgame
    database of its own where `oware.Endgame.load` does; it is built there when it is not.

    Args:
        actors: How many actors, at least 1; None for one for each core of the cluster.
        address: What `ray.init` is to join: a cluster's address, `"auto"`, or `"local"` for one of
            this machine alone; None for what this process has joined already, else as Ray does by
            default.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There are no actors, or the address is none.
        ConnectionError: There is no such cluster, or it does not answer in some seconds.

    Example:
        >>> import oware
        >>> from oware.train import Settings, self_play
        >>> network = oware.Network.random(hidden=(8,), seed=0)
        >>> settings = Settings(simulations=4, games_each=2)
        >>> with RayGames(2, address="local") as play:
        ...     seen = play(network, 6, settings, seed=0)
        >>> bool((seen.policy == self_play(network, 6, settings, seed=0).policy).all())
        True
    """

    lost: int
    """The games that were lost with an actor, and played again."""
    played: Counter[str]
    """The games that have arrived from each node, by Ray's name of it."""

    def __init__(self, actors: SupportsIndex | None = None, *, address: str | None = None) -> None:
        wanted = None if actors is None else count("actors", actors, 1)
        self.lost, self.played = 0, Counter()
        if address is not None and ray.is_initialized():
            raise ValueError("this process has joined a cluster already; give no address")
        if address is not None:
            check_answer(address)
        self._joined = not ray.is_initialized()
        if self._joined:
            # A cluster made here has room for every actor, on however many cores they run.
            cores = {"num_cpus": wanted, "include_dashboard": False} if address == "local" else {}
            ray.init(address=address, logging_level="warning", **cores)
        if wanted is None:
            wanted = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self.actors = wanted
        self._player = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Player)
        self._players: list[Any] = []

    def __call__(
        self,
        network: Network,
        games: SupportsIndex,
        settings: Settings | None = None,
        *,
        seed: SupportsIndex | None = None,
        endgame: Endgame | None = None,
        watch: Callable[[int], object] | None = None,
    ) -> Experience:
        """Play games as `self_play` does.

        Args:
            network: The network.
            games: As in `self_play`.
            settings: As in `self_play`.
            seed: As in `self_play`.
            endgame: Exact values, of the settings' rules; every node loads the same ones.
            watch: Called with the number of games that have not arrived, as shares of them do.

        Raises:
            TypeError, ValueError: As in `self_play`.
            ConnectionError: Actors die again and again, or a node has another version.
            KeyboardInterrupt: Ctrl-C; the actors end, and a further call starts others.
        """
        settings = checked(network, settings)
        parts = shares(games, settings, seed)
        solved = None if endgame is None else (endgame.max_seeds, endgame.key)
        try:
            return Experience.joined(self._collected(network, parts, settings, solved, watch))
        except BaseException:
            self._dismiss()
            raise

    def _collected(
        self,
        network: Network,
        parts: list[Share],
        settings: Settings,
        solved: tuple[int, EndgameKey] | None,
        watch: Callable[[int], object] | None,
    ) -> list[Experience]:
        """The positions of shares, in their order.

        Each player is getting ready, playing a share, or idle:

            every player gets ready
            until every share has arrived:
                hand shares out to those who are idle
                wait for what comes first
                if it is a loss: put the share back, and let another player get ready
                else: keep the share, if it is one; the player is idle
        """
        kept = ray.put(network)
        waiting, found = deque(range(len(parts))), dict[int, Experience]()
        idle: list[Any] = []
        under_way: dict[Any, tuple[Any, int | None]] = {}
        in_a_row = 0

        def prepare(player: Any) -> None:  # noqa: ANN401
            under_way[player.ready.remote(oware.__version__, solved)] = player, None

        self._players += [self._player.remote() for _ in range(self.actors - len(self._players))]
        for player in self._players:
            prepare(player)
        while len(found) < len(parts):
            if watch is not None:
                watch(sum(part.games for i, part in enumerate(parts) if i not in found))
            while idle and waiting:
                player, number = idle.pop(), waiting.popleft()
                call = player.play.remote(kept, parts[number], settings)
                under_way[call] = player, number
            [first], _ = ray.wait(list(under_way))
            player, share = under_way.pop(first)
            try:
                result = ray.get(first)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from error
            except ray.exceptions.RayError as error:
                in_a_row += 1
                if in_a_row > LOSSES * self.actors:
                    raise ConnectionError(
                        f"{in_a_row} actors were lost one after another, and no games came from "
                        f"any; the last one: {error}"
                    ) from error
                if share is not None:
                    self.lost += parts[share].games
                    waiting.appendleft(share)
                self._players.remove(player)
                self._players.append(self._player.remote())
                prepare(self._players[-1])
                continue
            idle.append(player)
            if share is not None:
                in_a_row = 0
                found[share], node = result
                self.played[node] += parts[share].games
        return [found[i] for i in range(len(parts))]

    def _dismiss(self) -> None:
        """End the actors, whatever they are at."""
        for player in self._players:
            ray.kill(player)
        self._players.clear()

    def close(self) -> None:
        """End the actors, and leave the cluster if it was joined here.

        Example:
            >>> play = RayGames(1, address="local")
            >>> play.close()
            >>> ray.is_initialized()
            False
        """
        if ray.is_initialized():
            self._dismiss()
            if self._joined:
                ray.shutdown()

    def __enter__(self) -> Self:
        """Itself, to be closed at the end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def check_answer(address: str) -> None:
    """Refuse an address where nobody listens, as Ray itself goes on trying for minutes.

    What is no host and port, `"auto"` and `"local"` among them, is left to Ray.

    Raises:
        ConnectionError: Nobody answers there.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(
            f"no cluster answers at {address}: {error}; give the address that "
            f"`ray start --head` tells"
        ) from None


class Player:
    """What an actor does: it keeps nothing but the endgame database."""

    def __init__(self) -> None:
        self.solved: tuple[int, EndgameKey] | None = None
        self.endgame: Endgame | None = None

    def ready(self, version: str, solved: tuple[int, EndgameKey] | None) -> None:
        """Have the database of so many seeds."""
        if version != oware.__version__:
            raise ConnectionError(
                f"a node of the cluster has oware {oware.__version__}, and {version} is asked for; "
                "install the same version everywhere"
            )
        if solved is None:
            self.endgame = None
        elif solved != self.solved:
            seeds, key = solved
            self.endgame = Endgame.load(seeds, Rules(**key), num_threads=1, progress=False)
        self.solved = solved

    def play(self, network: Network, share: Share, settings: Settings) -> tuple[Experience, str]:
        """Play a share of the games, and say on what node."""
        played = in_lockstep(network, share, settings, self.endgame)
        return played, ray.get_runtime_context().get_node_id()
