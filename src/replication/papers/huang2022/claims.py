"""Judge claims of huang2022: separators, records and the theorems' bounds; `unfair_claims` judges unfair decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.play.unfairness import MISSED
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, USER, VIDEO, WEIGHTS
from experiments import files
from experiments.results import NotRunError, Results
from experiments.settings import selection
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    Basis,
    Because,
    Judgement,
    Outcome,
    fitted,
    judge_above,
    judge_bound,
    judge_exact,
    judge_mean,
    judge_mean_bound,
    judge_rate,
    not_run,
    noted,
    reason,
)
from replication.judging.judges.arguments import Claims, Count, Positive
from replication.judging.readings import or_direction, over_readings
from replication.papers.huang2022 import unfair_claims
from replication.papers.huang2022.discovery import learned_graphs, learned_separator
from replication.papers.huang2022.policies import LEARNERS
from replication.papers.huang2022.study_tables import MISSED_AT_MOST, ROUNDING
from replication.papers.huang2022.theory import (
    RegretBound,
    azuma_constant,
    bandit_of,
    campaign,
    condition_of_proof,
    largest_regret,
    named_condition,
    safest_discrepancy,
    theorem_1,
    theorem_3,
)
from replication.papers.huang2022.unfair_claims import FEWEST, RARE, as_far, averages


def separator(claim: Claim, results: Results) -> Judgement:
    """Judge the minimal d-separation set of the email campaign."""
    return judge_exact(claim.value, _shown(minimal_separator(campaign())))


def learnt_separator(claim: Claim, results: Results) -> Judgement:
    """Judge the minimal d-separation set of Adult-Video's learnt graphs."""
    return _learnt(claim.value, results, learned_separator)


def learnt_parents(claim: Claim, results: Results) -> Judgement:
    """Judge the parents of the reward in Adult-Video's learnt graphs."""
    return _learnt(claim.value, results, lambda graph: graph.parents("reward"))


#: A set that the paper learns must be found on at least this share of the seeds (ledger L40).
MOST_SEEDS = 0.5


def _learnt(
    published: str, results: Results, found_in: Callable[[PartiallyDirectedGraph], frozenset[str]]
) -> Judgement:
    """Judge whether PC and GES find exactly the published set on at least half of the seeds (L40)."""
    judged = {}
    for learner, file in LEARNERS.items():
        try:
            found = [_shown(found_in(graph)) for graph in learned_graphs(results.file(file))]
        except NotRunError as error:
            judged[learner] = not_run(error.what)
            continue
        told = judge_rate(np.array([each == published for each in found]), MOST_SEEDS)
        most = max(sorted(set(found)), key=found.count)
        judged[learner] = replace(told, reason=reason(f"{learner} finds {most} most often", told.reason))
    return over_readings(judged)


def _shown(variables: Iterable[str]) -> str:
    return "{" + ",".join(sorted(variables)) + "}"


def records(
    claim: Claim,
    results: Results,
    *,
    data: str,
    where: Mapping[str, int] | None = None,
    parts: Claims | None = None,
    named: bool = True,
) -> Judgement:
    """Judge the number of records in the table ``data`` whose variables have the states given in ``where``.

    ``parts`` are claims that count parts of these records: a number that is not the sum of the parts contradicts them.
    ``named``: whether the paper says which records it uses; if not, a different number shows nothing (ledger L33).
    """
    table = files.read(results.file(data)).to_pandas()
    for variable, state in (where or {}).items():
        table = table[table[variable] == state]
    counted = int(table["count"].sum())
    place = ""
    if parts and sum(results.value(part) for part in parts) == counted:
        place = f"the sum of {' and '.join(parts)}"
    judged = judge_exact(claim.value, str(counted), implied_by=place)
    if named or judged.outcome is Outcome.HOLDS:
        return judged
    why = "the paper does not say which crawl its records are from"
    return replace(judged, outcome=Outcome.OPEN, because=Because.OMITTED, reason=reason(why, judged.reason))


def video_types(claim: Claim, results: Results) -> Judgement:
    """Judge the number of the 16 types of videos that occur."""
    table = files.read(results.file("data_youtube")).to_pandas()
    known = table[(table[list(VIDEO)] < 2).all(axis=1) & (table["count"] > 0)]
    return judge_exact(claim.value, str(len(known[list(VIDEO)].drop_duplicates())))


def states(claim: Claim, results: Results, *, variable: str, implied_by: str) -> Judgement:
    """Judge the number of values that a variable of the email campaign has according to the campaign's equations."""
    return judge_exact(claim.value, str(campaign().scm.cardinality(variable)), implied_by=implied_by)


