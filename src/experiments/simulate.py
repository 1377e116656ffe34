"""Play one policy of an experiment with some seeds, and record its cumulative values at checkpoints.

The key of a policy's runs covers this module and all that it imports, so it imports nothing that cannot change a value.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from causal_bandits import problems, seeding
from causal_bandits.play.measures.measure import Measure, measures_of
from causal_bandits.play.measures.simple_regret import SimpleRegret
from causal_bandits.play.run import Sums, play_sums

if TYPE_CHECKING:
    from experiments.study import ExperimentJob, PolicyJob

#: Number of new objects after which Python collects garbage. With the default of 700, a quarter of the time to build a
#: model of thousands of variables would be spent on collections, which find nothing.
BETWEEN_COLLECTIONS = 50_000

#: The metrics that an experiment records only if its ``metrics`` ask for them, by name.
METRICS: Mapping[str, type[Measure]] = {"simple_regret": SimpleRegret}


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


def simulate(
    job: ExperimentJob, policy: PolicyJob, inputs: Mapping[str, str], seeds: range
) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
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
    dict from str to array, each of shape (rows,)
        One row per seed and checkpoint, in order, and one for the end of a run that its policy ended between two. The
        columns are ``seed`` and ``t`` (int64), ``cumulative_regret`` and ``cumulative_reward``, the run's extras, its
        `Outcome`, which is NaN except in the last row of a run that its policy ended, and ``draw`` (int64) if seeds are
        grouped.

    Raises
    ------
    ValueError
        If a run is refused (see `play.play_sums`) or ends early without an outcome; the message names the experiment,
        policy and seed.
    """
    gc.set_threshold(BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])
    player: Any = resolve_name(policy.path)(**policy.parameters)
    outcomes: tuple[str, ...] = getattr(player, "outcomes", ())
    horizon = job.horizon if policy.horizon is None else policy.horizon
    kept = checkpoints(horizon, job.checkpoints)
    runs = []
    for seed in seeds:
        if seed == seeds[0] or (job.seeds_per_draw is not None and seed % job.seeds_per_draw == 0):
            problem = build_problem(job, policy, inputs, seed)
            own = measures_of(problems.module_of(job.problem))
            measures = [measure for measure in own if measure.applies_to(problem)]
            measures += [METRICS[name] for name in job.metrics]
        streams = seeding.generators(job.root_seed, job.name, seed)
        try:
            run = play_sums(player, problem, horizon, streams, kept, measures)
            if not run.outcome and (end := int(run.rounds[-1])) < horizon:
                raise ValueError(f"ended at round {end} of {horizon} without an outcome")
        except ValueError as error:
            raise ValueError(f"{job.name}: policy {policy.label}, seed {seed}: {error}") from error
        runs.append({"seed": np.full(len(run.rounds), seed), **_columns(run), **_at_end(run, outcomes)})
    names = dict.fromkeys(name for run in runs for name in run)
    columns = {name: np.concatenate([run.get(name, np.full(len(run["t"]), np.nan)) for run in runs]) for name in names}
    if job.seeds_per_draw is not None:
        columns["draw"] = columns["seed"] // job.seeds_per_draw
    return columns


def _columns(run: Sums) -> dict[str, NDArray[Any]]:
    return {"t": run.rounds, "cumulative_regret": run.regrets, "cumulative_reward": run.rewards, **run.extras}


def _at_end(run: Sums, outcomes: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
    """Return a column for each outcome that the policy declares or this run has: its value, in the last row."""
    declared = [name for name in outcomes if not name.endswith("*")]  # how many others there are depends on the arms
    columns = {name: np.full(len(run.rounds), np.nan) for name in (*declared, *run.outcome)}
    for name, value in run.outcome.items():
        columns[name][-1] = value
    return columns
