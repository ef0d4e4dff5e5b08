"""Find the puzzles of the course and write them to `python/oware/course/puzzles.json`.

`python scripts/find_puzzles.py` takes some minutes and always finds the same ones.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import oware
from oware import analysis, course
from oware.analysis._puzzles import Search, Shelf

if TYPE_CHECKING:
    from oware.analysis import Puzzle

FILE = Path(__file__).parents[1] / "python" / "oware" / "course" / "puzzles.json"
COMMAND = "python scripts/find_puzzles.py"
# They are built in seconds, so that the tests prove the puzzles again. Laps hold twelve seeds and
# more in one pit: where the larger database does not reach, every line is followed down to it.
DATABASE_SEEDS = 12
LAP_DATABASE_SEEDS = 14
SEED = 5
PROVEN = 44
DEPTH = 16
LAPS = 6
LAPS_A_PIT = 2


def laps() -> list[Puzzle]:
    """Puzzles of South's, with one pit that goes round the board and few seeds besides."""
    database = oware.Endgame.build(LAP_DATABASE_SEEDS, "abapa", progress=False)
    luck = random.Random(SEED)
    maker = Search(oware.Rules(), database, DEPTH, exact=True)
    found: dict[str, Puzzle] = {}
    pits = Counter[int]()
    while len(found) < LAPS:
        own = [0] * 6
        own[luck.randrange(6)] = luck.randint(12, 14)
        for _ in range(luck.randrange(1, 4)):
            own[luck.randrange(6)] += 1
        theirs = [luck.choice((0, 0, 0, 1, 1, 2)) for _ in range(6)]
        left = 48 - sum(own) - sum(theirs)
        stores = (left // 2, left - left // 2)
        game = oware.Game(pits=own + theirs, stores=stores)
        puzzle = maker.puzzle(game, {"lap": Shelf(1)}, drawn=True)
        if puzzle is not None and pits[puzzle.move] < LAPS_A_PIT:
            pits[puzzle.move] += 1
            found[puzzle.position] = puzzle
    return list(found.values())


def main() -> None:
    """Find them and write the file."""
    database = oware.Endgame.build(DATABASE_SEEDS, "abapa", progress=False)
    found = analysis.puzzles(
        PROVEN,
        themes=["slam", "feeding", "chain", "endgame"],
        seed=SEED,
        endgame=database,
        depth=DEPTH,
        exact=True,
        progress=True,
    )
    found += laps()
    taught = {step.position for step in course.steps()}
    found = [puzzle for puzzle in found if puzzle.position not in taught]
    found.sort(key=lambda puzzle: (puzzle.grade, puzzle.theme, puzzle.position))
    lines = []
    for puzzle in found:
        values = asdict(puzzle)
        del values["rules"]
        lines.append(json.dumps(values))
    head = f'"made_by": {json.dumps(COMMAND)}'
    text = "{" + head + ', "puzzles": [\n' + ",\n".join(lines) + "\n]}\n"
    FILE.write_text(text, encoding="utf-8")
    print(f"{len(found)} puzzles in {FILE}")


if __name__ == "__main__":
    main()
