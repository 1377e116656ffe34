"""Judge the counts of unfair decisions (L50)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.unfairness import unfair
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from causal_bandits.problems.huang2022 import user_counts
from experiments.results import NotRunError, Results
from experiments.settings import Setting
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    WORST_FIRST,
    Basis,
    Because,
    Judgement,
    Outcome,
    judge_above,
    judge_zero,
    reason,
)
from replication.judging.judges.arguments import Count, Positive
from replication.papers.huang2022.bandits import bandit_of, discrepancies_by_coupling
from replication.papers.huang2022.published import DEFINITIONS, PICKED, by_threshold
from replication.papers.huang2022.resampling import FEWEST, Cell, together

#: The keys of `published.DEFINITIONS` that claims may name, as literals: they are checked before any job starts.
Definition = Literal["exact", "answer", "plugin"]


def counts(
    claim: Claim, results: Results, *, counts: Mapping[str, Sequence[float]], trials: Count, described: bool = True
) -> Judgement:
    """Judge whether any definition of an unfair decision gives the counts above 0 that a table prints.

    The paper does not say what is counted. Under each definition all counts are tested together
    (`resampling.together`), each policy under that one of its readings which comes nearest. The claim holds if a
    definition is left that was not picked with the counts in view (L82); otherwise it is open.

    Parameters
    ----------
    claim, results
    counts : mapping from policy to sequence of float
        The printed counts, one for each threshold.
    trials : int
        The number that the paper averages.
    described : bool
        Whether the paper describes the policies. Of others the study's own runs tell nothing (L51), so that the claim
        stays open.
    """
    printed = {
        policy: {tau: count for tau, count in of_policy.items() if count}
        for policy, of_policy in by_threshold(counts).items()
        if any(of_policy.values())
    }
    if not described:
        names = " and ".join(printed)
        why = f"the paper describes neither what it counts nor the policy that is counted ({names})"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, because=Because.OMITTED)
    tables = {d: _table(claim, results, d, printed, trials) for d in DEFINITIONS}
    seeds = min(len(cell.values) for table in tables.values() for cells in table.values() for cell in cells)
    if seeds < FEWEST:
        why = f"{seeds} seeds say nothing about averages of {trials} trials; {FEWEST} would"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, n=seeds, because=Because.SEEDS)
    gives = [d for d, table in tables.items() if not _refuted(claim, results, d, printed, table, trials)]
    shown = f"{len(gives)} of {len(DEFINITIONS)} definitions"
    found = [DEFINITIONS[d] for d in gives if d not in PICKED]
    if found:
        why = reason("as far as five trials can show, it is: " + "; ".join(found))
        return Judgement(Outcome.HOLDS, why, Basis.SIMULATED, shown, n=seeds)
    why = "the paper does not say what it counts; no definition that was tried gives these counts"
    picked = f"but one picked with them in view: {', '.join(DEFINITIONS[d] for d in gives)}" if gives else ""
    return Judgement(Outcome.OPEN, reason(why, picked), Basis.SIMULATED, shown, n=seeds, because=Because.OMITTED)


def _refuted(
    claim: Claim,
    results: Results,
    definition: str,
    printed: Mapping[str, Mapping[float, float]],
    table: Mapping[str, Sequence[Cell]],
    trials: int,
) -> bool:
    """Tell whether the model rules out a printed count, or the counts together are none of its averages."""
    largest = _largest(claim, results, definition)
    return any(tau >= largest for of_policy in printed.values() for tau in of_policy) or together(table, trials).refuted


def _table(
    claim: Claim, results: Results, definition: str, printed: Mapping[str, Mapping[float, float]], trials: int
) -> dict[str, list[Cell]]:
    """Pair the printed counts with the study's, each policy under its reading that comes nearest."""
    found = {}
    for algorithm, of_policy in printed.items():
        labels = results.policies(claim.experiment, algorithm=algorithm)
        if not labels:
            raise NotRunError(f"{algorithm} of {claim.experiment}")
        columns = [
            [
                Cell(count, _counts(claim, results, {"policy": label}, definition, tau))
                for tau, count in of_policy.items()
            ]
            for label in labels
        ]
        found[algorithm] = min(columns, key=lambda column: _distance(column, trials))
    return found


