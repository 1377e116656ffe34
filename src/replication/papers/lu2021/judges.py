"""Judge lu2021's own claims: Fig. 1, the bounds of its theorems, and what its algorithms rely on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, log, log2, sqrt
from typing import Any, Literal

import networkx as nx
import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import junction_tree
from causal_bandits.problems.lu2021 import FIGURE1
from experiments.files import read
from experiments.results import Results
from replication.judging.checks import rate_of
from replication.judging.claims import Along, Final, Printed, check, check_number
from replication.judging.judges import (
    WORST_FIRST,
    Judgement,
    Outcome,
    Why,
    judge_above,
    judge_exact,
    judge_mean_bound,
    judge_rate,
    noted,
    reason,
)
from replication.papers.lu2021 import theory
from replication.papers.lu2021.policies import as_printed, instances, undirected_edges

#: 1 - delta in the runs of Fig. 1: the smallest share of runs in which a panel must come out as printed.
PANEL = 0.95


@check
def step(
    printed: Printed,
    results: Results,
    *,
    stage: Literal[1, 2],
    t: int,
    shows: Literal["centre", "tested", "crossed out", "left"],
) -> Judgement:
    """Judge whether step ``t`` of a stage comes out as in a panel of Fig. 1 with probability 1 - delta."""
    rows = read(results.file("discovery_trace")).to_pylist()
    hits = []
    for seed in sorted({row["seed"] for row in rows}):
        own = [row for row in rows if row["seed"] == seed]
        at = [i for i, row in enumerate(own) if row["stage"] == stage]
        hits.append(len(at) > t and _panel(own, at[t], shows) == printed.value)
    return judge_rate(np.array(hits), PANEL)


def _panel(steps: list[dict[str, Any]], i: int, shows: str) -> str:
    """Return what step ``i`` of a run shows; it crosses out what was left by the step before but not by this one."""
    if shows != "crossed out":
        return " ".join(sorted(steps[i][shows]))
    before = steps[i - 1]["left"] if i else ADMG(FIGURE1)
    return " ".join(sorted(set(before) - set(steps[i]["left"])))


@check_number(0, 1)
def rate_over(printed: Printed, results: Results, ours: Along) -> Judgement:
    """Judge whether a probability is at least the claimed one at each value of a setting; the worst value counts."""
    return _worst(ours, [rate_of(each, results, printed.number) for each in ours.finals])


@check_number(0, 1)
def length_of_stage(printed: Printed, results: Results, ours: Along, stage: Literal[1, 2]) -> Judgement:
    """Judge the share of runs in which a stage intervenes on no more variables than it may, by values of a setting.

    Stage 1 may intervene on as many variables as it takes to halve n down to zero (E41); stage 2 on (1 + d) log2 n,
    which is Lemma 1's T_1 without do() and without KB log2 n for stage 1 (proof of Lemma 1). The worst value counts.
    """
    return _worst(ours, [_length(each, results, stage, printed.number) for each in ours.finals])


def _worst(along: Along, judged: Sequence[Judgement]) -> Judgement:
    """Return the worst judgement over the values of a setting, with the share at each value in the reason."""
    told = [f"{value}: {each.replicated}" for value, each in zip(along.values, judged, strict=True)]
    worst = min(judged, key=lambda each: (WORST_FIRST.index(each.outcome), each.ci_low))
    return replace(worst, reason=reason(worst.reason, f"by {along.name}: {', '.join(told)}"))


def _length(ours: Final, results: Results, stage: int, at_least: float) -> Judgement:
    names = (f"rounds_stage_{stage}", "rounds_observing", "bound")
    taken, once, bound = (ours.of(name).values(results) for name in names)
    nodes, states = _sizes(ours, results)
    test = once * states
    allowed = test * nodes.bit_length() if stage == 1 else bound - once - test * log2(nodes)
    return judge_rate((taken <= allowed).to_numpy(), at_least)


def _sizes(ours: Final, results: Results) -> tuple[int, int]:
    """Return the numbers of nodes and of states of a node."""
    settings = ours.settings(results)
    return int(str(settings["nodes"])), int(str(settings["states"]))


@check_number(0, 1)
def regret_bound(printed: Printed, results: Results, ours: Final, *, width: int = 1) -> Judgement:
    """Judge whether R_T <= T_1 + sqrt(width KT log T) with the published probability (proofs of Theorems 1 to 3).

    ``width`` is the number of variables that UCB is left with: 1, or omega(G_R) in Theorem 3.
    """
    regret, bound = (at.values(results) for at in (ours, ours.of("bound")))
    states, horizon = int(str(ours.settings(results)["states"])), ours.horizon(results)
    return judge_rate((regret <= bound + sqrt(width * states * horizon * log(horizon))).to_numpy(), printed.number)


@check
def ucb_bound(printed: Printed, results: Results, ours: Along) -> Judgement:
    """Judge whether UCB's mean regret on all nK interventions is at most sqrt(nKT log T) at every size.

    The paper's proofs state this bound for UCB on K arms. The size that comes closest to its bound is shown.
    """
    judged = []
    for each in ours.finals:
        nodes, states = _sizes(each, results)
        horizon, values = each.horizon(results), each.values(results).to_numpy()
        bound = sqrt(nodes * states * horizon * log(horizon))
        at = noted(judge_mean_bound(bound, values, inf), f"n = {nodes}")
        judged.append((WORST_FIRST.index(at.outcome), -float(values.mean()) / bound, at))
    return min(judged, key=lambda found: found[:2])[2]


@check
def minimax(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge whether the mean regret over the instances of a lower bound's proof is at least sqrt(nKT) / 8."""
    bound = theory.minimax(*_sizes(ours, results), ours.horizon(results))
    values = ours.values(results, "draw").to_numpy()
    return judge_above(values, np.full(len(values), bound))


