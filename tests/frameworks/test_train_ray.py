"""Self-play on a cluster of two nodes: the same games, none of them lost for good."""

from __future__ import annotations

import doctest
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import ray
from ray.cluster_utils import Cluster
from typer.testing import CliRunner

import oware
from oware.cli import app
from oware.train import Experience, RayGames, Settings, Trainer, _ray, self_play
from test_trainer import TINY, assert_same_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# Ray forks as it starts a node, which JAX warns of where other tests have run it in this process.
pytestmark = pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")

NETWORK = oware.Network.random(hidden=(16,), seed=1)
EACH = 2
SMALL = Settings(simulations=8, games_each=EACH)
NODE = {"num_cpus": 1, "object_store_memory": 100 * 2**20}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster on this machine, whose nodes have one processor each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")
        # Ray's workers otherwise wait for every other program of a machine.
        patch.setenv("RAY_worker_niceness", "0")
        patch.setenv("OWARE_CACHE", str(tmp_path_factory.mktemp("cache")))
        head = {**NODE, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            yield cluster
        finally:
            cluster.shutdown()


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """The same with two nodes, whatever a test before has done to it."""
    if not started.worker_nodes:
        started.add_node(**NODE)
        started.wait_for_nodes()
    return started


@pytest.fixture(scope="module")
def endgame() -> oware.Endgame:
    return oware.Endgame.build(5, "abapa", progress=False)


def assert_same(one: Experience, other: Experience) -> None:
    for name, array in vars(one).items():
        np.testing.assert_array_equal(array, getattr(other, name), err_msg=name)


def play_on_every_node(play: RayGames) -> None:
    """Play until both actors have begun, which takes seconds."""
    until = time.monotonic() + 300
    while len(play.played) < 2 and time.monotonic() < until:
        play(NETWORK, 4 * EACH, SMALL, seed=0)
    assert len(play.played) == 2


@pytest.mark.slow
def test_a_cluster_plays_what_one_process_plays(cluster: Cluster, endgame: oware.Endgame) -> None:
    with RayGames(2, address=cluster.address) as play:
        play_on_every_node(play)
        before = play.played.total()
        left: list[int] = []
        # The last share is a smaller one.
        for database in (endgame, None):
            given = (NETWORK, 8 * EACH + 1, SMALL)
            found = play(*given, seed=7, endgame=database, watch=left.append)
            assert_same(found, self_play(*given, seed=7, endgame=database))
        assert play.played.total() == before + 2 * (8 * EACH + 1)
        assert play.lost == 0
        assert left[0] == 8 * EACH + 1
        assert min(left) > 0


@pytest.mark.slow
def test_a_node_that_goes_takes_no_more_than_the_games_it_was_playing(
    cluster: Cluster, endgame: oware.Endgame, tmp_path: Path
) -> None:
    settings = TINY.replace(games=12 * EACH, games_each=EACH)
    iterations = 6
    Trainer(tmp_path / "here", settings, endgame=endgame).run(iterations=iterations, progress=False)
    [node] = cluster.worker_nodes
    with RayGames(2, address=cluster.address) as play:
        play_on_every_node(play)
        before_training = play.played.total()
        gone: list[tuple[int, int, int]] = []

        def playing(*given: Any, watch: Callable[[int], object], **how: Any) -> Experience:
            counts = [play.played[node.node_id]]

            def watched(left: int) -> None:
                watch(left)
                counts.append(play.played[node.node_id])
                # It has sent games in this iteration, and was at more when the other sent some.
                under_way = counts[0] < counts[-2] == counts[-1]
                if under_way and left > 4 * EACH and trainer.iteration > 1 and not gone:
                    cluster.remove_node(node, allow_graceful=False)
                    gone.append((trainer.iteration, counts[-1], play.played.total()))

            return play(*given, watch=watched, **how)

        trainer = Trainer(tmp_path / "there", settings, endgame=endgame, play=playing)
        trainer.run(iterations=iterations, progress=False)
        [(iteration, of_the_node, of_all)] = gone
        assert iteration < iterations
        assert 0 < play.lost <= EACH
        # Nothing came from there any more, but for what was on its way.
        assert play.played[node.node_id] <= of_the_node + EACH
        assert play.played.total() > of_all + (iterations - iteration) * settings.games
        assert play.played.total() == before_training + iterations * settings.games
    assert trainer.games == iterations * settings.games
    assert trainer.best_iteration > 0
    assert_same_run(tmp_path / "here", tmp_path / "there")


@pytest.mark.slow
def test_an_actor_that_dies_takes_the_games_it_was_playing(cluster: Cluster) -> None:
    with RayGames(1, address=cluster.address) as play:

        def watched(left: int) -> None:
            if left <= 3 * EACH and not play.lost:
                ray.kill(play._players[0])

        found = play(NETWORK, 6 * EACH, SMALL, seed=1, watch=watched)
        assert play.lost == EACH
        assert_same(found, self_play(NETWORK, 6 * EACH, SMALL, seed=1))
        with pytest.raises(ConnectionError, match="6 actors were lost one after another"):
            play(NETWORK, 6, SMALL, seed=1, watch=lambda _: ray.kill(play._players[0]))


@pytest.mark.slow
def test_control_c_ends_the_games_and_no_more(cluster: Cluster) -> None:
    with RayGames(2, address=cluster.address) as play:
        play_on_every_node(play)

        def press(_: int) -> None:
            timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()

        with pytest.raises(KeyboardInterrupt):
            play(NETWORK, 10_000, SMALL.replace(games_each=5000), seed=1, watch=press)
        found = play(NETWORK, 6, SMALL, seed=1)
        assert_same(found, self_play(NETWORK, 6, SMALL, seed=1))
        assert play.lost == 0


@pytest.mark.slow
def test_a_cluster_refuses_what_one_process_refuses(
    cluster: Cluster, endgame: oware.Endgame
) -> None:
    with RayGames(address=cluster.address) as play:
        assert play.actors == 2
        with pytest.raises(ValueError, match="games is 0"):
            play(NETWORK, 0, SMALL)
        with pytest.raises(ValueError, match="seed is -1"):
            play(NETWORK, 1, SMALL, seed=-1)
        with pytest.raises(ValueError, match="the database is for abapa") as raised:
            play(NETWORK, 4, SMALL.replace(rules="awari"), seed=0, endgame=endgame)
        assert type(raised.value) is ValueError


@pytest.mark.slow
def test_the_command_plays_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    given = ["--iterations", "2", "--games", "8", "--simulations", "4", "--hidden", "8"]
    given += ["--endgame", "3", "--ray", cluster.address, "--actors", "2"]
    out = tmp_path / "run"
    result = CliRunner().invoke(app, ["train", *given, "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "Games lost with an actor, and played again: 0." in result.output
    assert not ray.is_initialized()
    assert Trainer(out).settings.games_each == 64


@pytest.mark.slow
def test_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_worker_niceness", "0")
    failed, tried = doctest.testmod(_ray)
    assert (failed, tried) == (0, 9)
    assert not ray.is_initialized()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: RayGames(0), ValueError, "actors is 0; give at least 1"),
        (lambda: RayGames(1.5), TypeError, "actors must be an int"),  # type: ignore[arg-type]
        (lambda: RayGames(1, address="nowhere"), ValueError, "nowhere"),
        (lambda: _ray.Player().ready("0.0.0", None), ConnectionError, "install the same version"),
    ],
)
def test_what_is_no_cluster_is_refused(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call()
    assert not ray.is_initialized()


def test_a_command_that_makes_no_sense_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = ["--out", str(tmp_path / "run"), "--iterations", "1", "--endgame", "0"]
    result = CliRunner().invoke(app, ["train", *out, "--actors", "2"])
    assert result.exit_code == 2
    assert "--actors play on a cluster" in result.output
    result = CliRunner().invoke(app, ["train", *out, "--ray", "nowhere"])
    assert result.exit_code == 1
    assert "nowhere" in result.output
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "oware.train._ray")
    result = CliRunner().invoke(app, ["train", *out, "--ray", "local"])
    assert result.exit_code == 1
    assert 'pip install "oware[ray]"' in result.output
    assert not (tmp_path / "run").exists()
