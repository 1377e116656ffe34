from itertools import combinations

from causal_bandits.discovery.orientation import oriented
from causal_bandits.graphs import PartiallyDirectedGraph


def test_conflicting_colliders_keep_the_first_by_name():
    # A - B - C - D with no separating set holding B or C: both B and C would be colliders.
    empty = {frozenset(pair): () for pair in combinations("ABCD", 2)}
    graph = oriented("ABCD", ["AB", "BC", "CD"], empty, dict.fromkeys("ABCD", 0))
    assert graph == PartiallyDirectedGraph("ABCD", directed=["AB", "CB"], undirected=["CD"])


def test_colliders_against_tiers_are_not_made():
    graph = oriented("ABC", ["AB", "BC"], {frozenset("AC"): ()}, {"A": 0, "B": 0, "C": 1})
    assert graph == PartiallyDirectedGraph("ABC", directed=["BC"], undirected=["AB"])
