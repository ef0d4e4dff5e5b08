"""The results of a tournament: by pair and seat, as tables, arrays and files."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from oware._oware import Game, Rules
from oware._unknown import unknown
from oware.agents import Evaluation, Tally
from oware.arena._export import to_minari, to_parquet
from oware.arena._play import ENDINGS
from oware.arena._ratings import Ratings, fit
from oware.arena._table import table

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from oware.arena._games import Games

__all__ = ["Results"]


@dataclass(frozen=True, eq=False)
class Results:
    """What came out of a tournament; as text the standings and a cross table.

    Args:
        players: The players' names.
        games: The games.
        rules: The rules of all games.
        settings: How the tournament was asked for, as its file has it.

    Example:
        >>> from oware import arena
        >>> results = arena.tournament(["minimax:2", "greedy", "random"], games=20, seed=1)
        >>> [row["player"] for row in results.standings()]
        ['minimax:2', 'greedy', 'random']
        >>> results.against("minimax:2", "random").total.games
        20
    """

    players: tuple[str, ...]
    games: Games
    rules: Rules
    settings: dict[str, Any]

    def against(self, player: str, other: str | None = None) -> Evaluation:
        """How a player did from each seat against another one, or against all.

        Raises:
            ValueError: There is no such player.

        Example:
            >>> from oware import arena
            >>> results = arena.tournament(["greedy", "random"], games=50)
            >>> results.against("greedy", "random").total.win_rate > 0.7
            True
        """
        own = self._index(player)
        others = [self._index(other)] if other is not None else list(range(len(self.players)))
        games = self.games
        return Evaluation(
            south=self._tally((games.south == own) & np.isin(games.north, others), 0),
            north=self._tally((games.north == own) & np.isin(games.south, others), 1),
        )

    def pairs(self) -> list[dict[str, Any]]:
        """A record for each pair that has met, for `pandas.DataFrame` or `csv`.

        It has the results from the first player's view, the score from either seat (a draw and an
        unfinished game count half), how many different games the pair has played, and the mean
        length in plies.

        Example:
            >>> from oware import arena
            >>> arena.tournament(["greedy", "random"], games=20).pairs()[0]["unique"]
            20
        """
        rows = []
        for one, player in enumerate(self.players):
            for other in self.players[one + 1 :]:
                result = self.against(player, other)
                total = result.total
                if not total.games:
                    continue
                two = self._index(other)
                chosen = np.flatnonzero(self._between(one, two))
                rows.append(
                    {
                        "player": player,
                        "opponent": other,
                        "games": total.games,
                        "wins": total.wins,
                        "draws": total.draws,
                        "losses": total.losses,
                        "unfinished": total.unfinished,
                        "score": total.score,
                        "score_south": result.south.score,
                        "score_north": result.north.score,
                        "unique": len({self.games.moves[game].tobytes() for game in chosen}),
                        "plies": float(self.games.plies[chosen].mean()),
                    }
                )
        return rows

    def standings(self, anchor: str | None = None) -> list[dict[str, Any]]:
        """A record for each player, the best score first, with a rating where there is one.

        A rating is that of `ratings`; `prior` is 1 where there is none without it, else 0.

        Example:
            >>> from oware import arena
            >>> results = arena.tournament(["greedy", "random"], games=20)
            >>> [row["player"] for row in results.standings(anchor="random")]
            ['greedy', 'random']
        """
        ratings = self._some_ratings(anchor)
        rows = []
        for number, player in enumerate(self.players):
            total = self.against(player).total
            row = {
                "player": player,
                "games": total.games,
                "wins": total.wins,
                "draws": total.draws,
                "losses": total.losses,
                "unfinished": total.unfinished,
                "score": total.score,
            }
            if ratings is not None:
                row |= {
                    "rating": float(ratings.elo[number]),
                    "low": float(ratings.low[number]),
                    "high": float(ratings.high[number]),
                    "prior": ratings.prior,
                }
            rows.append(row)
        return sorted(rows, key=lambda row: -row.get("rating", row["score"]))

    def cross_table(self) -> NDArray[np.float64]:
        """Float (n, n): the score of the row's player against the column's; nan where none met.

        Example:
            >>> from oware import arena
            >>> arena.tournament(["greedy", "random"], games=20).cross_table().shape
            (2, 2)
        """
        count = len(self.players)
        table = np.full((count, count), np.nan)
        for one, player in enumerate(self.players):
            for two, other in enumerate(self.players):
                if one != two:
                    table[one, two] = self.against(player, other).total.score
        return table

    def ratings(self, anchor: str | None = None, at: float = 0.0, prior: float = 0.0) -> Ratings:
        """Ratings in Elo points with intervals, see `oware.arena.fit`.

        A game that was lost by forfeit counts as lost, one that was cut off as drawn.

        Args:
            anchor: The player whose rating is `at`; None puts the mean of all there.
            at: A rating in Elo points.
            prior: Games to add for each pair, half of them won by either.

        Raises:
            ValueError: As for `oware.arena.fit`.

        Example:
            >>> from oware import arena
            >>> results = arena.tournament(["greedy", "random"], games=40)
            >>> ratings = results.ratings(anchor="random", prior=1)
            >>> ratings.difference("greedy", "random")[1] > 0
            True
        """
        count = len(self.players)
        wins, draws = np.zeros((count, count)), np.zeros((count, count))
        games = self.games
        south, north = games.south, games.north
        np.add.at(wins, (south[games.winner == 0], north[games.winner == 0]), 1)
        np.add.at(wins, (north[games.winner == 1], south[games.winner == 1]), 1)
        drawn = games.winner == -1
        np.add.at(draws, (south[drawn], north[drawn]), 1)
        return fit(self.players, wins, draws + draws.T, anchor=anchor, at=at, prior=prior)

    def endings(self, *players: str) -> dict[str, int]:
        """How many games have ended in which way: a key for each of `oware.arena.ENDINGS`.

        Args:
            *players: Whose games count: all without any, those of one, or those of two against each
                other.

        Raises:
            ValueError: There is no such player.

        Example:
            >>> from oware import arena
            >>> results = arena.tournament(["greedy", "random"], games=20)
            >>> results.endings()["forfeit"], sum(results.endings("greedy", "random").values())
            (0, 20)
        """
        games = self.games
        chosen = np.ones(len(games), bool)
        for own in map(self._index, players):
            chosen &= (games.south == own) | (games.north == own)
        counts = np.bincount(games.ending[chosen], minlength=len(ENDINGS)).tolist()
        return dict(zip(ENDINGS, counts, strict=True))

    def forfeits(self) -> list[dict[str, Any]]:
        """A record for each game that was lost by what a player did: who, in which game, and why.

        Example:
            >>> from oware import arena
            >>> results = arena.tournament({"cheat": lambda game: 6, "greedy": "greedy"}, games=2)
            >>> results.forfeits()[0]["reason"]
            'illegal move: 6; legal: ...'
        """
        games = self.games
        rows = []
        for game in np.flatnonzero(games.ending == ENDINGS.index("forfeit")).tolist():
            seats = (int(games.south[game]), int(games.north[game]))
            winner = int(games.winner[game])
            rows.append(
                {
                    "game": game,
                    "player": self.players[seats[1 - winner]],
                    "opponent": self.players[seats[winner]],
                    "reason": games.reason[game],
                }
            )
        return rows

    def game(self, number: int) -> Game:
        """A game with its history.

        Raises:
            IndexError: There is no such game.

        Example:
            >>> from oware import arena
            >>> results = arena.tournament(["greedy", "random"], games=2)
            >>> results.game(0).ply == int(results.games.plies[0])
            True
        """
        if not 0 <= number < len(self.games):
            raise IndexError(f"there is no game {number}; there are {len(self.games)}")
        game = Game(self.rules)
        for move in self.games.moves[number, : self.games.plies[number]].tolist():
            game.play(move)
        return game

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write a row for each game to a Parquet file: `pip install "oware[arena]"`.

        Columns are those of `Games`, players and endings by name, the stores as `south_store` and
        `north_store`, the moves as a list; the settings are in the file's metadata as JSON.

        Args:
            path: The file; one that is there is replaced once the new one is whole.

        Raises:
            ModuleNotFoundError: pyarrow is missing.
            OSError: The file cannot be written.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> import pyarrow.parquet
            >>> from oware import arena
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = Path(folder) / "games.parquet"
            ...     arena.tournament(["greedy", "random"], games=2).to_parquet(path)
            ...     pyarrow.parquet.read_table(path)["south"].to_pylist()
            ['greedy', 'random']
        """
        to_parquet(self, path)

    def to_minari(self, dataset_id: str, **metadata: object) -> Any:  # noqa: ANN401
        """Make a Minari data set, an episode for each game: `pip install "oware[minari]"`.

        Its environment is `oware/Oware-v0` for self-play: every ply is a step, seen from whoever is
        to move, the reward that of whoever has moved; `infos["to_move"]` has the seats. The plies
        of the opening are among them. A game that was cut off or lost by forfeit is truncated.

        Args:
            dataset_id: Its name, such as `"oware/arena-v0"`.
            metadata: What else `minari.create_dataset_from_buffers` takes: `author`,
                `algorithm_name`, ...

        Returns:
            The `minari.MinariDataset`.

        Raises:
            ModuleNotFoundError: Minari is missing; it needs Python 3.11.
            ValueError: The rules have no name, or there is such a data set already.

        Example:
            >>> import oware
            >>> from oware import arena
            >>> rules = oware.Rules(seeds_per_pit=3)
            >>> arena.tournament(["greedy", "random"], 2, rules=rules).to_minari("oware/arena-v0")
            Traceback (most recent call last):
            ValueError: Minari keeps the environment by the name of its rules; these have none
        """
        return to_minari(self, dataset_id, **metadata)

    def plot(self, anchor: str | None = None) -> Figure:
        """Draw ratings with their intervals, and the cross table: see `oware.plots.tournament`.

        Args:
            anchor: The player whose rating is 0; None puts the mean of all there.

        Raises:
            ModuleNotFoundError: Matplotlib is missing.
            ValueError: There is no such player.

        Example:
            >>> from oware import arena
            >>> figure = arena.tournament(["greedy", "random"], games=20).plot()
            >>> [axes.get_title() for axes in figure.axes]
            ['rating', 'score in per cent against']
        """
        from oware import plots

        return plots.tournament(self, anchor)

    @property
    def unique(self) -> float:
        """The share of games that differ from all earlier ones of their pair; nan for none."""
        pairs = self.pairs()
        games = sum(row["games"] for row in pairs)
        return sum(row["unique"] for row in pairs) / games if games else float("nan")

    def _index(self, player: str) -> int:
        if player not in self.players:
            raise ValueError(unknown("player", player, self.players))
        return self.players.index(player)

    def _between(self, one: int, two: int) -> NDArray[np.bool_]:
        south, north = self.games.south, self.games.north
        between: NDArray[np.bool_] = ((south == one) & (north == two)) | (
            (south == two) & (north == one)
        )
        return between

    def _tally(self, chosen: NDArray[np.bool_], seat: int) -> Tally:
        winner = self.games.winner[chosen]
        cut_off = self.games.ending[chosen] == ENDINGS.index("unfinished")
        return Tally(
            wins=int((winner == seat).sum()),
            draws=int(((winner == -1) & ~cut_off).sum()),
            losses=int((winner == 1 - seat).sum()),
            unfinished=int(cut_off.sum()),
        )

    def _some_ratings(self, anchor: str | None) -> Ratings | None:
        if anchor is not None:
            self._index(anchor)
        for prior in (0.0, 1.0):
            with contextlib.suppress(ValueError):
                return self.ratings(anchor, prior=prior)
        return None

    def __str__(self) -> str:
        """The standings, beside them the score of each against each in per cent."""
        return self.table()

    def table(self, anchor: str | None = None) -> str:
        """The text of the results, with ratings by an anchor.

        Args:
            anchor: The player whose rating is 0; None puts the mean of all there.

        Raises:
            ValueError: There is no such player.

        Example:
            >>> from oware import arena
            >>> text = arena.tournament(["greedy", "random"], games=20).table(anchor="random")
            >>> print(*[line.split()[1] for line in text.splitlines()[1:3]])
            greedy random
        """
        return table(self, anchor)
