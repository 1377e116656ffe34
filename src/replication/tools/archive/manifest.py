"""Write ``codecheck.yml``, the list of outputs to check, in CODECHECK's form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from experiments.atomic import whole
from replication.tools.archive.outputs import outputs, read_study

MANIFEST = Path("codecheck.yml")
HEADER = """\
---
# Made by `make reference` from the configuration: all that `make reproduce` makes for a reader. Nobody has checked
# the study yet: whoever does adds codechecker, certificate, report, summary and check_time.
"""


def manifest(root: Path) -> str:
    """Return the text of the file.

    Parameters
    ----------
    root : Path
        The top folder, with ``CITATION.cff`` and ``config/``.
    """
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    content: dict[str, Any] = {
        "version": "https://codecheck.org.uk/spec/config/1.0/",
        "paper": {
            "title": citation["title"],
            "authors": [{"name": author["name"]} for author in citation["authors"]],
        },
        "manifest": [{"file": file, "comment": what} for file, what in outputs(read_study(root)).items()],
    }
    return HEADER + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def write_manifest(root: Path) -> None:
    """Write the file."""
    with whole(root / MANIFEST) as temporary:
        temporary.write_text(manifest(root), encoding="utf-8")
