"""Judge lu2021's own claims: Fig. 1, the bounds of its theorems, and what its algorithms rely on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from replication.judging.claims import Claim, Judge
from replication.judging.generic import rate
from replication.judging.judges import (
    WORST_FIRST,
    Basis,
    Because,
    Judgement,
    Outcome,
    judge_above,
    judge_exact,
    judge_mean_bound,
    judge_rate,
    noted,
    reason,
)
from replication.judging.judges.arguments import Along, Count, Probability
from replication.judging.readings import over_readings
from replication.papers.lu2021 import small_graphs, theory
from replication.papers.lu2021.printed import as_printed, instances, undirected_edges

#: 1 - delta in the runs of Fig. 1: the smallest share of runs in which a panel must come out as printed.
PANEL = 0.95

#: One setting, with the values at which a claim must hold.
Values = Mapping[str, Sequence[str]]


def step(
    claim: Claim,
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
        hits.append(len(at) > t and _panel(own, at[t], shows) == claim.value)
    return judge_rate(np.array(hits), PANEL)


def _panel(steps: list[dict[str, Any]], i: int, shows: str) -> str:
    """Return what step ``i`` of a run shows; it crosses out what was left by the step before but not by this one."""
    if shows != "crossed out":
        return " ".join(sorted(steps[i][shows]))
    before = steps[i - 1]["left"] if i else ADMG(FIGURE1)
    return " ".join(sorted(set(before) - set(steps[i]["left"])))


def rate_over(claim: Claim, results: Results, *, over: Values) -> Judgement:
    """Judge whether a probability is at least the claimed one at each value of a setting; the worst value counts."""
    return _worst(claim, [rate(point, results) for point in claim.points()])


def length_of_stage(claim: Claim, results: Results, *, stage: Literal[1, 2], over: Values) -> Judgement:
    """Judge the share of runs in which a stage intervenes on no more variables than it may, by values of a setting.

    Stage 1 may intervene on as many variables as it takes to halve n down to zero (E41); stage 2 on (1 + d) log2 n,
    which is Lemma 1's T_1 without do() and without KB log2 n for stage 1 (proof of Lemma 1). The worst value counts.
    """
    return _worst(claim, [_length(point, results, stage) for point in claim.points()])


def _worst(claim: Claim, judged: Sequence[Judgement]) -> Judgement:
    """Return the worst judgement over the values of the claim's setting, with the share at each value in the reason."""
    ((name, values),) = claim.arguments["over"].items()
    told = [f"{value}: {each.replicated}" for value, each in zip(values, judged, strict=True)]
    worst = min(judged, key=lambda each: (WORST_FIRST.index(each.outcome), each.ci_low))
    return replace(worst, reason=reason(worst.reason, f"by {name}: {', '.join(told)}"))


def _length(claim: Claim, results: Results, stage: int) -> Judgement:
    names = (f"rounds_stage_{stage}", "rounds_observing", "bound")
    taken, once, bound = (replace(claim, metric=name).values(results) for name in names)
    (label,) = results.policies(claim.experiment, **claim.policy)
    nodes, states = (int(str(results.settings(claim.experiment, label)[name])) for name in ("nodes", "states"))
    test = once * states
    allowed = test * nodes.bit_length() if stage == 1 else bound - once - test * log2(nodes)
    return judge_rate((taken <= allowed).to_numpy(), claim.number)


def regret_bound(claim: Claim, results: Results, *, width: Count = 1) -> Judgement:
    """Judge whether R_T <= T_1 + sqrt(width KT log T) with the published probability (proofs of Theorems 1 to 3).

    ``width`` is the number of variables that UCB is left with: 1, or omega(G_R) in Theorem 3.
    """
    regret, bound = (replace(claim, metric=name).values(results) for name in (claim.metric, "bound"))
    label, *_ = results.policies(claim.experiment, **claim.policy)  # K is the same for all
    states, horizon = int(str(results.settings(claim.experiment, label)["states"])), results.horizon(claim.experiment)
    return judge_rate((regret <= bound + sqrt(width * states * horizon * log(horizon))).to_numpy(), claim.number)


def ucb_bound(claim: Claim, results: Results, *, over: Along) -> Judgement:
    """Judge whether UCB's mean regret on all nK interventions is at most sqrt(nKT log T) at every size.

    The paper's proofs state this bound for UCB on K arms. The size that comes closest to its bound is shown.
    """
    judged = []
    for point in claim.points():
        label, *_ = results.policies(point.experiment, **point.policy)
        nodes, states = (int(str(results.settings(point.experiment, label)[name])) for name in ("nodes", "states"))
        horizon, values = results.horizon(point.experiment), point.values(results).to_numpy()
        bound = sqrt(nodes * states * horizon * log(horizon))
        at = noted(judge_mean_bound(bound, values, inf), f"n = {nodes}")
        judged.append((WORST_FIRST.index(at.outcome), -float(values.mean()) / bound, at))
    return min(judged, key=lambda each: each[:2])[2]


def minimax(claim: Claim, results: Results) -> Judgement:
    """Judge whether the mean regret over the instances of a lower bound's proof is at least sqrt(nKT) / 8."""
    (label,) = results.policies(claim.experiment, **claim.policy)
    settings = results.settings(claim.experiment, label)
    bound = theory.minimax(int(str(settings["nodes"])), int(str(settings["states"])), results.horizon(claim.experiment))
    values = claim.values(results, "draw").to_numpy()
    return judge_above(values, np.full(len(values), bound))


