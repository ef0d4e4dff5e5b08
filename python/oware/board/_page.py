"""A game to be looked at move by move, as a page that needs nothing but a browser."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, cast, get_args

from oware._replacing import replacing
from oware.analysis import Review
from oware.board import _frames
from oware.board._arguments import replayable
from oware.render import svg
from oware.types import PageTheme

if TYPE_CHECKING:
    import os

    from oware._oware import Game
    from oware.records import Record


def text(name: str) -> str:
    """A file of the drawing."""
    return files("oware.board").joinpath(name).read_text(encoding="utf-8")


class Replay:
    """A game as a page with a slider; `oware.replay` makes it.

    In a notebook it shows itself, and goes on doing so without a kernel. `str` of it is the page.

    Example:
        >>> import oware
        >>> oware.replay(oware.Game.from_transcript("FfEe"))
        <oware.Replay: 4 plies>
    """

    def __init__(self, page: str, plies: int) -> None:
        self._page = page
        self._plies = plies

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which appears whole or not at all.

        Args:
            path: Where to; a file that is there is replaced.

        Raises:
            OSError: It cannot be written.

        Example:
            >>> import oware, pathlib, tempfile
            >>> file = pathlib.Path(tempfile.mkdtemp(), "game.html")
            >>> oware.replay(oware.Game.from_transcript("FfEe")).save(file)
            >>> file.read_text(encoding="utf-8")[:15]
            '<!doctype html>'
        """
        with replacing(path) as file:
            file.write(self._page)

    def __str__(self) -> str:
        """The page."""
        return self._page

    def __repr__(self) -> str:
        """How long the game is."""
        return f"<oware.Replay: {self._plies} plies>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which nothing around it can disturb."""
        return (
            f'<iframe srcdoc="{escape(self._page)}" sandbox="allow-scripts" title="Oware replay" '
            'style="width:100%;max-width:720px;height:430px;border:0"></iframe>'
        )


def replay(
    game: Game | Record, *, review: Review | None = None, title: str = "", theme: PageTheme = "auto"
) -> Replay:
    """Make a page that shows a game move by move, with a slider and keys.

    The page is one file of about 50 kB: it needs neither a kernel nor the network.

    Args:
        game: A game, finished or not, or a record.
        review: The ratings of its moves (`oware.analysis.review`), which are then shown.
        title: What stands above the board; the players' names when left empty.
        theme: Whether the page is light or dark; `"auto"` leaves it to the reader's browser.

    Returns:
        The page: it shows itself in a notebook, and `save(path)` keeps it.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: The theme is unknown.
        oware.records.RecordError: The moves of the record are not legal.

    Example:
        >>> import oware
        >>> page = oware.replay(oware.Game.from_transcript("FfEeCdAaBc"))
        >>> "https://" in str(page)
        False
    """
    shown, found = replayable(game)
    if review is not None and not isinstance(review, Review):
        raise TypeError(f"review must be an oware.analysis.Review, not {type(review).__name__}")
    if not isinstance(title, str):
        raise TypeError(f"title must be a str, not {type(title).__name__}")
    names = found or _frames.SEATS
    state = {
        "mode": "replay",
        "version": 0,
        "names": _frames.titles(names),
        "frames": _frames.frames(shown, names, review),
        "ply": 0,
    }
    heading = title or f"{names[0]} - {names[1]}"
    return Replay(_page(state, heading, svg(shown), _theme(theme)), len(shown.moves))


def _theme(theme: object) -> PageTheme:
    if not isinstance(theme, str) or theme not in get_args(PageTheme):
        raise ValueError(f"theme is {theme!r}; give 'auto', 'light', 'dark'")
    return cast("PageTheme", theme)


def _page(state: _frames.State, heading: str, picture: str, theme: PageTheme) -> str:
    # In a script, JSON may hold neither the end of the script nor the beginning of a comment.
    data = json.dumps(state, separators=(",", ":")).replace("<", "\\u003c")
    scheme = {"auto": "light dark", "light": "light", "dark": "dark"}[theme]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(heading)}</title>
<style>
:root {{ color-scheme: {scheme};
  --ground: light-dark(#fbf5ea, #22160d); --ink: light-dark(#2e1a0c, #f3e6cf); }}
body {{ margin: 0; padding: 10px; background: var(--ground); color: var(--ink); }}
main {{ max-width: 680px; margin: auto; }}
h1 {{ font: 600 17px/1.3 system-ui, sans-serif; margin: 0 6px 8px; }}
{text("board.css")}</style>
</head>
<body>
<main>
<h1>{escape(heading)}</h1>
<div id="board"><noscript>{picture}</noscript></div>
</main>
<script type="module">
{text("board.js")}
const state = {data};
const board = mount(document.getElementById("board"), {{
  state: () => state, send: () => {{}}, alone: true,
}});
</script>
</body>
</html>
"""
