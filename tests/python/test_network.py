"""Networks: against numpy, in batches and threads, as files, in a search, as players."""

from __future__ import annotations

import _thread
import copy
import json
import pickle
import re
import threading
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from oware._names import network_of
from oware.agents import NetworkAgent, evaluate, named
from oware.arena import tournament
from oware.search import Mcts
from oware.train import _files

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from oware.types import ScoreName


def observations(count: int, rules: Any = "abapa") -> tuple[NDArray[Any], NDArray[np.int8]]:
    """Boards of random games, and the masks of their moves."""
    env = oware.OwareEnv(count, rules=rules)
    observation, info = env.reset(seed=0)
    rng = np.random.default_rng(0)
    shown, masks = observation.copy(), info["action_mask"].copy()
    for ply in range(30):
        mask = info["action_mask"]
        observation, _, _, _, info = env.step(np.where(mask, rng.random(mask.shape), -1).argmax(1))
        rows = np.arange(count) % 30 == ply
        shown[rows], masks[rows] = observation[rows], info["action_mask"][rows]
    return shown, masks


def sown(board: NDArray[Any], pit: int) -> tuple[int, int]:
    """The seeds that sowing a pit captures, and those in the last one's pit, seed by seed."""
    pits = [int(seeds) for seeds in board[:12]]
    seeds, pits[pit], at = pits[pit], 0, pit
    for _ in range(seeds):
        at = (at + 1) % 12
        at = (at + (at == pit)) % 12
        pits[at] += 1
    last, captured = pits[at], 0
    while (at < 6) != (pit < 6) and pits[at] in (2, 3):
        captured, at = captured + pits[at], (at - 1) % 12
    return captured, last


