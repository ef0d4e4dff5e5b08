"""Draw the pictures of `docs/pictures/`, or with `--check` fail where one is not as drawn.

Each is a position of `docs/rules.md` or of the front page, before a move or after it; `learning`
has the figures of `docs/frameworks.md`.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import oware
from learning_curves import learning
from oware.render import Arrow, BoardView, svg

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
# C's last seed falls into North's c, which then holds two; b has two and a has three.
CHAIN = [4, 0, 6, 1, 0, 2, 2, 1, 1, 0, 4, 1]
# F's last seed falls into North's b; with a these are all that North has.
SLAM = [0, 1, 0, 3, 0, 2, 1, 2, 0, 0, 0, 0]
# North has nothing: only E and F reach the other side.
FEEDING = [1, 2, 0, 1, 3, 1, 0, 0, 0, 0, 0, 0]


def position(pits: list[int]) -> oware.Game:
    """South to move, with what is missing of 48 seeds in the stores."""
    captured = 48 - sum(pits)
    return oware.Game(pits=pits, stores=(captured // 2, captured - captured // 2))


def before(game: oware.Game, move: int, caption: str) -> str:
    """The board, and an arrow along the move."""
    end = (move + game.pits[move]) % 12
    return svg(replace(BoardView.of(game), arrows=(Arrow(move, end),), caption=caption))


def after(game: oware.Game, move: int, caption: str) -> str:
    """The board after the move."""
    played = game.copy()
    played.play(move)
    return svg(replace(BoardView.of(played), caption=caption))


def pictures() -> dict[str, str]:
    """Every picture by its name."""
    chain, slam, feeding = position(CHAIN), position(SLAM), position(FEEDING)
    fed = [Arrow(move, (move + feeding.pits[move]) % 12, "best") for move in feeding.legal_moves()]
    return {
        "board": svg(oware.Game()),
        "capture-before": before(chain, 2, "South sows C: the last seed falls into c"),
        "capture-after": after(chain, 2, "c, b and a hold 2, 2 and 3: all are captured"),
        "slam-before": before(slam, 5, "F would capture everything that North has"),
        "slam-after": after(slam, 5, "capture_nothing: the move counts, the capture does not"),
        "feeding": svg(
            replace(BoardView.of(feeding), arrows=tuple(fed), caption="North must be fed")
        ),
        "learning": learning(),
    }


def main() -> int:
    """Draw, or check."""
    check = sys.argv[1:] == ["--check"]
    FOLDER.mkdir(exist_ok=True)
    drawn = pictures()
    for name, picture in drawn.items():
        path = FOLDER / f"{name}.svg"
        if not check:
            path.write_text(picture + "\n", encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != picture + "\n":
            print(f"{path} is not as drawn: run python {Path(__file__).name}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
