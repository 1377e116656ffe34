"""Judges of what the gain of POMIS+ depends on: gaps (ledger L73), arms of low reward (L195)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from experiments.results import NotRunError, Results
from replication.judging.claims import Claim, Judge
from replication.judging.judges import Judgement, Moments, judge_above_apart
from replication.papers.lee2019.gaps import STRATA, gains, means_of
from replication.papers.lee2019.strategies import HORIZON

#: An arm has a low reward if Lai and Robbins's bound on how often a good solver must play it, ln(T) / kl(mean, best
#: mean), is below a hundredth of the horizon.
PLAYS = HORIZON / 100


def gain_by_gap(
    claim: Claim,
    results: Results,
    *,
    solver: Literal["TS", "KL-UCB"],
    than: Literal["small", "large"],
    family: str,
    tasks: list[str],
) -> Judgement:
    """Judge that POMIS+ gains more where the gap to the next arm is of middle size than at another.

    ``than`` names the other. Random instances of a family are compared in thirds by gap within each task (ledger L73).
    """
    sizes = ("middle", than)
    return _larger_gain(results, solver, family, tasks, lambda found: [found["size"] == size for size in sizes])


def many_low_arms(
    claim: Claim, results: Results, *, solver: Literal["TS", "KL-UCB"], family: str, tasks: list[str]
) -> Judgement:
    """Judge that POMIS+ gains less where more arms have a low reward (`low_arms`).

    Instances with more such arms than is usual for their task and family are compared with those that have fewer.
    """

    def fewer_and_more(found: pd.DataFrame) -> list[pd.Series]:
        beyond = []
        for (task, family), part in found.groupby(STRATA, sort=False):
            counts = pd.Series([low_arms(m) for m in means_of(str(task), str(family), part["draw"])], index=part.index)
            beyond.append(counts - counts.mean())
        more = pd.concat(beyond).reindex(found.index)
        return [more < 0, more > 0]

    return _larger_gain(results, solver, family, tasks, fewer_and_more)


def _larger_gain(
    results: Results,
    solver: str,
    family: str,
    tasks: Sequence[str],
    parted: Callable[[pd.DataFrame], Sequence[pd.Series]],
) -> Judgement:
    """Judge that POMIS+ gains more on the first of two parts of the random instances of a family.

    Gains are logarithms of POMIS over POMIS+. ``parted`` says of each instance, a row of `gains`, whether it is of the
    first part, and whether of the second. A task whose instances are all of one part tells nothing, and is left out.
    """
    experiments = [f"{family}_{task}" for task in tasks]
    missing = [experiment for experiment in experiments if experiment not in results.plans]
    if missing:
        raise NotRunError(f"experiment {missing[0]}")
    found = gains(results, solver, experiments)
    parts = [found[chosen] for chosen in parted(found)]
    telling = [task for task in tasks if all((part["task"] == task).sum() > 1 for part in parts)]
    if not telling:
        raise NotRunError(f"two instances of each kind of the experiments {', '.join(experiments)}")
    return judge_above_apart(*(_over_tasks(part, telling) for part in parts), unit="draw")


def _over_tasks(part: pd.DataFrame, tasks: Sequence[str]) -> Moments:
    """Return the mean gain over tasks: each counts the same, however many of its instances are played.

    The standard deviation is the one that gives this mean its standard error with as many instances.
    """
    of_tasks = [part.loc[part["task"] == task, "gain"] for task in tasks]
    count = sum(map(len, of_tasks))
    variance = sum(float(gain.var()) / len(gain) for gain in of_tasks) / len(tasks) ** 2
    return Moments(float(np.mean([gain.mean() for gain in of_tasks])), math.sqrt(count * variance), count)


def low_arms(means: FloatArray) -> int:
    """Count the arms that a solver need hardly play: Lai and Robbins's bound is below `PLAYS`."""
    best = float(means.max())
    worse = means[means < best - 1e-12]
    return int((math.log(HORIZON) / _divergence(worse, best) < PLAYS).sum())


def _divergence(means: FloatArray, best: float) -> FloatArray:
    """Compute kl(mean, best) of rewards of zero or one, means and best below 1 and above 0."""
    p = np.clip(means, 1e-12, 1 - 1e-12)
    q = min(max(best, 1e-12), 1 - 1e-12)
    found: FloatArray = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    return found


GAIN_JUDGES: dict[str, Judge] = {"gain_by_gap": Judge(gain_by_gap), "many_low_arms": Judge(many_low_arms)}
