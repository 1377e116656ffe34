"""Sphinx's settings: `make docs` builds docs/ into docs/_build/html, offline and with every warning an error."""

import importlib.metadata
import sys
from pathlib import Path

import numba

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))
numba.config.DISABLE_JIT = True  # compiled loops are documented as the functions that they were written as

project = "Causal bandits, replicated"
author = "The causal-bandits study authors"
release = importlib.metadata.version("causal-bandits")
copyright = f"{author}, MIT licence; version {release}"

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "excerpts",
    "formulas",
    "full_size",
    "mathml",
    "outcomes",
    "progress",
    "source_pages",
    "study_pages",
    "entry_links",
]
exclude_patterns = ["_build", "extensions", "api/generated/causal_bandits.rst"]
templates_path = ["_templates"]
root_doc = "index"
default_role = "py:obj"
suppress_warnings = [
    "ref.python",  # `play` in a docstring means the one nearby, and Sphinx asks which of two
]

# The API reference: one page per module, what is public in the order of the source.
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
numpydoc_show_class_members = False

# Prose and notebooks.
myst_enable_extensions = ["attrs_block", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_title_to_header = True
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True

html_theme = "pydata_sphinx_theme"
html_title = project
html_last_updated_fmt = "%Y-%m-%d"
html_static_path = ["_static"]
html_css_files = ["study.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "Causal bandits"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["last-updated"],
}
