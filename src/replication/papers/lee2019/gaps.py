"""How the gain of POMIS+ depends on the gap between the best arm and the next, over random instances."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.drawing.tabulate import plus_minus
from experiments.results import Results
from replication.papers.lee2019.labels import TASKS
from replication.papers.lee2019.strategies import SOLVERS, instance_of, played, task_of

#: Instances are compared within these: tasks and families differ in gaps and in gains (ledger L73).
STRATA = ["task", "family"]
#: Thirds of the random instances of a task and family.
SIZES = ("small", "middle", "large")


def means_of(task: str, family: str, draws: Iterable[int]) -> list[NDArray[np.float64]]:
    """Exact means of the possibly-optimal arms of some draws, the first that of doing nothing."""
    return [_means_of(task, family, draw) for draw in draws]


@cache
def _means_of(task: str, family: str, draw: int) -> NDArray[np.float64]:
    from replication.papers.lee2019.problems import build  # loads numba, which most tables do without

    means = build(task, family=family, draw=draw).with_arms("possibly_optimal").means
    means.flags.writeable = False
    return means


def gap(means: NDArray[np.float64]) -> float:
    """How far the best arm lies above the next that is not as good."""
    below = means[means < means.max() - 1e-12]
    return float(means.max() - below.max()) if len(below) else 0.0


def gains(results: Results, solver: str, experiments: Iterable[str]) -> pd.DataFrame:
    """Tabulate the gain on every random instance of some experiments.

    Each row has task, family, draw, gap, which third of their gaps, and gain. The gain is the logarithm of POMIS's
    regret over that of POMIS+.
    """
    rows = []
    for experiment in experiments:
        task, family = task_of(results, experiment), instance_of(results, experiment)
        base, plus = (results.final(experiment, by="draw", **played(solver, s)) for s in ("POMIS", "POMIS+"))
        both = (base > 0) & (plus > 0)  # where all arms are alike there is nothing to gain
        found = {
            "task": task,
            "family": family,
            "draw": base.index[both],
            "gap": [gap(means) for means in means_of(task, family, base.index[both])],
            "gain": np.log((base / plus)[both].to_numpy()),
        }
        rows.append(pd.DataFrame(found))
    frame = pd.concat(rows, ignore_index=True)
    rank = frame.groupby(STRATA)["gap"].rank(method="first", pct=True)
    return frame.assign(size=pd.cut(rank, [0, 1 / 3, 2 / 3, 1], labels=list(SIZES)).astype(str))


def gaps(results: Results) -> pd.DataFrame:
    """Mean gain by task, solver and third of the gaps."""
    rows = []
    for solver in SOLVERS:
        found = gains(results, solver, results.experiments())
        for task, label in TASKS.items():
            for size in SIZES:
                part = found[(found["task"] == task) & (found["size"] == size)]
                rows.append(
                    {
                        "task": label,
                        "solver": solver,
                        "gap": size,
                        "mean gap": f"{part['gap'].mean():.3f}",
                        "POMIS+ below POMIS, %": f"{-100 * np.expm1(-part['gain'].mean()):.1f}",
                        "gain, logarithm": plus_minus(part["gain"]),
                        "instances": len(part),
                    }
                )
    return pd.DataFrame(rows)