def forward(network: oware.Network, observation: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """The network's outputs from its documentation, in 64 bits."""
    parameters = {name: array.astype(float) for name, array in network.parameters.items()}
    one_hot = np.eye(25)[np.minimum(observation, 24)].reshape(len(observation), -1)
    both = np.array([[sown(board, pit) for pit in range(12)] for board in observation])
    sowing = np.eye(10)[np.minimum(both.swapaxes(1, 2), 9)].reshape(len(observation), -1)
    numbers = np.concatenate([one_hot, sowing, observation / 48], axis=1)

    def layer(name: str) -> NDArray[Any]:
        sums: NDArray[Any] = numbers @ parameters[f"{name}.weight"].T + parameters[f"{name}.bias"]
        return sums

    for number in range(len(network.hidden)):
        numbers = np.maximum(layer(f"hidden.{number}"), 0)
    return layer("policy"), np.tanh(layer("value"))[:, 0], np.tanh(layer("margin"))[:, 0]


def test_columns_are_those_of_a_board_sown_seed_by_seed() -> None:
    observation, _ = observations(50)
    for board, columns in zip(observation, oware.Network.columns(observation), strict=True):
        seeds = [sown(board, pit) for pit in range(12)]
        assert (columns[:14] == np.minimum(board, 24) + 25 * np.arange(14)).all()
        for kind, begin in enumerate((350, 470)):
            wanted = [min(both[kind], 9) + begin + 10 * pit for pit, both in enumerate(seeds)]
            assert columns[14 + 12 * kind :][:12].tolist() == wanted
    assert oware.Network.columns(np.zeros((0, 14), np.uint8)).shape == (0, 38)


def trained(hidden: tuple[int, ...] = (40, 20), rules: Any = "abapa") -> oware.Network:
    """A network all of whose parameters are other than 0."""
    rng = np.random.default_rng(1)
    parameters = oware.Network.random(hidden, seed=2).parameters
    for array in parameters.values():
        array[:] += rng.normal(scale=0.2, size=array.shape)
    return oware.Network.from_parameters(parameters, rules)


@pytest.mark.parametrize("hidden", [(1,), (40, 20), (33, 300, 7)])
def test_outputs_are_those_of_numpy(hidden: tuple[int, ...]) -> None:
    network = trained(hidden)
    observation, _ = observations(200)
    output = network.evaluate(observation)
    found = (output.logits, output.value, output.margin)
    for array, wanted, shape in zip(
        found, forward(network, observation), [(200, 6), (200,), (200,)], strict=True
    ):
        assert array.dtype == np.float32
        assert array.shape == shape
        np.testing.assert_allclose(array, wanted, rtol=1e-4, atol=1e-4)


def test_an_output_is_the_same_alone_in_any_batch_and_on_threads() -> None:
    network = trained((300, 40))
    observation = np.concatenate([observations(100)[0]] * 22)
    output = network.evaluate(observation, num_threads=3)
    again = network.evaluate(observation)
    assert np.array_equal(output.logits, again.logits)
    for row in (0, 7, 99, 2199):
        alone = network.evaluate(observation[row : row + 1])
        assert alone.logits.tobytes() == output.logits[row].tobytes()
        assert alone.value.tobytes() == output.value[row].tobytes()
        assert alone.margin.tobytes() == output.margin[row].tobytes()
    logits, value = network(observation, np.ones((2200, 6), np.int8))
    assert np.array_equal(logits, output.logits)
    assert np.array_equal(value, output.value)
    assert network.evaluate(np.zeros((0, 14), np.uint8)).logits.shape == (0, 6)


def test_observations_of_any_layout() -> None:
    network = trained()
    observation, _ = observations(10)
    wanted = network.evaluate(observation).logits
    for given in (
        observation.tolist(),
        observation.astype(np.int64),
        observation.astype(">u2"),
        np.asfortranarray(observation),
        np.repeat(observation, 2, axis=0)[::2],
    ):
        assert np.array_equal(network.evaluate(given).logits, wanted)


def test_parameters_go_round() -> None:
    network = trained(rules="awari")
    again = oware.Network.from_parameters(network.parameters, network.rules)
    assert (again.hidden, again.rules) == ((40, 20), oware.Rules.named("awari"))
    for name, array in network.parameters.items():
        assert np.array_equal(again.parameters[name], array)
        assert array.flags.writeable
    network.parameters["policy.bias"][:] = 9
    assert (network.parameters["policy.bias"] != 9).all()
    doubles = {name: array.astype(np.float64) for name, array in network.parameters.items()}
    same = oware.Network.from_parameters(doubles)
    assert np.array_equal(same.parameters["policy.bias"], network.parameters["policy.bias"])


def test_a_file_gives_the_same_network(tmp_path: Path) -> None:
    network = trained(rules=oware.Rules(repetition=0, max_plies=99, seeds_per_pit=3))
    path = tmp_path / "one.safetensors"
    oware.Network.random((4,), seed=0).save(path)
    network.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["one.safetensors"]
    for read in (
        oware.Network.load(path),
        oware.Network.load(str(path)),
        pickle.loads(pickle.dumps(network)),  # noqa: S301
        copy.deepcopy(network),
    ):
        assert (read.hidden, read.rules) == (network.hidden, network.rules)
        observation, _ = observations(20)
        assert np.array_equal(read(observation)[0], network(observation)[0])


def contents(path: Path) -> tuple[dict[str, Any], bytes]:
    """The header and the data of a file of safetensors."""
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:end]), data[end:]


