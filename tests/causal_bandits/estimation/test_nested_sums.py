"""Sums pushed in: the value stays that of the definition, and no sum is wider than it must be."""

from itertools import count, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_expressions import EXPERIMENTS, by_hand, expressions

from causal_bandits.estimation.nested_sums import Count, Reciprocal, Times, Total, nested
from causal_bandits.identification import Probability, Product, Sum, Value
from causal_bandits.identification.expression import Expression, JointTable
from causal_bandits.identification.simplify import renamed_apart

SIZES = {"A": 2, "B": 3, "C": 2}


def value(node, counts, at):
    """A node's value, each sum over the states in turn; ``counts`` of joint states by intervention set."""
    if isinstance(node, Count):
        fixed = {v.variable: at[v] for v in node.free}
        return counts[frozenset(v.variable for v in node.do)][tuple(fixed.get(v, slice(None)) for v in SIZES)].sum()
    if isinstance(node, Reciprocal):
        return 1 / value(node.of, counts, at)
    if isinstance(node, Times):
        return np.prod([value(factor, counts, at) for factor in node.factors])
    return sum(value(node.of, counts, at | {node.over: state}) for state in range(SIZES[node.over.variable]))


@settings(max_examples=100)
@given(expressions(depth=2), st.integers(0, 2**32 - 1))
def test_the_value_is_that_of_the_expression_on_relative_frequencies(expression, seed):
    rng = np.random.default_rng(seed)
    counts = {do: rng.integers(1, 30, size=tuple(SIZES.values())).astype(float) for do in EXPERIMENTS}
    tables = {}
    for do, table in counts.items():
        summed = tuple(i for i, v in enumerate(SIZES) if v not in do)
        tables[do] = JointTable("ABC", table / table.sum(axis=summed, keepdims=True))
    expression = renamed_apart(expression, count(1))
    node, free = nested(expression, SIZES), sorted(expression.free)
    assert node.free <= expression.free
    for states in list(product(*(range(SIZES[v.variable]) for v in free)))[:6]:
        at = dict(zip(free, states, strict=True))
        assert value(node, counts, at) == pytest.approx(by_hand(expression, tables, at), rel=1e-9)


def totals(node):
    if isinstance(node, Times):
        return [total for factor in node.factors for total in totals(factor)]
    return [node, *totals(node.of)] if isinstance(node, Total) else []


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_a_chain_is_summed_two_values_at_a_time(order):
    """Sum over V0, ..., V3 of P(v0) P(v1 | v0) ... P(v4 | v3): from the ends inwards, in whatever order it stands."""
    chain = [Value(f"V{i}") for i in range(5)]
    factors = [Probability([chain[0]]), *(Probability([v], [u]) for u, v in pairwise(chain))]
    node = nested(
        Sum(frozenset(chain[i] for i in order), Product(tuple(factors[i] for i in (*order, 4)))),
        dict.fromkeys((v.variable for v in chain), 2),
    )
    found = totals(node)
    assert {total.over for total in found} == set(chain[:4])
    assert max(len(total.of.free) for total in found) == 2
    assert node.free == {chain[4]}


def test_an_unknown_part_is_named():
    class Guess(Expression):
        pass

    with pytest.raises(TypeError, match="Guess"):
        nested(Guess(), SIZES)
