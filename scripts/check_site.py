"""Fail where a built site lacks a public name, or has a link that leads nowhere.

The argument is the folder of the site. Links to other sites are left alone.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.util.inventory import InventoryFile

ROOT = Path(__file__).parents[1]
FROM_OTHERS = ("http", "https", "mailto", "data", "javascript")


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        found = dict(attrs)
        if anchor := found.get("id"):
            self.anchors.add(anchor)
        for attribute in ("href", "src"):
            if (link := found.get(attribute)) and (tag, attribute) != ("base", "href"):
                self.links.append(link)


def read(path: Path) -> Page:
    """A page."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def dead_links(site: Path) -> list[str]:
    """The links within the site that lead nowhere, each with its page."""
    pages = {path.resolve(): read(path) for path in site.rglob("*.html")}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in FROM_OTHERS or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages.get(target)
            missing = parts.fragment and known and parts.fragment not in known.anchors
            if not target.exists() or missing:
                dead.append(f"{path.relative_to(site.resolve())}: {link}")
    return dead


def names_of_adapters() -> set[str]:
    """Every public name of the adapters, read and not imported, as frameworks may be missing."""
    return {
        f"oware.adapters.{path.stem}.{name}"
        for path in (ROOT / "python" / "oware" / "adapters").glob("[!_]*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        for name in ast.literal_eval(node.value)
    }


def public_names() -> set[str]:
    """Every public name of the modules that the tests of the docstrings list."""
    sys.path.insert(0, str(ROOT / "tests" / "python"))
    modules = importlib.import_module("test_docstrings").MODULES
    names = set()
    for module_name in modules:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            if not inspect.ismodule(getattr(module, name)):
                names.add(f"{module_name}.{name}")
    return names


def missing_names(site: Path) -> list[str]:
    """The public names that the reference lacks."""
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    known = {name for kind, names in inventory.data.items() if kind[:3] == "py:" for name in names}
    # What has a place at the top is told there.
    elsewhere = {name for name in public_names() if f"oware.{name.rpartition('.')[2]}" in known}
    return sorted((public_names() - elsewhere | names_of_adapters()) - known)


def main() -> int:
    """Check the site in the folder that is given."""
    site = Path(sys.argv[1])
    problems = [f"dead link in {link}" for link in dead_links(site)]
    problems += [f"not in the reference: {name}" for name in missing_names(site)]
    print("\n".join(problems) or f"{site}: every link leads somewhere, every public name is there")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