def write(path: Path, header: dict[str, Any], data: bytes) -> None:
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def test_the_file_is_as_documented(tmp_path: Path) -> None:
    network = trained((6,))
    path = tmp_path / "net"
    network.save(path)
    header, data = contents(path)
    described, _, checksum = header["__metadata__"]["oware.network"].rpartition(";checksum=")
    assert described.startswith("version=2;hidden=6;rules=grand_slam:capture_nothing,")
    crc = zlib.crc32(described.encode())
    for name, array in network.parameters.items():
        info = header[name]
        assert (info["dtype"], info["shape"]) == ("F32", list(array.shape))
        start, end = info["data_offsets"]
        assert data[start:end] == array.astype("<f4").tobytes()
        crc = zlib.crc32(array.astype("<f4").tobytes(), zlib.crc32(name.encode(), crc))
    assert checksum == f"{crc:08x}"
    write(path, header, data)
    assert oware.Network.load(path).hidden == (6,)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net"
    trained((3,)).save(path)
    good = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in [*range(60), *rng.integers(0, len(good), 200)]:
        bad = bytearray(good)
        bad[at] ^= 1 << rng.integers(8)
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=r"net: (it|the parameter|there is no parameter) "):
            oware.Network.load(path)
    for length in (0, 7, 8, 100, len(good) - 1):
        path.write_bytes(good[:length])
        with pytest.raises(ValueError, match="no file of safetensors, or was damaged"):
            oware.Network.load(path)


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net"
    network = trained((3,))
    network.save(path)
    header, data = contents(path)
    entry = header["__metadata__"]["oware.network"]
    for metadata, message in [
        ({}, "it holds tensors, but was not saved by oware.Network"),
        ({"oware.network": entry.replace("version=2", "version=1")}, "has version .1., .* reads 2"),
        ({"oware.network": entry.replace("required", "free")}, "does not have its checksum"),
        ({"oware.network": entry.replace("required", "never")}, "its description makes no sense"),
        ({"oware.network": entry.replace("hidden=3", "hidden=4")}, "description makes no sense"),
        ({"oware.network": "weights"}, "its description makes no sense: .weights."),
    ]:
        write(path, {**header, "__metadata__": metadata}, data)
        with pytest.raises(ValueError, match=message):
            oware.Network.load(path)
    write(path, {**header, "value.bias": {**header["value.bias"], "dtype": "I32"}}, data)
    with pytest.raises(ValueError, match=r"value.bias. is not of 32-bit floats"):
        oware.Network.load(path)
    start, _ = header["value.bias"]["data_offsets"]
    nan = np.float32(np.nan).tobytes()
    write(path, header, data[:start] + nan + data[start + 4 :])
    with pytest.raises(ValueError, match=r"value.bias. holds at 0 what is no finite number"):
        oware.Network.load(path)
    path.write_bytes(b"PK\3\4" + bytes(1000))
    with pytest.raises(ValueError, match="no file of safetensors"):
        oware.Network.load(path)
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(ValueError, match="no network has more than"):
        oware.Network.load(path)
    with pytest.raises(ValueError, match=r"it is a folder, .*; give a network's file$"):
        oware.Network.load(tmp_path)


def test_the_folder_of_a_run_names_its_network(tmp_path: Path) -> None:
    path = tmp_path / "network.safetensors"
    trained((3,)).save(path)
    with pytest.raises(ValueError, match=f"it is a folder, .*; give {re.escape(str(path))}$"):
        oware.Network.load(tmp_path)


def test_the_checkpoint_of_a_run_is_told_from_its_network(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    _files.write(path, "checkpoint", b"of PyTorch")
    with pytest.raises(ValueError, match=r"checkpoint: .*; give network\.safetensors of that"):
        oware.Network.load(path)
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="checkpoint: it is no file of safetensors") as caught:
        oware.Network.load(path)
    assert "give network" not in str(caught.value)


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net"
    trained((3,)).save(path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        trained((4,)).save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["net"]
    assert path.read_bytes() == before
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        trained((4,)).save(tmp_path / "nowhere" / "net")
    with pytest.raises(OSError, match="no file that could be replaced"):
        trained((4,)).save(tmp_path)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"policy.bias": None}, "the parameter 'policy.bias' is missing"),
        ({"hidden.0.bias": None}, "the parameter 'hidden.0.bias' is missing"),
        ({"more": np.zeros(1)}, "there is no parameter 'more' in such a network"),
        ({"hidden.9.bias": np.zeros(1)}, "there is no parameter 'hidden.9.bias'"),
        ({"value.bias": np.zeros(2)}, r"'value.bias' has shape \[2\], expected \[1\]"),
        ({"policy.weight": np.zeros((20, 6))}, r"has shape \[20, 6\], expected \[6, 20\]"),
        ({"value.bias": np.array([np.nan])}, "'value.bias' holds at 0 what is no finite number"),
        ({"value.bias": np.array([1e300])}, "'value.bias' holds at 0 what is no finite number"),
    ],
)
def test_parameters_that_make_no_network(wrong: dict[str, Any], message: str) -> None:
    parameters: dict[str, Any] = {**oware.Network.random((40, 20), seed=0).parameters, **wrong}
    parameters = {name: array for name, array in parameters.items() if array is not None}
    with pytest.raises(ValueError, match=message.replace("'", '"')):
        oware.Network.from_parameters(parameters)


