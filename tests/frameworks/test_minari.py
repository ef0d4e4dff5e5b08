"""Games of a tournament as a Minari data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import minari
import numpy as np
import pytest

from oware import arena

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.filterwarnings("ignore:`:UserWarning")
def test_an_episode_is_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    players = {"greedy": "greedy", "cheat": lambda _: 9}
    results = arena.tournament(["greedy", "random"], games=6, seed=1, rules="awari")
    results.to_minari("oware/arena-v0", algorithm_name="greedy and random")
    assert gymnasium.spec("oware/Oware-v0").kwargs == {}
    data = minari.load_dataset("oware/arena-v0")
    games = results.games
    assert data.total_episodes == 6
    for number, episode in enumerate(data.iterate_episodes()):
        plies = games.plies[number]
        assert np.array_equal(episode.actions, games.moves[number, :plies])
        assert episode.terminations[-1]
        assert episode.terminations.sum() == 1
        assert not episode.truncations.any()
        # The environment that the data set names plays the same.
        env: Any = data.recover_environment()
        observation, info = env.reset()
        for ply in range(plies):
            assert np.array_equal(episode.observations[ply], observation)
            assert episode.infos["to_move"][ply] == info["to_move"]
            observation, reward, *_, info = env.step(int(episode.actions[ply]))
            assert episode.rewards[ply] == reward
        assert np.array_equal(episode.observations[plies], observation)
    cut_off = arena.tournament(players, games=2).to_minari("oware/forfeit-v0")
    assert all(episode.truncations[-1] for episode in cut_off.iterate_episodes())
