"""Judges of what the gain of POMIS+ depends on: gaps (ledger L73), arms of low reward (L195)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from replication.judging.claims import Claim, Judge
from replication.judging.judges import Judgement, Moments, judge_above_apart
from replication.papers.lee2019.gaps import STRATA, gains, means_of
from replication.papers.lee2019.graphs import GRAPHS
from replication.papers.lee2019.strategies import HORIZON, played
from replication.pipeline.results import NotRunError, Results

#: An arm has a low reward if Lai and Robbins's bound on how often a good solver must play it, ln(T) / kl(mean, best
#: mean), is below a hundredth of the horizon.
PLAYS = HORIZON / 100


def gain_by_gap(
    claim: Claim,
    results: Results,
    *,
    solver: Literal["TS", "KL-UCB"],
    than: Literal["small", "large"],
    families: list[str],
) -> Judgement:
    """Judge that POMIS+ gains more where the gap to the next arm is of middle size than at another.

    ``than`` names the other. Random instances are compared in thirds by gap within each task and family (ledger L73).
    """
    return _larger_gain(results, solver, families, lambda found: [found["size"] == size for size in ("middle", than)])


def many_low_arms(claim: Claim, results: Results, *, solver: Literal["TS", "KL-UCB"], families: list[str]) -> Judgement:
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

    return _larger_gain(results, solver, families, fewer_and_more)


def _larger_gain(
    results: Results, solver: str, families: list[str], parted: Callable[[pd.DataFrame], Sequence[pd.Series]]
) -> Judgement:
    """Judge that POMIS+ gains more on the first of two parts of the random instances of some families.

    Gains are logarithms of POMIS over POMIS+, without what tasks and families differ in. ``parted`` says of each
    instance, a row of `gains`, whether it is of the first part, and whether of the second.
    """
    experiments = [f"{family}_{task}" for family in families for task in GRAPHS]
    missing = [experiment for experiment in experiments if experiment not in results.plans]
    if missing:
        raise NotRunError(f"experiment {missing[0]}")
    found = gains(results, solver, experiments)
    gain = found["gain"] + (found["gain"].mean() - found.groupby(STRATA)["gain"].transform("mean"))
    parts = [gain[chosen] for chosen in parted(found)]
    judged = judge_above_apart(*(Moments(float(p.mean()), float(p.std()), len(p)) for p in parts), unit="draw")
    if judged.needs is None:
        return judged
    pooled = tuple((e, results.policies(e, **played(solver, s))[0]) for e in experiments for s in ("POMIS", "POMIS+"))
    return replace(judged, needs=replace(judged.needs, pooled=pooled))


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