OBSERVATION = oware.Game().observation()[None]


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: oware.Network("net"), TypeError, "use Network.load, random or"),  # type: ignore[arg-type]
        (lambda: oware.Network.random(()), ValueError, "^hidden has 0 layers; give 1 to 8$"),
        (lambda: oware.Network.random([8] * 9), ValueError, "^hidden has 9 layers"),
        (lambda: oware.Network.random([8] * 2000), ValueError, "^hidden has 2000 layers"),
        (
            lambda: oware.Network.random(np.array([8] * 3000)),  # type: ignore[arg-type]
            ValueError,
            "^hidden has 3000 layers; give 1 to 8$",
        ),
        (
            lambda: oware.Network.random([8, 10**4000]),
            ValueError,
            r"^hidden\[1\] is an integer of 13288 bits; give 1 to 4096$",
        ),
        (
            lambda: oware.Network.random(range(10**9)),
            ValueError,
            f"hidden has {10**9} layers; give",
        ),
        (lambda: oware.Network.random((0,)), ValueError, r"hidden\[0\] is 0; give 1 to 4096"),
        (lambda: oware.Network.random((8, -1)), ValueError, r"hidden\[1\] is -1; give 1 to 4096"),
        (lambda: oware.Network.random((10**20,)), ValueError, rf"hidden\[0\] is {10**20}; give 1"),
        (lambda: oware.Network.random((4096,) * 3), ValueError, "8388608 are the most"),
        (lambda: oware.Network.random(64), TypeError, "hidden must be a sequence of ints"),  # type: ignore[arg-type]
        (lambda: oware.Network.random((6.5,)), TypeError, r"hidden\[0\] must be an int"),  # type: ignore[arg-type]
        (lambda: oware.Network.random(seed=-1), ValueError, "seed is -1; give 0 to"),
        (lambda: oware.Network.random(seed="a"), TypeError, "seed must be an int"),  # type: ignore[arg-type]
        (lambda: oware.Network.random(rules="chess"), ValueError, "unknown rule set"),  # type: ignore[arg-type]
        (lambda: oware.Network.from_parameters({}), ValueError, "hidden.0.bias"),
        (lambda: oware.Network.from_parameters({1: 2.0}), TypeError, "the name of a parameter"),  # type: ignore[dict-item]
        (
            lambda: oware.Network.from_parameters({"value.bias": [1]}),
            TypeError,
            r"has dtype int\d+; give floats",
        ),
        (lambda: oware.Network.from_parameters(5), TypeError, "not iterable"),  # type: ignore[arg-type]
        (lambda: trained()(OBSERVATION[0]), ValueError, r"shape \(14,\), expected \(N, 14\)"),
        (lambda: trained()(OBSERVATION[:, :13]), ValueError, r"expected \(N, 14\)"),
        (lambda: trained()(OBSERVATION / 48), TypeError, "observation has dtype float64; give"),
        (lambda: trained()([[256] * 14]), ValueError, r"observation\[0, 0\] is 256; give 0 to 255"),
        (lambda: trained()([[-1] * 14]), ValueError, r"observation\[0, 0\] is -1"),
        (lambda: trained()(None), TypeError, "observation"),  # type: ignore[arg-type]
        (lambda: trained().evaluate(OBSERVATION, 0), ValueError, "num_threads is 0; give 1 to"),
        (lambda: oware.Network.columns([[0] * 13]), ValueError, r"expected \(N, 14\)"),
        (lambda: oware.Network.columns([[256] * 14]), ValueError, "is 256; give 0 to 255"),
        (lambda: oware.Network.columns(OBSERVATION / 48), TypeError, "has dtype float64; give"),
        (lambda: oware.Network.columns("seeds"), TypeError, "observation"),
        (lambda: NetworkAgent("net"), TypeError, "network must be an oware.Network, not str"),  # type: ignore[arg-type]
        (lambda: NetworkAgent(trained(), -1), ValueError, "simulations is -1; give 0 to 1000000"),
        (lambda: NetworkAgent(trained(), 1.5), TypeError, "simulations must be an int"),  # type: ignore[arg-type]
        (lambda: NetworkAgent(trained(), temperature=-1), ValueError, "temperature is -1"),
        (lambda: NetworkAgent(trained(), temperature=np.nan), ValueError, "temperature is nan"),
        (
            lambda: NetworkAgent(trained(), endgame=oware.Endgame.build(2, progress=False)),
            ValueError,
            "a database is for a search",
        ),
        (lambda: named("net:"), ValueError, "there is no file ''; give the network's path"),
        (lambda: named("net:nowhere@20"), ValueError, "there is no file 'nowhere'"),
    ],
)
def test_bad_calls(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()


def positions(count: int, rules: Any = "abapa") -> list[oware.Game]:
    observation, _ = observations(count, rules)
    games = [oware.Game(rules, pits=row[:12], stores=row[12:]) for row in observation]
    return [game for game in games if not game.is_over]


@pytest.mark.parametrize("score", ["outcome", "margin"])
def test_a_search_with_a_network_is_that_with_it_as_a_callable(score: ScoreName) -> None:
    network = trained()

    def asked(observation: NDArray[Any], mask: NDArray[np.int8]) -> Any:
        assert mask.shape == (len(observation), 6)
        output = network.evaluate(observation)
        return output.logits, output.value if score == "outcome" else output.margin

    games = positions(60)
    settings: dict[str, Any] = {"simulations": 70, "noise": (1.0, 0.25), "score": score, "seed": 3}
    wanted = Mcts(asked, **settings).search(games, temperature=1.0)
    for more in ({}, {"batch": 9}, {"num_threads": 3}, {"num_threads": 2, "batch": 1}):
        found = Mcts(network, **{**settings, **more}).search(games, temperature=1.0)
        for name in ("visits", "policy", "value", "exact", "actions"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name)), (name, more)
        assert np.array_equal(found.q, wanted.q, equal_nan=True)
        assert found.positions == wanted.positions
    if score == "outcome":
        called = Mcts(network.__call__, **settings).search(games, temperature=1.0)
        assert np.array_equal(called.visits, wanted.visits)