def slightly_above(claim: Claim, results: Results, *, claimed: Positive, times: Positive) -> Judgement:
    """Judge whether the policy's values exceed the other's by at most ``times`` the ``claimed`` difference.

    If they exceed the other's by more, only the direction holds.
    """
    values, others = claim.pair(results)
    ordering = judge_above(values, others, claimed=claimed)
    if ordering.outcome is not Outcome.HOLDS:
        return ordering
    return or_direction(judge_mean_bound(times * claimed, values - others, math.inf), ordering)


def video_features(claim: Claim, results: Results) -> Judgement:
    """Judge the four features of a video: all those that the printed reward needs must be among them (E07)."""
    needed = set(WEIGHTS) - set(USER)
    named = set(claim.value.strip("{}").split(","))
    if needed <= named:
        return judge_exact(claim.value, claim.value)
    return judge_exact(
        claim.value, _shown(VIDEO), implied_by=f"the reward, which needs {' and '.join(sorted(needed - named))}"
    )


# Judge the regrets of F-UCB in Tables 1 and 2, each cell and the whole column (ledger L87).


def regret_of_column(claim: Claim, results: Results, *, trials: Count) -> Judgement:
    """Judge a mean regret of F-UCB over ``trials`` trials, and the average of its whole column.

    The weaker of the two judgements counts.

    The paper's trials are too few to refute a single cell. The average over all thresholds is more informative: it is
    compared with averages of the same number of our runs, whose seeds are drawn anew for every threshold. (The printed
    values at tau = 0.1, 0.2 and 0.3 differ, but would not in runs with the same seeds; ledger L87.)
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
        except NotRunError:  # no policy is safe at this threshold, so Theorem 3 has no scale
            continue
        if tau not in printed:
            raise ValueError(f"{claim.item}, {claim.column}: nothing is published at tau = {tau:g}")
        published.append(printed[tau])
    return np.stack(regrets), float(np.mean(published))


def brackets(claim: Claim, results: Results, *, trials: Count) -> Judgement:
    """Judge whether a printed number is above the policy's mean regret and below the other policy's.

    The claim fails if, for one of the two policies, at most 2.5 % of resampled averages of ``trials`` of the study's
    seeds are on the claimed side of the number; it holds if at least 97.5 % are, for both; otherwise the trials are too
    few to decide. A bonus that the paper does not print decides nothing, since it was chosen after seeing the number
    (L87).
    """
    values, others = claim.pair(results)
    n, means = len(values), f"{values.mean():.1f} and {others.mean():.1f}"
    if n < FEWEST:
        why = f"{n} seeds are too few to judge averages of {trials} trials; expected {FEWEST}"
        return Judgement(Outcome.OPEN, why, Basis.SIMULATED, means, n=n, because=Because.SEEDS)
    rng = np.random.default_rng(0)
    below = float((averages(rng, values, trials) <= claim.number).mean())
    above = float((averages(rng, others, trials) >= claim.number).mean())
    least = min(below, above)
    found = Outcome.FAILS if least <= RARE else Outcome.HOLDS if least >= 1 - RARE else Outcome.OPEN
    told = (
        f"{100 * below:.3g} % of averages of {trials} trials are below {claim.value}; "
        f"{100 * above:.3g} % of the other's are above"
    )
    because = Because.UNTESTABLE if found is Outcome.OPEN else None
    judged = Judgement(found, told, Basis.SIMULATED, means, n=n, because=because)
    printed = claim.policy["alpha_r"] == 1.0
    return judged if printed else fitted(judged, "chosen after seeing the printed regret")


# Judge what huang2022 proves: Theorems 1 to 3, Eq. 12, and the constants of the proofs. L86 lists what has no row.


def theorem_1_bounds(claim: Claim, results: Results) -> Judgement:
    """Judge whether the regret of D-UCB stays within Theorem 1's bound with the probability that the theorem states."""
    problem, horizon = bandit_of(results, claim.experiment), results.horizon(claim.experiment)
    return _bound(theorem_1(problem, horizon), claim, results)


def theorem_3_bounds(claim: Claim, results: Results) -> Judgement:
    """Judge whether F-UCB's regret at the policy's tau stays within Theorem 3's bound with the stated probability."""
    problem, horizon = bandit_of(results, claim.experiment), results.horizon(claim.experiment)
    return _bound(theorem_3(problem, horizon, float(str(claim.policy["tau"]))), claim, results)


