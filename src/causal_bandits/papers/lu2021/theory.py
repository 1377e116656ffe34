"""What lu2021's theorems say in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import log2, sqrt
from typing import cast

import networkx as nx

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import Clique, comparable_edges, directed_clique_tree, junction_tree
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.policies.central_nodes import ExactInterventions, find_in_tree


def minimax(nodes: float, states: int, horizon: int) -> float:
    """Theorems 4 and 5, Eq. 4: sqrt(nKT) / 8, which no policy's regret is below on all of their instances."""
    return sqrt(nodes * states * horizon) / 8


def lemma_1(nodes: int, degree: int) -> float:
    """How many variables stages 1 and 2 intervene on at most, by Lemma 1: (2 + d) log2 n."""
    return (2 + degree) * log2(nodes)


def small_trees(most: int) -> Iterator[ADMG]:
    """Every shape of a directed tree with 2 to ``most`` nodes, from every root."""
    for n in range(2, most + 1):
        for tree in cast(Iterator["nx.Graph[int]"], nx.nonisomorphic_trees(n)):
            for root in range(n):
                edges = [(f"X{a + 1}", f"X{b + 1}") for a, b in nx.bfs_edges(tree, root)]
                yield ADMG(edges)


def more_than_lemma_1(most: int) -> list[tuple[ADMG, str, int, float]]:
    """Trees and X_R on which stages 1 and 2, with exact answers, intervene on more variables than Lemma 1 says (E41).

    Returns
    -------
    list of (tree, X_R, variables intervened on, Lemma 1's number)
    """
    found = []
    for tree in small_trees(most):
        graph = nx.Graph(sorted(tree.directed))
        bound = lemma_1(len(tree), max(degree for _, degree in graph.degree))
        for reward in tree:
            do = ExactInterventions(tree, [reward])
            find_in_tree(graph, do, [])
            if len(do.asked) > bound:
                found.append((tree, reward, len(do.asked), bound))
    return found


def small_dags(most: int) -> Iterator[ADMG]:
    """Every DAG with at most ``most`` nodes in which they stand in causal order by name."""
    for n in range(1, most + 1):
        names = [f"X{i + 1}" for i in range(n)]
        pairs = list(combinations(names, 2))
        for chosen in product((False, True), repeat=len(pairs)):
            yield ADMG([pair for pair, is_edge in zip(pairs, chosen, strict=True) if is_edge], nodes=names)


Case = tuple[ADMG, str]


def ancestors_in_other_components(most: int) -> list[Case]:
    """Causal forests and X_R in which a chain component has an ancestor of X_R, but not X_R (E44).

    Algorithm 5 ends there if it comes to that component first: stage 1 finds a subtree, which is not empty.
    """
    found = []
    for dag in small_dags(most):
        components = chain_components(essential_graph(dag))
        if all(component.number_of_edges() == len(component) - 1 for component in components):
            for reward in dag:
                others = set().union(*(component for component in components if reward not in component))
                if others & dag.ancestors(reward):
                    found.append((dag, reward))
    return found


def _moral(most: int) -> Iterator[tuple[ADMG, nx.Graph[Clique]]]:
    """DAGs whose essential graph is one chain component without intersection-comparable edges, and junction trees."""
    for dag in small_dags(most):
        graph = essential_graph(dag)
        components = chain_components(graph)
        if not graph.directed and len(components) == 1:
            tree = junction_tree(components[0])
            if comparable_edges(tree) is None:
                yield dag, tree


def rewards_cut_off(most: int) -> list[Case]:
    """DAGs as Theorem 3 wants them, and X_R, that Algorithm 7, line 17, loses (E42).

    A clique has an ancestor of X_R, but X_R stands beyond a neighbour that is upstream of it, and is cut off with it.
    """
    return [
        (dag, reward)
        for dag, tree in _moral(most)
        for reward in dag
        if any(
            dag.ancestors(reward) & set(clique)
            and not _below(dag, tree, clique, other)
            and reward not in clique
            and any(reward in beyond for beyond in _beyond(tree, clique, other))
            for clique in tree
            for other in tree[clique]
        )
    ]


def wrong_children(most: int) -> list[Case]:
    """DAGs as Theorem 3 wants them, and X_R, for which Algorithm 8, line 17, takes a wrong child (E43).

    A clique has an ancestor of X_R, and so has one below it, but X_R does not stand beyond that one.
    """
    return [
        (dag, reward)
        for dag, tree in _moral(most)
        for reward in dag
        if any(
            dag.ancestors(reward) & set(clique) & set(other)
            and _below(dag, tree, clique, other)
            and not any(reward in beyond for beyond in _beyond(tree, clique, other))
            for clique in tree
            for other in tree[clique]
        )
    ]


def _below(dag: ADMG, tree: nx.Graph[Clique], clique: Clique, other: Clique) -> bool:
    """Whether the edge between two cliques has a head at ``other`` (Definition 8)."""
    kind = directed_clique_tree(dag, tree)[min(clique, other), max(clique, other)]
    return kind in ("both", "forward" if clique < other else "backward")


def _beyond(tree: nx.Graph[Clique], clique: Clique, other: Clique) -> set[Clique]:
    """The cliques of the branch of ``other`` at ``clique``."""
    cut = tree.copy()
    cut.remove_edge(clique, other)
    return set(nx.node_connected_component(cut, other))
