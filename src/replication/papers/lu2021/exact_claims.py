"""Judges of lu2021's claims that are computed with exact answers: no samples, no model, graphs alone."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt
from typing import Literal

import networkx as nx

from causal_bandits.graphs.chordal import junction_tree
from experiments.results import Results
from replication.judging.claims import Claim, Judge
from replication.judging.judges import Basis, Because, Judgement, Outcome, judge_exact, judge_rate
from replication.judging.judges.arguments import Count
from replication.papers.lu2021 import small_graphs, theory
from replication.papers.lu2021.exact_answers import as_printed, instances, undirected_edges

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
    """Count the small graphs, with X_R, that contradict what the paper says of all.

    ``strictly``: Definition 10 read with proper parts alone (E40).
    """
    found = len(small_graphs.SEARCHES[search].cases(strictly=strictly))
    return judge_exact(claim.value, str(found), implied_by=implied_by)


def comparable_star(claim: Claim, results: Results, *, strictly: bool = False) -> Judgement:
    """Say whether the star with three leaves is intersection-incomparable by Definition 10."""
    star: nx.Graph[str] = nx.Graph([("H", leaf) for leaf in "ABC"])
    comparable = small_graphs.is_comparable(junction_tree(star), strictly=strictly)
    return judge_exact(claim.value, "no" if comparable else "yes", implied_by="Definition 10")


def star(claim: Claim, results: Results, *, nodes: Count) -> Judgement:
    """Hold the mean number of interventions on a star against Theorem 3 with a path for its junction tree."""
    asked, allowed = small_graphs.interventions_on_a_star(nodes), theory.theorem_3(nodes, clique=2, degree=2)
    judged = judge_exact(claim.value, "yes" if asked <= allowed else "no", implied_by="a leaf tells nothing of another")
    return replace(judged, replicated=f"{asked:.1f}, allowed {allowed:.1f}")


def printed_forms(claim: Claim, results: Results) -> Judgement:
    """Count the graphs of an experiment on which the printed algorithm does not end with X_R.

    Answers are exact.
    """
    label, *_ = results.policies(claim.experiment, **claim.policy)
    draws = len(claim.values(results))
    ends = as_printed(results.settings(claim.experiment, label), draws)
    judged = judge_exact(claim.value, str(ends.wrong + ends.never), implied_by="the algorithms as printed")
    return replace(judged, replicated=f"{ends.never} never end, {ends.wrong} are wrong, of {ends.total}")


def not_recovered(claim: Claim, results: Results) -> Judgement:
    """Show how often some edge of a causal tree has no known direction when stage 2 ends.

    Answers are exact. The paper says "in many scenarios": how many are many has no border, so that nothing could
    contradict it but none.
    """
    label, *_ = results.policies(claim.experiment, **claim.policy)
    trees = instances(results.settings(claim.experiment, label), len(claim.values(results)))
    found = [undirected_edges(dag, reward) > 0 for dag, reward in trees]
    why = 'how many scenarios are "many" is not said; one would contradict "none"'
    return Judgement(Outcome.OPEN, why, Basis.EXACT, f"{sum(found)} of {len(found)}", because=Because.UNTESTABLE)


def stage_3_bound(claim: Claim, results: Results) -> Judgement:
    """Judge how often UCB on X_R has regret at most sqrt(KT log T), as the proof of Theorem 1 says."""
    label, *_ = results.policies(claim.experiment, **claim.policy)
    states, horizon = int(str(results.settings(claim.experiment, label)["states"])), results.horizon(claim.experiment)
    return judge_rate((claim.values(results) <= sqrt(states * horizon * log(horizon))).to_numpy(), claim.number)


#: The judges of this file, by the name that claims have for them.
EXACT: dict[str, Judge] = {
    "counterexamples": Judge(counterexamples),
    "comparable_star": Judge(comparable_star),
    "star": Judge(star),
    "as_printed": Judge(printed_forms, needs=("policy",)),
    "not_recovered": Judge(not_recovered, needs=("policy",)),
    "stage_3_bound": Judge(stage_3_bound, needs=("number", "policy")),
}
