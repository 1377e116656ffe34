"""What learned graphs have in common, and how far they are from a known one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph


class ParentRecovery(NamedTuple):
    """How well a learned graph finds the parents of a node.

    Attributes
    ----------
    precision : float
        Share of the learned parents that are true ones; 1 if none was learned.
    recall : float
        Share of the true parents that were learned; 1 if there is none.
    missing, extra : frozenset of str
    """

    precision: float
    recall: float
    missing: frozenset[str]
    extra: frozenset[str]


def edge_rows(graph: PartiallyDirectedGraph, learner: str, seed: int) -> list[dict[str, str | int]]:
    """One row per edge: learner, seed, source, target, kind ("directed" or "undirected")."""
    labels: dict[str, str | int] = {"learner": learner, "seed": seed}
    return [
        {**labels, "source": a, "target": b, "kind": kind}
        for kind, edges in (("directed", graph.directed), ("undirected", graph.undirected))
        for a, b in sorted(edges)
    ]


def edge_frequencies(rows: pd.DataFrame, runs: int) -> pd.DataFrame:
    """How often each edge was learned.

    Parameters
    ----------
    rows : DataFrame
        Of `edge_rows`, all seeds.
    runs : int
        Number of seeds per learner (a graph without edges leaves no row).

    Returns
    -------
    DataFrame
        learner, source, target, kind, count, frequency (count / runs), sorted by these names.

    Raises
    ------
    ValueError
        If an edge of a learner occurs more often than there are runs.
    """
    keys = ["learner", "source", "target", "kind"]
    found = rows.groupby(keys, as_index=False).agg(count=("seed", "nunique")).sort_values(keys, ignore_index=True)
    if (found["count"] > runs).any():
        raise ValueError(f"runs {runs}: an edge occurs for {found['count'].max()} seeds")
    return found.assign(frequency=found["count"] / runs)


def consensus(graphs: Iterable[PartiallyDirectedGraph], share: float = 0.5) -> PartiallyDirectedGraph:
    """The edges that at least a given share of graphs have (L40).

    A pair is adjacent if it is so in at least this share of the graphs. It is directed if at least this share of all
    graphs agree on one direction and fewer on the other, otherwise undirected. The result need not stand for a DAG.

    Parameters
    ----------
    graphs : iterable of PartiallyDirectedGraph
        Over the same nodes, at least one.
    share : float
        In (0, 1].
    """
    learned = list(graphs)
    if not learned:
        raise ValueError("no graphs")
    if not 0 < share <= 1:
        raise ValueError(f"share {share}: expected a number above 0 and at most 1")
    nodes = learned[0].nodes
    for graph in learned[1:]:
        _check_same_nodes(learned[0], graph)
    directed, undirected = [], []
    for a, b in combinations(nodes, 2):
        kinds = [graph.kind(a, b) for graph in learned]
        forward, backward = kinds.count("forward"), kinds.count("backward")
        enough = share * len(learned)
        if len(kinds) - kinds.count("none") < enough:
            continue
        if max(forward, backward) >= enough and forward != backward:
            directed.append((a, b) if forward > backward else (b, a))
        else:
            undirected.append((a, b))
    return PartiallyDirectedGraph(nodes, directed, undirected)


def parent_recovery(graph: PartiallyDirectedGraph, node: str, parents: Iterable[str]) -> ParentRecovery:
    """Compare the directed edges into ``node`` with its known ``parents``."""
    true, learned = frozenset(parents), graph.parents(node)
    unknown = sorted((true | {node}).difference(graph.nodes))
    if unknown:
        raise ValueError(f"not in the graph: {', '.join(unknown)} (its nodes: {', '.join(graph.nodes)})")
    hits = len(true & learned)
    return ParentRecovery(
        precision=hits / len(learned) if learned else 1.0,
        recall=hits / len(true) if true else 1.0,
        missing=true - learned,
        extra=learned - true,
    )


def structural_hamming_distance(first: PartiallyDirectedGraph, second: PartiallyDirectedGraph) -> int:
    """Number of pairs of nodes that the graphs join differently: not at all, one way, the other, or undirected."""
    _check_same_nodes(first, second)
    return sum(first.kind(a, b) != second.kind(a, b) for a, b in combinations(first.nodes, 2))


def _check_same_nodes(first: PartiallyDirectedGraph, second: PartiallyDirectedGraph) -> None:
    different = sorted(set(first.nodes) ^ set(second.nodes))
    if different:
        raise ValueError(f"only one of the graphs has {', '.join(different)}")
