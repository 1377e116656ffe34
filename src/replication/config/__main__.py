"""``python -m replication.config [paper ...]`` checks configuration and claims, and runs nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from replication.config import ConfigError, Study


def main(papers: list[str]) -> str | None:
    """Check the configuration of some papers, or of all; returns what is wrong, in one line, or None."""
    root = Path.cwd()
    try:
        config = yaml.safe_load((root / "config/config.yaml").read_text())
        Study({**config, "papers": papers or config["papers"]}, root).check()
    except (ConfigError, OSError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
