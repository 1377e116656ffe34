"""What the rules share: the study's configuration, targets, and the inputs of each stage. Helper functions live here only."""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

ROOT = Path(workflow.basedir)

# The study runs the code that lies beside it, whatever else is installed; jobs inherit both settings.
sys.path.insert(0, str(ROOT / "src"))
# Linear algebra on one thread: results must not depend on how many cores a job finds.
os.environ.update(PYTHONPATH=str(ROOT / "src"), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
# Every job imports the package: without bytecode beside it each would compile the sources again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from replication.pipeline.fork_server import fork_from_one
from replication.config import ConfigError, Study, digest, read_yaml
from snakemake.exceptions import WorkflowError

if set("{}") & set(str(ROOT)):
    raise WorkflowError(f"{ROOT}: Snakemake reads braces in a path as a name's; expected a folder without them")
try:
    for file in map(Path, workflow.configfiles):
        read_yaml(file, str(file))  # Snakemake lets the last of two equal keys win
    study = Study(config, ROOT)
    if workflow.is_main_process:
        study.check()
except ConfigError as error:
    raise WorkflowError(str(error)) from None


onstart:
    # Snakemake limits how many jobs start in a second, and to that end looks at all waiting jobs once a second for every
    # job that has ended: after 300 jobs that takes a fifth of a core. Here as many start as there are cores.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
        # An environment of each job's own has its own Python.
        if not workflow.deployment_settings.deployment_method:
            workflow.jobs_fork_from = fork_from_one()


wildcard_constraints:
    paper="|".join(study.papers),
    experiment="[a-z][a-z0-9_]*",
    policy="[a-z][A-Za-z0-9_,=.+-]*",
    first="[0-9]+",
    last="[0-9]+",
    item="[a-z][a-z0-9_]*",
    name="[a-z][a-z0-9_]*",


@cache
def job(paper, experiment, policy):
    """Everything that a policy's runs depend on: settings and the digest of the code."""
    return study.simulate_job(paper, experiment, policy)


@cache
def code(*paths):
    """Digest of the package modules behind import paths, and of all that they import."""
    return digest(*paths)


@cache
def content(file):
    """Digest of a file of the checkout."""
    return hashlib.blake2b((ROOT / file).read_bytes(), digest_size=8).hexdigest()


# Whatever the checkout gives a job counts by what it holds. Snakemake would go by times, and a touch, or results copied
# into a fresh clone, would play everything again. So such inputs are `ancient`, which hides their times, and every job's
# params have their contents and that of its script; profiles/ switch off the trigger `code`, which is a script's time.


def of_checkout(path):
    return isinstance(path, str) and not path.startswith("<")


def given(inputs):
    """A job's inputs by name, those of the checkout without their times (see `contents`)."""
    return {name: ancient(path) if of_checkout(path) else path for name, path in inputs.items()}


def contents(script, inputs):
    """What a job's script holds, and those of its inputs by name that the checkout gives."""
    files = [f"workflow/scripts/{script}.py", *filter(of_checkout, inputs.values())]
    return {file: content(file) for file in files}


def module(paper, name):
    return f"replication.papers.{paper}.{name}"


def settings(paper):
    return study.papers[paper]


def runs_of(paper, experiment):
    """The files of runs of all policies and batches of an experiment."""
    folder = f"<results>/{paper}/{experiment}/runs"
    return [
        f"{folder}/{policy}/{first}-{last}.parquet"
        for policy in settings(paper)["experiments"][experiment]["policies"]
        for first, last in study.blocks(paper, experiment, policy)
    ]


def result_files(paper, experiments, files):
    """Inputs of an item or of the verdicts: tidy tables of experiments, published numbers, and other files by name."""
    return {
        "curves": [f"<results>/{paper}/{experiment}/curves.parquet" for experiment in experiments],
        "finals": [f"<results>/{paper}/{experiment}/finals.parquet" for experiment in experiments],
        "published": f"data/published/{paper}.csv",
        **files,
    }


def item(paper, kind, name):
    """The settings of one figure or table."""
    return settings(paper)[kind][name]


def item_files(kind, wildcards):
    entry = item(wildcards.paper, kind, wildcards.item)
    return result_files(wildcards.paper, entry.get("experiments", []), entry.get("inputs", {}))


def verdict_files(wildcards):
    paper = wildcards.paper
    return result_files(paper, study.wanted(paper, "experiments"), study.stage_files(paper))


def item_inputs(kind):
    """Input function of the rule that makes figures or tables."""

    def inputs(wildcards):
        return given(item_files(kind, wildcards))

    return inputs


def item_params(kind):
    """Params function of the rule that makes figures or tables."""

    def params(wildcards):
        return study.item_job(wildcards.paper, kind, wildcards.item)

    return params


def item_contents(kind, script):
    """Params function of the rule that makes figures or tables; see `contents`."""

    def params(wildcards):
        return contents(script, item_files(kind, wildcards))

    return params


def figure_files(paper, name):
    return [f"<figures>/{paper}/{name}.{suffix}" for suffix in ("pdf", "png", "svg")]


def table_files(paper, name):
    return [f"<figures>/{paper}/{name}.{suffix}" for suffix in ("csv", "md", "tex")]


ITEM_FILES = {"figures": figure_files, "tables": table_files}


def item_targets(paper):
    """Target name to files, for every figure and table of a paper; a figure and a table of one name are one target."""
    targets = {}
    for kind, files in ITEM_FILES.items():
        for name in settings(paper).get(kind, {}):
            targets.setdefault(f"{paper}_{name}", []).extend(files(paper, name))
    return targets


def paper_targets(paper):
    """Everything that a paper's target makes: the items and tidy tables that are wanted, and the verdicts."""
    items = [
        file for kind, files in ITEM_FILES.items() for name in study.wanted(paper, kind) for file in files(paper, name)
    ]
    experiments = study.wanted(paper, "experiments")
    tidy = [f"<results>/{paper}/{name}/{table}.parquet" for name in experiments for table in ("curves", "finals")]
    return [*items, *tidy, f"<results>/{paper}/verdicts.csv", f"<results>/{paper}/verdict_readings.csv"]
