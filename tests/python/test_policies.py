"""One protocol of players: what they see, and by what name they are found, wherever they play."""

from __future__ import annotations

import copy
import io
import pickle
import re
import sys
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from gymnasium.spaces import flatten_space

import oware
from oware import arena, cli
from oware._opponents import for_core
from oware._policies import KINDS, converted, seeing
from oware.agents import checked_kind, evaluate, kind_of_space, move_of, named
from oware.options import observation_space
from oware.types import ObservationKind

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SHAPES = {"seeds": (14,), "normalized": (14,), "one_hot": (14, 25)}


class Fullest:
    """Plays the fullest pit that it may, from observations of its kind alone."""

    def __init__(self, observation: Any) -> None:
        self.observation = observation
        self.asked = 0

    def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
        assert observation.shape == (len(action_mask), *SHAPES[self.observation])
        assert observation.dtype == (np.uint8 if self.observation == "seeds" else np.float32)
        self.asked += len(observation)
        own = observation[:, :6]
        amount = own.argmax(axis=2) if self.observation == "one_hot" else own.astype(float)
        return np.where(action_mask, amount, -1).argmax(axis=1)


def positions(rules: oware.Rules, games: int) -> list[oware.Game]:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(games):
        game = oware.Game(rules)
        while not game.is_over and game.ply < 300:
            found.append(game.copy())
            game.play(int(rng.choice(game.legal_moves())))
        found.append(game)
    return found


@pytest.mark.parametrize("wanted", KINDS)
@pytest.mark.parametrize(
    ("given", "seeds_per_pit"),
    [
        (kind, number)
        for kind in KINDS
        for number in (2, 4, 6)
        if (kind, number) != ("one_hot", 6)  # Refused, see below.
    ],
)
def test_observations_of_one_kind_are_those_of_another(
    given: ObservationKind, wanted: ObservationKind, seeds_per_pit: int
) -> None:
    rules = oware.Rules(seeds_per_pit=seeds_per_pit, majority_ends=False)
    games = positions(rules, 20)
    seen = np.stack([game.observation(given) for game in games])
    expected = np.stack([game.observation(wanted) for game in games])
    assert expected[:, 12:].any()
    before = seen.copy()
    made = converted(seen, given, wanted, 12 * seeds_per_pit)
    assert np.array_equal(made, expected)
    assert made.dtype == expected.dtype
    assert np.array_equal(seen, before)


def test_the_last_column_is_told_apart() -> None:
    stores = [(24, 24), (25, 22), (0, 48), (48, 0), (30, 3)]
    boards = np.zeros((len(stores), 14), np.uint8)
    boards[:, 12:] = stores
    boards[:, 0] = 48 - boards.sum(axis=1)
    planes = converted(boards, "seeds", "one_hot", 48)
    assert np.array_equal(converted(planes, "one_hot", "seeds", 48), boards)


def test_fewer_seeds_than_a_game_begins_with_are_seen_as_they_are() -> None:
    boards = np.array([[0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2, 1, 3, 3], [0] * 14, [23] + [0] * 13])
    seen = np.stack([oware.Game(pits=row[:12], stores=row[12:]).observation() for row in boards])
    planes = converted(seen, "seeds", "one_hot", 48)
    assert np.array_equal(converted(planes, "one_hot", "seeds", 48), boards)


def test_a_player_gets_its_kind_in_every_environment() -> None:
    games = []
    for its in KINDS:
        for kind in KINDS:
            player = Fullest(its)
            env = oware.OwareEnv(8, opponent=player, seat="south", observation=kind)
            observation, info = env.reset(seed=2)
            assert observation.shape[1:] == SHAPES[kind]
            for _ in range(60):
                observation, *_, info = env.step(info["action_mask"].argmax(axis=1))
            assert player.asked > 400
            games.append([env.game(i) for i in range(8)])
    assert all(game == games[0] for game in games)


