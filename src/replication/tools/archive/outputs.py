"""List the files that the study makes for a reader, from its configuration."""

from __future__ import annotations

from pathlib import Path

from experiments.loading import read_yaml
from experiments.study import Study

CONFIG = Path("config/config.yaml")
#: What a figure and a table are kept as: see .gitignore.
KEPT = {"figures": "png", "tables": "csv"}


def read_study(root: Path) -> Study:
    """Return the study as it runs by default.

    Raises
    ------
    ConfigError
        If its configuration is wrong.
    """
    return Study(read_yaml(root / CONFIG, str(CONFIG)), root)


def outputs(study: Study) -> dict[str, str]:
    """List every figure, table and table of verdicts of a run at published scale: what it is, by path.

    Tidy tables and runs are left out: figures, tables and verdicts follow from them.
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
