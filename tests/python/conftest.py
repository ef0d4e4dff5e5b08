"""What every Python test shares."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from skip_gate import SkipGate, read_excuses

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Fail the run over a test that is left out and not listed."""
    excuses = read_excuses(config.rootpath / "tests" / "excused.toml")
    config.pluginmanager.register(SkipGate(excuses), "skip-gate")
    # Here, as examples in the package's own modules load databases too.
    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    os.environ["OWARE_CACHE"] = folder.name
    os.environ["OWARE_DATA"] = folder.name
