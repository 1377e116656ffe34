"""Judge huang2024's own claims about regret and theorems, and list all of its judges.

Ledger L97 says what has no row.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.problems.huang2024 import PROBLEMS
from experiments import files
from experiments.results import Results
from experiments.settings import as_setting, compact
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    Basis,
    Because,
    Judgement,
    Outcome,
    judge_above,
    judge_bound,
    judge_exact,
    judge_mean_bound,
    judge_rate,
    noted,
    reason,
)
from replication.judging.judges.arguments import Count
from replication.papers.huang2024 import offline_claims as offline
from replication.papers.huang2024.theorem4 import GRAPHS, ROUNDING, exchangeable
from replication.papers.huang2024.theory import (
    lin_ucb_bound,
    oam_bound,
    oam_confidence,
    ruled_out,
    smallest_gap,
    ucb_bound,
)

#: Rounds of the paper's online learning.
ROUNDS = 15_000


def _with_exact_bounds(results: Results, problem: Literal["synthetic", "non_contextual"]) -> ContextualBandit:
    """Build the bandit whose prior holds the exact causal bounds."""
    files = {"synthetic": "bounds_contextual_exact", "non_contextual": "bounds_non_contextual_exact"}
    return PROBLEMS[problem](bounds=results.file(files[problem]), draw=0)


def _worst(problem: ContextualBandit, horizon: int) -> float:
    """Compute the largest regret that any policy can have."""
    return horizon * float((problem.means.max(axis=1) - problem.means.min(axis=1)).max())


def tighter(
    claim: Claim, results: Results, *, theorem: Literal[5, 7, 8], bounded: Literal["kept", "all"] = "kept"
) -> Judgement:
    """Judge whether a theorem's bound on regret is smaller with the exact causal bounds, for T = 15,000.

    A gain is promised where the bounds rule out an arm: on a problem where they rule out none nothing can be tested.

    ``bounded``: which arms Theorem 7's constraint is for, see `theory.allocation_value`.
    """
    problem = _with_exact_bounds(results, "non_contextual" if theorem == 8 else "synthetic")

    def bound(with_bounds: bool) -> float:
        if theorem == 7:
            return oam_bound(problem, ROUNDS, with_bounds=with_bounds, bounded=bounded)
        return {5: lin_ucb_bound, 8: ucb_bound}[theorem](problem, ROUNDS, with_bounds=with_bounds)

    without, clipped = bound(False), bound(True)
    relation = "=" if math.isclose(without, clipped, rel_tol=1e-9) else ">" if without > clipped else "<"
    judged, excluded = judge_exact(claim.value, relation), int(ruled_out(problem).sum())
    if not excluded:
        why = "no gain is promised where they rule out none"
        judged = replace(judged, outcome=Outcome.OPEN, because=Because.UNTESTABLE, reason=why)
    bounds = f"the bound is {without:.1f} without and {clipped:.1f} with the exact causal bounds"
    out = f"they rule out {excluded} of {problem.means.size} pairs of arm and context"
    shown = f"{without:.1f} {relation} {clipped:.1f}"
    return replace(judged, replicated=shown, reason=reason(bounds, out, judged.reason))


def theorem_4(claim: Claim, results: Results, *, exchange: bool = False) -> Judgement:
    """Judge on how many random models Theorem 4's bounds miss P_x(y).

    Every model's probabilities are exact. The models' graphs are those in which the theorem as printed takes W for a
    substitute; with ``exchange``, those that also meet the condition that stands before the theorem (E01).
    """
    models = files.read(results.file("bounds_theorem_4")).to_pandas()
    meeting = [name for name in GRAPHS if not exchange or exchangeable(name)]
    missed = int((models.loc[models["graph"].isin(meeting), "excess"] > ROUNDING).sum())
    judged = judge_exact(claim.value, str(missed), implied_by="P_x(y) of a random model")
    return noted(judged, f"{missed} of {int(models['graph'].isin(meeting).sum())} models on {len(meeting)} graphs")


def above_at_levels(claim: Claim, results: Results, *, levels: Mapping[str, Sequence[float]]) -> Judgement:
    """Judge that the policy lies above the other at every combination of settings; see `judge_above`.

    The worst level counts; its numbers are shown.
    """
    judged = []
    for values in itertools.product(*levels.values()):
        level = {name: as_setting(value) for name, value in zip(levels, values, strict=True)}
        at = replace(claim, policy={**claim.policy, **level}, against={**claim.against, **level})
        judged.append((judge_above(*at.pair(results)), compact(level)))
    order = (Outcome.FAILS, Outcome.OPEN, Outcome.HOLDS)
    worst, where = min(judged, key=lambda each: (order.index(each[0].outcome), each[0].ci_low))
    held = sum(each.outcome is Outcome.HOLDS for each, _ in judged)
    return replace(worst, reason=reason(f"holds at {held} of {len(judged)} levels, least at {where}", worst.reason))


def theorem_6(claim: Claim, results: Results, *, in_every_run: bool = False) -> Judgement:
    """Judge whether the policy has less regret than the other, on average or in every run (ledger L96)."""
    policy, against = claim.pair(results)
    return judge_rate(policy < against, 1.0) if in_every_run else judge_above(against, policy)


def theorem_5(claim: Claim, results: Results) -> Judgement:
    """Judge every seed's regret against Theorem 5's bound with delta = 1/T, which is not published."""
    problem, horizon = _with_exact_bounds(results, "synthetic"), results.horizon(claim.experiment)
    bound = lin_ucb_bound(problem, horizon, with_bounds=True)
    values = claim.values(results).to_numpy()
    return judge_bound(bound, values, _worst(problem, horizon), probability=1 - 1 / horizon)


def theorem_7(claim: Claim, results: Results) -> Judgement:
    """Report Theorem 7's bound, which holds in the limit of many rounds: no run can test it."""
    problem, horizon = _with_exact_bounds(results, "synthetic"), results.horizon(claim.experiment)
    ours, printed = (oam_bound(problem, horizon, with_bounds=True, bounded=which) for which in ("kept", "all"))
    regret = claim.values(results).to_numpy()
    why = reason(
        "asymptotic: no horizon can contradict it",
        f"its value here is {ours:.1f} with the constraint for the arms that are kept, {printed:.1f} for all arms",
    )
    shown, n = f"{regret.mean():.2f}", len(regret)
    return Judgement(Outcome.OPEN, why, Basis.SIMULATED, shown, n=n, because=Because.UNTESTABLE)


