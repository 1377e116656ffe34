"""Judge claims of huang2022: separators, records and the theorems' bounds; `unfair_claims` judges unfair decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.play.unfairness import MISSED
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS, USER, VIDEO, WEIGHTS
from experiments import files
from experiments.results import NotRunError, Results
from replication.judging.claims import Experiment, Final, Printed, check, check_number, pair
from replication.judging.judges import (
    Judgement,
    Outcome,
    Why,
    fitted,
    judge_above,
    judge_bound,
    judge_exact,
    judge_mean,
    judge_mean_bound,
    judge_rate,
    noted,
    opened,
    reason,
)
from replication.judging.readings import or_direction
from replication.papers.huang2022.policies import LEARNERS
from replication.papers.huang2022.stages import learned_graphs, learned_separator
from replication.papers.huang2022.tables import MISSED_AT_MOST, ROUNDING
from replication.papers.huang2022.theory import (
    RegretBound,
    azuma_constant,
    bandit_of,
    campaign,
    condition_of_proof,
    largest_regret,
    least_width,
    named_condition,
    safest_discrepancy,
    theorem_1,
    theorem_3,
)
from replication.papers.huang2022.unfair_claims import FEWEST, RARE, as_far, averages


@check
def separator(printed: Printed, results: Results) -> Judgement:
    """Judge the minimal d-separation set of the email campaign."""
    return judge_exact(printed.value, _shown(minimal_separator(campaign())))


#: A set that the paper learns must be found on at least this share of the seeds (ledger L40).
MOST_SEEDS = 0.5


@check
def learnt_separator(printed: Printed, results: Results, learner: str) -> Judgement:
    """Judge the minimal d-separation set of the Adult-Video graphs that PC or GES learns."""
    return _learnt(printed.value, results, learner, learned_separator)


@check
def learnt_parents(printed: Printed, results: Results, learner: str) -> Judgement:
    """Judge the parents of the reward in the Adult-Video graphs that PC or GES learns."""
    return _learnt(printed.value, results, learner, lambda graph: graph.parents("reward"))


def _learnt(
    published: str, results: Results, learner: str, found_in: Callable[[PartiallyDirectedGraph], frozenset[str]]
) -> Judgement:
    """Judge whether a learner finds exactly the published set on at least half of the seeds (L40)."""
    found = [_shown(found_in(graph)) for graph in learned_graphs(results.file(LEARNERS[learner]))]
    told = judge_rate(np.array([each == published for each in found]), MOST_SEEDS)
    most = max(sorted(set(found)), key=found.count)
    return replace(told, reason=reason(f"{learner} finds {most} most often", told.reason))


def _shown(variables: Iterable[str]) -> str:
    return "{" + ",".join(sorted(variables)) + "}"


@check_number()
def records(
    printed: Printed,
    results: Results,
    data: str,
    *,
    where: Mapping[str, int] | None = None,
    parts: Sequence[str] = (),
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
    judged = judge_exact(printed.value, str(counted), implied_by=place)
    if named or judged.outcome is Outcome.HOLDS:
        return judged
    why = "the paper does not say which crawl its records are from"
    return replace(judged, outcome=Outcome.OPEN, why=Why.OMITTED, reason=reason(why, judged.reason))


@check_number()
def video_types(printed: Printed, results: Results) -> Judgement:
    """Judge the number of the 16 types of videos that occur."""
    table = files.read(results.file("data_youtube")).to_pandas()
    known = table[(table[list(VIDEO)] < 2).all(axis=1) & (table["count"] > 0)]
    return judge_exact(printed.value, str(len(known[list(VIDEO)].drop_duplicates())))


@check_number()
def states(printed: Printed, results: Results, variable: str, *, implied_by: str) -> Judgement:
    """Judge the number of values that a variable of the email campaign has according to the campaign's equations."""
    return judge_exact(printed.value, str(campaign().scm.cardinality(variable)), implied_by=implied_by)


@check
def slightly_above(
    printed: Printed, results: Results, larger: Final, smaller: Final, *, claimed: float, times: float
) -> Judgement:
    """Judge whether one policy's values exceed the other's by at most ``times`` the ``claimed`` difference.

    If they exceed the other's by more, only the direction holds.
    """
    values, others = pair(larger, smaller, results)
    ordering = judge_above(values, others, claimed=claimed)
    if ordering.outcome is not Outcome.HOLDS:
        return ordering
    return or_direction(judge_mean_bound(times * claimed, values - others, math.inf), ordering)


