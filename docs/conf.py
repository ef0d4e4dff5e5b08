"""How Sphinx makes the site: `make docs`."""

from __future__ import annotations

import shutil
from pathlib import Path

import oware

HERE = Path(__file__).parent
# Sphinx reads what lies below its own folder, and nothing else.
NOTEBOOKS = HERE / "notebooks"
shutil.rmtree(NOTEBOOKS, ignore_errors=True)
shutil.copytree(HERE.parent / "notebooks", NOTEBOOKS, ignore=shutil.ignore_patterns(".*"))

project = "oware"
author = "The oware authors"
copyright = author  # noqa: A001
version = release = oware.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
# The notebooks are committed as run, and the tests run them again.
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
# A plain block of text is no Python.
highlight_language = "text"
# Docstrings write names and values in single backticks.
default_role = "code"

# The adapters are documented without their frameworks, which are large.
autodoc_mock_imports = [
    "filelock",
    "jax",
    "ray",
    "stable_baselines3",
    "tensordict",
    "torch",
    "torchrl",
]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"oware {release}"
html_logo = "pictures/board.svg"
html_static_path: list[str] = []
html_show_sphinx = False
html_theme_options = {"sidebar_hide_name": True}
# Nothing is fetched from elsewhere when a page is read.
html_copy_source = False
