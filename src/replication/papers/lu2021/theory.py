"""Compute the bounds of lu2021's theorems, and search all small graphs for counterexamples to its statements.

Definition 10 has two readings (E40). To the letter, two edges between cliques are intersection-comparable if one
separator is a subset of the other; with ``strictly``, it must be a proper subset. What a search finds among "graphs
that Theorem 3 covers" depends on this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, product
from math import exp, log2, pi, sqrt
from typing import NamedTuple, cast

import networkx as nx

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import Clique, clique_graph, directed_clique_tree, junction_tree, separator
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.policies.single_node.explore_ends import plays_of_each
from causal_bandits.policies.single_node.helpers.central_cliques import find_in_component
from causal_bandits.policies.single_node.helpers.central_nodes import ExactInterventions, find_in_tree
from replication.papers.lu2021.policies import ONE, NeverEndsError, algorithm_2, central_node, normalised


def minimax(nodes: float, states: int, horizon: int) -> float:
    """Compute Eq. 4, sqrt(nKT) / 8: allegedly, no policy has less regret on all instances of the proofs.

    This is true of policies that see only rewards, as in the proof. A policy that is given the essential graph, like
    the paper's learners, can have less regret on all of them (`regret_at_the_ends`, E45).
    """
    return sqrt(nodes * states * horizon) / 8


def needle(nodes: float, states: int, horizon: int) -> float:
    """Compute the mean reward, sqrt(nK / T) / 4, of the only arm with a reward in each instance.

    The instances are those of Theorems 4 and 5.
    """
    return sqrt(nodes * states / horizon) / 4


def regret_at_the_ends(nodes: int, states: int, horizon: int, explored: float) -> float:
    """Compute the exact expected regret of `ExploreEnds` on instances of Theorems 4 and 5.

    The policy is `causal_bandits.policies.ExploreEnds`. X_R is at an end of the path, so the one good arm is among the
    2K arms of both ends. Each of these is played m times, and then the best for the rest of the run. The good arm has
    the largest sample mean with probability E[Phi(Z + Delta sqrt(m)) ^ (2K - 1)], with Z standard normal; nothing else
    is random.

    Parameters
    ----------
    nodes, states, horizon : int
        n >= 2, K and T.
    explored : float
        Share of the rounds spent exploring.
    """
    from scipy.integrate import quad  # loads slowly, and one table needs it
    from scipy.special import ndtr

    arms, gap = 2 * states, needle(nodes, states, horizon)
    times = plays_of_each(horizon, arms, explored)
    shift = gap * sqrt(times)
    best, _ = quad(lambda z: exp(-(z**2) / 2) / sqrt(2 * pi) * ndtr(z + shift) ** (arms - 1), -10, 10)
    return gap * ((arms - 1) * times + (horizon - arms * times) * (1 - best))


def lemma_1(nodes: int, degree: int) -> float:
    """Bound the number of variables that stages 1 and 2 intervene on, by Lemma 1: (2 + d) log2 n."""
    return (2 + degree) * log2(nodes)


def theorem_3(nodes: int, clique: int, degree: int) -> float:
    """Bound the number of variables that stages 1 and 2 intervene on in one chain component, by Theorem 3.

    Parameters
    ----------
    nodes : int
        n.
    clique, degree : int
        omega(G), and d(T_G), the degree of the junction tree.
    """
    return log2(nodes) * (2 + degree) * clique


#: A counterexample: a graph and X_R, which is empty if the statement is about graphs alone.
Case = tuple[ADMG, str]


# ---------------------------------------------------------------------- graphs


def small_trees(most: int) -> Iterator[ADMG]:
    """Yield every shape of a directed tree with 2 to ``most`` nodes, from every root."""
    for n in range(2, most + 1):
        for tree in cast(Iterator["nx.Graph[int]"], nx.nonisomorphic_trees(n)):
            for root in range(n):
                yield ADMG([(f"X{a + 1}", f"X{b + 1}") for a, b in nx.bfs_edges(tree, root)])


def small_dags(most: int) -> Iterator[ADMG]:
    """Yield every DAG with at most ``most`` nodes whose causal order is that of their names."""
    for n in range(1, most + 1):
        names = [f"X{i + 1}" for i in range(n)]
        pairs = list(combinations(names, 2))
        for chosen in product((False, True), repeat=len(pairs)):
            yield ADMG([pair for pair, is_edge in zip(pairs, chosen, strict=True) if is_edge], nodes=names)


def small_forests(most: int) -> Iterator[tuple[ADMG, list[nx.Graph[str]]]]:
    """Yield the causal forests among `small_dags`, with their chain components."""
    for dag in small_dags(most):
        components = chain_components(essential_graph(dag))
        if all(component.number_of_edges() == len(component) - 1 for component in components):
            yield dag, components


@cache
def moral_dags(most: int) -> tuple[ADMG, ...]:
    """List the `small_dags` whose essential graph is one chain component."""
    found = []
    for dag in small_dags(most):
        graph = essential_graph(dag)
        if not graph.directed and len(chain_components(graph)) == 1:
            found.append(dag)
    return tuple(found)


def small_chordal_graphs(most: int) -> Iterator[nx.Graph[str]]:
    """Yield every connected chordal graph with 2 to ``most`` named nodes."""
    for n in range(2, most + 1):
        names = [f"X{i + 1}" for i in range(n)]
        pairs = list(combinations(names, 2))
        for chosen in product((False, True), repeat=len(pairs)):
            graph: nx.Graph[str] = nx.Graph()
            graph.add_nodes_from(names)
            graph.add_edges_from(pair for pair, is_edge in zip(pairs, chosen, strict=True) if is_edge)
            if nx.is_connected(graph) and nx.is_chordal(graph):
                yield graph


def skeleton(dag: ADMG) -> nx.Graph[str]:
    """Drop the arrowheads of a DAG."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(dag.nodes)
    graph.add_edges_from(sorted(dag.directed))
    return graph


