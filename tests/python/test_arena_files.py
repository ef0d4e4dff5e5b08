"""The file of a tournament: it survives kills at any moment, and tells when it is damaged."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oware
from oware import arena
from oware.agents import NetworkAgent


def first(game: oware.Game) -> int:
    return game.legal_moves()[0]


PLAYERS = {"greedy": "greedy", "random": "random", "first": first}
SETTINGS: Any = {"games": 40, "openings": 3, "seed": 5, "rules": "codingame"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a tournament that nothing has interrupted."""
    path: Path = tmp_path_factory.mktemp("arena") / "whole.jsonl"
    arena.tournament(PLAYERS, path=path, **SETTINGS)
    return path.read_bytes()


def test_a_file_has_the_results(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(whole)
    played = arena.tournament(PLAYERS, **SETTINGS)
    read = arena.load(path)
    assert read.players == tuple(PLAYERS)
    assert read.rules == oware.Rules.named("codingame")
    assert str(read) == str(played)
    for name, array in vars(played.games).items():
        assert np.array_equal(array, vars(read.games)[name])
        assert getattr(array, "dtype", None) == getattr(vars(read.games)[name], "dtype", None)
    # A finished one is not played again.
    asked: list[int] = []
    arena.tournament(PLAYERS, path=path, on_game=lambda done, _: asked.append(done), **SETTINGS)
    assert asked == []
    assert path.read_bytes() == whole


def test_it_goes_on_after_a_cut_anywhere(whole: bytes, tmp_path: Path) -> None:
    rng = random.Random(1)
    header = whole.index(b"\n") + 1
    for cut in [0, header, *(rng.randrange(header, len(whole)) for _ in range(4))]:
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(whole[:cut])
        arena.tournament(PLAYERS, path=path, **SETTINGS)
        assert path.read_bytes() == whole


PROGRAM = """
    import sys
    from pathlib import Path
    from oware import arena
    def first(game):
        return game.legal_moves()[0]
    first.__module__ = "test_arena_files"
    print("ready", flush=True)
    sys.stdin.read()
    arena.tournament(
        {"greedy": "greedy", "random": "random", "first": first},
        games=40, openings=3, seed=5, rules="codingame", path=Path(sys.argv[1]),
    )
"""


def test_it_goes_on_after_kills_at_random_moments(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "killed.jsonl"
    rng = random.Random(2)
    killed = 0
    for part in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(PROGRAM), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.stdin.close()
        # Once it has come so far, and then a moment later, whatever it does by then.
        least = len(whole) * part // 8
        until = time.monotonic() + 120
        while not path.exists() or path.stat().st_size <= least:
            assert time.monotonic() < until
            assert process.poll() is None
        time.sleep(rng.random() * 0.02)
        process.kill()
        killed += process.wait() != 0
        process.stdout.close()
        assert whole.startswith(path.read_bytes())
        arena.load(path)
    assert killed >= 4
    arena.tournament(PLAYERS, path=path, **SETTINGS)
    assert path.read_bytes() == whole


def test_damage_is_refused_and_nothing_changed(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl"
    lines = whole.splitlines(keepends=True)
    rng = random.Random(3)
    damaged = [
        whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(7)]) + whole[at + 1 :]
        for at in (rng.randrange(len(whole) - 1) for _ in range(40))
    ]
    damaged = [data for data in damaged if data.rfind(b"\n") == len(data) - 1]
    damaged += [
        b"".join(lines[:3] + lines[4:]),
        b"".join(lines[:3] + lines[2:]),
        b"".join([lines[1], lines[0], *lines[2:]]),
        whole + lines[-1],
        whole + b"\n",
        b"\n",
        b"{}\n",
        b"something else\n",
        b"something else",
        whole[: whole.index(b"\n")],
        bytes(range(256)),
    ]
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"line \d+|no header|version|game"):
            arena.tournament(PLAYERS, path=path, **SETTINGS)
        assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"games": 42}, "games"),
        ({"seed": 6}, "seed"),
        ({"openings": 4}, "openings"),
        ({"openings": ["Aa"]}, "openings"),
        ({"rules": "abapa"}, "rules"),
        ({"gauntlet": True}, "gauntlet"),
        ({"max_plies": 900}, "max_plies"),
        ({"players": ["greedy", "random"]}, "players"),
        ({"players": {**PLAYERS, "first": lambda _: 0}}, "players"),
        # The same text in all, of other players.
        ({"players": {"greedy, random": "greedy", "first": first}}, "players"),
    ],
)
def test_the_file_of_another_tournament_is_refused(
    whole: bytes, tmp_path: Path, changed: Any, key: str
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=f"is of another tournament: it was made with {key}="):
        arena.tournament(**{"players": PLAYERS, "path": path, **SETTINGS, **changed})
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"games": 42}, "games=40, not 42"),
        ({"rules": "awari"}, "rules=codingame, not awari"),
        ({"rules": oware.Rules(max_plies=7)}, r"rules=codingame, not \{.*'max_plies': 7,.*\}"),
        (
            {"players": ["greedy", "random"]},
            r"players=greedy, random, first \(test_arena_files\.first\), not greedy, random",
        ),
    ],
)
def test_what_is_different_is_told_as_one_would_ask_for_it(
    whole: bytes, tmp_path: Path, changed: Any, told: str
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=f"it was made with {told}; give another path$"):
        arena.tournament(**{"players": PLAYERS, "path": path, **SETTINGS, **changed})


