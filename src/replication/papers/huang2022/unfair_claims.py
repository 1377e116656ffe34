"""Judge the counts of unfair decisions under every definition of one (L50)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.unfairness import unfair
from causal_bandits.problems.huang2022 import user_counts
from experiments.results import Results
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    Basis,
    Because,
    Judgement,
    Outcome,
    fitted,
    judge_above,
    judge_mean,
    judge_zero,
    reason,
)
from replication.judging.judges.arguments import Count, Percent, Positive
from replication.judging.readings import over_readings
from replication.papers.huang2022.bandits import bandit_of
from replication.papers.huang2022.couplings import discrepancies_by_coupling
from replication.papers.huang2022.labels import DEFINITIONS, PICKED, UNTRIED
from replication.papers.huang2022.whole_tables import in_table, printed_cells


def unfair_decisions(
    claim: Claim, results: Results, *, tau: Positive, trials: Count, described: bool = True
) -> Judgement:
    """Judge how many rounds are unfair at ``tau``, under every definition of a round's discrepancy.

    Under each definition all counts above 0 of the paper's table are tested together (`whole_tables.in_table`).

    ``described`` says whether the paper describes the policy. Of one that it does not, only what holds for every policy
    can be told (ledger L51).
    """
    return _by_definition(
        lambda d: _in_table(claim, results, d, tau, trials),
        lambda d: described or _of_the_user_alone(claim, results, d),
    )


def _in_table(claim: Claim, results: Results, definition: str, tau: float, trials: int) -> Judgement:
    cell = _counted(claim, results, definition, claim.number, _counts(claim, results, definition, tau), tau, trials)
    if claim.number == 0:  # that a policy is never unfair is a statement of its own, as an order is
        return cell
    whoever = _of_the_user_alone(claim, results, definition)
    found = printed_cells(claim, results, definition, tau, trials, whoever=whoever)
    return in_table(cell, found, _largest(claim, results, definition), trials)


def unfair_share(
    claim: Claim, results: Results, *, percent: Percent, tau: Positive, trials: Count, described: bool = True
) -> Judgement:
    """Judge which ``percent`` of the rounds is unfair, as `unfair_decisions`."""
    share = 100 / results.horizon(claim.experiment)
    return _by_definition(
        lambda d: _counted(claim, results, d, percent, share * _counts(claim, results, d, tau), tau, trials),
        lambda d: described or _of_the_user_alone(claim, results, d),
    )


def more_unfair(
    claim: Claim, results: Results, *, tau: Positive, other_tau: Positive | None = None, described: bool = True
) -> Judgement:
    """Judge whether the policy is unfair in more rounds than the other, under every definition.

    ``described`` as in `unfair_decisions`.
    """
    return _by_definition(
        lambda d: _more(claim, results, d, tau, tau if other_tau is None else other_tau),
        lambda d: described or _of_the_user_alone(claim, results, d),
    )


def _by_definition(judged: Callable[[str], Judgement], told: Callable[[str], bool]) -> Judgement:
    """Combine the judgements under all definitions.

    A definition that was picked with the published counts in view decides nothing (L82).
    """
    found = {}
    for definition, title in DEFINITIONS.items():
        found[title] = judged(definition)
        if definition in PICKED:
            found[title] = fitted(found[title], "picked with the published counts in view")
        elif not told(definition):
            found[title] = _undescribed(found[title])
    return over_readings({**found, **{title: _untried() for title in UNTRIED}})


def _untried() -> Judgement:
    """Judge a definition that the text allows and the study does not run (ledger L50)."""
    why = "the paper does not define an unfair decision; this definition is not tried"
    return Judgement(Outcome.OPEN, why, Basis.SIMULATED, because=Because.OMITTED)


def _undescribed(judged: Judgement) -> Judgement:
    """Leave open the numbers of a policy that the paper does not describe.

    What the study's own policy does tells nothing of the paper's.
    """
    why = "the paper does not describe this policy"
    return replace(judged, outcome=Outcome.OPEN, because=Because.OMITTED, needs=None, basis=Basis.SIMULATED, reason=why)


def _counts(claim: Claim, results: Results, definition: str, tau: float) -> pd.Series:
    """Read the unfair rounds of the claim's policy, by seed."""
    return replace(claim, metric=unfair(definition, tau)).values(results)


def _counted(
    claim: Claim, results: Results, definition: str, published: float, found: pd.Series, tau: float, trials: int
) -> Judgement:
    largest = _largest(claim, results, definition)
    why = f"no discrepancy of the model exceeds {largest:.4f}"
    if largest <= tau:
        if found.any():
            raise ValueError(f"{why}, and yet rounds are counted as beyond {tau:g}")
        why = f"{why}: at tau = {tau:g} no policy can be unfair"
        if published == 0:
            return Judgement(Outcome.HOLDS, why, Basis.IDENTITY, "0", n=len(found))
        return Judgement(Outcome.WRONG, why, Basis.EXACT, "0", n=len(found))
    values: FloatArray = found.to_numpy(dtype=np.float64)
    if published == 0:
        return judge_zero(values, trials)
    return judge_mean(published, values, trials)


def _more(claim: Claim, results: Results, definition: str, tau: float, other_tau: float) -> Judgement:
    largest = _largest(claim, results, definition)
    if largest <= min(tau, other_tau):
        why = f"no discrepancy of the model exceeds {largest:.4f}: no policy can be unfair"
        return Judgement(Outcome.WRONG, why, Basis.EXACT, "0 and 0")
    if tau == other_tau and _of_the_user_alone(claim, results, definition):
        why = "the discrepancy depends on the user alone: whatever policies play, their counts are the same"
        return Judgement(Outcome.WRONG, why, Basis.EXACT, "equal")
    metric = replace(claim, metric=unfair(definition, tau))
    judged = judge_above(*metric.pair(results, other_metric=unfair(definition, other_tau)))
    if tau < other_tau and claim.policy == claim.against and judged.outcome is Outcome.HOLDS:
        why = "of the same rounds, never more lie beyond a larger threshold"
        return replace(judged, basis=Basis.IDENTITY, reason=reason(why, judged.reason))
    return judged


def _of_the_user_alone(claim: Claim, results: Results, definition: str) -> bool:
    """Tell whether each user's discrepancy is the same for all arms: no policy then changes the count."""
    return definition == "exact" and bool(
        np.ptp(bandit_of(results, claim.experiment).discrepancies, axis=1).max() < 1e-12
    )


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
    "unfair_decisions": Judge(unfair_decisions, needs=("number", "policy")),
    "unfair_share": Judge(unfair_share, needs=("policy",)),
    "more_unfair": Judge(more_unfair, needs=("policy", "against")),
}
