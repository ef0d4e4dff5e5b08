"""Networks as opponents inside the step: by name, as agents, saved and changed."""

from __future__ import annotations

import copy
import pickle
import re
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest

import oware
from oware import _names, agents
from oware.agents import Level, NetworkAgent
from oware.search import Mcts
from reference import assert_same, first_legal, some_actions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

NETWORK = oware.Network.random(hidden=(24, 16), seed=3)
OTHER = oware.Network.random(hidden=(24,), seed=4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "net@2.safetensors"
    NETWORK.save(path)
    return path


def pushed(network: oware.Network, factor: float) -> oware.Network:
    """The same with logits so many times as high."""
    parameters = network.parameters
    for name in ("policy.weight", "policy.bias"):
        parameters[name] *= factor
    return oware.Network.from_parameters(parameters, network.rules)


def trace(env: Any, steps: int = 12, seed: int | None = 0) -> list[Any]:
    """What some steps show."""
    rng = np.random.default_rng(7)
    shown: list[Any] = [env.reset(seed=seed)]
    for _ in range(steps):
        shown.append(env.step(some_actions(rng, shown[-1][-1]["action_mask"])))
    return shown


def replies(env: oware.OwareEnv, steps: int, fits: Callable[[oware.Game, int], bool]) -> int:
    """Checks the opponent's replies in some steps, and counts them."""
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    count = 0
    for _ in range(steps):
        actions = some_actions(rng, info["action_mask"])
        games = [env.game(i) for i in range(env.num_envs)]
        _, _, terminated, truncated, info = env.step(actions)
        for i, (game, action) in enumerate(zip(games, actions, strict=True)):
            game.play(action)
            if game.is_over:
                continue
            reply = env.game(i).moves[-1]
            assert fits(game, reply)
            game.play(reply)
            assert (game.pits, game.stores) == (tuple(env.pits[i]), tuple(env.stores[i]))
            count += 1
        if (terminated | truncated).any():
            _, info = env.reset(options={"reset_mask": terminated | truncated})
    return count


def likeliest(network: oware.Network, game: oware.Game) -> int:
    logits = network.evaluate([game.observation()]).logits[0]
    return max(game.legal_moves(), key=lambda move: float(logits[move]))


@pytest.mark.parametrize("rules", oware.RULE_SETS)
def test_a_network_alone_plays_its_best_move(rules: str, path: Path) -> None:
    settings: dict[str, Any] = {"rules": rules, "autoreset_mode": "disabled"}
    env = oware.OwareEnv(30, opponent=f"net:{path}", **settings)
    assert replies(env, 60, lambda game, reply: reply == likeliest(NETWORK, game)) > 1500


@pytest.mark.parametrize("rules", ["abapa", "codingame", "awari"])
def test_a_network_that_searches_plays_a_most_visited_move(rules: Any, path: Path) -> None:
    """Searches by themselves, with the same history, come to the same visits."""

    def fits(game: oware.Game, reply: int) -> bool:
        found = Mcts(NETWORK, simulations=40).search([game])
        visits = found.visits[0]
        return bool(found.exact[0]) or visits[reply] == visits.max()

    env = oware.OwareEnv(9, rules=rules, opponent=f"net:{path}@40", autoreset_mode="disabled")
    assert replies(env, 40, fits) > 300


def test_a_search_with_a_database_plays_by_its_values() -> None:
    """Where the result hangs on every seed, the reply gives none away that would change it."""
    database = oware.Endgame.load(6, "awari", progress=False)
    agent = NetworkAgent(NETWORK, 60, rules="awari", endgame=database)
    env = oware.OwareEnv(1, rules="awari", opponent=agent, seat="south")
    rng = np.random.default_rng(1)
    mattered = 0
    for number in range(300):
        pits = np.bincount(rng.integers(0, 12, 6), minlength=12)
        stores = (21 - number % 4, 21 + number % 4)
        if oware.Game("awari", pits=pits, stores=stores).is_over:
            continue
        _, info = env.set_positions([pits], [stores], [0])
        action = some_actions(rng, info["action_mask"])
        game = env.game(0)
        game.play(action[0])
        env.step(action)
        if game.is_over:
            continue
        lead = game.stores[1] - game.stores[0]
        results = {
            move: np.sign(lead + value) for move, value in database.move_values(game).items()
        }
        mattered += len(set(results.values())) > 1
        assert results[env.game(0).moves[-1]] == max(results.values())
    assert mattered > 20


def test_temperature_is_that_of_the_policy() -> None:
    """Of many first replies each move has its share, within four standard deviations."""
    network = pushed(NETWORK, 20.0)
    rows = 20_000
    start = oware.Game()
    start.play(2)
    logits = network.evaluate([start.observation()]).logits[0].astype(float)
    legal = start.legal_moves()
    for temperature in (0.5, 1.0, 3.0):
        agent = NetworkAgent(network, temperature=temperature)
        env = oware.OwareEnv(rows, opponent=agent, seat="south")
        env.reset(seed=0)
        env.step(np.full(rows, 2))
        counts = np.zeros(6)
        np.add.at(counts, [env.game(i).moves[-1] for i in range(rows)], 1)
        weights = np.exp((logits[legal] - logits[legal].max()) / temperature)
        shares = weights / weights.sum()
        assert counts.sum() == counts[legal].sum()
        assert shares.max() < 0.9
        deviations = np.sqrt(shares * (1 - shares) / rows)
        assert (np.abs(counts[legal] / rows - shares) < 4 * deviations).all()


def test_temperature_is_that_of_the_visits() -> None:
    rows, temperature = 3000, 0.7
    start = oware.Game()
    start.play(2)
    policy = Mcts(NETWORK, simulations=50).search([start]).policy[0].astype(float)
    env = oware.OwareEnv(rows, opponent=NetworkAgent(NETWORK, 50, temperature), seat="south")
    env.reset(seed=0)
    env.step(np.full(rows, 2))
    counts = np.bincount([env.game(i).moves[-1] for i in range(rows)], minlength=6)
    shares = policy ** (1 / temperature)
    shares /= shares.sum()
    deviations = np.sqrt(shares * (1 - shares) / rows)
    assert (np.abs(counts / rows - shares) <= 4 * deviations).all()


@pytest.mark.parametrize(("simulations", "temperature"), [(0, 0.0), (0, 1.0), (20, 0.0), (20, 1.0)])
def test_batches_and_threads_change_nothing(simulations: int, temperature: float) -> None:
    agent = NetworkAgent(NETWORK, simulations, temperature)
    rows = 600 if simulations == 0 else 150
    together = trace(oware.OwareEnv(rows, opponent=agent))
    threads = trace(oware.OwareEnv(rows, opponent=agent, num_threads=4))
    for one, other in zip(together, threads, strict=True):
        assert_same(one, other)
    # The actions are those of the same rows.
    rng = np.random.default_rng(7)
    envs = [oware.OwareEnv(size, opponent=agent) for size in (1, 70, rows - 71)]
    at = np.cumsum([0, *(env.num_envs for env in envs)])
    shown: list[Any] = [env.reset(seed=int(first)) for env, first in zip(envs, at, strict=False)]
    for expected in together[1:]:
        mask = np.concatenate([one[-1]["action_mask"] for one in shown])
        actions = some_actions(rng, mask)
        pieces = np.split(actions, at[1:-1])
        shown = [env.step(piece) for env, piece in zip(envs, pieces, strict=True)]
        assert_same(np.concatenate([one[0] for one in shown]), expected[0])
        assert_same(np.concatenate([one[1] for one in shown]), expected[1])


class Told(NetworkAgent):
    """An agent that is another class."""

    calls = 0

    def __call__(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        self.calls += 1
        return first_legal(observation, mask)


def test_which_agents_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(NETWORK)
    trace(oware.OwareEnv(3, opponent=told), 2)
    assert told.calls > 0
    asked = []

    def called(self: NetworkAgent, observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        asked.append(self)
        return first_legal(observation, mask)

    monkeypatch.setattr(NetworkAgent, "__call__", called)
    # What is seen plays no part for the core.
    for kind in ("seeds", "normalized", "one_hot"):
        trace(oware.OwareEnv(3, opponent=NetworkAgent(NETWORK), observation=kind), 2)
    trace(oware.OwareEnv(3, opponent=NetworkAgent(NETWORK), rules="awari"), 2)
    trace(oware.OwareEnv(3, opponent=NetworkAgent(NETWORK, 5, rules="awari"), rules="awari"), 2)
    assert asked == []
    searching = NetworkAgent(NETWORK, 5, rules="awari")
    trace(oware.OwareEnv(3, opponent=searching), 2)
    assert set(asked) == {searching}


def test_a_name_and_an_agent_play_alike(path: Path) -> None:
    for name, agent in [
        (f"net:{path}", NetworkAgent(NETWORK)),
        (f"net:{path}@15", NetworkAgent(NETWORK, 15, seed=9)),
    ]:
        assert_same(
            trace(oware.OwareEnv(8, opponent=name)), trace(oware.OwareEnv(8, opponent=agent))
        )
        single = gymnasium.make("oware/Oware-v0", opponent=name, max_episode_steps=-1).unwrapped
        batch = oware.OwareEnv(1, opponent=name)
        assert_same(single.reset(seed=0)[0], batch.reset(seed=0)[0][0])
        assert_same(single.step(5)[0], batch.step([5])[0][0])
        vector = gymnasium.make_vec("oware/Oware-v0", num_envs=8, opponent=name)
        assert_same(trace(vector), trace(oware.OwareEnv(8, opponent=agent)))


def test_a_level_is_an_entry_of_a_table(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    level = Level(path, simulations=10, temperature=1.0)
    monkeypatch.setattr(_names, "LEVELS", {"apprentice": level})
    agent = NetworkAgent(NETWORK, 10, 1.0)
    env = oware.OwareEnv(8, opponent="apprentice")
    assert_same(trace(env), trace(oware.OwareEnv(8, opponent=agent)))
    assert isinstance(agents.named("apprentice"), NetworkAgent)
    assert _names.read_name("apprentice") == ("net", 10, False)
    other = oware.OwareEnv(8, opponent="random")
    other.set_opponent("apprentice")
    assert_same(trace(other), trace(env))
    # A state is read by the name.
    fresh = oware.OwareEnv(8, opponent="greedy")
    fresh.set_state(env.get_state())
    assert fresh.get_state() == env.get_state()


def test_evaluate_takes_the_name_of_a_network(path: Path) -> None:
    against: list[Any] = [f"net:{path}", NetworkAgent(NETWORK), NetworkAgent(OTHER)]
    named, same, other = (agents.evaluate("greedy", one, games=40, seed=1) for one in against)
    assert named.total == same.total
    assert named.total != other.total


# Changes of the opponent.


def test_an_episode_keeps_the_network_that_it_began_with() -> None:
    env = oware.OwareEnv(
        12, opponent=NetworkAgent(NETWORK), seat="south", autoreset_mode="disabled"
    )
    env.reset(seed=0)
    env.set_opponent(NetworkAgent(OTHER))
    mask = np.arange(12) % 2 == 0
    env.reset(options={"reset_mask": mask})
    games = [env.game(i) for i in range(12)]
    env.step(np.arange(12) % 6)
    for i, game in enumerate(games):
        game.play(i % 6)
        network = OTHER if mask[i] else NETWORK
        assert env.game(i).moves[-1] == likeliest(network, game)


def test_a_refused_pool_leaves_networks_that_can_be_copied() -> None:
    env = oware.OwareEnv(2, opponent="random", seat="north")
    refused: list[Any] = [
        [(NetworkAgent(NETWORK), 1), (NetworkAgent(OTHER), -1)],
        [(NetworkAgent(OTHER), 0), (NetworkAgent(NETWORK), 0)],
        [(NetworkAgent(NETWORK), 1), *[(lambda *_: 0, 1)] * 200],
    ]
    for pool in refused:
        with pytest.raises(ValueError, match="opponent"):
            env.set_opponent(pool)
        env.reset(seed=0)
        copied = copy.deepcopy(env)
        for each in (env, copied):
            each.set_opponent(NetworkAgent(OTHER))
            each.reset(seed=0)
            assert each.game(0).moves[-1] == likeliest(OTHER, oware.Game())
        env.set_opponent("random")


def test_any_number_of_networks_one_after_the_other() -> None:
    networks = [oware.Network.random(hidden=(4,), seed=seed) for seed in range(230)]
    env = oware.OwareEnv(2, opponent="random", seat="north")
    for network in networks:
        env.set_opponent(NetworkAgent(network))
        env.reset(seed=0)
        assert env.game(0).moves[-1] == likeliest(network, oware.Game())


def test_more_networks_than_can_be_told_apart() -> None:
    env = oware.OwareEnv(300, opponent="random", seat="south")
    env.reset(seed=0)
    networks = [oware.Network.random(hidden=(1,), seed=seed) for seed in range(201)]
    for row, network in enumerate(networks[:200]):
        env.set_opponent(NetworkAgent(network))
        env.reset(options={"reset_mask": np.arange(300) == row})
    state = env.get_state()
    with pytest.raises(ValueError, match=r"^too many networks are in play; set another"):
        env.set_opponent(NetworkAgent(networks[200]))
    assert env.get_state() == state
    # The same one again needs no place.
    env.set_opponent(NetworkAgent(networks[7]))
    twin = pickle.loads(pickle.dumps(env))  # noqa: S301
    assert_same(env.step(np.zeros(300, int)), twin.step(np.zeros(300, int)))


# Saving and restoring.


def middle(env: oware.OwareEnv) -> oware.OwareEnv:
    trace(env, 3)
    return env


@pytest.mark.parametrize("simulations", [0, 8])
def test_pickles_and_copies_have_the_network(simulations: int, path: Path) -> None:
    for opponent in (
        f"net:{path}@8" if simulations else f"net:{path}",
        NetworkAgent(NETWORK, simulations, 1.0),
    ):
        env = middle(oware.OwareEnv(6, opponent=opponent))
        env.set_opponent(NetworkAgent(OTHER))
        env.reset(options={"reset_mask": np.arange(6) < 2})
        saved = pickle.dumps(env)
        path.unlink()
        others = [pickle.loads(saved), copy.deepcopy(env)]  # noqa: S301
        NETWORK.save(path)
        for other in others:
            assert other.get_state() == env.get_state()
        rng = np.random.default_rng(0)
        for _ in range(40):
            actions = some_actions(rng, np.stack([env.game(i).action_mask() for i in range(6)]))
            step = env.step(actions)
            for other in others:
                assert_same(other.step(actions), step)


def test_a_state_goes_on_where_the_network_is_known(path: Path) -> None:
    env = middle(oware.OwareEnv(6, opponent=NetworkAgent(NETWORK, 5)))
    state = env.get_state()
    # As the current opponent, by whatever way it is known.
    for opponent in (NetworkAgent(NETWORK, 5), f"net:{path}@5"):
        other = oware.OwareEnv(6, opponent=opponent)
        other.set_state(state)
        twin = copy.deepcopy(env)
        for _ in range(20):
            mask = np.stack([twin.game(i).action_mask() for i in range(6)])
            actions = first_legal(twin.observe(), mask)
            assert_same(other.step(actions), twin.step(actions))
    # As that of a row.
    other = middle(oware.OwareEnv(6, opponent=NetworkAgent(NETWORK, 5)))
    other.set_opponent("random")
    other.set_state(state)
    assert other.get_state() == state


def refused(env: oware.OwareEnv, state: bytes, message: str) -> None:
    before = env.get_state()
    with pytest.raises(ValueError, match=message):
        env.set_state(state)
    assert env.get_state() == before


@pytest.mark.parametrize(
    "other",
    [
        NetworkAgent(OTHER, 5),
        NetworkAgent(NETWORK, 6),
        NetworkAgent(NETWORK),
        NetworkAgent(NETWORK, 5, 0.5),
    ],
)
def test_a_state_of_a_network_without_a_name(other: NetworkAgent) -> None:
    state = middle(oware.OwareEnv(4, opponent=NetworkAgent(NETWORK, 5))).get_state()
    message = (
        r"^the state has an opponent with a network that this environment does not know; give it"
    )
    refused(oware.OwareEnv(4, opponent=other), state, message)
    refused(oware.OwareEnv(4, opponent="random"), state, message)


def test_a_state_reads_the_network_of_its_name(path: Path) -> None:
    name = f"net:{path}@5"
    env = middle(oware.OwareEnv(4, opponent=name))
    state = env.get_state()
    other = oware.OwareEnv(4, opponent="greedy")
    other.set_state(state)
    assert other.get_state() == state
    actions = np.array([env.game(i).legal_moves()[0] for i in range(4)])
    assert_same(other.step(actions), env.step(actions))
    path.unlink()
    refused(
        oware.OwareEnv(4, opponent="greedy"),
        state,
        "^the state has the opponent " + re.escape(f'"{name}", which cannot be had again: player'),
    )
    # It is known here still.
    other.set_state(state)
    OTHER.save(path)
    refused(
        oware.OwareEnv(4, opponent="greedy"),
        state,
        "^the state has the opponent "
        + re.escape(f'"{name}" as it was then, which this environment'),
    )


def test_a_state_with_many_networks_is_read_at_once(tmp_path: Path) -> None:
    names = []
    for seed in range(5):
        path = tmp_path / f"{seed}.safetensors"
        oware.Network.random(hidden=(4,), seed=seed).save(path)
        names.append(f"net:{path}")
    env = oware.OwareEnv(5, opponent="random", seat="south")
    env.reset(seed=0)
    for row, name in enumerate(names):
        env.set_opponent(name)
        env.reset(options={"reset_mask": np.arange(5) == row})
    other = oware.OwareEnv(5, opponent=names[3])
    other.set_state(env.get_state())
    other.set_opponent(names[1])
    actions = np.arange(5)
    assert_same(other.step(actions), env.step(actions))
    assert other.get_state() == env.get_state()


# What is refused.


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "net:nowhere.safetensors",
            "^player 'net:nowhere.safetensors': there is no file 'nowhere.saf",
        ),
        ("net:", "^player 'net:': there is no file"),
        ("net:{path}@0", r"^player 'net:.*': the simulations are '0'; give 1 to 1000000$"),
        ("net:{path}@1000001", "the simulations are '1000001'; give 1 to 1000000$"),
        ("net:{path}@007", "the simulations are '007'; give 1 to 1000000$"),
        ("net:{path}+endgame", "a database is for a search; give @SIMULATIONS$"),
        ("net:{folder}", "there is no file"),
        ("net:{garbage}", "garbage"),
    ],
)
def test_names_that_are_refused(name: str, message: str, path: Path) -> None:
    garbage = path.with_name("garbage")
    garbage.write_bytes(b"no network")
    name = name.format(path=path, folder=path.parent, garbage=garbage)
    with pytest.raises(ValueError, match=message):
        oware.OwareEnv(2, opponent=name)
    env = middle(oware.OwareEnv(2, opponent="random"))
    state = env.get_state()
    with pytest.raises(ValueError, match=message):
        env.set_opponent(name)
    assert env.get_state() == state


def test_a_database_of_other_rules() -> None:
    database = oware.Endgame.load(4, "awari", progress=False)
    agent = NetworkAgent(NETWORK, 5, rules="abapa", endgame=database)
    with pytest.raises(ValueError, match="endgame database"):
        oware.OwareEnv(2, opponent=agent)
    env = oware.OwareEnv(2, opponent="random")
    with pytest.raises(ValueError, match="endgame database"):
        env.set_opponent(agent)
    env.reset(seed=0)


def test_self_play_meets_no_network() -> None:
    with pytest.raises(ValueError, match="stays in self-play"):
        oware.OwareEnv(2).set_opponent(NetworkAgent(NETWORK))
