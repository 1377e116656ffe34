"""PC and GES from pgmpy, extended to respect tiers and known edges.

This module imports pgmpy, which takes several seconds.

Sources: Spirtes, Glymour & Scheines (2001) (PC); Meek (1995) (PC with background knowledge); Chickering (2002) (GES);
Larsen, Ekstrøm & Petersen (2025), "Score-based causal discovery with temporal background information" (GES with tiers).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

try:
    from pgmpy.base import PDAG
    from pgmpy.causal_discovery import GES, PC, ExpertKnowledge
    from pgmpy.structure_score import BaseStructureScore
except ModuleNotFoundError as error:
    if error.name != "pgmpy":
        raise
    raise ModuleNotFoundError(
        "causal_bandits.discovery.learn needs pgmpy, which the extra 'discovery' of the wheel or checkout installs: "
        "pip install 'pgmpy>=1.1'",
        name=error.name,
    ) from None

from causal_bandits.graphs.admg import Edge
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph, completed

#: The tier of each variable. No edge leads from a tier into a lower one.
Tiers = Mapping[str, int]


class TieredPC(PC):  # type: ignore[misc]
    """PC whose separating sets may contain every variable that is not in a later tier than both ends of the edge.

    pgmpy draws separating sets only from tiers up to that of the earlier variable. Then a mediator in the second tier
    never separates a cause in the first tier from an effect in the third (L39).
    """

    #: Pairs whose edge is required: no test removes it.
    kept: Collection[frozenset[Hashable]] = ()

    def _build_skeleton(self, *data: Any, ci_test: Callable[..., bool], **options: Any) -> Any:
        def test(u: Hashable, v: Hashable, *given: Any, **more: Any) -> bool:
            return frozenset((u, v)) not in self.kept and ci_test(u, v, *given, **more)

        return super()._build_skeleton(*data, ci_test=test if self.kept else ci_test, **options)

    def _check_fit_data(self, X: pd.DataFrame) -> pd.DataFrame:
        """Skip pgmpy's slow check, which tests every value; `learn` has checked the table."""
        return X

    @staticmethod
    def _get_potential_sepsets(
        u: Hashable,
        v: Hashable,
        temporal_ordering: Mapping[Hashable, int],
        graph: nx.Graph[Hashable],
        lim_neighbors: int,
        neighbors: dict[Hashable, set[Hashable]] | None = None,
    ) -> set[tuple[Hashable, ...]]:
        if temporal_ordering:
            later = max(temporal_ordering[u], temporal_ordering[v])
            temporal_ordering = {**temporal_ordering, u: later, v: later}
        found: set[tuple[Hashable, ...]] = PC._get_potential_sepsets(
            u, v, temporal_ordering, graph, lim_neighbors, neighbors
        )
        return found


class TieredPDAG(PDAG):  # type: ignore[misc]
    """A state of `TieredGES`: a graph whose edges between tiers are directed forward.

    Meek's rules direct the edges that follow from these.
    """

    def __init__(
        self, model: PDAG | None = None, tiers: Tiers | None = None, barred: Collection[Edge] = frozenset()
    ) -> None:
        # networkx builds a view of a subgraph from an empty graph of the same class, created without arguments.
        model = PDAG() if model is None else model
        super().__init__(directed_ebunch=model.directed_edges, undirected_ebunch=model.undirected_edges)
        self.add_nodes_from(model.nodes)
        self.tiers: Tiers = {} if tiers is None else tiers
        self.barred = barred

    def has_acyclic_extension(self) -> bool:
        """Check whether some DAG extends the graph without a forbidden edge or one into a lower tier."""
        if any(self.tiers[a] > self.tiers[b] or (a, b) in self.barred for a, b in self.directed_edges):
            return False
        return bool(super().has_acyclic_extension())

    def to_cpdag(self) -> TieredPDAG:
        """Return the graph that represents the DAGs that respect the tiers and are equivalent to an extension of it."""
        graph = _tiered_class(super().to_cpdag(), self.tiers, self.barred)
        model = PDAG(directed_ebunch=graph.directed, undirected_ebunch=graph.undirected)
        model.add_nodes_from(graph.nodes)
        return TieredPDAG(model, self.tiers, self.barred)


