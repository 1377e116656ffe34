"""Independences that a graph implies, and their tests."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import chi2_contingency
from strategies import admgs, positive_scm

from causal_bandits.estimation.independences import implied_independences, independence_tests
from causal_bandits.graphs import ADMG


def brute_force(graph, selection=()):
    found, dag = {}, graph.to_networkx()
    nodes = [v for v in graph.nodes if v not in selection]
    for x, y in combinations(nodes, 2):
        rest = [v for v in nodes if v not in (x, y)]
        for size in range(len(rest) + 1):
            separating = [z for z in combinations(rest, size) if nx.is_d_separator(dag, {x}, {y}, {*z, *selection})]
            if separating:
                found[x, y] = set(separating)
                break
    return found


@settings(deadline=None, max_examples=200)
@given(admgs(max_nodes=6))
def test_pairs_are_those_that_any_set_separates_and_sets_are_smallest(graph):
    expected = brute_force(graph)
    found = implied_independences(graph)
    assert {(x, y) for x, y, _ in found} == expected.keys()
    assert all(given in expected[x, y] for x, y, given in found)


def test_selected_records_are_conditioned_on_selection():
    graph = ADMG([("X", "S"), ("Y", "S"), ("X", "Z")])
    assert implied_independences(graph, "S") == (("Y", "Z", ("X",)),)
    assert brute_force(graph, ("S",)) == {("Y", "Z"): {("X",)}}


def test_statistics_are_those_of_scipy():
    graph = ADMG([("A", "B"), ("A", "C")])
    for seed in range(200):
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, 30, size=(2, 3, 2 + seed % 2))
        (test,) = independence_tests(graph, counts, ["A", "B", "C"])
        strata = [chi2_contingency(layer, correction=False, lambda_="log-likelihood") for layer in counts]
        assert (test.x, test.y, test.given) == ("B", "C", ("A",))
        assert test.statistic == pytest.approx(sum(s.statistic for s in strata), abs=1e-8)
        assert test.degrees == sum(s.dof for s in strata)


def test_states_without_units_take_no_degree_of_freedom():
    counts = np.zeros((2, 2, 2))
    counts[0] = [[5, 3], [2, 6]]
    counts[1, 0] = [4, 4]
    (test,) = independence_tests(ADMG([("A", "B"), ("A", "C")]), counts, ["A", "B", "C"])
    assert test.degrees == 1


def test_a_right_graph_is_rarely_rejected_and_a_wrong_one_is():
    right = ADMG([("A", "B"), ("B", "C"), ("C", "D")], nodes=list("ABCD"))
    wrong = ADMG([("A", "B"), ("C", "D")], nodes=list("ABCD"))
    rejected = {right: 0, wrong: 0}
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scm = positive_scm(right, rng, max_states=2)
        joint = scm.distribution(right.nodes)
        counts = rng.multinomial(3000, joint.ravel()).reshape(joint.shape)
        for graph in rejected:
            rejected[graph] += any(t.rejected for t in independence_tests(graph, counts, right.nodes, error=0.1))
    assert rejected[right] <= 32  # 20 of 200 may be
    assert rejected[wrong] >= 160


def test_independences_are_rejected_step_by_step():
    """Holm: of m p-values the smallest may be error / m, the next error / (m - 1), up to the first that is larger."""
    graph, beyond = ADMG(nodes=list("WXYZ")), 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(400, rng.dirichlet(np.full(16, 10.0))).reshape(2, 2, 2, 2)
        tests = independence_tests(graph, counts, "WXYZ", error=0.2)
        p = np.array([test.p_value for test in tests])
        larger = np.sort(p) > 0.2 / np.arange(6, 0, -1)
        steps = int(larger.argmax()) if larger.any() else 6
        assert [test.rejected for test in tests] == (p.argsort().argsort() < steps).tolist()
        beyond += steps > (p <= 0.2 / 6).sum()
    assert beyond >= 5


def test_a_complete_graph_implies_nothing_and_a_test_reads_as_a_sentence():
    assert independence_tests(ADMG([("X", "Y")], [("X", "Y")]), [[1, 2], [3, 4]], ["X", "Y"]) == ()
    (test,) = independence_tests(ADMG(nodes=list("XY")), [[900, 100], [100, 900]], ["X", "Y"])
    assert str(test).startswith("X and Y are independent: contradicted by the data (p = ")
    with pytest.raises(ValueError, match="not counts"):
        independence_tests(ADMG(nodes=list("XY")), [[0.9, 0.1], [0.1, 0.9]], ["X", "Y"])