def test_a_pool_and_another_opponent_get_their_kinds() -> None:
    players = [Fullest(kind) for kind in KINDS]
    env = oware.OwareEnv(60, opponent=[(each, 1) for each in players], observation="normalized")
    _, info = env.reset(seed=1)
    env.step(info["action_mask"].argmax(axis=1))
    assert all(player.asked for player in players)
    another = Fullest("one_hot")
    env.set_opponent(another)
    _, info = env.reset(seed=1)
    env.step(info["action_mask"].argmax(axis=1))
    assert another.asked


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])  # noqa: S301
def test_a_copy_of_an_environment_goes_on_with_its_player(duplicate: Any) -> None:
    env = oware.OwareEnv(4, opponent=Fullest("one_hot"), max_steps=None)
    _, info = env.reset(seed=4)
    other = duplicate(env)
    for _ in range(30):
        actions = info["action_mask"].argmax(axis=1)
        *told, info = env.step(actions)
        *told_too, _ = other.step(actions)
        assert all(map(np.array_equal, told, told_too))


def test_evaluation_is_the_same_for_every_kind() -> None:
    results = {
        str(evaluate(Fullest(own), Fullest(its), 40, observation=kind, seed=1))
        for own in KINDS
        for its in KINDS
        for kind in KINDS
    }
    assert len(results) == 1


@pytest.mark.parametrize("other", ["greedy", lambda game: game.legal_moves()[0]])
def test_the_arena_shows_each_player_its_kind(other: Any) -> None:
    # Against a name in a batch, against a function of a game one after the other.
    tables = []
    for kind in KINDS:
        results = arena.tournament({"own": Fullest(kind), "other": other}, games=20, seed=1)
        assert results.forfeits() == []
        tables.append(results.games.moves.tolist())
    assert tables[0] == tables[1] == tables[2]


def test_regret_is_that_of_the_player() -> None:
    database = oware.Endgame.load(5, progress=False)
    means = {arena.regret(Fullest(kind), database, positions=10).mean for kind in KINDS}
    assert len(means) == 1


def test_the_board_shows_its_opponent_its_kind() -> None:
    games = []
    for kind in KINDS:
        board = oware.Board(opponent=Fullest(kind))
        for _ in range(6):
            board.play(board.game.legal_moves()[0])
            assert board.state["tone"] != "error"
        games.append(board.game)
    assert games[0] == games[1] == games[2]
    assert len(games[0].moves) == 12


def test_what_cannot_be_seen_is_refused() -> None:
    env = oware.OwareEnv(2, opponent="random")
    wrong: Any
    for wrong in ("pixels", 3, np.zeros(14)):
        with pytest.raises(ValueError, match=r"observation of player 'Fullest' is .*; give None"):
            oware.OwareEnv(2, opponent=Fullest(wrong))
        with pytest.raises(ValueError, match="the observation of player 'Fullest'"):
            env.set_opponent(Fullest(wrong))
        with pytest.raises(ValueError, match="the observation of player 'Fullest'"):
            arena.player(Fullest(wrong))
        with pytest.raises(ValueError, match="the observation of player 'Fullest'"):
            oware.Board(opponent=Fullest(wrong))
    rules = oware.Rules(seeds_per_pit=6)
    with pytest.raises(ValueError, match="cannot be told from 'one_hot' with 72 seeds"):
        oware.OwareEnv(2, rules=rules, opponent=Fullest("seeds"), observation="one_hot")
    assert seeing(Fullest("one_hot"), "seeds", rules).__class__.__name__ == "Seeing"


class Unreadable:
    """A player that fails when it is looked at."""

    @property
    def observation(self) -> str:
        raise LookupError("no kind today")

    def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:  # noqa: ARG002
        return action_mask.argmax(axis=1)


class Unseeded:
    """A player that gives no fresh one."""

    def __init__(self, fresh: object = LookupError("no seed today")) -> None:
        self.fresh = fresh

    def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:  # noqa: ARG002
        return action_mask.argmax(axis=1)

    def seeded(self, seed: int) -> Any:  # noqa: ARG002
        if isinstance(self.fresh, LookupError):
            raise self.fresh
        return self.fresh


def test_a_player_that_fails_when_it_is_looked_at_is_named() -> None:
    player = Unreadable()
    reason = "cannot be read: LookupError: no kind today$"
    for use in (
        lambda: oware.OwareEnv(2, opponent=player),
        lambda: oware.OwareEnv(2, opponent="random").set_opponent([(player, 1)]),
        lambda: evaluate(player, "random", 4),
        lambda: arena.player(player),
        lambda: oware.Board(opponent=player),
    ):
        with pytest.raises(ValueError, match=rf"^the observation of player 'Unreadable' {reason}"):
            use()
    with pytest.raises(ValueError, match=rf"^the observation of player 'mine' {reason}"):
        arena.tournament({"mine": player, "random": "random"}, games=2)


