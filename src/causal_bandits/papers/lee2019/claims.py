"""What the replication says about each claim of data/published/lee2019.csv."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.evaluation.verdicts import (
    DIRECTION_ONLY,
    NOT_REPRODUCED,
    REPRODUCED,
    Judgement,
    judge_exact,
    judge_identity,
    judge_mean,
    judge_ordering,
    judge_percentage,
)
from causal_bandits.graphs.intervention_sets import interventional_border, muct
from causal_bandits.identification.estimators import reward_expressions
from causal_bandits.models.bandit import ARM_STRATEGIES
from causal_bandits.papers.lee2019.labels import (
    HORIZON,
    PREDICTION_MARGIN,
    ROBUSTNESS_FAMILIES,
    TRIALS,
    compact,
    written,
)
from causal_bandits.papers.lee2019.problems import GRAPHS, NON_MANIPULABLE, build

#: Strategies of the paper as the graph package names them.
ARMS = {"bf": "brute_force", "mis": "minimal", "pomis": "possibly_optimal"}

#: The task and the intervention set whose reward a printed equation expresses.
EQUATIONS = {
    "1": ("fourvar", frozenset[str]()),
    "2": ("fourvar", frozenset({"B"})),
    "3": ("fourvar", frozenset({"C"})),
    "4": ("fourvar", frozenset({"C"})),
    "frontdoor": ("frontdoor", frozenset({"X"})),
}


def judge_claim(claim_id: str, claim: pd.Series, results: Results) -> Judgement:
    """Judge one claim; ``claim_id`` is ``lee2019.<topic>.<what it is about>``."""
    _, topic, *about = claim_id.split(".")
    return _TOPICS[topic](claim["value"], results, *about)


def _table1(published: str, results: Results, task: str, solver: str, strategy: str) -> Judgement:
    """Baselines chose the instance; POMIS+ is what the instance predicts (ledger L03)."""
    _expect_published_horizon(results, task)
    regret = results.final(task, policy=f"{solver}_{strategy}")
    if strategy != "pomis_plus":
        return judge_mean(float(published), regret, TRIALS, calibrated=True, ledger="L01")
    return judge_mean(
        float(published),
        regret,
        TRIALS,
        ledger="L01 L03 L10",
        margin=PREDICTION_MARGIN,
        direction=_order("", results, task, solver, "pomis", "pomis_plus"),
    )


def _reduction(published: str, results: Results, task: str, solver: str) -> Judgement:
    _expect_published_horizon(results, task)
    pomis, plus = (results.final(task, policy=f"{solver}_{strategy}") for strategy in ("pomis", "pomis_plus"))
    ordering = _order("", results, task, solver, "pomis", "pomis_plus")
    return judge_percentage(float(published), pomis, plus, TRIALS, ledger="L01 L10", direction=ordering)


def _expect_published_horizon(results: Results, task: str) -> None:
    if results.horizon(task) != HORIZON:
        raise NotRunError(f"not in this configuration: {HORIZON} rounds (played: {results.horizon(task)})")


def _order(published: str, results: Results, task: str, solver: str, larger: str, smaller: str) -> Judgement:
    """Test POMIS+ on the calibrated instance, baselines, which chose it, on random instances instead."""
    elsewhere = _order_on_random_instances(results, task, solver, larger, smaller)
    if smaller != "pomis_plus":
        return elsewhere
    judged = judge_ordering(*(results.final(task, policy=f"{solver}_{s}") for s in (larger, smaller)), ledger="L01 L10")
    return replace(judged, why=f"{judged.why}; {elsewhere.why}")


def _order_on_random_instances(results: Results, task: str, solver: str, larger: str, smaller: str) -> Judgement:
    """Reproduced if the ordering holds in each family of random instances; direction only if it does in one."""
    by_family = {
        family: judge_ordering(
            *(results.final(f"{family}_{task}", policy=f"{solver}_{s}", by="draw") for s in (larger, smaller)),
            ledger="L01",
            paired_by="instance",
        )
        for family in ROBUSTNESS_FAMILIES
    }
    held = [judged.verdict == REPRODUCED for judged in by_family.values()]
    verdict = REPRODUCED if all(held) else DIRECTION_ONLY if any(held) else NOT_REPRODUCED
    shown = "; ".join(f"{f}: {j.replicated} ({j.ci_low:.2f} to {j.ci_high:.2f})" for f, j in by_family.items())
    instances = sum(judged.n for judged in by_family.values())
    return Judgement(verdict, f"random instances, paired by instance, {shown}", n=instances, ledger="L01")


def _expressions(published: str, results: Results, task: str) -> Judgement:
    found = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])
    return judge_exact(published, str(sum(len(alternatives) - 1 for alternatives in found.values())), ledger="L08")


def _equation(published: str, results: Results, number: str) -> Judgement:
    """A printed equation stands among the expressions of its graph, in the printed form, for the printed arm."""
    task, arm_set = EQUATIONS[number]
    found = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])
    alternatives = [compact(str(expression)) for expression in found[arm_set]]
    computed = published if compact(published) in alternatives else " | ".join(alternatives)
    return judge_exact(published, computed, ledger="L08 L09")


def _support(published: str, results: Results, number: str) -> Judgement:
    """How many cells of each term of an equation must have been seen before it counts."""
    task, arm_set = EQUATIONS[number]
    expression = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])[arm_set][1]
    cells = expression.cells(dict.fromkeys(GRAPHS[task], 2), {value.label: 0 for value in expression.free})
    return judge_exact(published, " ".join(map(str, sorted(map(len, cells.values())))), ledger="L10")


def _count(published: str, results: Results, task: str, fixed: str, _what: str) -> Judgement:
    """How many intervention sets there are in all."""
    return judge_exact(published, str(len(_intervention_sets(task, fixed, "bf"))), ledger="L06")


def _absent(published: str, results: Results, task: str, fixed: str, chosen: str) -> Judgement:
    member = _names(chosen) in _intervention_sets(task, fixed, "pomis")
    return judge_exact(published, "yes" if member else "no", ledger="L06")


def _unused(published: str, results: Results, task: str, arm: str, experiment: str) -> Judgement:
    """Whether any expression for an arm takes data from an experiment."""
    alternatives = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])[frozenset(arm)]
    used = any(frozenset(experiment) in expression.experiments for expression in alternatives)
    return judge_exact(published, "yes" if used else "no", ledger="L08")


def _dominance(published: str, results: Results, task: str, better: str, worse: str) -> Judgement:
    """In how many random models the best arm of one variable is worse than that of another."""
    violations, draws = 0, 250
    for family in ROBUSTNESS_FAMILIES:
        for draw in range(draws):
            scm = build(task, family=family, draw=draw).scm
            best = [max(scm.expectation("Y", do={v: x}) for x in range(scm.cardinality(v))) for v in (better, worse)]
            violations += best[0] < best[1] - 1e-12
    models = draws * len(ROBUSTNESS_FAMILIES)
    judged = judge_exact(published, str(violations))
    return replace(judged, n=models, why=f"exact means of {models} random models")


def _same(published: str, results: Results, task: str, solver: str, a: str, b: str) -> Judgement:
    return judge_identity(*(results.final(task, policy=f"{solver}_{strategy}") for strategy in (a, b)))


def _sets(published: str, results: Results, task: str, fixed: str, strategy: str) -> Judgement:
    return judge_exact(published, written(_intervention_sets(task, fixed, strategy)), ledger="L06")


def _arms(published: str, results: Results, task: str, fixed: str, strategy: str) -> Judgement:
    return judge_exact(published, str(_arm_count(task, fixed, strategy)), ledger="L06")


def _arms_saved(published: str, results: Results, task: str, fixed: str, more: str, fewer: str) -> Judgement:
    saved = _arm_count(task, fixed, more) - _arm_count(task, fixed, fewer)
    return judge_exact(published, str(saved), ledger="L06")


def _muct(published: str, results: Results, task: str, intervention: str) -> Judgement:
    return judge_exact(published, written([muct(GRAPHS[task].do(_names(intervention)), "Y")]), ledger="L06")


def _border(published: str, results: Results, task: str, intervention: str) -> Judgement:
    border = interventional_border(GRAPHS[task].do(_names(intervention)), "Y")
    return judge_exact(published, written([border]), ledger="L06")


def _projection(published: str, results: Results, task: str, removed: str) -> Judgement:
    graph = GRAPHS[task]
    projected = graph.latent_projection(set(graph).difference(_names(removed)))
    return judge_exact(published, written(projected.bidirected), ledger="L02 L06")


def _names(letters: str) -> set[str]:
    return set() if letters == "none" else set(letters)


def _intervention_sets(task: str, fixed: str, strategy: str) -> frozenset[frozenset[str]]:
    return ARM_STRATEGIES[ARMS[strategy]](GRAPHS[task], "Y", _names(fixed))


def _arm_count(task: str, fixed: str, strategy: str) -> int:
    """Arms of a strategy: all variables are binary."""
    return sum(2 ** len(chosen) for chosen in _intervention_sets(task, fixed, strategy))


_TOPICS: dict[str, Callable[..., Judgement]] = {
    "reduction": _reduction,
    "expressions": _expressions,
    "equation": _equation,
    "support": _support,
    "count": _count,
    "absent": _absent,
    "unused": _unused,
    "dominance": _dominance,
    "table1": _table1,
    "order": _order,
    "same": _same,
    "sets": _sets,
    "arms": _arms,
    "arms_saved": _arms_saved,
    "muct": _muct,
    "border": _border,
    "projection": _projection,
}
