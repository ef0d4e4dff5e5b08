"""Fail if a Rust test is `#[ignore]`d and not listed in tests/excused.toml, or the reverse.

Arguments go to `cargo test`, so that the list is made from the binaries that the tests run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXCUSED = Path("tests/excused.toml")
TARGET = re.compile(r"\s*Running (?:unittests )?(\S+) \(")
TEST = re.compile(r"(.+): (?:test|benchmark)$")


def read_listing(text: str) -> set[str]:
    """The names in the output of `cargo test -- --list --ignored`, errors and output as one text.

    A test is named `<source file of its target>::<path>`; a documentation test as cargo names it.
    """
    names = set()
    prefix = ""
    for line in text.splitlines():
        if target := TARGET.match(line):
            prefix = target[1].replace("\\", "/") + "::"
        elif line.strip().startswith("Doc-tests "):
            prefix = ""
        elif test := TEST.match(line):
            names.add(prefix + test[1].replace("\\", "/"))
    return names


def list_ignored(arguments: list[str]) -> set[str]:
    """The ignored tests that `cargo test` with these arguments would leave out."""
    command = ["cargo", "test", *arguments, "--", "--list", "--ignored"]
    plain = os.environ | {"CARGO_TERM_COLOR": "never", "CARGO_TERM_QUIET": "false"}
    # One pipe for both streams: which target a test belongs to is told by their order.
    done = subprocess.run(
        command, env=plain, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(command)} failed")
    return read_listing(done.stdout)


def read_excused(text: str) -> set[str]:
    """The Rust tests that the list allows; each entry has a `test` and a `reason`."""
    entries = tomllib.loads(text).get("rust", [])
    for entry in entries:
        if entry.keys() != {"test", "reason"} or not entry["reason"].strip():
            sys.exit(f"{EXCUSED}: an entry needs a test and a reason, and no more: {entry}")
    return {entry["test"] for entry in entries}


def main() -> None:
    """Compare the two sets."""
    ignored = list_ignored(sys.argv[1:])
    excused = read_excused(EXCUSED.read_text(encoding="utf-8"))
    complaints = [f"{name}: ignored, and not listed in {EXCUSED}" for name in ignored - excused]
    complaints += [f"{name}: listed in {EXCUSED}, but not ignored" for name in excused - ignored]
    if complaints:
        sys.exit("\n".join(sorted(complaints)))


if __name__ == "__main__":
    main()