def lower_bound(
    claim: Claim, results: Results, *, nodes: Count, states: Count, horizon: Count, explored: Probability
) -> Judgement:
    """Judge Eq. 4, regret of at least sqrt(nKT) / 8 on one instance, by a policy whose regret is known exactly (E45).

    The policy is told the essential graph, like the paper's own. For policies that see only rewards, Eq. 4 is a known
    theorem.
    """
    ratio = theory.regret_at_the_ends(nodes, states, horizon, explored) / theory.minimax(nodes, states, horizon)
    told = judge_exact("yes", "yes" if ratio >= 1 else "no", implied_by="X_R being an end of the path in all instances")
    proven = replace(judge_exact("yes", "yes"), reason="proven: Lattimore and Szepesvari (2018), Exercise 15.2")
    return over_readings(
        {
            "policies told the essential graph": replace(told, replicated=f"{ratio:.3f}"),
            "policies that see rewards alone": replace(proven, replicated="at least 1"),
        }
    )


# Judges of lu2021's claims that are computed with exact answers: no samples, no model, only graphs.

#: The keys of `small_graphs.SEARCHES`, as literals: claims are checked against them before any job starts.
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


def counterexamples(
    claim: Claim, results: Results, *, search: Search, implied_by: str, strictly: bool = False
) -> Judgement:
    """Count the small graphs, with a choice of X_R where it matters, that contradict a statement about all graphs.

    ``strictly``: whether Definition 10 is read with proper subsets only (E40).
    """
    found = len(small_graphs.SEARCHES[search].cases(strictly=strictly))
    return judge_exact(claim.value, str(found), implied_by=implied_by)


def comparable_star(claim: Claim, results: Results, *, strictly: bool = False) -> Judgement:
    """Judge whether the star with three leaves is intersection-incomparable by Definition 10."""
    star: nx.Graph[str] = nx.Graph([("H", leaf) for leaf in "ABC"])
    comparable = small_graphs.is_comparable(junction_tree(star), strictly=strictly)
    return judge_exact(claim.value, "no" if comparable else "yes", implied_by="Definition 10")


def star(claim: Claim, results: Results, *, nodes: Count) -> Judgement:
    """Judge the mean number of interventions on a star against Theorem 3, with a path as its junction tree."""
    asked, allowed = small_graphs.interventions_on_a_star(nodes), theory.theorem_3(nodes, clique=2, degree=2)
    judged = judge_exact(claim.value, "yes" if asked <= allowed else "no", implied_by="the star")
    return replace(judged, replicated=f"{asked:.1f}, allowed {allowed:.1f}")


def printed_forms(claim: Claim, results: Results) -> Judgement:
    """Count the graphs of an experiment on which the printed algorithm, given exact answers, does not end with X_R."""
    label, *_ = results.policies(claim.experiment, **claim.policy)
    draws = len(claim.values(results))
    ends = as_printed(results.settings(claim.experiment, label), draws)
    judged = judge_exact(claim.value, str(ends.wrong + ends.never), implied_by="the algorithms as printed")
    return replace(judged, replicated=f"endless on {ends.never}, wrong on {ends.wrong} of {ends.total}")


def not_recovered(claim: Claim, results: Results) -> Judgement:
    """Show how often some edge of a causal tree has no known direction when stage 2 ends.

    Answers are exact. The paper says "in many scenarios" without a number, so only a count of zero could contradict it.
    """
    label, *_ = results.policies(claim.experiment, **claim.policy)
    trees = instances(results.settings(claim.experiment, label), len(claim.values(results)))
    found = [undirected_edges(dag, reward) > 0 for dag, reward in trees]
    why = 'the paper does not say how many are "many"; only a count of zero would contradict it'
    return Judgement(Outcome.OPEN, why, Basis.EXACT, f"{sum(found)} of {len(found)}", because=Because.UNTESTABLE)


def stage_3_bound(claim: Claim, results: Results) -> Judgement:
    """Judge the share of runs in which UCB on X_R has regret at most sqrt(KT log T), as the proof of Theorem 1 says."""
    label, *_ = results.policies(claim.experiment, **claim.policy)
    states, horizon = int(str(results.settings(claim.experiment, label)["states"])), results.horizon(claim.experiment)
    return judge_rate((claim.values(results) <= sqrt(states * horizon * log(horizon))).to_numpy(), claim.number)


JUDGES: dict[str, Judge] = {
    "step": Judge(step),
    "rate_over": Judge(rate_over, needs=("number", "policy"), value=Probability),
    "stage": Judge(length_of_stage, needs=("number", "policy")),
    "regret_bound": Judge(regret_bound, needs=("number", "policy")),
    "ucb_bound": Judge(ucb_bound, needs=("policy",)),
    "minimax": Judge(minimax, needs=("policy",)),
    "lower_bound": Judge(lower_bound),
    "counterexamples": Judge(counterexamples),
    "comparable_star": Judge(comparable_star),
    "star": Judge(star),
    "as_printed": Judge(printed_forms, needs=("policy",)),
    "not_recovered": Judge(not_recovered, needs=("policy",)),
    "stage_3_bound": Judge(stage_3_bound, needs=("number", "policy")),
}
