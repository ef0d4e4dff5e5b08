"""Tournaments: who meets whom, from which openings, and how that goes on after an interruption."""

from __future__ import annotations

import operator
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, SupportsIndex

from oware._counts import count, flag, told
from oware._oware import Rules, __version__
from oware._rules import as_rules
from oware.agents import MAX_PLIES
from oware.arena import _file
from oware.arena._games import Games
from oware.arena._openings import PLIES, openings_of
from oware.arena._play import Planned, Played, play_batch, play_one, seed_of
from oware.arena._players import MOVE_TIME, Batched, players_of
from oware.arena._results import Results

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oware.agents import Evaluation
    from oware.arena._engine import Process
    from oware.arena._players import Player
    from oware.types import RuleSetName

__all__ = ["evaluate", "load", "tournament"]

MOST_PLIES: Final = 100_000


def tournament(
    players: Sequence[object] | Mapping[str, object],
    games: int = 100,
    *,
    rules: RuleSetName | Rules = "abapa",
    openings: int | Sequence[str] = PLIES,
    gauntlet: bool = False,
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
    max_plies: int = MAX_PLIES,
    move_time: float = MOVE_TIME,
    progress: bool = False,
    on_game: Callable[[int, int], object] | None = None,
) -> Results:
    """Let players play against each other, every opening from both seats.

    A player that crashes, is silent or answers an illegal move loses that game, with the reason
    kept, and the tournament goes on. Pairs of players over batches play many games in lockstep, see
    `Batched`, other pairs one game after the other.

    With a path, every game is a line of that file, written when it is over (or its batch is). The
    same call goes on with an unfinished file, and where the seed decides what the players do, the
    file ends up the same to the byte as that of a tournament that was never interrupted.

    Args:
        players: At least two of what `oware.arena.player` takes; a mapping gives them names.
        games: Games of each pair, an even number.
        rules: A rule set or its name.
        openings: The random plies of each opening, 0 to 100, different ones where there are enough;
            or transcripts, taken in turn.
        gauntlet: Whether only the first player meets all others, instead of everybody everybody.
        seed: Seed of the openings and of the players, at least 0.
        path: The file; None for none.
        max_plies: Where a game is cut off, 1 to 100,000: it then counts half for either.
        move_time: Seconds a move of engines that are given by name.
        progress: Whether to show a bar on standard error.
        on_game: Called with the number of games that are over and of all, as they grow.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or the file is damaged, of another tournament or of
            another network.
        OSError: The file cannot be read or written.
        RuntimeError: Another process plays the same tournament into the same file.

    Example:
        >>> results = tournament(["minimax:2", "greedy", "random"], games=20, seed=1)
        >>> len(results.games), results.against("minimax:2", "random").total.win_rate > 0.9
        (60, True)
    """
    entered = players_of(players, move_time)
    played_by = as_rules(rules)
    flag("gauntlet", gauntlet)
    flag("progress", progress)
    if on_game is not None and not callable(on_game):
        raise TypeError(f"on_game must be None or a callable, not {type(on_game).__name__}")
    games = count("games", games, 2)
    if games % 2:
        raise ValueError(f"games is {told(games)}; give an even number, one game from either seat")
    seed = count("seed", seed, 0)
    max_plies = count("max_plies", max_plies, 1, MOST_PLIES)
    starts = openings_of(openings, games // 2, played_by, seed)
    if max(map(len, starts)) >= max_plies:
        raise ValueError(f"max_plies is {max_plies}; give more than an opening has")
    parts = _parts(entered, games, gauntlet)
    plans = [plan for part in parts for plan in part]
    header = _header(entered, games, played_by, openings, gauntlet, seed, max_plies)

    done: list[Played] = []
    with ExitStack() as stack:
        add: Callable[[list[Played]], None] = lambda _: None  # noqa: E731
        if path is not None:
            file = Path(path)
            done = _file.begin(file, header)
            _check_plans(file, done, plans)
            add = stack.enter_context(_file.appending(file))
        processes: dict[int, Process] = {}
        stack.callback(_close, processes)
        total = len(plans)
        shown: Any = None
        if progress:
            from tqdm import tqdm

            shown = stack.enter_context(tqdm(total=total, initial=len(done), unit=" games"))
        settings = starts, entered, processes, played_by, seed, max_plies, len(done)
        for part in parts:
            for news in _played(part, *settings):
                add(news)
                done += news
                if shown is not None:
                    shown.update(len(news))
                if on_game is not None:
                    on_game(len(done), total)
    return Results(tuple(player.name for player in entered), Games.of(done), played_by, header)


def evaluate(
    player: object,
    opponent: object,
    games: int = 100,
    *,
    rules: RuleSetName | Rules = "abapa",
    openings: int | Sequence[str] = PLIES,
    seed: int = 0,
    max_plies: int = MAX_PLIES,
    move_time: float = MOVE_TIME,
    progress: bool = False,
) -> Evaluation:
    """Let a player play against an opponent: results by seat, with intervals.

    It takes whatever can play; `oware.agents.evaluate` is for players over batches that are
    measured often, as in training. A `RuntimeWarning` tells of games that were lost by forfeit.

    Args:
        player: The player, see `oware.arena.player`.
        opponent: Its opponent.
        games: Games, an even number, half of them from either seat.
        rules: As for `tournament`, like all that follow.
        openings: As there.
        seed: As there.
        max_plies: As there.
        move_time: As there.
        progress: As there.

    Returns:
        The player's wins, draws and losses from each seat.

    Raises:
        TypeError: As for `tournament`.
        ValueError: As for `tournament`.

    Example:
        >>> from oware import arena
        >>> evaluation = arena.evaluate("greedy", "random", games=100)
        >>> evaluation.south.games, evaluation.total.win_rate > 0.8
        (50, True)
    """
    results = tournament(
        {"player": player, "opponent": opponent},
        games,
        rules=rules,
        openings=openings,
        seed=seed,
        max_plies=max_plies,
        move_time=move_time,
        progress=progress,
    )
    told = results.forfeits()
    if told:
        warnings.warn(
            f"{len(told)} of {games} games were lost by forfeit; the first one by the "
            f"{told[0]['player']}: {told[0]['reason']}",
            RuntimeWarning,
            stacklevel=2,
        )
    return results.against("player", "opponent")


def load(path: str | os.PathLike[str]) -> Results:
    """Read the results of a tournament, finished or not, from its file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is damaged, or something else.

    Example:
        >>> load("nowhere.jsonl")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.jsonl'
    """
    header, games = _file.read(Path(path))
    players = tuple(entry["name"] for entry in header["players"])
    return Results(players, Games.of(games), Rules(**header["rules"]), header)


def _parts(players: Sequence[Player], games: int, gauntlet: bool) -> list[list[Planned]]:
    """All games, in parts that are played at once.

    Pairs take turns, so that every pair has games early on. A part is the same however many games
    are in the file already: the seeds of its players are those of the part.
    """
    turns = []
    for one in range(1 if gauntlet else len(players)):
        for two in range(one + 1, len(players)):
            pair = players[one], players[two]
            # An even number, at least the two games of an opening.
            size = min((its.lockstep if isinstance(its, Batched) else 2) for its in pair)
            turns += [(first, one, two, size // 2) for first in range(0, games // 2, size // 2)]
    parts: list[list[Planned]] = []
    number = 0
    for first, one, two, size in sorted(turns):
        part = []
        for opening in range(first, min(first + size, games // 2)):
            for south, north in ((one, two), (two, one)):
                part.append(Planned(number, south, north, opening))
                number += 1
        parts.append(part)
    return parts


def _played(
    part: Sequence[Planned],
    openings: Sequence[Sequence[int]],
    players: Sequence[Player],
    processes: dict[int, Process],
    rules: Rules,
    seed: int,
    max_plies: int,
    done: int,
) -> Iterator[list[Played]]:
    """Play those games of a part that are not done: all at once, or one after the other."""
    first = part[0]
    if part[-1].number < done:
        return
    makers = {
        number: player.policy
        for number in (first.south, first.north)
        if isinstance(player := players[number], Batched)
    }
    if len(makers) == 2:
        policies = {
            number: make(rules, seed_of(seed, first.south, first.north, first.opening, number))
            for number, make in makers.items()
        }
        starts = [openings[plan.opening] for plan in part]
        games = play_batch(part, starts, policies, rules, max_plies)
        yield [game for game in games if game.plan.number >= done]
        return
    for plan in part:
        if plan.number >= done:
            start = openings[plan.opening]
            yield [play_one(plan, start, players, processes, rules, seed, max_plies)]


def _header(
    players: Sequence[Player],
    games: int,
    rules: Rules,
    openings: int | Sequence[str],
    gauntlet: bool,
    seed: int,
    max_plies: int,
) -> dict[str, Any]:
    return {
        "oware": __version__,
        "players": [_entry(each) for each in players],
        "games": games,
        "rules": _file.fields_of(rules),
        "openings": operator.index(openings)
        if isinstance(openings, SupportsIndex)
        else [*openings],
        "gauntlet": bool(gauntlet),
        "seed": seed,
        "max_plies": max_plies,
    }


def _entry(player: Player) -> dict[str, str]:
    entry = {"name": player.name, "player": player.described}
    if isinstance(player, Batched) and player.network:
        entry["network"] = player.network
    return entry


def _close(processes: Mapping[int, Process]) -> None:
    for process in processes.values():
        process.close()


def _check_plans(path: Path, done: Sequence[Played], plans: Sequence[Planned]) -> None:
    for game, plan in zip(done, plans, strict=False):
        if game.plan != plan:
            raise ValueError(f"{path}, line {plan.number + 2}: game {plan.number} is another one")
    if len(done) > len(plans):
        raise ValueError(f"{path} has {len(done)} games; the tournament has {len(plans)}")
