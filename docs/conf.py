"""Sphinx's settings: `make docs` builds docs/ into docs/_build/html, with every warning an error."""

import importlib.metadata
import sys
from pathlib import Path

import numba

sys.path.insert(0, str(Path(__file__).parent / "extensions"))
numba.config.DISABLE_JIT = True  # compiled loops are documented as the functions that they were written as

project = "Causal bandits, replicated"
author = "The causal-bandits study authors"
release = importlib.metadata.version("causal-bandits")
copyright = f"{author}, MIT licence; version {release}"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "entry_links",
]
exclude_patterns = ["_build", "extensions"]
templates_path = ["_templates"]
default_role = "py:obj"
suppress_warnings = [
    "ref.python",  # `play` in a docstring means the one nearby, and Sphinx asks which of two
    "myst.xref_missing",  # links to files and folders outside docs/; tests/test_links.py follows every link
]

# The API reference: one page per module, what is public in the order of the source.
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
numpydoc_show_class_members = False

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = project
html_show_sourcelink = False
html_theme_options = {"logo": {"text": "Causal bandits"}, "navigation_with_keys": False}
