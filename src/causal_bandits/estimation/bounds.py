"""BCE: bounds on causal effects from data that are confounded and selected.

Source: huang2024, Algorithms 1 (BCE) and 3 (FindRSI), Theorems 3 and 4; Algorithm 2 (RC*) is
`causal_bandits.identification.recover`.

A `BCE` computes once what depends only on the graph; `BCE.bounds` then computes bounds from tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.count_tables import Table, aligned, ratio, summed_product
from causal_bandits.graphs.adjustment import admissible_sets, check_selection, named_sets, subsets_by_size
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.identification.c_factors import ancestors_within, c_components_within
from causal_bandits.identification.expression import Expression, Quotient, product_of, sum_over, values_of
from causal_bandits.identification.recover import CFactor, NotRecoverable, c_factorisation, recover_c_factor
from causal_bandits.identification.simplify import simplify

Method: TypeAlias = Literal["conditional_substitute", "strict"]


class Substitute(NamedTuple):
    """A substitute intervention W, and the adjustment covariates for P_{x,w}(y, c); none if conditional."""

    variables: frozenset[str]
    covariates: frozenset[str] = frozenset()


# ---------------------------------------------------------------------- substitutes


def find_rsi(
    graph: GraphLike,
    *,
    treatment: Iterable[str],
    context: Iterable[str],
    outcome: str,
    selection: str = "S",
    exchangeable: bool = True,
) -> tuple[Substitute, ...]:
    """Find recoverable substitute interventions (FindRSI; huang2024, Algorithm 3).

    Parameters
    ----------
    graph : ADMG
        With the selection node.
    treatment, context : iterable of str
        X and C.
    outcome, selection : str
        Y and S.
    exchangeable : bool
        Whether to keep only those W for which ``P_x(y, c | w) = P_{x,w}(y, c)``, by rule 2 of the do-calculus: Y and C
        are d-separated from W by X once the edges into X and out of W are cut. The text before Theorem 4 requires this
        condition; Algorithm 3 and Theorem 4 as printed do not, and without it the bound of Theorem 4 is not valid
        (ledger E01).

    Returns
    -------
    tuple of Substitute
        All W, smallest first, for which some Z recovers P_{x,w}(y, c) by Theorem 1, each with the first such Z.
    """
    graph = as_admg(graph)
    x, c, y, s = _checked(graph, treatment, context, outcome, selection)
    target = c | y
    found = []
    for w in subsets_by_size(frozenset(graph.nodes) - x - target - s):  # line 5
        if exchangeable and w and not graph.do(x).without_edges_out_of(w).is_d_separated(target, w, x):
            continue
        pair = next(admissible_sets(graph, treatment=x | w, outcome=target, selection=selection), None)  # line 6
        if pair is not None:
            found.append(Substitute(w, pair.covariates))  # line 7
    return tuple(found)


def find_conditional_substitutes(
    graph: GraphLike, *, treatment: Iterable[str], context: Iterable[str], outcome: str, selection: str = "S"
) -> tuple[Substitute, ...]:
    """Find sets W with ``P(y | do(x), c, w) = P(y | x, c, w, S=1)`` (ledger L22).

    The equation holds if Y and X are d-separated by C and W once the edges out of X are cut (rule 2 of the
    do-calculus), and Y and S are d-separated by X, C and W. P(y | do(x), c) is an average of the left side over w, so
    it lies between the smallest and the largest value of the right side: Eq. 8 of huang2024, given the context.

    Parameters are as in `find_rsi`.

    Returns
    -------
    tuple of Substitute
        All such W, smallest first.
    """
    graph = as_admg(graph)
    x, c, y, s = _checked(graph, treatment, context, outcome, selection)
    no_effect = graph.without_edges_out_of(x)
    return tuple(
        Substitute(w)
        for w in subsets_by_size(frozenset(graph.nodes) - x - c - y - s)
        if no_effect.is_d_separated(y, x, c | w) and graph.is_d_separated(y, s, x | c | w)
    )


# ---------------------------------------------------------------------- the algorithm


@dataclass(frozen=True)
class BCE:
    """Bounds on P(y | do(x), c) from P(v | S=1) (huang2024, Algorithm 1).

    Parameters
    ----------
    graph : ADMG
        With the selection node.
    treatment, context : sequence of str
        X (not empty) and C (empty for the problem without contexts).
    outcome : str
        Y.
    selection : str
        S, a node without children.
    method : {"conditional_substitute", "strict"}
        The function that finds the substitutes of lines 11 to 15: `find_conditional_substitutes` or `find_rsi`.
    max_substitutes : int, optional
        The maximum number of substitutes used; default: all.

    Raises
    ------
    ValueError
        If a name is not in the graph, the sets overlap, X is empty, S has children, the method is unknown or
        ``max_substitutes`` is negative.
    """

    graph: ADMG
    _: KW_ONLY
    treatment: Sequence[str]
    context: Sequence[str]
    outcome: str
    selection: str = "S"
    method: Method = "conditional_substitute"
    max_substitutes: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", as_admg(self.graph))
        for name in ("treatment", "context"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
            if len(set(getattr(self, name))) < len(getattr(self, name)):
                raise ValueError(f"{name}: a variable is given twice: {', '.join(getattr(self, name))}")
        _checked(self.graph, self.treatment, self.context, self.outcome, self.selection)
        if self.method not in ("conditional_substitute", "strict"):
            raise ValueError(f"method: {self.method!r}, expected 'conditional_substitute' or 'strict'")
        if self.max_substitutes is not None and self.max_substitutes < 0:
            raise ValueError(f"max_substitutes: {self.max_substitutes}, expected None or a number >= 0")

    # ------------------------------------------------------------------ what follows from the graph

    @cached_property
    def c_factors(self) -> tuple[CFactor, ...]:
        """The c-factors of P_x(y, c), as RC* finds them (lines 5 to 9)."""
        return c_factorisation(
            self.graph, outcome={self.outcome, *self.context}, treatment=self.treatment, selection=self.selection
        )

    @cached_property
    def substitutes(self) -> tuple[frozenset[str], ...]:
        """The sets W that are used (lines 11 to 13), smallest first.

        Only minimal valid sets are used: on exact distributions a superset of a valid W never tightens the bound, and
        on samples it adds noise (ledger L23).
        """
        return tuple(substitute.variables for substitute in self._substitutes)

    @cached_property
    def _substitutes(self) -> tuple[Substitute, ...]:
        find = find_rsi if self.method == "strict" else find_conditional_substitutes
        minimal: list[Substitute] = []
        for substitute in find(
            self.graph,
            treatment=self.treatment,
            context=self.context,
            outcome=self.outcome,
            selection=self.selection,
        ):
            if not any(smaller.variables <= substitute.variables for smaller in minimal):
                minimal.append(substitute)
        return tuple(minimal[: self.max_substitutes])

    @cached_property
    def _factors(self) -> _OutcomeFactors | None:
        """The c-factors that P_x(y | c) depends on; None if they imply no bound."""
        return _outcome_factors(self.graph, self.c_factors, self.context, self.outcome, self.selection)

    @cached_property
    def formula(self) -> Expression | None:
        """P_x(y | c) in terms of P(v | S=1), if c-factors recover it; None if they only bound it."""
        if self._factors is None:
            return None
        known = [factor.expression for factor in self._factors.factors if factor.expression is not None]
        if len(known) < len(self._factors.factors):
            return None
        joint = sum_over(values_of(self._factors.hidden), product_of(known))
        return simplify(Quotient(joint, sum_over(values_of([self.outcome]), joint)) if self.context else joint)

    # ------------------------------------------------------------------ bounds from a table

    def bounds(self, joint: ArrayLike, variables: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Compute lower and upper bounds on P(Y=1 | do(x), c) for a binary outcome.

        Parameters
        ----------
        joint : array, one axis per variable
            P(v | S=1), or counts of the selected units.
        variables : sequence of str
            The axes: all nodes of the graph except S, in any order.

        Returns
        -------
        lower, upper : arrays, shape (states of context 1, ..., states of treatment 1, ...)
            In [0, 1]. Where the table has no unit in a cell that a formula needs, the outcome there may be anything.
            The extremes over w are vacuous, [0, 1], where a cell (x, c, w) has no unit. On samples a lower bound from
            one substitute can exceed an upper bound from another; the two are then returned in order (ledger L24).

        Raises
        ------
        ValueError
            If a variable is missing, unknown or given twice, the number of axes is wrong, a number is negative or not
            finite, or the outcome is not binary.
        """
        lower, upper = self.distribution_bounds(joint, variables)
        if lower.shape[-1] != 2:
            raise ValueError(f"outcome: {self.outcome} has {lower.shape[-1]} states; use distribution_bounds")
        return lower[..., 1], upper[..., 1]

    def distribution_bounds(self, joint: ArrayLike, variables: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Compute bounds on P(Y=y | do(x), c) for every state y, the last axis, from a table (see `bounds`)."""
        table = Table.checked(joint, variables, [v for v in self.graph.nodes if v != self.selection])
        axes = [*self.context, *self.treatment, self.outcome]
        lower, upper = np.zeros(table.shape(axes)), np.ones(table.shape(axes))
        found = [_substitute_bounds(table, self, substitute) for substitute in self._substitutes]  # lines 11 to 15
        if self._factors is not None:
            found.append(self._factors.bounds(table, axes))  # lines 5 to 10
        for low, high in found:  # lines 16 to 18
            lower = np.fmax(lower, low)  # fmax and fmin ignore NaN: without data there is no bound
            upper = np.fmin(upper, high)
        return np.minimum(lower, upper), np.maximum(lower, upper)


def _substitute_bounds(table: Table, bce: BCE, substitute: Substitute) -> tuple[FloatArray, FloatArray]:
    """Apply Theorem 4 to one W: the extremes over w of P_{x,w}(y | c), or of P(y | x, c, w, S=1).

    Under the condition of `find_rsi`, P_{x,w}(c) = P_x(c | w); divided by it, the interventional joint becomes
    P_x(y | c, w), so the extremes over w enclose P_x(y | c) whether or not P_x(c) is recoverable (ledger L20).
    """
    w, z = sorted(substitute.variables), sorted(substitute.covariates)
    kept = [*bce.context, *bce.treatment, *w]
    if z:  # sum over z of P(y, c | x, w, z, S=1) P(z | S=1)
        forced = [*bce.treatment, *w]
        weighted = table.marginal([*kept, *z, bce.outcome])
        number = {v: i for i, v in enumerate([*kept, *z, bce.outcome])}
        weight = aligned(z, table.marginal(z), number)
        given = aligned([*forced, *z], table.marginal([*forced, *z]), number)
        terms = np.where(weight == 0, 0.0, weighted * ratio(weight, given))
        numerator = terms.sum(axis=tuple(number[v] for v in z))
    else:
        numerator = table.marginal([*kept, bce.outcome])
    conditional = ratio(numerator, numerator.sum(axis=-1, keepdims=True))
    over = tuple(range(len(kept) - len(w), len(kept)))
    return conditional.min(axis=over), conditional.max(axis=over)


class _OutcomeFactors(NamedTuple):
    """The c-factors that P_x(y | c) depends on (Theorem 3, ledger L20).

    In ``P_x(y, c) / P_x(c)`` the factors that share no summed variable with the factor of Y, directly or through
    others, cancel. ``P_x(y | c)`` is the product of the remaining factors, summed over ``hidden``, divided by its own
    sum over y.
    """

    factors: tuple[CFactor, ...]
    hidden: frozenset[str]
    #: The sum over y, if the factors alone do not determine it: c-factors and the variables to sum over.
    total: tuple[tuple[Expression, ...], frozenset[str]]

    def bounds(self, table: Table, axes: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        known = [factor.expression for factor in self.factors if factor.expression is not None]
        low, high = summed_product(table, known, self.hidden, axes)  # of P_x(y, c), up to a factor
        if len(known) == len(self.factors):  # recovered: L = U where all cells have units
            exact = ratio(low, low.sum(axis=-1, keepdims=True))
            unknown = (low < high).any(axis=-1, keepdims=True)
            others_low, others_high = (
                np.stack([np.delete(end, y, axis=-1).sum(axis=-1) for y in range(end.shape[-1])], axis=-1)
                for end in (low, high)
            )
            least, most = ratio(low, low + others_high), 1.0 - ratio(others_low, others_low + high)
            return np.where(unknown, least, exact), np.where(unknown, most, exact)
        upper = ratio(high, summed_product(table, self.total[0], self.total[1], axes)[0])
        return np.zeros_like(upper), upper


def _outcome_factors(
    graph: ADMG, factors: Sequence[CFactor], context: Iterable[str], outcome: str, selection: str
) -> _OutcomeFactors | None:
    relevant = frozenset().union(*(factor.members for factor in factors))
    summed = relevant - frozenset(context)  # includes Y
    linked, reached = [], frozenset([outcome])
    while new := [f for f in factors if f not in linked and f.scope & reached]:
        linked += new
        reached |= frozenset().union(*(f.scope & summed for f in new))
    group = tuple(f for f in factors if f in linked)
    members = frozenset().union(*(f.members for f in group))
    hidden = (members & summed) - {outcome}
    if all(f.expression is None for f in group):
        return None
    if all(f.expression is not None for f in group):
        return _OutcomeFactors(group, hidden, ((), frozenset()))
    # Summed over all its members, the product Q[members] is one; over those outside C, it is a product of c-factors.
    around = ancestors_within(graph, members, members & frozenset(context))
    try:
        total = tuple(recover_c_factor(graph, part, selection) for part in c_components_within(graph, around))
    except NotRecoverable:
        return None  # no upper bound below one without P_x(c)
    return _OutcomeFactors(group, hidden, (total, around - frozenset(context)))


def _checked(
    graph: ADMG, treatment: Iterable[str], context: Iterable[str], outcome: str, selection: str
) -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    """Return X, C, Y and S as sets; raise an error that states what is wrong with them."""
    x, c, y = named_sets(graph, treatment=treatment, context=context, outcome=outcome)
    if not x:
        raise ValueError("treatment: no variable given")
    return x, c, y, check_selection(graph, selection, treatment=x, context=c, outcome=y)