def header_of(path: Path) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(path.read_bytes().splitlines()[0])
    return header


def test_a_network_that_has_changed_is_refused(tmp_path: Path) -> None:
    run, path = tmp_path / "run", tmp_path / "games.jsonl"
    run.mkdir()
    network = run / "network.safetensors"
    name = f"net:{run}"
    oware.Network.random(hidden=(8,), seed=0).save(network)

    def play(players: Any) -> None:
        arena.tournament(players, games=4, path=path)

    play([name, "greedy"])
    player, greedy = header_of(path)["players"]
    assert greedy == {"name": "greedy", "player": "greedy"}
    assert player == {"name": name, "player": name, "network": player["network"]}
    # The one that the network's own file has.
    assert f";checksum={player['network']}".encode() in network.read_bytes()
    kept = path.read_bytes()
    play([name, "greedy"])
    oware.Network.random(hidden=(8,), seed=1).save(network)
    with pytest.raises(
        ValueError, match=f"{re.escape(name)} has changed since these games: give another path"
    ):
        play([name, "greedy"])
    assert path.read_bytes() == kept
    assert arena.load(path).players == (name, "greedy")


def test_a_network_that_is_an_agent_and_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    one, two = (NetworkAgent(oware.Network.random(hidden=(8,), seed=seed)) for seed in (0, 1))
    for _ in range(2):
        arena.tournament({"mine": one, "greedy": "greedy"}, games=4, path=path)
    with pytest.raises(ValueError, match=r"mine \(.*NetworkAgent\) has changed since these games"):
        arena.tournament({"mine": two, "greedy": "greedy"}, games=4, path=path)


def test_games_that_do_not_tell_their_network_are_read_and_not_gone_on_with(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.jsonl"
    games = arena.tournament(["amateur", "greedy"], games=4, path=path).games
    first, _, rest = path.read_bytes().partition(b"\n")
    text = first[: first.rindex(b', "crc32"')]
    mark = f', "network": "{header_of(path)["players"][0]["network"]}"'.encode()
    text = text.replace(mark, b"")
    older = text + f', "crc32": "{zlib.crc32(text):08x}"}}\n'.encode() + rest
    path.write_bytes(older)
    assert np.array_equal(arena.load(path).games.moves, games.moves)
    with pytest.raises(ValueError, match="amateur has a network, and these games do not tell"):
        arena.tournament(["amateur", "greedy"], games=4, path=path)
    assert path.read_bytes() == older


def test_a_tournament_is_of_the_networks_that_it_began_with(tmp_path: Path) -> None:
    file = tmp_path / "network.safetensors"
    players = [f"net:{file}", "greedy"]
    oware.Network.random(hidden=(8,), seed=0).save(file)
    games = arena.tournament(players, games=80).games

    def trained_on(_: int, __: int) -> None:
        oware.Network.random(hidden=(8,), seed=1).save(file)

    meanwhile = arena.tournament(players, games=80, on_game=trained_on).games
    assert np.array_equal(games.moves, meanwhile.moves)
    assert not np.array_equal(arena.tournament(players, games=80).games.moves, games.moves)


def test_the_header_without_networks_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    arena.tournament(["greedy", "random"], games=2, path=path)
    assert (
        path.read_bytes()
        .splitlines()[0]
        .startswith(
            b'{"format": "oware arena", "version": 1, "oware": "%b", "players": ['
            b'{"name": "greedy", "player": "greedy"}, {"name": "random", "player": "random"}], '
            b'"games": 2, "rules": {"feeding": ' % oware.__version__.encode()
        )
    )


def test_an_interrupt_leaves_whole_lines(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "stopped.jsonl"

    def stop(done: int, _: int) -> None:
        if done > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arena.tournament(PLAYERS, path=path, on_game=stop, **SETTINGS)
    kept = path.read_bytes()
    assert kept.endswith(b"}\n")
    assert whole.startswith(kept)
    assert len(kept) < len(whole)
    arena.tournament(PLAYERS, path=path, **SETTINGS)
    assert path.read_bytes() == whole


def test_two_at_once_in_one_file_are_told(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "shared.jsonl"

    def another(done: int, _: int) -> None:
        if done > 50:
            arena.tournament(PLAYERS, path=path, **SETTINGS)

    with pytest.raises(RuntimeError, match="another process plays the same tournament"):
        arena.tournament(PLAYERS, path=path, on_game=another, **SETTINGS)
    assert path.read_bytes() == whole


def test_where_there_is_no_folder_nothing_is_played(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        arena.tournament(PLAYERS, path=tmp_path / "no" / "file.jsonl", **SETTINGS)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "."])
def test_what_has_no_end_is_not_read(tmp_path: Path, device: str) -> None:
    path = Path(device)
    if not path.exists():  # Where there are no devices, a folder is what is no file, too.
        path = tmp_path
    for use in (arena.load, lambda path: arena.tournament(PLAYERS, path=path, **SETTINGS)):
        with pytest.raises(ValueError, match="it is a folder, a pipe or a device; give a file"):
            use(path)


def test_a_large_file_of_something_else_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(ValueError, match="no header; it is no file of a tournament"):
        arena.load(path)
