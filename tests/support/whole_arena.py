"""The arena in one process: the jobs that Snakemake would start, one after another, and no rule."""

from pathlib import Path

import yaml

from experiments.experiment import make
from experiments.results import Results
from experiments.study import Study

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "src/arena/config"
#: The committed tables.
TABLES = ROOT / "src/arena/figures/arena"


def study(**scale):
    """The arena's study at a scale."""
    config = yaml.safe_load((CONFIG / "config.yaml").read_text())
    return Study(config | {"scale": config["scale"] | scale}, ROOT)


def play(arena, folder, names):
    """Play experiments into a folder."""
    for name in names:
        place = folder / name
        place.mkdir()
        inputs = {key: str(ROOT / path) for key, path in arena.inputs("arena", "experiments", name).items()}
        tables = (place / f"{kind}.parquet" for kind in ("runs", "curves", "finals"))
        make(arena.experiment_job("arena", name), inputs, *tables)


def load(arena, folder, kind, name):
    """What a figure or table reads of what was played into a folder."""
    job = arena.item_job("arena", kind, name)
    inputs = {of: [str(folder / e / f"{of}.parquet") for e in job.experiments] for of in ("curves", "finals")}
    return Results.load(job, inputs)
