"""Tables with named axes: against plain sums, `Expression.evaluate` and small changes; and those that are refused."""

from itertools import combinations
from itertools import product as cartesian

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_expressions import by_hand, expressions

from causal_bandits.estimation.count_tables import Table, limits, plug_in, ratio, summed_product
from causal_bandits.graphs import ADMG
from causal_bandits.identification import (
    NotIdentifiable,
    Probability,
    Product,
    Quotient,
    Sum,
    Value,
    identify_conditional,
)
from causal_bandits.identification.expression import JointTable

SIZES = {"A": 2, "B": 3, "C": 2}


def observed(expression):
    """The expression with every intervention read as a condition."""
    if isinstance(expression, Probability):
        return Probability(expression.of, expression.given | expression.do)
    if isinstance(expression, Product):
        return Product(tuple(observed(factor) for factor in expression.factors))
    if isinstance(expression, Quotient):
        return Quotient(observed(expression.numerator), observed(expression.denominator))
    return Sum(expression.over, observed(expression.summand))


def joint(seed):
    return np.random.default_rng(seed).dirichlet(np.ones(12)).reshape(*SIZES.values()) + 1e-3


@settings(max_examples=100)
@given(expressions(depth=2), st.integers(0, 2**32 - 1))
def test_expressions_have_the_values_of_their_definitions(expression, seed):
    expression, array = observed(expression), joint(seed)
    array /= array.sum()
    values, found, greatest = limits(expression, Table(array, "ABC"))
    np.testing.assert_array_equal(found, greatest)
    assert values == tuple(sorted(expression.free))
    tables = {frozenset(): JointTable("ABC", array)}
    for states in cartesian(*(range(SIZES[v.variable]) for v in values)):
        expected = by_hand(expression, tables, dict(zip(values, states, strict=True)))
        assert found[states] == pytest.approx(expected, rel=1e-9)


@settings(max_examples=100)
@given(st.lists(expressions(depth=1), max_size=3), st.permutations("ABC"), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_a_summed_product_is_the_sum_over_all_states(chosen, names, cut, seed):
    """Over some variables, with an axis for each of the others; a primed value is held at its first state."""
    chosen, array = [observed(expression) for expression in chosen], joint(seed)
    array /= array.sum()
    over, axes = frozenset(names[:cut]), names[cut:]
    found, greatest = summed_product(Table(array, "ABC"), chosen, over, axes)
    np.testing.assert_array_equal(found, greatest)
    assert found.ndim == len(axes)
    whole = np.broadcast_to(found, [SIZES[v] for v in axes])
    tables = {frozenset(): JointTable("ABC", array)}
    for states in cartesian(*(range(SIZES[v]) for v in axes)):
        total = 0.0
        for summed in cartesian(*(range(SIZES[v]) for v in sorted(over))):
            at = dict(zip(axes, states, strict=True)) | dict(zip(sorted(over), summed, strict=True))
            total += np.prod(
                [by_hand(e, tables, {v: 0 if v.primes else at[v.variable] for v in e.free}) for e in chosen]
            )
        assert whole[states] == pytest.approx(total, rel=1e-9)


def test_what_has_no_units_may_be_any_probability():
    table = Table(np.array([[0.0, 0.0], [0.3, 0.7]]), "AB")
    given_a = Probability([Value("B")], [Value("A")])
    assert limits(given_a, table)[1].tolist() == [[0.0, 0.0], [0.3, 0.7]]
    assert limits(given_a, table)[2].tolist() == [[1.0, 1.0], [0.3, 0.7]]
    a = Probability([Value("A")])
    low, high = limits(Product((a, given_a)), table)[1:]  # P(A=0) is zero: the product is known
    assert low.tolist() == high.tolist() == [[0.0, 0.0], [0.3, 0.7]]
    low, high = limits(Sum(frozenset([Value("A")]), given_a), table)[1:]
    np.testing.assert_allclose([low, high], [[0.3, 0.7], [1.3, 1.7]])
    low, high = limits(Quotient(Probability([Value("B")]), given_a), table)[1:]
    np.testing.assert_allclose([low, high], [[[0.3, 0.7], [1, 1]], [[np.inf, np.inf], [1, 1]]])
    low, high = limits(Quotient(given_a, Probability([Value("B")])), table)[1:]
    np.testing.assert_allclose([low, high], [[[0, 0], [1, 1]], [[1 / 0.3, 1 / 0.7], [1, 1]]])
    np.testing.assert_array_equal(ratio(np.array([0.0, 2.0]), np.array([[0.0], [4.0]])), [[np.nan] * 2, [0.0, 0.5]])


@pytest.mark.parametrize(
    ("array", "variables", "named"),
    [
        (np.ones((2, 2)), "AC", ["B", "A, C"]),
        (np.ones((2, 2, 2)), "ABC", ["C"]),
        (np.ones(2), "AB", ["1", "A, B"]),
        (np.ones((2, 2, 2)), "ABA", ["A, B, A"]),
        (np.array([[1.0, -0.1], [0, 1]]), "AB", ["negative"]),
        (np.array([[1.0, np.nan], [0, 1]]), "AB", ["finite"]),
    ],
)
def test_a_wrong_table_is_refused(array, variables, named):
    with pytest.raises(ValueError, match="the table ") as refused:
        Table.checked(array, variables, "AB")
    assert all(name in str(refused.value) for name in named)


def test_further_variables_may_be_allowed():
    assert Table.checked(np.ones((2, 3)), "AB", "A", exactly=False).marginal("A").tolist() == [3, 3]


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
