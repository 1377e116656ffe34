"""Aggregate runs into tidy tables: curves with confidence bands, and each seed's final values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.special import stdtrit

from experiments import files, key
from experiments.jobs import ExperimentJob
from experiments.policy_settings import hyper_parameters, settings_of
from experiments.settings import Setting, compact

CONFIDENCE = 0.95
#: Sums that grow in every round, so every run has them at every checkpoint.
SUMS = ("cumulative_regret", "cumulative_reward")
_KEYS = ("experiment", "policy", "seed", "t")
_NOT_METRICS = (*_KEYS, "draw")

#: The settings of each policy, by label.
Settings = Mapping[str, Mapping[str, Setting]]


def aggregate(runs: pa.Table, job: ExperimentJob, curves: str | Path, finals: str | Path) -> None:
    """Aggregate all runs of one experiment.

    Parameters
    ----------
    runs : table
        Runs of all policies, as `simulate.simulate` returns them.
    job : ExperimentJob
    curves : path
        Output, Parquet: one row per policy, checkpoint ``t`` and ``metric``, with columns ``n, mean, std, ci_low,
        ci_high`` (95 % interval of the mean over seeds, ledger L17, Student's t), then the policies' settings. A run
        that has ended is in no later average; ``n`` is the number of runs that reached ``t``.
    finals : path
        Output, Parquet: one row per policy and seed, with the values at the end of the run, the sums at milestones and
        the policy's settings.

    Raises
    ------
    ValueError
        If a setting has the name of a column of the runs.
    """
    plan = described(job)
    metadata = {name: json.dumps(value) for name, value in plan.items()} | key.metadata(job.key)
    for table, output in ((summarise(runs), curves), (_finals(runs, job.milestones), finals)):
        files.write(with_settings(table, plan["settings"], runs).replace_schema_metadata(metadata), output)


def described(job: ExperimentJob) -> dict[str, Any]:
    """Return the description of an experiment in its tidy tables: the fields of `results.Plan`."""
    return {
        "horizon": job.horizon,
        "settings": settings_of(job.policies, job.problem),
        "left_out": settings_of(job.left_out, job.problem),
        "defaults": {p.algorithm: hyper_parameters(p.path) for p in (*job.policies, *job.left_out)},
    }


def summarise(runs: pa.Table) -> pa.Table:
    """Average every metric per policy and checkpoint, with standard deviation and 95 % interval.

    Null and NaN values do not count. A run's outcome is in its last row only and has no curve, and curves skip a round
    at which a run ends between checkpoints.
    """
    last = _is_last(runs)
    along, end = files.numbers(runs["t"])[~last], files.numbers(runs["t"]).max()
    metrics = [m for m in metrics_of(runs) if last.all() or not np.isnan(files.numbers(runs[m])[~last]).all()]
    runs = runs.take(files.column(np.flatnonzero(np.isin(files.numbers(runs["t"]), [*np.unique(along), end]))))
    experiment, _ = _coded(runs["experiment"])
    labels, policy = _coded(runs["policy"])
    seed, t = (files.numbers(runs[key]).astype(np.int64) for key in ("seed", "t"))
    order = np.lexsort((seed, t, policy))
    new = np.diff(policy[order], prepend=-1).astype(bool) | np.diff(t[order], prepend=-1).astype(bool)
    start, group = np.flatnonzero(new), np.cumsum(new) - 1
    block = np.full((int(np.bincount(group).max()), len(start)), np.nan)
    n, mean, std = (np.empty((len(metrics), len(start))) for _ in range(3))
    for i, metric in enumerate(metrics):
        block[np.arange(len(order)) - start[group], group] = files.numbers(runs[metric])[order]
        n[i], mean[i], std[i] = moments(block)
    # Rows by policy, metric and checkpoint.
    which, at = (axis.ravel() for axis in np.indices(n.shape))
    rows = np.lexsort((at, which, policy[order][start][at]))
    rows = rows[n.ravel()[rows] > 0]
    n, mean, std = (values.ravel()[rows] for values in (n, mean, std))
    which, at = which[rows], order[start][at[rows]]
    half = half_width(std, n.astype(np.int64))
    columns = {
        "experiment": files.words(experiment).take(files.column(np.zeros(len(rows), np.int64))),
        "policy": files.words(labels).take(files.column(policy[at])),
        "metric": files.words(metrics).take(files.column(which)),
        "t": files.column(t[at].astype(np.int32)),
        "n": files.column(n.astype(np.int64)),
        "mean": files.column(mean),
        "std": files.column(std, ~np.isnan(std)),
        "ci_low": files.column(mean - half, ~np.isnan(half)),
        "ci_high": files.column(mean + half, ~np.isnan(half)),
    }
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def metrics_of(runs: pa.Table) -> list[str]:
    """List the columns to average, sorted: all numeric and Boolean columns except the keys."""

    def counts(kind: pa.DataType) -> bool:
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))

    return sorted(f.name for f in runs.schema if f.name not in _NOT_METRICS and counts(f.type))


def moments(block: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute the count, mean and standard deviation of each column, ignoring NaN.

    Means use compensated sums (Kahan), and deviations are updated value by value (Welford), so that neither loses
    digits over many seeds. The mean of no values is NaN, and so is the deviation of fewer than two.
    """
    n = np.zeros(block.shape[1], dtype=np.int64)
    total, lost, centre, squares = (np.zeros(block.shape[1]) for _ in range(4))
    with np.errstate(invalid="ignore", divide="ignore"):
        for row in block:
            there = ~np.isnan(row)
            n += there
            value = row - lost
            following = total + value
            lost = np.where(there, following - total - value, lost)
            total = np.where(there, following, total)
            moved = centre + (row - centre) / n
            squares += np.where(there, (row - moved) * (row - centre), 0.0)
            centre = np.where(there, moved, centre)
        return n, total / n, np.where(n > 1, np.sqrt(squares / (n - 1)), np.nan)


def last_rows(runs: pa.Table) -> pa.Table:
    """Return the last row of every policy and seed, sorted by policy and seed."""
    last = runs.take(files.column(_ends(runs)))
    columns = []
    for field in runs.schema:
        values = last[field.name]
        if pa.types.is_dictionary(field.type):
            values = values.cast(pa.string())
        elif pa.types.is_floating(field.type):
            values = pc.if_else(pc.is_nan(values), pa.nulls(len(values), field.type), values)
        columns.append(values)
    return pa.Table.from_arrays(columns, names=runs.schema.names)


def milestone(metric: str, rounds: int) -> str:
    """Return the name of the column of final values that holds a metric after the given number of rounds."""
    return f"{metric}_after_{rounds}"


def _finals(runs: pa.Table, milestones: Sequence[int]) -> pa.Table:
    """Return each run's last row and its sums at milestones, which are null if it ended earlier."""
    finals = last_rows(runs)
    for rounds in milestones:
        then = last_rows(runs.filter(pc.equal(runs["t"], rounds))).select(["policy", "seed", *SUMS])
        then = then.rename_columns(["policy", "seed", *(milestone(metric, rounds) for metric in SUMS)])
        finals = finals.join(then, ["policy", "seed"]).sort_by([("policy", "ascending"), ("seed", "ascending")])
    return finals


def with_settings(table: pa.Table, settings: Settings, runs: pa.Table) -> pa.Table:
    """Return ``table`` with a column for every setting, null for a policy that does not have it.

    A column ``draw`` of the runs is kept: it is both the option that fixes a random problem and the number of the
    problem that a seed plays.
    """
    labels, policy = _coded(table["policy"])
    names = dict.fromkeys(name for each in settings.values() for name in each)
    for name in names:
        if name == "draw" and name in table.schema.names:
            continue
        if name in runs.schema.names and name != "draw":
            raise ValueError(f"the setting {name!r} has the name of a column of the runs; expected a different name")
        values = as_column([settings[label].get(name) for label in labels])
        table = table.append_column(pa.field(name, values.type), values.take(files.column(policy)))
    return table


def as_column(values: Sequence[Setting]) -> pa.Array:
    """Return the values of a setting as one typed column: a column of strings if types are mixed.

    None becomes null. A column that has only None is a column of strings.
    """
    kinds = {type(value) for value in values if value is not None}
    valid = np.array([value is not None for value in values], dtype=np.bool_)
    if kinds == {bool}:
        return files.column(np.array([bool(value) for value in values]), valid)
    if kinds == {int}:
        return files.column(np.array([value or 0 for value in values], dtype=np.int64), valid)
    if kinds and kinds <= {int, float}:
        return files.column(np.array([value or 0 for value in values], dtype=np.float64), valid)
    return files.words([value if value is None or isinstance(value, str) else compact(value) for value in values])


def half_width(std: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return half the width of the 95 % interval of a mean of ``n`` values (Student's t; NaN for n = 1)."""
    quantile = stdtrit(np.maximum(n - 1, 1), 0.5 + CONFIDENCE / 2)  # what scipy.stats.t.ppf calls; its import takes 2 s
    return np.where(n > 1, quantile * std / np.sqrt(n), np.nan)


def _coded(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct strings of a column, sorted, and the index of each row's string."""
    encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    found: list[str] = encoded.dictionary.to_pylist()
    labels = sorted(found)
    place = np.array([labels.index(text) for text in found], dtype=np.int64)
    return labels, place[np.frombuffer(encoded.indices.buffers()[1], np.int32)[: len(encoded)]]


def _ends(runs: pa.Table) -> NDArray[np.int64]:
    """Return the indices of the last rows of all policies and seeds, sorted by policy and seed."""
    _, policy = _coded(runs["policy"])
    seed, t = (files.numbers(runs[key]).astype(np.int64) for key in ("seed", "t"))
    order = np.lexsort((t, seed, policy))
    ends = np.diff(policy[order], append=-1).astype(bool) | np.diff(seed[order], append=-1).astype(bool)
    last: NDArray[np.int64] = order[ends]
    return last


def _is_last(runs: pa.Table) -> NDArray[np.bool_]:
    """Return a mask of the rows that are the last of their policy and seed."""
    last = np.zeros(len(runs), dtype=np.bool_)
    last[_ends(runs)] = True
    return last
