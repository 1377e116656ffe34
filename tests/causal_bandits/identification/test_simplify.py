"""Simplification: every rule, and that no rule changes a value."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_expressions import EXPERIMENTS, GRAPH, A, B, C, by_hand, expressions
from strategies import joint_tables, positive_scm

from causal_bandits.identification import Probability, Product, Quotient, Sum, Value, simplify


@settings(max_examples=150)
@given(expressions(), st.integers(0, 2**32 - 1))
def test_simplification_changes_no_value(expression, seed):
    tables = joint_tables(positive_scm(GRAPH, np.random.default_rng(seed)), EXPERIMENTS)
    simple = simplify(expression)
    assert simple.free <= expression.free
    value = simple.evaluate(tables)
    for states in np.ndindex(expression.evaluate(tables).shape):
        at = dict(zip(sorted(expression.free), states, strict=True))
        assert value[tuple(at[v] for v in sorted(simple.free))] == pytest.approx(
            by_hand(expression, tables, at), rel=1e-10
        )


@settings(max_examples=150)
@given(expressions())
def test_simplification_is_settled_after_one_pass(expression):
    once = simplify(expression)
    assert simplify(once) == once


D, E = Value("D"), Value("E")
P_AB, P_A, P_B, P_Y = Probability([A, B], [C]), Probability([A], [B, C]), Probability([B], [C]), Probability([D], [A])


@pytest.mark.parametrize(
    ("expression", "simple"),
    [
        (Quotient(Product((P_A, P_Y)), P_A), "P(d | a)"),  # cancel
        (Product((P_A, P_B)), "P(a, b | c)"),  # chain
        (Quotient(P_AB, P_B), "P(a | b, c)"),  # divide
        (Sum(frozenset([A]), P_AB), "P(b | c)"),  # total
        (Sum(frozenset([A]), Product((P_A, P_Y, Probability([C])))), "P(c) sum_{a} P(a | b, c) P(d | a)"),  # pull
        (Product((P_B, Sum(frozenset([A]), Product((P_A, P_Y))))), "sum_{a} P(a, b | c) P(d | a)"),  # absorb
        (Quotient(Sum(frozenset([A]), Product((P_AB, P_Y))), P_B), "sum_{a} P(a | b, c) P(d | a)"),
        (Quotient(Product((P_AB, Probability([D, E]))), Product((P_B, Probability([E])))), "P(a | b, c) P(d | e)"),
        (Sum(frozenset([A, B]), Product((P_Y, Probability([B])))), "sum_{a} P(d | a)"),  # total, of the second value
    ],
)
def test_every_rule_does_what_its_row_says(expression, simple):
    assert str(simplify(expression)) == simple


def test_bound_values_get_primes_only_where_they_must():
    inner = Sum(frozenset([A]), Product((Probability([B], [A]), Probability([A], [C]))))
    outer = Sum(frozenset([C]), Product((Probability([C], [A]), inner)))
    assert str(simplify(outer)) == "sum_{c} P(c | a) sum_{a'} P(a' | c) P(b | a')"
    assert simplify(outer).free == {A, B}
    renamed = outer.substitute({B: Value("B", 4)})
    assert renamed.free == {A, Value("B", 4)}


def test_expressions_that_differ_in_names_and_order_alone_become_equal():
    one = Sum(frozenset([A]), Product((Probability([B], [A]), Probability([A]))))
    other = Sum(frozenset([Value("A", 7)]), Product((Probability([Value("A", 7)]), Probability([B], [Value("A", 7)]))))
    assert simplify(one) == simplify(other)
    assert hash(simplify(one)) == hash(simplify(other))
    assert str(simplify(one)) == "P(b)"
