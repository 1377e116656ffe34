"""Admissible sequences (Pearl & Robins 1995; xiong2023, Definition 3): covariates that make a plan's effect estimable.

For X = (X_1, ..., X_k) and sets Z_1, ..., Z_k of observed variables, admissible if for every i

(1) Z_i holds no descendant of X_i, ..., X_k,
(2) Y and X_i are d-separated by X_1, ..., X_{i-1}, Z_1, ..., Z_i in the graph without the edges out of X_i and those
    into X_{i+1}, ..., X_k,

the effect is P(y | do(x)) = sum over z of P(y | x, z) prod_i P(z_i | x_1, ..., x_{i-1}, z_1, ..., z_{i-1}) (Eq. 10).
The text has lost the bars of (2); they are those of Pearl (2009, Section 4.4). The formula needs causes before effects
in X as well, which Definition 3 does not ask for (ledger E51).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import NamedTuple

from causal_bandits.graphs.admg import ADMG

Sets = tuple[frozenset[str], ...]


class AdmissibleSequence(NamedTuple):
    """The treatments in their order, causes before effects, and the covariates of each; no variable stands twice."""

    treatment: tuple[str, ...]
    covariates: Sets


def is_admissible_sequence(
    graph: ADMG, treatment: Sequence[str], outcome: str, covariates: Sequence[Iterable[str]]
) -> bool:
    """Whether ``covariates`` are an admissible sequence for ``treatment`` in this order.

    Parameters
    ----------
    graph : ADMG
        Over the observed variables; hidden causes are bidirected edges.
    treatment : sequence of str
        X_1, ..., X_k; an order in which an effect stands before its cause is not admissible.
    outcome : str
        Y.
    covariates : sequence of iterable of str
        Z_1, ..., Z_k.

    Raises
    ------
    ValueError
        If names are unknown, the numbers of treatments and sets differ, a treatment stands twice, or Y stands among
        treatments or covariates.
    """
    sets = tuple(frozenset(z) for z in covariates)
    _check(graph, treatment, outcome, sets)
    if not _is_causal_order(graph, treatment):
        return False
    return all(
        not sets[i] & graph.descendants(treatment[i:]) and _separates(graph, treatment, outcome, sets, i)
        for i in range(len(treatment))
    )


@lru_cache(maxsize=4096)  # every run of a bandit asks for the same sequences
def find_admissible_sequence(graph: ADMG, treatment: frozenset[str], outcome: str) -> AdmissibleSequence | None:
    """An admissible sequence with as few covariates as possible, or None if there is none.

    Tried for every order of the treatments with causes before effects. Whether an order has one is decided by the
    largest candidates alone (`largest_covariates`); where it has, smaller ones are sought, in the order of size and
    names, up to the number that is left once the largest are thinned out.

    Parameters
    ----------
    graph : ADMG
    treatment : frozenset of str
        The variables that are set; none gives the empty sequence.
    outcome : str
    """
    chosen = sorted(treatment)
    _check(graph, chosen, outcome, (frozenset(),) * len(chosen))
    best: AdmissibleSequence | None = None
    for order in causal_orders(graph, chosen):
        nothing = (frozenset[str](),) * len(order)
        if all(_separates(graph, order, outcome, nothing, i) for i in range(len(order))):
            return AdmissibleSequence(order, nothing)
        largest = largest_covariates(graph, order, outcome)
        if largest is None:
            continue
        small = _thinned(graph, order, outcome, largest)
        size = _size(small) if best is None else min(_size(small), _size(best.covariates) - 1)
        found = _smallest(graph, order, outcome, size)
        if found is not None:
            best = AdmissibleSequence(order, found)
    return best


def largest_covariates(graph: ADMG, treatment: Sequence[str], outcome: str) -> Sets | None:
    """The largest candidates W_1, ..., W_k of this order, if they are admissible; else the order has no sequence.

    W_i holds what (1) allows and has Y or X_i among its descendants in the graph of (2). That this decides existence,
    in time polynomial in the graph's size, is Pearl & Robins (1995), Theorem 3 (Pearl 2009, Theorem 4.4.6), checked
    here against all sequences of all small graphs; xiong2023, Section 5.1, says that there is no efficient way (E52).
    """
    sets = []
    for i, x in enumerate(treatment):
        cut = graph.do(treatment[i + 1 :]).without_edges_out_of(x)
        useful = cut.ancestors({x, outcome})
        sets.append(useful - graph.descendants(treatment[i:]) - set(treatment) - {outcome})
    disjoint = _disjoint(sets)
    return disjoint if is_admissible_sequence(graph, treatment, outcome, disjoint) else None


def of_parents(graph: ADMG, treatment: Iterable[str]) -> AdmissibleSequence:
    """Z_j = Pa(X_j) without what stands before: admissible where nothing is hidden (xiong2023, Theorem 4).

    Raises
    ------
    ValueError
        If the graph has a hidden cause.
    """
    if graph.bidirected:
        raise ValueError("the graph has hidden causes: parents need not be admissible")
    chosen = set(treatment)
    order = tuple(x for x in graph.topological_order if x in chosen)
    return AdmissibleSequence(order, _disjoint([graph.parents(x) - chosen for x in order]))


def of_adjustment_set(
    graph: ADMG, treatment: Iterable[str], outcome: str, covariates: Iterable[str]
) -> AdmissibleSequence | None:
    """An adjustment set as the sequence (Z, {}, ..., {}), or None if that is not admissible in any order.

    xiong2023, Section 5.1, calls adjustment sets a special case of admissible sequences; not all are (ledger E54).
    """
    z = frozenset(covariates)
    for order in causal_orders(graph, sorted(set(treatment))):
        sets = (z, *(frozenset[str]() for _ in order[1:])) if order else ()
        if is_admissible_sequence(graph, order, outcome, sets):
            return AdmissibleSequence(order, sets)
    return None


def causal_orders(graph: ADMG, treatment: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The orders of ``treatment`` with causes before effects, the topological one first."""
    known = [x for x in graph.topological_order if x in set(treatment)]
    return (order for order in permutations(known) if _is_causal_order(graph, order))


