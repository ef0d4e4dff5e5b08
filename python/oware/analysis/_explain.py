"""A position in words, and why a move is good: facts that the rules hold to."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oware._words import LETTERS, SEATS, letter, listed, seeds
from oware.analysis._captures import LAP, Capture, captures, check_game, refused_slams, threats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oware._oware import Game
    from oware.types import FactKind, Seat


@dataclass(frozen=True)
class Fact:
    """Something that is so, as a sentence and as numbers.

    Args:
        kind: What it is about.
        text: The sentence.
        seat: Whom it is about: 0 for South, 1 for North; None for both.
        moves: The moves that it names, 0 to 5 of that player.
        pits: The pits that it names besides, 0 to 11.
        seeds: The seeds that it counts; None where it counts none.

    Example:
        >>> import oware
        >>> explain(oware.Game()).of("count")[0].text
        'South has 0 seeds in store and needs 25 more to have more than half of the 48.'
    """

    kind: FactKind
    text: str
    seat: Seat | None = None
    moves: tuple[int, ...] = ()
    pits: tuple[int, ...] = ()
    seeds: int | None = None

    def __str__(self) -> str:
        """The sentence."""
        return self.text


@dataclass(frozen=True)
class Explanation:
    """What there is to see in a position.

    Args:
        facts: The facts, in the order in which they are told.

    Example:
        >>> import oware
        >>> print(explain(oware.Game(pits=[0, 0, 0, 0, 1, 2, 1, 1, 4, 0, 0, 0], stores=(20, 19))))
        South is to move; 9 seeds are on the board.
        South has 20 seeds in store and needs 5 more to have more than half of the 48.
        North has 19 seeds in store and needs 6 more to have more than half of the 48.
        F captures 4 seeds (a, b).
        North threatens no capture.
        South's E and F hold 1 or 2 seeds: a last seed would make them 2 or 3.
        North's a and b hold 1 or 2 seeds: a last seed would make them 2 or 3.
    """

    facts: tuple[Fact, ...]

    def of(self, kind: FactKind) -> tuple[Fact, ...]:
        """The facts of a kind.

        Example:
            >>> import oware
            >>> explain(oware.Game()).of("lap")
            ()
        """
        return tuple(fact for fact in self.facts if fact.kind == kind)

    @property
    def text(self) -> str:
        """All sentences, a line each."""
        return "\n".join(fact.text for fact in self.facts)

    def __str__(self) -> str:
        """All sentences, a line each."""
        return self.text

    def _repr_html_(self) -> str:
        """A list for Jupyter, in the page's own colours."""
        items = "".join(f"<li>{html.escape(fact.text)}</li>" for fact in self.facts)
        return f'<ul style="color:inherit">{items}</ul>'


def explain(game: Game) -> Explanation:
    """Say what there is to see in a position, without a search.

    Told are who is to move, the count to more than half of all seeds, the duty to feed, moves that
    are not legal for other reasons than an empty pit, captures, threats, grand slams that the rules
    refuse, pits that sow round the board, and pits of one or two seeds. Of a finished game, how it
    ended.

    Args:
        game: The game, which stays as it is.

    Raises:
        TypeError: The argument is no game.

    Example:
        >>> import oware
        >>> told = explain(oware.Game(pits=[4, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0]))
        >>> print(told.of("feeding")[0])
        North has no seed: South must feed it, with E or F.
    """
    check_game(game)
    if game.is_over:
        return Explanation((Fact("over", f"{game.status()}.", game.winner),))
    on_board = seeds(sum(game.pits))
    verb = "is" if sum(game.pits) == 1 else "are"
    text = f"{SEATS[game.to_move]} is to move; {on_board} {verb} on the board."
    turn = Fact("turn", text, game.to_move, seeds=sum(game.pits))
    return Explanation(
        (
            turn,
            *counts(game),
            *feeding(game),
            *takes(game),
            *slams(game),
            *laps(game),
            *weak(game),
        )
    )


def counts(game: Game) -> Iterator[Fact]:
    """How many seeds each player lacks to have more than half."""
    total = sum(game.pits) + sum(game.stores)
    seats: tuple[Seat, Seat] = (0, 1)
    for seat in seats:
        has = f"{SEATS[seat]} has {seeds(game.stores[seat])} in store"
        needs = total // 2 + 1 - game.stores[seat]
        if needs > 0:
            text = f"{has} and needs {needs} more to have more than half of the {total}."
        else:
            text = f"{has}, more than half of the {total}."
        yield Fact("count", text, seat, seeds=max(needs, 0))


