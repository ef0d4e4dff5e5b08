"""A pytest plugin: a test that does not run fails the run, unless `tests/excused.toml` lists it."""

from __future__ import annotations

import doctest
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from packaging.markers import Marker

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Excuse:
    """One entry of the list: a test or a file of tests, and where it may be left out."""

    test: str
    applies: bool

    def covers(self, nodeid: str) -> bool:
        return nodeid == self.test or nodeid.startswith((f"{self.test}::", f"{self.test}["))


def read_excuses(path: Path) -> list[Excuse]:
    """The Python entries of the list; each has a `test`, a `reason` and perhaps a `when`."""
    excuses = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("python", []):
        if not {"test", "reason"} <= entry.keys() <= {"test", "reason", "when"}:
            raise pytest.UsageError(f"{path}: an entry has the keys {sorted(entry)}")
        if not entry["reason"].strip():
            raise pytest.UsageError(f"{path}: {entry['test']} has no reason")
        applies = "when" not in entry or Marker(entry["when"]).evaluate()
        excuses.append(Excuse(entry["test"], applies))
    return excuses


@dataclass(eq=False)
class SkipGate:
    """Gathers what did not run, and judges it against the list when the session ends."""

    excuses: list[Excuse]
    collected: set[str] = field(default_factory=set)
    ran: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        # First, so that it also sees what -m and -k deselect afterwards.
        for item in items:
            self.collected.add(item.nodeid)
            # pytest skips a doctest only if each of its examples is; one of several goes unsaid.
            examples = item.dtest.examples if isinstance(item, pytest.DoctestItem) else ()
            if any(example.options.get(doctest.SKIP) for example in examples):
                self.left_out[item.nodeid] = "has an example marked +SKIP"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.left_out[report.nodeid] = "skipped while it was collected"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran.add(report.nodeid)
        if hasattr(report, "wasxfail"):
            self.left_out[report.nodeid] = "expected to fail"
        elif report.skipped:
            self.left_out[report.nodeid] = "skipped"

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a process of pytest-xdist has seen besides reports of tests."""
        # One that has crashed has told nothing, and another one took its place.
        collected, left_out = getattr(node, "workeroutput", {}).get("skip_gate", ([], {}))
        self.collected.update(collected)
        self.left_out.update(left_out)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["skip_gate"] = (list(self.collected), self.left_out)
            return
        self.complaints = [
            f"{nodeid}: {how}, and not listed in tests/excused.toml"
            for nodeid, how in sorted(self.left_out.items())
            if not any(excuse.applies and excuse.covers(nodeid) for excuse in self.excuses)
        ]
        if exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            self.complaints += self._without_effect(whole=_is_whole(session.config))
        if self.complaints and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _without_effect(self, *, whole: bool) -> Iterable[str]:
        for excuse in self.excuses:
            if any(excuse.covers(nodeid) for nodeid in self.left_out):
                continue
            if excuse.applies and any(excuse.covers(nodeid) for nodeid in self.ran):
                yield f"{excuse.test}: listed in tests/excused.toml, but it ran"
            elif whole and not any(excuse.covers(nodeid) for nodeid in self.collected):
                yield f"{excuse.test}: listed in tests/excused.toml, but there is no such test"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.complaints:
            terminalreporter.section("tests that did not run", red=True, bold=True)
            for complaint in self.complaints:
                terminalreporter.line(complaint, red=True)


def _is_whole(config: pytest.Config) -> bool:
    """Whether every test is collected: only then is a listed one that is not seen a mistake."""
    narrowed: Sequence[object] = (
        config.option.ignore,
        config.option.ignore_glob,
        config.option.deselect,
        getattr(config.option, "lf", False),
    )
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not any(narrowed)
