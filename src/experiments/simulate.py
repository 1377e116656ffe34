"""Play one policy of an experiment with some seeds, and record its cumulative values at checkpoints."""

from __future__ import annotations

import gc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from causal_bandits import problems, seeding
from causal_bandits.play.measures.measure import measures_of
from causal_bandits.play.run import Sums, play_sums
from experiments.files import column, resolve
from experiments.jobs import ExperimentJob, PolicyJob

#: Number of new objects after which Python collects garbage. With the default of 700, a quarter of the time to build a
#: model of thousands of variables would be spent on collections, which find nothing.
BETWEEN_COLLECTIONS = 50_000

#: Columns of runs. Extras follow as float64, then a policy's `Outcome` as float64 on the last row of each seed and null
#: on the others, then ``draw`` (int64) if seeds are grouped.
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


def checkpoints(horizon: int, count: int) -> NDArray[np.int64]:
    """Choose ``count`` evenly spaced rounds at which cumulative values are recorded, including the last."""
    rounds = np.linspace(horizon / count, horizon, count) if count < horizon else np.arange(1, horizon + 1)
    return np.unique(np.rint(rounds).astype(np.int64))


def build_problem(job: ExperimentJob, policy: PolicyJob, inputs: Mapping[str, str], seed: int = 0) -> Any:
    """Return the problem that a policy of an experiment plays with one seed.

    Parameters
    ----------
    job : ExperimentJob
    policy : PolicyJob
    inputs : mapping from str to path
        Keyword arguments that are files.
    seed : int
    """
    draw = {} if job.seeds_per_draw is None else {"draw": seed // job.seeds_per_draw}
    problem: Any = problems.make(job.problem, **policy.options, **inputs, **draw)
    return problem if policy.arms is None else problem.with_arms(policy.arms)


def simulate(job: ExperimentJob, policy: PolicyJob, inputs: Mapping[str, str], seeds: range) -> pa.Table:
    """Play one policy with some seeds.

    Parameters
    ----------
    job : ExperimentJob
    policy : PolicyJob
    inputs : mapping from str to path
        Files that the problem is built from, by argument name.
    seeds : range
        Successive seeds, at least one.

    Returns
    -------
    pyarrow.Table
        One row per seed and checkpoint; see `SCHEMA`.

    Raises
    ------
    ValueError
        If a run is refused (see `play.play_sums`) or ends early without an outcome; the message names the experiment,
        policy and seed.
    """
    gc.set_threshold(BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    player = resolve(policy.path)(**policy.parameters)
    outcomes: tuple[str, ...] = getattr(player, "outcomes", ())
    kept = checkpoints(job.horizon, job.checkpoints)
    tables = []
    for seed in seeds:
        if seed == seeds[0] or (job.seeds_per_draw is not None and seed % job.seeds_per_draw == 0):
            problem = build_problem(job, policy, inputs, seed)
            measures = [
                measure for measure in measures_of(problems.module_of(job.problem)) if measure.applies_to(problem)
            ]
        streams = seeding.generators(job.root_seed, job.name, seed)
        try:
            run = play_sums(player, problem, job.horizon, streams, kept, measures)
            if not run.outcome and (end := int(run.rounds[-1])) < job.horizon:
                raise ValueError(f"ended at round {end} of {job.horizon} without an outcome")
        except ValueError as error:
            raise ValueError(f"{job.name}: policy {policy.label}, seed {seed}: {error}") from error
        table = rows(run, job.name, policy.label, seed, outcomes)
        if job.seeds_per_draw is not None:
            draw = np.full(len(table), seed // job.seeds_per_draw, np.int64)
            table = table.append_column(pa.field("draw", pa.int64()), column(draw))
        tables.append(table)
    # The outcomes of a run that its policy did not end are null.
    return pa.concat_tables(tables, promote_options="permissive")


def rows(run: Sums, experiment: str, policy: str, seed: int, outcomes: Sequence[str] = ()) -> pa.Table:
    """Return one row per checkpoint of one run, including its end; see `SCHEMA`.

    ``outcomes`` that the policy declares are null if this run was cut off before it had them.
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
