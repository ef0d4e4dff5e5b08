"""Environments under threads, forks and signals: a clear error or the right result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import oware
from watched import first_legal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

IN_USE = (
    "^the environment is in use by another call; use one environment for each thread, and none in "
    "its own opponent$"
)
# Rows enough for a step to let other threads run meanwhile, and to be worth another thread.
MANY = 8192
SHARED = 2 * MANY


def test_a_second_thread_is_told_that_the_environment_is_in_use() -> None:
    asked, answered = threading.Event(), threading.Event()

    def slow(_: object, mask: NDArray[np.int8]) -> Any:
        asked.set()
        assert answered.wait(60)
        return mask.argmax(1)

    env = oware.OwareEnv(2, opponent=first_legal, seat="south")
    env.reset(seed=0)
    env.set_opponent(slow)
    uses: list[Callable[[], object]] = [
        lambda: env.step([0, 0]),
        env.reset,
        env.observe,
        lambda: env.pits,
        lambda: env.game(0),
        env.get_state,
        lambda: env.set_state(b""),
        lambda: env.set_positions([[4] * 12] * 2, [[0, 0]] * 2, [0, 0]),
        lambda: env.set_opponent("random"),
        lambda: env.render("ansi"),
        env.close,
    ]
    # The opponent of an episode stays, so that it is asked in a step of one that begins now.
    env.reset(seed=1)
    with ThreadPoolExecutor(1) as pool:
        step = pool.submit(env.step, [0, 1])
        assert asked.wait(60)
        for use in uses:
            with pytest.raises(RuntimeError, match=IN_USE):
                use()
        answered.set()
        step.result(60)
    assert [env.game(row).ply for row in range(2)] == [2, 2]
    env.step([1, 2])


def test_two_threads_step_one_environment() -> None:
    # Two lone seeds go round for ever, and each ply is forced: all rows stay alike whoever plays.
    rules = oware.Rules(repetition=0, majority_ends=False)
    env = oware.OwareEnv(MANY, rules=rules, max_steps=None, num_threads=2)
    lone = np.array([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])
    env.set_positions([lone] * MANY, np.zeros((MANY, 2), int), np.ones(MANY, int))

    def play() -> int:
        played = 0
        while played < 300:
            try:
                env.step(np.full(MANY, env.game(0).legal_moves()[0]))
            except oware.IllegalMoveError:
                continue  # The other thread has just played.
            except RuntimeError as error:
                if "in use by another call" not in str(error):
                    raise
                continue
            played += 1
        return played

    with ThreadPoolExecutor(2) as pool:
        total = sum(pool.map(lambda _: play(), range(2)))
    game = oware.Game(rules, pits=lone, to_move=1)
    for _ in range(total):
        game.play(game.legal_moves()[0])
    assert env.game(0).ply == env.game(MANY - 1).ply == total == 600
    assert (env.pits == game.pits).all()
    assert not env.stores.any()
    state = env.get_state()
    env.set_state(state)
    assert env.get_state() == state


def rollout(seed: int) -> bytes:
    """How an environment stands after two dozen steps."""
    env = oware.OwareEnv(SHARED, opponent="greedy", max_steps=10, num_threads=2)
    legal = env.reset(seed=seed)[1]["action_mask"].argmax(1)
    for _ in range(24):
        legal = env.step(legal)[4]["action_mask"].argmax(1)
    return env.get_state()


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_with_environments_of_their_own(threads: int) -> None:
    alone = [rollout(seed) for seed in range(4)]
    with ThreadPoolExecutor(threads) as pool:
        assert list(pool.map(rollout, range(4))) == alone


def run(script: str, timeout: float = 60) -> str:
    """Run a script in a process of its own, which is expected to end well."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numpy_is_not_looked_up_where_an_interrupt_may_wait() -> None:
    said = run(
        """
        import numpy
        import oware

        def interrupted(*_):
            raise KeyboardInterrupt

        # Who looks numpy's interface up asks for this one.
        numpy.lib.NumpyVersion = interrupted
        print(oware.OwareEnv(1, copy=False).reset(seed=0)[0].sum())
        """
    )
    assert said == "48\n"


# Windows has neither of the two.
if hasattr(os, "fork"):

    def test_forks_while_a_thread_steps() -> None:
        # The child gets the environment as it is, perhaps in the middle of a step that nobody ends.
        outcomes = run(
            f"""
            import os, threading, time, warnings
            import numpy as np
            import oware

            warnings.simplefilter("ignore")  # Python warns of forks beside threads.
            env = oware.OwareEnv({4 * MANY}, autoreset_mode="same_step", num_threads=2)
            info = env.reset(seed=0)[1]
            stop = threading.Event()

            def step():
                legal = info["action_mask"].argmax(1)
                while not stop.is_set():
                    legal = env.step(legal)[4]["action_mask"].argmax(1)

            def child():
                try:
                    env.observe()
                    outcome = "whole"
                except RuntimeError as error:
                    assert "in use by another call" in str(error), error
                    outcome = "in use"
                mine = oware.OwareEnv({4 * MANY}, opponent="random", num_threads=2)
                legal = mine.reset(seed=0)[1]["action_mask"].argmax(1)
                mine.step(legal)
                assert oware.perft(oware.Game(), 4) == 1014
                return outcome

            thread = threading.Thread(target=step)
            thread.start()
            for _ in range(12):
                time.sleep(0.01)
                pid = os.fork()
                if pid == 0:
                    status = 1
                    try:
                        status = {{"whole": 10, "in use": 11}}[child()]
                    finally:
                        os._exit(status)
                print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            stop.set()
            thread.join()
            """
        )
        assert len(outcomes.split()) == 12
        assert set(outcomes.split()) <= {"10", "11"}


