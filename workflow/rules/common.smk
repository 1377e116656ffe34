"""What the rules share: the study's configuration, and helpers of their inputs."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

# The checkout: jobs run the code next to these rules, with linear algebra on one thread, so that results do not depend on
# the number of cores.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).resolve().parents[1]
if set("{}") & set(str(ROOT)):
    raise WorkflowError(f"{ROOT}: Snakemake interprets braces as wildcards; expected a folder without them")
sys.path.insert(0, str(ROOT / "src"))
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

from experiments.settings import ConfigError
from experiments.config import STAGES, read_yaml
from experiments.key import compiled_folder
from experiments.study import Study

try:
    # A workflow that uses this one as a module may give only the settings that differ.
    whole = read_yaml(ROOT / "config/config.yaml", "config/config.yaml")
    update_config(whole, config)
    study = Study(whole, ROOT)
except ConfigError as error:
    raise WorkflowError(str(error)) from None

# Jobs import the code of the checkout, and papers of one's own from where they are.
OWN = [home.root for home in study.homes.values() if home.own]
os.environ.update(PYTHONPATH=os.pathsep.join(dict.fromkeys(map(str, [ROOT / "src", *(root.parent for root in OWN)]))))

# LLVM's level 2: with level 3, numba's default, loops give the same bits and run no faster, and compiling takes longer.
os.environ.update(NUMBA_CACHE_DIR=str(compiled_folder(OWN)), NUMBA_OPT="2")


def check_configuration():
    """Check all papers' configuration; not for a plan, because it imports every algorithm and problem."""
    from experiments.checks import check

    check(study)


# The checks before the first job of a run.
checks = [check_configuration]


onstart:
    try:
        for check in checks:
            check()
    except ConfigError as error:
        raise WorkflowError(str(error)) from None


wildcard_constraints:
    paper="|".join(study.papers),
    stage="|".join(STAGES),
    experiment=rf"(?!(?:{'|'.join(STAGES)})\b)[a-z][a-z0-9_]*",
    item="[a-z][a-z0-9_]*",
    name="[a-z][a-z0-9_]*",


def files_of(paper, inputs):
    """Return a job's inputs by name; times of files that no job makes are ignored: their contents are in its key."""
    root = study.homes[paper].root
    return {name: path if path.startswith("<") else unmade(root / path) for name, path in inputs.items()}


def unmade(path):
    """Return the path of a file that no job makes, relative to the folder in which Snakemake works."""
    return ancient(os.path.relpath(path))


def results_of(paper, experiments, inputs):
    """Return inputs: tidy tables of experiments, published numbers if there are any, and other files by name."""
    if study.published(paper).exists():
        inputs = {**inputs, "published": study.homes[paper].published}
    return {
        "curves": [f"<results>/{paper}/{experiment}/curves.parquet" for experiment in experiments],
        "finals": [f"<results>/{paper}/{experiment}/finals.parquet" for experiment in experiments],
        **files_of(paper, inputs),
    }


def item_files(paper, kind, name):
    """Return the files of one figure or table."""
    suffixes = {"figures": study.figure_formats, "tables": ("csv", "md", "tex")}[kind]
    return [f"<figures>/{paper}/{name}.{suffix}" for suffix in suffixes]


def item_targets(paper):
    """Return the files by target, for all figures and tables of a paper; a figure and a table of one name share a target."""
    targets = {}
    for kind in ("figures", "tables"):
        for name in study.papers[paper].get(kind, {}):
            targets.setdefault(f"{paper}_{name}", []).extend(item_files(paper, kind, name))
    return targets


def paper_files(paper):
    """Return the items and tidy tables that a paper's target makes."""
    items = [
        f for kind in ("figures", "tables") for name in study.wanted(paper, kind) for f in item_files(paper, kind, name)
    ]
    return items + [f"<results>/{paper}/{name}/finals.parquet" for name in study.wanted(paper, "experiments")]
