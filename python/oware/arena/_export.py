"""The games of a tournament in the files of others: Parquet and Minari."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from oware._missing import missing_extra
from oware._oware import RULE_SETS, Game
from oware._replacing import replacing
from oware.arena._play import ENDINGS

if TYPE_CHECKING:
    import os

    from oware.arena._results import Results

__all__ = ["to_minari", "to_parquet"]

KEY: Final = b"oware arena"


def to_parquet(results: Results, path: str | os.PathLike[str]) -> None:
    """Write a row for each game; `Results.to_parquet` describes it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise missing_extra("arena", error) from error
    games = results.games
    names = pa.array(results.players, pa.string())
    kept = games.moves >= 0
    offsets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int32)

    def named(numbers: Any, texts: Any) -> Any:  # noqa: ANN401
        return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), texts)

    table = pa.table(
        {
            "game": np.arange(len(games), dtype=np.int32),
            "south": named(games.south, names),
            "north": named(games.north, names),
            "opening": games.opening,
            "winner": games.winner,
            "ending": named(games.ending, pa.array(ENDINGS, pa.string())),
            "plies": games.plies,
            "south_store": np.ascontiguousarray(games.stores[:, 0]),
            "north_store": np.ascontiguousarray(games.stores[:, 1]),
            "moves": pa.ListArray.from_arrays(pa.array(offsets), pa.array(games.moves[kept])),
            "reason": pa.array(games.reason, pa.string()),
        }
    ).replace_schema_metadata({KEY: json.dumps(results.settings)})
    with replacing(path, "xb") as file:
        pq.write_table(table, file)


def to_minari(results: Results, dataset_id: str, **metadata: object) -> Any:  # noqa: ANN401
    """Make a data set with an episode for each game; `Results.to_minari` describes it."""
    rules = next((name for name, its in RULE_SETS.items() if its == results.rules), None)
    if rules is None:
        raise ValueError("Minari keeps the environment by the name of its rules; these have none")
    try:
        from minari import create_dataset_from_buffers  # pyright: ignore[reportMissingImports]
        from minari.data_collector import EpisodeBuffer  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError as error:
        raise missing_extra("minari", error) from error
    import gymnasium

    spec = copy.deepcopy(gymnasium.spec("oware/Oware-v0"))
    # A step cap would end in the data what has not ended in the games.
    spec.kwargs = {"rules": rules, "max_steps": None}
    games = results.games
    buffers = []
    for number in range(len(games)):
        game = Game(results.rules)
        moves = games.moves[number, : games.plies[number]].tolist()
        observations, seats = [game.observation()], [game.to_move]
        for move in moves:
            game.play(move)
            observations.append(game.observation())
            seats.append(game.to_move)
        rewards, ended = [0.0] * len(moves), [False] * len(moves)
        if moves and game.winner is not None:
            rewards[-1] = 1.0 if game.winner == seats[-2] else -1.0
        cut_off = list(ended)
        if moves:
            ended[-1], cut_off[-1] = game.is_over, not game.is_over
        buffers.append(
            EpisodeBuffer(
                id=number,
                observations=observations,
                actions=[np.int64(move) for move in moves],
                rewards=rewards,
                terminations=ended,
                truncations=cut_off,
                infos={"to_move": [np.int8(seat) for seat in seats]},
            )
        )
    given: dict[str, Any] = {"data_format": "arrow", **metadata}
    return create_dataset_from_buffers(dataset_id, buffers, env=spec, eval_env=spec, **given)
