"""Find the expressions that estimate an effect: an arm's reward from samples of other arms, an effect from records.

Source of the first: Lee & Bareinboim (2019), Algorithm 3, lines 2 to 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, combinations, islice
from typing import NamedTuple

from causal_bandits.checks import check
from causal_bandits.graphs.adjustment import is_admissible, named_sets, subsets_by_size
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.identification.c_factors import NotIdentifiable
from causal_bandits.identification.conditional import identify_conditional
from causal_bandits.identification.expression import Expression, Probability, product_of, sum_over, values_of
from causal_bandits.identification.simplify import simplify
from causal_bandits.identification.z2id import TRIED, z2id

#: The maximum number of intervention sets: with this many, there are 32,768 collections of the others per set.
MOST_SETS = 16
#: How many sets are tried as covariates of an effect, smallest first: all subsets of 12 variables.
MOST_COVARIATE_SETS = 4096


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
    graph: GraphLike, *, outcome: str, non_manipulable: Iterable[str] = ()
) -> dict[frozenset[str], tuple[Expression, ...]]:
    """Find all expressions for the reward of each possibly-optimal set; see `expressions_among`.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome : str
    non_manipulable : iterable of str
        N: variables that are observed but never intervened on. Identification uses the full graph.
    """
    graph = as_admg(graph)
    return expressions_among(
        graph,
        possibly_optimal_intervention_sets(graph, outcome=outcome, non_manipulable=non_manipulable),
        outcome=outcome,
    )


def expressions_among(
    graph: GraphLike, sets: Iterable[Iterable[str]], *, outcome: str, search: Search = PRINTED
) -> dict[frozenset[str], tuple[Expression, ...]]:
    """Find all expressions for the reward of each intervention set in terms of distributions of the others.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    sets : iterable of iterables of str
        The intervention sets that are played, each for all its values.
    outcome : str
        The reward.
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
        if outcome in x:
            raise ValueError(f"intervention set {sorted(x)} contains the outcome {outcome}")
    found: dict[frozenset[str], tuple[Expression, ...]] = {}
    for x in ordered:
        expressions: dict[Expression, None] = {Probability(values_of([outcome]), do=values_of(x)): None}
        others = [z for z in ordered if z != x]
        largest = {"single": 1, "none": 0}.get(search.collections, len(others))
        enough: list[set[frozenset[str]]] = []
        for collection in chain.from_iterable(combinations(others, k) for k in range(1, largest + 1)):
            if search.collections == "minimal" and any(smaller.issubset(collection) for smaller in enough):
                continue
            try:
                expressions[z2id(graph, outcome=outcome, treatment=x, experiments=collection, tried=search.tried)] = (
                    None
                )
            except NotIdentifiable:
                continue
            enough.append(set(collection))
        found[x] = tuple(expressions)
    return found


def formula_for_records(
    graph: GraphLike,
    *,
    outcome: str,
    treatment: Iterable[str],
    given: Iterable[str] = (),
    gaps: Callable[[Expression], int],
) -> Expression:
    """Choose the formula of P(outcome | do(treatment), given) that the records can fill.

    The formula of IDC is used if it is a single term. Otherwise adjustment is preferred, because it needs fewer and
    larger cells than a product over mediators: ``sum_z P(y | x, z, c) P(z | c)`` holds if Z and C contain no effect of
    X and block every back-door path (rule 2 of the do-calculus).

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome, treatment, given
        Y, X and C, as in `identify_conditional`.
    gaps : callable
        Returns how many of the wanted values a formula leaves open because a cell has no records.

    Returns
    -------
    Expression
        The first formula without gaps: adjustment for nothing, or for a set of which no part suffices, smallest first,
        then by name; last the formula of IDC. If all have gaps, the first of those with the fewest.

    Raises
    ------
    NotIdentifiable, ValueError
        As `identify_conditional`.
    """
    graph = as_admg(graph)
    y, x, c = named_sets(graph, outcome=outcome, treatment=treatment, given=given)
    general = identify_conditional(graph, outcome=y, treatment=x, given=c)
    if isinstance(general, Probability):
        return general
    # Conditions and treatments without influence would only divide the cells (rules 1 and 3 of the do-calculus).
    for v in sorted(c):
        if graph.do(x).is_d_separated(y, v, x | c - {v}):
            c -= {v}
    x &= graph.do(x).ancestors(y)
    best, fewest = general, -1
    for z in _minimal_adjustment_sets(graph, x, y, c):
        outcomes = Probability(values_of(y), given=values_of(x | z | c))
        weights = [Probability(values_of(z), given=values_of(c))] if z else []
        formula = simplify(sum_over(values_of(z), product_of([outcomes, *weights])))
        left = gaps(formula)
        if fewest < 0 or left < fewest:
            best, fewest = formula, left
        if not left:
            return best
    return general if fewest > 0 and gaps(general) < fewest else best


def _minimal_adjustment_sets(
    graph: ADMG, x: frozenset[str], y: frozenset[str], c: frozenset[str]
) -> Iterator[frozenset[str]]:
    """Yield the sets without effects of X that adjust for confounding within C, and of which no part does.

    They consist of ancestors of X, Y and C, whose moral graph they cut. So if all of these together do not adjust, no
    set does, and one without which the others do not is in every set. `MOST_COVARIATE_SETS` of the others are tried.
    """

    def adjusts(z: frozenset[str]) -> bool:
        return is_admissible(graph, treatment=x, outcome=y, covariates=z | c)

    useful = graph.ancestors(x | y | c) - graph.descendants(x) - x - y - c
    if not adjusts(useful):
        return
    needed = frozenset(v for v in useful if not adjusts(useful - {v}))
    if adjusts(needed):
        yield needed
        return
    found: list[frozenset[str]] = []
    for optional in islice(subsets_by_size(useful - needed), MOST_COVARIATE_SETS):
        if not any(smaller <= optional for smaller in found) and adjusts(needed | optional):
            found.append(optional)
            yield needed | optional
