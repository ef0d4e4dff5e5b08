"""Self-play and what it leaves: everything of `oware.train` that needs no framework."""

from __future__ import annotations

import importlib.util
import json
import re
import socket
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import oware
from oware import train
from oware.cli import app
from oware.train import Experience, Settings, _self_play, self_play
from oware.train._folder import begun, known, settled
from oware.train._self_play import in_lockstep, shares

NETWORK = oware.Network.random(hidden=(16,), seed=1)
SMALL = Settings(simulations=12)


@pytest.fixture(scope="module")
def endgame() -> oware.Endgame:
    return oware.Endgame.build(9, "abapa", progress=False)


@pytest.fixture(scope="module")
def played(endgame: oware.Endgame) -> Experience:
    return self_play(NETWORK, 24, SMALL, seed=5, endgame=endgame)


def arrays(experience: Experience) -> dict[str, np.ndarray[Any, Any]]:
    return {field.name: getattr(experience, field.name) for field in fields(experience)}


def assert_same(one: Experience, other: Experience) -> None:
    for name, array in arrays(one).items():
        np.testing.assert_array_equal(array, arrays(other)[name], err_msg=name)


def game_of(observation: np.ndarray[Any, Any]) -> oware.Game:
    pits, stores = observation[:12].tolist(), observation[12:].tolist()
    return oware.Game(pits=pits, stores=tuple(stores))


def test_positions_have_targets_of_their_kind(played: Experience) -> None:
    n = len(played)
    assert n > 24 * 20
    shapes = {name: (array.dtype.name, array.shape) for name, array in arrays(played).items()}
    assert shapes == {
        "observation": ("uint8", (n, 14)),
        "action_mask": ("int8", (n, 6)),
        "policy": ("float32", (n, 6)),
        "value": ("float32", (n,)),
        "margin": ("float32", (n,)),
        "exact": ("bool", (n,)),
    }
    assert (played.observation.sum(axis=1) == 48).all()
    np.testing.assert_allclose(played.policy.sum(axis=1), 1, atol=1e-5)
    assert not played.policy[played.action_mask == 0].any()
    assert (abs(played.value) <= 1).all()
    assert (abs(played.margin) <= 1).all()
    for row in range(0, n, 7):
        game = game_of(played.observation[row])
        assert game.action_mask().tolist() == played.action_mask[row].tolist()


def test_solved_positions_have_exact_targets(played: Experience, endgame: oware.Endgame) -> None:
    solved = played.observation[:, :12].sum(axis=1) <= endgame.max_seeds
    assert 24 < solved.sum() < len(played)
    assert played.exact[solved].all()
    for row in np.flatnonzero(solved):
        game = game_of(played.observation[row])
        values = endgame.move_values(game)
        best = max(values.values())
        good = [move for move in values if values[move] == best]
        net = game.stores[0] - game.stores[1] + best
        assert played.policy[row].tolist() == pytest.approx(
            [(move in good) / len(good) for move in range(6)]
        )
        assert played.value[row] == np.sign(net)
        assert played.margin[row] == pytest.approx(net / 48)


def test_without_a_search_of_its_own_the_value_is_how_the_game_ended() -> None:
    played = self_play(NETWORK, 1, SMALL.replace(own_value=0.0), seed=2)
    told = played.value[~played.exact]
    # One game: South's rows have one value, and North's its negative.
    assert set(np.abs(told).tolist()) in ({0.0}, {1.0})
    signs = np.sign(played.margin[~played.exact])
    assert (signs == np.sign(told)).all()


def test_the_seed_decides_for_any_number_of_threads(
    played: Experience, endgame: oware.Endgame
) -> None:
    again = self_play(NETWORK, 24, SMALL, seed=5, endgame=endgame, num_threads=3)
    assert_same(played, again)
    other = self_play(NETWORK, 24, SMALL, seed=6, endgame=endgame)
    assert len(other) != len(played) or (other.observation != played.observation).any()


def test_every_game_is_watched_to_its_end() -> None:
    left: list[int] = []
    self_play(NETWORK, 5, SMALL, seed=0, watch=left.append)
    assert left[0] == 5
    assert left == sorted(left, reverse=True)