@check
def lower_bound(
    printed: Printed,
    results: Results,
    told: Literal["the graph", "nothing"],
    *,
    nodes: int,
    states: int,
    horizon: int,
    explored: float,
) -> Judgement:
    """Judge Eq. 4, regret of at least sqrt(nKT) / 8 on one instance, by a policy whose regret is known exactly (E45).

    The policy is told the essential graph, like the paper's own. For policies that see only rewards, Eq. 4 is a known
    theorem.
    """
    if told == "nothing":
        proven = judge_exact("yes", "yes")
        return replace(proven, replicated="at least 1", reason="proven: Lattimore and Szepesvari (2018), Exercise 15.2")
    ratio = theory.regret_at_the_ends(nodes, states, horizon, explored) / theory.minimax(nodes, states, horizon)
    found = judge_exact(
        "yes", "yes" if ratio >= 1 else "no", implied_by="X_R being an end of the path in all instances"
    )
    return replace(found, replicated=f"{ratio:.3f}")


# Judges of lu2021's claims that are computed with exact answers: no samples, no model, only graphs.

#: The keys of `theory.SEARCHES`.
Search = Literal[
    "more than Lemma 1",
    "ancestors in other components",
    "bipartite but no forest",
    "not uniquely representable",
    "v-structures over cliques",
    "rounds that do not halve",
    "rewards cut off",
    "wrong children",
    "wrong cliques where Theorem 3 holds",
    "wrong cliques",
    "other clique numbers",
]


@check
def counterexamples(
    printed: Printed, results: Results, search: Search, *, implied_by: str, strictly: bool = False
) -> Judgement:
    """Count the small graphs, with a choice of X_R where it matters, that contradict a statement about all graphs.

    ``strictly``: whether Definition 10 is read with proper subsets only (E40).
    """
    found = len(theory.SEARCHES[search].cases(strictly=strictly))
    return judge_exact(printed.value, str(found), implied_by=implied_by)


@check
def comparable_star(printed: Printed, results: Results, *, strictly: bool = False) -> Judgement:
    """Judge whether the star with three leaves is intersection-incomparable by Definition 10."""
    star: nx.Graph[str] = nx.Graph([("H", leaf) for leaf in "ABC"])
    comparable = theory.is_comparable(junction_tree(star), strictly=strictly)
    return judge_exact(printed.value, "no" if comparable else "yes", implied_by="Definition 10")


@check
def star(printed: Printed, results: Results, *, nodes: int) -> Judgement:
    """Judge the mean number of interventions on a star against Theorem 3, with a path as its junction tree."""
    asked, allowed = theory.interventions_on_a_star(nodes), theory.theorem_3(nodes, clique=2, degree=2)
    judged = judge_exact(printed.value, "yes" if asked <= allowed else "no", implied_by="the star")
    return replace(judged, replicated=f"{asked:.1f}, allowed {allowed:.1f}")


@check
def printed_forms(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Count the graphs of an experiment on which the printed algorithm, given exact answers, does not end with X_R."""
    ends = as_printed(ours.settings(results), len(ours.values(results)))
    judged = judge_exact(printed.value, str(ends.wrong + ends.never), implied_by="the algorithms as printed")
    return replace(judged, replicated=f"endless on {ends.never}, wrong on {ends.wrong} of {ends.total}")


@check
def not_recovered(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Show how often some edge of a causal tree has no known direction when stage 2 ends.

    Answers are exact. The paper says "in many scenarios" without a number, so only a count of zero could contradict it.
    """
    trees = instances(ours.settings(results), len(ours.values(results)))
    found = [undirected_edges(dag, reward) > 0 for dag, reward in trees]
    why = 'the paper does not say how many are "many"; only a count of zero would contradict it'
    return Judgement(Outcome.OPEN, why, f"{sum(found)} of {len(found)}", why=Why.UNTESTABLE)


@check_number(0, 1)
def stage_3_bound(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge the share of runs in which UCB on X_R has regret at most sqrt(KT log T), as the proof of Theorem 1 says."""
    states, horizon = int(str(ours.settings(results)["states"])), ours.horizon(results)
    return judge_rate((ours.values(results) <= sqrt(states * horizon * log(horizon))).to_numpy(), printed.number)