# ---------------------------------------------------------------------- Definition 10


def is_comparable(tree: nx.Graph[Clique], *, strictly: bool) -> bool:
    """Return whether any two adjacent edges of the clique graph are intersection-comparable (Definition 10).

    Parameters
    ----------
    tree : networkx.Graph
        A junction tree; the clique graph is the union of all junction trees.
    strictly : bool
        Whether equal separators are excluded.
    """
    graph = clique_graph(tree)
    for clique in graph:
        for first, second in combinations(graph[clique], 2):
            a, b = set(separator(clique, first)), set(separator(clique, second))
            if (a < b or b < a) if strictly else (a <= b or b <= a):
                return True
    return False


def junction_trees(tree: nx.Graph[Clique]) -> Iterator[nx.Graph[Clique]]:
    """Yield all junction trees of a small connected graph, given one.

    They are the spanning trees of the clique graph with the weight of the given one.
    """
    edges = sorted(tuple(sorted(edge)) for edge in clique_graph(tree).edges)
    weight = sum(len(separator(a, b)) for a, b in tree.edges)
    for chosen in combinations(edges, len(tree) - 1):
        if sum(len(separator(a, b)) for a, b in chosen) == weight:
            other: nx.Graph[Clique] = nx.Graph()
            other.add_nodes_from(sorted(tree))
            other.add_edges_from((a, b) for a, b in chosen)
            if nx.is_connected(other):
                yield other


@cache
def covered(most: int, *, strictly: bool, comparable: bool = False) -> tuple[ADMG, ...]:
    """List the `moral_dags` that Theorem 3 covers or, with ``comparable``, those that it does not."""
    return tuple(
        dag for dag in moral_dags(most) if is_comparable(junction_tree(skeleton(dag)), strictly=strictly) == comparable
    )


def with_junction_trees(dags: tuple[ADMG, ...]) -> Iterator[tuple[ADMG, nx.Graph[Clique]]]:
    """Yield each moral DAG with each of its junction trees."""
    for dag in dags:
        for tree in junction_trees(junction_tree(skeleton(dag))):
            yield dag, tree


# ---------------------------------------------------------------------- searches


def more_than_lemma_1(most: int) -> list[Case]:
    """Find the pairs of a tree and X_R on which stages 1 and 2 need more interventions than Lemma 1 allows (E41)."""
    found = []
    for tree in small_trees(most):
        graph = skeleton(tree)
        bound = lemma_1(len(tree), max(degree for _, degree in graph.degree))
        for reward in tree:
            do = ExactInterventions(tree, [reward])
            find_in_tree(graph, do, [])
            if len(do.asked) > bound:
                found.append((tree, reward))
    return found


def ancestors_in_other_components(most: int) -> list[Case]:
    """Find the pairs of a causal forest and X_R in which X_R has an ancestor in a different chain component (E44).

    Algorithm 5 ends there if it tries that component first, because stage 1 finds a subtree that is not empty.
    """
    found = []
    for dag, components in small_forests(most):
        for reward in dag:
            others = set().union(*(component for component in components if reward not in component))
            if others & dag.ancestors(reward):
                found.append((dag, reward))
    return found


