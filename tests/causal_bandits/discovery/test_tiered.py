"""PC and GES with tiers against enumeration of equivalence classes; the score against pgmpy's."""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgmpy.base import PDAG
from pgmpy.structure_score import BIC
from sampled_graphs import population
from strategies import positive_scm
from tiered_graphs import equivalence_class, tiered_dags

from causal_bandits.discovery import tiered
from causal_bandits.discovery.tiered import CountBIC, TieredPDAG, oriented
from causal_bandits.graphs import PartiallyDirectedGraph


def oracle(graph):
    """A perfect test of independence."""

    def independent(x, y, z, significance_level):
        return graph.is_d_separated(x, y, z)

    return independent


@settings(deadline=None, max_examples=300)
@given(tiered_dags())
def test_pc_with_a_perfect_test_finds_the_class(problem):
    graph, tiers = problem
    table = pd.DataFrame({v: [0, 1] for v in graph.nodes})
    assert tiered.pc(table, tiers, oracle(graph), 0.01) == equivalence_class(graph, tiers)


@settings(deadline=None, max_examples=100)
@given(tiered_dags(max_nodes=5), st.integers(0, 2**32 - 1))
def test_ges_finds_the_class_in_the_population(problem, seed):
    graph, tiers = problem
    table, counts = population(positive_scm(graph, np.random.default_rng(seed)), 1e9)
    learned = tiered.ges(tiered.CountBIC(table, counts), table, tiers)
    assert learned == equivalence_class(graph, tiers)


@settings(deadline=None, max_examples=100)
@given(tiered_dags(min_nodes=2, max_nodes=4), st.integers(0, 2**32 - 1))
def test_the_score_equals_pgmpys(problem, seed):
    graph, _ = problem
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(positive_scm(graph, rng).sample(200, rng))
    counted = table.value_counts().reset_index()
    ours = CountBIC(counted.drop(columns="count"), counted["count"].to_numpy(dtype=float))
    for v in graph.nodes:
        parents = tuple(p for p in graph.nodes if p != v)
        assert ours.local_score(v, parents) == pytest.approx(BIC(table).local_score(v, parents), abs=2e-6)


def test_networkx_views_of_a_tiered_state():
    state = TieredPDAG(PDAG(directed_ebunch=[("A", "B")], undirected_ebunch=[("B", "C")]), {"A": 0, "B": 0, "C": 0})
    assert sorted(nx.DiGraph(state.subgraph("BC")).edges) == [("B", "C"), ("C", "B")]


def test_conflicting_colliders_keep_the_first_by_name():
    # A - B - C - D with no separating set holding B or C: both B and C would be colliders.
    empty = {frozenset(pair): () for pair in combinations("ABCD", 2)}
    graph = oriented("ABCD", ["AB", "BC", "CD"], empty, dict.fromkeys("ABCD", 0))
    assert graph == PartiallyDirectedGraph("ABCD", directed=["AB", "CB"], undirected=["CD"])


def test_colliders_against_tiers_are_not_made():
    graph = oriented("ABC", ["AB", "BC"], {frozenset("AC"): ()}, {"A": 0, "B": 0, "C": 1})
    assert graph == PartiallyDirectedGraph("ABC", directed=["BC"], undirected=["AB"])
