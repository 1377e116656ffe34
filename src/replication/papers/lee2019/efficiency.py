"""How much less data POMIS+ needs than brute force (ledger L195).

Also: what arms of low reward do to its gain.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from replication.judging.claims import Claim, Judge
from replication.judging.judges import Basis, Because, Judgement, Moments, Outcome, judge_above_apart, reason
from replication.judging.judges.intervals import FloatArray, ratio_interval
from replication.papers.lee2019.gaps import STRATA, gains, means_of
from replication.papers.lee2019.graphs import GRAPHS
from replication.papers.lee2019.strategies import HORIZON, played, played_as
from replication.pipeline.results import NotRunError, Results

#: "Orders of magnitude": one of them at least, which is the least that the plural can mean and less than it says.
ORDER = 10.0
#: An arm has a low reward if Lai and Robbins's bound on how often a good solver must play it, ln(T) / kl(mean, best
#: mean), is below a hundredth of the horizon.
PLAYS = HORIZON / 100


class Factor(NamedTuple):
    """How many times as efficient, and its 95 % interval."""

    value: float
    low: float
    high: float


def efficiency(
    claim: Claim,
    results: Results,
    *,
    solver: Literal["TS", "KL-UCB"],
    instances: str,
    counts: Literal["rounds", "regret"],
) -> Judgement:
    """Judge whether POMIS+ is ten times as data-efficient as brute force.

    It is judged on average over an experiment's seeds. ``rounds``: how many times the rounds of POMIS+ brute force
    needs to the same regret per round, that which brute force has at the horizon. ``regret``: how many times the regret
    of POMIS+ at the horizon brute force has. ``instances`` names the experiment.
    """
    if results.horizon(instances) != HORIZON:
        raise NotRunError(f"{HORIZON} rounds of {instances}")
    labels = [played_as(results, instances, solver, strategy) for strategy in ("BF", "POMIS+")]
    if counts == "rounds":
        slow, fast = (results.curve(instances, policy=label) for label in labels)
        found, n = fewer_rounds(slow, fast), int(slow["n"].min())
    else:
        all_arms, shared = (results.final(instances, policy=label).to_numpy() for label in labels)
        ratio = ratio_interval(all_arms, shared)
        found, n = Factor(ratio.value, ratio.low, ratio.high), ratio.n
    outcome = Outcome.HOLDS if found.low >= ORDER else Outcome.FAILS if found.high < ORDER else Outcome.OPEN
    what = "rounds to one regret per round" if counts == "rounds" else f"regret after {HORIZON:,} rounds"
    why = reason(f"BF has {found.value:.1f} times the {what}", f"one order of magnitude is {ORDER:g} times")
    because = Because.CLOSE if outcome is Outcome.OPEN else None
    return Judgement(outcome, why, Basis.SIMULATED, f"{found.value:.1f}", found.low, found.high, n, because=because)


def fewer_rounds(slow: pd.DataFrame, fast: pd.DataFrame) -> Factor:
    """Compute how many times the rounds of ``fast`` the other takes to do as well.

    To do as well is to reach the regret per round that ``slow`` ends with.

    Parameters
    ----------
    slow, fast : table
        Curves with columns ``t``, ``mean``, ``ci_low`` and ``ci_high``.

    Returns
    -------
    Factor
        From the first checkpoint from which on ``fast`` stays as low. The interval takes the ends of both curves'
        intervals, and the checkpoint before; it has no end if that is the first one.
    """
    slow, fast = slow.sort_values("t"), fast.sort_values("t")
    last = slow.iloc[-1]
    rounds, t = float(last["t"]), fast["t"].to_numpy()

    def reached(curve: str, goal: str) -> int | None:
        above = np.flatnonzero(fast[curve].to_numpy() / t > last[goal] / rounds)
        after = int(above[-1]) + 1 if len(above) else 0
        return after if after < len(t) else None

    middle, late, early = reached("mean", "mean"), reached("ci_high", "ci_low"), reached("ci_low", "ci_high")
    value = rounds / t[middle] if middle is not None else 1.0
    low = rounds / t[late] if late is not None else 0.0
    high = math.inf if early == 0 else rounds / t[early - 1] if early is not None else 1.0
    return Factor(float(value), float(low), float(high))


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


def many_low_arms(claim: Claim, results: Results, *, solver: Literal["TS", "KL-UCB"], families: list[str]) -> Judgement:
    """Judge whether POMIS+ gains less where more arms have a low reward (`low_arms`).

    Over random instances, those with more such arms than is usual for their task and family against those with fewer;
    gains are logarithms, without what tasks and families differ in, as in `claims.gain_by_gap`.
    """
    experiments = [f"{family}_{task}" for family in families for task in GRAPHS]
    missing = [experiment for experiment in experiments if experiment not in results.plans]
    if missing:
        raise NotRunError(f"experiment {missing[0]}")
    found = gains(results, solver, experiments)
    low = []
    for (task, family), part in found.groupby(STRATA, sort=False):
        counts = pd.Series([low_arms(m) for m in means_of(str(task), str(family), part["draw"])], index=part.index)
        low.append(counts - counts.mean())
    more = pd.concat(low).reindex(found.index)
    gain = found["gain"] + found["gain"].mean() - found.groupby(STRATA)["gain"].transform("mean")
    parts = [gain[more < 0], gain[more > 0]]
    judged = judge_above_apart(*(Moments(float(p.mean()), float(p.std()), len(p)) for p in parts))
    if judged.needs is None:
        return judged
    pooled = tuple((e, results.policies(e, **played(solver, s))[0]) for e in experiments for s in ("POMIS", "POMIS+"))
    return replace(judged, needs=replace(judged.needs, pooled=pooled))


EFFICIENCY_JUDGES: dict[str, Judge] = {"efficiency": Judge(efficiency), "many_low_arms": Judge(many_low_arms)}