def _distance(column: Sequence[Cell], trials: int) -> tuple[float, float]:
    """Compute how far the furthest count of a policy lies off, and all of them together."""
    return max(cell.off(trials) for cell in column), sum(abs(c.published - float(c.values.mean())) for c in column)


def never_unfair(claim: Claim, results: Results, *, definition: Definition, trials: Count) -> Judgement:
    """Judge whether F-UCB makes no unfair decision at any threshold, under one definition.

    It fails if it fails at one threshold, and holds if it holds at all. Where no discrepancy of the model exceeds a
    threshold, no policy can be unfair there.
    """
    found = {tau: _never(claim, results, definition, tau, trials) for tau in THRESHOLDS}
    tau, worst = min(
        found.items(), key=lambda item: (WORST_FIRST.index(item[1].outcome), item[1].basis == Basis.IDENTITY)
    )
    return replace(worst, reason=reason(f"at tau = {tau:g}: {worst.reason}"))


def _never(claim: Claim, results: Results, definition: str, tau: float, trials: int) -> Judgement:
    policy = {**claim.policy, "tau": tau}
    values, largest = _counts(claim, results, policy, definition, tau), _largest(claim, results, definition)
    if largest > tau:
        return judge_zero(values, trials)
    why = f"no discrepancy of the model exceeds {largest:.4f}"
    if values.any():
        raise ValueError(f"{why}, and yet rounds are counted as beyond {tau:g}")
    return Judgement(Outcome.HOLDS, f"{why}: no policy can be unfair", Basis.IDENTITY, "0.00", n=len(values))


def more_unfair(claim: Claim, results: Results, *, tau: Positive, definition: Definition) -> Judgement:
    """Judge whether the policy is unfair in more rounds than the other at ``tau``, under one definition."""
    largest = _largest(claim, results, definition)
    if largest <= tau:
        why = f"no discrepancy of the model exceeds {largest:.4f}: no policy can be unfair"
        return Judgement(Outcome.FAILS, why, Basis.EXACT, "0 and 0")
    return judge_above(*replace(claim, metric=unfair(definition, tau)).pair(results))


def _counts(claim: Claim, results: Results, policy: Mapping[str, Setting], definition: str, tau: float) -> FloatArray:
    """Read a policy's unfair rounds, by seed."""
    found: FloatArray = replace(claim, policy=policy, metric=unfair(definition, tau)).values(results).to_numpy(float)
    return found


def _largest(claim: Claim, results: Results, definition: str) -> float:
    """Bound the discrepancies of the claim's bandit, whatever ties a user's two incomes together (L42).

    Infinite for what is estimated or drawn.
    """
    bandit = bandit_of(results, claim.experiment)
    if definition == "answer":
        return largest_between_answers(bandit)
    if definition != "exact":
        return np.inf
    if not bandit.descendants:
        return float(np.abs(bandit.discrepancies).max())
    sizes = discrepancies_by_coupling(user_counts(results.file("data_adult")))
    return max(float(size.max()) for size in sizes.values())


def largest_between_answers(bandit: FairBandit) -> float:
    """Compute the largest difference of a user's mean under an arm and under any arm in the other group."""
    means = bandit.means
    best, worst = means.max(axis=1), means.min(axis=1)
    above = best[:, None] - worst[bandit.others]
    return float(np.maximum(above, best[bandit.others] - worst[:, None]).max())


UNFAIR_JUDGES: dict[str, Judge] = {
    "counts": Judge(counts, needs=("experiment",)),
    "never_unfair": Judge(never_unfair, needs=("number", "policy")),
    "more_unfair": Judge(more_unfair, needs=("policy", "against")),
}
