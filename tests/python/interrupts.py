"""Ctrl-C pressed in a process of its own, and how soon that ends what it does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

AT_MOST = 3.0
"""Seconds from the signal to the end. Where a processor is free, half a second is enough."""
PATIENCE = 300.0

PROGRAM = """
import os
import signal
import sys

# What a shell starts in the background is deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


def begun(*_):
    os.write(1, b"begun\\n")


{before}
try:
{work}
except KeyboardInterrupt:
    os.write(1, b"ended\\n")
# What is left of it, such as threads, is no hindrance either.
sys.exit(0)
"""


def program(before: str, work: str) -> str:
    """A program that does some work until Ctrl-C is pressed."""
    indented = textwrap.indent(textwrap.dedent(work).strip(), "    ")
    return PROGRAM.format(before=textwrap.dedent(before), work=indented)


def seconds_to_end(*command: str, wait: float = 0.5, code: int = 0, said: str = "ended\n") -> float:
    """Press Ctrl-C when a process has told that it has begun, and a moment has passed.

    Args:
        command: A Python's arguments: a process that writes the line `begun`.
        wait: How long the moment is.
        code: What it exits with.
        said: All that it writes after that line.
    """
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(wait)
        assert process.poll() is None, "it was done before"
        begin = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        left = process.stdout.readline()
        took = time.monotonic() - begin
        rest, _ = process.communicate(timeout=PATIENCE)
        assert left + rest == said
        assert process.returncode == code
        return took
    finally:
        process.kill()
        process.communicate()
