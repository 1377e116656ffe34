"""Searches of lu2021 with exact answers."""

from causal_bandits.graphs.admg import ADMG
from replication.papers.lu2021.exact_answers import undirected_edges


def test_a_tree_is_recovered_only_where_the_root_is_intervened_on_or_stands_next():
    path = ADMG([("X1", "X2"), ("X2", "X3"), ("X3", "X4"), ("X4", "X5")])
    assert undirected_edges(path, "X5") == 1  # the centre X3 is an ancestor: X2 -> X3 is known, X1 - X2 is not
    assert undirected_edges(path, "X1") == 0
    assert undirected_edges(ADMG([("X1", "X2")]), "X2") == 0