class TieredGES(GES):  # type: ignore[misc]
    """GES over the graphs that respect tiers, which pgmpy's GES does not support.

    Every step directs the edges between tiers forward. An operator that needs an edge into a lower tier, or a barred
    edge, is invalid.
    """

    def __init__(
        self, tiers: Tiers, scoring_method: BaseStructureScore, barred: Collection[Edge] = frozenset()
    ) -> None:
        super().__init__(scoring_method=scoring_method)
        self.tiers = tiers
        self.barred = barred

    def insert(self, u: Hashable, v: Hashable, T: Iterable[Hashable], current_model: PDAG) -> TieredPDAG:
        """Apply pgmpy's insert operator and keep the tiers."""
        return TieredPDAG(super().insert(u, v, T, current_model), self.tiers, self.barred)

    def delete(self, u: Hashable, v: Hashable, H: set[Hashable], current_model: PDAG) -> TieredPDAG:
        """Apply pgmpy's delete operator and keep the tiers."""
        return TieredPDAG(super().delete(u, v, H, current_model), self.tiers, self.barred)

    def turn(self, u: Hashable, v: Hashable, C: Iterable[Hashable], current_model: PDAG) -> TieredPDAG:
        """Apply pgmpy's turn operator and keep the tiers."""
        return TieredPDAG(super().turn(u, v, C, current_model), self.tiers, self.barred)


