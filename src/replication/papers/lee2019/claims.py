"""Judge what lee2019 states about graphs, sets of arms and expressions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, combinations, product
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from causal_bandits.graphs.intervention_sets import interventional_border, muct, possibly_optimal_intervention_sets
from causal_bandits.identification.estimators import Search, expressions_among, reward_expressions
from causal_bandits.identification.expression import Expression
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.aggregate import milestone
from experiments.results import NotRunError, Results
from experiments.settings import Setting
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    Basis,
    Because,
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
from replication.judging.judges.intervals import percents_below, ratio_interval
from replication.papers.lee2019 import curves, gains, theory
from replication.papers.lee2019.policies import (
    HORIZON,
    SOLVERS,
    TASKS,
    arm_count,
    intervention_sets,
    played_as,
    regret,
    unspaced,
    written,
)
from replication.papers.lee2019.theory import literal_projection

#: Keys of `GRAPHS` and of `ARM_STRATEGIES`, as literals: claims are checked against them before any job starts.
Task = Literal["frontdoor", "fourvar", "sixvar"]
Arms = Literal["brute_force", "minimal", "possibly_optimal"]
Strategy = Literal["BF", "MIS", "POMIS", "POMIS+"]

# In all judges, ``fixed`` lists the variables that cannot be manipulated, and ``arm`` is an arm's intervention set.


def sets(claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms) -> Judgement:
    """Judge the intervention sets of a strategy."""
    return judge_exact(claim.value, written(intervention_sets(task, strategy, fixed)))


def set_count(claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms) -> Judgement:
    """Judge the number of intervention sets of a strategy."""
    return judge_exact(claim.value, str(len(intervention_sets(task, strategy, fixed))))


def arms(claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms) -> Judgement:
    """Judge the number of arms of a strategy."""
    return judge_exact(claim.value, str(arm_count(intervention_sets(task, strategy, fixed))))


def literal_arms(claim: Claim, results: Results, *, task: Task, fixed: list[str]) -> Judgement:
    """Judge the number of arms that POMIS has if the definition of the projection is taken literally (ledger E20)."""
    projected = literal_projection(GRAPHS[task], set(GRAPHS[task]) - set(fixed))
    return judge_exact(claim.value, str(arm_count(possibly_optimal_intervention_sets(projected, outcome="Y"))))


def arms_saved(
    claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms, against: Arms
) -> Judgement:
    """Judge the number of arms that a strategy saves compared with another."""
    more, fewer = (arm_count(intervention_sets(task, s, fixed)) for s in (against, strategy))
    return judge_exact(claim.value, str(more - fewer))


def member(
    claim: Claim, results: Results, *, task: Task, fixed: list[str], strategy: Arms, chosen: list[str]
) -> Judgement:
    """Judge whether a set of variables is among a strategy's intervention sets."""
    return judge_exact(claim.value, _yes(frozenset(chosen) in intervention_sets(task, strategy, fixed)))


def territory(claim: Claim, results: Results, *, task: Task, intervention: list[str]) -> Judgement:
    """Judge the minimal unobserved-confounders' territory under an intervention."""
    return judge_exact(claim.value, written([muct(GRAPHS[task].do(intervention), outcome="Y")]))


def border(claim: Claim, results: Results, *, task: Task, intervention: list[str]) -> Judgement:
    """Judge the interventional border under an intervention."""
    return judge_exact(claim.value, written([interventional_border(GRAPHS[task].do(intervention), outcome="Y")]))


def projection(claim: Claim, results: Results, *, task: Task, removed: list[str]) -> Judgement:
    """Judge the bidirected edges of a graph after marginalising out some variables."""
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
    """Judge the number of expressions besides the trivial one of each intervention set.

    ``collections`` selects the collections of the other intervention sets on which z2ID is run, and ``tried`` the order
    in which it tries experiments (ledger L08). ``minimal`` was defined after seeing the published number.
    """
    arms = possibly_optimal_intervention_sets(GRAPHS[task], outcome="Y", non_manipulable=NON_MANIPULABLE[task])
    found = expressions_among(GRAPHS[task], "Y", arms, Search(collections, tried))
    judged = judge_exact(claim.value, str(sum(len(alternatives) - 1 for alternatives in found.values())))
    return judged if collections == "all" else fitted(judged, "defined after seeing the published number")


