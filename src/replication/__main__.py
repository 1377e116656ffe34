"""Check the configuration and the claims of some papers, or of all, without running anything.

Usage: ``python -m replication [paper ...]``; a paper is a slug, or the path of a folder outside the study.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from experiments.checks import check
from experiments.config import checkout, read_yaml
from experiments.settings import ConfigError
from experiments.study import Study
from replication.judging.binding import check_claims


def main(arguments: Sequence[str] | None = None) -> str | None:
    """Check the configuration of some papers, or of all; return the first error in one line, or None."""
    parser = argparse.ArgumentParser(prog="python -m replication", description=__doc__)
    parser.add_argument(
        "papers", nargs="*", metavar="paper", help="slug of a paper, or the path of its folder (default: all papers)"
    )
    papers = parser.parse_args(arguments).papers
    root = checkout().resolve()
    try:
        config = read_yaml(root / "config/config.yaml", "config/config.yaml")
        study = Study({**config, "papers": papers or config["papers"]}, root)
        check(study)
        for paper, number in check_claims(study).items():
            found = {kind: len(study.declared[paper].get(kind, ())) for kind in ("experiments", "figures", "tables")}
            told = [_counted(count, kind) for kind, count in {**found, "claims": number}.items() if count]
            print(f"{paper}: {', '.join(told)}{'' if number else ', no claims yet'}")
    except ConfigError as error:
        return str(error)
    return None


def _counted(count: int, things: str) -> str:
    return f"{count} {things if count > 1 else things[:-1]}"


if __name__ == "__main__":
    sys.exit(main())
