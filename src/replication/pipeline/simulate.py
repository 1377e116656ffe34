"""Play one policy for a block of seeds, and write the runs at their checkpoints to Parquet."""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa

from causal_bandits import compiled, provenance, seeding
from causal_bandits.play.measures.measure import measures_of
from causal_bandits.play.run import Sums, play_sums
from replication.pipeline.files import column, resolve, write
from replication.pipeline.origin import Origin, expect_files
from replication.pipeline.runs import SCHEMA, checkpoints
from replication.pipeline.settings import Setting

compiled.prepare()  # a run on one machine imports this once, and forks

#: New objects after which Python looks for garbage. With its own 700 a fourth of the time to build a model of thousands
#: of variables would go into that search, which finds none.
BETWEEN_COLLECTIONS = 50_000


class RunConfiguration(TypedDict):
    """What the configuration says of one policy of one experiment.

    Attributes
    ----------
    experiment : str
        Full name, for instance ``lee2019/frontdoor``; it names the random streams.
    problems, problem : str
        Import path of a paper's dictionary of builders, and the key.
    options : mapping
        Keyword arguments of the builder.
    seeds_per_draw : int or None
        How many consecutive seeds share one random problem; None: all share one problem.
    arms : str or None
        An arm strategy.
    policy : str
        The label.
    algorithm : str
        Import path.
    parameters : mapping
        Hyper-parameters that differ from the algorithm's defaults.
    settings : mapping
        Everything that tells this policy from others, defaults included; metadata of the runs.
    horizon, checkpoints : int
    root_seed : int
    """

    experiment: str
    problems: str
    problem: str
    options: Mapping[str, Any]
    seeds_per_draw: int | None
    arms: str | None
    policy: str
    algorithm: str
    parameters: Mapping[str, Any]
    settings: Mapping[str, Setting]
    horizon: int
    checkpoints: int
    root_seed: int


class SimulateJob(RunConfiguration):
    """What `simulate` needs besides.

    Attributes
    ----------
    sources : mapping from str to str
        Digests of the inputs that the checkout gives, by argument name: runs say which instance they were played on.
    code : str
        The digest of the code.
    versions : mapping
        Versions of packages.
    """

    sources: Mapping[str, str]
    code: str
    versions: Mapping[str, str]


def build_problem(job: SimulateJob, inputs: Mapping[str, str], seed: int = 0) -> Any:
    """Return the problem that a job's specification describes for one seed.

    Parameters
    ----------
    job : SimulateJob
    inputs : mapping from str to path
        Keyword arguments that are files.
    seed : int
    """
    draw = {} if job["seeds_per_draw"] is None else {"draw": seed // job["seeds_per_draw"]}
    problem = resolve(job["problems"])[job["problem"]](**job["options"], **inputs, **draw)
    return problem if job["arms"] is None else problem.with_arms(job["arms"])


def simulate(
    output: str | Path,
    job: SimulateJob,
    inputs: Mapping[str, str],
    first: int,
    last: int,
    origins: Mapping[str, Origin] | None = None,
) -> None:
    """Play the seeds ``first`` to ``last`` (inclusive) of one policy and write them.

    Parameters
    ----------
    output : path
        The Parquet file; it appears whole or not at all.
    job : SimulateJob
    inputs : mapping from str to path
        Files that the problem is built from, by argument name.
    first, last : int
    origins : mapping, optional
        Of inputs by argument name; an input of another origin is refused.

    Raises
    ------
    ValueError
        If an input is of another origin; or if a run is refused (see `play.play_sums`) or ends early without an
        outcome: experiment, policy and seed.
    """
    expect_files(inputs, origins or {})
    gc.set_threshold(BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    policy = resolve(job["algorithm"])(**job["parameters"])
    outcomes: tuple[str, ...] = getattr(policy, "outcomes", ())
    kept = checkpoints(job["horizon"], job["checkpoints"])
    tables, ended = [], list[Mapping[str, float]]()
    for seed in range(first, last + 1):
        if seed == first or (job["seeds_per_draw"] is not None and seed % job["seeds_per_draw"] == 0):
            problem = build_problem(job, inputs, seed)
            measures = [measure for measure in measures_of(job["problems"]) if measure.applies_to(problem)]
        streams = seeding.generators(job["root_seed"], job["experiment"], seed)
        try:
            run = play_sums(policy, problem, job["horizon"], streams, kept, measures)
            if not run.outcome and (end := int(run.rounds[-1])) < job["horizon"]:
                raise ValueError(f"ended at round {end} of {job['horizon']} without an outcome")
        except ValueError as error:
            raise ValueError(f"{job['experiment']}: policy {job['policy']}, seed {seed}: {error}") from error
        ended.append(run.outcome)
        table = rows(run, job["experiment"], job["policy"], seed, outcomes)
        if job["seeds_per_draw"] is not None:
            draw = np.full(len(table), seed // job["seeds_per_draw"], np.int32)
            table = table.append_column(pa.field("draw", pa.int32()), column(draw))
        tables.append(table)
    names = dict.fromkeys([*outcomes, *(name for run in ended for name in run)])
    metadata = provenance.metadata(job) | {
        "settings": json.dumps(job["settings"]),
        "sources": json.dumps(job["sources"]),
        "outcomes": json.dumps(list(names)),
    }
    # A run that its policy did not end has no outcome: null there.
    table = pa.concat_tables(tables, promote_options="permissive")
    write(table.replace_schema_metadata(metadata), output)


def rows(run: Sums, experiment: str, policy: str, seed: int, outcomes: Sequence[str] = ()) -> pa.Table:
    """Return one row per checkpoint of one run, its end included; see `SCHEMA`.

    ``outcomes`` that the policy declares and this run does not have, for it was cut off, are null.
    """
    count = len(run.rounds)
    columns = [
        _constant(experiment, count),
        _constant(policy, count),
        column(np.full(count, seed, np.int32)),
        column(run.rounds.astype(np.int32)),
        column(run.regrets),
        column(run.rewards),
    ]
    schema = SCHEMA
    for name, values in run.extras.items():
        schema = schema.append(pa.field(name, pa.float64()))
        columns.append(column(values))
    for name in dict.fromkeys((*outcomes, *run.outcome)):
        last = column(np.array([run.outcome[name]], float)) if name in run.outcome else pa.nulls(1, pa.float64())
        schema = schema.append(pa.field(name, pa.float64()))
        columns.append(pa.concat_arrays([pa.nulls(count - 1, pa.float64()), last]))
    return pa.Table.from_arrays(columns, schema=schema)


def _constant(word: str, rows: int) -> pa.Array:
    """Make a dictionary-encoded column that repeats one word."""
    text = word.encode()
    ends = pa.py_buffer(np.array([0, len(text)], np.int32))
    words = pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(text)])
    return pa.DictionaryArray.from_arrays(column(np.zeros(rows, np.int32)), words)
