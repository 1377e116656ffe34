"""Covariate adjustment under confounding and selection bias.

A *selection node* S is a node without children; S=1 marks the units that entered the data. Without selection the
criterion is the generalised back-door criterion.

Sources: Shpitser, VanderWeele & Robins (2010), "On the validity of covariate adjustment for estimating causal effects"
(huang2024, Definition 2); van der Zander, Liskiewicz & Textor (2014), "Constructing separators and adjustment sets in
ancestral graphs" (proper back-door graph); Correa, Tian & Bareinboim (2018), "Generalized adjustment under confounding
and selection biases", the criterion for adjustment pairs (huang2024, Theorem 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from causal_bandits.graphs.admg import ADMG, as_set, listing
from causal_bandits.graphs.bit_graph import ALL, BitGraph, NodeSet
from causal_bandits.graphs.exchange import GraphLike, as_admg


class AdjustmentPair(NamedTuple):
    """The covariates Z of an adjustment, and Z^T: those of them that are measured without selection bias."""

    covariates: frozenset[str]
    external: frozenset[str]


def is_admissible(
    graph: GraphLike,
    *,
    treatment: str | Iterable[str],
    outcome: str | Iterable[str],
    covariates: str | Iterable[str],
    external: str | Iterable[str] = (),
    selection: str | None = None,
) -> bool:
    """Check whether the adjustment formula holds in every model of the graph.

    With selection the formula is, for the pair (Z, Z^T) of ``covariates`` and ``external``,
    ``P(y | do(x)) = sum_z P(y | x, z, S=1) P(z without z^t | z^t, S=1) P(z^t)``; without external covariates all
    weights are ``P(z | S=1)`` (huang2024, Eq. 3). Without selection it is ``sum_z P(y | x, z) P(z)`` (Eq. 2).

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        With the selection node, if there is one.
    treatment, outcome, covariates : str or iterable of str
        X, Y and Z, disjoint; Y not empty. With an empty X the effect is P(y).
    external : str or iterable of str
        Z^T, a subset of Z.
    selection : str, optional
        S; default: the data are not selected, whatever the graph's nodes are called.

    Returns
    -------
    bool
        Whether (Correa, Tian & Bareinboim 2018)

        (a) in the graph without the edges into X, no member of Z descends from a node outside X that lies on a proper
            causal path from X to Y;
        (b) X and Y are d-separated by Z and S in the proper back-door graph;
        (c) Y and S are d-separated by Z^T in the proper back-door graph.

    Raises
    ------
    ValueError
        If a name is not in the graph, the sets overlap, Y is empty, Z^T is not a subset of Z, or S has children.
    """
    graph = as_admg(graph)
    x, y, z = named_sets(graph, treatment=treatment, outcome=outcome, covariates=covariates)
    zt = as_set(external)
    if zt - z:
        raise ValueError(f"external: {listing(zt - z)} not among the covariates {listing(z)}")
    s = check_selection(graph, selection, treatment=x, outcome=y, covariates=z)
    return _is_admissible(_query(graph, x, y), *map(graph.bits.set_of, (z, zt, s)))


def admissible_sets(
    graph: GraphLike,
    *,
    treatment: str | Iterable[str],
    outcome: str | Iterable[str],
    external: str | Iterable[str] = (),
    selection: str | None = None,
) -> Iterator[AdjustmentPair]:
    """Yield every admissible adjustment pair, smallest first.

    Parameters
    ----------
    graph, treatment, outcome, selection
        As in `is_admissible`.
    external : str or iterable of str
        The variables that are measured without selection bias; Z^T is a subset of them.

    Yields
    ------
    AdjustmentPair
        Ordered by the size of Z, then its names, then the size of Z^T, then its names. The first is
        ``next(admissible_sets(...), None)``.

    Raises
    ------
    ValueError
        As in `is_admissible`, when the first pair is requested.

    Examples
    --------
    >>> confounded = ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y"), ("X", "S")])
    >>> next(admissible_sets(confounded, treatment="X", outcome="Y", external="Z", selection="S"))
    AdjustmentPair(covariates=frozenset({'Z'}), external=frozenset({'Z'}))
    """
    graph = as_admg(graph)
    x, y = named_sets(graph, treatment=treatment, outcome=outcome)
    s = check_selection(graph, selection, treatment=x, outcome=y)
    rest = frozenset(graph.nodes) - x - y - s
    measured = as_set(external)
    named_sets(graph, treatment=x, outcome=y, external=measured)
    # Condition (a) holds for a set if and only if it holds for each of its members.
    query, set_of = _query(graph, x, y), graph.bits.set_of
    allowed, selected = rest - graph.bits.named(query.forbidden), set_of(s)
    # Condition (b) holds for some set if and only if it holds for all useful members (van der Zander et al. 2014).
    useful = query.backdoor.ancestors(query.x | query.y | selected, ALL) & set_of(allowed)
    if not query.backdoor.is_d_separated(query.x, query.y, useful | selected):
        return
    for z in subsets_by_size(allowed):
        given = set_of(z)
        for zt in subsets_by_size(z & measured):
            if _is_admissible(query, given, set_of(zt), selected):
                yield AdjustmentPair(z, zt)


def subsets_by_size(items: Iterable[str]) -> Iterator[frozenset[str]]:
    """Yield all subsets, smallest first; those of equal size are ordered by name."""
    ordered = sorted(items)
    for size in range(len(ordered) + 1):
        yield from map(frozenset, combinations(ordered, size))


def named_sets(graph: ADMG, **sets: str | Iterable[str]) -> tuple[frozenset[str], ...]:
    """Return the sets as frozensets; refuse unknown names, an empty outcome and overlaps.

    Raises
    ------
    ValueError
        If a name is not in the graph, the ``outcome`` is empty, or two sets overlap.
    """
    chosen = {role: as_set(names, role) for role, names in sets.items()}
    for role, names in chosen.items():
        unknown = names.difference(graph.nodes)
        if unknown:
            raise ValueError(f"{role}: {listing(unknown)} not in the graph (its nodes: {listing(graph)})")
        if not names and role == "outcome":
            raise ValueError(f"{role}: no variable given")
    for (role, names), (other_role, others) in combinations(chosen.items(), 2):
        if names & others:
            raise ValueError(f"{listing(names & others)}: both {role} and {other_role}")
    return tuple(chosen.values())


def check_selection(graph: ADMG, selection: str | None, **sets: frozenset[str]) -> frozenset[str]:
    """Return the selection node as a set, which is empty for None; refuse a node that cannot be a selection node.

    Raises
    ------
    ValueError
        If the graph does not have the node, the node has children, or one of ``sets`` contains it.
    """
    if selection is None:
        return frozenset()
    if selection not in graph:
        raise ValueError(f"selection: {selection} not in the graph (its nodes: {listing(graph)})")
    children = graph.children(selection)
    if children:
        raise ValueError(f"selection: {selection} has children ({listing(children)}); a selection node has none")
    for role, names in sets.items():
        if selection in names:
            raise ValueError(f"{selection}: both selection and {role}")
    return frozenset([selection])


# ---------------------------------------------------------------------- on checked sets; results are cached


class _Query(NamedTuple):
    """What the conditions need to know about a graph and the sets X and Y."""

    x: NodeSet
    y: NodeSet
    causal: NodeSet  #: the proper causal nodes
    forbidden: NodeSet  #: what condition (a) excludes from Z
    backdoor: BitGraph  #: the proper back-door graph


@lru_cache(maxsize=4096)
def _query(graph: ADMG, x: frozenset[str], y: frozenset[str]) -> _Query:
    g = graph.bits
    treated, outcome = g.set_of(x), g.set_of(y)
    # No path from X enters X again, and none leaves X on its way to Y.
    causal = g.descendants(treated, ~treated) & g.ancestors(outcome, ~treated) & ~treated
    backdoor = g.without_edges(treated, causal)
    return _Query(treated, outcome, causal, g.descendants(causal, ~treated), backdoor)


def _is_admissible(query: _Query, z: NodeSet, zt: NodeSet, s: NodeSet) -> bool:
    x, y, _, forbidden, backdoor = query
    return (
        not z & forbidden  # (a)
        and backdoor.is_d_separated(x, y, z | s)  # (b)
        and (not s or backdoor.is_d_separated(y, s, zt))  # (c)
    )
