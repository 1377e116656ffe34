"""Judge what lee2019 states about graphs, sets of arms and expressions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from causal_bandits.arrays import plain_sum
from causal_bandits.graphs.intervention_sets import interventional_border, muct, possibly_optimal_intervention_sets
from causal_bandits.identification.estimators import Search, expressions_among, reward_expressions
from causal_bandits.identification.expression import Expression
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.aggregate import milestone
from experiments.results import NotRunError, Results
from experiments.settings import Setting
from replication.judging.claims import Final, Milestone, Printed, check, pair
from replication.judging.judges import (
    Judgement,
    Moments,
    Outcome,
    Why,
    fitted,
    judge_above,
    judge_above_apart,
    judge_exact,
    judge_member,
    judge_same,
    opened,
    reason,
)
from replication.judging.judges.intervals import percents_below, ratio_interval
from replication.papers.lee2019.policies import (
    TASKS,
    arm_count,
    intervention_sets,
    unspaced,
    written,
)
from replication.papers.lee2019.tables import Pair, gain_of, low_arms, means_of, moments, random_gains
from replication.papers.lee2019.theory import literal_projection

#: Keys of `GRAPHS` and of `ARM_STRATEGIES`, as literals: claims are checked against them before any job starts.
Task = Literal["frontdoor", "fourvar", "sixvar"]
Arms = Literal["brute_force", "minimal", "possibly_optimal"]

# In all judges, ``fixed`` lists the variables that cannot be manipulated, and ``arm`` is an arm's intervention set;
# sets of variables are written by their letters: "AC".


@check
def sets(printed: Printed, results: Results, task: Task, strategy: Arms, fixed: str = "") -> Judgement:
    """Judge the intervention sets of a strategy."""
    return judge_exact(printed.value, written(intervention_sets(task, strategy, fixed)))


@check
def set_count(printed: Printed, results: Results, task: Task, strategy: Arms, fixed: str = "") -> Judgement:
    """Judge the number of intervention sets of a strategy."""
    return judge_exact(printed.value, str(len(intervention_sets(task, strategy, fixed))))


@check
def arms(printed: Printed, results: Results, task: Task, strategy: Arms, fixed: str = "") -> Judgement:
    """Judge the number of arms of a strategy."""
    return judge_exact(printed.value, str(arm_count(intervention_sets(task, strategy, fixed))))


@check
def literal_arms(printed: Printed, results: Results, task: Task, fixed: str) -> Judgement:
    """Judge the number of arms that POMIS has if the definition of the projection is taken literally (ledger E20)."""
    projected = literal_projection(GRAPHS[task], set(GRAPHS[task]) - set(fixed))
    return judge_exact(printed.value, str(arm_count(possibly_optimal_intervention_sets(projected, outcome="Y"))))


@check
def arms_saved(
    printed: Printed, results: Results, task: Task, strategy: Arms, against: Arms, fixed: str = ""
) -> Judgement:
    """Judge the number of arms that a strategy saves compared with another."""
    more, fewer = (arm_count(intervention_sets(task, s, fixed)) for s in (against, strategy))
    return judge_exact(printed.value, str(more - fewer))


@check
def member(printed: Printed, results: Results, task: Task, strategy: Arms, chosen: str, fixed: str = "") -> Judgement:
    """Judge whether a set of variables is among a strategy's intervention sets."""
    return judge_exact(printed.value, _yes(frozenset(chosen) in intervention_sets(task, strategy, fixed)))


@check
def territory(printed: Printed, results: Results, task: Task, intervention: str = "") -> Judgement:
    """Judge the minimal unobserved-confounders' territory under an intervention."""
    return judge_exact(printed.value, written([muct(GRAPHS[task].do(list(intervention)), outcome="Y")]))


@check
def border(printed: Printed, results: Results, task: Task, intervention: str = "") -> Judgement:
    """Judge the interventional border under an intervention."""
    return judge_exact(
        printed.value, written([interventional_border(GRAPHS[task].do(list(intervention)), outcome="Y")])
    )


@check
def projection(printed: Printed, results: Results, task: Task, removed: str) -> Judgement:
    """Judge the bidirected edges of a graph after marginalising out some variables."""
    graph = GRAPHS[task]
    return judge_exact(printed.value, written(graph.latent_projection(set(graph).difference(removed)).bidirected))


@check
def expressions(
    printed: Printed,
    results: Results,
    task: Task,
    *,
    collections: Literal["all", "minimal"] = "all",
    tried: Literal["maximal", "largest"] = "maximal",
) -> Judgement:
    """Judge the number of expressions besides the trivial one of each intervention set.

    ``collections`` selects the collections of the other intervention sets on which z2ID is run, and ``tried`` the order
    in which it tries experiments (ledger L08). ``minimal`` was defined after seeing the published number.
    """
    arms = possibly_optimal_intervention_sets(GRAPHS[task], outcome="Y", non_manipulable=NON_MANIPULABLE[task])
    found = expressions_among(GRAPHS[task], arms, outcome="Y", search=Search(collections, tried))
    judged = judge_exact(printed.value, str(sum(len(alternatives) - 1 for alternatives in found.values())))
    return judged if collections == "all" else fitted(judged, "defined after seeing the published number")


