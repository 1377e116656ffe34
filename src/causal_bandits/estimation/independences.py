"""Tests on data of the independences that a causal graph implies.

Any two variables that some set separates in the graph are independent given that set in the data. A graph can imply
more than that (Verma constraints, instrumental inequalities); what is not tested here is not confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from numpy.typing import ArrayLike
from scipy.special import chdtrc, xlogy

from causal_bandits.estimation.confident_bounds import check_confidence
from causal_bandits.estimation.count_tables import Table
from causal_bandits.graphs.adjustment import check_selection, subsets_by_size
from causal_bandits.graphs.exchange import GraphLike, as_admg


class IndependenceTest(NamedTuple):
    """One independence that a graph implies, and its test on data.

    Attributes
    ----------
    x, y : str
    given : tuple of str
        A smallest set that separates them.
    statistic : float
        G, twice the logarithm of the likelihood ratio; >= 0.
    degrees : int
        Its degrees of freedom; 0 if the data allow no test.
    p_value : float
        The probability of a statistic at least as large if the independence holds; 1 without degrees of freedom.
    rejected : bool
        Whether the data contradict it, at a level such that the probability of any false rejection among all tests of
        the graph is at most the one requested (Holm 1979).
    """

    x: str
    y: str
    given: tuple[str, ...]
    statistic: float
    degrees: int
    p_value: float
    rejected: bool

    def __str__(self) -> str:
        condition = f" given {', '.join(self.given)}" if self.given else ""
        verdict = "contradicted by the data" if self.rejected else "not contradicted"
        return f"{self.x} and {self.y} are independent{condition}: {verdict} (p = {self.p_value:.2g})"


def implied_independences(
    graph: GraphLike, selection: str | None = None
) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """List each pair of variables that some set separates, with a smallest such set.

    Parameters
    ----------
    graph : ADMG
    selection : str, optional
        The selection node, on which all data are conditioned.

    Examples
    --------
    >>> implied_independences("dag { X -> M -> Y }")
    (('X', 'Y', ('M',)),)
    """
    graph = as_admg(graph)
    s = check_selection(graph, selection)
    nodes = [v for v in graph.nodes if v not in s]
    found = []
    for x, y in combinations(nodes, 2):
        if y in graph.children(x) | graph.parents(x) | graph.spouses(x):
            continue
        # If any set separates them, so do all their ancestors (and those of S), and a smallest set is among these.
        ancestors = graph.ancestors(s | {x, y}) - s - {x, y}
        if not graph.is_d_separated(x, y, ancestors | s):
            continue
        for given in subsets_by_size(ancestors):
            if graph.is_d_separated(x, y, given | s):
                found.append((x, y, tuple(sorted(given))))
                break
    return tuple(found)


def independence_tests(
    graph: GraphLike,
    counts: ArrayLike,
    variables: Sequence[str],
    selection: str | None = None,
    error: float = 0.05,
) -> tuple[IndependenceTest, ...]:
    """Test all independences that a graph implies by likelihood ratios (G-tests).

    Parameters
    ----------
    graph : ADMG
    counts : array, one axis per variable
        The numbers of independent units.
    variables : sequence of str
        The axes: all nodes of the graph except the selection node.
    selection : str, optional
        The selection node.
    error : float
        In (0, 1): the probability that any true independence is rejected, in large samples. A test can be trusted with
        about five units or more per cell.

    Returns
    -------
    tuple of IndependenceTest
        One per pair of `implied_independences`; empty if the graph implies none.

    Raises
    ------
    ValueError
        As in `BCE.bounds`; or if a number is not a count, or ``error`` is not in (0, 1).
    """
    graph = as_admg(graph)
    table = Table.checked(counts, variables, [v for v in graph.nodes if v != selection])
    check_confidence(1 - error, table)
    results = [(*pair, *_g_test(table, *pair)) for pair in implied_independences(graph, selection)]
    order = sorted(range(len(results)), key=lambda i: results[i][-1])
    rejected = [False] * len(results)
    for rank, i in enumerate(order):
        if results[i][-1] > error / (len(results) - rank):
            break
        rejected[i] = True
    return tuple(IndependenceTest(*result, is_) for result, is_ in zip(results, rejected, strict=True))


def _g_test(table: Table, x: str, y: str, given: Sequence[str]) -> tuple[float, int, float]:
    """Return the statistic, degrees of freedom and p-value; states without units in a stratum add no degrees."""
    n = table.marginal([*given, x, y])
    n = n.reshape(-1, *n.shape[-2:])
    rows, columns, total = n.sum(axis=2), n.sum(axis=1), n.sum(axis=(1, 2))
    kept = total > 0
    log_ratio = xlogy(n, n).sum() - xlogy(rows, rows).sum() - xlogy(columns, columns).sum() + xlogy(total, total).sum()
    degrees = int((((rows > 0).sum(axis=1) - 1) * ((columns > 0).sum(axis=1) - 1))[kept].sum())
    statistic = max(float(2 * log_ratio), 0.0)
    return statistic, degrees, float(chdtrc(degrees, statistic)) if degrees else 1.0