def _is_causal_order(graph: ADMG, order: Sequence[str]) -> bool:
    return not any(a in graph.descendants(b) for i, a in enumerate(order) for b in order[i + 1 :])


def _separates(graph: ADMG, treatment: Sequence[str], outcome: str, sets: Sets, i: int) -> bool:
    """Condition (2) for X_i."""
    given = frozenset(treatment[:i]).union(*sets[: i + 1])
    return _separated(graph, treatment[i], frozenset(treatment[i + 1 :]), outcome, given)


@lru_cache(maxsize=4096)  # a search asks for the same again and again
def _separated(graph: ADMG, x: str, later: frozenset[str], outcome: str, given: frozenset[str]) -> bool:
    return graph.do(later).without_edges_out_of(x).is_d_separated(x, outcome, given)


def _thinned(graph: ADMG, order: Sequence[str], outcome: str, sets: Sets) -> Sets:
    """Admissible sets without what can be left out one by one: a bound on how many the smallest have."""
    for i, own in enumerate(sets):
        for v in sorted(own):
            fewer = (*sets[:i], sets[i] - {v}, *sets[i + 1 :])
            if is_admissible_sequence(graph, order, outcome, fewer):
                sets = fewer
    return sets


def _smallest(graph: ADMG, order: tuple[str, ...], outcome: str, most: int) -> Sets | None:
    """The first admissible sets of at most ``most`` variables, by total size, then by how they spread, then by name."""
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
    """Each set without what stands in one before: (2) conditions on their union."""
    seen: frozenset[str] = frozenset()
    found = []
    for z in sets:
        found.append(z - seen)
        seen |= z
    return tuple(found)


def _check(graph: ADMG, treatment: Sequence[str], outcome: str, sets: Sets) -> None:
    for names in (treatment, [outcome], *sets):
        if unknown := sorted(set(names).difference(graph)):
            raise ValueError(f"not in the graph: {', '.join(unknown)} (its nodes: {', '.join(graph)})")
    if len(sets) != len(treatment) or len(set(treatment)) != len(treatment):
        raise ValueError(
            f"{len(sets)} sets for the treatments {list(treatment)}: expected one each, no treatment twice"
        )
    if outcome in treatment or any(outcome in z for z in sets):
        raise ValueError(f"the outcome {outcome!r} stands among treatments or covariates")