@check
def video_features(printed: Printed, results: Results) -> Judgement:
    """Judge the four features of a video: all those that the printed reward needs must be among them (E07)."""
    needed = set(WEIGHTS) - set(USER)
    named = set(printed.value.strip("{}").split(","))
    if needed <= named:
        return judge_exact(printed.value, printed.value)
    return judge_exact(
        printed.value, _shown(VIDEO), implied_by=f"the reward, which needs {' and '.join(sorted(needed - named))}"
    )


# Judge the regrets of F-UCB in Tables 1 and 2, each cell and the whole column (ledger L87).


@check_number()
def regret_of_column(
    printed: Printed, results: Results, ours: Final, column: Sequence[Final], *, trials: int
) -> Judgement:
    """Judge a mean regret of F-UCB over ``trials`` trials, and the average of its whole column.

    The weaker of the two judgements counts.

    The paper's trials are too few to refute a single cell. The average over all thresholds is more informative: it is
    compared with averages of the same number of our runs, whose seeds are drawn anew for every threshold. (The printed
    values at tau = 0.1, 0.2 and 0.3 differ, but would not in runs with the same seeds; ledger L87.)
    """
    cell = judge_mean(printed.number, ours.values(results).to_numpy(), trials)
    regrets, published = _column(printed, results, column)
    if cell.outcome is Outcome.FAILS or regrets.shape[1] < FEWEST:
        return cell
    mean, drawn = float(regrets.mean()), averages(list(regrets), trials)
    share = drawn.share(np.abs(drawn.value - mean) >= abs(published - mean))
    told = f"the column averages {published:.1f}, ours {mean:.1f}; {as_far(share, 'columns')}"
    if share <= RARE:
        return replace(cell, outcome=Outcome.FAILS, why=None, reason=reason(told, cell.reason))
    return replace(cell, reason=reason(cell.reason, told))


@check
def safe_policy(
    printed: Printed, results: Results, experiment: Experiment, taus: tuple[float, ...], *, rounds: int
) -> Judgement:
    """Judge what is said of F-UCB's regret at ``taus`` if a given safe policy is played where no arm is provably fair.

    The paper assumes such a policy (Assumption 3) and does not say which, so its regret is free (ledger L48). Only one
    difference can be refuted: if no history of ``rounds`` rounds makes an arm provably fair at the largest of several
    thresholds, F-UCB plays the safe policy at all of them from round 2 on, and has the same regret.
    """
    if results.horizon(experiment) != rounds:
        raise NotRunError(f"{rounds} rounds of {experiment} (played: {results.horizon(experiment)})")
    if len(taus) > 1 and (least := least_width(bandit_of(results, experiment), rounds)) > max(taus):
        why = f"UCB_Delta is never below {least:.3f} after round 1, so the safe policy is played at both thresholds"
        return Judgement(Outcome.FAILS, why, "difference 0.00")
    why = "the paper does not say which safe policy is given, to be played where no arm is provably fair"
    return Judgement(Outcome.OPEN, why, why=Why.OMITTED)


def _column(printed: Printed, results: Results, column: Sequence[Final]) -> tuple[FloatArray, float]:
    """Read the regrets at the thresholds that are played, and average the printed ones.

    The regrets have the shape (thresholds, seeds).
    """
    stated = results.published_where(place=printed.place, column=printed.column).set_index("row")["value"]
    regrets, published = [], []
    for tau, at in zip(THRESHOLDS, column, strict=True):
        try:
            regrets.append(at.values(results).to_numpy())
        except NotRunError:  # no policy is safe at this threshold, so Theorem 3 has no scale
            continue
        if f"tau = {tau:g}" not in stated:
            raise ValueError(f"{printed.place}, {printed.column}: nothing is published at tau = {tau:g}")
        published.append(float(stated[f"tau = {tau:g}"]))
    return np.stack(regrets), float(np.mean(published))


