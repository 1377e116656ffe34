"""Runs of one policy for a block of seeds: played, thinned to checkpoints, written to and read from Parquet."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from causal_bandits import provenance, seeding
from causal_bandits.policies.base import Run

#: Columns of every file of runs. A policy's extras follow as float64; ``draw`` (int32) follows where seeds are grouped.
SCHEMA = pa.schema(
    [
        ("experiment", pa.dictionary(pa.int32(), pa.string())),
        ("policy", pa.dictionary(pa.int32(), pa.string())),
        ("seed", pa.int32()),
        ("t", pa.int32()),
        ("cumulative_regret", pa.float64()),
        ("cumulative_reward", pa.float64()),
    ]
)


def resolve(path: str) -> Any:
    """The object that an import path ``package.module:name`` names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def checkpoints(horizon: int, count: int) -> NDArray[np.int64]:
    """Rounds (1 to ``horizon``) at which cumulative values are kept: ``count`` evenly spaced, the last included."""
    rounds = np.linspace(horizon / count, horizon, count) if count < horizon else np.arange(1, horizon + 1)
    return np.unique(np.rint(rounds).astype(np.int64))


def build_problem(job: Mapping[str, Any], inputs: Mapping[str, str], seed: int = 0) -> Any:
    """The problem that a job's specification describes for one seed.

    Parameters
    ----------
    job : mapping
        ``problems`` (import path of a paper's dictionary of builders), ``problem`` (key), ``options`` (keyword
        arguments), ``arms`` (an arm strategy, or None) and ``seeds_per_draw`` (how many consecutive seeds share one
        random problem, or None: all share one problem).
    inputs : mapping from str to path
        Keyword arguments that are files.
    seed : int
    """
    draw = {} if job["seeds_per_draw"] is None else {"draw": seed // job["seeds_per_draw"]}
    problem = resolve(job["problems"])[job["problem"]](**job["options"], **inputs, **draw)
    return problem if job["arms"] is None else problem.with_arms(job["arms"])


def simulate(output: str | Path, job: Mapping[str, Any], inputs: Mapping[str, str], first: int, last: int) -> None:
    """Play the seeds ``first`` to ``last`` (inclusive) of one policy and write them.

    Parameters
    ----------
    output : path
        The Parquet file; it appears whole or not at all.
    job : mapping
        What `build_problem` reads, and ``experiment`` (full name), ``policy`` (label), ``algorithm`` (import path),
        ``parameters``, ``horizon``, ``checkpoints``, ``root_seed``, ``code`` (digest).
    inputs : mapping from str to path
        Files that the problem is built from, by argument name.
    first, last : int
    """
    policy = resolve(job["algorithm"])(**job["parameters"])
    kept = checkpoints(job["horizon"], job["checkpoints"])
    tables = []
    problem = build_problem(job, inputs, first)
    for seed in range(first, last + 1):
        if job["seeds_per_draw"] is not None and seed % job["seeds_per_draw"] == 0:
            problem = build_problem(job, inputs, seed)
        environment_rng, policy_rng = seeding.generators(job["root_seed"], job["experiment"], seed)
        run = policy.run(problem, job["horizon"], environment_rng, policy_rng)
        fresh, _ = seeding.generators(job["root_seed"], job["experiment"], seed)
        extras = {**run.extras, **problem.measures(run.arms, run.rewards, fresh)}
        table = thin(dataclasses.replace(run, extras=extras), kept, job["experiment"], job["policy"], seed)
        if job["seeds_per_draw"] is not None:
            draw = np.full(len(kept), seed // job["seeds_per_draw"], np.int32)
            table = table.append_column(pa.field("draw", pa.int32()), _column(draw))
        tables.append(table)
    write(pa.concat_tables(tables).replace_schema_metadata(metadata(job)), output)


def metadata(job: Mapping[str, Any]) -> dict[str, str]:
    """What a file says of where it comes from: configuration, code, commit, versions of packages."""
    return {
        "config_digest": provenance.config_digest(job),
        "code_digest": job["code"],
        "git_commit": provenance.git_commit(),
        "package_versions": json.dumps(provenance.package_versions()),
    }


def thin(run: Run, kept: NDArray[np.int64], experiment: str, policy: str, seed: int) -> pa.Table:
    """One row per checkpoint of one run, in the schema of `SCHEMA`."""
    columns = [
        _constant(experiment, len(kept)),
        _constant(policy, len(kept)),
        _column(np.full(len(kept), seed, np.int32)),
        _column(kept.astype(np.int32)),
        _column(np.cumsum(run.regrets)[kept - 1]),
        _column(np.cumsum(run.rewards)[kept - 1]),
    ]
    schema = SCHEMA
    for name, values in run.extras.items():
        schema = schema.append(pa.field(name, pa.float64()))
        columns.append(_column(values[kept - 1].astype(np.float64)))
    return pa.Table.from_arrays(columns, schema=schema)


def _constant(word: str, rows: int) -> pa.Array:
    """A dictionary-encoded column that repeats one word."""
    text = word.encode()
    ends = pa.py_buffer(np.array([0, len(text)], np.int32))
    words = pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(text)])
    return pa.DictionaryArray.from_arrays(_column(np.zeros(rows, np.int32)), words)


def _column(values: NDArray[Any]) -> pa.Array:
    """``values`` as an Arrow array; ``pa.array`` would first load pandas, which takes a job nearly a second."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


@contextmanager
def whole(output: str | Path) -> Iterator[Path]:
    """A temporary name beside ``output`` that takes its place if all goes well: ``output`` is whole or not there."""
    output = Path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_name(f".{os.getpid()}.{output.name}")
    try:
        yield temporary
        temporary.replace(output)
    finally:
        temporary.unlink(missing_ok=True)


def write(table: pa.Table, output: str | Path) -> None:
    """Write a table as Parquet, whole or not at all."""
    with whole(output) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read(paths: Iterable[str | Path]) -> pa.Table:
    """All rows of several files of runs, in the order of ``paths``; columns that one policy lacks are null there."""
    tables = [pq.read_table(path) for path in paths]
    return pa.concat_tables(tables, promote_options="permissive").replace_schema_metadata(None)


def content_digest(path: str | Path) -> str:
    """Digest of a Parquet file's rows: the same values give the same digest on every system (its bytes may differ)."""
    frame = pq.read_table(path).replace_schema_metadata(None)
    return provenance.config_digest([frame.schema.names, frame.to_pylist()])
