"""``python -m replication [paper ...]`` checks configuration and claims, and runs nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from experiments.checks import check
from experiments.errors import ConfigError
from experiments.loading import read_yaml
from experiments.study import Study
from replication.judging.binding import check_claims


def main(papers: list[str]) -> str | None:
    """Check the configuration of some papers, or of all; returns what is wrong, in one line, or None."""
    root = Path.cwd()
    try:
        config = read_yaml(root / "config/config.yaml", "config/config.yaml")
        study = Study({**config, "papers": papers or config["papers"]}, root)
        check(study)
        check_claims(study)
    except ConfigError as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
