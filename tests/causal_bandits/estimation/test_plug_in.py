"""Formulas on counts: their values are those of `Expression.evaluate`, their derivatives those of small changes."""

from itertools import combinations

import numpy as np
import pytest

from causal_bandits.estimation.plug_in import plug_in
from causal_bandits.graphs import ADMG
from causal_bandits.identification import JointTable, NotIdentifiable, Probability, Sum, Value, identify_conditional


def formulas(number, seed):
    rng = np.random.default_rng(seed)
    while number:
        nodes = [str(v) for v in rng.permutation([*"ABCD"[: rng.integers(2, 5)], "Y"])]
        pairs = list(combinations(nodes, 2))
        graph = ADMG([p for p in pairs if rng.random() < 0.6], [p for p in pairs if rng.random() < 0.3], nodes)
        others = [v for v in graph.nodes if v != "Y"]
        x = [v for v in others if rng.random() < 0.4]
        z = [v for v in others if v not in x and rng.random() < 0.3]
        try:
            yield graph, identify_conditional(graph, outcome="Y", treatment=x, given=z), rng
        except NotIdentifiable:
            continue
        number -= 1


def test_values_and_derivatives():
    kinds = set()
    for graph, formula, rng in formulas(120, seed=1):
        kinds.add(type(formula).__name__)
        shape = tuple(int(k) for k in rng.integers(2, 4, size=len(graph)))
        counts = rng.uniform(1, 9, size=(2, *shape))
        found = plug_in(formula, counts, graph.nodes)
        for table, array in zip(counts, found.array, strict=True):
            tables = {frozenset(): JointTable(graph.nodes, table / table.sum())}
            np.testing.assert_allclose(array, formula.evaluate(tables), rtol=1e-9)
        weight = rng.normal(size=found.array[:1].shape)
        one = plug_in(formula, counts[:1], graph.nodes)
        gradient = np.zeros((1, *shape))
        one.pull(weight, gradient)
        for _ in range(3):
            direction, step = rng.normal(size=shape), 1e-5
            ends = [plug_in(formula, counts[:1] + sign * step * direction, graph.nodes).array for sign in (1, -1)]
            slope = (weight * (ends[0] - ends[1])).sum() / (2 * step)
            np.testing.assert_allclose((gradient[0] * direction).sum(), slope, rtol=2e-5, atol=1e-8)
    assert kinds >= {"Probability", "Sum", "Quotient"}


def test_an_empty_cell_matters_only_where_it_has_weight():
    formula = identify_conditional("dag { Z -> X -> Y ; Z -> Y }", outcome="Y", treatment="X")
    counts = np.zeros((1, 2, 2, 3))  # X, Y, Z
    counts[0, :, :, 0] = [[5, 5], [2, 8]]
    assert plug_in(formula, counts, "XYZ").array[0].tolist() == [[0.5, 0.5], [0.2, 0.8]]  # no record has z = 1 or 2
    counts[0, 0, 0, 1] = 1
    found = plug_in(formula, counts, "XYZ")
    assert np.isnan(found.array[0]).tolist() == [[False, False], [True, True]]  # no record has x = 1 and z = 1
    gradient = np.zeros((1, 2, 2, 3))
    found.pull(np.array([[[0.0, 1.0], [0.0, 0.0]]]), gradient)
    assert np.isfinite(gradient).all()


def test_an_unknown_expression():
    with pytest.raises(TypeError, match="type int"):
        plug_in(1, np.ones((1, 2)), "A")
    assert plug_in(Probability([Value("A")]), np.array([[3.0, 1.0]]), "A").array.tolist() == [[0.75, 0.25]]


def test_a_sum_over_a_value_that_the_summand_does_not_have_counts_its_states():
    share = Probability([Value("A")])
    counts = np.array([[[3.0, 1.0, 2.0], [1.0, 1.0, 1.0]]])  # A, B
    found = plug_in(Sum(frozenset([Value("B")]), share), counts, "AB")
    np.testing.assert_allclose(found.array, 3 * plug_in(share, counts, "AB").array)
    gradients = np.zeros((2, 2, 3))
    found.pull(np.eye(2), gradients)
    alone = np.zeros((2, 2, 3))
    plug_in(share, counts, "AB").pull(np.eye(2), alone)
    np.testing.assert_allclose(gradients, 3 * alone)
