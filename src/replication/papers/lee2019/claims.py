"""Judges of what lee2019 states about graphs, sets of arms and expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, combinations, product
from typing import Literal

from causal_bandits.graphs.intervention_sets import interventional_border, muct, possibly_optimal_intervention_sets
from causal_bandits.identification.estimators import Search, expressions_among, reward_expressions
from causal_bandits.identification.expression import Expression
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.aggregate import milestone
from experiments.results import NotRunError, Results
from experiments.settings import Setting
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    Judgement,
    Outcome,
    fitted,
    judge_above,
    judge_exact,
    judge_member,
    judge_same,
    reason,
)
from replication.judging.judges.arguments import Milestone
from replication.judging.judges.intervals import percents_below
from replication.papers.lee2019.curves import CURVE_JUDGES
from replication.papers.lee2019.efficiency import EFFICIENCY_JUDGES
from replication.papers.lee2019.gain_claims import GAIN_JUDGES
from replication.papers.lee2019.labels import TASKS, compact, written
from replication.papers.lee2019.projections import literal_projection
from replication.papers.lee2019.strategies import HORIZON, SOLVERS, arm_count, intervention_sets, regret
from replication.papers.lee2019.theorem_claims import THEOREM_JUDGES

#: Keys of `GRAPHS` and of `ARM_STRATEGIES`, as literals: claims are checked against them before any job starts.
Task = Literal["frontdoor", "fourvar", "sixvar"]
Arms = Literal["brute_force", "minimal", "possibly_optimal"]
Strategy = Literal["BF", "MIS", "POMIS", "POMIS+"]

# In all judges ``fixed`` is what cannot be manipulated, and ``arm`` the intervention set of an arm that a task plays.


def sets(claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms) -> Judgement:
    """A strategy has these intervention sets."""
    return judge_exact(claim.value, written(intervention_sets(task, strategy, fixed)))


def set_count(claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms) -> Judgement:
    """A strategy has so many intervention sets."""
    return judge_exact(claim.value, str(len(intervention_sets(task, strategy, fixed))))


def arms(claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms) -> Judgement:
    """A strategy has so many arms."""
    return judge_exact(claim.value, str(arm_count(intervention_sets(task, strategy, fixed))))


def literal_arms(claim: Claim, results: Results, *, task: Task, fixed: list[str]) -> Judgement:
    """POMIS has so many arms if the projection is read to the letter (ledger E20)."""
    projected = literal_projection(GRAPHS[task], set(GRAPHS[task]) - set(fixed))
    return judge_exact(claim.value, str(arm_count(possibly_optimal_intervention_sets(projected, "Y"))))


def arms_saved(
    claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms, against: Arms
) -> Judgement:
    """A strategy has so many arms less than another."""
    more, fewer = (arm_count(intervention_sets(task, s, fixed)) for s in (against, strategy))
    return judge_exact(claim.value, str(more - fewer))


def member(
    claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms, chosen: list[str]
) -> Judgement:
    """Whether a set of variables is among a strategy's intervention sets."""
    return judge_exact(claim.value, _yes(frozenset(chosen) in intervention_sets(task, strategy, fixed)))


def territory(claim: Claim, results: Results, *, task: Task, intervention: list[str]) -> Judgement:
    """The minimal unobserved-confounders' territory under an intervention."""
    return judge_exact(claim.value, written([muct(GRAPHS[task].do(intervention), "Y")]))


def border(claim: Claim, results: Results, *, task: Task, intervention: list[str]) -> Judgement:
    """The interventional border under an intervention."""
    return judge_exact(claim.value, written([interventional_border(GRAPHS[task].do(intervention), "Y")]))


def projection(claim: Claim, results: Results, *, task: Task, removed: list[str]) -> Judgement:
    """The bidirected edges that are there once some variables are marginalised out."""
    graph = GRAPHS[task]
    return judge_exact(claim.value, written(graph.latent_projection(set(graph).difference(removed)).bidirected))


def expressions(
    claim: Claim,
    results: Results,
    *,
    task: Task,
    collections: Literal["all", "minimal"] = "all",
    tried: Literal["maximal", "largest"] = "maximal",
) -> Judgement:
    """Judge how many expressions there are beside the trivial one of each intervention set.

    ``collections`` says for which collections of the other intervention sets z2ID is run, ``tried`` in which order it
    tries experiments (ledger L08). ``minimal`` was defined with the published number in view.
    """
    arms = possibly_optimal_intervention_sets(GRAPHS[task], "Y", NON_MANIPULABLE[task])
    found = expressions_among(GRAPHS[task], "Y", arms, Search(collections, tried))
    judged = judge_exact(claim.value, str(sum(len(alternatives) - 1 for alternatives in found.values())))
    return judged if collections == "all" else fitted(judged, "defined with the published number in view")


def equation(claim: Claim, results: Results, *, task: Task, arm: list[str]) -> Judgement:
    """A printed equation stands among the expressions for an arm, in the printed form."""
    by_form = {compact(str(expression)): str(expression) for expression in _alternatives(task, arm)}
    judged = judge_member(compact(claim.value), by_form)
    return replace(judged, replicated=by_form.get(compact(claim.value), " | ".join(by_form.values())))


def support(claim: Claim, results: Results, *, task: Task, arm: list[str], expression: str) -> Judgement:
    """Judge how many cells of each term must have been seen before an expression counts.

    The values that are free in the expression are fixed.
    """
    for found in _alternatives(task, arm):
        if compact(str(found)) == compact(expression):
            cells = found.cells(dict.fromkeys(GRAPHS[task], 2), {value.label: 0 for value in found.free})
            return judge_exact(claim.value, " ".join(map(str, sorted(map(len, cells.values())))))
    return judge_exact(claim.value, "no such expression")