def test_a_tree_is_kept_and_gone_on_with() -> None:
    network = trained()
    one, other = (Mcts(each, simulations=50, seed=0) for each in (network, network.__call__))
    for _ in range(3):
        found, wanted = one.search(positions(8)), other.search(positions(8))
        assert np.array_equal(found.visits, wanted.visits)
        one.advance(found.actions)
        other.advance(wanted.actions)
        assert np.array_equal(one.search().visits, other.search().visits)


def test_numbers_that_overflow_are_told_of() -> None:
    parameters = oware.Network.random((4, 4), seed=0).parameters
    for array in parameters.values():
        array[:] = 3e38
    with pytest.raises(ValueError, match="the evaluator's answer 0: the logit of the legal move 0"):
        Mcts(oware.Network.from_parameters(parameters), simulations=5).search(oware.Game())


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_a_search(threads: int) -> None:
    mcts = Mcts(trained(), simulations=1 << 24, seed=0, num_threads=threads)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mcts.search([oware.Game()] * 4)
    timer.join()


def test_other_threads_run_while_a_network_searches() -> None:
    network, seen = trained(), []
    mcts = Mcts(network, simulations=3000, seed=0)
    worker = threading.Thread(target=lambda: mcts.search([oware.Game()] * 20))
    worker.start()
    while worker.is_alive():
        seen.append(network(OBSERVATION)[1][0])
    worker.join()
    assert len(seen) > 5
    assert len(set(seen)) == 1


