"""Admissible sequences: sets of covariates that identify the effect of several treatments.

Sources: Pearl & Robins (1995); xiong2023, Definition 3. Let X = (X_1, ..., X_k) be the treatments. The sets Z_1, ...,
Z_k of observed variables are admissible if for every i

(1) Z_i contains no descendant of X_i, ..., X_k,
(2) Y and X_i are d-separated by X_1, ..., X_{i-1}, Z_1, ..., Z_i in the graph without the edges out of X_i and those
    into X_{i+1}, ..., X_k.

Then P(y | do(x)) = sum over z of P(y | x, z) prod_i P(z_i | x_1, ..., x_{i-1}, z_1, ..., z_{i-1}) (Eq. 10). The
converted text of the paper has lost the bars over and under the variables of (2); they are taken from Pearl (2009,
Section 4.4). The formula also requires causes before effects in X, which Definition 3 does not (ledger E51).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, as_set
from causal_bandits.graphs.bit_graph import ALL
from causal_bandits.graphs.exchange import GraphLike, as_admg

Sets = tuple[frozenset[str], ...]


class AdmissibleSequence(NamedTuple):
    """Treatments in order, causes before effects, and the covariates of each; no variable occurs twice."""

    treatment: tuple[str, ...]
    covariates: Sets


def is_admissible_sequence(
    graph: GraphLike, *, treatment: Sequence[str], outcome: str, covariates: Sequence[Iterable[str]]
) -> bool:
    """Check whether ``covariates`` are an admissible sequence for ``treatment`` in this order.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        Over the observed variables; hidden causes are bidirected edges.
    treatment : sequence of str
        X_1, ..., X_k. An order that has an effect before its cause is not admissible.
    outcome : str
        Y.
    covariates : sequence of iterable of str
        Z_1, ..., Z_k.

    Raises
    ------
    ValueError
        If a name is unknown, the numbers of treatments and sets differ, a treatment occurs twice, or Y is among the
        treatments or covariates.
    """
    graph = as_admg(graph)
    sets = tuple(frozenset(z) for z in covariates)
    _check(graph, treatment, outcome, sets)
    if not _is_causal_order(graph, treatment):
        return False
    return all(
        not sets[i] & graph.descendants(treatment[i:]) and _separates(graph, treatment, outcome, sets, i)
        for i in range(len(treatment))
    )


def find_admissible_sequence(graph: GraphLike, *, treatment: Iterable[str], outcome: str) -> AdmissibleSequence | None:
    """Find an admissible sequence with as few covariates as possible; return None if there is none.

    All orders of the treatments with causes before effects are tried. The largest candidate sets alone decide whether
    an order has an admissible sequence (`largest_covariates`). If so, smaller sets are tried in the order of their
    size and names. An upper bound on their size comes from removing covariates one by one from the largest sets.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    treatment : iterable of str
        The variables that are intervened on. The empty set gives the empty sequence.
    outcome : str
    """
    return _found(as_admg(graph), as_set(treatment), outcome)


@lru_cache(maxsize=4096)  # every run of a bandit needs the same sequences
def _found(graph: ADMG, treatment: frozenset[str], outcome: str) -> AdmissibleSequence | None:
    chosen = sorted(treatment)
    _check(graph, chosen, outcome, (frozenset(),) * len(chosen))
    best: AdmissibleSequence | None = None
    for order in causal_orders(graph, chosen):
        nothing = (frozenset[str](),) * len(order)
        if all(_separates(graph, order, outcome, nothing, i) for i in range(len(order))):
            return AdmissibleSequence(order, nothing)
        largest = largest_covariates(graph, treatment=order, outcome=outcome)
        if largest is None:
            continue
        small = _thinned(graph, order, outcome, largest)
        size = _size(small) if best is None else min(_size(small), _size(best.covariates) - 1)
        found = _smallest(graph, order, outcome, size)
        if found is not None:
            best = AdmissibleSequence(order, found)
    return best


def largest_covariates(graph: GraphLike, *, treatment: Sequence[str], outcome: str) -> Sets | None:
    """Return the largest candidate sets W_1, ..., W_k of this order, or None if the order has no sequence.

    W_i consists of the variables that (1) allows and that are ancestors of Y or X_i in the graph of (2). If these sets
    are not admissible, no sets are: Pearl & Robins (1995), Theorem 3 (Pearl 2009, Theorem 4.4.6). So existence is
    decided in polynomial time, although xiong2023, Section 5.1, states that there is no efficient way (E52). The tests
    check this against all sequences of all small graphs.
    """
    graph = as_admg(graph)
    sets = []
    for i, x in enumerate(treatment):
        # In the graph of (2), without the edges out of X_i and into the later treatments.
        g = graph.bits
        treated = g.node[x]
        cut = g.do(g.set_of(treatment[i + 1 :])).without_edges(treated, g.everything)
        useful = g.named(cut.ancestors(treated | g.node[outcome], ALL))
        sets.append(useful - graph.descendants(treatment[i:]) - set(treatment) - {outcome})
    disjoint = _disjoint(sets)
    return (
        disjoint if is_admissible_sequence(graph, treatment=treatment, outcome=outcome, covariates=disjoint) else None
    )


def of_parents(graph: GraphLike, treatment: Iterable[str]) -> AdmissibleSequence:
    """Return the treatments' parents as an admissible sequence (xiong2023, Theorem 4).

    Z_j are the parents of X_j that are neither treatments nor in an earlier set. The graph must not have hidden causes.

    Raises
    ------
    ValueError
        If the graph has hidden causes.
    """
    graph = as_admg(graph)
    if graph.bidirected:
        raise ValueError("the graph has hidden causes: the parents of the treatments need not be admissible")
    chosen = set(treatment)
    order = tuple(x for x in graph.topological_order if x in chosen)
    return AdmissibleSequence(order, _disjoint([graph.parents(x) - chosen for x in order]))


def of_adjustment_set(
    graph: GraphLike, *, treatment: Iterable[str], outcome: str, covariates: Iterable[str]
) -> AdmissibleSequence | None:
    """Return an adjustment set as the sequence (Z, {}, ..., {}), or None if no order makes it admissible.

    xiong2023, Section 5.1, calls adjustment sets a special case of admissible sequences; some are not (ledger E54).
    """
    graph = as_admg(graph)
    z = frozenset(covariates)
    for order in causal_orders(graph, sorted(set(treatment))):
        sets = (z, *(frozenset[str]() for _ in order[1:])) if order else ()
        if is_admissible_sequence(graph, treatment=order, outcome=outcome, covariates=sets):
            return AdmissibleSequence(order, sets)
    return None


def causal_orders(graph: GraphLike, treatment: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the orders of ``treatment`` with causes before effects, the topological one first."""
    graph = as_admg(graph)
    known = [x for x in graph.topological_order if x in set(treatment)]
    return (order for order in permutations(known) if _is_causal_order(graph, order))


