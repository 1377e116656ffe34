"""Compare learned graphs with each other and with a known one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from causal_bandits.graphs.admg import listing
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph


class ParentRecovery(NamedTuple):
    """How well a learned graph recovers the parents of a node.

    Attributes
    ----------
    precision : float
        The share of the learned parents that are true; 1 if no parent was learned.
    recall : float
        The share of the true parents that were learned; 1 if there are no true parents.
    missing, extra : frozenset of str
        The true parents that were not learned, and the learned parents that are not true.
    """

    precision: float
    recall: float
    missing: frozenset[str]
    extra: frozenset[str]


def edge_rows(graph: PartiallyDirectedGraph, learner: str, seed: int) -> list[dict[str, str | int]]:
    """List the edges as rows: learner, seed, source, target, kind ("directed" or "undirected")."""
    labels: dict[str, str | int] = {"learner": learner, "seed": seed}
    return [
        {**labels, "source": a, "target": b, "kind": kind}
        for kind, edges in (("directed", graph.directed), ("undirected", graph.undirected))
        for a, b in sorted(edges)
    ]


def edge_frequencies(rows: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Count how often each edge was learned.

    Parameters
    ----------
    rows : DataFrame
        The rows of `edge_rows` for all seeds.
    runs : int
        The number of seeds per learner. It cannot be read off the rows: a graph without edges has none.

    Returns
    -------
    DataFrame
        Columns learner, source, target, kind, count and frequency (count / runs), sorted by the first four.

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
    """Return the graph of the edges that at least a given share of the graphs have (L40).

    Two nodes are adjacent if they are adjacent in at least this share of the graphs. Their edge is directed if at least
    this share of all graphs have one direction and fewer graphs have the other; otherwise it is undirected. There need
    not be a DAG with these edges.

    Parameters
    ----------
    graphs : iterable of PartiallyDirectedGraph
        At least one graph; all have the same nodes.
    share : float
        In (0, 1].
    """
    learned = list(graphs)
    if not learned:
        raise ValueError("no graphs: expected at least one")
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
    unknown = (true | {node}).difference(graph.nodes)
    if unknown:
        raise ValueError(f"not in the graph: {listing(unknown)} (its nodes: {listing(graph.nodes)})")
    hits = len(true & learned)
    return ParentRecovery(
        precision=hits / len(learned) if learned else 1.0,
        recall=hits / len(true) if true else 1.0,
        missing=true - learned,
        extra=learned - true,
    )


def structural_hamming_distance(
    first: PartiallyDirectedGraph | GraphLike, second: PartiallyDirectedGraph | GraphLike
) -> int:
    """Count the pairs of nodes whose edge differs between two graphs: absent, a -> b, b -> a, or a - b.

    Parameters
    ----------
    first, second : PartiallyDirectedGraph, ADMG, dagitty string, or networkx.DiGraph

    Raises
    ------
    ValueError
        If only one of the graphs has a node, or a graph has a bidirected edge.
    """
    one, other = map(_partially_directed, (first, second))
    _check_same_nodes(one, other)
    return sum(one.kind(a, b) != other.kind(a, b) for a, b in combinations(one.nodes, 2))


def _partially_directed(graph: PartiallyDirectedGraph | GraphLike) -> PartiallyDirectedGraph:
    if isinstance(graph, PartiallyDirectedGraph):
        return graph
    admg = as_admg(graph)
    for a, b in sorted(admg.bidirected):
        raise ValueError(f"{a} <-> {b}: a partially directed graph has no bidirected edge")
    return PartiallyDirectedGraph(admg.nodes, admg.directed)


def _check_same_nodes(first: PartiallyDirectedGraph, second: PartiallyDirectedGraph) -> None:
    different = set(first.nodes) ^ set(second.nodes)
    if different:
        raise ValueError(f"only one of the graphs has {listing(different)}")
