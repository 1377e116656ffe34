"""What lu2021's theorems say in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import exp, log2, pi, sqrt
from typing import cast

import networkx as nx
from scipy.integrate import quad
from scipy.special import ndtr

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import Clique, comparable_edges, directed_clique_tree, junction_tree
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.policies.central_nodes import ExactInterventions, find_in_tree
from causal_bandits.policies.explore_ends import plays_of_each
from replication.papers.lu2021 import printed

#: A counterexample: a graph and X_R.
Case = tuple[ADMG, str]


def minimax(nodes: float, states: int, horizon: int) -> float:
    """Theorems 4 and 5, Eq. 4: sqrt(nKT) / 8, which no policy is said to be below on all of their instances.

    None is that looks at rewards alone, as the proof has it. One that is given the essential graph, as the paper's
    learners are, is below it on all of them (`regret_at_the_ends`, E45).
    """
    return sqrt(nodes * states * horizon) / 8


def needle(nodes: float, states: int, horizon: int) -> float:
    """The reward of the one arm that has any, in the instances of Theorems 4 and 5: sqrt(nK / T) / 4."""
    return sqrt(nodes * states / horizon) / 4


def regret_at_the_ends(nodes: int, states: int, horizon: int, explored: float) -> float:
    """Exact expected regret of `policies.explore_ends.ExploreEnds` on each instance of Theorems 4 and 5.

    X_R stands at an end of the path, so that the one good arm is among the 2K of both ends. Each is played m times and
    then the best for good. Its sample mean is the largest with probability E[Phi(Z + Delta sqrt(m)) ^ (2K - 1)], Z
    standard normal; nothing else depends on chance.

    Parameters
    ----------
    nodes, states, horizon : int
        n >= 2, K and T.
    explored : float
        Share of the rounds that are explored.
    """
    arms, gap = 2 * states, needle(nodes, states, horizon)
    times = plays_of_each(horizon, arms, explored)
    shift = gap * sqrt(times)
    best, _ = quad(lambda z: exp(-(z**2) / 2) / sqrt(2 * pi) * ndtr(z + shift) ** (arms - 1), -10, 10)
    return gap * ((arms - 1) * times + (horizon - arms * times) * (1 - best))


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


def more_than_lemma_1(most: int) -> list[Case]:
    """Trees and X_R on which stages 1 and 2, with exact answers, take more interventions than Lemma 1 says (E41)."""
    found = []
    for tree in small_trees(most):
        graph = nx.Graph(sorted(tree.directed))
        bound = lemma_1(len(tree), max(degree for _, degree in graph.degree))
        for reward in tree:
            do = ExactInterventions(tree, [reward])
            find_in_tree(graph, do, [])
            if len(do.asked) > bound:
                found.append((tree, reward))
    return found


def small_dags(most: int) -> Iterator[ADMG]:
    """Every DAG with at most ``most`` nodes in which they stand in causal order by name."""
    for n in range(1, most + 1):
        names = [f"X{i + 1}" for i in range(n)]
        pairs = list(combinations(names, 2))
        for chosen in product((False, True), repeat=len(pairs)):
            yield ADMG([pair for pair, is_edge in zip(pairs, chosen, strict=True) if is_edge], nodes=names)


def small_forests(most: int) -> Iterator[tuple[ADMG, list[nx.Graph[str]]]]:
    """The causal forests among `small_dags`, with their chain components."""
    for dag in small_dags(most):
        components = chain_components(essential_graph(dag))
        if all(component.number_of_edges() == len(component) - 1 for component in components):
            yield dag, components


def ancestors_in_other_components(most: int) -> list[Case]:
    """Causal forests and X_R in which a chain component has an ancestor of X_R, but not X_R (E44).

    Algorithm 5 ends there if it comes to that component first: stage 1 finds a subtree, which is not empty.
    """
    found = []
    for dag, components in small_forests(most):
        for reward in dag:
            others = set().union(*(component for component in components if reward not in component))
            if others & dag.ancestors(reward):
                found.append((dag, reward))
    return found


def other_clique_numbers(most: int) -> list[Case]:
    """Causal forests and X_R whose chain component has a clique number other than 2 (E47)."""
    return [
        (dag, reward)
        for dag, components in small_forests(most)
        for component in components
        if max(map(len, junction_tree(component))) != 2
        for reward in sorted(component)
    ]


def _moral(most: int, *, comparable: bool = False) -> Iterator[tuple[ADMG, nx.Graph[Clique]]]:
    """DAGs whose essential graph is one chain component, with or without comparable edges, and their junction trees."""
    for dag in small_dags(most):
        graph = essential_graph(dag)
        components = chain_components(graph)
        if not graph.directed and len(components) == 1:
            tree = junction_tree(components[0])
            if (comparable_edges(tree) is not None) == comparable:
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


def wrong_cliques(most: int) -> list[Case]:
    """Moral DAGs with intersection-comparable edges, and X_R, for which Algorithm 2 gives a clique without X_R (E46).

    Algorithms 7 and 8 are run as printed, with exact answers (and L100, without which they need not end), from every
    clique that Algorithm 6 may begin with. Runs that do not end are not counted.
    """
    return [
        (dag, reward)
        for dag, tree in _moral(most, comparable=True)
        for reward in dag
        if any(_is_wrong(dag, tree, reward, first) for first in tree)
    ]


def _is_wrong(dag: ADMG, tree: nx.Graph[Clique], reward: str, first: Clique) -> bool:
    graph = nx.Graph(sorted(dag.directed))
    try:
        found = printed.algorithm_2(graph, ExactInterventions(dag, [reward]), first, junction=tree)
    except printed.NeverEndsError:
        return False
    return found is not None and reward not in found


def _below(dag: ADMG, tree: nx.Graph[Clique], clique: Clique, other: Clique) -> bool:
    """Whether the edge between two cliques has a head at ``other`` (Definition 8)."""
    kind = directed_clique_tree(dag, tree)[min(clique, other), max(clique, other)]
    return kind in ("both", "forward" if clique < other else "backward")


def _beyond(tree: nx.Graph[Clique], clique: Clique, other: Clique) -> set[Clique]:
    """The cliques of the branch of ``other`` at ``clique``."""
    cut = tree.copy()
    cut.remove_edge(clique, other)
    return set(nx.node_connected_component(cut, other))


#: Searches for counterexamples: what finds them, the number of nodes up to which all graphs are searched, and the entry
#: of the ledger.
SEARCHES: dict[str, tuple[Callable[[int], list[Case]], int, str]] = {
    "more than Lemma 1": (more_than_lemma_1, 7, "E41"),
    "ancestors in other components": (ancestors_in_other_components, 4, "E44"),
    "rewards cut off": (rewards_cut_off, 4, "E42"),
    "wrong children": (wrong_children, 4, "E43"),
    "wrong cliques": (wrong_cliques, 5, "E46"),
    "other clique numbers": (other_clique_numbers, 4, "E47"),
}
