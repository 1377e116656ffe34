"""Judge what huang2022 proves: Theorems 1 to 3, Eq. 12, and the constants of the proofs.

Ledger L86 says what has no row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from causal_bandits.play.unfairness import MISSED
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments import files
from experiments.results import Results
from replication.judging.claims import Claim, Judge
from replication.judging.judges import Judgement, judge_bound, judge_exact, judge_mean_bound, noted
from replication.judging.judges.arguments import Count
from replication.papers.huang2022.bandits import bandit_of, campaign
from replication.papers.huang2022.theory import (
    RegretBound,
    azuma_constant,
    condition_of_proof,
    largest_regret,
    named_condition,
    safest_discrepancy,
    theorem_1,
    theorem_3,
)
from replication.papers.huang2022.theory_tables import MISSED_AT_MOST, ROUNDING


def theorem_1_bounds(claim: Claim, results: Results) -> Judgement:
    """Judge whether the regret of D-UCB keeps Theorem 1's bound, with its probability."""
    problem, horizon = bandit_of(results, claim.experiment), results.horizon(claim.experiment)
    return _bound(theorem_1(problem, horizon), claim, results)


def theorem_3_bounds(claim: Claim, results: Results) -> Judgement:
    """Judge whether the regret of F-UCB keeps Theorem 3's bound at the policy's tau, with its probability."""
    problem, horizon = bandit_of(results, claim.experiment), results.horizon(claim.experiment)
    return _bound(theorem_3(problem, horizon, float(str(claim.policy["tau"]))), claim, results)


def _bound(bound: RegretBound, claim: Claim, results: Results) -> Judgement:
    worst = largest_regret(bandit_of(results, claim.experiment), results.horizon(claim.experiment))
    return judge_bound(bound.regret, claim.values(results).to_numpy(), worst, probability=bound.probability)


def larger_bound(claim: Claim, results: Results, *, horizon: Count) -> Judgement:
    """Judge at how many thresholds Theorem 3's bound exceeds Theorem 1's on the email campaign."""
    problem = campaign()
    first = theorem_1(problem, horizon).regret
    larger = [theorem_3(problem, horizon, tau).regret > first for tau in THRESHOLDS]
    return judge_exact(claim.value, str(sum(larger)))


def proof_of_theorem_1(claim: Claim, results: Results) -> Judgement:
    """Judge whether Azuma's inequality gives Theorem 1's probability, by the printed constant (E27)."""
    constant = azuma_constant()
    judged = judge_exact("yes", "yes" if constant <= claim.number else "no")
    return replace(
        judged, replicated=f"{constant:g}", reason=f"Azuma's inequality gives {constant:g}, a larger probability"
    )


def proof_of_theorem_3(claim: Claim, results: Results, *, named: bool = True) -> Judgement:
    """Judge at how many thresholds Theorem 3's scales meet the condition of its proof (E09).

    The bandit is the email campaign. ``named``: the condition that the proof names, or the one that its steps need.
    """
    safe, alpha_c = safest_discrepancy(campaign()), 1.0
    scales = {tau: 2 / (tau - safe) for tau in THRESHOLDS}
    met = sum(
        named_condition(tau, alpha_r, alpha_c) if named else condition_of_proof(tau, safe, alpha_r, alpha_c)
        for tau, alpha_r in scales.items()
    )
    return judge_exact(claim.value, str(met), implied_by="its own proof")


def theorem_2(claim: Claim, results: Results, *, z_descends: bool) -> Judgement:
    """Judge on how many random models Theorem 2's interval misses the exact counterfactual mean (E08).

    ``z_descends``: of the models in which an intermediate variable descends from S, or of the others.
    """
    models = files.read(results.file("bounds_theorem_2")).to_pandas()
    models = models[models["descends"] == z_descends]
    missed = int((models["printed"] > ROUNDING).sum())
    judged = judge_exact(claim.value, str(missed), implied_by="the exact counterfactual mean of a random model")
    return noted(judged, f"of {len(models)} random models")


def eq_12(claim: Claim, results: Results) -> Judgement:
    """Judge whether the discrepancy exceeds UCB_Delta as rarely as its level allows (E26).

    UCB_Delta is an upper confidence bound. Eq. 12's bound may be missed with probability 1/t^2 per round and side, so
    that the mean number of rounds that a run misses is at most `MISSED_AT_MOST`.
    """
    settings: dict[str, Any] = dict(claim.policy)
    missed = results.final(claim.experiment, MISSED[0], **settings).to_numpy(dtype=np.float64)
    return judge_mean_bound(MISSED_AT_MOST, missed, results.horizon(claim.experiment))


THEOREM_JUDGES: dict[str, Judge] = {
    "theorem_1": Judge(theorem_1_bounds, needs=("policy",)),
    "theorem_2": Judge(theorem_2, needs=("number",)),
    "theorem_3": Judge(theorem_3_bounds, needs=("policy",)),
    "larger_bound": Judge(larger_bound, needs=("number",)),
    "proof_of_theorem_1": Judge(proof_of_theorem_1, needs=("number",)),
    "proof_of_theorem_3": Judge(proof_of_theorem_3, needs=("number",)),
    "eq_12": Judge(eq_12, needs=("policy",)),
}
