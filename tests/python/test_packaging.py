from __future__ import annotations

import ast
import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import oware

ROOT = Path(__file__).parents[2]
PACKAGE = Path(oware.__file__).parent
# How numbers are checked, missing extras and unknown names told, and what lies beside the adapters.
FOR_ADAPTERS = ("oware._counts.", "oware._missing.", "oware._unknown.", "oware.adapters._")


def imported_modules(statement: str) -> set[str]:
    """The modules that a fresh interpreter has after a statement."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def imported_packages(statement: str) -> set[str]:
    """The packages outside the standard library that a fresh interpreter has after a statement."""
    packages = {name.partition(".")[0] for name in imported_modules(statement)}
    return packages - sys.stdlib_module_names


def test_the_installed_package_is_typed() -> None:
    package = importlib.resources.files("oware")
    assert (package / "py.typed").is_file()
    assert (package / "_oware.pyi").is_file()


def test_there_is_one_version() -> None:
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    assert version is not None
    assert oware.__version__ == version[1]
    assert importlib.metadata.version("oware") == version[1]


def test_the_citation_names_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {oware.__version__}\n" in citation


def test_importing_oware_imports_nothing_but_numpy_and_gymnasium() -> None:
    with_dependencies = imported_packages("import gymnasium, gymnasium.vector, numpy")
    assert imported_packages("import oware") - with_dependencies == {"oware"}


def test_what_takes_long_to_import_is_imported_when_it_is_used() -> None:
    later = {"oware.analysis", "oware.arena", "oware.board"}
    assert not later & imported_modules("import oware")
    for name in ("analysis", "arena", "Replay", "replay"):
        module = "oware.board" if name.lower() == "replay" else f"oware.{name}"
        for statement in (f"import oware; oware.{name}", f"from oware import {name}"):
            assert later & imported_modules(statement) >= {module}, statement
        assert name in oware.__all__
        assert name in dir(oware)


def test_a_name_that_there_is_not_is_said() -> None:
    with pytest.raises(AttributeError, match="module 'oware' has no attribute 'boards'"):
        oware.boards  # noqa: B018


def names_imported(source: Path) -> set[str]:
    """The full names of all that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def is_public(name: str) -> bool:
    return not any(re.match("_(?!_)", part) for part in name.split("."))


def test_adapters_and_the_widget_use_public_names_and_no_other_adapter() -> None:
    adapters = sorted((PACKAGE / "adapters").glob("*.py"))
    assert PACKAGE / "adapters" / "torch.py" in adapters
    for source in [*adapters, PACKAGE / "widget.py"]:
        for name in names_imported(source):
            if not name.startswith("oware.") or name.startswith(FOR_ADAPTERS):
                continue
            assert is_public(name), f"{source.name} imports {name}"
            assert not name.startswith("oware.adapters"), f"{source.name} imports {name}"


def test_nothing_but_adapters_uses_adapters() -> None:
    for source in PACKAGE.rglob("*.py"):
        if source.parent.name != "adapters":
            named = {name for name in names_imported(source) if name.startswith("oware.adapters")}
            assert not named, source


def test_the_hard_dependencies_are_these() -> None:
    requirements = [Requirement(text) for text in importlib.metadata.requires("oware") or ()]
    hard = {r.name for r in requirements if r.marker is None or "extra" not in str(r.marker)}
    assert hard == {"gymnasium", "numpy", "platformdirs", "rich", "tqdm", "typer"}
    # Others pin these, too, so an upper bound here would shut oware out of their environments.
    for requirement in requirements:
        assert all(bound.operator == ">=" for bound in requirement.specifier), requirement


def test_the_licences_are_installed() -> None:
    metadata = importlib.metadata.metadata("oware")
    assert metadata["License-Expression"] == "MIT OR Apache-2.0"
    names = ["LICENSE-APACHE", "LICENSE-MIT"]
    assert sorted(metadata.get_all("License-File") or ()) == names
    installed = importlib.metadata.files("oware") or []
    for name in names:
        [path] = [file for file in installed if file.name == name]
        text = path.read_text(encoding="utf-8")
        assert text == (ROOT / name).read_text(encoding="utf-8")


def test_the_command_is_installed() -> None:
    [script] = [s for s in importlib.metadata.entry_points(name="oware") if s.dist is not None]
    assert script.group == "console_scripts"
    assert callable(script.load())


def test_the_players_are_there_without_an_import_of_theirs() -> None:
    program = "import oware; print(oware.agents.named('greedy', rules='abapa') is not None)"
    subprocess.run([sys.executable, "-c", program], check=True)
