"""Tests that any paper's claims may call: they read final values and curves, and pass them to `judges`."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from experiments.results import NotRunError, Results
from replication.judging import judges
from replication.judging.claims import Along, Checkpoint, Final, Printed, check, check_number, pair
from replication.judging.judges.intervals import percents_below
from replication.judging.judges.judgement import Judgement, Outcome, Why, reason

By = Literal["seed", "draw"]

#: What is seen of a bound on growth over a range, by the outcome of `judges.judge_growth_bound`.
SEEN = {Outcome.HOLDS: "keeps", Outcome.FAILS: "exceeds", Outcome.OPEN: "cannot be told from"}

#: A law of growth, as in `judges.growth.GROWTHS`.
Law = Literal["log", "sqrt", "linear", "log_squared"]


@check_number()
def mean(printed: Printed, results: Results, ours: Final, *, trials: int, drawn: str = "") -> Judgement:
    """Judge that the policy's mean is the published number; see `judges.judge_mean`.

    ``drawn`` is the metric that the paper averages, if it has the same mean but a different spread.
    """
    values = ours.values(results).to_numpy()
    own = ours.of(drawn).values(results).to_numpy() if drawn else None
    return judges.judge_mean(printed.number, values, trials, drawn=own)


@check_number(0, 100)
def percentage(
    printed: Printed, results: Results, smaller: Final, larger: Final, *, trials: int, drawn: str = ""
) -> Judgement:
    """Judge the percentage by which one policy's mean is below another's; see `judges.judge_mean`.

    ``drawn`` is as in `mean`. The paper's strategies are assumed to be paired like ours (ledger L17).
    """
    values, others = pair(smaller, larger, results)
    own = None
    if drawn:
        values_drawn, others_drawn = pair(smaller.of(drawn), larger.of(drawn), results)
        own = percents_below(others_drawn, values_drawn)
    return judges.judge_mean(printed.number, percents_below(others, values), trials, drawn=own)


@check
def above(
    printed: Printed, results: Results, larger: Final, smaller: Final, *, claimed: float | None = None, by: By = "seed"
) -> Judgement:
    """Judge that one policy's mean is above another's, on paired values.

    ``claimed`` is the published difference. ``by`` is ``seed``, or ``draw`` for one value per random problem, the mean
    over its seeds.
    """
    values, others = pair(larger, smaller, results, by)
    judged = judges.judge_above(values, others, claimed=claimed, unit=by)
    return replace(judged, reason=reason(f"paired by {by}, {judged.reason}"))


@check
def above_at(printed: Printed, results: Results, larger: Final, smaller: Final, at: Checkpoint) -> Judgement:
    """Judge that one policy's mean is above another's at a checkpoint, from curves, which do not pair seeds."""
    judged = judges.judge_above_apart(_moments(larger, results, at), _moments(smaller, results, at))
    return replace(judged, reason=reason(f"at t = {at}, not paired, {judged.reason}"))


def _moments(of: Final, results: Results, at: int) -> judges.Moments:
    curve = of.curve(results)
    point = curve[curve["t"] == at]
    if point.empty:
        raise NotRunError(f"a checkpoint of {of.experiment} at t = {at}")
    row = point.iloc[0]
    return judges.Moments(float(row["mean"]), float(row["std"]), int(row["n"]))


@check_number()
def bound(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge that the published number bounds every seed's value.

    See `judges.judge_bound`. A run that was cut off before it had an outcome violates the bound on it.
    """
    values = ours.values(results, cut_off=True).fillna(np.inf).to_numpy()
    return judges.judge_bound(printed.number, values, np.inf)


@check_number(0, 1)
def rate(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge that a metric with values 0 and 1 is 1 with at least the published probability.

    The probability is 1 - delta, for instance. A run that was cut off before it had an outcome counts as 0.
    """
    return rate_of(ours, results, printed.number)


def rate_of(ours: Final, results: Results, at_least: float) -> Judgement:
    """Judge as `rate` does."""
    values = ours.values(results, cut_off=True).to_numpy()
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise ValueError(f"{ours.metric} is not 0 or 1 on every seed")
    return judges.judge_rate(values == 1, at_least)


@check
def trend(printed: Printed, results: Results, values: Along, direction: Literal["rises", "falls"]) -> Judgement:
    """Judge that the policy's value always rises, or always falls, along a setting of its own or of the problem."""
    return judges.judge_trend(*values.by_seed(results), direction)


@check
def growth_by_construction(printed: Printed, results: Results, values: Along, law: Law) -> Judgement:
    """Judge that the policy's value grows like a law over the range played, for a law that holds by construction."""
    return judges.judge_growth(*values.by_seed(results), model=law)


@check
def growth(printed: Printed, results: Results, values: Along, law: Law) -> Judgement:
    """Say whether the policy's value grows like a law, and like no other law, over the range played.

    The claim, an order of growth, is open: no finite range confirms or refutes it.
    """
    seen = judges.judge_growth(*values.by_seed(results), model=law)
    return _of_range(seen, f"up to {values.values[-1]:,} {seen.reason}")


@check
def growth_bound(printed: Printed, results: Results, values: Along, law: Law) -> Judgement:
    """Say whether the policy's value grows no faster than a law over the range played; the claim is open as above."""
    seen = judges.judge_growth_bound(*values.by_seed(results), model=law)
    over = f"it {SEEN[seen.outcome]} the bound up to {values.values[-1]:,}"
    return _of_range(seen, over, seen.reason.partition(";")[0])


def _of_range(seen: Judgement, *clauses: str) -> Judgement:
    """Leave an order of growth open, and say what is seen over the range played."""
    return replace(seen, outcome=Outcome.OPEN, why=Why.UNTESTABLE, reason=reason(*clauses))
