from __future__ import annotations

import ast
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import numpy as np
import pytest

import oware
from oware import demo
from oware.agents import evaluate
from oware.demo import Adam, Agent, Batch, Progress, train

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "03_training_an_agent.ipynb"


def weights_after(agent: Agent, steps: int, seed: int) -> dict[str, NDArray[Any]]:
    for _ in train(agent, steps, seed):
        pass
    return agent.weights


def some_batch(rng: np.random.Generator, n: int = 40) -> Batch:
    legal = rng.random((n, 6)) < 0.5
    actions = rng.integers(6, size=n)
    legal[np.arange(n), actions] = True
    return Batch(
        inputs=demo.one_hot(rng.integers(0, 9, (n, 14))).astype(np.float64),
        legal=legal,
        actions=actions,
        advantages=rng.normal(size=n),
        returns=rng.normal(size=n),
    )


def test_one_hot_is_the_environments() -> None:
    seeds, ones = (oware.OwareEnv(64, observation=kind) for kind in ("seeds", "one_hot"))
    for env in (seeds, ones):
        _, info = env.reset(seed=0)
        for _ in range(80):
            _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    encoded = demo.one_hot(seeds.observe())
    assert encoded.dtype == np.float32
    np.testing.assert_array_equal(encoded, ones.observe().reshape(64, 350))
    assert demo.one_hot(np.full((1, 14), 48, np.uint8)).sum() == 14


def test_gradients_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    agent = Agent(seed=0, hidden=8)
    # Large enough that each term counts, and in float64, which differences need.
    agent.weights = {name: rng.normal(0, 0.4, w.shape) for name, w in agent.weights.items()}
    batch = some_batch(rng)
    _, _, gradients = demo.loss_and_gradients(agent, batch)
    assert gradients.keys() == agent.weights.keys()
    for name, gradient in gradients.items():
        weight = agent.weights[name]
        assert gradient.shape == weight.shape
        flat = weight.reshape(-1)
        for index in rng.choice(flat.size, size=min(flat.size, 30), replace=False):
            kept = flat[index]
            losses = []
            for step in (1e-5, -1e-5):
                flat[index] = kept + step
                losses.append(demo.loss_and_gradients(agent, batch)[0])
            flat[index] = kept
            slope = (losses[0] - losses[1]) / 2e-5
            assert gradient.reshape(-1)[index] == pytest.approx(slope, rel=1e-4, abs=1e-8), name


def test_the_loss_is_the_one_that_is_told() -> None:
    agent = Agent(seed=1)
    batch = some_batch(np.random.default_rng(1), n=1)
    _, logits, values = agent.forward(batch.inputs)
    chances = np.exp(logits[0]) * batch.legal[0]
    chances /= chances.sum()
    entropy = -sum(p * math.log(p) for p in chances if p > 0)
    expected = (
        -batch.advantages[0] * math.log(chances[batch.actions[0]])
        + (values[0] - batch.returns[0]) ** 2
        - demo.ENTROPY * entropy
    )
    loss, mean_entropy, _ = demo.loss_and_gradients(agent, batch)
    assert loss == pytest.approx(expected, rel=1e-5)
    assert mean_entropy == pytest.approx(entropy, rel=1e-5)


def test_an_illegal_move_has_no_chance_and_no_gradient() -> None:
    rng = np.random.default_rng(2)
    batch = some_batch(rng, n=200)
    logits = rng.normal(0, 50, (200, 6)).astype(np.float32)
    log_p = demo.log_softmax(logits, batch.legal)
    assert log_p.dtype == np.float32
    p = np.exp(log_p)
    assert (p[~batch.legal] == 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-5)

    agent = Agent(seed=0)
    never = replace(batch, legal=np.tile(np.arange(6) != 2, (200, 1)), actions=batch.actions * 0)
    _, _, gradients = demo.loss_and_gradients(agent, never)
    assert (gradients["policy"][:, 2] == 0).all()
    assert (gradients["policy"][:, [0, 1, 3]] != 0).any()


def test_advantages_are_sums_of_surprises() -> None:
    rng = np.random.default_rng(3)
    rewards, ended = rng.normal(size=(5, 7)), rng.random((5, 7)) < 0.3
    values = rng.normal(size=(6, 7))
    expected = np.zeros((5, 7))
    for n in range(7):
        for t in range(5):
            weight = 1.0
            for later in range(t, 5):
                following = 0.0 if ended[later, n] else demo.DISCOUNT * values[later + 1, n]
                surprise = rewards[later, n] + following - values[later, n]
                expected[t, n] += weight * surprise
                if ended[later, n]:
                    break
                weight *= demo.DISCOUNT * demo.TRACE
    np.testing.assert_allclose(demo.advantages(rewards, ended, values), expected, rtol=1e-4)


