"""Run one experiment: play what is missing, then aggregate all runs into tidy tables, policy by policy."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from joblib import Parallel, delayed

from experiments import files, key
from experiments.aggregate import Tidy, joined
from experiments.settings import Setting, settings_of
from experiments.simulate import simulate

if TYPE_CHECKING:
    from experiments.study import ExperimentJob, PolicyJob


#: Smallest number of seeds that is worth a separate process, which takes a second or two to start.
SHARE = 50
#: Metadata entry of runs: the key of each policy by label, in the order of the row groups.
POLICIES = b"policies"

_TEXT = pa.dictionary(pa.int32(), pa.string())
#: The columns of all runs: ``settings`` is JSON, ``extras`` a map from name to number, ``draw`` null if all seeds play
#: the same problem.
SCHEMA = pa.schema(
    [
        ("experiment", _TEXT),
        ("policy", _TEXT),
        ("seed", pa.int32()),
        ("t", pa.int32()),
        ("cumulative_regret", pa.float64()),
        ("cumulative_reward", pa.float64()),
        ("draw", pa.int64()),
        ("settings", _TEXT),
        ("extras", pa.map_(pa.string(), pa.float64())),
    ]
)


def make(
    job: ExperimentJob,
    inputs: Mapping[str, str],
    runs: str | Path,
    curves: str | Path,
    finals: str | Path,
    processes: int = 1,
) -> None:
    """Make the three tables of an experiment, each written atomically.

    Seeds already in ``runs`` are not played again if their policy still has the key under which they were played. Only
    one policy's runs are in memory at a time.

    Parameters
    ----------
    job : ExperimentJob
    inputs : mapping from str to path
        Files that the problem is built from, by argument name.
    runs : path
        Parquet, read and written: one row per policy, seed and checkpoint, one row group per policy. All experiments
        have the same columns (`SCHEMA`), so the runs of a study form one data set.
    curves, finals : path
        Output, Parquet; see `aggregate.Tidy.write`.
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
    kept, tidy, settings = _Kept(Path(runs)), Tidy(job), settings_of(job.policies, job.problem)
    policies = {policy.label: policy.key for policy in job.policies}
    metadata = key.metadata(job.key) | {POLICIES.decode(): json.dumps(policies)}
    with files.writer(SCHEMA.with_metadata(metadata), runs) as write:
        for policy in job.policies:
            own = _completed(kept.runs(policy), job, policy, inputs, processes)
            write(_packed(own, job, policy.label, settings[policy.label]))
            tidy.add(policy.label, own)
    tidy.write(curves, finals)


def _completed(
    kept: pa.Table | None, job: ExperimentJob, policy: PolicyJob, inputs: Mapping[str, str], processes: int
) -> pa.Table:
    """Return all runs of a policy: those to keep, and those of the seeds that are missing."""
    parts = [] if kept is None else [kept.filter(pc.field("seed") < job.replicates)]
    first = sum(len(part["seed"].unique()) for part in parts)
    if first < job.replicates:
        print(f"{job.name}: {policy.label}: playing seeds {first} to {job.replicates - 1}", flush=True)
        seeds, together = range(first, job.replicates), job.seeds_per_draw or 1
        batches = [_shares(seeds, processes, together)]
        pool = Parallel(len(batches[0]))
        if len(batches[0]) > 1:
            # The first problem's seeds alone: one process compiles what the policy calls, and the others load it.
            alone = together - first % together
            batches = [[seeds[:alone]], _shares(seeds[alone:], processes, together)]
        for shares in batches:
            played = pool(delayed(simulate)(job, policy, inputs, share) for share in shares)
            parts += [as_table(columns) for columns in played]
    return joined(parts).combine_chunks()


def as_table(columns: Mapping[str, Any]) -> pa.Table:
    """Return the columns that `simulate` gives as an Arrow table, null where NaN."""
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})
    for name in ("seed", "t"):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table[name].cast(pa.int32()))
    return table


def _shares(seeds: range, processes: int, together: int) -> list[range]:
    """Divide successive seeds among processes, in whole groups of ``together`` seeds that share a random problem."""
    size = max(SHARE, math.ceil(len(seeds) / processes))
    size += -size % together
    starts = range(seeds.start - seeds.start % together, seeds.stop, size)
    return [range(max(start, seeds.start), min(start + size, seeds.stop)) for start in starts]


class _Kept:
    """The runs of an earlier job, read policy by policy."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._policies: dict[str, str] = {}
        if path.exists():
            try:
                self._policies = json.loads(files.read_metadata(path).get(POLICIES, b"{}"))
            except OSError as error:
                print(f"{error}: all policies are played again", flush=True)

    def runs(self, policy: PolicyJob) -> pa.Table | None:
        """Return the runs of a policy whose key is unchanged, as `simulate` gave them; None if there are none."""
        if self._policies.get(policy.label) != policy.key:
            return None
        try:
            return _unpacked(files.read(self._path, row_group=list(self._policies).index(policy.label)))
        except OSError as error:
            print(f"{error}: {policy.label} is played again", flush=True)
            return None


def _extras(runs: pa.Table) -> list[str]:
    """List the columns of one policy's runs besides cumulative values and draws."""
    return [name for name in runs.schema.names if name not in SCHEMA.names]


def _packed(runs: pa.Table, job: ExperimentJob, label: str, settings: Mapping[str, Setting]) -> pa.Table:
    """Convert one policy's runs to the columns that all runs of the study share."""
    rows, names = len(runs), _extras(runs)
    values = np.column_stack([runs[name].to_numpy() for name in names]) if names else np.empty((rows, 0))
    columns = {name: runs[name] for name in runs.schema.names if name in SCHEMA.names}
    for name, text in (("experiment", job.name), ("policy", label), ("settings", json.dumps(dict(settings)))):
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), [text])
    columns.setdefault("draw", pa.nulls(rows, pa.int64()))
    columns["extras"] = pa.MapArray.from_arrays(
        pa.array(np.arange(rows + 1, dtype=np.int32) * np.int32(len(names))),
        pa.array(names, pa.string()).take(pa.array(np.tile(np.arange(len(names)), rows))),
        pa.array(values.ravel(), pa.float64(), from_pandas=True),
    )
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _unpacked(runs: pa.Table) -> pa.Table:
    """Restore the columns that `simulate` gave one policy's runs."""
    extras = runs["extras"].combine_chunks()
    names = [name for name, _ in extras[0].as_py()]
    values = extras.items.to_numpy(zero_copy_only=False).reshape(len(runs), len(names))
    table = runs.select(["seed", "t", "cumulative_regret", "cumulative_reward"])
    for name, numbers in zip(names, values.T, strict=True):
        table = table.append_column(name, pa.array(numbers, from_pandas=True))
    return table if runs["draw"].null_count else table.append_column("draw", runs["draw"])