def equation(claim: Claim, results: Results, *, task: Task, arm: list[str]) -> Judgement:
    """Judge whether a printed equation is among the expressions for an arm, in the printed form."""
    by_form = {unspaced(str(expression)): str(expression) for expression in _alternatives(task, arm)}
    judged = judge_member(unspaced(claim.value), by_form)
    return replace(judged, replicated=by_form.get(unspaced(claim.value), " | ".join(by_form.values())))


def support(claim: Claim, results: Results, *, task: Task, arm: list[str], expression: str) -> Judgement:
    """Judge the number of cells of each term that must have been seen before an expression is used.

    Values that are free in the expression are held fixed.
    """
    for found in _alternatives(task, arm):
        if unspaced(str(found)) == unspaced(expression):
            cells = found.cells(dict.fromkeys(GRAPHS[task], 2), {value.label: 0 for value in found.free})
            return judge_exact(claim.value, " ".join(map(str, sorted(map(len, cells.values())))))
    return judge_exact(claim.value, "no such expression")


def uses(claim: Claim, results: Results, *, task: Task, arm: list[str], source: list[str]) -> Judgement:
    """Judge whether any expression for an arm uses data from an experiment."""
    return judge_exact(claim.value, _yes(any(frozenset(source) in e.experiments for e in _alternatives(task, arm))))


def has_term(claim: Claim, results: Results, *, task: Task, term: str) -> Judgement:
    """Judge whether some expression that POMIS+ uses in a task contains a given probability."""
    found = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])
    terms = {unspaced(str(part)) for expressions in found.values() for e in expressions for part in e.terms}
    return judge_exact(claim.value, _yes(unspaced(term) in terms))


def proposition1(claim: Claim, results: Results) -> Judgement:
    """Judge whether POMISs stay POMISs if any variables outside them cannot be manipulated, in three diagrams."""
    violations = cases = 0
    for graph in GRAPHS.values():
        unconstrained = possibly_optimal_intervention_sets(graph, outcome="Y")
        others = [v for v in graph if v != "Y"]
        for fixed in chain.from_iterable(combinations(others, k) for k in range(len(others) + 1)):
            free = {chosen for chosen in unconstrained if not chosen & set(fixed)}
            violations += len(free - possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable=fixed))
            cases += len(free)
    why = f"{cases} pairs of a set and an N in the three diagrams"
    return replace(judge_exact(claim.value, str(violations)), reason=why)


def widening(claim: Claim, results: Results, *, since: Milestone, relative: bool = False) -> Judgement:
    """Judge whether a policy's gap to another is wider at the end than after ``since`` rounds.

    Both gaps are from the same runs, since these strategies do not know the horizon. ``relative``: the gap is a
    percentage of the policy's own regret (ledger L162), linearised so that each seed has a value.
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
    """Judge whether one strategy has more regret than another in every task, with both solvers.

    The claim holds if it holds in every case, and fails if it fails in at least one. The case shown is that with the
    smallest gap, relative to the larger regret, among those that decide the outcome.
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
    """Judge whether two strategies have the same results on every seed.

    This is true by construction if their arms are the same (footnote 4).
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
    """Return a policy's settings without the strategy of its arms, and that strategy's intervention sets."""
    settings = results.settings(experiment, results.policies(experiment, **selection)[0])
    arms = str(settings.pop("arms"))
    return settings, intervention_sets(str(settings["problem"]), arms)


def _alternatives(task: Task, arm: Iterable[str]) -> tuple[Expression, ...]:
    return reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])[frozenset(arm)]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


# How much less data POMIS+ needs than brute force (ledger L195).

#: "Orders of magnitude" is judged as at least one, which is weaker than the plural.
ORDER = 10.0


class Factor(NamedTuple):
    """A ratio of two policies' rounds or regrets, with its 95 % interval."""

    value: float
    low: float
    high: float


