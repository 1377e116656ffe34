"""Specify the study's jobs, each with the digest of the code that it will run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from causal_bandits.policies.registry import import_path
from causal_bandits.provenance import code_digest, package_versions
from replication.config import others
from replication.config.loading import STAGES
from replication.config.settings import hyper_parameters, options_of, settings_of

if TYPE_CHECKING:  # they load NumPy and more, which a reader of the configuration does not need
    from replication.judging.verdicts import VerdictsJob
    from replication.pipeline.aggregate import AggregateJob
    from replication.pipeline.origin import Origin
    from replication.pipeline.results import ItemJob, Origins
    from replication.pipeline.runs import RunsExpected
    from replication.pipeline.simulate import RunConfiguration, SimulateJob
    from replication.pipeline.stages import StageJob

_PAPERS = "replication.papers"


@cache
def digest(*paths: str) -> str:
    """Digest the modules behind import paths ``module:name``.

    It takes in all that they import from their packages. Once per process: a plan of the study is of one state of the
    code.
    """
    modules = [path.partition(":")[0] for path in paths]
    return code_digest(modules) if all(map(others.is_ours, modules)) else others.code_digest(modules)


def problems_of(paper: str) -> str:
    """Return import path of a paper's dictionary of problems."""
    return f"{_PAPERS}.{paper}.problems:PROBLEMS"


def builders_of(paper: str, stage: str) -> str:
    """Return import path of a paper's dictionary of builders for a stage."""
    return f"{_PAPERS}.{paper}.{stage}:{stage.upper()}"


def stage_files(paper: str, stages: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Name the tables of stages before the simulation ``<stage>_<name>``; returns path by name."""
    return {
        f"{stage}_{name}": f"<results>/{paper}/{stage}/{name}.parquet"
        for stage in STAGES
        for name in stages.get(stage, ())
    }


def stage_job(paper: str, stage: str, name: str, entry: Mapping[str, Any], seed: int) -> StageJob:
    """Specify the job that makes one table before the simulation."""
    builders = builders_of(paper, stage)
    return {
        "name": f"{paper}/{stage}/{name}",
        "builders": builders,
        "builder": entry["builder"],
        "options": entry.get("options", {}),
        "replicates": entry.get("replicates", 1),
        "root_seed": seed,
        "code": digest("replication.pipeline.stages", builders),
        "versions": package_versions(),
    }


def simulate_job(
    paper: str,
    name: str,
    experiment: Mapping[str, Any],
    label: str,
    seed: int,
    sources: Mapping[str, str],
) -> SimulateJob:
    """Specify the jobs that play one policy of one experiment."""
    configuration = _configuration(paper, name, experiment, label, seed)
    paths = [configuration["algorithm"], configuration["problems"]]
    if configuration["problems"] == others.BUILDERS:
        paths.append(configuration["problem"])
    code = digest("replication.pipeline.simulate", *paths)
    versions = package_versions()
    if not all(others.is_ours(path.partition(":")[0]) for path in paths):
        versions |= others.versions_of(paths)
    return {**configuration, "sources": sources, "code": code, "versions": versions}


def _configuration(paper: str, name: str, experiment: Mapping[str, Any], label: str, seed: int) -> RunConfiguration:
    policy = experiment["policies"][label]
    problems, problem = problems_of(paper), experiment["problem"]
    if others.is_family(paper, problem):
        problems, problem = others.BUILDERS, others.families()[problem].path
    return {
        "experiment": f"{paper}/{name}",
        "problems": problems,
        "problem": problem,
        "options": options_of(experiment, policy),
        "seeds_per_draw": experiment.get("seeds_per_draw"),
        "arms": policy["arms"],
        "policy": label,
        "algorithm": import_path(policy["algorithm"]),
        "parameters": policy["parameters"],
        "settings": settings_of(experiment, policy),
        "horizon": experiment["horizon"],
        "checkpoints": experiment.get("checkpoints", 100),
        "root_seed": seed,
    }


def runs_expected(paper: str, name: str, experiment: Mapping[str, Any], origins: Mapping[str, Origin]) -> RunsExpected:
    """Return what the files of runs of one experiment must say."""
    return {
        "experiment": f"{paper}/{name}",
        "horizon": experiment["horizon"],
        "checkpoints": experiment.get("checkpoints", 100),
        "origins": origins,
    }


def aggregate_job(played: Mapping[str, Any], declared: Mapping[str, Any]) -> AggregateJob:
    """Specify the job that aggregates an experiment, as it is played and as the paper's file declares it."""
    settings = {label: settings_of(declared, policy) for label, policy in declared["policies"].items()}
    algorithms = sorted({policy["algorithm"] for policy in declared["policies"].values()})
    job: AggregateJob = {
        "horizon": played["horizon"],
        "settings": {label: settings[label] for label in played["policies"]},
        "left_out": {label: s for label, s in settings.items() if label not in played["policies"]},
        "defaults": {algorithm: hyper_parameters(algorithm) for algorithm in algorithms},
        "code": digest("replication.pipeline.aggregate"),
    }
    if "milestones" in played:
        job["milestones"] = played["milestones"]
    return job


def items_of(paper: str, kind: str) -> str:
    """Return import path of a paper's dictionary of ``figures`` or ``tables``."""
    return f"{_PAPERS}.{paper}.{kind}:{kind.upper()}"


def item_job(paper: str, kind: str, name: str, entry: Mapping[str, Any], origins: Origins) -> ItemJob:
    """Specify the job that makes one figure or table."""
    experiments = entry.get("experiments", [])
    return {"items": items_of(paper, kind), "item": name, "experiments": experiments, "origins": origins}


def verdicts_job(paper: str, settings: Mapping[str, Any], experiments: list[str], origins: Origins) -> VerdictsJob:
    """Specify the job that judges one paper's claims on the experiments that are played."""
    return {
        "paper": paper,
        "experiments": experiments,
        "readings": settings.get("readings", {}),
        "origins": origins,
    }
