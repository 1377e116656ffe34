"""Aggregate runs into tidy tables: curves with confidence bands, and each seed's final values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from experiments import files, key
from experiments.settings import Setting, compact, hyper_parameters, settings_of

if TYPE_CHECKING:
    from experiments.study import ExperimentJob


CONFIDENCE = 0.95
#: Sums that grow in every round, so every run has them at every checkpoint.
SUMS = ("cumulative_regret", "cumulative_reward")
_NOT_METRICS = ("seed", "t", "draw")

#: The settings of each policy, by label.
Settings = Mapping[str, Mapping[str, Setting]]


class Tidy:
    """The tidy tables of an experiment, to which its policies are added one after another.

    Parameters
    ----------
    job : ExperimentJob
    """

    def __init__(self, job: ExperimentJob) -> None:
        from experiments.simulate import checkpoints  # loads Numba, which those who read the tables do not need

        self._job = job
        self._curves: list[pa.Table] = []
        self._finals: list[pa.Table] = []
        self._sums: list[pa.Table] = []
        horizons = {policy.horizon or job.horizon for policy in job.policies}
        self._rounds = np.concatenate([checkpoints(horizon, job.checkpoints) for horizon in sorted(horizons)])
        self._along = set[str]()

    def add(self, label: str, runs: pa.Table) -> None:
        """Aggregate the runs of one policy.

        Parameters
        ----------
        label : str
        runs : table
            The columns of `simulate.simulate`, null where a run has no value; rows are ordered by seed and round.
        """
        last = is_last(runs)
        along = runs.filter(pa.array(~last))
        self._along |= {name for name in metrics_of(runs) if along[name].null_count < len(along)}
        self._curves.append(self._labelled(label, averages(runs)))
        finals = runs.filter(pa.array(last))
        self._finals.append(self._labelled(label, finals))
        self._sums.append(at_milestones(runs, finals["seed"], self._job.milestones))

    def _labelled(self, label: str, table: pa.Table) -> pa.Table:
        table = table.add_column(0, "policy", pa.repeat(label, len(table)))
        return table.add_column(0, "experiment", pa.repeat(self._job.name, len(table)))

    def write(self, curves: str | Path, finals: str | Path) -> None:
        """Write the tables of the policies added so far, with the settings of each in its rows.

        Parameters
        ----------
        curves : path
            Output, Parquet: one row per policy, checkpoint ``t`` and ``metric``, with columns ``n, mean, std, ci_low,
            ci_high`` (95 % interval of the mean over seeds, ledger L17, Student's t), then the policies' settings. A
            run that has ended is in no later average; ``n`` is the number of runs that reached ``t``. An outcome, which
            runs have at their ends only, has no curve. If runs end between checkpoints, the last round of the longest
            run has a row too; the other ends have none.
        finals : path
            Output, Parquet: one row per policy and seed, with the values at the end of the run, the sums at milestones
            and the policy's settings.

        Raises
        ------
        ValueError
            If a setting has the name of a column of the runs.
        """
        plan = described(self._job)
        metadata = {name: json.dumps(value) for name, value in plan.items()} | key.metadata(self._job.key)
        ends = joined(self._finals)
        for name, column in zip(self._sums[0].schema.names, joined(self._sums).columns, strict=True):
            ends = ends.append_column(name, column)
        ends = ends.sort_by([("policy", "ascending"), ("seed", "ascending")])
        means = joined(self._curves).sort_by([("policy", "ascending"), ("metric", "ascending"), ("t", "ascending")])
        rounds = pa.array(np.append(self._rounds, pc.max(ends["t"]).as_py()), pa.int32())
        means = means.filter(pc.is_in(means["t"], rounds))
        if self._along:
            means = means.filter(pc.is_in(means["metric"], pa.array(sorted(self._along))))
        for table, output in ((means, curves), (ends, finals)):
            table = with_settings(table, plan["settings"], ends.schema.names)
            files.write(table.replace_schema_metadata(metadata), output)


def described(job: ExperimentJob) -> dict[str, Any]:
    """Return the description of an experiment in its tidy tables: the fields of `results.Plan`."""
    return {
        "horizon": job.horizon,
        "settings": settings_of(job.policies, job.problem),
        "left_out": settings_of(job.left_out, job.problem),
        "defaults": {p.algorithm: hyper_parameters(p.path) for p in (*job.policies, *job.left_out)},
    }


def averages(runs: pa.Table) -> pa.Table:
    """Average every metric of one policy at each round, with standard deviation and 95 % interval.

    Null values do not count.
    """
    metrics, deviation = metrics_of(runs), pc.VarianceOptions(ddof=1)
    wanted = [each for m in metrics for each in ((m, "count"), (m, "mean"), (m, "stddev", deviation))]
    # On one thread, so that a mean always has the same last bit.
    found = runs.group_by("t", use_threads=False).aggregate(wanted)
    tables = []
    for metric in metrics:
        n, mean, std = (found[f"{metric}_{what}"] for what in ("count", "mean", "stddev"))
        half = pa.array(half_width(std.to_numpy(), n.to_numpy()), from_pandas=True)
        table = {"metric": pa.repeat(metric, len(found)), "t": found["t"], "n": n, "mean": mean, "std": std}
        table |= {"ci_low": pc.subtract(mean, half), "ci_high": pc.add(mean, half)}
        tables.append(pa.table(table))
    return pa.concat_tables(tables).filter(pc.field("n") > 0)


def metrics_of(runs: pa.Table) -> list[str]:
    """List the columns to average: all but the keys."""
    return [name for name in runs.schema.names if name not in _NOT_METRICS]


def is_last(runs: pa.Table) -> NDArray[np.bool_]:
    """Return a mask of the last row of each seed."""
    last: NDArray[np.bool_] = np.diff(runs["seed"].to_numpy(), append=-1) != 0
    return last


def milestone(metric: str, rounds: int) -> str:
    """Return the name of the column of final values that holds a metric after the given number of rounds."""
    return f"{metric}_after_{rounds}"


def at_milestones(runs: pa.Table, seeds: pa.ChunkedArray, milestones: Sequence[int]) -> pa.Table:
    """Return the sums of each seed at each milestone, null if its run ended earlier."""
    then = runs.filter(pc.is_in(runs["t"], pa.array(milestones, pa.int32())))
    run = pc.index_in(then["seed"], seeds.combine_chunks()).to_numpy()
    at = pc.index_in(then["t"], pa.array(milestones, pa.int32())).to_numpy()
    sums = {metric: np.full((len(milestones), len(seeds)), np.nan) for metric in SUMS}
    for metric, values in sums.items():
        values[at, run] = then[metric].to_numpy()
    return pa.table(
        {
            milestone(metric, rounds): pa.array(values[place], from_pandas=True)
            for place, rounds in enumerate(milestones)
            for metric, values in sums.items()
        }
    )


def with_settings(table: pa.Table, settings: Settings, taken: Sequence[str]) -> pa.Table:
    """Return ``table`` with a column for every setting, null for a policy that does not have it.

    A column ``draw`` of the runs is kept: it is both the option that fixes a random problem and the number of the
    problem that a seed plays.

    Raises
    ------
    ValueError
        If a setting has one of the names ``taken``.
    """
    policy = pc.index_in(table["policy"], pa.array(list(settings)))
    for name in dict.fromkeys(name for each in settings.values() for name in each):
        if name == "draw" and name in table.schema.names:
            continue
        if name in taken and name != "draw":
            raise ValueError(f"the setting {name!r} has the name of a column of the runs; expected a different name")
        table = table.append_column(name, as_column([each.get(name) for each in settings.values()]).take(policy))
    return table


def as_column(values: Sequence[Setting]) -> pa.Array:
    """Return the values of a setting as one typed column: a column of strings if types are mixed.

    None becomes null. A column that has only None is a column of strings.
    """
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool} or kinds == {int}:
        return pa.array(values)
    if kinds and kinds <= {int, float}:
        return pa.array(values, pa.float64())
    texts = [value if value is None or isinstance(value, str) else compact(value) for value in values]
    return pa.array(texts, pa.string())


def half_width(std: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return half the width of the 95 % interval of a mean of ``n`` values (Student's t; NaN for n = 1)."""
    from scipy.special import stdtrit  # what scipy.stats.t.ppf calls; loads slowly, and many tables need no interval

    return np.where(n > 1, stdtrit(np.maximum(n - 1, 1), 0.5 + CONFIDENCE / 2) * std / np.sqrt(n), np.nan)


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate tables in order; columns that one of them lacks are null in its rows."""
    return pa.concat_tables(tables, promote_options="permissive")
