"""Each kind of model as a player in the arena and on the board, where nobody tells what it sees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from sb3_contrib import MaskablePPO
from tensordict.nn import TensorDictModule

import oware
from oware import arena, cli
from oware.adapters.rllib import OwareSingleAgentEnv, RLlibAgent
from oware.adapters.sb3 import OwareVecEnv, SB3Agent
from oware.adapters.torch import TorchAgent
from oware.adapters.torchrl import TensorDictAgent
from oware.agents import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

torch.set_num_threads(1)

INPUTS = {"seeds": 14, "normalized": 14, "one_hot": 350}


def network(kind: str) -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(INPUTS[kind], 6))


def of_sb3(kind: Any) -> SB3Agent:
    env: Any = OwareVecEnv(2, observation=kind)
    return SB3Agent(MaskablePPO("MlpPolicy", env, seed=0), deterministic=True)


def of_torch(kind: Any) -> TorchAgent:
    return TorchAgent(network(kind), deterministic=True, observation=kind)


def of_torchrl(kind: Any) -> TensorDictAgent:
    inner = network(kind)

    def choose(observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return inner(observation.float()).masked_fill(~mask, -torch.inf).argmax(dim=-1)

    module = TensorDictModule(choose, in_keys=["observation", "action_mask"], out_keys=["action"])
    return TensorDictAgent(module, deterministic=True, observation=kind)


def of_rllib(kind: Any) -> RLlibAgent:
    env = OwareSingleAgentEnv({"observation": kind})
    module = ActionMaskingTorchRLModule(
        observation_space=env.observation_space, action_space=env.action_space, model_config={}
    )
    return RLlibAgent(module, deterministic=True)


WRAPPERS: list[Callable[[str], Any]] = [of_sb3, of_torch, of_torchrl, of_rllib]


@pytest.mark.parametrize("wrap", WRAPPERS)
@pytest.mark.parametrize("kind", ["seeds", "normalized", "one_hot"])
def test_a_model_plays_wherever_players_do(wrap: Callable[[str], Any], kind: str) -> None:
    torch.manual_seed(1)
    player = wrap(kind)
    assert player.observation == kind

    results = arena.tournament({"model": player, "greedy": "greedy"}, games=20, seed=1)
    assert results.forfeits() == []
    one_by_one = {"model": player, "first": lambda game: game.legal_moves()[0]}
    assert arena.tournament(one_by_one, games=4, seed=1).forfeits() == []

    board = oware.Board(opponent=player)
    for _ in range(4):
        game = board.game
        board.play(game.legal_moves()[0])
        assert board.state["tone"] != "error", board.message
        # What it is shown there is what it would be shown in an environment.
        game.play(game.legal_moves()[0])
        seen = game.observation(kind)[np.newaxis]  # type: ignore[call-overload]
        assert board.game.moves[-1] == player(seen, game.action_mask()[np.newaxis])[0]

    own = evaluate(player, "greedy", 20, seed=2)
    assert own == evaluate(player, "greedy", 20, seed=2, observation="one_hot")
    env = oware.OwareEnv(4, opponent=player, seat="south", observation="normalized")
    _, info = env.reset(seed=0)
    env.step(info["action_mask"].argmax(axis=1))


def test_a_kind_that_is_given_wins_over_the_space() -> None:
    env: Any = OwareVecEnv(2, observation="normalized")
    model = MaskablePPO("MlpPolicy", env)
    assert SB3Agent(model, observation="seeds").observation == "seeds"
    module = of_rllib("normalized").module
    assert RLlibAgent(module, observation="seeds").observation == "seeds"
    # A space of somebody else tells nothing.
    model.observation_space = spaces.Box(-1.0, 1.0, (14,))
    assert SB3Agent(model).observation is None
    wrong: Any = "pixels"
    for make in (
        lambda: SB3Agent(model, observation=wrong),
        lambda: RLlibAgent(module, observation=wrong),
        lambda: TorchAgent(network("seeds"), observation=wrong),
        lambda: TensorDictAgent(lambda seen: seen, observation=wrong),
    ):
        with pytest.raises(ValueError, match="observation is 'pixels'; give None or 'seeds'"):
            make()


def test_a_network_plays_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own_network.py").write_text(
        "import torch\n"
        "from oware.adapters.torch import TorchAgent\n"
        "net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(350, 6))\n"
        'player = TorchAgent(net, observation="one_hot")\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(SystemExit) as exit_info:
        cli.main(["arena", "python:own_network:player", "random", "--games=4", "--no-progress"])
    assert exit_info.value.code == 0
    out = capsys.readouterr().out
    assert "python:own_network:player" in out
    assert "forfeit" not in out