def efficiency(
    claim: Claim,
    results: Results,
    *,
    solver: Literal["TS", "KL-UCB"],
    instances: str,
    counts: Literal["rounds", "regret"],
) -> Judgement:
    """Judge whether POMIS+ is ten times as data-efficient as brute force.

    ``instances`` is the experiment, and ``counts`` the measure, from means over its seeds. ``rounds``: how many
    rounds brute force and POMIS+ each need until their regret per round is what brute force's is at the horizon, as a
    ratio.
    ``regret``: the ratio of brute force's regret at the horizon to that of POMIS+.
    """
    if results.horizon(instances) != HORIZON:
        raise NotRunError(f"{HORIZON} rounds of {instances}")
    labels = [played_as(results, instances, solver, strategy) for strategy in ("BF", "POMIS+")]
    if counts == "rounds":
        slow, fast = (results.curve(instances, policy=label) for label in labels)
        found, n = fewer_rounds(slow, fast), int(slow["n"].min())
    else:
        all_arms, shared = (results.final(instances, policy=label).to_numpy() for label in labels)
        ratio = ratio_interval(all_arms, shared)
        found, n = Factor(ratio.value, ratio.low, ratio.high), ratio.n
    outcome = Outcome.HOLDS if found.low >= ORDER else Outcome.FAILS if found.high < ORDER else Outcome.OPEN
    what = "rounds for the same regret per round" if counts == "rounds" else f"regret after {HORIZON:,} rounds"
    why = reason(f"brute force has {found.value:.3g} times the {what}", f"one order of magnitude is {ORDER:g}-fold")
    because = Because.SEEDS if outcome is Outcome.OPEN else None
    return Judgement(outcome, why, Basis.SIMULATED, f"{found.value:.3g}", found.low, found.high, n, because=because)


def fewer_rounds(slow: pd.DataFrame, fast: pd.DataFrame) -> Factor:
    """Compute the ratio of the rounds that ``slow`` and ``fast`` need to reach the same regret per round.

    That regret per round is the one with which ``slow`` ends.

    Parameters
    ----------
    slow, fast : table
        Curves with columns ``t``, ``mean``, ``ci_low`` and ``ci_high``.

    Returns
    -------
    Factor
        The ratio at the first checkpoint from which ``fast`` stays as low. Its interval uses the ends of both curves'
        intervals and, for its upper end, the checkpoint before; it is unbounded if there is none.
    """
    slow, fast = slow.sort_values("t"), fast.sort_values("t")
    last = slow.iloc[-1]
    rounds, t = float(last["t"]), fast["t"].to_numpy()

    def reached(curve: str, goal: str) -> int | None:
        above = np.flatnonzero(fast[curve].to_numpy() / t > last[goal] / rounds)
        after = int(above[-1]) + 1 if len(above) else 0
        return after if after < len(t) else None

    middle, late, early = reached("mean", "mean"), reached("ci_high", "ci_low"), reached("ci_low", "ci_high")
    value = rounds / t[middle] if middle is not None else 1.0
    low = rounds / t[late] if late is not None else 0.0
    high = math.inf if early == 0 else rounds / t[early - 1] if early is not None else 1.0
    return Factor(float(value), float(low), float(high))


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
    "curve": Judge(curves.curve, needs=("policy",)),
    "efficiency": Judge(efficiency, reads=lambda a: (a["instances"],)),
    "gain_by_gap": Judge(gains.gain_by_gap, reads=lambda a: (a["task"], f"{a['than']}_{a['task']}")),
    "many_low_arms": Judge(gains.many_low_arms, reads=lambda a: [f"{a['family']}_{task}" for task in TASKS]),
    "theorem_4": Judge(theory.theorem_4),
    "theorem_5": Judge(theory.theorem_5),
}
