"""Finding puzzles: what makes one of a position, and how many are wanted of each theme."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from oware import _oware, search
from oware._counts import flag
from oware._progress import Bar
from oware.analysis._captures import LAP, captures, refused_slams
from oware.analysis._positions import mover_first, positions
from oware.analysis._puzzle import Puzzle, margin
from oware.analysis._search import continued
from oware.analysis._stream import Stream
from oware.endgame import Endgame
from oware.types import PuzzleTheme

if TYPE_CHECKING:
    from typing import SupportsIndex

    from oware._oware import Game, Rules
    from oware.types import Proof, RuleSetName

THEMES: Final[tuple[PuzzleTheme, ...]] = get_args(PuzzleTheme)
"""The themes, rarest first."""
MARGIN: Final = 2
"""Seeds by which the solution is better than any other move."""
UPPER_GRADE: Final = 3
"""The least of the upper grades: no look at the reply alone finds these."""
PROOF_DEPTH: Final = 12
"""Plies of the search that proves a solution where the database does not reach."""
DATABASE_SEEDS: Final = 10
"""Seeds of the database that is built where none is given."""

GLANCE: Final = 6
"""Plies of the search that sees whether a position is worth a deeper one."""
PATIENCE: Final = 400
"""Positions to look at for each puzzle in the hope of an upper grade."""
LAST_STRAW: Final = 3_000
"""Positions to look at for each puzzle, and ten times as many for the first, before giving up."""


def puzzles(
    n: SupportsIndex,
    *,
    themes: Iterable[PuzzleTheme] | None = None,
    seed: SupportsIndex = 0,
    rules: Rules | RuleSetName = "abapa",
    endgame: Endgame | None = None,
    depth: SupportsIndex = PROOF_DEPTH,
    exact: bool = False,
    progress: bool = False,
) -> list[Puzzle]:
    """Find positions with one clearly best move, which is proven.

    The themes, each with as many puzzles as the others:

    - `"slam"`: a grand slam that the rules refuse is on the board, and another move is best.
    - `"lap"`: the solution sows twelve seeds or more, round the board.
    - `"feeding"`: the opponent has no seed and must be fed, and it matters how.
    - `"chain"`: the solution, or the mover's next move in the line, captures several pits.
    - `"endgame"`: few enough seeds for the database.

    Positions come from games of the engine against itself, shallow and with random moves, and, for
    `"slam"` and `"feeding"`, from boards of few seeds drawn at random; with a database of 13 seeds
    or more also for `"lap"` and `"chain"`. The solution is at least 2 net seeds better than any
    other move: by the values of the database or where every line was followed to its end, otherwise
    by a search of `depth` plies and one of a ply less. About a third
    of a theme's puzzles are of the grades from 3 on, as far as these turn up; of them only such are
    taken as a player who takes the most seeds at once finds one time in three at most. A game gives
    one puzzle of a theme.

    Args:
        n: How many puzzles, at least 1.
        themes: The themes; None for all that the rules have.
        seed: The same seed gives the same puzzles, at least 0.
        rules: The rules.
        endgame: A database of these rules; None for one of 10 seeds, built in memory.
        depth: Plies of the search for the proof, 2 to 250.
        exact: Whether to take puzzles with true values alone, which asks for a large database: 15
            seeds are enough for 20 of each theme.
        progress: Whether to show a bar on standard error.

    Returns:
        The puzzles, easy ones first; no two have the same board.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, a theme is unknown or cannot occur under the rules,
            the database is of other rules, or too few puzzles turn up.

    Example:
        >>> found = puzzles(4, themes=["chain", "feeding"], seed=1)
        >>> sorted(puzzle.theme for puzzle in found)
        ['chain', 'chain', 'feeding', 'feeding']
        >>> all(puzzle.margin >= 2 for puzzle in found)
        True
    """
    number = _oware.count("n", n, 1, 1_000_000)
    start = _oware.count("seed", seed, 0, 2**63 - 1)
    plies = _oware.count("depth", depth, 2, 250)
    game = _oware.Game(rules)
    chosen = check_themes(themes, game.rules)
    flag("exact", exact)
    if endgame is None:
        endgame = Endgame.build(DATABASE_SEEDS, game.rules, num_threads=1, progress=False)
    elif not isinstance(endgame, Endgame):
        kind = type(endgame).__name__
        raise TypeError(f"endgame must be None or an oware.Endgame, not {kind}")
    endgame.value(_oware.Game(game.rules, pits=[0] * 12))  # Refuses a database of other rules.
    shelves: dict[PuzzleTheme, Shelf] = {}
    for at, theme in enumerate(chosen[:number]):
        shelves[theme] = Shelf(number // len(chosen) + (at < number % len(chosen)))
    search_for = Search(game.rules, endgame, plies, exact)
    with Bar(number, progress, "puzzles") as bar:
        collect(search_for, shelves, Stream(start), bar)
    found = [puzzle for shelf in shelves.values() for puzzle in shelf.chosen()]
    return sorted(found, key=lambda puzzle: (puzzle.grade, THEMES.index(puzzle.theme)))


def check_themes(themes: Iterable[PuzzleTheme] | None, rules: Rules) -> list[PuzzleTheme]:
    """The themes asked for, rarest first."""
    absent: dict[PuzzleTheme, str] = {}
    if rules.grand_slam in {"capture_all", "opponent_takes_rest"}:
        absent["slam"] = f"grand_slam={rules.grand_slam} refuses no grand slam"
    if rules.feeding == "free" and rules.grand_slam != "forbidden":
        absent["feeding"] = "feeding=free has no duty to feed"
    if themes is None:
        return [theme for theme in THEMES if theme not in absent]
    if isinstance(themes, str):
        raise TypeError(f"themes must be an iterable of themes: give [{themes!r}]")
    if not isinstance(themes, Iterable):
        raise TypeError(f"themes must be an iterable of themes, not {type(themes).__name__}")
    wanted = list(themes)
    known = ", ".join(THEMES)
    for theme in wanted:
        if theme not in THEMES:
            raise ValueError(f"unknown theme {theme!r}; known: {known}")
        if theme in absent:
            raise ValueError(f"there is no theme {theme!r} under these rules: {absent[theme]}")
    if not wanted:
        raise ValueError(f"themes is empty; give None for all, or some of {known}")
    return [theme for theme in THEMES if theme in wanted]


class Shelf:
    """The puzzles of a theme that have been found."""

    def __init__(self, share: int) -> None:
        self.share = share
        self.want_upper = (share + 1) // 3
        self.lower: list[Puzzle] = []
        self.upper: list[Puzzle] = []

    @property
    def enough(self) -> bool:
        """Whether there are as many as asked for."""
        return len(self.lower) + len(self.upper) >= self.share

    @property
    def full(self) -> bool:
        """Whether there are as many as asked for, and of the upper grades as many as hoped for."""
        return self.enough and len(self.upper) >= self.want_upper

    def takes(self, grade: int) -> bool:
        """Whether there is room for a puzzle of a grade."""
        if grade >= UPPER_GRADE:
            return len(self.upper) < max(self.want_upper, self.share - len(self.lower))
        return len(self.lower) < self.share

    def chosen(self) -> list[Puzzle]:
        """As many as asked for, the upper grades before the others."""
        return self.upper + self.lower[: self.share - len(self.upper)]


def collect(
    search_for: Search, shelves: dict[PuzzleTheme, Shelf], stream: Stream, bar: Bar
) -> None:
    """Fill the shelves, or raise `ValueError`."""
    number = sum(shelf.share for shelf in shelves.values())
    seen: set[tuple[int, ...]] = set()
    told: set[tuple[int, PuzzleTheme]] = set()
    looked_at = shown = 0

    def open_to(theme: PuzzleTheme) -> bool:
        return theme in shelves and not shelves[theme].full

    for position, game in positions(search_for.rules, search_for.endgame, open_to, stream):
        patient = looked_at < PATIENCE * number
        wanting: dict[PuzzleTheme, Shelf] = {
            theme: shelf
            for theme, shelf in shelves.items()
            if not (shelf.full if patient else shelf.enough)
        }
        if not wanting:
            return
        # Positions of one game are alike.
        fresh: dict[PuzzleTheme, Shelf] = {
            theme: shelf for theme, shelf in wanting.items() if (game, theme) not in told
        }
        if looked_at >= LAST_STRAW * (number + 9):
            lacking = ", ".join(
                f"{theme} {len(shelf.lower) + len(shelf.upper)} of {shelf.share}"
                for theme, shelf in wanting.items()
            )
            larger = ", or give a larger database" if search_for.exact else ""
            raise ValueError(
                f"too few puzzles in {looked_at} positions: {lacking}; ask for fewer, or for other"
                f" themes{larger}"
            )
        looked_at += 1
        board = mover_first(position)
        if board in seen:
            continue
        puzzle = search_for.puzzle(position, fresh, drawn=game is None)
        if puzzle is not None:
            seen.add(board)
            if game is not None:
                told.add((game, puzzle.theme))
            shelf = shelves[puzzle.theme]
            (shelf.upper if puzzle.grade >= UPPER_GRADE else shelf.lower).append(puzzle)
            found = sum(
                min(len(each.lower) + len(each.upper), each.share) for each in shelves.values()
            )
            bar.update(found - shown)
            shown = found


@dataclass(frozen=True)
class Search:
    """What makes a puzzle of a position."""

    rules: Rules
    endgame: Endgame
    depth: int
    exact: bool

    def puzzle(
        self, position: Game, wanting: dict[PuzzleTheme, Shelf], *, drawn: bool
    ) -> Puzzle | None:
        """The puzzle that a position is, if it is one and there is room for it."""
        if position.is_over or len(position.legal_moves()) == 1:
            return None
        on_board = sum(position.pits)
        looked_up = on_board <= self.endgame.max_seeds
        themes: list[PuzzleTheme] = [theme for theme in THEMES if theme in wanting]
        themes = possible(position, themes, looked_up=looked_up)
        # Few lines lose more seeds than one in two plies, and it takes all of them to prove it.
        if self.exact and on_board > self.endgame.max_seeds + self.depth // 2:
            return None
        if not themes or (not looked_up and not self.promising(position)):
            return None
        told: list[search.Result] = []
        result = search.alpha_beta(
            position,
            depth=self.depth,
            endgame=self.endgame,
            move_values=True,
            on_depth=told.append,
        )
        values = result.move_values
        if values is None or margin(values) < MARGIN:
            return None
        if not result.exact and (self.exact or not agree(told[-2:])):
            return None
        # Most are easy, and of those there are soon enough.
        wants_easy = any(wanting[theme].takes(1) for theme in themes)
        if not wants_easy and graded(position, result.move, min(UPPER_GRADE - 1, self.depth)):
            return None
        line = continued(position, result.line, self.endgame)
        themes = [theme for theme in themes if fits(theme, position, line)]
        if not themes:
            return None
        grade = graded(position, result.move, self.depth)
        if grade is None or (grade >= UPPER_GRADE and 3 * greedy_finds(position, result.move) > 1):
            return None
        proof: Proof = "database" if looked_up else "exact" if result.exact else "search"
        for theme in themes:
            if wanting[theme].takes(grade):
                return Puzzle(
                    position=position.to_string(),
                    rules=self.rules,
                    theme=theme,
                    grade=grade,
                    move=result.move,
                    line=line,
                    values=values,
                    proof=proof,
                    depth=result.depth,
                    drawn=drawn,
                )
        return None

    def promising(self, position: Game) -> bool:
        """Whether a short look sees one move above the others."""
        depth = min(GLANCE, self.depth)
        glance = search.alpha_beta(position, depth=depth, move_values=True)
        return glance.move_values is not None and margin(glance.move_values) >= MARGIN


def possible(position: Game, themes: list[PuzzleTheme], *, looked_up: bool) -> list[PuzzleTheme]:
    """The themes that a position can have, whatever its best move."""
    own, theirs = mover_first(position)[:6], mover_first(position)[6:]
    there = {
        "slam": lambda: bool(refused_slams(position)),
        "lap": lambda: max(own) >= LAP,
        "feeding": lambda: not any(theirs),
        "chain": lambda: any(len(capture.pits) > 1 for capture in captures(position)),
        "endgame": lambda: looked_up and any(theirs),
    }
    return [theme for theme in themes if there[theme]()]


def fits(theme: PuzzleTheme, position: Game, line: tuple[int, ...]) -> bool:
    """Whether a position of a possible theme has it in its solution."""
    if theme == "slam":
        return line[0] not in {slam.move for slam in refused_slams(position)}
    if theme == "lap":
        return mover_first(position)[line[0]] >= LAP
    if theme == "chain":
        game = position.copy()
        for ply, move in enumerate(line[:3]):
            game.play(move)
            if ply % 2 == 0 and len(game.last_captures) > 1:
                return True
        return False
    return True


def agree(results: list[search.Result]) -> bool:
    """Whether searches of two depths find the same move clearly best."""
    return len({result.move for result in results}) == 1 and all(
        result.move_values is not None and margin(result.move_values) >= MARGIN
        for result in results
    )


def graded(position: Game, move: int, most: int) -> int | None:
    """The least depth of minimax that finds a move and no other, if one up to the most does."""
    depths = range(1, most + 1)
    return next((d for d in depths if search.best_moves(position, d) == [move]), None)


def greedy_finds(position: Game, move: int) -> float:
    """How likely a player finds a move who takes the most seeds, and draws among equals."""
    found = captures(position)
    if not found:
        return 1 / len(position.legal_moves())
    best = [capture.move for capture in found if capture.seeds == found[0].seeds]
    return (move in best) / len(best)