@check
def equation(printed: Printed, results: Results, task: Task, arm: str) -> Judgement:
    """Judge whether a printed equation is among the expressions for an arm, in the printed form."""
    by_form = {unspaced(str(expression)): str(expression) for expression in _alternatives(task, arm)}
    judged = judge_member(unspaced(printed.value), by_form)
    return replace(judged, replicated=by_form.get(unspaced(printed.value), " | ".join(by_form.values())))


@check
def support(printed: Printed, results: Results, task: Task, arm: str, expression: str) -> Judgement:
    """Judge the number of cells of each term that must have been seen before an expression is used.

    Values that are free in the expression are held fixed.
    """
    for found in _alternatives(task, arm):
        if unspaced(str(found)) == unspaced(expression):
            cells = found.cells(dict.fromkeys(GRAPHS[task], 2), {value.label: 0 for value in found.free})
            return judge_exact(printed.value, " ".join(map(str, sorted(map(len, cells.values())))))
    return judge_exact(printed.value, "no such expression")


@check
def uses(printed: Printed, results: Results, task: Task, arm: str, source: str) -> Judgement:
    """Judge whether any expression for an arm uses data from an experiment."""
    return judge_exact(printed.value, _yes(any(frozenset(source) in e.experiments for e in _alternatives(task, arm))))


@check
def has_term(printed: Printed, results: Results, task: Task, term: str) -> Judgement:
    """Judge whether some expression that POMIS+ uses in a task contains a given probability."""
    found = reward_expressions(GRAPHS[task], outcome="Y", non_manipulable=NON_MANIPULABLE[task])
    terms = {unspaced(str(part)) for expressions in found.values() for e in expressions for part in e.terms}
    return judge_exact(printed.value, _yes(unspaced(term) in terms))


@check
def proposition1(printed: Printed, results: Results) -> Judgement:
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
    return replace(judge_exact(printed.value, str(violations)), reason=why)


@check
def widening(
    printed: Printed, results: Results, larger: Final, smaller: Final, since: Milestone, *, relative: bool = False
) -> Judgement:
    """Judge whether a policy's gap to another is wider at the end than after ``since`` rounds.

    Both gaps are from the same runs, since these strategies do not know the horizon. ``relative``: the gap is a
    percentage of the policy's own regret (ledger L162), linearised so that each seed has a value.
    """
    gaps = []
    for metric in (larger.metric, milestone(larger.metric, since)):
        values, others = pair(larger.of(metric), smaller.of(metric), results)
        gaps.append(percents_below(values, others) if relative else values - others)
    later, earlier = gaps
    judged = judge_above(later, earlier)
    unit = " %" if relative else ""
    last = larger.horizon(results)
    shown = f"{earlier.mean():.1f}{unit} after {since} rounds, {later.mean():.1f}{unit} after {last}"
    return replace(judged, reason=reason(shown, f"paired by seed, {judged.reason}"))


@check
def above_everywhere(printed: Printed, results: Results, pairs: Mapping[str, tuple[Final, Final]]) -> Judgement:
    """Judge whether one strategy has more regret than another in every case, by the names of the cases.

    The claim holds if it holds in every case, and fails if it fails in at least one. The case shown is that with the
    smallest gap, relative to the larger regret, among those that decide the outcome.
    """
    cases: list[tuple[float, str, Judgement]] = []
    for name, (larger, smaller) in pairs.items():
        more, less = pair(larger, smaller, results)
        cases.append((float(less.mean() / more.mean()), name, judge_above(more, less)))
    holds = sum(judged.outcome is Outcome.HOLDS for *_, judged in cases)
    others = [case for case in cases if case[2].outcome is not Outcome.HOLDS]
    refuted = [case for case in others if case[2].outcome is Outcome.FAILS]
    _, where, shown = max(refuted or others or cases, key=lambda case: case[0])
    return replace(shown, reason=reason(f"holds in {holds} of {len(cases)} cases; shown: {where}", shown.reason))


@check
def same_arms(printed: Printed, results: Results, one: Final, other: Final) -> Judgement:
    """Judge whether two strategies have the same results on every seed.

    This is true by construction if their arms are the same (footnote 4).
    """
    values = pair(one, other, results)
    (own, own_sets), (others, other_sets) = (_played(each.settings(results)) for each in (one, other))
    judged = judge_same(*values, constructed=own == others and own_sets == other_sets)
    shown = "the same" if own_sets == other_sets else "not the same"
    shown_arms = f"{arm_count(own_sets)} and {arm_count(other_sets)} arms, {shown}"
    return replace(judged, reason=reason(shown_arms, judged.reason))


