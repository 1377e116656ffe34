"""Write ``codecheck.yml``, which lists all files that a whole run makes for readers, for an independent check.

Call: ``python -m replication.tools.manifest``, a part of `make reference`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from experiments.config import read_yaml
from experiments.files import whole
from experiments.study import Study

CONFIG = Path("config/config.yaml")
MANIFEST = Path("codecheck.yml")
HEADER = """\
---
# Made by `make reference` from the configuration: all that `make reproduce` makes for readers. Nobody has checked
# the study yet: whoever does adds codechecker, certificate, report, summary and check_time.
"""
#: The formats in which figures and tables are committed: see .gitignore.
KEPT = {"figures": "png", "tables": "csv"}


def outputs(study: Study) -> dict[str, str]:
    """Describe every figure, table and table of verdicts of a run at published scale, by path.

    Tidy tables and runs are left out, since figures, tables and verdicts follow from them.
    """
    found = {}
    for paper, settings in study.papers.items():
        for kind, suffix in KEPT.items():
            for name in study.wanted(paper, kind):
                caption = " ".join(str(settings[kind][name].get("caption", name)).split())
                found[f"figures/{paper}/{name}.{suffix}"] = f"{paper}: {caption}"
        found[f"results/{paper}/verdicts.csv"] = f"{paper}: one verdict per published number"
        found[f"results/{paper}/verdict_readings.csv"] = f"{paper}: the verdicts under each reading of the paper"
    found["results/verdicts.csv"] = "one verdict per published number, all papers"
    found["results/verdict_readings.csv"] = "the verdicts under each reading of the papers, all papers"
    found["results/verdicts.md"] = "verdicts counted by paper and basis"
    return found


def manifest(root: Path) -> str:
    """Return the text of the file for the checkout at ``root``."""
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    study = Study(read_yaml(root / CONFIG, str(CONFIG)), root)
    content: dict[str, Any] = {
        "version": "https://codecheck.org.uk/spec/config/1.0/",
        "paper": {
            "title": citation["title"],
            "authors": [{"name": author["name"]} for author in citation["authors"]],
        },
        "manifest": [{"file": file, "comment": what} for file, what in outputs(study).items()],
    }
    return HEADER + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file of the checkout in the working directory; return the exit status."""
    argparse.ArgumentParser(prog="python -m replication.tools.manifest", description=__doc__).parse_args(arguments)
    with whole(MANIFEST) as temporary:
        temporary.write_text(manifest(Path()), encoding="utf-8")
    print(f"manifest: {MANIFEST}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