def feeding(game: Game) -> Iterator[Fact]:
    """The duty to feed, and the moves that the rules do not allow."""
    mover = game.to_move
    own, theirs = rows(game)
    legal = tuple(game.legal_moves())
    other = SEATS[1 - mover]
    full = tuple(move for move in range(6) if own[move])
    barred = tuple(move for move in full if move not in legal)
    if not any(theirs):
        names = [letter(mover, move) for move in legal]
        if barred or game.rules.feeding == "required" or game.rules.grand_slam == "forbidden":
            if all(own[move] >= 6 - move for move in legal):
                names_of_feeding = (
                    names[0] if len(names) == 1 else " or ".join([", ".join(names[:-1]), names[-1]])
                )
                yield Fact(
                    "feeding",
                    f"{other} has no seed: {SEATS[mover]} must feed it, with {names_of_feeding}.",
                    mover,
                    moves=legal,
                )
            else:
                yield Fact("feeding", f"{other} has no seed, and no move can feed it.", mover)
        else:
            yield Fact(
                "feeding", f"{other} has no seed; under these rules it need not be fed.", mover
            )
    elif barred:
        names = [letter(mover, move) for move in barred]
        yield Fact(
            "illegal",
            f"{listed(names)} would leave {other} without a seed, which the rules forbid.",
            mover,
            moves=barred,
        )


def takes(game: Game) -> Iterator[Fact]:
    """What can be captured at once, and what is threatened."""
    mover = game.to_move
    own, against = captures(game), threats(game)
    for capture in own:
        yield of_capture("capture", f"{capture}{rest(game, capture)}.", capture)
    if not own:
        yield Fact("capture", f"{SEATS[mover]} can capture nothing at once.", mover, seeds=0)
    for capture in against:
        text = f"{SEATS[1 - mover]} threatens: {capture}{rest(game, capture)}."
        yield of_capture("threat", text, capture)
    if not against:
        other: Seat = 0 if mover else 1
        yield Fact("threat", f"{SEATS[other]} threatens no capture.", other, seeds=0)


def rest(game: Game, capture: Capture) -> str:
    """What a grand slam means beyond its own seeds."""
    if not capture.slam:
        return ""
    if game.rules.grand_slam == "opponent_takes_rest":
        return f", a grand slam, and {SEATS[1 - capture.seat]} takes all that is left"
    return ", a grand slam"


def slams(game: Game) -> Iterator[Fact]:
    """The grand slams that are refused."""
    kept = {capture.move: capture for capture in captures(game)}
    for slam in refused_slams(game):
        what = f"{slam.letter} would take all {seeds(slam.seeds)} of {SEATS[1 - slam.seat]}"
        if not game.is_legal(slam.move):
            text = f"{what}, a grand slam, and is not legal."
        elif slam.move in kept:
            text = f"{what}, a grand slam: it captures only {seeds(kept[slam.move].seeds)}."
        else:
            text = f"{what}, a grand slam: it captures nothing."
        yield of_capture("slam", text, slam)


def laps(game: Game) -> Iterator[Fact]:
    """The pits that sow round the board."""
    for pit, number in enumerate(game.pits):
        if number >= LAP:
            seat: Seat = 0 if pit < 6 else 1
            text = f"{LETTERS[pit]} has {number} seeds: it sows round the board and skips itself."
            yield Fact("lap", text, seat, moves=(pit % 6,), pits=(pit,), seeds=number)


def weak(game: Game) -> Iterator[Fact]:
    """The pits of one or two seeds."""
    seats: tuple[Seat, Seat] = (0, 1)
    for seat in seats:
        pits = tuple(pit for pit in range(6 * seat, 6 * seat + 6) if game.pits[pit] in (1, 2))
        if pits:
            names = listed([LETTERS[pit] for pit in pits])
            verb, them = ("hold", "them") if len(pits) > 1 else ("holds", "it")
            text = f"{SEATS[seat]}'s {names} {verb} 1 or 2 seeds"
            text += f": a last seed would make {them} 2 or 3."
            yield Fact("weak", text, seat, pits=pits)


def of_capture(kind: FactKind, text: str, capture: Capture) -> Fact:
    """A fact about a capture."""
    return Fact(kind, text, capture.seat, (capture.move,), capture.pits, capture.seeds)


def rows(game: Game) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The mover's pits and the opponent's, each in sowing order."""
    south, north = game.pits[:6], game.pits[6:]
    return (north, south) if game.to_move else (south, north)