def other_clique_numbers(most: int) -> list[Case]:
    """Find the pairs of a causal forest and X_R in which X_R's chain component has a clique number other than 2."""
    return [
        (dag, reward)
        for dag, components in small_forests(most)
        for component in components
        if max(map(len, junction_tree(component))) != 2
        for reward in sorted(component)
    ]


def bipartite_but_no_forest(most: int) -> list[Case]:
    """Find DAGs with a bipartite skeleton that are not causal forests."""
    forests = {dag for dag, _ in small_forests(most)}
    return [(dag, "") for dag in small_dags(most) if nx.is_bipartite(skeleton(dag)) and dag not in forests]


def not_uniquely_representable(most: int, *, strictly: bool) -> list[Case]:
    """Find graphs that are intersection-incomparable or have a unique junction tree, but not both.

    All graphs searched are connected and chordal.
    """
    found = []
    for graph in small_chordal_graphs(most):
        tree = junction_tree(graph)
        unique = clique_graph(tree).number_of_edges() == tree.number_of_edges()
        if unique == is_comparable(tree, strictly=strictly):
            found.append((ADMG(sorted((min(e), max(e)) for e in graph.edges), nodes=sorted(graph)), ""))
    return found


def v_structures_over_cliques(most: int, *, strictly: bool) -> list[Case]:
    """Find DAGs that Theorem 3 covers and that have a v-structure over cliques (E40).

    That is, two edges of a junction tree have their heads at the same clique.
    """
    found: dict[ADMG, Case] = {}
    for dag, tree in with_junction_trees(covered(most, strictly=strictly)):
        if any(sum(not _is_upstream(dag, tree, clique, y) for y in tree[clique]) > 1 for clique in tree):
            found[dag] = (dag, "")
    return list(found.values())


def _is_upstream(dag: ADMG, tree: nx.Graph[Clique], clique: Clique, other: Clique) -> bool:
    """Return whether the edge between two cliques has no head at ``clique``."""
    return not _below(dag, tree, other, clique)


