"""The judges that only claims of huang2022 need: separators, records, unfair decisions, and the theorems' bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.evaluation.claims import Claim, Judge
from causal_bandits.evaluation.judges import (
    BY_CONSTRUCTION,
    COMPUTED,
    CONTRADICTED,
    REPRODUCED,
    Judgement,
    judge_above,
    judge_bound,
    judge_exact,
    judge_mean,
    judge_mean_bound,
    judge_rate,
    or_direction,
    over_readings,
)
from causal_bandits.evaluation.judges.arguments import Claims, Count, Percent, Positive
from causal_bandits.evaluation.judges.intervals import FloatArray
from causal_bandits.evaluation.measures.unfair import unfair
from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.fair import FairBandit
from causal_bandits.papers.huang2022.constants import VIDEO
from causal_bandits.papers.huang2022.couplings import discrepancies_by_coupling
from causal_bandits.papers.huang2022.discovery import learned_graphs, learned_separator
from causal_bandits.papers.huang2022.labels import DEFINITIONS
from causal_bandits.papers.huang2022.problems import adult_video_bandit, email, user_counts
from causal_bandits.papers.huang2022.theory import RegretBound, largest_regret, theorem_1, theorem_3

#: Tables of learnt graphs by learner (ledger L39).
LEARNERS = {"PC": "discovery_pc", "GES": "discovery_ges"}


def separator(claim: Claim, results: Results) -> Judgement:
    """The minimal d-separation set of the email campaign."""
    return judge_exact(claim.value, _shown(minimal_separator(_email())))


def learnt_separator(claim: Claim, results: Results) -> Judgement:
    """The minimal d-separation set of Adult-Video's learnt graphs."""
    return _learnt(claim.value, results, learned_separator)


def learnt_parents(claim: Claim, results: Results) -> Judgement:
    """The parents of the reward in Adult-Video's learnt graphs."""
    return _learnt(claim.value, results, lambda graph: graph.parents("reward"))


def _learnt(
    published: str, results: Results, found_in: Callable[[PartiallyDirectedGraph], frozenset[str]]
) -> Judgement:
    """Whether a learner finds exactly the published set on at least half of the seeds (L40), by PC and by GES."""
    judged, missing = {}, []
    for learner, file in LEARNERS.items():
        try:
            found = [_shown(found_in(graph)) for graph in learned_graphs(results.file(file))]
        except NotRunError:
            missing.append(learner)
            continue
        told = judge_rate(np.array([each == published for each in found]), 0.5)
        most = max(sorted(set(found)), key=found.count)
        judged[learner] = replace(told, why=f"{learner} finds {most} most often; {told.why}")
    return over_readings(judged, missing)


def _shown(variables: Iterable[str]) -> str:
    return "{" + ",".join(sorted(variables)) + "}"


def records(
    claim: Claim,
    results: Results,
    *,
    data: str,
    where: Mapping[str, int] | None = None,
    parts: Claims | None = None,
) -> Judgement:
    """A number of records, counted: those of the table ``data`` whose variables have the states ``where``.

    ``parts`` are claims that count the parts of the same records: a number that is not their sum contradicts them.
    """
    table = pq.read_table(results.file(data)).to_pandas()
    for variable, state in (where or {}).items():
        table = table[table[variable] == state]
    counted = int(table["count"].sum())
    place = ""
    if parts and sum(results.value(part) for part in parts) == counted:
        place = f"the sum of {' and '.join(parts)}"
    return judge_exact(claim.value, str(counted), implied_by=place)


def video_types(claim: Claim, results: Results) -> Judgement:
    """How many of the types of videos there are, counted."""
    table = pq.read_table(results.file("data_youtube")).to_pandas()
    known = table[(table[list(VIDEO)] < 2).all(axis=1) & (table["count"] > 0)]
    return judge_exact(claim.value, str(len(known[list(VIDEO)].drop_duplicates())))


def states(claim: Claim, results: Results, *, variable: str, implied_by: str) -> Judgement:
    """How many values a variable of the email campaign has by its equations; ``implied_by`` is where they stand."""
    return judge_exact(claim.value, str(_email().scm.cardinality(variable)), implied_by=implied_by)


def unfair_decisions(claim: Claim, results: Results, *, tau: Positive, trials: Count) -> Judgement:
    """How many rounds are unfair by Definition 3: the arm's exact discrepancy is beyond ``tau``."""
    counts = {definition: _counts(claim, results, definition, tau) for definition in DEFINITIONS}
    judged = _unfair(claim, results, claim.number, counts["exact"].to_numpy(), tau, trials)
    means = {title: counts[definition].mean() for definition, title in DEFINITIONS.items() if definition != "exact"}
    nearest = min(means, key=lambda title: abs(means[title] - claim.number))
    return replace(judged, why=f"{judged.why}; nearest of other definitions: {means[nearest]:.0f} ({nearest})")


def unfair_share(claim: Claim, results: Results, *, percent: Percent, tau: Positive, trials: Count) -> Judgement:
    """As `unfair_decisions`, in ``percent`` of the rounds."""
    shares = 100 * _counts(claim, results, "exact", tau) / results.horizon(claim.experiment)
    return _unfair(claim, results, percent, shares.to_numpy(), tau, trials)