def uses(claim: Claim, results: Results, *, task: Task, arm: list[str], source: list[str]) -> Judgement:
    """Whether any expression for an arm takes data from an experiment."""
    return judge_exact(claim.value, _yes(any(frozenset(source) in e.experiments for e in _alternatives(task, arm))))


def has_term(claim: Claim, results: Results, *, task: Task, term: str) -> Judgement:
    """Whether a probability stands in any expression that POMIS+ uses in a task."""
    found = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])
    terms = {compact(str(part)) for expressions in found.values() for e in expressions for part in e.terms}
    return judge_exact(claim.value, _yes(compact(term) in terms))


def proposition1(claim: Claim, results: Results) -> Judgement:
    """How many POMISs without constraints, free of N, are none under N: every N of the three diagrams."""
    violations = cases = 0
    for graph in GRAPHS.values():
        unconstrained = possibly_optimal_intervention_sets(graph, "Y")
        others = [v for v in graph if v != "Y"]
        for fixed in chain.from_iterable(combinations(others, k) for k in range(len(others) + 1)):
            free = {chosen for chosen in unconstrained if not chosen & set(fixed)}
            violations += len(free - possibly_optimal_intervention_sets(graph, "Y", fixed))
            cases += len(free)
    why = f"{cases} pairs of a set and an N of the three diagrams"
    return replace(judge_exact(claim.value, str(violations)), reason=why)


def widening(claim: Claim, results: Results, *, since: Milestone, relative: bool = False) -> Judgement:
    """Judge that a policy's gap to another is wider at the end than after ``since`` rounds.

    Both are of the same runs; these strategies do not know the horizon. ``relative``: the gap is a percentage of the
    policy's own regret (ledger L162); each seed adds its share of it to first order.
    """
    gaps = []
    for metric in (claim.metric, milestone(claim.metric, since)):
        at = replace(claim, metric=metric)
        values, others = at.pair(results)
        gaps.append(percents_below(values, others) if relative else values - others)
    later, earlier = gaps
    judged = judge_above(later, earlier)
    unit = " %" if relative else ""
    last = results.horizon(claim.experiment)
    shown = f"{earlier.mean():.1f}{unit} after {since} rounds, {later.mean():.1f}{unit} after {last}"
    return replace(judged, reason=reason(shown, f"paired by seed, {judged.reason}"))


def above_everywhere(claim: Claim, results: Results, *, larger: Strategy, smaller: Strategy) -> Judgement:
    """Judge that one strategy has more regret than another in every task, with both solvers.

    It holds where it holds in each case, and fails where it fails in one. Of the cases that decide, that with the least
    gap, relative to the larger regret, is shown.
    """
    cases: list[tuple[float, str, Judgement]] = []
    for task, solver in product(TASKS, SOLVERS):
        if results.horizon(task) != HORIZON:
            raise NotRunError(f"{HORIZON} rounds of {task}")
        more, less = (regret(results, task, solver, strategy).to_numpy() for strategy in (larger, smaller))
        cases.append((float(less.mean() / more.mean()), f"{solver} in {task}", judge_above(more, less)))
    holds = sum(judged.outcome is Outcome.HOLDS for *_, judged in cases)
    others = [case for case in cases if case[2].outcome is not Outcome.HOLDS]
    refuted = [case for case in others if case[2].outcome is Outcome.FAILS]
    _, where, shown = max(refuted or others or cases, key=lambda case: case[0])
    return replace(shown, reason=reason(f"holds in {holds} of {len(cases)} cases; shown: {where}", shown.reason))


def same_arms(claim: Claim, results: Results) -> Judgement:
    """Judge that two strategies have the same results on every seed.

    It is so by construction if their arms are the same (footnote 4).
    """
    pair = claim.pair(results)
    own, own_sets = _played(results, claim.experiment, claim.policy)
    other, other_sets = _played(results, claim.experiment, claim.against)
    judged = judge_same(*pair, by_construction=own == other and own_sets == other_sets)
    shown = "the same" if own_sets == other_sets else "not the same"
    shown_arms = f"{arm_count(own_sets)} and {arm_count(other_sets)} arms, {shown}"
    return replace(judged, reason=reason(shown_arms, judged.reason))


def _played(
    results: Results, experiment: str, selection: Mapping[str, Setting]
) -> tuple[dict[str, Setting], frozenset[frozenset[str]]]:
    """A policy's settings but for the strategy of its arms, and the intervention sets that it makes."""
    settings = results.settings(experiment, results.policies(experiment, **selection)[0])
    arms = str(settings.pop("arms"))
    return settings, intervention_sets(str(settings["problem"]), arms)


def _alternatives(task: Task, arm: Iterable[str]) -> tuple[Expression, ...]:
    return reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])[frozenset(arm)]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


JUDGES: dict[str, Judge] = {
    "sets": Judge(sets),
    "set_count": Judge(set_count),
    "arms": Judge(arms),
    "literal_arms": Judge(literal_arms),
    "arms_saved": Judge(arms_saved),
    "member": Judge(member),
    "territory": Judge(territory),
    "border": Judge(border),
    "projection": Judge(projection),
    "expressions": Judge(expressions),
    "equation": Judge(equation),
    "support": Judge(support),
    "uses": Judge(uses),
    "has_term": Judge(has_term),
    "proposition1": Judge(proposition1),
    "widening": Judge(widening, needs=("policy", "against")),
    "above_everywhere": Judge(above_everywhere, reads=lambda _: tuple(TASKS)),
    "same_arms": Judge(same_arms, needs=("policy", "against")),
    **CURVE_JUDGES,
    **EFFICIENCY_JUDGES,
    **GAIN_JUDGES,
    **THEOREM_JUDGES,
}
