"""Make one experiment: play what is missing, then aggregate all runs to tidy tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from experiments import files, key
from experiments.aggregate import aggregate, with_settings
from experiments.jobs import ExperimentJob
from experiments.policy_settings import settings_of
from experiments.simulate import simulate

#: In the metadata of runs: of each policy by label its key and the columns that its own runs have.
POLICIES = b"policies"


def make(
    job: ExperimentJob, inputs: Mapping[str, str], runs: str | Path, curves: str | Path, finals: str | Path
) -> None:
    """Make the three tables of an experiment, each whole or not at all.

    Seeds that ``runs`` holds already are not played again if their policy still has the key that they were played with.

    Parameters
    ----------
    job : ExperimentJob
    inputs : mapping from str to path
        Files that the problem is built from, by argument name.
    runs : path
        Parquet, read and written: one row per policy, seed and checkpoint, with the policies' settings as columns.
    curves, finals : path
        Output, Parquet; see `aggregate.aggregate`.

    Raises
    ------
    StaleError
        If an input has another key than this checkout would give it.
    ValueError
        If a run is refused; see `simulate.simulate`.
    """
    key.expect_all(inputs, job.inputs)
    before = _played(Path(runs), job)
    tables, policies = [], {}
    for policy in job.policies:
        own = before.get(policy.label, [])
        first = sum(len(table["seed"].unique()) for table in own)
        if first < job.replicates:
            print(f"{job.name}: {policy.label}: plays seeds {first} to {job.replicates - 1}", flush=True)
            own = [*own, simulate(job, policy, inputs, range(first, job.replicates))]
        policies[policy.label] = {"key": policy.key, "columns": own[-1].schema.names}
        tables += own
    table = files.joined(tables)
    metadata = key.metadata(job.key) | {POLICIES.decode(): json.dumps(policies)}
    settings = settings_of(job.policies, job.problem)
    files.write(with_settings(table, settings, table).replace_schema_metadata(metadata), runs)
    aggregate(table, job, curves, finals)


def _played(runs: Path, job: ExperimentJob) -> dict[str, list[pa.Table]]:
    """Read the runs that need not be played again: of seeds that are asked for, of policies whose key is unchanged."""
    if not runs.exists():
        return {}
    try:
        table = files.read(runs)
    except OSError as error:
        print(f"{error}: all policies are played again", flush=True)
        return {}
    policies = json.loads((table.schema.metadata or {}).get(POLICIES, b"{}"))
    table = table.replace_schema_metadata(None).filter(pc.less(table["seed"], job.replicates))
    return {
        policy.label: [table.filter(pc.equal(table["policy"], policy.label)).select(kept["columns"])]
        for policy in job.policies
        if (kept := policies.get(policy.label)) and kept["key"] == policy.key
    }
