"""Tables of the study: made by a paper's own function, written as CSV, Markdown and LaTeX."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from causal_bandits.metrics import Results
from causal_bandits.runs import whole


def tabulate(job: Mapping[str, Any], inputs: Mapping[str, Any], outputs: Sequence[str | Path]) -> None:
    """Make one table of a paper.

    Parameters
    ----------
    job : mapping
        ``paper`` (slug; its module ``tables`` has a dictionary ``TABLES`` of functions ``Results -> DataFrame``),
        ``item`` (key), ``experiments``.
    inputs : mapping
        As `Results.load`.
    outputs : sequence of path
        Ending in .csv, .md or .tex.
    """
    module = importlib.import_module(f"causal_bandits.papers.{job['paper']}.tables")
    frame = module.TABLES[job["item"]](Results.load(job["experiments"], inputs))
    writers = {
        ".csv": lambda: frame.to_csv(index=False, lineterminator="\n"),
        ".md": lambda: frame.to_markdown(index=False, disable_numparse=True) + "\n",
        ".tex": lambda: frame.to_latex(index=False, escape=True),
    }
    for output in outputs:
        with whole(output) as temporary:
            temporary.write_text(writers[Path(output).suffix]())