def test_an_agent_plays_the_best_logit_or_the_search() -> None:
    network = trained()
    observation, mask = observations(50)
    logits = np.where(mask, network.evaluate(observation).logits, -np.inf)
    assert np.array_equal(NetworkAgent(network)(observation, mask), logits.argmax(axis=1))
    searching = NetworkAgent(network, simulations=60, seed=4)(observation, mask)
    assert (np.take_along_axis(mask, searching[:, None], axis=1) == 1).all()
    games = positions(50)
    if len(games) == 50:
        found = Mcts(network, simulations=60, seed=4).search(games)
        assert np.array_equal(found.actions, searching)
    over = oware.Game(pits=[0] * 12, stores=(20, 28)).observation()[None]
    for simulations in (0, 5):
        assert NetworkAgent(network, simulations)(over, np.ones((1, 6), np.int8)).shape == (1,)


def test_an_agent_draws_moves_by_its_temperature() -> None:
    network = trained()
    boards, masks = np.repeat(OBSERVATION, 20_000, axis=0), np.ones((20_000, 6), np.int8)
    shares = np.exp(network.evaluate(OBSERVATION).logits[0].astype(float) / 0.7)
    shares /= shares.sum()
    actions = NetworkAgent(network, temperature=0.7, seed=0)(boards, masks)
    np.testing.assert_allclose(np.bincount(actions, minlength=6) / 20_000, shares, atol=0.02)
    some = NetworkAgent(network, 20, temperature=1.0, seed=0)(boards[:200], masks[:200])
    assert len(set(some.tolist())) > 1
    one = NetworkAgent(network, 20, temperature=1.0)
    again = [one.seeded(3)(boards[:50], masks[:50]).tolist() for _ in range(2)]
    assert again[0] == again[1]


def test_a_file_is_a_player_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a@b.net"
    network = trained()
    network.save(path)
    observation, mask = observations(20)
    alone = named(f"net:{path}")
    assert np.array_equal(alone(observation, mask), NetworkAgent(network)(observation, mask))
    searching = named(f"net:{path}@30", seed=5)
    wanted = NetworkAgent(network, 30, seed=5)(observation, mask)
    assert np.array_equal(searching(observation, mask), wanted)
    for name, message in [
        (f"net:{path}@0", "the simulations are '0'; give 1 to 1000000"),
        (f"net:{path}@1000001", "give 1 to 1000000"),
        (f"net:{path}+endgame", "a database is for a search; give @SIMULATIONS"),
        (f"net:{tmp_path}", "there is no file"),
    ]:
        with pytest.raises(ValueError, match=message):
            named(name)
    aided = named(f"net:{path}@20+endgame", rules="awari")
    assert isinstance(aided, NetworkAgent)
    assert aided(observation, mask).shape == (20,)
    assert evaluate(f"net:{path}", "random", games=20).total.games == 20
    assert evaluate("random", f"net:{path}@4", games=4).total.games == 4
    played = tournament([f"net:{path}", "random"], games=4, seed=0)
    assert f"net:{path}" in str(played)


@pytest.mark.parametrize(
    "name", ["n@5", "n+endgame", "n@5+endgame", "@5", "+endgame", "runs@2/n@5", "n+endgame@5"]
)
def test_a_file_may_be_called_like_what_stands_behind_names(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    trained().save(path)
    # These are other files than the one that is meant.
    for shorter in ("n", "n+endgame", "n@5"):
        if len(shorter) < len(path.name):
            trained((8,)).save(path.with_name(shorter))
    for ending, number, is_aided in [
        ("", 0, False),
        ("@30", 30, False),
        ("@30+endgame", 30, True),
    ]:
        level = network_of(f"net:{path}{ending}")
        assert level is not None
        assert (level.network, level.simulations, level.aided) == (path, number, is_aided)


def test_an_agent_is_an_opponent() -> None:
    env = oware.OwareEnv(4, opponent=NetworkAgent(trained(), 10, seed=0))
    env.reset(seed=0)
    for _ in range(5):
        mask = env.reset()[1]["action_mask"]
        env.step(mask.argmax(axis=1))
