"""What arms set on networks and random diagrams, by what a learner is told (ledger L246, L247, L272)."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.problems.construction.arena.beliefs import check_told
from causal_bandits.problems.construction.arena.diagrams import one_at_most

#: What a learner may be told: that one variable at most may be set; the diagram and what cannot be set; nothing; or
#: that every arm sets all variables that can be set.
TOLD = ("single", "diagram", "nothing", "all_set")


def told_sets(told: str, graph: ADMG, reward: str, fixed: Collection[str] = ()) -> Collection[frozenset[str]]:
    """List the sets of variables that arms set.

    Parameters
    ----------
    told : str
        ``single``: the sets of one variable at most; ``diagram``: the possibly optimal sets; ``nothing``: all sets;
        ``all_set``: only the largest one.
    graph : ADMG
    reward : str
    fixed : collection of str
        Variables that no arm sets.

    Raises
    ------
    ValueError
        If what is told is unknown.
    """
    check_told(told, TOLD)
    if told == "diagram":
        return possibly_optimal_intervention_sets(graph, reward, frozenset(fixed))
    free = [v for v in graph.nodes if v not in {reward, *fixed}]
    if told == "single":
        return one_at_most(free)
    sizes = range(len(free) + 1) if told == "nothing" else [len(free)]
    return [frozenset(chosen) for size in sizes for chosen in combinations(free, size)]
