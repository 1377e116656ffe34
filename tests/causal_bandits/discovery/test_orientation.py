from itertools import combinations

from hypothesis import given, settings
from tiered_graphs import equivalence_class, tiered_dags

from causal_bandits.discovery.orientation import oriented
from causal_bandits.graphs import PartiallyDirectedGraph


def separating_sets(graph):
    """For each pair that is not adjacent, the parents of the later node: they separate it."""
    found = {}
    for a, b in combinations(graph.topological_order, 2):
        if a not in graph.parents(b):
            found[frozenset((a, b))] = graph.parents(b)
    return found


@settings(deadline=None, max_examples=400)
@given(tiered_dags())
def test_orientation_finds_the_class(problem):
    graph, tiers = problem
    assert oriented(graph.nodes, graph.directed, separating_sets(graph), tiers) == equivalence_class(graph, tiers)


def test_conflicting_colliders_keep_the_first_by_name():
    # A - B - C - D with no separating set holding B or C: both B and C would be colliders.
    empty = {frozenset(pair): () for pair in combinations("ABCD", 2)}
    graph = oriented("ABCD", ["AB", "BC", "CD"], empty, dict.fromkeys("ABCD", 0))
    assert graph == PartiallyDirectedGraph("ABCD", directed=["AB", "CB"], undirected=["CD"])


def test_colliders_against_tiers_are_not_made():
    graph = oriented("ABC", ["AB", "BC"], {frozenset("AC"): ()}, {"A": 0, "B": 0, "C": 1})
    assert graph == PartiallyDirectedGraph("ABC", directed=["BC"], undirected=["AB"])