def test_a_player_that_gives_no_fresh_one_is_named() -> None:
    failing, wrong = Unseeded(), Unseeded(fresh=5)
    cases: tuple[tuple[Unseeded, type[Exception], str], ...] = (
        (failing, ValueError, "failed: LookupError: no seed today"),
        (wrong, TypeError, "must give a player, not int"),
    )
    for player, error, reason in cases:
        with pytest.raises(error, match=rf"^player 'mine': its method seeded {reason}$"):
            arena.tournament({"mine": player, "random": "random"}, games=2)
        with pytest.raises(error, match=rf"^player 'Unseeded': its method seeded {reason}$"):
            arena.tournament([player, "random"], games=2)


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_a_space(kind: ObservationKind) -> None:
    space = observation_space(kind, oware.Rules())
    assert kind_of_space(space) == kind
    assert kind_of_space(oware.OwareEnv(3, observation=kind).observation_space) is None
    assert kind_of_space(oware.OwareEnv(3).single_action_space) is None
    assert kind_of_space(None) is None
    assert get_args(ObservationKind) == KINDS


def test_the_kind_of_a_space_laid_flat() -> None:
    space = flatten_space(observation_space("one_hot", oware.Rules()))
    assert kind_of_space(space, flat=True) == "one_hot"
    assert kind_of_space(space) is None
    assert kind_of_space(observation_space("seeds", oware.Rules()), flat=True) == "seeds"


def test_a_kind_is_checked() -> None:
    assert [checked_kind(kind) for kind in (*KINDS, None)] == [*KINDS, None]
    for wrong, given in (("hot", "'hot'"), (np.zeros(3), "of type ndarray"), (0, "of type int")):
        with pytest.raises(ValueError, match=f"^mine is {given}; give None or 'seeds', "):
            checked_kind(wrong, "mine")


# One game


@pytest.mark.parametrize("kind", [None, *KINDS])
def test_a_player_is_asked_in_one_game(kind: ObservationKind | None) -> None:
    seen = []

    class Last:
        observation = kind

        def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
            seen.append(observation.copy())
            moves = [np.flatnonzero(mask)[-1] for mask in action_mask]
            # It may write into what it is given.
            observation[:], action_mask[:] = 0, 0
            return moves

    for rules in ("abapa", oware.Rules(seeds_per_pit=3)):
        game = oware.Game(rules)
        while not game.is_over and game.ply < 50:
            before = game.copy()
            move = move_of(Last(), game)
            assert move == game.legal_moves()[-1]
            assert type(move) is int
            assert game == before
            np.testing.assert_array_equal(seen.pop()[0], before.observation(kind or "seeds"))
            game.play(move)


