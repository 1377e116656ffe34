"""Print a line for each step of a quiet build."""

import os
import time

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

_BEGAN = time.monotonic()


def _reading(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    print(f"docs: reading {len(pages)} pages and running the tutorials, a minute or two", flush=True)


def _writing(app: Sphinx, env: BuildEnvironment) -> list[str]:
    print(f"docs: writing pages, after {time.monotonic() - _BEGAN:.0f} s", flush=True)
    return []


def _written(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        print(f"docs: {os.path.relpath(app.outdir)}/index.html, after {time.monotonic() - _BEGAN:.0f} s", flush=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Print before and after the slow steps."""
    app.connect("env-before-read-docs", _reading)
    app.connect("env-updated", _writing)
    app.connect("build-finished", _written, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