def _counts(claim: Claim, results: Results, definition: str, tau: float) -> pd.Series:
    """Unfair rounds of the claim's policy, by seed."""
    return replace(claim, metric=unfair(definition, tau)).values(results)


def _unfair(claim: Claim, results: Results, published: float, found: FloatArray, tau: float, trials: int) -> Judgement:
    largest = _largest_discrepancy(claim, results)
    why = f"no discrepancy of the model exceeds {largest:.4f}"
    if largest <= tau:
        if found.any():
            raise ValueError(f"{why}, and yet rounds are counted as beyond {tau:g}")
        why = f"{why}: at tau = {tau:g} no policy can be unfair"
        if published == 0:
            return Judgement(REPRODUCED, why, BY_CONSTRUCTION, "0", n=len(found))
        return Judgement(CONTRADICTED, why, COMPUTED, "0", n=len(found))
    if published == 0:
        judged = replace(judge_rate(found == 0, 1.0), replicated=f"{found.mean():.2f}")
    else:
        judged = judge_mean(published, found, trials)
    return replace(judged, why=f"{judged.why}; {why}")


def more_unfair(claim: Claim, results: Results, *, tau: Positive, other_tau: Positive | None = None) -> Judgement:
    """The policy is unfair in more rounds than the other, by Definition 3; ``other_tau`` is the other's threshold."""
    other_tau = tau if other_tau is None else other_tau
    largest = _largest_discrepancy(claim, results)
    if largest <= min(tau, other_tau):
        why = f"no discrepancy of the model exceeds {largest:.4f}: no policy can be unfair"
        return Judgement(CONTRADICTED, why, COMPUTED, "0 and 0")
    if tau == other_tau and np.ptp(_model(claim, results).discrepancies, axis=1).max() < 1e-12:
        why = "the discrepancy depends on the user alone: whatever policies play, their counts are the same"
        return Judgement(CONTRADICTED, why, COMPUTED, "equal")
    metric = replace(claim, metric=unfair("exact", tau))
    return judge_above(*metric.pair(results, other_metric=unfair("exact", other_tau)))


def _model(claim: Claim, results: Results) -> FairBandit:
    """The bandit that a claim's experiment plays, on Adult-Video with the users of all seeds."""
    label, *_ = results.policies(claim.experiment)
    settings = results.settings(claim.experiment, label)
    if settings["problem"] == "email":
        return _email()
    counts = user_counts(results.file("data_adult"))
    return adult_video_bandit(counts, income_descends_from_sex=bool(settings["income_descends_from_sex"]))


@cache
def _email() -> FairBandit:
    return email()


def _largest_discrepancy(claim: Claim, results: Results) -> float:
    """What no exact discrepancy of the claim's bandit exceeds, whatever ties a user's two incomes together (L42)."""
    model = _model(claim, results)
    if not model.descendants:
        return float(np.abs(model.discrepancies).max())
    sizes = discrepancies_by_coupling(user_counts(results.file("data_adult")))
    return max(float(size.max()) for size in sizes.values())


def slightly_above(claim: Claim, results: Results, *, claimed: Positive, times: Positive) -> Judgement:
    """The policy lies above the other, and by no more than ``times`` the difference that is ``claimed``.

    If it lies further above, the direction alone holds.
    """
    values, others = claim.pair(results)
    ordering = judge_above(values, others, claimed=claimed)
    if ordering.verdict != REPRODUCED:
        return ordering
    return or_direction(judge_mean_bound(times * claimed, values - others, math.inf), ordering)


def theorem_1_bounds(claim: Claim, results: Results) -> Judgement:
    """The regret of D-UCB keeps Theorem 1's bound, with its probability."""
    problem, horizon = _model(claim, results), results.horizon(claim.experiment)
    return _bound(theorem_1(problem, horizon), claim, results)


def theorem_3_bounds(claim: Claim, results: Results) -> Judgement:
    """The regret of F-UCB keeps Theorem 3's bound at the policy's tau, with its probability."""
    problem, horizon = _model(claim, results), results.horizon(claim.experiment)
    return _bound(theorem_3(problem, horizon, float(str(claim.policy["tau"]))), claim, results)


def _bound(bound: RegretBound, claim: Claim, results: Results) -> Judgement:
    worst = largest_regret(_model(claim, results), results.horizon(claim.experiment))
    return judge_bound(bound.regret, claim.values(results).to_numpy(), worst, probability=bound.probability)


JUDGES: dict[str, Judge] = {
    "separator": Judge(separator),
    "learnt_separator": Judge(learnt_separator),
    "learnt_parents": Judge(learnt_parents),
    "records": Judge(records, needs=("number",)),
    "video_types": Judge(video_types, needs=("number",)),
    "states": Judge(states, needs=("number",)),
    "unfair_decisions": Judge(unfair_decisions, needs=("number", "policy")),
    "unfair_share": Judge(unfair_share, needs=("policy",)),
    "more_unfair": Judge(more_unfair, needs=("policy", "against")),
    "slightly_above": Judge(slightly_above, needs=("policy", "against")),
    "theorem_1": Judge(theorem_1_bounds, needs=("policy",)),
    "theorem_3": Judge(theorem_3_bounds, needs=("policy",)),
}
