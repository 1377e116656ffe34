"""The judges of lu2021's own claims: Fig. 1, the bounds of its theorems, and what its algorithms rest on."""

from __future__ import annotations

from dataclasses import replace
from math import log, log2, sqrt
from typing import Any, Literal

import networkx as nx
import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import clique_graph, junction_tree, separator
from replication.judging.claims import Claim, Judge
from replication.judging.judges import (
    Basis,
    Because,
    Judgement,
    Outcome,
    judge_above,
    judge_exact,
    judge_rate,
)
from replication.judging.judges.arguments import Count, Probability
from replication.judging.readings import over_readings
from replication.papers.lu2021 import theory
from replication.papers.lu2021.problems import FIGURE1
from replication.pipeline.files import read
from replication.pipeline.results import Results


def step(
    claim: Claim,
    results: Results,
    *,
    stage: Literal[1, 2],
    t: int,
    shows: Literal["centre", "tested", "crossed out", "left"],
) -> Judgement:
    """A panel of Fig. 1: what step ``t`` of a stage shows, with probability 1 - delta."""
    rows = read(results.file("discovery_trace")).to_pylist()
    hits = []
    for seed in sorted({row["seed"] for row in rows}):
        own = [row for row in rows if row["seed"] == seed]
        at = [i for i, row in enumerate(own) if row["stage"] == stage]
        hits.append(len(at) > t and _panel(own, at[t], shows) == claim.value)
    return judge_rate(np.array(hits), 0.95)


def _panel(steps: list[dict[str, Any]], i: int, shows: str) -> str:
    """What step ``i`` of a run shows; it crosses out what the one before it has left, and it has not."""
    if shows != "crossed out":
        return " ".join(sorted(steps[i][shows]))
    before = steps[i - 1]["left"] if i else ADMG(FIGURE1)
    return " ".join(sorted(set(before) - set(steps[i]["left"])))


def length_of_stage(claim: Claim, results: Results, *, stage: Literal[1, 2]) -> Judgement:
    """A stage intervenes on no more variables than it should, with the published probability.

    Stage 1 on as many as it takes to halve n down to none (E41); stage 2 on (1 + d) log2 n, which is Lemma 1's T_1
    without do() and KB log2 n for stage 1 (proof of Lemma 1).
    """
    names = (f"rounds_stage_{stage}", "rounds_observing", "bound")
    taken, once, bound = (replace(claim, metric=name).values(results) for name in names)
    (label,) = results.policies(claim.experiment, **claim.policy)
    nodes, states = (int(str(results.settings(claim.experiment, label)[name])) for name in ("nodes", "states"))
    test = once * states
    allowed = test * nodes.bit_length() if stage == 1 else bound - once - test * log2(nodes)
    return judge_rate((taken <= allowed).to_numpy(), claim.number)


def regret_bound(claim: Claim, results: Results) -> Judgement:
    """R_T <= T_1 + sqrt(KT log T) with the published probability (proof of Theorem 1)."""
    regret, bound = (replace(claim, metric=name).values(results) for name in (claim.metric, "bound"))
    label, *_ = results.policies(claim.experiment, **claim.policy)  # K is the same for all
    states, horizon = int(str(results.settings(claim.experiment, label)["states"])), results.horizon(claim.experiment)
    return judge_rate((regret <= bound + sqrt(states * horizon * log(horizon))).to_numpy(), claim.number)


def minimax(claim: Claim, results: Results) -> Judgement:
    """The mean regret over the instances of a lower bound's proof is at least sqrt(nKT) / 8."""
    (label,) = results.policies(claim.experiment, **claim.policy)
    settings = results.settings(claim.experiment, label)
    bound = theory.minimax(int(str(settings["nodes"])), int(str(settings["states"])), results.horizon(claim.experiment))
    values = claim.values(results, "draw").to_numpy()
    return judge_above(values, np.full(len(values), bound))


def lower_bound(
    claim: Claim, results: Results, *, nodes: Count, states: Count, horizon: Count, explored: Probability
) -> Judgement:
    """Eq. 4 for a policy whose regret is known exactly: at least sqrt(nKT) / 8 on one of the instances (E45).

    The policy is told the essential graph, as the paper's own are. Of policies that see rewards alone, none of which
    speaks for all, Eq. 4 is a theorem of others.
    """
    ratio = theory.regret_at_the_ends(nodes, states, horizon, explored) / theory.minimax(nodes, states, horizon)
    told = judge_exact("yes", "yes" if ratio >= 1 else "no", implied_by="X_R at an end of the path in all instances")
    proven = "no run of one policy speaks for all; Lattimore and Szepesvari (2018), Exercise 15.2"
    return over_readings(
        {
            "policies told the essential graph": replace(told, replicated=f"{ratio:.3f}"),
            "policies that see rewards alone": Judgement(Outcome.OPEN, proven, Basis.EXACT, because=Because.UNTESTABLE),
        }
    )


#: The keys of `theory.SEARCHES`, as literals: claims are checked against them before any job starts.
Search = Literal[
    "more than Lemma 1",
    "ancestors in other components",
    "rewards cut off",
    "wrong children",
    "wrong cliques",
    "other clique numbers",
]


def counterexamples(
    claim: Claim,
    results: Results,
    *,
    search: Search,
    implied_by: str,
) -> Judgement:
    """How many small graphs, with X_R, are counterexamples to what the paper says of all."""
    find, most, _ = theory.SEARCHES[search]
    return judge_exact(claim.value, str(len(find(most))), implied_by=implied_by)


def comparable_star(claim: Claim, results: Results) -> Judgement:
    """Whether the star with three leaves is intersection-incomparable by Definition 10 to the letter."""
    graph = clique_graph(junction_tree(nx.Graph([("H", leaf) for leaf in "ABC"])))
    incomparable = not any(
        set(separator(clique, first)) <= set(separator(clique, second))
        for clique in graph
        for first in graph[clique]
        for second in graph[clique]
        if first != second
    )
    return judge_exact(claim.value, "yes" if incomparable else "no", implied_by="Definition 10")


JUDGES: dict[str, Judge] = {
    "step": Judge(step),
    "stage": Judge(length_of_stage, needs=("number", "policy")),
    "regret_bound": Judge(regret_bound, needs=("number", "policy")),
    "minimax": Judge(minimax, needs=("policy",)),
    "lower_bound": Judge(lower_bound),
    "counterexamples": Judge(counterexamples),
    "comparable_star": Judge(comparable_star),
}