class CountBIC(BaseStructureScore):  # type: ignore[misc]
    """The BIC of discrete variables from a table with counts, which may be fractions.

    Parents are sorted and scores are rounded, so that a score does not depend on the order of the parents. A required
    edge adds more to the score than all others can: GES inserts it first, and never removes or turns it.
    """

    _tags = {"name": "bic-counts", "supported_datatype": "discrete"}  # noqa: RUF012 (pgmpy declares it so)

    def __init__(
        self, data: pd.DataFrame, counts: NDArray[np.float64], required: Collection[Edge] = frozenset()
    ) -> None:
        self.counts = counts
        self.required = required
        super().__init__(data)
        self.codes = {v: np.unique(data[v].to_numpy(), return_inverse=True)[1] for v in data.columns}
        self.sizes = {v: int(codes.max()) + 1 for v, codes in self.codes.items()}
        # The bonus exceeds what any edge changes the log-likelihood by, plus the cost of the required edges' tables.
        self.bonus = 4 * float(counts.sum()) * np.log(max(self.sizes.values(), default=1)) + 1
        for v in sorted({effect for _, effect in required}):
            cells = np.prod([float(self.sizes[u]) for u in (v, *(a for a, b in required if b == v))])
            self.bonus += np.log(counts.sum()) * cells

    def local_score(self, variable: str, parents: Sequence[str]) -> float:
        """Return the score of ``variable`` with these ``parents``, in nats."""
        score = float(super().local_score(variable, tuple(sorted(parents))))
        return score + self.bonus * sum((u, variable) in self.required for u in parents) if self.required else score

    def _local_score(self, variable: str, parents: tuple[str, ...]) -> float:
        shape = [self.sizes[v] for v in (*parents, variable)]
        cell = np.ravel_multi_index([self.codes[v] for v in (*parents, variable)], shape)
        n = np.bincount(cell, weights=self.counts, minlength=int(np.prod(shape))).reshape(-1, shape[-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            likelihood = np.nansum(n * np.log(n / n.sum(axis=1, keepdims=True)))
        penalty = 0.5 * np.log(self.counts.sum()) * len(n) * (shape[-1] - 1)
        return round(float(likelihood - penalty), 6)


def pc(
    data: pd.DataFrame,
    tiers: Tiers,
    ci_test: str | Any,
    significance: float,
    barred: Collection[Edge] = frozenset(),
    required: Collection[Edge] = frozenset(),
) -> PartiallyDirectedGraph:
    """Run PC with tiers: pgmpy finds the skeleton and separating sets, and `oriented` directs the edges.

    ``ci_test`` is the name of one of pgmpy's tests of conditional independence, or a function. The result has none
    of the edges in ``barred`` and all of those in ``required``; the reverse of a required edge is barred.
    """
    ordered = [sorted(v for v in tiers if tiers[v] == tier) for tier in sorted(set(tiers.values()))]
    search = TieredPC(
        variant="stable",
        ci_test=ci_test,
        significance_level=significance,
        max_cond_vars=len(tiers),
        # pgmpy refuses a single tier, which would convey nothing.
        expert_knowledge=ExpertKnowledge(temporal_order=ordered) if len(ordered) > 1 else None,
        show_progress=False,
    )
    search.kept = {frozenset(edge) for edge in required}
    learner = search.fit(data)
    adjacent = [(a, b) for a, b in learner.skeleton_.edges if not {(a, b), (b, a)} <= set(barred)]
    return oriented(data.columns, adjacent, learner.separating_sets_, tiers, barred)


def ges(
    score: BaseStructureScore, data: pd.DataFrame, tiers: Tiers, barred: Collection[Edge] = frozenset()
) -> PartiallyDirectedGraph:
    """Run GES with tiers and without the edges of ``barred``, maximising a score."""
    return _tiered_class(TieredGES(tiers, score, barred).fit(data).causal_graph_, tiers, barred)


def _tiered_class(model: PDAG, tiers: Tiers, barred: Collection[Edge] = frozenset()) -> PartiallyDirectedGraph:
    """Restrict a CPDAG to the DAGs that respect the tiers: direct the edges that follow from them."""
    known = known_directions(model.undirected_edges, tiers, barred)
    return completed(model.nodes, {*model.directed_edges, *known}, model.undirected_edges)


# ---------------------------------------------------------------------- the directions of a skeleton's edges


def oriented(
    nodes: Iterable[str],
    adjacent: Iterable[Edge],
    separating_sets: Mapping[frozenset[str], Iterable[str]],
    tiers: Tiers,
    barred: Collection[Edge] = (),
) -> PartiallyDirectedGraph:
    """Direct the edges of a skeleton by tiers, then by unshielded colliders, then by Meek's rules.

    X - Z - Y with X and Y not adjacent becomes a collider if Z is not in the set that separated X and Y. If a collider
    contradicts the tiers or ``barred``, the tiers and ``barred`` win. If two colliders contradict each other, the first
    by name wins, as is usual for PC.

    Parameters
    ----------
    nodes : iterable of str
    adjacent : iterable of (str, str)
        The edges of the skeleton.
    separating_sets : mapping from frozenset of two nodes to iterable of str
        The separating set of each pair that is not adjacent. A pair that only prior knowledge separates has none,
        and says nothing about colliders.
    tiers : mapping from str to int
        No edge leads from a tier into a lower one.
    barred : collection of (str, str)
        Edges ``cause -> effect`` that are excluded. At most one direction of an edge of the skeleton is barred.
    """
    names = sorted(nodes)
    graph = PartiallyDirectedGraph(names, undirected=adjacent)
    directed = known_directions(graph.adjacent, tiers, barred)
    for x, y in combinations(names, 2):
        if graph.kind(x, y) != "none" or frozenset((x, y)) not in separating_sets:
            continue
        for z in names:
            joined = z not in (x, y) and graph.kind(x, z) != "none" and graph.kind(y, z) != "none"
            if joined and z not in separating_sets[frozenset((x, y))] and not {(z, x), (z, y)} & directed:
                directed |= {(x, z), (y, z)}
    return completed(names, directed, graph.adjacent)


def known_directions(edges: Iterable[Edge], tiers: Tiers, barred: Collection[Edge] = ()) -> set[Edge]:
    """Direct the edges that prior knowledge excludes in the opposite direction, and return them."""
    allowed = {(a, b): tiers[a] <= tiers[b] and (a, b) not in barred for e in edges for a, b in (e, e[::-1])}
    return {(a, b) for (a, b), may in allowed.items() if may and not allowed[b, a]}