def rewards_cut_off(most: int, *, strictly: bool) -> list[Case]:
    """Find the pairs of a DAG that Theorem 3 covers and X_R for which line 17 of Algorithm 7 loses X_R (E42).

    A clique has an ancestor of X_R, but X_R is beyond a neighbour upstream of the clique, and is cut off with that
    neighbour.
    """
    return [
        (dag, reward)
        for dag in covered(most, strictly=strictly)
        for tree in [junction_tree(skeleton(dag))]
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


def wrong_children(most: int, *, strictly: bool) -> list[Case]:
    """Find the pairs of a DAG that Theorem 3 covers and X_R for which line 17 of Algorithm 8 chooses a wrong child.

    See E43. A clique has an ancestor of X_R, and so has one below it, but X_R is not beyond the lower one.
    """
    return [
        (dag, reward)
        for dag in covered(most, strictly=strictly)
        for tree in [junction_tree(skeleton(dag))]
        for reward in dag
        if any(
            dag.ancestors(reward) & set(clique) & set(other)
            and _below(dag, tree, clique, other)
            and not any(reward in beyond for beyond in _beyond(tree, clique, other))
            for clique in tree
            for other in tree[clique]
        )
    ]


def wrong_cliques(most: int, *, strictly: bool, comparable: bool = True) -> list[Case]:
    """Find the pairs of a moral DAG and X_R for which Algorithm 2 as printed gives a clique without X_R.

    Algorithms 7 and 8 are run with exact answers (and repair L100, without which they need not end), on every junction
    tree, from every clique with which Algorithm 6 may begin. Runs that do not end are not counted.

    Parameters
    ----------
    most : int
    strictly : bool
        See `is_comparable`.
    comparable : bool
        Whether to search the DAGs that Theorem 3 does not cover (E46), or those that it does (E42, E43).
    """
    found: dict[Case, None] = {}
    for dag, tree in with_junction_trees(covered(most, strictly=strictly, comparable=comparable)):
        for reward in dag:
            if (dag, reward) not in found and any(is_wrong(dag, tree, reward, first) for first in tree):
                found[dag, reward] = None
    return list(found)


def is_wrong(dag: ADMG, tree: nx.Graph[Clique], reward: str, first: Clique) -> bool:
    """Return whether Algorithm 2 as printed ends with a clique without X_R."""
    try:
        found = algorithm_2(skeleton(dag), ExactInterventions(dag, [reward]), first, junction=tree)
    except NeverEndsError:
        return False
    return found is not None and reward not in found


def rounds_that_do_not_halve(most: int, *, strictly: bool) -> list[Case]:
    """Find the pairs of a DAG that Theorem 3 covers and X_R on which a round does not halve the cliques.

    In the first round of Algorithm 7, the central clique rules out fewer than half of them, contrary to Section 5.2.
    Every junction tree is tried, and every clique with which Algorithm 6 may begin. Only central cliques without an
    ancestor of X_R count, since stage 1 ends at one that has an ancestor.
    """
    found: dict[Case, None] = {}
    for dag, tree in with_junction_trees(covered(most, strictly=strictly)):
        weights = normalised(dict.fromkeys(tree, ONE))
        for first in tree:
            centre = central_node(tree, weights, first, strictly=True)
            left = sum(
                len(_beyond(tree, centre, other)) for other in tree[centre] if not _below(dag, tree, centre, other)
            )
            if 2 * left > len(tree):
                found |= {(dag, reward): None for reward in dag if not dag.ancestors(reward) & set(centre)}
    return list(found)


def _below(dag: ADMG, tree: nx.Graph[Clique], clique: Clique, other: Clique) -> bool:
    """Return whether the edge between two cliques has a head at ``other`` (Definition 8)."""
    kind = directed_clique_tree(dag, tree)[min(clique, other), max(clique, other)]
    return kind in ("both", "forward" if clique < other else "backward")


def _beyond(tree: nx.Graph[Clique], clique: Clique, other: Clique) -> set[Clique]:
    """Return the cliques in the branch of ``other`` at ``clique``."""
    cut = tree.copy()
    cut.remove_edge(clique, other)
    return set(nx.node_connected_component(cut, other))


def interventions_on_a_star(nodes: int) -> float:
    """Compute how many variables Algorithm 2, repaired, intervenes on in stages 1 and 2 on a star.

    Answers are exact. The centre is the cause of all leaves; the result is the mean over all leaves in the role of X_R.
    An intervention on one leaf says nothing about the others, so every order needs at least half of them on average.

    Parameters
    ----------
    nodes : int
        At least 3, including the centre.
    """
    names = [f"X{i:0{len(str(nodes))}}" for i in range(1, nodes + 1)]
    dag = ADMG([(names[0], leaf) for leaf in names[1:]])
    graph, asked = skeleton(dag), 0
    for reward in names[1:]:
        do = ExactInterventions(dag, [reward])
        find_in_component(graph, do, [])
        asked += len(do.asked)
    return asked / (nodes - 1)


class Search(NamedTuple):
    """A search for counterexamples.

    Attributes
    ----------
    find : callable
        Takes the largest number of nodes of the graphs searched and, if ``read``, the keyword ``strictly``.
    most : int
        The largest number of nodes.
    entry : str
        The ledger's entry.
    read : bool
        Whether the search depends on how Definition 10 is read.
    """

    find: Callable[..., list[Case]]
    most: int
    entry: str
    read: bool = False

    def cases(self, *, strictly: bool) -> list[Case]:
        """List the counterexamples under a reading of Definition 10."""
        return list(_searched(self.find, self.most, strictly if self.read else None))


@cache  # several claims and a table use each search
def _searched(find: Callable[..., list[Case]], most: int, strictly: bool | None) -> tuple[Case, ...]:
    return tuple(find(most) if strictly is None else find(most, strictly=strictly))


def _wrong_cliques_where_covered(most: int, *, strictly: bool) -> list[Case]:
    return wrong_cliques(most, strictly=strictly, comparable=False)


SEARCHES: dict[str, Search] = {
    "more than Lemma 1": Search(more_than_lemma_1, 8, "E41"),
    "ancestors in other components": Search(ancestors_in_other_components, 4, "E44"),
    "bipartite but no forest": Search(bipartite_but_no_forest, 5, "L119"),
    "not uniquely representable": Search(not_uniquely_representable, 5, "E40", read=True),
    "v-structures over cliques": Search(v_structures_over_cliques, 5, "E40", read=True),
    "rounds that do not halve": Search(rounds_that_do_not_halve, 5, "E40", read=True),
    "rewards cut off": Search(rewards_cut_off, 4, "E42", read=True),
    "wrong children": Search(wrong_children, 4, "E43", read=True),
    "wrong cliques where Theorem 3 holds": Search(_wrong_cliques_where_covered, 5, "E42", read=True),
    "wrong cliques": Search(wrong_cliques, 5, "E46", read=True),
    "other clique numbers": Search(other_clique_numbers, 4, "E47"),
}
