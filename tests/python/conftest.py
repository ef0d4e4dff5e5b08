"""What every Python test shares."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from typing import TYPE_CHECKING

from skip_gate import SkipGate, read_excuses

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Fail the run over a test that is left out and not listed."""
    excuses = read_excuses(config.rootpath / "tests" / "excused.toml")
    config.pluginmanager.register(SkipGate(excuses), "skip-gate")
    # A shell starts what runs in the background deaf to Ctrl-C, and `nohup` deaf to a terminal that
    # hangs up. Tests send both signals to processes that inherit what is ignored, but no handler.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)
    # Here, as examples in the package's own modules load databases too.
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    os.environ["OWARE_CACHE"] = folder.name
    os.environ["OWARE_DATA"] = folder.name