def line_13(claim: Claim, results: Results, *, horizon: Count) -> Judgement:
    """Judge whether a pair of arm and context can be played as often as Algorithm 5 asks (E12).

    The number of plays is that of line 13. It must fit into T rounds. As printed the line asks for min(T, f_n /
    Delta_min)^2 plays; Delta_min is taken from the exact means.
    """
    problem = _with_exact_bounds(results, "synthetic")
    asked = min(horizon, oam_confidence(problem, horizon) / smallest_gap(problem)) ** 2
    judged = judge_exact(claim.value, "<=" if asked <= horizon else ">", implied_by="T, the number of all plays,")
    return noted(judged, f"it asks for {asked:,.0f} plays of each pair in {horizon:,} rounds")


def theorem_8(claim: Claim, results: Results) -> Judgement:
    """Judge the mean regret against Theorem 8's bound on the expectation."""
    problem, horizon = _with_exact_bounds(results, "non_contextual"), results.horizon(claim.experiment)
    bound = ucb_bound(problem, horizon, with_bounds=True)
    return judge_mean_bound(bound, claim.values(results).to_numpy(), _worst(problem, horizon))


JUDGES: dict[str, Judge] = {
    "cell": Judge(offline.cell, needs=("number",)),
    "truth": Judge(offline.truth, needs=("number",)),
    "contains": Judge(offline.contains, needs=("number",)),
    "covers_at_levels": Judge(offline.covers_at_levels, needs=("number",)),
    "misses": Judge(offline.misses, needs=("number",)),
    "kept": Judge(offline.kept, needs=("number",)),
    "ancestors": Judge(offline.ancestors),
    "substitutes": Judge(offline.substitutes),
    "above_at_levels": Judge(above_at_levels, needs=("policy", "against")),
    "tighter": Judge(tighter),
    "theorem_4": Judge(theorem_4, needs=("number",)),
    "theorem_6": Judge(theorem_6, needs=("policy", "against")),
    "line_13": Judge(line_13),
    "theorem_5": Judge(theorem_5, needs=("policy",)),
    "theorem_7": Judge(theorem_7, needs=("policy",)),
    "theorem_8": Judge(theorem_8, needs=("policy",)),
}
