"""How many steps a second the rules in JAX take on this processor, beside Pgx's Connect Four.

    python benches/jax_steps.py [--batch 1024] [--steps 500] [--rounds 5]

Moves are drawn among the legal ones, and finished games begin again, by the same compiled code for
each game: `pgx.experimental.auto_reset` and a `scan` of steps. XLA gets one thread. Time is the
process's own, and the best of the rounds is printed, as other programs only ever take time away.
`oware.OwareEnv.rollout` plays the same in Rust.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

# Read by JAX when it starts.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import pgx
from pgx.experimental import auto_reset

import oware
from oware.adapters.jax import Oware

if TYPE_CHECKING:
    from collections.abc import Callable


def player(env: Any, batch: int, steps: int) -> Callable[[], object]:  # noqa: ANN401
    """A function that plays steps of random moves in a batch of games."""
    step = jax.vmap(auto_reset(env.step, env.init))

    def turn(carried: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], Any]:
        state, key = carried
        key, draw, fresh = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        action = jax.random.categorical(draw, logits)
        state = step(state, action, jax.random.split(fresh, batch))
        return (state, key), state.terminated.sum()

    play = jax.jit(lambda carried: jax.lax.scan(turn, carried, length=steps))
    carried = jax.vmap(env.init)(jax.random.split(jax.random.key(0), batch)), jax.random.key(1)

    def run() -> object:
        nonlocal carried
        carried, ended = play(carried)
        return ended.block_until_ready()

    return run


def steps_a_second(run: Callable[[], object], count: int, rounds: int) -> float:
    """The best of the rounds, after one that compiles."""
    run()
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return count / min(seconds)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    batch, steps = options.batch, options.steps
    players = {
        "Pgx's connect_four": player(pgx.make("connect_four"), batch, steps),
        "oware harvest": player(Oware("harvest"), batch, steps),
        "oware village": player(Oware("village"), batch, steps),
        "oware abapa, history 256": player(Oware("abapa"), batch, steps),
        "oware abapa, history 64": player(Oware("abapa", history=64), batch, steps),
    }
    rust = oware.OwareEnv(batch, rules="harvest", autoreset_mode="same_step")
    rust.reset(seed=0)
    rollout = rust.rollout("random", steps)
    players["OwareEnv.rollout, harvest"] = lambda: rust.rollout("random", steps, out=rollout)
    for name, run in players.items():
        speed = steps_a_second(run, batch * steps, options.rounds)
        print(f"{name:26} {speed / 1e6:8.2f} million steps/s")


if __name__ == "__main__":
    main()