def test_games_are_played_in_shares_with_seeds_of_their_own(endgame: oware.Endgame) -> None:
    settings = SMALL.replace(games_each=4)
    parts = shares(11, settings, 5)
    assert [part.games for part in parts] == [4, 4, 3]
    assert len({part.seed for part in parts} | {5}) == 4
    assert parts == shares(11, settings, 5)
    assert shares(4, settings, 5) == shares(4, SMALL, 5) == [(4, 5)]
    left: list[int] = []
    played = self_play(NETWORK, 11, settings, seed=5, endgame=endgame, watch=left.append)
    each = [in_lockstep(NETWORK, part, settings, endgame) for part in parts]
    assert_same(played, Experience.joined(each))
    assert left[0] == 11
    assert left == sorted(left, reverse=True)
    assert {4, 3} <= set(left)


def test_games_that_would_not_end_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_self_play, "LONGEST_GAME", 10)
    settings = SMALL.replace(simulations=1, opening_plies=0, own_value=0.0)
    played = self_play(NETWORK, 8, settings, seed=0)
    assert len(played) == 8 * 10
    # Every ply plays the same games, and South and North have opposite targets.
    south, north = played.margin.reshape(10, 8)[:2]
    assert (played.margin.reshape(10, 8)[::2] == south).all()
    assert (south == -north).all()
    assert (np.sign(played.value.reshape(10, 8)[0]) == np.sign(south)).all()


def test_openings_are_random_and_leave_a_game() -> None:
    settings = SMALL.replace(opening_plies=8, simulations=1)
    played = self_play(NETWORK, 64, settings, seed=3)
    first = played.observation[:64]
    assert len(np.unique(first, axis=0)) > 30


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 0}, "games is 0; give 2 to"),
        ({"games_each": -1}, "games_each is -1; give 0 to"),
        ({"simulations": 0}, "simulations is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"hidden": ()}, "hidden"),
        ({"noise": (float("nan"), 0.25)}, "noise is"),
        ({"noise": (1.0, 2.0)}, "noise is"),
        ({"noise": (10**400, 0.25)}, "noise is"),
        ({"learning_rate": 10**400}, "learning_rate is inf"),
        ({"own_value": 1.5}, "own_value is 1.5; give 0 to 1"),
        ({"learning_rate": float("nan")}, "learning_rate is nan"),
        ({"temperature": -1.0}, "temperature is -1.0"),
        ({"endgame": 25}, "endgame is 25; give 0 to 24"),
        ({"gate_games": 3}, "give an even number"),
        ({"rules": "nowhere"}, "nowhere"),
    ],
)
def test_settings_are_checked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Settings(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": 1.5}, "games must be an int"),
        ({"seed": None}, "seed must be an int"),
        ({"batch": "many"}, "batch must be an int"),
        ({"learning_rate": None}, "learning_rate must be a number, not NoneType"),
        ({"passes": "2"}, "passes must be a number, not str"),
        ({"own_value": True}, "own_value must be a number, not bool"),
        ({"noise": None}, "noise must be two numbers, not None"),
        ({"noise": (1.0,)}, "noise must be two numbers"),
        ({"noise": (1.0, "0")}, r"noise\[1\] must be a number, not str"),
        ({"rules": 5}, "rules must be the name of a rule set or an oware.Rules, not int"),
    ],
)
def test_settings_of_a_wrong_type_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Settings(**changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "there are no rules"),
        ("[]", "it holds no settings"),
        ("[" * 100_000, "it holds no settings"),
        ('{"rules": {}, "learning_rate": 1' + 400 * "0" + "}", "learning_rate is inf"),
        ('{"rules": {}, "noise": [1]}', "noise must be two numbers"),
    ],
)
def test_what_are_no_settings_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    with pytest.raises(ValueError, match=r"settings\.json: it holds no settings: ") as told:
        known(tmp_path)
    assert message in str(told.value)


def test_settings_are_no_folder(tmp_path: Path) -> None:
    (tmp_path / "settings.json").mkdir()
    with pytest.raises(ValueError, match="it is a folder"):
        known(tmp_path)


def test_a_process_killed_while_it_began_leaves_the_folder_free(tmp_path: Path) -> None:
    (tmp_path / ".oware-0123456789abcdef.tmp").write_text("{")
    assert settled(tmp_path, None) == Settings()
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="it holds something else"):
        settled(tmp_path, None)


def test_a_run_that_has_lost_its_checkpoint_is_not_begun_again(tmp_path: Path) -> None:
    begun(tmp_path, SMALL)
    for name in ("network.safetensors", "network-000000.safetensors", "network-000001.safetensors"):
        (tmp_path / name).touch()
    assert settled(tmp_path, SMALL) == SMALL
    (tmp_path / "network-000002.safetensors").touch()
    with pytest.raises(ValueError, match=r"its checkpoint is missing, .* network-000002\.safete"):
        settled(tmp_path, None)
    (tmp_path / "checkpoint").touch()
    assert settled(tmp_path, None) == SMALL


