"""The expressions from which the reward of every possibly-optimal arm can be estimated.

Source: Lee & Bareinboim (2019), Algorithm 3, lines 2 to 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.identification.c_factors import NotIdentifiable
from causal_bandits.identification.expression import Expression, Probability, values_of
from causal_bandits.identification.z2id import z2id


def reward_expressions(
    graph: ADMG, reward: str, non_manipulable: Iterable[str] = ()
) -> dict[frozenset[str], tuple[Expression, ...]]:
    """All expressions for the reward of each possibly-optimal intervention set.

    Parameters
    ----------
    graph : ADMG
    reward : str
    non_manipulable : iterable of str
        N: observed, never intervened on. Identification runs on the full graph.

    Returns
    -------
    dict from intervention set X to expressions
        Ordered by size and name. First the trivial one, P_x(y), then what `z2id` returns for every collection
        of other possibly-optimal sets, smaller collections first, each expression once. Values that are free
        beside x and y may be any: each makes an estimator of its own.
    """
    sets = sorted(possibly_optimal_intervention_sets(graph, reward, non_manipulable), key=lambda s: (len(s), sorted(s)))
    found: dict[frozenset[str], tuple[Expression, ...]] = {}
    for x in sets:
        expressions: dict[Expression, None] = {Probability(values_of([reward]), do=values_of(x)): None}
        others = [z for z in sets if z != x]
        for collection in chain.from_iterable(combinations(others, k) for k in range(1, len(others) + 1)):
            try:
                expressions[z2id(graph, reward, x, collection)] = None
            except NotIdentifiable:
                continue
        found[x] = tuple(expressions)
    return found