def _played(settings: dict[str, Setting]) -> tuple[dict[str, Setting], frozenset[frozenset[str]]]:
    """Return a policy's settings without the strategy of its arms, and that strategy's intervention sets."""
    arms = str(settings.pop("arms"))
    return settings, intervention_sets(str(settings["problem"]), arms)


def _alternatives(task: Task, arm: Iterable[str]) -> tuple[Expression, ...]:
    return reward_expressions(GRAPHS[task], outcome="Y", non_manipulable=NON_MANIPULABLE[task])[frozenset(arm)]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


# How much less data POMIS+ needs than brute force (ledger L195).


class Factor(NamedTuple):
    """A ratio of two policies' rounds or regrets, with its 95 % interval."""

    value: float
    low: float
    high: float


@check
def efficiency(printed: Printed, results: Results, pairs: Sequence[tuple[Final, Final]], *, orders: int) -> Judgement:
    """Judge whether POMIS+ can be this many orders of magnitude more data-efficient than brute force.

    ``pairs`` are brute force and POMIS+ with the same solver on the same task. Each is compared by two measures: how
    many rounds the two need until their regret per round is what brute force's is at the horizon, and their regret at
    the horizon. The claim says that there is such a case, so it holds if one of these ratios reaches the power of ten.
    """
    found, n = dict[str, Factor](), list[int]()
    for slow, fast in pairs:
        curve, case = slow.curve(results), f"{fast.policy.algorithm}, {fast.experiment}"
        ratio = ratio_interval(slow.values(results).to_numpy(), fast.values(results).to_numpy())
        found[f"rounds, {case}"] = fewer_rounds(curve, fast.curve(results))
        found[f"regret, {case}"] = Factor(ratio.value, ratio.low, ratio.high)
        n.append(ratio.n)
    least = 10.0**orders
    reached = [case for case, factor in found.items() if factor.low >= least]
    below = all(factor.high < least for factor in found.values())
    outcome = Outcome.HOLDS if reached else Outcome.FAILS if below else Outcome.OPEN
    best = max(found, key=lambda case: found[case].value)
    most = found[best]
    why = reason(
        f"{len(reached)} of {len(found)} comparisons reach {least:g} times",
        f"the largest factor is {most.value:.3g} ({most.low:.3g} to {most.high:.3g}): {best}",
    )
    shown = f"{len(reached)} of {len(found)} comparisons"
    return Judgement(outcome, why, shown, n=min(n), why=opened(outcome, Why.SEEDS))


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


@check
def gain_by_gap(printed: Printed, results: Results, here: Pair, moved: Pair) -> Judgement:
    """Judge whether POMIS+ gains more on a task's bandit than on one with a different gap to the next arm.

    The latter is the same bandit with one parameter changed (ledger L73).
    """
    gained = [gain_of(*(each.values(results) for each in pair)) for pair in (here, moved)]
    return judge_above_apart(*map(moments, gained))


@check
def many_low_arms(printed: Printed, results: Results, family: str, pairs: Sequence[Pair]) -> Judgement:
    """Judge whether POMIS+ gains less if more arms have a low reward (`low_arms`).

    Random models of a family with more such arms than average for their task are compared with those that have fewer.
    Every task has the same weight. A task whose models all have equally many such arms is uninformative and left out.
    """
    found = random_gains(results, pairs)
    beyond = []
    for task, part in found.groupby("task", sort=False):
        counts = pd.Series([low_arms(m) for m in means_of(str(task), family, part["draw"])], index=part.index)
        beyond.append(counts - counts.mean())
    more = pd.concat(beyond).reindex(found.index)
    parts = [found[more < 0], found[more > 0]]
    telling = [task for task in TASKS if all((part["task"] == task).sum() > 1 for part in parts)]
    if not telling:
        experiments = ", ".join(pair[0].experiment for pair in pairs)
        raise NotRunError(f"two instances of each kind of the experiments {experiments}")
    return judge_above_apart(*(_over_tasks(part, telling) for part in parts), unit="draw")


def _over_tasks(part: pd.DataFrame, tasks: Sequence[str]) -> Moments:
    """Return the mean gain over tasks, each with the same weight however many of its instances are played.

    The standard deviation returned, over the root of the number of instances, is the standard error of this mean.
    """
    of_tasks = [part.loc[part["task"] == task, "gain"] for task in tasks]
    count = sum(map(len, of_tasks))
    variance = plain_sum(float(gain.var()) / len(gain) for gain in of_tasks) / len(tasks) ** 2
    return Moments(float(np.mean([gain.mean() for gain in of_tasks])), math.sqrt(count * variance), count)
