"""Run one experiment: play what is missing, then aggregate all runs into tidy tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from joblib import Parallel, delayed

from experiments import files, key
from experiments.aggregate import aggregate
from experiments.jobs import ExperimentJob
from experiments.policy_settings import settings_of
from experiments.settings import Setting
from experiments.simulate import SCHEMA, simulate

#: Smallest number of seeds that is worth a separate process, which takes a second or two to start.
SHARE = 50
#: Metadata entry of runs: for each policy, by label, its key and the names of its columns besides cumulative values.
POLICIES = b"policies"


def make(
    job: ExperimentJob,
    inputs: Mapping[str, str],
    runs: str | Path,
    curves: str | Path,
    finals: str | Path,
    processes: int = 1,
) -> None:
    """Make the three tables of an experiment, each written atomically.

    Seeds already in ``runs`` are not played again if their policy still has the key under which they were played.

    Parameters
    ----------
    job : ExperimentJob
    inputs : mapping from str to path
        Files that the problem is built from, by argument name.
    runs : path
        Parquet, read and written: one row per policy, seed and checkpoint. All experiments have the same columns, so
        the runs of a study form one data set: `simulate.SCHEMA`, then ``draw``, ``settings`` (JSON) and ``extras``
        (a map from name to number).
    curves, finals : path
        Output, Parquet; see `aggregate.aggregate`.
    processes : int
        Number of processes that play a policy's seeds in parallel. Runs do not depend on it: each seed has its own
        random streams.

    Raises
    ------
    StaleError
        If an input's key differs from the one that this checkout would give it.
    ValueError
        If a run is refused; see `simulate.simulate`.
    """
    key.expect_all(inputs, job.inputs)
    before = _played(Path(runs), job)
    played = dict[str, list[pa.Table]]()
    for policy in job.policies:
        played[policy.label] = own = before.get(policy.label, [])
        first = sum(len(table["seed"].unique()) for table in own)
        if first < job.replicates:
            print(f"{job.name}: {policy.label}: playing seeds {first} to {job.replicates - 1}", flush=True)
            shares = _shares(range(first, job.replicates), processes, job.seeds_per_draw or 1)
            own += Parallel(len(shares))(delayed(simulate)(job, policy, inputs, share) for share in shares)
    extras = {label: _extras(own[-1]) for label, own in played.items()}
    policies = {policy.label: {"key": policy.key, "extras": extras[policy.label]} for policy in job.policies}
    settings = settings_of(job.policies, job.problem)
    packed = [_packed(table, extras[label], settings[label]) for label, own in played.items() for table in own]
    files.write(
        files.joined(packed).replace_schema_metadata(key.metadata(job.key) | {POLICIES: json.dumps(policies)}), runs
    )
    aggregate(files.joined(table for own in played.values() for table in own), job, curves, finals)


def _shares(seeds: range, processes: int, together: int) -> list[range]:
    """Divide successive seeds among processes, in whole groups of ``together`` seeds that share a random problem."""
    size = max(SHARE, math.ceil(len(seeds) / processes))
    size += -size % together
    starts = range(seeds.start - seeds.start % together, seeds.stop, size)
    return [range(max(start, seeds.start), min(start + size, seeds.stop)) for start in starts]


def _played(runs: Path, job: ExperimentJob) -> dict[str, list[pa.Table]]:
    """Read the runs to keep: those of requested seeds and of policies whose key is unchanged."""
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
        policy.label: [_unpacked(table.filter(pc.equal(table["policy"], policy.label)), kept["extras"])]
        for policy in job.policies
        if (kept := policies.get(policy.label, {})).get("key") == policy.key and "extras" in kept
    }


def _extras(runs: pa.Table) -> list[str]:
    """List the columns of one policy's runs besides cumulative values and draws."""
    return [name for name in runs.schema.names if name not in (*SCHEMA.names, "draw")]


def _packed(runs: pa.Table, extras: Sequence[str], settings: Mapping[str, Setting]) -> pa.Table:
    """Convert one policy's runs to the columns that all runs of the study share."""
    rows, count = len(runs), len(extras)
    values = np.column_stack([files.numbers(runs[name]) for name in extras]) if extras else np.empty((rows, 0))
    names = files.words(list(extras)).take(files.column(np.tile(np.arange(count), rows)))
    ends = files.column(np.arange(rows + 1, dtype=np.int32) * np.int32(count))
    numbers = files.column(values.ravel(), ~np.isnan(values.ravel()))
    draw = runs["draw"] if "draw" in runs.schema.names else pa.nulls(rows, pa.int64())
    text = files.words([json.dumps(dict(settings))]).dictionary_encode().take(files.column(np.zeros(rows, np.int64)))
    table = runs.select(SCHEMA.names).append_column("draw", draw).append_column("settings", text)
    return table.append_column("extras", pa.MapArray.from_arrays(ends, names, numbers))


def _unpacked(runs: pa.Table, extras: Sequence[str]) -> pa.Table:
    """Restore the columns that `simulate.simulate` gave one policy's runs."""
    table = runs.select(SCHEMA.names)
    values = files.numbers(pa.chunked_array([chunk.items for chunk in runs["extras"].chunks], pa.float64()))
    for name, numbers in zip(extras, values.reshape(len(runs), len(extras)).T, strict=True):
        table = table.append_column(name, files.column(numbers, ~np.isnan(numbers)))
    return table if runs["draw"].null_count else table.append_column("draw", runs["draw"])
