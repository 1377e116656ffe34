"""How the gain of POMIS+ over POMIS depends on the rewards of the arms (ledger L73, L195)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from experiments.drawing.tabulate import plus_minus
from experiments.results import Results
from replication.judging.judges import Moments
from replication.papers.lee2019.strategies import SOLVERS, TASKS, played, task_of

#: Experiments with one parameter of a task's bandit moved: ``<name>_<task>``.
MOVED = ("small_gap", "large_gap")


def gap(means: FloatArray) -> float:
    """Compute how far the best arm lies above the next that is not as good."""
    below = means[means < means.max() - 1e-12]
    return float(means.max() - below.max()) if len(below) else 0.0


def gain(results: Results, experiment: str, solver: str) -> pd.Series:
    """Return the gain on one bandit, per seed: the logarithm of POMIS's mean regret over that of POMIS+.

    Its mean is that of the two means; each seed adds its share to first order, so that the spread over seeds gives the
    standard error.
    """
    base, plus = (results.final(experiment, **played(solver, strategy)) for strategy in ("POMIS", "POMIS+"))
    gained: pd.Series = np.log(base.mean() / plus.mean()) + base / base.mean() - plus / plus.mean()
    return gained


def moments(gained: pd.Series) -> Moments:
    """Mean, standard deviation and number of seeds."""
    return Moments(float(gained.mean()), float(gained.std()), len(gained))


def gaps(results: Results) -> pd.DataFrame:
    """Tabulate the gain on each task's bandit, and with one of its parameters moved."""
    from causal_bandits.problems.lee2019 import build  # loads numba, which most tables do without

    rows = []
    for task, label in TASKS.items():
        for experiment in (f"small_gap_{task}", task, f"large_gap_{task}"):
            noise = results.settings(experiment, results.policies(experiment)[0]).get("noise")
            means = build(task, noise=yaml.safe_load(str(noise)) if noise else None).with_arms("possibly_optimal").means
            gained = {solver: gain(results, experiment, solver) for solver in SOLVERS}
            rows.append(
                {
                    "task": label,
                    "moved": str(noise).strip("{}") if noise else "nothing",
                    "gap to the next arm": f"{gap(means):.4f}",
                    **{f"gain, {s}": plus_minus(values) for s, values in gained.items()},
                    **{
                        f"POMIS+ below POMIS, {s}, %": f"{-100 * np.expm1(-values.mean()):.1f}"
                        for s, values in gained.items()
                    },
                    "seeds": len(next(iter(gained.values()))),
                }
            )
    return pd.DataFrame(rows)


def means_of(task: str, family: str, draws: Iterable[int]) -> list[NDArray[np.float64]]:
    """Exact means of the possibly-optimal arms of some draws, the first that of doing nothing."""
    return [_means_of(task, family, draw) for draw in draws]


@cache
def _means_of(task: str, family: str, draw: int) -> NDArray[np.float64]:
    from causal_bandits.problems.lee2019 import build  # loads numba, which most tables do without

    means = build(task, family=family, draw=draw).with_arms("possibly_optimal").means
    means.flags.writeable = False
    return means


def random_gains(results: Results, solver: str, experiments: Iterable[str]) -> pd.DataFrame:
    """Tabulate the gain on every random model of some experiments: task, draw and gain."""
    rows = []
    for experiment in experiments:
        base, plus = (results.final(experiment, by="draw", **played(solver, s)) for s in ("POMIS", "POMIS+"))
        both = (base > 0) & (plus > 0)  # where all arms are alike there is nothing to gain
        found = {"task": task_of(results, experiment), "draw": base.index[both]}
        rows.append(pd.DataFrame(found | {"gain": np.log((base / plus)[both].to_numpy())}))
    return pd.concat(rows, ignore_index=True)
