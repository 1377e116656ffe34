"""Tables with named axes, against plain sums: expressions in them, summed products, and tables that are refused."""

from itertools import product as cartesian

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_expressions import by_hand, expressions

from causal_bandits.estimation.count_tables import Table, limits, ratio, summed_product
from causal_bandits.identification import Probability, Product, Quotient, Sum, Value
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
