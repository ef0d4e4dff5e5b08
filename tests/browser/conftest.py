from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lab import CHROMIUM, FLAGS, LATE, PATIENCE, Cell, Lab, Notebook, named
from nbformat.v4 import new_code_cell
from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

VIEWPORT: Any = {"width": 1000, "height": 900}


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    server = Lab(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def seen() -> list[str]:
    """Errors on the console, and requests to anywhere but the server."""
    return []


@pytest.fixture(scope="session")
def tab(lab: Lab, seen: list[str]) -> Iterator[Page]:
    own = (
        f"http://127.0.0.1:{lab.port}/",
        f"ws://127.0.0.1:{lab.port}/",
        "data:",
        "blob:",
        "file:",
    )

    def asked(request: Any) -> None:
        if not request.url.startswith((*own, "about:")):
            seen.append(f"request to {request.url}")

    def complaint(text: str) -> None:
        # On a busy machine a script takes longer than anywidget waits. The boards work even so.
        if LATE not in text:
            seen.append(text)

    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = chromium.new_context(viewport=VIEWPORT, reduced_motion="reduce")
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.on("console", lambda said: complaint(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaint(str(error)))
        context.on("request", asked)
        yield page
        chromium.close()


@pytest.fixture
def page(tab: Page, seen: list[str]) -> Iterator[Page]:
    """The page, without complaints during the test."""
    seen.clear()
    yield tab
    tab.set_viewport_size(VIEWPORT)
    tab.emulate_media(reduced_motion="reduce")
    assert seen == []


@pytest.fixture(scope="session")
def notebook(lab: Lab, tab: Page, request: pytest.FixtureRequest) -> Notebook:
    """One notebook with the cells of all tests, run from top to bottom."""
    cells = [
        new_code_cell(named(item.get_closest_marker("cell").args[0], index))
        for index, item in enumerate(cells_of(request.session))
    ]
    return Notebook(lab, tab, "boards.ipynb", cells)


def cells_of(session: pytest.Session) -> list[Any]:
    return [item for item in session.items if item.get_closest_marker("cell")]


@pytest.fixture
def cell(notebook: Notebook, page: Page, request: pytest.FixtureRequest) -> Iterator[Cell]:
    """The test's own cell; with `--screenshots FOLDER`, pictured at the end."""
    own = Cell(notebook, cells_of(request.session).index(request.node))
    own.enter()
    yield own
    folder: Path | None = request.config.getoption("--screenshots")
    if folder and page.url != "about:blank":
        own.place.screenshot(path=folder / f"{request.node.name}.png")


def pytest_addoption(parser: pytest.Parser) -> None:
    from pathlib import Path

    parser.addoption("--screenshots", type=Path, help="folder for pictures of the boards")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cell(source): the code of the test's notebook cell")