@pytest.mark.parametrize(
    ("player", "game", "error", "message"),
    [
        ("greedy", oware.Game(), TypeError, "player must be a callable, not str"),
        (named("greedy"), oware.Game().pits, TypeError, "game must be an oware.Game, not tuple"),
        (
            named("greedy"),
            oware.Game(pits=[0] * 12, stores=(20, 28)),
            ValueError,
            "the game is over: 0-0-0-0-0-0-0-0-0-0-0-0-20-28-S",
        ),
        (lambda *_: 3, oware.Game(), TypeError, "the actions must be integers (1,), not "),
        (lambda *_: [3.0], oware.Game(), TypeError, "the actions must be integers (1,), not "),
        (lambda *_: [3, 3], oware.Game(), TypeError, "the actions must be integers (1,), not "),
    ],
)
def test_what_is_no_player_or_game_to_ask_in_is_refused(
    player: Any, game: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        move_of(player, game)


@pytest.mark.parametrize(
    "answer", [np.uint64(2**64 - 1), np.uint64(2**63), np.int64(-(2**63)), np.int8(-1)]
)
def test_an_answer_of_any_size_is_told_as_it_is(answer: np.integer[Any]) -> None:
    def player(observation: NDArray[Any], _: Any) -> Any:
        return np.full(len(observation), answer)

    assert move_of(player, oware.Game()) == int(answer)
    results = arena.tournament({"bad": player, "greedy": "greedy"}, games=4)
    reasons = [row["reason"] for row in results.forfeits()]
    assert len(reasons) == 4
    assert all(reason.startswith(f"illegal move: {answer}; legal: ") for reason in reasons)


# By name

MODULE = """
import numpy as np

class Last:
    observation = "one_hot"
    def __init__(self, seed=None):
        self.seed = seed
    def __call__(self, observation, action_mask):
        assert observation.shape[1:] == (14, 25)
        return 5 - action_mask[:, ::-1].argmax(axis=1)
    def seeded(self, seed):
        return Last(seed)

class Holder:
    inner = Last()

def of_game(game):
    return game.legal_moves()[-1]

def narrow(observation, action_mask):
    return (observation @ np.ones((350, 6))).argmax(axis=1)

def illegal(observation, action_mask):
    return np.full(len(action_mask), 7)

class Drawing:
    def __init__(self, seed=None):
        self.rng = np.random.default_rng(seed)
    def __call__(self, observation, action_mask):
        return (self.rng.random(action_mask.shape) * action_mask).argmax(axis=1)
    def seeded(self, seed):
        return Drawing(seed)

class Unreadable(Last):
    @property
    def observation(self):
        raise LookupError("no kind today")

class Unseeded(Last):
    def seeded(self, seed):
        raise LookupError("no seed today")

unreadable = Unreadable()
unseeded = Unseeded()
last = Last()
drawing = Drawing()
number = 5
odd = lambda a, b, c: a
pixels = Last()
pixels.observation = "pixels"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a module of players."""
    (tmp_path / "own_players.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "own_broken.py").write_text("1 / 0", encoding="utf-8")
    (tmp_path / "own_script.py").write_text("raise SystemExit(0)", encoding="utf-8")
    (tmp_path / "own_needy.py").write_text("import not_installed", encoding="utf-8")
    (tmp_path / "own_package").mkdir()
    (tmp_path / "own_package" / "py.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    monkeypatch.setenv("OWARE_DATA", str(tmp_path / "data"))
    for module in ("own_players", "own_package"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return tmp_path


@pytest.fixture
def run(
    here: Path,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Any:
    """The command in this process: its exit code, output and errors."""

    def run(*arguments: str, typed: str = "") -> tuple[Any, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as exit_info:
            cli.main([*arguments])
        out, err = capsys.readouterr()
        return exit_info.value.code, out, " ".join(err.split())

    return run


def test_a_player_of_a_module_plays_by_its_name(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(here)
    name = "python:own_players:last"
    player: Any = named(name, 7)
    assert player.seed == 7
    assert named("python:own_players:Holder.inner") is not player
    for kind in KINDS:
        env = oware.OwareEnv(3, opponent=name, seat="south", observation=kind)
        _, info = env.reset(seed=0)
        env.step(info["action_mask"].argmax(axis=1))
        assert env.game(0).moves[1] == 5
    assert arena.player(name).name == name
    assert arena.player("python:own_players:of_game").name == "python:own_players:of_game"
    board = oware.Board(opponent=name)
    board.play("A")
    assert board.game.moves[1] == 5
    with pytest.raises(ValueError, match=r"functions of one game play in oware\.arena\.evaluate"):
        named("python:own_players:of_game")


def test_a_player_of_a_module_that_cannot_be_seeded(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(here)
    name = "python:own_players:unseeded"
    for use in (
        lambda: named(name, 1),
        lambda: evaluate(name, "random", 4),
        lambda: arena.tournament([name, "random"], games=2),
        lambda: oware.Board(opponent=name, seed=1),
    ):
        with pytest.raises(ValueError, match=rf"^player '{name}': .* LookupError: no seed today$"):
            use()


def test_evaluation_seeds_both_players_of_a_module(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(here)
    for pair in (
        ("random", "python:own_players:drawing"),
        ("python:own_players:drawing", "random"),
    ):
        once, again, other = (evaluate(*pair, 60, seed=seed) for seed in (3, 3, 4))
        assert once == again != other


def test_a_state_runs_no_code_by_a_name_in_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As the core reads the names in a state.
    monkeypatch.syspath_prepend(here)
    assert for_core("python:own_players:last", "abapa") == "python:own_players:last"
    assert "own_players" not in sys.modules


def test_the_terminal_plays_with_a_module_of_the_working_folder(run: Any) -> None:
    code, out, err = run("play", "--opponent=python:own_players:last", typed="a\nquit\n")
    assert (code, err) == (0, "")
    assert "python:own_players:last plays f" in out
    names = ["python:own_players:last", "python:own_players:of_game"]
    code, out, err = run("arena", *names, "greedy", "--games=4", "--no-progress")
    assert (code, err) == (0, "")
    assert all(name in out for name in names)
    assert "forfeit" not in out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("python:own_players", "give python:MODULE:NAME"),
        ("python::last", "give python:MODULE:NAME"),
        ("python:./own_players:last", "python:own_players:last finds own_players.py if its folder"),
        ("python:own_players.py:last", "give a module's name, not a file's: python:own_players:l"),
        ("python:own_players.py", "not a file's: python:own_players:NAME finds own_players.py"),
        (r"python:C:\mine\own_players.py:last", "not a file's: python:own_players:last finds"),
        ("python:/no/where.py", "give a module's name, not a file's: python:where:NAME finds"),
        ("python:.:last", "give a module's name, not a file's: python:MODULE:last finds"),
        ("python:no_such_players:x", "cannot be imported: ModuleNotFoundError: No module named"),
        ("python:own_broken:x", "own_broken cannot be imported: ZeroDivisionError"),
        ("python:own_script:x", "own_script cannot be imported: SystemExit: 0"),
        ("python:own_needy.py:x", "own_needy.py cannot be imported: ModuleNotFoundError: No mod"),
        ("python:own_broken.py:x", "own_broken.py cannot be imported: ZeroDivisionError: division"),
        ("python:own_package.py:x", "own_package.py cannot be imported: ZeroDivisionError: divi"),
        ("python:no_package.py:x", "not a file's: python:no_package:x finds no_package.py if its"),
        ("python:own_players:first", "module 'own_players' has no attribute 'first'"),
        ("python:own_players:Last", "that is a class; name an object that is made of it"),
        ("python:own_players:number", "int objects cannot be called"),
        ("python:own_players:odd", "it takes no (observation, action_mask)"),
        ("python:own_players:pixels", "its observation is 'pixels'; give None or 'seeds'"),
        (
            "python:own_players:unreadable",
            "unreadable': its observation cannot be read: LookupError: no kind today",
        ),
    ],
)
def test_a_name_that_leads_to_no_player(run: Any, name: str, message: str) -> None:
    for command in (["play", "--opponent", name], ["arena", name, "greedy"]):
        code, out, err = run(*command)
        assert (code, out) == (2, "")
        assert message in err
    with pytest.raises(ValueError, match=r"^player 'python:"):
        named(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("narrow", "ValueError: matmul"), ("illegal", "IllegalMoveError: action 7")],
)
def test_a_player_that_fails_leaves_the_game(run: Any, name: str, reason: str) -> None:
    code, out, err = run("play", f"--opponent=python:own_players:{name}", typed="a\n")
    assert code == 1
    assert "oware play --resume goes on with it" in out
    assert f"Error: python:own_players:{name} failed: {reason}" in err
    code, out, err = run("arena", f"python:own_players:{name}", "greedy", "--games=2")
    assert code == 0
    assert f"python:own_players:{name} loses to greedy" in out


def test_a_file_runs_no_code_by_a_name_in_it(run: Any, here: Path) -> None:
    name = "python:own_players:last"
    code, _, _ = run("play", f"--opponent={name}", "--save=game.ogn", typed="a\nquit\n")
    assert code == 0
    sys.modules.pop("own_players")
    code, out, err = run("play", "--load=game.ogn", typed="quit\n")
    assert (code, out) == (1, "")
    assert f"give --opponent {name}, if you trust it" in err
    assert "own_players" not in sys.modules
    code, out, err = run("play", "--load=game.ogn", f"--opponent={name}", typed="quit\n")
    assert (code, err) == (0, "")
    # What this command has put aside itself goes on as it was.
    code, out, err = run("play", "--resume", typed="b\nquit\n")
    assert (code, err) == (0, "")
    assert f"{name} plays" in out
    assert (here / "data").is_dir()