def test_settings_go_through_json() -> None:
    settings = Settings(rules="codingame", seed=4, hidden=(8, 4), noise=(1.0, 0.5))
    assert Settings.from_json(json.loads(json.dumps(settings.to_json()))) == settings
    with pytest.raises(ValueError, match="unknown settings: colour"):
        Settings.from_json({**settings.to_json(), "colour": "red"})


def test_experience_is_kept_in_files(played: Experience, tmp_path: Path) -> None:
    path = tmp_path / "seen"
    played.save(path)
    assert_same(Experience.load(path), played)
    data = path.read_bytes()
    for damaged, message in (
        (data[:-1], "cut off or was altered"),
        (data[:-1] + bytes([data[-1] ^ 1]), "cut off or was altered"),
        (b"anything\n", "it is no experience of oware"),
        (b"", "it is no experience of oware"),
        (data.replace(b"experience 1", b"experience 9", 1), "it is of version 9"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=message):
            Experience.load(path)
    with pytest.raises(ValueError, match="it is a folder"):
        Experience.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        Experience.load(tmp_path / "nowhere")


def test_a_large_file_of_something_else_is_not_read(
    tmp_path: Path,
) -> None:
    with (tmp_path / "film").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(ValueError, match="it is no experience of oware"):
        Experience.load(tmp_path / "film")


def test_self_play_refuses_what_makes_no_sense(endgame: oware.Endgame) -> None:
    with pytest.raises(ValueError, match="games"):
        self_play(NETWORK, 0, SMALL)
    with pytest.raises(ValueError, match="seed"):
        self_play(NETWORK, 1, SMALL, seed=-1)
    with pytest.raises(ValueError, match="the database is for abapa"):
        self_play(NETWORK, 1, SMALL.replace(rules="awari"), seed=0, endgame=endgame)
    with pytest.raises(TypeError, match=r"network must be an oware\.Network, not NoneType"):
        self_play(None, 1, SMALL)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"settings must be oware\.train\.Settings, not dict"):
        self_play(NETWORK, 1, {})  # type: ignore[arg-type]


def test_the_trainer_is_one_file_that_can_be_read_at_a_sitting() -> None:
    text = Path(train.__file__).with_name("alphazero.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400


def test_an_address_where_no_cluster_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray is not asked; it would try for minutes."""
    joined: list[Any] = []
    fake: Any = ModuleType("ray")
    fake.is_initialized = lambda: False
    fake.init = lambda **given: joined.append(given)
    fake.remote = lambda **_: lambda player: player
    monkeypatch.setitem(sys.modules, "ray", fake)
    spec = importlib.util.find_spec("oware.train._ray")
    assert spec is not None
    assert spec.loader is not None
    games: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(games)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{deaf.getsockname()[1]}"
        for address in (place, f"ray://{place}", "127.0.0.1:99999"):
            message = f"^no cluster answers at {re.escape(address)}: .*; give the address that "
            with pytest.raises(ConnectionError, match=message):
                games.RayGames(1, address=address)
        assert joined == []
        deaf.listen()
        for address in (place, "auto", "local"):
            games.RayGames(1, address=address)
    assert [given["address"] for given in joined] == [place, "auto", "local"]


def test_without_pytorch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("oware.train.alphazero", "oware.train._model"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in ("Trainer", "Model"):
        monkeypatch.delitem(vars(train), name, raising=False)
        with pytest.raises(ImportError, match=r'pip install "oware\[train\]"'):
            getattr(train, name)
    result = CliRunner().invoke(app, ["train", "--minutes", "1"])
    assert result.exit_code == 1
    assert 'pip install "oware[train]"' in result.output


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--set", "colour=1"], "unknown setting 'colour'; known: batch, "),
        (["--set", "widnow=1"], "did you mean 'window'?"),
        (["--set", "simulations=4"], "simulations has an option of its own: give --simulations"),
        (["--set", "games_each=4"], "games_each has an option of its own: give --games-each"),
        (["--set", "passes=many"], "passes is a number"),
        (["--set", "window=1.5"], "window is an integer"),
        (["--hidden", "wide"], "are no widths"),
        (["--minutes", "1", "--iterations", "1"], "not both"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(given: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["train", *given])
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
