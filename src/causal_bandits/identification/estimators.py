"""Find the expressions that estimate the reward of an arm from samples of other arms.

Source: Lee & Bareinboim (2019), Algorithm 3, lines 2 to 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations
from typing import NamedTuple

from causal_bandits.checks import check
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.identification.c_factors import NotIdentifiable
from causal_bandits.identification.expression import Expression, Probability, values_of
from causal_bandits.identification.z2id import TRIED, z2id

#: The maximum number of intervention sets: with this many, there are 32,768 collections of the others per set.
MOST_SETS = 16


#: The collections of other intervention sets that z2ID is run for (ledger L08). The paper uses all; ``minimal`` leaves
#: out those that contain another collection from which the reward is identified.
COLLECTIONS = ("all", "minimal", "single", "none")


class Search(NamedTuple):
    """The collections that z2ID is run for, and the choice that it leaves open (ledger L08).

    Attributes
    ----------
    collections : str
        One of `COLLECTIONS`. With ``none`` there are no expressions other than the trivial one.
    tried : str
        The order in which z2ID tries experiments: a key of `causal_bandits.identification.z2id.TRIED`.
    """

    collections: str = "all"
    tried: str = "maximal"


#: All collections, and line 6 as printed.
PRINTED = Search()


def reward_expressions(
    graph: GraphLike, reward: str, non_manipulable: Iterable[str] = ()
) -> dict[frozenset[str], tuple[Expression, ...]]:
    """Find all expressions for the reward of each possibly-optimal set; see `expressions_among`.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    reward : str
    non_manipulable : iterable of str
        N: variables that are observed but never intervened on. Identification uses the full graph.
    """
    graph = as_admg(graph)
    return expressions_among(
        graph, reward, possibly_optimal_intervention_sets(graph, outcome=reward, non_manipulable=non_manipulable)
    )


def expressions_among(
    graph: GraphLike, reward: str, sets: Iterable[Iterable[str]], search: Search = PRINTED
) -> dict[frozenset[str], tuple[Expression, ...]]:
    """Find all expressions for the reward of each intervention set in terms of distributions of the others.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    reward : str
    sets : iterable of iterables of str
        The intervention sets that are played, each for all its values.
    search : Search

    Returns
    -------
    dict from intervention set X to expressions
        The sets are ordered by size and name. The first expression of a set is the trivial one, P_x(y). Then come the
        expressions that `z2id` finds for collections of other sets, smaller collections first, each expression once.
        Any free value other than x and y is arbitrary; each choice gives a separate estimator.

    Raises
    ------
    ValueError
        If the search has an unknown value. If collections of any size are searched and there are more than
        `MOST_SETS` sets: there are 2^(sets - 1) collections per set.
    """
    check("collections", search.collections, COLLECTIONS)
    check("tried", search.tried, tuple(TRIED))
    graph = as_admg(graph)
    ordered = sorted({frozenset(s) for s in sets}, key=lambda s: (len(s), sorted(s)))
    if search.collections in ("all", "minimal") and len(ordered) > MOST_SETS:
        raise ValueError(
            f"{len(ordered)} intervention sets: expected at most {MOST_SETS}, as z2ID tries every collection of them; "
            "play fewer, for instance the possibly-optimal ones, or use collections='single'"
        )
    for x in ordered:
        if reward in x:
            raise ValueError(f"intervention set {sorted(x)} contains the reward {reward}")
    found: dict[frozenset[str], tuple[Expression, ...]] = {}
    for x in ordered:
        expressions: dict[Expression, None] = {Probability(values_of([reward]), do=values_of(x)): None}
        others = [z for z in ordered if z != x]
        largest = {"single": 1, "none": 0}.get(search.collections, len(others))
        enough: list[set[frozenset[str]]] = []
        for collection in chain.from_iterable(combinations(others, k) for k in range(1, largest + 1)):
            if search.collections == "minimal" and any(smaller.issubset(collection) for smaller in enough):
                continue
            try:
                expressions[z2id(graph, outcome=reward, treatment=x, experiments=collection, tried=search.tried)] = None
            except NotIdentifiable:
                continue
            enough.append(set(collection))
        found[x] = tuple(expressions)
    return found