def _bound(bound: RegretBound, claim: Claim, results: Results) -> Judgement:
    worst = largest_regret(bandit_of(results, claim.experiment), results.horizon(claim.experiment))
    return judge_bound(bound.regret, claim.values(results).to_numpy(), worst, probability=bound.probability)


def larger_bound(claim: Claim, results: Results, *, horizon: Count) -> Judgement:
    """Judge the number of thresholds at which Theorem 3's bound exceeds Theorem 1's on the email campaign."""
    problem = campaign()
    first = theorem_1(problem, horizon).regret
    larger = [theorem_3(problem, horizon, tau).regret > first for tau in THRESHOLDS]
    return judge_exact(claim.value, str(sum(larger)))


def proof_of_theorem_1(claim: Claim, results: Results) -> Judgement:
    """Judge whether Azuma's inequality gives Theorem 1's probability with the printed constant (E27)."""
    constant = azuma_constant()
    judged = judge_exact("yes", "yes" if constant <= claim.number else "no")
    return replace(
        judged, replicated=f"{constant:g}", reason=f"Azuma's inequality gives {constant:g}, and so a larger probability"
    )


def proof_of_theorem_3(claim: Claim, results: Results, *, named: bool = True) -> Judgement:
    """Judge the number of thresholds at which Theorem 3's scales meet the condition of its proof (E09).

    The bandit is the email campaign. ``named``: whether to use the condition that the proof states, instead of the one
    that its steps need.
    """
    safe, alpha_c = safest_discrepancy(campaign()), 1.0
    scales = {tau: 2 / (tau - safe) for tau in THRESHOLDS}
    met = sum(
        named_condition(tau, alpha_r, alpha_c) if named else condition_of_proof(tau, safe, alpha_r, alpha_c)
        for tau, alpha_r in scales.items()
    )
    return judge_exact(claim.value, str(met), implied_by="its own proof")


def theorem_2(claim: Claim, results: Results, *, z_descends: bool) -> Judgement:
    """Judge the number of random models on which Theorem 2's interval misses the exact counterfactual mean (E08).

    ``z_descends``: whether to count the models in which an intermediate variable descends from S, or the others.
    """
    models = files.read(results.file("bounds_theorem_2")).to_pandas()
    models = models[models["descends"] == z_descends]
    missed = int((models["printed"] > ROUNDING).sum())
    judged = judge_exact(claim.value, str(missed), implied_by="the exact counterfactual mean of a random model")
    return noted(judged, f"out of {len(models)} random models")


def eq_12(claim: Claim, results: Results) -> Judgement:
    """Judge whether the discrepancy exceeds UCB_Delta as rarely as the level of UCB_Delta allows (E26).

    UCB_Delta is an upper confidence bound. Eq. 12's bound may be exceeded with probability 1/t^2 per round and side, so
    the mean number of rounds per run in which it is exceeded is at most `MISSED_AT_MOST`.
    """
    settings: dict[str, Any] = dict(claim.policy)
    missed = results.final(claim.experiment, MISSED[0], **settings).to_numpy(dtype=np.float64)
    return judge_mean_bound(MISSED_AT_MOST, missed, results.horizon(claim.experiment))


JUDGES: dict[str, Judge] = {
    "separator": Judge(separator),
    "learnt_separator": Judge(learnt_separator),
    "learnt_parents": Judge(learnt_parents),
    "records": Judge(records, needs=("number",)),
    "video_types": Judge(video_types, needs=("number",)),
    "states": Judge(states, needs=("number",)),
    "slightly_above": Judge(slightly_above, needs=("policy", "against")),
    "video_features": Judge(video_features),
    "regret_of_column": Judge(regret_of_column, needs=("number", "policy")),
    "brackets": Judge(brackets, needs=("number", "policy", "against")),
    "theorem_1": Judge(theorem_1_bounds, needs=("policy",)),
    "theorem_2": Judge(theorem_2, needs=("number",)),
    "theorem_3": Judge(theorem_3_bounds, needs=("policy",)),
    "larger_bound": Judge(larger_bound, needs=("number",)),
    "proof_of_theorem_1": Judge(proof_of_theorem_1, needs=("number",)),
    "proof_of_theorem_3": Judge(proof_of_theorem_3, needs=("number",)),
    "eq_12": Judge(eq_12, needs=("policy",)),
    "counts": Judge(unfair_claims.counts, needs=("experiment",)),
    "never_unfair": Judge(unfair_claims.never_unfair, needs=("number", "policy")),
    "more_unfair": Judge(unfair_claims.more_unfair, needs=("policy", "against")),
}
