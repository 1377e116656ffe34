"""Judges that any paper's claims may name: thin adapters that pass what a claim selects to `judges`.

Each takes the claim under one reading, the results, and the claim's arguments as keywords.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from causal_bandits.arrays import FloatArray
from experiments.results import NotRunError, Results
from experiments.settings import ConfigError
from replication.judging import judges
from replication.judging.claims import Claim, Judge
from replication.judging.judges.arguments import (
    Along,
    Checkpoint,
    Count,
    Percent,
    Positive,
    Probability,
    Sizes,
)
from replication.judging.judges.intervals import percents_below
from replication.judging.judges.judgement import Judgement, reason

By = Literal["seed", "draw"]

#: A law of growth, as in `judges.growth.GROWTHS`.
Law = Literal["log", "sqrt", "linear", "log_squared"]


def mean(
    claim: Claim,
    results: Results,
    *,
    trials: Count,
    drawn: str | None = None,
) -> Judgement:
    """Judge that the policy's mean is the published number; see `judges.judge_mean`.

    ``drawn`` is the metric that the paper averages, if it has the same mean as the claim's but a different spread.
    """
    values = claim.values(results).to_numpy()
    own = None if drawn is None else replace(claim, metric=drawn).values(results).to_numpy()
    return judges.judge_mean(claim.number, values, trials, drawn=own)


def percentage(
    claim: Claim,
    results: Results,
    *,
    trials: Count,
    drawn: str | None = None,
) -> Judgement:
    """Judge the percentage by which the policy's mean is below the other's; see `judges.judge_mean`.

    ``drawn`` is as in `mean`. The paper's strategies are assumed to be paired like ours (ledger L17).
    """
    values, others = claim.pair(results)
    own = None
    if drawn is not None:
        values_drawn, others_drawn = replace(claim, metric=drawn).pair(results)
        own = percents_below(others_drawn, values_drawn)
    below = percents_below(others, values)
    return judges.judge_mean(claim.number, below, trials, drawn=own)


def above(
    claim: Claim,
    results: Results,
    *,
    claimed: Positive | None = None,
    by: By = "seed",
) -> Judgement:
    """Judge that the policy's mean is above the other's, on paired values.

    ``by`` is ``seed``, or ``draw`` for one value per random problem, the mean over its seeds.
    """
    values, others = claim.pair(results, by)
    judged = judges.judge_above(values, others, claimed=claimed, unit=by)
    return replace(judged, reason=reason(f"paired by {by}, {judged.reason}"))


def above_at(claim: Claim, results: Results, *, at: Checkpoint) -> Judgement:
    """Judge that the policy's mean is above the other's at checkpoint ``at``, from curves, which do not pair seeds."""
    larger, smaller = (_moments(claim, results, dict(side), at) for side in (claim.policy, claim.against))
    judged = judges.judge_above_apart(larger, smaller)
    return replace(judged, reason=reason(f"at t = {at}, not paired, {judged.reason}"))


def _moments(claim: Claim, results: Results, policy: Mapping[str, object], at: int) -> judges.Moments:
    curve = results.curve(claim.experiment, claim.metric, **policy)
    point = curve[curve["t"] == at]
    if point.empty:
        raise NotRunError(f"a checkpoint of {claim.experiment} at t = {at}")
    row = point.iloc[0]
    return judges.Moments(float(row["mean"]), float(row["std"]), int(row["n"]))


def bound(claim: Claim, results: Results) -> Judgement:
    """Judge that the published number bounds every seed's value.

    See `judges.judge_bound`. A run that was cut off before it had an outcome violates the bound on it.
    """
    values = claim.values(results, cut_off=True).fillna(np.inf).to_numpy()
    return judges.judge_bound(claim.number, values, np.inf)


def rate(claim: Claim, results: Results) -> Judgement:
    """Judge that a metric with values 0 and 1 is 1 with at least the published probability.

    The probability is 1 - delta, for instance. A run that was cut off before it had an outcome counts as 0.
    """
    values = claim.values(results, cut_off=True).to_numpy()
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise ValueError(f"{claim.metric} is not 0 or 1 on every seed")
    return judges.judge_rate(values == 1, claim.number)


def trend(claim: Claim, results: Results, *, over: Along, direction: Literal["rises", "falls"]) -> Judgement:
    """Judge that the policy's value always rises, or always falls, along a setting.

    The setting is the policy's own or the problem's; ``over`` names it.
    """
    return judges.judge_trend(*_along(claim, results, over), direction)


def growth(claim: Claim, results: Results, *, over: Sizes, model: Law) -> Judgement:
    """Judge that the policy's value grows like ``model`` along a setting, and like no other law.

    The setting is the policy's own or the problem's.
    """
    return judges.judge_growth(*_along(claim, results, over), model=model)


def growth_bound(claim: Claim, results: Results, *, over: Sizes, model: Law) -> Judgement:
    """Judge that the policy's value grows no faster than ``model`` along a setting, its own or the problem's."""
    return judges.judge_growth_bound(*_along(claim, results, over), model=model)


def _along(claim: Claim, results: Results, over: Mapping[str, Sequence[float]]) -> tuple[FloatArray, FloatArray]:
    """Return the setting's values, shape (points,), and the policy's results at each, paired, shape (points, seeds)."""
    ((name, points),) = over.items()
    rows = [point.values(results) for point in claim.points()]
    if not all(row.index.equals(rows[0].index) for row in rows):
        raise ValueError(f"the policies along {name} were not played with the same seeds")
    return np.array(points, dtype=np.float64), np.stack([row.to_numpy() for row in rows])


JUDGES: dict[str, Judge] = {
    "mean": Judge(mean, needs=("number", "policy")),
    "percentage": Judge(percentage, needs=("number", "policy", "against"), value=Percent),
    "above": Judge(above, needs=("policy", "against")),
    "above_at": Judge(above_at, needs=("policy", "against")),
    "bound": Judge(bound, needs=("number", "policy")),
    "rate": Judge(rate, needs=("number", "policy"), value=Probability),
    "trend": Judge(trend, needs=("policy",)),
    "growth": Judge(growth, needs=("policy",)),
    "growth_bound": Judge(growth_bound, needs=("policy",)),
}


def judges_of(paper: str) -> dict[str, Judge]:
    """Return all judges that claims of ``paper`` may name: the generic ones and those of its module ``claims``.

    Raises
    ------
    ConfigError
        If one of the paper's has the name of a generic one.
    """
    module = importlib.import_module(f"replication.papers.{paper}.claims")
    for name in module.JUDGES:
        if name in JUDGES:
            raise ConfigError(f"papers/{paper}/claims.py: JUDGES: {name!r} is a generic judge; expected another name")
    return {**JUDGES, **module.JUDGES}