@check_number()
def brackets(
    printed: Printed, results: Results, below: Final, above: Final, *, trials: int, in_print: bool
) -> Judgement:
    """Judge whether a printed number is above one policy's mean regret and below another's.

    The claim fails if, for one of the two policies, at most 2.5 % of resampled averages of ``trials`` of the study's
    seeds are on the claimed side of the number; it holds if at least 97.5 % are, for both; otherwise the trials are too
    few to decide. A bonus that the paper does not print (not ``in_print``) decides nothing, since it was chosen after
    seeing the number (L87).
    """
    values, others = pair(below, above, results)
    n, means = len(values), f"{values.mean():.1f} and {others.mean():.1f}"
    if n < FEWEST:
        why = f"{n} seeds are too few to judge averages of {trials} trials; expected {FEWEST}"
        return Judgement(Outcome.OPEN, why, means, n=n, why=Why.SEEDS)
    drawn, of_others = averages([values], trials), averages([others], trials)
    lower = drawn.share(drawn.value <= printed.number)
    higher = of_others.share(of_others.value >= printed.number)
    least = min(lower, higher)
    found = Outcome.FAILS if least <= RARE else Outcome.HOLDS if least >= 1 - RARE else Outcome.OPEN
    told = (
        f"{round(100 * lower, 4):.3g} % of averages of {trials} trials are below {printed.value}; "
        f"{round(100 * higher, 4):.3g} % of the other's are above"
    )
    judged = Judgement(found, told, means, n=n, why=opened(found, Why.UNTESTABLE))
    return judged if in_print else fitted(judged, "chosen after seeing the printed regret")


# Judge what huang2022 proves: Theorems 1 to 3, Eq. 12, and the constants of the proofs. L86 lists what has no row.


@check
def theorem_1_bounds(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge whether the regret of D-UCB stays within Theorem 1's bound with the probability that the theorem states."""
    return _bound(theorem_1(bandit_of(results, ours.experiment), ours.horizon(results)), ours, results)


@check
def theorem_3_bounds(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge whether F-UCB's regret at the policy's tau stays within Theorem 3's bound with the stated probability."""
    tau = float(str(ours.policy.settings["tau"]))
    return _bound(theorem_3(bandit_of(results, ours.experiment), ours.horizon(results), tau), ours, results)


def _bound(bound: RegretBound, ours: Final, results: Results) -> Judgement:
    worst = largest_regret(bandit_of(results, ours.experiment), ours.horizon(results))
    return judge_bound(bound.regret, ours.values(results).to_numpy(), worst, probability=bound.probability)


@check_number()
def larger_bound(printed: Printed, results: Results, *, horizon: int) -> Judgement:
    """Judge the number of thresholds at which Theorem 3's bound exceeds Theorem 1's on the email campaign."""
    problem = campaign()
    first = theorem_1(problem, horizon).regret
    larger = [theorem_3(problem, horizon, tau).regret > first for tau in THRESHOLDS]
    return judge_exact(printed.value, str(sum(larger)))


@check_number()
def proof_of_theorem_1(printed: Printed, results: Results) -> Judgement:
    """Judge whether Azuma's inequality gives Theorem 1's probability with the printed constant (E27)."""
    constant = azuma_constant()
    judged = judge_exact("yes", "yes" if constant <= printed.number else "no")
    return replace(
        judged, replicated=f"{constant:g}", reason=f"Azuma's inequality gives {constant:g}, and so a larger probability"
    )


@check_number()
def proof_of_theorem_3(printed: Printed, results: Results, *, named: bool = True) -> Judgement:
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
    return judge_exact(printed.value, str(met), implied_by="its own proof")


@check_number()
def theorem_2(printed: Printed, results: Results, *, z_descends: bool) -> Judgement:
    """Judge the number of random models on which Theorem 2's interval misses the exact counterfactual mean (E08).

    ``z_descends``: whether to count the models in which an intermediate variable descends from S, or the others.
    """
    models = files.read(results.file("bounds_theorem_2")).to_pandas()
    models = models[models["descends"] == z_descends]
    missed = int((models["printed"] > ROUNDING).sum())
    judged = judge_exact(printed.value, str(missed), implied_by="the exact counterfactual mean of a random model")
    return noted(judged, f"out of {len(models)} random models")


@check
def eq_12(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge whether the discrepancy exceeds UCB_Delta as rarely as the level of UCB_Delta allows (E26).

    UCB_Delta is an upper confidence bound. Eq. 12's bound may be exceeded with probability 1/t^2 per round and side, so
    the mean number of rounds per run in which it is exceeded is at most `MISSED_AT_MOST`.
    """
    missed = ours.of(MISSED[0]).values(results).to_numpy(dtype=np.float64)
    return judge_mean_bound(MISSED_AT_MOST, missed, ours.horizon(results))
