"""What the rules share: the study's configuration, targets, and the inputs of each stage. Helper functions live here only."""

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

from causal_bandits.provenance import config_digest
from replication.pipeline.fork_server import start_server
from replication.pipeline.freshness import MARK, begin, outdated
from replication.pipeline.origin import is_other, of_file
from replication.pipeline.seals import is_broken
from replication.pipeline.slurm import SlurmError, watch_with_squeue
from replication.pipeline.time_limit import DEFAULT, LIMIT
from replication.config import ConfigError, Study, digest, read_yaml
from snakemake.exceptions import WorkflowError

# Where Snakemake puts what <results> and <figures> stand for.
RESULTS, FIGURES = (config.get("pathvars", {}).get(name, name) for name in ("results", "figures"))

if set("{}") & set(str(ROOT)):
    raise WorkflowError(f"{ROOT}: Snakemake reads braces in a path as a name's; expected a folder without them")
try:
    for file in map(Path, workflow.configfiles):
        read_yaml(file, str(file))  # Snakemake lets the last of two equal keys win
    study = Study(config, ROOT)
    if workflow.is_main_process:
        from replication.tools.planning.events import record_jobs
        from snakemake.logging import logger

        record_jobs(logger)  # `make progress` reads the record
        study.check()
        begin([Path(RESULTS), Path(FIGURES), ROOT / "data"])
except ConfigError as error:
    raise WorkflowError(str(error)) from None
# Jobs inherit it. In no job's params: another limit plays nothing again.
os.environ.pop(LIMIT, None)
if (limit := config.get("time_limit", DEFAULT)) is not None:
    os.environ[LIMIT] = str(limit)


onstart:
    # Snakemake limits how many jobs start in a second, and to that end looks at all waiting jobs once a second for every
    # job that has ended: after 300 jobs that takes a fifth of a core. No option switches it off
    # (docs/upstream/snakemake-job-rate-limiter.md). Here as many jobs start as there are cores.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
        # An environment of each job's own has its own Python.
        if not workflow.deployment_settings.deployment_method:
            workflow.fork_server = start_server()
    elif workflow.executor_plugin.name == "slurm":
        try:
            watch_with_squeue(
                sys.modules["snakemake_executor_plugin_slurm"],
                workflow.executor_settings.init_seconds_before_status_checks,
            )
        except SlurmError as error:
            raise WorkflowError(str(error)) from None


wildcard_constraints:
    paper="|".join(study.papers),
    # The folders of stages are no experiments, though a stage may have a table of curves too.
    experiment=r"(?!(?:data|discovery|bounds)\b)[a-z][a-z0-9_]*",
    policy="[a-z][A-Za-z0-9_,=.+-]*",
    first="[0-9]+",
    last="[0-9]+",
    item="[a-z][a-z0-9_]*",
    name="[a-z][a-z0-9_]*",


@cache
def code(*paths):
    """Digest of the package modules behind import paths, and of all that they import."""
    return digest(*paths)


@cache
def content(file):
    """Digest of a file of the checkout."""
    return of_file(ROOT / file)


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
    files = {**study.stage_files(paper), "costs": "data/reference/jobs.csv"}
    return result_files(paper, study.wanted(paper, "experiments"), files)


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


def made_from(kind, script, wildcards):
    """Digest of all that a figure or table is made from: what it shows, the code, and what the checkout gives."""
    paper = wildcards.paper
    codes = code(ITEM_CODE[kind], module(paper, kind))
    return config_digest(
        [study.item_job(paper, kind, wildcards.item), codes, contents(script, item_files(kind, wildcards))]
    )


# Snakemake knows what made a file only as long as its own records lie beside it. Results say it themselves, and a job
# whose output says something else has to run, whatever the records say or whether there are any.


def unless(is_right, *outputs):
    """The mark, which makes a job run whose outputs are not right (see `freshness`)."""
    if is_right:
        return ancient(str(MARK))
    outdated(outputs)
    return str(MARK)


def unless_made(table, origin):
    """Input that makes a job run again whose table is of other code or of another configuration."""
    return unless(not is_other(table, origin), table)


def unless_sealed(files, name, digest):
    """Input that makes files again that are not what their seal says, or that have none."""
    placed = [file.replace("<results>", RESULTS).replace("<figures>", FIGURES) for file in files]
    return unless(not is_broken(placed, f"{RESULTS}/{name}.json", digest), *placed)


def unless_item_sealed(kind, script, wildcards):
    """The same for a figure or table."""
    paper, item = wildcards.paper, wildcards.item
    files, name = ITEM_FILES[kind](paper, item), f"{paper}/seals/{kind}/{item}"
    return unless_sealed(files, name, made_from(kind, script, wildcards))


def verdict_tables(paper=""):
    """Both tables of verdicts of a paper; those of all papers have a summary."""
    files = (
        ("verdicts.csv", "verdict_readings.csv") if paper else ("verdicts.csv", "verdict_readings.csv", "verdicts.md")
    )
    return [str(Path("<results>", paper, file)) for file in files]


def verdicts_made_from(wildcards):
    """Digest of all that a paper's verdicts are made from."""
    codes = code("replication.judging.verdicts", module(wildcards.paper, "claims"))
    return config_digest([study.verdicts_job(wildcards.paper), codes, contents("verdicts", verdict_files(wildcards))])


def all_verdicts_made_from():
    """Digest of all that the tables of all papers' verdicts are made from, but for the verdicts."""
    published = {paper: f"data/published/{paper}.csv" for paper in study.papers}
    return config_digest([code("replication.judging.verdict_tables"), contents("all_verdicts", published)])


def run_file(wildcards):
    w = wildcards
    return f"{RESULTS}/{w.paper}/{w.experiment}/runs/{w.policy}/{w.first}-{w.last}.parquet"


def figure_files(paper, name):
    return [f"<figures>/{paper}/{name}.{suffix}" for suffix in ("pdf", "png", "svg")]


def table_files(paper, name):
    return [f"<figures>/{paper}/{name}.{suffix}" for suffix in ("csv", "md", "tex")]


ITEM_FILES = {"figures": figure_files, "tables": table_files}
ITEM_CODE = {"figures": "replication.drawing.plotting", "tables": "replication.drawing.tabulate"}


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
