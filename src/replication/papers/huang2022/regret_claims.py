"""Judge the regrets of F-UCB in Tables 1 and 2, each cell and the whole column (ledger L87)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.results import NotRunError, Results
from experiments.selection import selection
from replication.judging.claims import Claim, Judge
from replication.judging.judges import Basis, Because, Judgement, Outcome, fitted, judge_mean, reason
from replication.judging.judges.arguments import Count
from replication.papers.huang2022.resampling import FEWEST, RARE, as_far, averages


def regret_of_column(claim: Claim, results: Results, *, trials: Count) -> Judgement:
    """Judge a mean regret of F-UCB over ``trials``, and the average of its whole column.

    The weaker of the two judgements counts.

    The paper's trials are too few to refute one cell. The average over all thresholds tells more: it is compared with
    averages of as many of the study's seeds, drawn anew for every threshold. (The printed values at tau = 0.1, 0.2 and
    0.3 differ, where runs with the same seeds would not; ledger L87.)
    """
    cell = judge_mean(claim.number, claim.values(results).to_numpy(), trials)
    regrets, published = _column(claim, results)
    if cell.outcome is Outcome.FAILS or regrets.shape[1] < FEWEST:
        return cell
    rng, ours = np.random.default_rng(0), float(regrets.mean())
    drawn = np.mean([averages(rng, row, trials) for row in regrets], axis=0)
    share = float((np.abs(drawn - ours) >= abs(published - ours)).mean())
    told = f"the column averages {published:.1f}, ours {ours:.1f}; {as_far(share, 'columns')}"
    if share <= RARE:
        return replace(cell, outcome=Outcome.FAILS, because=None, needs=None, reason=reason(told, cell.reason))
    return replace(cell, reason=reason(cell.reason, told))


def _column(claim: Claim, results: Results) -> tuple[FloatArray, float]:
    """Read the regrets at the thresholds that are played, and average the printed ones.

    The regrets have the shape (thresholds, seeds).
    """
    rows = results.published_where(item=claim.item, column=claim.column)
    printed = {
        selection(policy, "published").get("tau"): float(value)
        for policy, value in zip(rows["policy"], rows["value"], strict=True)
    }
    regrets, published = [], []
    for tau in THRESHOLDS:
        try:
            regrets.append(replace(claim, policy={**claim.policy, "tau": tau}).values(results).to_numpy())
        except NotRunError:  # no policy is safe at this threshold, so that Theorem 3 has no scale
            continue
        if tau not in printed:
            raise ValueError(f"{claim.item}, {claim.column}: nothing is published at tau = {tau:g}")
        published.append(printed[tau])
    return np.stack(regrets), float(np.mean(published))


def brackets(claim: Claim, results: Results, *, trials: Count) -> Judgement:
    """Judge whether a printed number lies above the policy's mean regret and below the other's.

    It fails if at most 2.5 % of resampled averages of as many of the study's seeds lie on the claimed side of it, for
    one of the two; it holds if at least 97.5 % do, for both; otherwise the trials are too few to tell. A bonus that the
    paper does not print decides nothing: it was picked with the number in view (L87).
    """
    values, others = claim.pair(results)
    n, means = len(values), f"{values.mean():.1f} and {others.mean():.1f}"
    if n < FEWEST:
        why = f"{n} seeds tell nothing of averages of {trials} trials; {FEWEST} would"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, means, n=n, because=Because.SEEDS)
    rng = np.random.default_rng(0)
    below = float((averages(rng, values, trials) <= claim.number).mean())
    above = float((averages(rng, others, trials) >= claim.number).mean())
    least = min(below, above)
    found = Outcome.FAILS if least <= RARE else Outcome.HOLDS if least >= 1 - RARE else Outcome.OPEN
    told = (
        f"{100 * below:.3g} % of averages of {trials} lie below {claim.value}, of the other's {100 * above:.3g} % above"
    )
    because = Because.UNTESTABLE if found is Outcome.OPEN else None
    judged = Judgement(found, told, Basis.SIMULATED, means, n=n, because=because)
    printed = claim.policy["alpha_r"] == 1.0
    return judged if printed else fitted(judged, "picked with the printed regret in view")


REGRET_JUDGES: dict[str, Judge] = {
    "regret_of_column": Judge(regret_of_column, needs=("number", "policy")),
    "brackets": Judge(brackets, needs=("number", "policy", "against")),
}