def _is_causal_order(graph: ADMG, order: Sequence[str]) -> bool:
    return not any(a in graph.descendants(b) for i, a in enumerate(order) for b in order[i + 1 :])


def _separates(graph: ADMG, treatment: Sequence[str], outcome: str, sets: Sets, i: int) -> bool:
    """Check whether condition (2) holds for X_i."""
    given = frozenset(treatment[:i]).union(*sets[: i + 1])
    return _separated(graph, treatment[i], frozenset(treatment[i + 1 :]), outcome, given)


@lru_cache(maxsize=4096)  # a search asks the same question many times
def _separated(graph: ADMG, x: str, later: frozenset[str], outcome: str, given: frozenset[str]) -> bool:
    g = graph.bits
    treated = g.node[x]
    cut = g.do(g.set_of(later)).without_edges(treated, g.everything)
    return cut.is_d_separated(treated, g.node[outcome], g.set_of(given))


def _thinned(graph: ADMG, order: Sequence[str], outcome: str, sets: Sets) -> Sets:
    """Remove covariates one by one while the sets stay admissible; their size bounds the smallest from above."""
    for i, own in enumerate(sets):
        for v in sorted(own):
            fewer = (*sets[:i], sets[i] - {v}, *sets[i + 1 :])
            if is_admissible_sequence(graph, treatment=order, outcome=outcome, covariates=fewer):
                sets = fewer
    return sets


def _smallest(graph: ADMG, order: tuple[str, ...], outcome: str, most: int) -> Sets | None:
    """Return the first admissible sets with at most ``most`` variables in all, or None.

    Candidates are ordered by their total size, then by the sizes of the individual sets, then by name.
    """
    allowed = [sorted(set(graph) - graph.descendants(order[i:]) - set(order) - {outcome}) for i in range(len(order))]

    def extended(i: int, sets: Sets, left: tuple[int, ...]) -> Sets | None:
        if i == len(order):
            return sets
        for own in combinations([v for v in allowed[i] if not any(v in z for z in sets)], left[0]):
            found = (*sets, frozenset(own))
            if _separates(graph, order, outcome, found, i) and (whole := extended(i + 1, found, left[1:])) is not None:
                return whole
        return None

    for total in range(most + 1):
        for sizes in product(range(total + 1), repeat=len(order)):
            if sum(sizes) == total and (found := extended(0, (), sizes)) is not None:
                return found
    return None


def _size(sets: Sets) -> int:
    return sum(map(len, sets))


def _disjoint(sets: Iterable[frozenset[str]]) -> Sets:
    """Remove from each set the members of earlier sets; (2) conditions on the union anyway."""
    seen: frozenset[str] = frozenset()
    found = []
    for z in sets:
        found.append(z - seen)
        seen |= z
    return tuple(found)


def _check(graph: ADMG, treatment: Sequence[str], outcome: str, sets: Sets) -> None:
    named_sets(graph, treatment=treatment, outcome=[outcome])
    for z in sets:
        named_sets(graph, outcome=[outcome], covariates=z)
    if len(sets) != len(treatment) or len(set(treatment)) != len(treatment):
        raise ValueError(
            f"{len(sets)} sets for the treatments {list(treatment)}: expected one set for each, and no treatment twice"
        )