def test_adam_finds_the_bottom_of_a_bowl() -> None:
    weights = {"w": np.array([3.0, -2.0])}
    adam = Adam(weights)
    for _ in range(500):
        adam.step({"w": 2 * weights["w"] * [1, 100]}, rate=0.05)
    assert abs(weights["w"]).max() < 0.01


def test_the_same_seed_gives_the_same_agent() -> None:
    steps = 3 * demo.UPDATE
    first, again, other = (weights_after(Agent(1), steps, seed) for seed in (4, 4, 5))
    untrained = Agent(1).weights
    for name, weight in first.items():
        np.testing.assert_array_equal(weight, again[name])
        assert (weight != other[name]).any()
        assert (weight != untrained[name]).any()
        assert weight.dtype == np.float32


def test_a_short_training_beats_random_from_either_seat() -> None:
    agent = Agent(seed=0)
    before = evaluate(agent, "random", seed=1 << 32)
    assert before.total.win_rate < 0.75
    progress = list(train(agent, steps=2_000_000, seed=0))
    assert [p.steps for p in progress] == [
        demo.UPDATE * (i + 1) for i in range(2_000_000 // demo.UPDATE)
    ]
    won = [p.win_rate for p in progress]
    assert np.nanmean(won[:20]) < 0.8
    assert np.nanmean(won[-20:]) > 0.9
    assert progress[0].entropy > 1.3 > 0.8 > progress[-1].entropy
    after = evaluate(agent, "random", seed=1 << 32)
    assert after.south.win_rate > 0.95
    assert after.north.win_rate > 0.95


def test_the_agent_can_be_an_opponent() -> None:
    evaluation = evaluate("random", Agent(seed=0), 50)
    assert evaluation.total.games == 50


HEADINGS = [
    "The player greedy against random",
    "The agent before training against random",
    "The agent before training against greedy",
    "The agent after training against random",
    "The agent after training against greedy",
]


def test_the_demo_shows_all(capsys: pytest.CaptureFixture[str]) -> None:
    results = demo.run(seed=0, steps=4 * demo.UPDATE, games=100)
    out, err = capsys.readouterr()
    assert out.startswith(str(oware.Game()))
    speed = re.search(
        r"1,024 games of random self-play: ([\d.]+) million steps a second, ([\d.]+)", out
    )
    assert speed
    assert float(speed[1]) > float(speed[2]) > 0
    assert re.findall(r"^.+ against \w+$", out, re.MULTILINE) == HEADINGS
    assert len(re.findall(r"^(?:South|North) +50 games  win .+\]$", out, re.MULTILINE)) == 10
    assert "\n65,536 moves in " in out
    assert "100%" in err
    for name, evaluation in results.items():
        assert f"The agent after training against {name}\n{evaluation}\n" in out


def test_control_c_ends_the_training_and_no_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(agent: Agent, steps: int, seed: int) -> Iterator[Progress]:
        for progress in train(agent, steps, seed):
            yield progress
            if progress.steps > 20_000:
                raise KeyboardInterrupt

    monkeypatch.setattr(demo, "train", interrupted)
    demo.run(seed=0, steps=10**6, games=20)
    out, _ = capsys.readouterr()
    assert "Ended early.\n32,768 moves in " in out
    assert re.findall(r"^.+ against \w+$", out, re.MULTILINE) == HEADINGS


def definitions(source: str) -> dict[str, str]:
    """The classes, functions and constants at the top of a source, each with its text."""
    found = {}
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[node.name] = "\n".join(lines[start - 1 : node.end_lineno])
        elif isinstance(node, ast.Assign):
            names = ast.unparse(node.targets[0])
            if names.replace("_", "").replace(", ", "").strip("()").isupper():
                found[names] = "\n".join(lines[node.lineno - 1 : node.end_lineno])
    return found


def test_the_notebook_has_the_demos_code() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    shown: dict[str, str] = {}
    for cell in cells:
        if cell.cell_type == "code":
            shown |= definitions(cell.source)
    source = definitions(Path(demo.__file__).read_text(encoding="utf-8"))
    assert {"one_hot", "log_softmax", "Agent", "loss_and_gradients", "Adam", "train"} <= set(shown)
    # It trains for less time, and measures as it goes.
    own = {"STEPS", "measure"}
    assert own <= set(shown)
    for name in shown.keys() - own:
        assert shown[name] == source.get(name), f"{name} is not as in the demo"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_whole_training_reaches_its_aims(seed: int) -> None:
    results = demo.run(seed)
    for opponent, aim in (("random", 0.97), ("greedy", 0.65)):
        evaluation = results[opponent]
        assert evaluation.total.games == 2000
        assert evaluation.total.win_rate >= aim
        assert evaluation.south.win_rate >= aim - 0.03
        assert evaluation.north.win_rate >= aim - 0.03
