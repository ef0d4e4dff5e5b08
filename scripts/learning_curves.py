"""A picture of how agents learn in each framework, from the tables of `docs/frameworks.md`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[1] / "docs" / "frameworks.md"
HEADING: Final = re.compile(r"^#{2,3} (.+)$")
ROW: Final = re.compile(r"^\| ([\d,]+) \|(?: \d+ \|)? ([\d.]+) % \| ([\d.]+) % \|$")

COLOURS: Final = {
    "PettingZoo": "#4269d0",
    "Stable-Baselines3": "#d98a00",
    "TorchRL": "#d1495b",
    "RLlib": "#2f8f5b",
    "CleanRL": "#8a5cc2",
    "Tianshou": "#8c6246",
}
MOST_STEPS: Final = 550_000
LEAST: Final = 70
"""The share at the bottom of the picture, in percent."""
LEFT, TOP, WIDE, HIGH = 56, 20, 520, 260


def curves(page: str) -> dict[str, list[tuple[int, float]]]:
    """The steps and the mean of both seats' shares of wins, by framework."""
    found: dict[str, list[tuple[int, float]]] = {}
    section = ""
    for line in page.splitlines():
        if heading := HEADING.match(line):
            section = heading[1]
        elif row := ROW.match(line):
            steps = int(row[1].replace(",", ""))
            found.setdefault(section, []).append((steps, (float(row[2]) + float(row[3])) / 2))
    return found


def learning() -> str:
    """The picture as SVG."""
    found = curves(PAGE.read_text(encoding="utf-8"))
    if found.keys() != COLOURS.keys():
        raise ValueError(f"the page has tables of {', '.join(found)}, not {', '.join(COLOURS)}")

    def across(steps: float) -> float:
        return LEFT + WIDE * steps / MOST_STEPS

    def down(share: float) -> float:
        return TOP + HIGH * (100 - share) / (100 - LEAST)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 340" role="img">',
        '<g font-family="sans-serif" font-size="12" fill="#333">',
        "<title>Games won against random moves while learning, by framework</title>",
        '<rect width="600" height="340" rx="8" fill="#fff"/>',
    ]
    for share in range(LEAST, 101, 10):
        y = down(share)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{LEFT + WIDE}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share} %</text>')
    for steps in range(0, MOST_STEPS, 100_000):
        x, label = across(steps), f"{steps // 1000}k" if steps else "0"
        parts.append(f'<text x="{x:.1f}" y="{TOP + HIGH + 18}" text-anchor="middle">{label}</text>')
    parts.append(
        f'<text x="{LEFT + WIDE / 2}" y="{TOP + HIGH + 40}" text-anchor="middle">'
        "steps of the agent, plies in self-play (PettingZoo, RLlib)</text>"
    )
    for place, (name, colour) in enumerate(COLOURS.items()):
        points = [(across(steps), down(share)) for steps, share in found[name]]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, y in points:
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        y_name = TOP + HIGH - 116 + 20 * place
        parts.append(f'<circle cx="440" cy="{y_name - 4}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="452" y="{y_name}">{name}</text>')
    return "\n".join([*parts, "</g>", "</svg>"])