if sys.platform == "linux":

    def test_helpers_start_with_the_first_shared_step_and_again_after_a_fork() -> None:
        said = run(
            f"""
            import os, pathlib, warnings
            import oware

            warnings.simplefilter("ignore")  # Python warns of forks beside threads.

            def helpers():
                tasks = pathlib.Path("/proc/self/task").iterdir()
                return [(task / "comm").read_text() for task in tasks].count("oware\\n")

            def play(env, steps):
                for _ in range(steps):
                    env.mask = env.step(env.mask.argmax(1))[4]["action_mask"]
                return env.get_state()

            def fresh(num_threads):
                env = oware.OwareEnv({SHARED}, num_threads=num_threads)
                env.mask = env.reset(seed=0)[1]["action_mask"]
                return env

            def alike():
                return play(env, 10) == play(twin, 10)

            def forked(generations):
                pid = os.fork()
                if pid == 0:
                    status = 1
                    try:
                        assert helpers() == 0
                        assert alike()
                        assert helpers() == 1
                        status = forked(generations - 1) if generations else 0
                    finally:
                        os._exit(status)
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

            env, twin = fresh(2), fresh(1)
            play(twin, 10)
            assert helpers() == 0
            play(env, 10)
            assert helpers() == 1
            assert forked(1) == forked(0) == 0
            assert alike()
            assert helpers() == 1
            print("started")
            """
        )
        assert said == "started\n"

    def test_a_step_does_without_the_threads_that_it_cannot_have() -> None:
        said = run(
            f"""
            import resource
            import oware

            env = oware.OwareEnv({4 * MANY}, num_threads=4, copy=False)
            twin = oware.OwareEnv({4 * MANY}, copy=False)
            legal = env.reset(seed=0)[1]["action_mask"].argmax(1)
            twin.reset(seed=0)
            twin.step(legal)
            # Enough for anything but the stack of a thread, which takes two MiB and more.
            with open("/proc/self/statm") as sizes:
                now = int(sizes.read().split()[0]) * resource.getpagesize()
            before = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (now + 31 * 2**16, before[1]))
            env.step(legal)
            resource.setrlimit(resource.RLIMIT_AS, before)
            assert env.get_state() == twin.get_state()
            print("stepped")
            """
        )
        assert said == "stepped\n"


if hasattr(signal, "setitimer"):

    def interrupted(script: str) -> str:
        """Run a script that Ctrl-C is pressed in after a moment."""
        return run(
            """
            import signal
            import numpy as np
            import oware

            signal.signal(signal.SIGALRM, signal.default_int_handler)
            """
            + script
        )

    def test_ctrl_c_in_a_long_count() -> None:
        said = interrupted(
            """
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                oware.perft(oware.Game(), 30)
            except KeyboardInterrupt:
                print("interrupted")
            """
        )
        assert said == "interrupted\n"

    def test_ctrl_c_in_a_long_reset_undoes_it() -> None:
        said = interrupted(
            """
            rules = oware.Rules(repetition=0, majority_ends=False)
            env = oware.OwareEnv(100_000, rules=rules, opening_plies=5000)
            mask = np.arange(100_000) == 7
            env.reset(seed=0, options={"reset_mask": mask})
            state = env.get_state()
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                env.reset(seed=1)
            except KeyboardInterrupt:
                print("interrupted")
            assert env.get_state() == state
            env.reset(seed=1, options={"reset_mask": mask})
            """
        )
        assert said == "interrupted\n"

    def test_ctrl_c_between_steps_leaves_the_environment_whole() -> None:
        said = interrupted(
            f"""
            env = oware.OwareEnv({MANY}, autoreset_mode="same_step", num_threads=2)
            legal = env.reset(seed=0)[1]["action_mask"].argmax(1)
            for _ in range(20):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.01)
                    while True:
                        legal = env.step(legal)[4]["action_mask"].argmax(1)
                except KeyboardInterrupt:
                    # The last step may have been played though nobody has got what it returned.
                    info = env.set_state(env.get_state())[1]
                    legal = info["action_mask"].argmax(1)
            assert (env.pits.sum(1) + env.stores.sum(1) == 48).all()
            state = env.get_state()
            env.set_state(state)
            assert env.get_state() == state
            print("whole")
            """
        )
        assert said == "whole\n"
