"""How often the agents win that the tests train, at the end of the run: also where all is well."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN = "win rates"


@pytest.fixture
def win_rates(
    record_property: Callable[[str, object], None],
) -> Callable[[object], dict[str, float]]:
    """Shows an evaluation, or what a script has printed of one, and gives the % won by seat."""

    def read(told: object) -> dict[str, float]:
        seats = re.findall(
            r"^((South|North) +\d+ games  win +([\d.]+) %.*)", str(told), re.MULTILINE
        )
        assert [seat for _, seat, _ in seats] == ["South", "North"]
        for line, _, _ in seats:
            record_property(SHOWN, line)
        return {seat: float(rate) for _, seat, rate in seats}

    return read


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The lines of every test that has trained an agent, with intervals of 95 %."""
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if any(name == SHOWN for name, _ in report.user_properties)
    ]
    if reports:
        terminalreporter.section("games won against random moves")
    for report in reports:
        terminalreporter.write_line(report.nodeid)
        for name, line in report.user_properties:
            if name == SHOWN:
                terminalreporter.write_line(f"    {line}")
